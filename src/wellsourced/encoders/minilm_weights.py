"""The weights of MiniLM, read out of the file of a package: in single precision, and in 8 bits.

The file keeps matrices in 8 bits with a scale for each column; `minilm_tensors.json` says where
(tools/encoder_graphs.py).
"""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_TOKENS = 256
"""Tokens of a text that are read, [CLS] and [SEP] included; the model was trained on no more."""

Weights = dict[str, NDArray[Any]]

TENSORS_FILE, SMOOTHING_FILE = "minilm_tensors.json", "minilm_smoothing.npz"

LAYERS = 6
SMOOTHED = {"query": ("query", "key", "value"), "inner": ("inner",), "outer": ("outer",)}
"""Products whose input is divided, number by number: the first of those that share the input names the factors."""

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
        for first, parts in SMOOTHED.items():
            for part in parts:
                matrices[f"{layer}.{part}.weight"] /= found[f"{layer}.{first}.smoothing"][:, None]
    for name, matrix in matrices.items():
        product = name.removesuffix(".weight")
        scale = np.abs(matrix).max(axis=0) / np.float32(MAX_WEIGHT)
        found[name] = np.rint(matrix / scale).astype(np.int8)
        found[f"{product}.scale"], found[f"{product}.zero"] = scale, np.zeros(len(scale), np.int8)
    return found


def _load_common_weights(model: Path) -> tuple[Weights, Weights]:
    """(what both graphs ask for, the matrices of the layers in single precision)."""
    raw = _read_tensors(model)
    positions = raw.pop("positions").astype(np.float32) * raw.pop("positions.scale")
    found: Weights = {"positions": positions[:MAX_TOKENS] + raw.pop("token_types")[0]}
    matrices: Weights = {}
    for layer in range(LAYERS):
        parts = [raw.pop(f"{layer}.{part}.bias") for part in SMOOTHED["query"]]
        found[f"{layer}.attention.bias"] = np.concatenate(parts)
    for name in [name for name in raw if name.endswith(".weight")]:
        matrices[name] = raw.pop(name).astype(np.float32) * raw.pop(name.removesuffix("weight") + "scale")
    return {**raw, **found}, matrices


def _read_tensors(model: Path) -> Weights:
    content = model.read_bytes()
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
