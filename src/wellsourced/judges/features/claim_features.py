"""What can be measured of a claim and a text: how much of the claim is there, how near, and pointing which way."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.judges.features.encoded_text import (
    CachingTextEncoder,
    EncodedText,
    Floats,
    join_texts,
    word_similarities,
)
from wellsourced.judges.features.polarity import has_negation, opposite_claims, word_directions

Features = dict[str, float]

PRESENCE_NAMES = ("recall", "flat", "least", "less", "precision", "stems", "rare", "cosine")
"""Names of how much of a claim a text holds."""

RAREST_COUNT = 3
"""Words of a claim that say most of what it is about."""

DIRECTION_NAMES = (
    "agreeing",
    "opposing",
    "closer",
    "closer_flat",
    "closer_whole",
    "claim_denies",
    "text_denies",
    "both_deny",
)
"""Names of whether the two point the same way."""


class EncodedClaim(NamedTuple):
    """A claim and its opposites, as they are read.

    opposites   the claim turned into its opposite, in a few ways; none where no way is known
    directions  of each of its words, as `polarity.directions`
    """

    text: str
    encoded: EncodedText
    opposites: tuple[EncodedText, ...]
    directions: Floats
    negated: bool


class EncodedSentence(NamedTuple):
    """A sentence of a text, as it is read."""

    text: str
    encoded: EncodedText
    directions: Floats
    negated: bool


class ClaimMeasurements(NamedTuple):
    """A claim against a text.

    sentences  of each sentence, PRESENCE and DIRECTION
    windows    of each sentence with its neighbours, PRESENCE and "closer": a result may be spread over sentences
    whole      of all sentences as one, the same
    """

    sentences: list[Features]
    windows: list[Features]
    whole: Features


def encode_claims(
    texts: Sequence[str], reader: CachingTextEncoder, beside: Sequence[str] = ()
) -> dict[str, EncodedClaim]:
    """Claims with their opposites, by their words. Raises ModelError.

    beside   other texts that will be asked for next: read in the same call, which costs less than one after the other
    """
    opposites = {text: opposite_claims(text) for text in texts}
    read = reader.encode([*texts, *(one for some in opposites.values() for one in some), *beside])
    return {text: _build_claim(text, read[text], [read[one] for one in some]) for text, some in opposites.items()}


def _build_claim(text: str, read: EncodedText, opposites: Sequence[EncodedText]) -> EncodedClaim:
    return EncodedClaim(text, read, tuple(opposites), word_directions(read.words), has_negation(read.words))


def encode_sentence(text: str, read: EncodedText) -> EncodedSentence:
    """A sentence with what its words say of directions."""
    return EncodedSentence(text, read, word_directions(read.words), has_negation(read.words))


def measure_claim(claim: EncodedClaim, parts: Sequence[EncodedSentence]) -> ClaimMeasurements:
    """Everything that is measured between a claim and the sentences of a text; at least one sentence."""
    found = [measure_sentence(claim, one) for one in parts]
    if len(parts) == 1:
        return ClaimMeasurements(found, found, found[0])
    reads = [one.encoded for one in parts]
    windows = [
        measure_neighbours(claim, join_texts(reads[max(0, place - 1) : place + 2])) for place in range(len(parts))
    ]
    return ClaimMeasurements(found, windows, measure_neighbours(claim, join_texts(reads)))


def measure_sentence(claim: EncodedClaim, one: EncodedSentence) -> Features:
    """PRESENCE and DIRECTION of one sentence."""
    near = word_similarities(claim.encoded, one.encoded)
    held = measure_presence(claim.encoded, one.encoded, near)
    agreement = _direction_agreements(claim.directions, one.directions, near)
    return held | {
        "agreeing": float(agreement.mean()) if len(agreement) else 0.0,
        "opposing": float(agreement.min()) if len(agreement) else 0.0,
        **_measure_closeness(claim, one.encoded, held),
        "claim_denies": float(claim.negated and not one.negated),
        "text_denies": float(one.negated and not claim.negated),
        "both_deny": float(one.negated and claim.negated),
    }


def measure_neighbours(claim: EncodedClaim, text: EncodedText) -> Features:
    """PRESENCE, "closer", "closer_flat" and "closer_whole" of some sentences as one."""
    held = measure_presence(claim.encoded, text, word_similarities(claim.encoded, text))
    return held | _measure_closeness(claim, text, held)


def measure_presence(claim: EncodedText, text: EncodedText, near: Floats) -> Features:
    """How much of the claim the text holds: each word of the claim with the word of the text that is nearest to it.

    recall, flat   the mean over the claim's words, weighed by their rarity and not
    least, less    of the content words the one that is furthest from the text, and the mean of the furthest two
    precision      the mean over the text's words, weighed by their rarity
    stems, rare    the share of the claim's stems that the text has, plain and weighed by their rarity
    cosine         of the two as wholes
    rarest         of the claim's rarest words the one that is furthest from the text; not one of PRESENCE
    """
    if not near.size:
        return dict.fromkeys((*PRESENCE_NAMES, "rarest"), 0.0)
    found = near.max(axis=1)
    content = np.sort(found[claim.rarity > 0])[:2]
    had = set(text.stems)
    same = np.array([stem in had for stem in claim.stems], np.float32)
    return {
        "recall": _weighted_mean(found, claim.rarity),
        "flat": float(found.mean()),
        "least": float(content[0]) if len(content) else 0.0,
        "less": float(content.mean()) if len(content) else 0.0,
        "precision": _weighted_mean(near.max(axis=0), text.rarity),
        "stems": _weighted_mean(same, (claim.rarity > 0).astype(np.float32)),
        "rare": _weighted_mean(same, claim.rarity),
        "cosine": float(claim.vector @ text.vector),
        "rarest": float(found[np.argsort(-claim.rarity, kind="stable")[:RAREST_COUNT]].min()),
    }


def _measure_closeness(claim: EncodedClaim, text: EncodedText, held: Features) -> Features:
    """How much nearer the text is to the claim than to the nearest of the claim's opposites; 0 where there is none."""
    others = [measure_presence(other, text, word_similarities(other, text)) for other in claim.opposites]
    names = {"closer": "recall", "closer_flat": "flat", "closer_whole": "cosine"}
    return {name: held[of] - max(other[of] for other in others) if others else 0.0 for name, of in names.items()}


def _direction_agreements(claim: Floats, text: Floats, near: Floats) -> Floats:
    """For each word of the claim that points: how near the text's nearest pointing word is, below 0 if it opposes."""
    ours, theirs = np.flatnonzero(claim), np.flatnonzero(text)
    if not len(ours) or not len(theirs):
        return np.zeros(0, np.float32)
    among = near[np.ix_(ours, theirs)]
    best = among.argmax(axis=1)
    found: Floats = claim[ours] * text[theirs[best]] * np.maximum(among.max(axis=1), 0)
    return found


def _weighted_mean(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total else 0.0
