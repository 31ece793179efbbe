"""Whether what was found says yes or no to a question, and which unit decides: said only as far as it was measured.

Guidelines say it by what they advise: `advice_choice.py` weighs which sentence decides. Of studies a logistic model
weighs the best units together. `yes_no_weights.json` is written by benchmarks/fit_yes_no.py (eb43d2cc).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from wellsourced.claims.advice_signs import strip_opening
from wellsourced.claims.guideline_advice import AskedAdvice, find_sign, read_asked_advice, split_advice
from wellsourced.claims.question_terms import list_asked_words
from wellsourced.claims.required_entities import RequiredEntity, list_missing_terms
from wellsourced.claims.yes_no_questions import (
    describe_answer,
    describe_question,
    find_polarity,
    is_yes_no_question,
    mentions_subject,
    names_other_group,
)
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.drugs import covers_drug, find_prescribed_drugs, matching_drugs
from wellsourced.medicine.scope import is_denied
from wellsourced.medicine.word_forms import word_beginnings
from wellsourced.models.advice_choice import (
    DecidingReading,
    choose_advice,
    list_deciding_readings,
    load_advice_model,
    read_above,
)
from wellsourced.models.modifiers import Modifier, find_modifiers, leaves_manner_open
from wellsourced.models.study_leads import rank_study_leads
from wellsourced.models.unit_choice import QuoteCandidate, leave_out
from wellsourced.question.question_types import is_patient_question
from wellsourced.text.logistic import read_fitted, sigmoid
from wellsourced.text.passages import SEPARATOR, words_under_title
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
        return sigmoid(self.intercept + sum(scaled))


@cache
def load_yes_no_model() -> YesNoModel:
    """What comes with this package."""
    return read_fitted(YesNoModel, "wellsourced.models", "yes_no_weights.json")


def decide_yes_no(
    question: Question,
    choices: Sequence[QuoteCandidate],
    terms: Sequence[RequiredEntity] = (),
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


def promote_deciding(chosen: Sequence[QuoteCandidate], deciding: QuoteCandidate) -> list[QuoteCandidate]:
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
    question: str, studies: Sequence[QuoteCandidate], sign: int, terms: Sequence[RequiredEntity]
) -> QuoteCandidate | None:
    """The unit that would lead best of those that by themselves say what all say together, of what is asked.

    studies   those that are weighed, by how well each would lead
    """
    for one in studies:
        described = describe_answer(question, one.unit.text)
        if (
            find_polarity(described) == sign
            and described["coverage"] >= MIN_DECIDING_COVERAGE
            and _mentions_asked(question, one, terms)
        ):
            return one
    return None


# What rules something out for the very case that is asked about: "contraindicated in (pregnancy, …)", "avoid in …".
#
# It decides, and leads, before what is advised in general.


EXCLUDING_UNITS = 80
"""Units of guidelines, the best, that are read for what rules a case out."""

MIN_CORE_SHARE = 0.5
"""Share of what is to be done that a sentence names which contradicts."""

_MARK = (
    r"(?:contra-?indicat(?:ed|ions?|e)|avoid(?:ed|ing|s)?|harmful|unsafe|class iii: harm"
    r"|(?:not|never)\s+(?:be\s+)?(?:\w+\s+){0,1}(?:recommended|used?|giv(?:e|en)|start(?:ed)?|initiated?|prescribed"
    r"|administered|considered|appropriate))"
)
_RULES_OUT = lazy_regex(rf"\b{_MARK}\b", re.IGNORECASE)
_TURNED = lazy_regex(
    r"\b(?:no|not|non|never|without|unless|except|absence of|any|lack of|relative(?:ly)?)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_PART_END = lazy_regex(
    rf"[;.]\s|,?\s\b(?:but|however|whereas|while|instead|prefer|consider)\b"
    rf"|\b(?:only\s+)?(?:when|if|where)\b(?=[^.;]*\b{_MARK})",
    re.IGNORECASE,
)
_STEP = lazy_regex(r"\s(?:->|-->|→)\s")

MAX_STEPS = 2
"""Steps of a line that are one sentence: "Severe (CrCl ≤ 30) → do not use"."""

_EXCEPTION = lazy_regex(r"\b(?:unless|except|other than|apart from|unlike|without|in the absence of)\b", re.IGNORECASE)
_DEGREE = lazy_regex(
    r"\b(severe|moderate|mild|acute|active|recent|decompensated|uncontrolled|advanced|end-stage)\b",
    re.IGNORECASE,
)
_WITHIN = lazy_regex(r"\bwithin\b[^.;,)]*", re.IGNORECASE)
_DEGREE_REACH = 30
"""Characters before a modifier in which a degree of it may stand: "severe renal impairment"."""

_DENIAL_REACH = 120
"""Characters before it that may deny it."""

_ITEM_START = lazy_regex(r"[,;(]")


class CaseExclusion(NamedTuple):
    """A sentence that rules a case out, its unit, and what it says to the question: +1 for yes, -1 for no."""

    sign: int
    words: str
    choice: QuoteCandidate


def find_exclusion(question: Question, choices: Sequence[QuoteCandidate]) -> CaseExclusion | None:
    """What rules out, for a modifier of the question, what is to be done; None where nothing does.

    The subject of a whole guideline is no modifier of its sentences.
    """
    asked = read_asked_advice(question.text)
    modifiers = find_modifiers(question.text, asked.core, list_asked_words(question))
    if not asked.asks_advice:
        return None
    for choice in [one for one in choices if one.passage.reference.kind == "guideline"][:EXCLUDING_UNITS]:
        further = list_further(modifiers, choice)
        above = read_above(choice)
        for sentence in find_excluding_sentences(asked, further, choice.unit.own_text, above) if further else ():
            return CaseExclusion(-asked.sign, sentence, choice)
    return None


def list_further(modifiers: Sequence[Modifier], choice: QuoteCandidate) -> list[Modifier]:
    """Those that are not the subject of the guideline."""
    return [one for one in modifiers if not one.find_in(choice.passage.reference.title)]


def contradicts_exclusion(question: Question, one: DecidingReading, exclusion: CaseExclusion) -> bool:
    """Whether a sentence says the contrary of the very case, in its own words and under no condition."""
    asked = read_asked_advice(question.text)
    further = list_further(find_modifiers(question.text, asked.core), one.choice)
    is_graded = (
        one.reading.tier == "graded"
        and "subject" not in one.reading.failed
        and one.features["core own"] >= MIN_CORE_SHARE
    )
    is_contrary = one.reading.sign != exclusion.sign and is_graded and not one.reading.is_conditional
    return is_contrary and bool(further) and all(each.is_said(one.reading.words) for each in further)


def find_excluding_sentences(asked: AskedAdvice, modifiers: Sequence[Modifier], text: str, above: str) -> Iterator[str]:
    """The sentences of a text that rule out what is to be done for one of the modifiers.

    modifiers   those that are not the subject of the whole guideline
    above         the titles and lines under which the text stands
    """
    last_lines = "\n".join(above.splitlines()[-2:])
    for sentence in split_advice(text):
        if names_other_group(asked.claim, f"{last_lines}\n{sentence}"):
            continue
        plain = sentence.replace("*", "")
        steps = _STEP.split(plain)
        parts = [part for step in (steps if len(steps) > MAX_STEPS else [plain]) for part in _PART_END.split(step)]
        if any(_rules_out(asked, modifiers, part, last_lines) for part in parts):
            yield sentence


def _rules_out(asked: AskedAdvice, modifiers: Sequence[Modifier], part: str, above: str) -> bool:
    said = _EXCEPTION.split(part, maxsplit=1)[0]
    is_marked = _is_marked(said) or (_is_marked(above) and not _RULES_OUT.search(part) and find_sign(part)[1] <= 0)
    return (
        is_marked
        and _mentions_action(asked, modifiers, said, above)
        and any(_has(one, asked, said) for one in modifiers)
    )


def _is_marked(text: str) -> bool:
    return any(not _TURNED.search(text[: found.start()]) for found in _RULES_OUT.finditer(text))


def _mentions_action(asked: AskedAdvice, modifiers: Sequence[Modifier], part: str, above: str) -> bool:
    """Whether it is of the drug that is asked about, or its class; of what is no drug, whether it has all its words."""
    drugs = find_prescribed_drugs(asked.core)
    if not drugs:
        wanted = word_beginnings(asked.core)
        return bool(wanted) and wanted <= word_beginnings(f"{above}\n{part}")
    taken = [one.drug for one in modifiers if one.drug]
    others = tuple(one for one in find_prescribed_drugs(part) if not matching_drugs([one], taken))
    headings = reversed(re.split(rf"\n|{SEPARATOR}", above))
    named = others or next(filter(None, map(find_prescribed_drugs, headings)), ())
    return any(covers_drug(one, drug) and (drug.drug or not one.drug) for one in named for drug in drugs)


def _has(modifier: Modifier, asked: AskedAdvice, part: str) -> bool:
    """Whether a part has a modifier, in no degree and within no time of which the question is silent."""
    if (within := _WITHIN.search(part)) and within[0] not in asked.question:
        return False
    return any(_is_as_asked(modifier, asked, part, start, end) for start, end in modifier.find_in(part))


def _is_as_asked(modifier: Modifier, asked: AskedAdvice, part: str, start: int, end: int) -> bool:
    before = part[max(0, start - _DENIAL_REACH) : start]
    if is_denied(part, start, end) and not _RULES_OUT.search(before):
        return False
    degrees = _list_degrees(_ITEM_START.split(before)[-1][-_DEGREE_REACH:] + part[start:end])
    return bool(modifier.figure) or not degrees or bool(degrees & _list_degrees(asked.question))


def _list_degrees(text: str) -> set[str]:
    return {one.lower() for one in _DEGREE.findall(text)}


def _decide_by_guidelines(
    question: Question, choices: Sequence[QuoteCandidate], terms: Sequence[RequiredEntity]
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


def _names_asked(choice: QuoteCandidate, terms: Sequence[RequiredEntity]) -> bool:
    """Whether a unit, under its titles, names what the question names."""
    return not list_missing_terms(terms, words_under_title(choice.passage, choice.unit.text))


def _mentions_asked(question: str, choice: QuoteCandidate, terms: Sequence[RequiredEntity]) -> bool:
    """Whether a unit names what the question names, speaks of its subject, and not of other people or cases instead."""
    said = words_under_title(choice.passage, choice.unit.text)
    is_named = mentions_subject(strip_opening(question), said) and _names_asked(choice, terms)
    return is_named and not names_other_group(question, said)
