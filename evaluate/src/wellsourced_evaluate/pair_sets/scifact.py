"""SciFact (Wadden et al., EMNLP 2020) as it was released: claims_*.jsonl, and corpus.jsonl beside it.

A line of claims has `id`, `claim`, `evidence` {document: [{`sentences`: places, `label`: SUPPORT or CONTRADICT}]} and
`cited_doc_ids`; one of the corpus `doc_id`, `title`, `abstract` (sentences), `structured` (github.com/allenai/scifact,
doc/data.md). A claim and a document with evidence are a pair; a claim and a document that it cites without evidence are
one that has not enough. The title is no part of the text: no rationale stands in it. Claims that share documents over
any number of steps, in all files of claims that lie together, are a group, which is called after the first of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wellsourced.errors import NotFoundError
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    PairLine,
    PairSet,
    RejectedLine,
    SetFile,
    UnusableLine,
    read_numbered_rows,
    require_text,
    translate_label,
)

CORPUS_FILE, CLAIM_FILES = "corpus.jsonl", "claims_*.jsonl"
LABELS = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
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
    above: dict[str, str] = {}

    def find_root(node: str) -> str:
        while above.setdefault(node, node) != node:
            node = above[node]
        return node

    claims: set[int] = set()
    for path in paths:
        for _, fields in read_numbered_rows(path, []):
            if isinstance(id := fields.get("id"), int):
                claims.add(id)
                for document in _list_documents(fields):
                    above[find_root(f"document {document}")] = find_root(f"claim {id}")
    first: dict[str, int] = {}
    for id in sorted(claims):
        first.setdefault(find_root(f"claim {id}"), id)
    return {str(id): f"sfc-{first[find_root(f'claim {id}')]}" for id in claims}


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
        labels = {translate_label(one.get("label"), LABELS) for one in rationales}
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


SCIFACT = PairSet(
    "scifact",
    "SciFact's claims_*.jsonl with corpus.jsonl beside it",
    (frozenset({"id", "claim", "cited_doc_ids"}),),
    read_scifact,
)
