"""A real server in a process of its own, as `wellsourced serve` starts it, and what asks it."""

import os
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.forked import ForkedCommand
from tests.servers.base import Asked, Said, serving
from tests.servers.models.thinking import Thinking

TOKEN = "a-token-that-nobody-guesses-0123456789"  # noqa: S105 - of these tests alone
OTHER_TOKEN = "another-token-of-somebody-else"  # noqa: S105 - of these tests alone
EDITOR_TOKEN = "a-token-of-somebody-who-adds-files"  # noqa: S105 - of these tests alone
STARTUP_LINES = 20

# Where four processes test at once, an answer may take longer than the five seconds that httpx waits by itself.
httpx.get.__kwdefaults__["timeout"].read = 60.0

# No server here speaks TLS, for which every client, and each call without one, would read all certificates (23 ms).
for sends in (httpx.get, httpx.post, httpx.request, httpx.Client.__init__):
    sends.__kwdefaults__["verify"] = False

REPORTS_WANTED = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "FASTAPI_OTEL_AUTO_CONFIGURE": "true"}
"""With these FastAPI would report on every request, and not start without what it reports with."""


class RunningServer(NamedTuple):
    """A server in a process of its own."""

    address: str
    process: ForkedCommand


class HeldModel(NamedTuple):
    """A language model that says nothing before it may, and the settings of who asks it."""

    model: Thinking
    may_reply: threading.Event
    is_asked: threading.Event
    settings: dict[str, str]


@contextmanager
def holding_model() -> Iterator[HeldModel]:
    """It may reply in the end, so that nobody who asked it waits on."""
    may_reply, is_asked, model = threading.Event(), threading.Event(), Thinking()

    def reply(asked: Asked) -> Said:
        is_asked.set()
        may_reply.wait(60)
        return model(asked)

    with serving(reply) as served:
        settings = {"model": "compatible:sim", "compatible.url": f"{served.url}/v1", "models.cache": "false"}
        try:
            yield HeldModel(model, may_reply, is_asked, settings)
        finally:
            may_reply.set()


def copy_home(guidelines: Path, folder: Path, tokens: Sequence[str] = ()) -> Path:
    """Copy a home with the guidelines into a folder, with a file of tokens if there are any."""
    home = Path(shutil.copytree(guidelines, folder / "home"))
    if tokens:
        (home / "tokens.txt").write_text("\n".join(tokens), encoding="utf-8")
    return home


@contextmanager
def running_server(
    home: Path,
    *options: str,
    settings: Mapping[str, str] = MappingProxyType({}),
    network: Sequence[str] = ("--offline",),
) -> Iterator[str]:
    """The address of a server on this home; it is stopped by Ctrl-C in the end.

    settings   with a model it is not offline: that refuses one on loopback, too
    network    options that say whom it may ask
    """
    with start_server(home, *options, settings=settings, network=network) as server:
        yield server.address


@contextmanager
def start_server(
    home: Path,
    *options: str,
    settings: Mapping[str, str] = MappingProxyType({}),
    network: Sequence[str] = ("--offline",),
) -> Iterator[RunningServer]:
    """The same, for whoever kills it."""
    named = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    flags = [*(() if "model" in settings else network), *named]
    words = ["--home", str(home), *flags, "serve", "--port", "0", *options]
    environment = {**os.environ, "HOME": str(home), **REPORTS_WANTED}
    reading, writing = os.pipe()
    process = ForkedCommand(words, environment, (None, None, writing))
    os.close(writing)
    with open(reading, encoding="utf-8") as told:  # noqa: PTH123 - a pipe
        try:
            for line, _ in zip(told, range(STARTUP_LINES), strict=False):
                if "Listening on " in line:
                    yield RunningServer(line.split("Listening on ")[1].split()[0].rstrip(".;"), process)
                    break
            else:
                raise AssertionError(f"the server ended with {process.wait()}")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


@pytest.fixture(scope="session")
def address(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on this machine alone, with the guidelines."""
    with running_server(copy_home(guidelines, tmp_path_factory.mktemp("server"))) as told:
        yield told


@pytest.fixture(scope="session")
def guarded(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that wants a token."""
    tokens = ("", TOKEN, OTHER_TOKEN, f"{EDITOR_TOKEN} editor")
    home = copy_home(guidelines, tmp_path_factory.mktemp("guarded"), tokens)
    with running_server(home, "--tokens", str(home / "tokens.txt")) as told:
        yield told


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, of one module alone: as long as it is open, its thread can run no event loop of another test."""
    # The shell has no windows of its own to draw: a page costs it a third of what it costs the whole browser.
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not chromium:
        pytest.skip("there is no chromium here: apt-get install chromium")
    # Four processes share the machine: a page may take longer than the five seconds that are usual.
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        # Root, as in a container, may not run Chromium's own sandbox.
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


def bearer(token: str) -> dict[str, str]:
    """The header that brings a token."""
    return {"authorization": f"Bearer {token}"}
