"""How likely a section of a guideline answers a question: what its judge says, weighed with words, headings and names;
and from where on it counts.

A judge of likeness is unsure of questions in a clinician's words ("Who shouldn't be given teriparatide?"), and sure of
every section on the disease. `section_weights.json` is written by benchmarks/fit_sections.py (eb43d2cc).
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.claims.advice_signs import list_advice_signs
from wellsourced.claims.guard.disagreement import is_symbol
from wellsourced.claims.question_profile import (
    QuestionProfile,
    asks_what_to_do,
    holds_for_values,
    question_coverage,
    subject_coverage,
)
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.question.question_types import (
    NAMED_SORTS,
    find_other_names,
    list_asked_things,
    names_thing,
    share_title,
)
from wellsourced.question.requested_quantity import detect_requested_quantities, has_asked_figure
from wellsourced.question.required_entities import RequiredEntity, find_required_entities, list_missing_terms
from wellsourced.question.word_rarity import UNKNOWN_RARITY, rate_rarity, word_beginnings
from wellsourced.text.logistic import LogisticModel, log_odds, read_fitted
from wellsourced.text.passages import last_heading, section_weight, text_under_titles
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage, Question
from wellsourced.worker_pool import run_in_worker

OWN_WORDS_UNITS = 3
"""Units of a section, the best, that are judged without their titles as well: what stands there by itself."""

LAST_PLACE = 60
"""Place in the ranking that a section counts as having which was read beside another and not found."""

_KINDS_APART = frozenset({"name", "population", "condition", "setting", "test", "site"})
"""Kinds of terms that are counted by themselves, or not: a guideline does not name its disease in each section."""

MARGIN = 1e-4
"""Probabilities nearer to 0 or 1 are not told apart."""


class JudgedUnit(NamedTuple):
    """A unit of a passage, and the probability that it is relevant to the question under its titles."""

    unit: QuotableSpan
    score: float


class JudgedSection(NamedTuple):
    """A section of a guideline, its units best first, and the place of its best passage in the ranking, from 0."""

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
    best = [
        (number, one.unit.own_text)
        for number, section in enumerate(sections)
        for one in section.units[:OWN_WORDS_UNITS]
    ]
    scores = await best_claim_scores(judge, asked.wordings, [text for _, text in best])
    own = [0.0] * len(sections)
    for (number, _), score in zip(best, scores, strict=True):
        own[number] = max(own[number], score)
    return await run_in_worker(
        lambda: [describe_section(asked, one, score) for one, score in zip(sections, own, strict=True)]
    )


@cache
def load_section_model() -> LogisticModel:
    """What comes with this package."""
    return read_fitted(LogisticModel, "wellsourced.pipeline.read", "section_weights.json")


def describe_section(asked: QuestionProfile, section: JudgedSection, own_score: float) -> dict[str, float]:
    """The features of a section.

    own_score   probability that one of its best units is relevant, without its titles
    """
    passage, units = section.passage, section.units
    missing = list_missing_terms(asked.terms, text_under_titles(passage))
    return {
        "best unit": log_odds(units[0].score, MARGIN),
        "second unit": log_odds(units[min(1, len(units) - 1)].score, MARGIN),
        "own words": log_odds(own_score, MARGIN),
        "place": math.log1p(min(section.place, LAST_PLACE)),
        "weight": math.log(section_weight(passage.section)),
        "missing names": float(sum(term.kind == "name" for term in missing)),
        "missing people": float(sum(term.kind == "population" for term in missing)),
        "missing others": float(sum(term.kind not in _KINDS_APART for term in missing)),
        **_word_features(asked, section),
        **_answer_features(asked, section),
    }


def _word_features(asked: QuestionProfile, section: JudgedSection) -> dict[str, float]:
    passage = section.passage
    telling = frozenset[str]().union(*asked.words)
    heading = word_beginnings(last_heading(passage.section))
    # The share of the telling words that a text has, of the wording of the question of which it has most.
    said = word_beginnings(text_under_titles(passage))
    return {
        "words": max((len(words & said) / len(words) for words in asked.words), default=1.0),
        "unit words": max(question_coverage(asked.words, one.unit, passage) for one in section.units),
        "heading words": len(heading & telling) / max(1, len(heading)),
        "subject": min(1.0, subject_coverage(asked.wordings, passage)),
        "question length": math.log1p(len(telling)),
        "parts": float(asked.asks_parts),
    }


def _answer_features(asked: QuestionProfile, section: JudgedSection) -> dict[str, float]:
    units = [one.unit for one in section.units]
    signs = {sign for unit in units for sign in list_advice_signs(unit.text)}
    has_figure = any(has_asked_figure(asked.quantities, unit.own_text) for unit in units)
    return {
        "figure": (1.0 if has_figure else -1.0) if asked.quantities else 0.0,
        "advice": float(bool(signs) and asks_what_to_do(asked)),
        "advice against": float(asked.asks_against and -1 in signs),
        "holds": float(any(holds_for_values(asked, unit, section.passage) for unit in units)),
    }


# How sure the judge has to be of a passage, by what it is of.
#
# A model of similarity knows no name that is newer or rarer than what it was trained on, and is unsure of every
# sentence on a new drug or a gene, and of what a lay person asks in a story. That a study has the name, or that a
# page is on what is asked, is evidence of its own.


GUIDELINE_SHARE = 0.4
"""Share of a threshold that a section of a guideline has to reach.

