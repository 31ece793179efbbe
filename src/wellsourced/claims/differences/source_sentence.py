"""The sentence of a text that a claim is nearest to."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from wellsourced.claims.differences.terms import Term, read_terms
from wellsourced.claims.differences.term_alignment import weigh_term
from wellsourced.text.sentences import Span, split_sentences

MIN_NEARNESS = 0.3
"""Share of what the claim's words weigh that a sentence has when the claim is near it."""

MAX_SENTENCE_LENGTH = 1_200
"""Characters of a sentence that is compared; what is longer is cut at white space."""

_MIN_SHARED_TERMS = 2
_MIN_GAIN = 0.2
"""Share by which a second sentence has to add to the first, for both to be what the claim joins."""

_LENGTH_PENALTY = 0.002
"""For each term of a sentence that the claim lacks: of two sentences that say the same, the shorter one."""

_MAX_JOINED_LENGTH = 1_500


class _SentenceTerms(NamedTuple):
    span: Span
    keys: frozenset[str]
    size: int


class _TextTerms(NamedTuple):
    """A text's sentences, and in how many of them each key stands."""

    sentences: tuple[_SentenceTerms, ...]
    frequencies: Counter[str]


def find_source_sentence(claim: str, text: str) -> Span | None:
    """The sentence, list item or table row of a text that a claim is nearest to; None when none is near.

    Figures and names count more than other words, and words that are rare in the text more than common ones. Two
    sentences that follow each other are one span when the claim has much of both: a list item with its parent too.
    """
    wanted = _weigh_claim(claim, read := _read_text(text))
    total = sum(wanted.values())
    if not total or not read.sentences:
        return None
    shares = [sum(wanted[key] for key in one.keys & wanted.keys()) / total for one in read.sentences]
    best = max(range(len(shares)), key=lambda at: (shares[at] - _LENGTH_PENALTY * _count_foreign(read.sentences[at], wanted)))
    chosen = [best]
    for other in (best - 1, best + 1):
        if 0 <= other < len(shares) and _joint_share(read.sentences, (best, other), wanted) / total >= shares[best] + _MIN_GAIN:
            chosen.append(other)
    if len(chosen) == 3:
        chosen = [best, max(chosen[1:], key=lambda at: _joint_share(read.sentences, (best, at), wanted))]
    first, last = read.sentences[min(chosen)].span, read.sentences[max(chosen)].span
    joint = _joint_share(read.sentences, chosen, wanted) / total
    shared = frozenset().union(*(read.sentences[at].keys for at in chosen)) & wanted.keys()
    if joint < MIN_NEARNESS or len(shared) < min(_MIN_SHARED_TERMS, len(wanted)):
        return None
    if last.end - first.start > _MAX_JOINED_LENGTH:
        return read.sentences[best].span
    return Span(first.start, last.end)


def _weigh_claim(claim: str, read: _TextTerms) -> dict[str, float]:
    """Each key of the claim and what it weighs."""
    count = len(read.sentences)
    return {
        term.key: weigh_term(term) * (1 + math.log((1 + count) / (1 + read.frequencies[term.key])))
        for term in read_terms(claim)
        if term.kind != "unit"
    }


def _count_foreign(sentence: _SentenceTerms, wanted: dict[str, float]) -> int:
    return min(60, sentence.size - len(sentence.keys & wanted.keys()))


def _joint_share(sentences: Sequence[_SentenceTerms], chosen: Iterable[int], wanted: dict[str, float]) -> float:
    keys = frozenset[str]().union(*(sentences[at].keys for at in chosen))
    return sum(wanted[key] for key in keys & wanted.keys())


@lru_cache(maxsize=8)
def _read_text(text: str) -> _TextTerms:
    found = tuple(
        _SentenceTerms(span, frozenset(term.key for term in terms), len(terms))
        for span in _cut_sentences(text)
        if (terms := read_terms(text[span.start : span.end]))
    )
    return _TextTerms(found, Counter(key for one in found for key in one.keys))


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
