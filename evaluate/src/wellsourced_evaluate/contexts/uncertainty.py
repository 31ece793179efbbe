"""What several answers to each question tell of how sure a model is, and whether it is wrong where it is unsure.

LUQ (Zhang et al., EMNLP 2024): how little several answers to one question support each other, sentence by sentence.

S(a, b) = mean over the sentences of a of p(entailed) / (p(entailed) + p(contradicted)), given b
C(a)    = mean of S(a, b) over the other answers b
U       = mean of 1 - C(a) over all answers
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
from pydantic import Field

from wellsourced.judges.base import Judge, Pair, score_pairs
from wellsourced.text.sentences import split_sentences
from wellsourced_evaluate.contexts.conditions import GREEDY
from wellsourced_evaluate.contexts.report import FEW_CASES, MAX_LISTED
from wellsourced_evaluate.contexts.study import StudyRun
from wellsourced_evaluate.recorded_rows import RecordedRow, Words
from wellsourced_evaluate.statistics import Association, MetricMean, average_cases, spearman
from wellsourced_evaluate.tables import Block, Chance, Heading, Interval, Part, Table, Text

NO_OPINION = 0.5
"""What a sentence counts whose judge finds it neither entailed nor contradicted at all."""

TITLE = "How far several answers to one question agree"

EXTRACTIVE_REASON = (
    "it shows sections of sources, which are the same each time: give a language model (--model NAME), or "
    "answers that were sampled elsewhere (--answers FILE)"
)


class SampledQuestion(RecordedRow):
    """A question and several answers to it.

    correct   whether, or how far, its answer at temperature 0 is right, from 0 to 1; None: it is not known
    """

    id: Words
    answers: tuple[str, ...]
    correct: float | None = Field(None, ge=0, le=1)


class QuestionUncertainty(NamedTuple):
    """One question: how little its answers agree, and whether it is answered rightly.

    uncertainty   0: each supports every other, 1: each contradicts every other; None of fewer than two answers
    answers       that say anything; `empty` say nothing and are left out
    sentences     pairs of a sentence and another answer that were judged
    unjudged      of these, without a verdict, left out
    undecided     of these, those with neither probability
    one_sided     of these, those whose contradiction the judge cannot tell: the probability of support alone counts
    """

    id: str
    correct: float | None
    uncertainty: float | None
    answers: int
    empty: int
    sentences: int = 0
    unjudged: int = 0
    undecided: int = 0
    one_sided: int = 0


class ArmUncertainty(NamedTuple):
    """All questions of one arm.

    reason         why nothing is measured; None when it is
    right, wrong   mean uncertainty of the questions answered rightly, wrongly
    """

    arm: str
    model: str
    judge: str
    source: str
    reason: str | None
    luq: MetricMean
    right: MetricMean
    wrong: MetricMean
    accuracy: MetricMean
    spearman: Association
    questions: tuple[QuestionUncertainty, ...]


def collect_samples(run: StudyRun) -> tuple[SampledQuestion, ...]:
    """The sampled answers of each case, and whether its answer at temperature 0 is right; failed ones say nothing."""
    found = []
    for case, greedy in run.select_condition(GREEDY).items():
        sampled = [run.records.get((name, case)) for name in run.header.conditions[1:]]
        answers = tuple(one.text for one in sampled if one is not None and one.status != "failed")
        correct = float(greedy.outcome == "right") if greedy.gold and greedy.answerable is not False else None
        found.append(SampledQuestion(id=case, answers=answers, correct=correct))
    return tuple(found)


async def measure_luq(question: SampledQuestion, judge: Judge) -> QuestionUncertainty:
    """The uncertainty of the answers to a question, as a judge of support has it. Raises ModelError."""
    texts = [answer for answer in question.answers if answer.strip()]
    empty = len(question.answers) - len(texts)
    sentences = [[text[span.start : span.end] for span in split_sentences(text)] for text in texts]
    asked = {
        (own, other): [Pair(sentence, texts[other]) for sentence in sentences[own]]
        for own, other in permutations(range(len(texts)), 2)
    }
    wanted = list(dict.fromkeys(pair for pairs in asked.values() for pair in pairs))
    support: dict[Pair, float] = {}
    kinds: dict[Pair, str] = {}
    for pair, (verdict, against) in zip(wanted, await score_pairs(judge, wanted), strict=True):
        if verdict.label == "unjudged":
            kinds[pair] = "unjudged"
        elif against is None:
            support[pair], kinds[pair] = verdict.score, "one_sided"
        elif verdict.score + against == 0:
            support[pair], kinds[pair] = NO_OPINION, "undecided"
        else:
            support[pair] = verdict.score / (verdict.score + against)
    # S of each answer in each other one, as far as any of its sentences has a verdict.
    agreement: dict[int, list[float]] = defaultdict(list)
    for (own, _), pairs in asked.items():
        if known := [support[one] for one in pairs if one in support]:
            agreement[own].append(float(np.mean(known)))
    confidence = [np.mean(values) for values in agreement.values()]
    uncertainty = float(1 - np.mean(confidence)) if confidence else None
    counts = Counter(kinds.get(pair, "judged") for pairs in asked.values() for pair in pairs)
    told = (counts.total(), counts["unjudged"], counts["undecided"], counts["one_sided"])
    return QuestionUncertainty(question.id, question.correct, uncertainty, len(texts), empty, *told)


async def measure_uncertainty(
    arm: str, model: str, source: str, questions: Sequence[SampledQuestion], judge: Judge
) -> ArmUncertainty:
    """The uncertainty of every question, and its correlation with being right. Raises ModelError."""
    measured = [await measure_luq(one, judge) for one in questions]
    values = [(one.uncertainty, one.correct) for one in measured]
    known = [(unsure, correct) for unsure, correct in values if unsure is not None and correct is not None]
    # Without a model an answer comes once: nothing is sampled.
    reason = EXTRACTIVE_REASON if model == "extractive" and not source else None
    return ArmUncertainty(
        *(arm, model, judge.name, source, reason),
        average_cases(unsure for unsure, _ in values),
        average_cases(unsure for unsure, correct in known if correct >= 0.5),
        average_cases(unsure for unsure, correct in known if correct < 0.5),
        average_cases(one.correct for one in measured),
        spearman(known),
        tuple(measured),
    )


def uncertainty_blocks(arms: Sequence[ArmUncertainty]) -> Iterator[Block]:
    """The whole report."""
    yield Heading(1, TITLE)
    yield Text(
        "LUQ (Zhang et al., EMNLP 2024): each sentence of an answer is judged against each other answer to the same "
        "question; 0: all support each other, 1: none does. Where a model is unsure it should be wrong more often: "
        "Spearman's rho of uncertainty and being right is then below 0. The figures are as good as the judge."
    )
    for one in arms:
        if one.reason:
            yield Text(f"{one.arm}: this does not apply, since {one.reason}.", True)
        elif one.luq.cases < FEW_CASES:
            yield Text(f"{one.arm}: {one.luq.cases:,} questions are few: read the intervals.", True)
    rows = [
        (
            *(one.arm, one.model, one.luq.mean, Interval(one.luq.low, one.luq.high)),
            *(Part(one.luq.cases, len(one.questions)), one.accuracy.mean, one.right.mean, one.wrong.mean),
            *(one.spearman.value, Chance(one.spearman.p), one.spearman.items),
        )
        for one in arms
    ]
    figures = ("luq", "95 %", "questions", "accuracy", "luq where right", "luq where wrong", "Spearman's rho", "p")
    yield Table(("arm", "model", *figures, "questions with both"), rows)
    for one in arms:
        known = [(it.uncertainty, it) for it in one.questions if it.uncertainty is not None]
        if known:
            yield Heading(3, f"{one.arm}: questions, the least sure first")
            least_sure = sorted(known, key=lambda it: -it[0])[:MAX_LISTED]
            cells = [(it.id, value, it.correct, it.answers) for value, it in least_sure]
            yield Table(("question", "luq", "right", "answers"), cells)
