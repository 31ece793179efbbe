"""A claim about a result, as evidence is compared with it: its outcome, its arms, its direction."""

from typing import Literal, NamedTuple

from wellsourced.claims.results import lexicon as lex
from wellsourced.claims.results.cues import find_result_cues
from wellsourced.claims.results.frames import ResultFrame, parse_frame
from wellsourced.claims.results.tokens import ResultToken, split_sentences, tokenize
from wellsourced.text.lexicon import STOP_WORDS

Direction = Literal["up", "down", "differ", "same"]
Stems = tuple[str, ...]


class ClaimedResult(NamedTuple):
    """The first study result that a claim states.

    outcome_weights   stems and numbers that name the outcome, each with its weight
    outcome_stems   the outcome's words in order, stems
    outcome_words   the same as written, lower case: in evidence such a word names the outcome and tells no direction
    abbreviations   abbreviations that the claim explains, with the stems they stand for
    arm, comparator  stems that only the one arm has
    arm_is_absence   whether the arm is the lack of what it names ("folate deficiency"); None: the arms differ in more
    direction    what is claimed of the arm
    outcome_sign   +1 where more of the outcome is better, -1 where it is worse
    """

    outcome_weights: dict[str, float]
    outcome_stems: Stems
    outcome_words: frozenset[str]
    abbreviations: dict[str, Stems]
    arm: frozenset[str]
    comparator: frozenset[str]
    arm_is_absence: bool | None
    direction: Direction
    outcome_sign: int


_MAX_WORDS = 300
"""Words of a claim that are read."""


def parse_claimed_result(text: str) -> ClaimedResult | None:
    """The first finding that a claim states; None where it states none."""
    for sentence in split_sentences(tokenize(text, _MAX_WORDS), text):
        frame = parse_frame(sentence, find_result_cues(sentence, text))
        if frame:
            return _build_claimed_result(frame)
    return None


def _build_claimed_result(frame: ResultFrame) -> ClaimedResult:
    short = _find_abbreviations(frame.outcome)
    named = [*frame.arm, *frame.outcome] if frame.is_link else frame.outcome
    outcome = {word.key: _outcome_weight(word) for word in named if _is_content_word(word) and word.key not in short}
    apart = set() if frame.is_link else outcome.keys()
    arm = {word.key for word in frame.arm if _is_content_word(word)} - apart
    comparator = {word.key for word in frame.comparator if _is_content_word(word)} - outcome.keys()
    without, alone = _names_absence(frame.arm), not comparator - arm
    return ClaimedResult(
        outcome or {word.key: 1.0 for word in frame.outcome},
        tuple(word.key for word in frame.outcome if word.word[0].isalnum()),
        frozenset(word.word for word in frame.outcome),
        short,
        _select_distinct_stems(arm, comparator),
        _select_distinct_stems(comparator, arm) if not alone else frozenset(),
        without if alone else None,
        resolve_direction(frame),
        _outcome_sign(frame.outcome),
    )


def resolve_direction(frame: ResultFrame) -> Direction:
    """What became of the outcome; what "improved" rose where more of it is better, and fell where it is worse."""
    cue = frame.cue
    if cue.kind == "same" or cue.significance < 0:
        return "same"
    sign = cue.sign * (_outcome_sign(frame.outcome) if cue.kind == "valued" else 1)
    return "up" if sign > 0 else "down" if sign < 0 else "differ"


def _outcome_sign(outcome: list[ResultToken]) -> int:
    return -1 if any(word.key in lex.HARM_STEMS for word in outcome) else 1


def _is_content_word(word: ResultToken) -> bool:
    return word.word[0].isalnum() and word.word not in STOP_WORDS and word.word not in lex.FILLER_WORDS


def _outcome_weight(word: ResultToken) -> float:
    if word.key in lex.GENERIC_OUTCOME_STEMS:
        return 0.25
    return 0.5 if word.word[0].isdigit() else 1.0


def _names_absence(arm: list[ResultToken]) -> bool:
    return any(word.word in lex.ABSENCE_WORDS for word in arm)


def _select_distinct_stems(one: set[str], other: set[str]) -> frozenset[str]:
    """The stems that only the one arm has; numbers and what arms share only where nothing else is left."""
    only = one - other or one
    named = {key for key in only if key not in lex.GENERIC_ARM_STEMS and not key[0].isdigit()}
    return frozenset(named or only)


def _find_abbreviations(told: list[ResultToken]) -> dict[str, Stems]:
    """ "Visceral adipose tissue (VAT)": vat stands for the three stems before it."""
    found: dict[str, Stems] = {}
    for at in range(2, len(told) - 1):
        short = told[at].word
        if told[at - 1].word != "(" or told[at + 1].word != ")" or not 2 <= len(short) <= 8:
            continue
        before = told[max(0, at - 1 - len(short)) : at - 1]
        if "".join(word.word[0] for word in before) == short:
            found[told[at].key] = tuple(word.key for word in before if _is_content_word(word))
    return found


def expand_abbreviation(claim: ClaimedResult, short: str) -> Stems:
    """The stems of the outcome that an abbreviation stands for, by the claim's own words or by first letters."""
    if short in claim.abbreviations:
        return claim.abbreviations[short]
    initials = "".join(key[0] for key in claim.outcome_stems)
    at = initials.find(short)
    if at < 0 and len(initials) > 1 and short.endswith(initials):
        return claim.outcome_stems
    return claim.outcome_stems[at : at + len(short)] if at >= 0 and (len(short) > 2 or initials == short) else ()
