"""Statements as strong language models write them, put to what checks them.

evaluate/data/written_statements: 831 statements over 194 passages by four authors, about half of them faulty. Another
file has rows of as_written.pairs.jsonl.gz, which carry their passage as `evidence`.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence

from wellsourced import config
from wellsourced.claims.extraction import strip_answer_word
from wellsourced.compare.alignment import find_source_sentence
from wellsourced.compare.differences import HARMLESS_KINDS, LIGHT_CLASSES, find_differences
from wellsourced.compare.figure_clash import find_figure_clash
from wellsourced.compare.slots import Slot, list_open_slots
from wellsourced.compare.terms import read_terms
from wellsourced.factcheck.pairing import JudgingOptions, judge_document
from wellsourced.pipeline.quote_placement import cited_sentences
from wellsourced.pipeline.verify.local_checks import find_hard_failure
from wellsourced.text.tokens import content_stems
from wellsourced.types import Citation, Document, Passage, Question, Reference, Statement, Verdict, WordDifference
from wellsourced_evaluate.clinical.marks import CaseMarks, CaseOptions, Row, count
from wellsourced_evaluate.development_data import find_data, read_rows
from wellsourced_evaluate.opened_judges import open_judge

SUPPORTED = Verdict(label="supports", score=1.0)


def _take_statements(options: CaseOptions) -> Iterator[tuple[str, Row]]:
    """(name of the file, statement with its passage as `evidence`), of every author or of the file that was named."""
    folder = find_data("written_statements")
    passages = {row["passage_id"]: row["text"] for row in read_rows(folder / "passages.jsonl")}
    for path in options.files or sorted(folder.glob("statements_*.jsonl")):
        for row in options.cut(read_rows(path)):
            yield path.name.partition(".")[0], {"evidence": passages.get(row.get("passage_id", ""), ""), **row}


# --- what refuses ----------------------------------------------------------------------------------------------------


async def measure_vetoes(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Right statements that rules refuse though an honest model supports them, faulty ones that they stop by
    themselves, and how many are asked about.
    """
    for name, row in _take_statements(options):
        statement, passage = build_statement(row)
        question = Question(text=row.get("question", ""), asked=row.get("question", ""))
        veto = find_hard_failure(question, statement, {passage.id: passage})
        sentences = cited_sentences(statement, {passage.id: passage})
        asked = list_open_slots(strip_answer_word(statement.text), sentences, passage.text, question.text)
        right = row["label"] == "supported"
        marks = {
            f"{name}, {'right refused' if right else 'faulty stopped'}": count([veto]),
            f"{name}, {'right' if right else 'faulty'} with an open slot": count([asked]),
        }
        if row.get("changed"):
            is_named = any(_names_fault(one, row["changed"]) for one in asked) or veto
            marks[f"{name}, near copies whose fault is named or stopped"] = count([is_named])
        is_wrong = (veto is not None) == right
        yield CaseMarks(row["id"], marks, f"{row['label']}: {row['claim']}\n{veto and veto.verdict.reason}" * is_wrong)


def build_statement(row: Row) -> tuple[Statement, Passage]:
    """The claim, citing its quotes where they stand in its passage."""
    text = row["evidence"]
    passage = Passage(reference=Reference(id=f"row:{row['id']}", title=""), text=text, start=0, end=len(text))
    places = [(quote, text.find(quote)) for quote in row["quotes"]]
    citations = tuple(
        Citation(passage_id=passage.id, quote=quote, start=at, end=at + len(quote)) for quote, at in places if at >= 0
    )
    return Statement(text=row["claim"], citations=citations, verdict=SUPPORTED), passage


def _names_fault(slot: Slot, changed: Sequence[str]) -> bool:
    """Whether a slot shows words that are wrong in the claim, or the source's for them."""
    shown = set(content_stems(f"{slot.claim} {slot.source}"))
    said, meant = (set(content_stems(words)) for words in changed)
    return bool((said ^ meant) & shown) or not said ^ meant


