"""How common words are in all libraries together."""

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence

from wellsourced.errors import SourceError
from wellsourced.sources.base import Frequencies, Lexicon
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize


async def sum_frequencies(lexicons: Sequence[Lexicon], asked: Collection[str]) -> Frequencies:
    """The counts of all lexicons together; one that fails is left out."""
    given = await asyncio.gather(*(lexicon.frequencies(asked) for lexicon in lexicons), return_exceptions=True)
    counts: Counter[str] = Counter()
    documents = 0
    for one in given:
        if isinstance(one, Frequencies):
            counts.update(one.counts)
            documents += one.documents
        elif not isinstance(one, SourceError):
            raise one
    return Frequencies(documents, counts)


def document_frequency(term: str, known: Frequencies) -> int:
    """Documents that hold the rarest word of a term: no more can hold the term."""
    return min((known.counts.get(word, 0) for word in tokenize(term) if word not in STOP_WORDS), default=0)
