"""Words of a library that are written almost like another."""

from collections.abc import Collection, Iterator

from wellsourced.sources.library.word_index.reader import WordIndexReader

LETTERS = "abcdefghijklmnopqrstuvwxyz"

MIN_WORD_LETTERS = 4
"""Letters of the shortest word that has neighbours: every other word of three letters is one edit away."""

LONG_WORD_LETTERS = 8
"""Letters from which on a word may be wrong in two places."""

HEAD_LETTERS = 3
"""Letters at the beginning of a word. Of two faults at most one is looked for among them."""

STEM_LETTERS = 5
"""Letters by which words are found whose beginning is wrong, once it was put right."""


def spelled_like(word: str, words: WordIndexReader, limit: int) -> list[tuple[str, int]]:
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
