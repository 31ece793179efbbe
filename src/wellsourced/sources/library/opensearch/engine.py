"""Passages of a library found on OpenSearch: ranked by word with BM25, by meaning with a graph over rounded vectors.

What is sent there are stemmed words, days, ids and vectors, and of a question its stemmed words and its vector; texts
stay in the catalogue. Vectors are searched as bytes, each scaled by its largest number, and what is found is ranked by
cosines computed here from the vectors in half precision that come with it.
"""

import asyncio
import base64
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import SecretStr

from wellsourced.encoders.base import Vectors
from wellsourced.errors import NextStep, SettingsError, SourceRefused
from wellsourced.http import Client
from wellsourced.privacy.loopback import is_loopback
from wellsourced.sources.library.bm25_index import analyze_words, weigh_words
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.engines import (
    EngineAddress,
    IndexedPassage,
    NewPassage,
    PassageCounts,
    PassageFilter,
    Ranking,
    ScoredPassage,
)
from wellsourced.sources.library.opensearch.cluster import BulkAction, Cluster, Json
from wellsourced.sources.library.opensearch.index import (
    DOCUMENT_FIELDS,
    EVERYTHING,
    VECTOR_FIELDS,
    WORD_FIELDS,
    AliasedIndex,
    LibraryIndex,
    build_period,
    check_server,
    make_key,
)
from wellsourced.sources.library.opensearch.selector import OpenSearchSelector
from wellsourced.sources.library.vector_search import compare_vectors
from wellsourced.types import Query

SCHEME = "opensearch"
HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}")
INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,100}")

REQUEST_SECONDS = 60.0
"""For one request, of which a bulk takes longest."""

ATTEMPTS = 4
"""How often a request is sent at most: a cluster that loses a node needs a second or two."""

PACE = 1_000.0
"""Requests a second to a cluster, at most: it is the user's own, and says itself when it has enough."""

MAX_EXACT = 10_000
"""Up to so many vectors each is compared; of more, a graph is searched."""

MARGIN = 50
"""Passages that are ranked beyond those that are asked for: rounding may have put one behind another."""

MAX_HITS = 10_000
"""Hits of one search, unless an index is told otherwise."""

MAX_KEPT_VECTORS = 20_000
"""Vectors that are kept from one search to the next: 15 MB."""

IDS_AT_ONCE = 1_000
"""Documents, or passages, that are asked for by their ids at a time."""

FOUND_COLUMNS = ("id", "document_hash")
VECTOR_COLUMNS = (*FOUND_COLUMNS, "packed")
KEPT_COLUMNS = ("id", "document_id", "document_hash", "earliest", "latest", "text_hash")
"""Columns that stay what they are when a vector comes or goes."""

ENCODED: Json = {"exists": {"field": "packed"}}


class QueryFilter(Protocol):
    """What becomes of a query before it leaves this machine; see privacy.privacy_filter.PrivacyFilter."""

    def clear_query(self, query: Query, to: str) -> Query: ...

    def disclose(self, host: str, to: str, words: str, concealed: str = "") -> None: ...


