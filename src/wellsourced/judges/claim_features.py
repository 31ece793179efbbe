"""What can be measured of a claim and a text: how much of the claim is there, how near, and pointing which way, word by
word as an encoder has them.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import EncodedTokens, TokenEncoder
from wellsourced.judges.overlap import has_stem_count, stem_rarity
from wellsourced.text.lexicon import NEGATIONS_OF_NOUNS, NEGATIONS_OF_VERBS
from wellsourced.text.tokens import content_stems

Features = dict[str, float]

PRESENCE_NAMES = ("recall", "flat", "least", "less", "precision", "stems", "rare", "cosine")
"""Names of how much of a claim a text holds."""

RAREST_COUNT = 3
"""Words of a claim that say most of what it is about."""

DIRECTION_NAMES = (
    "agreeing", "opposing", "closer", "closer_flat", "closer_whole", "claim_denies", "text_denies", "both_deny",
)  # fmt: skip
"""Names of whether the two point the same way."""
# Texts as a judge of support reads them: words, how rare each is, and what each means where it stands.
#
# Two words are as alike as the model's last states at their places. "Heart attack" and "myocardial infarction" are
# near by that, which no stem tells. Comparing texts word by word in this way is BERTScore (Zhang et al., ICLR 2020).


Floats = NDArray[np.float32]

MAX_CACHED_TEXTS = 1_000
"""Readings kept: 15 MB at sentences of 20 words."""


class EncodedText(NamedTuple):
    """One text, word by word.

    words     in lower case, marks among them
    stems     of each word, "" where it carries no content
    states    float32 (words, dim), unit rows
    rarity    float32 (words,), 0 for what carries no content
    vector    float32 (dim,), of length 1: the whole
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    states: Floats
    rarity: Floats
    vector: Floats


class CachingTextEncoder:
    """Reads each text once, as long as it is remembered; those used longest ago are forgotten first.

    Safe to use from several threads.
    """

    def __init__(self, encoder: TokenEncoder, limit: int = MAX_CACHED_TEXTS) -> None:
        self.encoder = encoder
        self.limit = limit
        self._texts: OrderedDict[str, EncodedText] = OrderedDict()
        self._lock = Lock()

    def encode(self, texts: Sequence[str]) -> dict[str, EncodedText]:
        """The reading of each text, by its words. Raises ModelError."""
        with self._lock:
            known = {text: self._texts[text] for text in texts if text in self._texts}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known |= {
                text: build_encoded_text(tokens)
                for text, tokens in zip(new, self.encoder.encode_tokens(new), strict=True)
            }
        with self._lock:
            self._texts |= known
            for text in known:
                self._texts.move_to_end(text)
            while len(self._texts) > self.limit:
                self._texts.popitem(last=False)
        return known


def build_encoded_text(tokens: EncodedTokens) -> EncodedText:
    """Word pieces joined to words; a word's state is the mean of its pieces'."""
    words: list[str] = []
    starts: list[int] = []
    for place, piece in enumerate(tokens.pieces):
        if piece.startswith("##") and words:
            words[-1] += piece.removeprefix("##")
        else:
            words.append(piece)
            starts.append(place)
    if not words:
        nothing = np.zeros((0, tokens.states.shape[1]), np.float32)
        return EncodedText((), (), nothing, np.zeros(0, np.float32), tokens.vector)
    states = _normalize_rows(np.add.reduceat(tokens.states, starts, axis=0))
    stemmed = tuple(_word_stem(word) for word in words)
    rare = np.array([stem_rarity(stem) if stem else 0.0 for stem in stemmed], np.float32)
    return EncodedText(tuple(words), stemmed, states, rare, tokens.vector)


def join_texts(readings: Sequence[EncodedText]) -> EncodedText:
    """Neighbouring texts as one."""
    vector = np.sum([one.vector for one in readings], axis=0)
    return EncodedText(
        tuple(word for one in readings for word in one.words),
        tuple(stem for one in readings for stem in one.stems),
        np.concatenate([one.states for one in readings]),
        np.concatenate([one.rarity for one in readings]),
        _normalize_rows(vector[None])[0],
    )


def word_similarities(one: EncodedText, other: EncodedText) -> Floats:
    """float32 (words of one, words of the other): the cosine of each with each."""
    product: Floats = one.states @ other.states.T
    return product


def _normalize_rows(rows: Floats) -> Floats:
    scaled: Floats = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)
    return scaled


@lru_cache(maxsize=50_000)
def _word_stem(word: str) -> str:
    found = content_stems(word)
    return found[0] if found else ""


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


# Polarity: which way a statement points, and what the opposite statement would be.
#
# Two tables know it: words that point up or down ("promotes", "loss"), whatever they speak of, and words with the one
# that says the opposite ("promotes" and "inhibits"). A word that is governed by a negation points the other way.


POLARITY_FILE = "polarity.tsv"
"""Rows of kind, tab, words: "up" and "down" hold words parted by spaces, "opposites" pairs parted by a slash."""

