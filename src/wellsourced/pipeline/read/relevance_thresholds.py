"""How sure the judge has to be of a passage, by what it is of.

A model of similarity knows no name that is newer or rarer than what it was trained on, and is unsure of every sentence
on a new drug or a gene, and of what a lay person asks in a story. That a study has the name, or that a page is on what
is asked, is evidence of its own.
"""

import re
from functools import lru_cache

from wellsourced.claims.asked_terms import AskedTerm, find_asked_terms, list_missing_terms
from wellsourced.claims.guard.entities import is_symbol
from wellsourced.clinical.asked_quantities import detect_asked_quantities, has_asked_figure
from wellsourced.clinical.page_focus import find_other_names, share_title
from wellsourced.clinical.question_types import NAMED_SORTS, list_asked_things, names_thing
from wellsourced.clinical.word_forms import UNKNOWN_RARITY, rate_rarity
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Passage, Question

GUIDELINE_SHARE = 0.4
"""Share of a threshold that a section of a guideline has to reach.

Its probability is another than that of other passages (`section_relevance`): by folds that leave guidelines out, the
best section of 93 % of the questions that the digests answer reaches .24, and of 9 % of those on other matters.
"""

TITLE_RELIEF = 0.4
"""Share of a threshold that a page for patients does not have to reach where its title is what is asked about."""

MIN_TITLE_SHARE = 0.5
"""Share of a title from which it is taken for that."""

NAMED_SHARE = 0.75
"""Share of a threshold that remains where a study says every name that the question has."""

OFFERED_SHARE = 0.65
"""Share of what has to be certain that remains where it names a thing of the sort that is asked for as well."""

_WORD = re.compile(r"[^\W_][\w-]*\w")
_ASKS_FOR_USE = re.compile(r"\buse[ds]? (?:for|of|as|in)\b", re.IGNORECASE)
"""What asks for a disease of a drug, and of anything else for what it does."""

_CAPITAL_WITHIN = re.compile(r"\w+[A-Z]|\w*\d")


def lower_threshold(threshold: float, question: Question, passage: Passage) -> float:
    """The probability that a passage has to reach where `threshold` is asked for; less for a section of a guideline,
    for a study that names what the question names, and for a page on it."""
    if passage.reference.kind == "research":
        return lower_study_threshold(threshold, question, passage)
    if passage.reference.kind == "consumer":
        return lower_page_threshold(threshold, question, passage)
    return threshold * GUIDELINE_SHARE if passage.reference.kind == "guideline" else threshold


def lower_page_threshold(threshold: float, question: Question, passage: Passage) -> float:
    """The probability that a page for patients has to reach where `threshold` is asked for: the less, the more of its
    title, or of another name of its subject, stands in the question."""
    title = passage.reference.title
    share = share_title(question.wordings, [title, *find_other_names(title, [passage.text])])
    return threshold * (1 - TITLE_RELIEF * share) if share >= MIN_TITLE_SHARE else threshold


def lower_study_threshold(threshold: float, question: Question, passage: Passage) -> float:
    """The probability that a study's passage has to reach where `threshold` is asked for.

    It is lower only where the question has a name, the passage has each of them and of whom and what else is asked,
    and a figure where one is asked for.
    """
    return threshold * NAMED_SHARE if _says_names(question.text, passage) else threshold


def find_study_certainty(threshold: float, question: Question, passage: Passage) -> float:
    """The probability from which a study answers for certain, where `threshold` is asked for.

    It is lower where the study says the names of the question: least where it names a disease, a drug, a place or the
    like that is asked for, and not at all where that is asked for and not named, unless it is asked what something is
    used for. Chosen on the half of BioASQ's development questions that is tuned on: of 226 nine are left unanswered
    and not 14, and of those whose answer was hidden 79 are answered and not 78.
    """
    if not _says_names(question.text, passage):
        return threshold
    things = list_asked_things(question.text, NAMED_SORTS)
    if not things:
        return threshold * NAMED_SHARE
    is_offered = any(names_thing(thing, question.text, passage.text) for thing in things)
    if is_offered:
        return threshold * OFFERED_SHARE
    return threshold * NAMED_SHARE if _ASKS_FOR_USE.search(question.text) else threshold


def _says_names(question: str, passage: Passage) -> bool:
    """Whether a study says every name of a question that has one, each term, and a figure where one is asked for."""
    names, terms = _find_names(question)
    if not names:
        return False
    text = text_under_titles(passage)
    wanted = detect_asked_quantities(question)
    is_named = not list_missing_terms(terms, text) and not list_missing_terms(names, text)
    return is_named and (not wanted or has_asked_figure(wanted, text))


@lru_cache(maxsize=64)
def _find_names(question: str) -> tuple[tuple[AskedTerm, ...], tuple[AskedTerm, ...]]:
    """The names in a question, and all terms that it asks about."""
    terms = find_asked_terms(Question(text=question))
    words = [word for word in _WORD.finditer(question) if (word.start() and _is_name(word[0])) or _is_unknown(word[0])]
    names = [AskedTerm(word[0], "name", re.compile(rf"\b{re.escape(word[0])}", re.IGNORECASE)) for word in words]
    return (*(term for term in terms if term.kind == "name"), *names), terms


def _is_name(word: str) -> bool:
    """Whether a word within a sentence is a name as it is written: "XIPERE", "f-scLVM", "WormBase", "Wormbase"."""
    return (
        len(word) > 2
        and (is_symbol(word) or bool(_CAPITAL_WITHIN.match(word)) or word[0].isupper())
        and not (word.isdecimal())
    )


def _is_unknown(word: str) -> bool:
    """Whether neither a guideline nor everyday English has a word: "perforin"."""
    stems = content_stems(word)
    return bool(stems) and all(rate_rarity(stem) == UNKNOWN_RARITY for stem in stems)
