"""A token that is revoked while its server runs: streams, pages, jobs and cookies end; others go on."""

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.server.conftest import EDITOR_TOKEN, OTHER_TOKEN, TOKEN, bearer, holding_model, start_server
from wellsourced.server.access import Access, TokenFile
from wellsourced.server.messages import REVOKED

ASKED = {"question": "How is an acute gout flare treated?"}
CHAT = {"messages": [{"role": "user", "content": ASKED["question"]}], "stream": True}
NEW_TOKEN = "a-token-that-was-added-while-it-ran"  # noqa: S105 - of these tests alone


class Guarded(NamedTuple):
    """A server whose language model says nothing before it may, and its file of tokens."""

    address: str
    tokens: Path
    may_reply: threading.Event
    is_asked: threading.Event


@pytest.fixture
def held(guidelines: Path, tmp_path: Path) -> Iterator[Guarded]:
    tokens = tmp_path / "tokens.txt"
    tokens.write_text(f"{TOKEN}\n{OTHER_TOKEN}\n", encoding="utf-8")
    with ExitStack() as stack:
        model = stack.enter_context(holding_model())
        home = Path(shutil.copytree(guidelines, tmp_path / "home"))
        options = ("--tokens", str(tokens), "--requests-per-minute", "0")
        server = stack.enter_context(start_server(home, *options, settings=model.settings))
        stack.callback(model.may_reply.set)
        yield Guarded(server.address, tokens, model.may_reply, model.is_asked)


def wait_for(looked_at: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not looked_at():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)


def read_stream(address: str, way: str, asked: dict[str, object], token: str) -> list[str]:
    with httpx.stream("POST", address + way, json=asked, headers=bearer(token), timeout=60) as told:
        return [line for line in told.iter_lines() if line.startswith("data: ")]


@pytest.mark.slow
def test_a_revoked_token_ends_its_streams_its_pages_and_its_cookie_and_nobody_elses(held: Guarded) -> None:
    with ThreadPoolExecutor(4) as pool, httpx.Client(base_url=held.address, timeout=60) as browser:
        browser.post("/sign-in", data={"token": TOKEN}, headers={"origin": held.address})
        run = browser.post("/ask", data=ASKED, headers={"origin": held.address}).headers["location"]
        followed = pool.submit(browser.get, f"{run}/events")
        events = pool.submit(read_stream, held.address, "/api/v1/ask/events", ASKED, TOKEN)
        chat = pool.submit(read_stream, held.address, "/v1/chat/completions", CHAT, TOKEN)
        other = pool.submit(read_stream, held.address, "/api/v1/ask/events", ASKED, OTHER_TOKEN)
        assert held.is_asked.wait(60)
        held.tokens.write_text(f"{OTHER_TOKEN}\n{NEW_TOKEN} editor\n", encoding="utf-8")
        problem = json.loads(events.result(60)[-1].removeprefix("data: "))
        assert (problem["status"], problem["detail"]) == (401, REVOKED)
        error = json.loads(chat.result(60)[-1].removeprefix("data: "))["error"]
        assert (error["code"], error["message"]) == ("invalid_api_key", REVOKED)
        assert followed.result(60).text.endswith('event: ended\ndata: {"state": "stopped"}\n\n')
        # What this browser does next leads to signing in, where it is told why, and forgets the token.
        told = browser.get(run, headers={"accept": "text/html"}, follow_redirects=True)
        assert told.url.path == "/sign-in" and "does not know that token" in told.text
        assert not browser.cookies
        assert httpx.get(f"{held.address}/api/v1/runs", headers=bearer(TOKEN)).status_code == 401
        assert httpx.get(f"{held.address}/library", headers=bearer(NEW_TOKEN)).text.count("Add your own files") == 1
        held.may_reply.set()
        assert other.result(60)[-1].startswith('data: {"answer":')


@pytest.mark.slow
def test_whoever_waits_for_an_answer_or_a_job_is_told(held: Guarded) -> None:
    with ThreadPoolExecutor(2) as pool:
        ways = ({}, {"idempotency-key": "job"})
        waiting = [
            pool.submit(
                httpx.post, f"{held.address}/api/v1/ask", json=ASKED, headers={**bearer(TOKEN), **way}, timeout=60
            )
            for way in ways
        ]
        wait_for(lambda: len(httpx.get(f"{held.address}/api/v1/runs", headers=bearer(TOKEN)).json()["runs"]) == 2)
        held.tokens.unlink()
        assert [(told.result(60).status_code, told.result().json()["detail"]) for told in waiting] == [
            (401, REVOKED)
        ] * 2
    # A file that is gone lets nobody in, and opens the server to nobody.
    assert httpx.get(f"{held.address}/api/v1/runs", headers=bearer(OTHER_TOKEN)).status_code == 401
    assert httpx.get(f"{held.address}/api/v1/runs").status_code == 401
    held.tokens.write_text(TOKEN, encoding="utf-8")
    wait_for(lambda: httpx.get(f"{held.address}/api/v1/runs", headers=bearer(TOKEN)).status_code == 200)


def test_a_change_counts_when_it_is_seen_twice_and_a_bad_line_is_nobodys(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(f"{TOKEN} editor\n{OTHER_TOKEN}\n", encoding="utf-8")
    tokens = TokenFile(path)
    path.write_text("", encoding="utf-8")
    assert tokens.refresh() == set() and TOKEN in tokens, "it may be half written"
    path.write_text(f"short\n{TOKEN}\n{EDITOR_TOKEN} edtor\n", encoding="utf-8")
    assert tokens.refresh() == set()
    assert tokens.refresh() == {OTHER_TOKEN}
    assert dict(tokens) == {TOKEN: "reader"}
    assert str(path) in caplog.text and EDITOR_TOKEN not in caplog.text
    path.unlink()
    assert [tokens.refresh(), tokens.refresh(), tokens.refresh()] == [set(), {TOKEN}, set()]
    assert Access(tokens).wants_token and not Access().wants_token
