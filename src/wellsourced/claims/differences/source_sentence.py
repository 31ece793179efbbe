"""The sentence of a text that a claim is nearest to."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.claims.differences.term_alignment import weigh_term
from wellsourced.claims.differences.terms import Abbreviations, find_abbreviations, read_terms
from wellsourced.text.sentences import Span, split_sentences

MIN_NEARNESS = 0.2
"""Share of what the claim's words weigh that a sentence has when the claim is near it."""

MAX_SENTENCE_LENGTH = 1_200
"""Characters of a sentence that is compared; what is longer is cut at white space."""

MIN_SHARED_TERMS = 2
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
    if joints and max(joints)[0] >= alone + _MIN_GAIN * total:
        chosen.append(max(joints)[1])
    shared = wanted.keys() & frozenset[str]().union(
        *(read.sentences[at].keys | read.sentences[at].parent_keys for at in chosen)
    )
    if _joint_share(read.sentences, chosen, wanted) < MIN_NEARNESS * total or len(shared) < min(
        MIN_SHARED_TERMS, len(wanted)
    ):
        return None
    span = Span(read.sentences[min(chosen)].span.start, read.sentences[max(chosen)].span.end)
    return span if span.end - span.start <= _MAX_JOINED_LENGTH else read.sentences[best].span


def _weigh_claim(claim: str, read: TextTerms) -> dict[str, float]:
    """Each key of the claim and what it weighs: more, the fewer sentences have it; as little as any where none has."""
    count = len(read.sentences)
    return {
        term.key: weigh_term(term) * (1 + _RARITY * math.log((1 + count) / (1 + (read.frequencies[term.key] or count))))
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
    has_figures_only = all(key.startswith("#") for key in added)
    if has_figures_only:
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
        near = parent if len(found) - parent_place <= _MAX_ITEMS else frozenset[str]()
        is_header = " | " in sentence and not is_row and not re.search(r"\d", sentence)
        is_heading = is_header or sentence[-1] in ":?" or text[max(0, span.start - 2) : span.start].strip() == "#"
        says_nothing = is_header or _AIM.search(sentence) is not None
        names = frozenset(term.key for term in terms if term.kind == "name")
        found.append(SentenceTerms(span, keys, len(terms), says_nothing, near, names, is_heading))
        if is_heading:
            parent, parent_place = keys, len(found)
        is_row = " | " in sentence
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
