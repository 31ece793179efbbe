"""Pairs of a claim and a text whose label is known: JSON lines with `claim`, `label`, and `evidence` or `doc_id`, or a
published set as it was released (pair_sets/)."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.types import VerdictLabel
from wellsourced_evaluate.beir import SEED, hash_file
from wellsourced_evaluate.pair_sets.base import (
    PairLine,
    RejectedLine,
    UnusableLine,
    read_numbered_rows,
    translate_label,
    translate_word,
)
from wellsourced_evaluate.pair_sets.registry import ReadPairLines

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
    votes       what several people said, each in its place, in the words of `label`
    group       the name of what it belongs to, as the file has it; "" for none
    """

    id: str
    claim: str
    text: str
    label: VerdictLabel
    cluster: int
    rationale: tuple[str, ...] = ()
    votes: tuple[VerdictLabel, ...] = ()
    group: str = ""


class LabelledPairs(NamedTuple):
    """What can be judged, what cannot, from which files (names and sha256), and of which sets they are."""

    rows: tuple[LabelledPair, ...]
    rejected: tuple[RejectedLine, ...]
    files: Mapping[str, str]
    sets: tuple[str, ...] = ()


def read_pairs(
    paths: Sequence[Path],
    corpus: Path | None = None,
    limit: int = 0,
    labels: Mapping[str, VerdictLabel] = LABEL_NAMES,
    form: str = "",
) -> LabelledPairs:
    """All pairs of these files; with a limit, so many of them, drawn with a fixed seed.

    corpus   the documents that `doc_id` or `passage_id` names, as JSON lines with `_id` or `passage_id`, and
             `sentences` or `text`; None: the file that is called as the pairs are, with “corpus” for “pairs”, or
             passages.jsonl beside them, where there is one
    labels   what a line may say, and what it means
    form     the name of the set that the files are of (pair_sets/registry.py); "": as their first rows tell

    Raises UnreadableFile for a file that gives nothing, SourceRefused when no line of any can be used.
    """
    rejected: list[RejectedLine] = []
    read = [_read_lines(path, form, corpus, rejected) for path in paths]
    rows = [row for one in read for row in one.lines]
    documents: dict[str, str] = {}
    files = {path.name: hash_file(path)[:16] for one in read for path in one.files}
    wanted = {_document_id(row.fields) for row in rows if row.fields.get("evidence") is None} - {""}
    for path in dict.fromkeys(filter(None, (corpus or corpus_beside(one) for one in paths))) if wanted else ():
        documents |= _read_documents(path, wanted)
        files[path.name] = hash_file(path)[:16]
    found: list[LabelledPair] = []
    used: list[Mapping[str, Any]] = []
    ids: dict[tuple[str, str], int] = {}
    for row in rows:
        try:
            pair = _build_pair(row, _pair_text(row.fields, documents), labels)
            if ids.setdefault((row.file, pair.id), row.line) != row.line:
                raise UnusableLine(f"the id “{pair.id}” stands on line {ids[row.file, pair.id]} already")
            found.append(pair)
            used.append(row.fields)
        except UnusableLine as bad:
            rejected.append(RejectedLine(row.file, row.line, str(bad)))
    if not found:
        reason = Counter(one.reason for one in rejected).most_common(1)[0][0] if rejected else "there are none"
        raise SourceRefused(
            f"No pair of {', '.join(path.name for path in paths)} can be used ({reason}). {LINE_FORMAT}"
        )
    found = [pair._replace(cluster=cluster) for pair, cluster in zip(found, _cluster_rows(used), strict=True)]
    drawn = random.Random(SEED).sample(found, limit) if 0 < limit < len(found) else found  # noqa: S311
    sets = tuple(dict.fromkeys(one.pair_set.name for one in read))
    return LabelledPairs(tuple(drawn), tuple(sorted(rejected)), files, sets)


def corpus_beside(pairs: Path) -> Path | None:
    """The corpus that lies beside a file of pairs: x.corpus.jsonl.gz for x.pairs.jsonl.gz, or passages.jsonl."""
    named, shared = pairs.with_name(pairs.name.replace("pairs", "corpus")), pairs.with_name(SHARED_CORPUS)
    return next((path for path in (named, shared) if path != pairs and path.is_file()), None)


def _document_id(fields: Mapping[str, Any]) -> str:
    """Which document a line names; "" when none."""
    return next((str(fields[key]) for key in DOCUMENT_KEYS if fields.get(key) is not None), "")


def _pair_text(fields: Mapping[str, Any], documents: Mapping[str, str]) -> str:
    """The text of a pair that can be used. Raises UnusableLine."""
    if not isinstance(fields.get("claim"), str) or not fields["claim"].strip():
        raise UnusableLine("it has no claim")
    text = fields.get("evidence")
    if text is None and (document_id := _document_id(fields)):
        text = documents.get(document_id)
        if text is None:
            key = next(key for key in DOCUMENT_KEYS if fields.get(key) is not None)
            raise UnusableLine(f"it has no evidence, and its {key} is in no corpus")
    if not isinstance(text, str) or not text.strip():
        raise UnusableLine("it has no evidence")
    return text


def _build_pair(row: PairLine, text: str, labels: Mapping[str, VerdictLabel]) -> LabelledPair:
    fields = row.fields
    label = labels[translate_label(fields.get("label"), {name: name for name in labels})]
    marked, votes = fields.get("evidence_sentences"), fields.get("votes") or []
    rationale = tuple(_flatten_sentences(marked)) if isinstance(marked, list) else ()
    if not isinstance(votes, list):
        raise UnusableLine("its votes are no list")
    said = tuple(EVIDENCE_LABELS[translate_word(vote, "vote")] for vote in votes)
    id = str(fields.get("id") or f"{row.file}:{row.line}")
    return LabelledPair(id, fields["claim"], text, label, 0, rationale, said, str(fields.get("group") or ""))


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


def _read_lines(path: Path, form: str, corpus: Path | None, rejected: list[RejectedLine]) -> ReadPairLines:
    """The lines of a file that are pairs, as far as its set tells; the others are told in `rejected`."""
    told = len(rejected)
    read = ReadPairLines(path, form, corpus, rejected)
    if not read.lines:
        reason = f"line {rejected[told].line}: {rejected[told].reason}" if len(rejected) > told else "it is empty"
        remedy = LINE_FORMAT if read.pair_set.name == "pairs" else f"It was read as {read.pair_set.about}."
        raise UnreadableFile(path, f"it holds no pair ({reason})", remedy)
    return read


def _read_documents(path: Path, wanted: set[str]) -> dict[str, str]:
    """The texts of these documents: their sentences with a space between. Raises UnreadableFile."""
    found: dict[str, str] = {}
    read = 0
    for _, fields in read_numbered_rows(path, []):
        read += 1
        id, sentences = str(fields.get("_id") or fields.get("passage_id")), fields.get("sentences")
        if id in wanted:
            whole = " ".join(_flatten_sentences(sentences)) if isinstance(sentences, list) else fields.get("text")
            if isinstance(whole, str):
                found[id] = whole
    if not read:
        raise UnreadableFile(path, "it holds no document", 'A line reads {"_id": "d1", "text": "…"}.')
    return found
