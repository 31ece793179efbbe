"""Two lists of terms, the one beside the other: which say the same, which stand in each other's place; and the sentence
of a text that a claim is nearest to.

What one side writes in one piece and the other in two is one term: "bodyweight", "body weight"; "4-15", "from 4 to 15".
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.compare.terms import Abbreviations, Term, TermClass, find_abbreviations, read_terms
from wellsourced.compare.words import are_contrasted
from wellsourced.text.sentences import CELL_SEPARATOR, Span, split_sentences

MAX_LENGTH = 6_000
"""Characters of each side that are read: a bound for hostile texts."""

_WEIGHTS: dict[TermClass, float] = {
    "figure": 2.0, "name": 2.0, "word": 1.5, "direction": 1.2, "condition": 1.0, "comparator": 0.8, "negation": 0.8,
    "quantity word": 0.8, "certainty": 0.8, "unit": 0.6, "light word": 0.4, "approximation": 0.2,
}  # fmt: skip
"""How much it tells that both sides have a term of a class."""

_NEIGHBOUR_BONUS = 0.4
"""For a pair behind a pair: of two places with the same word, the one where its neighbours are the same too."""

_REPLACEMENT_SCORES: dict[TermClass, float] = {
    "figure": 0.5, "name": 0.4, "direction": 0.4, "comparator": 0.4, "quantity word": 0.3, "certainty": 0.3,
    "unit": 0.2,
}  # fmt: skip
"""For two terms of one class that differ: the one stands in the place of the other."""

_EXCHANGE_SCORE = 0.6
"""For two terms that differ and that each stand elsewhere on the other side: they may have changed places."""

_REPLACING_BONUS = 0.25
"""For such a pair beside terms that both sides have."""

_IN_BRACKETS = re.compile(r"\((\w+)\)")
_GAP = re.compile(r"[ \-‐‑]?")
_RANGE_GAP = re.compile(r"\s(?:to|until|through|and)\s")
_MIN_PART_LENGTH = 3
"""Letters of each part of a compound."""

_EXCHANGEABLE: frozenset[TermClass] = frozenset({"figure", "name", "word"})


class AlignedTerms(NamedTuple):
    """A pair of indexes: the claim's term and the source's; `same` when they say the same."""

    claim_index: int
    source_index: int
    same: bool


class TermStretch(NamedTuple):
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

    @property
    def same_count(self) -> int:
        """Terms of the claim that the source has in the same order."""
        return sum(pair.same for pair in self.pairs)

    @property
    def is_copy(self) -> bool:
        """Whether the claim has nearly nothing but the source's terms, in their order; two may have changed places."""
        said, given = ({term.key for term in side} for side in (self.claim, self.source))
        pairs = ((self.claim[one.claim_index].key, self.source[one.source_index].key, one.same) for one in self.pairs)
        exchanged = sum(not same and said_key in given and given_key in said for said_key, given_key, same in pairs)
        new = len(self.claim) - self.same_count - exchanged
        return self.same_count >= MIN_SHARED_TERMS and new <= max(1, MAX_NEW_SHARE * len(self.claim))


@lru_cache(maxsize=32)
def compare_terms(claim: str, sentence: str, context: str = "") -> TermComparison:
    """Both texts as terms, aligned; abbreviations are read in the context too."""
    claim, sentence = claim[:MAX_LENGTH], sentence[:MAX_LENGTH]
    short = find_abbreviations(context, claim, sentence)
    # What both sides explain is compared word by word: "HF with increased EF (HFrEF)" is not what its source explains.
    explained = (set(map(str.lower, _IN_BRACKETS.findall(side))) for side in (claim, sentence))
    spelled = frozenset(f"short {word}" for word in set.intersection(*explained))
    said, given = read_terms(claim, short, spelled), read_terms(sentence, short, spelled)
    said, given = join_split_terms(said, claim, given, sentence), join_split_terms(given, sentence, said, claim)
    return TermComparison(said, given, align_terms(said, given), claim, sentence)


