"""How unlike queries are (Chen et al., ACL 2025): D = 1/C(N,2) · Σ_{j<k} (1 − cos(q_j, q_k)) over the N of a source."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from wellsourced.encoders.base import Encoder, Vectors
from wellsourced_evaluate.statistics import MetricMean, average_cases


def measure_diversity(vectors: Vectors) -> float | None:
    """D of these vectors; None where fewer than two are no zero vector."""
    kept = vectors[np.linalg.norm(vectors, axis=1) > 0]
    if len(kept) < 2:
        return None
    unit = kept / np.linalg.norm(kept, axis=1, keepdims=True)
    return float(np.mean([1 - unit[one] @ unit[other] for one, other in combinations(range(len(unit)), 2)]))


def query_diversity(by_source: Iterable[Sequence[str]], encoder: Encoder | None) -> float | None:
    """The mean D over the sources that were asked more than once; None where there is none, or no encoder."""
    several = [list(texts) for texts in by_source if len(texts) > 1]
    if encoder is None or not several:
        return None
    vectors = encoder.encode([text for texts in several for text in texts], "query")
    ends = np.cumsum([len(texts) for texts in several])[:-1]
    values = [value for part in np.split(vectors, ends) if (value := measure_diversity(part)) is not None]
    return round(float(np.mean(values)), 4) if values else None


def sweep_diversity(queries: Sequence[Sequence[str]], encoder: Encoder, most: int) -> dict[int, MetricMean]:
    """N → mean D of the first N queries, over those (question and source) that have so many: to choose N."""
    able = [texts for texts in queries if len(texts) > 1]
    vectors = [encoder.encode(list(texts), "query") for texts in able]
    return {
        size: average_cases(measure_diversity(its[:size]) for its in vectors if len(its) >= size)
        for size in range(2, most + 1)
    }
