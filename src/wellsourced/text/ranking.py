"""One ranking from several, by rank or by score, BM25 over a few texts, and a choice or none."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import exp, fsum, log, sqrt

from wellsourced.text.tokens import tokenize


def fuse_ranks(rankings: Sequence[Sequence[str]], k: int = 60) -> list[tuple[str, float]]:
    """(id, score) of all that is ranked, best first: the sum over rankings of 1 / (k + rank); equal scores by id.

    Only ranks count, so that scores of different kinds never meet (Cormack, Clarke and Büttcher, SIGIR 2009).
    """
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] += 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def fuse_scores(
    scored: Sequence[Mapping[str, float]], weights: Sequence[float], spread_over: Collection[str] | None = None
) -> list[tuple[str, float]]:
    """(id, score) of all that has a score, best first: the weighed sum of standardised scores; equal scores by id.

    Each mapping is one kind of score, the higher the better, 0 where an id has none; kinds never meet before each is
    taken from its mean and divided by its standard deviation. So neither units nor zero points count, only how far a
    score stands out, which ranks do not tell (Bruch, Gai and Ingber, ACM TOIS 2023: better than ranks at every size).

    spread_over   ids whose scores say what the mean and the deviation are; all of them by default
    """
    ids = sorted({id for one in scored for id in one})
    over = sorted(spread_over) if spread_over is not None else ids
    totals = dict.fromkeys(ids, 0.0)
    for one, weight in zip(scored, weights, strict=True):
        mean, deviation = _mean_and_deviation([one.get(id, 0.0) for id in over])
        for id in ids if deviation else ():
            totals[id] += weight * (one.get(id, 0.0) - mean) / deviation
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def _mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 0.0
    mean = fsum(values) / len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    return mean, deviation if deviation > 1e-6 * max(map(abs, values)) else 0.0


def bm25_scores(query: str, texts: Sequence[str], k1: float = 1.5, b: float = 0.75) -> list[float]:
    """A score for each text, in order, by the statistics of these texts alone; 0 for one without a word of the query.

    Words are compared in lower case, neither stemmed nor stopped; one that the query repeats counts once. The weight of
    a word is ln(1 + (N - n + 0.5) / (n + 0.5)), which stays above 0 for a word of most texts, where the older form of
    it turns negative. Scores of two queries, or of two sets of texts, do not compare.

    k1, b   how soon repetitions of a word stop counting, and how much a long text has to have more of them
    """
    counts = [Counter(tokenize(text)) for text in texts]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    # How much each word of the query tells; in its order, so that sums come out the same every time.
    holding = {word: sum(word in count for count in counts) for word in tokenize(query)}
    weights = {word: log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    return [
        sum(
            weight * count[word] * (k1 + 1) / (count[word] + k1 * (1 - b + b * length / mean))
            for word, weight in weights.items()
            if count[word]
        )
        for count, length in zip(counts, lengths, strict=True)
    ]


def share_probability(ratings: Sequence[float]) -> list[float]:
    """The probability of each choice where one of them is right or none is; rated by the log of its odds to none."""
    top = max([0.0, *ratings])
    parts = [exp(one - top) for one in ratings]
    whole = exp(-top) + fsum(parts)
    return [part / whole for part in parts]