def align_terms(claim: Sequence[Term], source: Sequence[Term]) -> list[AlignedTerms]:
    """The heaviest pairs of terms in the order of both sides, in time that grows with the product of their numbers."""
    rows, columns = len(claim), len(source)
    shared = {term.key for term in claim if term.kind in _EXCHANGEABLE} & {term.key for term in source}
    scores = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    taken = [bytearray(columns + 1) for _ in range(rows + 1)]
    for at, said in enumerate(claim, start=1):
        row, above, choices = scores[at], scores[at - 1], taken[at]
        for there, given in enumerate(source, start=1):
            best, choice = above[there], 1
            if row[there - 1] > best:
                best, choice = row[there - 1], 2
            # Both stand elsewhere on the other side as well: two figures or names may have changed places.
            exchanged = said.key in shared and given.key in shared and said.key != given.key
            if said.key == given.key or said.kind == given.kind or exchanged:
                joined = at > 1 and there > 1 and taken[at - 1][there - 1] == 3
                value = _score_pair(claim, source, at - 1, there - 1, joined, exchanged)
                if value and above[there - 1] + value > best:
                    best, choice = above[there - 1] + value, 3
            row[there], choices[there] = best, choice
    return _trace_pairs(claim, source, taken)


def _trace_pairs(claim: Sequence[Term], source: Sequence[Term], taken: list[bytearray]) -> list[AlignedTerms]:
    pairs: list[AlignedTerms] = []
    at, there = len(claim), len(source)
    while at and there:
        choice = taken[at][there]
        if choice == 3:
            at, there = at - 1, there - 1
            pairs.append(AlignedTerms(at, there, claim[at].key == source[there].key))
        elif choice == 1:
            at -= 1
        else:
            there -= 1
    return pairs[::-1]


def _score_pair(
    claim: Sequence[Term], source: Sequence[Term], at: int, there: int, joined: bool, exchanged: bool
) -> float:
    said, given = claim[at], source[there]
    before = joined and claim[at - 1].key == source[there - 1].key
    if said.key == given.key:
        return _WEIGHTS[said.kind] + (_NEIGHBOUR_BONUS if before else 0.0)
    value = _REPLACEMENT_SCORES.get(said.kind, 0.0)
    if said.kind == "direction" and said.key[:-1] != given.key[:-1]:
        value = 0.1
    if said.kind == "word":
        # Two words are no pair for being words; only words that exclude each other stand in each other's place.
        value = 0.3 if are_contrasted(said.key, given.key) else 0.0
    if exchanged and said.kind == given.kind:
        value = max(value, _EXCHANGE_SCORE)
    if not value:
        return 0.0
    behind = at + 1 < len(claim) and there + 1 < len(source) and claim[at + 1].key == source[there + 1].key
    return value + _REPLACING_BONUS * (bool(before) + behind)


def join_split_terms(terms: Sequence[Term], text: str, other: Sequence[Term], other_text: str) -> list[Term]:
    """The terms of a text, as one where the other side has them as one."""
    whole = {_read_word(term, other_text): term for term in other if term.kind in ("word", "name")}
    ranges = {term.key: term for term in other if term.key.startswith("#") and "-" in term.key[2:]}
    found: list[Term] = []
    for term in terms:
        before = found[-1] if found else None
        match = before and _find_whole(before, term, text, whole, ranges)
        if before and match:
            found[-1] = before._replace(key=match.key, kind=match.kind, end=term.end)
        else:
            found.append(term)
    return found


def _find_whole(before: Term, term: Term, text: str, whole: dict[str, Term], ranges: dict[str, Term]) -> Term | None:
    """The other side's term that is two of this side in one piece; None without one."""
    gap = text[before.end : term.start]
    if before.key.startswith("#") and term.key.startswith("#"):
        # "from 4 to 15" and "4-15": two figures that the other side writes as one.
        return ranges.get(f"{before.key}-{term.key[1:]}") if _RANGE_GAP.fullmatch(gap) else None
    parts = _read_word(before, text), _read_word(term, text)
    # "body weight" is "bodyweight"; parts of a letter or two would join by chance.
    if not _GAP.fullmatch(gap) or min(map(len, parts)) < _MIN_PART_LENGTH or before.start == term.start:
        return None
    return whole.get("".join(parts))


def _read_word(term: Term, text: str) -> str:
    return text[term.start : term.end].lower()


MIN_NEARNESS = 0.2
"""Share of what the claim's words weigh that a sentence has when the claim is near it."""

MAX_SENTENCE_LENGTH = 1_200
"""Characters of a sentence that is compared; what is longer is cut at white space."""

MIN_SHARED_TERMS = 2

MAX_NEW_SHARE = 0.2
"""Share of a claim's terms that a sentence lacks which it nearly copies; one term always."""

_MIN_GAIN = 0.2
"""Share by which a second sentence has to add to the first, for both to be what the claim joins."""

