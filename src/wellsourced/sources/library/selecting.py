"""Which documents of a library a query selects, whatever they are ranked by; and what is to be told of it."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.query_language import read
from wellsourced.query_language.tree import Heading, Node, Not, Term
from wellsourced.query_language.walking import children, leaves
from wellsourced.sources.base import NOTE, Frequencies, Headings
from wellsourced.sources.headings import with_real_headings
from wellsourced.sources.library.boolean import Boolean
from wellsourced.sources.library.spelling import spelled_like
from wellsourced.sources.library.word_entries import names, unaccented
from wellsourced.sources.library.word_index import WordIndex
from wellsourced.sources.library.word_matching import likeliest, literal, wordings
from wellsourced.sources.library.word_reading import Mask, Words
from wellsourced.text.dates import Days, number
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import stems
from wellsourced.text.tokens import words as tokens
from wellsourced.types import Query

LIKELIEST = 3
"""Words by which a truncated one is ranked: the commonest of those that begin so."""

SHORTEST = 3
"""Letters of the shortest stem whose last letter may be another in a word of it."""

RANKED = ("all", "title", "abstract", "title_abstract", "heading")
"""Fields whose words say what a document is about."""


class Selected(NamedTuple):
    """Documents that match, the newest first, and the words to rank them by."""

    ids: list[str]
    words: str


class Selecting:
    """Selects documents by the word index of a library."""

    def __init__(self, index: WordIndex) -> None:
        self._index = index

    async def boolean(self, query: Query, headings: Headings | None) -> Selected:
        """The documents that a Boolean query means. Raises BadQuery for one that cannot be read, and as a source."""
        parsed = read(query.text)
        notes = list(parsed.notes)
        node, meant = await _understood(parsed.node, headings, notes.append)

        def select() -> Selected:
            with self._index.reading() as words:
                found = Boolean(words, meant, notes.append).matching(node) & _admitted(query, words)
                return Selected(words.ids(found), " ".join(_ranked_by(node, words)))

        selected = await asyncio.to_thread(select)
        for note in dict.fromkeys(notes):
            NOTE.get()(note)
        return selected

    async def holding_all(self, query: Query) -> int:
        """How many documents hold all words of a query, in whatever form; words that say nothing do not count."""

        def count() -> int:
            with self._index.reading() as words:
                found = words.documents.live & _admitted(query, words)
                for word in {word for word in tokens(query.text) if word not in STOP_WORDS}:
                    found &= words.holding(_forms(word, words))
                return int(found.sum())

        return await asyncio.to_thread(count)

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        """As Lexicon; of a word that is written with a hyphen, or several words, how often they stand in a row."""

        def look() -> Frequencies:
            with self._index.reading() as index:
                total = int(index.documents.live.sum())
                whole = {word: unaccented(word) for word in words if word.isalnum()}
                known = index.counts(set(whole.values()))
                counts = {word: known[plain] for word, plain in whole.items() if plain in known}
                rows = {word: _in_a_row(word, index) for word in words if not word.isalnum()}
                return Frequencies(total, counts | {word: count for word, count in rows.items() if count})

        return await asyncio.to_thread(look)

    async def spelled_like(self, word: str, limit: int) -> list[tuple[str, int]]:
        """As Lexicon."""

        def look() -> list[tuple[str, int]]:
            with self._index.reading() as words:
                return spelled_like(unaccented(word), words, limit)

        return await asyncio.to_thread(look)


async def _understood(
    node: Node, headings: Headings | None, note: Callable[[str], None]
) -> tuple[Node, dict[str, list[str]]]:
    """The query with headings that exist, and what stands below each of them and of its types of publication."""
    if headings is None:
        if any(isinstance(leaf, Heading) and leaf.explode for leaf in leaves(node)):
            note("no vocabulary of headings is here: a heading finds itself, and not what stands below it")
        return node, {}
    checked = await with_real_headings(node, [headings])
    for told in checked.notes:
        note(told)
    exploded = {leaf.name for leaf in leaves(checked.node) if isinstance(leaf, Heading) and leaf.explode}
    types = {leaf.words for leaf in leaves(checked.node) if isinstance(leaf, Term) and leaf.field == "type"}
    try:
        named = [(name, await headings.heading(name) or name) for name in sorted(exploded | types)]
        below = {name: await headings.explode(heading) for name, heading in named}
    except SourceError as error:
        note(f"{headings.name} could not be asked what stands below a heading ({str(error).rstrip('.')})")
        return checked.node, {}
    return checked.node, {name: [name, *others] for name, others in below.items()}


def _admitted(query: Query, words: Words) -> Mask:
    """The documents that the dates and exclusions of a query admit: the same rule as text.dates.admits."""
    out = words.named([name for id in query.exclude for name in names(id)[:1]])
    if query.since is None and query.as_of is None:
        return ~out
    first, last = number(query.since) if query.since else 1, number(query.as_of) if query.as_of else 99_999_998
    return words.within(Days(first, last)) & ~out


def _ranked_by(node: Node, words: Words) -> Iterator[str]:
    """The words that matching documents should hold; of what is left out none."""
    if isinstance(node, Heading):
        yield node.name
    elif isinstance(node, Term) and node.field in RANKED:
        yield from likeliest(node, words, LIKELIEST)
    else:
        for part in children(node)[:1] if isinstance(node, Not) else children(node):
            yield from _ranked_by(part, words)


def _forms(word: str, words: Words) -> list[str]:
    """What to match for a word in whatever form: all that have its stem."""
    stem = (stems(word) or [word])[0]
    # A stem may end in another letter than its words: "therapi".
    beginning = stem[:-1] if len(stem) > SHORTEST else stem
    forms = [other for other, _ in words.beginning(unaccented(beginning)) if stems(other) == [stem]]
    return [one.expression for form in {word, *forms} for one in wordings(literal(form), words)]


def _in_a_row(said: str, words: Words) -> int:
    """In how many documents some words stand next to each other."""
    return int(words.holding([one.expression for one in wordings(literal(said), words)]).sum())
