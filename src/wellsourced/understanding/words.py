"""What the words of a question mean, by tables of words, the words of the libraries and a thesaurus."""

from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from wellsourced.sources.base import Lexicon, Thesaurus
from wellsourced.text.tokens import words
from wellsourced.types import Expansion, Question, Widening
from wellsourced.understanding import abbreviations, atlantic, keywords, spans, synonyms
from wellsourced.understanding.common import CommonWords
from wellsourced.understanding.counts import commonness, frequencies
from wellsourced.understanding.spans import Meaning, Word, keys, runs, said, understood
from wellsourced.understanding.spelling import Speller
from wellsourced.understanding.tables import SOURCE, brands, drug_names, lay_terms, senses

ALL: frozenset[Widening] = frozenset(get_args(Widening))

FOODS = frozenset({"diet", "diets", "dietary", "intake", "food", "foods", "salt", "recipe", "recipes", "meals"})
"""Before these, "low sodium" is no disease."""

SHARE: dict[Widening, float] = {"abbreviation": 1.0, "synonym": 0.1}
"""How common the other wording must be in the libraries, as a share of how common the one of the question is: a word
that is found as it stands needs no other, and the words of a long form stand in many documents on something else."""

ORDER: tuple[Widening, ...] = ("brand", "lay term", "abbreviation", "synonym")
"""Who is right where two ways of widening meet in the same words."""


class Words:
    """Understands questions by tables of ours, the words of the libraries (`lexicons`) and a thesaurus.

    kinds   the ways of widening that are made use of; the others are switched off
    """

    def __init__(
        self, lexicons: Sequence[Lexicon], thesaurus: Thesaurus | None, kinds: Collection[Widening] = ALL
    ) -> None:
        self.lexicons, self.thesaurus, self.kinds = tuple(lexicons), thesaurus, frozenset(kinds)
        # What common texts hold tells right from wrong also where the libraries are small.
        self._all_words = (*self.lexicons, CommonWords())
        self._speller = Speller(self._all_words, thesaurus)

    async def expansions(self, question: Question) -> tuple[Expansion, ...]:
        """Words that may be understood as others, as they stand in the question."""
        text = question.text
        told = spans.read(text)
        mended = await self._speller.mended(text, told) if "spelling" in self.kinds else {}
        told = [word._replace(read=mended.get(at, word.read)) for at, word in enumerate(told)]
        corrected = [Meaning(at, at, "spelling", (right,), self._libraries()) for at, right in sorted(mended.items())]
        widened = await self._widened(text, told)
        return tuple(dict.fromkeys(_expansions(text, told, sorted([*corrected, *widened]))))

    async def keywords(self, question: Question, limit: int = 8) -> tuple[str, ...]:
        """The words and terms that a search should keep, the most important first."""
        return await keywords.ranked(question, limit, self._all_words, self.thesaurus)

    async def _widened(self, text: str, told: Sequence[Word]) -> list[Meaning]:
        """What the words mean besides, each word in at most one way."""
        if len(told) > 3 and text.isupper():
            return []  # Where all is in capitals, no word is an abbreviation, and none the name of a drug.
        taken: set[int] = set()
        found = _apart(await self._helpful(told, list(self._by_tables(text, told))), taken)
        if "synonym" in self.kinds:
            found += _apart(await atlantic.respelled(told, self.lexicons), taken)
        if self.thesaurus and self.kinds & {"synonym", "abbreviation"}:
            found += await self._by_thesaurus(text, told, taken, self.thesaurus)
        if "abbreviation" in self.kinds and not any(one.kind == "abbreviation" for one in found):
            found += _apart(await self._helpful(told, list(abbreviations.shortened(text, told))), taken)
        return found

    async def _helpful(self, told: Sequence[Word], found: Sequence[Meaning]) -> list[Meaning]:
        """Without abbreviations and synonyms that the libraries hold far less often than what is said."""
        doubted = [one for one in found if one.kind in SHARE and understood(told, one.first, one.last) not in senses()]
        if not doubted or not self.lexicons:
            return list(found)
        terms = [understood(told, one.first, one.last) for one in doubted] + [one.meant[0] for one in doubted]
        known = await frequencies(self.lexicons, {part for term in terms for part in words(term)})
        return [
            one
            for one in found
            if one not in doubted
            or commonness(one.meant[0], known)
            >= SHARE[one.kind] * commonness(understood(told, one.first, one.last), known)
        ]

    def _by_tables(self, text: str, told: Sequence[Word]) -> Iterator[Meaning]:
        if "abbreviation" in self.kinds:
            yield from abbreviations.written_out(text, told)
        if "synonym" in self.kinds:
            yield from synonyms.renamed(text, told)
        for first, last in runs(text, told):
            names = keys(understood(told, first, last))
            if "brand" in self.kinds:
                yield from _branded(first, last, names)
            if "lay term" in self.kinds and not (last + 1 < len(told) and told[last + 1].read.lower() in FOODS):
                yield from (
                    Meaning(first, last, "lay term", (lay_terms()[name],), SOURCE)
                    for name in names
                    if name in lay_terms()
                )

    async def _by_thesaurus(
        self, text: str, told: Sequence[Word], taken: set[int], thesaurus: Thesaurus
    ) -> list[Meaning]:
        """Other names of terms with a word that no document holds: the others are found as they are."""
        known = await frequencies(self.lexicons, {part for word in told for part in words(word.read)})
        strange = {at for at, word in enumerate(told) if not known.documents or not commonness(word.read, known)}
        found: list[Meaning] = []
        for first, last in synonyms.terms(text, told, strange) if strange else ():
            inside = set(range(first, last + 1))
            meaning = None if inside & taken else await synonyms.named(told, first, last, thesaurus)
            if meaning and meaning.kind in self.kinds:
                found.append(meaning)
                taken |= inside
        return found

    def _libraries(self) -> str:
        return f"the words of {', '.join(lexicon.name for lexicon in self._all_words)}"


def _branded(first: int, last: int, names: Sequence[str]) -> Iterator[Meaning]:
    for generic in [brands()[name] for name in names[:1] if name in brands()]:
        other = drug_names().get(generic)
        yield Meaning(first, last, "brand", (generic, other) if other else (generic,), SOURCE)


def _apart(found: Sequence[Meaning], taken: set[int]) -> list[Meaning]:
    """Those that share no word with each other or with what is taken, the longest first; what is kept is taken."""
    kept: list[Meaning] = []
    for one in sorted(found, key=lambda one: (-one.length, ORDER.index(one.kind), one.first)):
        inside = set(range(one.first, one.last + 1))
        if not inside & taken:
            taken |= inside
            kept.append(one)
    return kept


def _expansions(text: str, told: Sequence[Word], found: Sequence[Meaning]) -> Iterator[Expansion]:
    for one in found:
        verbatim = said(text, told, one.first, one.last)
        for meant in one.meant:
            if meant != verbatim:
                yield Expansion(kind=one.kind, said=verbatim, meant=meant, source=one.source)
