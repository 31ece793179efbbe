"""Where the words of a quote stand on a printed page: by their letters, since print parts words.

Spaces, hyphens and signs count for nothing: what is found here is shown, and nothing is concluded from it.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.readers.pdf.layout import find_lines
from wellsourced.readers.pdf.words import PdfWord

MIN_PIECE_LETTERS = 12
"""Letters of a piece of a quote that is looked for by itself, at least; fewer stand in many places."""

MAX_WORD_GAP = 2.0
"""White between two words of one line, at most, as a multiple of their size; between columns it is more."""


class FoundQuote(NamedTuple):
    """The words of a page that are a quote's, in the order of the quote, and whether they are all of it."""

    words: tuple[PdfWord, ...] = ()
    whole: bool = False


class WordBox(NamedTuple):
    """Words of one line, turned upright, in points."""

    left: float
    right: float
    bottom: float
    top: float


def find_quote(words: Sequence[PdfWord], quote: str, before: str, gutter: float = 0.0) -> FoundQuote:
    """The words of a quote on its page, all in one piece or else in several, one behind the other.

    before   what the page says before the quote: of words that it says twice, these are the right ones
    gutter   where columns meet on other pages, in points from the left; 0 when unknown
    """
    wanted = _fold_letters(quote)
    orders = [[word for line in find_lines(words, gutter) for word in line.words], list(words)]
    streams = [_LetterStream(order) for order in orders]
    occurrence = len(list(_find_all(wanted, _fold_letters(before) + wanted)))
    for stream in streams if wanted else ():
        if places := list(_find_all(wanted, stream.letters)):
            # What the document says before the quote tells which of several places on the page is meant.
            start = places[min(occurrence, len(places)) - 1]
            return FoundQuote(stream.words_of(start, start + len(wanted)), whole=True)
    found = (_find_in_pieces(stream, wanted) for stream in streams)
    return max(found, key=lambda one: (one.whole, len(one.words)))


def _fold_letters(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


def _find_all(wanted: str, letters: str) -> Iterator[int]:
    at = letters.find(wanted)
    while at >= 0:
        yield at
        at = letters.find(wanted, at + 1)


class _LetterStream:
    """The letters of words in one order, and whose each is."""

    def __init__(self, words: Sequence[PdfWord]) -> None:
        folded = [_fold_letters(word.text) for word in words]
        self.letters = "".join(folded)
        self._words = words
        self._owners = [number for number, letters in enumerate(folded) for _ in letters]

    def words_of(self, start: int, end: int) -> tuple[PdfWord, ...]:
        return tuple(self._words[number] for number in dict.fromkeys(self._owners[start:end]))

    def last_word_end(self, start: int, end: int) -> int:
        """Where the last word ends that ends between these letters; `start` when none does."""
        while start < end < len(self._owners) and self._owners[end] == self._owners[end - 1]:
            end -= 1
        return end


def _find_in_pieces(stream: _LetterStream, wanted: str) -> FoundQuote:
    """Piece by piece, each as long as it can be: notes and figures stand between the columns that a sentence joins."""
    words: list[PdfWord] = []
    at = 0
    while wanted:
        start, end = _find_longest_prefix(stream, wanted, at)
        # Shorter pieces stand in many places: a box around the wrong words is worse than none.
        if end - start < min(MIN_PIECE_LETTERS, len(wanted)):
            break
        words += stream.words_of(start, end)
        wanted, at = wanted[end - start :], end
    return FoundQuote(tuple(dict.fromkeys(words)), whole=not wanted and bool(words))


def _find_longest_prefix(stream: _LetterStream, wanted: str, at: int) -> tuple[int, int]:
    """Where the most of the beginning of `wanted` stands, from `at` on; cut to whole words of the page."""
    lengths = range(1, len(wanted) + 1)
    length = bisect_left(lengths, True, key=lambda length: stream.letters.find(wanted[:length], at) < 0)
    start = stream.letters.find(wanted[:length], at)
    return start, stream.last_word_end(start, start + length)


def box_words(words: Sequence[PdfWord]) -> list[WordBox]:
    """A box around each run of words that stand side by side."""
    if not words:
        return []
    cuts = [0, *(at for at, pair in enumerate(pairwise(words), 1) if not _stand_side_by_side(*pair)), len(words)]
    return [_surround(words[start:end]) for start, end in pairwise(cuts)]


def _stand_side_by_side(one: PdfWord, other: PdfWord) -> bool:
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    is_on_row = overlap > 0.5 * min(one.top - one.bottom, other.top - other.bottom)
    return is_on_row and other.left >= one.left and other.left - one.right < MAX_WORD_GAP * max(one.size, other.size)


def _surround(words: Sequence[PdfWord]) -> WordBox:
    lefts, rights = [word.left for word in words], [word.right for word in words]
    return WordBox(min(lefts), max(rights), min(word.bottom for word in words), max(word.top for word in words))
