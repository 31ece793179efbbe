"""The one reader of quantities: numbers with their units, bounds and ranges, and what they are in other units.

What a unit is stands in `units.py`; doses, ages, measures and limits are read on top of this.
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.units import (
    EXPONENT,
    POWER_PATTERN,
    SCALE_WORD,
    SCALE_WORDS,
    UNIT_PATTERN,
    canonical_unit,
    convert,
    parse_exponent,
)
from wellsourced.text.lexicon import NUMBER_WORDS, TENS
from wellsourced.text.typography import normalize_characters, normalize_text


class Quantity(NamedTuple):
    """A number as it is meant.

    value       the number; negative where a minus sign stands before it
    unit        canonical ("mg/kg/day", "10⁹/l"), "" when the text gives none
    has_borrowed_unit   whether the unit stands behind a later number of the same list ("5, 10 and 20 mg")
    comparator  "<", "≤", ">", "≥", "=" or ""
    words       as printed, but for what `normalize_characters` changes
    start       where they begin in the text as `normalize_characters` has it
    number_end  where the number itself ends there, before its unit
    bounded_words, bounded_start   the same with the comparator
    printed     where the words are in the text as it was given
    """

    value: Decimal
    unit: str
    has_borrowed_unit: bool
    comparator: str
    words: str
    start: int
    number_end: int
    bounded_words: str
    bounded_start: int
    printed: tuple[int, int]

    @property
    def end(self) -> int:
        """Where the words end."""
        return self.start + len(self.words)

    @property
    def bounded_end(self) -> int:
        """Where they end with a comparator behind them: "30 or more"."""
        return self.bounded_start + len(self.bounded_words)

    @property
    def side(self) -> str:
        """The side on which a bound stands, "<" or ">", whether it is included or not; else the comparator."""
        return {"≤": "<", "≥": ">"}.get(self.comparator, self.comparator)


@dataclass(frozen=True)
class ValueRange:
    """Values from one end to another; infinite at an open end.

    excludes_low, excludes_high   whether the end itself lies outside
    """

    low: float
    high: float
    excludes_low: bool
    excludes_high: bool

    def has(self, value: float) -> bool:
        """Whether a value lies within."""
        is_left_out = (self.excludes_low and value == self.low) or (self.excludes_high and value == self.high)
        return self.low <= value <= self.high and not is_left_out


@dataclass(frozen=True)
class QuantityRange(ValueRange):
    """The values that "5-10 mg", "≥ 30", "11.1 or below" or "7" stand for.

    first, last   the quantities that give it: one and the same, but for a range of two
    """

    first: Quantity
    last: Quantity

    @property
    def start(self) -> int:
        """Where it begins in the text as `normalize_characters` has it, a comparator included."""
        return self.first.bounded_start

    @property
    def end(self) -> int:
        """Where it ends there."""
        return self.last.bounded_end

    @property
    def unit(self) -> str:
        """Of its last number."""
        return self.last.unit

    @property
    def is_value(self) -> bool:
        """Whether it is one number without a bound."""
        return self.low == self.high


class NamedNumber(NamedTuple):
    """A number that is part of a name: "COX-2" is (cox#, 2), "phase III" is (phase#, 3)."""

    name: str
    number: str
    words: str


_ORDINALS = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "fourth": "4", "4th": "4"}
_ROMAN_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}

# --- comparators ---------------------------------------------------------------------------------------------------