Its probability is another than that of other passages (`section_relevance`): by folds that leave guidelines out, the
best section of 93 % of the questions that the digests answer reaches .24, and of 9 % of those on other matters.
"""

TITLE_RELIEF = 0.4
"""Share of a threshold that a page for patients does not have to reach where its title is what is asked about."""

MIN_TITLE_SHARE = 0.5
"""Share of a title from which it is taken for that."""

NAMED_SHARE = 0.75
"""Share of a threshold that remains where a study says every name that the question has."""

OFFERED_SHARE = 0.65
"""Share of what has to be certain that remains where it names a thing of the sort that is asked for as well."""

_WORD = re.compile(r"[^\W_][\w-]*\w")
_ASKS_FOR_USE = re.compile(r"\buse[ds]? (?:for|of|as|in)\b", re.IGNORECASE)
"""What asks for a disease of a drug, and of anything else for what it does."""

_CAPITAL_WITHIN = re.compile(r"\w+[A-Z]|\w*\d")


def lower_threshold(threshold: float, question: Question, passage: Passage) -> float:
    """The probability that a passage has to reach where `threshold` is asked for; less for a section of a guideline,
    for a study that names what the question names, and for a page on it."""
    if passage.reference.kind == "research":
        return threshold * NAMED_SHARE if _says_names(question.text, passage) else threshold
    if passage.reference.kind == "consumer":
        # The probability that a page for patients has to reach where `threshold` is asked for: the less, the more of
        # its title, or of another name of its subject, stands in the question.
        title = passage.reference.title
        share = share_title(question.wordings, [title, *find_other_names(title, [passage.text])])
        return threshold * (1 - TITLE_RELIEF * share) if share >= MIN_TITLE_SHARE else threshold
    return threshold * GUIDELINE_SHARE if passage.reference.kind == "guideline" else threshold


def find_study_certainty(threshold: float, question: Question, passage: Passage) -> float:
    """The probability from which a study answers for certain, where `threshold` is asked for.

    It is lower where the study says the names of the question: least where it names a disease, a drug, a place or the
    like that is asked for, and not at all where that is asked for and not named, unless it is asked what something is
    used for. Chosen on the half of BioASQ's development questions that is tuned on: of 226 nine are left unanswered
    and not 14, and of those whose answer was hidden 79 are answered and not 78.
    """
    if not _says_names(question.text, passage):
        return threshold
    things = list_asked_things(question.text, NAMED_SORTS)
    if not things:
        return threshold * NAMED_SHARE
    if any(names_thing(thing, question.text, passage.text) for thing in things):
        return threshold * OFFERED_SHARE
    return threshold * NAMED_SHARE if _ASKS_FOR_USE.search(question.text) else threshold


def _says_names(question: str, passage: Passage) -> bool:
    """Whether a study says every name of a question that has one, each term, and a figure where one is asked for."""
    names, terms = _find_names(question)
    if not names:
        return False
    text = text_under_titles(passage)
    wanted = detect_requested_quantities(question)
    is_named = not list_missing_terms(terms, text) and not list_missing_terms(names, text)
    return is_named and (not wanted or has_asked_figure(wanted, text))


@lru_cache(maxsize=64)
def _find_names(question: str) -> tuple[tuple[RequiredEntity, ...], tuple[RequiredEntity, ...]]:
    terms = find_required_entities(Question(text=question))
    words = [word for word in _WORD.finditer(question) if (word.start() and _is_name(word[0])) or _is_unknown(word[0])]
    names = [RequiredEntity(word[0], "name", re.compile(rf"\b{re.escape(word[0])}", re.IGNORECASE)) for word in words]
    return (*(term for term in terms if term.kind == "name"), *names), terms


def _is_name(word: str) -> bool:
    """Whether a word within a sentence is a name as it is written: "XIPERE", "f-scLVM", "WormBase", "Wormbase"."""
    return (
        len(word) > 2
        and (is_symbol(word) or bool(_CAPITAL_WITHIN.match(word)) or word[0].isupper())
        and not (word.isdecimal())
    )


def _is_unknown(word: str) -> bool:
    """Whether neither a guideline nor everyday English has a word: "perforin"."""
    stems = content_stems(word)
    return bool(stems) and all(rate_rarity(stem) == UNKNOWN_RARITY for stem in stems)
