"""The indexes of a library on OpenSearch: how they are laid out, made, recognised, and followed by the next ones.

A library has two, of its words and of its vectors: a vector that comes later touches no words, which would count twice
until the server merges the old ones away. The names are aliases. Behind each is one index, NAME-1, NAME-2 …: what
cannot be changed in place is made as the next one, and the alias moves in one step, so that a search sees one or the
other. An index says in its `_meta` whose it is; what differs from what we would make is refused before it is written.
"""

import re
from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.sources.library.opensearch.cluster import Cluster, Json, describe_block
from wellsourced.sources.library.word_index.entries import WORD_FIELDS as WORD_COLUMNS
from wellsourced.text.dates import DayRange

FORMAT = 1
"""Raised whenever what is stored changes."""

OLDEST_SERVER = (2, 12)
"""The first version with everything that is used here."""

PLACE_FIELDS: Json = {
    "id": {"type": "keyword"},
    "document_id": {"type": "keyword"},
    "document_hash": {"type": "long", "index": False},
    "earliest": {"type": "integer"},
    "latest": {"type": "integer"},
}

WORD_FIELDS: Json = {
    **PLACE_FIELDS,
    # Words as the embedded engine has them, stemmed before they are sent: both rank by the same ones, in any version.
    # Without positions: nobody asks for phrases, and they would double it.
    "searched": {"type": "text", "analyzer": "words", "index_options": "freqs"},
}

VECTOR_FIELDS: Json = {
    **PLACE_FIELDS,
    "text_hash": {"type": "long", "index": False},
    # The vector in half precision, to compute cosines with; what is searched is rounded to bytes.
    "packed": {"type": "binary", "doc_values": True},
}

EVERYTHING: Json = {"match_all": {}}

SOURCE: Json = {"enabled": False}
"""Everything that is read back is in columns: the documents themselves would double what is stored."""

HEALTH_TIMEOUT = "10s"
"""How long is waited for the shards of an index to start."""

ANALYSIS: Json = {"analyzer": {"words": {"type": "custom", "tokenizer": "whitespace"}}}
SIMILARITY: Json = {"default": {"type": "BM25", "k1": "1.2", "b": "0.75"}}


def make_key(id: str) -> str:
    """A key on the server, where ids may be no longer than 512 bytes."""
    return blake2b(id.encode(), digest_size=16).hexdigest()


def build_period(period: DayRange) -> list[Json]:
    """What finds all that may have been published in this period."""
    return [{"range": {"latest": {"gte": period.earliest}}}, {"range": {"earliest": {"lte": period.latest}}}]


def vector_field(dim: int) -> Json:
    """How vectors of this width are searched. The engine is always named: the server's own choice may not be there."""
    method = {
        "name": "hnsw",
        "engine": "lucene",
        "space_type": "cosinesimil",
        "parameters": {"m": 16, "ef_construction": 100},
    }
    return {"type": "knn_vector", "dimension": dim, "data_type": "byte", "method": method}


DOCUMENT_FIELDS: Json = {
    "id": {"type": "keyword"},
    "earliest": {"type": "integer"},
    "latest": {"type": "integer"},
    "identities": {"type": "keyword", "doc_values": False},
    "tags": {"type": "keyword", "doc_values": False},
    # Each word of a document once: what the library's words are, and how many documents hold one.
    "words": {"type": "keyword"},
    **{name: {"type": "text", "analyzer": "words", "norms": False} for name in WORD_COLUMNS},
}


class AliasedIndex(NamedTuple):
    """The index behind the alias, as it was found.

    dim    the width of its vectors, 0 without any
    meta   what it says of itself, beside what it was made with: the encoder, the change that it knows
    """

    name: str
    dim: int
    shards: int = 1
    meta: Mapping[str, Any] = MappingProxyType({})


