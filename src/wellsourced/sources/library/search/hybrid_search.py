"""How a library finds passages: a ranking by word, one by meaning, and what becomes of the two."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, PreloadableEncoder
from wellsourced.sources.base import SearchResult
from wellsourced.sources.library.search.passage_index import PassageIndex
from wellsourced.sources.library.search.passage_rows import PassageFilter, PassageSpan
from wellsourced.sources.library.search.score_fusion import DEPTH, ScoredSpan, fuse_rankings
from wellsourced.sources.library.search.vector_search import VectorSearch, compare_vectors
from wellsourced.sources.library.store.documents import DocumentStore
from wellsourced.sources.library.store.stored_document import StoredDocument
from wellsourced.text.dates import is_eligible
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Hit, Passage, Query, Reference
from wellsourced.worker_pool import run_in_worker

EXTRA_WORD_WEIGHT = 0.3
"""How much the further words of a query count, as vectors, beside its own."""


MAX_NAMED_DOCUMENTS = 3
"""Damaged documents that are named."""


class SearchCandidates(NamedTuple):
    """The rankings of one search, best first; cosines and vectors by id, of all candidates that have a vector."""

    words: list[ScoredSpan]
    near: list[PassageSpan]
    cosines: dict[str, float]
    vectors: dict[str, NDArray[np.float32]]


class HybridSearch:
    """Searches the indexes of one library as they are now; `encoder` is the one that made its vectors, or None."""

    def __init__(
        self, catalogue: DocumentStore, passages: PassageIndex, vectors: VectorSearch, encoder: Encoder | None
    ) -> None:
        self._catalogue, self._passages, self._vectors, self._encoder = catalogue, passages, vectors, encoder

    async def search(self, query: Query, limit: int, wanted: PassageFilter) -> SearchResult:
        found = await self.find_candidates(query, limit, wanted)
        return await run_in_worker(self._rank_candidates, query, limit, found)

    def _rank_candidates(self, query: Query, limit: int, found: SearchCandidates) -> SearchResult:
        result = self._build_result(fuse_rankings(found.words, found.near, found.cosines), limit, query)
        self._share_embeddings(result.hits, found.vectors)
        return result

    async def find_candidates(self, query: Query, limit: int, wanted: PassageFilter) -> SearchCandidates:
        """What is ranked: more than `limit`, since passages of documents that are gone may be among them."""
        depth = max(DEPTH, 3 * limit)
        words, (vector, near) = await asyncio.gather(
            self._passages.search(query.text, wanted, depth, " ".join(query.also)),
            self._search_by_meaning(query, wanted, depth),
        )
        ids = {span.number: span.id for span in (*(one.span for one in words), *near)}
        # Of all candidates, also those found by word alone: how near they are by meaning counts for them too.
        known = await self._vectors.load_vectors(ids) if near else {}
        vectors = {ids[number]: vector for number, vector in known.items()}
        return SearchCandidates(words, near, await run_in_worker(_compute_cosines, vector, vectors), vectors)

    async def _search_by_meaning(
        self, query: Query, wanted: PassageFilter, depth: int
    ) -> tuple[NDArray[np.float32], list[PassageSpan]]:
        """The vector of the query, and the passages nearest to it; zeros and none without an encoder."""
        if not self._encoder:
            return np.zeros(0, np.float32), []
        vector = await run_in_worker(_encode_query, self._encoder, query)
        return vector, await self._vectors.search(vector, wanted, depth) if vector.any() else []

    def _share_embeddings(self, hits: Sequence[Hit], known: Mapping[str, NDArray[np.float32]]) -> None:
        """Spare the encoder the passages that it encoded when they were stored: whoever reads hits may judge them."""
        if isinstance(self._encoder, PreloadableEncoder):
            # What stands for its document was stored under the digest, which is not what it says.
            own = [hit.passage for hit in hits if hit.passage.id in known and not hit.passage.stands_for_document]
            told = [(text_under_titles(passage), known[passage.id]) for passage in own]
            if told:
                self._encoder.add_vectors([text for text, _ in told], np.array([vector for _, vector in told]))

    def _build_result(self, ranking: Sequence[ScoredSpan], limit: int, query: Query) -> SearchResult:
        hits: list[Hit] = []
        out: dict[str, None] = {}
        for start in range(0, len(ranking), limit):
            part = ranking[start : start + limit]
            records, damaged = self._catalogue.load_documents({span.document_id for span, _ in part})
            out |= dict.fromkeys(sorted(damaged))
            cards = {id: record.to_reference() for id, record in records.items()}
            for span, score in part:
                record = records.get(span.document_id)
                # A passage of a document that is gone, or not as it was, is on its way out of the index.
                # The index knows a document by its id alone, and it may be excluded by its DOI or PMID.
                if not record or record.hash != span.document_hash or not is_eligible(query, cards[record.id]):
                    continue
                # A span beyond the text shows that the index is damaged: a quote cut there would be of other words.
                if 0 <= span.start < span.end <= len(record.text):
                    hits.append(Hit(passage=_build_passage(span, record, cards[record.id]), score=score))
                else:
                    out[record.id] = None
            if len(hits) >= limit:
                break
        return SearchResult(hits[:limit], describe_damage(self._catalogue.folder.name, [*out]))


def describe_damage(library: str, ids: Sequence[str]) -> tuple[str, ...]:
    """A note that what is stored of these documents is damaged, and left out; none where nothing is."""
    return (f"left out: {damage_message(library, ids)}",) if ids else ()


def damage_message(library: str, ids: Sequence[str]) -> str:
    """Which documents are damaged, and what to do about it."""
    more = f" and {len(ids) - MAX_NAMED_DOCUMENTS:,} more" if len(ids) > MAX_NAMED_DOCUMENTS else ""
    remedy = f"`wellsourced library verify {library}` says how to mend it"
    return f"what is stored of {', '.join(ids[:MAX_NAMED_DOCUMENTS])}{more}, which is damaged; {remedy}"


def _encode_query(encoder: Encoder, query: Query) -> NDArray[np.float32]:
    """float32 (dim,), a unit vector, or zeros for a query without words."""
    texts = [query.text, " ".join(query.also)]
    own, also = encoder.encode(texts, "query") if texts[1] else (*encoder.encode(texts[:1], "query"), 0)
    vector: NDArray[np.float32] = own + np.float32(EXTRA_WORD_WEIGHT) * also
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def _compute_cosines(vector: NDArray[np.float32], known: Mapping[str, NDArray[np.float32]]) -> dict[str, float]:
    if not known:
        return {}
    return dict(zip(known, compare_vectors(np.array(list(known.values())), vector).tolist(), strict=True))


def _build_passage(span: PassageSpan, record: StoredDocument, card: Reference) -> Passage:
    return Passage(
        reference=card,
        text=record.text[span.start : span.end],
        start=span.start,
        end=span.end,
        section=span.section,
        page=record.printed_page(span.start, span.end),
        stands_for_document=span.stands_for_document,
    )
