"""British and American spellings of a word: "anaemia", "anemia"."""

from collections.abc import Iterator, Sequence

from wellsourced.sources.base import Lexicon
from wellsourced.text.tables import read_rows
from wellsourced.understanding.question_words import QuestionWord, TermMeaning
from wellsourced.understanding.word_frequencies import sum_frequencies

BRITISH_AMERICAN = read_rows("wellsourced.understanding", "spelling_variants.tsv")
"""What is written so in Britain and so in America, within words. Verified by what a lexicon knows."""


async def suggest_variants(told: Sequence[QuestionWord], lexicons: Sequence[Lexicon]) -> list[TermMeaning]:
    """Words in their other spelling, where that is the commoner one of the libraries."""
    other = {at: list(list_variants(word.corrected.lower())) for at, word in enumerate(told)}
    asked = {word for words in other.values() for word in words}
    if not asked:
        return []
    known = await sum_frequencies(
        lexicons, asked | {told[at].corrected.lower() for at, words in other.items() if words}
    )
    found: list[TermMeaning] = []
    for at, words in other.items():
        own = known.counts.get(told[at].corrected.lower(), 0)
        better = [word for word in words if known.counts.get(word, 0) > own]
        if better:
            best = max(better, key=lambda word: known.counts[word])
            found.append(TermMeaning(at, at, "synonym", (best,), "the words of the libraries"))
    return found


def list_variants(word: str) -> Iterator[str]:
    """How a word may be written on the other side: "anaemia" → "anemia", "edema" → "oedema"."""
    made = {word.replace(one, other) for pair in BRITISH_AMERICAN for one, other in (pair, pair[::-1]) if one in word}
    yield from sorted(made - {word})
