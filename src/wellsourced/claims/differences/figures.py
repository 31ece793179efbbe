"""Numbers and units in one form, and whether two figures are the same quantity."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from wellsourced.text.lexicon import NUMBER_WORDS, TENS

_UNIT_SIZES: dict[str, tuple[str, Decimal]] = {
    unit: (family, Decimal(size))
    for family, units in {
        "time": {"ms": "0.001", "second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"},
        "months": {"month": "1", "year": "12"},
        "length": {"nm": "0.000001", "µm": "0.001", "mm": "1", "cm": "10", "m": "1000", "km": "1000000"},
        "mass": {"pg": "0.000000001", "ng": "0.000001", "mcg": "0.001", "mg": "1", "g": "1000", "kg": "1000000"},
        "volume": {"µl": "0.001", "ml": "1", "dl": "100", "l": "1000"},
    }.items()
    for unit, size in units.items()
}


def normalize_number(digits: str) -> str:
    """ "1,000" is 1000, ".05" is 0.05, "8.0" is 8."""
    plain = digits.replace("·", ".").replace(",", "").replace("−", "-")
    plain = re.sub(r"\A(-?)\.", r"\g<1>0.", plain)
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return re.sub(r"\A(-?)0+(?=\d)", r"\1", plain)


def read_number_words(words: Sequence[str]) -> tuple[int, int]:
    """How many words are one number, and its value: "sixty nine", "one hundred and seventy nine"."""
    total = part = count = 0
    before = ""
    for at, word in enumerate(words):
        opens = before in ("", "hundred", "and", "thousand")
        if word in TENS and opens:
            part += TENS[word]
        elif word in NUMBER_WORDS and (opens or (before in TENS and NUMBER_WORDS[word] < 10)):
            part += NUMBER_WORDS[word]
        elif word == "hundred" and 0 < part < 10:
            part *= 100
        elif word == "thousand" and part:
            total, part = 1000 * part, 0
        elif word == "and" and before in ("hundred", "thousand"):
            before = word
            continue
        else:
            break
        before, count = word, at + 1
    return count, total + part


def parse_figure(key: str) -> tuple[Decimal, ...]:
    """The numbers of a figure's key: one, or the two ends of a range; () when it has none, such as "freq 2"."""
    match = re.fullmatch(r"#(-?[\d.]+)(?:-(-?[\d.]+))?", key)
    try:
        return tuple(Decimal(number) for number in match.groups() if number) if match else ()
    except InvalidOperation:
        return ()


def is_same_quantity(one: str, unit: str, other: str, other_unit: str) -> bool:
    """Whether two figures are equal in units of one kind: 15 mm and 1.5 cm, 14 days and 2 weeks."""
    family, size = _UNIT_SIZES.get(unit.removeprefix("unit "), ("", Decimal(0)))
    other_family, other_size = _UNIT_SIZES.get(other_unit.removeprefix("unit "), (" ", Decimal(0)))
    ours, theirs = parse_figure(one), parse_figure(other)
    if family != other_family or not ours or len(ours) != len(theirs):
        return False
    return all(a * size == b * other_size for a, b in zip(ours, theirs, strict=True))
