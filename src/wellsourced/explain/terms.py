"""The words of an order that its reader may not know, found without a language model."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.jargon import is_jargon, is_medical_abbreviation
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding

MAX_PART_CHARS = 2_000
"""Characters of an order that are understood at once; it is cut at lines."""

KEYWORDS_PER_PART = 24
"""Words and terms of each part that are looked at, the most important first."""

MAX_TERM_WORDS = 4
"""Words of the longest term."""

BRIEF_TERM_LETTERS = 3
"""Letters of a term, at most, that comes after all others."""

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_TERM_KINDS = frozenset({"abbreviation", "brand", "synonym"})
"""Words that mean something else are terms; lay terms are what everybody says."""


class _TermCandidate(NamedTuple):
    """A term, its place in the part, and how early the understanding names it: 0 first."""

    start: int
    end: int
    rank: int


async def find_terms_by_rule(order: str, understanding: Understanding, limit: int) -> tuple[str, ...]:
    """At most `limit` terms, verbatim, the most important first: abbreviations, names of drugs, words of medicine.

    What is important the understanding says: what is rare in its libraries, and what it knows as a term.
    """
    found: dict[str, tuple[str, int]] = {}
    for part in _split_order(order):
        for one in _drop_overlapping(await _find_candidates(part, understanding)):
            term = part[one.start : one.end]
            found.setdefault(term.casefold(), (term, one.rank))
    # Everybody who gives orders writes “PO” and “BID”; what is given and why is what its reader wants to know.
    ranked = sorted(found.values(), key=lambda term: (len(term[0]) <= BRIEF_TERM_LETTERS, term[1]))
    return tuple(term for term, _ in ranked[:limit])


async def read_long_forms(order: str, understanding: Understanding) -> dict[str, str]:
    """Abbreviation, as the order writes it → what it stands for there, as the words beside it tell."""
    found: dict[str, str] = {}
    for part in _split_order(order):
        for one in await understanding.find_expansions(Question(text=part)):
            if one.kind == "abbreviation" and len(one.meant) > len(one.said):
                found.setdefault(one.said, one.meant)
    return found


async def _find_candidates(part: str, understanding: Understanding) -> list[_TermCandidate]:
    question = Question(text=part)
    keywords = await understanding.extract_keywords(question, KEYWORDS_PER_PART)
    known = [one.said for one in await understanding.find_expansions(question) if one.kind in _TERM_KINDS]
    rank = {word.casefold(): place for place, keyword in enumerate(keywords) for word in _WORD.findall(keyword)}
    hard = [keyword for keyword in keywords if any(is_jargon(word) for word in _WORD.findall(keyword))]
    # Where all is in capitals, no word is an abbreviation.
    shouted = part.isupper() and len(part.split()) > 3
    short = [word for word in _WORD.findall(part) if is_medical_abbreviation(word) and not shouted]
    return [
        _TermCandidate(*place, min(rank.get(word.casefold(), KEYWORDS_PER_PART) for word in _WORD.findall(term)))
        for term in dict.fromkeys((*known, *hard, *_medical_word_runs(part), *short))
        if len(_WORD.findall(term)) in range(1, MAX_TERM_WORDS + 1)
        if (place := locate_term(term, part))
    ]


def _medical_word_runs(part: str) -> Iterator[str]:
    """Words of medicine, those that stand side by side as one: "transthoracic echocardiogram"."""
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(part):
        beside = bool(run) and part[run[-1].end() : word.start()] == " " and len(run) < MAX_TERM_WORDS
        if run and not (beside and is_jargon(word.group())):
            yield part[run[0].start() : run[-1].end()]
            run = []
        if is_jargon(word.group()):
            run.append(word)
    if run:
        yield part[run[0].start() : run[-1].end()]


def locate_term(term: str, text: str, flags: int = re.IGNORECASE) -> tuple[int, int] | None:
    """Where a term stands first, as a whole; any white space may part its words."""
    words = r"\s+".join(map(re.escape, term.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text, flags)
    return found.span() if found else None


def _drop_overlapping(candidates: Sequence[_TermCandidate]) -> list[_TermCandidate]:
    kept: list[_TermCandidate] = []
    for one in sorted(candidates, key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: (one.rank, one.start))


def _split_order(order: str) -> Iterator[str]:
    part = ""
    for line in order.splitlines(keepends=True):
        if part and len(part) + len(line) > MAX_PART_CHARS:
            yield part
            part = ""
        part += line
    if part.strip():
        yield part
