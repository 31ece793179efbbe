"""The report of a study of what changes an answer: what is bad first, figures by condition, tests, what changed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from wellsourced_evaluate.contexts.conditions import ALL_SOURCES, UNCHANGED
from wellsourced_evaluate.contexts.figures import (
    ArmGain,
    ConditionScore,
    ConditionTests,
    ConflictCounts,
    RelativeDrop,
    compare_arms,
    compare_conditions,
    count_conflicts,
    count_misplaced,
    list_places,
    measure_drop,
    score_condition,
)
from wellsourced_evaluate.contexts.study import StudyName, StudyRun, require_same_contexts
from wellsourced_evaluate.plots import Point, draw_series
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Picture, Signed, Table, Text

FEW_CASES = 100
"""Below so many, differences of five points are not seen."""

MAX_LISTED = 20
"""Cases that are named one by one."""

TESTED = ("answer_accuracy", "facts_said")
"""What is compared with tests in every study, and of which arms are compared over all places, or a drop is measured."""

CHANGES = ("same_label", "same_lead", "same_facts", "shared_works", "statements_kept")
SAME = (
    "its label, the documents of its short answer, the expected facts, the works cited (Jaccard), its statements (in "
    "the same words, or in others as the judge says). Intervals are 95 %."
)


class StudyForm(NamedTuple):
    """How a study is told.

    base      the condition that all others are compared with; "": each place of the gold document with the first place
    metrics   by condition, in this order
    tested    which are compared with tests, beside those of every study
    """

    title: str
    explanation: str
    base: str
    metrics: tuple[str, ...] = (*CHANGES, "answer_accuracy", "coverage", "facts_said", "abstention")
    tested: str = "abstention"


FORMS: Mapping[StudyName, StudyForm] = {
    "contexts": StudyForm(
        "What surrounds the passage that answers",
        "Each case is answered from its gold document alone, from it at several places among documents that do not "
        "answer, from these alone, and, where a language model writes, from nothing; where none does, the order is "
        "that of what was found. Intervals are 95 %: bootstrap over cases, Wilson's for cases that are so or not. A "
        "floor is what is reached without reading anything.",
        "",
        ("answer_accuracy", "coverage", "facts_said", "gold_cited", "abstention", "decided_accuracy"),
        "gold_cited",
    ),
    "ablation": StudyForm(
        "What answers owe to each source",
        "Each case is answered from all sources, without each of them, and without each of the first documents that it "
        f"cites. How much of an answer stays: {SAME}",
        ALL_SOURCES,
    ),
    "robustness": StudyForm(
        "The same question in other words",
        f"Each case is asked as it is, and in other words that should change nothing. What stays: {SAME} A wording "
        "that would be the question itself is not asked.",
        UNCHANGED,
    ),
}


class StudyReport(NamedTuple):
    """Everything that is told of a study.

    misplaced   of each arm, answers whose writer was shown the gold document elsewhere than intended
    """

    study: StudyName
    form: StudyForm
    runs: tuple[StudyRun, ...]
    conditions: tuple[ConditionScore, ...]
    tests: tuple[ConditionTests, ...]
    relative_drops: tuple[RelativeDrop, ...]
    arms: tuple[ArmGain, ...]
    conflicts: tuple[ConflictCounts, ...]
    misplaced: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            **{name: value for name, value in self._asdict().items() if name not in ("runs", "form")},
            "base": self.form.base,
            "header": {run.arm: run.header for run in self.runs},
            "files": {run.arm: str(run.path) for run in self.runs},
            "failed": {run.arm: run.failures for run in self.runs},
        }


def report_study(runs: Sequence[StudyRun]) -> StudyReport:
    """Score every condition of every arm. Raises SourceRefused when two arms were given different documents."""
    require_same_contexts(runs)
    first, *others = runs
    study = first.header.study
    form = FORMS[study]
    base = form.base
    scores = {(run.arm, name): score_condition(run, name, base) for run in runs for name in run.conditions}
    tests: list[ConditionTests] = []
    drops: list[RelativeDrop] = []
    for run in runs:
        # Conditions that only some cases have are not tested all together.
        groups = [run.conditions] if base else [list(places) for places in list_places(run).values()]
        for metric, conditions in product((*TESTED, form.tested), groups):
            if found := compare_conditions(run, conditions, metric, with_cochran=not base):
                tests.append(found)
                changed = [one.other for one in found.against_first] if base and metric in TESTED else []
                drops += filter(None, (measure_drop(run, base, scores[run.arm, one], metric) for one in changed))
    return StudyReport(
        study,
        form,
        tuple(runs),
        tuple(scores.values()),
        tuple(tests),
        tuple(drops),
        tuple(gain for other in others for gain in compare_arms(first, other, TESTED)),
        # What a condition leaves out of an ablation is not the same in every arm.
        tuple(counts for other in others for counts in count_conflicts(first, other) if not base),
        {run.arm: count_misplaced(run) for run in runs if run.header.model != "extractive"},
    )


def study_blocks(report: StudyReport) -> Iterator[Block]:
    """The whole report."""
    yield Heading(1, report.form.title)
    yield Text(report.form.explanation)
    yield from _warning_blocks(report)
    yield Heading(3, "Figures by condition")
    yield from map(Picture, _draw_curves(report))
    yield _figure_table(report.conditions, report.form.metrics)
    if report.relative_drops:
        yield Text("What is lost by the change, over the cases of its condition:")
        yield Table(("arm", "condition", "metric", "without it", "with it", "relative drop"), report.relative_drops)
    yield from _test_blocks(report)
    if report.conflicts:
        yield Text("Answers that found a conflict in what was read, against those of the first arm to the same:")
        rows = [
            (
                *(one.other, one.condition or "all", Part(one.resolved, one.conflicts)),
                *(one.wins, one.ties, one.losses, ", ".join(one.missing)),
            )
            for one in report.conflicts
        ]
        yield Table(("arm", "condition", "right all the same", "wins", "ties", "losses", "not in the first arm"), rows)
    if changed := [row for run in report.runs for row in _list_changed(run, report.form.base)]:
        yield Heading(3, "Cases to read")
        yield Table(("arm", "case", "condition", "label", "facts lost"), changed[:MAX_LISTED])
        if len(changed) > MAX_LISTED:
            yield Text(f"{len(changed) - MAX_LISTED:,} more are in the files.")
    yield from _setup_blocks(report.runs)


def _warning_blocks(report: StudyReport) -> Iterator[Block]:
    """What a reader has to know before any figure: what failed, was left out, fitted, is too little, or goes wrong."""
    for run in report.runs:
        if failures := run.failures:
            case, reason = next(iter(failures.items()))
            counted = f"{run.arm}: {len(failures):,} answers failed; they count as not right."
            yield Text(f"{counted} The first: {case}, {reason[:200]}", True)
        if absent := [condition for condition in run.header.conditions if condition not in run.conditions]:
            yield Text(f"{run.arm}: no case could be asked so: {', '.join(absent)}.")
    header = report.runs[0].header
    cases = {record.case: record for record in report.runs[0].records.values()}
    if reasons := list(header.left_out.values()):
        named = "; ".join(f"{reasons.count(reason):,}: {reason}" for reason in sorted({*reasons}))
        yield Text(f"Of {len(reasons) + len(cases):,} cases {len(reasons):,} are not asked ({named}).", True)
    if fitted := list_fitted(str(header.data["name"]), cases.values()):
        named = ", ".join(f"{one.what} ({one.script})" for one in fitted)
        less = "Expect less on data that was never seen."
        yield Text(f"On cases of this set these were fitted: {named}. {less}", True)
    if len(cases) < FEW_CASES:
        yield Text(f"{len(cases):,} cases are few: read the intervals, not the figures.", True)
    for one in report.conditions:
        silent = one.find_figure("abstention")
        if "distractors" in one.condition and silent.part < silent.of:
            answered = f"{silent.of - silent.part:,} of {silent.of:,} cases are answered"
            yield Text(f"{one.arm}: from {one.condition} {answered}.", True)
    accuracies = [(f"{one.arm}, {one.condition}", one.find_figure("answer_accuracy")) for one in report.conditions]
    if below := [name for name, figure in accuracies if figure.standing == "below"]:
        yield Text(f"Accuracy is below its floor: {'; '.join(below)}.", True)
    for run in report.runs:
        if mapped := [record.mapped for record in run.records.values() if record.mapped is not None]:
            yield Text(f"{run.arm}: {sum(mapped):,} of {len(mapped):,} contexts were read in parts.")
        if count := report.misplaced.get(run.arm):
            yield Text(f"{run.arm}: before {count:,} answers the documents were not where they were to be.", True)


def _draw_curves(report: StudyReport) -> Iterator[str]:
    """A picture for each metric and size: shares by the place of the gold document, and what they lie between."""
    for metric in (*TESTED, report.form.tested):
        known = {(one.arm, one.condition): one.find_figure(metric) for one in report.conditions}
        levels = {
            f"{arm}: {condition}": it.value
            for (arm, condition), it in known.items()
            if condition in ("gold alone", "nothing") and it.value is not None
        }
        alone = [it for (_, condition), it in known.items() if condition == "gold alone" and it.value is not None]
        levels |= {it.floor_name: it.floor for it in alone if it.floor is not None}
        for size in list_places(report.runs[0]):
            curves = {
                run.arm: [
                    Point(percent, it.value, it.low, it.high)
                    for condition, percent in list_places(run).get(size, {}).items()
                    if (it := known[run.arm, condition]).value is not None
                ]
                for run in report.runs
            }
            if drawn := {arm: points for arm, points in curves.items() if points}:
                title = f"{metric} by the place of the gold document among {size}, with 95 % intervals"
                axes = ("place of the gold document, %", metric)
                yield draw_series(title, axes, drawn, levels=levels, line=True, x_range=(-5, 105))


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


def _figure_table(scores: Sequence[ConditionScore], metrics: Sequence[str]) -> Table:
    """A row for each metric, arm and condition, in this order; none of a metric that applies to nothing here."""
    header = ("metric", "arm", "condition", "value", "95 %", "cases or facts", "floor", "reached by", "against it")
    rows = [
        (
            *(metric, one.arm, one.condition, it.value, Interval(it.low, it.high), Part(it.part, it.of)),
            *(it.floor, it.floor_name, it.standing),
        )
        for metric in metrics
        if any(one.find_figure(metric).value is not None for one in scores)
        for one in scores
        if (it := one.find_figure(metric)) in one.figures
    ]
    return Table(header, rows)


def _test_blocks(report: StudyReport) -> Iterator[Block]:
    """Cochran's Q over all conditions, each against the first, and each arm against the first over all places."""
    if together := [
        (test.arm, test.metric, one.value, len(test.against_first) + 1, one.items, Chance(one.p))
        for test in report.tests
        if (one := test.cochran)
    ]:
        yield Text("All conditions together (Cochran; p by exchanging the conditions of a case 10,000 times):")
        yield Table(("arm", "metric", "Q", "conditions", "cases", "p"), together)
    contrasts = [(test.arm, test.metric, one.other, one) for test in report.tests for one in test.against_first]
    contrasts += [(one.contrast.other, one.metric, f"mean over {one.size}", one.contrast) for one in report.arms]
    rows = [
        (
            *(arm, metric, condition, one.base, Signed(one.difference.mean)),
            Interval(one.difference.low, one.difference.high, signed=True),
            *((one.shares.only_other, one.shares.only_base) if one.shares else (None, None)),
            *(one.cases, Chance(one.p), Chance(one.adjusted)),
        )
        for arm, metric, condition, one in contrasts
    ]
    if rows:
        names = ("arm", "metric", "condition", "against", "difference", "95 %", "only here", "only there", "cases")
        yield Table((*names, "p", "p (Holm)"), rows)


