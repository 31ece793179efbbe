"""Whether what was found says yes or no to a question, and which unit decides: said only as far as it was measured.

Guidelines say it by what they advise: `advice_choice.py` weighs which sentence decides. Of studies a logistic model
weighs the best units together. `yes_no_weights.json` is written by benchmarks/fit_yes_no.py (eb43d2cc) and by nobody's hand.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from wellsourced.claims.advice_signs import strip_opening
from wellsourced.claims.asked_terms import AskedTerm, list_missing_terms
from wellsourced.claims.yes_no_polarity import describe_answer, describe_question, find_polarity
from wellsourced.claims.yes_no_questions import is_yes_no_question, names_other_group, speaks_of_subject
from wellsourced.clinical.patient_questions import is_patient_question
from wellsourced.models.advice_choice import choose_advice, list_deciding_readings, load_advice_model
from wellsourced.models.particulars.asked_manner import leaves_manner_open
from wellsourced.models.particulars.excluded_cases import contradicts_exclusion, find_exclusion
from wellsourced.models.study_leads import rank_study_leads
from wellsourced.models.unit_choice import QuoteCandidate, leave_out
from wellsourced.text.passages import words_under_title
from wellsourced.types import Question, Value

WEIGHED_UNITS = 8
"""Units of studies, the best, that are weighed together."""

SCORE_EXPONENT = 3
"""How much more the better of them count."""

MIN_DECIDING_COVERAGE = 0.3
"""Share of the question's words that a unit of a study has which decides."""

MAX_SPREADS = 4.0
"""Spreads from the mean beyond which a feature counts no more."""


class UnitDecision(NamedTuple):
    """What a unit says to the question, and how likely that is right."""

    label: Literal["yes", "no", "depends"]
    probability: float
    choice: QuoteCandidate


class YesNoModel(Value):
    """How the features of a question and its units become the probability of "yes".

    weights    feature → its mean and spread in what was fitted on, and its weight per spread
    threshold  probability of a label from which it is said
    fitted_on  the questions, in words
    """

    weights: dict[str, tuple[float, float, float]]
    intercept: float
    threshold: float
    fitted_on: str = ""

    def predict_yes(self, described: Mapping[str, float]) -> float:
        """The probability that the answer is "yes". Raises KeyError for a missing feature."""
        scaled = (
            max(-MAX_SPREADS, min(MAX_SPREADS, (described[name] - mean) / spread)) * weight
            for name, (mean, spread, weight) in self.weights.items()
        )
        return 1 / (1 + math.exp(-(self.intercept + sum(scaled))))


@cache
def load_yes_no_model() -> YesNoModel:
    """What comes with this package."""
    content = files("wellsourced.models").joinpath("yes_no_weights.json").read_text(encoding="utf-8")
    return YesNoModel.model_validate(json.loads(content))


def decide_yes_no(
    question: Question,
    choices: Sequence[QuoteCandidate],
    terms: Sequence[AskedTerm] = (),
    model: YesNoModel | None = None,
) -> UnitDecision | None:
    """What the sources say to a question that can be answered by yes or no; None where they do not say it surely.

    choices   units, best first
    terms     what the question names: a unit that decides names all of it, itself or by the titles above it
    """
    if choices and choices[0].passage.reference.kind == "guideline":
        return _decide_by_guidelines(question, choices, terms)
    every = [one for one in choices if one.passage.reference.kind == "research"]
    studies = every[:WEIGHED_UNITS]
    if not studies:
        return None
    fitted = model or load_yes_no_model()
    chance = fitted.predict_yes(describe_units(question.text, studies))
    probability = max(chance, 1 - chance)
    sign = 1 if chance >= 0.5 else -1
    if probability < fitted.threshold:
        return None
    weighed = [one for one in rank_study_leads(question.text, every) if any(one is other for other in studies)]
    if not (unit := _find_deciding_unit(question.text, weighed, sign, terms)):
        return None
    return UnitDecision("yes" if sign > 0 else "no", probability, unit)


