"""Pairs of a claim and a text whose label is known: JSON lines with `claim`, `label`, and `evidence` or `doc_id`, or a
published set as it was released (pair_sets/); and what of a judge was fitted on them.

A figure on pairs that a judge was fitted on says little of pairs that are new. `fitted_pairs.tsv` has a pattern of the
ids by which pairs of a set are known, as it was released and in our form, which of them, the judge, what of it was
fitted, the script, and how good the same is where it was fitted on the other sets alone. "development": the pairs whose
group has an even SHA-1. A file may be renamed; pairs without their ids are not known.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.judges.track_record import hash_claim, load_shipped_evidence
from wellsourced.text.tables import read_rows
from wellsourced.types import VerdictLabel
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.pair_sets.base import (
    Fields,
    RejectedLine,
    SetFile,
    UnusableLine,
    join_rows,
    read_numbered_rows,
    translate_label,
)
from wellsourced_evaluate.pair_sets.registry import find_pair_set
from wellsourced_evaluate.questions.fitted_sets import is_among
from wellsourced_evaluate.recorded_rows import draw_cases

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
    rows: list[tuple[str, int, Fields]] = []
    files: dict[str, str] = {}
    sets: dict[str, None] = {}
    for path in paths:
        file, told = SetFile(path, corpus, rejected), len(rejected)
        pair_set = find_pair_set(form, file.columns)
        lines = list(pair_set.read(file))
        if not lines:
            reason = f"line {rejected[told].line}: {rejected[told].reason}" if len(rejected) > told else "it is empty"
            other = f"It was read as a file of {pair_set.name}: --pairs-format names another set."
            remedy = LINE_FORMAT if pair_set.name == "pairs" else other
            raise UnreadableFile(path, f"it holds no pair ({reason})", remedy)
        rows += [(path.name, number, fields) for number, fields in lines]
        files |= {one.name: hash_file(one)[:16] for one in (path, *file.others)}
        sets[pair_set.name] = None
    wanted = {_find_document(fields)[1] for _, _, fields in rows if fields.get("evidence") is None} - {""}
    documents: dict[str, str] = {}
    for path in dict.fromkeys(filter(None, (corpus or _find_corpus(one) for one in paths))) if wanted else ():
        documents |= _read_documents(path, wanted)
        files[path.name] = hash_file(path)[:16]
    found: list[tuple[LabelledPair, Fields]] = []
    ids: dict[tuple[str, str], int] = {}
    for file_name, line, fields in rows:
        try:
            pair = _build_pair(f"{file_name}:{line}", fields, documents, labels)
            if (before := ids.setdefault((file_name, pair.id), line)) != line:
                raise UnusableLine(f"the id “{pair.id}” is on line {before} already")
            found.append((pair, fields))
        except UnusableLine as bad:
            rejected.append(RejectedLine(file_name, line, str(bad)))
    if not found:
        reason = Counter(one.reason for one in rejected).most_common(1)[0][0] if rejected else "there are none"
        raise SourceRefused(
            f"No pair of {', '.join(path.name for path in paths)} can be used ({reason}). {LINE_FORMAT}"
        )
    shared = (*DOCUMENT_KEYS, "group")
    clusters = join_rows(
        [[(key, str(fields[key])) for key in shared if fields.get(key) is not None] for _, fields in found]
    )
    pairs = [pair._replace(cluster=cluster) for (pair, _), cluster in zip(found, clusters, strict=True)]
    return LabelledPairs(draw_cases(pairs, limit), tuple(sorted(rejected)), files, tuple(sets))


def _find_corpus(pairs: Path) -> Path | None:
    """The corpus that lies beside a file of pairs: x.corpus.jsonl.gz for x.pairs.jsonl.gz, or passages.jsonl."""
    named, shared = pairs.with_name(pairs.name.replace("pairs", "corpus")), pairs.with_name(SHARED_CORPUS)
    return next((path for path in (named, shared) if path != pairs and path.is_file()), None)


def _find_document(fields: Fields) -> tuple[str, str]:
    """The key by which a line names a document, and which it names; "" when none."""
    return next(((key, str(fields[key])) for key in DOCUMENT_KEYS if fields.get(key) is not None), ("", ""))


def _build_pair(
    place: str, fields: Fields, documents: Mapping[str, str], labels: Mapping[str, VerdictLabel]
) -> LabelledPair:
    """A pair that can be used, of no cluster yet. Raises UnusableLine."""
    claim, text = fields.get("claim"), fields.get("evidence")
    if not isinstance(claim, str) or not claim.strip():
        raise UnusableLine("it has no claim")
    key, document = _find_document(fields)
    if text is None and document and document not in documents:
        raise UnusableLine(f"it has no evidence, and its {key} is in no corpus")
    text = documents.get(document) if text is None else text
    if not isinstance(text, str) or not text.strip():
        raise UnusableLine("it has no evidence")
    label = labels[translate_label(fields.get("label"), names={name: name for name in labels})]
    marked, votes, id = fields.get("evidence_sentences"), fields.get("votes") or [], fields.get("id")
    if not isinstance(votes, list):
        raise UnusableLine("its votes are no list")
    rationale = tuple(_flatten_sentences(marked)) if isinstance(marked, list) else ()
    said = tuple(EVIDENCE_LABELS[translate_label(vote, "vote")] for vote in votes)
    group = str(fields.get("group") or "")
    return LabelledPair(place if id in (None, "") else str(id), claim, text, label, 0, rationale, said, group)


def _flatten_sentences(marked: list[Any]) -> Iterator[str]:
    """The sentences of a list, or of the lists in it: several sets of them may each decide."""
    for one in marked:
        yield from (sentence for sentence in (one if isinstance(one, list) else [one]) if isinstance(sentence, str))


def _read_documents(path: Path, wanted: set[str]) -> dict[str, str]:
    """The texts of these documents: their sentences with a space between. Raises UnreadableFile."""
    found: dict[str, str] = {}
    rows = [fields for _, fields in read_numbered_rows(path, [])]
    for fields in rows:
        id, sentences = str(fields.get("_id") or fields.get("passage_id")), fields.get("sentences")
        whole = " ".join(_flatten_sentences(sentences)) if isinstance(sentences, list) else fields.get("text")
        if id in wanted and isinstance(whole, str):
            found[id] = whole
    if not rows:
        raise UnreadableFile(path, "it holds no document", 'A line reads {"_id": "d1", "text": "…"}.')
    return found


# --- what of a judge was fitted on pairs ---------------------------------------------------------------------------


class FittedPairs(NamedTuple):
    """What of a judge was fitted on a part of some pairs, by which script, and how many pairs that part has.

    unseen   what is known of the same where it had not seen the set
    """

    what: str
    script: str
    pairs: int
    unseen: tuple[str, ...] = ()

    def describe(self, every: int) -> str:
        """As a sentence without a full stop."""
        known = "; ".join(self.unseen)
        return (
            f"{self.pairs:,} of {every:,} pairs belong to those on which the judge was fitted: {self.what}, by "
            f"{self.script}. Less is to be expected of pairs that it has not seen"
            f"{f' ({known})' if known else ''}"
        )


def list_fitted_pairs(
    judge: str, pairs: Sequence[LabelledPair], calibrated: Collection[str] = frozenset()
) -> list[FittedPairs]:
    """What of a judge, by its name, was fitted on these pairs; nothing where it was fitted on none.

    calibrated   hashes of the claims that the user's own calibration of the judge was fitted on
    """
    found: dict[tuple[str, str], FittedPairs] = {}
    for pattern, which, fitted, what, script, figure in read_rows("wellsourced_evaluate.pair_sets", "fitted_pairs.tsv"):
        if not re.search(rf"\b{re.escape(fitted)}\b", judge):
            continue
        its = [one for one in pairs if re.fullmatch(pattern, one.id) and is_among(which, one.group)]
        if its:
            known = found.get((what, script), FittedPairs(what, script, 0))
            unseen = (*known.unseen, figure) if figure and figure not in known.unseen else known.unseen
            found[what, script] = FittedPairs(what, script, known.pairs + len(its), unseen)
    own = sum(hash_claim(one.claim) in calibrated for one in pairs)
    users = [FittedPairs("your own calibration", "wellsourced setup judges calibrate", own)] if own else []
    return [*found.values(), *users]


def list_measured_files(judge: str, hashes: Mapping[str, str]) -> list[str]:
    """Of these files (name → sha256 or its beginning) those on which it was measured how far the judge is believed."""
    known = [one.sha256 for shipped in load_shipped_evidence() if shipped.judge in judge for one in shipped.sets]
    return [name for name, digest in hashes.items() if any(one.startswith(digest) for one in known)]
