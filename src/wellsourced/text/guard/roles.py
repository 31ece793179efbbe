"""Roles: what was held against what. "A was better than B" and "B was better than A" have the same words."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from wellsourced.text.guard.copies import Copy, Word
from wellsourced.text.guard.kinds import Disagreement
from wellsourced.text.guard.reading import NEGATIONS
from wellsourced.text.lexicon import word_set

_BESIDE = 24
"""Words before a pivot among which its first side is named."""

_FRAMES = 8
"""Comparisons of one sentence that are looked at, at most."""

_BOUND = word_set("superior inferior compared comparable preferable")
"""Words that need a "to" or a "with" behind them to be a pivot."""

_GENERAL = word_set(
    "group groups arm arms patients patient participants subjects those the a an in with for among of to that "
    "treated receiving cases people individuals trial"
)
"""Words that do not tell two sides apart, and such as may stand before a side."""

_NEAR = 24
"""Words on either side of a pivot among which its direction is looked for."""


class Frame(NamedTuple):
    """A comparison: where its pivot stands, the words behind it that name the second side, and its direction, or 0."""

    at: int
    second: tuple[Word, ...]
    axis: str
    sign: int

    @property
    def side(self) -> frozenset[str]:
        """What the second side is compared by."""
        return frozenset(word.key for word in self.second)


def swapped(copy: Copy) -> Iterator[Disagreement]:
    """Two sides that changed places while the direction between them did not."""
    for said, given in _alike(copy):
        if said.sign and given.sign and said.axis == given.axis and said.sign == given.sign:
            yield Disagreement("role", _named(said), _named(given))


def is_converse(copy: Copy) -> bool:
    """Whether sides and direction changed together: "lower with B than with A" is "higher with A than with B"."""
    return any(said.axis == given.axis and said.sign == -given.sign != 0 for said, given in _alike(copy))


def _named(frame: Frame) -> str:
    return f"than {' '.join(word.word for word in frame.second)}"


def _alike(copy: Copy) -> Iterator[tuple[Frame, Frame]]:
    """Comparisons of the same two sides in which each stands where the other stood."""
    frames = list(islice(_frames(copy.said), _FRAMES)), list(islice(_frames(copy.given), _FRAMES))
    for said, given in product(*frames):
        one, other = said.second[0].key, given.second[0].key
        others = one not in given.side and other not in said.side
        if others and other in _first(copy.said, said) and one in _first(copy.given, given):
            yield said, given


def _first(words: Sequence[Word], frame: Frame) -> frozenset[str]:
    """The words among which the first side is named: before the pivot, or behind one that opens the sentence."""
    return frozenset(
        word.key for word in (words[max(0, frame.at - _BESIDE) : frame.at] if frame.at > 1 else words[frame.at + 2 :])
    )


def _frames(words: Sequence[Word]) -> Iterator[Frame]:
    for at, word in enumerate(words):
        small = word.word.lower()
        follows = words[at + 1].word.lower() if at + 1 < len(words) else ""
        if small not in ("than", "versus", "vs") and not (small in _BOUND and follows in ("to", "with")):
            continue
        if second := _second(words, at + 1):
            yield Frame(at, second, *_direction(words, at))


def _second(words: Sequence[Word], start: int) -> tuple[Word, ...]:
    """The words that name the side behind a pivot."""
    found: list[Word] = []
    for word in words[start : start + 6]:
        if word.is_number:
            break
        if found and (word.parted or not word.has_content or word.word.lower() in _GENERAL):
            break
        if word.has_content and word.word.lower() not in _GENERAL:
            found.append(word)
    return tuple(found[:3])


def _direction(words: Sequence[Word], at: int) -> tuple[str, int]:
    """The word nearest before the pivot, else behind it, that has a direction, negations beside it counted."""
    for word in (*reversed(words[max(0, at - _NEAR) : at + 1]), *words[at : at + _NEAR]):
        if word.key.startswith("axis"):
            place = words.index(word)
            denied = sum(near.word.lower() in NEGATIONS for near in words[max(0, place - 3) : place])
            return word.key[:-1], (-1 if denied % 2 else 1) * (1 if word.key[-1] == "+" else -1)
    return "", 0