NEGATION_WORDS = NEGATIONS_OF_NOUNS | NEGATIONS_OF_VERBS | {"cannot"}
NEGATION_REACH = 4
"""Words behind a negation that it turns round."""

MAX_OPPOSITES = 4
"""Opposites of one claim that are looked at."""

_AFFIRMATIVES = {
    "does not": "does", "do not": "do", "did not": "did", "are not": "are", "is not": "is", "was not": "was",
    "were not": "were", "has not": "has", "have not": "have", "has no": "has", "have no": "have", "had no": "had",
    "cannot": "can", "can not": "can", "not": "", "no": "", "never": "", "without": "with", "fails to": "does",
    "fail to": "do", "failed to": "did",
}  # fmt: skip
_NEGATION = re.compile(rf"\b(?:{'|'.join(sorted(_AFFIRMATIVES, key=len, reverse=True))})\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|may|might|could|will|would|should|has|have|had|does|do|did|must)\b")
_VERB = re.compile(
    r"(?<=[a-z\d)] )(?!(?:this|its|his|thus|as|is|was|has)\b)[a-z]{3,}[^\Ws]s\b"
    r"(?= (?!(?:of|and|in|with|are|were)\b))"
)
_DENYING_PREFIX = re.compile(
    r"(?:un|in(?=[^fst]|suf|sen|sig|fre|sta)|im(?=[mp])|ir(?=r)|non|dis(?=s|ab|ad|ap|co|qu)|de(?=act|sens|stab|meth|poly|phos)|dys)([a-z]{4,})"
)
"""A word with a prefix that may deny it; it does where the rest is a word."""
_WORD = re.compile(r"[A-Za-z]+")


def word_directions(words: Sequence[str]) -> NDArray[np.float32]:
    """float32 (words,): 1 for a word that points up, -1 for one that points down, 0 for any other; negations heeded."""
    found = np.zeros(len(words), np.float32)
    for place, word in enumerate(words):
        direction = _word_direction(word)
        if direction:
            turns = sum(before in NEGATION_WORDS for before in words[max(0, place - NEGATION_REACH) : place])
            found[place] = direction * (-1) ** turns
    return found


def has_negation(words: Sequence[str]) -> bool:
    """Whether any word is a negation."""
    return any(word in NEGATION_WORDS for word in words)


def opposite_claims(claim: str) -> list[str]:
    """The claim turned into its opposite, in a few ways; not always good English. None where no way is known."""
    bare = _NEGATION.sub(lambda found: _AFFIRMATIVES[found[0].lower()], claim)
    if bare != claim:
        return [" ".join(bare.split())]
    found = [*islice(_exchange_words(claim), MAX_OPPOSITES - 1), _insert_not(claim)]
    return [one for one in dict.fromkeys(found) if one != claim]


def _exchange_words(claim: str) -> Iterator[str]:
    for match in _WORD.finditer(claim):
        other = _opposite_word(match[0].lower())
        if other:
            yield (
                claim[: match.start()] + (other.capitalize() if match[0][0].isupper() else other) + claim[match.end() :]
            )


@lru_cache(maxsize=50_000)
def _opposite_word(word: str) -> str:
    """The word that says the opposite: from the table, or without the prefix that denies it; else ""."""
    found = _load_polarity()[1].get(word)
    denied = _DENYING_PREFIX.match(word) if not found else None
    return found or (denied[1] if denied and has_stem_count(denied[1]) else "")


def _insert_not(claim: str) -> str:
    denied = _AUXILIARY.sub(r"\g<0> not", claim, count=1)
    return denied if denied != claim else _VERB.sub(lambda verb: f"does not {verb[0][:-1]}", claim, count=1)


@lru_cache(maxsize=50_000)
def _word_direction(word: str) -> int:
    found = content_stems(word)
    if not found:
        return 0
    known = _load_polarity()[0].get(found[0], 0)
    denied = _DENYING_PREFIX.match(word) if not known else None
    return -1 if denied and has_stem_count(denied[1]) else known


@cache
def _load_polarity() -> tuple[dict[str, int], dict[str, str]]:
    content = files("wellsourced.judges").joinpath(POLARITY_FILE).read_text(encoding="utf-8")
    signs: dict[str, int] = {}
    opposites: dict[str, str] = {}
    backward: dict[str, str] = {}
    for line in content.splitlines():
        kind, _, words = line.partition("\t")
        if kind == "opposites":
            pairs = [pair.split("/") for pair in words.split()]
            # What stands on the left goes before what stands on the right, and the first of its pairs before others.
            for one, other in pairs:
                opposites.setdefault(one, other)
            for one, other in pairs:
                backward.setdefault(other, one)
        else:
            sign = 1 if kind == "up" else -1
            signs |= {stem: sign for word in words.split() for stem in content_stems(word)}
    return signs, backward | opposites


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
