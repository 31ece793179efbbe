"""The words of a claim that its source does not have, beside what stands there in their place."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from wellsourced.claims.differences.figures import is_same_quantity
from wellsourced.claims.differences.moves import MovedTerms, is_exchange
from wellsourced.claims.differences.omissions import OmittedTerms
from wellsourced.claims.differences.surroundings import Surroundings
from wellsourced.claims.differences.term_alignment import AlignedTerms, TermComparison, TermStretch, compare_terms
from wellsourced.claims.differences.terms import Term
from wellsourced.claims.differences.word_difference import (
    IDLE_KEYS,
    LIGHT_CLASSES,
    build_difference,
    classify_terms,
)
from wellsourced.claims.guard.entities import is_abbreviation_of, is_symbol
from wellsourced.types import DifferenceKind, WordDifference

_FINITE_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|may|might|can|could|should|must|will|would|do|does|did)\b", re.IGNORECASE
)
_NEAR_KEYS = ({"<", "≤"}, {">", "≥"}, {"may", "can"})
"""Keys that are not the same, and seldom mean another thing."""

_SUBORDINATE = re.compile(r"\b(?:once|if|when|unless|until|that|which|who|while|as|since)\b[^,;.]*", re.IGNORECASE)
_LOOSE = re.compile(r"[\s*]{1,5}(?:(?:be|been|is|are|was|were|to)\s)?")
_DEFINITE = re.compile(r"\b(?:the|these|those|both)\s\Z")
_JOINER = re.compile(r"\b(?:and/or|and|or)\b", re.IGNORECASE)
_TURN = re.compile(r"\b(?:and|but|while|whereas|although)\b", re.IGNORECASE)


def find_differences(claim: str, sentence: str, context: str = "") -> tuple[WordDifference, ...]:
    """The words of the claim that the sentence does not have, and what stands in their place, in order.

    The sentence is what `find_source_sentence` finds. Another form, spelling or abbreviation of a word, a number in
    letters, a sign for a word ("<" for "below") are the same and not marked; nor is what the sentence says besides,
    unless leaving it out changes what is said. `context` is the text around the sentence: what that shortens ("limb
    salvage rate (LSR)") is the same in the claim, and what its next sentences say is no more than "wording". Where the
    two have hardly a word in common nearly all is marked.
    """
    compared = compare_terms(claim, sentence, context)
    if not any(pair.same for pair in compared.pairs):
        return _mark_everything(compared)
    marker = _Marker(compared, Surroundings(compared, context))
    found = {*marker.mark_all(), *_mark_joiners(compared)}
    # All of a difference orders it: what the same run tells twice has to be the same.
    ordered = sorted(
        found, key=lambda one: (one.claim_start, one.source_start, one.claim_end, one.source_end, one.kind)
    )
    return tuple(_join_neighbours(ordered, claim, sentence))


def _join_neighbours(found: Iterable[WordDifference], claim: str, sentence: str) -> list[WordDifference]:
    """As one what stands side by side and is of one kind: "may be considered" in the place of "is recommended"."""
    joined: list[WordDifference] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is None or last.kind != one.kind:
            joined.append(one)
        elif one.claim_start == one.claim_end and _LOOSE.fullmatch(sentence[last.source_end : one.source_start]):
            joined[-1] = last.model_copy(update={"source_end": one.source_end})
        elif one.source_start == one.source_end and _LOOSE.fullmatch(claim[last.claim_end : one.claim_start]):
            joined[-1] = last.model_copy(update={"claim_end": one.claim_end})
        else:
            joined.append(one)
    return joined


def _mark_everything(compared: TermComparison) -> tuple[WordDifference, ...]:
    if not compared.claim:
        return ()
    end = max(term.end for term in compared.claim)
    return (build_difference(compared.claim[0].start, end, 0, 0, "wording"),)


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
            yield build_difference(*said.span(), *given.span(), "wording")


class _Marker:
    """Reads the differences off an alignment."""

    def __init__(self, compared: TermComparison, around: Surroundings) -> None:
        self.around = around
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self.compared = compared
        self.moves = MovedTerms(compared)
        self.omissions = OmittedTerms(compared)

    def mark_all(self) -> Iterator[WordDifference]:
        """Every difference, in the order of the claim."""
        at = there = 0
        last = AlignedTerms(len(self.claim), len(self.source), False)
        for pair in (*self.pairs, last):
            yield from self._mark_stretch(TermStretch(at, pair.claim_index, there, pair.source_index))
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
        if said.kind == "figure" and self.moves.is_elsewhere(pair):
            return
        if self.moves.is_in_source(said) and self.moves.is_in_claim(given):
            kind = "order"
        elif {said.key, given.key} in _NEAR_KEYS:
            kind = "wording"
        else:
            kind = classify_terms((said, given))
        yield build_difference(said.start, said.end, given.start, given.end, kind)

    def _mark_stretch(self, stretch: TermStretch) -> Iterator[WordDifference]:
        """What differs between two terms that both sides have."""
        said = self.claim[stretch.start : stretch.end]
        given = list(self.omissions.trim_source(stretch))
        said, given = self._drop_orders(said, given)
        said, given = self._drop_joiners(stretch, said, given)
        new = [term for term in said if not self.moves.is_in_source(term)]
        moved = [term for term in said if self.moves.is_in_source(term)]
        absent = [term for term in given if not self.moves.is_in_claim(term)]
        displaced = [term for term in given if self.moves.is_in_claim(term)]
        if is_exchange(moved, displaced):
            yield self._build(stretch, said, given, "order")
        elif new and not self._is_idle(new, absent):
            yield from self._mark_new(stretch, new, absent)
        else:
            for term in self.moves.find_stray_terms(stretch, moved):
                yield self._build(stretch, [term], [], "negation" if term.kind == "negation" else "order")
            if not new:
                yield from self._mark_absent(stretch, absent)
        for term in self.moves.find_stray_negations(displaced):
            yield self._build(stretch, [], [term], "negation")

    def _mark_absent(self, stretch: TermStretch, absent: Sequence[Term]) -> Iterator[WordDifference]:
        """What the claim leaves out, where that changes what is said."""
        for terms, kind in self.omissions.select(stretch, absent):
            yield self._build(stretch, [], terms, kind)

    def _drop_orders(self, said: list[Term], given: list[Term]) -> tuple[list[Term], list[Term]]:
        """Without "should" where the other side is an order or a line of a list, which say so without the word."""
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.source_text)):
            said = [term for term in said if term.key != "should"]
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.claim_text)):
            given = [term for term in given if term.key != "should"]
        return said, given

    def _drop_joiners(self, stretch: TermStretch, said: list[Term], given: list[Term]) -> tuple[list[Term], list[Term]]:
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

    def _mark_new(self, stretch: TermStretch, new: Sequence[Term], absent: Sequence[Term]) -> Iterator[WordDifference]:
        """Words that the source does not have, as far as they stand together."""
        if self._is_abbreviation(new, absent):
            return
        if not absent:
            yield self._build(stretch, new, [], self._classify_addition(new))
            return
        yield self._build(stretch, new, absent, classify_terms((*new, *absent)))

    def _classify_addition(self, new: Sequence[Term]) -> DifferenceKind:
        """The kind of words that stand for nothing of the source: "wording" where the sentences around have them."""
        telling = [term for term in new if not self._is_pointing(term)]
        if not any(term.kind not in LIGHT_CLASSES for term in telling) or self.around.have(telling):
            return "wording"
        kind = classify_terms(telling)
        return "added" if kind == "wording" else kind

    def _is_idle(self, new: Sequence[Term], absent: Sequence[Term]) -> bool:
        """Whether words that one side has alone say nothing."""
        return not (new and absent) and all(
            term.kind in LIGHT_CLASSES or term.key in IDLE_KEYS or self._is_repeated_unit(term)
            for term in (*new, *absent)
        )

    def _is_repeated_unit(self, term: Term) -> bool:
        """Whether a unit is said again that the source says once: "5 mg and 10 mg" for "5 and 10 mg"."""
        return term.kind == "unit" and any(term.key == other.key for other in self.source)

    def _is_pointing(self, term: Term) -> bool:
        """Whether a number counts what was named before: "the two groups", "one of the criteria"."""
        text = self.compared.claim_text
        before, behind = text[max(0, term.start - 8) : term.start].lower(), text[term.end : term.end + 9].lower()
        return (term.key == "#2" and _DEFINITE.search(before) is not None) or (
            term.key == "#1" and behind.startswith((" of the ", " of these"))
        )

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

    def _find_stems(self, terms: Sequence[Term], side: Sequence[Term], theirs: bool) -> list[AlignedTerms]:
        """The pairs of a word that both sides have, one of them with "un-" or "non-": "sufficient", "insufficient"."""
        denied = {(term.start, term.end) for term in terms if term.kind == "negation"}
        return [
            pair
            for pair in self.pairs
            if pair.same and (side[pair.source_index if theirs else pair.claim_index][2:4]) in denied
        ]

    def _build(
        self, stretch: TermStretch, said: Sequence[Term], given: Sequence[Term], kind: DifferenceKind
    ) -> WordDifference:
        if not said and given:
            said = [self.claim[one] for one, other, _ in self._find_stems(given, self.source, theirs=True)]
        elif said and not given:
            given = [self.source[other] for one, other, _ in self._find_stems(said, self.claim, theirs=False)]
        start, end = _find_bounds(said, self.claim, stretch.start)
        source_start, source_end = _find_bounds(given, self.source, stretch.source_start)
        return build_difference(start, end, source_start, source_end, kind)


def _find_bounds(terms: Sequence[Term], side: Sequence[Term], at: int) -> tuple[int, int]:
    """From the first to the last character of some terms; the place before the next term when there are none."""
    if terms:
        return min(term.start for term in terms), max(term.end for term in terms)
    place = side[at].start if at < len(side) else max((term.end for term in side), default=0)
    return place, place