_MORE = "more|greater|higher|larger|longer|older|later"
_LESS = "less|fewer|lower|smaller|shorter|younger|earlier"
_EXCEEDING = "exceed(?:s|ed|ing)?"
_COMPARATORS = {
    "≤": rf"\b(?:(?:no|not|never) (?:(?:{_MORE}) than|above|over|beyond|(?:to )?{_EXCEEDING})"
    rf"|(?:{_LESS}) than or equal to|at most|up to(?: and including)?|within|max(?:imum)?(?: of)?)|[≤⩽]|<=|=<",
    "≥": rf"\b(?:(?:no|not|never) (?:(?:{_LESS}) than|below|under)"
    rf"|(?:{_MORE}) than or equal to|at least|minimum(?: of)?)|[≥⩾]|>=|=>",
    "<": rf"\b(?:(?:{_LESS}) than|under|below)|<",
    ">": rf"\b(?:(?:{_MORE}) than|over|above|beyond|{_EXCEEDING})|(?<!-)>",
    "=": "=",
}
_COMPARATOR_SIGNS = tuple(_COMPARATORS)
_COMPARATOR_BEFORE = lazy_regex(
    rf"(?:{'|'.join(f'({words})' for words in _COMPARATORS.values())})(?: the age of)?\s*-?\Z", re.IGNORECASE
)
_MAX_COMPARATOR = 40
"""Characters before a number in which its comparator stands."""

_COMPARATOR_BEHIND = lazy_regex(
    rf"(?:(?: (?:old|of age))?,?\s?(?:or|and) (?:(?P<more>{_MORE}|above|over|upwards?)|(?P<less>{_LESS}|below|under))"
    r"| (?:(?P<least>at least|upwards?|minimum)|(?P<most>at most|max(?:imum)?)))\b(?! (?:than\b|of\b|[\d<>]))"
    r"|(?P<plus>(?<=\d\d)\+(?![\w/+-]))",
    re.IGNORECASE,
)
_TO_RANGE = lazy_regex(r"within|minimum", re.IGNORECASE)
_RANGE_AHEAD = lazy_regex(r" ?(?:-| to )\d")
"""What says of a range no more than the range itself: "within 4-6 weeks"."""

_DURING = lazy_regex(r"(?<!\bfor )(?<!\bwell )(?<!\bjust )\bover \Z", re.IGNORECASE)
"""Before minutes to weeks "over" says how long: "over 30 min"."""

# --- numbers -------------------------------------------------------------------------------------------------------

_TENS = "|".join(TENS)
_ONES = "|".join(NUMBER_WORDS)
_BELOW_HUNDRED = rf"(?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?:{_ONES}))"
COUNT = rf"(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+|{_BELOW_HUNDRED}(?![^\W_]))"
"""A whole number as something is counted: "12", "1,234", "twenty-four"."""

_HUNDREDS = (
    rf"(?:{_BELOW_HUNDRED}|an?)[ -](?:hundred|thousand)\b"
    rf"(?:,? (?:and )?{_BELOW_HUNDRED}\b(?:[ -]hundred\b)?)*"
)
"""Numbers in words from a hundred on: "one hundred and seventy-nine", "one thousand one"."""

_GROUP_MARK = "[,'\u2009\u202f\u00a0]"
DIGITS = (
    rf"\d*[½¼¾⅓⅔⅛]|[1-3]/[2-4](?= (?:tab|cap|pill))|0,\d{{1,3}}(?!\d|,\d)"
    rf"|\d{{1,3}}(?:{_GROUP_MARK}\d{{3}})+(?!\d)(?:\.\d+)?|\d{{1,3}}(?: 000)+(?!\d)"
    r"|(?:(?<![\[(])\d{1,4},\d{1,2}|(?<=[\[(])\d{1,4},\d{1,2}(?![\])]))"
    r"(?!\d|\s?(?:,|and|or)\s?\d|-?\(?[A-Za-z]{2,}[a-z]{3})|\d+(?:[.]\d+)?|\.\d+"
)
"""A number in digits: "1,234.5", "12 000", "6,5" with a decimal comma; of "[5,6]" and "5,6 and 7" the first alone."""

_NUMBER = lazy_regex(
    rf"(?<![\w.^])(?P<sign>(?<![\d)%\]]\s)(?<![\w)%\]])-)?(?P<digits>{DIGITS})"
    rf"|\b(?P<worded>{_HUNDREDS}|{_BELOW_HUNDRED})\b",
    re.IGNORECASE,
)
_TENS_BEHIND = lazy_regex(r"(?<!\d{4})s\b(?!/)")
"""Of "a pressure in the 150s", "the over-65s"; "the 1990s" are years."""

