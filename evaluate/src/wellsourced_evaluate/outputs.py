"""Recorded outputs of language models to multiple choice: read as a reply to `ask` is read, scored, compared.

    {"id": "o1", "raw_output": "…", "options": {"A": "…", "B": "…"}, "gold": "B", "dataset": "medqa",
     "question_id": "q1", "model": "gpt-4", "mode": "cot", "group": "…", "parsed_choice": "B", "correct": true}

Only the first four have to be there. What `model` answers in `mode` is an arm; `question_id` pairs arms. Nothing here
asks a model. An output that chooses no option, or several, is unparsed: it is not right, and never a letter.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StrictBool, model_validator

from wellsourced.confidence import RESAMPLES, SEED
from wellsourced.errors import UnreadableFile
from wellsourced.pipeline.write.options import ANSWER_FIELD, ChoiceReading, read_reply_choice
from wellsourced.text.sanitization import drop_thoughts
from wellsourced_evaluate.questions.answer_figures import AnswerFigure, CaseCounts, measure_share
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words, read_recorded, to_plain
from wellsourced_evaluate.statistics import ShareContrast, contrast_shares
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Table, Text, tabulate

ALL_SETS = "all sets"

MAX_ARMS = 100
"""Of a file: names beyond that are no names of models and modes."""

FEW_QUESTIONS = 100
"""Below so many that two arms both answered, differences of ten points are not seen."""

OutputOutcome = Literal["right", "wrong", "unparsed"]
OUTCOMES: tuple[OutputOutcome, ...] = ("right", "wrong", "unparsed")


class RecordedOutput(RecordedRow):
    """What a model wrote for one question, and what our parser reads in it.

    parsed_choice   the choice that was read when it was published, None for none; not set: not recorded
    correct         whether that was scored as right; None: not recorded
    """

    id: Words
    raw_output: str
    options: Annotated[dict[str, str], Field(min_length=2)]
    gold: str
    dataset: str = ""
    question_id: str = ""
    model: str = ""
    mode: str = ""
    group: str = ""
    parsed_choice: str | None = None
    correct: StrictBool | None = None

    @model_validator(mode="after")
    def _require_known_choices(self) -> Self:
        for name, choice in (("gold", self.gold), ("parsed_choice", self.parsed_choice)):
            if (choice and choice not in self.options) or (name == "gold" and not choice):
                raise ValueError(f"its {name} “{choice}” is none of {', '.join(self.options)}")
        return self

    @property
    def question(self) -> str:
        """What pairs arms."""
        return self.question_id or self.id

    @property
    def arm(self) -> str:
        """Who answered, and how."""
        return ", ".join(filter(None, (self.model, self.mode))) or "all"

    @property
    def published(self) -> str | None:
        """The choice that was read when it was published, "" for none; None: not recorded."""
        return (self.parsed_choice or "") if "parsed_choice" in self.model_fields_set else None

    @cached_property
    def reading(self) -> ChoiceReading:
        """What a real reply goes through: thoughts are dropped, and the choice is read in the rest."""
        return read_reply_choice(drop_thoughts(self.raw_output), self.options)

    @property
    def outcome(self) -> OutputOutcome:
        """What is unparsed is a class of its own."""
        if not self.reading.key:
            return "unparsed"
        return "right" if self.reading.key == self.gold else "wrong"

    @property
    def form(self) -> str:
        """What the output looks like: JSON, JSON among words, words; and how it chooses."""
        text = self.raw_output.strip()
        is_whole = text.startswith("{") and text.endswith("}")
        kind = "JSON" if is_whole else "JSON among words, or cut off"
        return f"{kind if ANSWER_FIELD.search(text) else 'words'}: {self.reading.manner}"

    def to_json(self) -> dict[str, Any]:
        """The case, for programs."""
        return {
            **{"id": self.id, "set": self.dataset, "question": self.question, "arm": self.arm},
            **{"gold": self.gold, "choice": self.reading.key or None, "manner": self.reading.manner},
            **{"outcome": self.outcome, "recorded": self.published or None, "recorded_correct": self.correct},
        }


class OutputScore(NamedTuple):
    """One arm on one set, or on all of them together.

    figures     accuracy (its floor: always the commonest letter), share unparsed, accuracy of what is parsed
    chance      accuracy of whoever draws an option
    as_letter   letter → accuracy if every unparsed output counted as that letter, as some published parsers do
    published   accuracy by the choices that were read when it was published; None: these are not recorded for all
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


