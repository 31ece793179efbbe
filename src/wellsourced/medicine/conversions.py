"""Quantities that two texts give in different units: "LDL below 1.8 mmol/L" where the other has "< 70 mg/dL".

A bound is the same bound, a value the same value, rounded as texts round it. What is measured decides between mass and
amount: the name of it that stands nearest.
"""

import re
from collections.abc import Iterator, Sequence

from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.medicine.units import convert, find_substances, measure_dimension
from wellsourced.text.typography import normalize_characters

MAX_ROUNDING = 0.06
"""The most by which rounding changes a value, as a share of it: nobody rounds 1.4 to 1."""

FACTOR_ROUNDING = 0.002
"""Factors are rounded, too: 500 mg/dL of triglycerides are 5.645 mmol/L, or 500 x .0113 = 5.65."""

TENS_ROUNDING = 0.02
"""How far whole tens may be off: uric acid of 6 mg/dL is 357 µmol/L, and written as 360."""

UREA = frozenset({"urea", "urea nitrogen"})
"""One substance, measured in two ways: their millimoles are the same."""

GIVEN_ROUNDING = 0.035
"""How far the value that is converted may be rounded itself: 0.9 ng/mL of digoxin are written as 1.2 nmol/L."""


_ABOUT = r"(?:about|approximately|approx\.|roughly|around|~|≈)"
_SAME_AGAIN = re.compile(rf"(?:[(\[]|or)(?:\s?{_ABOUT})?|(?:[a-z]+)?, ?{_ABOUT}", re.IGNORECASE)
"""Between a quantity and the same one in another unit: "50 mg/dL glucose, about 2.8 mmol/L"."""


def list_restated(claim: str, given: Sequence[str]) -> list[Quantity]:
    """The quantities of a claim that one of these texts gives in another unit."""
    texts = [(normalize_characters(text), extract_quantities(text)) for text in given]
    plain, restated = normalize_characters(claim), []
    for said, bound in _list_bounds(plain, extract_quantities(claim)):
        meant = said._replace(comparator=bound)
        if said.unit and any(_is_restated(meant, plain, one, text) for text, found in texts for one in found):
            restated.append(said)
    return restated


def _list_bounds(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, str]]:
    """Each quantity with its bound; one in brackets has that of the quantity before: "below 6 mg/dL (360 µmol/L)"."""
    before: Quantity | None = None
    for one in quantities:
        if before and not one.comparator and _SAME_AGAIN.fullmatch(text[before.bounded_end : one.start].strip()):
            yield one, before.comparator
        else:
            yield one, one.comparator
            before = one


def _is_restated(said: Quantity, claim: str, given: Quantity, text: str) -> bool:
    unit, other = (one.unit.removesuffix("/day") for one in (said, given))
    if not other or other == unit or said.side.strip("=") != given.side.strip("="):
        return False
    value, known = float(said.value), float(given.value)
    return any(
        _is_rounded(value, said, converted, _half_step(given) * abs(converted / known) if known else 0.0)
        for substance in _list_measured(said, claim, given, text)
        if (converted := convert(known, other, unit, substance)) is not None
    )


def _list_measured(said: Quantity, claim: str, given: Quantity, text: str) -> Sequence[str]:
    """What is measured, where both texts may name the same; none where they name something else."""
    ours, theirs = _list_nearest(said, claim), _list_nearest(given, text)
    if UREA.issuperset(ours) and UREA.issuperset(theirs):
        # Urea weighs twice its nitrogen: what counts stands beside the mass.
        ours, theirs = (ours, theirs) if measure_dimension(said.unit)[0].startswith("mass") else (theirs, ours)
        return ours or theirs or ("",)
    if ours and theirs:
        return [one for one in ours if one in theirs]
    # Enzymes, and ions of one charge, need no name.
    return ours or theirs or ("",)


def _list_nearest(one: Quantity, text: str) -> Sequence[str]:
    """The substance that is named last before a quantity and behind the one before it, else all that the text names."""
    found = find_substances(text)
    before = max((other.end for other in extract_quantities(text) if other.end <= one.start), default=0)
    near = [(place, name) for name, place in found if before <= place < one.start]
    return [max(near)[1]] if near else [name for name, _ in found]


def _is_rounded(value: float, said: Quantity, converted: float, given_step: float) -> bool:
    """Whether a value is what another one is when it is rounded."""
    away, size = abs(value - converted), abs(converted)
    step = _half_step(said) + FACTOR_ROUNDING * size + min(given_step, GIVEN_ROUNDING * size)
    is_ten = value >= 100 and value % 10 == 0
    return away <= max(min(step, MAX_ROUNDING * size), TENS_ROUNDING * size if is_ten else 0.0) + 1e-9


def _half_step(one: Quantity) -> float:
    """Half of the last decimal that a number is written with."""
    decimals = one.words[: one.number_end - one.start].partition(".")[2]
    return 0.5 * 10.0 ** -sum(map(str.isdecimal, decimals))
