"""BM25: how well each of a few texts matches the words of a query, with no index (Robertson and Walker, TREC 1994)."""

from collections import Counter
from collections.abc import Sequence
from math import log

from wellsourced.text.tokens import tokenize


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
    weights = _word_weights(query, counts)
    return [
        sum(
            weight * count[word] * (k1 + 1) / (count[word] + k1 * (1 - b + b * length / mean))
            for word, weight in weights.items()
            if count[word]
        )
        for count, length in zip(counts, lengths, strict=True)
    ]


def _word_weights(query: str, counts: Sequence[Counter[str]]) -> dict[str, float]:
    """Word of the query → how much it tells; in the query's order, so that sums come out the same every time."""
    holding = {word: sum(word in count for count in counts) for word in tokenize(query)}
    return {word: log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
