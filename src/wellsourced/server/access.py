"""Who may ask over HTTP: tokens, hosts, origins and sizes, before anything of a request is read; and how a refusal is
told.

A server that listens on this machine alone, without tokens, answers whoever is on it, by its own names only: a page of
somebody else's in the user's browser can reach the port, and neither knows a token nor may send JSON from another
origin.
"""

import hmac
from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wellsourced import errors
from wellsourced.privacy.loopback import is_plain_loopback
from wellsourced.server.pages.rendering import render_page, wants_page
from wellsourced.server.request_limits import TokenRate

MAX_BODY_BYTES = 4_000_000

MAX_UPLOAD_BYTES = 200_000_000
"""Of files for a library together: they are read from the disk, not kept in memory."""

UPLOAD_PATH = "/library/files"
"""Of a request, as of what the terminal reads."""

MIN_TOKEN_LETTERS = 20
"""Shorter ones are guessed."""

OPEN_PATHS = frozenset({"/health", "/sign-in", "/static/style.css", "/static/page.js", "/static/icon.svg"})
"""What answers without a token."""

TOKEN_COOKIE = "wellsourced_token"  # noqa: S105 - its name
"""By which a browser brings the token that was typed at /sign-in."""

READING_METHODS = frozenset({"GET", "HEAD"})

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # Without a referrer a browser would say "null" of where a form comes from, as it does of a page of somebody else.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}


class Access(NamedTuple):
    """Who may ask.

    tokens   any of which a request has to bring; none: whoever reaches the port may ask
    hosts    the names by which the server may be addressed; none: any, as behind a proxy
    per_minute   requests that each token may send in a minute; 0: as many as it wants
    """

    tokens: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()
    per_minute: int = 0


def decide_access(host: str, tokens: Sequence[str], per_minute: int = 0) -> Access:
    """Who may ask a server that listens on `host`. Raises SettingsError for one that others reach and has no token."""
    is_local = is_plain_loopback(host)
    # Before the port is open: an address that others reach without a token would hand out what is stored here.
    if not is_local and not tokens:
        raise errors.SettingsError(
            f"Whoever reaches {host} could ask, and read what is stored here: give --tokens FILE, a token in each "
            "line, or listen on 127.0.0.1."
        )
    # A page that reaches this machine by a name of its own (DNS rebinding) has no token for that name.
    return Access(tuple(tokens), frozenset() if tokens else LOCAL_NAMES | {host}, per_minute)


