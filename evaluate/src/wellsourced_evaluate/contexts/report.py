"""The reports of all studies of what changes an answer: what is bad first, figures by condition, tests, what failed."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.contexts.figures import (
    ArmGain,
    ConditionScore,
    ConditionTests,
    ConflictCounts,
    RelativeDrop,
    compare_arms,
    compare_conditions,
    compare_with_base,
    count_conflicts,
    list_places,
    measure_drop,
    score_condition,
    share_of_cases,
    study_to_json,
)
from wellsourced_evaluate.contexts.study import StudyRun, require_same_contexts
from wellsourced_evaluate.plots import Estimate, Point, draw_estimates, draw_series
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import OUTCOMES
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Picture, Signed, Table, Text, tabulate

FEW_CASES = 100
"""Below so many, differences of five points are not seen."""

MAX_LISTED = 20
"""Cases that are named one by one."""

CONTEXT_TITLE = "What stands around the passage that answers"
CONTEXT_METRICS = ("answer_accuracy", "coverage", "facts_said", "gold_cited", "abstention", "decided_accuracy")
CONTEXT_TESTS = ("answer_accuracy", "facts_said", "gold_cited")

CHANGE_METRICS = ("same_label", "same_lead", "same_facts", "shared_works", "statements_kept")
ANSWER_METRICS = ("answer_accuracy", "coverage", "facts_said", "abstention")
CHANGE_TESTS = ("answer_accuracy", "facts_said", "abstention")

SameWords = tuple[str, int, AnswerFigure]
"""Arm, documents, and the share of cases that are answered in the same words at every place."""


class ContextReport(NamedTuple):
    """Everything that is told of a study of contexts.

    misplaced   of each arm, answers whose writer was shown the gold document elsewhere than intended
    """

    runs: tuple[StudyRun, ...]
    scores: tuple[ConditionScore, ...]
    tests: tuple[ConditionTests, ...]
    gains: tuple[ArmGain, ...]
    conflicts: tuple[ConflictCounts, ...]
    same_words: tuple[SameWords, ...]
    misplaced: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "study": "contexts",
            **study_to_json(self.runs, self.scores, self.tests),
            "arms": to_plain(self.gains),
            "conflicts": to_plain(self.conflicts),
            "same_words": [
                {"arm": arm, "documents": size, **figure._asdict()} for arm, size, figure in self.same_words
            ],
            "misplaced": self.misplaced,
        }


class ChangeReport(NamedTuple):
    """Everything that is told of a study of changes; `base` is the condition without one."""

    study: str
    title: str
    base: str
    runs: tuple[StudyRun, ...]
    scores: tuple[ConditionScore, ...]
    tests: tuple[ConditionTests, ...]
    drops: tuple[RelativeDrop, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = study_to_json(self.runs, self.scores, self.tests)
        return {"study": self.study, "base": self.base, **told, "relative_drops": to_plain(self.drops)}


def report_contexts(runs: Sequence[StudyRun]) -> ContextReport:
    """Score every condition of every arm. Raises SourceRefused when two arms were given different documents."""
    require_same_contexts(runs)
    tests = [
        compare_conditions(run, list(places), metric)
        for run in runs
        for metric in CONTEXT_TESTS
        for places in list_places(run).values()
    ]
    conflicts = [count_conflicts(runs[0], other) for other in runs[1:]]
    return ContextReport(
        tuple(runs),
        tuple(score_condition(run, condition) for run in runs for condition in run.conditions),
        tuple(test for test in tests if test),
        tuple(gain for other in runs[1:] for gain in compare_arms(runs[0], other, CONTEXT_TESTS[:2])),
        tuple(counts for counts in conflicts if counts),
        tuple(same for run in runs for same in _count_same_words(run)),
        {run.arm: _count_misplaced(run) for run in runs if run.header.model != "extractive"},
    )


def _count_same_words(run: StudyRun) -> Iterator[SameWords]:
    for size, places in list_places(run).items():
        by_place = [run.select_condition(place) for place in places]
        asked = [record for record in by_place[0].values() if all(record.case in of for of in by_place)]
        same = {
            record.case
            for record in asked
            if len({(of[record.case].status, of[record.case].text) for of in by_place}) == 1
        }
        yield run.arm, size, share_of_cases("same_words", asked, lambda record, same=same: record.case in same)  # type: ignore[misc]


def _count_misplaced(run: StudyRun) -> int:
    """Answers before which what was read was in another order than it was given in."""
    return sum(
        list(record.read) != [id for id in record.given if id in record.read] or record.gold_document not in record.read
        for record in run.records.values()
        if record.gold_document in record.given and record.status != "failed"
    )


def report_changes(study: str, title: str, base: str, runs: Sequence[StudyRun]) -> ChangeReport:
    """Score every condition of every arm against the one without a change."""
    require_same_contexts(runs)
    scores, tests, drops = [], [], []
    for run in runs:
        for condition in list_asked(run):
            score = score_condition(run, condition)
            same = compare_with_base(run, base, condition) if condition != base else ()
            scores.append(score._replace(figures=(*same, *score.figures)))
        found = [compare_conditions(run, list_asked(run), metric, with_cochran=False) for metric in CHANGE_TESTS]
        known = [test for test in found if test]
        tests += known
        drops += [
            measure_drop(run, base, contrast.other, test.metric)
            for test in known
            if test.metric != "abstention"
            for contrast in test.against_first
        ]
    return ChangeReport(study, title, base, tuple(runs), tuple(scores), tuple(tests), tuple(filter(None, drops)))


def list_asked(run: StudyRun) -> list[str]:
    """The conditions under which any case was asked."""
    return [condition for condition in run.conditions if run.select_condition(condition)]


def context_blocks(report: ContextReport) -> Iterator[Block]:
    """The whole report on a study of contexts."""
    yield Heading(1, CONTEXT_TITLE)
    yield Text(
        "Each case is answered from its gold document alone, from it at several places among documents that do not "
        "answer, from these alone, and, where a language model writes, from nothing. Intervals are 95 %: bootstrap "
        "over cases, Wilson's for cases that are so or not. A floor is what is reached without reading anything."
    )
    yield from warning_blocks(report.runs)
    yield from _bad_news(report)
    yield Heading(3, "Figures by condition")
    yield from map(Picture, _draw_curves(report))
    yield figure_table(report.scores, CONTEXT_METRICS)
    yield Heading(3, "What became of the cases")
    yield outcome_table(report.scores)
    yield Heading(3, "Places against the first")
    columns = ("arm", "documents", "answered in the same words at every place", "share", "95 %")
    rows = [
        (arm, size, Part(one.part, one.of), one.value, Interval(one.low, one.high))
        for arm, size, one in report.same_words
    ]
    yield Table(columns, rows)
    yield from contrast_blocks(report.tests)
    if report.gains:
        yield tabulate(
            report.gains,
            {
                "arm": lambda one: one.other,
                "against": lambda one: one.base,
                "metric": lambda one: one.metric,
                "mean over places of": lambda one: f"{one.size} documents",
                "difference": lambda one: Signed(one.difference.mean),
                "95 %": lambda one: Interval(one.difference.low, one.difference.high, signed=True),
                "cases": lambda one: one.cases,
                "p (randomisation)": lambda one: Chance(one.p),
            },
        )
    if report.conflicts:
        yield Text("Answers that found sources, or parts of what was read, which disagree:")
        yield Table(("against", "arm", "answers", "right all the same", "wins", "ties", "losses"), report.conflicts)
    yield from failure_blocks(report.runs)
    yield from setup_blocks(report.runs)


def _bad_news(report: ContextReport) -> Iterator[Block]:
    """Answers from documents that do not answer, and what is below what is reached without reading."""
    for one in report.scores:
        figure = one.find_figure("abstention")
        if "distractors" in one.condition and figure and figure.part < figure.of:
            yield Text(
                f"{one.arm}: from {one.condition} {figure.of - figure.part:,} of {figure.of:,} cases are answered.",
                True,
            )
    below = [
        f"{one.arm}, {one.condition}"
        for one in report.scores
        if (figure := one.find_figure("answer_accuracy")) and figure.standing == "below"
    ]
    if below:
        yield Text(f"Accuracy is below its floor: {'; '.join(below)}.", True)
    for run in report.runs:
        mapped = [record.mapped for record in run.records.values() if record.mapped is not None]
        if mapped:
            yield Text(f"{run.arm}: {sum(mapped):,} of {len(mapped):,} contexts were read in parts.")
    for arm, count in report.misplaced.items():
        if count:
            yield Text(f"{arm}: before {count:,} answers the documents were not where they were to be.", True)
    if any(run.header.model == "extractive" for run in report.runs):
        yield Text("Without a language model none is asked of nothing, and the order is that of what was found.")


def _draw_curves(report: ContextReport) -> Iterator[str]:
    """A picture for each metric and size: shares by the place of the gold document, and what they lie between."""
    known = {(one.arm, one.condition): one for one in report.scores}
    for metric in CONTEXT_TESTS:
        levels = {}
        for run in report.runs:
            for condition in ("gold alone", "nothing"):
                score = known.get((run.arm, condition))
                figure = score.find_figure(metric) if score else None
                if figure and figure.value is not None:
                    levels[f"{run.arm}: {condition}"] = figure.value
                if figure and figure.floor is not None and condition == "gold alone":
                    levels[figure.floor_name] = figure.floor
        for size in list_places(report.runs[0]):
            curves = {
                run.arm: [
                    Point(percent, figure.value, figure.low, figure.high)
                    for condition, percent in list_places(run).get(size, {}).items()
                    if (figure := known[run.arm, condition].find_figure(metric)) and figure.value is not None
                ]
                for run in report.runs
            }
            if drawn := {arm: points for arm, points in curves.items() if points}:
                title = f"{metric} by the place of the gold document among {size}, with 95 % intervals"
                axes = ("place of the gold document, %", metric)
                yield draw_series(title, axes, drawn, levels=levels, line=True, x_range=(-5, 105))


def change_blocks(report: ChangeReport, explanation: str) -> Iterator[Block]:
    """The whole report on a study of changes: the condition under which least stays the same comes first."""
    yield Heading(1, report.title)
    yield Text(explanation)
    yield from warning_blocks(report.runs)
    for run in report.runs:
        if absent := [condition for condition in run.conditions if condition not in list_asked(run)]:
            yield Text(f"{run.arm}: no case could be asked so: {', '.join(absent)}.")
    ordered = sorted(report.scores, key=_least_same)
    yield Heading(3, "What stays the same, the least first")
    yield figure_table([one for one in ordered if one.condition != report.base], CHANGE_METRICS)
    for metric in ("same_lead", "statements_kept"):
        shares = [
            Estimate(f"{one.arm}: {one.condition}", figure.value, figure.low, figure.high)
            for one in ordered
            if (figure := one.find_figure(metric)) and figure.value is not None
            if figure.low is not None and figure.high is not None
        ]
        if shares:
            yield Picture(draw_estimates(f"{metric} with 95 % intervals", shares))
    yield Heading(3, "How good the answers are")
    yield figure_table(report.scores, ANSWER_METRICS)
    if report.drops:
        yield Text("What is lost by the change, over the cases of its condition:")
        yield Table(("arm", "condition", "metric", "without it", "with it", "relative drop"), report.drops)
    yield from contrast_blocks(report.tests)
    yield Heading(3, "What became of the cases")
    yield outcome_table(report.scores)
    changed = [row for run in report.runs for row in _list_changed(run, report.base)]
    yield from list_some("Cases to read", ("arm", "case", "condition", "label", "facts lost"), changed)
    yield from failure_blocks(report.runs)
    yield from setup_blocks(report.runs)


def _least_same(score: ConditionScore) -> float:
    values = [figure.value for figure in score.figures if figure.metric in CHANGE_METRICS and figure.value is not None]
    return min(values, default=1.0)


def _list_changed(run: StudyRun, base: str) -> Iterator[tuple[str, ...]]:
    """Cases that no longer say what they said: another label, nothing, or facts lost."""
    known = run.select_condition(base)
    for (condition, case), now in run.records.items():
        before = known.get(case)
        if before is None or condition == base or "failed" in (now.status, before.status):
            continue
        pairs = zip(before.marks, now.marks, strict=True)
        lost = [mark.fact for mark, after in pairs if mark.said and not after.said]
        if before.label != now.label or before.status != now.status or lost:
            label = f"{before.label or before.status} → {now.label or now.status}"
            yield run.arm, case, condition, label, "; ".join(lost)[:200]


def warning_blocks(runs: Sequence[StudyRun]) -> Iterator[Block]:
    """What a reader has to know before any figure: what failed, was left out, fitted, or is too little."""
    for run in runs:
        if run.failures:
            yield Text(f"{run.arm}: {len(run.failures):,} answers failed; they count as not right.", True)
    header = runs[0].header
    cases = {record.case: record for record in runs[0].records.values()}
    if reasons := list(header.left_out.values()):
        named = "; ".join(f"{reasons.count(reason):,}: {reason}" for reason in sorted({*reasons}))
        yield Text(f"Of {len(reasons) + len(cases):,} cases {len(reasons):,} are not asked ({named}).", True)
    if fitted := list_fitted(str(header.data["name"]), cases.values()):
        named = ", ".join(f"{one.what} ({one.script})" for one in fitted)
        yield Text(
            f"On cases of this set these were fitted: {named}. Less is to be expected of data that nobody has seen.",
            True,
        )
    if len(cases) < FEW_CASES:
        yield Text(f"{len(cases):,} cases are few: read the intervals, not the figures.", True)


def figure_table(scores: Sequence[ConditionScore], metrics: Sequence[str]) -> Table:
    """A row for each arm, condition and metric, in this order; none of a metric that applies to nothing here."""
    applied = {figure.metric for one in scores for figure in one.figures if figure.value is not None}
    rows = [
        (metric, one, figure)
        for metric in metrics
        if metric in applied
        for one in scores
        if (figure := one.find_figure(metric)) is not None
    ]
    return tabulate(
        rows,
        {
            "metric": lambda row: row[0],
            "arm": lambda row: row[1].arm,
            "condition": lambda row: row[1].condition,
            "value": lambda row: row[2].value,
            "95 %": lambda row: Interval(row[2].low, row[2].high),
            "cases or facts": lambda row: Part(row[2].part, row[2].of),
            "floor": lambda row: row[2].floor,
            "reached by": lambda row: row[2].floor_name,
            "against it": lambda row: row[2].standing,
        },
    )


def outcome_table(scores: Sequence[ConditionScore]) -> Table:
    """What became of the cases, by condition."""
    statuses, outcomes = ("answered", "abstained", "failed"), OUTCOMES[:3]
    rows = [
        (
            *(one.arm, one.condition),
            *(one.statuses.get(name, 0) for name in statuses),
            *(one.outcomes.get(name) for name in outcomes),
            one.cases,
        )
        for one in scores
    ]
    return Table(("arm", "condition", *statuses, *outcomes, "all"), rows)


def contrast_blocks(tests: Sequence[ConditionTests]) -> Iterator[Block]:
    """Cochran's Q over all conditions, and each against the first."""
    together = [(one.arm, one.metric, one.cochran) for one in tests if one.cochran]
    if together:
        yield Text(
            "All conditions of a case together (Cochran; p by exchanging the conditions of a case 10,000 times):"
        )
        rows = [(arm, metric, one.q, one.conditions, one.cases, Chance(one.p)) for arm, metric, one in together]
        yield Table(("arm", "metric", "Q", "conditions", "cases", "p"), rows)
    contrasts = [(one, contrast) for one in tests for contrast in one.against_first]
    if contrasts:
        yield tabulate(
            contrasts,
            {
                "arm": lambda row: row[0].arm,
                "metric": lambda row: row[0].metric,
                "condition": lambda row: row[1].other,
                "against": lambda row: row[1].base,
                "difference": lambda row: Signed(row[1].difference.mean),
                "95 %": lambda row: Interval(row[1].difference.low, row[1].difference.high, signed=True),
                "only here": lambda row: row[1].shares.only_other if row[1].shares else None,
                "only there": lambda row: row[1].shares.only_base if row[1].shares else None,
                "cases": lambda row: row[1].cases,
                "p": lambda row: Chance(row[1].p),
                "p (Holm)": lambda row: Chance(row[1].adjusted),
            },
        )


