"""What evidence says of a claim's outcome: what each sentence names of it, each cue read for the claim's group, and
which of two arms has the larger number.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.results import tokens as lex
from wellsourced.claims.results.claimed_result import ClaimedResult, Direction, expand_abbreviation
from wellsourced.claims.results.cues import find_result_cues, locate_results
from wellsourced.claims.results.tokens import (
    ResultCue,
    ResultToken,
    extract_ratio_cues,
    locate_p_values,
    split_sentences,
)


class CueInterpretation(NamedTuple):
    """What one cue of the evidence says of the claim's outcome, for the claim's arm.

    strength  in [0, 1]: how much of the outcome is named, and how near
    outcome_share   in [0, 1]: share of the outcome's words that are named
    """

    direction: Direction
    strength: float
    outcome_share: float


class _SentenceMentions(NamedTuple):
    """A sentence of the evidence beside the claim.

    outcome_places   where it names the claim's outcome: index and stem
    arm_places   where it names an arm: +1 the claim's, -1 what that is compared with
    p_values  where p-values and intervals stand, +1 for significant and -1 for not
    result_spans   half-open ranges of words, a finding each
    share_with_previous   share of the outcome that it names together with the sentence before, counted less
    """

    words: list[ResultToken]
    cues: list[ResultCue]
    outcome_places: list[tuple[int, str]]
    arm_places: list[tuple[int, int]]
    p_values: list[tuple[int, float]]
    result_spans: list[tuple[int, int]]
    share_with_previous: float


def interpret_evidence(claim: ClaimedResult, told: list[ResultToken], text: str) -> Iterator[CueInterpretation]:
    """What each cue of the evidence, whose words are given, says of the claim's outcome."""
    known: list[tuple[int, str]] = []
    for sentence in split_sentences(told, text):
        beside = _locate_mentions(claim, sentence, known, text)
        known = beside.outcome_places
        for cue in beside.cues:
            yield _interpret_cue(claim, beside, cue)
        if counted := _interpret_numbers(claim, beside):
            yield counted


_NEIGHBOUR_WEIGHT = 0.75
"""What an outcome counts that only another part of the sentence names, or the sentence before."""


def locate_outcome(claim: ClaimedResult, sentence: list[ResultToken], text: str) -> list[tuple[int, str]]:
    """Where a sentence names the claim's outcome, and by which of its stems."""
    found = []
    for at, word in enumerate(sentence):
        if word.key in claim.outcome_weights:
            found.append((at, word.key))
        # Only what is written as an abbreviation is read as one: "ALL" is, "all" is not.
        elif 2 <= len(word.word) <= 8 and _is_abbreviation(text[word.start : word.end]):
            found += [(at, key) for key in expand_abbreviation(claim, word.key)]
    return found


def _is_abbreviation(printed: str) -> bool:
    """Whether a word is written as abbreviations are: "VAT", "HTLs", "FEV1"."""
    return printed[0].isupper() and sum(letter.isupper() for letter in printed) > 1


def outcome_coverage(claim: ClaimedResult, here: list[tuple[int, str]]) -> float:
    """Share of the outcome's words, by weight, that are named."""
    whole = sum(claim.outcome_weights.values())
    return sum(claim.outcome_weights.get(key, 0.0) for key in {key for _, key in here}) / whole if whole else 0.0


_ABSENCE_WINDOW = 6


def locate_arms(claim: ClaimedResult, sentence: list[ResultToken]) -> list[tuple[int, int]]:
    """Where a sentence names an arm: +1 the claim's arm, -1 what it is compared with."""
    found = []
    for at, word in enumerate(sentence):
        if word.key in claim.arm:
            # "folate" is the claim's arm, "without folate" is what it is compared with.
            found.append((at, -1 if _has_opposite_arm(claim, sentence, at) else 1))
        elif word.key in claim.comparator or word.word in lex.CONTROL_ARM_WORDS:
            found.append((at, -1))
        elif word.word in lex.TREATED_ARM_WORDS and at + 1 < len(sentence) and sentence[at + 1].key in lex.GROUP_STEMS:
            found.append((at, 1))
    return found


_UNNAMED_ARM_WEIGHT = 0.5
"""What a finding counts that does not name the arm of a claim that compares it with nothing."""


