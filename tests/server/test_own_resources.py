"""Recorded runs over HTTP: recorded as the command line does, seen and deleted by their owner alone."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from tests.server.conftest import bearer, copy_home, running_server
from wellsourced.app.cli import command_line
from wellsourced.runs.history import RunHistory
from wellsourced.runs.table import FILE_NAME
from wellsourced.types import Answer

ASKED = {"question": "How is an acute gout flare treated?"}

pytestmark = pytest.mark.slow


TOKENS = [f"a-token-of-visitor-{number}-0123456789" for number in range(6)]
VISITORS = count()


@pytest.fixture(scope="module")
def shared_home(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(guidelines, tmp_path_factory.mktemp("owners"), TOKENS)


@pytest.fixture(scope="module")
def shared(shared_home: Path) -> Iterator[str]:
    with running_server(shared_home, "--tokens", str(shared_home / "tokens.txt")) as address:
        yield address


@pytest.fixture
def owners(shared: str) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two who ask the same server, and who have not asked it before."""
    mine, yours = (bearer(TOKENS[next(VISITORS)]) for _ in range(2))
    with (
        httpx.Client(base_url=shared, timeout=60, headers=mine) as one,
        httpx.Client(base_url=shared, timeout=60, headers=yours) as other,
    ):
        yield one, other


@pytest.fixture
def own_home(guidelines: Path, tmp_path: Path) -> Path:
    return copy_home(guidelines, tmp_path)


def list_questions(client: httpx.Client) -> list[str]:
    return [one["question"] for one in client.get("/api/v1/runs").json()["runs"]]


def test_a_run_is_its_owners_from_the_answer_to_its_deletion(
    owners: tuple[httpx.Client, httpx.Client], shared_home: Path
) -> None:
    mine, yours = owners
    asked = "How is an acute gout flare of the knee treated?"
    given = Answer.model_validate_json(mine.post("/api/v1/ask", json={"question": asked}).content)
    (line,) = mine.get("/api/v1/runs").json()["runs"]
    assert (line["question"], line["statements"]) == (asked, len(given.statements))
    way = f"/api/v1/runs/{line['id']}"
    kept = mine.get(way).json()
    assert Answer.model_validate(kept["answer"]).statements == given.statements
    assert list_questions(yours) == []
    for method in ("GET", "DELETE"):
        refused = yours.request(method, way)
        assert (refused.status_code, refused.headers["content-type"]) == (404, "application/problem+json")
    assert yours.get("/api/v1/runs", params={"cursor": line["id"]}).status_code == 404
    assert mine.delete(way).status_code == 204
    assert (list_questions(mine), mine.get(way).status_code) == ([], 404)
    assert b"of the knee" not in (shared_home / FILE_NAME).read_bytes()
    history = RunHistory(shared_home)
    # No other test deletes one here.
    assert [one.is_deleted for one in history.list_runs()].count(True) == 1
    assert not list(history.find_changes())


def test_what_is_about_a_patient_or_no_answer_of_ask_is_not_recorded_and_a_job_once(
    owners: tuple[httpx.Client, httpx.Client], shared_home: Path
) -> None:
    mine, _ = owners
    patient = {"question": "Should she take metformin?", "patient": "Erika Mustermann, type 2 diabetes, eGFR 22"}
    for way, sent in (
        ("/api/v1/ask", patient),
        ("/api/v1/ask/events", patient),
        ("/api/v1/ask", {"question": "Erika Mustermann, 71, has gout. Does colchicine suit her?"}),
        ("/api/v1/recommend", patient),
        ("/api/v1/recommend", ASKED),
        ("/api/v1/search", ASKED),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": ASKED["question"]}]}),
    ):
        assert mine.post(way, json=sent).status_code == 200, way
        assert list_questions(mine) == []
    assert not (shared_home / FILE_NAME).exists() or b"Mustermann" not in (shared_home / FILE_NAME).read_bytes()
    for _ in range(2):
        assert mine.post("/api/v1/ask", json=ASKED, headers={"idempotency-key": "one"}).status_code == 200
    assert len(list_questions(mine)) == 1
    assert mine.post("/api/v1/ask/events", json=ASKED).status_code == 200
    assert len(list_questions(mine)) == 2


def test_page_after_page_each_run_comes_once_while_others_are_added(owners: tuple[httpx.Client, httpx.Client]) -> None:
    mine, _ = owners
    asked = [f"How is gout treated in part {number}?" for number in range(3)]
    for question in asked[:2]:
        mine.post("/api/v1/ask", json={"question": question})
    first = mine.get("/api/v1/runs", params={"limit": 1}).json()
    mine.post("/api/v1/ask", json={"question": asked[2]})
    rest = mine.get("/api/v1/runs", params={"limit": 1, "cursor": first["next"]}).json()
    assert [one["question"] for one in (*first["runs"], *rest["runs"])] == [asked[1], asked[0]]
    assert rest["next"] == ""


def test_on_this_machine_they_are_those_of_the_command_line(own_home: Path) -> None:
    with running_server(own_home) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert client.post("/api/v1/ask", json=ASKED).status_code == 200
        told = CliRunner().invoke(command_line, ["--home", str(own_home), "ask", "How is gout treated?"])
        assert told.exit_code == 0
        assert list_questions(client) == ["How is gout treated?", ASKED["question"]]
        assert client.get("/api/v1/quota").json()["limits"] == {"answers": 0, "calls": 0, "tokens": 0}


def test_with_the_setting_off_none_is_recorded_and_where_none_can_be_the_answer_is_given(own_home: Path) -> None:
    with running_server(own_home, settings={"runs": "false"}) as address:
        assert httpx.post(f"{address}/api/v1/ask", json=ASKED, timeout=60).status_code == 200
        assert not (own_home / FILE_NAME).exists()
    (own_home / FILE_NAME).mkdir()
    with running_server(own_home) as address:
        assert httpx.post(f"{address}/api/v1/ask", json=ASKED, timeout=60).status_code == 200
