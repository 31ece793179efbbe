"""How a library finds passages: a ranking by word, one by meaning, and what becomes of the two."""

import asyncio
from collections.abc import Sequence

import numpy as np

from wellsourced.encoders.base import Encoder, Learner
from wellsourced.sources.library.catalogue import Catalogue, Record
from wellsourced.sources.library.lance import Filter, Span
from wellsourced.sources.library.passage_table import PassageTable
from wellsourced.sources.library.vector_table import VectorTable
from wellsourced.text.context import in_context
from wellsourced.text.fusion import fuse
from wellsourced.types import Hit, Passage, Query, Reference

DEPTH = 100
"""Places of each ranking that are fused, at least."""


class Searching:
    """Searches the tables of one library as they are now; `encoder` is the one that made its vectors, or None."""

    def __init__(
        self, catalogue: Catalogue, passages: PassageTable, vectors: VectorTable, encoder: Encoder | None
    ) -> None:
        self._catalogue, self._passages, self._vectors, self._encoder = catalogue, passages, vectors, encoder

    async def search(self, query: Query, limit: int, wanted: Filter) -> list[Hit]:
        """The best passages that the filter admits, at most `limit`."""
        depth = max(DEPTH, 3 * limit)
        rankings = await asyncio.gather(
            self._passages.search(query.text, wanted, depth), self._by_meaning(query.text, wanted, depth)
        )
        found = {span.id: span for ranking in rankings for span in ranking}
        ranked = [(found[id], score) for id, score in fuse([[span.id for span in ranking] for ranking in rankings])]
        hits = self._hits(ranked, limit)
        await self._teach(hits)
        return hits

    async def _by_meaning(self, text: str, wanted: Filter, depth: int) -> list[Span]:
        if not self._encoder:
            return []
        vector = (await asyncio.to_thread(self._encoder.encode, [text], "query"))[0]
        return await self._vectors.search(vector, wanted, depth) if vector.any() else []

    async def _teach(self, hits: Sequence[Hit]) -> None:
        """Spare the encoder the passages that it encoded when they were stored: whoever reads hits may judge them."""
        if isinstance(self._encoder, Learner):
            known = await self._vectors.known([hit.passage.id for hit in hits])
            # What stands for its document was stored under the digest, which is not what it says.
            own = [hit.passage for hit in hits if hit.passage.id in known and not hit.passage.stands_for_document]
            told = [(in_context(passage), known[passage.id]) for passage in own]
            if told:
                self._encoder.learn([text for text, _ in told], np.array([vector for _, vector in told]))

    def _hits(self, ranked: Sequence[tuple[Span, float]], limit: int) -> list[Hit]:
        hits: list[Hit] = []
        for start in range(0, len(ranked), limit):
            part = ranked[start : start + limit]
            records = self._catalogue.records({span.document_id for span, _ in part})
            cards = {id: record.card() for id, record in records.items()}
            for span, score in part:
                record = records.get(span.document_id)
                # A passage of a document that is gone, or not as it was, is on its way out of the tables.
                if record and record.hash == span.document_hash:
                    hits.append(Hit(passage=_passage(span, record, cards[record.id]), score=score))
            if len(hits) >= limit:
                break
        return hits[:limit]


def _passage(span: Span, record: Record, card: Reference) -> Passage:
    return Passage(
        reference=card,
        text=record.text[span.start : span.end],
        start=span.start,
        end=span.end,
        section=span.section,
        page=record.page(span.start, span.end),
        stands_for_document=span.stands_for_document,
    )