def arm_coverage(claim: ClaimedResult, sentence: list[ResultToken]) -> float:
    """How far a sentence speaks of the claim's arm; 1 where the claim compares two, of which either may be named."""
    if claim.comparator or not claim.arm:
        return 1.0
    named = claim.arm & {word.key for word in sentence}
    return _UNNAMED_ARM_WEIGHT + (1 - _UNNAMED_ARM_WEIGHT) * len(named) / len(claim.arm)


def _has_opposite_arm(claim: ClaimedResult, sentence: list[ResultToken], at: int) -> bool:
    """Whether the evidence speaks of the lack of what the claim's arm has, or the other way round."""
    if claim.arm_is_absence is None:
        return False
    beside = sentence[max(0, at - _ABSENCE_WINDOW) : at + 3]
    return any(word.word in lex.ABSENCE_WORDS for word in beside) != claim.arm_is_absence


def _locate_mentions(
    claim: ClaimedResult, told: list[ResultToken], known: list[tuple[int, str]], text: str
) -> _SentenceMentions:
    found = find_result_cues(told, text, claim.outcome_words)
    named = locate_outcome(claim, told, text)
    intervals = ((cue.position, cue.significance) for cue in extract_ratio_cues(told, text) if cue.significance)
    p_values = sorted([*locate_p_values(told), *intervals])
    together = _NEIGHBOUR_WEIGHT * outcome_coverage(claim, [*named, *known])
    return _SentenceMentions(
        told, found, named, locate_arms(claim, told), p_values, locate_results(told, found), together
    )


_NUMBERS_ONLY_WEIGHT = 0.8
"""What a direction counts that is read from numbers alone."""

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_MINUS = frozenset("-–−")
_MAX_VALUE_DISTANCE = 14
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
    # "A and B: 9.5% and 17.9%" gives the values in the order of the arms; else the nearest is an arm's own.
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
        # The end of a range is the bound of a value, and none itself.
        elif before == "to" and at > 1 and sentence[at - 2].word[0].isdigit():
            continue
        behind = {one.word for one in sentence[at + 1 : at + 4]}
        if (
            before in lex.NO_VALUE_AFTER
            or before[:1].isdigit()
            or (behind and sentence[at + 1].word in lex.NO_VALUE_BEFORE)
        ):
            continue
        # A bound of an interval says how sure a value is, not how large.
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
    if other[0] - one[0] >= _MAX_VALUE_DISTANCE or not between & (lex.COMPARISON_WORDS | {"and"}):
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
    end = min(arm + _MAX_VALUE_DISTANCE, other if other > arm else arm + _MAX_VALUE_DISTANCE)
    return next((value for value in values if arm < value[0] < end), None)


def _find_value_before(values: list[PlacedValue], arm: int, other: int) -> PlacedValue | None:
    start = max(arm - _MAX_VALUE_DISTANCE, other if other < arm else 0)
    return next((value for value in reversed(values) if start <= value[0] < arm), None)


def _interpret_numbers(claim: ClaimedResult, sentence: _SentenceMentions) -> CueInterpretation | None:
    """The direction that the numbers of both arms tell, where they differ significantly and no word says how."""
    told = any(cue.sign or cue.kind == "same" for cue in sentence.cues)
    if told or not sentence.p_values or sentence.p_values[0][1] < 0:
        return None
    if not (sign := compare_arm_values(sentence.words, sentence.arm_places)):
        return None
    match = max(outcome_coverage(claim, sentence.outcome_places), sentence.share_with_previous)
    return CueInterpretation("up" if sign > 0 else "down", _NUMBERS_ONLY_WEIGHT * match, match)


_UNSTATED_WEIGHT = 0.3
"""What a word of an effect counts that nothing says to be significant."""
_MAX_DISTANCE = 30
"""Words between cue and outcome at which they no longer belong together."""


