"""Units: how they are written, what they measure, and what a value in one is in another.

`units.tsv`: a unit, what it measures, how much of one unit of that it is, and how it is written. `substances.tsv`: what
is measured in blood, its g/mol, the charges of its ion, the grams of an international unit, and its names.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_rows

_UNIT_ROWS = read_rows("wellsourced.medicine", "units.tsv")
CANONICAL_UNITS = {spelling: unit for unit, _, _, spellings in _UNIT_ROWS for spelling in spellings.split()}
"""Spelling of a unit → its canonical spelling. Only mM and its kin differ from another unit by case alone."""

_UNIT_SIZES = {unit: (dimension, float(size)) for unit, dimension, size, _ in _UNIT_ROWS if size}
"""Unit → what it measures, and how much of one unit of that it is."""


_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
EXPONENT = r"(?:\s?(?:\^|\*{1,2})\s?[(\[{]?-?\d{1,2}[)\]}]?|[(\[]-?\d{1,2}[)\]]|⁻?[⁰¹²³⁴-⁹]{1,2})"
_POWER = rf"(?:\s?[x×*·]\s?10(?:{EXPONENT}|(?=(?:3|6|9|12)\s?/)\d{{1,2}})|\s?10{EXPONENT})"
"""A power of ten behind a number, in any print: "× 10^9", "x10(9)", "10⁹", and "x 109/L", whose 9 was raised."""

_VOLUME = "l|dl|ml|µl|ul|mm3|mm³|lit(?:er|re)|microlit(?:er|re)"
_PER_VOLUME = rf"(?:{_POWER}|\s?k(?=\s?/))?\s?(?:(?:cells|copies|cfu)\s?)?(?:/|per )\s?(?P<volume>{_VOLUME})(?![^\W_])"
_UNIT_NAME = "|".join(map(re.escape, sorted(CANONICAL_UNITS, key=len, reverse=True))).replace(r"\-", r"[\s-]")
_PER = (
    r"\s?/\s?|\sper\s"
    r"|(?<!times)(?<!time)\san?\s(?=(?:hour|minute|day|week|month)\b(?! (?:later|after|before|ago|apart)))"
)
UNIT_PATTERN = lazy_regex(
    rf"(?!\s?-?(?-i:HR|[MHDS])\b)\s?-?(?:(?:{_UNIT_NAME})(?![^\W\d_]))(?:(?:{_PER})"
    rf"(?:1\.73\s?|24[\s-]?(?=h))?(?:{_UNIT_NAME})(?![^\W\d_]))*|{_PER_VOLUME}|(?P<seconds>\ss)(?![\w/'])"
    r"|(?P<aged>(?<![.,\d]\d\d)(?<=\d\d)(?-i:[MF])(?![\w/]))|(?P<inches>\sin)(?=\s?(?:[,.;)]|\Z)|\sor\b)",
    re.I,
)
POWER_PATTERN = lazy_regex(_POWER)
SCALE_WORD = lazy_regex(r"\s(thousand|million|billion)\b|(?<=\d)k\b(?!\s?/)", re.IGNORECASE)
SCALE_WORDS = {"thousand": 3, "million": 6, "billion": 9, None: 3}


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def canonical_unit(match: re.Match[str]) -> str:
    """The canonical spelling of a unit, part by part; that of cells in a volume is "10⁹/l"."""
    spelled = match.group()
    if match["aged"]:
        # "58M" is a man of 58.
        return "year"
    if match["seconds"] or match["inches"]:
        return "second" if match["seconds"] else "inch"
    if volume := match["volume"]:
        power = POWER_PATTERN.match(spelled)
        exponent = parse_exponent(power.group()) if power else 3 if spelled.strip()[0] in "kK" else 0
        raised = f"10{str(exponent).translate(_RAISED)}" if exponent else ""
        unit = CANONICAL_UNITS.get(volume.lower(), volume)
        return f"{raised}/{'µl' if unit == 'mm3' else unit}"
    parts = re.split(_PER, spelled.strip(" -"), flags=re.IGNORECASE)
    return "/".join(CANONICAL_UNITS.get(part) or CANONICAL_UNITS.get(_unit_key(part), part.lower()) for part in parts)


def _unit_key(part: str) -> str:
    return "day" if part.startswith("24") else "-".join(part.lower().replace("1.73", "").split())


def parse_exponent(power: str) -> int:
    """The exponent of "× 10^9", "10⁻³" or "x109"."""
    digits = power.translate(_SUPERSCRIPTS).partition("10")[2]
    return int("".join(sign for sign in digits if sign.isdecimal() or sign == "-"))


# --- other units ---------------------------------------------------------------------------------------------------


class _Substance(NamedTuple):
    """What is measured in blood: its g/mol, the charges of its ion, the grams of one IU, and how it is named."""

    molar_mass: float
    charges: float
    grams_of_iu: float
    names: re.Pattern[str]


@cache
def _load_substances() -> dict[str, _Substance]:
    return {
        name: _Substance(
            float(mass), float(charges), float(iu or 0), lazy_regex(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
        )
        for name, mass, charges, iu, words in read_rows("wellsourced.medicine", "substances.tsv")
    }


def list_substances(text: str) -> list[str]:
    """The substances of `substances.tsv` that a text names."""
    return [name for name, _ in find_substances(text)]


@lru_cache(maxsize=1024)
def find_substances(text: str) -> tuple[tuple[str, int], ...]:
    """The substances that a text names, each with where it is named first."""
    found = ((name, one.names.search(text)) for name, one in _load_substances().items())
    return tuple((name, match.start()) for name, match in found if match)


@lru_cache(maxsize=1024)
def measure_dimension(unit: str) -> tuple[str, float]:
    """What a unit measures ("mass/volume"), and how much of one unit of that it is; of an unknown one itself, and 1."""
    dimensions, size = [], 1.0
    for at, part in enumerate(unit.split("/")):
        if part.startswith("10") and not at:
            dimension, own = "", 10.0 ** parse_exponent(part)
        else:
            dimension, own = _UNIT_SIZES.get(part, (part, 1.0))
        dimensions.append(dimension)
        size = size / own if at else own
    return "/".join(dimensions), size


def convert(value: float, unit: str, to: str, substance: str = "") -> float | None:
    """A value in another unit; None where that would be of another kind, or the substance that tells is not known.

    unit, to    canonical: "mg/dl", "10⁹/l"
    substance   of `substances.tsv`, or "HbA1c"
    """
    if unit == to:
        return value
    if substance == "HbA1c" and {unit, to} == {"%", "mmol/mol"}:
        return 0.09148 * value + 2.152 if to == "%" else (value - 2.152) / 0.09148
    (dimension, size), (other, other_size) = measure_dimension(unit), measure_dimension(to)
    if dimension == other == "temperature":
        return value * 1.8 + 32 if to == "°f" else (value - 32) / 1.8
    kind, _, below = dimension.partition("/")
    other_kind, _, other_below = other.partition("/")
    weights = _weigh_kinds(substance)
    # Albumin and protein of urine are related to creatinine: 1 mg/mmol is 8.84 mg/g.
    if kind == other_kind and {below, other_below} == {"mass", "amount"}:
        weight = _load_substances()["creatinine"].molar_mass
        return value * size / other_size * (weight if below == "mass" else 1 / weight)
    if below != other_below or (kind != other_kind and not (kind in weights and other_kind in weights)):
        return None
    return value * size / other_size * (weights[kind] / weights[other_kind] if kind != other_kind else 1)


def _weigh_kinds(substance: str) -> dict[str, float]:
    """How much one gram, one mole and one mole of charges of a substance weigh, and one IU where that is defined."""
    known = _load_substances().get(substance)
    if not known:
        # A katal of an enzyme is sixty million units.
        return {} if substance else {"amount": 1.0, "charge": 1.0, "u": 1.0, "catalysis": 60e6}
    weights = {"mass": 1.0, "amount": known.molar_mass, "charge": known.molar_mass / known.charges}
    return weights | ({"iu": known.grams_of_iu, "u": known.grams_of_iu} if known.grams_of_iu else {})
