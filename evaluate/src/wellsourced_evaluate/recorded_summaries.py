"""Summaries that several systems wrote of the same reviews, with the scores that were published of them: JSON lines.

A line is a review: `id`, `human_answer` (the reference), `systems` {name: {`text`, `scores`, and as far as it searched
`relevant_pmids` and `irrelevant_pmids`}}, and as far as known `ref_pmids` (what it cites) and `source_pmid` (itself).
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced_evaluate.beir import SEED, hash_file

PUBLISHED_KEYS = {
    "ROUGE-L": "rouge-L",
    "METEOR": "meteor",
    "chrF": "chrf",
    "GoogleBLEU": "google_bleu",
    "CharacTER": "character",
}
"""Metric → how the published scores of Clinfo.ai (PubMedRS-200) call it."""

Case = TypeVar("Case")

MAX_NAMED_FAULTS = 5
REMEDY = "Nothing was scored: mend these lines, or leave them out of the file."


class RecordedSummary(NamedTuple):
    """What one system wrote of one review, and what it had read.

    published   metric → score as published; None: none was
    relevant    PMIDs that it took as relevant; None: the system did not search, or it is not recorded
    candidates  all PMIDs that it found, the relevant ones among them
    others      scores that were published besides, as they are called there
    """

    text: str
    published: Mapping[str, float | None]
    relevant: frozenset[str] | None = None
    candidates: frozenset[str] | None = None
    others: Mapping[str, float] = MappingProxyType({})


class RecordedReview(NamedTuple):
    """A review and its summaries, a system each.

    reference    parts of the answer that people took from it, as recorded: the conclusions, then results
    cited        PMIDs that it cites; None: not recorded
    source_pmid  the review itself; "" when it is not recorded
    source       what was summarised; "" when it is not recorded
    """

    id: str
    reference: tuple[str, ...]
    systems: Mapping[str, RecordedSummary]
    cited: frozenset[str] | None
    source_pmid: str
    source: str = ""


class RecordedSummaries(NamedTuple):
    """All reviews, each with a summary by every system; which file they are of, and how many reviews it has."""

    reviews: tuple[RecordedReview, ...]
    systems: tuple[str, ...]
    file: str
    sha256: str
    recorded: int


class _BadLine(Exception):
    """What is wrong with a line."""


def read_summaries(path: Path, limit: int = 0) -> RecordedSummaries:
    """Every review of a file; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile that names the lines which cannot be used: a case that is left out unseen changes the mean.
    """
    reviews: list[RecordedReview] = []
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            review = _build_review(_parse_object(line))
            if review.id in lines:
                raise _BadLine(f"the id “{review.id}” stands on line {lines[review.id]} already")
            if reviews and review.systems.keys() != reviews[0].systems.keys():
                lone = min(review.systems.keys() ^ reviews[0].systems.keys())
                has = "has, and others lack" if lone in review.systems else "lacks, and others have"
                raise _BadLine(f"it {has}, the system “{lone}”")
            lines[review.id] = number
            reviews.append(review)
        except _BadLine as bad:
            faults.append(f"line {number}: {bad}")
    refuse_faults(path, faults)
    if not reviews:
        raise UnreadableFile(path, "it holds no review", 'A line reads {"id": …, "human_answer": …, "systems": {…}}.')
    return RecordedSummaries(
        draw_cases(reviews, limit), tuple(reviews[0].systems), path.name, hash_file(path)[:16], len(reviews)
    )


def draw_cases(cases: Sequence[Case], limit: int) -> tuple[Case, ...]:
    """So many of the cases, the same ones each time; all of them without a limit."""
    return tuple(random.Random(SEED).sample(cases, limit) if 0 < limit < len(cases) else cases)  # noqa: S311


def refuse_faults(path: Path, faults: Sequence[str], named: int = MAX_NAMED_FAULTS) -> None:
    """Raise UnreadableFile, naming so many of the faults, where there is any."""
    if faults:
        more = f"; and {len(faults) - named:,} more lines" if len(faults) > named else ""
        raise UnreadableFile(path, "; ".join(faults[:named]) + more, REMEDY)


def split_reference(text: str) -> tuple[str, ...]:
    """The parts of a recorded answer, which blank lines divide."""
    return tuple(part for part in re.split(r"\n\s*\n", text) if part.strip()) or ("",)


def _parse_object(line: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _BadLine("it is no JSON") from error
    if not isinstance(fields, dict):
        raise _BadLine("it is no JSON object")
    return fields


def _build_review(fields: Mapping[str, Any]) -> RecordedReview:
    id, reference = _require_text(fields, "id"), _require_text(fields, "human_answer")
    systems = fields.get("systems")
    if not id.strip():
        raise _BadLine("its id is empty")
    if not isinstance(systems, dict) or not systems:
        raise _BadLine("it has no systems" if "systems" not in fields else "its systems are no object with names")
    return RecordedReview(
        id,
        split_reference(reference),
        {name: _build_summary(name, one) for name, one in systems.items()},
        _read_pmids(fields, "ref_pmids"),
        str(fields.get("source_pmid") or ""),
        str(fields.get("context") or ""),
    )


def _build_summary(system: str, fields: Any) -> RecordedSummary:
    try:
        if not isinstance(fields, dict):
            raise _BadLine("it is no object")
        relevant, others = _read_pmids(fields, "relevant_pmids"), _read_pmids(fields, "irrelevant_pmids")
        candidates = relevant | others if relevant is not None and others is not None else None
        return RecordedSummary(
            _require_text(fields, "text"), dict(_read_scores(fields)), relevant, candidates, _read_others(fields)
        )
    except _BadLine as bad:
        raise _BadLine(f"of the system “{system}” {bad}") from bad


def _read_scores(fields: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    """Each metric and its published score; null where none was published, and a fault where nothing is said."""
    scores = fields.get("scores")
    if not isinstance(scores, dict):
        raise _BadLine("it has no scores")
    for metric, key in PUBLISHED_KEYS.items():
        if key not in scores:
            raise _BadLine(f"it has no score “{key}”")
        value = scores[key]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value != value):
            raise _BadLine(f"its score “{key}” is no number")
        yield metric, value


def _read_others(fields: Mapping[str, Any]) -> dict[str, float]:
    """The numbers among the other scores."""
    return {
        key: float(value)
        for key, value in fields["scores"].items()
        if key not in PUBLISHED_KEYS.values() and isinstance(value, int | float) and value == value
    }


def _require_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise _BadLine(f"it has no {name}" if value is None else f"its {name} is no text")
    return value


def _read_pmids(fields: Mapping[str, Any], name: str) -> frozenset[str] | None:
    """The ids, each once; None: they are not recorded."""
    values = fields.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or not all(isinstance(one, str | int) for one in values):
        raise _BadLine(f"its {name} are no list of ids")
    return frozenset(str(one).strip() for one in values)