def read_tokens(path: Path) -> tuple[str, ...]:
    """The tokens in a file, one in each line. Raises SettingsError for one without, and for what is easily guessed."""
    try:
        tokens = tuple(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise errors.SettingsError(f"The tokens cannot be read from {path} ({error}).") from error
    if not tokens or any(len(one) < MIN_TOKEN_LETTERS or not one.isascii() for one in tokens):
        raise errors.SettingsError(
            f"{path} has to hold a token in each line, of at least {MIN_TOKEN_LETTERS} ASCII letters and figures: "
            "`openssl rand -hex 32` makes one."
        )
    return tokens


PROBLEM_TYPE = "application/problem+json"


class HttpProblem(NamedTuple):
    """A status of HTTP, what sort of thing it is, and what its reader can do."""

    status: int
    title: str
    detail: str


STATUSES: tuple[tuple[type[errors.WellsourcedError], int, str], ...] = (
    (errors.QuestionError, 422, "The question cannot be answered as it stands"),
    (errors.UnreadableFile, 422, "The text cannot be read"),
    (errors.NotFoundError, 404, "Not found"),
    (errors.SourceUnavailable, 503, "A source is not available"),
    (errors.SourceError, 502, "A source refused"),
    (errors.ModelUnavailable, 503, "The language model is not available"),
    (errors.BudgetSpent, 503, "The budget is spent"),
    (errors.ModelError, 502, "The language model failed"),
    (errors.SettingsError, 500, "The server is not set up for this"),
)
"""The first that an error is counts."""


def describe_problem(error: errors.WellsourcedError) -> HttpProblem:
    """What an error of ours is over HTTP."""
    status, title = next(
        ((status, title) for kind, status, title in STATUSES if isinstance(error, kind)), (500, "Something went wrong")
    )
    return HttpProblem(status, title, str(error))


def render_problem(problem: HttpProblem) -> JSONResponse:
    """The response that tells it."""
    content = {"type": "about:blank", **problem._asdict()}
    return JSONResponse(content, status_code=problem.status, media_type=PROBLEM_TYPE)


def _answer_problem(request: Request, problem: HttpProblem) -> Response:
    """A page for people, else as programs read it."""
    # The API answers programs alike, whatever their headers say.
    if wants_page(request.headers) and not request.url.path.startswith("/api/"):
        return render_page("problem.html", problem.status, title=problem.title, detail=problem.detail)
    return render_problem(problem)


def _list_methods(request: Request, routers: Sequence[APIRouter]) -> str:
    """The methods that a path answers: each route of it knows its own alone."""
    routes = (route for router in routers for route in router.routes if isinstance(route, Route))
    found = (route.methods or () for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return ", ".join(sorted({method for methods in found for method in methods}))


def add_problem_handlers(application: FastAPI, routers: Sequence[APIRouter]) -> None:
    """Let every error of the application be told in that form; it has the routes of these."""

    @application.exception_handler(errors.WellsourcedError)
    async def tell_ours(request: Request, error: errors.WellsourcedError) -> Response:
        return _answer_problem(request, describe_problem(error))

    @application.exception_handler(RequestValidationError)
    async def tell_invalid(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not repeated: it may be a patient's.
        faults = [f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}" for one in error.errors()]
        return _answer_problem(request, HttpProblem(422, "The request cannot be read", "; ".join(faults)))

    @application.exception_handler(HTTPException)
    async def tell_http(request: Request, error: HTTPException) -> Response:
        problem = HttpProblem(error.status_code, HTTPStatus(error.status_code).phrase, str(error.detail))
        response = _answer_problem(request, problem)
        response.headers.update(error.headers or {})
        # RFC 9110 wants all methods of the path, of which each route knows its own.
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and (methods := _list_methods(request, routers)):
            response.headers["allow"] = methods
        return response


class AccessControl:
    """Lets through what may be asked, and gives every answer the headers that keep browsers from misusing it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access, self.rate = app, access, TokenRate(access.per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _add_headers(send)
        refused = self._refuse(scope)
        # Only what would be let through counts: strangers without a token must not use up its rate.
        if refused is None and (seconds := self._count(scope)):
            guarded = _add_headers(send, {"retry-after": str(seconds)})
            refused = HttpProblem(429, "Too many requests", f"Ask again in {seconds} s.")
        if refused:
            response: Response = render_problem(refused)
            if refused is NO_TOKEN and scope["method"] == "GET" and wants_page(Headers(scope=scope)):
                response = RedirectResponse(_lead_to_sign_in(scope), 303)
            await response(scope, receive, guarded)
            return
        await self.app(scope, _LimitedBody(receive, scope["path"]).receive, guarded)

    def _refuse(self, scope: Scope) -> HttpProblem | None:
        headers, path = Headers(scope=scope), scope["path"]
        host = headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        # DNS rebinding: a page of somebody else's reaches this port by a name of its own, which is the one thing it
        # cannot hide.
        if self.access.hosts and name.strip("[]").lower() not in self.access.hosts:
            return HttpProblem(421, "Another server was meant", f"This server is not called {name[:80]!r}.")
        origin = headers.get("origin")
        # A browser says where a request comes from; programs that send no origin have no user to be misled.
        if origin and origin.partition("://")[2] != host:
            return HttpProblem(403, "From another page", "Only pages of this server may ask it.")
        if self.access.tokens and path not in OPEN_PATHS and not self._has_token(headers, scope["method"]):
            return NO_TOKEN
        length = headers.get("content-length", "")
        # By what the sender says, before a byte is read; _LimitedBody counts those that do not say.
        return tell_too_large(path) if length.isdigit() and int(length) > find_body_limit(path) else None

    def _count(self, scope: Scope) -> int:
        """Count a request; 0, or after how many seconds there may be another."""
        if scope["path"] in OPEN_PATHS:
            return 0
        return self.rate.take(find_token(Headers(scope=scope), self.access.tokens))

    def _has_token(self, headers: Headers, method: str) -> bool:
        # A cookie comes by itself, so what changes something has to say that it comes from a page of ours.
        by_cookie = method in READING_METHODS or bool(headers.get("origin"))
        return bool(find_token(headers, self.access.tokens, by_cookie=by_cookie))


def find_token(headers: Headers, tokens: Sequence[str], *, by_cookie: bool = True) -> str:
    """The token of ours that a request brings, in its header or as a browser does; "" for none."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    brought = [given.strip()] if kind.lower() == "bearer" else []
    if by_cookie:
        brought.append(cookie_parser(headers.get("cookie", "")).get(TOKEN_COOKIE, ""))
    # Compared in constant time: how long it takes must not tell how much of a guess was right.
    return next((one for one in tokens for other in brought if hmac.compare_digest(other.encode(), one.encode())), "")


NO_TOKEN = HttpProblem(401, "No token", "Send a token that this server knows: Authorization: Bearer TOKEN.")


def find_body_limit(path: str) -> int:
    """Bytes that a request may have."""
    return MAX_UPLOAD_BYTES if path == UPLOAD_PATH else MAX_BODY_BYTES


def tell_too_large(path: str) -> HttpProblem:
    """That a request has more bytes than it may have."""
    return HttpProblem(413, "Too large", f"A request may have {find_body_limit(path):,} bytes.")


def _lead_to_sign_in(scope: Scope) -> str:
    """The page of signing in, which leads on to what was wanted. A browser brings the cookie along from there, as it
    does not from a page of somebody else on which a bookmark was clicked."""
    wanted = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    return "/sign-in" if wanted == "/" else f"/sign-in?next={quote(wanted, safe='')}"


def is_own_page(path: str) -> bool:
    """Whether a browser that is sent there stays on this server."""
    # Browsers read "//host" and "/\host" as another server.
    return path.startswith("/") and path.isprintable() and path[1:2] not in ("/", "\\")


class _LimitedBody:
    """Counts what comes of a body, for senders that do not say how long it is."""

    def __init__(self, receive: Receive, path: str) -> None:
        self._receive, self._path, self._left = receive, path, find_body_limit(path)

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, tell_too_large(self._path).detail)
        return message


def _add_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Callable[[Message], Awaitable[None]]:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**SECURITY_HEADERS, **more}.items():
                headers.setdefault(name, value)
        await send(message)

    return send_guarded
