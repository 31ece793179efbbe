"""The guard: find where a claim and its evidence state a fact differently (a quantity, a negation, a direction, a role,
a population, a drug). `find_disagreements` runs every comparison. Where there is nothing to compare it finds nothing,
and it never decides whether evidence supports a claim. Near duplicates are texts that are alike and differ in no fact.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import NamedTuple

from wellsourced.claims.guard.alignment import align_sentences
from wellsourced.claims.guard.comparisons import detect_changed_facts, detect_role_swaps, is_converse
from wellsourced.claims.guard.disagreement import (
    QUANTITY_KINDS,
    REVERSAL_KINDS,
    Disagreement,
    FactKind,
    compare_populations,
)
from wellsourced.claims.guard.hedging import compare_advice
from wellsourced.claims.guard.negation import MAX_OCCURRENCES, compare_polarity
from wellsourced.medicine.doses import is_dose
from wellsourced.medicine.quantities import Quantity, extract_named_numbers, extract_quantities
from wellsourced.text.tokens import content_stems
from wellsourced.text.typography import normalize_characters

_NUMBER_OR_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\s\w]")
__all__ = ["QUANTITY_KINDS", "REVERSAL_KINDS", "Disagreement", "FactKind", "find_disagreements"]


def find_disagreements(claim: str, evidence: str) -> list[Disagreement]:
    """The facts of the claim that the evidence states otherwise, or (numbers) does not state at all."""
    if claim.split() == evidence.split():
        return []
    comparisons = (compare_quantities, compare_polarity, compare_advice, compare_populations)
    found = [one for compare in comparisons for one in compare(claim, evidence)]
    for copy in align_sentences(claim, evidence):
        if is_converse(copy):
            found = [one for one in found if one.kind != "direction"]
        else:
            found += [*detect_changed_facts(copy), *detect_role_swaps(copy)]
    return list(_deduplicate_quantities(found))


def _deduplicate_quantities(found: Iterable[Disagreement]) -> Iterator[Disagreement]:
    """Of a quantity that several readings found, the first: "75" is no other disagreement than "75 mg"."""
    told = ""
    for one in dict.fromkeys(found):
        if one.kind in QUANTITY_KINDS:
            words = f" {' '.join(_NUMBER_OR_WORD.findall(one.claim))} "
            if words in told:
                continue
            told += f"{words}|"
        yield one


_OMISSIBLE_UNITS = frozenset({"year", "u", "time", "fold"})
"""Units that a text may leave out: "aged 65", "500 heparin"."""

_MAX_QUANTITIES = 500
"""Of one claim that are looked for, at most: a bound for hostile texts."""

_DOSE_WINDOW = 200
"""Characters on either side of a quantity that say whether it is a dose."""

_DECREASE = re.compile(r"\b(?:decreas|reduc|lower|fell\b|fall|declin|loss|lost|less|drop)", re.IGNORECASE)
_TIME_UNITS = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "ms"})
_P_VALUE_LABEL = re.compile(
    r"\bp(?:\s?[<>=≤≥]{1,2}|[\s-]?values?(?:\s?[<>=≤≥]|\s(?:of|was|is)){0,2})\s?\Z", re.IGNORECASE
)
_INTERVAL_LABEL = re.compile(r"(?:\bCIs?\b|\bCrI\b|\bintervals?\b)(?:[^();\]]|\((?=\d)){0,24}\Z", re.IGNORECASE)
_CONFIDENCE_LEVEL = re.compile(r"\s?%?\s?-?(?:CIs?\b|CrI\b|confidence|credible)", re.IGNORECASE)


def compare_quantities(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Quantities, and numbers in names, that the evidence does not have or has with another unit or bound."""
    stated: dict[Decimal, list[Quantity]] = defaultdict(list)
    for quantity in extract_quantities(evidence):
        stated[quantity.value].append(quantity)
    text, falls = normalize_characters(claim), (bool(_DECREASE.search(claim)), bool(_DECREASE.search(evidence)))
    for quantity in extract_quantities(claim)[:_MAX_QUANTITIES]:
        found = _compare_quantity(quantity, stated, *falls)
        if found and found.kind in ("number", "unit"):
            found = found._replace(kind=classify_quantity(quantity, text) or found.kind)
        if found:
            yield found
    known = defaultdict(set)
    for named in extract_named_numbers(evidence):
        known[named.name].add(named.number)
    for named in extract_named_numbers(claim):
        if named.name in known and named.number not in known[named.name]:
            yield Disagreement("number", named.words, ", ".join(sorted(known[named.name])))


