"""A text as its sentences stand under headings, in lists and in tables; which belong to one claim, and which can go."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from wellsourced.claims.atomic_facts import claims_nothing
from wellsourced.claims.extraction import split_segments
from wellsourced.factcheck.load.decomposition import parse_text
from wellsourced.text.sentences import Span, has_back_reference
from wellsourced.types import Claim


class TextOutline:
    """The sentences of a text in their order; a sentence is meant by its place among them.

    segments   every sentence, heading, item and row but those of the list of references
    """

    def __init__(self, text: str) -> None:
        read = parse_text(text)
        self.segments = list(split_segments(text, read.marks, read.listed.spans))
        self._starts = [one.start for one in self.segments]

    def sentences_at(self, start: int, end: int) -> range:
        """The sentences of which some words stand between two offsets."""
        first = bisect_left(self._starts, start)
        if first and self.segments[first - 1].end > start:
            first -= 1
        return range(first, max(first, bisect_left(self._starts, end)))

    def widen(self, start: int, end: int) -> Span:
        """From the beginning of the first of these sentences to the end of the last."""
        found = self.sentences_at(start, end)
        if not found:
            return Span(start, end)
        return Span(min(start, self.segments[found[0]].start), max(end, self.segments[found[-1]].end))

    def is_needed(self, sentences: range, gone: Set[int]) -> bool:
        """Whether a text that lost sentences would be wrong or have a gap although `gone` go: they are no running text,
        go on with a question or a lead-in, are all of a section, or the next one that stays means nothing without them.
        """
        if any(one.is_item or one.is_row or one.is_heading for one in self.segments[sentences[0] : sentences[-1] + 1]):
            return True
        before = self.segments[sentences[0] - 1] if sentences[0] else None
        stays = (at for at in range(sentences[-1] + 1, len(self.segments)) if at not in gone)
        following = self.segments[place] if (place := next(stays, None)) is not None else None
        if before and (before.words.endswith(("?", ":")) or before.is_item or claims_nothing(before.words)):
            return True
        if following is None or following.is_heading:
            return bool(before and before.is_heading)
        return has_back_reference(following.words)


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
