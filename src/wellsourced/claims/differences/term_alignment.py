"""Two lists of terms, the one beside the other: which say the same, and which stand in each other's place.

What one side writes in one piece and the other in two is one term: "bodyweight", "body weight"; "4-15", "from 4 to 15".
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.claims.differences.terms import Term, TermClass, find_abbreviations, read_terms
from wellsourced.claims.guard.contrast_words import find_contrast

MAX_LENGTH = 6_000
"""Characters of each side that are read: a bound for hostile texts."""

_WEIGHTS: dict[TermClass, float] = {
    "figure": 2.0,
    "name": 2.0,
    "word": 1.5,
    "direction": 1.2,
    "condition": 1.0,
    "comparator": 0.8,
    "negation": 0.8,
    "quantity word": 0.8,
    "certainty": 0.8,
    "unit": 0.6,
    "light word": 0.4,
    "approximation": 0.2,
}
"""How much it tells that both sides have a term of a class."""

_NEIGHBOUR_BONUS = 0.4
"""For a pair behind a pair: of two places with the same word, the one where its neighbours are the same too."""

_REPLACEMENT_SCORES: dict[TermClass, float] = {
    "figure": 0.5,
    "name": 0.4,
    "direction": 0.4,
    "comparator": 0.4,
    "quantity word": 0.3,
    "certainty": 0.3,
    "unit": 0.2,
}
"""For two terms of one class that differ: the one stands in the place of the other."""

_EXCHANGE_SCORE = 0.6
"""For two terms that differ and that each stand elsewhere on the other side: they may have changed places."""

_REPLACING_BONUS = 0.25
"""For such a pair beside terms that both sides have."""


_GAP = re.compile(r"[ \-‐‑]?")
_RANGE_GAP = re.compile(r"\s(?:to|until|through|and)\s")
_MIN_PART_LENGTH = 3
"""Letters of each part of a compound."""

_EXCHANGEABLE: frozenset[TermClass] = frozenset({"figure", "name", "word"})


class AlignedTerms(NamedTuple):
    """A pair of indexes: the claim's term and the source's; `same` when they say the same."""

    claim_index: int
    source_index: int
    same: bool


class TermStretch(NamedTuple):
    """Terms between two that both sides have, as half-open ranges of indexes."""

    start: int
    end: int
    source_start: int
    source_end: int


class TermComparison(NamedTuple):
    """Both texts as terms, and their alignment."""

    claim: list[Term]
    source: list[Term]
    pairs: list[AlignedTerms]
    claim_text: str
    source_text: str


def compare_terms(claim: str, sentence: str, context: str = "") -> TermComparison:
    """Both texts as terms, aligned; abbreviations are read in the context too."""
    claim, sentence = claim[:MAX_LENGTH], sentence[:MAX_LENGTH]
    short = find_abbreviations(context, claim, sentence)
    said, given = read_terms(claim, short), read_terms(sentence, short)
    said, given = join_split_terms(said, claim, given, sentence), join_split_terms(given, sentence, said, claim)
    return TermComparison(said, given, align_terms(said, given), claim, sentence)


def align_terms(claim: Sequence[Term], source: Sequence[Term]) -> list[AlignedTerms]:
    """The heaviest pairs of terms in the order of both sides, in time that grows with the product of their numbers."""
    rows, columns = len(claim), len(source)
    shared = {term.key for term in claim if term.kind in _EXCHANGEABLE} & {term.key for term in source}
    scores = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    taken = [bytearray(columns + 1) for _ in range(rows + 1)]
    for at, said in enumerate(claim, start=1):
        row, above, choices = scores[at], scores[at - 1], taken[at]
        for there, given in enumerate(source, start=1):
            best, choice = above[there], 1
            if row[there - 1] > best:
                best, choice = row[there - 1], 2
            exchanged = said.key in shared and given.key in shared and said.key != given.key
            if said.key == given.key or said.kind == given.kind or exchanged:
                joined = at > 1 and there > 1 and taken[at - 1][there - 1] == 3
                value = _score_pair(claim, source, at - 1, there - 1, joined, exchanged)
                if value and above[there - 1] + value > best:
                    best, choice = above[there - 1] + value, 3
            row[there], choices[there] = best, choice
    return _trace_pairs(claim, source, taken)


def _trace_pairs(claim: Sequence[Term], source: Sequence[Term], taken: list[bytearray]) -> list[AlignedTerms]:
    pairs: list[AlignedTerms] = []
    at, there = len(claim), len(source)
    while at and there:
        choice = taken[at][there]
        if choice == 3:
            at, there = at - 1, there - 1
            pairs.append(AlignedTerms(at, there, claim[at].key == source[there].key))
        elif choice == 1:
            at -= 1
        else:
            there -= 1
    return pairs[::-1]


def _score_pair(
    claim: Sequence[Term], source: Sequence[Term], at: int, there: int, joined: bool, exchanged: bool
) -> float:
    said, given = claim[at], source[there]
    before = joined and claim[at - 1].key == source[there - 1].key
    if said.key == given.key:
        return _WEIGHTS[said.kind] + (_NEIGHBOUR_BONUS if before else 0.0)
    value = _REPLACEMENT_SCORES.get(said.kind, 0.0)
    if said.kind == "direction" and said.key[:-1] != given.key[:-1]:
        value = 0.1
    if said.kind == "word":
        value = 0.3 if find_contrast(said.key, given.key) else 0.0
    if exchanged and said.kind == given.kind:
        value = max(value, _EXCHANGE_SCORE)
    if not value:
        return 0.0
    behind = at + 1 < len(claim) and there + 1 < len(source) and claim[at + 1].key == source[there + 1].key
    return value + _REPLACING_BONUS * (bool(before) + behind)


def weigh_term(term: Term) -> float:
    """How much a term tells of what a sentence is about."""
    return _WEIGHTS[term.kind]


def join_split_terms(terms: Sequence[Term], text: str, other: Sequence[Term], other_text: str) -> list[Term]:
    """The terms of a text, as one where the other side has them as one."""
    whole = {_read_word(term, other_text): term for term in other if term.kind in ("word", "name")}
    ranges = {term.key: term for term in other if term.key.startswith("#") and "-" in term.key[2:]}
    found: list[Term] = []
    for term in terms:
        before = found[-1] if found else None
        match = before and _find_whole(before, term, text, whole, ranges)
        if before and match:
            found[-1] = before._replace(key=match.key, kind=match.kind, end=term.end)
        else:
            found.append(term)
    return found


def _find_whole(before: Term, term: Term, text: str, whole: dict[str, Term], ranges: dict[str, Term]) -> Term | None:
    """The other side's term that is two of this side in one piece; None without one."""
    gap = text[before.end : term.start]
    if before.key.startswith("#") and term.key.startswith("#"):
        return ranges.get(f"{before.key}-{term.key[1:]}") if _RANGE_GAP.fullmatch(gap) else None
    parts = _read_word(before, text), _read_word(term, text)
    if not _GAP.fullmatch(gap) or min(map(len, parts)) < _MIN_PART_LENGTH or before.start == term.start:
        return None
    return whole.get("".join(parts))


def _read_word(term: Term, text: str) -> str:
    return text[term.start : term.end].lower()
