"""What a search should keep of a question, the most important first.

Terms that a table or the thesaurus knows stay whole; other words stand for themselves. Important is what few documents
hold (inverse document frequency, Spärck Jones 1972), terms before words; last come the words that any question may
hold, so that dropping from the end (`Query.relaxations`) keeps what is asked about.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.medicine.names import listed_terms, short_forms, term_key, term_keys
from wellsourced.question.vocabulary import (
    WORD_LISTS,
    Frequencies,
    Lexicon,
    QuestionWord,
    Thesaurus,
    corrected_run,
    find_term_runs,
    is_thesaurus_term,
    list_runs,
    split_question_words,
    sum_frequencies,
)
from wellsourced.text.lexicon import IRREGULAR_VERB_FORMS, STOP_WORDS, VERBS
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Question

KNOWN_TERM_FACTOR = 1.5
"""A term that somebody knows is worth so many times what its rarest word is."""

UNKNOWN_WORD_RARITY = 100
"""A word that no document holds counts as one of every so many documents does."""

MAX_SALIENT_WORDS = 12
"""Words around which terms are looked up: in the story of a patient, not every word can be."""

NEED_WORDS = frozenset(WORD_LISTS["need"])
"""Words that say what one wants to know of a thing: after the thing itself."""

BOILERPLATE_WORDS = frozenset(WORD_LISTS["boilerplate"])
"""Words that any question may hold."""


class KeywordCandidate(NamedTuple):
    """A candidate: its words, where it begins, and whether somebody knows it as a term."""

    text: str
    first: int
    is_known: bool = False


async def rank_keywords(
    question: Question, limit: int, lexicons: Sequence[Lexicon], thesaurus: Thesaurus | None
) -> tuple[str, ...]:
    """At most `limit` keywords, none twice, with their spelling mended as the question's expansions say."""
    mended = {one.said: one.meant for one in reversed(question.expansions) if one.kind == "spelling"}
    told = [
        word._replace(corrected=mended.get(word.verbatim, word.corrected))
        for word in split_question_words(question.text)
    ]
    asked = {part for word in told for part in tokenize(word.corrected) if part not in STOP_WORDS}
    known = await sum_frequencies(lexicons, asked) if lexicons and asked else Frequencies(0, {})
    found = await _find_candidates(question.text, told, known, thesaurus)
    best = sorted(found, key=lambda term: _candidate_order(term, known))
    unique = {term_key(term.text): term.text for term in reversed(best)}
    return tuple(unique[name] for name in dict.fromkeys(term_key(term.text) for term in best))[:limit]


async def _find_candidates(
    text: str, told: Sequence[QuestionWord], known: Frequencies, thesaurus: Thesaurus | None
) -> list[KeywordCandidate]:
    """Known terms, the longest first, then the words beside them."""
    single = [KeywordCandidate(word.corrected, at) for at, word in enumerate(told) if _has_content(word.corrected)]
    salient = {
        term.first for term in sorted(single, key=lambda term: _candidate_order(term, known))[:MAX_SALIENT_WORDS]
    }
    taken: set[int] = set()
    found: list[KeywordCandidate] = []
    listed = (run for run in list_runs(text, told) if _is_table_term(corrected_run(told, *run)))
    for first, last in (*listed, *find_term_runs(text, told, salient)):
        inside = set(range(first, last + 1))
        term = KeywordCandidate(corrected_run(told, first, last), first, is_known=True)
        if inside & taken or (first == last and _keyword_class(term.text) > 0):
            continue
        if _is_table_term(term.text) or await is_thesaurus_term(term.text, thesaurus):
            taken |= inside
            found.append(term)
    return found + [term for term in single if term.first not in taken]


def _is_table_term(term: str) -> bool:
    return any(name in short_forms() or name in listed_terms() for name in term_keys(term))


def _has_content(word: str) -> bool:
    name = term_key(word)
    return bool(name) and name not in STOP_WORDS and (len(name) > 1 or not name.isascii())


def _candidate_order(term: KeywordCandidate, known: Frequencies) -> tuple[int, float, int]:
    return _keyword_class(term.text), -_candidate_weight(term, known), term.first


def _keyword_class(text: str) -> int:
    """0 for what a question is about, 1 for what it wants to know of that, 2 for what any question may hold."""
    parts = term_key(text).split()
    if all(part in STOP_WORDS or part in BOILERPLATE_WORDS or part.replace(".", "").isdigit() for part in parts):
        return 2
    said = all(
        part in NEED_WORDS or part in BOILERPLATE_WORDS or _verb_stems().issuperset(content_stems(part))
        for part in parts
    )
    return 1 if said and text[1:].islower() else 0


@cache
def _verb_stems() -> frozenset[str]:
    """The stems of verbs."""
    return frozenset(stem for verb in (*VERBS, *IRREGULAR_VERB_FORMS) for stem in content_stems(verb))


def _candidate_weight(term: KeywordCandidate, known: Frequencies) -> float:
    """The inverse document frequency of the rarest word, more for a known term."""
    if not known.documents:
        return float(term.is_known)
    counts = [known.counts.get(part, 0) for part in tokenize(term.text) if part not in STOP_WORDS]
    # What no document holds may be the point, and may be an error: it stands in the middle.
    rarest = min((count for count in counts if count), default=known.documents / UNKNOWN_WORD_RARITY)
    return math.log(1 + known.documents / rarest) * (KNOWN_TERM_FACTOR if term.is_known else 1.0)
