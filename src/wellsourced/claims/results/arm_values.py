"""Which of two groups has the larger number, where no word says it: "tiotropium 9.5%; placebo 17.9%"."""

import re

from wellsourced.claims.results.lexicon import COMPARISON_WORDS, NO_VALUE_AFTER, NO_VALUE_BEFORE
from wellsourced.claims.results.tokens import ResultToken

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_MINUS = frozenset("-–−")
_MAX_DISTANCE = 14
"""Words between an arm and its number."""

PlacedValue = tuple[int, float]


def compare_arm_values(sentence: list[ResultToken], mentions: list[tuple[int, int]]) -> int:
    """+1 where the number of the claim's arm is the larger, -1 where it is the smaller, 0 where that cannot be read.

    `mentions` are places of arms, +1 for the claim's and -1 for the other.
    """
    values = _extract_values(sentence)
    first = {side: next((at for at, one in mentions if one == side), None) for side in (1, -1)}
    here, there = first[1], first[-1]
    if len(values) < 2 or here is None or there is None:
        return 0
    one, other = _pair_in_order(sentence, values, here, there) or _pair_by_distance(values, here, there)
    return 0 if one is None or other is None or one == other else 1 if one[1] > other[1] else -1


def _extract_values(sentence: list[ResultToken]) -> list[PlacedValue]:
    """Places and values of the numbers that may be results: no p-values, bounds, doses, times or errors."""
    found = []
    for at, word in enumerate(sentence):
        if not _NUMBER.fullmatch(word.key):
            continue
        before = sentence[at - 1].word if at else ""
        negative = before in _MINUS
        if negative:
            before = sentence[at - 2].word if at > 1 else ""
        elif before == "to" and at > 1 and sentence[at - 2].word[0].isdigit():
            continue
        behind = {one.word for one in sentence[at + 1 : at + 4]}
        if before in NO_VALUE_AFTER or before[:1].isdigit() or (behind and sentence[at + 1].word in NO_VALUE_BEFORE):
            continue
        if "ci" in behind or "confidence" in behind or _is_interval_bound(sentence, at):
            continue
        found.append((at, -float(word.key) if negative else float(word.key)))
    return found


def _is_interval_bound(sentence: list[ResultToken], at: int) -> bool:
    """Whether a number stands behind "CI" in the same brackets."""
    for word in reversed(sentence[max(0, at - 8) : at]):
        if word.word in "()[];":
            return False
        if word.word in {"ci", "interval", "sd", "se"}:
            return True
    return False


def _pair_in_order(
    sentence: list[ResultToken], values: list[PlacedValue], here: int, there: int
) -> tuple[PlacedValue, PlacedValue] | None:
    """ "X versus Y …: 3.2 versus 4.5": two numbers behind both arms, compared with each other, as the arms stand."""
    last = max(here, there)
    behind = [value for value in values if value[0] > last]
    if len(behind) < 2 or any(value[0] < last for value in values):
        return None
    one, other = behind[:2]
    between = {word.word for word in sentence[one[0] + 1 : other[0]]}
    if other[0] - one[0] >= _MAX_DISTANCE or not between & (COMPARISON_WORDS | {"and"}):
        return None
    return (one, other) if here < there else (other, one)


def _pair_by_distance(
    values: list[PlacedValue], here: int, there: int
) -> tuple[PlacedValue | None, PlacedValue | None]:
    """The number of each arm: the one behind it, before the other arm is named, else the one before it."""
    one_before, other_before = _find_value_before(values, here, there), _find_value_before(values, there, here)
    one = _find_value_behind(values, here, there) or one_before
    other = _find_value_behind(values, there, here) or other_before
    if one is not None and one == other:
        # "46% in X and 35% in Y": what stands between belongs to the later.
        return (one_before, other) if here < there else (one, other_before)
    return one, other


def _find_value_behind(values: list[PlacedValue], arm: int, other: int) -> PlacedValue | None:
    end = min(arm + _MAX_DISTANCE, other if other > arm else arm + _MAX_DISTANCE)
    return next((value for value in values if arm < value[0] < end), None)


def _find_value_before(values: list[PlacedValue], arm: int, other: int) -> PlacedValue | None:
    start = max(arm - _MAX_DISTANCE, other if other < arm else 0)
    return next((value for value in reversed(values) if start <= value[0] < arm), None)
