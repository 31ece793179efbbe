"""What the words of a question mean, by tables of words, the words of the libraries and a thesaurus."""

from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from wellsourced.sources.base import Lexicon, Thesaurus
from wellsourced.text.tokens import tokenize
from wellsourced.types import Expansion, ExpansionKind, Question
from wellsourced.understanding import keywords, synonyms
from wellsourced.understanding.keywords import expand_asking_phrases
from wellsourced.understanding.spelling import SpellingCorrector, suggest_variants
from wellsourced.understanding.term_tables import (
    TABLE_SOURCE,
    BackgroundLexicon,
    QuestionWord,
    TermMeaning,
    brands,
    clinician_terms,
    corrected_run,
    document_frequency,
    drug_names,
    lay_terms,
    list_runs,
    senses,
    split_question_words,
    sum_frequencies,
    term_keys,
    verbatim_run,
)

ALL_KINDS: frozenset[ExpansionKind] = frozenset(get_args(ExpansionKind))

FOOD_WORDS = frozenset({"diet", "diets", "dietary", "intake", "food", "foods", "salt", "recipe", "recipes", "meals"})
"""Before these, "low sodium" is no disease."""

MIN_FREQUENCY_SHARE: dict[ExpansionKind, float] = {"abbreviation": 1.0, "synonym": 0.1}
"""How common the other wording must be in the libraries, as a share of how common the one of the question is: a word
that is found as it stands needs no other, and the words of a long form stand in many documents on something else."""

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
        corrected = [
            TermMeaning(at, at, "spelling", (right,), self._describe_lexicons()) for at, right in sorted(mended.items())
        ]
        widened = await self._find_meanings(text, told)
        words = _build_expansions(text, told, sorted([*corrected, *widened]))
        phrases = expand_asking_phrases(text) if "synonym" in self.kinds else ()
        return tuple(sorted(dict.fromkeys((*words, *phrases)), key=lambda one: text.find(one.said)))

    async def extract_keywords(self, question: Question, limit: int = 8) -> tuple[str, ...]:
        """The words and terms that a search should keep, the most important first."""
        return await keywords.rank_keywords(question, limit, self._all_words, self.thesaurus)

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
            found += _select_disjoint(
                await self._drop_rare_meanings(told, list(synonyms.abbreviate_terms(text, told))), taken
            )
        return found

    async def _drop_rare_meanings(
        self, told: Sequence[QuestionWord], found: Sequence[TermMeaning]
    ) -> list[TermMeaning]:
        """Without abbreviations and synonyms that the libraries hold far less often than what is said."""
        doubted = [
            one
            for one in found
            if one.kind in MIN_FREQUENCY_SHARE and corrected_run(told, one.first, one.last) not in senses()
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
            yield from synonyms.expand_abbreviations(text, told)
        if "synonym" in self.kinds:
            yield from synonyms.find_drug_synonyms(text, told)
        for first, last in list_runs(text, told):
            names = term_keys(corrected_run(told, first, last))
            if "brand" in self.kinds:
                yield from _list_generics(first, last, names)
            if "synonym" in self.kinds:
                said = [clinician_terms()[name] for name in names if name in clinician_terms()]
                yield from (TermMeaning(first, last, "synonym", (meant,), TABLE_SOURCE) for meant in said[:1])
            if "lay term" in self.kinds and not (
                last + 1 < len(told) and told[last + 1].corrected.lower() in FOOD_WORDS
            ):
                yield from (
                    TermMeaning(first, last, "lay term", (lay_terms()[name],), TABLE_SOURCE)
                    for name in names
                    if name in lay_terms()
                )

    async def _find_in_thesaurus(
        self, text: str, told: Sequence[QuestionWord], taken: set[int], thesaurus: Thesaurus
    ) -> list[TermMeaning]:
        """Other names of terms with a word that no document holds: the others are found as they are."""
        known = await sum_frequencies(self.lexicons, {part for word in told for part in tokenize(word.corrected)})
        strange = {
            at for at, word in enumerate(told) if not known.documents or not document_frequency(word.corrected, known)
        }
        found: list[TermMeaning] = []
        for first, last in synonyms.find_term_runs(text, told, strange) if strange else ():
            inside = set(range(first, last + 1))
            meaning = None if inside & taken else await synonyms.find_other_names(told, first, last, thesaurus)
            if meaning and meaning.kind in self.kinds:
                found.append(meaning)
                taken |= inside
        return found

    def _describe_lexicons(self) -> str:
        return f"the words of {', '.join(lexicon.name for lexicon in self._all_words)}"


def _list_generics(first: int, last: int, names: Sequence[str]) -> Iterator[TermMeaning]:
    for generic in [brands()[name] for name in names[:1] if name in brands()]:
        other = drug_names().get(generic)
        yield TermMeaning(first, last, "brand", (generic, other) if other else (generic,), TABLE_SOURCE)


def _select_disjoint(found: Sequence[TermMeaning], taken: set[int]) -> list[TermMeaning]:
    """Those that share no word with each other or with what is taken, the longest first; what is kept is taken."""
    kept: list[TermMeaning] = []
    for one in sorted(found, key=lambda one: (-one.length, KIND_PRIORITY.index(one.kind), one.first)):
        inside = set(range(one.first, one.last + 1))
        if not inside & taken:
            taken |= inside
            kept.append(one)
    return kept


def _build_expansions(text: str, told: Sequence[QuestionWord], found: Sequence[TermMeaning]) -> Iterator[Expansion]:
    for one in found:
        verbatim = verbatim_run(text, told, one.first, one.last)
        for meant in one.meanings:
            if meant != verbatim:
                yield Expansion(kind=one.kind, said=verbatim, meant=meant, source=one.source)
