"""The scorecard as a document: what is bad first, what nothing was fitted on apart from the rest."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.confidence import ConfidenceInterval
from wellsourced_evaluate.metrics import METRICS
from wellsourced_evaluate.questions.report_blocks import format_decimal, format_interval
from wellsourced_evaluate.scorecard.figures import ScorecardFigure
from wellsourced_evaluate.scorecard.measuring import MeasuredPart
from wellsourced_evaluate.tables import Block, Bullets, Heading, Table, Text

TITLE = "Scorecard"

MAX_LOW = 10
"""Figures without a floor that are named among what is bad."""

CONTROLS = ("own_source_read", "own_source_cited")
"""Figures that are low by design where the source is excluded: they say whether it was."""

KINDS = {
    "answers": "Answers of the whole system",
    "citations": "What answers cite",
    "search": "The search",
    "verification": "The judge of support",
    "recorded": "Runs that were recorded before",
}


class ScorecardSetup(NamedTuple):
    """When, where and with what it was measured: (what, which) in the order in which it is told."""

    date: str
    rows: Sequence[tuple[str, str]]


def build_scorecard(parts: Sequence[MeasuredPart], setup: ScorecardSetup) -> Iterator[Block]:
    """The whole document."""
    every = [figure for part in parts for figure in part.figures]
    figures = [one for one in every if one.kind != "recorded"]
    yield Heading(1, TITLE)
    yield Text(
        f"Measured on {setup.date} by one command, `wellsourced evaluate scorecard`, on development data: its makers "
        "could read these rows while they worked. Who has rows that they could not read should expect less."
    )
    yield from _bad_blocks(figures, parts)
    for is_unseen, heading, text in (
        (
            True,
            "Nothing was fitted on these cases",
            "No weight or threshold comes from them; their makers could read them.",
        ),
        (
            False,
            "Something was fitted on these cases",
            "These figures flatter. What was fitted stands below the tables.",
        ),
    ):
        chosen = [one for one in figures if (not one.fitted) is is_unseen]
        yield Heading(2, heading)
        yield Text(text)
        yield from _kind_blocks(chosen)
    yield from _recorded_blocks([one for one in every if one.kind == "recorded"])
    yield from _fitted_blocks(every)
    yield from _setup_blocks(parts, setup)


def _bad_blocks(figures: Sequence[ScorecardFigure], parts: Sequence[MeasuredPart]) -> Iterator[Block]:
    yield Heading(2, "What is bad")
    for part in parts:
        if part.reason:
            yield Text(f"Not measured: {part.name}. {part.reason}", True)
    for run in (run for part in parts for run in part.runs):
        if failed := sum(one.status == "failed" for one in run.records.values()):
            name = run.header.data["name"]
            yield Text(f"{name}, {run.header.regime}: {failed:,} cases failed; they count as not right.", True)
        read = sum(one.own_source is True for one in run.records.values())
        if run.header.regime == "excluded" and read:
            yield Text(f"{run.header.data['name']}: {read:,} cases read their source, which was excluded.", True)
    worse = sorted((one for one in figures if one.standing == "worse"), key=lambda one: one.margin)
    if worse:
        yield Text("Worse than what is reached without reading anything, the worst first:")
        yield Bullets([_describe_shortfall(one) for one in worse])
    unclear = sorted((one for one in figures if one.standing == "not told apart"), key=lambda one: one.margin)
    if unclear:
        yield Text("Not told apart from that, the worst first:")
        yield Bullets([_describe_shortfall(one) for one in unclear])
    low = [
        one
        for one in figures
        if one.floor is None and one.interval and not METRICS[one.metric].lower and one.metric not in CONTROLS
    ]
    if low:
        low.sort(key=lambda one: one.interval.mean if one.interval else 0.0)
        yield Text("No floor is known of these, which are the lowest:")
        yield Bullets([_describe_shortfall(one) for one in low[:MAX_LOW]])


def _describe_shortfall(one: ScorecardFigure) -> str:
    """A figure as a sentence."""
    value, interval = _format_interval(one.interval)
    name = f"{one.title}, {one.arm}" if one.arm else one.title
    floor = f"; {one.floor_name} reaches {format_decimal(one.floor)}" if one.floor is not None else ""
    fitted = ", and something was fitted on these cases" if one.fitted else ""
    return f"{KINDS[one.kind]}, {name}: {one.metric} {value} ({interval}; {one.of}){floor}{fitted}"


def _recorded_blocks(figures: Sequence[ScorecardFigure]) -> Iterator[Block]:
    if figures:
        yield Heading(2, KINDS["recorded"])
        yield Text(
            "These were not asked now. What “compatible:played” wrote was written by hand, reply by reply, in place of "
            "a language model: it shows that a preset works from question to scored answer, and nothing of any model."
        )
        yield _figure_table(figures)


def _kind_blocks(figures: Sequence[ScorecardFigure]) -> Iterator[Block]:
    for kind, heading in KINDS.items():
        some = [one for one in figures if one.kind == kind]
        if some:
            yield Heading(3, heading)
            yield _figure_table(some)


def _figure_table(figures: Sequence[ScorecardFigure]) -> Table:
    header = ("set", "arm", "metric", "value", "95 %", "of", "floor", "against it")
    rows = [
        (
            *(one.title, one.arm or "–", one.metric, *_format_interval(one.interval), one.of),
            f"{format_decimal(one.floor)} ({one.floor_name})" if one.floor is not None else "none known",
            one.standing or "–",
        )
        for one in figures
    ]
    return Table(header, rows)


def _fitted_blocks(figures: Sequence[ScorecardFigure]) -> Iterator[Block]:
    told: Mapping[tuple[str, ...], None] = {
        (KINDS[one.kind], one.title, fitted.what, fitted.cases, fitted.script): None
        for one in figures
        for fitted in one.fitted
    }
    if told:
        yield Heading(3, "What was fitted on what")
        yield Table(("part", "set", "what was fitted", "on so many of these cases", "by"), list(told))


def _setup_blocks(parts: Sequence[MeasuredPart], setup: ScorecardSetup) -> Iterator[Block]:
    yield Heading(2, "How it was measured")
    yield Table(("what", "which"), list(setup.rows))
    used = {figure.metric for part in parts for figure in part.figures}
    yield Table(("metric", "what it is"), [(name, METRICS[name].meaning) for name in METRICS if name in used])
    rows = [(part.name, f"{part.seconds:,.0f}") for part in parts]
    yield Text("Seconds are those of this command: what was on the disk already was not measured again.")
    yield Table(("part", "seconds"), [*rows, ("all", f"{sum(part.seconds for part in parts):,.0f}")])
    yield Text(
        "Intervals are 95 %: bootstrap over cases, documents or queries, Wilson's of pairs and where all cases are "
        "alike. A floor is what is reached without reading anything; of the search, BM25 alone on the same queries."
    )


def _format_interval(found: ConfidenceInterval | None) -> tuple[str, str]:
    mean, low, high = found or (None, None, None)
    return format_decimal(mean), format_interval(low, high)
