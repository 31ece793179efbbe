"""Every set of pairs that can be read, as it was released, and which of them a file is: by the fields of its first row.

SciFact (Wadden et al., EMNLP 2020), claims_*.jsonl with corpus.jsonl beside it: `id`, `claim`, `cited_doc_ids`,
`evidence` {document: [{`sentences`: places, `label`}]}; `doc_id`, `abstract` (sentences). A claim and a document with
evidence are a pair; a document that it cites without evidence has not enough. The title is no part of the text: no
rationale is in it. Claims that share documents over any number of steps, in all files of claims that lie together, are
a group.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from wellsourced.errors import SettingsError
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
