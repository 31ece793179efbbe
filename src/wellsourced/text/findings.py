"""Findings: what a sentence of results says was found, read without a model, and whether evidence says the same.

A finding is an outcome, a direction (up, down, different, no difference), how sure it is, and which arm is compared
with which. "Compared with placebo, X reduced pain" agrees with "pain was lower in the X group than with placebo
(p=.01)" and with "pain was higher with placebo"; "pain did not differ between the groups" disagrees with it.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from wellsourced.text.findings_claim import Claim, Direction, claimed, direction_of
from wellsourced.text.findings_cues import parts, telling
from wellsourced.text.findings_evidence import Reading, readings
from wellsourced.text.findings_frames import Frame, framed
from wellsourced.text.findings_reading import Word, sentences, words
from wellsourced.text.findings_words import ARM_NOISE, FILLERS, GENERIC, GROUPS, PLACES, TREATED, UNTREATED
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.quantities import Quantity, quantities

FEATURES = (
    "claim_read",
    "claim_up",
    "claim_down",
    "claim_same",
    "finding",
    "outcome",
    "arm",
    "comparator",
    "oriented",
    "swapped",
    "agrees",
    "opposes",
    "same_stated",
    "difference_stated",
    "significance_agrees",
    "significance_opposes",
    "supports",
    "refutes",
)
"""Names of the features of `finding_features`, each in [0, 1].

claim_read, claim_up, claim_down, claim_same     whether the claim states a finding, and of which direction
finding                                          whether the evidence states any
outcome, arm, comparator                         share of the claim's words for each that the evidence has
oriented, swapped                                how sure it is whom a finding speaks of; the other arm, by outcome
agrees, opposes                                  the strongest finding of the claimed direction, of any other
same_stated, difference_stated                   the strongest finding of no difference, of any difference
significance_agrees, significance_opposes        outcome named beside a significance as claimed, or the contrary
supports, refutes                                `agrees` and `opposes`, each as far as the other is not the case
"""

Verdict = Literal["agrees", "disagrees", "silent"]


class Finding(NamedTuple):
    """A finding as a text states it.

    outcome, arm, comparator  as printed, "" where not said
    direction                 what became of the outcome; by the outcome's value where it "improved"
    significance              +1 said or computed to be significant, -1 not to be, 0 where nothing is said
    quantities                the numbers of the words it is read from
    start, end                those words, half-open offsets into the text
    """

    outcome: str
    direction: Direction
    significance: int
    arm: str
    comparator: str
    quantities: tuple[Quantity, ...]
    start: int
    end: int


class Agreement(NamedTuple):
    """Whether evidence states the finding of a claim; start and end are the evidence's words that say so, or 0, 0."""

    verdict: Verdict
    features: dict[str, float]
    start: int
    end: int


def findings(text: str) -> list[Finding]:
    """The findings that a text states, in order: one for each part of a sentence that tells one."""
    found = []
    for sentence in sentences(words(text), text):
        for start, end in parts(sentence, telling(sentence, text)):
            part = sentence[start:end]
            frame = framed(part, telling(part, text))
            if frame:
                found.append(_finding(frame, part, text))
    return found


def compare(claim: str, evidence: str) -> Agreement:
    """Whether the evidence states the claim's finding, denies it, or is silent about it."""
    said = claimed(claim)
    if said is None:
        return Agreement("silent", dict.fromkeys(FEATURES, 0.0), 0, 0)
    told = words(evidence)
    found = list(readings(said, told, evidence))
    features = _features(said, found, told)
    verdict = "silent" if _is_of_others(said, told, evidence) else _verdict(features)
    if verdict == "silent":
        return Agreement(verdict, features, 0, 0)
    excluding = verdict == "disagrees"
    wanted = (one for one in found if (_relation(said.direction, one.direction) < 0) == excluding)
    best = max(wanted, key=lambda one: one.strength)
    return Agreement(verdict, features, best.start, best.end)


def finding_features(claim: str, evidence: str) -> dict[str, float]:
    """How a claim about a result relates to evidence, as numbers in [0, 1]; always the names of `FEATURES`.

    All are 0 where the claim states no finding.
    """
    said = claimed(claim)
    if said is None:
        return dict.fromkeys(FEATURES, 0.0)
    told = words(evidence)
    return _features(said, list(readings(said, told, evidence)), told)


# --- one finding ---------------------------------------------------------------------------------------------------