_NUMBER_BEHIND = lazy_regex(rf"(?: to |-| or )(?:{_ONES})\b", re.IGNORECASE)
_LIST_JOINER = lazy_regex(
    r"\s*(?:-|-?to|- to|or|- or|and|- and|,|,\s*(?:and|or)|/|vs\.?|versus|±|\+/?-|→|-+>)\s*(?:[<>≤≥]=?\s?)?"
)
_NAME_WITH_NUMBER = lazy_regex(r"\b[a-zα-ω]++(?:-?\d++[a-zα-ω]*+)++\b")
_NUMBERED_KIND = lazy_regex(
    r"\b(?P<noun>type|phase|stage|grade|class|factor|group|level|category|step|tier)s?\s(?P<number>\d{1,2}|[ivx]{1,4})"
    r"(?P<letter>[a-d]?)\b"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})[- ](?P<of>line|generation|trimester|degree|dose|choice|stage)\b"
)
_TENTH_POWER = lazy_regex(rf"10{EXPONENT}")


# --- quantities ----------------------------------------------------------------------------------------------------


_MEASURED_PER_TIME = lazy_regex(
    r"(?<=[a-zµ])\s+of\s+(?:urine|(?:(?:actual|ideal|lean|predicted|adjusted)\s+)?body\s?weight)(?=\s+(?:per|an?|each)\b|/)",
    re.IGNORECASE,
)
"""What stands within a unit: "0.5 ml/kg of urine per hour"."""


