"""A text as its sentences stand under headings, in lists and in tables; which belong to one claim, and what each is
needed for.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from wellsourced.claims.extraction import continues_item, split_segments
from wellsourced.factcheck.load.decomposition import parse_text
from wellsourced.text.sentences import Span, has_back_reference
from wellsourced.types import Claim

_ADDING = re.compile(
    r"(?:In addition|Additionally|Moreover|Furthermore|Also|Besides|Finally|Lastly|And|Again)\b,? *", re.IGNORECASE
)
"""Openings that add a sentence to others, whichever these are."""

_LEANING = re.compile(
    r"If (?:not|so)\b|Of the (?:two|three|four|five|six)\b|Neither\b(?!(?: [\w-]+){1,8} nor )|None\b"
    r"|The first\b(?! (?:choice|line|\d|dose|days?|weeks?|months?|years?|hours?))"
)
"""Openings that mean nothing without the sentence before; more that `has_back_reference` knows."""

_CONCLUDING = re.compile(r"\b(?:therefore|thus|hence|consequently|accordingly|nonetheless|nevertheless|likewise)\b")
_ANSWER_WORD = re.compile(r"(?:yes|no|maybe|possibly|probably|partly|it depends)[.!:,]*", re.IGNORECASE)
_COUNT = re.compile(
    r"(?<![\w.,-])(?:two|three|four|five|six|seven|eight|nine|ten|both|[2-9])(?![\w.,%-])(?= [a-z])", re.IGNORECASE
)
_MAX_SHOWN_WORDS = 5


class TextOutline:
    """The sentences of a text in their order; a sentence is meant by its place among them.

    segments   every sentence, heading, item and row but those of the list of references
    """

    def __init__(self, text: str) -> None:
        read = parse_text(text)
        self.segments = list(split_segments(text, read.marks, read.listed.spans))
        self._starts = [one.start for one in self.segments]
        self._in_list: list[bool] = []
        for at, one in enumerate(self.segments):
            goes_on = at > 0 and self._in_list[-1] and continues_item(text, self.segments[at - 1], one)
            self._in_list.append(one.is_item or goes_on)

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

    def find_need(self, sentences: range, gone: Set[int]) -> str:
        """Why sentences cannot go although `gone` go: what would be left is wrong or empty; "" where nothing is."""
        if not sentences:
            return ""
        gone = gone | {*sentences}
        return (
            self._find_question(sentences[0], gone)
            or self._find_emptied(sentences[0], gone)
            or self._find_leaning(sentences, gone)
        )

    def _find_question(self, first: int, gone: Set[int]) -> str:
        if not first or first - 1 in gone:
            return ""
        before = self.segments[first - 1].words
        # An answer "Yes." stands for what follows: without it, it would answer something else.
        is_asking = before.endswith("?") or _ANSWER_WORD.fullmatch(before)
        return f"it continues “{_show(before)}”" if is_asking else ""

    def _find_emptied(self, first: int, gone: Set[int]) -> str:
        """The heading, lead-in or table of which nothing would be left, and a lead-in that counts its items."""
        one = self.segments[first]
        if one.is_row:
            rows = self._stretch(first, lambda at: self.segments[at].is_row)
            return "" if any(at not in gone for at in rows[1:]) else "its table would be empty"
        if self._in_list[first]:
            items = self._stretch(first, lambda at: self._in_list[at])
            lead = self.segments[items[0] - 1].words if items[0] else ""
            # "Three options:" above two items is a new error, made by us.
            if _COUNT.search(lead):
                return f"“{_show(lead)}” counts it"
            if lead and all(at in gone for at in items):
                return f"the list after “{_show(lead)}” would be empty"
        elif first and self.segments[first - 1].words.endswith(":"):
            return f"“{_show(self.segments[first - 1].words)}” introduces it"
        section = self._stretch(first, lambda at: not self.segments[at].is_heading)
        left = [at for at in section if at not in gone and not self.segments[at].words.endswith(":")]
        return "its heading would be empty" if section[0] and not left else ""

    def _stretch(self, at: int, belongs: Callable[[int], bool]) -> range:
        """The neighbours of a sentence, itself among them, to which something applies."""
        start, end = at, at + 1
        while start and belongs(start - 1):
            start -= 1
        while end < len(self.segments) and belongs(end):
            end += 1
        return range(start, end)

    def _find_leaning(self, sentences: range, gone: Set[int]) -> str:
        """The sentence behind it, or behind its list, that means nothing without it."""
        before = max((at for at in range(sentences[0]) if at not in gone), default=None)
        is_opening = before is None or self.segments[before].is_heading or self.segments[before].words.endswith(":")
        following = self._find_first_left(range(sentences[-1] + 1, len(self.segments)), gone)
        found = [(following, is_opening)]
        if self._in_list[sentences[0]]:
            behind = self._stretch(sentences[0], lambda at: self._in_list[at])[-1] + 1
            found.append((self._find_first_left(range(behind, len(self.segments)), gone), False))
        for at, opens in found:
            if at is not None and self._leans(at, opens=opens):
                return f"“{_show(self.segments[at].words)}” depends on it"
        return ""

    def _find_first_left(self, places: Iterable[int], gone: Set[int]) -> int | None:
        return next((at for at in places if at not in gone), None)

    def _leans(self, at: int, *, opens: bool) -> bool:
        """Whether a sentence leans on the one before it; `opens`: nothing would be left to which it adds something."""
        one = self.segments[at]
        return not (one.is_heading or one.is_row) and leans_back(one.words, adding_counts=opens)


def leans_back(words: str, *, adding_counts: bool = False) -> bool:
    """Whether a sentence means nothing, or something else, without the one before it."""
    adds = _ADDING.match(words)
    if adds:
        # "Moreover" at the beginning of what is left adds to nothing.
        if adding_counts:
            return True
        words = words[adds.end() : adds.end() + 1].upper() + words[adds.end() + 1 :]
    return bool(has_back_reference(words) or _LEANING.match(words) or _CONCLUDING.search(words))


def _show(words: str) -> str:
    some = words.split()
    return " ".join(some[:_MAX_SHOWN_WORDS]) + (" …" if len(some) > _MAX_SHOWN_WORDS else "")


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