class PublishedComparison(NamedTuple):
    """How the choices that are read compare with those that were recorded.

    compared    outputs with a recorded choice, or with the word that none could be read; `equal` of them
    unparsed    in which nothing is read: here, and when they were published
    right       that are right: here, by the recorded choice, and as it was recorded to be right (None: not recorded)
    differences   in which another choice is read than was when it was published
    """

    compared: int
    equal: int
    unparsed: tuple[int, int]
    right: tuple[int, int, int | None]
    differences: tuple[RecordedOutput, ...]


def read_outputs(path: Path, limit: int = 0) -> RecordedFile[RecordedOutput]:
    """Every output of a file; with a limit, so many of them, drawn with a fixed seed. Raises UnreadableFile."""
    found = read_recorded(path, RecordedOutput, limit, _list_keys)
    if (arms := len({row.arm for row in found.rows})) > MAX_ARMS:
        raise UnreadableFile(path, f"it has {arms:,} pairs of model and mode", f"At most {MAX_ARMS} are compared.")
    return found


def _list_keys(row: RecordedOutput) -> list[tuple[str, Hashable]]:
    asked = (row.arm, row.dataset, row.question)
    return [(f"the id “{row.id}”", row.id), (f"the question “{row.question}” of this arm", asked)]


def measure_unparsed(rows: Sequence[RecordedOutput]) -> AnswerFigure:
    """The share over all arms in which nothing is read."""
    return measure_share("unparsed", [(int(row.outcome == "unparsed"), 1) for row in rows])


def group_outputs(rows: Sequence[RecordedOutput]) -> dict[tuple[str, str], list[RecordedOutput]]:
    """(arm, set) → its outputs: of every arm all sets together, then each of them."""
    groups = defaultdict[tuple[str, str], list[RecordedOutput]](list)
    for row in rows:
        for dataset in {ALL_SETS, row.dataset or ALL_SETS}:
            groups[row.arm, dataset].append(row)
    return {key: groups[key] for key in sorted(groups, key=lambda key: (key[0], key[1] != ALL_SETS, key[1]))}


def score_outputs(rows: Sequence[RecordedOutput]) -> list[OutputScore]:
    """Every arm on all sets together, then on each of them."""
    return [_score_group(*key, own) for key, own in group_outputs(rows).items()]


def _score_group(arm: str, dataset: str, rows: Sequence[RecordedOutput]) -> OutputScore:
    letter, often = Counter(row.gold for row in rows).most_common(1)[0]
    read = [row for row in rows if row.outcome != "unparsed"]
    outcomes = Counter(row.outcome for row in rows)
    silent = Counter(row.gold for row in rows if row.outcome == "unparsed")
    known = [row.published == row.gold for row in rows if row.published is not None]
    floor = often / len(rows), f"always “{letter}”"
    return OutputScore(
        arm,
        dataset,
        (
            measure_share("answer_accuracy", _count_outcome(rows, "right"), *floor),
            measure_share("unparsed", _count_outcome(rows, "unparsed")),
            measure_share("decided_accuracy", _count_outcome(read, "right")),
        ),
        {outcome: outcomes[outcome] for outcome in OUTCOMES},
        sum(1 / len(row.options) for row in rows) / len(rows),
        {
            key: (outcomes["right"] + silent[key]) / len(rows)
            for key in sorted({key for row in rows for key in row.options})
        },
        sum(known) / len(rows) if len(known) == len(rows) else None,
    )


