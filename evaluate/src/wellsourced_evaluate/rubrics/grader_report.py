"""What a grader reached against physicians' votes, for people: the worst category first, and what can be expected."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)
from wellsourced_evaluate.rubrics.grader_agreement import CHANCE, AgreementFigures
from wellsourced_evaluate.rubrics.grader_check import CheckedGrader
from wellsourced_evaluate.rubrics.graders import GradeOutcome
from wellsourced_evaluate.rubrics.rubric_files import VoteSet

MAX_LISTED = 10
"""Completions that are named one by one."""


def build_grader_blocks(data: VoteSet, found: CheckedGrader) -> Iterator[ReportBlock]:
    """The whole report."""
    told = found.agreement
    counts = count_outcomes(found)
    yield ReportHeading(1, "A grader against physicians")
    yield ReportText(f"{found.grader} on {data.file.name} (sha256 {data.file.sha256}), "
                     f"{len(data.cases):,} of {data.file.recorded:,} completions, seed {data.file.seed}.")  # fmt: skip
    if told.overall.ungraded:
        named = ", ".join(
            f"{count:,} {name}" for name, count in counts.items() if name not in ("met", "unmet") and count
        )
        yield ReportText(
            f"{told.overall.ungraded:,} of {len(data.cases):,} completions have no grade ({named}): they are in no "
            "figure of the grader.",
            True,
        )
    yield ReportText(
        "Macro F1 is the mean F1 of met and not met over pairs of a label and one physician's vote, as HealthBench's "
        "meta-evaluation counts it; not defined where one of the two is never said. Intervals are 95 % (bootstrap over "
        f"conversations). By chance, at the physicians' own rate, it is {CHANCE}."
    )
    rows = [_figure_cells(name, one) for name, one in told.categories.items()]
    yield ReportTable(
        ("category", "grader_macro_f1", "95 %", "F1 met", "F1 not met", "grader_agreement", "pairs", "always one",
         "physician_macro_f1", "each physician", "completions"),
        [*rows, _figure_cells("all together", told.overall)],
    )  # fmt: skip
    mean = told.mean_of_categories
    yield ReportText(
        f"Mean over categories, each as heavy as the others: {format_decimal(mean.mean)} "
        f"({mean.cases:,} of {mean.cases + mean.undefined:,} categories)."
    )
    yield from _disagreement_blocks(data, found)


def grader_to_json(data: VoteSet, found: CheckedGrader) -> dict[str, Any]:
    """Everything, for programs; completions first, by their lines."""
    return {
        "grader": found.grader,
        "data": data.file.to_json(len(data.cases)),
        "results": str(found.path),
        "completions": [
            {"line": line, "category": data.cases[line].category, "votes": list(data.cases[line].binary_labels)}
            | grade._asdict()
            for line, grade in sorted(found.grades.items())
        ],
        "outcomes": dict(count_outcomes(found)),
        "overall": found.agreement.overall.to_json(),
        "categories": {name: one.to_json() for name, one in found.agreement.categories.items()},
        "mean_of_categories": found.agreement.mean_of_categories.to_json(),
        "chance": CHANCE,
    }


def count_outcomes(found: CheckedGrader) -> dict[str, int]:
    """How many completions came to what."""
    counts = Counter(one.outcome for one in found.grades.values())
    return {name: counts[name] for name in get_args(GradeOutcome)}


def _figure_cells(name: str, one: AgreementFigures) -> tuple[str, ...]:
    grader, each = one.grader, one.each_physician
    return (
        name,
        format_decimal(grader.value),
        format_interval(grader.low, grader.high),
        format_decimal(grader.f1_met),
        format_decimal(grader.f1_unmet),
        format_decimal(grader.agreement),
        f"{grader.pairs:,}",
        format_decimal(max(one.met_share, 1 - one.met_share)),
        format_decimal(one.physicians.value),
        f"{format_decimal(each.mean)} ({each.cases:,})" if each else "not known",
        f"{one.completions:,} of {one.completions + one.ungraded:,}",
    )


def _disagreement_blocks(data: VoteSet, found: CheckedGrader) -> Iterator[ReportBlock]:
    """Completions of which every physician says the opposite."""
    rows = []
    for line, grade in sorted(found.grades.items()):
        case = data.cases[line]
        votes = set(case.binary_labels)
        if len(case.binary_labels) > 1 and grade.is_met is not None and votes == {not grade.is_met}:
            rows.append((f"{line}", case.category, grade.outcome, case.rubric[:200], grade.explanation[:200]))
    if rows:
        yield ReportHeading(2, "Where all physicians say the opposite")
        yield ReportTable(("line", "category", "grader", "criterion", "why"), rows[:MAX_LISTED])
        if len(rows) > MAX_LISTED:
            yield ReportText(f"{len(rows) - MAX_LISTED:,} more are in {found.path.name}.")
