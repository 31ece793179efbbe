"""Which documents of a library a query selects, whatever they are ranked by, and which of its words are written almost
like another.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.query_language import parse_query
from wellsourced.query_language.query_tree import SUBJECT_FIELDS, MeshHeading, Node, Not, QueryTerm, children, leaves
from wellsourced.question.vocabulary import Frequencies
from wellsourced.sources.base import HeadingVocabulary
from wellsourced.sources.heading_validation import validate_headings
from wellsourced.sources.library.word_index.boolean import (
    BooleanMatcher,
    expand_term,
    find_likeliest_words,
    literal_term,
)
from wellsourced.sources.library.word_index.entries import Mask, WordIndexReader, possible_identities, strip_accents
from wellsourced.sources.library.word_index.index import WordIndex
from wellsourced.text.dates import limit_days
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import content_stems
from wellsourced.text.tokens import tokenize as tokens
from wellsourced.types import Query

MAX_TRUNCATION_WORDS = 3
"""Words by which a truncated one is ranked: the commonest of those that begin so."""

MIN_STEM_LETTERS = 3
"""Letters of the shortest stem whose last letter may be another in a word of it."""


class DocumentSelection(NamedTuple):
    """Documents that match, the newest first, the words to rank them by, and what is to be told of the selection."""

    ids: list[str]
    words: str
    notes: tuple[str, ...] = ()


LETTERS = "abcdefghijklmnopqrstuvwxyz"

MIN_WORD_LETTERS = 4
"""Letters of the shortest word that has neighbours: every other word of three letters is one edit away."""

LONG_WORD_LETTERS = 8
"""Letters from which on a word may be wrong in two places."""

HEAD_LETTERS = 3
"""Letters at the beginning of a word. Of two faults at most one is looked for among them."""

STEM_LETTERS = 5
"""Letters by which words are found whose beginning is wrong, once it was put right."""


def find_neighbours(word: str, words: WordIndexReader, limit: int) -> list[tuple[str, int]]:
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


def _find_two_edits_away(word: str, words: WordIndexReader, beginnings: Collection[str]) -> list[tuple[int, str, int]]:
    """(2, word, documents) of the words that begin in one of these ways and are two edits away."""
    found = dict(one for beginning in beginnings for one in words.words_with_prefix(beginning))
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


async def select_boolean(index: WordIndex, query: Query, headings: HeadingVocabulary | None) -> DocumentSelection:
    """The documents that a Boolean query means. Raises BadQuery for one that cannot be read, and as a source."""
    parsed = parse_query(query.text)
    notes = list(parsed.notes)
    node, meant = await _expand_headings(parsed.node, headings, notes.append)

    def select(words: WordIndexReader) -> DocumentSelection:
        found = BooleanMatcher(words, meant, notes.append).find_documents(node) & _find_admissible(query, words)
        return DocumentSelection(words.document_ids(found), " ".join(_ranking_words(node, words)))

    selected = await index.ask(select)
    return selected._replace(notes=tuple(dict.fromkeys(notes)))


async def count_holding_all(index: WordIndex, query: Query) -> int:
    """How many documents hold all words of a query, in whatever form; words that say nothing do not count."""

    def count(words: WordIndexReader) -> int:
        found = words.documents.live & _find_admissible(query, words)
        for word in {word for word in tokens(query.text) if word not in STOP_WORDS}:
            found &= words.find_matching(_word_expressions(word, words))
        return int(found.sum())

    return await index.ask(count)


async def find_frequencies(index: WordIndex, words: Collection[str]) -> Frequencies:
    """As Lexicon; of a word that is written with a hyphen, or several words, how often they stand in a row."""

    def count(reader: WordIndexReader) -> Frequencies:
        total = int(reader.documents.live.sum())
        whole = {word: strip_accents(word) for word in words if word.isalnum()}
        known = reader.count_documents(set(whole.values()))
        counts = {word: known[plain] for word, plain in whole.items() if plain in known}
        rows = {word: _count_phrase(word, reader) for word in words if not word.isalnum()}
        return Frequencies(total, counts | {word: count for word, count in rows.items() if count})

    return await index.ask(count)


async def _expand_headings(
    node: Node, headings: HeadingVocabulary | None, note: Callable[[str], None]
) -> tuple[Node, dict[str, list[str]]]:
    """The query with headings that exist, and what stands below each of them and of its types of publication."""
    if headings is None:
        if any(isinstance(leaf, MeshHeading) and leaf.explode for leaf in leaves(node)):
            note("searched without a MeSH vocabulary: headings do not include narrower ones")
        return node, {}
    checked = await validate_headings(node, [headings])
    for told in checked.notes:
        note(told)
    exploded = {leaf.name for leaf in leaves(checked.node) if isinstance(leaf, MeshHeading) and leaf.explode}
    types = {leaf.words for leaf in leaves(checked.node) if isinstance(leaf, QueryTerm) and leaf.field == "type"}
    try:
        named = [(name, await headings.heading(name) or name) for name in sorted(exploded | types)]
        below = {name: await headings.explode(heading) for name, heading in named}
    # The heading itself is still looked for, which finds less and nothing wrong.
    except SourceError as error:
        note(f"{headings.name} could not look up narrower headings ({error.phrase})")
        return checked.node, {}
    return checked.node, {name: [name, *others] for name, others in below.items()}


def _find_admissible(query: Query, words: WordIndexReader) -> Mask:
    """The documents that the dates and exclusions of a query admit: the same rule as text.dates.admits."""
    out = words.find_by_identities([name for id in query.exclude for name in possible_identities(id)[:1]])
    period = limit_days(query.since, query.as_of)
    return ~out if period is None else words.find_in_period(period) & ~out


def _ranking_words(node: Node, words: WordIndexReader) -> Iterator[str]:
    """The words that matching documents should hold; of what is left out none."""
    if isinstance(node, MeshHeading):
        yield node.name
    elif isinstance(node, QueryTerm) and node.field in SUBJECT_FIELDS:
        yield from find_likeliest_words(node, words, MAX_TRUNCATION_WORDS)
    else:
        # The second child of a NOT is what nobody wants to read about.
        for part in children(node)[:1] if isinstance(node, Not) else children(node):
            yield from _ranking_words(part, words)


def _word_expressions(word: str, words: WordIndexReader) -> list[str]:
    """What to match for a word in whatever form: all that have its stem."""
    stem = (content_stems(word) or [word])[0]
    # A stem may end in another letter than its words: "therapi".
    beginning = stem[:-1] if len(stem) > MIN_STEM_LETTERS else stem
    forms = [other for other, _ in words.words_with_prefix(strip_accents(beginning)) if content_stems(other) == [stem]]
    return [one.expression for form in {word, *forms} for one in expand_term(literal_term(form), words)]


def _count_phrase(said: str, words: WordIndexReader) -> int:
    """In how many documents some words stand next to each other."""
    return int(words.find_matching([one.expression for one in expand_term(literal_term(said), words)]).sum())