def _setup_blocks(runs: Sequence[StudyRun]) -> Iterator[Block]:
    """Of what data, libraries, models and settings the figures are."""
    header, data = runs[0].header, runs[0].header.data
    yield Heading(3, "What was asked, and of what")
    parameters = ", ".join(f"{name} {value}" for name, value in header.parameters.items() if value)
    yield Text(
        f"{data['name']} (form {data['form']}, sha256 {data['sha256']}): {data['asked']:,} of {data['recorded']:,} "
        f"cases, seed {data['seed']}; {parameters}."
    )
    golds = Counter({one.case: one.gold for one in runs[0].records.values() if one.gold}.values())
    if golds:
        yield Text(f"Known answers: {', '.join(f'{number:,} {answer}' for answer, number in golds.most_common())}.")
    sources = ", ".join(f"{one.name} ({one.documents:,} documents, {one.sha256 or '–'})" for one in header.sources)
    yield Text(f"Documents: {sources or 'none'}. What has no pattern is judged by {header.judge}.")
    for run in runs:
        settings = "; ".join(f"{name}={value}" for name, value in run.header.settings.items())
        seconds = sum(record.seconds for record in run.records.values())
        calls = sum(record.calls for record in run.records.values())
        yield Text(f"{run.arm}: {run.header.model}, {seconds:,.1f} seconds, {calls:,} calls. {settings}")
