"""Texts that are nearly the same: they share most of their pieces (Jaccard), runs of five letters or of five words."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple

RUN = 5

Pieces = frozenset[str]


def cut_letters(text: str) -> Pieces:
    """The runs of five letters: for questions, of which a word is much."""
    letters = "".join(filter(str.isalnum, text.casefold()))
    return frozenset(letters[at : at + RUN] for at in range(max(1, len(letters) - RUN + 1)))


def cut_words(text: str) -> Pieces:
    """The runs of five words: for documents."""
    words = re.findall(r"\w+", text.casefold())
    return frozenset(" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1)))


def share_pieces(one: Pieces, other: Pieces) -> float:
    """Pieces that both have, of those that either has."""
    return len(one & other) / len(one | other)


class NearDuplicate(NamedTuple):
    """A text that is nearly one before it, and the share of their pieces that both have."""

    id: str
    first: str
    share: float


class NearDuplicateFinder:
    """Texts that were seen: each new one is held against all that share a piece with it.

    least   share of pieces in common from which a text is nearly another
    """

    def __init__(self, least: float, cut: Callable[[str], Pieces]) -> None:
        self._least, self._cut = least, cut
        self._sizes: dict[str, int] = {}
        self._texts_with: dict[int, list[str]] = defaultdict(list)

    def find(self, id: str, text: str) -> NearDuplicate | None:
        """The earlier text that this one is nearest to, where that is near enough."""
        pieces = self._cut(text)
        shared = Counter(other for piece in pieces for other in self._texts_with.get(hash(piece), ()))
        shares = {other: both / (len(pieces) + self._sizes[other] - both) for other, both in shared.items()}
        nearest = max(shares, key=lambda other: shares[other], default="")
        near = shares.get(nearest, 0.0)
        return NearDuplicate(id, nearest, near) if nearest and near >= self._least else None

    def add(self, id: str, text: str) -> None:
        """Take a text in."""
        pieces = self._cut(text)
        self._sizes[id] = len(pieces)
        for piece in pieces:
            self._texts_with[hash(piece)].append(id)