def _interpret_cue(claim: ClaimedResult, sentence: _SentenceMentions, cue: ResultCue) -> CueInterpretation:
    part = _locate_part(sentence, cue)
    here = [place for place in sentence.outcome_places if part[0] <= place[0] < part[1]]
    own = outcome_coverage(claim, here) if any(key not in lex.GENERIC_OUTCOME_STEMS for _, key in here) else 0.0
    match = max(own, sentence.share_with_previous) * arm_coverage(claim, sentence.words)
    near = min(
        ((abs(at - cue.position), at) for at, key in sentence.outcome_places if key not in lex.GENERIC_OUTCOME_STEMS),
        default=(20, cue.position),
    )
    strength = match * max(0.4, 1 - near[0] / _MAX_DISTANCE)
    sure = _resolve_significance(cue, sentence, near[1])
    if cue.kind == "same" or sure < 0 or _has_later_denial(sentence, cue):
        return CueInterpretation("same", strength, match)
    if _is_change_in_both_arms(sentence, part):
        return CueInterpretation("same", strength * _WITHIN_ARMS_WEIGHT, match)
    if cue.kind == "differ":
        return CueInterpretation("differ", strength * (1 if sure > 0 else _UNSTATED_WEIGHT), match)
    oriented = _orientation(sentence, cue, part)
    sign = cue.sign * (claim.outcome_sign if cue.kind == "valued" else 1) * (1 if oriented >= 0 else -1)
    way: Direction = "up" if sign > 0 else "down"
    return CueInterpretation(way, strength * max(0.5, abs(oriented)), match)


_WITHIN_ARMS_WEIGHT = 0.5
"""What a change within both arms counts as no difference between them."""


def _is_change_in_both_arms(sentence: _SentenceMentions, part: tuple[int, int]) -> bool:
    """ "Decreased in both groups", where nothing is compared."""
    told = sentence.words[part[0] : part[1]]
    if any(word.word in lex.COMPARISON_WORDS or word.word == "between" for word in told):
        return False
    both = [at for at, word in enumerate(told) if word.word in lex.BOTH_WORDS]
    return any(other.key in lex.GROUP_STEMS for at in both for other in told[at + 1 : at + 5])


def _locate_part(sentence: _SentenceMentions, cue: ResultCue) -> tuple[int, int]:
    return next(span for span in sentence.result_spans if span[0] <= cue.position < span[1])


def _resolve_significance(cue: ResultCue, sentence: _SentenceMentions, outcome: int) -> float:
    """How sure a cue is: by a p-value behind the outcome, else behind the cue, else by the words beside it."""
    if cue.significance < 0 or cue.kind == "same":
        return cue.significance
    behind = next((value for place, value in sentence.p_values if place > max(cue.position, outcome)), None)
    if behind is None:
        behind = next((value for place, value in sentence.p_values if place > cue.position), 0.0)
    return behind if cue.significance == 0 or behind > 0 else cue.significance


def _has_later_denial(sentence: _SentenceMentions, cue: ResultCue) -> bool:
    """ "It was lower, but this did not reach significance": a denial behind it that names no outcome of its own."""
    for denial in sentence.cues:
        denied = sentence.words[denial.position].word in lex.DENIED_WORDS
        if denial.kind != "same" or denial.position <= cue.position or not denied:
            continue
        start, _ = _locate_part(sentence, denial)
        opening = {word.word for word in sentence.words[start : denial.position]}
        behind = sentence.words[denial.position + 1 : denial.position + 2]
        ends = not behind or behind[0].word in lex.DENIAL_ENDINGS
        if start > cue.position and opening & lex.DENIAL_OPENERS and ends:
            return True
    return False


_COMPARATOR_REACH = 12
"""Words behind "than" or "compared with" among which the other arm is named."""
_NEAREST_ARM_WEIGHT = 0.8
"""How sure it is that the nearest arm is meant, where nothing is compared."""


def _orientation(sentence: _SentenceMentions, cue: ResultCue, part: tuple[int, int]) -> float:
    """Whom a cue speaks of: the claim's arm (+), or what it is compared with (-); 0 where not said."""
    told = sentence.words
    mentions = [one for one in sentence.arm_places if part[0] <= one[0] < part[1]] or sentence.arm_places
    markers = [at for at, word in enumerate(told) if word.word in lex.COMPARISON_WORDS]
    for marker in sorted(markers, key=lambda at: abs(at - cue.position)):
        behind = next((one for one in mentions if one[0] > marker), None)
        if behind is None or behind[0] - marker > _COMPARATOR_REACH:
            continue
        if any(word.word in lex.BASELINE_WORDS | lex.CONTRAST_WORDS for word in told[marker + 1 : behind[0]]):
            continue
        return -float(behind[1])
    if not mentions:
        return 0.0
    _, side = min(mentions, key=lambda one: abs(one[0] - cue.position))
    return _NEAREST_ARM_WEIGHT * side
