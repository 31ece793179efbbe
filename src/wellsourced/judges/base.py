"""The seam to everything that can say whether a text supports a claim; how features become a probability, and long
texts in stretches that a judge can read.

`calibrations.json` is written by wellsourced_evaluate/fitting/comparison.py (the row of that judge) and
fitting/calibrations.py (bdac1cd3; the others). Do not edit.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from wellsourced.errors import SettingsError
from wellsourced.text.logistic import LogisticModel
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.types import Verdict

Purpose = Literal["relevance", "support"]
"""Does a text bear on a question; does a quote support a claim."""


class Calibration(LogisticModel):
    """A logistic model of features that lie in [0, 1].

    judge       "overlap", or "similarity:" and the name of the encoder
    threshold   probability from which the verdict is "supports": the best balanced accuracy on the fitting half
    fitted_on   the data and the split, in words; yes and no weighed equally, so 0.5 means even odds
    n           pairs in the fitting half
    auroc, accuracy, ece   on the other half, never seen in fitting; accuracy is balanced, ece in 10 equal bins
    """

    purpose: Purpose
    judge: str
    threshold: float
    auroc: float | None = None
    accuracy: float | None = None
    ece: float | None = None

    @property
    def name(self) -> str:
        """Says judge, purpose and which numbers: verdicts of two calibrations are never mixed up."""
        numbers = self.model_dump_json(include={"weights", "intercept", "threshold"})
        return f"{self.judge}/{self.purpose}@{sha256(numbers.encode()).hexdigest()[:8]}"


def load_calibration(purpose: Purpose, judge: str) -> Calibration:
    """The calibration that comes with this package. Raises SettingsError when there is none for that judge."""
    fitted = {known.judge: known for known in read_calibrations("calibrations.json") if known.purpose == purpose}
    if judge not in fitted:
        raise SettingsError(
            f"The judge {judge} is not calibrated for {purpose}. Calibrated judges: {', '.join(sorted(fitted))}."
        )
    return fitted[judge]


@cache
def read_calibrations(file: str) -> tuple[Calibration, ...]:
    """All that one file beside this module holds."""
    content = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return tuple(Calibration.model_validate(row) for row in json.loads(content))


VERBATIM_VERDICT = Verdict(label="supports", score=1.0, reason="the text's own words", basis="verbatim")
"""Of what is whole sentences of the text, whoever judges."""


PARTIAL = "supported only in part"
UNLOCATED_SUPPORT = "the model says it is supported, but its quote is not in the source"
UNLOCATED_CONTRADICTION = "the model says it is contradicted, but its quote is not in the source"
"""How the reason begins where a language model's verdict comes to less than it says."""


class Pair(NamedTuple):
    """A claim (or a question) and the text that may support (or answer) it."""

    claim: str
    text: str


@runtime_checkable
class Judge(Protocol):
    """Does this text support this claim? One verdict per pair, in order; an empty text is silent.

    Scores are probabilities in [0, 1], comparable within one judge, never between two. `name` says who judged and
    with what calibration: verdicts are cached under it. Raises ModelError.
    """

    @property
    def name(self) -> str: ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]: ...


@runtime_checkable
class QuestionAwareJudge(Judge, Protocol):
    """A judge that can be told what the claims answer: what the question says of a patient needs no text."""

    def for_question(self, question: str) -> Judge:
        """The same judge, who knows it."""
        ...


async def best_claim_scores(judge: Judge, claims: Sequence[str], texts: Sequence[str]) -> list[float]:
    """For each text the score of the claim that it supports best; the claims are one thing in several wordings."""
    verdicts = await judge.judge([Pair(claim, text) for text in texts for claim in claims])
    scores = [verdict.score for verdict in verdicts]
    return [max(scores[start : start + len(claims)]) for start in range(0, len(scores), len(claims))]


class ScoredVerdict(NamedTuple):
    """A verdict, whose score is the probability of support, and beside it that of the opposite.

    against   probability in [0, 1] that the text contradicts the claim; None: this judge cannot tell
    """

    verdict: Verdict
    against: float | None = None


@runtime_checkable
class ScoringJudge(Judge, Protocol):
    """A judge that tells both probabilities: one verdict per pair, in order, with that of contradiction."""

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]: ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [one.verdict for one in await self.score(pairs)]


async def score_pairs(judge: Judge, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
    """Of each pair, in order; with `against` only where the judge tells it."""
    # A judge that tells only its verdict has no word on contradiction: None, which is not the same as 0.
    if isinstance(judge, ScoringJudge):
        return await judge.score(pairs)
    return [ScoredVerdict(verdict) for verdict in await judge.judge(pairs)]


LONG_TEXT = 300
"""Characters from which a text is judged sentence by sentence. On BioASQ passages the best sentence tells relevance
better than the whole (AUROC .911 for .906, and .929 for .917 from 600 characters on); below 300 they are alike."""

NO_TEXT = Verdict(label="silent", score=0.0, reason="the text is empty")


def split_long_text(text: str) -> list[str]:
    """The text, or its sentences when it is long; nothing when it is blank."""
    if not text.strip():
        return []
    # Below this the whole tells as much as its best sentence (LONG_TEXT), and costs one verdict.
    if len(text) < LONG_TEXT:
        return [text]
    return [text[start:end] for start, end in split_sentences(text)] or [text]


def best_part_verdict(calibration: Calibration, features: Sequence[Mapping[str, float]]) -> Verdict:
    """The verdict on a text from the features of its parts: that of the part with the highest probability."""
    if not features:
        return NO_TEXT
    scores = [calibration.probability(part) for part in features]
    score = max(scores)
    told = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in features[scores.index(score)].items())
    return Verdict(label="supports" if score >= calibration.threshold else "silent", score=score, reason=told)


MAX_SENTENCE = 1_000
"""Characters of a sentence; a longer one is a table or has lost its stops, and is cut between words."""

FitsTogether = Callable[[int, int], bool]
"""Whether the sentences from the first place to before the second fit together; if they do, so do fewer."""


def sentence_spans(text: str) -> list[Span]:
    """The sentences of a text, none longer than LONGEST characters."""
    return [part for span in split_sentences(text) for part in _cut_span(text, span)]


def _cut_span(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while span.end - start > MAX_SENTENCE:
        space = text.rfind(" ", start + 1, start + MAX_SENTENCE)
        end = space if space > 0 else start + MAX_SENTENCE
        yield Span(start, end)
        start = end
    yield Span(start, span.end)


def fill_windows(count: int, fits: FitsTogether) -> list[tuple[int, int]]:
    """Windows over so many sentences, from one place to before another, each as full as it can be.

    A sentence that does not fit stands alone.
    """
    found: list[tuple[int, int]] = []
    first = 0
    while first < count:
        # Where a window that begins at `first` ends: doubled as long as it fits, then halved to the place.
        step = 1
        while first + step < count and fits(first, first + step):
            step *= 2
        low, high = first + 1, min(count, first + step)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(first, middle) else (low, middle - 1)
        found.append((first, low))
        first = low
    return found
