"""Parts of a report beside its figures: searches, time and cost, cost against quality, figures before and after a day.

Each is of recorded cases, and says of how many.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from wellsourced_evaluate.plot import CostPoint, draw_cost
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportPicture,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)
from wellsourced_evaluate.questions.scores import ArmScore, score_run
from wellsourced_evaluate.statistics import MetricMean, average_cases

SEARCH_METRICS = ("queries", "query_words", "query_diversity", "passages_read")
"""Of the searches behind an answer, as `wellsourced evaluate list` spells them and as a record has them."""

QUALITY_METRICS = ("answer_accuracy", "facts_said")
"""By which arms are ranked and set against their cost: the first that a set has."""


def average_searches(run: AnswerRun) -> dict[str, MetricMean]:
    """Metric → its mean over the cases of a run; a case that failed has no searches that are known."""
    every = list(run.records.values())
    return {name: average_cases(getattr(one, name) for one in every) for name in SEARCH_METRICS}


def search_blocks(arms: Sequence[ArmScore]) -> Iterator[ReportBlock]:
    """How each arm searched, and how many of its searches a snapshot gave."""
    if not any(one.queries is not None for arm in arms for one in arm.run.records.values()):
        return
    yield ReportHeading(3, "Searches")
    rows = []
    for arm in arms:
        means = average_searches(arm.run)
        replayed, searched = (_add_up(arm.run, name) for name in ("replayed", "searched"))
        rows.append((arm.run.arm, *map(format_mean, means.values()), f"{means['queries'].cases:,}", replayed, searched))
    header = ("arm", *SEARCH_METRICS, "cases", "searches replayed", "not in the snapshot")
    yield ReportTable(header, rows)
    yield ReportText(
        "Means of a case. query_diversity is 1 less the Jaccard index of the stemmed words of every two searches of "
        "one source: only cases that ask a source twice have one."
    )
    for arm in arms:
        missed = sum(one.searched or 0 for one in arm.run.records.values())
        if missed and any(one.replayed for one in arm.run.records.values()):
            yield ReportText(
                f"{arm.run.arm} made {missed:,} searches that its snapshot did not have: in those cases it may have "
                "read other passages than the arm by which the snapshot was made.",
                True,
            )


def cost_blocks(arms: Sequence[ArmScore]) -> Iterator[ReportBlock]:
    """What each arm took."""
    yield ReportHeading(3, "Time and cost")
    rows = []
    for one in arms:
        cost = one.cost
        records = one.run.records.values()
        at_once = max((record.at_once for record in records), default=1)
        judging = sum(record.judge_calls for record in records)
        times = (format_decimal(cost.p50, 2), format_decimal(cost.p95, 2), f"{cost.seconds:,.1f}", f"{at_once:,}")
        counts = (
            f"{cost.calls:,}",
            f"{judging:,}",
            f"{cost.cached:,}",
            f"{cost.tokens:,}",
            _format_dollars(cost.dollars),
        )
        rows.append((one.run.arm, *times, *counts))
    header = (
        "arm",
        "s p50",
        "s p95",
        "s all",
        "at once",
        "calls",
        "calls of the judge",
        "cached",
        "tokens",
        "US dollars",
    )
    yield ReportTable(header, rows)


def quality_blocks(name: str, arms: Sequence[ArmScore]) -> Iterator[ReportBlock]:
    """What each arm is worth against what a case of it costs: dollars, else calls, else seconds."""
    quality = next((metric for metric in QUALITY_METRICS if all(find_figure(one, metric) for one in arms)), "")
    if not quality or len(arms) < 2:
        return
    unit, costs = _choose_cost(arms)
    points = []
    for one, cost in zip(arms, costs, strict=True):
        figure = find_figure(one, quality)
        if figure and figure.value is not None and figure.low is not None and figure.high is not None:
            points.append(CostPoint(one.run.arm, cost, figure.value, figure.low, figure.high))
    yield ReportHeading(3, f"{quality} against {unit} of a case")
    rows = [(one.arm, f"{one.cost:.4g}", f"{one.quality:.3f}", f"{one.low:.3f}–{one.high:.3f}") for one in points]
    yield ReportTable(("arm", f"{unit} of a case", quality, "95 %"), rows)
    yield ReportPicture(draw_cost(f"{name}: {quality} with 95 % intervals against {unit} of a case", unit, points))


def _choose_cost(arms: Sequence[ArmScore]) -> tuple[str, list[float]]:
    counts = [max(1, len(one.run.records)) for one in arms]
    dollars = [one.cost.dollars for one in arms]
    if all(one is not None for one in dollars) and any(dollars):
        return "US dollars", [(one or 0.0) / cases for one, cases in zip(dollars, counts, strict=True)]
    if any(one.cost.calls for one in arms):
        return "calls", [one.cost.calls / cases for one, cases in zip(arms, counts, strict=True)]
    return "seconds", [one.cost.seconds / cases for one, cases in zip(arms, counts, strict=True)]


def cutoff_blocks(cutoff: date | None, arms: Sequence[ArmScore]) -> Iterator[ReportBlock]:
    """The figures of cases that were made before the model's knowledge ends, and of those made after, apart."""
    if cutoff is None:
        return
    yield ReportHeading(3, f"Before and after {cutoff}")
    rows = []
    for arm in arms:
        for part, records in split_by_date(arm.run, cutoff).items():
            figures = score_run(arm.run._replace(records=records)).figures
            rows += [
                (
                    *(arm.run.arm, part, f"{len(records):,}", one.metric, format_decimal(one.value)),
                    *(format_interval(one.low, one.high), f"{one.part:,} of {one.of:,}", format_decimal(one.floor)),
                )
                for one in figures
                if one.metric in ("answer_accuracy", "decided_accuracy", "coverage", "facts_said", "refusal_recall")
            ]
    yield ReportTable(("arm", "made", "cases", "metric", "value", "95 %", "cases or facts", "floor"), rows)
    yield ReportText(
        "By the day of a case, which is that of what it was made from. What a model may have seen when it was made "
        "says less of what is new; “without a date” are cases that do not say theirs."
    )


def split_by_date(run: AnswerRun, cutoff: date) -> dict[str, dict[str, AnswerRecord]]:
    """The records by whether their case was made up to the day, after it, or on a day that is not known."""
    parts: dict[str, dict[str, AnswerRecord]] = {f"up to {cutoff}": {}, f"after {cutoff}": {}, "without a date": {}}
    up_to, after, undated = parts.values()
    for case, one in run.records.items():
        part = undated if one.as_of is None else up_to if one.as_of <= cutoff else after
        part[case] = one
    return {name: records for name, records in parts.items() if records}


def find_figure(arm: ArmScore, metric: str) -> AnswerFigure | None:
    """The figure of a metric; None where the arm has none."""
    return next((one for one in arm.figures if one.metric == metric), None)


def _add_up(run: AnswerRun, name: str) -> str:
    known = [value for one in run.records.values() if (value := getattr(one, name)) is not None]
    return f"{sum(known):,}" if known else "no snapshot"


def format_mean(found: MetricMean) -> str:
    """A mean with its interval and of how many cases it is; a dash for none."""
    if found.mean is None or found.low is None or found.high is None:
        return "–"
    return f"{found.mean:.3g} ({found.low:.3g}–{found.high:.3g}, {found.cases:,} cases)"


def _format_dollars(dollars: float | None) -> str:
    return "not known" if dollars is None else f"{dollars:.4f}"
