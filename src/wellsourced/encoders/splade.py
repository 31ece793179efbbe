"""SPLADE-tiny: how strongly a text suggests each word of a vocabulary, words that it does not hold among them.

A text and a question match as far as they suggest the same words. Only the words that the question suggests are
computed of a text, a few dozen of 30,522, which makes a text as cheap as its two layers of attention. What the passages
of the guideline digests suggest comes with the package (tools/guideline_vectors.py): no question waits for them.

Weights: rasyosef/splade-tiny (BERT, 2 layers of 128, 4.4 million numbers; MIT, see NOTICE); vectors of words in 8 bits
with a scale a row, layers in 16. Formal, Piwowarski and Clinchant, SIGIR 2021.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import in_one_thread
from wellsourced.encoders.cache import vector_key
from wellsourced.encoders.wordpiece import EMPTY_TEXT_TOKENS, load_bert_uncased
from wellsourced.storage.model_files import open_graph

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Floats = NDArray[np.float32]

LAYERS = 2

MAX_TOKENS = 256
"""Tokens of a text that are read, [CLS] and [SEP] included; a passage of a library has seldom more."""

CACHED_TEXTS = 64
"""Texts whose states are kept, 6 MB: a question in two wordings is put to each text twice in a row."""

CACHED_QUESTIONS = 64
"""Questions whose words are kept: they take 10 ms, by the whole vocabulary, and texts come a few at a time."""

WEIGHTS_FILE, GRAPH_FILE, GUIDELINE_WORDS_FILE = "splade_tiny.npz", "splade_states.onnx", "guideline_words.npz"

BLOCK = 4_096
"""Words of the vocabulary that are unpacked at a time: what fits into a processor's cache is multiplied faster."""


class SparseVector(NamedTuple):
    """What a text suggests: ids of the vocabulary, ascending, and float32 weights, all above zero."""

    words: NDArray[np.integer[Any]]
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


@lru_cache(maxsize=CACHED_QUESTIONS)
def expand_text(text: str) -> SparseVector:
    """The words that a text suggests; none for one without words."""
    with in_one_thread():
        states = _compute_token_states(text)
        if states is None:
            return SparseVector(np.zeros(0, np.int64), np.zeros(0, np.float32))
        starts = range(0, len(_load_weights().words), BLOCK)
        strength = np.concatenate([_compute_term_weights(states, slice(at, at + BLOCK)) for at in starts])
    words = np.flatnonzero(strength)
    return SparseVector(words, strength[words])


def score_texts(asked: SparseVector, texts: Sequence[str]) -> Floats:
    """float32 (len(texts),): the dot product of what is asked for and what each text suggests."""
    scores = np.zeros(len(texts), np.float32)
    if not len(asked.words):
        return scores
    wanted = np.zeros(len(_load_weights().words), np.float32)
    wanted[asked.words] = asked.weights
    with in_one_thread():
        for place, text in enumerate(texts):
            if known := find_guideline_words(text):
                scores[place] = known.weights @ wanted[known.words]
            elif (states := _compute_token_states(text)) is not None:
                scores[place] = _compute_term_weights(states, asked.words) @ asked.weights
    return scores


def _compute_term_weights(states: Floats, words: NDArray[np.integer[Any]] | slice) -> Floats:
    """float32 (words,): log(1 + the highest logit over the tokens), 0 where none is above zero."""
    model = _load_weights()
    # The maximum first: scales are above zero, and the logarithm and the rectifier only ever rise with what they get.
    highest = (states @ model.words[words].astype(np.float32).T).max(axis=0) * model.scale[words, 0] + model.bias[words]
    strength: Floats = np.log1p(np.maximum(highest, 0))
    return strength


@lru_cache(maxsize=CACHED_TEXTS)
def _compute_token_states(text: str) -> Floats | None:
    """float32 (tokens, 128), what the words of the vocabulary are multiplied with; None for a text without words."""
    ids = load_bert_uncased().ids(text, MAX_TOKENS)
    if len(ids) <= EMPTY_TEXT_TOKENS:
        return None
    states: Floats = _open_session().run(None, {"ids": np.array([ids], np.int64)})[0][0]
    return states


class _SpladeWeights(NamedTuple):
    """The model, as its file has it.

    words    int8 (30522, 128), of the first layer and the last alike; times `scale`, float32 (30522, 1)
    bias     float32 (30522,)
    layers   by their names in the graph
    """

    words: NDArray[np.int8]
    scale: Floats
    bias: Floats
    layers: dict[str, Floats]


@cache
def _open_session() -> "InferenceSession":
    weights = _load_weights()
    graph = files("wellsourced.encoders").joinpath(GRAPH_FILE).read_bytes()
    # One thread: the products are so small that two would wait for each other.
    return open_graph(graph, {"words": weights.words, "words.scale": weights.scale, **weights.layers}, threads=1)


@cache
def _load_weights() -> _SpladeWeights:
    # np.load refuses pickles unless it is told otherwise.
    with files("wellsourced.encoders").joinpath(WEIGHTS_FILE).open("rb") as file, np.load(file) as stored:
        found = {name: stored[name] for name in stored.files}
    words, scale, bias = (found.pop(name) for name in ("words", "words.scale", "bias"))
    # (outputs, inputs), as the file has it, to (inputs, outputs), by which the graph multiplies.
    turned = {name: np.ascontiguousarray(one.T, np.float32) for name, one in found.items() if name.endswith(".weight")}
    layers = found | turned
    for layer in range(LAYERS):
        parts = [layers.pop(f"{layer}.{part}.bias") for part in ("query", "key", "value")]
        layers[f"{layer}.attention.bias"] = np.concatenate(parts)
    return _SpladeWeights(words, scale, bias, layers)


class _GuidelineWords(NamedTuple):
    """What passages of the guideline digests suggest, one behind the other: by `vector_key`, which are whose."""

    places: dict[bytes, slice]
    words: NDArray[np.uint16]
    weights: NDArray[np.float16]


def find_guideline_words(text: str) -> SparseVector | None:
    """What a passage of the digests suggests, as it was computed once; None for any other text."""
    known = load_guideline_words()
    place = known.places.get(vector_key(text, "passage"))
    return SparseVector(known.words[place], known.weights[place].astype(np.float32)) if place else None


@cache
def load_guideline_words() -> _GuidelineWords:
    """Those that come with this package."""
    with files("wellsourced.encoders").joinpath(GUIDELINE_WORDS_FILE).open("rb") as file, np.load(file) as stored:
        ends = stored["ends"].tolist()
        places = map(slice, [0, *ends], ends)
        keys = (key.tobytes() for key in stored["keys"])
        return _GuidelineWords(dict(zip(keys, places, strict=False)), stored["words"], stored["weights"])
