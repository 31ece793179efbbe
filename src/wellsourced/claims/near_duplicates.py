"""Texts that say the same in almost the same words, such as an abstract in two editions."""

from typing import NamedTuple

from wellsourced.claims.guard import find_disagreements
from wellsourced.text.tokens import content_stems

MIN_WORD_OVERLAP = 0.9
"""Share of the words of two texts that they have in common (Jaccard), from which they may be one."""


class StemmedText(NamedTuple):
    """A text and its content stems."""

    text: str
    stems: frozenset[str]


EMPTY_STEMMED_TEXT = StemmedText("", frozenset())
"""Of a text that is compared with none."""


def stem_text(text: str) -> StemmedText:
    """A text as it is compared."""
    return StemmedText(text, frozenset(content_stems(text)))


def share_nearly_all_stems(one: StemmedText, other: StemmedText) -> bool:
    """Whether two texts share nearly all their words, whatever these say: what is not near is not alike."""
    fewer, more = sorted((len(one.stems), len(other.stems)))
    # The larger set bounds what they can share: most pairs are told apart by their size alone.
    if not fewer or fewer < MIN_WORD_OVERLAP * more:
        return False
    return len(one.stems & other.stems) >= MIN_WORD_OVERLAP * len(one.stems | other.stems)


def are_near_duplicates(one: StemmedText, other: StemmedText) -> bool:
    """Whether one of the two is enough: they share nearly all words, and no number, negation or direction differs.

    A text without a content word is like none.
    """
    if not share_nearly_all_stems(one, other):
        return False
    if one.text == other.text:
        return True
    return not find_disagreements(one.text, other.text) and not find_disagreements(other.text, one.text)
