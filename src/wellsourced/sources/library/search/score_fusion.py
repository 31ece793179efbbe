"""One ranking of a library's passages out of two kinds of score: how they match by word, and how by meaning.

`ranking.json` is written by wellsourced_evaluate/fitting/ranking.py and by nobody's hand.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from wellsourced.sources.library.search.passage_rows import PassageSpan
from wellsourced.text.ranking import fuse_scores
from wellsourced.types import Value

DEPTH = 200
"""Places of each ranking that say how far a score stands out; more, when more are asked for, are ranked alike."""


class ScoredSpan(NamedTuple):
    """A passage that was found, and its score; higher is better."""

    span: PassageSpan
    score: float


class FusionWeights(Value):
    """How much either kind of score counts; together 1.

    fitted_on   the data and the split, in words
    """

    words: float
    meaning: float
    fitted_on: str = ""


def fuse_rankings(
    words: Sequence[ScoredSpan],
    near: Sequence[PassageSpan],
    cosines: Mapping[str, float],
    weights: FusionWeights | None = None,
) -> list[ScoredSpan]:
    """All that was found, best first, equal scores by id; by word alone where nothing has a vector.

    words     by BM25, best first; what is not among them counts as 0
    near      by meaning, best first
    cosines   by id, of all that has a vector; what has none counts as the average does, neither for nor against
    weights   by default those that come with this package
    """
    if not cosines:
        return list(words)
    by_word = {one.span.id: one.score for one in words}
    found = {span.id: span for span in (*(one.span for one in words), *near)}
    average = sum(cosines.values()) / len(cosines)
    meant = {id: cosines.get(id, average) for id in found}
    weights = weights or load_fusion_weights()
    # The first places alone, so that a longer list begins as a shorter one does.
    first = {*list(by_word)[:DEPTH], *(span.id for span in near[:DEPTH])}
    return [
        ScoredSpan(found[id], score)
        for id, score in fuse_scores([by_word, meant], [weights.words, weights.meaning], first)
    ]


@cache
def load_fusion_weights() -> FusionWeights:
    """The weights that come with this package."""
    content = files("wellsourced.sources.library").joinpath("ranking.json").read_text(encoding="utf-8")
    return FusionWeights.model_validate_json(content)
