"""What a server keeps, in a file of home and on PostgreSQL: the same contract, and how a database fails."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result
from starlette.exceptions import HTTPException

from tests.servers.postgres import Postgres
from tests.tables import each_row
from wellsourced import config
from wellsourced.app.cli import command_line
from wellsourced.config.settings import QuotaSettings
from wellsourced.errors import NotFoundError, RunStopped, SettingsError, SourceRefused, SourceUnavailable
from wellsourced.events import Emit, QuestionFramed
from wellsourced.examination import examine_storage
from wellsourced.presentation.progress import describe_event
from wellsourced.runs import processes
from wellsourced.runs.history import NO_JOB, RunHistory, StoredJob
from wellsourced.runs.live import JobTaken, LiveRun, RunRecorder
from wellsourced.runs.table import INTERRUPTED
from wellsourced.server.request_limits import DailyUse, Quotas, TokenRate, open_use_tables
from wellsourced.server.run_registry import JobHeldElsewhere, JobInterrupted, LiveRuns
from wellsourced.storage import postgres as driver
from wellsourced.types import Answer, Question


class Place(NamedTuple):
    """Where the state is."""

    home: Path
    url: str = ""

    def open(self) -> RunHistory:
        """As another process, or another host, opens it."""
        return RunHistory(self.home, self.url)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path, request.getfixturevalue("database_url") if request.param == "postgres" else "")


@pytest.fixture
def shared(tmp_path: Path, database_url: str) -> Place:
    return Place(tmp_path, database_url)


def abstention(words: str, patient: str = "") -> Answer:
    return Answer(question=Question(text=words, patient=patient), abstained=True, reason="nothing was found")


def new_run(place: Place, words: str = "How is gout treated?", job: StoredJob = NO_JOB) -> LiveRun:
    run = RunRecorder(place.open(), describe_event).new_question(Question(text=words), "api", "owner")
    run.stored = job
    return run


def run_command(*words: str) -> Result:
    return CliRunner().invoke(command_line, words)


def wait_for(looked_at: Callable[[], object]) -> None:
    until = time.monotonic() + 20
    while not looked_at():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.02)


# --- the contract


def test_answers_are_chained_listed_found_paged_asked_again_and_deleted(place: Place) -> None:
    history = place.open()
    assert (history.list_runs(), list(history.find_changes())) == ([], [])
    ids = [history.record(abstention(f"gout {number}?"), owner="o" * (number == 3)) for number in range(4)]
    # Characters that one of the two cannot hold, or that the other takes for a placeholder.
    odd = history.record(abstention("is 50 % enough?\0 " + "'x' \N{GREEK SMALL LETTER MU}"))
    assert [line.title for line in place.open().list_runs(3)][1:] == ["gout 3?", "gout 2?"]
    assert history.load(odd).question.text.startswith("is 50 % enough?")
    assert [line.title for line in history.list_runs_of("o")] == ["gout 3?"]
    mine = [line.title for line in history.list_runs_of("", after=ids[2], limit=1, skip=1)]
    assert mine == ["gout 0?"]
    assert history.load(ids[1][:8]) == abstention("gout 1?")
    with pytest.raises(NotFoundError, match="No run begins"):
        history.find("zz")
    with pytest.raises(NotFoundError):
        history.load(ids[0], owner="o")
    history.delete(ids[1])
    assert [line.is_deleted for line in reversed(history.list_runs())] == [False, True, False, False, False]
    assert history.prune(1) == 3
    assert not list(history.find_changes())
    assert history.delete_all() == 1
    assert not list(place.open().find_changes())


def test_two_who_record_at_once_make_one_chain(place: Place) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda number: place.open().record(abstention(f"q{number}?")), range(12)))
    assert len(place.open().list_runs()) == 12
    assert not list(place.open().find_changes())


async def test_a_run_is_seen_followed_and_stopped_from_elsewhere(place: Place) -> None:
    there = place.open()
    run = new_run(place)

    async def work(emit: Emit) -> Answer:
        emit(QuestionFramed(question=Question(text="How is gout treated?")))
        await asyncio.Event().wait()
        return abstention("never")

    task = asyncio.ensure_future(run.perform(work))
    await asyncio.to_thread(wait_for, lambda: there.list_runs() and there.read_steps(run.id)[1])
    line, steps = there.read_steps(run.id, "owner")
    assert (line.state, line.title, [step.text for _, step in steps]) == ("running", run.title, ["Question read"])
    with pytest.raises(NotFoundError):
        there.request_stop(run.id, "somebody else")
    there.request_stop(run.id, "owner")
    with pytest.raises(RunStopped):
        await task
    assert (there.find(run.id).state, there.find(run.id).problem) == ("stopped", "")


async def test_of_what_may_identify_somebody_only_that_it_runs_is_there_and_then_nothing(place: Place) -> None:
    run = new_run(place)
    run.question = Question(text="Should she take metformin?", patient="Erika Mustermann, eGFR 22")

    async def work(_: Emit) -> Answer:
        assert [(line.title, line.kind) for line in place.open().list_runs()] == [("", "question")]
        return abstention("Should she take metformin?", patient="Erika Mustermann, eGFR 22")

    await run.perform(work)
    assert place.open().list_runs() == []
    assert (run.kept, run.unkept) == (False, "patient")


async def test_of_two_with_one_key_one_begins_and_it_can_be_done_again_after_a_failure(place: Place) -> None:
    job = StoredJob("sealed", "/api/v1/ask", "seal of the request")

    async def fail(_: Emit) -> Answer:
        other = new_run(place, job=job)
        with pytest.raises(JobTaken):
            await other.perform(fail)
        ((line, stored),) = place.open().list_jobs("owner", "sealed")
        assert (line.id, stored) == (first.id, job)
        raise ValueError

    first = new_run(place, job=job)
    with pytest.raises(ValueError):
        await first.perform(fail)
    assert [line.state for line, _ in place.open().list_jobs("owner")] == ["failed"]
    again = new_run(place, job=job)

    async def succeed(_: Emit) -> Answer:
        return abstention("How is gout treated?")

    await again.perform(succeed)
    assert [(line.id, line.state) for line, _ in place.open().list_jobs("owner")] == [(again.id, "finished")]
    assert (place.open().list_jobs("owner", "another"), place.open().list_jobs("somebody else")) == ([], [])
    place.open().drop_job(again.id)
    assert place.open().list_jobs("owner") == []
    assert place.open().load(again.id)


def new_job(runs: LiveRuns, words: str = "How is gout treated?", patient: str = "") -> LiveRun:
    job = runs.recorder.new_question(Question(text=words, patient=patient), "api", "owner")
    job.key, job.stored = "key", StoredJob("sealed", "/api/v1/ask", "seal of the request")
    return job


async def test_a_job_is_found_waited_for_and_forgotten_on_another_server(place: Place) -> None:
    one, other = (LiveRuns(place.open(), describe_event) for _ in range(2))
    may_end = asyncio.Event()

    async def work(_: Emit) -> Answer:
        await may_end.wait()
        return abstention("How is gout treated?")

    job = one.start(new_job(one), work)
    await asyncio.to_thread(wait_for, lambda: other.find_job("owner", "key", "sealed"))
    found = other.find_job("owner", "key", "sealed")
    assert found and (found.id, found.key, found.is_elsewhere, found.stored) == (job.id, "key", True, job.stored)
    assert [listed.key for listed in other.list_jobs("owner")] == [""]
    assert other.find_job("owner", "key") is other.find_job("you", "key", "sealed") is None
    waiting = asyncio.ensure_future(other.wait(found))
    may_end.set()
    assert (await waiting, await one.wait(job)) == (abstention("How is gout treated?"),) * 2
    # So does a server that is started again.
    later = LiveRuns(place.open(), describe_event)
    again = later.find_job("owner", "key", "sealed")
    assert again and await later.wait(again) == abstention("How is gout treated?")
    await asyncio.to_thread(later.forget, again)
    assert other.find_job("owner", "key", "sealed") is None
    assert len(place.open().list_runs()) == 1


async def test_a_job_whose_result_may_not_be_stored_is_told_elsewhere_and_forgotten_with_its_server(
    place: Place,
) -> None:
    one, other = (LiveRuns(place.open(), describe_event) for _ in range(2))

    async def work(_: Emit) -> Answer:
        return abstention("Metformin?", patient="eGFR 22")

    job = one.start(new_job(one, "Metformin?", patient="eGFR 22"), work)
    await one.wait(job)
    found = other.find_job("owner", "key", "sealed")
    assert found and (found.title, found.state, found.result) == ("", "finished", None)
    with pytest.raises(JobHeldElsewhere):
        await other.wait(found)
    one.forget(job)
    with pytest.raises(JobInterrupted):
        await other.wait(found)
    assert (place.open().list_runs(), other.find_job("owner", "key", "sealed")) == ([], None)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from wellsourced.examination import examine_storage
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import RunRecorder
from wellsourced.types import Question

recorder = RunRecorder(RunHistory(Path(sys.argv[1]), sys.argv[2]), describe_event)

async def work(_):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    named = recorder.new_question(Question(text="Should Mrs Ngozi Okafor, MRN 4482913, take it?"), "api", "owner")
    asyncio.ensure_future(named.perform(lambda _: asyncio.Event().wait()))
    await asyncio.sleep(0.5)
    await recorder.new_question(Question(text="How is gout treated?"), "api", "owner").perform(work)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_run_whose_process_was_killed_is_interrupted_and_of_one_without_words_nothing_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LEASE_SECONDS", 1.0)
    command = [sys.executable, "-c", KILLED, str(place.home), place.url]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -9
    wait_for(lambda: [line.state for line in place.open().list_runs()] == ["stopped"])
    (line,) = place.open().list_runs()
    assert (line.title, line.problem) == ("How is gout treated?", INTERRUPTED)


LIMITS = QuotaSettings(answers=2, calls=3, tokens=100)
NOON = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)


def test_two_servers_count_the_day_of_a_token_together(place: Place) -> None:
    now = [NOON]
    one, other = (Quotas(LIMITS, open_use_tables(place.home, place.url), lambda: now[0]) for _ in range(2))
    one.admit("me")
    other.admit("me")
    for quotas in (one, other):
        with pytest.raises(HTTPException, match="used up its 2 answers"):
            quotas.admit("me")
        assert quotas.find_use("me") == DailyUse(answers=2)
    now[0] += timedelta(hours=12)
    other.admit("me")
    assert one.find_use("me") == DailyUse(answers=1)
    assert abs(Quotas(LIMITS, open_use_tables(place.home, place.url)).find_end() - datetime.now(UTC)) <= timedelta(1)


# --- what several hosts add


def test_two_servers_count_the_requests_of_a_minute_together(shared: Place) -> None:
    one, other = (TokenRate(30, open_use_tables(None, shared.url)) for _ in range(2))
    assert [rate.take_shared("me") for rate in (one, other) * 15] == [0] * 30
    assert [0 < rate.take_shared("me") <= 2 for rate in (one, other)] == [True, True]
    assert one.take_shared("you") == 0


async def test_a_host_that_was_taken_for_dead_goes_on_and_keeps_its_answer(
    shared: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LEASE_SECONDS", -1.0)
    monkeypatch.setattr(processes, "RENEW_SECONDS", 0.3)
    there, goes_on = shared.open(), asyncio.Event()

    async def work(_: Emit) -> Answer:
        await goes_on.wait()
        return abstention("How is gout treated?")

    run = new_run(shared)
    task = asyncio.ensure_future(run.perform(work))
    await asyncio.to_thread(wait_for, there.list_runs)
    assert [(line.state, line.problem) for line in there.list_runs()] == [("stopped", INTERRUPTED)]
    monkeypatch.setattr(processes, "LEASE_SECONDS", 15.0)
    await asyncio.to_thread(wait_for, lambda: there.find(run.id).is_working)
    goes_on.set()
    await task
    assert (there.find(run.id).state, there.load(run.id).question.text) == ("finished", "How is gout treated?")


async def test_a_database_that_goes_away_in_the_middle_loses_no_answer(
    shared: Place, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "DOWN_SECONDS", 0.1)
    run, later = new_run(shared), new_run(shared, "How is gout prevented?")

    async def work(_: Emit) -> Answer:
        await asyncio.to_thread(postgres.stop)
        return abstention("How is gout treated?")

    async def find(_: Emit) -> Answer:
        return abstention("How is gout prevented?")

    # As a server holds them, which others can ask for the result.
    run.is_held = later.is_held = True
    try:
        assert (await run.perform(work)).abstained
        assert "cannot be reached" in str(run.fault)
        # One that is begun and ended meanwhile, too.
        assert (await later.perform(find)).abstained
        with pytest.raises(SourceUnavailable, match=r"PostgreSQL at 127.0.0.1 \(database postgres\) cannot be reached"):
            shared.open().list_runs()
    finally:
        await asyncio.to_thread(postgres.start)
    await asyncio.to_thread(wait_for, lambda: run.fault is None and later.fault is None)
    titles = {line.title: line.state for line in shared.open().list_runs()}
    assert titles == {"How is gout treated?": "finished", "How is gout prevented?": "finished"}
    assert (run.kept, later.kept) == (True, True)
    assert not list(shared.open().find_changes())


def test_an_address_that_does_not_do_is_told_in_a_sentence_without_its_password(
    shared: Place, postgres: Postgres
) -> None:
    postgres.run("CREATE ROLE reader LOGIN PASSWORD 'se@cr%et'")
    for url, kind, said in (
        (postgres.write_url("wr0ng"), SourceRefused, "password authentication failed"),
        (postgres.write_url(name="nowhere"), SourceRefused, 'database "nowhere" does not exist'),
        (shared.url.replace(f":{postgres.port}", ":1"), SourceUnavailable, "Connection refused"),
        (f"{shared.url}&sslmode=require", SourceUnavailable, "does not support SSL"),
        (shared.url.replace("se%40cr%25et", "se%zzcr"), SettingsError, "Write reserved characters"),
        (f"{shared.url}&nonsense=1", SettingsError, "storage.url"),
        (postgres.write_url().replace("wellsourced:", "reader:"), SourceRefused, "permission denied"),
    ):
        with pytest.raises(kind, match=said) as told:
            RunHistory(shared.home, url).list_runs()
        assert not [secret for secret in ("wr0ng", "se%40", "se@cr", "se%zz") if secret in str(told.value)], url


@each_row(
    "address",
    [
        "postgresql://u:pa@ss@h/n", "postgresql://u:pa/ss@h/n", "postgresql://u:pa#ss@h/n", "postgresql://u:pa?ss@h/n",
        "postgresql://u:12/ss@h/n", "postgresql://u:p[ss@h/n", "mysql://u:pass@h/n", "host=h password=pass",
    ],
)  # fmt: skip
def test_an_address_whose_password_could_be_taken_for_something_else_is_refused_without_it(address: str) -> None:
    with pytest.raises(SettingsError, match="with %XX for reserved characters") as told:
        config.load({"storage.url": address})
    assert "ss" not in str(told.value).replace("password", "").replace("address", "").replace("missing", "")


def test_addresses_of_libpq_are_taken_as_they_are() -> None:
    for address in (
        "postgresql:///n?host=/run/postgresql",
        "postgres://u:p%40ss@[::1]:5432/n?sslmode=verify-full&sslrootcert=/etc/ssl/ca.pem",
        "postgresql://u@one:5432,two:5433/n?target_session_attrs=read-write&passfile=/etc/wellsourced/pgpass",
    ):
        assert config.load({"storage.url": address}).storage.url == address


def test_nothing_goes_to_another_host_in_the_clear_unless_the_address_says_so() -> None:
    for url, mode in (
        ("postgresql://u:p@db.example/n", "require"),
        ("postgresql://u:p@db.example/n?sslmode=verify-full", "verify-full"),
        ("postgresql://u:p@10.0.0.1,127.0.0.1/n", "require"),
        ("postgresql://u:p@127.0.0.1/n", None),
        ("postgresql:///n?host=/run/postgresql", None),
    ):
        given = pytest.importorskip("psycopg").conninfo.conninfo_to_dict(url)
        assert driver._add_defaults(given).get("sslmode") == mode, url


def test_tables_of_a_later_version_are_refused_and_of_an_earlier_one_brought_up_to_date(
    shared: Place, postgres: Postgres
) -> None:
    shared.open().record(abstention("gout?"))
    postgres.run("UPDATE wellsourced_versions SET version = 9 WHERE part = 'runs'", shared.url)
    driver.close_idle_connections()
    with pytest.raises(SourceRefused, match=r"later wellsourced \(version 9; this one knows 2\). Update wellsourced"):
        shared.open().list_runs()
    postgres.run("UPDATE wellsourced_versions SET version = 1 WHERE part = 'runs'", shared.url)
    postgres.run("ALTER TABLE runs_2 DROP COLUMN words", shared.url)
    assert len(shared.open().list_runs_of("", words=("GOUT",))) == 1
    assert len(shared.open().list_runs()) == 1
    state = shared.open().database
    assert isinstance(state, driver.PostgresState)
    driver.close_idle_connections()
    broken = driver.PostgresState(
        shared.url, "runs", (*state._migrations, "ALTER TABLE runs_2 ADD more TEXT", "nonsense")
    )
    with pytest.raises(SourceRefused, match="syntax error"), broken.open():
        pass
    columns = "SELECT attname FROM pg_attribute WHERE attrelid = 'runs_2'::regclass AND attname = 'more'"
    assert postgres.run(columns, shared.url) == []
    driver.close_idle_connections()
    later = driver.PostgresState(shared.url, "runs", (*state._migrations, "ALTER TABLE runs_2 ADD more TEXT"))
    with later.open():
        pass
    assert len(postgres.run(columns, shared.url)) == 1


def test_a_database_that_was_emptied_gets_its_tables_again(shared: Place, postgres: Postgres) -> None:
    shared.open().record(abstention("gout?"))
    tables = "runs_1, runs_2, runs_last_1, run_steps_1, run_processes_1, wellsourced_versions"
    postgres.run(f"DROP TABLE {tables}", shared.url)
    with pytest.raises(SourceRefused, match="does not exist"):
        shared.open().list_runs()
    assert shared.open().list_runs() == []


def test_two_that_make_the_tables_at_once_do_not_meet(shared: Place) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: len(shared.open().list_runs()), range(8))) == [0] * 8


def test_the_command_line_shows_the_runs_of_all_hosts_and_never_the_password(
    shared: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.open().record(abstention("How is gout treated?"))
    monkeypatch.setenv("WELLSOURCED_STORAGE__URL", shared.url)
    assert "How is gout treated?" in run_command("history", "list").output
    shown = run_command("setup", "show").output + run_command("setup", "show", "--json").output
    assert "127.0.0.1" in shown and "se%40cr" not in shown
    settings = config.load()
    assert [(found.topic, found.ok) for found in examine_storage(settings)] == [("storage", True)]
    assert "se%40cr" not in repr(settings)
    monkeypatch.setenv("WELLSOURCED_STORAGE__URL", shared.url.replace("se%40", "wr0ng"))
    refused = run_command("history", "list")
    assert (refused.exit_code, "wr0ng" in refused.output) == (1, False)
    monkeypatch.setenv("WELLSOURCED_STORAGE__URL", shared.url.replace("postgresql:", "mysql:"))
    wrong = run_command("history", "list")
    assert (wrong.exit_code, "se%40cr" in wrong.output) == (2, False)
    assert "postgresql://user:password@host/name" in wrong.output


def test_without_the_driver_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingsError, match="needs the package psycopg") as told, suppress(NotFoundError):
        RunHistory(tmp_path, "postgresql://u:p@127.0.0.1/n").list_runs()
    assert told.value.next_step and told.value.next_step.value == "postgresql"