class OpenSearchEngine:
    """The engine of one library; what it promises is in engines.PassageFinder.

    host            "host:port" where another machine is asked, "" for this one
    words, vectors  its two indexes; each has every passage, the second also those that have no vector yet
    """

    def __init__(
        self,
        words: LibraryIndex,
        vectors: LibraryIndex,
        documents: LibraryIndex,
        host: str,
        encoder: str,
        exit: QueryFilter,
    ) -> None:
        self.host, self.words, self.vectors, self.documents, self._encoder = host, words, vectors, documents, encoder
        self._exit = exit
        self._state: AliasedIndex | None = None
        self._encoded, self._shards = 0, 1
        # By passage and hash: most of what a search asks for came with its own ranking, or with that of the last one.
        self._vectors: dict[tuple[str, int], NDArray[np.float16]] = {}
        self._is_prepared = self._is_dropped = False
        self._lock = asyncio.Lock()

    def clear_query(self, query: Query) -> Query:
        if not self.host:
            return query
        clear = self._exit.clear_query(query, self.host)
        self._exit.disclose(self.host, self.words.cluster.place, " ".join((*clear.terms, *clear.also)))
        return clear

    def open_selector(self, catalogue: DocumentStore) -> OpenSearchSelector:
        """What selects whole documents, of this library."""
        return OpenSearchSelector(self.documents, catalogue, self)

    def refresh(self) -> None:
        self._state, self._vectors = None, {}

    def close(self) -> None:
        self._state = None

    async def _find_state(self) -> AliasedIndex:
        """The index of vectors; both are looked at again after each refresh. Raises SourceRefused for a missing one."""
        async with self._lock:
            if self._is_dropped:
                return AliasedIndex("", 0)
            if self._state is None:
                words, state = await asyncio.gather(self.words.find_existing(), self.vectors.find_existing())
                self._shards = words.shards
                self._encoded = (await self.vectors.cluster.count_each([ENCODED]))[0] if state.dim else 0
                self._state = state
            return self._state

    async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
        weights = weigh_words(text, also)
        if not weights or limit < 1 or self._is_dropped:
            return Ranking([])
        await self._find_state()
        words: Json = {
            "bool": {"should": [{"term": {"searched": {"value": w, "boost": b}}} for w, b in weights.items()]}
        }
        filters = _build_filter(wanted)
        body: Json = {
            "query": {"bool": {"must": [words], **filters}} if filters else words,
            "docvalue_fields": [*FOUND_COLUMNS],
            "size": min(limit + MARGIN, MAX_HITS),
        }
        # A question is asked of the same copies each time, and how rare a word is counts over all shards.
        params = {"preference": _name_copies(weights)}
        if self._shards > 1:
            params["search_type"] = "dfs_query_then_fetch"
        answer = await self.words.cluster.search(body, params, partial=True)
        scores = [hit["_score"] for hit in answer.hits]
        if len(scores) == body["size"] and (limit >= MAX_HITS or scores[limit - 1] == scores[-1]):
            # So many tie that some of them are not here: the server orders them by id, which takes it longer.
            body |= {"sort": [{"_score": "desc"}, {"id": "asc"}], "track_scores": True}
            answer = await self.words.cluster.search(body, params, partial=True)
        ranked = [ScoredPassage(_read_passage(hit), float(hit["_score"])) for hit in answer.hits]
        return Ranking(sorted(ranked, key=lambda one: (-one.score, one.passage.id))[:limit], answer.notes)

    async def rank_by_vector(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> Ranking:
        state = await self._find_state()
        if not state.dim or limit < 1:
            return Ranking([])
        asked, rounded = min(limit + MARGIN, MAX_HITS), _round_vector(vector)
        body: Json = {"docvalue_fields": [*VECTOR_COLUMNS], "size": asked, "sort": [{"_score": "desc"}, {"id": "asc"}]}
        if self._encoded <= MAX_EXACT:
            body["query"] = _compare_each(rounded, wanted)
        else:
            near: Json = {"vector": rounded, "k": asked}
            if filters := _build_filter(wanted):
                near["filter"] = {"bool": filters}
            body["query"] = {"knn": {"vector": near}}
        params = {"preference": _name_copies(map(str, rounded))}
        answer = await self.vectors.cluster.search(body, params, partial=True)
        ranked = await asyncio.to_thread(self._rank_by_cosine, answer.hits, vector, limit)
        return Ranking(ranked, answer.notes)

    def _rank_by_cosine(self, hits: Sequence[Json], vector: NDArray[np.float32], limit: int) -> list[ScoredPassage]:
        if not hits:
            return []
        here = [(_read_passage(hit), _unpack(hit)) for hit in hits]
        self._keep_vectors(here)
        cosines = compare_vectors(np.array([packed for _, packed in here], np.float32), vector).tolist()
        ranked = [ScoredPassage(passage, cosine) for (passage, _), cosine in zip(here, cosines, strict=True)]
        return sorted(ranked, key=lambda one: (-one.score, one.passage.id))[:limit]

    def _keep_vectors(self, here: Sequence[tuple[IndexedPassage, NDArray[np.float16]]]) -> None:
        if len(self._vectors) > MAX_KEPT_VECTORS:
            self._vectors = {}
        self._vectors |= {passage[:2]: packed for passage, packed in here}

    async def load_vectors(self, passages: Sequence[IndexedPassage]) -> dict[str, NDArray[np.float32]]:
        if not passages or not (await self._find_state()).dim:
            return {}
        found = {passage[:2]: self._vectors[passage[:2]] for passage in passages if passage[:2] in self._vectors}
        missing = {passage[:2] for passage in passages} - found.keys()
        hits = await self._load_hits([id for id, _ in missing], VECTOR_COLUMNS)
        new = [(_read_passage(hit), _unpack(hit)) for hit in hits if "packed" in hit["fields"]]
        self._keep_vectors(new)
        found |= {passage[:2]: packed for passage, packed in new if passage[:2] in missing}
        return {id: packed.astype(np.float32) for (id, _), packed in found.items()}

    async def _load_hits(self, ids: Sequence[str], columns: Sequence[str]) -> list[Json]:
        """Those of these passages that are here. Raises SourceUnavailable where a shard does not answer."""
        hits: list[Json] = []
        for start in range(0, len(ids), IDS_AT_ONCE):
            keys = [make_key(id) for id in ids[start : start + IDS_AT_ONCE]]
            body = {"query": {"ids": {"values": keys}}, "docvalue_fields": [*columns], "size": IDS_AT_ONCE}
            hits += (await self.vectors.cluster.search(body, partial=False)).hits
        return hits

    async def prepare(self) -> None:
        # Once for each opening: what happens to an index after that is seen by who writes.
        if not self._is_prepared:
            await check_server(self.words.cluster)
            await self.words.make_ready()
            state = await self.vectors.make_ready()
            known = state.meta.get("encoder", "")
            if state.dim and self._encoder and known not in ("", self._encoder):
                raise SourceRefused(
                    f"{self.vectors.cluster.place} has vectors of {str(known)[:100]}, but this library's are of "
                    f"{self._encoder}. No document is lost.",
                    next_step=self.vectors.cluster.remedy,
                )
            self._state, self._is_prepared, self._is_dropped = None, True, False

    async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
        await self._find_state()
        self._vectors = {}
        ids, new = list(document_ids), {make_key(passage.id) for passage in passages}
        known: dict[int, list[str]] = defaultdict(list)
        # The vectors first: killed before the words, the documents are still pending, and come here again.
        for index in (self.vectors, self.words):
            # What was written and not yet to be seen, by who was killed then, goes too.
            await index.cluster.refresh()
            gone: list[str] = []
            for start in range(0, len(ids), IDS_AT_ONCE):
                of_documents = {"terms": {"document_id": ids[start : start + IDS_AT_ONCE]}}
                async for hit in index.cluster.scan(of_documents, ("text_hash", "packed")):
                    gone.append(make_key(hit["sort"][0]))
                    if packed := hit.get("fields", {}).get("packed"):
                        known[hit["fields"]["text_hash"][0]].append(packed[0])
            await index.cluster.write(BulkAction({"delete": {"_id": key}}) for key in gone if key not in new)
            stored = (self._build_row(passage, known) for passage in passages)
            if index is self.words:
                stored = (_build_words(passage) for passage in passages)
            await index.cluster.write(stored)
            await index.cluster.refresh()

    def _build_row(self, passage: NewPassage, known: Mapping[int, list[str]]) -> BulkAction:
        row = {**_build_place(passage), "text_hash": passage.text_hash}
        # Passages with the same words take over the vectors of those that go, since computing them takes hours.
        if kept := known.get(passage.text_hash):
            row |= _vector_values(_decode(kept.pop()))
        return _store(row)

    async def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        self._state = await self.vectors.add_vector_field(await self._find_state(), vectors.shape[1], self._encoder)
        self._vectors = {}
        row_of = {passage[:2]: row for passage, row in zip(passages, vectors, strict=True)}
        hits = await self._load_hits([passage.id for passage in passages], KEPT_COLUMNS)
        here = [(hit, row_of.get(_read_passage(hit)[:2])) for hit in hits]
        await self.vectors.cluster.write(
            _store({**_read_columns(hit), **_vector_values(row.astype(np.float16))})
            for hit, row in here
            if row is not None
        )
        await self.vectors.cluster.refresh()

    async def drop_vectors(self, encoder: str = "") -> None:
        state = await self._find_state()
        self._vectors, self._encoder = {}, encoder
        if not state.dim:
            return
        following = await self.vectors.begin_next(state)
        target = self.vectors.cluster.with_index(following.name)
        rows: list[BulkAction] = []
        async for hit in self.vectors.cluster.scan(EVERYTHING, KEPT_COLUMNS):
            rows.append(_store(_read_columns(hit)))
            if len(rows) >= MAX_HITS:
                await target.write(rows)
                rows = []
        await target.write(rows)
        await target.refresh()
        await self.vectors.move_to(following, state)
        self._state, self._encoded = following, 0

    async def list_unencoded(
        self, after: IndexedPassage | None, limit: int, only: Collection[str] = ()
    ) -> list[IndexedPassage]:
        await self._find_state()
        named: Json = {"filter": [{"terms": {"document_id": [*only]}}]} if only else {}
        body: Json = {
            "query": {"bool": {"must_not": [ENCODED], **named}},
            "docvalue_fields": [*FOUND_COLUMNS],
            "size": min(limit, MAX_HITS),
            "sort": [{"id": "asc"}],
        }
        if after:
            body["search_after"] = [after.id]
        return [_read_passage(hit) for hit in (await self.vectors.cluster.search(body, partial=False)).hits]

    async def count(self) -> PassageCounts:
        await self._find_state()
        if self._is_dropped:
            return PassageCounts(0, 0)
        (words,), (rows, encoded) = await asyncio.gather(
            self.words.cluster.count_each([EVERYTHING]), self.vectors.cluster.count_each([EVERYTHING, ENCODED])
        )
        # Those that both hold: what one of them lost is missed, and made again.
        return PassageCounts(min(words, rows), encoded)

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        await self._find_state()
        if self._is_dropped:
            return {}
        worded = {hit["sort"][0] async for hit in self.words.cluster.scan(EVERYTHING, ())}
        found: dict[str, tuple[int, int]] = {}
        async for hit in self.vectors.cluster.scan(EVERYTHING, ("document_id", "document_hash")):
            id, hash = hit["fields"]["document_id"][0], hit["fields"]["document_hash"][0]
            known, count = found.get(id, (hash, 0))
            # Two hashes of one document cannot both be right: no hash is.
            found[id] = (hash, count + (hit["sort"][0] in worded)) if known == hash and count >= 0 else (0, -1)
        return found

    async def drop(self, *, vectors: bool) -> None:
        self._state, self._is_prepared, self._is_dropped = None, False, True
        await self.words.delete()
        # What cannot be read is of no use to passages that come again.
        if vectors or not await self._can_read_vectors():
            await self.vectors.delete()
        if vectors:
            await self.documents.delete()

    async def _can_read_vectors(self) -> bool:
        try:
            return await self.vectors.find() is not None
        except SourceRefused:
            return False


def _build_filter(wanted: PassageFilter) -> Json:
    """The parts of a Boolean query that decide what may be found."""
    filters: list[Json] = []
    if period := wanted.period:
        filters += build_period(period)
    if wanted.only:
        filters.append({"terms": {"document_id": [*wanted.only]}})
    built: Json = {"filter": filters} if filters else {}
    if wanted.exclude:
        built["must_not"] = [{"terms": {"document_id": [*wanted.exclude]}}]
    return built


def _compare_each(rounded: Sequence[int], wanted: PassageFilter) -> Json:
    filters = _build_filter(wanted)
    candidates = {"bool": {**filters, "filter": [{"exists": {"field": "vector"}}, *filters.get("filter", ())]}}
    params = {"field": "vector", "query_value": rounded, "space_type": "cosinesimil"}
    return {"script_score": {"query": candidates, "script": {"lang": "knn", "source": "knn_score", "params": params}}}


def _build_place(passage: NewPassage) -> Json:
    return {
        "id": passage.id,
        "document_id": passage.document_id,
        "document_hash": passage.document_hash,
        "earliest": passage.days.earliest,
        "latest": passage.days.latest,
    }


def _build_words(passage: NewPassage) -> BulkAction:
    return _store({**_build_place(passage), "searched": " ".join(analyze_words(passage.searched))})


def _store(row: Json) -> BulkAction:
    """Store a passage under its key, whatever was there."""
    return BulkAction({"index": {"_id": make_key(row["id"])}}, row)


def _read_columns(hit: Json) -> Json:
    return {name: hit["fields"][name][0] for name in KEPT_COLUMNS}


def _vector_values(vector: NDArray[np.float16]) -> Json:
    """The fields of a vector. A vector of zeros is near nothing, and no server takes it as one."""
    packed = base64.b64encode(vector.astype("<f2").tobytes()).decode()
    return {"packed": packed, "vector": _round_vector(vector)} if vector.any() else {"packed": packed}


def _round_vector(vector: NDArray[np.float16] | NDArray[np.float32]) -> list[int]:
    """The vector in whole numbers of a byte: a cosine does not see by what both were multiplied."""
    values = vector.astype(np.float32)
    rounded: list[int] = np.rint(values * (127 / (np.abs(values).max() or 1))).astype(int).tolist()
    return rounded


def _unpack(hit: Json) -> NDArray[np.float16]:
    return _decode(hit["fields"]["packed"][0])


def _decode(packed: str) -> NDArray[np.float16]:
    # The server gives it back without the signs that fill it up at its end.
    return np.frombuffer(base64.b64decode(packed + "=="), "<f2")


def _read_passage(hit: Json) -> IndexedPassage:
    fields = hit["fields"]
    return IndexedPassage(fields["id"][0], fields["document_hash"][0])


def _name_copies(words: Iterable[str]) -> str:
    """What says which copy of a shard is asked: two copies may have counted what is deleted differently."""
    return blake2b(" ".join(words).encode(), digest_size=8).hexdigest()


class ParsedAddress(NamedTuple):
    """The servers of an address, "host:port" each, and the name of its index there."""

    hosts: tuple[str, ...]
    name: str


def parse_address(url: str) -> ParsedAddress:
    """What "opensearch://HOST:PORT[,HOST:PORT…]/INDEX" names. Raises SettingsError."""
    scheme, _, rest = url.partition("://")
    hosts, _, index = rest.partition("/")
    if scheme != SCHEME or not all(HOST.fullmatch(host) for host in hosts.split(",")):
        raise SettingsError(f"“{url[:80]}” is not an address of OpenSearch. Write opensearch://host:9200/index.")
    if not INDEX_NAME.fullmatch(index):
        raise SettingsError(f"“{index[:80]}” cannot name an index. Use small letters, digits, “-” and “_”.")
    return ParsedAddress(tuple(hosts.split(",")), index)


def open_engine(
    address: EngineAddress, client: Client, url: str = "", key: SecretStr | None = None
) -> OpenSearchEngine:
    """The engine at an address; nobody is asked yet. Raises SettingsError.

    url   "https://host:port", where the settings say that the cluster is now; else the hosts of the address are asked
    key   an API key, or "user:password"
    """
    hosts, name = parse_address(address.url)
    if url.startswith(("https://", "http://")):
        bases = [url.rstrip("/")]
        is_local = is_loopback(urlsplit(url).hostname or "")
    else:
        is_local = all(is_loopback(host.rpartition(":")[0]) for host in hosts)
        # Over plain HTTP words would be readable on the way, so the client refuses that for any other machine.
        bases = [f"{'http' if is_local else 'https'}://{host}" for host in hosts]
    http = client.open_provider_client(attempts=ATTEMPTS, seconds=REQUEST_SECONDS, pace=PACE)
    cluster = Cluster(http, bases, name, _build_authorization(key), NextStep("rebuild library", address.library))
    meta = {"owner": address.owner, "library": address.library}
    words = LibraryIndex(cluster, WORD_FIELDS, meta)
    vectors = LibraryIndex(cluster.with_index(f"{name}-vectors"), VECTOR_FIELDS, meta)
    asked = "" if is_local else ",".join(base.partition("://")[2] for base in bases)
    documents = LibraryIndex(cluster.with_index(f"{name}-documents"), DOCUMENT_FIELDS, meta)
    return OpenSearchEngine(words, vectors, documents, asked, address.encoder, client.exit)


def _build_authorization(key: SecretStr | None) -> str:
    """The header that says who asks; "" for nobody."""
    value = key.get_secret_value() if key else ""
    if ":" in value:
        return f"Basic {base64.b64encode(value.encode()).decode()}"
    return f"ApiKey {value}" if value else ""