async def measure_statuses(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """What `check` tells of right and faulty statements without a model."""
    statuses = ("verbatim", "verified", "contradicted", "unverified")
    async with open_judge("comparison", config.load({"network.offline": True})) as judge:
        for name, row in _take_statements(options):
            document = Document(reference=Reference(id=f"row:{row['id']}", title=""), text=row["evidence"])
            told = (await judge_document(document, [row["claim"]], judge, JudgingOptions()))[row["claim"]].verdict
            right = row["label"] == "supported"
            names = dict.fromkeys((*statuses, told.status))
            kind = f"{name}, {'right' if right else 'faulty'}"
            is_wrong = told.status == ("contradicted" if right else "verified")
            marks = {f"{kind}: {one}": count([one == told.status]) for one in names}
            yield CaseMarks(row["id"], marks, f"{row['claim']}\n{told.status}: {told.reason}" * is_wrong)


# --- what is marked --------------------------------------------------------------------------------------------------


async def measure_marks(options: CaseOptions) -> AsyncIterator[CaseMarks]:
    """Of near copies, whether their wrong words are marked; the sentence found; clashes of figures.

    marked    each word that only the claim has; where it only leaves words out, one of those; where they only stand in
              another order, one of them
    sentence  found in the statement's quotes, or the other way round
    clash     of right statements each one is a mistake
    """
    for name, row in _take_statements(options):
        span = find_source_sentence(row["claim"], row["evidence"])
        sentence = row["evidence"][span.start : span.end] if span else ""
        found = find_differences(row["claim"], sentence, row["evidence"])
        right, is_graver = row["label"] == "supported", any(one.kind not in HARMLESS_KINDS for one in found)
        marks: dict[str, tuple[float, float]] = {}
        if row.get("near_copy") and right:
            marks[f"{name}, right near copies: marks each"] = (len(found), 1)
            marks[f"{name}, right near copies told as more than wording"] = count([is_graver])
        elif row.get("near_copy") and len(row["changed"]) == 2:
            marked = sum(one.claim_end - one.claim_start for one in found)
            marks[f"{name}, faulty near copies: wrong words marked"] = count([is_marked(row, sentence, found)])
            marks[f"{name}, faulty near copies told as more than wording"] = count([is_graver])
            marks[f"{name}, faulty near copies: letters marked"] = (marked, len(row["claim"]))
        marks[f"{name}, sentence found"] = count([_has_found_quote(row, sentence)])
        clash = find_figure_clash(row["claim"], sentence, row["evidence"])
        marks[f"{name}, {'right' if right else 'faulty'} ones that clash with a figure"] = count([clash])
        claim = row["claim"]
        told = "; ".join(
            f"{one.kind}: “{claim[one.claim_start : one.claim_end]}” ← “{sentence[one.source_start : one.source_end]}”"
            for one in found
        )
        yield CaseMarks(row["id"], marks, f"{row['label']}: {claim}\n{sentence}\n{told}")


def is_marked(row: Row, sentence: str, found: Sequence[WordDifference]) -> bool:
    """Whether the wrong words of the row are marked.

    Some rows give what the passage says in its own words, others shortened ("71.0% in cancer and 13.8% in
    endometriosis"). Shortened words do not stand in the sentence: then each word counts that the sentence lacks, and
    where it lacks none (arms that changed places), a word of the wrong ones has to be marked as more than "wording".
    """
    claim, (wrong, right) = row["claim"], row["changed"]
    at, there = claim.find(wrong), sentence.find(right)
    if at < 0:
        return _are_pieces_marked(claim, wrong, sentence, found)
    is_shortened = _plain(right) not in _plain(sentence)
    lacking = Counter(_list_keys(wrong)) - Counter(_list_keys(sentence if is_shortened else right))
    places = [
        (at + term.start, at + term.end)
        for term in read_terms(wrong)
        # Of shortened words only those count that say something.
        if term.key in lacking and not (is_shortened and term.kind in LIGHT_CLASSES)
    ]
    if places:
        return all(any(one.claim_start < end and one.claim_end > start for one in found) for start, end in places)
    only_source = Counter(_list_keys(right)) - Counter(_list_keys(wrong))
    theirs = [(there + term.start, there + term.end) for term in read_terms(right) if term.key in only_source]
    if there >= 0 and any(one.source_start < end and one.source_end > start for start, end in theirs for one in found):
        return True
    inside = [one for one in found if one.claim_start < at + len(wrong) and one.claim_end > at]
    if is_shortened:
        return any(one.kind != "wording" and one.claim_start < one.claim_end for one in inside)
    return any(one.kind == "order" for one in inside)


def _are_pieces_marked(claim: str, wrong: str, sentence: str, found: Sequence[WordDifference]) -> bool:
    """The same of wrong words that are given shortened, too: each of them counts wherever it stands in the claim.

    Of a word that stands there twice one place is enough.
    """
    keys, there = set(_list_keys(wrong)), set(_list_keys(sentence))
    places = [term for term in read_terms(claim) if term.key in keys and term.kind not in LIGHT_CLASSES]
    lacking = {term.key for term in places} - there
    kinds = [
        (term.key, one.kind)
        for term in places
        for one in found
        if one.claim_start < term.end and one.claim_end > term.start
    ]
    if lacking:
        return lacking <= {key for key, _ in kinds}
    return any(kind != "wording" for _, kind in kinds)


def _list_keys(text: str) -> list[str]:
    return [term.key for term in read_terms(text)]


def _has_found_quote(row: Row, sentence: str) -> bool:
    """Whether the sentence and one of the row's quotes are the same, or one lies in the other."""
    plain = _plain(sentence)
    return bool(plain) and any(_plain(quote) in plain or plain in _plain(quote) for quote in row["quotes"])


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip()
