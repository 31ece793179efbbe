"""The signs of a prescription (PO, BID, "10 mg", "q8h") in plain words: `prescribing_signs.tsv`.

They are conventions of writing, as the names of units are: their words are the program's, need no source, and are told
as that. What may mean several things is put into words only where the order writes it as a sign: "class IV" is none,
and "AC" one only beside a dose. The first column of `prescribing_signs.tsv` says in which letters a sign is one: in
"any", in "capitals", or as written and only in an order with a dose ("dosed").
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from pydantic import NonNegativeInt

from wellsourced.text.sentences import split_sentences
from wellsourced.text.tables import read_rows
from wellsourced.types import Value

_UNITS = {
    "mg": "milligrams",
    "mcg": "micrograms",
    "µg": "micrograms",
    "ug": "micrograms",
    "g": "grams",
    "ml": "millilitres",
    "units": "units",
    "unit": "unit",
    "iu": "international units",
    "meq": "milliequivalents",
    "mmol": "millimoles",
    "puffs": "puffs",
    "puff": "puff",
    "drops": "drops",
    "tablets": "tablets",
    "tablet": "tablet",
    "capsules": "capsules",
    "capsule": "capsule",
}
_DOSE = re.compile(
    r"(?<![\w.,/<>≥≤-])(?<![<>≥≤] )(\d+(?:[.,]\d+)*(?:\s?(?:-|–|to)\s?\d+(?:[.,]\d+)*)?)\s?"
    rf"({'|'.join(sorted(_UNITS, key=len, reverse=True))})(/kg)?(?![\w/%])",
    re.IGNORECASE,
)
_IS_NO_SINGLE_DOSE = re.compile(
    r"\b(?:divided|in (?:two|three|four|\d) doses|total|per (?:day|hour|minute)|infusion|drip|over \d|continuous\w*"
    r"|max\w*|not to exceed|up to|at most|a day|limit|diet|restrict\w*|intake)\b",
    re.IGNORECASE,
)
"""Beside a dose: it is one of a day, an hour, or the most that is given."""

_NUMERAL_BEFORE = re.compile(
    r"\b(?:stage|class|grade|type|phase|factor|level|nerve|NYHA|part|figure|group)\W+$", re.IGNORECASE
)
"""Behind it "IV" is four."""


class PrescribingSign(Value):
    """A sign of a prescription, verbatim: order[start:end] == sign; and what it means, in plain words."""

    sign: str
    start: NonNegativeInt
    end: NonNegativeInt
    meaning: str


class _SignRow(NamedTuple):
    """How a sign is written, what it means, and whether it is one only in an order that has a dose."""

    pattern: re.Pattern[str]
    meaning: str
    wants_dose: bool


def find_prescribing_signs(order: str) -> tuple[PrescribingSign, ...]:
    """The signs and doses of an order, in order; one that stands several times at its first place."""
    first: dict[str, PrescribingSign] = {}
    for one in locate_prescribing_signs(order):
        first.setdefault(one.sign.casefold(), one)
    return tuple(first.values())


def locate_prescribing_signs(order: str) -> list[PrescribingSign]:
    """Every place of every sign and dose, in order; of two that overlap the longer one."""
    kept: list[PrescribingSign] = []
    for one in sorted((*_match_signs(order), *_match_doses(order)), key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _match_signs(order: str) -> Iterator[PrescribingSign]:
    has_dose = _DOSE.search(order) is not None
    for row in _load_rows():
        if row.wants_dose and not has_dose:
            continue
        for found in row.pattern.finditer(order):
            if not _NUMERAL_BEFORE.search(order[: found.start()]):
                # A full stop behind "BID" ends the sentence, behind "b.i.d." the sign.
                sign = found[0].removesuffix(".") if found[0].count(".") == 1 else found[0]
                start, meaning = found.start(), found.expand(row.meaning)
                yield PrescribingSign(sign=sign, start=start, end=start + len(sign), meaning=meaning)


def _match_doses(order: str) -> Iterator[PrescribingSign]:
    for start, end in split_sentences(order):
        sentence = order[start:end]
        if not _IS_NO_SINGLE_DOSE.search(sentence):
            for found in _DOSE.finditer(sentence):
                at = start + found.start()
                yield PrescribingSign(sign=found[0], start=at, end=at + len(found[0]), meaning=_describe_dose(found))


def _describe_dose(found: re.Match[str]) -> str:
    amount = re.sub(r"\s?(?:-|–|to)\s?", " to ", found[1])
    unit = _UNITS[found[2].lower()]
    if amount == "1":
        unit = unit.removesuffix("s")
    return f"{amount} {unit}{' for each kilogram of body weight,' if found[3] else ''} each time"


@cache
def _load_rows() -> tuple[_SignRow, ...]:
    return tuple(
        _SignRow(
            re.compile(rf"(?<![\w/-])(?:{words})(?![\w/-])", re.IGNORECASE if kind == "any" else 0),
            meaning,
            kind == "dosed",
        )
        for kind, words, meaning in read_rows("wellsourced.explain", "prescribing_signs.tsv")
    )
