"""Responses of services, kept in a SQLite file that several processes may share.

It is our own, because what is asked of it is not what RFC 9111 describes, and hishel follows that: here the caller says
how old an answer may be, however long the server would let it be used; a question that is POSTed is kept like any
other; and neither the address nor the headers are stored in a form that could give a key away. Of what the server
says, `no-store` is obeyed, and its ETag and date of change are used to ask whether an answer still stands.
"""

import json
from pathlib import Path
from typing import NamedTuple

import httpx2

from wellsourced.http.clock import Clock
from wellsourced.http.response import Response
from wellsourced.storage.private_files import close_to_others
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache

MAX_BYTES = 512 * 1024 * 1024
"""Of all answers that are kept; those used longest ago go first."""

UNCACHED_HEADERS = {"set-cookie", "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}


class CachedResponse(NamedTuple):
    """An answer, and when (seconds since 1970) the server last said that it stands."""

    validated_at: float
    response: Response

    @property
    def conditions(self) -> dict[str, str]:
        """Headers that ask whether it still stands; none when the server gave nothing to ask by."""
        return conditional_headers(self.response)


class ResponseCache:
    """Answers of servers by the key of their request.

    folder   made when something is first kept; readable by its owner alone, for it tells what was asked
    room     bytes of all answers; one that would take an eighth of it is not kept
    """

    def __init__(self, folder: Path, clock: Clock, room: int = MAX_BYTES) -> None:
        close_to_others(folder)
        self._entries = SqliteCache(folder / "answers.sqlite", room, what="answers of servers", wall=clock.wall)

    async def find(self, key: bytes) -> CachedResponse | None:
        """What was answered before; an entry that cannot be read is forgotten."""
        entry = (await self._entries.find(key)).get(key)
        if entry is None:
            return None
        try:
            return _load_response(entry)
        except (ValueError, TypeError):
            await self._entries.delete(key)
            return None

    async def store(self, key: bytes, reply: Response) -> None:
        """The server gave this answer just now."""
        if "no-store" not in reply.headers.get("Cache-Control", "").lower():
            await self._entries.store({key: _build_entry(reply)})

    async def close(self) -> None:
        """Let go of the file."""
        await self._entries.close()


def conditional_headers(reply: Response) -> dict[str, str]:
    """Headers that ask whether a reply still stands (RFC 9110, 13.1)."""
    said = {"If-None-Match": reply.headers.get("ETag"), "If-Modified-Since": reply.headers.get("Last-Modified")}
    return {name: value for name, value in said.items() if value}


def _build_entry(reply: Response) -> CacheEntry:
    headers = [pair for pair in reply.headers.items() if pair[0].lower() not in UNCACHED_HEADERS]
    return CacheEntry(json.dumps([reply.url, reply.status, reply.type, headers]), reply.content)


def _load_response(entry: CacheEntry) -> CachedResponse:
    url, status, kind, headers = json.loads(entry.meta)
    named = httpx2.Headers([(str(name), str(value)) for name, value in headers])
    return CachedResponse(entry.stored_at, Response(url, status, kind, named, entry.body))
