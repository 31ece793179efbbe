"""A figure of a claim that its source gives otherwise: the one contradiction that needs no judge.

Only a claim that repeats its source's sentence almost word for word, with another number in one place, is told. A
number that follows from the sentence (rounded, in another unit, a sum, within a range) makes no clash.
"""

from typing import NamedTuple

from wellsourced.compare.alignment import AlignedTerms, TermComparison, compare_terms, read_text_terms
from wellsourced.compare.quantities import list_underived_quantities
from wellsourced.compare.terms import parse_figure

MIN_SHARED_TERMS = 4
"""Content words and figures that both sides have: fewer are no sentence that is repeated."""

NEAR_TERMS = 3
"""Terms on either side of the figure that are looked at: the claim's have to be the source's, one by one."""

MIN_SIMILARITY = 0.7
"""Share of the claim's words with which another sentence may be what the claim is about."""

_NAME_REACH = 8
"""Terms on either side of a figure in which it is named what the figure is of."""

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
    underived = list_underived_quantities(claim, [sentence], [sentence])
    for pair in compared.pairs:
        said, given = compared.claim[pair.claim_index], compared.source[pair.source_index]
        if pair.same or not said.kind == given.kind == "figure" or not _has_same_surroundings(pair, compared):
            continue
        is_explained = not any(one.start < said.end and said.start < one.start + len(one.words) for one in underived)
        is_explained = is_explained or _is_implied(pair, compared)
        if _is_clash(pair, compared, is_explained) and not _has_similar_sentence(pair, compared, context):
            words = claim[said.start : said.end], sentence[given.start : given.end]
            return FigureClash(said.start, said.end, given.start, given.end, *words)
    return None


def _is_near_copy(compared: TermComparison) -> bool:
    """Whether the claim repeats the sentence, or a part of it, and denies no more."""
    shared = sum(pair.same and compared.claim[pair.claim_index].kind in _CONTENT for pair in compared.pairs)
    denials = [sum(term.kind == "negation" for term in terms) for terms in (compared.claim, compared.source)]
    return compared.is_copy and shared >= MIN_SHARED_TERMS and denials[0] <= denials[1]


def _is_clash(pair: AlignedTerms, compared: TermComparison, is_explained: bool) -> bool:
    # A name near the figure that is not the source's: then the figure is of something else.
    if _has_foreign_terms(pair, compared, ("name", "negation", "condition"), _NAME_REACH):
        return False
    if _is_exchanged(pair, compared):
        return True
    # Where another figure of the claim is not the source's, it may be of another group or time.
    return not is_explained and not _has_foreign_terms(pair, compared, ("figure", "unit"), len(compared.claim))


def _is_implied(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether a bound follows from a closer one: "more than 12%" from "more than 13%"."""
    bound = compared.claim[pair.claim_index - 1].key if pair.claim_index else ""
    ours, theirs = (parse_figure(key) for key in _read_keys(pair, compared))
    if not ours or not theirs:
        return False
    return (bound in (">", "≥") and ours <= theirs) or (bound in ("<", "≤") and ours >= theirs)


def _is_exchanged(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether two figures of the sentence stand in each other's place in the claim, the words around them in theirs.

    Where two pairs have changed places, the claim may only name the two groups in another order: "20 for type 1, 10 for
    type 2" for "10 for type 2, 20 for type 1".
    """
    replaced = {_read_keys(one, compared): one for one in compared.pairs if not one.same}
    said, given = _read_keys(pair, compared)
    other = replaced.get((given, said))
    is_single = (
        sum(term.key == said for term in compared.claim) == 1 == sum(term.key == given for term in compared.source)
    )
    exchanged = {frozenset(keys) for keys in replaced if keys[::-1] in replaced}
    return other is not None and is_single and len(exchanged) == 1 and _has_same_surroundings(other, compared)


def _read_keys(pair: AlignedTerms, compared: TermComparison) -> tuple[str, str]:
    return compared.claim[pair.claim_index].key, compared.source[pair.source_index].key


def _has_same_surroundings(pair: AlignedTerms, compared: TermComparison) -> bool:
    """Whether the terms on both sides of the figures are the same, one by one, unit and bound included."""
    matches = {(one.claim_index, one.source_index) for one in compared.pairs if one.same}
    at, there = pair.claim_index, pair.source_index
    before = _count_matches(matches, at, there, -1)
    behind = _count_matches(matches, at, there, 1)
    is_bounded = (before or at == 0) and (behind or at + 1 == len(compared.claim))
    return bool(is_bounded) and before + behind >= NEAR_TERMS


def _count_matches(matches: set[tuple[int, int]], at: int, there: int, step: int) -> int:
    count = 0
    while count < NEAR_TERMS and (at + step * (count + 1), there + step * (count + 1)) in matches:
        count += 1
    return count


def _has_foreign_terms(pair: AlignedTerms, compared: TermComparison, kinds: tuple[str, ...], reach: int) -> bool:
    """Whether another term of these kinds, within so many of the claim's figure, is not the source's."""
    same = {one.claim_index for one in compared.pairs if one.same}
    return any(
        term.kind in kinds and at not in same and 0 < abs(at - pair.claim_index) <= reach
        for at, term in enumerate(compared.claim)
    )


def _has_similar_sentence(pair: AlignedTerms, compared: TermComparison, context: str) -> bool:
    """Whether another sentence of the context has nearly all of the claim's words: it is not clear which is meant."""
    words = {term.key for at, term in enumerate(compared.claim) if term.kind in _CONTENT and at != pair.claim_index}
    return any(
        len(words & one.keys) >= MIN_SIMILARITY * len(words)
        for one in read_text_terms(context).sentences
        if context[one.span.start : one.span.end] not in compared.source_text
    )
