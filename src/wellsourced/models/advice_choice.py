"""Which sentence of guidelines decides a question of yes or no, and how likely: a choice among readings, or none.

Each sentence that says yes or no to something is weighed by how much of what is asked it has, the words that say it,
the tests that it fails, and its place in the ranking. All of them, and that none decides, share one probability; what
speaks against each other takes it from each other. `advice_choice.json`
is written by benchmarks/fit_advice_choice.py (eb43d2cc).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.claims.advice_signs import SIGN_TIERS
from wellsourced.claims.guideline_advice import (
    PROVISO,
    AdviceReading,
    AskedAdvice,
    cover_question,
    list_readings,
    read_asked_advice,
)
from wellsourced.claims.question_profile import find_condition
from wellsourced.claims.question_terms import QuestionTerm, has_word, list_asked_words, read_words, weigh_coverage
from wellsourced.claims.required_entities import RequiredEntity, list_missing_terms
from wellsourced.medicine.drugs import find_prescribed_drugs, matching_drugs
from wellsourced.models.modifiers import Modifier, find_modifiers, list_unsaid
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.question.requested_quantity import holds_for_named
from wellsourced.text.logistic import log_odds, read_fitted
from wellsourced.text.passages import last_heading, words_under_title
from wellsourced.text.ranking import share_probability
from wellsourced.text.tokens import content_stems
from wellsourced.types import Question, Value

ADVISING_UNITS = 25
"""Units of guidelines, the best, of which one may decide."""

MAX_READINGS = 80
"""Sentences of them that are read."""

EXCLUDING_TESTS = frozenset(
    {
        "other group", "other value", "everybody", "only", "other kind", "together", "comparison", "action",
        "another preferred", "reported", "past", "others",
    }
)  # fmt: skip
"""Tests that a reading must not fail if it is to decide."""

_ASIDE = re.compile(r"\([^)]*\)|\b(?:unlike|in contrast to|as opposed to)\b[^.;,]*", re.IGNORECASE)
"""What names other drugs only to set them off."""

MIN_FACT_COVERAGE = 0.8
"""Share of what is asked that a sentence has, with its heading, which affirms it without advising."""

CONTRARY_SHARE = 0.9
"""Share of the leading sentence's words of the question from which another that says the contrary leaves it open."""

MIN_LEAD_SHARE = 0.4
"""Share of the likeliest sentence's probability from which one leads in its place that says it more plainly."""

CASE_KINDS = frozenset({"population", "setting", "site", "route", "test", "property", "edition"})
"""Kinds of what a question names that a reading has to speak of, or its unit, or the titles above it."""


class DecidingReading(NamedTuple):
    """A sentence as an answer, its unit, and what speaks for it."""

    reading: AdviceReading
    choice: QuoteCandidate
    features: dict[str, float]


class AdviceModel(Value):
    """How features become odds that a reading decides, against none.

    weights     feature → its mean and spread in what was fitted on, and its weight per spread
    threshold   probability of "yes" or "no" from which it is said
    precision   share of what was said that was right, and by the right sentence, with the author left out
    fitted_on   the questions, in words
    """

    weights: dict[str, tuple[float, float, float]]
    intercept: float
    threshold: float
    precision: float = 0.5
    fitted_on: str = ""

    def rate(self, features: Mapping[str, float]) -> float:
        """The logarithm of the odds. Raises KeyError for a missing feature."""
        scaled = ((features[name] - mean) / spread * weight for name, (mean, spread, weight) in self.weights.items())
        return self.intercept + math.fsum(scaled)


@cache
def load_advice_model() -> AdviceModel:
    """What comes with this package."""
    return read_fitted(AdviceModel, "wellsourced.models", "advice_choice.json")


class AdviceChoice(NamedTuple):
    """What the readings say together: +1 for yes, -1 for no, how likely, and the one that says it best.

    is_contradicted   whether another, of as much of what is asked, says the contrary: then neither is said
    """

    sign: int
    probability: float
    best: DecidingReading
    is_contradicted: bool = False


