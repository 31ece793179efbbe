"""Which stretch of a text belongs to one claim alone, where the spans of several overlap."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.factcheck.text_outline import TextOutline
from wellsourced.text.sentences import Span
from wellsourced.types import Claim

_ITEM_MARK = re.compile(r"^[ \t]*(?:[-*+•▪◦‣·–—]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]+(?=\S)", re.MULTILINE)


def claim_spans(text: str, claims: Sequence[Claim]) -> dict[int, Span]:
    """Number of a claim → where it stands, the words that it shares with others left out; none is empty.

    An item of a list spans its lead-in and the items before it too: its own place is the item. Claims of one sentence
    have the same place.
    """
    ends: dict[int, set[int]] = defaultdict(set)
    for claim in claims:
        ends[claim.start].add(claim.end)
    found: dict[int, Span] = {}
    for claim in claims:
        start = claim.start
        # Only claims that begin together share words: items of one list, which each span their lead-in.
        if len(ends[start]) > 1:
            before = max((end for end in ends[start] if end < claim.end), default=start)
            start = _item_start(text, before, claim.end, is_first=before == claim.start)
        found[claim.number] = Span(start, claim.end)
    return found


def _item_start(text: str, start: int, end: int, *, is_first: bool) -> int:
    """Where an item begins behind its mark: the last one, of the first item; else the first behind the item before."""
    marks = [match.end() for match in _ITEM_MARK.finditer(text, start, end)]
    if marks:
        return marks[-1] if is_first else marks[0]
    return start + len(text[start:end]) - len(text[start:end].lstrip())


class ClaimPlace(NamedTuple):
    """Whole sentences of the text, and the claims that stand in them: one, or several that one sentence makes."""

    start: int
    end: int
    claims: tuple[Claim, ...]


def group_claims(text: str, claims: Sequence[Claim]) -> Iterator[ClaimPlace]:
    """The sentences that make claims, in the order of the text; claims of one sentence are together.

    A language model names a part of a sentence as the words that it made a claim from: its place is the sentence.
    """
    outline = TextOutline(text)
    own = {number: outline.widen(*span) for number, span in claim_spans(text, claims).items()}
    place: ClaimPlace | None = None
    for claim in sorted(claims, key=lambda one: own[one.number]):
        start, end = own[claim.number]
        if place and start < place.end:
            place = ClaimPlace(place.start, max(place.end, end), (*place.claims, claim))
            continue
        if place:
            yield place
        place = ClaimPlace(start, end, (claim,))
    if place:
        yield place
