"""What a sentence of evidence names of a claim: its outcome, and its arms."""

from wellsourced.claims.results.claimed_result import ClaimedResult, expand_abbreviation
from wellsourced.claims.results.lexicon import ABSENCE_WORDS, CONTROL_ARM_WORDS, GROUP_STEMS, TREATED_ARM_WORDS
from wellsourced.claims.results.tokens import ResultToken


def locate_outcome(claim: ClaimedResult, sentence: list[ResultToken], text: str) -> list[tuple[int, str]]:
    """Where a sentence names the claim's outcome, and by which of its stems."""
    found = []
    for at, word in enumerate(sentence):
        if word.key in claim.outcome_weights:
            found.append((at, word.key))
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
            found.append((at, -1 if _has_opposite_arm(claim, sentence, at) else 1))
        elif word.key in claim.comparator or word.word in CONTROL_ARM_WORDS:
            found.append((at, -1))
        elif word.word in TREATED_ARM_WORDS and at + 1 < len(sentence) and sentence[at + 1].key in GROUP_STEMS:
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
    return any(word.word in ABSENCE_WORDS for word in beside) != claim.arm_is_absence
