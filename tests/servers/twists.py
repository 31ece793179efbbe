"""What goes wrong at a service that answers JSON: functions that change what it would have said."""

from collections.abc import Callable
from typing import Any

from tests.servers.base import Asked, Said

Twist = Callable[[Asked, Said], Said]


def plainly(asked: Asked, said: Said) -> Said:
    """Nothing goes wrong."""
    return said


def status(code: int, body: bytes = b'{"message": "no"}', **headers: str) -> Twist:
    """Another status; a header parse_retry_after is sent as Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked, said: Said(body, code, "application/json", named)


def malformed(asked: Asked, said: Said) -> Said:
    """A page for people, with 200."""
    return said._replace(body=b"<html><body>Maintenance</body></html>", type="text/html")


def truncated(asked: Asked, said: Said) -> Said:
    """Half of the JSON, as if that were all."""
    assert isinstance(said.body, bytes)
    return said._replace(body=said.body[: len(said.body) // 2])


def truncated_file_error(asked: Asked, said: Said) -> Said:
    """Half of the bytes that were promised, then the connection ends."""
    assert isinstance(said.body, bytes)
    return said._replace(body=said.body[: len(said.body) // 2], length=len(said.body))


def once(twist: Twist) -> Twist:
    """The first time only."""
    left = [twist]
    return lambda asked, said: left.pop()(asked, said) if left else said


def instead(json: Any) -> Twist:
    """Other JSON, with 200."""
    from json import dumps

    return lambda asked, said: Said(dumps(json).encode(), 200, "application/json")
