"""Words that no library holds, read as the almost equal words that many documents hold.

A false correction is worse than none, since the word as it stands is searched for anyway: names, numbers,
abbreviations, genes, and words of which another form is known, stay as they are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.medicine.names import table_words
from wellsourced.medicine.word_forms import is_drug_name
from wellsourced.question.vocabulary import (
    Frequencies,
    Lexicon,
    QuestionWord,
    TermMeaning,
    Thesaurus,
    document_frequency,
    is_thesaurus_term,
    sum_frequencies,
)
from wellsourced.question.word_rarity import load_ordinary_stems
from wellsourced.text.lexicon import AUXILIARIES, STOP_WORDS, VERBS
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.tokens import content_stems, edit_distance, tokenize

# --- with what medical words begin and end, and what that tells of how they may be misspelled ---

_AFFIXES = read_word_lists("wellsourced.question", "affixes.tsv")

OPPOSED_PREFIXES = _AFFIXES["opposed prefix"]
"""Prefixes with which a word means something else; a word is never read as one with another of these."""

ENDINGS = _AFFIXES["ending"]
"""Endings that carry the meaning; a word is never read as one with another of these."""

SUFFIXES = frozenset(("", *_AFFIXES["suffix"]))
"""Endings of words that are made of one root; they are taken for one another on purpose, not by mistake."""

MISTAKEN_ENDINGS = frozenset(
    {("is", "es"), ("us", "is"), ("ant", "ent"), ("", "e"), ("er", "or"), ("or", "er"), ("y", "ies")}
)
"""Endings that are written by mistake for others: "diabetis", "arthritus", "treatmant"."""

INFLECTIONS = ("", *_AFFIXES["inflection"])
"""Endings of the forms in which one word may stand in a library."""

MIN_ROOT_LETTERS = 4
"""Letters of the shortest root."""

MIN_DOCUMENTS = 1_000
"""Documents that the lexicons must have read before a word they lack counts as misspelled."""

MIN_LETTERS = 5
"""Letters of the shortest word that is mended: shorter ones are near to too many others."""

MAX_MISSPELLED_DOCUMENTS = 1
"""Documents that may hold a misspelled word: texts have misspellings too."""

MIN_CORRECT_DOCUMENTS = 5
"""Documents that must hold the word it is read as; as many again for every edit."""

MIN_FREQUENCY_RATIO = 20
"""How much commoner that must be than the word as it stands."""

MIN_LEAD = 4.0
"""How much likelier than the next best it must be."""

EDIT_PENALTY = 20.0
"""An edit makes a word so much less likely."""

LONG_NAME_LETTERS = 9
"""Letters from which a word with a capital within a sentence may be none of a person (Usher syndrome)."""

MAX_CHECKED_WORDS = 12
"""Words of one question that are looked at more closely."""

EVERYDAY_WORDS = frozenset({*STOP_WORDS, *AUXILIARIES, *VERBS, *(word.replace("'", "") for word in STOP_WORDS), "hows"})
"""Words that are spelled as they should be, whatever a library holds."""


class _Correction(NamedTuple):
    word: str
    weight: float


BRITISH_AMERICAN = read_rows("wellsourced.question", "spelling_variants.tsv")
"""What is written so in Britain and so in America, within words. Verified by what a lexicon knows."""

_SCORE = re.compile(r"(?P<letters>[a-z]{3,})(?P<number>\d{1,3})")
"""A name that ends in a number: "PHQ9", "CURB65"."""


async def suggest_variants(told: Sequence[QuestionWord], lexicons: Sequence[Lexicon]) -> list[TermMeaning]:
    """Words in their other spelling, where that is the commoner one of the libraries."""
    other = {at: list(list_variants(word.corrected.lower())) for at, word in enumerate(told)}
    asked = {word for words in other.values() for word in words}
    if not asked:
        return []
    own_words = {told[at].corrected.lower() for at, words in other.items() if words}
    known = await sum_frequencies(lexicons, {part for word in asked | own_words for part in tokenize(word)})
    found: list[TermMeaning] = []
    for at, words in other.items():
        own = document_frequency(told[at].corrected.lower(), known)
        better = [word for word in words if document_frequency(word, known) > own]
        if better:
            best = max(better, key=lambda word: document_frequency(word, known))
            found.append(TermMeaning(at, at, "synonym", (best,), "the words of the libraries"))
    return found


def list_variants(word: str) -> Iterator[str]:
    """How else a word may be written: "anaemia" → "anemia", "edema" → "oedema", "curb65" → "curb-65"."""
    if score := _SCORE.fullmatch(word):
        yield f"{score['letters']}-{score['number']}"
    made = {word.replace(one, other) for pair in BRITISH_AMERICAN for one, other in (pair, pair[::-1]) if one in word}
    yield from sorted(made - {word})


class SpellingCorrector:
    """Corrects the spelling of words by what lexicons and a thesaurus know."""

    def __init__(self, lexicons: Sequence[Lexicon], thesaurus: Thesaurus | None) -> None:
        self.lexicons, self.thesaurus = lexicons, thesaurus

    async def correct_words(self, text: str, told: Sequence[QuestionWord]) -> dict[int, str]:
        """Place of a word → how it is to be read."""
        quoted = [found.span() for found in re.finditer(r"[\"“”«»][^\"“”«»]{1,80}[\"“”«»]", text)]
        # A word as anybody might misspell it: letters alone, no capital but the first.
        asked = {
            at: tokenize(word.verbatim)[0]
            for at, word in enumerate(told)
            if (
                len(word.verbatim) >= MIN_LETTERS
                and word.verbatim.isalpha()
                and word.verbatim.isascii()
                and word.verbatim[1:].islower()
                and word.verbatim.lower() not in EVERYDAY_WORDS
                and not load_ordinary_stems().issuperset(content_stems(word.verbatim))
                and word.verbatim.lower() not in table_words()
            )
            and not any(begin <= word.start < end for begin, end in quoted)
        }
        if not asked or not self.lexicons:
            return {}
        known = await sum_frequencies(self.lexicons, asked.values())
        # A small library lacks most words that are spelled well.
        if known.documents < MIN_DOCUMENTS:
            return {}
        doubtful = [
            at
            for at, word in asked.items()
            # Texts have misspellings too: a word of one document is not yet a known one.
            if known.counts.get(word, 0) <= MAX_MISSPELLED_DOCUMENTS
        ]
        strange = await self._drop_known_forms({asked[at] for at in doubtful[:MAX_CHECKED_WORDS]})
        found = {
            at: await self._choose_correction(told[at], asked[at], known) for at in doubtful if asked[at] in strange
        }
        return {at: right for at, right in found.items() if right}

    async def _drop_known_forms(self, doubtful: AbstractSet[str]) -> set[str]:
        """Those of which no library holds another form: who writes "inhibit" need not have written "inhibited"."""
        forms = {word: {*_list_forms(word), *list_variants(word)} for word in doubtful}
        known = (
            await sum_frequencies(self.lexicons, {form for ones in forms.values() for form in ones}) if forms else None
        )
        return {
            word
            for word in forms
            if known and not any(known.counts.get(form, 0) > MAX_MISSPELLED_DOCUMENTS for form in forms[word])
        }

    async def _choose_correction(self, word: QuestionWord, wrong: str, known: Frequencies) -> str:
        """The one clearly likeliest reading; "" when there is none."""
        # Rare, and right.
        if await is_thesaurus_term(wrong, self.thesaurus):
            return ""
        near = await self._find_similar_words(wrong)
        named = word.verbatim[0].isupper() and word.start > 0
        likely = sorted(_weigh_corrections(wrong, near, known.counts.get(wrong, 0), named), key=lambda one: -one.weight)
        # Another form of the same word is found anyway.
        if not likely or content_stems(likely[0].word) == content_stems(wrong):
            return ""
        # Two forms of one word are one reading, and no rival of each other.
        others = [one for one in likely[1:] if content_stems(one.word) != content_stems(likely[0].word)]
        return likely[0].word if not others or likely[0].weight >= MIN_LEAD * others[0].weight else ""

    async def _find_similar_words(self, wrong: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for lexicon in self.lexicons:
            try:
                counts.update(dict(await lexicon.spelled_like(wrong)))
            except SourceError:
                continue
        return counts


def _weigh_corrections(wrong: str, near: Counter[str], count: int, named: bool) -> Iterable[_Correction]:
    """What the word may be read as, by how common it is and how few edits away."""
    for right, documents in near.items():
        away = edit_distance(wrong, right)
        common = documents >= max(MIN_CORRECT_DOCUMENTS * (1 + away), MIN_FREQUENCY_RATIO * count)
        if common and away <= _max_distance(wrong, named) and _is_plausible(wrong, right):
            yield _Correction(right, documents / EDIT_PENALTY**away)


def _max_distance(wrong: str, named: bool) -> float:
    """Edits that are forgiven: fewer in short words, in the names of drugs, and in what is written as a name."""
    # A capital within a sentence: probably somebody's name, which no library has to know.
    if named and len(wrong) < LONG_NAME_LETTERS:
        return 0.0
    # What is near to the name of a drug is the name of another one.
    if named or is_drug_name(wrong):
        return 0.75
    return 0.75 if len(wrong) < 8 else 1.0 if len(wrong) < 10 else 1.5 if len(wrong) < 12 else 2.0


def _is_plausible(wrong: str, right: str) -> bool:
    """Whether one can be a misspelling of the other: not another prefix, not another ending, the same sound first."""
    begins, should_begin = (next(filter(word.startswith, OPPOSED_PREFIXES), "") for word in (wrong, right))
    ends, should_end = (next(filter(word.endswith, ENDINGS), "") for word in (wrong, right))
    alike = begins in ("", should_begin) and ends in ("", should_end)
    return (
        alike
        and _first_sound(wrong) == _first_sound(right)
        and not _is_form_of(wrong, right)
        and right not in list_variants(wrong)
    )


def _is_form_of(wrong: str, right: str) -> bool:
    """Whether both are made of one word, by endings that words have: "ectopia" of "ectopic"."""
    same = next((at for at, pair in enumerate(zip(wrong, right, strict=False)) if pair[0] != pair[1]), len(wrong))
    pairs = ((wrong[at:], right[at:]) for at in range(max(MIN_ROOT_LETTERS, same - 3), same + 1))
    return any(one in SUFFIXES and other in SUFFIXES and (one, other) not in MISTAKEN_ENDINGS for one, other in pairs)


def _list_forms(word: str) -> set[str]:
    """Other forms that the word may have."""
    bases = {*content_stems(word), *(word.removesuffix(ending) for ending in INFLECTIONS if ending != "e")}
    return {base + ending for base in bases if len(base) >= MIN_ROOT_LETTERS for ending in INFLECTIONS} - {word}


def _first_sound(word: str) -> str:
    """The first sound, as letters that are taken for each other: "neumonia" begins as "pneumonia" does."""
    plain = re.sub(r"^(?:p(?=[nst])|h(?=[aeiou])|k(?=n)|w(?=r))", "", word.lower())
    return {"c": "k", "q": "k", "z": "s", "x": "s"}.get(plain[0], plain[0])
