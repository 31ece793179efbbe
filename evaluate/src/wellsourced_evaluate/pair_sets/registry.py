"""Every set of pairs that can be read, as it was released, and which of them a file is: by the fields of its first row.

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

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import SettingsError
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced_evaluate.pair_sets.base import (
    LABEL_WORDS,
    Fields,
    Row,
    SetFile,
    UnusableLine,
    join_rows,
    read_numbered_rows,
    read_verdict,
    require_text,
    translate_label,
)

NLI_LABELS = {
    **LABEL_WORDS,
    **dict.fromkeys(("e", "0"), "supported"),
    **dict.fromkeys(("n", "1"), "not_enough"),
    **dict.fromkeys(("c", "2"), "contradicted"),
}

SOURCECHECKUP_SPELLINGS = {"citation url": "url", "decision": "label", "source_text": "source", "source text": "source"}
"""Other names of fields, in small letters → ours."""

RECORD_PARTS = ("record", "patient", "case", "examination", "diagnosis", "treatment", "order")
"""The parts of a patient's record, in the order in which it is read."""


def pair_healthver(fields: Fields) -> Fields:
    """As it was released; pairs of one topic share claims and texts."""
    return {
        "id": f"healthver-{require_text(fields, 'id')}",
        "group": f"healthver-topic-{require_text(fields, 'topic_ip')}",
        "claim": require_text(fields, "claim"),
        "evidence": require_text(fields, "evidence"),
        "label": translate_label(fields.get("label")),
    }


def pair_multivers(fields: Fields) -> Fields:
    """HealthVer, and SciFact, as they are packed for MultiVerS (Wadden et al., 2022): sentences, and their places."""
    sentences, places = fields.get("abstract"), fields.get("evidence") or []
    if not isinstance(sentences, list) or not sentences:
        raise UnusableLine("it has no abstract")
    try:
        marked = [str(sentences[place]) for place in places]
    except (IndexError, TypeError) as bad:
        raise UnusableLine("its evidence names sentences that the abstract does not have") from bad
    return {
        "id": f"{fields.get('claim_id')}-{fields.get('abstract_id')}",
        "group": f"claim-{fields.get('claim_id')}",
        "doc_id": str(fields.get("abstract_id")),
        "claim": require_text(fields, "claim"),
        "evidence": " ".join(map(str, sentences)),
        "evidence_sentences": marked,
        "label": translate_label(fields.get("verdict"), "verdict"),
    }


def pair_kqa(fields: Fields) -> Fields:
    """Does a language model's answer say what the physicians say? Three of them voted; its number has no name."""
    question, number = require_text(fields, "Question"), str(fields.get("") or "").strip()
    plain = re.sub(r"[^a-z0-9]+", " ", question.lower()).strip()
    return {
        "id": f"kqanli-{number}" if number else None,
        "group": f"kqa-{hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()[:10]}",
        "claim": require_text(fields, "claim"),
        "evidence": require_text(fields, "answer"),
        "label": translate_label(fields.get("majority_label")),
        "votes": [translate_label(fields.get(name), name) for name in ("label_0", "label_1", "label_2")],
    }


class NliNames(NamedTuple):
    """How a set calls a premise, a hypothesis, the label and the id of both."""

    premise: str
    hypothesis: str
    label: str
    id: str

    def pair(self, fields: Fields) -> Fields:
        """Those of one premise are a group."""
        if str(fields.get(self.label)) in ("-", "-1"):
            raise UnusableLine("its annotators did not agree on a label")
        text = require_text(fields, self.premise)
        return {
            "id": fields.get(self.id),
            "group": text,
            "claim": require_text(fields, self.hypothesis),
            "evidence": text,
            "label": translate_label(fields.get(self.label), self.label, NLI_LABELS),
        }


NLI_NAMES = (
    NliNames("sentence1", "sentence2", "gold_label", "pairID"),
    NliNames("context", "hypothesis", "label", "uid"),
    NliNames("premise", "hypothesis", "label", "id"),
)
"""Of SNLI, MultiNLI and MedNLI; of ANLI; as packed elsewhere."""


def pair_sourcecheckup(fields: Fields) -> Fields:
    """A statement and the words of its page; those of one response, else those on one page, are a group.

    The decisions that SourceCheckup's code writes keep no pages: they are read where a column `Source` was added.
    """
    named = {SOURCECHECKUP_SPELLINGS.get(name.lower(), name.lower()): value for name, value in fields.items()}
    return {
        "id": named.get("id"),
        "group": named.get("response") or named.get("url") or None,
        "claim": require_text(named, "statement"),
        "evidence": require_text(named, "source"),
        **read_verdict(named),
    }


