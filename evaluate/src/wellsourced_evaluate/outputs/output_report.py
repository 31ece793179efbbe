"""The report on recorded outputs: what is bad first, with floors, intervals and what each figure is of."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.outputs.output_scores import (
    ALL_SETS,
    ArmRank,
    OutputContrast,
    OutputScore,
    PublishedComparison,
    compare_published,
    contrast_outputs,
    rank_arms,
    score_outputs,
)
from wellsourced_evaluate.outputs.recorded_outputs import RecordedOutputs
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, measure_share
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)

FEW_QUESTIONS = 100
"""Below so many that two arms both answered, differences of ten points are not seen."""


class OutputReport(NamedTuple):
    """All that is told of a file of outputs.

    unparsed   over all arms
    forms      what outputs look like → how many do
    """

    data: RecordedOutputs
    unparsed: AnswerFigure
    forms: Counter[str]
    scores: tuple[OutputScore, ...]
    ranks: tuple[ArmRank, ...]
    contrasts: tuple[OutputContrast, ...]
    published: PublishedComparison | None

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs: each case too."""
        published = self.published
        return {
            **{"file": self.data.file, "sha256": self.data.sha256},
            **{"outputs": len(self.data.rows), "recorded_outputs": self.data.recorded},
            "unparsed": self.unparsed._asdict(),
            "forms": dict(self.forms.most_common()),
            "arms": [one.to_json() for one in self.scores],
            "ranks": [one._asdict() for one in self.ranks],
            "contrasts": [{**one._asdict(), "right": one.right._asdict()} for one in self.contrasts],
            "published": published
            and {**published._asdict(), "differences": [one._asdict() for one in published.differences]},
            "cases": [row.to_json() for row in self.data.rows],
        }


def build_output_report(data: RecordedOutputs) -> OutputReport:
    """Everything that can be said of these outputs."""
    scores = score_outputs(data.rows)
    silent = measure_share("unparsed", [(int(row.outcome == "unparsed"), 1) for row in data.rows])
    return OutputReport(
        data,
        silent,
        Counter(row.form for row in data.rows),
        tuple(scores),
        tuple(rank_arms(scores)),
        tuple(contrast_outputs(data.rows)),
        compare_published(data.rows),
    )


def output_blocks(told: OutputReport) -> Iterator[ReportBlock]:
    """The whole report."""
    yield ReportHeading(1, "Recorded outputs of multiple choice")
    drawn = f" of {told.data.recorded:,}, drawn with a fixed seed" if len(told.data.rows) < told.data.recorded else ""
    yield ReportText(
        f"{len(told.data.rows):,} outputs{drawn}, of {told.data.file} (sha256 {told.data.sha256}). Intervals are 95 %: "
        "bootstrap over groups of cases, Wilson's where all cases are alike. An output that chooses no option, or "
        "several, is unparsed: it is not right, and never counted as a letter."
    )
    low = [one for one in told.scores if one.accuracy.standing in ("below", "not told apart")]
    if low:
        named = "; ".join(f"{one.arm} on {one.dataset}" for one in low)
        yield ReportText(f"Not above the share of the commonest letter: {named}.", True)
    yield from _unparsed_blocks(told)
    yield from _score_blocks(told.scores)
    yield from _contrast_blocks(told)
    if told.published:
        yield from _published_blocks(told.published)


def _unparsed_blocks(told: OutputReport) -> Iterator[ReportBlock]:
    yield ReportHeading(2, "What outputs look like")
    figure = told.unparsed
    share = f"{format_decimal(figure.value)} ({format_interval(figure.low, figure.high)})"
    yield ReportText(f"Unparsed: {figure.part:,} of {figure.of:,}, {share}. {len(told.forms):,} forms:")
    yield ReportTable(("form", "outputs"), [(form, f"{count:,}") for form, count in told.forms.most_common()])


def _score_blocks(scores: Sequence[OutputScore]) -> Iterator[ReportBlock]:
    yield ReportHeading(2, "Accuracy by arm and set, the worst against its floor first")
    rows = []
    for one in sorted(scores, key=lambda score: score.accuracy.margin):
        accuracy, unparsed, decided = one.figures
        first = min(one.as_letter)
        rows.append(
            (
                *(one.arm, one.dataset, format_decimal(accuracy.value), format_interval(accuracy.low, accuracy.high)),
                f"{accuracy.part:,} of {accuracy.of:,}",
                f"{format_decimal(accuracy.floor)} ({accuracy.floor_name})",
                *(format_decimal(one.chance), accuracy.standing, f"{unparsed.part:,}"),
                f"{format_decimal(unparsed.value)} ({format_interval(unparsed.low, unparsed.high)})",
                *(
                    format_decimal(decided.value),
                    f"{format_decimal(one.as_letter[first])} (“{first}”)",
                    format_decimal(one.published),
                ),
            )
        )
    header = ("arm", "set", "accuracy", "95 %", "outputs", "commonest letter", "chance", "against it", "unparsed")
    more = ("share unparsed", "accuracy of the parsed", "if unparsed counted as a letter", "by recorded choices")
    yield ReportTable((*header, *more), rows)


def _contrast_blocks(told: OutputReport) -> Iterator[ReportBlock]:
    if told.ranks:
        yield ReportHeading(2, "Average rank")
        yield ReportText(
            f"By accuracy, over the {told.ranks[0].sets:,} sets on which all arms are recorded. Each arm is ranked by "
            "the outputs that are recorded of it: where these are of other questions, so is the rank."
        )
        cells = [(one.arm, f"{one.average_rank:.2f}", f"{one.low:.2f}–{one.high:.2f}") for one in told.ranks]
        yield ReportTable(("arm", "average_rank", "95 %"), cells)
    if not told.contrasts:
        return
    yield ReportHeading(2, "Arms over the same questions")
    yield ReportText("McNemar's exact p, as it is: several comparisons are not corrected for.")
    few = max(one.questions for one in told.contrasts) < FEW_QUESTIONS
    if few:
        yield ReportText("No two arms share a hundred questions: what is not told apart here may well differ.", True)
    rows = [
        (
            *(one.base, one.other, one.dataset, f"{one.questions:,}", f"{one.right.both:,}"),
            *(f"{one.right.only_base:,}", f"{one.right.only_other:,}", f"{one.right.neither:,}", f"{one.right.p:.4f}"),
        )
        for one in told.contrasts
        if one.dataset == ALL_SETS or one.questions >= FEW_QUESTIONS // 10
    ]
    header = ("first", "second", "set", "questions", "both right", "only first", "only second", "neither", "p")
    yield ReportTable(header, rows)


def _published_blocks(found: PublishedComparison) -> Iterator[ReportBlock]:
    yield ReportHeading(2, "Against the recorded choices")
    scored = f", {found.right[2]:,} as it was recorded to be right" if found.right[2] is not None else ""
    yield ReportText(
        f"The same choice, or none in both: {found.equal:,} of {found.compared:,}. Unparsed: {found.unparsed[0]:,} "
        f"here, {found.unparsed[1]:,} as recorded. Right: {found.right[0]:,} here, {found.right[1]:,} by the recorded "
        f"choice{scored}."
    )
    if found.differences:
        rows = [
            (one.id, one.choice or "none", one.published or "none", one.gold, one.manner, one.said)
            for one in found.differences
        ]
        yield ReportTable(("output", "read here", "recorded", "right", "how it chooses", "in its words"), rows)