def _count_outcome(rows: Sequence[RecordedOutput], outcome: OutputOutcome) -> CaseCounts:
    """(outputs of this outcome, outputs) of each group: its cases are drawn together for intervals."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        groups[row.group or row.question].append(row.outcome == outcome)
    return [(sum(found), len(found)) for found in groups.values()]


def rank_arms(scores: Sequence[OutputScore]) -> list[ArmRank]:
    """The mean rank of each arm, best first; nothing of a single arm. Arms that are level share their places."""
    from scipy.stats import rankdata

    arms = sorted({one.arm for one in scores})
    table = {(one.arm, one.dataset): one.accuracy for one in scores if one.dataset != ALL_SETS}
    sets = [name for name in sorted({name for _, name in table}) if all((arm, name) in table for arm in arms)]
    if len(arms) < 2 or not sets:
        return []
    shares = np.array([[table[arm, name].value for name in sets] for arm in arms], dtype=np.float64)
    of = np.array([[table[arm, name].of for name in sets] for arm in arms])

    def place(accuracies: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(rankdata(-accuracies, axis=-2).mean(axis=-1))

    # Cases that are right or not, drawn again, are binomial.
    drawn = np.random.default_rng(SEED).binomial(of, shares, (RESAMPLES, *of.shape)) / of
    low, high = np.percentile(place(drawn), (2.5, 97.5), axis=0)
    ranks = np.column_stack([place(shares), low, high]).tolist()
    found = [ArmRank(arm, mean, first, last, len(sets)) for arm, (mean, first, last) in zip(arms, ranks, strict=True)]
    return sorted(found, key=lambda one: one.average_rank)


def contrast_outputs(rows: Sequence[RecordedOutput]) -> list[OutputContrast]:
    """McNemar's exact test of every two arms that differ in one thing, over the questions that both answered."""
    arms = {(row.model, row.mode): row.arm for row in rows}
    right = {
        key: {f"{row.dataset}\0{row.question}": row.outcome == "right" for row in own}
        for key, own in group_outputs(rows).items()
    }
    found = []
    for first, second in combinations(sorted(arms), 2):
        base, other = arms[first], arms[second]
        shared = [dataset for arm, dataset in right if arm == base and (other, dataset) in right]
        for dataset in shared if (first[0] == second[0]) != (first[1] == second[1]) else ():
            ours, theirs = right[base, dataset], right[other, dataset]
            if both := sorted(ours.keys() & theirs.keys()):
                contrast = contrast_shares({case: ours[case] for case in both}, {case: theirs[case] for case in both})
                found.append(OutputContrast(base, other, dataset, len(both), contrast))
    return found


def compare_published(rows: Sequence[RecordedOutput]) -> PublishedComparison | None:
    """What is read against what was recorded; None where nothing was."""
    known = [row for row in rows if row.published is not None]
    if not known:
        return None
    scored = [row.correct for row in known]
    differ = tuple(row for row in known if row.reading.key != row.published)
    right = sum(row.outcome == "right" for row in known), sum(row.published == row.gold for row in known)
    return PublishedComparison(
        len(known),
        len(known) - len(differ),
        (sum(row.outcome == "unparsed" for row in known), sum(not row.published for row in known)),
        (*right, None if None in scored else sum(map(bool, scored))),
        differ,
    )


def outputs_to_json(data: RecordedFile[RecordedOutput]) -> dict[str, Any]:
    """Everything that can be said of these outputs, for programs: each case too."""
    scores = score_outputs(data.rows)
    return {
        **{"file": data.file, "sha256": data.sha256, "outputs": len(data.rows), "recorded_outputs": data.recorded},
        "unparsed": to_plain(measure_unparsed(data.rows)),
        "forms": dict(Counter(row.form for row in data.rows).most_common()),
        "arms": to_plain(scores),
        "ranks": to_plain(rank_arms(scores)),
        "contrasts": to_plain(contrast_outputs(data.rows)),
        "published": to_plain(compare_published(data.rows)),
        "cases": to_plain(data.rows),
    }


