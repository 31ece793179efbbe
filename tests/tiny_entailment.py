"""A small classifier of pairs, really trained: it knows a language of three drugs, two directions, three outcomes.

Two layers over token ids: the sums of the claim's and of the text's word vectors are multiplied, and a linear layer
reads three classes off the product. It is trained here by gradient descent in a tenth of a second.
"""

import json
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.onnx_files import INT64, Node, model

DRUGS, VERBS, OUTCOMES = ("colchicine", "allopurinol", "metformin"), ("raised", "lowered"), ("pain", "urate", "glucose")
FILLER = "the clinic moved to another building in march ."
WORDS = [*DRUGS, *VERBS, *OUTCOMES, *dict.fromkeys(FILLER.split()), "quickly", "children"]
UNUSED = 120
"""Pieces that fill the vocabulary up to where BERT keeps its special tokens."""
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *(f"[unused{number}]" for number in range(UNUSED))]
CLASSES = ("contradiction", "neutral", "entailment")
WIDTH = 8

Array = np.ndarray[Any, Any]


class Weights(NamedTuple):
    """Word vectors (vocabulary, WIDTH), and the linear layer (WIDTH, classes) with its bias."""

    words: Array
    layer: Array
    bias: Array


def sentence(drug: str, verb: str, outcome: str) -> str:
    return f"{drug} {verb} {outcome} ."


def examples() -> list[tuple[str, str, int]]:
    """Claim, text and class of every two sentences of the language, and of one beside filler."""
    every = list(product(DRUGS, VERBS, OUTCOMES))
    found = []
    for place, (one, other) in enumerate(product(every, every)):
        alike = one[0] == other[0] and one[2] == other[2]
        label = 1 if not alike else 2 if one[1] == other[1] else 0
        beside = f"{sentence(*other)} {f'{FILLER} ' * (place % 6)}"
        found += [(sentence(*one), beside, label)] * (4 if alike else 1)
    return [*found, *((sentence(*one), f"{FILLER} " * 3, 1) for one in every)]


def counted(texts: Sequence[str]) -> Array:
    """How often each piece is in each text, float32 (n, vocabulary)."""
    counts = np.zeros((len(texts), len(VOCABULARY)), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.split():
            counts[row, VOCABULARY.index(word)] += 1
    return counts


@cache
def trained(steps: int = 150) -> Weights:
    """Softmax regression on the product of the two sums, by Adam."""
    rng = np.random.default_rng(3)
    data = examples()
    # What is in no sentence is left at nought, and not computed with.
    used = len(VOCABULARY) - UNUSED
    claims, texts = (counted([str(one[side]) for one in data])[:, :used] for side in (0, 1))
    wanted = np.eye(3, dtype=np.float32)[[label for _, _, label in data]]
    known = [rng.normal(0, 0.5, (used, WIDTH)), rng.normal(0, 0.5, (WIDTH, 3)), np.zeros(3)]
    first, second = [np.zeros_like(one) for one in known], [np.zeros_like(one) for one in known]
    for step in range(1, steps + 1):
        words, layer, bias = known
        one, other = claims @ words, texts @ words
        scores = (one * other) @ layer + bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        wrong = (shares / shares.sum(axis=1, keepdims=True) - wanted) / len(data)
        back = wrong @ layer.T
        slopes = [claims.T @ (back * other) + texts.T @ (back * one), (one * other).T @ wrong, wrong.sum(axis=0)]
        for place, slope in enumerate(slopes):
            first[place] = 0.9 * first[place] + 0.1 * slope
            second[place] = 0.99 * second[place] + 0.01 * slope**2
            mean, spread = first[place] / (1 - 0.9**step), second[place] / (1 - 0.99**step)
            known[place] = known[place] - 0.1 * mean / (np.sqrt(spread) + 1e-8)
    # A special token says nothing.
    known[0][:4] = 0
    known[0] = np.vstack([known[0], np.zeros((UNUSED, WIDTH))])
    return Weights(*(one.astype(np.float32) for one in known))


NODES: tuple[Node, ...] = (
    ("Gather", ("words", "input_ids"), "vectors", {}),
    ("Cast", ("attention_mask",), "there", {"to": 1}),
    ("Cast", ("token_type_ids",), "second", {"to": 1}),
    ("Mul", ("there", "second"), "of_claim", {}),
    ("Sub", ("there", "of_claim"), "of_text", {}),
    ("Unsqueeze", ("of_claim", "last"), "of_claim_", {}),
    ("Unsqueeze", ("of_text", "last"), "of_text_", {}),
    ("Mul", ("vectors", "of_claim_"), "claims", {}),
    ("Mul", ("vectors", "of_text_"), "texts", {}),
    ("ReduceSum", ("claims", "tokens"), "claim", {"keepdims": 0}),
    ("ReduceSum", ("texts", "tokens"), "text", {"keepdims": 0}),
    ("Mul", ("claim", "text"), "product", {}),
    ("MatMul", ("product", "layer"), "scores", {}),
    ("Add", ("scores", "bias"), "logits", {}),
)


def tiny_entailment(folder: Path, classes: Sequence[str] = CLASSES, **config: object) -> Path:
    """A folder as an export leaves it: model.onnx, vocab.txt, config.json.

    classes   names of the outputs, some of CLASSES in any order; one name: a single logit of entailment
    """
    folder.mkdir(parents=True)
    write(folder / "model.onnx", classes)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    named = {str(place): name for place, name in enumerate(classes)}
    (folder / "config.json").write_text(json.dumps({"id2label": named} | config), encoding="utf-8")
    return folder


def write(path: Path, classes: Sequence[str] = CLASSES, kind: int = INT64) -> Path:
    """Only the file of the model."""
    words, layer, bias = trained()
    if len(classes) == 1:
        rest = np.delete(layer, 2, axis=1).mean(axis=1), np.delete(bias, 2).mean()
        layer, bias = (layer[:, 2] - rest[0])[:, None], (bias[2:] - rest[1])
    else:
        order = [CLASSES.index(name) for name in classes]
        layer, bias = np.ascontiguousarray(layer[:, order]), bias[order]
    axes = {"last": np.array([2]), "tokens": np.array([1])}
    names = ("input_ids", "attention_mask", "token_type_ids")
    path.write_bytes(model(NODES, {"words": words, "layer": layer, "bias": bias, **axes}, names, "logits", kind))
    return path
