"""How likely a section of a guideline answers a question: what its judge says, weighed with words, headings and names.

A judge of likeness is unsure of questions in a clinician's words ("Who shouldn't be given teriparatide?"), and sure of
every section on the disease. `section_weights.json` is written by benchmarks/fit_sections.py (eb43d2cc) and by nobody's hand.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from wellsourced.claims.advice_signs import list_advice_signs
from wellsourced.claims.asked_terms import list_missing_terms
from wellsourced.claims.question_profile import (
    QuestionProfile,
    asks_what_to_do,
    holds_for_values,
    question_coverage,
    subject_coverage,
)
from wellsourced.clinical.asked_quantities import has_asked_figure
from wellsourced.clinical.word_forms import word_beginnings
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.text.passages import text_under_titles
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.section_paths import last_heading, section_weight
from wellsourced.types import Passage, Value
from wellsourced.worker_pool import run_in_worker

OWN_WORDS_UNITS = 3
"""Units of a section, the best, that are judged without their titles as well: what stands there by itself."""

LAST_PLACE = 60
"""Place in the ranking that a section counts as having which was read beside another and not found."""

_KINDS_APART = frozenset({"name", "population", "condition", "setting", "test", "site"})
"""Kinds of terms that are counted by themselves, or not: a guideline does not name its disease in each section."""

MAX_LOG_ODDS = 50.0
"""Log-odds beyond which no more is told apart, so that nothing overflows."""

SURE = 0.9999
"""Probability from which no more is told apart."""


class JudgedUnit(NamedTuple):
    """A unit of a passage, and the probability that it is relevant to the question under its titles."""

    unit: QuotableSpan
    score: float


class JudgedSection(NamedTuple):
    """A section of a guideline as it was found.

    units   best first, at least one
    place   of its best passage in the ranking, 0 is the first
    """

    passage: Passage
    units: Sequence[JudgedUnit]
    place: int = LAST_PLACE


async def score_sections(asked: QuestionProfile, sections: Sequence[JudgedSection], judge: Judge) -> list[float]:
    """Of each section the probability that it answers."""
    model = load_section_model()
    return [model.probability(features) for features in await describe_sections(asked, sections, judge)]


async def describe_sections(
    asked: QuestionProfile, sections: Sequence[JudgedSection], judge: Judge
) -> list[Mapping[str, float]]:
    """The features of each section, as `describe_section`."""
    best = [(number, one.unit.own_text) for number, section in enumerate(sections) for one in _best_units(section)]
    scores = await best_claim_scores(judge, asked.wordings, [text for _, text in best])
    own = [0.0] * len(sections)
    for (number, _), score in zip(best, scores, strict=True):
        own[number] = max(own[number], score)
    return await run_in_worker(_describe_all, asked, sections, own)


class SectionModel(Value):
    """A logistic model: probability = 1 / (1 + exp(-(weights · features + intercept))).

    fitted_on   the questions, in words; n of them
    """

    weights: dict[str, float]
    intercept: float
    fitted_on: str = ""
    n: int = 0

    def probability(self, features: Mapping[str, float]) -> float:
        """That the section answers. Raises KeyError for a missing feature."""
        score = self.intercept + math.fsum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, score))))


@cache
def load_section_model() -> SectionModel:
    """What comes with this package."""
    content = files("wellsourced.pipeline.read").joinpath("section_weights.json").read_text(encoding="utf-8")
    return SectionModel.model_validate_json(content)


def _best_units(section: JudgedSection) -> Sequence[JudgedUnit]:
    return section.units[:OWN_WORDS_UNITS]


def _describe_all(
    asked: QuestionProfile, sections: Sequence[JudgedSection], own: Sequence[float]
) -> list[Mapping[str, float]]:
    return [describe_section(asked, one, score) for one, score in zip(sections, own, strict=True)]


def describe_section(asked: QuestionProfile, section: JudgedSection, own_score: float) -> dict[str, float]:
    """The features of a section.

    own_score   probability that one of its best units is relevant, without its titles
    """
    passage, units = section.passage, section.units
    missing = list_missing_terms(asked.terms, text_under_titles(passage))
    return {
        "best unit": log_odds(units[0].score),
        "second unit": log_odds(units[min(1, len(units) - 1)].score),
        "own words": log_odds(own_score),
        "place": math.log1p(min(section.place, LAST_PLACE)),
        "weight": math.log(section_weight(passage.section)),
        "missing names": float(sum(term.kind == "name" for term in missing)),
        "missing people": float(sum(term.kind == "population" for term in missing)),
        "missing others": float(sum(term.kind not in _KINDS_APART for term in missing)),
        **_word_features(asked, section),
        **_answer_features(asked, section),
    }


def _word_features(asked: QuestionProfile, section: JudgedSection) -> dict[str, float]:
    """How much of the question's telling words it has, and where."""
    passage = section.passage
    telling = frozenset[str]().union(*asked.words)
    heading = word_beginnings(last_heading(passage.section))
    return {
        "words": _word_coverage(asked, text_under_titles(passage)),
        "unit words": max(question_coverage(asked.words, one.unit, passage) for one in section.units),
        "heading words": len(heading & telling) / max(1, len(heading)),
        "subject": min(1.0, subject_coverage(asked.wordings, passage)),
        "question length": math.log1p(len(telling)),
        "parts": float(asked.asks_parts),
    }


def _answer_features(asked: QuestionProfile, section: JudgedSection) -> dict[str, float]:
    """Whether it has the sort of thing that is asked for."""
    units = [one.unit for one in section.units]
    signs = {sign for unit in units for sign in list_advice_signs(unit.text)}
    has_figure = any(has_asked_figure(asked.quantities, unit.own_text) for unit in units)
    return {
        "figure": (1.0 if has_figure else -1.0) if asked.quantities else 0.0,
        "advice": float(bool(signs) and asks_what_to_do(asked)),
        "advice against": float(asked.asks_against and -1 in signs),
        "holds": float(any(holds_for_values(asked, unit, section.passage) for unit in units)),
    }


def log_odds(probability: float) -> float:
    """Of a probability; near 0 and 1 no more is told apart."""
    kept = min(max(probability, 1 - SURE), SURE)
    return math.log(kept / (1 - kept))


def _word_coverage(asked: QuestionProfile, text: str) -> float:
    """The share of the telling words that a text has, of the wording of the question of which it has most."""
    said = word_beginnings(text)
    return max((len(words & said) / len(words) for words in asked.words), default=1.0)
