"""Export a checkpoint to ONNX, quantise it to int8, and check what came out against torch.

    python -m …training.entailment.export model.safetensors OUT.onnx [--pairs PAIRS]

Inputs input_ids, attention_mask, token_type_ids: int64 (pairs, tokens), both free. Output logits: float32 (pairs, 3),
in the order of LABELS. The weights of linear layers and word vectors become int8; activations are quantised on the fly.
"""

import argparse
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from onnxruntime import InferenceSession, SessionOptions
from onnxruntime.quantization import QuantType, quantize_dynamic

from wellsourced_evaluate.training.entailment.batches import Encoded, arrays, encoded
from wellsourced_evaluate.training.entailment.bert import Entailment, as_inputs, from_checkpoint
from wellsourced_evaluate.training.entailment.scoring import Floats
from wellsourced_evaluate.training.entailment.texts import rows

OPSET, LARGEST = 17, 30_000_000
"""The version of the operators; bytes of the file at most."""

NAMES = ["input_ids", "attention_mask", "token_type_ids"]


def exported(model: Entailment, out: Path) -> None:
    """The float32 model as ONNX."""
    sample = arrays([encoded("A claim about one thing.", "Evidence of it."), encoded("Short.", "Text.")])
    inputs = as_inputs({name: torch.from_numpy(values) for name, values in sample.items()})
    axes = {name: {0: "pairs", 1: "tokens"} for name in NAMES} | {"logits": {0: "pairs"}}
    torch.onnx.export(
        model.eval(),
        inputs,
        str(out),
        input_names=NAMES,
        output_names=["logits"],
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )


def quantised(source: Path, out: Path) -> None:
    """Weights as int8, one scale for each column."""
    quantize_dynamic(source, out, weight_type=QuantType.QInt8, per_channel=True, reduce_range=False)
    if out.stat().st_size > LARGEST:
        raise ValueError(f"{out} has {out.stat().st_size} bytes, more than {LARGEST}.")


def logits_of(path: Path, pairs: Sequence[Encoded], size: int = 16, threads: int = 2, outputs: int = 3) -> Floats:
    """Logits (pairs, outputs) by ONNX Runtime, in the order of the pairs."""
    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    order = sorted(range(len(pairs)), key=lambda p: len(pairs[p].ids))
    found = np.zeros((len(pairs), outputs))
    for start in range(0, len(order), size):
        places = order[start : start + size]
        found[places] = session.run(["logits"], arrays([pairs[p] for p in places]))[0]
    return found


def probabilities_of(path: Path, pairs: Sequence[Encoded]) -> Floats:
    """Probabilities (pairs, 3) by ONNX Runtime."""
    values = np.exp(logits_of(path, pairs))
    told: Floats = values / values.sum(axis=1, keepdims=True)
    return told


def main() -> None:
    """Write the file, its sha256 and how far its logits are from torch's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pairs", type=Path)
    given = parser.parse_args()
    model = from_checkpoint(given.checkpoint)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        exported(model, plain)
        quantised(plain, given.out)
        if given.pairs:
            pairs = [encoded(r["claim"], r["evidence"]) for r, _ in zip(rows(given.pairs), range(256), strict=False)]
            with torch.no_grad():
                wanted = np.stack(
                    [
                        model(*as_inputs({n: torch.from_numpy(v) for n, v in arrays([p]).items()}))[0].numpy()
                        for p in pairs
                    ]
                )
            for name, path in (("float32", plain), ("int8", given.out)):
                got = logits_of(path, pairs)
                same = (got.argmax(1) == wanted.argmax(1)).mean()
                print(f"{name}: largest difference {np.abs(got - wanted).max():.5f}, same label {same:.3f}")
    print(given.out.stat().st_size, sha256(given.out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
