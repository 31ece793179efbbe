"""BERTScore (Zhang et al., ICLR 2020) by MiniLM, which comes along: each token is matched with the most similar one.

Which model makes the states of the tokens is part of the metric: these figures are comparable with no published ones.
What can be compared is the order in which both put the texts. For other models see `evaluate summaries --export`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.config.encoders import open_bundled_tokens
from wellsourced.encoders.base import in_one_thread
from wellsourced.text.sentences import split_sentences
from wellsourced_evaluate.recorded_summaries import BERTSCORE, RecordedSummaries
from wellsourced_evaluate.statistics import MetricMean, average_cases, spearman

METRIC = "BERTScore (MiniLM)"

RESAMPLES, SEED = 1_000, 7

TokenStates = NDArray[np.float32]
"""Tokens of a text as a model read them, float32 (tokens, dim), rows of length 1."""

Case = tuple[str, str]
"""Review and system."""


class RankAgreement(NamedTuple):
    """How far two scores put the texts in the same order.

    texts       that have both
    spearman    rank correlation over all of them; None for fewer than three, or where all are alike
    low, high   95 % interval: reviews are drawn again, each with all of its texts
    within      mean over reviews of the correlation within each
    """

    texts: int
    spearman: float | None
    low: float | None
    high: float | None
    within: MetricMean


class ModelFigures(NamedTuple):
    """The mean for each system, and how the order goes with that of the published score; None: none was published."""

    means: Mapping[str, MetricMean]
    agreement: RankAgreement | None


class MiniLMTokens:
    """MiniLM's last states. A long text is read in stretches of whole sentences."""

    def __init__(self) -> None:
        self._model, self._count_pieces, self._limit = open_bundled_tokens()

    def read_tokens(self, text: str) -> TokenStates:
        """The states of the pieces of its words; no row of an empty text."""
        found = self._model.encode_tokens(pack_sentences(text, self._count_pieces, self._limit))
        pieces = [stretch.states for stretch in found if stretch.pieces]
        states: TokenStates = np.vstack(pieces) if pieces else np.zeros((0, 1), np.float32)
        return states / np.maximum(np.linalg.norm(states, axis=-1, keepdims=True), 1e-12)


def pack_sentences(text: str, count_pieces: Callable[[str], int], limit: int) -> list[str]:
    """The text in stretches of whole sentences that a model reads whole; a longer sentence is cut between words."""
    packed: list[str] = []
    room = 0
    for start, end in split_sentences(text):
        for part in _split_long(text[start:end], count_pieces, limit):
            size = count_pieces(part)
            if packed and size <= room:
                packed[-1] += f" {part}"
            else:
                packed.append(part)
                room = limit
            room -= size
    return packed


def _split_long(sentence: str, count_pieces: Callable[[str], int], limit: int) -> list[str]:
    words = sentence.split()
    half = len(words) // 2
    if not half or count_pieces(sentence) <= limit:
        return [sentence]
    halves = (" ".join(words[:half]), " ".join(words[half:]))
    return [part for words_of in halves for part in _split_long(words_of, count_pieces, limit)]


def match_greedily(text: TokenStates, reference: TokenStates) -> float:
    """F1 of a text against its reference; 0 when either says nothing."""
    if not len(text) or not len(reference):
        return 0.0
    with in_one_thread():
        likeness = text @ reference.T
    precision, recall = (float(likeness.max(axis=axis).mean(dtype=np.float64)) for axis in (1, 0))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score_by_minilm(data: RecordedSummaries, say: Callable[[int, int], None]) -> dict[Case, float | None]:
    """Every text against the people's answer; None where that says nothing."""
    model = MiniLMTokens()
    found: dict[Case, float | None] = {}
    for place, review in enumerate(data.reviews, 1):
        reference = model.read_tokens(review.expected)
        for name, summary in review.systems.items():
            score = match_greedily(model.read_tokens(summary.text), reference)
            found[review.id, name] = score if review.expected.strip() else None
        say(place, len(data.reviews))
    return found


def measure_scores(data: RecordedSummaries, scores: Mapping[Case, float | None]) -> ModelFigures:
    """What these scores come to beside those that were published."""
    reviews = [
        [
            (ours, theirs)
            for name, summary in review.systems.items()
            if (ours := scores[review.id, name]) is not None and (theirs := summary.published[BERTSCORE]) is not None
        ]
        for review in data.reviews
    ]
    means = {name: average_cases(scores[review.id, name] for review in data.reviews) for name in data.systems}
    return ModelFigures(means, compare_ranks(reviews) if any(reviews) else None)


def compare_ranks(groups: Sequence[Sequence[tuple[float, float]]]) -> RankAgreement:
    """How far two scores of the texts of these groups agree."""
    filled = [pairs for pairs in groups if pairs]
    pooled = [pair for pairs in filled for pair in pairs]
    # Of one review nothing is known of how others would differ.
    times = RESAMPLES if len(filled) > 1 else 0
    draws = np.random.default_rng(SEED).integers(0, max(len(filled), 1), (times, len(filled)))
    again = [spearman([pair for at in draw for pair in filled[at]]).value for draw in draws]
    known = [value for value in again if value is not None]
    low, high = (float(end) for end in np.percentile(known, (2.5, 97.5))) if known else (None, None)
    within = average_cases(spearman(pairs).value for pairs in filled)
    return RankAgreement(len(pooled), spearman(pooled).value, low, high, within)
