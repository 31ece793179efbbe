"""A figure of a claim that its source gives otherwise: the one contradiction that needs no judge.

Only a claim that repeats its source's sentence almost word for word, with another number in one place, is told. What
could explain the number (rounding, another unit, a sum, a range that holds it) makes it no clash.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from wellsourced.claims.differences.figures import is_same_quantity, parse_figure
from wellsourced.claims.differences.marking import TermComparison, compare_terms
from wellsourced.claims.differences.source_sentence import read_text_terms
from wellsourced.claims.differences.term_alignment import AlignedTerms

MIN_SHARED_WORDS = 4
"""Content words that both sides have: fewer are no sentence that is repeated."""

MIN_CLOSENESS = 0.8
"""Share of the claim's content words that the sentence has in the same order."""

NEAR_TERMS = 3
"""Terms on either side of the figure that are looked at: the claim's have to be the source's, one by one."""

MIN_ELSEWHERE = 0.7
"""Share of the claim's words with which its figure stands in another sentence that may be what the claim is about."""

_MAX_OTHER_FIGURES = 12
"""Figures of a sentence of which sums are tried."""

_WORDY = ("word", "name", "direction")
_APPROXIMATE = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|some|circa|ca\.?|close to|just (?:over|under)"
    r"|more than|less than|over|under|above|below|at least|at most|up to|exceed\w*|within|fewer than)|[~≈<>≤≥])\s*(?:an? )?\Z",
    re.IGNORECASE,
)


class FigureClash(NamedTuple):
    """Two figures in the same place: offsets and words of the claim's, and of the sentence's."""

    claim_start: int
    claim_end: int
    source_start: int
    source_end: int
    claim_figure: str
    source_figure: str

    def describe(self) -> str:
        """What differs, in words."""
        return f"the number differs: “{self.claim_figure}” in the statement, “{self.source_figure}” in the source"


def find_figure_clash(claim: str, sentence: str, context: str = "") -> FigureClash | None:
    """The first figure of a claim in the place of which the sentence has another one; None without one.

    `sentence` is what `find_source_sentence` finds, `context` the text around it. A claim that has a clash contradicts
    the sentence: it differs from it in this figure, and nothing in it explains the figure. Whether another sentence of the context says what the claim says is looked at too: then there is no clash.
    """
    compared = compare_terms(claim, sentence, context)
    if not _is_near_copy(compared):
        return None
    for pair in compared.pairs:
        if not pair.same and _is_clash(pair, compared):
            said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
            words = claim[said.start : said.end], sentence[given.start : given.end]
            if not _is_elsewhere(pair, compared, context):
                return FigureClash(said.start, said.end, given.start, given.end, *words)
    return None


def _is_near_copy(compared: TermComparison) -> bool:
    """Whether the claim repeats the sentence, or a part of it, almost word for word."""
    content = [at for at, term in enumerate(compared.claim) if term.kind in _WORDY]
    same = {pair.claim_index for pair in compared.pairs if pair.same}
    shared = [at for at in content if at in same]
    denials = [sum(term.kind == "negation" for term in terms) for terms in (compared.claim, compared.source)]
    return (
        len(shared) >= MIN_SHARED_WORDS and len(shared) >= MIN_CLOSENESS * len(content) and denials[0] <= denials[1]
    )


def _is_clash(pair: AlignedTerms, compared: TermComparison) -> bool:
    said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
    ours, theirs = parse_figure(said.key), parse_figure(given.key)
    if not ours or len(ours) != len(theirs) or not _has_same_surroundings(pair, compared):
        return False
    others = {term.key for term in compared.source if term.kind == "figure"}
    if said.key in others or given.key in {term.key for term in compared.claim}:
        return False
    return not _is_explained(pair, compared)


def _has_same_surroundings(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the terms on both sides of the figures are the same, one by one, unit and bound included."""
    matches = {(one.claim_index, one.source_index) for one in compared.pairs if one.same}
    at, there = pair.claim_index, pair.source_index
    before = _count_matches(matches, at, there, -1)
    behind = _count_matches(matches, at, there, 1)
    ends_alike = at + 1 + behind == len(compared.claim)
    begins_alike = at == before
    if not (before or begins_alike) or not (behind or ends_alike):
        return False
    return before + behind >= NEAR_TERMS


def _count_matches(matches: set[tuple[int, int]], at: int, there: int, step: int) -> int:
    count = 0
    while count < NEAR_TERMS and (at + step * (count + 1), there + step * (count + 1)) in matches:
        count += 1
    return count


# --- what explains a figure ----------------------------------------------------------------------------------------


def _is_explained(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the figure may be the source's in another form."""
    said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
    ours, theirs = parse_figure(said.key), parse_figure(given.key)
    if all(_is_rounded(a, b) for a, b in zip(ours, theirs, strict=True)):
        return True
    text, other_text = compared.claim_text, compared.source_text
    if any(_APPROXIMATE.search(part[max(0, at - 24) : at]) for part, at in ((text, said.start), (other_text, given.start))) and all(
        _is_near(a, b) for a, b in zip(ours, theirs, strict=True)
    ):
        return True
    if _has_other_unit(pair, compared):
        return True
    numbers = [number for term in compared.source if term.kind == "figure" for number in parse_figure(term.key)]
    ranges = [parse_figure(term.key) for term in compared.source if "-" in term.key[2:]]
    if len(ours) == 1 and any(len(one) == 2 and one[0] <= ours[0] <= one[1] for one in ranges):
        return True
    return len(ours) == 1 and ours[0] in set(_list_derived(numbers[:_MAX_OTHER_FIGURES], theirs[0]))


def _is_rounded(one: Decimal, other: Decimal) -> bool:
    """Whether one is the other with fewer digits: 0.46 and 0.5, 1,234 and 1,200."""
    exact, rough = sorted((one, other), key=lambda number: -len(number.normalize().as_tuple().digits))
    digits = rough.normalize().as_tuple()
    if len(digits.digits) == len(exact.normalize().as_tuple().digits):
        return one == other
    step = Decimal((0, (1,), int(digits.exponent)))
    return abs(exact - rough) < step


def _is_near(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= abs(other) / 5


def _has_other_unit(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the units behind the figures differ, or only one side has one."""
    behind = [
        terms[at + 1] if at + 1 < len(terms) else None
        for terms, at in ((compared.claim, pair.claim_index), (compared.source, pair.source_index))
    ]
    units = [term.key if term and term.kind == "unit" else "" for term in behind]
    said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
    return units[0] != units[1] or is_same_quantity(said.key, units[0], given.key, units[1])


def _list_derived(numbers: Sequence[Decimal], own: Decimal) -> Iterator[Decimal]:
    """Sums, differences, shares and rests of the figures of a sentence, as anybody may work them out."""
    yield from (100 - own, sum(numbers, Decimal(0)))
    for one, other in combinations(numbers, 2):
        yield from (one + other, abs(one - other))
        for part, whole in ((one, other), (other, one)):
            if whole:
                share = 100 * part / whole
                yield from (share.quantize(Decimal(1)).normalize(), share.quantize(Decimal("0.1")).normalize())


# --- another place of the text -------------------------------------------------------------------------------------


def _is_elsewhere(pair: AlignedTerms, compared: TermComparison, context: str) -> bool:
    """Whether another sentence of the context has the claim's figure and nearly all of its words."""
    key = compared.claim[pair.claim_index].key
    words = {term.key for term in compared.claim if term.kind in _WORDY}
    return any(
        key in one.keys and len(words & one.keys) >= MIN_ELSEWHERE * len(words)
        for one in read_text_terms(context).sentences
    )
