"""The words of an order that its reader may not know, found without a language model."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.claims.guard.entities import is_entity_name, is_symbol
from wellsourced.clinical.conditions import extract_conditions
from wellsourced.clinical.drugs import known_drug_words
from wellsourced.clinical.jargon import is_jargon, is_medical_abbreviation
from wellsourced.explain.prescribing_signs import locate_prescribing_signs
from wellsourced.text.tables import read_alternatives
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
_PARTS = {part: words for (part,), words in read_alternatives("wellsourced.explain", "order_words.tsv").items()}
_HEAD = re.compile(rf"(?:{_PARTS['head']})", re.IGNORECASE)
"""How the name of a test or a treatment ends: "panel", "x-ray"."""
_ANALYTE = re.compile(rf"(?<![\w-])(?:{_PARTS['analyte']})(?![\w-])", re.IGNORECASE)
_DISEASE = re.compile(rf"(?<![\w-])(?:{_PARTS['disease']})(?![\w-])", re.IGNORECASE)
_NO_PART = re.compile(rf"(?:{_PARTS['no part']})|.*\d.*|\w", re.IGNORECASE)
"""What stands before a name and is no part of it."""

MIN_DRUG_LETTERS = 4
"""Letters of the shortest word that is known as a drug wherever it stands."""

_TERM_KINDS = frozenset({"abbreviation", "brand", "synonym"})
"""Words that mean something else are terms; lay terms are what everybody says."""


class _TermCandidate(NamedTuple):
    """A term, its place in the part, and how early the understanding names it: 0 first."""

    start: int
    end: int
    rank: int


async def find_terms_by_rule(order: str, understanding: Understanding, limit: int) -> tuple[str, ...]:
    """At most `limit` terms, verbatim, the most important first: drugs, tests, abbreviations, words of medicine.

    What is important the understanding says: what is rare in its libraries, and what it knows as a term. The signs of a
    prescription are none.
    """
    found: dict[str, tuple[str, int]] = {}
    for part in _split_order(order):
        for one in _drop_overlapping(await _find_candidates(part, understanding)):
            term = part[one.start : one.end]
            found.setdefault(term.casefold(), (term, one.rank))
    # A long word says more of what is given and why, which is what its reader wants to know.
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
    signs = [(one.start, one.end) for one in locate_prescribing_signs(part)]
    # Where all is in capitals, no word is an abbreviation.
    shouted = part.isupper() and len(part.split()) > 3
    short = [word for word in _WORD.findall(part) if is_medical_abbreviation(word) and not shouted]
    return [
        _TermCandidate(*place, min(rank.get(word.casefold(), KEYWORDS_PER_PART) for word in _WORD.findall(term)))
        for term in dict.fromkeys((*known, *hard, *_medical_word_runs(part), *short, *_names_and_tests(part)))
        if len(_WORD.findall(term)) in range(1, MAX_TERM_WORDS + 1)
        if (place := locate_term(term, part)) and not _is_sign(place, signs)
    ]


def _is_sign(place: tuple[int, int], signs: Sequence[tuple[int, int]]) -> bool:
    """Whether a term lies in a sign of the prescription, or takes one in."""
    return any(start < place[1] and place[0] < end for start, end in signs)


def _names_and_tests(part: str) -> Iterator[str]:
    """Drugs, germs and diseases that are known, what is measured, what ends as tests do: "lipid panel"."""
    yield from (found.group() for known in (_ANALYTE, _DISEASE) for found in known.finditer(part))
    for one in extract_conditions(part):
        behind = re.search(rf"(?<!\w){re.escape(one.words)} ([\w-]+)", part)
        yield behind.group() if behind and is_jargon(behind[1]) else one.words
    words = list(_WORD.finditer(part))
    for at, word in enumerate(words):
        is_drug = _is_name(word.group())
        if not is_drug and not _HEAD.fullmatch(word.group()):
            continue
        first = at
        while first and at - first < MAX_TERM_WORDS - 2 and _continues_name(part, words[first - 1], words[first]):
            first -= 1
        if is_drug and not all(_is_name(one.group()) or _ANALYTE.fullmatch(one.group()) for one in words[first:at]):
            first = at
        if is_drug or first < at:
            yield part[words[first].start() : word.end()]


def _continues_name(part: str, before: re.Match[str], word: re.Match[str]) -> bool:
    beside = part[before.end() : word.start()] == " "
    return beside and not _NO_PART.fullmatch(before.group()) and not _HEAD.fullmatch(before.group())


def _is_name(word: str) -> bool:
    """Whether it is the name of a drug, or of a germ or a procedure, wherever it stands."""
    is_known = word.casefold() in known_drug_words() or (is_entity_name(word) and not is_symbol(word))
    return len(word) >= MIN_DRUG_LETTERS and is_known


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


def is_known_term(term: str) -> bool:
    """Whether it is a disease or an analyte that rules know, and so nobody's name: "melena"."""
    return bool(_DISEASE.fullmatch(term) or _ANALYTE.fullmatch(term))


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
