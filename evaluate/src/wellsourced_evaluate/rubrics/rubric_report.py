"""What grading by rubrics came to, for people: what a reader could be misled by first, then the worst first."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args

from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)
from wellsourced_evaluate.rubrics.grader_check import GraderCheck
from wellsourced_evaluate.rubrics.graders import CriterionGrade, GradeOutcome
from wellsourced_evaluate.rubrics.rubric_figures import RubricContrast, RubricFigures, list_grades
from wellsourced_evaluate.rubrics.rubric_files import RubricCriterion, RubricSet
from wellsourced_evaluate.rubrics.rubric_scores import ClippedMean

TITLE = "Answers graded by rubrics"

FEW_CASES = 100
"""Conversations below which differences of five points are not seen."""

MAX_LISTED = 20
"""Criteria of an arm that are named one by one."""


class RubricReport(NamedTuple):
    """All arms on one set, how they compare with the first, and what the grader reached against physicians."""

    data: RubricSet
    figures: Sequence[RubricFigures]
    contrasts: Sequence[RubricContrast]
    checks: Sequence[GraderCheck]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "data": self.data.file.to_json(len(self.data.cases)),
            "grader": self.figures[0].run.header.grader,
            "grader_is_language_model": self.figures[0].run.header.is_model,
            "grader_checks": [one.model_dump(mode="json") for one in self.checks],
            "arms": [one.to_json(self.data) for one in self.figures],
            "contrasts": [one.to_json() for one in self.contrasts],
        }


def build_rubric_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    """The whole report."""
    yield ReportHeading(1, TITLE)
    yield from _grader_blocks(told)
    yield from _warning_blocks(told)
    yield from _score_blocks(told)
    yield from _tag_blocks(told)
    yield from _outcome_blocks(told)
    yield from _contrast_blocks(told)
    yield from _criterion_blocks(told)
    yield from _setup_blocks(told)


def _grader_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    header = told.figures[0].run.header
    if header.is_model:
        yield ReportText(f"Graded by {header.grader}, one criterion at a time, with a prompt of our own.")
    else:
        yield ReportText(
            f"These are not HealthBench's scores: {header.grader} stands in for its grader, which is a language model. "
            "It judges criteria that are plain statements (“States that …”) and leaves out all others.",
            True,
        )
    for one in told.checks:
        of = f"{one.completions:,} completions of {one.file}"
        if one.macro_f1 is None:
            reason = "it says only one of the two"
            yield ReportText(f"Against physicians on {of} its macro F1 is not defined: {reason}.", True)
        else:
            yield ReportText(
                f"Against physicians on {of} its macro F1 is {one.macro_f1:.3f} ({format_interval(one.low, one.high)}; "
                f"physicians among each other {format_decimal(one.physicians)}, chance 0.500; "
                f"{one.ungraded:,} not graded)."
            )
    if not told.checks:
        yield ReportText(
            "How far this grader agrees with physicians is not known here: `wellsourced evaluate grader` measures it.",
            True,
        )


def _warning_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    for one in told.figures:
        arm = one.run.header.arm
        counts = {name: sum(signs[name] for signs in one.outcomes.values()) for name in get_args(GradeOutcome)}
        every = sum(counts.values())
        for name, what in (
            ("unparsed", "grades could not be read"),
            ("failed", "criteria have no grade"),
            ("unsuited", "criteria are none that this grader can judge"),
        ):
            if counts[name]:
                yield ReportText(f"{arm}: {counts[name]:,} of {every:,} {what}; they count neither way.", True)
        if failed := sum(answer.status == "failed" for answer in one.run.answers.values()):
            yield ReportText(f"{arm}: {failed:,} conversations were not answered; they meet nothing.", True)
    if len(told.data.cases) < FEW_CASES:
        yield ReportText(f"{len(told.data.cases):,} conversations are few: read the intervals, not the figures.", True)


def _score_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    yield ReportHeading(2, "Scores")
    yield ReportText(
        "The mean over conversations, clipped to 0–1; intervals are 95 % (bootstrap over conversations), std is the "
        "bootstrap's, as HealthBench gives it. Floors: silence, and one answer given to every other conversation."
    )
    rows: list[Sequence[str]] = []
    for one in sorted(told.figures, key=lambda one: (one.total.mean is None, one.total.mean, one.partial.mean)):
        arm = one.run.header.arm
        rows.append(("rubric_score", arm, *_mean_cells(one.total)))
        if one.total.undefined:
            rows.append(("rubric_score_partial", arm, *_mean_cells(one.partial)))
        rows += [("floor", f"{arm}: {floor}", *_mean_cells(mean)) for floor, mean in one.floors.items()]
    yield ReportTable(("metric", "arm", "mean", "95 %", "std", "conversations"), rows)
    for one in told.figures:
        if one.total.undefined:
            low, high = one.bounds
            yield ReportText(
                f"{one.run.header.arm}: whatever the criteria without a grade would be, the score over all "
                f"conversations lies between {low:.3f} and {high:.3f}."
            )
        if not one.floors:
            yield ReportText(
                f"{one.run.header.arm}: whoever says nothing and is found at no fault has 0; --floors grades that, and "
                "one answer given to all."
            )


def _tag_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    rows = [
        (tag.name, one.run.header.arm, tag.kind, *_mean_cells(mean))
        for one in told.figures
        for tag, mean in one.tags.items()
        if mean.cases
    ]
    if rows:
        yield ReportHeading(2, "By tag, the worst first")
        rows.sort(key=lambda row: float(row[3]))
        yield ReportTable(("tag", "arm", "of", "mean", "95 %", "std", "conversations"), rows)


def _outcome_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    yield ReportHeading(2, "What became of the criteria")
    outcomes = get_args(GradeOutcome)
    rows = [
        (one.run.header.arm, sign, *(f"{counts[name]:,}" for name in outcomes), f"{sum(counts.values()):,}")
        for one in told.figures
        for sign, counts in one.outcomes.items()
    ]
    yield ReportTable(("arm", "points are for", *outcomes, "all"), rows)
    statuses = ("answered", "abstained", "failed")
    cells = []
    for one in told.figures:
        counted = [str(answer.status) for answer in one.run.answers.values()]
        cells.append((one.run.header.arm, *(f"{counted.count(name):,}" for name in statuses), f"{len(counted):,}"))
    yield ReportTable(("arm", *(f"conversations {name}" for name in statuses), "all"), cells)


def _contrast_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    if told.contrasts:
        yield ReportHeading(2, f"Against {told.contrasts[0].base}, conversation by conversation")
    for one in told.contrasts:
        gain = one.difference
        yield ReportText(
            f"{one.other}: {gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}) over {one.cases:,} conversations; "
            f"randomisation p {one.p:.4f}."
        )


def _criterion_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    """What nobody could read, then what cost most points: faults that were found, and what is wanted and lacking."""
    rows = []
    for figures in told.figures:
        for case in told.data.cases:
            for one, grade in zip(case.rubrics, list_grades(figures.run, case), strict=True):
                if what := _describe_loss(one, grade):
                    cells = (figures.run.header.arm, case.prompt_id, what, f"{one.points:g}")
                    rank = (what not in ("unparsed", "failed"), -abs(one.points))
                    rows.append((rank, (*cells, one.criterion[:200], grade.explanation[:200])))
    if not rows:
        return
    rows.sort(key=lambda row: row[0])
    yield ReportHeading(2, "Criteria to read, the dearest first")
    yield ReportTable(
        ("arm", "conversation", "what", "points", "criterion", "why"), [row for _, row in rows[:MAX_LISTED]]
    )
    if len(rows) > MAX_LISTED:
        yield ReportText(f"{len(rows) - MAX_LISTED:,} more are in the files of the runs.")


def _describe_loss(one: RubricCriterion, grade: CriterionGrade) -> str:
    """Why somebody should read it; "" where nothing was lost."""
    if grade.is_met is None:
        return "" if grade.outcome == "unsuited" else grade.outcome
    if grade.is_met is (one.points < 0):
        return "fault" if grade.is_met else "lacks"
    return ""


def _setup_blocks(told: RubricReport) -> Iterator[ReportBlock]:
    file = told.data.file
    yield ReportHeading(2, "What was graded")
    asked = f"{len(told.data.cases):,} of {file.recorded:,} conversations, seed {file.seed}"
    yield ReportText(f"{file.name} (sha256 {file.sha256}): {asked}.")
    rows = []
    for one in told.figures:
        header = one.run.header
        sources = ", ".join(f"{source.name} ({source.documents:,} documents)" for source in header.sources)
        settings = "; ".join(f"{name}={value}" for name, value in header.settings.items())
        rows.append((header.arm, header.answers, header.model, sources, settings, header.wellsourced, header.code))
    yield ReportTable(("arm", "answers", "model", "searched", "settings", "version", "code"), rows)


def _mean_cells(mean: ClippedMean) -> tuple[str, str, str, str]:
    cases = f"{mean.cases:,} of {mean.cases + mean.undefined:,}"
    return format_decimal(mean.mean), format_interval(mean.low, mean.high), format_decimal(mean.bootstrap_std), cases
