"""Access over HTTP: tokens, hosts, origins, kinds and sizes, checked before a request is read.

A server that listens on this machine alone, without tokens, answers everybody on it, by its own names only: a foreign
page in the user's browser can reach the port, but knows no token and may send no JSON from another origin.
"""

import asyncio
import hmac
import logging
from collections import UserDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellsourced import errors
from wellsourced.errors import NextStep
from wellsourced.privacy.loopback import is_plain_loopback
from wellsourced.runs.table import digest_text
from wellsourced.server import messages
from wellsourced.server.metrics import Metrics
from wellsourced.server.pages.rendering import wants_page
from wellsourced.server.problems import OPENAI_PATH, RATE_CODE, HttpProblem, describe_logged, respond_with
from wellsourced.server.request_limits import TokenRate

MAX_BODY_BYTES = 4_000_000

MAX_UPLOAD_BYTES = 200_000_000
"""Of all files for a library together: they are read from the disk, not kept in memory."""

UPLOAD_PATH = "/library/files"
"""The one path whose requests may be that large."""

MIN_TOKEN_LETTERS = 20
"""Shorter ones are guessed."""

OPEN_PATHS = frozenset(
    {
        *("/health", "/ready", "/sign-in"),
        *(f"/static/{name}" for name in ("result.css", "style.css", "page.js", "icon.svg")),
    }
)
"""Paths that answer without a token."""

JSON_PATHS = ("/api/", OPENAI_PATH)
"""Below these, bodies are JSON. A form of a foreign page cannot be sent as that."""

TOKEN_COOKIE = "wellsourced_token"  # noqa: S105 - its name
"""The cookie with the token that was typed at /sign-in."""

MAX_REQUESTS, BUSY_SECONDS = 1_000, 5
"""Requests that are answered at the same time; others are told to come back after so many seconds."""

TOKEN_SECONDS = 1.0
"""How often the file of tokens is looked at."""

TOKEN_KEY = "wellsourced.token"  # noqa: S105 - its name
"""Where a request that was let through has its token, for whoever asks later: the file may have changed since."""

READING_METHODS = frozenset({"GET", "HEAD"})

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # Without a referrer a browser sends the origin "null" with a form, as it does from a foreign page.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


Role = Literal["reader", "editor"]
"""What a token is good for: to ask and look, or also to add files to the libraries."""

log = logging.getLogger(__name__)


