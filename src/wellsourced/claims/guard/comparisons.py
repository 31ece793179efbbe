"""What was compared with what: "A was better than B" has the same words as "B was better than A"."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from wellsourced.claims.guard.alignment import AlignmentWord, SentenceAlignment
from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.claims.guard.negation import NEGATIONS
from wellsourced.text.lexicon import word_set

_FIRST_SIDE_WINDOW = 24
"""Words before a pivot among which its first side is named."""

_MAX_COMPARISONS = 8
"""Comparisons of one sentence that are looked at, at most."""

_PREPOSITIONAL_PIVOTS = word_set("superior inferior compared comparable preferable")
"""Words that need a "to" or a "with" behind them to be a pivot."""

_GENERAL_WORDS = word_set(
    "group groups arm arms patients patient participants subjects those the a an in with for among of to that "
    "treated receiving cases people individuals trial"
)
"""Words that do not tell two sides apart, and such as may stand before a side."""

_DIRECTION_WINDOW = 24
"""Words on either side of a pivot among which its direction is looked for."""


class RoleComparison(NamedTuple):
    """A comparison: where its pivot stands, the words behind it that name the second side, and its direction, or 0."""

    pivot: int
    second_side: tuple[AlignmentWord, ...]
    axis: str
    sign: int

    @property
    def second_side_keys(self) -> frozenset[str]:
        """What the second side is compared by."""
        return frozenset(word.key for word in self.second_side)


def detect_role_swaps(copy: SentenceAlignment) -> Iterator[Disagreement]:
    """Two sides that changed places while the direction between them did not."""
    for said, given in _pair_swapped_comparisons(copy):
        if said.sign and given.sign and said.axis == given.axis and said.sign == given.sign:
            yield Disagreement("role", _format_second_side(said), _format_second_side(given))


def is_converse(copy: SentenceAlignment) -> bool:
    """Whether sides and direction changed together: "lower with B than with A" is "higher with A than with B"."""
    return any(
        said.axis == given.axis and said.sign == -given.sign != 0 for said, given in _pair_swapped_comparisons(copy)
    )


def _format_second_side(frame: RoleComparison) -> str:
    return f"than {' '.join(word.word for word in frame.second_side)}"


def _pair_swapped_comparisons(copy: SentenceAlignment) -> Iterator[tuple[RoleComparison, RoleComparison]]:
    """Comparisons of the same two sides in which each stands where the other stood."""
    sides = (copy.claim_words, copy.evidence_words)
    frames = [list(islice(_find_comparisons(words), _MAX_COMPARISONS)) for words in sides]
    for said, given in product(*frames):
        one, other = said.second_side[0].key, given.second_side[0].key
        if one in given.second_side_keys or other in said.second_side_keys:
            continue
        if other in _first_side_keys(copy.claim_words, said) and one in _first_side_keys(copy.evidence_words, given):
            yield said, given


def _first_side_keys(words: Sequence[AlignmentWord], frame: RoleComparison) -> frozenset[str]:
    """The words among which the first side is named: before the pivot, or behind one that opens the sentence."""
    before = words[max(0, frame.pivot - _FIRST_SIDE_WINDOW) : frame.pivot]
    return frozenset(word.key for word in (before if frame.pivot > 1 else words[frame.pivot + 2 :]))


def _find_comparisons(words: Sequence[AlignmentWord]) -> Iterator[RoleComparison]:
    for at, word in enumerate(words):
        small = word.lower
        follows = words[at + 1].lower if at + 1 < len(words) else ""
        if small not in ("than", "versus", "vs") and not (small in _PREPOSITIONAL_PIVOTS and follows in ("to", "with")):
            continue
        if second := _find_second_side(words, at + 1):
            yield RoleComparison(at, second, *_find_pivot_direction(words, at))


def _find_second_side(words: Sequence[AlignmentWord], start: int) -> tuple[AlignmentWord, ...]:
    """The words that name the side behind a pivot."""
    found: list[AlignmentWord] = []
    for word in words[start : start + 6]:
        if word.is_number:
            break
        if found and (word.follows_comma or not word.has_content or word.lower in _GENERAL_WORDS):
            break
        if word.has_content and word.lower not in _GENERAL_WORDS:
            found.append(word)
    return tuple(found[:3])


def _find_pivot_direction(words: Sequence[AlignmentWord], at: int) -> tuple[str, int]:
    """The word nearest before the pivot, else behind it, that has a direction, negations beside it counted."""
    for word in (*reversed(words[max(0, at - _DIRECTION_WINDOW) : at + 1]), *words[at : at + _DIRECTION_WINDOW]):
        if word.key.startswith("axis"):
            place = words.index(word)
            denied = sum(near.lower in NEGATIONS for near in words[max(0, place - 3) : place])
            return word.key[:-1], (-1 if denied % 2 else 1) * (1 if word.key[-1] == "+" else -1)
    return "", 0
