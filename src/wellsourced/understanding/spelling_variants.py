"""Other spellings of a word: British and American ("anaemia", "anemia"), a score without its hyphen ("CURB65")."""

import re
from collections.abc import Iterator, Sequence

from wellsourced.sources.base import Lexicon
from wellsourced.text.tables import read_rows
from wellsourced.text.tokens import tokenize
from wellsourced.understanding.question_words import QuestionWord, TermMeaning
from wellsourced.understanding.word_frequencies import document_frequency, sum_frequencies

BRITISH_AMERICAN = read_rows("wellsourced.understanding", "spelling_variants.tsv")
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
