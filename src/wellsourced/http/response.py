"""What a server said in the end, what it means for who asked, and what is kept of it in a file.

The cache is our own, for hishel keeps what RFC 9111 would, and here something else is wanted: the caller says how old
an answer may be, however long the server would let it be used; a question that is POSTed is kept like any other; and
of a request neither address nor headers are stored, so that no key can be (docs/design/0004-knowledge.md has what was
measured). Of what the server says, `no-store` is obeyed, and its ETag and date of change are used to ask whether an
answer still stands.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http.pacing import Clock
from wellsourced.http.request import Request
from wellsourced.storage.private_files import close_to_others
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache

MAX_QUOTED_CHARACTERS = 200
"""Characters of what a server says that a message quotes."""

MAX_CACHE_BYTES = 512 * 1024 * 1024
"""Of all answers that are kept; those used longest ago go first."""

UNCACHED_HEADERS = {"set-cookie", "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}
"""A cookie may be a key; the others tell of one transfer, and the body is kept unpacked."""


def media_type(headers: httpx2.Headers) -> str:
    """The media type in lower case, without parameters; "" when the server did not say."""
    return headers.get("Content-Type", "").partition(";")[0].strip().lower()


class RawResponse(NamedTuple):
    """`content` is the body of a good answer, the beginning of a bad one.

    stream   what is still to come of a good answer that is told piece by piece; None: all of it is in `content`
    """

    request: Request
    status: int
    headers: httpx2.Headers
    content: bytes
    stream: httpx2.AsyncByteStream | None = None

    @property
    def type(self) -> str:
        return media_type(self.headers)

    @property
    def body_excerpt(self) -> str:
        """The first words of the body, in one line, without tags, secrets, and what a terminal would obey."""
        # A server may be anybody's: what it says must not move the cursor, nor give a key back to the screen.
        text = "".join(letter if letter.isprintable() else " " for letter in self.content.decode("utf-8", "replace"))
        said = " ".join(self.request.redact(_strip_tags(text)).split())[:MAX_QUOTED_CHARACTERS]
        return f"; it said “{said}”" if said else ""

    def to_error(self) -> SourceRefused:
        """The error that an answer other than 2xx is."""
        error = self._build_error()
        error.status = self.status
        return error

    def _build_error(self) -> SourceRefused:
        host, status, path = (
            self.request.host,
            self.status,
            self.request.redact(self.request.sent.url.path)[:MAX_QUOTED_CHARACTERS],
        )
        match status:
            case 404 | 410:
                return NotFoundError(f"{host} has nothing at {path} ({status}){self.body_excerpt}")
            case 401 | 403 if self.request.secrets:
                return SourceRefused(f"{host} refused the request ({status}): check its API key{self.body_excerpt}")
            case 401 | 403:
                return SourceRefused(f"{host} refused access ({status}): it may need an API key{self.body_excerpt}")
        return SourceRefused(f"{host} did not accept the request to {path} ({status}){self.body_excerpt}")


def _strip_tags(text: str) -> str:
    first, *rest = text.split("<")
    return " ".join([first, *(part.partition(">")[2] for part in rest)])


class Response(NamedTuple):
    """A whole answer with a status of 2xx.

    url      the address that answered in the end, after redirects, without secrets
    type     the media type in lower case, without parameters: "text/html"; "" when the server did not say
    headers  whatever the case of their names
    content  unpacked
    """

    url: str
    status: int
    type: str
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        """The content as JSON. Raises SourceRefused when it is not what the server promises."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError) as error:
            host = httpx2.URL(self.url).host
            kind = self.type or "no type"
            raise SourceRefused(
                f"{host} did not answer with JSON ({kind}): check its address in the settings"
            ) from error

    @property
    def text(self) -> str:
        """The content as text, by the charset that the server names, else UTF-8; what fits no character is replaced."""
        # httpx2 knows the charsets; of the headers it may see no more, or it would unpack the body a second time.
        named = {"Content-Type": self.headers.get("Content-Type", "")}
        return httpx2.Response(self.status, headers=named, content=self.content).text


class CachedResponse(NamedTuple):
    """An answer, and when (seconds since 1970) the server last said that it stands."""

    validated_at: float
    response: Response


class ResponseCache:
    """Answers of servers by the key of their request.

    folder   made when something is first kept; readable by its owner alone, for it tells what was asked
    room     bytes of all answers; one that would take an eighth of it is not kept
    """

    def __init__(self, folder: Path, clock: Clock, room: int = MAX_CACHE_BYTES) -> None:
        close_to_others(folder)
        self._entries = SqliteCache(folder / "answers.sqlite", room, what="answers of servers", wall=clock.wall)

    async def find(self, key: bytes) -> CachedResponse | None:
        """What was answered before; an entry that cannot be read is forgotten."""
        entry = (await self._entries.find(key)).get(key)
        if entry is None:
            return None
        try:
            url, status, kind, headers = json.loads(entry.meta)
            named = httpx2.Headers([(str(name), str(value)) for name, value in headers])
            return CachedResponse(entry.stored_at, Response(url, status, kind, named, entry.body))
        except (ValueError, TypeError):
            # Perhaps of another version: it costs one request, and a message about it would help nobody.
            await self._entries.delete(key)
            return None

    async def store(self, key: bytes, reply: Response) -> None:
        """The server gave this answer just now."""
        # The one thing that is not the caller's to decide: some services may not be kept by their terms.
        if "no-store" not in reply.headers.get("Cache-Control", "").lower():
            await self._entries.store({key: _build_entry(reply)})

    async def close(self) -> None:
        await self._entries.close()


def conditional_headers(reply: Response) -> dict[str, str]:
    """Headers that ask whether a reply still stands (RFC 9110, 13.1); none when the server gave nothing to ask by."""
    said = {"If-None-Match": reply.headers.get("ETag"), "If-Modified-Since": reply.headers.get("Last-Modified")}
    return {name: value for name, value in said.items() if value}


def _build_entry(reply: Response) -> CacheEntry:
    headers = [pair for pair in reply.headers.items() if pair[0].lower() not in UNCACHED_HEADERS]
    return CacheEntry(json.dumps([reply.url, reply.status, reply.type, headers]), reply.content)
