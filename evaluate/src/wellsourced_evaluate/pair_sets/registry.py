"""Every set of pairs that can be read, and which of them a file is: by the fields of its first row."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from wellsourced.errors import SettingsError
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    RejectedLine,
    SetFile,
    UnusableLine,
    read_numbered_rows,
    read_verdict,
    require_text,
    translate_label,
)
from wellsourced_evaluate.pair_sets.linked_files import read_evidence_inference, read_scifact

HEALTHVER_LABELS = {"Supports": "supported", "Refutes": "contradicted", "Neutral": "not_enough"}
MULTIVERS_LABELS = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "NEI": "not_enough"}
KQA_LABELS = {"Entailment": "supported", "Neutral": "not_enough", "Contradiction": "contradicted"}
NLI_LABELS = {
    **dict.fromkeys(("entailment", "e", "0"), "supported"),
    **dict.fromkeys(("neutral", "n", "1"), "not_enough"),
    **dict.fromkeys(("contradiction", "c", "2"), "contradicted"),
}
NLI_SPELLINGS = (
    ("sentence1", "sentence2", "gold_label", "pairID"),
    ("context", "hypothesis", "label", "uid"),
    ("premise", "hypothesis", "label", "id"),
)
"""Premise, hypothesis, label and id: of SNLI, MultiNLI and MedNLI; of ANLI; as packed elsewhere."""

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
        "label": translate_label(fields.get("label"), HEALTHVER_LABELS),
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
        "label": translate_label(fields.get("verdict"), MULTIVERS_LABELS, "verdict"),
    }


def pair_kqa(fields: Fields) -> Fields:
    """Does a language model's answer say what the physicians say? Three of them voted; its number has no name."""
    question, number = require_text(fields, "Question"), str(fields.get("") or "").strip()
    plain = re.sub(r"[^a-z0-9]+", " ", question.lower()).strip()
    return {
        **({"id": f"kqanli-{number}"} if number else {}),
        "group": f"kqa-{hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()[:10]}",
        "claim": require_text(fields, "claim"),
        "evidence": require_text(fields, "answer"),
        "label": translate_label(fields.get("majority_label"), KQA_LABELS),
        "votes": [translate_label(fields.get(name), KQA_LABELS, name) for name in ("label_0", "label_1", "label_2")],
    }


def pair_nli(fields: Fields) -> Fields:
    """A premise and a hypothesis; those of one premise are a group."""
    premise, hypothesis, label, id = next((names for names in NLI_SPELLINGS if names[0] in fields), NLI_SPELLINGS[0])
    if str(fields.get(label)) in ("-", "-1"):
        raise UnusableLine("its annotators did not agree on a label")
    text = require_text(fields, premise)
    return {
        **({"id": str(fields[id])} if fields.get(id) is not None else {}),
        "group": text,
        "claim": require_text(fields, hypothesis),
        "evidence": text,
        "label": translate_label(fields.get(label), NLI_LABELS, label),
    }


def pair_sourcecheckup(fields: Fields) -> Fields:
    """A statement and the words of its page; those of one response, else those on one page, are a group.

    The decisions that SourceCheckup's code writes keep no pages: they are read where a column `Source` was added.
    """
    named = {SOURCECHECKUP_SPELLINGS.get(name.lower(), name.lower()): value for name, value in fields.items()}
    group = named.get("response") or named.get("url")
    return {
        **({"id": str(named["id"])} if named.get("id") else {}),
        **({"group": str(group)} if group else {}),
        "claim": require_text(named, "statement"),
        "evidence": require_text(named, "source"),
        **read_verdict(named),
    }


def pair_patient_record(fields: Fields) -> Fields:
    """Does a patient's record support an answer? Rows without a label are questions, which `evaluate run` asks.

    AEBMP and MOEQA (Wang et al., Nature Communications 2025) are hospital records and were not released: the names of
    the fields are ours.
    """
    parts = [str(fields[name]).strip() for name in RECORD_PARTS if fields.get(name)]
    if not any(parts):
        raise UnusableLine(f"it has no record: none of {', '.join(RECORD_PARTS)}")
    record = "\n".join(filter(None, parts))
    require_text(fields, "question")
    return {
        **({"id": str(fields["id"])} if fields.get("id") is not None else {}),
        "group": record,
        "claim": require_text(fields, "answer"),
        "evidence": record,
        **read_verdict(fields),
    }


