"""Which of the expected questions somebody asks: by meaning, by words, names and figures, weighed.

The probability is that of a choice among the nearest and none of them (a conditional logit).
`match_weights.json` is written by wellsourced_evaluate/fitting/match_weights.py (bdac1cd3) and by nobody's hand.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from wellsourced.claims.question_profile import QuestionProfile, read_question
from wellsourced.claims.question_terms import (
    QuestionTerm,
    TextWords,
    has_word,
    list_asked_words,
    read_words,
    weigh_coverage,
)
from wellsourced.claims.required_entities import list_missing_terms
from wellsourced.clinical.requested_quantity import find_sections_on_other_values, has_asked_figure, question_values
from wellsourced.encoders.base import Encoder, Vectors, in_one_thread
from wellsourced.expected_questions import bank
from wellsourced.text.logistic import read_fitted
from wellsourced.text.ranking import share_probability
from wellsourced.types import Question, Value

NEAREST = 50
"""Expected questions, the nearest by meaning, that are weighed."""

MIN_PROBABILITY = 0.005
"""Of a question that is told: below, it is hardly ever what was asked."""

AGREEMENT_SLOPE = 5.0
"""How fast another question with the same answer counts less, the further it is behind."""

OTHER_VALUE = 0.5
"""What a figure of the expected question that was not given takes from those that were."""

MAX_REMEMBERED = 256
"""Questions whose matches are remembered: search, reading and writing ask alike."""


class MatchedQuestion(NamedTuple):
    """An expected question, and the probability that its lines answer what is asked."""

    expected: bank.ExpectedQuestion
    probability: float


def rate_unanswered(matches: Sequence[MatchedQuestion]) -> float:
    """The probability that what is asked is a near miss: something that no guideline says, beside what one does."""
    return math.fsum(one.probability for one in matches if not one.expected.is_answered)


class MatchModel(Value):
    """exp(weights · features + intercept) by the sum of all and 1, which stands for none of them.

    fitted_on   the questions, in words; n of them
    """

    weights: dict[str, float]
    intercept: float
    fitted_on: str = ""
    n: int = 0

    def choose(self, features: Sequence[Mapping[str, float]]) -> list[float]:
        """Of each the probability that it is the one. Raises KeyError for a missing feature."""
        return share_probability(
            [
                self.intercept + math.fsum(weight * row[name] for name, weight in self.weights.items())
                for row in features
            ]
        )


@cache
def load_match_model() -> MatchModel:
    """What comes with this package."""
    return read_fitted(MatchModel, bank.FOLDER, "match_weights.json")


class NearQuestion(NamedTuple):
    """An expected question that is near, by the cosines of its vectors with what is asked: see QuestionVectors."""

    expected: bank.ExpectedQuestion
    by_question: float
    by_lead: float

    @property
    def likeness(self) -> float:
        """Both together."""
        return self.by_question + self.by_lead


class QuestionMatcher:
    """Finds the expected questions that somebody asks. `encoder` is the one their vectors are of.

    Safe to use from several threads.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._match = lru_cache(MAX_REMEMBERED)(self._match_anew)

    def match(self, question: Question) -> tuple[MatchedQuestion, ...]:
        """Those with a probability of MIN_PROBABILITY and more, the likeliest first."""
        return self._match(question.model_dump_json())

    def _match_anew(self, told: str) -> tuple[MatchedQuestion, ...]:
        question = Question.model_validate_json(told)
        near = list_near_questions(question, self.encoder)
        chances = load_match_model().choose(describe_matches(question, near))
        found = [MatchedQuestion(one.expected, chance) for one, chance in zip(near, chances, strict=True)]
        likely = [one for one in found if one.probability >= MIN_PROBABILITY]
        return tuple(sorted(likely, key=lambda one: -one.probability))


