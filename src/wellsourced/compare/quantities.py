"""Which quantities of a text follow from those of others: the same in other words, rounded, or worked out from two.

"About one in five" is 21.9 %, 14 days are two weeks, "18 points higher" is 22 less 4. What is not seen here stands
nowhere as far as can be told; what is seen may still stand there of something else.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.conversions import list_restated
from wellsourced.medicine.doses import extract_frequencies
from wellsourced.medicine.quantities import Quantity, extract_quantities
from wellsourced.medicine.rates import Share, find_shares
from wellsourced.medicine.units import convert, measure_dimension
from wellsourced.text.typography import normalize_characters

MAX_PAIRED = 40
"""Quantities of the nearest words that are put together in pairs: a bound for hostile texts."""

MAX_COUNT = 5
"""Numbers up to which a claim may count for itself: "two of the three"."""

MAX_LISTED = 12
"""Numbers up to which a claim may count what it lists."""

_ROUNDING, _ABOUT, _MONTHS = 0.06, 0.08, 0.09
"""By what share a rounded number may differ, one that is called so, and weeks or days from months."""

_COUNTING_UNITS = frozenset({"", "time"})

_SAME_UNITS = {"iu": "u", "time": "", "fold": ""}
"""Units that texts write for each other, or leave out."""

_MIN_PLAIN_AGE = 15
"""Years from which a number without a unit may be an age."""

_BRACKETS = lazy_regex(r"\s?\([^()\[\]]{1,40}\)|\s?\[[^()\[\]]{1,40}\]")
_UNIT_BEFORE = lazy_regex(r"\b(day|week|month|year|hour|minute)s? \Z", re.IGNORECASE)
_ABOUT_BEFORE = lazy_regex(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|some|nearly|almost|close to|just (?:over|under|above|below)"
    r"|slightly (?:more|less) than|a little (?:more|less|over|under)(?: than)?|on average|circa|ca\.?)|~|≈)"
    r"\s*(?:an?\s|the\s)?\Z",
    re.IGNORECASE,
)
_ABOUT_BEHIND = lazy_regex(r"\s?or so\b|ish\b", re.IGNORECASE)
_ONE_WHO_IS = lazy_regex(r"\ban?\s\Z", re.IGNORECASE)
_DIFFERENCE = lazy_regex(
    r"\b(?:differ\w*|more|less|fewer|higher|lower|longer|shorter|larger|smaller|greater|exceed\w*|gap|gain\w*"
    r"|los[st]\w*"
    r"|rose|ris(?:e|es|ing|en)|fell|fall(?:s|ing|en)?|drop\w*|slip\w*|declin\w*|decreas\w*|increas\w*|reduc\w*|points?"
    r"|rest|other|others|remain\w*|gone|next|left|younger|older|earlier|later|sooner|than|cut|grew|added|further|improv\w*|by)\b",
    re.IGNORECASE,
)
_RATE_REDUCTION = lazy_regex(
    r"\b(?:odds|hazard|risk|likel\w+|relative|reduc\w*|lower\w*|higher|increas\w*|rais\w*|less|more|fewer|cut|chance"
    r"|decreas\w*|fall|fell|drop\w*|drove|excess)\b",
    re.IGNORECASE,
)
_TIMES = lazy_regex(
    r"\b(?:times|doses|steps?|doubl\w*|half|halv\w*|twice|thrice|total\w*|altogether|equal\w*|divided|split|in all)\b",
    re.IGNORECASE,
)
"""What a claim says that multiplies or divides."""

_CANCELLED = frozenset({"kg", "%", "m2"})
"""Units below a dose that a patient's weight, burnt share or surface cancels."""


class ScaledQuantity(NamedTuple):
    """A quantity in the scale of what it measures: "2 weeks" is ("time", "", 1209600)."""

    dimension: str
    below: str
    value: float
    unit: str
    side: str = ""

    @property
    def printed_value(self) -> float:
        """The number as it is given in its unit."""
        return self.value / measure_dimension(self.unit)[1]