def choose_advice(readings: Sequence[DecidingReading], model: AdviceModel) -> AdviceChoice | None:
    """The likelier answer, whatever its probability; None where nothing says yes or no."""
    kept = _prefer_branch(readings, model)
    pairs = list(zip(share_probability([model.rate(one.features) for one in kept]), kept, strict=True))
    sums = {sign: math.fsum(share for share, one in pairs if one.reading.sign == sign) for sign in (1, -1)}
    if not pairs:
        return None
    sign = max(sums, key=lambda one: sums[one])
    agreeing = [pair for pair in pairs if pair[1].reading.sign == sign]
    top = max(share for share, _ in agreeing)
    best = max(agreeing, key=lambda pair: (pair[0] >= MIN_LEAD_SHARE * top and _says_it_plainly(pair[1]), pair[0]))
    is_contradicted = any(_contradicts(one, best[1]) for one in kept)
    return AdviceChoice(sign, sums[sign], best[1], is_contradicted)


def _prefer_branch(readings: Sequence[DecidingReading], model: AdviceModel) -> list[DecidingReading]:
    """Without the contrary of a branch into which a value of the question falls, where it says nothing of values."""
    best = max(readings, key=lambda one: model.rate(one.features), default=None)
    if best is None or not best.features["holds"]:
        return list(readings)
    return [one for one in readings if one.features["holds"] or one.reading.sign == best.reading.sign]


def _contradicts(one: DecidingReading, best: DecidingReading) -> bool:
    is_contrary = one.reading.sign != best.reading.sign and one.reading.tier == best.reading.tier
    return is_contrary and all(
        one.features[name] >= CONTRARY_SHARE * best.features[name] for name in ("all own", "all near", "core own")
    )


def _says_it_plainly(one: DecidingReading) -> bool:
    """Whether a sentence grades its advice, and fails no test: "not recommended" before what a trial found."""
    return one.reading.tier == "graded" and not one.reading.failed - {"subject"}


def list_deciding_readings(
    question: Question,
    choices: Sequence[QuoteCandidate],
    terms: Sequence[RequiredEntity],
) -> list[DecidingReading]:
    """Every sentence of the best units of guidelines that says yes or no to something, with its features."""
    asked, words = read_asked_advice(question.text), list_asked_words(question)
    units = [one for one in choices if one.passage.reference.kind == "guideline"][:ADVISING_UNITS]
    found = [
        DecidingReading(reading, unit, {})
        for unit in units
        for reading in list_readings(asked, unit.unit.own_text, read_above(unit))
    ][:MAX_READINGS]
    described = zip(found, _describe(asked, words, terms, units, found), strict=True)
    kept = [one._replace(features=features) for one, features in described if _may_decide(one.reading, features)]
    return [one for one in kept if not one.features["misses particular"]]


def _may_decide(reading: AdviceReading, features: Mapping[str, float]) -> bool:
    """Whether a reading speaks of all that is named, of the drug that is asked of, and of no other case."""
    is_of_case = not (reading.failed & EXCLUDING_TESTS or features["misses case"] or features["holds not"])
    is_of_drug = not features["lacks core drug"] and not features["other drug"]
    is_bare = features["factual for"] and (features["asks advice"] or features["asking near"] < MIN_FACT_COVERAGE)
    return is_of_case and is_of_drug and not is_bare


def read_above(choice: QuoteCandidate) -> str:
    """The titles and the lines that a unit stands under."""
    lines = (choice.passage.text[start:end] for start, end in choice.unit.spans[: choice.unit.context])
    return "\n".join(one for one in (words_under_title(choice.passage, ""), *lines) if one)


def _describe(
    asked: AskedAdvice,
    words: Sequence[QuestionTerm],
    terms: Sequence[RequiredEntity],
    units: Sequence[QuoteCandidate],
    found: Sequence[DecidingReading],
) -> Iterator[dict[str, float]]:
    modifiers = find_modifiers(asked.question, asked.core, words)
    places = {id(one): place for place, one in enumerate(units)}
    for one in found:
        yield {
            **_place_features(one.choice, places[id(one.choice)], units[0]),
            **_word_features(words, asked, one),
            **_reading_features(asked, one, terms, modifiers),
        }


def _place_features(choice: QuoteCandidate, place: int, best: QuoteCandidate) -> dict[str, float]:
    return {
        "share": choice.score / best.score if best.score else 1.0,
        "place": math.log1p(place),
        "likeness": log_odds(choice.likeness, 0.001),
        "relevance": log_odds(choice.relevance, 0.001),
        "other guideline": float(choice.passage.reference.id != best.passage.reference.id),
        "is row": float(choice.unit.layout == "row"),
    }


