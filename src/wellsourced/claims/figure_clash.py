"""A figure of a claim that its source gives otherwise: the one contradiction that needs no judge.

Only a claim that repeats its source's sentence almost word for word, with another number in one place, is told. What
could explain the number (rounding, another unit, a sum, a range that holds it) makes it no clash.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from wellsourced.claims.differences.term_alignment import AlignedTerms, TermComparison, compare_terms, read_text_terms
from wellsourced.claims.differences.terms import is_same_quantity, parse_figure

MIN_SHARED_TERMS = 4
"""Content words and figures that both sides have: fewer are no sentence that is repeated."""

MIN_CLOSENESS = 0.8
"""Share of the claim's content words that the sentence has in the same order."""

NEAR_TERMS = 3
"""Terms on either side of the figure that are looked at: the claim's have to be the source's, one by one."""

MIN_SIMILARITY = 0.7
"""Share of the claim's words with which another sentence may be what the claim is about."""

_NAME_REACH = 8
"""Terms on either side of a figure in which it is named what the figure is of."""

_MAX_OTHER_FIGURES = 12
"""Figures of a sentence of which sums are tried."""

_CONTENT = ("word", "name", "direction", "figure")


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
    the sentence: it differs from it in this figure, and nothing in it explains the figure. Where another sentence of
    the context has nearly the same words, such as the next row of a table, it is not clear which is meant: no clash.
    """
    compared = compare_terms(claim, sentence, context)
    if not _is_near_copy(compared):
        return None
    for pair in compared.pairs:
        if not pair.same and _is_clash(pair, compared):
            said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
            words = claim[said.start : said.end], sentence[given.start : given.end]
            if not _has_similar_sentence(pair, compared, context):
                return FigureClash(said.start, said.end, given.start, given.end, *words)
    return None


def _is_near_copy(compared: TermComparison) -> bool:
    """Whether the claim repeats the sentence, or a part of it, almost word for word."""
    same = {pair.claim_index for pair in compared.pairs if pair.same}
    replaced = {
        pair.claim_index
        for pair in compared.pairs
        if not pair.same and compared.claim[pair.claim_index].kind == "figure"
    }
    content = [at for at, term in enumerate(compared.claim) if term.kind in _CONTENT and at not in replaced]
    shared = [at for at in content if at in same]
    words = [at for at in shared if compared.claim[at].kind != "figure"]
    denials = [sum(term.kind == "negation" for term in terms) for terms in (compared.claim, compared.source)]
    is_close = len(shared) >= max(MIN_SHARED_TERMS, MIN_CLOSENESS * len(content))
    return is_close and len(words) > 1 and denials[0] <= denials[1]


def _is_clash(pair: AlignedTerms, compared: TermComparison) -> bool:
    said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
    ours, theirs = _read_figure(said.key), _read_figure(given.key)
    if not ours or len(ours) != len(theirs) or not _has_same_surroundings(pair, compared):
        return False
    # A name near the figure that is not the source's: then the figure is of something else.
    if _has_foreign_terms(pair, compared, ("name", "negation", "condition"), _NAME_REACH):
        return False
    if _is_exchanged(pair, compared):
        return True
    # Where another figure of the claim is not the source's, it may be of another group or time.
    if _has_foreign_terms(pair, compared, ("figure", "unit"), len(compared.claim)):
        return False
    others = {term.key for term in compared.source if term.kind == "figure"}
    is_elsewhere = said.key in others or given.key in {term.key for term in compared.claim}
    return not is_elsewhere and not _is_explained(pair, compared)


def _is_exchanged(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether two figures of the sentence stand in each other's place in the claim, the words around them in theirs.

    Where two pairs have changed places, the claim may only name the two groups in another order: "20 for type 1, 10 for
    type 2" for "10 for type 2, 20 for type 1".
    """
    replaced = {
        (compared.claim[one.claim_index].key, compared.source[one.source_index].key)
        for one in compared.pairs
        if not one.same
    }
    if len({frozenset(keys) for keys in replaced if keys[::-1] in replaced}) > 1:
        return False
    said, given = compared.claim[pair.claim_index].key, compared.source[pair.source_index].key
    if [term.key for term in compared.claim].count(said) > 1 or [term.key for term in compared.source].count(given) > 1:
        return False
    return any(
        not other.same
        and compared.claim[other.claim_index].key == given
        and compared.source[other.source_index].key == said
        and _has_same_surroundings(other, compared)
        for other in compared.pairs
    )


