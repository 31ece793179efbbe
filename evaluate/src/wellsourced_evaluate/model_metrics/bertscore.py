"""BERTScore (Zhang et al., ICLR 2020): every token of a text is matched with the most similar one of the other.

Which model makes the states of the tokens is part of the metric: figures of two models are not comparable, and neither
are those with and without weights or rescaling. The same figures as `bert-score` 0.3.13 for a model of transformers.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import in_one_thread
from wellsourced.errors import UnreadableFile

BASELINE_COLUMNS = ("LAYER", "P", "R", "F")
BASELINE_REMEDY = "Give a baseline of `bert-score`, rescale_baseline/LANGUAGE/MODEL.tsv: its first line is LAYER,P,R,F."


class TokenStates(NamedTuple):
    """A text as a model read it.

    ids      what each token is, in the model's vocabulary
    states   float32 (tokens, dim), unit rows
    counts   whether a token counts: what a model puts around a text may be matched, and does not count itself
    """

    ids: tuple[int | str, ...]
    states: NDArray[np.float32]
    counts: NDArray[np.bool_]

    @property
    def is_empty(self) -> bool:
        """Whether no token counts."""
        return not self.counts.any()


class BertScore(NamedTuple):
    """How far the tokens of a text are matched by those of its reference, the reverse, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


class ScoreBaseline(NamedTuple):
    """The scores of texts that have nothing to do with each other, which become 0."""

    precision: float
    recall: float
    f1: float

    def rescale(self, score: BertScore) -> BertScore:
        """The score on a scale on which the baseline is 0; it may be negative then."""
        return BertScore(*((one - base) / (1 - base) for one, base in zip(score, self, strict=True)))


IdfWeights = Mapping[int | str, float]
"""Token → how rare it is among references; what is not there is the rarest."""


class RareTokens(NamedTuple):
    """The weights of tokens by how many of the references have them; `unseen` is that of all others."""

    weights: IdfWeights
    unseen: float

    def weigh(self, text: TokenStates) -> NDArray[np.float64]:
        """The weight of each token."""
        return np.array([self.weights.get(one, self.unseen) for one in text.ids], dtype=np.float64)


def count_rare_tokens(references: Iterable[TokenStates]) -> RareTokens:
    """The weights of the tokens of these references: the logarithm of (references + 1) by (those with it + 1)."""
    every = [set(one.ids) for one in references]
    counts = Counter(id for ids in every for id in ids)
    total = len(every) + 1
    return RareTokens({id: math.log(total / (count + 1)) for id, count in counts.items()}, math.log(total))


def match_greedily(text: TokenStates, reference: TokenStates, rare: RareTokens | None = None) -> BertScore:
    """BERTScore of a text against its reference; zeros when either says nothing.

    rare   weights of tokens; None: all that count weigh the same
    """
    if text.is_empty or reference.is_empty:
        return BertScore(0.0, 0.0, 0.0)
    with in_one_thread():
        likeness = text.states @ reference.states.T
    precision = _weighted_mean(likeness.max(axis=1), text, rare)
    recall = _weighted_mean(likeness.max(axis=0), reference, rare)
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total else 0.0)


def align_tokens(text: TokenStates, context: TokenStates) -> float:
    """The mean likeness of the tokens of a text to the nearest of a context, of tokens that count; 0 without any."""
    if text.is_empty or context.is_empty:
        return 0.0
    with in_one_thread():
        likeness = text.states[text.counts] @ context.states[context.counts].T
    return float(likeness.max(axis=1).mean())


def _weighted_mean(best: NDArray[np.float32], text: TokenStates, rare: RareTokens | None) -> float:
    weights = rare.weigh(text) if rare else text.counts.astype(np.float64)
    total = float(weights.sum())
    return float((best * weights).sum() / total) if total else 0.0


def read_baseline(path: Path, layer: int) -> ScoreBaseline:
    """The baseline of one layer of a model, as `bert-score` has it. Raises UnreadableFile."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, f"it cannot be read ({error})", BASELINE_REMEDY) from error
    if not rows or not set(BASELINE_COLUMNS) <= set(rows[0]):
        raise UnreadableFile(path, "it is no baseline", BASELINE_REMEDY)
    row = next((one for one in rows if one["LAYER"] == str(layer)), None)
    if row is None:
        raise UnreadableFile(path, f"it has no layer {layer}", f"It has {rows[0]['LAYER']} to {rows[-1]['LAYER']}.")
    try:
        return ScoreBaseline(*(_read_share(row[name]) for name in BASELINE_COLUMNS[1:]))
    except ValueError as error:
        raise UnreadableFile(path, f"the layer {layer} has no shares ({error})", BASELINE_REMEDY) from error


def _read_share(value: str) -> float:
    share = float(value)
    if not -1 <= share < 1:
        raise ValueError(f"{value} is not below 1")
    return share


def unit_rows(states: Sequence[Sequence[float]] | NDArray[np.float32]) -> NDArray[np.float32]:
    """States scaled to length 1."""
    rows = np.asarray(states, dtype=np.float32)
    scaled: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
    return scaled
