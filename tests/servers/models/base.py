"""What providers of models have in common: a key, a script of what happens, and no patience with bad requests."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from tests.servers.base import Asked, Said

Body: TypeAlias = dict[str, Any]

PIECE = 9
"""Characters in one piece of a stream."""


class Writes(NamedTuple):
    """A reply, told in tokens as given; `cut`: by the limit of tokens."""

    text: str
    cut: bool = False
    tokens_in: int = 37
    tokens_out: int = 11


class Refuses(NamedTuple):
    """The model, or a filter before it, will not answer."""

    why: str = "I cannot help with that."


class Overflows(NamedTuple):
    """What was sent is longer than the model's window."""


class Fails(NamedTuple):
    """An error of the service; `wait`: for how long it wants to be left alone, in seconds."""

    status: int
    message: str = "something is wrong"
    wait: int = 0


class Breaks(NamedTuple):
    """The connection breaks in the middle of this reply."""

    text: str


class Garbles(NamedTuple):
    """Something that is none of the service's formats."""

    body: bytes


Does: TypeAlias = Writes | Refuses | Overflows | Fails | Breaks | Garbles


class BadRequest(Exception):
    """What the service would not take."""


class Api(Protocol):
    """One wire format."""

    path: str

    def key(self, asked: Asked) -> str:
        """The key in the request."""
        ...

    def check(self, asked: Asked, body: Body) -> None:
        """Raise BadRequest for what the real service would not take."""
        ...

    def streams(self, asked: Asked, body: Body) -> bool:
        """Whether the reply is wanted piece by piece."""
        ...

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        """The reply in one."""
        ...

    def events(self, body: Body, does: Writes | Refuses) -> Iterator[bytes]:
        """The reply as server-sent events."""
        ...

    def error(self, status: int, message: str) -> Body:
        """An error, in the service's words."""
        ...

    def overflow(self) -> Said:
        """The error for what is too long."""
        ...


class Provider:
    """Does what its script says, one thing after another, and the last one again and again.

    bodies   the JSON of every request, as it came
    """

    def __init__(self, api: Api, *script: Does, key: str = "") -> None:
        self.api, self.key = api, key
        self.bodies: list[Body] = []
        self._script: Sequence[Does] = script

    def __call__(self, asked: Asked) -> Said:
        does = self._script[min(len(self.bodies), len(self._script) - 1)]
        body = json.loads(asked.body)
        self.bodies.append(body)
        if self.key and self.api.key(asked) != self.key:
            return self._fail(401, f"Incorrect API key provided: {self.api.key(asked)}")
        try:
            self.api.check(asked, body)
        except BadRequest as error:
            return self._fail(400, str(error))
        return self._said(asked, body, does)

    def _said(self, asked: Asked, body: Body, does: Does) -> Said:
        match does:
            case Fails(status, message, wait):
                return self._fail(status, message, wait)
            case Overflows():
                return self.api.overflow()
            case Garbles(content):
                return Said(content, type="application/json")
            case Breaks(text):
                return self._broken(asked, body, Writes(text))
        if self.api.streams(asked, body):
            return chunked(self.api.events(body, does))
        return Said(packed(self.api.whole(body, does)), type="application/json")

    def _broken(self, asked: Asked, body: Body, writes: Writes) -> Said:
        if self.api.streams(asked, body):
            events = list(self.api.events(body, writes))
            return chunked(events[: len(events) // 2 + 1], whole=False)
        content = packed(self.api.whole(body, writes))
        return Said(content[: len(content) // 2], type="application/json", length=len(content))

    def _fail(self, status: int, message: str, wait: int = 0) -> Said:
        headers = {"Retry-After": str(wait)} if wait else {}
        return Said(packed(self.api.error(status, message)), status, "application/json", headers)


def packed(body: Any) -> bytes:
    return json.dumps(body).encode()


def event(data: Body, name: str = "") -> bytes:
    """One server-sent event."""
    return (f"event: {name}\n" if name else "").encode() + b"data: " + packed(data) + b"\n\n"


def chunked(pieces: Any, *, whole: bool = True) -> Said:
    """A stream whose end can be told from a connection that breaks."""

    def chunks() -> Iterator[bytes]:
        for piece in pieces:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)
        if whole:
            yield b"0\r\n\r\n"

    return Said(chunks(), type="text/event-stream", headers={"Transfer-Encoding": "chunked"})


def cut_up(text: str) -> list[str]:
    """A text in small pieces; at least one."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)] or [""]


def demand(holds: object, message: str) -> None:
    """Raise BadRequest unless it holds."""
    if not holds:
        raise BadRequest(message)


def only(body: Body, required: set[str], allowed: set[str], where: str = "the request") -> None:
    """What is required is there, and nothing is that nobody knows."""
    for name in sorted(required - body.keys()):
        raise BadRequest(f"Missing required parameter: '{name}' in {where}.")
    for name in sorted(body.keys() - required - allowed):
        raise BadRequest(f"Unknown parameter: '{name}' in {where}.")


def strict(schema: Any, where: str = "schema") -> None:
    """What providers ask of a schema that they enforce: closed objects, every property required."""
    if isinstance(schema, list):
        for part in schema:
            strict(part, where)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        demand(schema.get("additionalProperties") is False, f"Invalid {where}: 'additionalProperties' must be false.")
        missing = schema.get("properties", {}).keys() - set(schema.get("required", []))
        demand(not missing, f"Invalid {where}: 'required' must name every property; missing {sorted(missing)}.")
    for name, part in schema.items():
        strict(part, f"{where}.{name}")
