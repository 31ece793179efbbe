"""What recorded outputs come to: accuracy by arm and set with its floors, ranks, and what was recorded of them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import RESAMPLES, SEED
from wellsourced_evaluate.outputs.recorded_outputs import OUTPUT_OUTCOMES, OutputOutcome, ReadOutput
from wellsourced_evaluate.paired_tests import ShareContrast, contrast_shares
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, CaseCounts, measure_share

ALL_SETS = "all sets"


class OutputScore(NamedTuple):
    """One arm on one set, or on all of them together.

    figures         as `wellsourced evaluate list` spells them; the floor of accuracy is always the commonest letter
    chance          accuracy of whoever draws an option
    as_letter       letter → accuracy if every unparsed output counted as that letter, as some published parsers do
    published       accuracy by the choices that were read when it was published; None: these are not recorded for all
    """

    arm: str
    dataset: str
    figures: tuple[AnswerFigure, ...]
    outcomes: Mapping[OutputOutcome, int]
    chance: float
    as_letter: Mapping[str, float]
    published: float | None

    @property
    def accuracy(self) -> AnswerFigure:
        """The share of outputs that choose the right option."""
        return self.figures[0]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        figures = [{**one._asdict(), "standing": one.standing} for one in self.figures]
        return {**self._asdict(), "figures": figures, "outcomes": dict(self.outcomes)}


class ArmRank(NamedTuple):
    """The mean place of an arm among all, by accuracy, over the sets on which all arms are recorded; 1 is the best."""

    arm: str
    average_rank: float
    low: float
    high: float
    sets: int


class OutputContrast(NamedTuple):
    """Two arms that differ in the model or in the mode, over the questions that both answered, of one set or of all."""

    base: str
    other: str
    dataset: str
    questions: int
    right: ShareContrast


class ChoiceDifference(NamedTuple):
    """An output in which another choice is read than was when it was published."""

    id: str
    arm: str
    choice: str
    published: str
    gold: str
    manner: str
    said: str


class PublishedComparison(NamedTuple):
    """How the choices that are read compare with those that were recorded.

    compared    outputs with a recorded choice, or with the word that none could be read; `equal` of them
    unparsed    in which nothing is read: here, and when they were published
    right       that are right: here, by the recorded choice, and as it was recorded to be right (None: not recorded)
    """

    compared: int
    equal: int
    unparsed: tuple[int, int]
    right: tuple[int, int, int | None]
    differences: tuple[ChoiceDifference, ...]


def score_outputs(rows: Sequence[ReadOutput]) -> list[OutputScore]:
    """Every arm on all sets together, then on each of them."""
    arms: dict[str, dict[str, list[ReadOutput]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        arms[row.output.arm][ALL_SETS].append(row)
        arms[row.output.arm][row.output.dataset].append(row)
    return [
        score_output_group(arm, dataset, found)
        for arm, sets in sorted(arms.items())
        for dataset, found in sorted(sets.items(), key=lambda one: (one[0] != ALL_SETS, one[0]))
        if dataset
    ]


def score_output_group(arm: str, dataset: str, rows: Sequence[ReadOutput]) -> OutputScore:
    """One arm on one set. Cases of one group are drawn together for intervals."""
    golds = Counter(row.output.gold for row in rows)
    letter, often = golds.most_common(1)[0]
    read = [row for row in rows if row.outcome != "unparsed"]
    right = sum(row.outcome == "right" for row in rows)
    letters = sorted({key for row in rows for key in row.output.options})
    silent = Counter(row.output.gold for row in rows if row.outcome == "unparsed")
    known = [row.output.published == row.output.gold for row in rows if row.output.published is not None]
    return OutputScore(
        arm,
        dataset,
        (
            measure_share("answer_accuracy", count_outcome(rows, "right"), often / len(rows), f"always “{letter}”"),
            measure_share("unparsed", count_outcome(rows, "unparsed")),
            measure_share("decided_accuracy", count_outcome(read, "right")),
        ),
        {one: sum(row.outcome == one for row in rows) for one in OUTPUT_OUTCOMES},
        sum(1 / len(row.output.options) for row in rows) / len(rows),
        {one: (right + silent[one]) / len(rows) for one in letters},
        sum(known) / len(rows) if len(known) == len(rows) else None,
    )


def count_outcome(rows: Sequence[ReadOutput], outcome: OutputOutcome) -> CaseCounts:
    """(outputs of this outcome, outputs) of each group."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        groups[row.output.group].append(row.outcome == outcome)
    return [(sum(found), len(found)) for found in groups.values()]


