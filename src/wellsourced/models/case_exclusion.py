"""The sentence of guidelines that rules out what is asked for the very case that is asked about: it leads."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.claims.asked_advice import read_asked_advice
from wellsourced.models.advice_choice import DecidingReading, read_above
from wellsourced.models.asked_particulars import Particular, find_particulars
from wellsourced.models.excluded_cases import find_excluding_sentences
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.types import Question

EXCLUDING_UNITS = 80
"""Units of guidelines, the best, that are read for what rules a case out."""

MIN_CORE_SHARE = 0.5
"""Share of what is to be done that a sentence names which contradicts."""


class CaseExclusion(NamedTuple):
    """A sentence that rules a case out, its unit, and what it says to the question: +1 for yes, -1 for no."""

    sign: int
    words: str
    choice: QuoteCandidate


def find_exclusion(question: Question, choices: Sequence[QuoteCandidate]) -> CaseExclusion | None:
    """What rules out, for a particular of the question, what is to be done; None where nothing does.

    The subject of a whole guideline is no particular of its sentences.
    """
    asked = read_asked_advice(question.text)
    particulars = find_particulars(question.text, asked.core)
    if not asked.asks_advice:
        return None
    for choice in [one for one in choices if one.passage.reference.kind == "guideline"][:EXCLUDING_UNITS]:
        further = list_further(particulars, choice)
        above = read_above(choice)
        for sentence in find_excluding_sentences(asked, further, choice.unit.own_text, above) if further else ():
            return CaseExclusion(-asked.sign, sentence, choice)
    return None


def list_further(particulars: Sequence[Particular], choice: QuoteCandidate) -> list[Particular]:
    """Those that are not the subject of the guideline."""
    return [one for one in particulars if not one.find_in(choice.passage.reference.title)]


def contradicts_exclusion(question: Question, one: DecidingReading, exclusion: CaseExclusion) -> bool:
    """Whether a sentence says the contrary of the very case, in its own words and under no condition."""
    asked = read_asked_advice(question.text)
    further = list_further(find_particulars(question.text, asked.core), one.choice)
    is_graded = one.reading.tier == "graded" and one.features["core own"] >= MIN_CORE_SHARE
    is_contrary = one.reading.sign != exclusion.sign and is_graded and not one.reading.is_conditional
    return is_contrary and bool(further) and all(each.is_said(one.reading.words) for each in further)