_LENGTH_PENALTY = 0.005
"""Share taken off for each term of a sentence that the claim lacks: of two that say the same, the shorter one."""

_RARITY = 0.3
"""How much more a term counts that few sentences of the text have."""

_AIM_FACTOR = 0.75
"""For a sentence that says what is to be found out, and for the header of a table: they have the claim's words, and
say nothing."""

_PARENT_WEIGHT = 0.3
_NEIGHBOUR_WEIGHT = 0.25
"""What a term counts that stands in the line above a list, or in the sentence before or behind."""

_MAX_ITEMS = 12
"""Sentences below a line that introduces a list which may belong to it."""

_MAX_ABBREVIATED_LENGTH = 50_000
"""Characters of a text whose own abbreviations are read."""

_AIM = re.compile(
    r"\b(?:aims?|aimed|objectives?|purpose|goals?|hypothes[ie]s|sought to|hypothesi[sz]ed"
    r"|(?:study|trial|we|review) (?:was )?(?:investigate|examine|assesse|evaluate|compare|analy[sz]e|explore|teste)d"
    r" (?:whether|if|the (?:effects?|efficacy|association|impact|relation)))\b"
    r"|\A\W*To (?:determine|examine|assess|evaluate|investigate|compare|test|analy[sz]e|explore|study|verify|describe"
    r"|identify|estimate|establish|review|report)\b"
)
_MAX_JOINED_LENGTH = 1_500
_MAX_NAME_TERMS = 2
"""Terms of a name, such as "sodium thiosulfate"."""


class SentenceTerms(NamedTuple):
    """A sentence.

    names         the keys of its terms that name a drug, a group or the like
    is_heading    it introduces what stands below
    parent_keys   those of the line or header that introduces the list or table it stands in
    """

    span: Span
    keys: frozenset[str]
    size: int
    says_nothing: bool
    parent_keys: frozenset[str]
    names: frozenset[str]
    is_heading: bool


class TextTerms(NamedTuple):
    """A text's sentences, and in how many of them each key stands."""

    sentences: tuple[SentenceTerms, ...]
    frequencies: Counter[str]
    abbreviations: Abbreviations


def find_source_sentence(claim: str, text: str) -> Span | None:
    """The sentence, list item or table row of a text that a claim is nearest to; None when none is near.

    Figures and names count more than other words, and words that are rare in the text more than common ones. Two
    sentences that follow each other are one span when the claim has much of both: a list item with its parent too.
    """
    read = read_text_terms(text)
    wanted = _weigh_claim(claim, read)
    total = sum(wanted.values())
    if not total or not read.sentences:
        return None
    own = [_score_sentence(one, wanted) for one in read.sentences]
    scores = [score + _score_context(read.sentences, at, wanted) for at, score in enumerate(own)]
    best = max(range(len(scores)), key=lambda at: (scores[at], -at))
    chosen = [best]
    alone = _joint_share(read.sentences, chosen, wanted)
    joints = [
        (_joint_share(read.sentences, (best, other), wanted), other)
        for other in (best - 1, best + 1)
        if 0 <= other < len(scores) and _have_own_terms(read.sentences[best], read.sentences[other], wanted)
    ]
    # A second sentence only where it adds much: else the claim differs from one sentence, and joins nothing.
    if joints and max(joints)[0] >= alone + _MIN_GAIN * total:
        chosen.append(max(joints)[1])
    shared = wanted.keys() & frozenset[str]().union(
        *(read.sentences[at].keys | read.sentences[at].parent_keys for at in chosen)
    )
    is_far = _joint_share(read.sentences, chosen, wanted) < MIN_NEARNESS * total
    if is_far or len(shared) < min(MIN_SHARED_TERMS, len(wanted)):
        return None
    span = Span(read.sentences[min(chosen)].span.start, read.sentences[max(chosen)].span.end)
    # Two that are together too long to be read beside a claim: the better one alone.
    return span if span.end - span.start <= _MAX_JOINED_LENGTH else read.sentences[best].span


def _weigh_claim(claim: str, read: TextTerms) -> dict[str, float]:
    """Each key of the claim and what it weighs: more, the fewer sentences have it; as little as any where none has."""
    count = len(read.sentences)
    return {
        term.key: _WEIGHTS[term.kind]
        * (1 + _RARITY * math.log((1 + count) / (1 + (read.frequencies[term.key] or count))))
        for term in read_terms(claim, read.abbreviations)
        if term.kind != "unit"
    }


