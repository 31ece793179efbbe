"""Numbers: the quantities of a claim, looked for among those of the evidence."""

import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain, islice

from wellsourced.text.doses import is_dose
from wellsourced.text.guard.kinds import Disagreement, Kind
from wellsourced.text.guard.turns import OCCURRENCES
from wellsourced.text.quantities import Quantity, names, plain, quantities

_IMPLIED = frozenset({"year", "u", "time", "fold"})
"""Units that a text may leave out: "aged 65", "500 heparin"."""

_QUANTITIES = 500
"""Of one claim that are looked for, at most: a bound for hostile texts."""

_AROUND = 200
"""Characters on either side of a quantity that say whether it is a dose."""

_DOWN = re.compile(r"\b(?:decreas|reduc|lower|fell|declin|loss|lost|less|drop)", re.IGNORECASE)

_TIME = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "ms"})
_CHANCE = re.compile(r"\bp(?:\s?[<>=≤≥]{1,2}|[\s-]?values?(?:\s?[<>=≤≥]|\s(?:of|was|is)){0,2})\s?\Z", re.IGNORECASE)
_INTERVAL = re.compile(r"(?:\bCIs?\b|\bCrI\b|\bintervals?\b)(?:[^();\]]|\((?=\d)){0,24}\Z", re.IGNORECASE)
_LEVEL = re.compile(r"\s?%?\s?-?(?:CIs?\b|CrI\b|confidence|credible)", re.IGNORECASE)


def misstated(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Quantities, and numbers in names, that the evidence does not have or has with another unit or bound."""
    stated: dict[Decimal, list[Quantity]] = defaultdict(list)
    for quantity in quantities(evidence):
        stated[quantity.value].append(quantity)
    text, falls = plain(claim), (bool(_DOWN.search(claim)), bool(_DOWN.search(evidence)))
    for quantity in quantities(claim)[:_QUANTITIES]:
        found = _unlike(quantity, stated, *falls)
        if found and found.kind in ("number", "unit"):
            found = found._replace(kind=kind_of(quantity, text) or found.kind)
        if found:
            yield found
    known = defaultdict(set)
    for named in names(evidence):
        known[named.name].add(named.number)
    for named in names(claim):
        if named.name in known and named.number not in known[named.name]:
            yield Disagreement("number", named.words, ", ".join(sorted(known[named.name])))


def kind_of(quantity: Quantity, text: str) -> Kind | None:
    """What a quantity of the text is, where that says more than that it is a number with a unit."""
    before = text[max(0, quantity.start - 40) : quantity.start]
    if _CHANCE.search(before):
        return "p-value"
    if _INTERVAL.search(before) and not _LEVEL.match(text, quantity.start + len(quantity.words)):
        return "interval"
    first = quantity.unit.split("/")[0]
    if first == "%":
        return "percentage"
    if quantity.unit in _TIME:
        return "time"
    around = text[max(0, quantity.start - _AROUND) : quantity.start + _AROUND]
    return "dose" if quantity.unit and is_dose(quantity, around) else None


def _unlike(
    wanted: Quantity, stated: dict[Decimal, list[Quantity]], claim_falls: bool, evidence_falls: bool
) -> Disagreement | None:
    """Why a quantity of the claim is not among those of the evidence."""
    # "a change of −5" and "decreased by 5" are the same.
    falls = claim_falls if wanted.value > 0 else evidence_falls
    same = stated.get(wanted.value) or (falls and stated.get(-wanted.value))
    if not same:
        others = list(islice(chain.from_iterable(stated.values()), OCCURRENCES))
        nearest = min(
            others, key=lambda given: (given.unit != wanted.unit, abs(given.value - wanted.value)), default=None
        )
        return Disagreement("number", wanted.words, nearest.words if nearest else "")
    fitting = [given for given in same if _fits(wanted, given)] or [
        given for given in same if not given.unit and wanted.unit in _IMPLIED and len({g.unit for g in same}) == 1
    ]
    if not fitting:
        return Disagreement("unit", wanted.words, same[0].words)
    if wanted.comparator and all(_opposed(wanted.comparator, given.comparator) for given in fitting):
        words = (f"{quantity.comparator} {quantity.words}" for quantity in (wanted, fitting[0]))
        return Disagreement("comparator", *words)
    return None


def _fits(wanted: Quantity, given: Quantity) -> bool:
    if not wanted.unit or wanted.unit == given.unit or wanted.lent or given.lent:
        return True
    return wanted.unit == f"{given.unit}/day" or given.unit == f"{wanted.unit}/day"


def _opposed(one: str, other: str) -> bool:
    return bool(other) and one != other
