"""The numbers of a text with their units and comparators, the numbers inside names, and figures that a claim only
supposes of somebody.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.lexicon import NUMBER_WORDS, TENS
from wellsourced.text.tables import read_rows
from wellsourced.text.typography import NormalizedText, replace_matches


class Quantity(NamedTuple):
    """A number as it is meant.

    value       the number; negative where a minus sign stands before it
    unit        canonical ("mg/kg/day"), "" when the text gives none
    has_borrowed_unit   whether the unit stands behind a later number of the same list ("5, 10 and 20 mg")
    comparator  "<", ">", "=" or "", bounds included
    words       as printed
    start       where it begins in the text as `normalize_characters` has it
    bounded_words   as printed, with its comparator
    """

    value: Decimal
    unit: str
    has_borrowed_unit: bool
    comparator: str
    words: str
    start: int
    bounded_words: str = ""


class NamedNumber(NamedTuple):
    """A number that is part of a name: "COX-2" is (cox#, 2), "phase III" is (phase#, 3)."""

    name: str
    number: str
    words: str


def _alternation_pattern(words: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(word).replace(r"\-", r"[\s-]") for word in words), key=len, reverse=True))


def _comparator_pattern(signs: tuple[str, ...], phrases: tuple[str, ...]) -> str:
    return "|".join([*map(re.escape, sorted(signs, key=len, reverse=True)), *(rf"\b{phrase}" for phrase in phrases)])


_ORDINALS = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "fourth": "4", "4th": "4"}
_ROMAN_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}
_BELOW_SIGNS, _ABOVE_SIGNS = ("<", "≤", "<=", "=<", "⩽"), (">", "≥", ">=", "=>", "⩾")
_BELOW_WORDS = (
    *("less than", "fewer than", "lower than", "smaller than", "under", "below", "at most", "up to", "no more than"),
    *("less than or equal to", "maximum of", "no (?:larger|greater|higher|longer|older|later) than"),
)
_ABOVE_WORDS = (
    *("more than", "greater than", "higher than", "larger than", "over", "above", "at least", "no less than"),
    *("greater than or equal to", "minimum of", "(?<!not )exceeding"),
    "no (?:smaller|fewer|lower|shorter|younger|earlier) than",
)
"""Comparators before a number. A bound counts with the side it stands on: a claim seldom keeps the difference."""

CANONICAL_UNITS = {
    spelling: unit
    for unit, spellings in read_rows("wellsourced.medicine", "units.tsv")
    for spelling in spellings.split()
}
"""Spelling of a unit → its canonical spelling. Only mM and its kin differ from another unit by case alone."""

_UNIT_NAME = _alternation_pattern(CANONICAL_UNITS)
_PER = (
    r"\s?/\s?|\sper\s"
    r"|(?<!times)(?<!time)\san?\s(?=(?:hour|minute|day|week|month)\b(?! (?:later|after|before|ago|apart)))"
)
_UNIT = lazy_regex(
    rf"\s?-?(?:(?:{_UNIT_NAME})(?![^\W\d_]))(?:(?:{_PER})"
    rf"(?:1\.73\s?)?(?:{_UNIT_NAME})(?![^\W\d_]))*",
    re.I,
)
_TENS = "|".join(TENS)
_ONES = "|".join(NUMBER_WORDS)
_BELOW_HUNDRED = rf"(?:(?:{_TENS})(?:[- ](?:{_ONES}))?|(?:{_ONES}))"
_HUNDREDS = (
    rf"(?:{_BELOW_HUNDRED}|an?)[ -](?:hundred|thousand)\b"
    rf"(?:,? (?:and )?{_BELOW_HUNDRED}\b(?:[ -]hundred\b)?)*"
)
"""Numbers in words from a hundred on: "one hundred and seventy-nine", "one thousand one"."""
_NUMBER = lazy_regex(
    rf"(?<![\w.])(?P<sign>(?<![\w)%\]]\s)(?<![\w)%\]])-)?"
    rf"(?P<digits>\d{{1,3}}(?:[,'\u2009\u202f\u00a0]\d{{3}})+(?!\d)(?:\.\d+)?|\d{{1,3}}(?: 000)+(?!\d)"
    rf"|\d+(?:\.\d+)?|\.\d+)"
    rf"|\b(?:(?P<hundreds>{_HUNDREDS})|(?P<tens>{_TENS})(?:[- ](?P<ones>{_ONES}))?|(?P<small>{_ONES}))\b",
    re.IGNORECASE,
)
_COMPARATOR_BEFORE = lazy_regex(
    rf"(?:(?P<below>{_comparator_pattern(_BELOW_SIGNS, _BELOW_WORDS)})|"
    rf"(?P<above>{_comparator_pattern(_ABOVE_SIGNS, _ABOVE_WORDS)})|(?P<equal>=))"
    r"\s*-?\Z",
    re.IGNORECASE,
)
_MAX_COMPARATOR = 28
"""Characters before a number in which its comparator stands."""

