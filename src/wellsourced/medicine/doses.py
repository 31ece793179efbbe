"""Doses with what makes them comparable: the unit, the route, the frequency and the people they are for.

A claim may give a dose only as a sentence of its source does. What cannot be told apart from a dose (a level in blood,
a volume that was lost) is none here: its number and unit are the guard's business.
"""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.measurements import extract_age, find_age_ranges
from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.medicine.rates import find_frequencies
from wellsourced.text.tables import read_alternatives
from wellsourced.text.typography import normalize_characters

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read: a bound for hostile texts."""

SPECIAL_PEOPLE = frozenset(
    {"child", "infant", "newborn", "adolescent", "old", "pregnant", "breastfeeding", "kidney", "liver", "obese"}
)
"""Classes of people whose doses are not those of others."""


class Dose(NamedTuple):
    """An amount of a drug, and what is said of it in its part of the sentence.

    unit     canonical, "mg/kg"; a day or a week below the line is a rhythm
    frequencies   how often: "1 a day", "every 8 hour"; none where the sentence gives none in this place
    nearby_frequencies   the same, or that of its neighbours in the sentence where it has none
    routes, people   classes: "by mouth", "child", "age 65"
    """

    amount: Decimal
    unit: str
    frequencies: frozenset[str]
    nearby_frequencies: frozenset[str]
    routes: frozenset[str]
    people: frozenset[str]


def find_dose_conflict(claim: str, lines: Sequence[str], asked: str = "") -> str:
    """The first dose of a claim that no line gives, or only otherwise, in words; "" for none.

    A route or a rhythm that only one side names is no conflict. Special people that a line names have to be those of
    the claim, or of what was `asked`, and the other way round.
    """
    sourced = [dose for line in lines for dose in extract_doses(line)]
    amounts = {(one.value, one.unit) for line in lines for one in extract_quantities(line)}
    known = _extract_people(normalize_characters(asked).lower())
    for dose in extract_doses(claim):
        alike = [given for given in sourced if (given.amount, given.unit) == (dose.amount, dose.unit)]
        is_said = any(_is_compatible_dose(dose, given, known) for given in alike)
        if not is_said and (alike or (dose.amount, dose.unit) not in amounts):
            return f"{dose.amount.normalize():f} {dose.unit}"
    return ""


def _is_compatible_dose(dose: Dose, given: Dose, known: frozenset[str]) -> bool:
    sides = ((dose.routes, given.routes), (dose.frequencies, given.nearby_frequencies))
    is_for_them = given.people & SPECIAL_PEOPLE <= dose.people | known
    # The dose of adults is none of children's; where the line names nobody, it may be anybody's.
    is_theirs = not given.people or dose.people & SPECIAL_PEOPLE <= given.people | known
    return is_for_them and is_theirs and all(not one or not other or one & other for one, other in sides)


def extract_doses(sentence: str) -> list[Dose]:
    """The doses of one sentence, in order."""
    text = normalize_characters(sentence[:MAX_SENTENCE_LENGTH])
    found = [quantity for quantity in extract_quantities(text) if is_dose(quantity, text)]
    # The sentence in parts that each hold one dose, parted where it parts them itself, in lower case.
    cuts = [0, *(_find_cut(text, one.start, other.start) for one, other in pairwise(found)), len(text)]
    segments = [text[start:end].lower() for start, end in pairwise(cuts)] if found else []
    own = [extract_frequencies(part) for part in segments]
    # "5 mg/day" is "5 mg daily".
    for at, quantity in enumerate(found):
        own[at] |= {f"1 a {part}" for part in quantity.unit.split("/")[1:] if part in _RHYTHM_UNITS}
    sides = (
        own,
        _inherit_classes(own),
        _inherit_classes([_match_classes("route", part) for part in segments]),
        _inherit_classes([_extract_people(part) for part in segments]),
    )
    units = ("/".join(part for part in one.unit.split("/") if part not in _RHYTHM_UNITS) for one in found)
    return [Dose(one.value, unit, *said) for one, unit, *said in zip(found, units, *sides, strict=True)]


# --- what is a dose ------------------------------------------------------------------------------------------------

_MASS_UNITS = frozenset({"mg", "mcg", "iu"})
_AMOUNT_UNITS = frozenset({"g", "ng", "ml", "l", "u", "mmol", "meq", "mol", "µmol"})
_CLEARANCE_UNITS = ("ml/minute", "l/minute")
"""How fast a kidney clears blood, or a mask gives oxygen: no dose."""

_PER_BODY_UNITS = frozenset({"kg", "m2"})
_PER_FORM_UNITS = frozenset({"tablet", "capsule", "puff", "drop"})
_RHYTHM_UNITS = frozenset({"day", "week"})
_PER_TIME_UNITS = _RHYTHM_UNITS | {"hour", "minute", "month"}
_DOSING_WORD = lazy_regex(
    r"\b(?:dos(?:e|es|ed|ing|age)|daily|twice|once|every|hourly|weekly|administ\w+|giv(?:e|en|ing)|tak(?:e|es|en|ing)"
    r"|start\w*|initiat\w*|tablets?|capsules?|oral(?:ly)?|iv|intraven\w+|subcut\w+|intramusc\w+|inject\w*|infus\w*"
    r"|bolus|titrat\w*|receiv\w*|maximum|prescri\w*|supplement\w*|q\d+h|bid|tid|qid|mouth|drip)\b",
    re.IGNORECASE,
)
_MEASUREMENT_WORD = lazy_regex(
    r"\b(?:serum|plasma|levels?(?! of evidence)|clearance|e?gfr|crcl|concentrations?"
    r"|excret\w+|albuminuria|proteinuria|blood loss|h(?:a)?emorrhage|urine"
    r"|output|glucose|cholesterol|creatinine|ferritin|weigh\w*|tumou?r volume|residual)\b",
    re.IGNORECASE,
)


def is_dose(quantity: Quantity, text: str) -> bool:
    """By its unit, and by what the sentence speaks of where the unit alone does not tell."""
    first, *below = quantity.unit.split("/")
    is_amount = first in _MASS_UNITS | _AMOUNT_UNITS and not quantity.unit.startswith(_CLEARANCE_UNITS)
    if not is_amount or not set(below) <= _PER_BODY_UNITS | _PER_FORM_UNITS | _PER_TIME_UNITS:
        return False
    if set(below) & _PER_BODY_UNITS:
        return True
    dosed, measured = _DOSING_WORD.search(text) is not None, _MEASUREMENT_WORD.search(text) is not None
    return (dosed or not measured) if first in _MASS_UNITS else (dosed and not measured)


def has_dose(text: str) -> bool:
    """Whether a text names an amount as doses are given, of whatever: grams, too, but not those in a litre."""
    for one in extract_quantities(text):
        first, *below = one.unit.split("/")
        is_of_whole = set(below) <= _PER_BODY_UNITS | _PER_FORM_UNITS | _PER_TIME_UNITS
        if first in _MASS_UNITS | {"u", "ml"} or (first in _AMOUNT_UNITS | _PER_FORM_UNITS and is_of_whole):
            return True
    return False


# --- which words belong to which dose ------------------------------------------------------------------------------

_SEPARATORS = (
    lazy_regex(r";|\.\s"),
    lazy_regex(r",?\s(?:and|or|whereas|while|but|versus|vs\.?|then|followed by)\s", re.IGNORECASE),
    lazy_regex(r",|\("),
)


def _find_cut(text: str, one: int, other: int) -> int:
    """Where the part of one dose ends and that of the next begins."""
    for separator in _SEPARATORS:
        if found := list(separator.finditer(text, one, other)):
            return found[-1].start() if separator is _SEPARATORS[1] else found[0].start()
    return other


def _inherit_classes(found: list[frozenset[str]]) -> list[frozenset[str]]:
    """A part that names nobody speaks of those whom the part before it names; the first, of those behind it."""
    result: list[frozenset[str]] = []
    first = next((classes for classes in found if classes), frozenset[str]())
    for classes in found:
        result.append(classes or (result[-1] if result else first))
    return result


# --- routes, people and rhythms ------------------------------------------------------------------------------------


_CLASSES = {
    key: lazy_regex(rf"\b(?:{words})(?!\w)")
    for key, words in read_alternatives("wellsourced.medicine", "doses.tsv").items()
}
"""Kind and name of a class of routes or people → the words that say it."""

_WEIGH = lazy_regex(r"\bweigh\w*\s(?:[a-z<>≤≥=]+\s){0,3}\Z")
_CHANGE_BEFORE = lazy_regex(r"\b(?:doubl|titrat|adjust|reassess|monitor|check|review)\w*(?: (?!to\b)[\w./-]+){0,6} \Z")
"""What comes so often is a change of the dose, and not the dose: "doubled every two weeks"."""

_AT_ONCE = lazy_regex(
    r"\b(?:loading|bolus|one-time|stat|single(?=[ -](?:(?:iv|im|oral|intra\w+|sub\w+|loading) )?"
    r"(?:dos\w+|bolus|infusion|injection|shot|tablet|administration)))\b"
)


def _match_classes(wanted: str, text: str) -> frozenset[str]:
    return frozenset(name for (kind, name), pattern in _CLASSES.items() if kind == wanted and pattern.search(text))


def _extract_people(text: str) -> frozenset[str]:
    ages = {end for span in find_age_ranges(text) for end in (span.low, span.high)} | {extract_age(text)}
    weights = (one.value for one in extract_quantities(text) if _WEIGH.search(text, 0, one.start))
    return (
        _match_classes("people", text)
        | {f"age {years:.3g}" for years in ages if years is not None and 0 < years < math.inf}
        | {f"weight {number:f}" for number in weights}
    )


def extract_frequencies(text: str) -> frozenset[str]:
    """How often a text in small letters says that something is given: "2 a day"; of a range the most."""
    found = frozenset(
        f"{one.high:g} a {one.period}"
        for one in find_frequencies(text)
        if not _CHANGE_BEFORE.search(text, max(0, one.start - 60), one.start)
    )
    return found | {"at once"} if _AT_ONCE.search(text) else found
