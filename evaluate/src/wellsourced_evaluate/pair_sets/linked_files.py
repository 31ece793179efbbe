"""Sets of pairs whose texts are in further files: SciFact, and Evidence Inference 2.0.

SciFact (Wadden et al., EMNLP 2020), claims_*.jsonl with corpus.jsonl beside it: `id`, `claim`, `cited_doc_ids`,
`evidence` {document: [{`sentences`: places, `label`}]}; `doc_id`, `abstract` (sentences). A claim and a document with
evidence are a pair; a document that it cites without evidence has not enough. The title is no part of the text: no
rationale is in it. Claims that share documents over any number of steps, in all files of claims that lie together, are
a group.

Evidence Inference (DeYoung et al., BioNLP 2020), annotations_merged.csv, and beside it prompts_merged.csv and, where an
annotation has no words, txt_files/PMC….txt. It has no claims, so that these are DERIVED: from each prompt on which the
accepted annotators agree, the sentence that says its result (supported), one that says another result (contradicted),
both on the annotators' words, and the first on their words about another outcome of the same trial (not enough).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import NotFoundError
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    RejectedLine,
    SetFile,
    UnusableLine,
    read_numbered_rows,
    require_text,
    translate_label,
)

CORPUS_FILE, CLAIM_FILES = "corpus.jsonl", "claims_*.jsonl"
SCIFACT_LABELS = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
Abstracts = Mapping[str, Sequence[str]]


def read_scifact(file: SetFile) -> Iterator[PairLine]:
    """A pair for each claim and each document that it cites or has evidence in. Raises NotFoundError for no corpus."""
    corpus = file.corpus or file.path.with_name(CORPUS_FILE)
    if not corpus.is_file():
        raise NotFoundError(f"{corpus} is not there: SciFact's abstracts stand in it. Name it with --corpus.")
    file.others.append(corpus)
    abstracts = _read_abstracts(corpus, file.rejected)
    groups = _name_groups(sorted({file.path, *file.path.parent.glob(CLAIM_FILES)}))
    yield from file.translate(lambda fields: _claim_pairs(fields, abstracts, groups))


def _name_groups(paths: Sequence[Path]) -> Mapping[str, str]:
    """Claim → its group, over the claims of these files."""
    above: dict[object, object] = {}
    claims: set[int] = set()
    for path in paths:
        for _, fields in read_numbered_rows(path, []):
            if isinstance(id := fields.get("id"), int):
                claims.add(id)
                for document in _list_documents(fields):
                    above[_find_root(above, document)] = _find_root(above, id)
    first = {_find_root(above, id): id for id in sorted(claims, reverse=True)}
    return {str(id): f"sfc-{first[_find_root(above, id)]}" for id in claims}


def _find_root(above: dict[object, object], node: object) -> object:
    """The node that stands for all with which this one is joined, over any number of steps."""
    while above.setdefault(node, node) != node:
        above[node] = above[above[node]]
        node = above[node]
    return node


def _list_documents(fields: Fields) -> list[str]:
    """The documents of a claim, those with evidence first."""
    evidence, cited = fields.get("evidence"), fields.get("cited_doc_ids")
    named = [*(evidence if isinstance(evidence, dict) else ()), *(cited if isinstance(cited, list) else ())]
    return list(dict.fromkeys(str(one) for one in named))


def _read_abstracts(corpus: Path, rejected: list[RejectedLine]) -> Abstracts:
    found = {}
    for number, fields in read_numbered_rows(corpus, rejected):
        sentences = fields.get("abstract")
        if fields.get("doc_id") is None or not isinstance(sentences, list):
            rejected.append(RejectedLine(corpus.name, number, "it has no doc_id or no abstract"))
        else:
            found[str(fields["doc_id"])] = [str(one).strip() for one in sentences]
    return found


def _claim_pairs(fields: Fields, abstracts: Abstracts, groups: Mapping[str, str]) -> list[Fields]:
    """All pairs of a claim; none of them counts when one cannot be used."""
    claim, number, evidence = require_text(fields, "claim"), fields.get("id"), fields.get("evidence")
    if number is None:
        raise UnusableLine("it has no id")
    if not isinstance(evidence, dict):
        raise UnusableLine("it has no evidence: the labels of the test part were not released")
    documents = _list_documents(fields)
    if not documents:
        raise UnusableLine("it names no document")
    common = {"claim": claim, "group": groups.get(str(number), f"sfc-{number}")}
    return [
        {**common, "id": f"sf-{number}-{id}", **_read_evidence(id, evidence.get(id) or [], abstracts)}
        for id in documents
    ]


def _read_evidence(id: str, rationales: Any, abstracts: Abstracts) -> Fields:
    """What a document says of a claim. Raises UnusableLine."""
    if id not in abstracts:
        raise UnusableLine(f"its document {id} is not in the corpus")
    sentences = abstracts[id]
    try:
        labels = {translate_label(one.get("label"), SCIFACT_LABELS) for one in rationales}
        marked = [[sentences[place] for place in one["sentences"]] for one in rationales]
    except (AttributeError, IndexError, KeyError, TypeError) as bad:
        raise UnusableLine(f"its evidence in document {id} cannot be read") from bad
    if len(labels) > 1:
        raise UnusableLine(f"its evidence in document {id} has two labels")
    return {
        "doc_id": id,
        "evidence": " ".join(sentences),
        "evidence_sentences": marked,
        "label": labels.pop() if labels else "not_enough",
    }


# --- Evidence Inference ----------------------------------------------------------------------------------------------

PROMPT_FILE, ARTICLE_FOLDER = "prompts_merged.csv", "txt_files"

RESULTS = {
    "1": "significantly increased",
    "-1": "significantly decreased",
    "0": "made no significant difference to",
}
"""Label code → what the claim says that the intervention did."""

CODES = {
    **dict.fromkeys(("significantly increased", "significantly increase"), "1"),
    **dict.fromkeys(("significantly decreased", "significantly decrease"), "-1"),
    "no significant difference": "0",
}
"""The label of an annotation, as it stands there in both spellings → its code."""

MAX_SPANS = 3
"""Pieces of an article that are the text of a pair, at most: annotators mark the same sentence again and again."""


class TrialPrompt(NamedTuple):
    """What was asked of a trial."""

    article: str
    outcome: str
    intervention: str
    comparator: str


class TrialResult(NamedTuple):
    """What annotators found of a prompt: its code, their words, and the row that said so first."""

    prompt: TrialPrompt
    code: str
    words: tuple[str, ...]
    row: int


def read_evidence_inference(file: SetFile) -> Iterator[PairLine]:
    """Three pairs for each prompt; two where the trial has no other outcome. Raises NotFoundError for no prompts."""
    prompts = _read_prompts(file)
    results: dict[str, TrialResult] = {}
    disputed: dict[str, int] = {}
    for row, fields in file.rows:
        try:
            id, found = _read_result(fields, row, prompts, file.path.parent / ARTICLE_FOLDER)
        except UnusableLine as bad:
            file.reject(row, str(bad))
            continue
        known = results.setdefault(id, found)
        if known.code != found.code:
            disputed.setdefault(id, row)
        elif found.words[0] not in known.words and len(known.words) < MAX_SPANS:
            results[id] = known._replace(words=(*known.words, *found.words))
    for id, row in disputed.items():
        file.reject(row, f"annotators disagree on prompt {id}, which is left out")
    agreed = {id: one for id, one in results.items() if id not in disputed}
    for id, one in agreed.items():
        yield from (PairLine(file.path.name, one.row, pair) for pair in _derive_pairs(id, one, agreed))


def _read_prompts(file: SetFile) -> Mapping[str, TrialPrompt]:
    path = file.corpus or file.path.with_name(PROMPT_FILE)
    if not path.is_file():
        raise NotFoundError(f"{path} is not there: what was asked stands in it. Name it with --corpus.")
    file.others.append(path)
    found: dict[str, TrialPrompt] = {}
    for row, fields in read_numbered_rows(path, file.rejected):
        try:
            words = [require_text(fields, name) for name in ("PMCID", "Outcome", "Intervention", "Comparator")]
            if (id := require_text(fields, "PromptID")) in found:
                raise UnusableLine(f"the PromptID {id} stands in an earlier row")
            found[id] = TrialPrompt(*words)
        except UnusableLine as bad:
            file.rejected.append(RejectedLine(path.name, row, str(bad)))
    return found


def _read_result(
    fields: Fields, row: int, prompts: Mapping[str, TrialPrompt], articles: Path
) -> tuple[str, TrialResult]:
    id, label = require_text(fields, "PromptID"), require_text(fields, "Label")
    if any(
        str(fields.get(name)).strip().casefold() not in ("1", "true") for name in ("Valid Label", "Valid Reasoning")
    ):
        raise UnusableLine("its label or its reasoning was not accepted")
    if label.casefold() == "invalid prompt":
        raise UnusableLine("the annotator calls the prompt invalid")
    code = translate_label(label.casefold(), CODES)
    if id not in prompts:
        raise UnusableLine(f"its PromptID {id} is in no row of the prompts")
    words = str(fields.get("Annotations") or "").strip() or _cut_words(fields, prompts[id], articles)
    return id, TrialResult(prompts[id], code, (words,), row)


def _cut_words(fields: Fields, prompt: TrialPrompt, articles: Path) -> str:
    """What stands at the offsets of an annotation in the article. Raises UnusableLine."""
    path = articles / f"PMC{prompt.article}.txt"
    start, end = (str(fields.get(name) or "").strip() for name in ("Evidence Start", "Evidence End"))
    words = (
        read_whole_text(path)[int(start) : int(end)].strip()
        if start.isdigit() and end.isdigit() and path.is_file()
        else ""
    )
    if not words:
        raise UnusableLine("it has no Annotations, and none can be cut from its article")
    return words


def _derive_pairs(id: str, one: TrialResult, agreed: Mapping[str, TrialResult]) -> Iterator[Fields]:
    evidence, common = " ".join(one.words), {"group": f"PMC{one.prompt.article}"}
    claim = _say_result(one.prompt, one.code)
    others: Sequence[str] = [code for code in RESULTS if code != one.code]
    # Either of the two other results, the same one each time.
    wrong = _say_result(one.prompt, others[sum(id.encode()) % 2])
    yield {**common, "id": f"ei-{id}-s", "claim": claim, "evidence": evidence, "label": "supported"}
    yield {**common, "id": f"ei-{id}-c", "claim": wrong, "evidence": evidence, "label": "contradicted"}
    elsewhere = _find_other_outcome(one, agreed)
    if elsewhere:
        yield {**common, "id": f"ei-{id}-n", "claim": claim, "evidence": elsewhere, "label": "not_enough"}


def _say_result(prompt: TrialPrompt, code: str) -> str:
    return f"Compared with {prompt.comparator}, {prompt.intervention} {RESULTS[code]} {prompt.outcome}."


def _find_other_outcome(one: TrialResult, agreed: Mapping[str, TrialResult]) -> str:
    """The words on the first other outcome of the trial that are not among the words on this one; "" for none."""
    for other in agreed.values():
        if (
            other.prompt.article == one.prompt.article
            and other.prompt.outcome.casefold() != one.prompt.outcome.casefold()
        ):
            words = [some for some in other.words if some not in one.words]
            if words:
                return " ".join(words)
    return ""
