"""Two servers on one database, behind nginx: a job of one is seen, stopped and finished on the other; none is lost."""

import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.server.conftest import OTHER_TOKEN, TOKEN, RunningServer, bearer, holding_model, start_server
from tests.servers.models.thinking import Thinking
from tests.servers.postgres import Postgres
from tests.test_deployment import needs_nginx, running_proxy
from wellsourced.runs.history import RunHistory
from wellsourced.runs.table import INTERRUPTED
from wellsourced.types import Answer

ASKED = {"question": "How is an acute gout flare treated?"}
PATIENT = {"question": "Should she take metformin?", "patient": "Erika Mustermann, 71, type 2 diabetes, eGFR 22."}
WAY = "/api/v1/ask"

pytestmark = pytest.mark.slow


class Two(NamedTuple):
    """Two servers, the database that they share, and what holds their language model back until it is set."""

    servers: tuple[RunningServer, RunningServer]
    clients: tuple[httpx.Client, httpx.Client]
    url: str
    may_reply: threading.Event
    model: Thinking

    def history(self) -> RunHistory:
        return RunHistory(Path("/nowhere"), self.url)


@pytest.fixture
def two(guidelines: Path, tmp_path: Path, database_url: str) -> Iterator[Two]:
    tokens = tmp_path / "tokens.txt"
    tokens.write_text(f"{TOKEN}\n{OTHER_TOKEN}\n", encoding="utf-8")
    with ExitStack() as stack:
        held = stack.enter_context(holding_model())
        settings = held.settings | {"storage.url": database_url, "quota.answers": "4"}
        servers, clients = [], []
        for name in ("one", "two"):
            home = Path(shutil.copytree(guidelines, tmp_path / name))
            options = ("--tokens", str(tokens), "--requests-per-minute", "600")
            servers.append(stack.enter_context(start_server(home, *options, settings=settings)))
            client = httpx.Client(base_url=servers[-1].address, headers=bearer(TOKEN), timeout=60)
            clients.append(stack.enter_context(client))
        stack.callback(held.may_reply.set)
        yield Two((servers[0], servers[1]), (clients[0], clients[1]), database_url, held.may_reply, held.model)


def wait_for(looked_at: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not looked_at():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)


def send(client: httpx.Client, key: str, asked: dict[str, str] = ASKED) -> "Future[httpx.Response]":
    pool = ThreadPoolExecutor(1)
    sent = pool.submit(client.post, WAY, json=asked, headers={"idempotency-key": key})
    pool.shutdown(wait=False)
    return sent


def test_what_one_was_asked_the_other_lists_follows_stops_finishes_and_counts(two: Two) -> None:
    one, other = two.clients
    sent = send(one, "first")
    wait_for(lambda: other.get("/api/v1/jobs/first").json().get("state") == "running")
    job = other.get("/api/v1/jobs/first").json()
    assert (job["key"], job["path"]) == ("first", WAY)
    # What the key was only its owner can tell, and those who were sent it.
    assert [(listed["key"], listed["run"]) for listed in other.get("/api/v1/jobs").json()] == [("", job["run"])]
    assert [listed["key"] for listed in one.get("/api/v1/jobs").json()] == ["first"]
    stranger = bearer(OTHER_TOKEN)
    assert other.get("/api/v1/jobs/first", headers=stranger).status_code == 404
    assert other.delete("/api/v1/jobs/first", headers=stranger).status_code == 404
    with other.stream("GET", f"/runs/{job['run']}/events") as events:
        assert other.delete("/api/v1/jobs/first").status_code == 204
        followed = "".join(events.iter_text())
    assert "event: step" in followed and '"stopped"' in followed
    assert (sent.result().status_code, other.get("/api/v1/jobs/first").status_code) == (409, 404)

    # A job that is sent to both is done once, and both give its answer.
    sent, again = send(one, "second"), send(other, "second")
    wait_for(lambda: two.model.bodies or two.may_reply.set() or True)
    answers = [Answer.model_validate_json(response.result().content) for response in (sent, again)]
    assert answers[0].statements == answers[1].statements != ()
    assert len([line for line in two.history().list_runs() if line.state == "finished"]) == 1
    # What it says is found from either, as on SQLite.
    words = answers[0].statements[0].text.split()[:3]
    assert [
        ASKED["question"] in client.get("/runs", params={"words": " ".join(words)}).text for client in two.clients
    ] == [True, True]
    refused = other.post(WAY, json={"question": "How is gout prevented?"}, headers={"idempotency-key": "second"})
    assert (refused.status_code, "another request" in refused.json()["detail"]) == (422, True)
    used = [client.get("/api/v1/quota").json()["used"] for client in (one, other)]
    assert used[0] == used[1] and (used[0]["answers"], used[0]["calls"] > 0) == (1, True)

    # What is about a patient is done once, too; its answer is on no disk, so that the other server does not have it.
    key = {"idempotency-key": "Erika-Mustermann"}
    told = [client.post(WAY, json=PATIENT, headers=key) for client in (one, one, other)]
    assert [response.status_code for response in told] == [200, 200, 409]
    assert "its result may not be stored" in told[2].json()["detail"]
    # The run that was stopped gave no answer, so that it used none up.
    assert [client.post(WAY, json=ASKED).status_code for client in (one, other, one)] == [200, 200, 429]


def dump(postgres: Postgres, url: str) -> str:
    """All that is in the tables of a test."""
    schema = url.rpartition("%3D")[2]
    tables = postgres.run(f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'")  # noqa: S608
    return "".join(str(postgres.run(f"SELECT * FROM {schema}.{name}")) for (name,) in tables)  # noqa: S608


@needs_nginx
def test_a_server_that_is_killed_loses_nothing_and_the_other_does_what_it_was_asked(
    two: Two, tmp_path: Path, postgres: Postgres
) -> None:
    with (
        running_proxy(tmp_path, *(server.address for server in two.servers)) as proxy,
        httpx.Client(base_url=proxy, headers=bearer(TOKEN), verify=False, timeout=60) as client,  # noqa: S501 - its own
    ):
        sent = send(client, "Erika-Mustermann", PATIENT)
        wait_for(lambda: len(two.history().list_runs()) == 1)
        named = send(client, "gout")
        wait_for(lambda: [line.title for line in two.history().list_runs()] == [ASKED["question"], ""])
        assert not {"metformin", "Mustermann"} & set(dump(postgres, two.url).replace("'", " ").split())
        ((process,),) = postgres.run("SELECT name FROM run_processes_1", two.url)
        killed = next(server for server in two.servers if server.process.pid == int(process.partition("-")[0]))
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait(60)
        # What the database takes fifteen seconds to know.
        postgres.run("UPDATE run_processes_1 SET seen = seen - interval '1 minute'", two.url)
        two.may_reply.set()
        assert (sent.result().status_code, named.result().status_code) == (200, 200)
        (finished,) = (line for line in two.history().list_runs() if line.state == "finished" and line.title)
        assert client.get(f"/api/v1/runs/{finished.short_id}").json()["answer"]["statements"]
    lost = [line for line in two.history().list_runs() if line.problem == INTERRUPTED]
    assert [(line.title, line.state) for line in lost] == [(ASKED["question"], "stopped")]
    assert not list(two.history().find_changes())
    assert "Mustermann" not in dump(postgres, two.url)
    assert "temporary file" not in (tmp_path / "errors").read_text(encoding="utf-8")
