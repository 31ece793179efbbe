"""What identifies and where, how rules find it, and words that are names of people or, in medicine, of nobody."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from wellsourced.text.lexicon import name_set
from wellsourced.text.tables import read_alternatives, read_word_lists

IdentifierKind = Literal[
    "name", "address", "postcode", "date", "age", "phone", "email", "ssn", "record", "account", "device", "url", "ip"
]
"""`record`: of a patient, a chart, a case, an insurance; `account`: of a bank, a licence, a passport, a car."""


class Identifier(NamedTuple):
    """What identifies, and where: half-open, in code points."""

    kind: IdentifierKind
    start: int
    end: int


class IdentifierRule(NamedTuple):
    """A form of an identifier: the first group that matched, else the whole match, identifies."""

    kind: IdentifierKind
    pattern: re.Pattern[str]


LABEL_WORDS = {kind: words for (kind,), words in read_alternatives(__package__, "labels.tsv").items()}
"""Words, in some thirty languages and systems, that say what stands behind them, as alternatives of an expression."""

EMAIL_RULE = IdentifierRule("email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"))
US_SSN_RULE = IdentifierRule("ssn", re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"))


def apply_rules(text: str, rules: Iterable[IdentifierRule]) -> Iterator[Identifier]:
    """Every place where a rule holds."""
    for kind, pattern in rules:
        for found in pattern.finditer(text):
            # Of a rule with groups only what stands in one identifies: its label stays readable.
            group = next((at for at in range(1, pattern.groups + 1) if found[at] and len(found[at]) > 1), 0)
            yield Identifier(kind, *found.span(group))


def replace_identifiers(
    text: str, found: Iterable[Identifier], replacement: Callable[[IdentifierKind, str], str]
) -> str:
    """The text with `replacement(kind, words)` for each identifier; they stand in order and do not overlap."""
    parts, end = [], 0
    for one in found:
        parts += [text[end : one.start], replacement(one.kind, text[one.start : one.end])]
        end = one.end
    return "".join((*parts, text[end:]))


def merge_overlaps(found: Iterable[Identifier]) -> list[Identifier]:
    """In order of place; of those that overlap the kind of the one that begins first, then of the longest."""
    kept: list[Identifier] = []
    for one in sorted(set(found), key=lambda each: (each.start, -each.end, each.kind)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        # Two that overlap are masked as one: between them nothing may stay that tells who it is.
        elif one.end > kept[-1].end:
            kept[-1] = kept[-1]._replace(end=one.end)
    return kept


_LISTS = read_word_lists(__package__, "names.tsv")

GIVEN_NAMES = frozenset(_LISTS["given name"])
"""Given names that are hardly ever another English or medical word ("Mark", "Rose" and "April" are not here)."""

EPONYMS = frozenset(_LISTS["eponym"])
"""Names in those of diseases, signs, scores and operations: no patient's, unless a title or a label says so."""

NOT_NAMES = frozenset(_LISTS["no name"])
"""Words that stand where a name may, and are none."""

COUNTRIES_AND_STATES = frozenset(_LISTS["country or state"]) | name_set("""
    British Columbia, Central America, Costa Rica, Czech Republic, Hong Kong, Latin America, Middle East, New Hampshire,
    New Jersey, New Mexico, New South Wales, New York State, New Zealand, North America, North Carolina, North Dakota,
    Northern Ireland, Puerto Rico, Rhode Island, Saudi Arabia, South Africa, South America, South Carolina,
    South Dakota, South Korea, Sri Lanka, United Kingdom, United States, West Virginia
""")
"""Countries and states: large enough to stay (45 CFR 164.514(b)(2)(i)(B) counts what is smaller than a state)."""