class LibraryIndex:
    """One index of a library.

    cluster   asks the alias
    meta      what the index says of itself: its owner (engines.EngineAddress), the library's name, what it is for
    """

    def __init__(self, cluster: Cluster, fields: Json, meta: Mapping[str, str]) -> None:
        self.cluster = cluster
        self._fields = fields
        self._meta: Json = {"format": FORMAT, **meta}

    async def find(self) -> AliasedIndex | None:
        """The index, when it is this library's and laid out as it should be; None where there is none.

        Raises SourceRefused for any other.
        """
        alias = self.cluster.index
        found = await self.cluster.ask("GET", f"/{alias}", missing=True)
        if not found:
            return None
        if alias in found or len(found) > 1:
            kind = "an index" if alias in found else "an alias of several indexes"
            raise SourceRefused(f"{self.cluster.place} is {kind} of another program. Choose another name.")
        ((name, what),) = found.items()
        mappings, settings = what["mappings"], what["settings"]["index"]
        self._check(mappings, settings)
        dim = mappings["properties"].get("vector", {}).get("dimension", 0)
        return AliasedIndex(name, dim, int(settings["number_of_shards"]), _read_meta(mappings))

    async def find_existing(self) -> AliasedIndex:
        """The index. Raises SourceRefused for a missing one too."""
        if state := await self.find():
            return state
        raise self.cluster.describe_loss()

    def _check(self, mappings: Json, settings: Json) -> None:
        place, meta = self.cluster.place, _read_meta(mappings)
        if not meta:
            raise SourceRefused(f"{place} is an index of another program. Choose another name.")
        if meta.get("owner") != self._meta["owner"]:
            other = f"another library ({str(meta.get('library', ''))[:64]})"
            raise SourceRefused(f"{place} is the index of {other}. Choose another name.")
        if meta.get("format") != FORMAT:
            raise SourceRefused(
                f"{place} has format {meta.get('format')}, but this version reads {FORMAT}. No document is lost.",
                next_step=self.cluster.remedy,
            )
        if changed := self._find_changes(mappings, settings):
            raise SourceRefused(
                f"{place} was changed on the server ({', '.join(changed)}). No document is lost.",
                next_step=self.cluster.remedy,
            )

    def _find_changes(self, mappings: Json, settings: Json) -> list[str]:
        """The parts of an index that are not as they were made."""
        fields = dict(mappings.get("properties", {}))
        vector = fields.pop("vector", None)
        changed = [name for name in {**self._fields, **fields} if fields.get(name) != self._fields.get(name)]
        if vector:
            method = vector.get("method", {})
            # Written "byte", it is given back in capitals.
            number = str(vector.get("data_type")).lower()
            if (vector.get("type"), number, method.get("engine")) != ("knn_vector", "byte", "lucene"):
                changed.append(f"vector: engine {method.get('engine')}")
            elif method.get("space_type") != "cosinesimil":
                changed.append("vector: space_type")
        whole = {"dynamic": "strict", "_source": SOURCE}
        changed += [name for name, value in whole.items() if mappings.get(name) != value]
        ranked = {"analysis": ANALYSIS, "similarity": SIMILARITY}
        return changed + [name for name, value in ranked.items() if settings.get(name) != value]

    async def make_ready(self) -> AliasedIndex:
        """The index, made where there is none, and able to be written. What an interrupted change left is deleted.

        Raises SourceRefused for an index that cannot be used, SourceUnavailable for one in trouble.
        """
        state = await self.find()
        if state is None:
            state = await self._create(await self._delete_leftovers("") + 1, {self.cluster.index: {}})
        else:
            await self._delete_leftovers(state.name)
        await self._check_health(state)
        return state

    async def _check_health(self, state: AliasedIndex) -> None:
        """Before a write: what is red may lack what was stored, what is blocked takes nothing."""
        # A new index is red until its shards have started.
        wait = {"wait_for_status": "yellow", "timeout": HEALTH_TIMEOUT}
        health = await self.cluster.ask("GET", f"/_cluster/health/{state.name}", None, wait, timed_out=True)
        if health["status"] == "red":
            lost = health["unassigned_shards"]
            raise SourceUnavailable(
                f"{self.cluster.place} is red: {lost} shards are on no running node. Start the missing nodes first."
            )
        settings = await self.cluster.ask("GET", f"/{state.name}/_settings/index.blocks.*")
        blocks: Mapping[str, Any] = settings.get(state.name, {}).get("settings", {}).get("index", {}).get("blocks", {})
        for block, value in blocks.items():
            if str(value) == "true" and block in ("read_only", "write", "read_only_allow_delete"):
                raise describe_block(self.cluster.place, f"blocks.{block}".replace("_", "-"))

    async def _delete_leftovers(self, current: str) -> int:
        """Delete generations of this library that nobody sees; the number of the last generation."""
        found = await self.cluster.ask("GET", f"/{self.cluster.index}-*/_mapping", missing=True)
        numbers = [0]
        for name, what in found.items():
            number = name.removeprefix(f"{self.cluster.index}-")
            if number.isdecimal():
                numbers.append(int(number))
                if name != current and _read_meta(what["mappings"]).get("owner") == self._meta["owner"]:
                    await self.cluster.ask("DELETE", f"/{name}", missing=True)
        return max(numbers)

    async def _create(self, number: int, aliases: Json) -> AliasedIndex:
        name = f"{self.cluster.index}-{number}"
        nodes = (await self.cluster.ask("GET", "/_cluster/health"))["number_of_data_nodes"]
        settings: Json = {
            # One for each machine, so that all of them work on each question.
            "number_of_shards": max(1, nodes),
            # One copy where there is a second machine for it; on a single one the index is green all the same.
            "auto_expand_replicas": "0-1",
            # Whoever writes says when it is to be seen.
            "refresh_interval": "-1",
            "knn": True,
            "analysis": ANALYSIS,
            "similarity": SIMILARITY,
        }
        meta = {"wellsourced": self._meta}
        mappings = {"dynamic": "strict", "_meta": meta, "_source": SOURCE, "properties": self._fields}
        body = {"settings": {"index": settings}, "mappings": mappings, "aliases": aliases}
        await self.cluster.ask("PUT", f"/{name}", body)
        return AliasedIndex(name, 0, max(1, nodes), self._meta)

    async def remember(self, state: AliasedIndex, properties: Json, **values: object) -> AliasedIndex:
        """Add fields, and to what the index says of itself."""
        meta = {**state.meta, **values}
        body = {"properties": properties, "_meta": {"wellsourced": meta}}
        await self.cluster.ask("PUT", f"/{state.name}/_mapping", body)
        return state._replace(meta=meta)

    async def add_vector_field(self, state: AliasedIndex, dim: int, encoder: str) -> AliasedIndex:
        """Make room for vectors of this encoder. Raises SourceRefused where there are others."""
        if state.dim == dim:
            return state
        if state.dim:
            raise SourceRefused(
                f"{self.cluster.place} has vectors of {state.dim} numbers, not of {dim}.", next_step=self.cluster.remedy
            )
        state = await self.remember(state, {"vector": vector_field(dim)}, encoder=encoder)
        return state._replace(dim=dim)

    async def begin_next(self, state: AliasedIndex) -> AliasedIndex:
        """Make the next generation, which nobody sees before the alias moves."""
        return await self._create(int(state.name.rpartition("-")[2]) + 1, {})

    async def move_to(self, state: AliasedIndex, before: AliasedIndex) -> None:
        """Move the alias to the next generation in one step, and delete the one before."""
        alias = self.cluster.index
        moves = [
            {"remove": {"index": before.name, "alias": alias}},
            {"add": {"index": state.name, "alias": alias}},
        ]
        await self.cluster.ask("POST", "/_aliases", {"actions": moves})
        await self.cluster.ask("DELETE", f"/{before.name}", missing=True)

    async def delete(self) -> None:
        """Delete the index, also one that was changed, if its mark says that it is this library's."""
        found = await self.cluster.ask("GET", f"/{self.cluster.index}", missing=True)
        for name, what in found.items():
            if _read_meta(what["mappings"]).get("owner") != self._meta["owner"]:
                raise SourceRefused(f"{self.cluster.place} is not this library's index, and was not deleted.")
            await self.cluster.ask("DELETE", f"/{name}", missing=True)


async def check_server(cluster: Cluster) -> None:
    """Whether it is OpenSearch of a version that has everything. Raises SourceRefused."""
    version = (await cluster.ask("GET", "/")).get("version", {})
    number, kind = str(version.get("number", "")), version.get("distribution", "")
    if kind != "opensearch" or tuple(int(part) for part in re.findall(r"\d+", number)[:2]) < OLDEST_SERVER:
        wanted = ".".join(map(str, OLDEST_SERVER))
        raise SourceRefused(
            f"{cluster.place} is on {kind or 'another server'} {number[:20]}, not on OpenSearch {wanted} or newer."
        )


def _read_meta(mappings: Json) -> Json:
    """What an index says of itself; {} for one that is nobody's."""
    meta = mappings.get("_meta", {}).get("wellsourced", {})
    return meta if isinstance(meta, dict) else {}
