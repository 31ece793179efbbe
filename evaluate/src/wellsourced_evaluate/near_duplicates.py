"""Texts that are nearly the same: they share most of the runs of five words that follow each other (Jaccard)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

RUN = 5
"""Words of a run."""


class NearDuplicate(NamedTuple):
    """A text that is nearly one before it, and the share of their runs that both have."""

    id: str
    first: str
    share: float


class NearDuplicateFinder:
    """Texts that were seen, by their runs: each new one is held against all that share a run with it.

    least   share of runs in common from which a text is nearly another
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self._sizes: dict[str, int] = {}
        self._texts_with: dict[int, list[str]] = defaultdict(list)

    def add(self, id: str, text: str) -> NearDuplicate | None:
        """Take a text in; the earlier one that it is nearest to, where that is near enough."""
        runs = {hash(run) for run in _list_runs(text)}
        shared = Counter(other for run in runs for other in self._texts_with.get(run, ()))
        shares = {other: both / (len(runs) + self._sizes[other] - both) for other, both in shared.items()}
        nearest = max(shares, key=lambda other: shares[other], default=None)
        self._sizes[id] = len(runs)
        for run in runs:
            self._texts_with[run].append(id)
        if nearest is None or shares[nearest] < self._least:
            return None
        return NearDuplicate(id, nearest, shares[nearest])


def _list_runs(text: str) -> Iterable[tuple[str, ...]]:
    """Each run of a text; a text of fewer words is one run."""
    words = re.findall(r"\w+", text.casefold())
    return zip(*(words[at:] for at in range(RUN)), strict=False) if len(words) > RUN else [tuple(words)]
