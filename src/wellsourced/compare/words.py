"""Small words as they are compared: their stem, the direction in which they point, what denies, what excludes what."""

import re
from collections.abc import Callable

import Stemmer

from wellsourced.text import lexicon
from wellsourced.text.tables import read_rows

stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord

POSITIVE_FORMS = {word: re.sub(r"^(?:un|in|ir|non)", "", word) for word in lexicon.NEGATED_WORDS}
"""A word that has its negation within it → the word without."""

_DIRECTIONS = {
    word: (f"axis {number}", sign)
    for number, axis in enumerate(lexicon.DIRECTION_AXES.split("|"))
    for sign, side in zip((1, -1), axis.split(":"), strict=True)
    for word in side.split()
}
"""Word → its axis, and its side on it."""


def find_direction(word: str) -> tuple[str, int] | None:
    """The axis of a small word and its side on it (+1 or -1); None for a word without a direction."""
    # The list before the prefixes: "under" of "underlying" points nowhere.
    if word in _DIRECTIONS:
        return _DIRECTIONS[word]
    for up, down in lexicon.OPPOSITE_PREFIXES:
        for prefix, sign in ((up, 1), (down, -1)):
            if word.startswith(prefix) and len(word) > len(prefix) + 3:
                return f"{up}+{stem(word.removeprefix(prefix))}", sign
    return None


def _load_places() -> dict[str, list[tuple[str, int, int]]]:
    """Word → kind, axis and side of each place where it stands."""
    table: dict[str, list[tuple[str, int, int]]] = {}
    for axis, (kind, sides) in enumerate(read_rows("wellsourced.compare", "contrasts.tsv")):
        for side, words in enumerate(sides.split(":")):
            for word in words.split():
                table.setdefault(word, []).append((kind, axis, side))
    return table


_PLACES_BY_WORD = _load_places()


def are_contrasted(one: str, other: str) -> bool:
    """Whether two small words exclude each other: "oral" and "intravenous", "men" and "women"."""
    places = _PLACES_BY_WORD.get(other, ())
    return any(
        there == axis and place != side for _, axis, side in _PLACES_BY_WORD.get(one, ()) for _, there, place in places
    )


def is_population_word(word: str) -> bool:
    """Whether a small word names some people or animals, and not others."""
    return any(kind == "population" for kind, _, _ in _PLACES_BY_WORD.get(word, ()))
