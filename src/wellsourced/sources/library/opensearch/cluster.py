"""An index on OpenSearch, asked over the project's own way out: requests, bulks, scans, and failures in words.

A dozen endpoints are needed, each a method, a path and JSON. The official client would bring a second HTTP stack with
its own connections, retries and discovery of hosts, past the guard and the ledger: here everything goes by
`Client.open_provider_client`, which is refused offline, checks certificates, writes down and sends again.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from wellsourced.errors import NextStep, SourceError, SourceRefused, SourceUnavailable

Json: TypeAlias = dict[str, Any]

BULK_BYTES = 4_000_000
"""Of one bulk: a server holds several in its memory, and each is waited for before the next is sent."""

BULK_ITEMS = 2_000

BULK_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before what a busy server did not take is sent again."""

SCAN_PAGE = 5_000
SCAN_ALIVE = "5m"

BUSY_STATUSES = (429, 503)
CREDENTIAL_STATUSES = (401, 403)

ANSWER_PARTS = (
    "timed_out,pit_id,_shards.total,_shards.successful,hits.total,hits.hits._score,hits.hits.sort,hits.hits.fields,"
    "aggregations"
)
"""Parts of the answer to a search that are read; the others are not sent."""

BLOCK = "cluster_block_exception"


class HttpAnswer(Protocol):
    """What came back: also a refusal of 4xx, which is read here."""

    status_code: int

    @property
    def content(self) -> bytes: ...

    @property
    def is_success(self) -> bool: ...


class HttpClient(Protocol):
    """The part of `Client.open_provider_client` that is used."""

    async def request(
        self, method: str, url: str, *, params: dict[str, str], content: bytes | None, headers: dict[str, str]
    ) -> HttpAnswer: ...


class BulkAction(NamedTuple):
    """One line of a bulk, and the line with the document, if it has one: {"index": {"_id": …}}, {…}."""

    action: Json
    document: Json | None = None

    def encode(self) -> bytes:
        lines = [self.action] if self.document is None else [self.action, self.document]
        return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines)


class SearchAnswer(NamedTuple):
    """Hits as OpenSearch gives them, how many match in all, and what is missing, as phrases.

    buckets   (key, documents) of the aggregation "words", where one was asked for
    """

    hits: list[Json]
    total: int
    notes: tuple[str, ...]
    pit: str = ""
    buckets: tuple[tuple[str, int], ...] = ()


