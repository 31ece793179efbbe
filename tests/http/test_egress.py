"""Nothing but the one client can reach the network: the syntax trees are read, imports inside functions too."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.tables import each_row

SRC = Path(__file__).parents[2] / "src" / "wellsourced"

OUT = (
    "socket", "ssl", "http.client", "urllib.request", "ftplib", "smtplib", "telnetlib", "xmlrpc", "asyncio.streams",
    "httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "aiohttp", "websockets", "pycurl",
)  # fmt: skip
CALLS = {"open_connection", "create_connection", "create_datagram_endpoint", "getaddrinfo", "sock_connect", "urlopen"}


def ways_out(source: str) -> Iterator[str]:
    """Modules that are imported, and functions that are used, to leave this machine."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute | ast.Name):
            word = node.attr if isinstance(node, ast.Attribute) else node.id
            if word in CALLS:
                yield word
        yield from (name for name in names if any(name == out or name.startswith(f"{out}.") for out in OUT))


def test_only_the_client_can_reach_the_network() -> None:
    others = [path for path in sorted(SRC.rglob("*.py")) if path.relative_to(SRC).parts[0] != "http"]
    assert len(others) > 40
    found = {str(path.relative_to(SRC)): list(ways_out(path.read_text(encoding="utf-8"))) for path in others}
    assert {path: ways for path, ways in found.items() if ways} == {}


@each_row(
    ("line", "way"),
    [
        ("import httpx2", "httpx2"),
        ("def late():\n    import requests.sessions as r", "requests.sessions"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("from http import client", "http.client"),
        ("import asyncio\nasyncio.open_connection('a', 1)", "open_connection"),
    ],
)
def test_a_way_out_is_seen(line: str, way: str) -> None:
    assert way in list(ways_out(line))


@each_row("line", ["from urllib.parse import urlsplit", "from wellsourced.http import Client"])
def test_what_is_no_way_out_is_not(line: str) -> None:
    assert list(ways_out(line)) == []
