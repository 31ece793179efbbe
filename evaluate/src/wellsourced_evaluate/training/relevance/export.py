"""Export the trained cross-encoder to ONNX, quantise it to int8, and check what came out against torch.

    python -m …training.relevance.export TRAINED WEIGHTS DATA OUT.onnx [--layers 6]

TRAINED is `model.safetensors` of train.py, without word vectors, which are those of WEIGHTS; DATA the questions with
which the two are compared. Inputs and output as in training/entailment/export.py, with one logit a pair.
"""

import argparse
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from wellsourced_evaluate.training.entailment.batches import Encoded
from wellsourced_evaluate.training.entailment.bert import Entailment, as_inputs, from_encoder
from wellsourced_evaluate.training.entailment.export import exported, logits_of, quantised
from wellsourced_evaluate.training.relevance.train import Tokens, read_saved

COMPARED = 400
"""Pairs that are compared."""


def read_trained(trained: Path, weights: Path, layers: int) -> Entailment:
    """The model in full precision."""
    model = from_encoder(weights, outputs=1, layers=layers)
    found = read_saved(trained)
    missing, unexpected = model.load_state_dict(found, strict=False)
    if unexpected or any("word_embeddings" not in name for name in missing):
        raise ValueError(f"{trained} is not what train.py wrote: {missing} {unexpected}")
    return model.eval()


def draw_pairs(data: Path) -> list[Encoded]:
    """Questions with texts, any of them."""
    found = np.load(data / "texts.npz")
    texts = Tokens(found["ids"], found["starts"])
    questions = Tokens(found["question_ids"], found["question_starts"])
    drawn = np.random.default_rng(13)
    pairs = []
    for _ in range(COMPARED):
        first = questions.row(int(drawn.integers(len(questions.starts) - 1))).tolist()
        second = texts.row(int(drawn.integers(5_000))).tolist()[1:]
        pairs.append(Encoded((*first, *second), len(first), -1))
    return pairs


def main() -> None:
    """Write the file, its sha256 and how far its logits are from torch's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trained", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", type=int, default=6)
    given = parser.parse_args()
    model = read_trained(given.trained, given.weights, given.layers)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        exported(model, plain)
        quantised(plain, given.out)
        pairs = draw_pairs(given.data)
        with torch.no_grad():
            wanted = np.stack([model(*as_inputs(to_tensors(one)))[0].numpy() for one in pairs])[:, 0]
        for name, path in (("float32", plain), ("int8", given.out)):
            got = logits_of(path, pairs, outputs=1)[:, 0]
            apart = np.abs(got - wanted)
            print(
                f"{name}: logits differ by {apart.mean():.4f} on average, {apart.max():.4f} at most; "
                f"correlation {np.corrcoef(got, wanted)[0, 1]:.5f}"
            )
    print(given.out.stat().st_size, sha256(given.out.read_bytes()).hexdigest())


def to_tensors(pair: Encoded) -> dict[str, torch.Tensor]:
    """A batch of one."""
    ids = torch.tensor([pair.ids])
    kinds = (torch.arange(ids.shape[1]) >= pair.first).long().unsqueeze(0)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": kinds}


if __name__ == "__main__":
    main()