def _finding(frame: Frame, part: list[Word], text: str) -> Finding:
    start, end = part[0].start, part[-1].end
    return Finding(
        _printed(frame.outcome, text),
        direction_of(frame),
        int(-1 if frame.cue.kind == "same" else frame.cue.sure),
        _printed(frame.arm, text),
        _printed(frame.comparator, text),
        tuple(quantities(text[start:end])),
        start,
        end,
    )


_LEADING = PLACES | {"on", "to", "of", "than"}


def _printed(told: list[Word], text: str) -> str:
    """The words without what opens or closes them and names nothing: "the losartan group", not "in the ... was"."""
    start, end = 0, len(told)
    while start < end and not _names(told[start], _LEADING):
        start += 1
    while end > start and not _names(told[end - 1], STOP_WORDS):
        end -= 1
    return text[told[start].start : told[end - 1].end] if start < end else ""


def _names(word: Word, without: frozenset[str]) -> bool:
    return word.word[0].isalnum() and word.word not in without and word.word not in FILLERS


# --- agreement -----------------------------------------------------------------------------------------------------

_LEAST = 0.15
"""Support or refutation from which a verdict is given."""
_VAGUE = 0.5
"""What "they differed" counts for a claim that says how."""


def _verdict(features: dict[str, float]) -> Verdict:
    supports, refutes = features["supports"], features["refutes"]
    if max(supports, refutes) < _LEAST or supports == refutes:
        return "silent"
    return "agrees" if supports > refutes else "disagrees"


def _is_of_others(said: Claim, told: list[Word], text: str) -> bool:
    """Whether the evidence names none of the claim's arms, nor arms by what reports call them, but something else."""
    arms = said.arm | said.comparator | GROUPS
    if not said.arm or any(word.key in arms or word.word in TREATED | UNTREATED for word in told):
        return False
    frames = (framed(sentence, telling(sentence, text)) for sentence in sentences(told, text))
    return any(_is_foreign(said, word) for frame in frames if frame for word in frame.arm)


def _is_foreign(said: Claim, word: Word) -> bool:
    known = said.outcome.keys() | GENERIC | ARM_NOISE
    return word.word[0].isalpha() and word.key not in known and _names(word, STOP_WORDS | PLACES)


def _features(said: Claim, found: list[Reading], told: list[Word]) -> dict[str, float]:
    keys = {word.key for word in told}
    strength = {
        way: _most(one.strength for one in found if one.direction == way) for way in ("up", "down", "differ", "same")
    }
    agrees, opposes = _sides(said.direction, strength)
    expected = -1 if said.direction == "same" else 1
    return {
        "claim_read": 1.0,
        "claim_up": float(said.direction == "up"),
        "claim_down": float(said.direction == "down"),
        "claim_same": float(said.direction == "same"),
        "finding": float(bool(found)),
        "outcome": _most(one.match for one in found),
        "arm": _share(said.arm, keys),
        "comparator": _share(said.comparator, keys),
        "oriented": _most(abs(one.oriented) for one in found),
        "swapped": _most(one.match for one in found if one.oriented < 0),
        "agrees": agrees,
        "opposes": opposes,
        "same_stated": strength["same"],
        "difference_stated": max(strength["up"], strength["down"], strength["differ"]),
        "significance_agrees": _most(one.match for one in found if one.sure * expected > 0),
        "significance_opposes": _most(one.match for one in found if one.sure * expected < 0),
        "supports": agrees * (1 - opposes),
        "refutes": opposes * (1 - agrees),
    }


def _sides(direction: Direction, strength: dict[str, float]) -> tuple[float, float]:
    """How strongly the claimed direction is stated, and how strongly any that excludes it."""
    agrees = _most(value for way, value in strength.items() if _relation(direction, way) == 1)
    vaguely = _most(value for way, value in strength.items() if _relation(direction, way) == 0)
    opposes = _most(value for way, value in strength.items() if _relation(direction, way) == -1)
    return max(agrees, _VAGUE * vaguely), opposes


def _relation(direction: Direction, way: str) -> int:
    """+1 where what is stated is what is claimed, -1 where it excludes it, 0 where it leaves it open."""
    if way == direction or (direction == "differ" and way != "same"):
        return 1
    return 0 if way == "differ" and direction != "same" else -1


def _share(wanted: frozenset[str], keys: set[str]) -> float:
    return len(wanted & keys) / len(wanted) if wanted else 0.0


def _most(values: Iterable[float]) -> float:
    return max(values, default=0.0)
