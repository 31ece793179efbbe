"""A lexicon of texts held in memory, for tests: it counts real words, and compares spellings letter by letter."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from wellsourced.question.vocabulary import Frequencies
from wellsourced.text.tokens import tokenize

APART = 2
"""Edits between words that are spelled alike."""


class Counting:
    """A Lexicon of counts."""

    def __init__(self, name: str, documents: int, counts: Mapping[str, int]) -> None:
        self._name, self.documents, self.counts = name, documents, counts
        self._words_by_length: dict[int, list[tuple[str, frozenset[str]]]] = {}
        for word in counts:
            self._words_by_length.setdefault(len(word), []).append((word, frozenset(word)))

    @classmethod
    def of(cls, name: str, texts: Iterable[str]) -> "Counting":
        """The words of these texts."""
        counts: Counter[str] = Counter()
        documents = 0
        for documents, text in enumerate(texts, start=1):  # noqa: B007
            counts.update(set(tokenize(text)))
        return cls(name, documents, counts)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        """In how many texts words stand."""
        return Frequencies(self.documents, {word: self.counts[word] for word in words if word in self.counts})

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        """Words at most two edits away, the nearest first, then the commonest."""
        letters = frozenset(word)
        near: list[tuple[int, int, str]] = []
        for length in range(len(word) - APART, len(word) + APART + 1):
            for other, its in self._words_by_length.get(length, ()):
                if other != word and len(letters ^ its) <= 2 * APART and (away := edits(word, other)) <= APART:
                    near.append((away, -self.counts[other], other))
        return [(other, -count) for _, count, other in sorted(near)[:limit]]


def edits(one: str, other: str) -> int:
    """Letters to add, drop, exchange or swap; APART + 1 for any more than APART."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        line = [at]
        for place, its in enumerate(other, start=1):
            cost = min(row[place] + 1, line[-1] + 1, row[place - 1] + (letter != its))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == its:
                cost = min(cost, before[place - 2] + 1)
            line.append(cost)
        if min(line) > APART:
            return APART + 1
        before, row = row, line
    return row[-1]