def list_underived_quantities(claim: str, given: Sequence[str], nearest: Sequence[str] = ()) -> list[Quantity]:
    """The quantities of a claim that neither stand in the texts given nor follow from them.

    Only from the nearest words, those that a claim cites, differences, sums and products are worked out.
    """
    text = normalize_characters(claim)
    shares = list(find_shares(text))
    known = [measure for one in given for measure in _measure_all(one)]
    near = list(dict.fromkeys(measure for one in nearest for measure in _measure_all(one)))[:MAX_PAIRED]
    frequencies = frozenset(f for one in given for f in extract_frequencies(normalize_characters(one).lower()))
    ratios = [share.part / share.whole for one in given for share in find_shares(one)]
    left: list[Quantity] = []
    restated = list_restated(claim, [*nearest, *given])
    said = extract_quantities(claim)
    for quantity in said:
        if quantity in restated:
            continue
        share = next((one for one in shares if one.start <= quantity.start < one.end), None)
        if share and not quantity.unit:
            if not _is_share_known(share, known, near, ratios):
                left.append(quantity)
        elif not _is_free(quantity, text) and not any(_is_stated(quantity, text, one) for one in known):
            left.append(quantity)
    # What the claim says rightly it may go on from: "ten, fourteen and twenty-four, 48 in all".
    for _ in range(2):
        settled = [_measure(one) for one in said if one not in left]
        left = [one for one in left if not _is_derived(one, text, [*near, *settled], known, ratios, frequencies)]
    return left


# --- one quantity beside another -----------------------------------------------------------------------------------


def _measure(quantity: Quantity) -> ScaledQuantity:
    first, *below = quantity.unit.split("/")
    dimension, factor = measure_dimension(first)
    rest = "/".join(part for part in below if part != "day")
    return ScaledQuantity(dimension, rest, abs(float(quantity.value)) * factor, first, quantity.side)


def _measure_all(text: str) -> list[ScaledQuantity]:
    """The quantities of a text, also as they read without what stands in brackets: "10 (7 to 14) days".

    What borrows the unit of its neighbour ("OR 0.58, 95 %") counts without it too; "week 12" is 12 weeks.
    """
    plain = normalize_characters(text)
    read = (plain, _BRACKETS.sub("", plain))
    return list(dict.fromkeys(measure for one in read for measure in _measure_plain(one)))


def _measure_plain(text: str) -> Iterator[ScaledQuantity]:
    for one in extract_quantities(text):
        yield _measure(one)
        if one.has_borrowed_unit:
            yield ScaledQuantity("", "", abs(float(one.value)), "", one.side)
        if not one.unit:
            before = _UNIT_BEFORE.search(text[max(0, one.start - 8) : one.start])
            if before:
                yield _measure(one._replace(unit=before[1].lower()))


def _is_about(quantity: Quantity, text: str) -> bool:
    before = text[max(0, quantity.start - 24) : quantity.start]
    return bool(_ABOUT_BEFORE.search(before) or _ABOUT_BEHIND.match(text, quantity.start + len(quantity.words)))


def _is_free(quantity: Quantity, text: str) -> bool:
    """Whether the claim may say it by itself: what it counts or lists."""
    value, before = abs(quantity.value), text[max(0, quantity.start - 40) : quantity.start]
    end = quantity.start + len(quantity.words)
    if quantity.unit in _COUNTING_UNITS:
        if value <= MAX_COUNT and value == int(value):
            return True
        return value == int(value) <= MAX_LISTED and len(re.findall(r",|;|\band\b", text[end:])) >= value - 1
    # "A 70-kg adult", "an 80-year-old": somebody who is imagined.
    return quantity.unit in ("year", "kg") and bool(_ONE_WHO_IS.search(before)) and "-" in quantity.words


def _is_stated(quantity: Quantity, text: str, given: ScaledQuantity) -> bool:
    """Whether a quantity that is given is the claim's, in another unit or rounded."""
    said = _measure(quantity)
    if said.unit != given.unit and said.dimension == given.dimension != "times":
        return _is_converted(said, given, quantity, text)
    one, other = (_SAME_UNITS.get(unit, unit) for unit in (said.unit, given.unit))
    plain = abs(float(quantity.value))
    # Who is "aged 65" is 65 years old; no other time is told without its unit.
    is_unit_missing = said.dimension == "time" and not other and (said.unit != "year" or plain < _MIN_PLAIN_AGE)
    if (
        (one and other and one != other)
        or is_unit_missing
        or (said.below and given.below and said.below != given.below)
    ):
        return False
    scale = given.printed_value
    return _is_near(plain, scale, quantity, text) or _is_bounded(plain, scale, quantity, given)


