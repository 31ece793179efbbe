"""Whether the sources of recorded answers and reviews are the right ones.

Answers of any system are checked against the sources that they cite, and counted as SourceCheckup counts.

A row, as `wellsourced check` reads it, may have `label` (supported or not_supported: all that the answer says is
supported by what it cites), or `votes` of which the majority counts, as physicians were asked (SourceCheckup, Wu et
al., Nature Communications 2025). A source that cannot be reached stays in the denominators, and a statement that names
no source is not supported.

Works that a system took as relevant are held against those that the review of the same question cites: precision and
recall as Clinfo.ai's paper has them (Lozano et al., PSB 2024, equations 1 and 2), and means over reviews.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, TypeAdapter

from wellsourced.errors import WellsourcedError
from wellsourced.factcheck.check import CheckContext, CheckOptions, Scope, check_document, text_to_document
from wellsourced.factcheck.load.answer_rows import AnswerRow, compose_answer_text, read_answer_rows, read_rows
from wellsourced.presentation.wording import format_count
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.decompressed_file import read_whole_bytes
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.checkups.agreement import RaterStudy, agreement_blocks, compare_with_votes
from wellsourced_evaluate.pair_sets.base import UnusableLine, read_verdict
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog
from wellsourced_evaluate.recorded_rows import Progress, RecordedFile, draw_cases, refuse_faults
from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries
from wellsourced_evaluate.statistics import (
    MetricMean,
    PooledShare,
    ShareContrast,
    average_cases,
    contrast_shares,
    pool_cases,
)
from wellsourced_evaluate.tables import Block, Bullets, Interval, Part, Table, Text

SUPPORTED, NOT_SUPPORTED = "supported", "not_supported"

MEASURE_NAMES: Mapping[str, str] = {
    "statement_support": "statement support",
    "statement_support_at_best": "statement support at best",
    "response_support": "response support",
    "response_support_all": "response support, all responses",
    "url_validity": "source validity",
    "url_validity_strict": "source validity, strict",
    "unused_sources": "unused sources",
    "pairing_precision": "pairing precision",
    "contradicted_statements": "contradicted statements",
    "unjudged_statements": "unjudged statements",
    "statements_without_source": "statements without source",
}
"""Metric → the measure of factcheck/verdicts.py that counts it."""

MAX_SHOWN = 5


class CitedAnswer(AnswerRow):
    """An answer, and what people said of it as a whole.

    label   supported or not_supported; "" where nobody said
    votes   likewise, of each rater
    """

    label: str = ""
    votes: tuple[str, ...] = ()


class AnswerCheckHeader(LogHeader):
    """Of what run the lines below are: other answers, another judge or another version are another run."""

    wellsourced: str
    file: str
    sha256: str
    judge: str
    scope: str


class AnswerCheck(Value):
    """What came of one answer.

    counts     metric → (part, of)
    complete   every pair was judged
    error      why it could not be checked; then nothing was counted
    """

    id: str
    system: str = ""
    statements: int = 0
    sources: int = 0
    counts: dict[str, tuple[int, int]] = Field(default_factory=dict)
    label: str = ""
    votes: tuple[str, ...] = ()
    complete: bool = True
    notes: tuple[str, ...] = ()
    error: str = ""

    def to_values(self) -> dict[str, float | None]:
        """Metric → its value for this answer; None of no whole."""
        counts = {name: self.counts.get(name, (0, 0)) for name in MEASURE_NAMES}
        return {name: part / of if of else None for name, (part, of) in counts.items()}

    @property
    def verdict(self) -> str:
        """What the check says of the answer as a whole; "" where it makes no statement or could not be checked."""
        part, of = self.counts.get("response_support", (0, 0))
        return "" if not of or not self.complete else SUPPORTED if part else NOT_SUPPORTED


ANSWER_CHECK_LOG = LogForm(
    AnswerCheckHeader,
    TypeAdapter(AnswerCheck),
    key=lambda check: check.id,
    stands=lambda check: check.complete and not check.error,
)
"""What failed, or was not wholly judged, is checked again."""


def read_cited_answers(path: Path, limit: int = 0) -> RecordedFile[CitedAnswer]:
    """Every answer of a file; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile that names the rows which cannot be used.
    """
    data = read_whole_bytes(path)
    # Unpacked already.
    name = path.name.removesuffix(".gz")
    rows, rejected = read_answer_rows(name, data)
    fields = {number: row for number, row in read_rows(InMemoryFile(name, data)) if not isinstance(row, str)}
    faults = [f"row {bad.row}: {bad.reason}" for bad in rejected]
    found = []
    for row in rows:
        try:
            opinion = _read_opinion({name.lower(): value for name, value in fields[row.row].items()})
            found.append(CitedAnswer(**dict(row), **opinion))
        except UnusableLine as bad:
            faults.append(f"row {row.row}: {bad}")
    refuse_faults(path, faults)
    return RecordedFile(draw_cases(found, limit), path.name, hash_file(path)[:16], len(found))


def _read_opinion(said: dict[str, object]) -> dict[str, Any]:
    """The label and the votes of a row; none where it has none. Raises UnusableLine."""
    if not (said.get("label") or said.get("votes") or any(name.startswith("vote_") for name in said)):
        return {}
    verdict = read_verdict(said)
    label, *votes = (
        SUPPORTED if one == SUPPORTED else NOT_SUPPORTED for one in (verdict["label"], *verdict.get("votes", ()))
    )
    return {"label": label, "votes": tuple(votes)}


async def check_answers(
    data: RecordedFile[CitedAnswer],
    tools: CheckContext,
    scope: Scope,
    out: Path,
    say: Progress,
    *,
    fresh: bool,
) -> list[AnswerCheck]:
    """Every answer checked; each is on the disk before the next, and what is there already is not checked again.

    say   hears how many answers are checked, of how many

    Raises SourceRefused when the file holds another run.
    """
    known = {"file": data.file, "sha256": data.sha256, "judge": tools.name, "scope": scope}
    header = AnswerCheckHeader(wellsourced=version("wellsourced"), **known)
    with RecordLog(out, header, ANSWER_CHECK_LOG, fresh=fresh) as log:
        left = [answer for answer in data.rows if answer.name not in log.records]
        for place, answer in enumerate(left, len(data.rows) - len(left)):
            say(place, len(data.rows))
            log.add(await _check_answer(answer, tools, scope))
        return [log.records[answer.name] for answer in data.rows]


async def _check_answer(answer: CitedAnswer, tools: CheckContext, scope: Scope) -> AnswerCheck:
    origin = answer.origin
    check = AnswerCheck(id=answer.name, system=origin.system, label=answer.label, votes=answer.votes)
    judging = tools.judging._replace(question=origin.question)
    document = text_to_document(compose_answer_text(answer))
    try:
        done = await check_document(document, tools._replace(judging=judging), CheckOptions(scope=scope))
    except WellsourcedError as error:
        return check.model_copy(update={"error": str(error)})
    counts = {name: (done.shares[key].part, done.shares[key].of) for name, key in MEASURE_NAMES.items()}
    counted = {"statements": len(done.verdicts), "sources": len(done.traced), "counts": counts}
    return check.model_copy(update=counted | {"complete": done.complete, "notes": done.notes})


def average_checks(checks: Sequence[AnswerCheck]) -> dict[str, tuple[MetricMean, PooledShare]]:
    """Metric → its mean over answers, and the share over all of them together, which is the published one."""
    counted = [check for check in checks if not check.error]
    values = [check.to_values() for check in counted]
    return {
        name: (average_cases(one[name] for one in values), pool_cases([check.counts[name] for check in counted]))
        for name in MEASURE_NAMES
    }


def compare_with_people(checks: Sequence[AnswerCheck]) -> RaterStudy | None:
    """The check beside what people said of whole answers; None where nobody said anything."""
    judged = {check.id: check.verdict for check in checks if check.verdict}
    known = {check.id: check.label for check in checks if check.label}
    return compare_with_votes("check", judged, {check.id: check.votes for check in checks}, known)


def source_blocks(data: RecordedFile[CitedAnswer], judge: str, checks: Sequence[AnswerCheck]) -> Iterator[Block]:
    """Everything, for people."""
    counted = [check for check in checks if not check.error]
    yield Text(
        f"{format_count(len(checks), 'answer')} of {data.file} (sha256 {data.sha256}), "
        f"{format_count(sum(check.statements for check in counted), 'statement')}, "
        f"{format_count(sum(check.sources for check in counted), 'source')}, judged by {judge}"
    )
    rows = [
        (
            *(name, mean.mean, Interval(mean.low, mean.high), Part(mean.cases, len(counted))),
            *(pooled.share, Part(pooled.part, pooled.whole), Interval(pooled.low, pooled.high)),
        )
        for name, (mean, pooled) in average_checks(checks).items()
    ]
    yield Table(("metric", "mean", "95 % interval", "answers", "all together", "of", "its 95 %"), rows)
    yield Text("“All together” is as it was published; a source that cannot be reached counts in it.")
    yield Text(
        "The figures are as good as the judge, and support is not truth: a page that is wrong supports what it says."
    )
    if people := compare_with_people(checks):
        yield Text("What people said of whole answers:")
        yield from agreement_blocks(people, "answer", {SUPPORTED: "supported", NOT_SUPPORTED: "not supported"})
    if failed := [f"{check.id}: {check.error}" for check in checks if check.error]:
        yield Text(f"{format_count(len(failed), 'answer')} FAILED, left out of every figure:", True)
        yield Bullets(failed[:MAX_SHOWN])
    if unfinished := sum(not check.complete for check in counted):
        yield Text(f"{format_count(unfinished, 'answer')} not wholly judged: the same command goes on.", True)
    for note in dict.fromkeys(note for check in counted for note in check.notes if "--offline" in note):
        yield Text(f"Note: {note}.")


def sources_to_json(data: RecordedFile[CitedAnswer], judge: str, checks: Sequence[AnswerCheck]) -> dict[str, Any]:
    """Everything, for programs: the means, and each answer with its counts."""
    people = compare_with_people(checks)
    return {
        "file": data.file,
        "sha256": data.sha256,
        "answers": len(checks),
        "recorded_answers": data.recorded,
        "failed": sum(bool(check.error) for check in checks),
        "judge": judge,
        "metrics": {
            name: {**mean._asdict(), "pooled": pooled} for name, (mean, pooled) in average_checks(checks).items()
        },
        "people": people
        and {
            "raters": people.raters if any(check.votes for check in checks) else None,
            "check": people.judge,
            "ties": len(people.ties),
            "floor": people.floor,
        },
        "cases": [{**check.model_dump(mode="json"), "values": check.to_values()} for check in checks],
    }


# --- works that a system took as relevant ------------------------------------------------------------------------

REGIMES: Mapping[str, tuple[str, float, float]] = {
    "clinfo_pubmed_LimitedSearch_ExludePMID": ("restricted", 0.218, 0.055),
    "clinfo_pubmed_ExludePMID": ("source dropped", 0.186, 0.054),
    "clinfo_pubmed": ("unrestricted", 0.157, 0.051),
}
"""System of PubMedRS-200 → the paper's name of how it searched, and precision and recall over all 145 questions, as its
published rows give them; a part of the questions comes to other figures."""


class SourceFigures(NamedTuple):
    """What a system took as relevant, over all reviews.

    means         of each metric, over the reviews in which it is defined
    means_with_0  the same where one that is not defined counts as 0
    kept          of `true_candidates`, works found that the review cites, those that were taken as relevant
    no_hit        reviews of which no cited work was found at all
    source        share of the reviews in which the review itself was taken as relevant
    """

    system: str
    regime: str
    reviews: int
    means: Mapping[str, MetricMean]
    means_with_0: Mapping[str, float | None]
    kept: int
    true_candidates: int
    no_hit: int
    source: float
    paper: Mapping[str, float] | None


def list_searchers(data: RecordedSummaries) -> list[str]:
    """The systems of which it is recorded, for every review, what they found."""
    if any(review.cited is None for review in data.rows):
        return []
    return [name for name in data.rows[0].systems if all(one.systems[name].candidates is not None for one in data.rows)]


def measure_sources(data: RecordedSummaries, system: str) -> SourceFigures:
    """All figures of a system of which it is recorded what it found."""
    found = [measure_review(review, system) for review in data.rows]
    columns = {name: [part / of if of else None for part, of in (one[name] for one in found)] for name in found[0]}
    kept, true_candidates = (sum(one[name][0] for one in found) for name in ("source_recall", "candidate_recall"))
    regime, *paper = REGIMES.get(system, (system,))
    return SourceFigures(
        system,
        str(regime),
        len(found),
        {name: average_cases(values) for name, values in columns.items()},
        {name: average_cases(value or 0.0 for value in values).mean for name, values in columns.items()},
        kept,
        true_candidates,
        sum(not one["candidate_recall"][0] for one in found),
        sum(one.source_pmid in (one.systems[system].relevant or ()) for one in data.rows) / len(found),
        dict(zip(("source_precision", "source_recall"), paper, strict=True)) if paper else None,
    )


def measure_review(review: RecordedReview, system: str) -> dict[str, tuple[int, int]]:
    """Precision and recall of one search, before and after relevance was judged, as (part, whole)."""
    summary, cited = review.systems[system], review.cited or frozenset()
    found = {}
    for name, works in (("source", summary.relevant), ("candidate", summary.candidates)):
        taken = works or frozenset()
        found[f"{name}_precision"] = len(taken & cited), len(taken)
        found[f"{name}_recall"] = len(taken & cited), len(cited)
    return found


def contrast_hits(data: RecordedSummaries, base: str, other: str) -> ShareContrast:
    """In how many reviews only one of two systems found any work that the review cites."""
    ours, theirs = (
        {review.id: measure_review(review, system)["candidate_recall"][0] > 0 for review in data.rows}
        for system in (base, other)
    )
    return contrast_shares(ours, theirs)
