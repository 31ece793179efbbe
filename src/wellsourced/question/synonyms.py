"""Other names of what a question names, by a thesaurus; abbreviations written out and terms abbreviated."""

import re
from collections.abc import Collection, Iterator, Sequence

from wellsourced.errors import SourceError
from wellsourced.medicine.names import short_forms, term_key, term_keys
from wellsourced.medicine.word_forms import (
    find_abbreviation,
    find_definitions,
    find_long_form,
    find_meaning,
    is_abbreviation,
    known_abbreviations,
    list_ambiguous_abbreviations,
    list_other_abbreviations,
)
from wellsourced.question.vocabulary import (
    TABLE_SOURCE,
    WORD_LISTS,
    QuestionWord,
    TermMeaning,
    Thesaurus,
    corrected_run,
    list_runs,
)
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.types import ExpansionKind

MAX_NAMES = 8
"""Names of one concept that are looked at."""

MAX_SYNONYMS = 2
"""Of these, how many are kept."""

MAX_LOOKUPS = 24
"""Terms of one question that a thesaurus is asked for."""

MAX_TERM_WORDS = 6
"""Words of the longest of them."""

GENERAL_WORDS = frozenset(WORD_LISTS["general"])
"""Words that name kinds of concepts; a thesaurus knows other words for them, and none helps."""

QUALIFIER_WORDS = frozenset(WORD_LISTS["qualifier"])
"""Words by which a name says less, or more, than the term it is given for."""

INNER_WORDS = frozenset({"of", "and", "with", "in", "to", "due"})
"""Small words that stand within names of diseases: "failure of", "with reduced ejection fraction"."""


def find_term_runs(text: str, told: Sequence[QuestionWord], around: Collection[int] = ()) -> list[tuple[int, int]]:
    """Runs that may be terms, the longest first: none that begins or ends with a small word, or is only a word.

    around   places of words of which each run holds one; (): any
    """
    content = [word.corrected.lower() not in STOP_WORDS for word in told]
    found = [
        (first, last)
        for first, last in list_runs(text, told, MAX_TERM_WORDS)
        if content[first]
        and content[last]
        and all(content[at] or told[at].corrected.lower() in INNER_WORDS for at in range(first, last))
        and (first < last or _is_specific(told[first].corrected))
        and not _is_end_of_name(text, told, first)
        and (not around or any(at in around for at in range(first, last + 1)))
    ]
    return found[:MAX_LOOKUPS]


# Abbreviations written out, and terms abbreviated: sources may use the one where a question uses the other.


def expand_abbreviations(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Abbreviations of the tables, written out and by others of the same, except those that the question explains."""
    explained = {form for short, _ in find_definitions(text) for form in (short, short.removesuffix("s"))}
    whole = f" {term_key(text)} "
    for at, word in enumerate(told):
        short = _find_short(word.corrected)
        others = " ".join(one.corrected for place, one in enumerate(told) if place != at)
        meant = "" if short in explained else find_meaning(short, others)
        if meant and f" {term_key(meant)} " not in whole:
            long = (meant if meant.endswith("s") else f"{meant}s") if word.corrected.lower() != short.lower() else meant
            shorts = list_other_abbreviations(short) if meant == known_abbreviations().get(short) else ()
            yield TermMeaning(at, at, "abbreviation", (long, *shorts), TABLE_SOURCE)


def _find_short(word: str) -> str:
    """The abbreviation that a word is, or that it is the plural of."""
    return word if word in list_ambiguous_abbreviations() else find_abbreviation(word) or word.removesuffix("s")


def abbreviate_terms(text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
    """Terms of the table in their short form, except where the question has that beside them."""
    for first, last in list_runs(text, told):
        for name in term_keys(corrected_run(told, first, last)):
            short = short_forms().get(name, "")
            if short and not any(short == word.corrected.removesuffix("s") for word in told):
                yield TermMeaning(first, last, "abbreviation", (short, *list_other_abbreviations(short)), TABLE_SOURCE)
                break


async def find_other_names(
    told: Sequence[QuestionWord], first: int, last: int, thesaurus: Thesaurus
) -> TermMeaning | None:
    """Other names of the concept that a run names; None when the thesaurus knows none that helps."""
    term = corrected_run(told, first, last)
    try:
        fit = [name for name in await thesaurus.find_synonyms(term, MAX_NAMES) if _is_useful_name(term, name)][
            :MAX_SYNONYMS
        ]
        if is_abbreviation(term):
            fit = [
                name
                for name in fit[:1]
                if find_long_form(term, name) == name and term in await thesaurus.find_synonyms(name)
            ]
    except SourceError:
        return None
    kind: ExpansionKind = "abbreviation" if is_abbreviation(term) else "synonym"
    return TermMeaning(first, last, kind, tuple(fit), "the graph") if fit else None


async def is_thesaurus_term(term: str, thesaurus: Thesaurus | None) -> bool:
    """Whether a thesaurus knows the term; False without one, and where it fails."""
    try:
        return thesaurus is not None and bool(await thesaurus.find_synonyms(term, 1))
    except SourceError:
        return False


def _is_useful_name(term: str, name: str) -> bool:
    """Whether a name is another wording: not the term in another form, not one kind of it, not a code."""
    own, other = set(term_key(term).split()), term_key(name).split()
    if not other or own <= set(other) or set(other) <= own or (QUALIFIER_WORDS & set(other)) - own:
        return False
    return len(other) <= MAX_TERM_WORDS and not re.search(r"\d{3,}|\d\.\d|[,;()/]", name)


def _is_specific(word: str) -> bool:
    return is_abbreviation(word) or (len(word) > 3 and term_key(word) not in GENERAL_WORDS)


def _is_end_of_name(text: str, told: Sequence[QuestionWord], first: int) -> bool:
    """Whether a longer name ends here: "Jensen syndrome" is nothing in "Gorlin Bushkell Jensen syndrome"."""
    if first < 2 or not told[first].corrected[0].isupper() or not told[first - 1].corrected[0].isupper():
        return False
    return text[told[first - 1].end : told[first].start].isspace()
