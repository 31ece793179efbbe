"""Jobs: what is done once, goes on when nobody waits, and is seen and stopped by its owner alone."""

import asyncio
import socket
import threading
import time

import httpx
import pytest

from tests.server.conftest import OTHER_TOKEN, TOKEN, bearer
from wellsourced.errors import RunStopped
from wellsourced.events import Emit, Progress
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.history import JOB_AGE
from wellsourced.runs.live import LiveRun
from wellsourced.server.run_registry import MAX_JOBS_PER_OWNER, LiveRuns

ASKED = {"question": "How is an acute gout flare treated?"}


class Work:
    """Work that remembers how often it was begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    async def succeed(self, emit: Emit) -> str:
        self.begun.append("succeed")
        emit(Progress(task="reading", done=1, total=3, unit="documents"))
        return "done"

    async def fail(self, _: Emit) -> str:
        self.begun.append("fail")
        raise ValueError

    async def wait(self, _: Emit) -> str:
        self.begun.append("wait")
        await asyncio.Event().wait()
        return "never"


def begin(runs: LiveRuns, work: str = "succeed", owner: str = "me", key: str = "key") -> LiveRun:
    job = LiveRun("files", "", runs.recorder, owner, "api", key=key)
    return runs.start(job, getattr(DONE, work))


DONE = Work()


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.begun.clear()


@pytest.fixture
def runs() -> LiveRuns:
    return LiveRuns(None, describe_event)


async def test_a_key_is_its_owners_and_what_is_begun_again_takes_the_place_of_what_failed(runs: LiveRuns) -> None:
    assert await begin(runs).wait() == await begin(runs, owner="you").wait() == "done"
    for _ in range(2):
        with pytest.raises(ValueError):
            await begin(runs, "fail", key="another").wait()
    assert DONE.begun == ["succeed", "succeed", "fail", "fail"]
    assert [(one.key, one.state) for one in runs.list_jobs("me")] == [("another", "failed"), ("key", "finished")]
    job = runs.find_job("me", "key")
    assert job and [step.text for step in job.steps] == ["Reading: 33%"]
    assert runs.find_job("somebody else", "key") is None


async def test_who_waits_for_a_job_that_is_stopped_is_told_and_it_is_gone(runs: LiveRuns) -> None:
    job = begin(runs, "wait")
    waiting = asyncio.ensure_future(job.wait())
    await asyncio.sleep(0.05)
    assert (runs.find_job("you", "key"), job.state) == (None, "running")
    runs.forget(job)
    with pytest.raises(RunStopped):
        await waiting
    assert job.state == "stopped"
    assert runs.find_job("me", "key") is None


async def test_who_goes_away_does_not_stop_a_job(runs: LiveRuns) -> None:
    job = begin(runs, "wait")
    waiting = asyncio.ensure_future(job.wait())
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert job.state == "running"
    runs.forget(job)


async def test_jobs_do_not_fill_the_memory_and_nobody_crowds_out_anothers(runs: LiveRuns) -> None:
    yours, done = begin(runs, "wait", owner="you"), begin(runs, key="done")
    await done.wait()
    begun = [begin(runs, "wait", key=str(number)) for number in range(MAX_JOBS_PER_OWNER + 2)]
    await asyncio.sleep(0.2)
    assert [one.state for one in begun].count("stopped") == 2
    assert runs.find_job("me", "done") is None
    assert yours.is_working
    for one in (*begun, yours):
        runs.forget(one)


async def test_a_job_is_forgotten_after_an_hour(runs: LiveRuns) -> None:
    job = begin(runs, "wait")
    # A clock that jumps ends no work.
    job.begun -= JOB_AGE
    assert runs.list_jobs("me") == [job]
    job.started -= JOB_AGE.total_seconds()
    assert runs.list_jobs("me") == []
    with pytest.raises(RunStopped):
        await job.wait()


@pytest.mark.slow
def test_a_key_that_came_with_another_request_is_refused(client: httpx.Client) -> None:
    key = {"idempotency-key": "used"}
    assert client.post("/api/v1/explain", json={"order": "Furosemide 40 mg PO"}, headers=key).status_code == 200
    refused = client.post("/api/v1/explain", json={"order": "Metformin 500 mg PO"}, headers=key)
    assert (refused.status_code, "another request" in refused.json()["detail"]) == (422, True)


@pytest.mark.slow
def test_work_is_seen_and_stopped_over_http_by_its_owner_alone(guarded: str) -> None:
    key = {"idempotency-key": '"a/key%2Fof mine"'.replace(" ", "-")}
    way = "/api/v1/jobs/%22a%2Fkey%252Fof-mine%22"
    ended: list[httpx.Response] = []
    with httpx.Client(base_url=guarded, headers=bearer(TOKEN), timeout=60) as client:

        def check_long_text() -> None:
            text = "Low-dose colchicine is recommended over high-dose colchicine for gout flares. " * 400
            sent = {"json": {"text": text}, "headers": bearer(TOKEN) | key}
            ended.append(httpx.post(f"{guarded}/api/v1/check", **sent, timeout=60))

        sending = threading.Thread(target=check_long_text)
        sending.start()
        for _ in range(200):
            told = client.get(way).json()
            if told.get("state") == "running":
                break
            time.sleep(0.02)
        assert (told["key"], told["path"], told["state"]) == (key["idempotency-key"], "/api/v1/check", "running")
        assert [one["key"] for one in client.get("/api/v1/jobs").json()] == [key["idempotency-key"]]
        for method in ("GET", "DELETE"):
            refused = client.request(method, way, headers=bearer(OTHER_TOKEN))
            assert (refused.status_code, refused.headers["content-type"]) == (404, "application/problem+json")
        assert client.get("/api/v1/jobs", headers=bearer(OTHER_TOKEN)).json() == []
        assert client.delete(way).status_code == 204
        sending.join(20)
        assert ended[0].status_code == 409
        assert "was stopped" in ended[0].json()["detail"]
        assert client.get(way).status_code == client.delete(way).status_code == 404


@pytest.mark.slow
def test_a_job_goes_on_when_the_connection_breaks_and_its_answer_is_had_again(client: httpx.Client) -> None:
    key = {"idempotency-key": "broken"}
    asking = client.build_request("POST", "/api/v1/ask", json=ASKED, headers=key)
    head = "".join(f"{name}: {value}\r\n" for name, value in asking.headers.items())
    with socket.create_connection((asking.url.host, asking.url.port)) as connection:
        connection.sendall(f"POST {asking.url.path} HTTP/1.1\r\n{head}\r\n".encode() + asking.read())
    for _ in range(200):
        told = client.get("/api/v1/jobs/broken").json()
        # The request may still be on its way in.
        if told.get("state") == "finished":
            break
        time.sleep(0.05)
    assert told["state"] == "finished"
    assert told["steps"][0] == "Question read"
    given = client.post("/api/v1/ask", json=ASKED, headers=key)
    assert given.json()["statements"]
    assert client.post("/api/v1/ask", json=ASKED, headers={"idempotency-key": "x" * 201}).status_code == 422
