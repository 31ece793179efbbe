"""What the words of a question mean, by tables of words, the words of the libraries and a thesaurus."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from wellsourced.errors import SourceError
from wellsourced.medicine.names import listed_terms, short_forms, term_key, term_keys
from wellsourced.medicine.word_forms import (
    find_abbreviation,
    find_meaning,
    known_abbreviations,
    list_ambiguous_abbreviations,
    list_other_abbreviations,
)
from wellsourced.question.keywords import rank_keywords
from wellsourced.question.spelling import SpellingCorrector, suggest_variants
from wellsourced.question.vocabulary import (
    MAX_THESAURUS_WORDS,
    WORD_LISTS,
    BackgroundLexicon,
    Lexicon,
    QuestionWord,
    TermMeaning,
    Thesaurus,
    corrected_run,
    document_frequency,
    find_term_runs,
    list_runs,
    split_question_words,
    sum_frequencies,
)
from wellsourced.text.abbreviations import find_definitions, find_long_form, is_abbreviation
from wellsourced.text.tokens import tokenize
from wellsourced.types import Expansion, ExpansionKind, Question

ALL_KINDS: frozenset[ExpansionKind] = frozenset(get_args(ExpansionKind))

FOOD_WORDS = frozenset({"diet", "diets", "dietary", "intake", "food", "foods", "salt", "recipe", "recipes", "meals"})
"""Before these, "low sodium" is no disease."""

MIN_FREQUENCY_SHARE: dict[ExpansionKind, float] = {"abbreviation": 1.0, "synonym": 0.1}
"""How common the other wording must be in the libraries, as a share of how common the one of the question is: a word
that is found as it stands needs no other, and the words of a long form stand in many documents on something else."""

TABLE_SOURCE = "wellsourced"
"""Who says so, where one of the tables does."""

MAX_NAMES = 8
"""Names of one concept that are looked at in a thesaurus."""

MAX_SYNONYMS = 2
"""Of these, how many are kept."""

QUALIFIER_WORDS = frozenset(WORD_LISTS["qualifier"])
"""Words by which a name says less, or more, than the term it is given for."""

KIND_PRIORITY: tuple[ExpansionKind, ...] = ("brand", "lay term", "abbreviation", "synonym")
"""Who is right where two ways of widening meet in the same words."""


class LexicalUnderstanding:
    """Understands questions by tables of ours, the words of the libraries (`lexicons`) and a thesaurus.

    kinds   the ways of widening that are made use of; the others are switched off
    """

    def __init__(
        self, lexicons: Sequence[Lexicon], thesaurus: Thesaurus | None, kinds: Collection[ExpansionKind] = ALL_KINDS
    ) -> None:
        self.lexicons, self.thesaurus, self.kinds = tuple(lexicons), thesaurus, frozenset(kinds)
        # What common texts hold tells right from wrong also where the libraries are small.
        self._all_words = (*self.lexicons, BackgroundLexicon())
        self._speller = SpellingCorrector(self._all_words, thesaurus)

    async def find_expansions(self, question: Question) -> tuple[Expansion, ...]:
        """Words that may be understood as others, as they stand in the question."""
        text = question.text
        told = split_question_words(text)
        mended = await self._speller.correct_words(text, told) if "spelling" in self.kinds else {}
        told = [word._replace(corrected=mended.get(at, word.corrected)) for at, word in enumerate(told)]
        source = f"the words of {', '.join(lexicon.name for lexicon in self._all_words)}"
        corrected = [TermMeaning(at, at, "spelling", (right,), source) for at, right in sorted(mended.items())]
        widened = await self._find_meanings(text, told)
        words = _build_expansions(text, told, sorted([*corrected, *widened]))
        return tuple(sorted(dict.fromkeys(words), key=lambda one: text.find(one.said)))

    async def extract_keywords(self, question: Question, limit: int = 8) -> tuple[str, ...]:
        """The words and terms that a search should keep, the most important first."""
        return await rank_keywords(question, limit, self._all_words, self.thesaurus)

    async def _find_meanings(self, text: str, told: Sequence[QuestionWord]) -> list[TermMeaning]:
        """What the words mean besides, each word in at most one way."""
        if len(told) > 3 and text.isupper():
            return []  # Where all is in capitals, no word is an abbreviation, and none the name of a drug.
        taken: set[int] = set()
        found = _select_disjoint(await self._drop_rare_meanings(told, list(self._find_in_tables(text, told))), taken)
        if "synonym" in self.kinds:
            found += _select_disjoint(await suggest_variants(told, self.lexicons), taken)
        if self.thesaurus and self.kinds & {"synonym", "abbreviation"}:
            found += await self._find_in_thesaurus(text, told, taken, self.thesaurus)
        if "abbreviation" in self.kinds and not any(one.kind == "abbreviation" for one in found):
            found += _select_disjoint(await self._drop_rare_meanings(told, list(abbreviate_terms(text, told))), taken)
        return found

    async def _drop_rare_meanings(
        self, told: Sequence[QuestionWord], found: Sequence[TermMeaning]
    ) -> list[TermMeaning]:
        """Without abbreviations and synonyms that the libraries hold far less often than what is said."""
        doubted = [
            one
            for one in found
            if one.kind in MIN_FREQUENCY_SHARE
            and corrected_run(told, one.first, one.last) not in list_ambiguous_abbreviations()
        ]
        if not doubted or not self.lexicons:
            return list(found)
        terms = [corrected_run(told, one.first, one.last) for one in doubted] + [one.meanings[0] for one in doubted]
        known = await sum_frequencies(self.lexicons, {part for term in terms for part in tokenize(term)})
        return [
            one
            for one in found
            if one not in doubted
            or document_frequency(one.meanings[0], known)
            >= MIN_FREQUENCY_SHARE[one.kind] * document_frequency(corrected_run(told, one.first, one.last), known)
        ]

    def _find_in_tables(self, text: str, told: Sequence[QuestionWord]) -> Iterator[TermMeaning]:
        if "abbreviation" in self.kinds:
            yield from expand_abbreviations(text, told)
        for first, last in list_runs(text, told):
            names = term_keys(corrected_run(told, first, last))
            listed = next((listed_terms()[name] for name in names if name in listed_terms()), None)
            if not listed or listed.kind not in self.kinds:
                continue
            is_food = last + 1 < len(told) and told[last + 1].corrected.lower() in FOOD_WORDS
            if not (listed.kind == "lay term" and is_food):
                yield TermMeaning(first, last, listed.kind, listed.meanings, TABLE_SOURCE)

    async def _find_in_thesaurus(
        self, text: str, told: Sequence[QuestionWord], taken: set[int], thesaurus: Thesaurus
    ) -> list[TermMeaning]:
        """Other names of terms with a word that no document holds: the others are found as they are."""
        known = await sum_frequencies(self.lexicons, {part for word in told for part in tokenize(word.corrected)})
        strange = {
            at for at, word in enumerate(told) if not known.documents or not document_frequency(word.corrected, known)
        }
        found: list[TermMeaning] = []
        for first, last in find_term_runs(text, told, strange) if strange else ():
            inside = set(range(first, last + 1))
            meaning = None if inside & taken else await find_other_names(told, first, last, thesaurus)
            if meaning and meaning.kind in self.kinds:
                found.append(meaning)
                taken |= inside
        return found


def _select_disjoint(found: Sequence[TermMeaning], taken: set[int]) -> list[TermMeaning]:
    """Those that share no word with each other or with what is taken, the longest first; what is kept is taken."""
    kept: list[TermMeaning] = []
    for one in sorted(found, key=lambda one: (one.first - one.last, KIND_PRIORITY.index(one.kind), one.first)):
        inside = set(range(one.first, one.last + 1))
        if not inside & taken:
            taken |= inside
            kept.append(one)
    return kept


def _build_expansions(text: str, told: Sequence[QuestionWord], found: Sequence[TermMeaning]) -> Iterator[Expansion]:
    for one in found:
        verbatim = text[told[one.first].start : told[one.last].end]
        for meant in one.meanings:
            if meant != verbatim:
                yield Expansion(kind=one.kind, said=verbatim, meant=meant, source=one.source)


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


def _is_useful_name(term: str, name: str) -> bool:
    """Whether a name is another wording: not the term in another form, not one kind of it, not a code."""
    own, other = set(term_key(term).split()), term_key(name).split()
    if not other or own <= set(other) or set(other) <= own or (QUALIFIER_WORDS & set(other)) - own:
        return False
    return len(other) <= MAX_THESAURUS_WORDS and not re.search(r"\d{3,}|\d\.\d|[,;()/]", name)
