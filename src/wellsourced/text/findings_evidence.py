"""What evidence says of a claim's outcome: each cue of each sentence, read for the claim's arm."""

from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.text.findings_claim import Claim, Direction
from wellsourced.text.findings_cues import parts, telling
from wellsourced.text.findings_named import covered, mentions, of_arm, places
from wellsourced.text.findings_numbers import difference
from wellsourced.text.findings_reading import Cue, Word, ratios, sentences, significances
from wellsourced.text.findings_words import (
    BASELINE,
    BOTH,
    CLOSING,
    COMPARING,
    GENERIC,
    GROUPS,
    MEANT,
    PARTS,
    REFERRING,
)


class Reading(NamedTuple):
    """What one cue of the evidence says of the claim's outcome, for the claim's arm.

    strength  in [0, 1]: how much of the outcome is named, and how near
    sure      in [-1, 1]: said or computed to be significant (+), not to be (-), 0 where nothing is said
    oriented  in [-1, 1]: whom the cue speaks of: the claim's arm (+), the other (-), 0 where no arm is named
    match     in [0, 1]: share of the outcome's words that are named
    start, end  the words it rests on, as offsets into the evidence
    """

    direction: Direction
    strength: float
    sure: float
    oriented: float
    match: float
    start: int
    end: int


class _Sentence(NamedTuple):
    """A sentence of the evidence beside the claim.

    places    where it names the claim's outcome: index and stem
    mentions  where it names an arm: +1 the claim's, -1 what that is compared with
    p_values  where p-values and intervals stand, +1 for significant and -1 for not
    parts     half-open ranges of words, a finding each
    around    share of the outcome that it names together with the sentence before, counted less
    """

    words: list[Word]
    cues: list[Cue]
    places: list[tuple[int, str]]
    mentions: list[tuple[int, int]]
    p_values: list[tuple[int, float]]
    parts: list[tuple[int, int]]
    around: float


def readings(claim: Claim, told: list[Word], text: str) -> Iterator[Reading]:
    """What each cue of the evidence, whose words are given, says of the claim's outcome."""
    known: list[tuple[int, str]] = []
    for sentence in sentences(told, text):
        beside = _beside(claim, sentence, known, text)
        known = beside.places
        for cue in beside.cues:
            yield _read(claim, beside, cue)
        if counted := _counted(claim, beside):
            yield counted


_AROUND = 0.75
"""What an outcome counts that only another part of the sentence names, or the sentence before."""


def _beside(claim: Claim, told: list[Word], known: list[tuple[int, str]], text: str) -> _Sentence:
    found = telling(told, text, claim.naming)
    named = places(claim, told, text)
    intervals = ((cue.at, cue.sure) for cue in ratios(told, text) if cue.sure)
    p_values = sorted([*significances(told), *intervals])
    together = _AROUND * covered(claim, [*named, *known])
    return _Sentence(told, found, named, mentions(claim, told), p_values, parts(told, found), together)


_COUNTED = 0.8
"""What a direction counts that is read from numbers alone."""


def _counted(claim: Claim, sentence: _Sentence) -> Reading | None:
    """The direction that the numbers of both arms tell, where they differ significantly and no word says how."""
    told = any(cue.sign or cue.kind == "same" for cue in sentence.cues)
    if told or not sentence.p_values or sentence.p_values[0][1] < 0:
        return None
    sign = difference(sentence.words, sentence.mentions)
    match = max(covered(claim, sentence.places), sentence.around)
    start, end = sentence.words[0].start, sentence.words[-1].end
    return Reading("up" if sign > 0 else "down", _COUNTED * match, 1.0, 1.0, match, start, end) if sign else None


# --- one cue -------------------------------------------------------------------------------------------------------

_UNSAID = 0.3
"""What a word of an effect counts that nothing says to be significant."""
_FAR = 30
"""Words between cue and outcome at which they no longer belong together."""


