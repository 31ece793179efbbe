"""Tables that the reports of all studies have: figures by condition, tests against the first, what went wrong."""

from collections.abc import Iterator, Sequence

from wellsourced_evaluate.contexts.condition_scores import ConditionScore, ConditionTests
from wellsourced_evaluate.contexts.study_file import StudyRun
from wellsourced_evaluate.questions.answer_run import OUTCOMES
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)

FEW_CASES = 100
"""Below so many, differences of five points are not seen."""

MAX_LISTED = 20
"""Cases that are named one by one."""


def warning_blocks(runs: Sequence[StudyRun]) -> Iterator[ReportBlock]:
    """What a reader has to know before any figure: what failed, was left out, fitted, or is too little."""
    for run in runs:
        if run.failures:
            yield ReportText(f"{run.arm}: {len(run.failures):,} answers failed; they count as not right.", True)
    header = runs[0].header
    asked = {case for _, case in runs[0].records}
    if header.left_out:
        reasons = sorted({*header.left_out.values()})
        told = "; ".join(f"{list(header.left_out.values()).count(one):,}: {one}" for one in reasons)
        every = len(header.left_out) + len(asked)
        yield ReportText(f"Of {every:,} cases {len(header.left_out):,} are not asked ({told}).", True)
    cases = {one.case: one for one in runs[0].records.values()}.values()
    if fitted := list_fitted(str(header.data["name"]), cases):
        told = ", ".join(f"{one.what} ({one.script})" for one in fitted)
        yield ReportText(
            f"On cases of this set these were fitted: {told}. Less is to be expected of data that nobody has seen.",
            True,
        )
    if len(asked) < FEW_CASES:
        yield ReportText(f"{len(asked):,} cases are few: read the intervals, not the figures.", True)


def figure_table(scores: Sequence[ConditionScore], metrics: Sequence[str]) -> ReportTable:
    """A row for each arm, condition and metric, in this order; none of a metric that applies to nothing here."""
    applied = {figure.metric for one in scores for figure in one.figures if figure.value is not None}
    rows = [
        (
            *(metric, one.arm, one.condition, format_decimal(figure.value), format_interval(figure.low, figure.high)),
            f"{figure.part:,} of {figure.of:,}",
            f"{format_decimal(figure.floor)} ({figure.floor_name})" if figure.floor is not None else "none known",
            figure.standing,
        )
        for metric in metrics
        if metric in applied
        for one in scores
        if (figure := one.find_figure(metric)) is not None
    ]
    return ReportTable(("metric", "arm", "condition", "value", "95 %", "cases or facts", "floor", "against it"), rows)


def outcome_table(scores: Sequence[ConditionScore]) -> ReportTable:
    """What became of the cases, by condition."""
    statuses = ("answered", "abstained", "failed")
    rows = [
        (
            *(one.arm, one.condition),
            *(f"{one.statuses.get(name, 0):,}" for name in statuses),
            *(f"{one.outcomes[name]:,}" if one.outcomes else "–" for name in OUTCOMES[:3]),
            f"{one.cases:,}",
        )
        for one in scores
    ]
    return ReportTable(("arm", "condition", *statuses, *OUTCOMES[:3], "all"), rows)


def contrast_blocks(tests: Sequence[ConditionTests]) -> Iterator[ReportBlock]:
    """Cochran's Q over all conditions, and each against the first."""
    for one in tests:
        if one.together and one.together.q is not None and one.together.p is not None:
            told = one.together
            yield ReportText(
                f"{one.arm}, {one.metric}: Cochran's Q {told.q:.2f} over {told.conditions} conditions, "
                f"{told.cases:,} cases, p {told.p:.4f} (conditions of a case exchanged 10,000 times)."
            )
        elif one.together:
            yield ReportText(
                f"{one.arm}, {one.metric}: the same under all {one.together.conditions} conditions in each of "
                f"{one.together.cases:,} cases."
            )
    rows = [
        (
            *(one.arm, one.metric, told.other, told.base, f"{told.difference.mean:+.3f}"),
            f"{told.difference.low:+.3f} to {told.difference.high:+.3f}",
            f"{told.shares.only_other:,} / {told.shares.only_base:,}" if told.shares else "–",
            f"{told.cases:,}",
            f"{told.p:.4f}",
            f"{told.adjusted:.4f}",
        )
        for one in tests
        for told in one.contrasts
    ]
    if rows:
        head = ("arm", "metric", "condition", "against", "difference", "95 %", "only here / only there", "cases")
        yield ReportTable((*head, "p", "p (Holm)"), rows)


def failure_blocks(runs: Sequence[StudyRun]) -> Iterator[ReportBlock]:
    """Answers that failed, with their reasons."""
    rows = [(run.arm, name, reason[:200]) for run in runs for name, reason in run.failures.items()]
    if rows:
        yield ReportHeading(3, "What failed")
        yield ReportTable(("arm", "case", "reason"), rows[:MAX_LISTED])
    if len(rows) > MAX_LISTED:
        yield ReportText(f"{len(rows) - MAX_LISTED:,} more are in the files.")


def setup_blocks(runs: Sequence[StudyRun]) -> Iterator[ReportBlock]:
    """Of what data, libraries, models and code the figures are."""
    header = runs[0].header
    data = header.data
    yield ReportHeading(3, "What was asked, and of what")
    parameters = ", ".join(f"{name} {value}" for name, value in header.parameters.items() if value)
    yield ReportText(
        f"{data['name']} (form {data['form']}, sha256 {data['sha256']}): {data['asked']:,} of {data['recorded']:,} "
        f"cases, seed {data['seed']}; {parameters}."
    )
    sources = ", ".join(
        f"{one.name} ({one.documents:,} documents, sha256 {one.sha256 or '–'})" for one in header.sources
    )
    yield ReportText(f"Documents: {sources or 'none'}. What has no pattern is judged by {header.judge}.")
    rows = []
    for one in runs:
        records = one.records.values()
        seconds, calls = sum(it.seconds for it in records), sum(it.calls for it in records)
        settings = "; ".join(f"{name}={value}" for name, value in one.header.settings.items()) or "as they come"
        told = (one.header.wellsourced, one.header.code, settings)
        rows.append((one.arm, one.header.model, *told, f"{seconds:,.1f}", f"{calls:,}"))
    yield ReportTable(("arm", "model", "version", "code", "settings", "seconds", "calls"), rows)
