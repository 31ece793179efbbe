"""Runs of several processes: each is seen, followed and stopped from anywhere, and none works for ever."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.forked import ForkedCommand, run_forked
from tests.server.conftest import running_server
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking
from wellsourced.errors import SourceRefused
from wellsourced.runs.history import RunHistory
from wellsourced.runs.processes import LOCKS_FOLDER
from wellsourced.runs.table import FILE_NAME, RunLine
from wellsourced.types import Answer, Question

ASKED = "How is an acute gout flare treated?"
PATIENT = "Erika Mustermann, 71, type 2 diabetes, eGFR 22."
PATIENCE = 60.0


def wait_for(looked_at: Callable[[], object]) -> None:
    """Look again until it is so."""
    until = time.monotonic() + PATIENCE
    while not looked_at():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)


def find_run(home: Path, state: str = "running") -> RunLine | None:
    return next((line for line in RunHistory(home).list_runs() if line.state == state), None)


def wait_for_run(home: Path, state: str = "running") -> RunLine:
    wait_for(lambda: find_run(home, state))
    line = find_run(home, state)
    assert line
    return line


@pytest.fixture
def slow_model() -> Iterator[dict[str, str]]:
    """Settings of a language model that takes a minute for each reply."""
    with serving(Thinking(seconds=60)) as served:
        yield {"model": "compatible:sim", "compatible.url": f"{served.url}/v1", "models.cache": "false"}


def words(home: Path, settings: dict[str, str], *command: str) -> list[str]:
    pairs = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    return ["--home", str(home), *pairs, *command]


def history(home: Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    return run_forked(["--home", str(home), "history", *command])


@pytest.mark.slow
def test_a_run_of_the_command_line_is_listed_followed_and_stopped_from_the_page(
    guidelines_home: Path, slow_model: dict[str, str]
) -> None:
    home = guidelines_home
    with running_server(home) as address, httpx.Client(base_url=address, timeout=60) as client:
        asking = ForkedCommand(words(home, slow_model, "ask", ASKED), os.environ)
        line = wait_for_run(home)
        assert ASKED in client.get("/runs").text
        assert 'id="steps"' in client.get(f"/runs/{line.short_id}").text
        listed = client.get("/api/v1/runs").json()["runs"]
        assert [(one["id"], one["state"], one["question"]) for one in listed] == [(line.short_id, "running", ASKED)]
        with client.stream("GET", f"/runs/{line.short_id}/events") as events:
            assert client.post(f"/runs/{line.short_id}/stop").status_code == 303
            followed = "".join(events.iter_text())
        assert json.loads(followed.rstrip().rpartition("data: ")[2]) == {"state": "stopped"}
        assert "event: step" in followed
        assert asking.wait(PATIENCE) == 130
        assert "stopped" in client.get("/runs").text
    assert not list((home / LOCKS_FOLDER).iterdir())


@pytest.mark.slow
def test_runs_of_the_page_and_of_programs_are_listed_followed_and_stopped_from_the_command_line(
    guidelines_home: Path, slow_model: dict[str, str]
) -> None:
    home = guidelines_home
    with running_server(home, settings=slow_model) as address, httpx.Client(base_url=address, timeout=60) as client:
        way = client.post("/ask", data={"question": ASKED}).headers["location"]
        line = wait_for_run(home)
        assert line.short_id in history(home, "list").stdout.decode()
        assert (line.surface, line.title) == ("page", ASKED)
        stopped = history(home, "stop", line.short_id)
        assert (stopped.returncode, "is stopped" in stopped.stdout.decode()) == (0, True)
        assert "Stopped. Steps until then" in client.get(way).text
        shown = history(home, "show", line.short_id, "--follow")
        assert (shown.returncode, shown.stderr.decode().startswith("Question read")) == (3, True)
        assert history(home, "stop", line.short_id).returncode == 1
        key = {"idempotency-key": "gout"}
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/v1/ask", json={"question": ASKED}, headers=key, timeout=httpx.Timeout(60, read=0.5))
        job = wait_for_run(home)
        assert (job.surface, client.get("/api/v1/jobs/gout").json()["run"]) == ("api", job.short_id)
        assert history(home, "stop", job.short_id).returncode == 0
        assert client.get("/api/v1/jobs/gout").json()["state"] == "stopped"


@pytest.mark.slow
def test_of_a_run_about_a_patient_others_see_that_it_runs_stop_it_and_never_what_it_is(
    guidelines_home: Path, slow_model: dict[str, str]
) -> None:
    home = guidelines_home
    with running_server(home, settings=slow_model) as address, httpx.Client(base_url=address, timeout=60) as client:
        asked = {"question": "Should she take metformin?", "patient": PATIENT}
        way = client.post("/ask", data=asked).headers["location"]
        line = wait_for_run(home, "waiting")
        assert (line.title, RunHistory(home).read_steps(line.id)[1]) == ("", [])
        assert b"may be about a person" in history(home, "show", line.short_id).stdout
        assert "Should she take metformin?" in client.get(way).text
        assert history(home, "stop", line.short_id).returncode == 0
        assert "Should she take metformin?" in client.get("/runs").text
        kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
        assert b"metformin?" not in kept and b"Mustermann" not in kept
    # With the server, its memory is gone, and the row that spoke of it.
    assert RunHistory(home).list_runs() == []


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_no_run_at_work(guidelines_home: Path, slow_model: dict[str, str]) -> None:
    home = guidelines_home
    patient = home / "patient.txt"
    patient.write_text(PATIENT, encoding="utf-8")
    about_her = ("recommend", "--patient", str(patient), "Should she take metformin?")
    for command, state in ((("ask", ASKED), "running"), (about_her, "waiting")):
        asking = ForkedCommand(words(home, slow_model, *command), os.environ)
        wait_for_run(home, state)
        asking.send_signal(signal.SIGKILL)
        asking.wait(PATIENCE)
    # Of the one about a patient nothing is left.
    assert [(line.title, line.state) for line in RunHistory(home).list_runs()] == [(ASKED, "stopped")]
    assert not list((home / LOCKS_FOLDER).iterdir())
    assert not list(RunHistory(home).find_changes())


def test_a_history_of_another_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as store, store:
        store.execute("CREATE TABLE runs_1 (number INTEGER PRIMARY KEY)")
    for _ in range(2):
        with pytest.raises(SourceRefused, match="another version"):
            RunHistory(tmp_path).list_runs()


KILLED = """
import os, signal, sqlite3, sys
from pathlib import Path
from wellsourced.runs import table

class Counting(sqlite3.Connection):
    def execute(self, *words):
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(*words)

made = sqlite3.connect
sqlite3.connect = lambda *words, **named: made(*words, **named, factory=Counting)
for steps, home in enumerate(sys.argv[1:]):
    if not os.fork():
        table.connect_runs(Path(home) / table.FILE_NAME).close()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_process_that_is_killed_at_any_step_of_making_the_file_leaves_one_that_can_be_used(tmp_path: Path) -> None:
    homes = [tmp_path / str(steps) for steps in range(40)]
    for home in homes:
        home.mkdir()
    ended = subprocess.run([sys.executable, "-c", KILLED, *map(str, homes)], capture_output=True, check=True, text=True)
    statuses = [int(line) for line in ended.stdout.split()]
    killed = statuses.count(-signal.SIGKILL)
    # Each statement from the first on, up to the last: then it comes to its end.
    assert statuses == [-signal.SIGKILL] * killed + [0] * (len(homes) - killed)
    assert 10 < killed < len(homes)
    for home in homes[: killed + 1]:
        id = RunHistory(home).record(Answer(question=Question(text="gout?"), abstained=True))
        assert RunHistory(home).load(id).question.text == "gout?"
        assert not list(RunHistory(home).find_changes())