def _is_converted(said: ScaledQuantity, given: ScaledQuantity, quantity: Quantity, text: str) -> bool:
    units = {said.unit, given.unit}
    if units & {"month", "year"} and units & {"day", "week"}:
        return abs(said.value - given.value) <= _MONTHS * said.value
    converted = convert(given.printed_value, given.unit, said.unit)
    return converted is not None and _is_near(abs(float(quantity.value)), converted, quantity, text)


def _is_near(value: float, given: float, quantity: Quantity, text: str) -> bool:
    if abs(value - given) <= 1e-6 * max(1.0, value):
        return True
    decimals = len(quantity.words.partition(".")[2].rstrip("% abcdefghijklmnopqrstuvwxyzµ/-")) if value else 0
    step = 10.0**-decimals
    is_finer = abs(given / step - round(given / step)) > 1e-6
    if is_finer and abs(value - given) <= step / 2 + 1e-9 and abs(value - given) <= _ROUNDING * value:
        return True
    return _is_about(quantity, text) and abs(value - given) <= max(_ABOUT * value, step / 2 if is_finer else 0)


def _is_bounded(value: float, given: float, quantity: Quantity, measure: ScaledQuantity) -> bool:
    """ "Fewer than 2%" of 1.6%: a bound in words beside a value that was measured."""
    if not quantity.comparator or measure.side or quantity.unit not in ("%", ""):
        return False
    return 0.75 * value <= given < value if quantity.side == "<" else value < given <= 1.25 * value


# --- parts of a whole ----------------------------------------------------------------------------------------------


def _is_share_known(
    share: Share, known: Sequence[ScaledQuantity], near: Sequence[ScaledQuantity], ratios: Iterable[float]
) -> bool:
    """Whether both its numbers are given, or a percentage or a ratio that is as large."""
    values = {one.printed_value for one in known}
    if share.whole in values and (share.part in values or share.part <= MAX_COUNT):
        return True
    shares = [one.value / 100 for one in known if one.unit == "%"]
    counts = [one.value for one in near if not one.unit]
    computed = [low / high for low, high in combinations(sorted(set(counts)), 2) if high]
    return any(_is_as_large(share, one) for one in (*shares, *ratios, *computed, *values) if one)


def _is_as_large(share: Share, ratio: float) -> bool:
    if share.part == 1:
        return abs(1 / ratio - share.whole) <= 0.5
    return abs(ratio * share.whole - share.part) <= 0.5 * share.part / max(1.0, share.part) + 1e-9


# --- worked out ----------------------------------------------------------------------------------------------------


def _is_derived(
    quantity: Quantity,
    text: str,
    near: Sequence[ScaledQuantity],
    known: Sequence[ScaledQuantity],
    ratios: Iterable[float],
    frequencies: frozenset[str],
) -> bool:
    """Whether a quantity follows from two others; a bound does not, it has to be given."""
    said = _measure(quantity)
    if quantity.side in ("<", ">"):
        return False
    alike = [one for one in near if one.dimension == said.dimension or not one.unit or not said.unit]
    scale = measure_dimension(said.unit)[1]
    return any(
        _is_near(said.value / scale, value / scale, quantity, text)
        for value in (
            *_list_differences(said, alike, text),
            *_list_sums(said, alike),
            *_list_products(said, near, known, text),
            *_list_rhythms(said, quantity, text, frequencies),
        )
    ) or any(
        _is_near(float(abs(quantity.value)), value, quantity, text)
        for value in _list_percentages(said, near, known, ratios, text)
    )


def _list_differences(said: ScaledQuantity, alike: Sequence[ScaledQuantity], text: str) -> Iterator[float]:
    if _DIFFERENCE.search(text):
        for one, other in combinations(alike, 2):
            if said.dimension in (one.dimension, other.dimension) or not said.unit:
                yield abs(one.value - other.value)


def _list_sums(said: ScaledQuantity, alike: Sequence[ScaledQuantity]) -> Iterator[float]:
    """Of two; of a count with itself, too: "five with, five without"."""
    same = [one.value for one in alike if one.unit == said.unit and one.side not in ("<", ">")]
    for pair in combinations([*same, *(same if said.unit in _COUNTING_UNITS else ())], 2):
        yield sum(pair)