def pair_patient_record(fields: Fields) -> Fields:
    """Does a patient's record support an answer? Rows without a label are questions, which `evaluate run` asks.

    AEBMP and MOEQA (Wang et al., Nature Communications 2025) are hospital records and were not released: the names of
    the fields are ours.
    """
    record = "\n".join(filter(None, (str(fields[name]).strip() for name in RECORD_PARTS if fields.get(name))))
    if not record:
        raise UnusableLine(f"it has no record: none of {', '.join(RECORD_PARTS)}")
    require_text(fields, "question")
    return {
        "id": fields.get("id"),
        "group": record,
        "claim": require_text(fields, "answer"),
        "evidence": record,
        **read_verdict(fields),
    }


# --- SciFact ---------------------------------------------------------------------------------------------------------

Abstracts = Mapping[str, Sequence[str]]


def read_scifact(file: SetFile) -> Iterator[Row]:
    """A pair for each claim and each document that it cites or has evidence in. Raises NotFoundError for no corpus."""
    corpus = file.open_beside("corpus.jsonl", "SciFact's abstracts are")
    abstracts = dict(abstract for _, abstract in corpus.use_rows(_read_abstract))
    documents = defaultdict[int, list[str]](list)
    for path in sorted({file.path, *file.path.parent.glob("claims_*.jsonl")}):
        for _, fields in read_numbered_rows(path, []):
            if isinstance(id := fields.get("id"), int):
                documents[id] += _list_documents(fields)
    claims = sorted(documents)
    first = join_rows([documents[id] for id in claims])
    groups = {str(id): f"sfc-{claims[place]}" for id, place in zip(claims, first, strict=True)}
    for number, pairs in file.use_rows(lambda fields: _list_claim_pairs(fields, abstracts, groups)):
        yield from ((number, pair) for pair in pairs)


def _list_documents(fields: Fields) -> list[str]:
    """The documents of a claim, those with evidence first."""
    evidence, cited = fields.get("evidence"), fields.get("cited_doc_ids")
    named = [*(evidence if isinstance(evidence, dict) else ()), *(cited if isinstance(cited, list) else ())]
    return list(dict.fromkeys(map(str, named)))


def _read_abstract(fields: Fields) -> tuple[str, list[str]]:
    sentences = fields.get("abstract")
    if fields.get("doc_id") is None or not isinstance(sentences, list):
        raise UnusableLine("it has no doc_id or no abstract")
    return str(fields["doc_id"]), [str(one).strip() for one in sentences]


def _list_claim_pairs(fields: Fields, abstracts: Abstracts, groups: Mapping[str, str]) -> list[Fields]:
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
    if id not in abstracts:
        raise UnusableLine(f"its document {id} is not in the corpus")
    sentences = abstracts[id]
    try:
        labels = {translate_label(one.get("label")) for one in rationales}
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

RESULTS = {"1": "significantly increased", "-1": "significantly decreased", "0": "made no significant difference to"}
"""Label code → what the claim says that the intervention did."""

CODES = {
    **dict.fromkeys(("significantly increased", "significantly increase"), "1"),
    **dict.fromkeys(("significantly decreased", "significantly decrease"), "-1"),
    "no significant difference": "0",
}
"""The label of an annotation, as it stands there in both spellings → its code."""

MAX_SPANS = 3
"""Pieces of an article that are the text of a pair, at most: annotators mark the same sentence again and again."""


Prompt = Mapping[str, str]
"""What was asked of a trial: PMCID, Outcome, Intervention, Comparator."""


class TrialResult(NamedTuple):
    """What annotators found of a prompt: its code, their words, and the row that said so first."""

    prompt: Prompt
    code: str
    words: list[str]
    row: int

    def say(self, code: str) -> str:
        """The claim that this was the result."""
        return "Compared with {Comparator}, {Intervention} {result} {Outcome}.".format(
            **self.prompt, result=RESULTS[code]
        )


def read_evidence_inference(file: SetFile) -> Iterator[Row]:
    """Three pairs for each prompt; two where the trial has no other outcome. Raises NotFoundError for no prompts."""
    prompts: dict[str, Prompt] = {}
    asked = file.open_beside("prompts_merged.csv", "what was asked is")
    for row, (id, prompt) in asked.use_rows(_read_prompt):
        if prompts.setdefault(id, prompt) is not prompt:
            asked.reject(row, f"the PromptID {id} is in an earlier row")
    results: dict[str, TrialResult] = {}
    disputed: dict[str, int] = {}
    for row, (id, code, words) in file.use_rows(lambda fields: _read_result(fields, prompts, file.path.parent)):
        known = results.setdefault(id, TrialResult(prompts[id], code, [], row))
        if known.code != code:
            disputed.setdefault(id, row)
        elif words not in known.words and len(known.words) < MAX_SPANS:
            known.words.append(words)
    for id, row in disputed.items():
        file.reject(row, f"annotators disagree on prompt {id}, which is left out")
    agreed = {id: one for id, one in results.items() if id not in disputed}
    for id, one in agreed.items():
        yield from ((one.row, pair) for pair in _derive_pairs(id, one, agreed))


