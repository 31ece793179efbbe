"""Answers with the sources that they cite, and what people said of them: the rows that `wellsourced check` reads.

A row may have `label` (supported or not_supported: all that the answer says is supported by what it cites), or `votes`
of which the majority counts, as physicians were asked (SourceCheckup, Wu et al., Nature Communications 2025).
"""

from pathlib import Path
from typing import NamedTuple

from wellsourced.factcheck.load.answer_rows import AnswerRow, read_answer_rows
from wellsourced.factcheck.load.row_files import read_rows
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.decompressed_file import read_whole_bytes
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.pair_sets.base import UnusableLine
from wellsourced_evaluate.pair_sets.sourcecheckup import read_verdict
from wellsourced_evaluate.recorded_rows import draw_cases, refuse_faults

SUPPORTED, NOT_SUPPORTED = "supported", "not_supported"


class CitedAnswer(NamedTuple):
    """An answer, and what people said of it as a whole.

    label   supported or not_supported; "" where nobody said, or raters came out level
    votes   likewise, of each rater
    """

    row: AnswerRow
    label: str
    votes: tuple[str, ...]


class CitedAnswers(NamedTuple):
    """The answers that are checked, of which file, and how many it has."""

    answers: tuple[CitedAnswer, ...]
    file: str
    sha256: str
    recorded: int


def read_cited_answers(path: Path, limit: int = 0) -> CitedAnswers:
    """Every answer of a file; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile that names the rows which cannot be used.
    """
    data = read_whole_bytes(path)
    # Unpacked already.
    name = path.name.removesuffix(".gz")
    rows, rejected = read_answer_rows(name, data)
    fields = {number: row for number, row in read_rows(InMemoryFile(name, data)) if not isinstance(row, str)}
    faults = [f"row {one.row}: {one.reason}" for one in rejected]
    found = []
    for row in rows:
        said = {key.lower(): value for key, value in fields[row.row].items()}
        try:
            label, votes = _read_opinion(said)
            found.append(CitedAnswer(row, label, votes))
        except UnusableLine as bad:
            faults.append(f"row {row.row}: {bad}")
    refuse_faults(path, faults)
    return CitedAnswers(draw_cases(found, limit), path.name, hash_file(path)[:16], len(found))


def _read_opinion(said: dict[str, object]) -> tuple[str, tuple[str, ...]]:
    """The label and the votes of a row; none where it has none. Raises UnusableLine."""
    if not any(said.get(name) for name in ("label", "votes")) and not any(name.startswith("vote_") for name in said):
        return "", ()
    verdict = read_verdict(said)
    return _fold(verdict["label"]), tuple(map(_fold, verdict.get("votes", ())))


def _fold(label: str) -> str:
    return SUPPORTED if label == SUPPORTED else NOT_SUPPORTED
