"""A PassageFinder that does by counting what an index does by cleverness: what others are compared with, and a machine
that can be away. All handles on one store see the same passages."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import SourceUnavailable
from wellsourced.sources.library.bm25_index import analyze_words, weigh_words
from wellsourced.sources.library.engines import (
    IndexedPassage,
    NewPassage,
    PassageCounts,
    PassageFilter,
    Ranking,
    ScoredPassage,
)
from wellsourced.types import Query

K1, B = 1.2, 0.75


class ExactStore:
    """What such an engine holds: passages by their ids, and vectors; `away` says that it does not answer."""

    def __init__(self) -> None:
        self.passages: dict[str, NewPassage] = {}
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.calls: Counter[str] = Counter()
        self.away: set[str] = set()


class ExactEngine:
    """A handle on a store, which is on another machine, as far as it says."""

    host = "search.test:9200"

    def __init__(self, store: ExactStore) -> None:
        self.store = store

    def _ask(self, name: str) -> ExactStore:
        self.store.calls[name] += 1
        if name in self.store.away:
            raise SourceUnavailable(f"{self.host} does not answer")
        return self.store

    def clear_query(self, query: Query) -> Query:
        return query

    def _admitted(self, wanted: PassageFilter) -> list[NewPassage]:
        period = wanted.period
        return [
            one
            for one in self.store.passages.values()
            if (not period or (one.days.latest >= period.earliest and one.days.earliest <= period.latest))
            and one.document_id not in wanted.exclude
            and (not wanted.only or one.document_id in wanted.only)
        ]

    async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
        words = {id: Counter(analyze_words(one.searched)) for id, one in self._ask("rank").passages.items()}
        average = sum(map(Counter.total, words.values())) / max(1, len(words))
        weights = weigh_words(text, also)
        holding = {word: sum(word in its for its in words.values()) for word in weights}
        rarity = {word: math.log(1 + (len(words) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}

        def score(id: str) -> float:
            its, length = words[id], K1 * (1 - B + B * words[id].total() / average)
            return sum(weight * rarity[word] * its[word] / (its[word] + length) for word, weight in weights.items())

        return self._rank({one.id: score(one.id) for one in self._admitted(wanted)}, limit, 0.0)

    async def rank_by_vector(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> Ranking:
        vectors = self._ask("rank").vectors
        near = {
            one.id: round(float(vectors[one.id] @ vector), 6) for one in self._admitted(wanted) if one.id in vectors
        }
        return self._rank(near, limit, -2.0)

    def _rank(self, scores: dict[str, float], limit: int, above: float) -> Ranking:
        best = sorted((-score, id) for id, score in scores.items() if score > above)[:limit]
        return Ranking([ScoredPassage(self._found(self.store.passages[id]), -score) for score, id in best])

    def _found(self, passage: NewPassage) -> IndexedPassage:
        return IndexedPassage(passage.id, passage.document_hash)

    async def load_vectors(self, passages: Sequence[IndexedPassage]) -> dict[str, NDArray[np.float32]]:
        vectors = self._ask("load_vectors").vectors
        return {one.id: vectors[one.id] for one in passages if one.id in vectors and self._holds(one)}

    def _holds(self, passage: IndexedPassage) -> bool:
        held = self.store.passages.get(passage.id)
        return held is not None and held.document_hash == passage.document_hash

    async def prepare(self) -> None:
        self._ask("prepare")

    async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
        held = self._ask("replace").passages
        gone = {id: one for id, one in held.items() if one.document_id in document_ids}
        known = {(one.document_id, one.text_hash): self.store.vectors.get(id) for id, one in gone.items()}
        for id in gone:
            del held[id]
            self.store.vectors.pop(id, None)
        for number, one in enumerate(passages):
            # Half of a batch is taken when the connection breaks.
            if "replace half" in self.store.away and number >= len(passages) // 2:
                raise SourceUnavailable(f"{self.host} broke off")
            held[one.id] = one
            if (vector := known.get((one.document_id, one.text_hash))) is not None:
                self.store.vectors[one.id] = vector

    async def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        held = self._ask("add_vectors").vectors
        held |= {one.id: vector for one, vector in zip(passages, vectors, strict=True) if self._holds(one)}

    async def drop_vectors(self, encoder: str = "") -> None:
        self._ask("drop_vectors").vectors.clear()

    async def list_unencoded(
        self, after: IndexedPassage | None, limit: int, only: Collection[str] = ()
    ) -> list[IndexedPassage]:
        held = self._ask("list_unencoded")
        missing = [one for id, one in sorted(held.passages.items()) if id not in held.vectors]
        chosen = [one for one in missing if (not after or one.id > after.id) and (not only or one.document_id in only)]
        return [self._found(one) for one in chosen[:limit]]

    async def count(self) -> PassageCounts:
        held = self._ask("count")
        return PassageCounts(len(held.passages), len(held.vectors))

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        held = self._ask("count_by_document").passages.values()
        counts = Counter(one.document_id for one in held)
        hashes = {id: {one.document_hash for one in held if one.document_id == id} for id in counts}
        return {id: (min(hashes[id]), n) if len(hashes[id]) == 1 else (0, -1) for id, n in counts.items()}

    async def drop(self, *, vectors: bool) -> None:
        self._ask("drop").passages.clear()
        self.store.vectors.clear()

    def refresh(self) -> None:
        """All handles see the same store."""

    def close(self) -> None:
        """There is nothing to let go of."""