def rank_arms(scores: Sequence[OutputScore]) -> list[ArmRank]:
    """The mean rank of each arm, best first; nothing of a single arm. Arms that are level share their places."""
    arms = sorted({one.arm for one in scores})
    table = {(one.arm, one.dataset): one.accuracy for one in scores if one.dataset != ALL_SETS}
    sets = [name for name in sorted({name for _, name in table}) if all((arm, name) in table for arm in arms)]
    if len(arms) < 2 or not sets:
        return []
    shares = np.array([[table[arm, name].value for name in sets] for arm in arms], dtype=np.float64)
    of = np.array([[table[arm, name].of for name in sets] for arm in arms])
    # Cases that are right or not, drawn again, are binomial.
    drawn = np.random.default_rng(SEED).binomial(of, shares, (RESAMPLES, *of.shape)) / of
    low, high = np.percentile(_places(drawn).mean(axis=2), (2.5, 97.5), axis=0)
    seen = _places(shares[None])[0].mean(axis=1)
    found = [ArmRank(arm, float(seen[at]), float(low[at]), float(high[at]), len(sets)) for at, arm in enumerate(arms)]
    return sorted(found, key=lambda one: one.average_rank)


def _places(shares: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Accuracies (draw, arm, set) → places among the arms of each set, 1 for the largest."""
    mine, its = shares[:, :, None, :], shares[:, None, :, :]
    return np.asarray((its > mine).sum(axis=2) + ((its == mine).sum(axis=2) - 1) / 2 + 1, dtype=np.float64)


def contrast_outputs(rows: Sequence[ReadOutput]) -> list[OutputContrast]:
    """McNemar's exact test of every two arms that differ in one thing, over the questions that both answered."""
    arms: dict[tuple[str, str], dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        output = row.output
        for dataset in dict.fromkeys((ALL_SETS, output.dataset or ALL_SETS)):
            arms[output.model, output.mode][dataset][f"{output.dataset}\0{output.question}"] = row.outcome == "right"
    names = {(row.output.model, row.output.mode): row.output.arm for row in rows}
    found = []
    for base, other in combinations(sorted(arms), 2):
        if (base[0] == other[0]) == (base[1] == other[1]):
            continue
        for dataset in sorted(arms[base].keys() & arms[other].keys(), key=lambda one: (one != ALL_SETS, one)):
            ours, theirs = arms[base][dataset], arms[other][dataset]
            if both := sorted(ours.keys() & theirs.keys()):
                right = contrast_shares({one: ours[one] for one in both}, {one: theirs[one] for one in both})
                found.append(OutputContrast(names[base], names[other], dataset, len(both), right))
    return found


def compare_published(rows: Sequence[ReadOutput]) -> PublishedComparison | None:
    """What is read against what was recorded; None where nothing was."""
    known = [row for row in rows if row.output.published is not None]
    if not known:
        return None
    scored = [row.output.correct for row in known]
    differ = [row for row in known if row.reading.key != row.output.published]
    return PublishedComparison(
        len(known),
        len(known) - len(differ),
        (sum(row.outcome == "unparsed" for row in known), sum(not row.output.published for row in known)),
        (
            sum(row.outcome == "right" for row in known),
            sum(row.output.published == row.output.gold for row in known),
            None if None in scored else sum(map(bool, scored)),
        ),
        tuple(_describe_difference(row) for row in differ),
    )


def _describe_difference(row: ReadOutput) -> ChoiceDifference:
    output, reading = row.output, row.reading
    return ChoiceDifference(
        output.id, output.arm, reading.key, output.published or "", output.gold, reading.manner, reading.said[:200]
    )
