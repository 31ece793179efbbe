"""Figures that a claim supposes of somebody: "being 82", "a 3 kg baby", "at 40 mL/min" beside a range of 30-50 mL/min.

No source has to give them: whom it applies to, the claim says by itself, and whether its source is for them is left to
whoever reads both.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from wellsourced.clinical.quantities import Quantity, extract_quantities, normalize_characters

MIN_AGE = 15
"""Years from which a number without a unit may be an age."""

_AGE_BEFORE = re.compile(r"\b(?:being|aged|turning|turned)\s\Z", re.IGNORECASE)
_SOMEBODY_BEFORE = re.compile(r"\b(?:an?|your|my|his|her|their|our|this|that|the)\s\Z", re.IGNORECASE)
_SOMEBODY_BEHIND = re.compile(
    r"[ -](?:old\b|(?:old )?(?:baby|infant|newborn|neonate|child|toddler|adolescent|teenager|boy|girl|adult|man|woman"
    r"|patient|person|son|daughter|mother|father)\b)",
    re.IGNORECASE,
)
_VALUE_BEFORE = re.compile(r"\b(?:at|with|of|is|was)\s(?:an?\s[\w ]{2,24}\sof\s)?\Z", re.IGNORECASE)
_RANGE = re.compile(r"(?P<low>\d+(?:\.\d+)?)\s?(?:-|–|to)\s?(?P<high>\d+(?:\.\d+)?\s?[^\W\d_][^\s,;)]*)", re.IGNORECASE)


def is_supposed(quantity: Quantity, claim: str, source: str) -> bool:
    """Whether a quantity of a claim is somebody's age or weight, or a value that is in a range of the source."""
    text = normalize_characters(claim)
    before, behind = text[: quantity.start], text[quantity.start + len(quantity.words) :]
    if not quantity.unit:
        return abs(quantity.value) >= MIN_AGE and bool(_AGE_BEFORE.search(before))
    if quantity.unit in ("year", "kg"):
        is_joined = "-" in quantity.words or bool(_SOMEBODY_BEHIND.match(behind))
        return bool(_SOMEBODY_BEFORE.search(before)) and is_joined
    if quantity.comparator or not _VALUE_BEFORE.search(before):
        return False
    return any(low < abs(quantity.value) < high for low, high in _list_ranges(source, quantity.unit))


def _list_ranges(source: str, unit: str) -> Iterator[tuple[Decimal, Decimal]]:
    """The ranges of a text in a unit, from their lowest to their highest value."""
    for found in _RANGE.finditer(normalize_characters(source)):
        highest = extract_quantities(found["high"])
        if highest and highest[0].unit == unit:
            yield Decimal(found["low"]), abs(highest[0].value)
