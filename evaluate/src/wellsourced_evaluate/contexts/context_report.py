"""What a study of contexts came to: what is bad first, then figures by condition, tests, the curve over places."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced_evaluate.contexts.arm_gains import ArmGain, ConflictCounts, compare_arms, count_conflicts, list_places
from wellsourced_evaluate.contexts.condition_blocks import (
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
from wellsourced_evaluate.contexts.curve import Curve, CurvePoint, Level, draw_curves
from wellsourced_evaluate.contexts.study_file import StudyRun, require_same_contexts
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportPicture,
    ReportText,
)

TITLE = "What stands around the passage that answers"

METRICS = ("answer_accuracy", "coverage", "facts_said", "gold_cited", "abstention", "decided_accuracy")
TESTED = ("answer_accuracy", "facts_said", "gold_cited")


class ContextReport(NamedTuple):
    """Everything that is told of a study of contexts.

    same_everywhere   of each arm and size, cases that are answered in the same words at every place
    misplaced         of each arm, answers whose writer was shown the gold document elsewhere than intended
    """

    runs: tuple[StudyRun, ...]
    scores: tuple[ConditionScore, ...]
    tests: tuple[ConditionTests, ...]
    gains: tuple[ArmGain, ...]
    conflicts: tuple[ConflictCounts, ...]
    same_everywhere: tuple[tuple[str, int, AnswerFigure], ...]
    misplaced: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "study": "contexts",
            **study_to_json(self.runs, self.scores, self.tests),
            "arms": [{**one._asdict(), "difference": one.difference._asdict()} for one in self.gains],
            "conflicts": [one._asdict() for one in self.conflicts],
            "same_words": [
                {"arm": arm, "documents": size, **figure._asdict()} for arm, size, figure in self.same_everywhere
            ],
            "misplaced": self.misplaced,
        }


def report_contexts(runs: Sequence[StudyRun]) -> ContextReport:
    """Score every condition of every arm. Raises SourceRefused when two arms were given different documents."""
    require_same_contexts(runs)
    scores = tuple(score_condition(run, one) for run in runs for one in run.conditions)
    tests = []
    for run in runs:
        for metric in TESTED:
            tests += [
                found
                for places in list_places(run).values()
                if (found := compare_conditions(run, list(places), metric)) is not None
            ]
    gains = [gain for other in runs[1:] for gain in compare_arms(runs[0], other, TESTED[:2])]
    conflicts = [told for other in runs[1:] if (told := count_conflicts(runs[0], other))]
    same = [told for run in runs for told in _count_same_words(run)]
    misplaced = {run.arm: _count_misplaced(run) for run in runs if run.header.model != "extractive"}
    return ContextReport(tuple(runs), scores, tuple(tests), tuple(gains), tuple(conflicts), tuple(same), misplaced)


def _count_same_words(run: StudyRun) -> Iterator[tuple[str, int, AnswerFigure]]:
    for size, places in list_places(run).items():
        by_place = [run.select_condition(one) for one in places]
        asked = [one for one in by_place[0].values() if all(one.case in of for of in by_place)]
        texts = {one.case: {(of[one.case].status, of[one.case].text) for of in by_place} for one in asked}
        yield run.arm, size, share_of_cases("same_words", asked, lambda one, texts=texts: len(texts[one.case]) == 1)  # type: ignore[misc]


def _count_misplaced(run: StudyRun) -> int:
    """Answers before which what was read stood in another order than it was given in."""
    return sum(
        list(one.read) != [id for id in one.given if id in one.read] or one.gold_document not in one.read
        for one in run.records.values()
        if one.gold_document in one.given and one.status != "failed"
    )


def context_blocks(told: ContextReport) -> Iterator[ReportBlock]:
    """The whole report."""
    yield ReportHeading(1, TITLE)
    yield ReportText(
        "Each case is answered from its gold document alone, from it at several places among documents that do not "
        "answer, from these alone, and, where a language model writes, from nothing. Intervals are 95 %: bootstrap "
        "over cases, Wilson's for cases that are so or not. A floor is what is reached without reading anything."
    )
    yield from warning_blocks(told.runs)
    yield from _bad_news(told)
    for arm, count in told.misplaced.items():
        if count:
            yield ReportText(f"{arm}: before {count:,} answers the documents did not stand as they were to.", True)
    if any(run.header.model == "extractive" for run in told.runs):
        yield ReportText(
            "Without a language model none is asked of nothing, and the order is that in which documents were found."
        )
    yield ReportHeading(3, "Figures by condition")
    yield from _curve_blocks(told)
    yield figure_table(told.scores, METRICS)
    yield ReportHeading(3, "What became of the cases")
    yield outcome_table(told.scores)
    yield ReportHeading(3, "Places against the first")
    for arm, size, figure in told.same_everywhere:
        if figure.value is not None:
            yield ReportText(
                f"{arm}, {size} documents: {figure.part:,} of {figure.of:,} cases are answered in the same words at "
                f"every place ({figure.value:.3f}, {figure.low:.3f}–{figure.high:.3f})."
            )
    yield from contrast_blocks(told.tests)
    for one in told.gains:
        yield ReportText(
            f"{one.other} against {one.base}, {one.metric}, mean over places of {one.size} documents: "
            f"{one.difference.mean:+.3f} ({one.difference.low:+.3f} to {one.difference.high:+.3f}) over {one.cases:,} "
            f"cases; randomisation p {one.p:.4f}."
        )
    for counts in told.conflicts:
        yield ReportText(
            f"{counts.other}: {counts.conflicts:,} answers found sources or parts that disagree, of which "
            f"{counts.resolved:,} end with the right answer; against {counts.base} {counts.wins:,} wins, "
            f"{counts.ties:,} ties, {counts.losses:,} losses."
        )
    yield from failure_blocks(told.runs)
    yield from setup_blocks(told.runs)


def _bad_news(told: ContextReport) -> Iterator[ReportBlock]:
    """Answers from documents that do not answer, and what lies below what is reached without reading."""
    for one in told.scores:
        figure = one.find_figure("abstention")
        if "distractors" in one.condition and figure and figure.part < figure.of:
            yield ReportText(
                f"{one.arm}: from {one.condition} {figure.of - figure.part:,} of {figure.of:,} cases are answered.",
                True,
            )
    below = [
        f"{one.arm}, {one.condition}"
        for one in told.scores
        if (figure := one.find_figure("answer_accuracy")) and figure.standing == "below"
    ]
    if below:
        yield ReportText(f"Accuracy is below its floor: {'; '.join(below)}.", True)
    for run in told.runs:
        mapped = [one.mapped for one in run.records.values() if one.mapped is not None]
        if mapped:
            yield ReportText(f"{run.arm}: {sum(mapped):,} of {len(mapped):,} contexts were read in parts.")


def _curve_blocks(told: ContextReport) -> Iterator[ReportBlock]:
    known = {(one.arm, one.condition): one for one in told.scores}
    sizes = list(list_places(told.runs[0]))
    for metric in TESTED:
        for size in sizes:
            curves = [Curve(run.arm, _list_points(run, size, metric, known)) for run in told.runs]
            drawn = [one for one in curves if one.points]
            if drawn:
                every = [level for run in told.runs for level in _list_levels(run.arm, metric, known)]
                title = f"{metric} by the place of the gold document among {size}, with 95 % intervals"
                yield ReportPicture(draw_curves(title, "place of the gold document", drawn, list(dict.fromkeys(every))))


def _list_points(
    run: StudyRun, size: int, metric: str, known: dict[tuple[str, str], ConditionScore]
) -> list[CurvePoint]:
    found = []
    for condition, percent in list_places(run).get(size, {}).items():
        figure = known[run.arm, condition].find_figure(metric)
        if figure and figure.value is not None and figure.low is not None and figure.high is not None:
            found.append(CurvePoint(percent, figure.value, figure.low, figure.high))
    return found


def _list_levels(arm: str, metric: str, known: dict[tuple[str, str], ConditionScore]) -> Iterator[Level]:
    for condition in ("gold alone", "nothing"):
        score = known.get((arm, condition))
        figure = score.find_figure(metric) if score else None
        if figure and figure.value is not None:
            yield Level(f"{arm}: {condition}", figure.value)
    alone = known.get((arm, "gold alone"))
    figure = alone.find_figure(metric) if alone else None
    if figure and figure.floor is not None:
        yield Level(figure.floor_name, figure.floor)
