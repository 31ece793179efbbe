"""Which documents of a library a query selects, whatever they are ranked by, and which of its words are written almost
like another.
"""

import asyncio
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.events import Emit, Event, ignore_event
from wellsourced.query_language.query_tree import SUBJECT_FIELDS, And, MeshHeading, Node, Not, Or, QueryTerm, children
from wellsourced.question.vocabulary import Frequencies
from wellsourced.sources.library.selector import MAX_TRUNCATION_WORDS, DocumentQuery, SelectedDocuments
from wellsourced.sources.library.word_index.boolean import (
    BooleanMatcher,
    LibraryWords,
    find_likeliest_words,
    literal_term,
)
from wellsourced.sources.library.word_index.entries import possible_identities, strip_accents
from wellsourced.sources.library.word_index.index import OpenCatalogue, WordIndex
from wellsourced.sources.library.word_index.tables import IndexState, Mask, WordIndexReader
from wellsourced.text.tokens import content_stems
from wellsourced.types import Query

MIN_STEM_LETTERS = 3
"""Letters of the shortest stem whose last letter may be another in a word of it."""


LETTERS = "abcdefghijklmnopqrstuvwxyz"

MIN_WORD_LETTERS = 4
"""Letters of the shortest word that has neighbours: every other word of three letters is one edit away."""

LONG_WORD_LETTERS = 8
"""Letters from which on a word may be wrong in two places."""

HEAD_LETTERS = 3
"""Letters at the beginning of a word. Of two faults at most one is looked for among them."""

STEM_LETTERS = 5
"""Letters by which words are found whose beginning is wrong, once it was put right."""


def find_neighbours(word: str, words: LibraryWords, limit: int) -> list[tuple[str, int]]:
    """Words of the library that are one edit away, of a long word two, with the number of documents that hold them.

    An edit is a letter too many, one missing, a wrong one, or two exchanged. Nearest first, then commonest, then in
    the order of the alphabet; the word itself is left out. Two faults among the first three letters are not found, and
    one there with another behind only when there is nothing nearer.
    """
    if len(word) < MIN_WORD_LETTERS or not word.isalpha():
        return []
    near = [(1, *one) for one in words.count_documents(set(_single_edits(word)) - {word}).items()]
    if len(word) >= LONG_WORD_LETTERS:
        near += _find_two_edits_away(word, words, {word[:HEAD_LETTERS]})
        # Words with a wrong beginning are looked for last: there are many more of them, and they are rarely meant.
        near = near or _find_two_edits_away(
            word, words, {(head + word[HEAD_LETTERS:])[:STEM_LETTERS] for head in _single_edits(word[:HEAD_LETTERS])}
        )
    near.sort(key=lambda one: (one[0], -one[2], one[1]))
    return [(other, count) for _, other, count in near[:limit]]


def _find_two_edits_away(word: str, words: LibraryWords, beginnings: Collection[str]) -> list[tuple[int, str, int]]:
    """(2, word, documents) of the words that begin in one of these ways and are two edits away."""
    found = dict(words.words_like(beginnings))
    return [(2, other, count) for other, count in found.items() if edit_distance(word, other) == 2 and other.isalpha()]


def _single_edits(word: str) -> Iterator[str]:
    """What one edit makes of it."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in LETTERS)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in LETTERS)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]


def edit_distance(one: str, other: str) -> int:
    """The edits between two words (optimal string alignment: no letter is edited twice); 3 stands for more than two."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, before, row = before, row, [i]
        for j, its in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == its:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        # No later row can be smaller: most words are given up after a few letters.
        if min(row) > 2:
            return 3
    return min(row[-1], 3)


