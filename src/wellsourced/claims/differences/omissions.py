"""What a claim leaves out of its source's sentence, as far as that changes what is said."""

import re
from collections.abc import Iterator, Sequence

from wellsourced.claims.differences.term_alignment import TermComparison, TermStretch
from wellsourced.claims.differences.terms import Term, TermClass
from wellsourced.claims.differences.word_difference import IDLE_KEYS, classify_terms, is_restricting
from wellsourced.types import DifferenceKind

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
_RESTRICTION = re.compile(
    r"(?:\A|[\s,;:—–-])(?:in|for|among|without|after|before|during|until|within|only|especially|particularly)\s",
    re.IGNORECASE,
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
            if term.kind == "condition" or (term is given[len(kept)] and self._opens_restriction(term)):
                clause = [other for other in given[: 3 * _MAX_LEFT_OUT] if other.clause == term.clause]
                kept += [other for other in clause if other not in kept]
                break
        return kept

    def _opens_restriction(self, term: Term) -> bool:
        """Whether the clause of a term says of whom or when the sentence speaks: "In adults with asthma, …"."""
        first = next(other for other in self.source if other.clause == term.clause)
        text = self.text
        before = max((other.end for other in self.source if other.clause < term.clause), default=0)
        return bool(_RESTRICTION.search(text[before : first.end])) and term.depth == 0

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
            if term.key in IDLE_KEYS:
                continue
            if term.kind in _TELLING:
                if not outer and not self._is_far(stretch, absent, term):
                    yield [term], classify_terms([term])
            elif (
                (term.kind == "comparator" and self._bounds_shared_figure(term))
                or (term.kind == "unit" and self._follows_shared_unit(term))
                or (term is absent[0] and self._is_spliced(stretch, absent))
                or (term.kind == "figure" and not outer and self._is_telling_figure(term, inner and len(absent) <= 2))
            ):
                yield [term], "figure"
        rest = [term for term in absent if term.kind in ("word", "name", "direction")]
        rest = [term for term in rest if term.end - term.start > 1]
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
        return term.kind in ("name", "direction") or is_restricting(word)

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
        if stretch.source_end < len(self.source) or any(term.kind == "condition" for term in self.source):
            return False
        if all(term.kind != "negation" for term in self.source):
            return False
        before = self.source[stretch.source_start - 1].end
        return bool(_LIST_END.match(self.text, before, absent[0].start + 1))

    def _is_telling_figure(self, term: Term, is_close: bool) -> bool:
        """Whether a figure that is left out says how often, or stands close to what the claim has."""
        return term.key[0] != "#" or (is_close and not self._is_deviation(term))

    def _follows_shared_unit(self, term: Term) -> bool:
        """Whether a unit belongs to one that the claim has: "mg/kg" for "mg"."""
        index = self.source.index(term)
        return index - 1 in self._shared and self.source[index - 1].kind in ("unit", "figure")

    def _is_deviation(self, term: Term) -> bool:
        """Whether a figure stands behind "±"."""
        return self.text[max(0, term.start - 4) : term.start].rstrip().endswith(("±", "+/-", "+/−", "+-"))

    def _bounds_shared_figure(self, term: Term) -> bool:
        return self.source.index(term) + 1 in self._shared

    def _is_bracketed(self, stretch: TermStretch, absent: Sequence[Term]) -> bool:
        """Whether terms stand in brackets that the terms around them do not stand in."""
        around = [
            self.source[index].depth
            for index in (stretch.source_start - 1, stretch.source_end)
            if 0 <= index < len(self.source)
        ]
        return bool(absent) and min(term.depth for term in absent) > min(around, default=0)