def output_blocks(data: RecordedFile[RecordedOutput]) -> Iterator[Block]:
    """Everything, for people: what is bad first."""
    rows, scores = data.rows, score_outputs(data.rows)
    yield Heading(1, "Recorded outputs of multiple choice")
    drawn = f" of {data.recorded:,}, drawn with a fixed seed" if len(rows) < data.recorded else ""
    yield Text(
        f"{len(rows):,} outputs{drawn}, of {data.file} (sha256 {data.sha256}). Intervals are 95 %: "
        "bootstrap over groups of cases, Wilson's where all cases are alike. An output that chooses no option, or "
        "several, is unparsed: it is not right, and never counted as a letter."
    )
    low = [one for one in scores if one.accuracy.standing in ("below", "no significant difference")]
    if low:
        named = "; ".join(f"{one.arm} on {one.dataset}" for one in low)
        yield Text(f"Not above the share of the commonest letter: {named}.", True)
    silent, forms = measure_unparsed(rows), Counter(row.form for row in rows).most_common()
    yield Heading(2, "What outputs look like")
    yield Text(
        f"Unparsed: {silent.part:,} of {silent.of:,}, {silent.value or 0:.3f} ({silent.low or 0:.3f}–"
        f"{silent.high or 0:.3f}). {len(forms):,} forms:"
    )
    yield Table(("form", "outputs"), forms)
    yield Heading(2, "Accuracy by arm and set, the worst against its floor first")
    yield tabulate(
        sorted(scores, key=lambda score: score.accuracy.margin),
        {
            "arm": lambda one: one.arm,
            "set": lambda one: one.dataset,
            "accuracy": lambda one: one.accuracy.value,
            "95 %": lambda one: Interval(one.accuracy.low, one.accuracy.high),
            "outputs": lambda one: Part(one.accuracy.part, one.accuracy.of),
            "commonest letter": lambda one: f"{one.accuracy.floor:.3f} ({one.accuracy.floor_name})",
            "chance": lambda one: one.chance,
            "against it": lambda one: one.accuracy.standing,
            "unparsed": lambda one: one.figures[1].part,
            "share unparsed": lambda one: one.figures[1].value,
            "its 95 %": lambda one: Interval(one.figures[1].low, one.figures[1].high),
            "accuracy of the parsed": lambda one: one.figures[2].value,
            "if unparsed counted as a letter": lambda one: "{1:.3f} (“{0}”)".format(*min(one.as_letter.items())),
            "by recorded choices": lambda one: one.published,
        },
    )
    if ranks := rank_arms(scores):
        yield Heading(2, "Average rank")
        yield Text(
            f"By accuracy, over the {ranks[0].sets:,} sets on which all arms are recorded. Each arm is ranked "
            "by the outputs that are recorded of it: where these are of other questions, so is the rank."
        )
        places = [(one.arm, f"{one.average_rank:.2f}", f"{one.low:.2f}–{one.high:.2f}") for one in ranks]
        yield Table(("arm", "average_rank", "95 %"), places)
    if contrasts := contrast_outputs(rows):
        yield Heading(2, "Arms over the same questions")
        yield Text("McNemar's exact p, as it is: several comparisons are not corrected for.")
        if max(one.questions for one in contrasts) < FEW_QUESTIONS:
            yield Text(
                "No two arms share a hundred questions: where no significant difference is seen, there may be one.",
                True,
            )
        names = ("first", "second", "set", "questions", "both right", "only first", "only second", "neither", "p")
        shown = [one for one in contrasts if one.dataset == ALL_SETS or one.questions >= FEW_QUESTIONS // 10]
        yield Table(names, [(*one[:4], *one.right[:4], Chance(one.right.p)) for one in shown])
    if published := compare_published(rows):
        yield from _published_blocks(published)


def _published_blocks(found: PublishedComparison) -> Iterator[Block]:
    yield Heading(2, "Against the recorded choices")
    scored = f", {found.right[2]:,} as it was recorded to be right" if found.right[2] is not None else ""
    yield Text(
        f"The same choice, or none in both: {found.equal:,} of {found.compared:,}. Unparsed: {found.unparsed[0]:,} "
        f"here, {found.unparsed[1]:,} as recorded. Right: {found.right[0]:,} here, {found.right[1]:,} by the recorded "
        f"choice{scored}."
    )
    names = ("output", "read here", "recorded", "right", "how it chooses", "in its words")
    rows = [
        (
            one.id,
            one.reading.key or "none",
            one.published or "none",
            one.gold,
            one.reading.manner,
            one.reading.said[:200],
        )
        for one in found.differences
    ]
    if rows:
        yield Table(names, rows)
