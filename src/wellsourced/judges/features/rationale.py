"""Which sentence of a text bears a claim out, or speaks against it: the one to show.

Aims and methods of a study share the words of its result, often more of them: "to determine whether screening improves
vision" is no evidence that it does. So where a sentence stands and how it opens count beside what it shares.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.claims.results.agreement import result_features
from wellsourced.judges.features.claim_features import (
    PRESENCE_NAMES,
    ClaimMeasurements,
    EncodedClaim,
    EncodedSentence,
    Features,
)
from wellsourced.judges.features.linear_model import LinearModel
from wellsourced.late import compile_late

_SENTENCE_CUES = {
    "aims": compile_late(
        r"\b(?:objective|aims?|aimed|purpose|background|sought|whether|unknown|unclear|poorly understood|remains?"
        r"|hypothesi[sz]ed?|little is known|controvers\w+|debated?|elusive|to (?:determine|assess|investigate|evaluate"
        r"|examine|explore|test|compare|study|estimate|identify|understand|address))\b",
        re.IGNORECASE,
    ),
    "method": compile_late(
        r"\b(?:methods?|design|setting|participants|patients were|randomi[sz]ed|data sources?|outcome measures?"
        r"|were (?:assigned|enrolled|collected|recruited|measured|assessed|included)|we (?:used|performed|conducted"
        r"|analy[sz]ed|searched|measured|included|enrolled|recruited|developed|studied|investigated|examined|compared"
        r"|assessed|evaluated))\b",
        re.IGNORECASE,
    ),
    "finds": compile_late(
        r"\b(?:results?|findings?|found|show(?:s|ed|n)?|demonstrate[sd]?|reveal(?:s|ed)?|observ(?:e|ed|ation)"
        r"|suggest(?:s|ed|ing)?|indicat(?:e|es|ed|ing)|conclu\w+|identif(?:y|ied)|report|associated|significant(?:ly)?"
        r"|thus|therefore|these|our|here|interpretation|lead(?:s|ing)? to|required|evidence|confirm\w*|moreover"
        r"|furthermore|additionally|importantly)\b",
        re.IGNORECASE,
    ),
    "concludes": compile_late(
        r"\b(?:conclu\w+|interpretation|in summary|together|collectively|(?:these|our) (?:results|data|findings)"
        r"|these observations|thus|therefore|suggest\w*)\b",
        re.IGNORECASE,
    ),
    "numbers": compile_late(r"\d"),
    "asks": compile_late(r"\?\s*$"),
}
"""What a sentence is for, as far as its words tell."""

MIN_SENTENCE_WORDS = 8
"""Words below which a sentence is rather a heading."""


def score_sentences(
    claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements, ranking: LinearModel
) -> NDArray[np.float64]:
    """float64 (sentences,): how much each bears on the claim; differences within one text are log odds."""
    return ranking.scores(sentence_features(claim, parts, seen))[:, 0]


def sentence_features(claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements) -> list[Features]:
    """What each sentence is ranked by."""
    held = {name: np.array([one[name] for one in seen.sentences]) for name in PRESENCE_NAMES}
    closest = max(one["closer"] for one in seen.sentences)
    return [
        _presence_features(held, place)
        | _position_features(place, held["recall"])
        | _cue_features(part.text)
        | _direction_features(seen.sentences[place], closest)
        | _finding_features(claim.text, part.text)
        for place, part in enumerate(parts)
    ]


def _presence_features(held: dict[str, NDArray[np.float64]], place: int) -> Features:
    """Each measure, how far it is below the text's best, and the share of sentences with less."""
    found: Features = {}
    for name, values in held.items():
        here = float(values[place])
        found |= {name: here, f"{name}_gap": here - float(values.max()), f"{name}_rank": float(np.mean(values < here))}
    return found


def _position_features(place: int, recall: NDArray[np.float64]) -> Features:
    count = len(recall)
    beside = [float(recall[other]) for other in (place - 1, place + 1) if 0 <= other < count]
    return {
        "beside": sum(beside) / len(beside) if beside else 0.0,
        "first": float(place == 0),
        "last": float(place == count - 1),
        "near_end": float(place >= count - 2),
        "place": place / max(count - 1, 1),
    }


def _cue_features(text: str) -> Features:
    words = max(len(text.split()), 1)
    cues = {name: float(bool(cue.search(text))) for name, cue in _SENTENCE_CUES.items()}
    return cues | {"length": float(np.log(words)), "short": float(words < MIN_SENTENCE_WORDS)}


def _direction_features(one: Features, closest: float) -> Features:
    found = {name: one[name] for name in ("closer", "agreeing", "opposing")}
    either = {f"{name}_either": abs(value) for name, value in found.items()}
    return found | either | {"closer_gap": one["closer"] - closest}


def _finding_features(claim: str, text: str) -> Features:
    found = result_features(claim, text)
    return {f"finding_{name}": found[name] for name in ("agrees", "opposes", "finding", "outcome")}