def _read_figure(key: str) -> tuple[Decimal, ...]:
    """The numbers of a figure; of "twice daily" how often."""
    return (Decimal(key[5:]),) if key.startswith("freq ") else parse_figure(key)


def _has_same_surroundings(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the terms on both sides of the figures are the same, one by one, unit and bound included."""
    matches = {(one.claim_index, one.source_index) for one in compared.pairs if one.same}
    at, there = pair.claim_index, pair.source_index
    before = _count_matches(matches, at, there, -1)
    behind = _count_matches(matches, at, there, 1)
    is_bounded = (before or at == 0) and (behind or at + 1 == len(compared.claim))
    return bool(is_bounded) and before + behind >= NEAR_TERMS


def _has_foreign_terms(pair: AlignedTerms, compared: TermComparison, kinds: tuple[str, ...], reach: int) -> bool:
    """Whether another term of these kinds, within so many of the claim's figure, is not the source's."""
    same = {one.claim_index for one in compared.pairs if one.same}
    return any(
        term.kind in kinds and at not in same and 0 < abs(at - pair.claim_index) <= reach
        for at, term in enumerate(compared.claim)
    )


def _count_matches(matches: set[tuple[int, int]], at: int, there: int, step: int) -> int:
    count = 0
    while count < NEAR_TERMS and (at + step * (count + 1), there + step * (count + 1)) in matches:
        count += 1
    return count


def _is_explained(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the figure may be the source's in another form."""
    said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
    ours, theirs = _read_figure(said.key), _read_figure(given.key)
    if said.key.startswith("freq ") != given.key.startswith("freq "):
        return True
    if all(_is_rounded(a, b) for a, b in zip(ours, theirs, strict=True)):
        return True
    bound = compared.claim[pair.claim_index - 1].key if pair.claim_index else ""
    is_implied = (bound in (">", "≥") and ours[0] <= theirs[0]) or (bound in ("<", "≤") and ours[0] >= theirs[0])
    if is_implied and all(abs(a - b) <= abs(b) / 5 for a, b in zip(ours, theirs, strict=True)):
        return True
    if _has_other_unit(pair, compared):
        return True
    numbers = [number for term in compared.source if term.kind == "figure" for number in parse_figure(term.key)]
    ranges = [parse_figure(term.key) for term in compared.source if "-" in term.key[2:]]
    if len(ours) == 1 and any(len(one) == 2 and one[0] <= ours[0] <= one[1] for one in ranges):
        return True
    return len(ours) == 1 and ours[0] in set(_list_derived(numbers[:_MAX_OTHER_FIGURES], theirs[0]))


def _is_rounded(one: Decimal, other: Decimal) -> bool:
    """Whether one is the other with fewer decimals: 0.46 and 0.5, 7.8 and 8."""
    places = [max(0, -int(number.normalize().as_tuple().exponent)) for number in (one, other)]
    return places[0] != places[1] and abs(one - other) < Decimal(1).scaleb(-min(places))


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


def _has_similar_sentence(pair: AlignedTerms, compared: TermComparison, context: str) -> bool:
    """Whether another sentence of the context has nearly all of the claim's words: it is not clear which is meant."""
    words = {term.key for at, term in enumerate(compared.claim) if term.kind in _CONTENT and at != pair.claim_index}
    return any(
        len(words & one.keys) >= MIN_SIMILARITY * len(words)
        for one in read_text_terms(context).sentences
        if context[one.span.start : one.span.end] not in compared.source_text
    )