def may_be_decided(question: Question) -> bool:
    """Whether "yes" or "no" would answer it, in English, and nobody takes it for advice on themselves or a patient."""
    is_personal = bool(question.patient) or is_patient_question(question.text)
    asks_otherwise = bool(question.options) and not map_yes_no_options(question.options)
    return question.language == "en" and not (asks_otherwise or is_personal) and is_yes_no_question(question.text)


def map_yes_no_options(options: Mapping[str, str]) -> dict[str, str]:
    """What options say → their keys, where they are yes, no and perhaps maybe; {} for any others."""
    keys = {text.strip().strip(".").casefold(): key for key, text in options.items()}
    return keys if {"yes", "no"} <= keys.keys() <= {"yes", "no", "maybe"} else {}


def put_deciding_first(chosen: Sequence[QuoteCandidate], deciding: QuoteCandidate) -> list[QuoteCandidate]:
    """The unit that decides, and then what was chosen without it."""
    rest = (one if one.passage.id != deciding.passage.id else leave_out(one, deciding.unit) for one in chosen)
    return [deciding, *(one for one in rest if one is not None)]


def describe_units(question: str, studies: Sequence[QuoteCandidate]) -> dict[str, float]:
    """The features of a question and the units of studies that may answer it, best first; at least one."""
    described = [describe_answer(question, one.unit.text) for one in studies]
    best = studies[0].score
    shares = [(one.score / best) ** SCORE_EXPONENT if best else 1.0 for one in studies]
    return {
        **describe_question(question),
        **{f"first: {name}": value for name, value in described[0].items()},
        **{f"all: {name}": _average([one[name] for one in described], shares) for name in described[0]},
        "works": math.log(len({one.passage.reference.id for one in studies})),
        "score": min(2.0, best),
    }


def _average(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


def _find_deciding_unit(
    question: str, studies: Sequence[QuoteCandidate], sign: int, terms: Sequence[AskedTerm]
) -> QuoteCandidate | None:
    """The unit that would lead best of those that by themselves say what all say together, of what is asked.

    studies   those that are weighed, by how well each would lead
    """
    for one in studies:
        described = describe_answer(question, one.unit.text)
        if (
            find_polarity(described) == sign
            and described["coverage"] >= MIN_DECIDING_COVERAGE
            and _speaks_of_asked(question, one, terms)
        ):
            return one
    return None


def _decide_by_guidelines(
    question: Question, choices: Sequence[QuoteCandidate], terms: Sequence[AskedTerm]
) -> UnitDecision | None:
    """What rules the case out that is asked about, or the sentence that decides most likely, if it is sure enough."""
    fitted = load_advice_model()
    readings = list_deciding_readings(question, choices, terms)
    if excluding := find_exclusion(question, choices):
        is_contradicted = any(contradicts_exclusion(question, one, excluding) for one in readings)
        label: Literal["yes", "no"] = "yes" if excluding.sign > 0 else "no"
        return None if is_contradicted else UnitDecision(label, fitted.precision, excluding.choice)
    chosen = choose_advice(readings, fitted)
    if chosen is None or chosen.is_contradicted or chosen.probability < fitted.threshold:
        return None
    if chosen.sign > 0 and leaves_manner_open(question.text, chosen.best.choice.unit.text):
        return None
    if chosen.best.reading.is_conditional:
        return UnitDecision("depends", 0.0, chosen.best.choice)
    return UnitDecision("yes" if chosen.sign > 0 else "no", fitted.precision, chosen.best.choice)


def _names_asked(choice: QuoteCandidate, terms: Sequence[AskedTerm]) -> bool:
    """Whether a unit, under its titles, names what the question names."""
    return not list_missing_terms(terms, words_under_title(choice.passage, choice.unit.text))


def _speaks_of_asked(question: str, choice: QuoteCandidate, terms: Sequence[AskedTerm]) -> bool:
    """Whether a unit names what the question names, speaks of its subject, and not of other people or cases instead."""
    said = words_under_title(choice.passage, choice.unit.text)
    is_named = speaks_of_subject(strip_opening(question), said) and _names_asked(choice, terms)
    return is_named and not names_other_group(question, said)