_COMPARATOR_BEHIND = lazy_regex(
    r"\s?(?:or|and) (?:(?P<above>more|older|greater|higher|above|over|longer)"
    r"|(?P<below>less|fewer|younger|lower|below|under))\b"
)
_LIST_JOINER = lazy_regex(r"\s*(?:-|-?to|- to|or|- or|and|- and|,|,\s*(?:and|or)|/|vs\.?|versus|±|\+/?-)\s*")
_NAME_WITH_NUMBER = lazy_regex(r"\b[a-zα-ω]++(?:-?\d++[a-zα-ω]*+)++\b")
_NUMBERED_KIND = lazy_regex(
    r"\b(?P<noun>type|phase|stage|grade|class|factor|group|level|category|step|tier)s?\s(?P<number>\d{1,2}|[ivx]{1,4})"
    r"(?P<letter>[a-d]?)\b"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})[- ](?P<of>line|generation|trimester|degree|dose|choice|stage)\b"
)


_LIGATURES = lazy_regex("[\ufb00-\ufb06]")

# --- signs of bounds -----------------------------------------------------------------------------------------------

_GAP = "[ \t\u00a0\u00ad\u2009\u200b-\u200d\u202f\u2060\ufeff]{0,3}"
"""Blanks and invisible characters within a sign."""

BOUND_SIGN = (
    r"(?<![<>=–—-])(?:[<>]|&[lg]t;|&#0*6[02];)"
    rf"(?:{_GAP}(?:=|/{_GAP}=|/?{_GAP}or{_GAP}(?:=|equal\b)(?:{_GAP}to\b)?))?|&[lg]e;|[⩽⩾≦≧]"
)
"""A sign of a bound in any spelling, such as those of abstracts from before Unicode: ">/=", "< or =", "&gt;or=to"."""

_BOUND_SIGN = lazy_regex(BOUND_SIGN)
_BELOW_CHARACTERS = frozenset("<⩽≦")


def normalize_bound_sign(sign: str) -> str:
    """One of <, ≤, ≥ and > for a sign in any spelling; any other sign as it is."""
    if not _BOUND_SIGN.fullmatch(sign):
        return sign
    is_below = sign[0] in _BELOW_CHARACTERS or sign.startswith(("&l", "&#60", "&#060"))
    is_bare = sign in ("<", ">") or (sign[0] == "&" and sign[-1] == ";" and not sign.endswith("e;"))
    if is_bare:
        return "<" if is_below else ">"
    return "≤" if is_below else "≥"


def normalize_bound_signs(text: str) -> NormalizedText:
    """The text with <, ≤, ≥ and > for signs of bounds in any spelling, and where its parts came from."""
    return replace_matches(_BOUND_SIGN, text, lambda match: normalize_bound_sign(match.group()))


# --- quantities ----------------------------------------------------------------------------------------------------


def normalize_characters(text: str) -> str:
    """The text with one kind of white space, dash, micro sign, decimal point, quotation mark and sign of a bound.

    Nothing in it is invisible.

    Letters with their marks in one character, ligatures taken apart.
    """
    text = _LIGATURES.sub(
        lambda match: unicodedata.normalize("NFKC", match.group()), unicodedata.normalize("NFC", text)
    )
    text = _BOUND_SIGN.sub(lambda match: normalize_bound_sign(match.group()), text)
    text = re.sub(r"(?<!\d)[\u00ad\u200b-\u200d\u2060\ufeff]|[\u00ad\u200b-\u200d\u2060\ufeff](?!\d)", "", text)
    text = re.sub(r"[‐‑‒–—−]", "-", text.replace("μ", "µ").replace("’", "'"))
    text = re.sub(r"(?<=[\d%])-{2,3}(?=\d)", "-", text)
    text = re.sub(r"[ \t\r\n\f\v]+", " ", text)
    return re.sub(r"(?<=\d)·(?=\d)", ".", text)


