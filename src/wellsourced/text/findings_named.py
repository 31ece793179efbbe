"""What a sentence of evidence names of a claim: its outcome, and its arms."""

from wellsourced.text.findings_claim import Claim, spelled
from wellsourced.text.findings_reading import Word
from wellsourced.text.findings_words import DEPRIVED, GROUPS, TREATED, UNTREATED


def places(claim: Claim, sentence: list[Word], text: str) -> list[tuple[int, str]]:
    """Where a sentence names the claim's outcome, and by which of its stems."""
    found = []
    for at, word in enumerate(sentence):
        if word.key in claim.outcome:
            found.append((at, word.key))
        elif 2 <= len(word.word) <= 8 and _is_short(text[word.start : word.end]):
            found += [(at, key) for key in spelled(claim, word.key)]
    return found


def _is_short(printed: str) -> bool:
    """Whether a word is written as abbreviations are: "VAT", "HTLs", "FEV1"."""
    return printed[0].isupper() and sum(letter.isupper() for letter in printed) > 1


def covered(claim: Claim, here: list[tuple[int, str]]) -> float:
    """Share of the outcome's words, by weight, that are named."""
    whole = sum(claim.outcome.values())
    return sum(claim.outcome.get(key, 0.0) for key in {key for _, key in here}) / whole if whole else 0.0


_BESIDE = 6


def mentions(claim: Claim, sentence: list[Word]) -> list[tuple[int, int]]:
    """Where a sentence names an arm: +1 the claim's arm, -1 what it is compared with."""
    found = []
    for at, word in enumerate(sentence):
        if word.key in claim.arm:
            found.append((at, -1 if _is_turned(claim, sentence, at) else 1))
        elif word.key in claim.comparator or word.word in UNTREATED:
            found.append((at, -1))
        elif word.word in TREATED and at + 1 < len(sentence) and sentence[at + 1].key in GROUPS:
            found.append((at, 1))
    return found


_UNNAMED = 0.5
"""What a finding counts that does not name the arm of a claim that compares it with nothing."""


def of_arm(claim: Claim, sentence: list[Word]) -> float:
    """How far a sentence speaks of the claim's arm; 1 where the claim compares two, of which either may be named."""
    if claim.comparator or not claim.arm:
        return 1.0
    named = claim.arm & {word.key for word in sentence}
    return _UNNAMED + (1 - _UNNAMED) * len(named) / len(claim.arm)


def _is_turned(claim: Claim, sentence: list[Word], at: int) -> bool:
    """Whether the evidence speaks of the lack of what the claim's arm has, or the other way round."""
    if claim.deprived is None:
        return False
    beside = sentence[max(0, at - _BESIDE) : at + 3]
    return any(word.word in DEPRIVED for word in beside) != claim.deprived
