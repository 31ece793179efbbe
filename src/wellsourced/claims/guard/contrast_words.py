"""Words that exclude each other on one axis, such as who was studied or how often."""

from importlib.resources import files
from typing import cast

from wellsourced.claims.guard.disagreement import FactKind

CONTRASTS_FILE = "contrasts.tsv"
"""Rows of kind, tab, words: the sides of one axis, parted by colons."""


def _load_places() -> dict[str, list[tuple[FactKind, int, int]]]:
    """Word → kind, axis and side of each place where it stands."""
    lines = files(__package__).joinpath(CONTRASTS_FILE).read_text(encoding="utf-8").splitlines()
    table: dict[str, list[tuple[FactKind, int, int]]] = {}
    for axis, line in enumerate(lines):
        kind, _, sides = line.partition("\t")
        for side, words in enumerate(sides.split(":")):
            for word in words.split():
                table.setdefault(word, []).append((cast(FactKind, kind), axis, side))
    return table


_PLACES_BY_WORD = _load_places()

MAX_NARROW_SIDES = 3
"""Sides of an axis up to which one excludes the others: of diseases somebody may have two."""

_NARROW_AXES = frozenset(
    axis
    for axis in {axis for places in _PLACES_BY_WORD.values() for _, axis, _ in places}
    if max(side for places in _PLACES_BY_WORD.values() for _, there, side in places if there == axis) < MAX_NARROW_SIDES
)


def find_contrast(one: str, other: str) -> FactKind | None:
    """The kind of an axis on which two small words stand in different places; None where they share none."""
    places = _PLACES_BY_WORD.get(other, ())
    for kind, axis, side in _PLACES_BY_WORD.get(one, ()):
        if any(there == axis and place != side for _, there, place in places):
            return kind
    return None


def is_exclusive(one: str, other: str) -> bool:
    """Whether people or a disease cannot well be both: a child and adult, acute and chronic; not of two diseases."""
    kind = find_contrast(one, other)
    if kind == "condition":
        return any(axis in _NARROW_AXES for _, axis, _ in _PLACES_BY_WORD.get(one, ()))
    return kind == "population"


def has_contrast(word: str) -> bool:
    """Whether a small word stands on an axis: others exclude it."""
    return word in _PLACES_BY_WORD


def is_population_word(word: str) -> bool:
    """Whether a small word names some people or animals, and not others."""
    return any(kind == "population" for kind, _, _ in _PLACES_BY_WORD.get(word, ()))