class Cluster:
    """The servers of one library, and the name of an index there, or of its alias.

    bases           addresses with their scheme, the one that answers first; shared by who asks the same servers
    authorization   a header's value; "" for none
    remedy          what to do about an index that cannot be used
    """

    def __init__(self, http: HttpClient, bases: list[str], index: str, authorization: str, remedy: NextStep) -> None:
        self.index, self.remedy = index, remedy
        self._http, self._bases, self._authorization = http, bases, authorization

    def with_index(self, index: str) -> Self:
        """The same servers, for another index."""
        return type(self)(self._http, self._bases, index, self._authorization, self.remedy)

    @property
    def place(self) -> str:
        """Where the index is, in words for a message."""
        return f"{self._bases[0].partition('://')[2]}/{self.index}"

    async def ask(
        self,
        method: str,
        path: str,
        body: Json | bytes | None = None,
        params: Mapping[str, str] | None = None,
        *,
        missing: bool = False,
        timed_out: bool = False,
    ) -> Json:
        """What the cluster answers; {} for what is not there, where that may be `missing`.

        timed_out   an answer that the time for it ran out (408) is one

        Raises SourceUnavailable and SourceRefused, with the reason that the server gives.
        """
        for tries_left in range(len(self._bases) - 1, -1, -1):
            try:
                answer = await self._send(method, self._bases[0] + path, body, params)
                break
            except SourceUnavailable as error:
                # Asking another server helps where this one does not answer, and not where the cluster is in trouble.
                if error.status or not tries_left:
                    raise
                self._bases.append(self._bases.pop(0))
        if answer.status_code == 404 and missing:
            return {}
        if answer.is_success or (answer.status_code == 408 and timed_out):
            return _read_json(answer.content)
        raise self._build_error(answer.status_code, _find_reason(answer.content))

    async def _send(
        self, method: str, url: str, body: Json | bytes | None, params: Mapping[str, str] | None
    ) -> HttpAnswer:
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {"Authorization": self._authorization} if self._authorization else {}
        content = body if isinstance(body, bytes) or body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            headers["Content-Type"] = kind
        return await self._http.request(method, url, params=dict(params or {}), content=content, headers=headers)

    def _build_error(self, status: int, reason: "Reason") -> SourceError:
        if reason.type == BLOCK:
            return describe_block(self.place, reason.text)
        if status in CREDENTIAL_STATUSES:
            return SourceRefused(
                f"{self.place} refused access ({status}). Check opensearch.key (an API key, or user:password), and "
                "what that user may do."
            )
        if status == 404:
            return self.describe_loss()
        return SourceRefused(f"{self.place} refused a request ({status}, {reason})", next_step=self.remedy)

    def describe_loss(self) -> SourceRefused:
        """The index is not there."""
        return SourceRefused(f"{self.place} is missing on the server. No document is lost.", next_step=self.remedy)

    async def search(self, body: Json, params: Mapping[str, str] | None = None, *, partial: bool) -> SearchAnswer:
        """What is found.

        partial   also where not all shards answer, with a note; else that raises SourceUnavailable
        """
        path = "/_search" if "pit" in body else f"/{self.index}/_search"
        wanted = {"filter_path": ANSWER_PARTS, "allow_partial_search_results": str(partial).lower(), **(params or {})}
        # Stored fields are blocks that are unpacked for each hit, which takes longer than finding it: columns are read.
        answer = await self.ask(
            "POST", path, {"_source": False, "stored_fields": "_none_", "track_total_hits": False, **body}, wanted
        )
        shards, found = answer["_shards"], answer.get("hits", {})
        notes = []
        if lost := shards["total"] - shards["successful"]:
            notes.append(f"{lost} of {shards['total']} shards of {self.place} did not answer")
        if answer.get("timed_out"):
            notes.append(f"{self.place} did not finish in time")
        # A cluster that loses a node answers so even where it was told not to.
        if notes and not partial:
            raise SourceUnavailable(f"{notes[0]}: try again later")
        buckets = answer.get("aggregations", {}).get("words", {}).get("buckets", ())
        return SearchAnswer(
            found.get("hits", []),
            found.get("total", {}).get("value", 0),
            tuple(notes),
            answer.get("pit_id", ""),
            tuple((bucket["key"], bucket["doc_count"]) for bucket in buckets),
        )

    async def count_each(self, queries: Iterable[Json]) -> list[int]:
        """How many documents of the index match each of these queries, asked in one request."""
        lines = [part for query in queries for part in ({}, {"size": 0, "track_total_hits": True, "query": query})]
        body = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
        params = {"filter_path": "responses.status,responses.error,responses._shards,responses.hits.total"}
        answer = await self.ask("POST", f"/{self.index}/_msearch", body, params) if body else {"responses": []}
        return [self._read_count(part) for part in answer["responses"]]

    def _read_count(self, answer: Json) -> int:
        if reason := answer.get("error"):
            raise self._build_error(int(answer.get("status", 400)), Reason.of(reason))
        shards = answer["_shards"]
        if lost := shards["total"] - shards["successful"]:
            raise SourceUnavailable(
                f"{lost} of {shards['total']} shards of {self.place} did not answer: try again later"
            )
        return int(answer["hits"]["total"]["value"])

    async def scan(self, query: Json, fields: Sequence[str]) -> AsyncIterator[Json]:
        """Every hit of a query, in the order of ids, as the index was when this began."""
        alive = {"keep_alive": SCAN_ALIVE, "allow_partial_pit_creation": "false"}
        pit = (await self.ask("POST", f"/{self.index}/_search/point_in_time", None, alive))["pit_id"]
        try:
            body: Json = {"query": query, "docvalue_fields": [*fields], "size": SCAN_PAGE, "sort": [{"id": "asc"}]}
            while True:
                page = await self.search({**body, "pit": {"id": pit, "keep_alive": SCAN_ALIVE}}, partial=False)
                for hit in page.hits:
                    yield hit
                if len(page.hits) < SCAN_PAGE:
                    return
                body["search_after"], pit = page.hits[-1]["sort"], page.pit or pit
        finally:
            # Left open, it would hold files of the server until it times out.
            await self.ask("DELETE", "/_search/point_in_time", {"pit_id": [pit]}, missing=True)

    async def write(self, actions: Iterable[BulkAction]) -> None:
        """Send a bulk in parts, each waited for; what a busy server does not take is sent again.

        Raises SourceUnavailable when the server stays busy or its disk is full, SourceRefused for a document that it
        will not take. Anything may have been taken by then.
        """
        waiting = iter(actions)
        while part := await asyncio.to_thread(_take_part, waiting):
            for delay in (*BULK_DELAYS, None):
                part = await self._write_part(part)
                if not part:
                    break
                if delay is None:
                    raise SourceUnavailable(f"{self.place} is too busy to take {len(part):,} changes: try again later")
                await asyncio.sleep(delay)

    async def _write_part(self, part: Sequence[bytes]) -> list[bytes]:
        """Send it once; what has to be sent again."""
        answer = await self.ask(
            "POST", f"/{self.index}/_bulk", b"".join(part), {"filter_path": "errors,items.*.status,items.*.error"}
        )
        if not answer.get("errors"):
            return []
        again: list[bytes] = []
        for line, item in zip(part, answer["items"], strict=True):
            (result,) = item.values()
            status, reason = int(result.get("status", 200)), Reason.of(result.get("error"))
            if reason.type == BLOCK:
                raise describe_block(self.place, reason.text)
            if status in BUSY_STATUSES:
                again.append(line)
            # What is deleted may be gone already; what has a number, be replaced by a later one.
            elif status >= 400 and status not in (404, 409):
                raise self._build_error(status, reason)
        return again

    async def refresh(self) -> None:
        """Make searches see what was written. Raises SourceUnavailable where a shard cannot."""
        answer = await self.ask("POST", f"/{self.index}/_refresh")
        # Copies that are not there have nothing to refresh; only a failure is one.
        if failed := answer["_shards"]["failed"]:
            raise SourceUnavailable(f"{failed} shards of {self.place} cannot be refreshed: try again later")


