"""Every set of pairs that can be read, and which of them a file is: by the fields of its first row."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from wellsourced.errors import SettingsError
from wellsourced_evaluate.pair_sets.base import (
    LABEL_WORDS,
    Fields,
    Row,
    SetFile,
    UnusableLine,
    read_verdict,
    require_text,
    translate_label,
)
from wellsourced_evaluate.pair_sets.linked_files import read_evidence_inference, read_scifact

NLI_LABELS = LABEL_WORDS | {
    **dict.fromkeys(("e", "0"), "supported"),
    **dict.fromkeys(("n", "1"), "not_enough"),
    **dict.fromkeys(("c", "2"), "contradicted"),
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
    if "verdict" in fields:
        return pair_multivers(fields)
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


def pair_nli(fields: Fields) -> Fields:
    """A premise and a hypothesis; those of one premise are a group."""
    premise, hypothesis, label, id = next((names for names in NLI_SPELLINGS if names[0] in fields), NLI_SPELLINGS[0])
    if str(fields.get(label)) in ("-", "-1"):
        raise UnusableLine("its annotators did not agree on a label")
    text = require_text(fields, premise)
    return {
        "id": fields.get(id),
        "group": text,
        "claim": require_text(fields, hypothesis),
        "evidence": text,
        "label": translate_label(fields.get(label), label, NLI_LABELS),
    }


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


class PairSet(NamedTuple):
    """A published set of pairs.

    about   what it is, and who made it
    keys    a row that has all fields of one of these is of this set
    pair    the pair of a row, which raises UnusableLine for a row that has none
    read    the pairs of a file, where a row is not a pair
    """

    about: str
    keys: tuple[set[str], ...]
    pair: Callable[[Fields], Fields] = dict
    read: Callable[[SetFile], Iterable[Row]] | None = None

    def read_rows(self, file: SetFile) -> list[Row]:
        """The pairs of a file in the form of our own, each with the number of its row."""
        return list(self.read(file) if self.read else file.use_rows(self.pair))


PAIR_SETS: Mapping[str, PairSet] = {
    "scifact": PairSet(
        "SciFact's claims_*.jsonl with corpus.jsonl beside it",
        ({"id", "claim", "cited_doc_ids"},),
        read=read_scifact,
    ),
    "healthver": PairSet(
        "HealthVer's tables, or as it and SciFact are packed for MultiVerS",
        ({"id", "evidence", "claim", "label", "topic_ip"}, {"claim_id", "claim", "abstract_id", "abstract", "verdict"}),
        pair_healthver,
    ),
    "evidence_inference": PairSet(
        "Evidence Inference's annotations_merged.csv with prompts_merged.csv beside it; claims are derived",
        ({"PromptID", "PMCID", "Label", "Annotations"},),
        read=read_evidence_inference,
    ),
    "kqa": PairSet(
        "K-QA's NLI_medical_annotator.csv, with three physicians' votes",
        ({"Question", "answer", "claim", "majority_label"},),
        pair_kqa,
    ),
    "nli": PairSet(
        "MedNLI, SNLI, MultiNLI, ANLI and files like them: premise, hypothesis, label",
        tuple(set(names[:3]) for names in NLI_SPELLINGS),
        pair_nli,
    ),
    "sourcecheckup": PairSet(
        "statements and the pages they cite, with a label or raters' votes (SourceCheckup)",
        ({"statement", "source"}, {"statement", "source_text"}, {"Statement", "Citation URL", "Decision"}),
        pair_sourcecheckup,
    ),
    "patient_records": PairSet(
        "records, questions and answers with a label or votes (of the form of AEBMP and MOEQA)",
        tuple({name, "question", "answer"} for name in ("record", "patient", "case", "order")),
        pair_patient_record,
    ),
    # What takes the pairs says what is wrong with one.
    "pairs": PairSet("claim, label and evidence or doc_id", ({"claim", "label"},)),
}
"""By name, in the order in which they are tried; what none recognises is in the form of our own."""


def find_pair_set(name: str, first: Fields) -> str:
    """The name of the set, if one is given; else of the set that the first row of a file is of. Raises SettingsError."""
    if name and name not in PAIR_SETS:
        raise SettingsError(f"There is no set of pairs “{name}”: choose {', '.join(PAIR_SETS)}.")
    fitting = (known for known, one in PAIR_SETS.items() if any(keys <= first.keys() for keys in one.keys))
    return name or next(fitting, "pairs")