ReadPairs = Callable[[SetFile], Iterator[PairLine]]


def each_row(pair: Callable[[Fields], Fields]) -> ReadPairs:
    """A reader of one pair for each row."""
    return lambda file: file.translate(lambda fields: [pair(fields)])


def read_own_pairs(file: SetFile) -> Iterator[PairLine]:
    """A pair for each line in the form of our own; whoever takes the pairs says what is wrong with one."""
    return (PairLine(file.path.name, number, fields) for number, fields in file.rows)


_SETS: tuple[tuple[str, str, ReadPairs, list[set[str]]], ...] = (
    (
        *("scifact", "SciFact's claims_*.jsonl with corpus.jsonl beside it", read_scifact),
        [{"id", "claim", "cited_doc_ids"}],
    ),
    (
        *("healthver", "HealthVer's tables, or as it and SciFact are packed for MultiVerS"),
        each_row(lambda fields: pair_multivers(fields) if "verdict" in fields else pair_healthver(fields)),
        [{"id", "evidence", "claim", "label", "topic_ip"}, {"claim_id", "claim", "abstract_id", "abstract", "verdict"}],
    ),
    (
        "evidence_inference",
        "Evidence Inference's annotations_merged.csv with prompts_merged.csv beside it; claims are derived",
        *(read_evidence_inference, [{"PromptID", "PMCID", "Label", "Annotations"}]),
    ),
    (
        *("kqa", "K-QA's NLI_medical_annotator.csv, with three physicians' votes", each_row(pair_kqa)),
        [{"Question", "answer", "claim", "majority_label"}],
    ),
    (
        *("nli", "MedNLI, SNLI, MultiNLI, ANLI and files like them: premise, hypothesis, label", each_row(pair_nli)),
        [set(names[:3]) for names in NLI_SPELLINGS],
    ),
    (
        *("sourcecheckup", "statements and the pages they cite, with a label or raters' votes (SourceCheckup)"),
        each_row(pair_sourcecheckup),
        [{"statement", "source"}, {"statement", "source_text"}, {"Statement", "Citation URL", "Decision"}],
    ),
    (
        "patient_records",
        "records, questions and answers with a label or votes (of the form of AEBMP and MOEQA)",
        each_row(pair_patient_record),
        [{name, "question", "answer"} for name in ("record", "patient", "case", "order")],
    ),
    ("pairs", "claim, label and evidence or doc_id", read_own_pairs, [{"claim", "label"}]),
)
"""Name; what it is; how it is read; fields by which it is known: all of one of these."""

PAIR_SETS: Mapping[str, PairSet] = {
    name: PairSet(name, about, tuple(map(frozenset, keys)), read) for name, about, read, keys in _SETS
}
"""By name, in the order in which they are tried; what none recognises is in the form of our own."""


class ReadPairLines:
    """The pairs of a file in the form of our own, the set that it is of, and every file that was read for it."""

    def __init__(self, path: Path, form: str, corpus: Path | None, rejected: list[RejectedLine]) -> None:
        rows = read_numbered_rows(path, rejected)
        first = next(rows, None)
        self.pair_set = find_pair_set(form) if form else recognise_pair_set(first[1] if first else {})
        file = SetFile(path, chain([first] if first else [], rows), corpus, rejected)
        self.lines = list(self.pair_set.read(file))
        self.files = (path, *file.others)


def find_pair_set(name: str) -> PairSet:
    """The set of this name. Raises SettingsError."""
    if name not in PAIR_SETS:
        raise SettingsError(f"There is no set of pairs “{name}”: choose {', '.join(PAIR_SETS)}.")
    return PAIR_SETS[name]


def recognise_pair_set(fields: Fields) -> PairSet:
    """The set that a row is of."""
    return next((one for one in PAIR_SETS.values() if one.recognises(fields)), PAIR_SETS["pairs"])