def extract_quantities(text: str) -> list[Quantity]:
    """The quantities of a text, in order. "12" and "twelve", "1,000" and "1000", "µg" and "mcg" are the same."""
    text = normalize_characters(text)
    found: list[tuple[Quantity, int]] = []
    end = 0
    for match in _NUMBER.finditer(text):
        if match.start() < end or _is_in_name(text, match):
            continue
        unit = _UNIT.match(text, match.end())
        if unit is None and text[match.end() : match.end() + 1].isalpha():
            continue
        end = unit.end() if unit else match.end()
        spelled = unit.group() if unit else ""
        comparator, bounded_words = _find_comparator(text, match.start(), end)
        # The canonical spelling of a unit, part by part.
        parts = re.split(_PER, spelled.strip(" -"), flags=re.IGNORECASE)
        quantity = Quantity(
            _parse_value(match),
            "/".join(CANONICAL_UNITS.get(part) or CANONICAL_UNITS.get(_unit_key(part), part.lower()) for part in parts),
            False,
            comparator,
            text[match.start() : end],
            match.start(),
            bounded_words,
        )
        found.append((quantity, end))
    return _lend_units(text, found)


def extract_named_numbers(text: str) -> list[NamedNumber]:
    """The numbers that are part of names."""
    text = normalize_characters(text).lower()
    found = []
    for match in _NAME_WITH_NUMBER.finditer(text):
        word = match.group().replace("-", "")
        found.append(NamedNumber(re.sub(r"\d+", "#", word), " ".join(re.findall(r"\d+", word)), match.group()))
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
    if (match["small"] or "").lower() == "one":
        return not _UNIT.match(text, match.end())
    return False


def _parse_value(match: re.Match[str]) -> Decimal:
    if digits := match["digits"]:
        return Decimal(("-" if match["sign"] else "") + re.sub(r"[,'\u2009\u202f\u00a0 ]", "", digits)).normalize()
    if hundreds := match["hundreds"]:
        return Decimal(_parse_hundreds(hundreds)).normalize()
    if tens := match["tens"]:
        return Decimal(TENS[tens.lower()] + NUMBER_WORDS.get((match["ones"] or "zero").lower(), 0)).normalize()
    return Decimal(NUMBER_WORDS[match["small"].lower()]).normalize()


def _parse_hundreds(words: str) -> int:
    """The value of "one thousand two hundred and five"."""
    total, current = 0, 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word == "thousand":
            total, current = total + (current or 1) * 1000, 0
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            current += NUMBER_WORDS.get(word) or TENS.get(word) or 0
    return total + current


def _unit_key(part: str) -> str:
    return re.sub(r"\s", "-", part.lower().replace("1.73", "").strip())


def _find_comparator(text: str, start: int, end: int) -> tuple[str, str]:
    """The comparator of the number at a place, and both as printed."""
    if before := _COMPARATOR_BEFORE.search(text[max(0, start - _MAX_COMPARATOR) : start]):
        side = "<" if before["below"] else ">" if before["above"] else "="
        return side, before.group() + text[start:end]
    if behind := _COMPARATOR_BEHIND.match(text, end):
        return ">" if behind["above"] else "<", text[start : behind.end()]
    return "", text[start:end]


def _lend_units(text: str, found: list[tuple[Quantity, int]]) -> list[Quantity]:
    """Numbers without a unit borrow that of the next number in their list."""
    result: list[Quantity] = []
    unit, next_start = "", len(text)
    for quantity, end in reversed(found):
        if not quantity.unit and unit and _LIST_JOINER.fullmatch(text, end, next_start):
            quantity = quantity._replace(unit=unit, has_borrowed_unit=True)
        unit, next_start = quantity.unit, quantity.start
        result.append(quantity)
    return result[::-1]


# Figures that a claim supposes of somebody: "being 82", "a 3 kg baby", "at 40 mL/min" beside a range of 30-50 mL/min.
#
# No source has to give them: whom it applies to, the claim says by itself, and whether its source is for them is left
# to whoever reads both.


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