class Reason(NamedTuple):
    """Why the server refused something: the class of its error and its words."""

    type: str = ""
    text: str = ""

    def __str__(self) -> str:
        return f"{self.type}: {self.text[:200]}" if self.type else self.text[:200] or "no reason given"

    @classmethod
    def of(cls, error: object) -> "Reason":
        if not isinstance(error, dict):
            return cls(text=str(error or ""))
        # The innermost says what is wrong, the outer ones where.
        while isinstance(inner := error.get("caused_by") or next(iter(error.get("root_cause", ())), None), dict):
            if inner.get("type") == error.get("type"):
                break
            error = inner
        return cls(str(error.get("type", "")), str(error.get("reason", "")))


def describe_block(place: str, reason: str) -> SourceError:
    """A block on writing in words: a disk that is nearly full passes, what somebody set does not."""
    if "read-only-allow-delete" in reason or "disk usage" in reason:
        return SourceUnavailable(
            f"{place} takes no documents: the server's disk is nearly full. Free space there and add the files again."
        )
    return SourceRefused(f"{place} was made read-only on the server ({reason[:120]}). Ask its administrator.")


def _take_part(waiting: Iterable[BulkAction]) -> list[bytes]:
    """The next lines of a bulk, as many as are sent at once."""
    part: list[bytes] = []
    size = 0
    for action in waiting:
        part.append(action.encode())
        size += len(part[-1])
        if size >= BULK_BYTES or len(part) >= BULK_ITEMS:
            break
    return part


def _read_json(content: bytes) -> Json:
    try:
        answer = json.loads(content or b"{}")
    except ValueError as error:
        raise SourceRefused(
            "The server's answer is not JSON: it is not OpenSearch, or a proxy answers in its place"
        ) from error
    if not isinstance(answer, dict):
        raise SourceRefused("The server's answer is not one of OpenSearch")
    return answer


def _find_reason(content: bytes) -> Reason:
    """The reason in an answer that is a refusal; it may be cut off."""
    try:
        return Reason.of(json.loads(content).get("error"))
    except (ValueError, AttributeError):
        return Reason(text=" ".join(content.decode(errors="replace").split())[:200])
