"""What evidence says of a claim's outcome: each cue of each sentence, read for the claim's group."""

from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.results import lexicon as lex
from wellsourced.claims.results.arm_values import compare_arm_values
from wellsourced.claims.results.claimed_result import ClaimedResult, Direction
from wellsourced.claims.results.cues import find_result_cues, locate_results
from wellsourced.claims.results.mentions import arm_coverage, locate_arms, locate_outcome, outcome_coverage
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
    significance   in [-1, 1]: said or computed to be significant (+), not to be (-), 0 where nothing is said
    orientation   in [-1, 1]: whom the cue speaks of: the claim's arm (+), the other (-), 0 where no arm is named
    outcome_share   in [0, 1]: share of the outcome's words that are named
    start, end  the words it rests on, as offsets into the evidence
    """

    direction: Direction
    strength: float
    significance: float
    orientation: float
    outcome_share: float
    start: int
    end: int


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


def _interpret_numbers(claim: ClaimedResult, sentence: _SentenceMentions) -> CueInterpretation | None:
    """The direction that the numbers of both arms tell, where they differ significantly and no word says how."""
    told = any(cue.sign or cue.kind == "same" for cue in sentence.cues)
    if told or not sentence.p_values or sentence.p_values[0][1] < 0:
        return None
    sign = compare_arm_values(sentence.words, sentence.arm_places)
    match = max(outcome_coverage(claim, sentence.outcome_places), sentence.share_with_previous)
    start, end = sentence.words[0].start, sentence.words[-1].end
    return (
        CueInterpretation("up" if sign > 0 else "down", _NUMBERS_ONLY_WEIGHT * match, 1.0, 1.0, match, start, end)
        if sign
        else None
    )


# --- one cue -------------------------------------------------------------------------------------------------------

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
    start, end = sentence.words[0].start, sentence.words[-1].end
    if cue.kind == "same" or sure < 0 or _has_later_denial(sentence, cue):
        return CueInterpretation("same", strength, -1.0, 0.0, match, start, end)
    if _is_change_in_both_arms(sentence, part):
        return CueInterpretation("same", strength * _WITHIN_ARMS_WEIGHT, 0.0, 0.0, match, start, end)
    if cue.kind == "differ":
        return CueInterpretation(
            "differ", strength * (1 if sure > 0 else _UNSTATED_WEIGHT), sure, 0.0, match, start, end
        )
    oriented = _orientation(sentence, cue, part)
    sign = cue.sign * (claim.outcome_sign if cue.kind == "valued" else 1) * (1 if oriented >= 0 else -1)
    way: Direction = "up" if sign > 0 else "down"
    return CueInterpretation(way, strength * max(0.5, abs(oriented)), sure, oriented, match, start, end)


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
        if (
            start > cue.position
            and opening & lex.DENIAL_OPENERS
            and (not behind or behind[0].word in lex.DENIAL_ENDINGS)
        ):
            return True
    return False


# --- whom it speaks of -----------------------------------------------------------------------------------------------

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
