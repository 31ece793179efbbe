"""All features of a claim and a text that a judge of support weighs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.claims.guard import find_disagreements
from wellsourced.claims.results.agreement import result_features
from wellsourced.judges.features.claim_features import (
    DIRECTION_NAMES,
    PRESENCE_NAMES,
    ClaimMeasurements,
    EncodedClaim,
    EncodedSentence,
    Features,
)

GUARD_GROUPS = {
    "number": frozenset({"number", "percentage", "interval", "p-value", "unit", "comparator"}),
    "time": frozenset({"time", "dose"}),
    "negation": frozenset({"negation"}),
    "direction": frozenset({"direction", "role"}),
    "named": frozenset({"population", "drug", "condition"}),
    "strength": frozenset({"strength"}),
}
"""Kinds of disagreement that count, those alike together: each alone is too rare to be fitted on."""

TOP_SENTENCES = 3
"""Sentences that bear most on a claim, whose directions count."""


WHOLE_TEXT_NAMES = (*PRESENCE_NAMES, "rarest", "closer", "closer_flat", "closer_whole")
"""Names of what all sentences as one are weighed by."""


def text_features(
    claim: EncodedClaim, parts: Sequence[EncodedSentence], seen: ClaimMeasurements, bearing: NDArray[np.float64]
) -> Features:
    """From what was measured, and from how much each sentence bears on the claim (as `rationale.score_sentences`)."""
    return measurement_features(seen, bearing) | statement_features(claim, parts, int(np.argmax(bearing)))


def measurement_features(seen: ClaimMeasurements, bearing: NDArray[np.float64]) -> Features:
    """What is held of the claim, and which way it points."""
    best = int(np.argmax(bearing))
    whole = {f"whole_{name}": seen.whole[name] for name in WHOLE_TEXT_NAMES}
    return whole | _best_presence_features(seen, best) | _direction_features(seen, best, bearing)


def statement_features(claim: EncodedClaim, parts: Sequence[EncodedSentence], best: int) -> Features:
    """What the text, and the best sentence with its neighbours, state: findings, and facts that are otherwise."""
    text = " ".join(part.text for part in parts)
    near = " ".join(part.text for part in parts[max(0, best - 1) : best + 2])
    return (
        {f"text_{name}": value for name, value in result_features(claim.text, text).items()}
        | {f"near_{name}": value for name, value in result_features(claim.text, near).items()}
        | _guard_features("text", claim.text, text)
        | _guard_features("best", claim.text, parts[best].text)
    )


def _best_presence_features(seen: ClaimMeasurements, best: int) -> Features:
    """The most that one sentence, or one with its neighbours, holds of the claim; and what the best one holds."""
    found: Features = {"window_closer": seen.windows[best]["closer"]}
    for name in PRESENCE_NAMES:
        values = np.array([one[name] for one in seen.sentences])
        found |= {f"most_{name}": float(values.max()), f"best_{name}": float(values[best])}
        found[f"window_{name}"] = max(one[name] for one in seen.windows)
        if name in ("flat", "cosine"):
            found |= {f"mean_{name}": float(values.mean()), f"second_{name}": float(np.sort(values)[-2:][0])}
    return found


def _direction_features(seen: ClaimMeasurements, best: int, bearing: NDArray[np.float64]) -> Features:
    """Directions in the best sentence, in the best three, and in all, each counting as it bears on the claim."""
    share = np.exp(bearing - bearing.max())
    share /= share.sum()
    top = np.argsort(-bearing, kind="stable")[:TOP_SENTENCES]
    found: Features = {}
    for name in DIRECTION_NAMES:
        values = np.array([one[name] for one in seen.sentences])
        found |= {f"best_{name}": float(values[best]), f"top_{name}": float(values[top].mean())}
        found[f"all_{name}"] = float(values @ share)
    return found


def _guard_features(of: str, claim: str, text: str) -> Features:
    found = {one.kind for one in find_disagreements(claim, text)}
    return {f"{of}_guard_{name}": float(not kinds.isdisjoint(found)) for name, kinds in GUARD_GROUPS.items()}