def list_near_questions(question: Question, encoder: Encoder) -> list[NearQuestion]:
    """The expected questions nearest to what is asked, nearest first, that are not on other values than it gives."""
    asked = encoder.encode(list(question.wordings), "query")
    near = find_nearest(asked, bank.load_vectors(), bank.load_questions())
    return _leave_out_other_values(read_question(question).values, near)


def _leave_out_other_values(values: Sequence[float], near: Sequence[NearQuestion]) -> list[NearQuestion]:
    """Those without the ones whose whole answer stands in sections on other values, where one beside holds."""
    sections = [{(line.document.id, line.section) for line in one.expected.lead} for one in near]
    others = find_sections_on_other_values(values, set().union(*sections))
    return [one for one, own in zip(near, sections, strict=True) if not own <= others]


def find_nearest(
    asked: Vectors, vectors: bank.QuestionVectors, questions: bank.QuestionBank, most: int = NEAREST
) -> list[NearQuestion]:
    """The expected questions nearest to any wording of what is asked, nearest first.

    asked   (wordings, width), unit rows, of the encoder
    """
    with in_one_thread():
        by_question = (vectors.questions @ bank.normalize_rows(asked @ vectors.to_question.T).T).max(axis=1)
        by_lead = (vectors.leads @ bank.normalize_rows(asked @ vectors.to_lead.T).T).max(axis=1)[vectors.lead_rows]
    order = np.argsort(-(by_question + by_lead), kind="stable")[:most]
    return [
        NearQuestion(one, float(by_question[at]), float(by_lead[at]))
        for at in order
        if (one := questions.find(int(at)))
    ]


def describe_matches(question: Question, near: Sequence[NearQuestion]) -> list[dict[str, float]]:
    """The features of each expected question that is near, nearest first."""
    asked, words = read_question(question), list_asked_words(question)
    wordings = read_words(" ".join(question.wordings))
    values = frozenset(question_values(question.text))
    return [
        {
            "question likeness": one.by_question,
            "lead likeness": one.by_lead,
            "behind": near[0].likeness - one.likeness,
            "agreement": _rate_agreement(one, near),
            **_describe_words(asked, words, wordings, one.expected),
            "values": _compare_values(values, one.expected),
            "near miss": float(not one.expected.is_answered),
        }
        for one in near
    ]


def _rate_agreement(one: NearQuestion, near: Sequence[NearQuestion]) -> float:
    """How many other questions as near are answered by a line of its answer."""
    own = set(one.expected.lead) if one.expected.is_answered else set()
    others = (
        other
        for other in near
        if other is not one and other.expected.is_answered and own.intersection(other.expected.lead)
    )
    return math.log1p(math.fsum(math.exp(AGREEMENT_SLOPE * (other.likeness - one.likeness)) for other in others))


def _describe_words(
    asked: QuestionProfile, words: Sequence[QuestionTerm], wordings: TextWords, expected: bank.ExpectedQuestion
) -> dict[str, float]:
    whole = expected.answered_text
    there, own = read_words(whole), _list_own_words(expected.text)
    has_figure = has_asked_figure(asked.quantities, expected.lead_text)
    return {
        "words": weigh_coverage(words, [has_word(there, word) for word in words]),
        "its words": weigh_coverage(own, [has_word(wordings, word) for word in own]),
        "missing names": float(len(list_missing_terms(asked.terms, whole))),
        "figure": (1.0 if has_figure else -1.0) if asked.quantities else 0.0,
    }


@lru_cache(maxsize=8192)
def _list_own_words(text: str) -> tuple[QuestionTerm, ...]:
    return tuple(list_asked_words(Question(text=text)))


def _compare_values(values: frozenset[float], expected: bank.ExpectedQuestion) -> float:
    own = _list_own_values(expected.text)
    return len(values & own) - OTHER_VALUE * len(own - values)


@lru_cache(maxsize=8192)
def _list_own_values(text: str) -> frozenset[float]:
    return frozenset(question_values(text))
