"""Words that medical texts use, and in how many of 38,486 each stands: what spelling is held against without a library.

`word_counts.tsv` is written by benchmarks/count_words.py: words of four letters or more that stand in five documents
or more of PubMed abstracts, MedQuAD's answers and SciFact.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from wellsourced.sources.base import Frequencies
from wellsourced.understanding.edits import distance
from wellsourced.worker_pool import run_in_worker

REACH = 2
"""Letters by which words that are spelled alike differ in length, at most, and edits between them."""


class CommonWords:
    """A lexicon that is always there."""

    name = "medical texts"

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        """In how many texts words stand; one that is in fewer than five is not known."""
        documents, counts = await run_in_worker(_counted)
        return Frequencies(documents, {word: counts[word] for word in words if word in counts})

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        """Words at most two edits away, the nearest first, then the commonest."""
        return await run_in_worker(_spelled_like, word, limit)


def _spelled_like(word: str, limit: int) -> list[tuple[str, int]]:
    _, counts = _counted()
    near = sorted(
        (away, -counts[other], other)
        for other in _candidates(word)
        if other != word and (away := distance(word, other)) <= REACH
    )
    return [(other, -count) for _, count, other in near[:limit]]


class _Entry(NamedTuple):
    word: str
    letters: frozenset[str]


def _candidates(word: str) -> list[str]:
    """Words of about this length that share nearly all of their letters with it."""
    letters = frozenset(word)
    return [
        entry.word
        for length in range(len(word) - REACH, len(word) + REACH + 1)
        for entry in _by_length().get(length, ())
        if len(letters ^ entry.letters) <= 2 * REACH
    ]


@cache
def _counted() -> tuple[int, Mapping[str, int]]:
    content = files("wellsourced.understanding").joinpath("word_counts.tsv").read_text(encoding="utf-8")
    (_, documents), *rows = (line.split("\t") for line in content.splitlines())
    return int(documents), {word: int(count) for word, count in rows}


@cache
def _by_length() -> Mapping[int, list[_Entry]]:
    found: dict[int, list[_Entry]] = defaultdict(list)
    for word in _counted()[1]:
        found[len(word)].append(_Entry(word, frozenset(word)))
    return found