def classify_quantity(quantity: Quantity, text: str) -> FactKind | None:
    """What a quantity of the text is, where that says more than that it is a number with a unit."""
    before = text[max(0, quantity.start - 40) : quantity.start]
    if _P_VALUE_LABEL.search(before):
        return "p-value"
    if _INTERVAL_LABEL.search(before) and not _CONFIDENCE_LEVEL.match(text, quantity.start + len(quantity.words)):
        return "interval"
    first = quantity.unit.split("/")[0]
    if first == "%":
        return "percentage"
    if quantity.unit in _TIME_UNITS:
        return "time"
    around = text[max(0, quantity.start - _DOSE_WINDOW) : quantity.start + _DOSE_WINDOW]
    return "dose" if quantity.unit and is_dose(quantity, around) else None


def _compare_quantity(
    wanted: Quantity, stated: dict[Decimal, list[Quantity]], claim_falls: bool, evidence_falls: bool
) -> Disagreement | None:
    """Why a quantity of the claim is not among those of the evidence."""
    # "a change of −5" and "decreased by 5" are the same.
    falls = claim_falls if wanted.value > 0 else evidence_falls
    same = stated.get(wanted.value) or (falls and stated.get(-wanted.value))
    if not same:
        others = list(islice(chain.from_iterable(stated.values()), MAX_OCCURRENCES))
        nearest = min(
            others, key=lambda given: (given.unit != wanted.unit, abs(given.value - wanted.value)), default=None
        )
        return Disagreement("number", wanted.words, nearest.words if nearest else "")
    fitting = [given for given in same if _has_compatible_unit(wanted, given)]
    if wanted.unit in _OMISSIBLE_UNITS and {given.unit for given in same} == {""}:
        fitting = fitting or same
    if not fitting:
        return Disagreement("unit", wanted.words, same[0].words)
    if wanted.side and all(given.side not in ("", wanted.side) for given in fitting):
        return Disagreement("comparator", wanted.bounded_words, fitting[0].bounded_words)
    return None


def _has_compatible_unit(wanted: Quantity, given: Quantity) -> bool:
    if not wanted.unit or wanted.unit == given.unit or wanted.has_borrowed_unit or given.has_borrowed_unit:
        return True
    return wanted.unit == f"{given.unit}/day" or given.unit == f"{wanted.unit}/day"


MIN_WORD_OVERLAP = 0.9
"""Share of the words of two texts that they have in common (Jaccard), from which they may be one."""


class StemmedText(NamedTuple):
    """A text and its content stems."""

    text: str
    stems: frozenset[str]


EMPTY_STEMMED_TEXT = StemmedText("", frozenset())
"""Of a text that is compared with none."""


def stem_text(text: str) -> StemmedText:
    """A text as it is compared."""
    return StemmedText(text, frozenset(content_stems(text)))


def share_nearly_all_stems(one: StemmedText, other: StemmedText) -> bool:
    """Whether two texts share nearly all their words, whatever these say: what is not near is not alike."""
    first, second = len(one.stems), len(other.stems)
    # The larger set bounds what they can share: most pairs are told apart by their size alone.
    if not first or first < MIN_WORD_OVERLAP * second or second < MIN_WORD_OVERLAP * first:
        return False
    shared = len(one.stems & other.stems)
    return shared >= MIN_WORD_OVERLAP * (first + second - shared)


def are_near_duplicates(one: StemmedText, other: StemmedText) -> bool:
    """Whether one of the two is enough: they share nearly all words, and no number, negation or direction differs.

    A text without a content word is like none.
    """
    if not share_nearly_all_stems(one, other):
        return False
    if one.text == other.text:
        return True
    return not find_disagreements(one.text, other.text) and not find_disagreements(other.text, one.text)
