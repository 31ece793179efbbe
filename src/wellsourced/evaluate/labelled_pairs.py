"""Pairs of a claim and a text whose label is known: JSON lines with `claim`, `label`, and `evidence` or `doc_id`."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.evaluate.beir import SEED, hash_file
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import VerdictLabel

LABEL_NAMES: Mapping[str, VerdictLabel] = {
    "supported": "supports",
    "contradicted": "contradicts",
    "not_enough": "silent",
}

EVIDENCE_LABELS: Mapping[str, VerdictLabel] = {**LABEL_NAMES, "not_supported": "unjudged"}
"""Where only support is measured, a line may say no more than that: whether the text contradicts it, nobody judged."""

SHARED_CORPUS = "passages.jsonl"
"""The documents of all files beside it."""

DOCUMENT_KEYS = ("doc_id", "passage_id")
"""What names the document of a line, and pairs of one document."""

LINE_FORMAT = 'A line reads {"claim": "…", "evidence": "…", "label": "supported"}.'


class LabelledPair(NamedTuple):
    """A pair and what is known of it.

    label       what a judge should say; “unjudged”: anything but that it is supported
    cluster     pairs that share a document or a group: they are drawn, and split, together
    rationale   the sentences of the text that decide it, as somebody marked them
    """

    id: str
    claim: str
    text: str
    label: VerdictLabel
    cluster: int
    rationale: tuple[str, ...] = ()


class RejectedLine(NamedTuple):
    """A line that could not be used, and why."""

    file: str
    line: int
    reason: str


class LabelledPairs(NamedTuple):
    """What can be judged, what cannot, and from which files: names and sha256."""

    rows: tuple[LabelledPair, ...]
    rejected: tuple[RejectedLine, ...]
    files: Mapping[str, str]


class _PairLine(NamedTuple):
    file: str
    line: int
    fields: Mapping[str, Any]


class _UnusableLine(Exception):
    """Why a line cannot be used."""


def read_pairs(
    paths: Sequence[Path],
    corpus: Path | None = None,
    limit: int = 0,
    labels: Mapping[str, VerdictLabel] = LABEL_NAMES,
) -> LabelledPairs:
    """All pairs of these files; with a limit, so many of them, drawn with a fixed seed.

    corpus   the documents that `doc_id` or `passage_id` names, as JSON lines with `_id` or `passage_id`, and
             `sentences` or `text`; None: the file that is called as the pairs are, with “corpus” for “pairs”, or
             passages.jsonl beside them, where there is one
    labels   what a line may say, and what it means

    Raises UnreadableFile for a file that gives nothing, SourceRefused when no line of any can be used.
    """
    rejected: list[RejectedLine] = []
    rows = [row for path in paths for row in _read_rows(path, rejected)]
    documents: dict[str, str] = {}
    files = {path.name: hash_file(path)[:16] for path in paths}
    for path in dict.fromkeys(filter(None, (corpus or corpus_beside(one) for one in paths))):
        documents |= _read_documents(path, {document_id for row in rows if (document_id := _document_id(row.fields))})
        files[path.name] = hash_file(path)[:16]
    known: list[tuple[_PairLine, str]] = []
    for row in rows:
        try:
            known.append((row, _pair_text(row.fields, documents, labels)))
        except _UnusableLine as bad:
            rejected.append(RejectedLine(row.file, row.line, str(bad)))
    if not known:
        reason = Counter(one.reason for one in rejected).most_common(1)[0][0] if rejected else "there are none"
        raise SourceRefused(
            f"No pair of {', '.join(path.name for path in paths)} can be used ({reason}). {LINE_FORMAT}"
        )
    clusters = _cluster_rows([row.fields for row, _ in known])
    found = [_build_pair(row, text, cluster, labels) for (row, text), cluster in zip(known, clusters, strict=True)]
    drawn = random.Random(SEED).sample(found, limit) if 0 < limit < len(found) else found  # noqa: S311
    return LabelledPairs(tuple(drawn), tuple(sorted(rejected)), files)


def corpus_beside(pairs: Path) -> Path | None:
    """The corpus that lies beside a file of pairs: x.corpus.jsonl.gz for x.pairs.jsonl.gz, or passages.jsonl."""
    named, shared = pairs.with_name(pairs.name.replace("pairs", "corpus")), pairs.with_name(SHARED_CORPUS)
    return next((path for path in (named, shared) if path != pairs and path.is_file()), None)


def _document_id(fields: Mapping[str, Any]) -> str:
    """Which document a line names; "" when none."""
    return next((str(fields[key]) for key in DOCUMENT_KEYS if fields.get(key) is not None), "")


def _pair_text(fields: Mapping[str, Any], documents: Mapping[str, str], labels: Mapping[str, VerdictLabel]) -> str:
    """The text of a pair that can be used. Raises _UnusableLine."""
    if not isinstance(fields.get("claim"), str) or not fields["claim"].strip():
        raise _UnusableLine("it has no claim")
    if fields.get("label") not in labels:
        raise _UnusableLine(f"its label is none of {', '.join(labels)}")
    text = fields.get("evidence")
    if text is None and (document_id := _document_id(fields)):
        text = documents.get(document_id)
        if text is None:
            key = next(key for key in DOCUMENT_KEYS if fields.get(key) is not None)
            raise _UnusableLine(f"it has no evidence, and its {key} is in no corpus")
    if not isinstance(text, str) or not text.strip():
        raise _UnusableLine("it has no evidence")
    return text


def _build_pair(row: _PairLine, text: str, cluster: int, labels: Mapping[str, VerdictLabel]) -> LabelledPair:
    fields = row.fields
    marked = fields.get("evidence_sentences")
    rationale = tuple(_flatten_sentences(marked)) if isinstance(marked, list) else ()
    id = str(fields.get("id") or f"{row.file}:{row.line}")
    return LabelledPair(id, fields["claim"], text, labels[fields["label"]], cluster, rationale)


def _flatten_sentences(marked: list[Any]) -> Iterator[str]:
    """The sentences of a list, or of the lists in it: several sets of them may each decide."""
    for one in marked:
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            yield from (sentence for sentence in one if isinstance(sentence, str))


def _cluster_rows(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """A number for each row: rows that share a document or a group, over any number of steps, have the same one."""
    above = list(range(len(rows)))

    def find_root(place: int) -> int:
        while above[place] != place:
            above[place] = above[above[place]]
            place = above[place]
        return place

    first: dict[tuple[str, str], int] = {}
    for place, fields in enumerate(rows):
        for name in (*DOCUMENT_KEYS, "group"):
            if fields.get(name) is not None:
                other = first.setdefault((name, str(fields[name])), place)
                above[find_root(place)] = find_root(other)
    return [find_root(place) for place in range(len(rows))]


# --- files ---------------------------------------------------------------------------------------------------------


def _read_rows(path: Path, rejected: list[RejectedLine]) -> Iterator[_PairLine]:
    """The lines that are JSON objects; the others are told in `rejected`."""
    told = len(rejected)
    any_row = False
    for number, line in iter_lines(path):
        try:
            fields = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            rejected.append(RejectedLine(path.name, number, "it is no JSON"))
            continue
        if isinstance(fields, dict):
            any_row = True
            yield _PairLine(path.name, number, fields)
        else:
            rejected.append(RejectedLine(path.name, number, "it is no JSON object"))
    if not any_row:
        reason = f"line {rejected[told].line}: {rejected[told].reason}" if len(rejected) > told else "it is empty"
        raise UnreadableFile(path, f"it holds no pair ({reason})", LINE_FORMAT)


def _read_documents(path: Path, wanted: set[str]) -> dict[str, str]:
    """The texts of these documents: their sentences with a space between. Raises UnreadableFile."""
    found: dict[str, str] = {}
    rejected: list[RejectedLine] = []
    for row in _read_rows(path, rejected):
        id, sentences = str(row.fields.get("_id") or row.fields.get("passage_id")), row.fields.get("sentences")
        if id in wanted:
            whole = " ".join(_flatten_sentences(sentences)) if isinstance(sentences, list) else row.fields.get("text")
            if isinstance(whole, str):
                found[id] = whole
    return found
