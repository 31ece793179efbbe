"""Texts as a judge of support reads them: words, how rare each is, and what each means where it stands.

Two words are as alike as the model's last states at their places. "Heart attack" and "myocardial infarction" are near
by that, which no stem tells. Comparing texts word by word in this way is BERTScore (Zhang et al., ICLR 2020).
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import EncodedTokens, TokenEncoder
from wellsourced.judges.overlap import stem_rarity
from wellsourced.text.tokens import content_stems

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
