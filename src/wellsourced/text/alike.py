"""Alike: texts that say the same in almost the same words, such as an abstract in two editions."""

from typing import NamedTuple

from wellsourced.text.guard import find_disagreements
from wellsourced.text.tokens import stems

SAME = 0.9
"""Share of the words of two texts that they have in common (Jaccard), from which they may be one."""


class Words(NamedTuple):
    """A text and its content stems."""

    text: str
    stems: frozenset[str]


NO_WORDS = Words("", frozenset())
"""Of a text that is compared with none."""


def words_of(text: str) -> Words:
    """A text as it is compared."""
    return Words(text, frozenset(stems(text)))


def near(one: Words, other: Words) -> bool:
    """Whether two texts share nearly all their words, whatever these say: what is not near is not alike."""
    fewer, more = sorted((len(one.stems), len(other.stems)))
    # The larger set bounds what they can share: most pairs are told apart by their size alone.
    if not fewer or fewer < SAME * more:
        return False
    return len(one.stems & other.stems) >= SAME * len(one.stems | other.stems)


def alike(one: Words, other: Words) -> bool:
    """Whether one of the two is enough: they share nearly all words, and no number, negation or direction differs.

    A text without a content word is like none.
    """
    if not near(one, other):
        return False
    if one.text == other.text:
        return True
    return not find_disagreements(one.text, other.text) and not find_disagreements(other.text, one.text)
