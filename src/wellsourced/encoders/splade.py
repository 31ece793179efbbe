"""SPLADE-tiny: how strongly a text suggests each word of a vocabulary, words that it does not hold among them.

A text and a question match as far as they suggest the same words. Only the words that the question suggests are
computed of a text, a few dozen of 30,522, which makes a text as cheap as its two layers of attention. NumPy suffices.

Weights: rasyosef/splade-tiny (BERT, 2 layers of 128, 4.4 million numbers; MIT, see NOTICE); vectors of words in 8 bits
with a scale a row, layers in 16. Formal, Piwowarski and Clinchant, SIGIR 2021.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import in_one_thread
from wellsourced.encoders.wordpiece import EMPTY_TEXT_TOKENS, load_bert_uncased

Floats = NDArray[np.float32]

LAYERS, HEADS, EPSILON = 2, 2, 1e-12

MAX_TOKENS = 256
"""Tokens of a text that are read, [CLS] and [SEP] included; a passage of a library has seldom more."""

CACHED_TEXTS = 64
"""Texts whose states are kept, 6 MB: a question in two wordings is put to each text twice in a row."""

WEIGHTS_FILE = "splade_tiny.npz"


class SparseVector(NamedTuple):
    """What a question suggests.

    words     int64 (n,), ids of the vocabulary, ascending
    weights   float32 (n,), all above zero
    """

    words: NDArray[np.int64]
    weights: Floats


class Splade:
    """How well texts match a question, by the words that both suggest. Loaded on first use (0.1 s, 25 MB).

    One text at a time, so that a score cannot depend on what stands beside the text; safe to use from several threads.
    """

    name = "splade-tiny-int8"

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """float32 (len(texts),), as Reranker; 0 where question or text has no words."""
        asked = expand_text(question)
        scores = score_texts(asked, texts)
        itself = float(asked.weights @ asked.weights)
        return scores / np.float32(itself) if itself else scores


def expand_text(text: str) -> SparseVector:
    """The words that a question suggests; none for a text without words."""
    with in_one_thread():
        states = _compute_token_states(text)
        if states is None:
            return SparseVector(np.zeros(0, np.int64), np.zeros(0, np.float32))
        strength = _compute_term_weights(states, _load_weights().words, _load_weights().bias)
    words = np.flatnonzero(strength)
    return SparseVector(words, strength[words])


def score_texts(asked: SparseVector, texts: Sequence[str]) -> Floats:
    """float32 (len(texts),): the dot product of what is asked for and what each text suggests."""
    words, bias = _load_weights().words[asked.words], _load_weights().bias[asked.words]
    scores = np.zeros(len(texts), np.float32)
    with in_one_thread():
        for place, text in enumerate(texts):
            states = _compute_token_states(text) if len(asked.words) else None
            if states is not None:
                scores[place] = _compute_term_weights(states, words, bias) @ asked.weights
    return scores


def _compute_term_weights(states: Floats, words: Floats, bias: Floats) -> Floats:
    """float32 (words,): log(1 + the highest logit over the tokens), 0 where none is above zero."""
    # The maximum first: the logarithm and the rectifier only ever rise with what they are given.
    highest = (states @ words.T).max(axis=0) + bias
    strength: Floats = np.log1p(np.maximum(highest, 0))
    return strength


@lru_cache(maxsize=CACHED_TEXTS)
def _compute_token_states(text: str) -> Floats | None:
    """float32 (tokens, 128), what the words of the vocabulary are multiplied with; None for a text without words."""
    ids = load_bert_uncased().ids(text, MAX_TOKENS)
    if len(ids) <= EMPTY_TEXT_TOKENS:
        return None
    weights = _load_weights()
    part = weights.part
    states = _normalize_layer(weights.words[ids] + part["positions"][: len(ids)], part, "embeddings")
    for layer in range(LAYERS):
        states = _apply_layer(states, part, f"{layer}.")
    return _normalize_layer(_gelu(_apply_dense(states, part, "transform")), part, "transform.norm")


def _apply_layer(states: Floats, part: dict[str, Floats], layer: str) -> Floats:
    query, key, value = (_split_heads(_apply_dense(states, part, layer + name)) for name in ("query", "key", "value"))
    attention = _softmax(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])) @ value
    joined = attention.transpose(1, 0, 2).reshape(states.shape)
    states = _normalize_layer(states + _apply_dense(joined, part, layer + "attended"), part, layer + "attended.norm")
    inner = _apply_dense(_gelu(_apply_dense(states, part, layer + "inner")), part, layer + "outer")
    return _normalize_layer(states + inner, part, layer + "outer.norm")


def _split_heads(states: Floats) -> Floats:
    return states.reshape(len(states), HEADS, -1).transpose(1, 0, 2)


def _apply_dense(states: Floats, part: dict[str, Floats], name: str) -> Floats:
    return states @ part[name + ".weight"].T + part[name + ".bias"]


def _normalize_layer(states: Floats, part: dict[str, Floats], name: str) -> Floats:
    centred = states - states.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
    scaled: Floats = centred / spread * part[name + ".gamma"] + part[name + ".beta"]
    return scaled


def _gelu(values: Floats) -> Floats:
    """By the hyperbolic tangent, since NumPy has no error function: nDCG@10 is the same to .0001."""
    inner = np.float32(math.sqrt(2 / math.pi)) * (values + np.float32(0.044715) * values * values * values)
    curved: Floats = np.float32(0.5) * values * (1 + np.tanh(inner))
    return curved


def _softmax(values: Floats) -> Floats:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares


class _SpladeWeights(NamedTuple):
    """The model. `words` float32 (30522, 128), of the first layer and the last alike; `bias` float32 (30522,)."""

    words: Floats
    bias: Floats
    part: dict[str, Floats]


@cache
def _load_weights() -> _SpladeWeights:
    # np.load refuses pickles unless it is told otherwise.
    with files("wellsourced.encoders").joinpath(WEIGHTS_FILE).open("rb") as file, np.load(file) as stored:
        found = {name: _dequantize(stored, name) for name in stored.files if not name.endswith(".scale")}
    return _SpladeWeights(found.pop("words"), found.pop("bias"), found)


def _dequantize(stored: "np.lib.npyio.NpzFile", name: str) -> Floats:
    values: Floats = stored[name].astype(np.float32)
    return values * stored[name + ".scale"].astype(np.float32) if name + ".scale" in stored.files else values
