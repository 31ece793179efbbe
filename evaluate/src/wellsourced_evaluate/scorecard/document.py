"""The scorecard as a document: what is bad first, what nothing was fitted on apart from the rest."""

from collections.abc import Iterator, Mapping, Sequence

from wellsourced_evaluate.metrics import METRICS
from wellsourced_evaluate.scorecard.measuring import MeasuredPart, ScorecardFigure
from wellsourced_evaluate.tables import Block, Bullets, Heading, Interval, Table, Text, format_cell, tabulate

MAX_LOW = 10
"""Figures without a floor that are named among what is bad."""

CONTROLS = ("own_source_read", "own_source_cited")
"""Figures that are low by design where the source is excluded: they say whether it was."""

KINDS = {
    "answers": "Answers of the whole system",
    "search": "The search",
    "verification": "The judge of support",
    "recorded": "Runs that were recorded before",
}

Figures = Sequence[ScorecardFigure]


def build_scorecard(parts: Sequence[MeasuredPart], date: str, setup: Mapping[str, str]) -> Iterator[Block]:
    """The whole document; `setup`: where and with what it was measured, in the order in which it is told."""
    every = [figure for part in parts for figure in part.figures]
    figures = [one for one in every if one.kind != "recorded"]
    yield Heading(1, "Scorecard")
    yield Text(
        f"Measured on {date} by one command, `wellsourced evaluate scorecard`, on development data: its makers "
        "could read these rows while they worked. Who has rows that they could not read should expect less."
    )
    yield Heading(2, "What is bad")
    yield from _failure_blocks(parts)
    yield from _bad_blocks(figures)
    yield Heading(2, "Nothing was fitted on these cases")
    yield Text("No weight or threshold comes from them; their makers could read them.")
    yield from _kind_blocks([one for one in figures if not one.fitted])
    yield Heading(2, "Something was fitted on these cases")
    yield Text("These figures flatter. What was fitted is listed below the tables.")
    yield from _kind_blocks([one for one in figures if one.fitted])
    if recorded := [one for one in every if one.kind == "recorded"]:
        yield Heading(2, KINDS["recorded"])
        yield Text(
            "These were not asked now. What “compatible:played” wrote was written by hand, reply by reply, in place of "
            "a language model: it shows that a preset works from question to scored answer, and nothing of any model."
        )
        yield _figure_table(recorded)
    fitted = [(KINDS[one.kind], one.title, part.what, part.cases, part.script) for one in every for part in one.fitted]
    if fitted:
        yield Heading(3, "What was fitted on what")
        header = ("part", "set", "what was fitted", "on how many of these cases", "by")
        yield Table(header, list(dict.fromkeys(fitted)))
    yield from _setup_blocks(parts, setup)


def _failure_blocks(parts: Sequence[MeasuredPart]) -> Iterator[Block]:
    for part in parts:
        if part.reason:
            yield Text(f"Not measured: {part.name}. {part.reason}", True)
    for run in (run for part in parts for run in part.runs):
        name, regime, records = run.header.data["name"], run.header.regime, run.records.values()
        if failed := sum(record.status == "failed" for record in records):
            yield Text(f"{name}, {regime}: {failed:,} cases failed; they count as not right.", True)
        read = sum(record.own_source is True for record in records)
        if regime == "excluded" and read:
            yield Text(f"{name}: {read:,} cases read their source, which was excluded.", True)


def _bad_blocks(figures: Figures) -> Iterator[Block]:
    for standing, text in (
        ("worse", "Worse than what is reached without reading anything, worst results first:"),
        ("no significant difference", "No significant difference from that, worst results first:"),
    ):
        some = sorted((one for one in figures if one.standing == standing), key=lambda one: one.margin)
        if some:
            yield Text(text)
            yield Bullets([_describe_shortfall(one) for one in some])
    low = [
        (one.interval.mean, one)
        for one in figures
        if one.floor is None and one.interval and not METRICS[one.metric].lower and one.metric not in CONTROLS
    ]
    if low:
        low.sort(key=lambda pair: pair[0])
        yield Text("No floor is known of these, which are the lowest:")
        yield Bullets([_describe_shortfall(one) for _, one in low[:MAX_LOW]])


def _describe_shortfall(one: ScorecardFigure) -> str:
    """A figure as a sentence."""
    value, low, high = one.interval or (None, None, None)
    shown = f"{format_cell(value)} ({format_cell(Interval(low, high))}; {one.of})"
    name = f"{one.title}, {one.arm}" if one.arm else one.title
    floor = f"; {one.floor_name} reaches {one.floor:.3f}" if one.floor is not None else ""
    fitted = ", and something was fitted on these cases" if one.fitted else ""
    return f"{KINDS[one.kind]}, {name}: {one.metric} {shown}{floor}{fitted}"


def _kind_blocks(figures: Figures) -> Iterator[Block]:
    for kind, heading in KINDS.items():
        some = [one for one in figures if one.kind == kind]
        if some:
            yield Heading(3, heading)
            yield _figure_table(some)


def _figure_table(figures: Figures) -> Table:
    return tabulate(
        figures,
        {
            "set": lambda one: one.title,
            "arm": lambda one: one.arm or None,
            "metric": lambda one: one.metric,
            "value": lambda one: one.interval and one.interval.mean,
            "95 %": lambda one: Interval(*one.interval[1:]) if one.interval else None,
            "of": lambda one: one.of,
            "floor": lambda one: "none known" if one.floor is None else f"{one.floor:.3f} ({one.floor_name})",
            "against it": lambda one: one.standing or None,
        },
    )


def _setup_blocks(parts: Sequence[MeasuredPart], setup: Mapping[str, str]) -> Iterator[Block]:
    yield Heading(2, "How it was measured")
    yield Table(("what", "which"), list(setup.items()))
    used = {figure.metric for part in parts for figure in part.figures}
    yield Table(("metric", "what it is"), [(name, METRICS[name].meaning) for name in METRICS if name in used])
    yield Text("Seconds are those of this command: what was on the disk already was not measured again.")
    seconds = [*((part.name, part.seconds) for part in parts), ("all", sum(part.seconds for part in parts))]
    yield Table(("part", "seconds"), [(name, f"{took:,.0f}") for name, took in seconds])
    yield Text(
        "Intervals are 95 %: bootstrap over cases, documents or queries, Wilson's of pairs and where all cases are "
        "alike. A floor is what is reached without reading anything; of the search, BM25 alone on the same queries."
    )