def _read(claim: Claim, sentence: _Sentence, cue: Cue) -> Reading:
    part = _part(sentence, cue)
    here = [place for place in sentence.places if part[0] <= place[0] < part[1]]
    own = covered(claim, here) if any(key not in GENERIC for _, key in here) else 0.0
    match = max(own, sentence.around) * of_arm(claim, sentence.words)
    near = min(((abs(at - cue.at), at) for at, key in sentence.places if key not in GENERIC), default=(20, cue.at))
    strength = match * max(0.4, 1 - near[0] / _FAR)
    sure = _sure(cue, sentence, near[1])
    start, end = sentence.words[0].start, sentence.words[-1].end
    if cue.kind == "same" or sure < 0 or _is_taken_back(sentence, cue):
        return Reading("same", strength, -1.0, 0.0, match, start, end)
    if _is_of_both(sentence, part):
        return Reading("same", strength * _WITHIN, 0.0, 0.0, match, start, end)
    if cue.kind == "differ":
        return Reading("differ", strength * (1 if sure > 0 else _UNSAID), sure, 0.0, match, start, end)
    oriented = _orientation(sentence, cue, part)
    sign = cue.sign * (claim.good if cue.kind == "valued" else 1) * (1 if oriented >= 0 else -1)
    way: Direction = "up" if sign > 0 else "down"
    return Reading(way, strength * max(0.5, abs(oriented)), sure, oriented, match, start, end)


_WITHIN = 0.5
"""What a change within both arms counts as no difference between them."""


def _is_of_both(sentence: _Sentence, part: tuple[int, int]) -> bool:
    """ "Decreased in both groups", where nothing is compared."""
    told = sentence.words[part[0] : part[1]]
    if any(word.word in COMPARING or word.word == "between" for word in told):
        return False
    for at, word in enumerate(told):
        if word.word in BOTH and any(other.key in GROUPS for other in told[at + 1 : at + 5]):
            return True
    return False


def _part(sentence: _Sentence, cue: Cue) -> tuple[int, int]:
    return next(span for span in sentence.parts if span[0] <= cue.at < span[1])


def _sure(cue: Cue, sentence: _Sentence, outcome: int) -> float:
    """How sure a cue is: by a p-value behind the outcome, else behind the cue, else by the words beside it."""
    if cue.sure < 0 or cue.kind == "same":
        return cue.sure
    behind = next((value for place, value in sentence.p_values if place > max(cue.at, outcome)), None)
    if behind is None:
        behind = next((value for place, value in sentence.p_values if place > cue.at), 0.0)
    return behind if cue.sure == 0 or behind > 0 else cue.sure


def _is_taken_back(sentence: _Sentence, cue: Cue) -> bool:
    """ "It was lower, but this did not reach significance": a denial behind it that names no outcome of its own."""
    for denial in sentence.cues:
        if denial.kind != "same" or denial.at <= cue.at or sentence.words[denial.at].word not in MEANT:
            continue
        start, _ = _part(sentence, denial)
        opening = {word.word for word in sentence.words[start : denial.at]}
        behind = sentence.words[denial.at + 1 : denial.at + 2]
        if start > cue.at and opening & REFERRING and (not behind or behind[0].word in CLOSING):
            return True
    return False


# --- whom it speaks of -----------------------------------------------------------------------------------------------

_NEAR = 12
"""Words behind "than" or "compared with" among which the other arm is named."""
_NEAREST = 0.8
"""How sure it is that the nearest arm is meant, where nothing is compared."""


def _orientation(sentence: _Sentence, cue: Cue, part: tuple[int, int]) -> float:
    """Whom a cue speaks of: the claim's arm (+), or what it is compared with (-); 0 where not said."""
    told = sentence.words
    mentions = [one for one in sentence.mentions if part[0] <= one[0] < part[1]] or sentence.mentions
    markers = [at for at, word in enumerate(told) if word.word in COMPARING]
    for marker in sorted(markers, key=lambda at: abs(at - cue.at)):
        behind = next((one for one in mentions if one[0] > marker), None)
        if behind is None or behind[0] - marker > _NEAR:
            continue
        if any(word.word in BASELINE or word.word in PARTS for word in told[marker + 1 : behind[0]]):
            continue
        return -float(behind[1])
    if not mentions:
        return 0.0
    _, side = min(mentions, key=lambda one: abs(one[0] - cue.at))
    return _NEAREST * side