def _word_features(words: Sequence[QuestionTerm], asked: AskedAdvice, one: DecidingReading) -> dict[str, float]:
    """How much of what is asked stands in the sentence, near it, and above it."""
    choice = one.choice
    own = read_words(one.reading.words)
    near = read_words(f"{last_heading(choice.passage.section)} {choice.unit.text}")
    whole = read_words(words_under_title(choice.passage, choice.unit.text))
    asking = [word for word in words if word.is_asking] or list(words)
    in_own, in_near, in_whole = ([has_word(text, word) for word in words] for text in (own, near, whole))
    core_stems = set(content_stems(asked.core))
    core = [word for word in words if word.stem in core_stems] or asking
    core_own, core_near = ([has_word(text, word) for word in core] for text in (own, near))
    lacking_core = [word for word, there in zip(core, core_near, strict=True) if not there]
    core_whole = [has_word(whole, word) for word in core]
    asked_drugs = [drug for word in core if word.kind == "drug" for drug in find_prescribed_drugs(word.text)]
    said_drugs = find_prescribed_drugs(_ASIDE.sub(" ", one.reading.words))
    named_drugs = (*asked_drugs, *find_prescribed_drugs(asked.question))
    is_other = bool(asked_drugs and said_drugs) and not any(core_own) and not matching_drugs(said_drugs, named_drugs)
    lacking = [word for word, there in zip(words, in_whole, strict=True) if not there]
    return {
        "asking own": weigh_coverage(asking, [has_word(own, word) for word in asking]),
        "asking near": weigh_coverage(asking, [has_word(near, word) for word in asking]),
        "asking whole": weigh_coverage(asking, [has_word(whole, word) for word in asking]),
        "all own": weigh_coverage(words, in_own),
        "all near": weigh_coverage(words, in_near),
        "all whole": weigh_coverage(words, in_whole),
        "lacks rarest": max((word.rarity for word in lacking), default=0.0),
        "lacks rarest asking": max((word.rarity for word in lacking if word.is_asking), default=0.0),
        "lacks asking": float(min(3, sum(word.is_asking for word in lacking))),
        "core own": weigh_coverage(core, core_own),
        "core near": weigh_coverage(core, core_near),
        "core whole": weigh_coverage(core, core_whole),
        "lacks core own": float(not any(core_own)),
        "lacks core near": float(not any(core_near)),
        "lacks rarest core": max((word.rarity for word in lacking_core), default=0.0),
        "core drug": float(any(word.kind == "drug" for word in core)),
        "lacks core drug": float(any(word.kind == "drug" for word in lacking_core)),
        "other drug": float(is_other),
        "asking words": math.log1p(len(asking)),
    }


def _reading_features(
    asked: AskedAdvice, one: DecidingReading, terms: Sequence[RequiredEntity], modifiers: Sequence[Modifier]
) -> dict[str, float]:
    """By which words it says it, the tests that it fails, and whether it holds for the values that are given."""
    reading, said = one.reading, words_under_title(one.choice.passage, one.choice.unit.text)
    own = f"{read_above(one.choice)}\n{reading.words}"
    missing = list_missing_terms(terms, said)
    holds = holds_for_named(asked.question, find_condition(one.choice.unit, one.choice.passage))
    holds = holds_for_named(asked.question, reading.words) if holds is None else holds
    return {
        **{tier: float(reading.tier == tier) for tier in (*SIGN_TIERS, "lead-in")},
        "fails subject": float("subject" in reading.failed),
        "factual for": float(reading.tier == "factual" and reading.sign * asked.sign > 0),
        "against": float(reading.sign * asked.sign < 0),
        "asks advice": float(asked.asks_advice),
        "asks against": float(asked.sign < 0),
        "misses case": float(any(term.kind in CASE_KINDS for term in missing)),
        "misses particular": float(_misses_modifier(one, modifiers, own)),
        "missing terms": float(min(2, len(missing))),
        "conditional": float(reading.is_conditional),
        "clause": float(reading.is_clause),
        "holds": float(holds is True),
        "holds not": float(holds is False),
        "covers": cover_question(asked.claim, own),
        "length": math.log1p(len(reading.words.split())),
    }


def _misses_modifier(one: DecidingReading, modifiers: Sequence[Modifier], said: str) -> bool:
    """Whether a modifier of the question is not spoken of.

    What holds "unless contraindicated" has to speak of it in its own words, or its guideline be of it.
    """
    if PROVISO.search(one.reading.words):
        said = f"{one.choice.passage.reference.title}\n{one.reading.words}"
    return bool(list_unsaid(modifiers, said))
