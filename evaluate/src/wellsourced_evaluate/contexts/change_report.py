"""What a change does to answers: how many stay as they are without it, and what that does to how good they are."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.contexts.condition_blocks import (
    MAX_LISTED,
    contrast_blocks,
    failure_blocks,
    figure_table,
    outcome_table,
    setup_blocks,
    warning_blocks,
)
from wellsourced_evaluate.contexts.condition_scores import (
    ConditionScore,
    ConditionTests,
    compare_conditions,
    score_condition,
    share_of_cases,
    study_to_json,
)
from wellsourced_evaluate.contexts.study_file import ConditionRecord, StudyRun, require_same_contexts
from wellsourced_evaluate.plot import ArmShare, draw_arms
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportPicture,
    ReportTable,
    ReportText,
    format_decimal,
)
from wellsourced_evaluate.statistics import average_cases, pool_cases

CHANGE_METRICS = ("same_label", "same_lead", "same_facts", "shared_works", "statements_kept")
METRICS = (*CHANGE_METRICS, "answer_accuracy", "coverage", "facts_said", "abstention")
TESTED = ("answer_accuracy", "facts_said", "abstention")


class ChangeReport(NamedTuple):
    """Everything that is told of such a study; `base` is the condition without a change."""

    study: str
    title: str
    base: str
    runs: tuple[StudyRun, ...]
    scores: tuple[ConditionScore, ...]
    tests: tuple[ConditionTests, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "study": self.study,
            "base": self.base,
            **study_to_json(self.runs, self.scores, self.tests),
            "relative_drops": [one._asdict() for one in list_drops(self)],
        }


class RelativeDrop(NamedTuple):
    """How much of a figure is lost by a change: (without it - with it) / without it; None of 0."""

    arm: str
    condition: str
    metric: str
    base: float
    other: float
    drop: float | None


def report_changes(study: str, title: str, base: str, runs: Sequence[StudyRun]) -> ChangeReport:
    """Score every condition of every arm against the one without a change."""
    require_same_contexts(runs)
    scores, tests = [], []
    for run in runs:
        for condition in list_asked(run):
            plain = score_condition(run, condition)
            figures = compare_with_base(run, base, condition) if condition != base else ()
            scores.append(plain._replace(figures=(*figures, *plain.figures)))
        tests += [
            found
            for metric in TESTED
            if (found := compare_conditions(run, list_asked(run), metric, with_cochran=False))
        ]
    return ChangeReport(study, title, base, tuple(runs), tuple(scores), tuple(tests))


def list_asked(run: StudyRun) -> list[str]:
    """The conditions under which any case was asked."""
    return [one for one in run.conditions if run.select_condition(one)]


def compare_with_base(run: StudyRun, base: str, condition: str) -> tuple[AnswerFigure, ...]:
    """What stays as it is without the change, over the cases to which each figure applies."""
    before = run.select_condition(base)
    pairs = [(before[case], one) for case, one in run.select_condition(condition).items() if case in before]
    pairs = [(one, two) for one, two in pairs if "failed" not in (one.status, two.status)]
    labelled = [(one, two) for one, two in pairs if one.label]
    leading = [(one, two) for one, two in pairs if one.lead_cited]
    marked = [(one, two) for one, two in pairs if one.marks]
    shared = average_cases([share_works(one, two) for one, two in pairs])
    kept = [(two.kept, len(one.statements)) for one, two in pairs if two.kept is not None]
    pooled = pool_cases(kept)
    return (
        _share("same_label", labelled, lambda one, two: one.label == two.label),
        _share("same_lead", leading, lambda one, two: {*one.lead_cited} == {*two.lead_cited}),
        _share("same_facts", marked, lambda one, two: [it.said for it in one.marks] == [it.said for it in two.marks]),
        AnswerFigure("shared_works", shared.mean, shared.low, shared.high, shared.cases, len(pairs)),
        AnswerFigure("statements_kept", pooled.share, pooled.low, pooled.high, pooled.part, pooled.whole),
    )


def share_works(one: ConditionRecord, other: ConditionRecord) -> float | None:
    """Documents that both cite, of those that either cites (Jaccard); None when neither cites any."""
    either = {*one.cited} | {*other.cited}
    return len({*one.cited} & {*other.cited}) / len(either) if either else None


RecordPair = tuple[ConditionRecord, ConditionRecord]


def _share(
    metric: str, pairs: Sequence[RecordPair], is_so: Callable[[ConditionRecord, ConditionRecord], bool]
) -> AnswerFigure:
    same = {two.case for one, two in pairs if is_so(one, two)}
    return share_of_cases(metric, [two for _, two in pairs], lambda one: one.case in same)


def list_drops(told: ChangeReport) -> list[RelativeDrop]:
    """What is lost of accuracy and of facts, over all cases of the condition and the same cases without the change."""
    found = []
    for one in told.tests:
        if one.metric == "abstention":
            continue
        for contrast in one.contrasts:
            run = next(run for run in told.runs if run.arm == one.arm)
            both = run.select_condition(contrast.other).keys()
            base, other = (
                score_condition(_only_cases(run, name, both), name).find_figure(one.metric)
                for name in (told.base, contrast.other)
            )
            if base and other and base.value is not None and other.value is not None:
                drop = (base.value - other.value) / base.value if base.value else None
                found.append(RelativeDrop(one.arm, contrast.other, one.metric, base.value, other.value, drop))
    return found


def _only_cases(run: StudyRun, condition: str, cases: Collection[str]) -> StudyRun:
    kept = {key: one for key, one in run.records.items() if key[0] == condition and key[1] in cases}
    return run._replace(records=kept)


def change_blocks(told: ChangeReport, explanation: str) -> Iterator[ReportBlock]:
    """The whole report: the condition under which least stays the same comes first."""
    yield ReportHeading(1, told.title)
    yield ReportText(explanation)
    yield from warning_blocks(told.runs)
    for run in told.runs:
        if absent := [one for one in run.conditions if one not in list_asked(run)]:
            yield ReportText(f"{run.arm}: no case could be asked so: {', '.join(absent)}.")
    ordered = sorted(told.scores, key=_least_same)
    yield ReportHeading(3, "What stays the same, the least first")
    yield figure_table([one for one in ordered if one.condition != told.base], CHANGE_METRICS)
    for metric in ("same_lead", "statements_kept"):
        shares = [
            ArmShare(_name_row(one, told), figure.value, figure.low, figure.high, None)
            for one in ordered
            if (figure := one.find_figure(metric)) and figure.value is not None
            if figure.low is not None and figure.high is not None
        ]
        if shares:
            yield ReportPicture(draw_arms(f"{metric} with 95 % intervals", shares))
    yield ReportHeading(3, "How good the answers are")
    yield figure_table(told.scores, METRICS[len(CHANGE_METRICS) :])
    drops = [
        (
            one.arm,
            one.metric,
            one.condition,
            format_decimal(one.base),
            format_decimal(one.other),
            format_decimal(one.drop),
        )
        for one in list_drops(told)
    ]
    if drops:
        yield ReportText("What is lost by the change, over the cases of its condition:")
        yield ReportTable(("arm", "metric", "condition", "without it", "with it", "relative drop"), drops)
    yield from contrast_blocks(told.tests)
    yield ReportHeading(3, "What became of the cases")
    yield outcome_table(told.scores)
    yield from _list_changed(told)
    yield from failure_blocks(told.runs)
    yield from setup_blocks(told.runs)


def _least_same(score: ConditionScore) -> float:
    values = [figure.value for figure in score.figures if figure.metric in CHANGE_METRICS and figure.value is not None]
    return min(values, default=1.0)


def _name_row(score: ConditionScore, told: ChangeReport) -> str:
    return f"{score.arm}: {score.condition}" if len(told.runs) > 1 else score.condition


def _list_changed(told: ChangeReport) -> Iterator[ReportBlock]:
    """Cases that no longer say what they said: another label, nothing, or facts lost."""
    rows = []
    for run in told.runs:
        base = run.select_condition(told.base)
        for (condition, case), one in run.records.items():
            before = base.get(case)
            if before is None or condition == told.base or "failed" in (one.status, before.status):
                continue
            lost = [mark.fact for mark, now in zip(before.marks, one.marks, strict=True) if mark.said and not now.said]
            label = f"{before.label or before.status} → {one.label or one.status}"
            if before.label != one.label or before.status != one.status or lost:
                rows.append((run.arm, case, condition, label, "; ".join(lost)[:200]))
    if rows:
        yield ReportHeading(3, "Cases to read")
        yield ReportTable(("arm", "case", "condition", "label", "facts lost"), rows[:MAX_LISTED])
    if len(rows) > MAX_LISTED:
        yield ReportText(f"{len(rows) - MAX_LISTED:,} more are in the files.")
