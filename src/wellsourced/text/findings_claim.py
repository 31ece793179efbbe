"""A claim about a result, as evidence is compared with it: its outcome, its arms, its direction."""

from typing import Literal, NamedTuple

from wellsourced.text.findings_cues import telling
from wellsourced.text.findings_frames import Frame, framed
from wellsourced.text.findings_reading import Word, sentences, words
from wellsourced.text.findings_words import ARM_NOISE, BAD_OUTCOMES, DEPRIVED, FILLERS, GENERIC
from wellsourced.text.lexicon import STOP_WORDS

Direction = Literal["up", "down", "differ", "same"]
Stems = tuple[str, ...]


class Claim(NamedTuple):
    """The first finding that a claim states.

    outcome      stems and numbers that name the outcome, each with its weight
    named        the outcome's words in order, stems
    naming       the same as written, lower case: in evidence such a word names the outcome and tells no direction
    short        abbreviations that the claim explains, with the stems they stand for
    arm, comparator  stems that only the one arm has
    deprived     whether the arm is the lack of what it names ("folate deficiency"); None where the arms differ in more
    direction    what is claimed of the arm
    good         +1 where more of the outcome is better, -1 where it is worse
    """

    outcome: dict[str, float]
    named: Stems
    naming: frozenset[str]
    short: dict[str, Stems]
    arm: frozenset[str]
    comparator: frozenset[str]
    deprived: bool | None
    direction: Direction
    good: int


_WORDS = 300
"""Words of a claim that are read."""


def claimed(text: str) -> Claim | None:
    """The first finding that a claim states; None where it states none."""
    for sentence in sentences(words(text, _WORDS), text):
        frame = framed(sentence, telling(sentence, text))
        if frame:
            return _claim(frame)
    return None


def _claim(frame: Frame) -> Claim:
    short = _explained(frame.outcome)
    named = [*frame.arm, *frame.outcome] if frame.linked else frame.outcome
    outcome = {word.key: _weight(word) for word in named if _is_content(word) and word.key not in short}
    apart = set() if frame.linked else outcome.keys()
    arm = {word.key for word in frame.arm if _is_content(word)} - apart
    comparator = {word.key for word in frame.comparator if _is_content(word)} - outcome.keys()
    without, alone = _is_deprived(frame.arm), not comparator - arm
    return Claim(
        outcome or {word.key: 1.0 for word in frame.outcome},
        tuple(word.key for word in frame.outcome if word.word[0].isalnum()),
        frozenset(word.word for word in frame.outcome),
        short,
        _distinct(arm, comparator),
        _distinct(comparator, arm) if not alone else frozenset(),
        without if alone else None,
        direction_of(frame),
        _good(frame.outcome),
    )


def direction_of(frame: Frame) -> Direction:
    """What became of the outcome; what "improved" rose where more of it is better, and fell where it is worse."""
    cue = frame.cue
    if cue.kind == "same" or cue.sure < 0:
        return "same"
    sign = cue.sign * (_good(frame.outcome) if cue.kind == "valued" else 1)
    return "up" if sign > 0 else "down" if sign < 0 else "differ"


def _good(outcome: list[Word]) -> int:
    return -1 if any(word.key in BAD_OUTCOMES for word in outcome) else 1


def _is_content(word: Word) -> bool:
    return word.word[0].isalnum() and word.word not in STOP_WORDS and word.word not in FILLERS


def _weight(word: Word) -> float:
    if word.key in GENERIC:
        return 0.25
    return 0.5 if word.word[0].isdigit() else 1.0


def _is_deprived(arm: list[Word]) -> bool:
    return any(word.word in DEPRIVED for word in arm)


def _distinct(one: set[str], other: set[str]) -> frozenset[str]:
    """The stems that only the one arm has; numbers and what arms share only where nothing else is left."""
    only = one - other or one
    named = {key for key in only if key not in ARM_NOISE and not key[0].isdigit()}
    return frozenset(named or only)


def _explained(told: list[Word]) -> dict[str, Stems]:
    """ "Visceral adipose tissue (VAT)": vat stands for the three stems before it."""
    found: dict[str, Stems] = {}
    for at in range(2, len(told) - 1):
        short = told[at].word
        if told[at - 1].word != "(" or told[at + 1].word != ")" or not 2 <= len(short) <= 8:
            continue
        before = told[max(0, at - 1 - len(short)) : at - 1]
        if "".join(word.word[0] for word in before) == short:
            found[told[at].key] = tuple(word.key for word in before if _is_content(word))
    return found


def spelled(claim: Claim, short: str) -> Stems:
    """The stems of the outcome that an abbreviation stands for, by the claim's own words or by first letters."""
    if short in claim.short:
        return claim.short[short]
    initials = "".join(key[0] for key in claim.named)
    at = initials.find(short)
    if at < 0 and len(initials) > 1 and short.endswith(initials):
        return claim.named
    return claim.named[at : at + len(short)] if at >= 0 and (len(short) > 2 or initials == short) else ()
