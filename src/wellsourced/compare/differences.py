"""The words of a claim that its source does not have, what stands there in their place, and what it leaves out.

    span = find_source_sentence(claim, text)
    differences = find_differences(claim, text[span.start : span.end], text)  # the text for its abbreviations

Offsets on the source's side count from the start of the sentence. They say which words differ, never whether the claim
is right: a claim without a mark may be wrong, and one with many may be a good paraphrase.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from wellsourced.compare.alignment import (
    AlignedTerms,
    SentenceTerms,
    TermComparison,
    TermStretch,
    compare_terms,
    read_text_terms,
)
from wellsourced.compare.terms import Term, TermClass, is_same_quantity, parse_figure
from wellsourced.compare.words import are_contrasted, is_population_word
from wellsourced.text.sanitization import short_line
from wellsourced.types import DifferenceKind, WordDifference

HARMLESS_KINDS: tuple[DifferenceKind, ...] = ("wording", "added", "left out")
"""Differences that a right paraphrase has as well."""

LIGHT_CLASSES: tuple[TermClass, ...] = ("light word", "approximation")
"""Words that may stand on one side alone without a difference: "patients", "given", "about"."""

IDLE_KEYS = frozenset({"both", "either", "by", "to"})
"""Keys of others that may, and that are marked where something else stands in their place."""

_PRECEDENCE: dict[TermClass, DifferenceKind] = {
    "negation": "negation", "condition": "condition", "quantity word": "quantity word", "figure": "figure",
    "comparator": "figure", "unit": "figure", "direction": "direction", "certainty": "certainty", "name": "name",
}  # fmt: skip
"""The class of a term → the kind of a difference in it, the gravest first."""

_FINITE_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|may|might|can|could|should|must|will|would|do|does|did)\b", re.IGNORECASE
)
_NEAR_KEYS = ({"<", "≤"}, {">", "≥"}, {"may", "can"})
"""Keys that are not the same, and seldom mean another thing."""

_SUBORDINATE = re.compile(r"\b(?:once|if|when|unless|until|that|which|who|while|as|since)\b[^,;.]*", re.IGNORECASE)
_LOOSE = re.compile(r"[\s*]{1,5}(?:(?:be|been|being|is|are|was|were|to)\s)?")
_DEFINITE = re.compile(r"\b(?:the|these|those|both)\s\Z")


def find_differences(claim: str, sentence: str, context: str = "") -> tuple[WordDifference, ...]:
    """The words of the claim that the sentence does not have, and what stands in their place, in order.

    The sentence is what `find_source_sentence` finds. Another form, spelling or abbreviation of a word, a number in
    letters, a sign for a word ("<" for "below") are the same and not marked; nor is what the sentence says besides,
    unless leaving it out changes what is said. `context` is the text around the sentence: what that shortens ("limb
    salvage rate (LSR)") is the same in the claim, and what its next sentences say is no more than "wording". Where the
    two have hardly a word in common nearly all is marked.
    """
    return mark_differences(compare_terms(claim, sentence, context), context)


def mark_differences(compared: TermComparison, context: str = "") -> tuple[WordDifference, ...]:
    """The same of texts whose terms were compared."""
    if not any(pair.same for pair in compared.pairs):
        if not compared.claim:
            return ()
        end = max(term.end for term in compared.claim)
        return (_build_difference(compared.claim[0].start, end, 0, 0, "wording"),)
    found = set(_Marker(compared, context).mark_all())
    # All of a difference orders it: what the same run tells twice has to be the same.
    ordered = sorted(
        found, key=lambda one: (one.claim_start, one.source_start, one.claim_end, one.source_end, one.kind)
    )
    return tuple(_join_neighbours(ordered, compared.claim_text, compared.source_text))


def _build_difference(
    claim_start: int, claim_end: int, source_start: int, source_end: int, kind: DifferenceKind
) -> WordDifference:
    return WordDifference(
        claim_start=claim_start, claim_end=claim_end, source_start=source_start, source_end=source_end, kind=kind
    )


def _classify_terms(terms: Iterable[Term]) -> DifferenceKind:
    """The gravest thing that differs, of the terms of both sides."""
    terms = list(terms)
    whole = Counter((term.start, term.end) for term in terms)
    # Of "unstable" where the other side says nothing of the kind, the "un-" denies nothing.
    kinds = {term.kind for term in terms if term.kind != "negation" or whole[term.start, term.end] == 1}
    return next((kind for name, kind in _PRECEDENCE.items() if name in kinds), "wording")


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


class _Marker:
    """Reads the differences off an alignment."""

    def __init__(self, compared: TermComparison, context: str) -> None:
        self.around = _Surroundings(compared, context)
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self.compared = compared
        self.moves = _MovedTerms(compared)
        self.omissions = _OmittedTerms(compared)

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
        if self.moves.is_in_source(said) and self.moves.is_in_claim(given):
            kind = "order"
        elif {said.key, given.key} in _NEAR_KEYS:
            kind = "wording"
        else:
            kind = _classify_terms((said, given))
        yield _build_difference(said.start, said.end, given.start, given.end, kind)

    def _mark_stretch(self, stretch: TermStretch) -> Iterator[WordDifference]:
        """What differs between two terms that both sides have."""
        said = self.claim[stretch.start : stretch.end]
        given = list(self.omissions.trim_source(stretch))
        said, given = self._drop_orders(said, given)
        new = [term for term in said if not self.moves.is_in_source(term)]
        moved = [term for term in said if self.moves.is_in_source(term)]
        absent = [term for term in given if not self.moves.is_in_claim(term)]
        displaced = [term for term in given if self.moves.is_in_claim(term)]
        if _is_exchange(moved, displaced):
            yield self._build(stretch, said, given, "order")
        elif new and not self._is_idle(new, absent):
            yield from self._mark_new(stretch, new, absent)
        else:
            for term in moved:
                if term in self.moves.exchanged:
                    yield self._build(stretch, [term], [], "negation" if term.kind == "negation" else "order")
            for terms, kind in self.omissions.select(stretch, absent) if not new else ():
                yield self._build(stretch, [], terms, kind)

    def _drop_orders(self, said: list[Term], given: list[Term]) -> tuple[list[Term], list[Term]]:
        """Without "should" where the other side is an order or a line of a list, which say so without the word."""
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.source_text)):
            said = [term for term in said if term.key != "should"]
        if not _FINITE_VERB.search(_SUBORDINATE.sub(" ", self.compared.claim_text)):
            given = [term for term in given if term.key != "should"]
        return said, given

    def _mark_new(self, stretch: TermStretch, new: Sequence[Term], absent: Sequence[Term]) -> Iterator[WordDifference]:
        """Words that the source does not have, as far as they stand together."""
        kind = _classify_terms((*new, *absent)) if absent else self._classify_addition(new)
        if (
            kind == "wording"
            and absent
            and any(are_contrasted(*words) for words in product(*self._read_words(new, absent)))
        ):
            kind = "direction"
        yield self._build(stretch, new, absent, kind)

    def _read_words(self, new: Sequence[Term], absent: Sequence[Term]) -> tuple[list[str], list[str]]:
        said, given = self.compared.claim_text.lower(), self.compared.source_text.lower()
        return said[new[0].start : new[-1].end].split(), given[absent[0].start : absent[-1].end].split()

    def _classify_addition(self, new: Sequence[Term]) -> DifferenceKind:
        """The kind of words that stand for nothing of the source: "wording" where the sentences around have them."""
        telling = [term for term in new if not self._is_pointing(term)]
        if not any(term.kind not in LIGHT_CLASSES for term in telling) or self.around.have(telling):
            return "wording"
        kind = _classify_terms(telling)
        return "added" if kind == "wording" else kind

    def _is_idle(self, new: Sequence[Term], absent: Sequence[Term]) -> bool:
        """Whether words that one side has alone say nothing."""
        return not (new and absent) and all(
            term.kind in LIGHT_CLASSES
            or term.key in IDLE_KEYS
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
        return _build_difference(start, end, source_start, source_end, kind)


def _find_bounds(terms: Sequence[Term], side: Sequence[Term], at: int) -> tuple[int, int]:
    """From the first to the last character of some terms; the place before the next term when there are none."""
    if terms:
        return min(term.start for term in terms), max(term.end for term in terms)
    place = side[at].start if at < len(side) else max((term.end for term in side), default=0)
    return place, place


# --- what is left out ----------------------------------------------------------------------------------------------

_MAX_LEFT_OUT = 8
"""Terms that the claim leaves out between two that it has: of more it is a shorter account, no other one."""

_TELLING: tuple[TermClass, ...] = ("negation", "condition", "quantity word", "certainty")
"""What is marked wherever it is left out beside words that the claim has."""

_TELLING_REACH = 3
"""Terms of a longer stretch from either end that count as beside what the claim has."""

_MEMBER = re.compile(r"[\s,;]*and\s", re.IGNORECASE)


_FURTHER = re.compile(
    r"[^\w(]{0,4}(?:and|or|but|while|whereas|versus|vs\.?|against|compared (?:with|to)|than)\s", re.IGNORECASE
)


class _OmittedTerms:
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
            yield [term for term in absent[conditions[0] :] if term.clause == first.clause], "condition"
            absent = absent[: conditions[0]]
        outer = self._is_bracketed(stretch, absent)
        inner = stretch.source_start > 0 and stretch.source_end < len(self.source)
        for term in absent:
            if term.key in IDLE_KEYS:
                continue
            # Without "not", "if", "some" or "may" a sentence says something else, wherever it was left out.
            if term.kind in _TELLING:
                if not outer and not self._is_far(stretch, absent, term):
                    yield [term], _classify_terms([term])
            elif (
                (term.kind == "comparator" and self.source.index(term) + 1 in self._shared)
                or (term.kind == "unit" and self._follows_shared_unit(term))
                or (term.kind == "figure" and not outer and self._is_telling_figure(term, inner and len(absent) <= 2))
            ):
                yield [term], "figure"
        rest = [term for term in absent if term.kind in ("word", "name", "direction") and term.end - term.start > 1]
        # "12% with A and 20% with B": the claim tells of one group and changes nothing.
        if rest and not outer and len(absent) <= _MAX_LEFT_OUT and not self._is_further_result(stretch, absent):
            yield rest, "left out"

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

    def _is_telling_figure(self, term: Term, is_close: bool) -> bool:
        """Whether a figure that is left out says how often, or stands close to what the claim has."""
        before = self.text[max(0, term.start - 4) : term.start].rstrip()
        return term.key[0] != "#" or (is_close and not before.endswith(("±", "+/-", "+/−", "+-")))

    def _is_further_result(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether the claim leaves out, at the end, another group with its own figure."""
        if stretch.source_end < len(self.source) or not stretch.source_start:
            return False
        before = self.source[stretch.source_start - 1].end
        return _FURTHER.match(self.text[before:]) is not None and any(term.kind == "figure" for term in absent)

    def _follows_shared_unit(self, term: Term) -> bool:
        """Whether a unit belongs to one that the claim has: "mg/kg" for "mg"."""
        index = self.source.index(term)
        return index - 1 in self._shared and self.source[index - 1].kind in ("unit", "figure")

    def _is_bracketed(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether terms stand in brackets that the terms around them do not stand in."""
        beside = (stretch.source_start - 1, stretch.source_end)
        around = [self.source[index].depth for index in beside if 0 <= index < len(self.source)]
        return bool(absent) and min(term.depth for term in absent) > min(around, default=0)


# --- what the sentences around say, and what only moved ------------------------------------------------------------

_REACH = 2
"""Sentences before and behind that are near; so are the line above a list or table, and its other items."""

_UNTIED: tuple[TermClass, ...] = ("negation", "condition", "certainty", "quantity word", "direction")
"""Classes of words that may be said of anything: that the next sentence has one too tells nothing."""

_FIGURES: tuple[TermClass, ...] = ("figure", "unit", "comparator")
_MAX_SUMMANDS = 12
"""Figures of a sentence of which sums are tried."""


class _Surroundings:
    """The terms of a sentence, of those near it and of the text that they stand in."""

    def __init__(self, compared: TermComparison, context: str) -> None:
        self.claim, self.text, self.source = compared.claim, compared.claim_text, compared.source
        read = read_text_terms(context).sentences if context else ()
        near = list(_list_near(compared.source_text, context, read))
        own = frozenset(term.key for term in compared.source)
        self._near = [own, *(one.keys for one in near), *(one.parent_keys for one in near[:1])]
        self._all = [own, *(one.keys for one in read)]
        said = {term.key for term in compared.claim}
        self._has_other_name = any(term.kind == "name" and term.key not in said for term in compared.source)

    def have(self, terms: Sequence[Term]) -> bool:
        """Whether they say what some terms of the claim say that its own sentence lacks.

        Plain words may stand anywhere in the text; names have to stand near, figures together with the words beside
        them. A name tells nothing where the claim lacks one that its sentence has: it
        may be the name of the next row.
        """
        heavy = [term for term in terms if term.kind not in LIGHT_CLASSES]
        if not heavy or any(term.kind in _UNTIED for term in heavy):
            return False
        if self._has_other_name and any(term.kind == "name" and term.key not in self._near[0] for term in heavy):
            return False
        figures = [term for term in heavy if term.kind in _FIGURES]
        known = self._near if any(term.kind == "name" for term in heavy) else self._all
        words = {term.key for term in heavy if term not in figures}
        return all(any(key in keys for keys in known) for key in words) and (
            not figures or self._has_figures(terms, figures)
        )

    def _has_figures(self, terms: Sequence[Term], figures: Sequence[Term]) -> bool:
        """Whether the figures stand near together with a word beside them, count people, or are a sum."""
        keys = {term.key for term in figures}
        first, last = self.claim.index(terms[0]), self.claim.index(terms[-1])
        around = (*self.claim[max(0, first - 1) : first], *terms, *self.claim[last + 1 : last + 2])
        beside = {term.key for term in around if term.kind not in (*_FIGURES, *LIGHT_CLASSES)}
        # A figure is the source's only together with the word that says of what it is.
        if any(keys <= part and beside & part for part in self._near):
            return True
        counts_people = len(figures) == 1 and any(map(self._names_people, around))
        return counts_people and (self._is_sum(figures[0]) or any({*keys, "patient"} <= part for part in self._all))

    def _names_people(self, term: Term) -> bool:
        return term.key == "patient" or is_population_word(self.text[term.start : term.end].lower())

    def _is_sum(self, term: Term) -> bool:
        """Whether a figure is the sum of two or three of the sentence."""
        others = [number for other in self.source if other.kind == "figure" for number in parse_figure(other.key)][
            :_MAX_SUMMANDS
        ]
        wanted = parse_figure(term.key)
        return len(wanted) == 1 and any(
            sum(some) == wanted[0] for count in (2, 3) for some in combinations(others, count)
        )


def _list_near(sentence: str, context: str, read: Sequence[SentenceTerms]) -> Iterator[SentenceTerms]:
    """The sentences of the context that stand near one, its own first; so do items of the same list."""
    start = context.find(sentence) if sentence else -1
    end = start + len(sentence)
    inside = [at for at, one in enumerate(read) if start >= 0 and one.span.end > start and one.span.start < end]
    if not inside:
        return
    yield from (read[at] for at in inside)
    parent = read[inside[0]].parent_keys
    for at, one in enumerate(read):
        is_sibling = bool(parent) and one.parent_keys == parent
        if at not in inside and (is_sibling or inside[0] - _REACH <= at <= inside[-1] + _REACH):
            yield one


_SIDES = re.compile(r"\b(?:than|versus|vs|superior|inferior|preferred|rather|before|after|followed)\b", re.IGNORECASE)
_MAX_EXCHANGED = 8
"""Terms that change places with others, at most: of more nobody sees what stands for what."""


class _MovedTerms:
    """The terms of an alignment that are unmatched on both sides.

    exchanged   the claim's words that stand behind others on one side and before them on the other
    """

    def __init__(self, compared: TermComparison) -> None:
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self.text = compared.claim_text
        own = {pair.claim_index for pair in self.pairs if pair.same}
        theirs = {pair.source_index for pair in self.pairs if pair.same}
        self._loose_claim = Counter(term.key for at, term in enumerate(self.claim) if at not in own)
        self._loose_source = Counter(term.key for at, term in enumerate(self.source) if at not in theirs)
        self.exchanged = self._find_exchanged(own, theirs)

    def is_in_source(self, term: Term) -> bool:
        """Whether an unmatched term of the claim stands elsewhere in the source."""
        return self._loose_source[term.key] > 0

    def is_in_claim(self, term: Term) -> bool:
        """Whether an unmatched term of the source stands elsewhere in the claim."""
        return self._loose_claim[term.key] > 0

    def _find_exchanged(self, own: set[int], theirs: set[int]) -> list[Term]:
        """Words that both sides have in the same order count for nothing here: what only moved past them, such as a
        condition at the beginning, changes nothing. But a name that moved past another changes what is compared with
        what, where sides are compared, and the direction between them stayed.
        """
        free: dict[str, list[int]] = {}
        for there, term in enumerate(self.source):
            if there not in theirs:
                free.setdefault(term.key, []).append(there)
        moved = [
            (at, free[term.key].pop(0))
            for at, term in enumerate(self.claim)
            if at not in own and term.kind not in (*LIGHT_CLASSES, "certainty") and free.get(term.key)
        ]
        names = []
        if _SIDES.search(self.text) and all(
            pair.same or self.claim[pair.claim_index].kind == "name" for pair in self.pairs
        ):
            names = [pair[:2] for pair in self.pairs if pair.same and self.claim[pair.claim_index].kind == "name"]
        return [
            self.claim[at]
            for at, there in moved
            if any(
                (at < other) != (there < elsewhere)
                for other, elsewhere in (*moved, *(names if self.claim[at].kind == "name" else ()))
                if other != at
            )
        ]


def _is_exchange(moved: Sequence[Term], displaced: Sequence[Term]) -> bool:
    """Whether words changed places with others: words of weight on both sides, and not whole clauses."""
    heavy = [any(term.kind not in LIGHT_CLASSES for term in terms) for terms in (moved, displaced)]
    return all(heavy) and len(moved) <= _MAX_EXCHANGED and len(displaced) <= _MAX_EXCHANGED


# --- in words ------------------------------------------------------------------------------------------------------

_MAX_TOLD = 3
"""Differences that are told, what changes the meaning most first."""

_MAX_WORDS = 12
"""Words of a difference that are told."""

KINDS_BY_WEIGHT: tuple[DifferenceKind, ...] = (
    "figure", "negation", "direction", "condition", "quantity word", "order", "name", "certainty", "left out", "added",
    "wording",
)  # fmt: skip


def describe_differences(claim: str, sentence: str, differences: Sequence[WordDifference]) -> str:
    """What the sentence says and the claim says instead: “at least two” → “any”; "" where nothing differs.

    Mere wording is told only where nothing else differs.
    """
    telling = [one for one in differences if one.kind != "wording"]
    if not telling and not differences:
        return ""
    manner = "differs from its source" if telling else "differs from its source in wording"
    telling = telling or list(differences)
    by_weight = sorted(telling, key=lambda one: KINDS_BY_WEIGHT.index(one.kind))[:_MAX_TOLD]
    told = [_describe_difference(claim, sentence, one) for one in sorted(by_weight, key=lambda one: one.claim_start)]
    more = f", and {len(telling) - len(told)} more" if len(telling) > len(told) else ""
    return f"{manner}: {'; '.join(told)}{more}"


def _describe_difference(claim: str, sentence: str, one: WordDifference) -> str:
    here = short_line(claim[one.claim_start : one.claim_end], _MAX_WORDS)
    there = short_line(sentence[one.source_start : one.source_end], _MAX_WORDS)
    if one.kind == "order":
        return f"moves “{here or there}”"
    if not here:
        return f"leaves out “{there}”"
    return f"“{there}” → “{here}”" if there else f"adds “{here}”"