def failure_blocks(runs: Sequence[StudyRun]) -> Iterator[Block]:
    """Answers that failed, with their reasons."""
    rows = [(run.arm, name, reason[:200]) for run in runs for name, reason in run.failures.items()]
    yield from list_some("What failed", ("arm", "case", "reason"), rows)


def list_some(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Block]:
    """The first rows under their title; nothing of none."""
    if rows:
        yield Heading(3, title)
        yield Table(header, rows[:MAX_LISTED])
    if len(rows) > MAX_LISTED:
        yield Text(f"{len(rows) - MAX_LISTED:,} more are in the files.")


def setup_blocks(runs: Sequence[StudyRun]) -> Iterator[Block]:
    """Of what data, libraries, models and code the figures are."""
    header = runs[0].header
    data = header.data
    yield Heading(3, "What was asked, and of what")
    parameters = ", ".join(f"{name} {value}" for name, value in header.parameters.items() if value)
    yield Text(
        f"{data['name']} (form {data['form']}, sha256 {data['sha256']}): {data['asked']:,} of {data['recorded']:,} "
        f"cases, seed {data['seed']}; {parameters}."
    )
    sources = ", ".join(
        f"{one.name} ({one.documents:,} documents, sha256 {one.sha256 or '–'})" for one in header.sources
    )
    yield Text(f"Documents: {sources or 'none'}. What has no pattern is judged by {header.judge}.")
    yield tabulate(
        runs,
        {
            "arm": lambda run: run.arm,
            "model": lambda run: run.header.model,
            "version": lambda run: run.header.wellsourced,
            "code": lambda run: run.header.code,
            "settings": lambda run: "; ".join(f"{name}={value}" for name, value in run.header.settings.items()),
            "seconds": lambda run: f"{sum(record.seconds for record in run.records.values()):,.1f}",
            "calls": lambda run: sum(record.calls for record in run.records.values()),
        },
    )
