"""One ranking out of several: reciprocal rank fusion."""

from collections import defaultdict
from collections.abc import Sequence


def fuse(rankings: Sequence[Sequence[str]], k: int = 60) -> list[tuple[str, float]]:
    """(id, score) of all that is ranked, best first: the sum over rankings of 1 / (k + rank); equal scores by id.

    Only ranks count, so that scores of different kinds never meet (Cormack, Clarke and Büttcher, SIGIR 2009).
    """
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] += 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