def _list_products(
    said: ScaledQuantity, near: Sequence[ScaledQuantity], known: Sequence[ScaledQuantity], text: str
) -> Iterator[float]:
    """A dose for a weight; a dose so often a day, a step so many times."""
    pool = dict.fromkeys((*near, *known))
    factors = [one for one in pool if one.unit in _CANCELLED][:MAX_PAIRED]
    doses = (one for one in pool if _CANCELLED.intersection(one.below.split("/")))
    for one in islice(doses, MAX_PAIRED):
        yield from _cancel_units(said, one, factors)
    if not _TIMES.search(text):
        return
    counts = sorted({one.value for one in near if one.unit in _COUNTING_UNITS and 2 <= one.value <= MAX_LISTED} | {2.0})
    for one, count in product(near, counts):
        if one.unit and one.unit != "%" and one.dimension == said.dimension:
            yield one.value * count
            yield one.value / count


def _cancel_units(said: ScaledQuantity, one: ScaledQuantity, factors: Sequence[ScaledQuantity]) -> Iterator[float]:
    """What a quantity in "ml/kg/%" makes with a weight and a share, in the unit of what is said."""
    over = [part for part in one.below.split("/") if part not in said.below.split("/")]
    if over and _CANCELLED.issuperset(over) and (one.dimension == said.dimension or not said.unit):
        of_each = ({factor.printed_value for factor in factors if factor.unit == part} for part in over)
        yield from (one.value * math.prod(some) for some in islice(product(*of_each), MAX_PAIRED))


def _list_rhythms(said: ScaledQuantity, quantity: Quantity, text: str, frequencies: frozenset[str]) -> Iterator[float]:
    """ "Every 8 hours" where the source has "three times a day"."""
    if said.dimension != "time" and said.unit not in _COUNTING_UNITS:
        return
    around = text[max(0, quantity.start - 12) : quantity.start + len(quantity.words) + 12].lower()
    if extract_frequencies(around) & frequencies:
        yield said.value


def _list_percentages(
    said: ScaledQuantity,
    near: Sequence[ScaledQuantity],
    known: Sequence[ScaledQuantity],
    ratios: Iterable[float],
    text: str,
) -> Iterator[float]:
    """A share of a number, what is left of a hundred, and how far a ratio is from one."""
    if said.unit not in ("%", ""):
        return
    yield from (100 * ratio for ratio in ratios)
    shares = [one.value for one in near if one.unit == "%"]
    yield from (100 - share for share in shares)
    plain = [one.value for one in near if not one.unit]
    if said.unit == "%":
        yield from (100 * low / high for low, high in combinations(sorted(set(plain)), 2) if high > 1)
    if _RATE_REDUCTION.search(text):
        yield from (100 * abs(1 - one.value) for one in known if not one.unit and 0 < one.value < 2)
        pairs = ((one, other) for one, other in combinations(near, 2) if one.dimension == other.dimension)
        for one, other in pairs:
            low, high = sorted((one.value, other.value))
            if low:
                yield from (100 * (high - low) / high, 100 * (high - low) / low)


# --- supposed ------------------------------------------------------------------------------------------------------

# Figures that a claim supposes of somebody: "being 82", "a 3 kg baby".
# No source has to give them: whom it applies to, the claim says by itself, and whether its source is for them is left
# to whoever reads both.

_AGE_BEFORE = lazy_regex(r"\b(?:being|aged|turning|turned)\s\Z", re.IGNORECASE)
_SOMEBODY_BEFORE = lazy_regex(r"\b(?:an?|your|my|his|her|their|our|this|that|the)\s\Z", re.IGNORECASE)
_SOMEBODY_BEHIND = lazy_regex(
    r"[ -](?:old\b|(?:old )?(?:baby|infant|newborn|neonate|child|toddler|adolescent|teenager|boy|girl|adult|man|woman"
    r"|patient|person|son|daughter|mother|father)\b)",
    re.IGNORECASE,
)


def is_supposed(quantity: Quantity, claim: str) -> bool:
    """Whether a quantity of a claim is somebody's age or weight."""
    text = normalize_characters(claim)
    before, behind = text[: quantity.start], text[quantity.start + len(quantity.words) :]
    if not quantity.unit:
        return abs(quantity.value) >= _MIN_PLAIN_AGE and bool(_AGE_BEFORE.search(before))
    is_joined = "-" in quantity.words or bool(_SOMEBODY_BEHIND.match(behind))
    return quantity.unit in ("year", "kg") and bool(_SOMEBODY_BEFORE.search(before)) and is_joined