class TokenFile(UserDict[str, Role]):
    """The tokens of a file, one a line, each with its role behind it: "editor", or none for a reader; as it is now.

    Raises SettingsError for a file that cannot be read or has none, for tokens easy to guess, and for unknown roles.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._text = self._seen = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise errors.SettingsError(messages.UNREADABLE_TOKENS.format(path=path, error=error)) from error
        self.data, fault = _parse_tokens(self._text, path)
        if fault:
            raise fault

    def refresh(self) -> set[str]:
        """Read the file again; the tokens that were revoked. A line that is none counts for nobody, and a file that is
        gone has none."""
        text, before = "", self._seen
        with suppress(OSError, UnicodeDecodeError):
            text = self.path.read_text(encoding="utf-8")
        self._seen = text
        # What is new may not have been written to its end: it counts when it is seen twice.
        if text == self._text or text != before:
            return set()
        known, self._text = self.data, text
        self.data, fault = _parse_tokens(text, self.path)
        if fault:
            # Not its own words: what stands where a role should may be a token.
            log.warning(messages.BAD_TOKENS.format(path=self.path, least=MIN_TOKEN_LETTERS))
        return known.keys() - self.data.keys()


class Access(NamedTuple):
    """Who may send requests.

    tokens       with their roles; a request must bring one of them; none: everybody who reaches the port may ask
    hosts        names by which the server may be addressed; none: any, as behind a proxy
    per_minute   requests that each token may send in a minute; 0: no limit
    """

    tokens: Mapping[str, Role] = MappingProxyType({})
    hosts: frozenset[str] = frozenset()
    per_minute: int = 0

    @property
    def wants_token(self) -> bool:
        """Whether nobody may ask without one, even when the last was revoked."""
        return bool(self.tokens) or isinstance(self.tokens, TokenFile)


def decide_access(host: str, tokens: Mapping[str, Role], per_minute: int = 0) -> Access:
    """The access to a server that listens on `host`. Raises SettingsError where others reach it without a token."""
    is_local = is_plain_loopback(host)
    # Before the port is open: an address that others reach without a token would hand out what is stored here.
    if not is_local and not tokens:
        raise errors.SettingsError(
            f"Anyone who reaches {host} could read what is stored here.", next_step=NextStep("give tokens")
        )
    # A page that reaches this machine by a name of its own (DNS rebinding) has no token for that name.
    return Access(tokens, frozenset() if tokens else LOCAL_NAMES | {host}, per_minute)


def _parse_tokens(text: str, path: Path) -> tuple[dict[str, Role], errors.SettingsError | None]:
    """The tokens of those lines that are right; and what is wrong with another, or that there is none."""
    tokens: dict[str, Role] = {}
    bad = messages.BAD_TOKENS.format(path=path, least=MIN_TOKEN_LETTERS)
    refused = errors.SettingsError(bad, next_step=NextStep("make token"))
    faults: list[errors.SettingsError] = []
    for token, *roles in filter(None, map(str.split, text.splitlines())):
        if len(token) < MIN_TOKEN_LETTERS or not token.isascii():
            faults.append(refused)
        elif unknown := set(roles) - set(get_args(Role)):
            faults.append(errors.SettingsError(messages.UNKNOWN_ROLE.format(role=min(unknown)[:40], path=path)))
        else:
            tokens[token] = "editor" if roles == ["editor"] else "reader"
    return tokens, next(iter(faults), None if tokens else refused)


class AccessControl:
    """Lets through what may be asked, and adds to every response the headers that keep browsers from misusing it."""

    def __init__(
        self, app: ASGIApp, access: Access, rate: TokenRate | None = None, metrics: Metrics | None = None
    ) -> None:
        self.app, self.access, self.rate = app, access, rate or TokenRate(access.per_minute)
        self.metrics = metrics or Metrics()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _add_headers(send)
        token = self._find_token(scope)
        refused = self._refuse(scope, token)
        # Only what would be let through counts: strangers without a token must not use up its rate.
        if refused is None and (seconds := await self._count(scope, token)):
            guarded = _add_headers(send, {"retry-after": str(seconds)})
            detail = messages.TOO_MANY_REQUESTS.format(seconds=seconds)
            refused = HttpProblem(429, messages.RATE_TITLE, detail, code=RATE_CODE)
        if refused:
            self.metrics.count_response(scope, refused.status)
            response = respond_with(Request(scope), refused)
            if refused is NO_TOKEN and scope["method"] == "GET" and wants_page(Headers(scope=scope)):
                response = RedirectResponse(_lead_to_sign_in(scope), 303)
            await response(scope, receive, guarded)
            return
        if self.metrics.in_work >= MAX_REQUESTS and scope["path"] not in OPEN_PATHS:
            busy = HttpProblem(503, messages.BUSY_TITLE, messages.QUEUE_FULL.format(seconds=BUSY_SECONDS))
            headed = _add_headers(send, {"retry-after": str(BUSY_SECONDS)})
            await respond_with(Request(scope), busy)(scope, receive, headed)
            return
        # Every page and every resource answers HEAD as GET, whose body the server leaves out.
        asked = {**scope, TOKEN_KEY: token, "method": "GET" if scope["method"] == "HEAD" else scope["method"]}
        await self._answer(asked, _LimitedBody(receive, scope["path"]).receive, guarded)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. An error that nobody expected is logged without its words, and answered like others."""
        has_begun = False

        async def note_begin(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self.metrics.count_response(scope, message["status"])
            await send(message)

        self.metrics.in_work += 1
        try:
            await self.app(scope, receive, note_begin)
        except Exception as error:
            problem = describe_logged(scope, error)
            # What was half sent is cut off: the client must not take it for the whole.
            if has_begun:
                raise
            await respond_with(Request(scope), problem)(scope, receive, note_begin)
        finally:
            self.metrics.in_work -= 1

    def _refuse(self, scope: Scope, token: str) -> HttpProblem | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        # DNS rebinding: a foreign page reaches this port by a name of its own, the one thing it cannot hide.
        if self.access.hosts and name.strip("[]").lower() not in self.access.hosts:
            return HttpProblem(421, messages.OTHER_SERVER_TITLE, messages.OTHER_SERVER.format(name=name[:80]))
        origin = headers.get("origin")
        # A browser says where a request comes from; programs that send no origin have no user to be misled.
        if origin and origin.partition("://")[2] != host:
            return HttpProblem(403, messages.OTHER_ORIGIN_TITLE, messages.OTHER_ORIGIN)
        if self.access.wants_token and path not in OPEN_PATHS and not token:
            return NO_TOKEN
        length = headers.get("content-length", "")
        # By what the sender says, before a byte is read; _LimitedBody counts those that do not say.
        if length.isdigit() and int(length) > (limit := find_body_limit(path)):
            return HttpProblem(413, messages.TOO_LARGE_TITLE, messages.TOO_LARGE.format(limit=limit))
        has_body = length not in ("", "0") or "transfer-encoding" in headers
        if has_body and path.startswith(JSON_PATHS) and not _is_json(headers.get("content-type", "")):
            return HttpProblem(415, messages.NO_JSON_TITLE, messages.NO_JSON)
        return None

    async def _count(self, scope: Scope, token: str) -> int:
        """Count a request; 0, or after how many seconds there may be another."""
        if scope["path"] in OPEN_PATHS:
            return 0
        if self.rate.shared is None:
            return self.rate.take(token)
        return await asyncio.to_thread(self.rate.take_shared, digest_text(token) if token else "")

    def _find_token(self, scope: Scope) -> str:
        """The known token that a request brings, in its header or in a cookie; "" for none."""
        headers = Headers(scope=scope)
        kind, _, given = headers.get("authorization", "").partition(" ")
        brought = [given.strip()] if kind.lower() == "bearer" else []
        # A cookie comes by itself, so what changes something has to say that it comes from a page of ours.
        if scope["method"] in READING_METHODS or headers.get("origin"):
            brought.append(cookie_parser(headers.get("cookie", "")).get(TOKEN_COOKIE, ""))
        # Compared in constant time: how long it takes must not tell how much of a guess was right.
        pairs = ((known, given.encode()) for known in self.access.tokens for given in brought)
        return next((known for known, given in pairs if hmac.compare_digest(given, known.encode())), "")


NO_TOKEN = HttpProblem(401, messages.NO_TOKEN_TITLE, messages.NO_TOKEN)


REVOKED = HttpProblem(401, messages.NO_TOKEN_TITLE, messages.REVOKED)


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def find_body_limit(path: str) -> int:
    """Bytes that a request may have."""
    return MAX_UPLOAD_BYTES if path == UPLOAD_PATH else MAX_BODY_BYTES


def _lead_to_sign_in(scope: Scope) -> str:
    """The page of signing in, which leads on to the wanted page. From there a browser sends the cookie, which it does
    not from a foreign page on which a bookmark was clicked."""
    wanted = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    return "/sign-in" if wanted == "/" else f"/sign-in?next={quote(wanted, safe='')}"


def is_own_page(path: str) -> bool:
    """Whether a browser that is sent there stays on this server."""
    # Browsers read "//host" and "/\host" as another server.
    return path.startswith("/") and path.isprintable() and path[1:2] not in ("/", "\\")


class _LimitedBody:
    """Counts the bytes of a body, for senders that do not say how long it is."""

    def __init__(self, receive: Receive, path: str) -> None:
        self._receive, self._limit, self._read = receive, find_body_limit(path), 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._limit:
            raise HTTPException(413, messages.TOO_LARGE.format(limit=self._limit))
        return message


def _add_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Callable[[Message], Awaitable[None]]:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**SECURITY_HEADERS, **more}.items():
                headers.setdefault(name, value)
        await send(message)

    return send_guarded
