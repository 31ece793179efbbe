""" "And" for "or", "both" for "at least one", "pregnant" for "nonpregnant": small words that turn a rule round.

Each is a suspicion, as in `exchanged_facts.py`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.exchanged_facts import show_around
from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.text.tokens import content_stems, stem_coverage

_JOINED = re.compile(r"(?=\b(?P<first>[\w-]+),? (?P<join>and|or) (?P<second>[\w-]+))", re.IGNORECASE)
_ALL_OF = re.compile(r"\b(?:both(?: of)?|all of|each of)\b", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:at least one(?: of)?|one (?:or more )?of|any of|either(?: of)?)\b", re.IGNORECASE)

_WORD = re.compile(r"(?:non-)?[a-z]+")

MIN_PREFIXED = 5
"""Letters of a word of which "non" before it makes the contrary."""

MIN_LIKENESS = 0.35
"""Share of a claim's content words that a sentence has whose "both" or "either" is compared."""


class JoinedPair(NamedTuple):
    """Two words beside "and" or "or", by their stems."""

    first: str
    second: str


def find_exchanged_connectives(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Two words that the claim joins by the one of "and" and "or", and its source only by the other."""
    given = _list_joined(evidence)
    for found in _JOINED.finditer(claim):
        pair, join = _stem_pair(found), found["join"].lower()
        others = given.get(pair, {}) if pair else {}
        if others and join not in others:
            yield Disagreement("condition", _show_pair(claim, found), _show_pair(evidence, next(iter(others.values()))))
            return


def find_exchanged_quantifiers(claim: str, evidence: str) -> Iterator[Disagreement]:
    """ "Both of" where the source has "at least one of", and the reverse."""
    for said, given in ((_ALL_OF, _ONE_OF), (_ONE_OF, _ALL_OF)):
        here, there = said.search(claim), given.search(evidence)
        if here and there and not said.search(evidence) and stem_coverage(claim, evidence) >= MIN_LIKENESS:
            yield Disagreement("condition", show_around(claim, here), show_around(evidence, there))
            return


def find_dropped_prefixes(claim: str, source: str) -> Iterator[Disagreement]:
    """ "Pregnant" where the source speaks of the nonpregnant alone, and the reverse."""
    for word in sorted({word for word in _WORD.findall(claim.lower()) if len(word) >= MIN_PREFIXED}):
        other = rf"non-?{word}" if not word.startswith("non") else word.removeprefix("non").removeprefix("-")
        own = rf"(?<!non-){word}" if not word.startswith("non") else rf"non-?{other}"
        here = re.search(rf"\b{own}\b", claim, re.IGNORECASE)
        there = re.search(rf"(?<![\w-]){other}\b", source, re.IGNORECASE)
        is_denied = re.search(
            rf"\b(?:not|no|without) (?:\w+ )?{other}\b|\b(?:not|no|without) {own}\b", claim, re.IGNORECASE
        )
        if here and there and not is_denied and not re.search(rf"\b{own}\b", source, re.IGNORECASE):
            yield Disagreement("population", show_around(claim, here), show_around(source, there))
            return


def _list_joined(text: str) -> dict[JoinedPair, dict[str, re.Match[str]]]:
    """Pairs of a text → by "and" and "or", where they stand."""
    found: dict[JoinedPair, dict[str, re.Match[str]]] = {}
    for match in _JOINED.finditer(text):
        if pair := _stem_pair(match):
            found.setdefault(pair, {}).setdefault(match["join"].lower(), match)
    return found


def _stem_pair(found: re.Match[str]) -> JoinedPair | None:
    stems = [content_stems(found[name]) for name in ("first", "second")]
    return JoinedPair(stems[0][-1], stems[1][0]) if all(stems) else None


def _show_pair(text: str, found: re.Match[str]) -> str:
    """The two words, with a few on either side."""
    before, behind = text[: found.start()].split(), text[found.end("second") :].split()
    return " ".join([*before[-4:], text[found.start("first") : found.end("second")], *behind[:4]])
