"""What the words of a question mean, by tables of words, the words of the libraries and a thesaurus; and which of them
a search should keep.
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple, get_args

from wellsourced.medicine.names import listed_terms, short_forms, term_key, term_keys
from wellsourced.medicine.word_forms import list_ambiguous_abbreviations
from wellsourced.question import synonyms
from wellsourced.question.spelling import SpellingCorrector, suggest_variants
from wellsourced.question.vocabulary import (
    TABLE_SOURCE,
    WORD_LISTS,
    BackgroundLexicon,
    Frequencies,
    Lexicon,
    QuestionWord,
    TermMeaning,
    Thesaurus,
    corrected_run,
    document_frequency,
    list_runs,
    split_question_words,
    sum_frequencies,
    verbatim_run,
)
from wellsourced.text.lexicon import IRREGULAR_VERB_FORMS, STOP_WORDS, VERBS
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Expansion, ExpansionKind, Question

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
            yield from synonyms.expand_abbreviations(text, told)
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
        for first, last in synonyms.find_term_runs(text, told, strange) if strange else ():
            inside = set(range(first, last + 1))
            meaning = None if inside & taken else await synonyms.find_other_names(told, first, last, thesaurus)
            if meaning and meaning.kind in self.kinds:
                found.append(meaning)
                taken |= inside
        return found

    def _describe_lexicons(self) -> str:
        return f"the words of {', '.join(lexicon.name for lexicon in self._all_words)}"


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


# Keywords: what a search should keep of a question, the most important first.
#
# Terms that a table or the thesaurus knows stay whole; other words stand for themselves. Important is what few
# documents hold (inverse document frequency, Spärck Jones 1972), terms before words; last come the words that any
# question may hold, so that dropping from the end (`Query.relaxations`) keeps what is asked about.


KNOWN_TERM_FACTOR = 1.5
"""A term that somebody knows is worth so many times what its rarest word is."""

UNKNOWN_WORD_RARITY = 100
"""A word that no document holds counts as one of every so many documents does."""

MAX_SALIENT_WORDS = 12
"""Words around which terms are looked up: in the story of a patient, not every word can be."""

NO_FREQUENCIES = Frequencies(0, {})

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
    known = await sum_frequencies(lexicons, asked) if lexicons and asked else NO_FREQUENCIES
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
    for first, last in [*_find_table_terms(text, told), *synonyms.find_term_runs(text, told, salient)]:
        inside = set(range(first, last + 1))
        term = KeywordCandidate(corrected_run(told, first, last), first, is_known=True)
        if inside & taken or (first == last and _keyword_class(term.text) > 0):
            continue
        if _is_table_term(term.text) or await synonyms.is_thesaurus_term(term.text, thesaurus):
            taken |= inside
            found.append(term)
    return found + [term for term in single if term.first not in taken]


def _find_table_terms(text: str, told: Sequence[QuestionWord]) -> Iterator[tuple[int, int]]:
    return ((first, last) for first, last in list_runs(text, told) if _is_table_term(corrected_run(told, first, last)))


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


# Ways in which clinicians ask, and guidelines' words for it: "Who can't have …?" is answered under contraindications.
#
# Patterns and wordings stand in `asking_phrases.tsv`. A judge of likeness holds "Which patients can't have
# bupropion?" to be far from "contraindicated in seizure disorders"; the wording of guidelines is near it.


def expand_asking_phrases(question: str) -> Iterator[Expansion]:
    """What a question in a clinician's words asks for, in a guideline's; of phrases that overlap only the first."""
    end = 0
    found = [(match, meant) for pattern, meant in _load_phrases() for match in pattern.finditer(question)]
    for match, meant in sorted(found, key=lambda one: one[0].start()):
        if match.start() >= end:
            yield Expansion(kind="synonym", said=match.group(), meant=meant, source=TABLE_SOURCE)
            end = match.end()


@cache
def _load_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = read_rows("wellsourced.question", "asking_phrases.tsv")
    return tuple((re.compile(rf"\b{asked}", re.IGNORECASE), meant) for asked, meant in rows)
