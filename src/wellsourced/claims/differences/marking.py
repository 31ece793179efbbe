"""The words of a claim that its source does not have, beside what stands there in their place."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from wellsourced.claims.differences.figures import is_same_quantity
from wellsourced.claims.differences.term_alignment import AlignedTerms, align_terms
from wellsourced.claims.guard.entities import is_abbreviation_of, is_symbol
from wellsourced.claims.differences.terms import Term, TermClass, find_abbreviations, read_terms

DifferenceKind = Literal[
    "figure",
    "negation",
    "direction",
    "condition",
    "quantity word",
    "certainty",
    "name",
    "order",
    "added",
    "left out",
    "wording",
]

MAX_LENGTH = 6_000
"""Characters of each side that are read: a bound for hostile texts."""

_MAX_LEFT_OUT = 8
"""Terms that the claim leaves out between two that it has: of more it is a shorter account, no other one."""

_MAX_EXCHANGED = 8
"""Terms that change places with others, at most: of more nobody sees what stands for what."""

_LIGHT: tuple[TermClass, ...] = ("light word", "approximation")
_FINITE_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|may|might|can|could|should|must|will|would|do|does|did)\b", re.IGNORECASE
)
_NEAR_KEYS = ({"<", "≤"}, {">", "≥"}, {"should", "recommended"}, {"may", "can"})
"""Keys that are not the same, and seldom mean another thing."""

_IDLE = frozenset({"both", "either", "by", "to"})
"""Keys of words that are marked only where others stand in their place."""

_LIST_END = re.compile(r"[\s,;]*(?:and|or|as well as)\s", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\b(?:once|if|when|unless|until|that|which|who|while|as|since)\b[^,;.]*", re.IGNORECASE)
_RESTRICTION = re.compile(
    r"(?:\A|[\s,;:—–-])(?:in|for|among|without|after|before|during|until|within|only|especially|particularly)\s",
    re.IGNORECASE,
)
_JOINER = re.compile(r"\b(?:and/or|and|or)\b", re.IGNORECASE)
_TURN = re.compile(r"\b(?:and|but|while|whereas|although)\b", re.IGNORECASE)

_TELLING: tuple[TermClass, ...] = ("negation", "condition", "quantity word", "certainty")
"""What is marked wherever it is left out beside words that the claim has."""


class WordDifference(NamedTuple):
    """Words of the claim, and the words of the source's sentence in the place of which they stand.

    Offsets into the two texts, half-open. A side may be empty (start == end): then it is the place at which the words
    of the other side are missing.

    figure         a number, a unit, a bound ("<" for "≥"), how often
    negation       "not", "no", "without", "un-" on one side only
    direction      "increased" for "reduced", "before" for "after"
    condition      "if", "unless", "except", "only" on one side only, or others
    quantity word  "any" for "most", "all" for "some"
    certainty      "is" for "may", "recommended" for "considered", "causes" for "is associated with"
    name           another drug, procedure, gene, or other people
    order          words that both have and that changed places with others
    added          words of the claim to which nothing corresponds
    left out       words of the sentence that the claim lacks although it has those around them
    wording        other words for which none of these is known
    """

    claim_start: int
    claim_end: int
    source_start: int
    source_end: int
    kind: DifferenceKind


class _Stretch(NamedTuple):
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
    return TermComparison(said, given, align_terms(said, given), claim, sentence)


def find_differences(claim: str, sentence: str, context: str = "") -> tuple[WordDifference, ...]:
    """The words of the claim that the sentence does not have, and what stands in their place, in order.

    The sentence is what `find_source_sentence` finds. Another form, spelling or abbreviation of a word, a number in
    letters, a sign for a word ("<" for "below") are the same and not marked; nor is what the sentence says besides,
    unless leaving it out changes what is said. `context` is the text around the sentence: what it shortens ("limb salvage
    rate (LSR)") is the same in the claim. Where the two have hardly a word in common nearly all is marked.
    """
    compared = compare_terms(claim, sentence, context)
    if not any(pair.same for pair in compared.pairs):
        return _mark_everything(compared)
    found = {*_Marker(compared).mark_all(), *_mark_joiners(compared)}
    return tuple(sorted(found, key=lambda one: (one.claim_start, one.source_start, one.claim_end)))


def _mark_everything(compared: TermComparison) -> tuple[WordDifference, ...]:
    if not compared.claim:
        return ()
    end = max(term.end for term in compared.claim)
    return (WordDifference(compared.claim[0].start, end, 0, 0, "wording"),)


def _mark_joiners(compared: TermComparison) -> Iterator[WordDifference]:
    """ "or" for "and" between words that both sides have; behind a negation the two say the same."""
    if any(term.kind == "negation" for term in (*compared.claim, *compared.source)):
        return
    for one, two in pairwise(compared.pairs):
        if two.claim_index - one.claim_index != 1 or two.source_index - one.source_index != 1:
            continue
        said = _JOINER.search(
            compared.claim_text, compared.claim[one.claim_index].end, compared.claim[two.claim_index].start
        )
        given = _JOINER.search(
            compared.source_text, compared.source[one.source_index].end, compared.source[two.source_index].start
        )
        if said and given and said.group().lower() != given.group().lower():
            yield WordDifference(*said.span(), *given.span(), "wording")


class _Marker:
    """Reads the differences off an alignment."""

    def __init__(self, compared: TermComparison) -> None:
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self.compared = compared
        same = [pair for pair in self.pairs if pair.same]
        own = {pair.claim_index for pair in same}
        theirs = {pair.source_index for pair in same}
        # What stands unmatched on both sides has only moved.
        self.loose_claim = Counter(term.key for at, term in enumerate(self.claim) if at not in own)
        self.loose_source = Counter(term.key for at, term in enumerate(self.source) if at not in theirs)
        self.exchanged = self._find_exchanged()
        self.clauses = {self.source[index].clause for index in theirs}

    def mark_all(self) -> Iterator[WordDifference]:
        """Every difference, in the order of the claim."""
        at = there = 0
        last = AlignedTerms(len(self.claim), len(self.source), False)
        for pair in (*self.pairs, last):
            yield from self._mark_stretch(_Stretch(at, pair.claim_index, there, pair.source_index))
            if not pair.same and pair is not last and not self._is_converted(pair):
                yield from self._mark_replacement(pair)
            at, there = pair.claim_index + 1, pair.source_index + 1

    def _is_converted(self, pair: AlignedTerms) -> bool:
        """Whether a figure, or the unit of one, only says the same quantity in another unit."""
        at, there = pair.claim_index, pair.source_index
        if self.claim[at].kind == "unit":
            at, there = at - 1, there - 1
        if not (0 <= at < len(self.claim) - 1 and 0 <= there < len(self.source) - 1):
            return False
        return is_same_quantity(
            self.claim[at].key, self.claim[at + 1].key, self.source[there].key, self.source[there + 1].key
        )

    def _mark_replacement(self, pair: AlignedTerms) -> Iterator[WordDifference]:
        """A term in the place of another one of its class."""
        said, given = self.claim[pair.claim_index], self.source[pair.source_index]
        kind: DifferenceKind
        if self._has_moved(said, self.loose_source) and self._has_moved(given, self.loose_claim):
            kind = "order"
        elif {said.key, given.key} in _NEAR_KEYS:
            kind = "wording"
        else:
            kind = _classify((said, given))
        yield WordDifference(said.start, said.end, given.start, given.end, kind)

    def _mark_stretch(self, stretch: _Stretch) -> Iterator[WordDifference]:
        said = self.claim[stretch.start : stretch.end]
        given = list(self._trim_source(stretch))
        said, given = self._drop_orders(said, given)
        said, given = self._drop_joiners(stretch, said, given)
        new = [term for term in said if not self._has_moved(term, self.loose_source)]
        moved = [term for term in said if self._has_moved(term, self.loose_source)]
        absent = [term for term in given if not self._has_moved(term, self.loose_claim)]
        displaced = [term for term in given if self._has_moved(term, self.loose_claim)]
        if _is_exchange(moved, displaced):
            yield self._build(stretch, said, given, "order")
        elif new:
            yield from self._mark_new(stretch, said, new, absent)
        elif moved:
            for term in self._find_stray_terms(stretch, moved):
                yield self._build(stretch, [term], [], "negation" if term.kind == "negation" else "order")
            yield from self._mark_absent(stretch, absent)
        elif absent:
            yield from self._mark_absent(stretch, absent)

    def _drop_orders(self, said: list[Term], given: list[Term]) -> tuple[list[Term], list[Term]]:
        """Without "should" where the other side is an order or a line of a list, which say so without the word."""
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.source_text)):
            said = [term for term in said if term.key not in ("should", "recommended")]
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.claim_text)):
            given = [term for term in given if term.key not in ("should", "recommended")]
        return said, given

    def _drop_joiners(self, stretch: _Stretch, said: list[Term], given: list[Term]) -> tuple[list[Term], list[Term]]:
        """Without "nor", where the other side goes on denying with "or" or a comma: "no A, nor B" is "no A or B"."""
        kept = []
        sides = (
            (said, self.compared.source_text, self.source, stretch.source_start, stretch.source_end),
            (given, self.compared.claim_text, self.claim, stretch.start, stretch.end),
        )
        for terms, other_text, other, start, end in sides:
            left = other[start - 1].end if start else 0
            right = other[end].start if end < len(other) else left
            goes_on = not _TURN.search(other_text[left:right])
            kept.append([term for term in terms if term.key != "nor" or not goes_on])
        return kept[0], kept[1]

    def _find_stray_terms(self, stretch: _Stretch, moved: Sequence[Term]) -> list[Term]:
        """What changed places with something else, and figures and negations that moved without the words beside."""
        return [
            term
            for at, term in enumerate(self.claim[stretch.start : stretch.end], start=stretch.start)
            if term in moved
            and (
                at in self.exchanged
                or (term.kind in ("negation", "figure") and not self._has_same_neighbour(term, stretch))
            )
        ]

    def _find_exchanged(self) -> set[int]:
        """The claim's indexes of words that stand behind others on one side and before them on the other.

        Words that both sides have in the same order count for nothing here: what only moved past them, such as a
        condition at the beginning, changes nothing.
        """
        own = {pair.claim_index for pair in self.pairs if pair.same}
        theirs = {pair.source_index for pair in self.pairs if pair.same}
        free: dict[str, list[int]] = {}
        for there, term in enumerate(self.source):
            if there not in theirs:
                free.setdefault(term.key, []).append(there)
        moved = [
            (at, free[term.key].pop(0))
            for at, term in enumerate(self.claim)
            if at not in own and term.kind not in _LIGHT and free.get(term.key)
        ]
        return {
            at
            for at, there in moved
            if any((at < other) != (there < elsewhere) for other, elsewhere in moved if other != at)
        }

    def _has_same_neighbour(self, term: Term, stretch: _Stretch) -> bool:
        at = next(place for place in range(stretch.start, stretch.end) if self.claim[place] is term)
        for there, other in enumerate(self.source):
            if other.key == term.key:
                for step in (-1, 1):
                    one, two = at + step, there + step
                    if (
                        0 <= one < len(self.claim)
                        and 0 <= two < len(self.source)
                        and self.claim[one].key == self.source[two].key
                    ):
                        return True
        return False

    def _mark_new(
        self, stretch: _Stretch, said: Sequence[Term], new: Sequence[Term], absent: Sequence[Term]
    ) -> Iterator[WordDifference]:
        """Words that the source does not have, as far as they stand together."""
        is_light = all(term.kind in _LIGHT or term.key in _IDLE for term in (*new, *absent))
        if (is_light and not (new and absent)) or self._is_abbreviation(new, absent):
            return
        if not absent:
            kind = _classify(new)
            yield self._build(stretch, new, [], "added" if kind == "wording" else kind)
            return
        yield self._build(stretch, new, absent, _classify((*new, *absent)))

    def _is_abbreviation(self, new: Sequence[Term], absent: Sequence[Term]) -> bool:
        """Whether one side has the letters for which the other side's words stand."""
        if not new or not absent:
            return False
        said = self.compared.claim_text[new[0].start : new[-1].end]
        given = self.compared.source_text[absent[0].start : absent[-1].end]
        return any(
            is_symbol(short) and 1 < len(words.split()) <= len(short) + 1 and is_abbreviation_of(short, words)
            for short, words in ((said, given), (given, said))
        )

    def _trim_source(self, stretch: _Stretch) -> list[Term]:
        """The source's terms of a stretch; at its ends, what stands in the clauses that the claim repeats."""
        given = self.source[stretch.source_start : stretch.source_end]
        at_head = not any(pair.claim_index < stretch.start for pair in self.pairs)
        at_tail = stretch.source_end == len(self.source)
        if not given or not (at_head or at_tail):
            return given
        size = stretch.end - stretch.start
        limit = size + 2 if size else _MAX_LEFT_OUT
        if at_tail:
            return self._take_near(given, limit)
        return self._take_near(given[::-1], limit)[::-1]

    def _take_near(self, given: Sequence[Term], limit: int) -> list[Term]:
        """The first terms in a clause that the claim has a part of, and those of a condition that is not far."""
        kept: list[Term] = []
        for term in given:
            if term.clause not in self.clauses or len(kept) == limit:
                break
            kept.append(term)
        for term in given[len(kept) : len(kept) + _MAX_LEFT_OUT]:
            if term.kind == "condition" or (term is given[len(kept)] and self._opens_restriction(term)):
                clause = [other for other in given[: 3 * _MAX_LEFT_OUT] if other.clause == term.clause]
                kept += [other for other in clause if other not in kept]
                break
        return kept

    def _opens_restriction(self, term: Term) -> bool:
        """Whether the clause of a term says of whom or when the sentence speaks: "In adults with asthma, …"."""
        first = next(other for other in self.source if other.clause == term.clause)
        text = self.compared.source_text
        before = max((other.end for other in self.source if other.clause < term.clause), default=0)
        return bool(_RESTRICTION.search(text[before : first.end])) and term.depth == 0

    def _mark_absent(self, stretch: _Stretch, absent: Sequence[Term]) -> Iterator[WordDifference]:
        """What the claim leaves out, where that changes what is said."""
        conditions = [at for at, term in enumerate(absent) if term.kind == "condition"]
        if conditions:
            first = absent[conditions[0]]
            rest = [term for term in absent[conditions[0] :] if term.clause == first.clause]
            yield self._build(stretch, [], rest, "condition")
            absent = absent[: conditions[0]]
        outer = self._is_bracketed(stretch, absent)
        inner = stretch.source_start > 0 and stretch.source_end < len(self.source)
        for term in absent:
            if term.key in _IDLE:
                continue
            if term.kind in _TELLING and not outer:
                yield self._build(stretch, [], [term], _classify([term]))
            elif (
                (term.kind == "comparator" and self._bounds_shared_figure(term))
                or (term.kind == "unit" and self._follows_shared_unit(term))
                or (term.kind == "figure" and not outer and self._is_telling_figure(term, inner and len(absent) <= 2))
            ):
                yield self._build(stretch, [], [term], "figure")
        rest = [term for term in absent if term.kind in ("word", "name", "direction")]
        rest = [term for term in rest if term.end - term.start > 1]
        if rest and not outer and len(absent) <= _MAX_LEFT_OUT and not self._is_shortened_list(stretch, absent):
            yield self._build(stretch, [], rest, "left out")

    def _is_shortened_list(self, stretch: _Stretch, absent: Sequence[Term]) -> bool:
        """Whether the claim only leaves out the last things of a list that are denied one by one: "no A or B"."""
        if stretch.source_end < len(self.source) or any(term.kind == "condition" for term in self.source):
            return False
        if all(term.kind != "negation" for term in self.source):
            return False
        before = self.source[stretch.source_start - 1].end
        return bool(_LIST_END.match(self.compared.source_text, before, absent[0].start + 1))

    def _is_telling_figure(self, term: Term, is_close: bool) -> bool:
        """Whether a figure that is left out says how often, or stands close to what the claim has."""
        return term.key[0] != "#" or (is_close and not self._is_deviation(term))

    def _follows_shared_unit(self, term: Term) -> bool:
        """Whether a unit belongs to one that the claim has: "mg/kg" for "mg"."""
        index = self.source.index(term)
        return any(pair.source_index == index - 1 and pair.same for pair in self.pairs) and (
            self.source[index - 1].kind in ("unit", "figure")
        )

    def _is_deviation(self, term: Term) -> bool:
        """Whether a figure stands behind "±"."""
        return self.compared.source_text[: term.start][-4:].rstrip().endswith(("±", "+/-", "+/−", "+-"))

    def _bounds_shared_figure(self, term: Term) -> bool:
        index = self.source.index(term)
        return any(pair.source_index == index + 1 and pair.same for pair in self.pairs)

    def _is_bracketed(self, stretch: _Stretch, absent: Sequence[Term]) -> bool:
        """Whether terms stand in brackets that the terms around them do not stand in."""
        around = [
            self.source[index].depth
            for index in (stretch.source_start - 1, stretch.source_end)
            if 0 <= index < len(self.source)
        ]
        return bool(absent) and min(term.depth for term in absent) > min(around, default=0)

    def _find_stems(self, terms: Sequence[Term], side: Sequence[Term], theirs: bool) -> list[AlignedTerms]:
        """The pair of a word that both sides have, and one of them with "un-" or "non-": "sufficient", "insufficient"."""
        denied = {(term.start, term.end) for term in terms if term.kind == "negation"}
        return [
            pair
            for pair in self.pairs
            if pair.same and (side[pair.source_index if theirs else pair.claim_index][2:4]) in denied
        ]

    def _has_moved(self, term: Term, loose: Counter[str]) -> bool:
        return loose[term.key] > 0

    def _build(
        self, stretch: _Stretch, said: Iterable[Term], given: Iterable[Term], kind: DifferenceKind
    ) -> WordDifference:
        said, given = list(said), list(given)
        if not said and given:
            said = [self.claim[one] for one, other, _ in self._find_stems(given, self.source, theirs=True)]
        elif said and not given:
            given = [self.source[other] for one, other, _ in self._find_stems(said, self.claim, theirs=False)]
        start, end = _find_bounds(said, self.claim, stretch.start)
        source_start, source_end = _find_bounds(given, self.source, stretch.source_start)
        return WordDifference(start, end, source_start, source_end, kind)


def _is_exchange(moved: Sequence[Term], displaced: Sequence[Term]) -> bool:
    """Whether words changed places with others: words of weight on both sides, and not whole clauses."""
    heavy = [any(term.kind not in _LIGHT for term in terms) for terms in (moved, displaced)]
    return all(heavy) and len(moved) <= _MAX_EXCHANGED and len(displaced) <= _MAX_EXCHANGED


def _find_bounds(terms: Sequence[Term], side: Sequence[Term], at: int) -> tuple[int, int]:
    """From the first to the last character of some terms; the place before the next term when there are none."""
    if terms:
        return min(term.start for term in terms), max(term.end for term in terms)
    place = side[at].start if at < len(side) else max((term.end for term in side), default=0)
    return place, place


_PRECEDENCE: tuple[TermClass, ...] = (
    "negation",
    "condition",
    "quantity word",
    "figure",
    "comparator",
    "unit",
    "direction",
    "certainty",
    "name",
)


def _classify(terms: Iterable[Term]) -> DifferenceKind:
    """The gravest thing that differs."""
    terms = list(terms)
    whole = Counter((term.start, term.end) for term in terms)
    # Of "unstable" where the other side says nothing of the kind, the "un-" denies nothing.
    kinds = {term.kind for term in terms if term.kind != "negation" or whole[term.start, term.end] == 1}
    for kind in _PRECEDENCE:
        if kind in kinds:
            return "figure" if kind in ("comparator", "unit") else kind  # type: ignore[return-value]
    return "wording"
