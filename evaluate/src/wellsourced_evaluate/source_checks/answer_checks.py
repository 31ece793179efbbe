"""Each answer checked and counted, recorded before the next is; the figures of SourceCheckup over all of them.

A source that cannot be reached stays in the denominators, and a statement that names no source is not supported.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from pydantic import Field, TypeAdapter

from wellsourced.errors import WellsourcedError
from wellsourced.factcheck.check import CheckContext, CheckOptions, Scope, check_document, text_to_document
from wellsourced.factcheck.load.answer_rows import compose_answer_text
from wellsourced.types import Checkup, Value
from wellsourced_evaluate.checkups.agreement import (
    GroupAgreement,
    PairAgreement,
    compare_group,
    compare_raters,
    find_majority,
)
from wellsourced_evaluate.metrics import list_metrics
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog
from wellsourced_evaluate.source_checks.cited_answers import NOT_SUPPORTED, SUPPORTED, CitedAnswer, CitedAnswers
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

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
"""Metric → the measure of factcheck/metrics.py that counts it."""

CheckProgress = Callable[[int, int], None]
"""Who hears how many answers are checked, of how many."""


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
    key=lambda one: one.id,
    stands=lambda one: one.complete and not one.error,
)
"""What failed, or was not wholly judged, is checked again."""

AnswerCheckLog = RecordLog[AnswerCheckHeader, AnswerCheck, str]


class AnswerAgreement(NamedTuple):
    """How far the check agrees with people on whole answers, and they with one another; the floor is the majority's
    commonest label and its share."""

    raters: GroupAgreement | None
    check: tuple[PairAgreement, ...]
    ties: int
    floor: tuple[str, float]

    def to_json(self) -> dict[str, Any]:
        """Everything by its name."""
        raters = self.raters and self.raters._asdict() | {"pairs": [one._asdict() for one in self.raters.pairs]}
        floor = {"label": self.floor[0], "share": self.floor[1]}
        return {"raters": raters, "check": [one._asdict() for one in self.check], "ties": self.ties, "floor": floor}


def build_header(data: CitedAnswers, tools: CheckContext, scope: Scope) -> AnswerCheckHeader:
    """What has to be the same for results to be the same."""
    return AnswerCheckHeader(
        wellsourced=version("wellsourced"), file=data.file, sha256=data.sha256, judge=tools.name, scope=scope
    )


async def check_answers(
    data: CitedAnswers, tools: CheckContext, scope: Scope, log: AnswerCheckLog, say: CheckProgress
) -> list[AnswerCheck]:
    """Every answer that was not yet checked; each is on the disk before the next."""
    left = [one for one in data.answers if one.row.name not in log.records]
    for place, one in enumerate(left):
        say(len(data.answers) - len(left) + place, len(data.answers))
        log.add(await _check_answer(one, tools, scope))
    return [log.records[one.row.name] for one in data.answers]


async def _check_answer(one: CitedAnswer, tools: CheckContext, scope: Scope) -> AnswerCheck:
    origin = one.row.origin
    known = {"id": one.row.name, "system": origin.system, "label": one.label, "votes": one.votes}
    manner = tools.manner._replace(question=origin.question)
    document = text_to_document(compose_answer_text(one.row))
    try:
        done = await check_document(document, tools._replace(manner=manner), CheckOptions(scope=scope))
    except WellsourcedError as error:
        return AnswerCheck.model_validate(known | {"error": str(error)})
    return AnswerCheck.model_validate(known | _count_checkup(done))


def _count_checkup(done: Checkup) -> dict[str, Any]:
    counts = {name: (done.shares[key].part, done.shares[key].of) for name, key in MEASURE_NAMES.items()}
    told = {"statements": len(done.verdicts), "sources": len(done.traced), "counts": counts}
    return told | {"complete": done.complete, "notes": done.notes}


def average_checks(checks: Sequence[AnswerCheck]) -> dict[str, tuple[MetricMean, PooledShare]]:
    """Metric → its mean over answers, and the share over all of them together, which is the published one."""
    counted = [one for one in checks if not one.error]
    return {
        metric.name: (
            average_cases(one.to_values()[metric.name] for one in counted),
            pool_cases([one.counts[metric.name] for one in counted]),
        )
        for metric in list_metrics("source-checks")
    }


def compare_with_people(checks: Sequence[AnswerCheck]) -> AnswerAgreement | None:
    """The check beside what people said of whole answers; None where nobody said anything."""
    judged = {one.id: one.verdict for one in checks if one.verdict}
    places = max((len(one.votes) for one in checks), default=0)
    raters = {
        f"rater {place + 1}": {one.id: one.votes[place] for one in checks if len(one.votes) > place}
        for place in range(places)
    }
    voted, ties = find_majority(raters) if raters else ({}, ())
    majority = voted | {one.id: one.label for one in checks if one.label}
    if not majority:
        return None
    label, most = Counter(majority.values()).most_common(1)[0]
    with_each = [compare_raters("check", name, judged, labels) for name, labels in raters.items()]
    return AnswerAgreement(
        compare_group(raters) if raters else None,
        (*with_each, compare_raters("check", "majority", judged, majority)),
        len(ties),
        (label, most / len(majority)),
    )