class EmbeddedSelector:
    """The documents of the library in a folder, by its word index: a DocumentSelector."""

    def __init__(self, folder: Path, open_catalogue: OpenCatalogue | None = None) -> None:
        self._index = WordIndex(folder, open_catalogue)
        self._latest: Evaluation | None = None

    @property
    def host(self) -> str:
        return ""

    def clear_query(self, query: Query) -> Query:
        return query

    async def update(self, emit: Emit = ignore_event) -> None:
        loop = asyncio.get_running_loop()

        def forward(event: Event) -> None:
            loop.call_soon_threadsafe(emit, event)

        await asyncio.to_thread(self._index.update, forward)

    async def select(self, query: DocumentQuery, limit: int) -> SelectedDocuments:
        return await self._index.ask(lambda words: self._select(words, query, limit))

    async def count_holding_all(self, words: Collection[str], query: DocumentQuery) -> int:
        return await self._index.ask(lambda reader: _count_holding_all(reader, words, query))

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        return await self._index.ask(lambda reader: _find_frequencies(reader, words))

    async def spelled_like(self, word: str, limit: int) -> list[tuple[str, int]]:
        return await self._index.ask(lambda words: find_neighbours(strip_accents(word), words, limit))

    def clear(self) -> None:
        self._index.clear()

    def close(self) -> None:
        self._index.close()

    def _select(self, words: WordIndexReader, query: DocumentQuery, limit: int) -> SelectedDocuments:
        everywhere = query._replace(only=None)
        known = self._latest
        # Whoever has ranked passages asks the same once more, of their documents only.
        if known is None or (known.query, known.state) != (everywhere, words.state):
            notes: list[str] = []
            matcher = BooleanMatcher(words, query.narrower, notes.append)
            found = matcher.find_documents(query.node) & _find_admissible(query, words)
            ranking = tuple(list_ranking_words(query.node, words))
            known = self._latest = Evaluation(everywhere, words.state, found, ranking, tuple(dict.fromkeys(notes)))
        found = known.found if query.only is None else known.found & words.find_by_ids(query.only)
        return SelectedDocuments(int(found.sum()), words.newest_ids(found, limit), known.words, known.notes)


class Evaluation(NamedTuple):
    """The documents that a query meant when the index was in this state."""

    query: DocumentQuery
    state: IndexState
    found: Mask
    words: tuple[str, ...]
    notes: tuple[str, ...]


def _count_holding_all(reader: WordIndexReader, words: Collection[str], query: DocumentQuery) -> int:
    matcher = BooleanMatcher(reader, query.narrower)
    forms = [Or(tuple(literal_term(form) for form in find_word_forms(word, reader))) for word in sorted(words)]
    held = matcher.find_documents(And((query.node, *forms)))
    return int((held & _find_admissible(query, reader)).sum())


def _find_frequencies(reader: WordIndexReader, words: Collection[str]) -> Frequencies:
    whole = {word: strip_accents(word) for word in words if word.isalnum()}
    known = reader.count_documents(set(whole.values()))
    counts = {word: known[plain] for word, plain in whole.items() if plain in known}
    rows = {word: _count_phrase(word, reader) for word in words if not word.isalnum()}
    return Frequencies(reader.state.documents, counts | {word: count for word, count in rows.items() if count})


def _find_admissible(query: DocumentQuery, words: WordIndexReader) -> Mask:
    """The documents that the dates and exclusions of a query admit: the same rule as text.dates.is_eligible."""
    out = words.find_by_identities([name for id in query.exclude for name in possible_identities(id)[:1]])
    period = query.period
    return ~out if period is None else words.find_in_period(period) & ~out


def list_ranking_words(node: Node, words: LibraryWords) -> Iterator[str]:
    """The words that matching documents should hold; of what is left out none."""
    if isinstance(node, MeshHeading):
        yield from node.name.split()
    elif isinstance(node, QueryTerm) and node.field in SUBJECT_FIELDS:
        yield from find_likeliest_words(node, words, MAX_TRUNCATION_WORDS)
    else:
        # The second child of a NOT is what nobody wants to read about.
        for part in children(node)[:1] if isinstance(node, Not) else children(node):
            yield from list_ranking_words(part, words)


def find_word_forms(word: str, words: LibraryWords) -> list[str]:
    """A word in whatever form: itself, and all that have its stem."""
    stem = (content_stems(word) or [word])[0]
    # A stem may end in another letter than its words: "therapi".
    beginning = stem[:-1] if len(stem) > MIN_STEM_LETTERS else stem
    forms = [other for other, _ in words.words_like((strip_accents(beginning),)) if content_stems(other) == [stem]]
    return sorted({word, *forms})


def _count_phrase(said: str, words: WordIndexReader) -> int:
    """In how many documents some words stand next to each other."""
    found = BooleanMatcher(words).find_documents(literal_term(said))
    return int(found.sum())