def _score_sentence(sentence: SentenceTerms, wanted: dict[str, float]) -> float:
    """What the sentence has of the claim; less the more else it says."""
    shared = sentence.keys & wanted.keys()
    foreign = min(60, sentence.size - len(shared))
    share = math.fsum(wanted[key] for key in shared) * (1 - _LENGTH_PENALTY * foreign)
    return share * _AIM_FACTOR if sentence.says_nothing else share


def _have_own_terms(one: SentenceTerms, other: SentenceTerms, wanted: dict[str, float]) -> bool:
    """Whether the claim has of each of two sentences more than one term that the other lacks, and mixes up neither."""
    ours, theirs = one.keys & wanted.keys(), other.keys & wanted.keys()
    if min(len(ours - theirs), len(theirs - ours)) < 2 or one.is_heading or other.is_heading:
        return min(len(ours - theirs), len(theirs - ours)) > 1
    return not (_is_mixed_up(one, other, wanted) or _is_mixed_up(other, one, wanted))


def _is_mixed_up(one: SentenceTerms, other: SentenceTerms, wanted: dict[str, float]) -> bool:
    """Whether the claim has of another sentence only the figures, but not whose they are, or only the name.

    "A rose to 4.08" of "A rose to 3.94. B rose to 4.08." differs from the first sentence in a figure; it joins nothing.
    """
    added = (other.keys - one.keys) & wanted.keys()
    if all(key.startswith("#") for key in added):
        return bool(other.names - wanted.keys()) and bool(one.names & wanted.keys())
    has_names_only = bool(added & other.names) and len(added) <= _MAX_NAME_TERMS
    return has_names_only and bool(one.names - wanted.keys())


def _score_context(sentences: Sequence[SentenceTerms], at: int, wanted: dict[str, float]) -> float:
    """What the line above a list item and the sentences around have of the claim besides; it counts for less."""
    keys = sentences[at].keys
    around = [sentences[place].keys for place in (at - 1, at + 1) if 0 <= place < len(sentences)]
    missing = wanted.keys() - keys
    parent = math.fsum(wanted[key] for key in missing & sentences[at].parent_keys)
    near = math.fsum(wanted[key] for key in missing & frozenset[str]().union(*around) - sentences[at].parent_keys)
    return _PARENT_WEIGHT * parent + _NEIGHBOUR_WEIGHT * near


def _joint_share(sentences: Sequence[SentenceTerms], chosen: Iterable[int], wanted: dict[str, float]) -> float:
    keys = frozenset[str]().union(*(sentences[at].keys for at in chosen))
    return math.fsum(wanted[key] for key in keys & wanted.keys())


@lru_cache(maxsize=8)
def read_text_terms(text: str) -> TextTerms:
    """The terms of each sentence of a text."""
    short = find_abbreviations(text[:_MAX_ABBREVIATED_LENGTH])
    found: list[SentenceTerms] = []
    parent, parent_place = frozenset[str](), -1
    is_row = False
    for span in _cut_sentences(text):
        sentence = text[span.start : span.end]
        terms = read_terms(sentence, short)
        if not terms:
            continue
        keys = frozenset(term.key for term in terms)
        # A line introduces what stands close below it, not all of a long page.
        near = parent if len(found) - parent_place <= _MAX_ITEMS else frozenset[str]()
        is_header = CELL_SEPARATOR in sentence and not is_row and not re.search(r"\d", sentence)
        is_heading = is_header or sentence[-1] in ":?" or text[max(0, span.start - 2) : span.start].strip() == "#"
        says_nothing = is_header or _AIM.search(sentence) is not None
        names = frozenset(term.key for term in terms if term.kind == "name")
        found.append(SentenceTerms(span, keys, len(terms), says_nothing, near, names, is_heading))
        if is_heading:
            parent, parent_place = keys, len(found)
        is_row = CELL_SEPARATOR in sentence
    return TextTerms(tuple(found), Counter(key for one in found for key in one.keys), short)


def _cut_sentences(text: str) -> Iterator[Span]:
    """The sentences; a longer one than can be compared in parts."""
    for span in split_sentences(text):
        at = span.start
        while span.end - at > MAX_SENTENCE_LENGTH:
            cut = text.rfind(" ", at + 1, at + MAX_SENTENCE_LENGTH)
            end = cut if cut > at else at + MAX_SENTENCE_LENGTH
            yield Span(at, end)
            at = end
        if text[at : span.end].strip():
            yield Span(at, span.end)