@lru_cache(maxsize=256)
def extract_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order. "12" and "twelve", "1,000" and "1000", "µg" and "mcg" are the same."""
    plain = normalize_text(_MEASURED_PER_TIME.sub(lambda noun: " " * len(noun[0]), text))
    text = plain.text
    found: list[Quantity] = []
    end = 0
    for match in _NUMBER.finditer(text):
        if match.start() < end or _is_in_name(text, match):
            continue
        value, number_end = _read_value(text, match)
        unit = UNIT_PATTERN.match(text, number_end)
        if unit is None and text[number_end : number_end + 1].isalpha() and not _TENS_BEHIND.match(text, number_end):
            continue
        end = unit.end() if unit else number_end
        comparator, start, bounded_end = find_comparator(text, match.start(), end)
        if bounded_end > end and unit is None:
            # "30 or more days": the unit behind the bound.
            unit = UNIT_PATTERN.match(text, bounded_end)
            bounded_end = unit.end() if unit else bounded_end
        canonical = canonical_unit(unit) if unit else ""
        is_during = canonical in _SHORT_TIMES and _DURING.search(text, start, match.start())
        if is_during or (_TO_RANGE.match(text, start) and _RANGE_AHEAD.match(text, end)):
            comparator, start = "", match.start()
        if found and not comparator and found[-1].side and text[found[-1].end : match.start()] == "/":
            comparator = found[-1].comparator
        place = (text[match.start() : end], match.start(), number_end, text[start:bounded_end], start)
        printed = plain.original_span(match.start(), end)
        found.append(Quantity(value, canonical, False, comparator, *place, printed))
        end = max(end, bounded_end)
    return tuple(_lend_units(text, found))


_SHORT_TIMES = frozenset({"second", "minute", "hour", "day", "week"})


def find_ranges(text: str) -> list[QuantityRange]:
    """What each quantity of a text stands for, in order: ranges of two ends, bounds, and single values."""
    plain = normalize_characters(text)
    names = [one.span() for one in _NO_QUANTITY.finditer(plain)]
    found = [
        one
        for one in extract_quantities(text)
        if one.unit or not any(start < one.end and one.start < end for start, end in names)
    ]
    ranges: list[QuantityRange] = []
    at = 0
    while at < len(found):
        joined = _join_range(plain, found[at], found[at + 1]) if at + 1 < len(found) else None
        ranges.append(joined or _single_range(found[at]))
        at += 2 if joined else 1
    return ranges


def _single_range(one: Quantity) -> QuantityRange:
    low = -math.inf if one.side == "<" else float(one.value)
    high = math.inf if one.side == ">" else float(one.value)
    return QuantityRange(low, high, one.comparator == ">", one.comparator == "<", one, one)


_MONTH = "(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}"
_NO_QUANTITY = lazy_regex(
    r"\d{4}-\d\d-\d\d|\d{1,2}([/.])\d{1,2}\1\d{2,4}(?!\d)|(?<![\d.])[0-2]?\d:[0-5]\d(?!\d)|\d+(?:\.\d+){2,}"
    rf"|\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d{{1,2}}(?!\d)|\[\d[\d, -]*\]|\b(?:doi:|10\.\d{{4,}}/)\S+"
    r"|\b(?:19|20)\d\d;\s?\d+\S*|(?<![\d-])\d{3}-\d{4}(?![\d-])|(?<![\d.,-])(?:19|20)\d\d(?![\d%-]|[.,]\d)(?!\s?[µm]?[gl]\b)"
    r"|\b(?:types?|stages?|grades?|phases?|class|groups?|steps?|tracks?|pillars?|tiers?|levels?|categor(?:y|ies)|factors?|receptors?|versions?"
    r"|tables?|fig(?:ure)?s?\.?|chapters?|sections?|rooms?|beds?|pages?|box(?:es)?|appendix)\s\d+(?:\.\d+)*",
    re.IGNORECASE,
)
"""Dates, times of day, versions, years, marks and places of references, and the numbers of what is numbered."""

_RANGE_GAP = lazy_regex(r"\s?(?:-|-?to|- to|through)\s?")
_BOTH_GAP = lazy_regex(r"\s?(?:,|and|but|to|-|,\s?(?:and|but))?\s?")
_ENCLOSED_GAP = lazy_regex(r"\s?(?P<sign>[<≤])\s?[A-Za-z][\w ]{0,15}?\s?")
"""What is enclosed between its bounds: "30% ≤ FEV1 < 50%"."""


_CHANGE_FROM = lazy_regex(r"\b(?:\w+ed|rose|risen|fell|fallen|went|gone|up|down|drops?|rises?|falls?|change) from \Z")
"""Before two values of one thing, an earlier and a later one."""


def _join_range(text: str, one: Quantity, other: Quantity) -> QuantityRange | None:
    """Two quantities that are the ends of one range."""
    gap, low, high = text[one.bounded_end : other.bounded_start], float(one.value), float(other.value)
    if low > high and high < 0:
        low, high = high, low
    if one.unit and other.unit and one.unit != other.unit:
        # "6 months to 5 years", "500 mg-1 g": both in the unit of the second.
        low = converted if (converted := convert(low, one.unit, other.unit)) is not None else math.inf
    if low >= high:
        return None
    is_open_above = other.comparator in ("", "<", "≤")
    if one.side == ">" and other.side == "<":
        is_range, excludes_low = _BOTH_GAP.fullmatch(gap) is not None, one.comparator == ">"
    elif one.comparator or not is_open_above:
        return None
    elif enclosed := _ENCLOSED_GAP.fullmatch(gap) if other.comparator else None:
        is_range, excludes_low = True, enclosed["sign"] == "<"
    else:
        if gap == " to " and _CHANGE_FROM.search(text, 0, one.start):
            return None
        is_between = gap.strip() == "and" and text[: one.start].lower().endswith("between ")
        is_about = gap == " or " and not one.words[0].isdigit() and high == low + 1
        is_range, excludes_low = bool(_RANGE_GAP.fullmatch(gap)) or is_between or is_about, False
    return QuantityRange(low, high, excludes_low, other.comparator == "<", one, other) if is_range else None


def extract_named_numbers(text: str) -> list[NamedNumber]:
    """The numbers that are part of names."""
    text = normalize_characters(text).lower()
    found = []
    for match in _NAME_WITH_NUMBER.finditer(text):
        parts = re.split(r"(\d+)", match.group().replace("-", ""))
        found.append(NamedNumber("#".join(parts[::2]), " ".join(parts[1::2]), match.group()))
    for match in _NUMBERED_KIND.finditer(text):
        number = match["number"] or _ORDINALS[match["ordinal"]]
        found.append(
            NamedNumber(
                f"{match['noun'] or match['of']}#",
                _ROMAN_NUMERALS.get(number, number) + (match["letter"] or ""),
                match.group(),
            )
        )
    return found


def _is_in_name(text: str, match: re.Match[str]) -> bool:
    """ "COX-2" and "half-1": the dash behind a letter is no minus. A lone "one" is seldom a number."""
    before = text[max(0, match.start() - 2) : match.start()]
    if len(before) == 2 and before[1] == "-" and before[0].isalpha():
        return True
    if (match["worded"] or "").lower() == "one":
        return not (UNIT_PATTERN.match(text, match.end()) or _NUMBER_BEHIND.match(text, match.end()))
    # "(×10⁹/L)" is a unit without a number.
    return before.strip()[-1:] in ("x", "×") and bool(_TENTH_POWER.match(text, match.start()))


def _read_value(text: str, match: re.Match[str]) -> tuple[Decimal, int]:
    """The value of a number, powers of ten behind it included, and where they end."""
    value, end = _parse_value(match), match.end()
    if match["digits"] == "10" and (power := _TENTH_POWER.match(text, match.start())):
        return Decimal(10) ** parse_exponent(power.group()), power.end()
    if word := SCALE_WORD.match(text, end):
        return (value * Decimal(10) ** SCALE_WORDS[word[1] and word[1].lower()]).normalize(), word.end()
    # Of cells in a volume the power belongs to the unit: "150 × 10⁹/L".
    if (power := POWER_PATTERN.match(text, end)) and not UNIT_PATTERN.match(text, end):
        return (value * Decimal(10) ** parse_exponent(power.group())).normalize(), power.end()
    return value, end


def list_counts(words: str) -> list[float]:
    """The numbers among such words as `COUNT` describes: of "four to 6" 4 and 6."""
    return [float(_parse_value(match)) for match in _NUMBER.finditer(words)]


def _parse_value(match: re.Match[str]) -> Decimal:
    if digits := match["digits"]:
        return (-1 if match["sign"] else 1) * parse_digits(digits)
    return Decimal(_parse_worded(match["worded"])).normalize()


_DECIMAL_COMMA = lazy_regex(r"0,\d{1,3}|\d+,\d{1,2}")


def parse_digits(digits: str) -> Decimal:
    """The value of a number in digits: of "1,000" 1000, of ".05" 0.05, of "0,6" 0.6, of "1·5" 1.5."""
    if digits[-1] in "½¼¾⅓⅔⅛":
        return Decimal(digits[:-1] or 0) + Decimal(str(round(unicodedata.numeric(digits[-1]), 3)))
    if "/" in digits:
        return Decimal(digits[0]) / Decimal(digits[-1])
    plain = digits.replace("·", ".")
    if _DECIMAL_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    return Decimal(re.sub(r"[,'\u2009\u202f\u00a0 ]", "", plain)).normalize()


def _parse_worded(words: str) -> int:
    """The value of "seven", "twenty-five" or "one thousand two hundred and five"."""
    total, current = 0, 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word == "thousand":
            total, current = total + (current or 1) * 1000, 0
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            current += NUMBER_WORDS.get(word) or TENS.get(word) or 0
    return total + current


def find_comparator(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The comparator of the number at a place, and from where to where both stand."""
    if before := _COMPARATOR_BEFORE.search(text, max(0, start - _MAX_COMPARATOR), start):
        return _COMPARATOR_SIGNS[(before.lastindex or 1) - 1], before.start(), end
    if behind := _COMPARATOR_BEHIND.match(text, end):
        return "≤" if behind["less"] or behind["most"] else "≥", start, behind.end()
    return "", start, end


def _lend_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Numbers without a unit borrow that of the next number in their list."""
    result: list[Quantity] = []
    unit, next_start = "", len(text)
    for quantity in reversed(found):
        if not quantity.unit and unit and _LIST_JOINER.fullmatch(text, quantity.end, next_start):
            quantity = quantity._replace(unit=unit, has_borrowed_unit=True)
        unit, next_start = quantity.unit, quantity.start
        result.append(quantity)
    return result[::-1]
