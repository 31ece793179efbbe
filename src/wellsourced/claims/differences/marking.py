"""The words of a claim that its source does not have, beside what stands there in their place, and what it omits."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from wellsourced.claims.differences import word_difference
from wellsourced.claims.differences.term_alignment import AlignedTerms, TermComparison, TermStretch, compare_terms
from wellsourced.claims.differences.terms import Term, TermClass, is_same_quantity
from wellsourced.claims.guard.disagreement import is_abbreviation_of, is_symbol
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
        if not compared.claim:
            return ()
        end = max(term.end for term in compared.claim)
        return (word_difference.build_difference(compared.claim[0].start, end, 0, 0, "wording"),)
    marker = _Marker(compared, word_difference.Surroundings(compared, context))
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


def _mark_joiners(compared: TermComparison) -> Iterator[WordDifference]:
    """ "or" for "and" between words that both sides have; behind a negation the two say the same."""
    claim, source = compared.claim, compared.source
    if any(term.kind == "negation" for term in (*claim, *source)):
        return
    for one, two in pairwise(compared.pairs):
        if two.claim_index - one.claim_index != 1 or two.source_index - one.source_index != 1:
            continue
        said = _JOINER.search(compared.claim_text, claim[one.claim_index].end, claim[two.claim_index].start)
        given = _JOINER.search(compared.source_text, source[one.source_index].end, source[two.source_index].start)
        if said and given and said.group().lower() != given.group().lower():
            yield word_difference.build_difference(*said.span(), *given.span(), "wording")


_MAX_LEFT_OUT = 8
"""Terms that the claim leaves out between two that it has: of more it is a shorter account, no other one."""

_TELLING: tuple[TermClass, ...] = ("negation", "condition", "quantity word", "certainty")
"""What is marked wherever it is left out beside words that the claim has."""

_TELLING_REACH = 3
"""Terms of a longer stretch from either end that count as beside what the claim has."""

_LIST_END = re.compile(r"[\s,;]*(?:and|or|as well as)\s", re.IGNORECASE)
_MEMBER = re.compile(r"[\s,;]*and\s", re.IGNORECASE)
_FURTHER = re.compile(
    r"[^\w(]{0,4}(?:and|or|but|while|whereas|versus|vs\.?|against|compared (?:with|to)|than)\s", re.IGNORECASE
)


class OmittedTerms:
    """Reads what is left out off an alignment."""

    def __init__(self, compared: TermComparison) -> None:
        self.claim = compared.claim
        self.source, self.pairs, self.text = compared.source, compared.pairs, compared.source_text
        self._shared = {pair.source_index for pair in self.pairs if pair.same}
        self._clauses = {self.source[index].clause for index in self._shared}
        self._shared_keys = {self.source[index].key for index in self._shared}

    def trim_source(self, stretch: TermStretch) -> list[Term]:
        """The source's terms of a stretch; at the sentence's ends, those in clauses that the claim repeats."""
        given = self.source[stretch.source_start : stretch.source_end]
        at_head = not any(pair.claim_index < stretch.start for pair in self.pairs)
        at_tail = stretch.source_end == len(self.source)
        if not given or not (at_head or at_tail):
            return given
        size = stretch.end - stretch.start
        # At an end of the sentence the claim may only be shorter: about as much as stands in its place is held
        # against it.
        limit = size + 2 if size else _MAX_LEFT_OUT
        if at_tail:
            return self._take_near(given, limit)
        return self._take_near(given[::-1], limit)[::-1]

    def _take_near(self, given: Sequence[Term], limit: int) -> list[Term]:
        """The first terms in a clause that the claim has a part of, and those of a condition that is not far."""
        kept: list[Term] = []
        for term in given:
            if term.clause not in self._clauses or len(kept) == limit:
                break
            kept.append(term)
        for term in given[len(kept) : len(kept) + _MAX_LEFT_OUT]:
            if term.kind == "condition":
                clause = [other for other in given[: 3 * _MAX_LEFT_OUT] if other.clause == term.clause]
                kept += [other for other in clause if other not in kept]
                break
        return kept

    def select(self, stretch: TermStretch, absent: Sequence[Term]) -> Iterator[tuple[Sequence[Term], DifferenceKind]]:
        """Of the terms of a stretch that the claim lacks, those that change what is said, and how."""
        conditions = [at for at, term in enumerate(absent) if term.kind == "condition"]
        if conditions:
            first = absent[conditions[0]]
            rest = [term for term in absent[conditions[0] :] if term.clause == first.clause]
            yield rest, "condition"
            absent = absent[: conditions[0]]
        outer = self._is_bracketed(stretch, absent)
        inner = stretch.source_start > 0 and stretch.source_end < len(self.source)
        for term in absent:
            if term.key in word_difference.IDLE_KEYS:
                continue
            # Without "not", "if", "some" or "may" a sentence says something else, wherever it was left out.
            if term.kind in _TELLING:
                if not outer and not self._is_far(stretch, absent, term):
                    yield [term], word_difference.classify_terms([term])
            elif (
                (term.kind == "comparator" and self.source.index(term) + 1 in self._shared)
                or (term.kind == "unit" and self._follows_shared_unit(term))
                or (term is absent[0] and self._is_spliced(stretch, absent))
                or (term.kind == "figure" and not outer and self._is_telling_figure(term, inner and len(absent) <= 2))
            ):
                yield [term], "figure"
        rest = [term for term in absent if term.kind in ("word", "name", "direction")]
        rest = [term for term in rest if term.end - term.start > 1]
        # "12% with A and 20% with B": the claim tells of one group and changes nothing.
        if self._is_further_result(stretch, absent):
            return
        if rest and not outer and len(absent) <= _MAX_LEFT_OUT and not self._is_shortened_list(stretch, absent):
            yield rest, "left out" if any(map(self._widens, rest)) else "wording"

    def _is_spliced(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether the claim takes the figure of something else that it leaves out: "A (13%)" of "A (19%), B (13%)"."""
        if stretch.source_end >= len(self.source) or stretch.end >= len(self.claim) or not stretch.source_start:
            return False
        figure, behind = self.claim[stretch.end], self.claim[stretch.end + 1 :]
        word = next((term for term in behind if term.kind != "unit"), None)
        goes_on = word is not None and word.clause == figure.clause and word.kind != "figure"
        takes_figure = figure.kind == "figure" and self.source[stretch.source_end].key == figure.key
        has_own_word = absent[-1].kind in ("word", "name", "direction")
        return takes_figure and has_own_word and absent[0].kind == "figure" and not goes_on

    def _is_further_result(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether the claim leaves out, at the end, another group with its own figure: "12% with A and 20% with B"."""
        if stretch.source_end < len(self.source) or not stretch.source_start or not absent:
            return False
        before = self.source[stretch.source_start - 1].end
        return _FURTHER.match(self.text[before:]) is not None and any(term.kind == "figure" for term in absent)

    def _widens(self, term: Term) -> bool:
        """Whether leaving a word out widens what is said: a name, "severe", "elderly"; not what the claim has too."""
        if term.key in self._shared_keys:
            return False
        word = self.text[term.start : term.end].lower()
        return term.kind in ("name", "direction") or word_difference.is_restricting(word)

    def _is_far(self, stretch: TermStretch, absent: Sequence[Term], term: Term) -> bool:
        """Whether a word belongs to nothing that the claim has.

        It stands in the middle of a long stretch, or in a further member of an enumeration; or the claim has it too.
        """
        if term.kind == "certainty" and term.key in self._shared_keys:
            return True
        if len(absent) <= _MAX_LEFT_OUT:
            return False
        place = absent.index(term)
        before = self.source[stretch.source_start - 1].end if stretch.source_start else 0
        is_member = _MEMBER.match(self.text[before : absent[0].start + 1]) is not None
        return is_member or min(place, len(absent) - 1 - place) >= _TELLING_REACH

    def _is_shortened_list(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether the claim only leaves out the last things of a list that are denied one by one: "no A or B"."""
        kinds = {term.kind for term in self.source}
        if stretch.source_end < len(self.source) or "condition" in kinds or "negation" not in kinds:
            return False
        before = self.source[stretch.source_start - 1].end
        return bool(_LIST_END.match(self.text, before, absent[0].start + 1))

    def _is_telling_figure(self, term: Term, is_close: bool) -> bool:
        """Whether a figure that is left out says how often, or stands close to what the claim has."""
        before = self.text[max(0, term.start - 4) : term.start].rstrip()
        return term.key[0] != "#" or (is_close and not before.endswith(("±", "+/-", "+/−", "+-")))

    def _follows_shared_unit(self, term: Term) -> bool:
        """Whether a unit belongs to one that the claim has: "mg/kg" for "mg"."""
        index = self.source.index(term)
        return index - 1 in self._shared and self.source[index - 1].kind in ("unit", "figure")

    def _is_bracketed(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether terms stand in brackets that the terms around them do not stand in."""
        beside = (stretch.source_start - 1, stretch.source_end)
        around = [self.source[index].depth for index in beside if 0 <= index < len(self.source)]
        return bool(absent) and min(term.depth for term in absent) > min(around, default=0)


class _Marker:
    """Reads the differences off an alignment."""

    def __init__(self, compared: TermComparison, around: word_difference.Surroundings) -> None:
        self.around = around
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self.compared = compared
        self.moves = word_difference.MovedTerms(compared)
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
            kind = word_difference.classify_terms((said, given))
        yield word_difference.build_difference(said.start, said.end, given.start, given.end, kind)

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
        if word_difference.is_exchange(moved, displaced):
            yield self._build(stretch, said, given, "order")
        elif new and not self._is_idle(new, absent):
            yield from self._mark_new(stretch, new, absent)
        else:
            for term in self.moves.find_stray_terms(stretch, moved):
                yield self._build(stretch, [term], [], "negation" if term.kind == "negation" else "order")
            for terms, kind in self.omissions.select(stretch, absent) if not new else ():
                yield self._build(stretch, [], terms, kind)
        for term in self.moves.find_stray_negations(displaced):
            yield self._build(stretch, [], [term], "negation")

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
        kind = word_difference.classify_terms((*new, *absent)) if absent else self._classify_addition(new)
        yield self._build(stretch, new, absent, kind)

    def _classify_addition(self, new: Sequence[Term]) -> DifferenceKind:
        """The kind of words that stand for nothing of the source: "wording" where the sentences around have them."""
        telling = [term for term in new if not self._is_pointing(term)]
        if not any(term.kind not in word_difference.LIGHT_CLASSES for term in telling) or self.around.have(telling):
            return "wording"
        kind = word_difference.classify_terms(telling)
        return "added" if kind == "wording" else kind

    def _is_idle(self, new: Sequence[Term], absent: Sequence[Term]) -> bool:
        """Whether words that one side has alone say nothing."""
        return not (new and absent) and all(
            term.kind in word_difference.LIGHT_CLASSES
            or term.key in word_difference.IDLE_KEYS
            # A unit is said again that the source says once: "5 mg and 10 mg" for "5 and 10 mg".
            or (term.kind == "unit" and any(term.key == other.key for other in self.source))
            for term in (*new, *absent)
        )

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

    def _build(
        self, stretch: TermStretch, said: Sequence[Term], given: Sequence[Term], kind: DifferenceKind
    ) -> WordDifference:
        # A word that both sides have, one of them with "un-" or "non-": "sufficient", "insufficient".
        denied = {(term.start, term.end) for term in (*said, *given) if term.kind == "negation"}
        words = [(self.claim[pair.claim_index], self.source[pair.source_index]) for pair in self.pairs if pair.same]
        if not said and given:
            said = [own for own, other in words if (other.start, other.end) in denied]
        elif said and not given:
            given = [other for own, other in words if (own.start, own.end) in denied]
        start, end = _find_bounds(said, self.claim, stretch.start)
        source_start, source_end = _find_bounds(given, self.source, stretch.source_start)
        return word_difference.build_difference(start, end, source_start, source_end, kind)


def _find_bounds(terms: Sequence[Term], side: Sequence[Term], at: int) -> tuple[int, int]:
    """From the first to the last character of some terms; the place before the next term when there are none."""
    if terms:
        return min(term.start for term in terms), max(term.end for term in terms)
    place = side[at].start if at < len(side) else max((term.end for term in side), default=0)
    return place, place