def _read_prompt(fields: Fields) -> tuple[str, Prompt]:
    words = {name: require_text(fields, name) for name in ("PMCID", "Outcome", "Intervention", "Comparator")}
    return require_text(fields, "PromptID"), words


def _read_result(fields: Fields, prompts: Mapping[str, Prompt], folder: Path) -> tuple[str, str, str]:
    """The prompt of an annotation, the code of its label, and its words, or those at its offsets in the article."""
    id, label = require_text(fields, "PromptID"), require_text(fields, "Label").casefold()
    checks = [str(fields.get(name)).strip().casefold() for name in ("Valid Label", "Valid Reasoning")]
    if not {*checks} <= {"1", "true"}:
        raise UnusableLine("its label or its reasoning was not accepted")
    if label == "invalid prompt":
        raise UnusableLine("the annotator calls the prompt invalid")
    code = translate_label(label, names=CODES)
    if id not in prompts:
        raise UnusableLine(f"its PromptID {id} is in no row of the prompts")
    words = str(fields.get("Annotations") or "").strip()
    if not words:
        path = folder / "txt_files" / f"PMC{prompts[id]['PMCID']}.txt"
        start, end = (str(fields.get(name) or "").strip() for name in ("Evidence Start", "Evidence End"))
        if start.isdigit() and end.isdigit() and path.is_file():
            words = read_whole_text(path)[int(start) : int(end)].strip()
    if not words:
        raise UnusableLine("it has no Annotations, and none can be cut from its article")
    return id, code, words


def _derive_pairs(id: str, one: TrialResult, agreed: Mapping[str, TrialResult]) -> Iterator[Fields]:
    evidence = " ".join(one.words)
    others = [code for code in RESULTS if code != one.code]
    # Either of the two other results, the same one each time.
    wrong = one.say(others[sum(id.encode()) % 2])
    # The words on the first other outcome of the trial that are not among the words on this one.
    article, outcome = one.prompt["PMCID"], one.prompt["Outcome"].casefold()
    elsewhere = (
        [some for some in other.words if some not in one.words]
        for other in agreed.values()
        if other.prompt["PMCID"] == article and other.prompt["Outcome"].casefold() != outcome
    )
    silent = " ".join(next(filter(None, elsewhere), ()))
    for part, claim, text, label in (
        ("s", one.say(one.code), evidence, "supported"),
        ("c", wrong, evidence, "contradicted"),
        ("n", one.say(one.code), silent, "not_enough"),
    ):
        if text:
            yield {
                "id": f"ei-{id}-{part}",
                "group": f"PMC{article}",
                "claim": claim,
                "evidence": text,
                "label": label,
            }


# --- all sets --------------------------------------------------------------------------------------------------------


ReadPairs = Callable[[SetFile], Iterable[Row]]


class PairSet(NamedTuple):
    """A published set of pairs, or one of its forms: a file whose first row has all these fields is of it."""

    name: str
    read: ReadPairs
    fields: frozenset[str]


def each_row(pair: Callable[[Fields], Fields]) -> ReadPairs:
    """A reader of one pair for each row."""
    return lambda file: file.use_rows(pair)


PAIR_SETS = tuple(
    PairSet(name, read, frozenset(fields.split(",")))
    for name, read, fields in (
        ("scifact", read_scifact, "id,claim,cited_doc_ids"),
        ("healthver", each_row(pair_healthver), "id,evidence,claim,label,topic_ip"),
        ("healthver", each_row(pair_multivers), "claim_id,claim,abstract_id,abstract,verdict"),
        ("evidence_inference", read_evidence_inference, "PromptID,PMCID,Label,Annotations"),
        ("kqa", each_row(pair_kqa), "Question,answer,claim,majority_label"),
        *(("nli", each_row(names.pair), ",".join(names[:3])) for names in NLI_NAMES),
        ("sourcecheckup", each_row(pair_sourcecheckup), "statement,source"),
        ("sourcecheckup", each_row(pair_sourcecheckup), "statement,source_text"),
        ("sourcecheckup", each_row(pair_sourcecheckup), "Statement,Citation URL,Decision"),
        *(
            ("patient_records", each_row(pair_patient_record), f"{part},question,answer")
            for part in ("record", "patient", "case", "order")
        ),
        # In the form of our own; what takes the pairs says what is wrong with one.
        ("pairs", each_row(dict), "claim,label"),
    )
)
"""In the order in which they are tried; what none recognises is in the form of our own."""


def find_pair_set(name: str, fields: Set[str]) -> PairSet:
    """The set of this name, "" for any, that a row with these fields is of. Raises SettingsError."""
    named = [one for one in PAIR_SETS if name in ("", one.name)]
    if not named:
        names = ", ".join(dict.fromkeys(one.name for one in PAIR_SETS))
        raise SettingsError(f"No set of pairs “{name}”. Choose {names}.")
    return next((one for one in named if one.fields <= fields), named[0] if name else PAIR_SETS[-1])
