"""How often may be asked in a minute and in a day."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.exceptions import HTTPException

from tests.server.conftest import OTHER_TOKEN, TOKEN, bearer, copy_home, running_server
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking
from wellsourced.config.settings import QuotaSettings
from wellsourced.errors import SourceRefused
from wellsourced.events import Event, ModelCalled, Progress, ignore_event
from wellsourced.server.request_limits import DailyUse, Quotas, TokenRate, open_use_tables

ASKED = "What is first-line drug therapy for heart failure with reduced ejection fraction?"


def test_a_bucket_fills_evenly_and_each_token_has_its_own() -> None:
    rate = TokenRate(60)
    assert [rate.take("one", now=0.0) for _ in range(61)] == [0] * 60 + [1]
    assert rate.take("other", now=0.0) == 0
    assert [rate.take("one", now=1.0) for _ in range(2)] == [0, 1]
    assert not any(TokenRate(0).take("one") for _ in range(1_000))


LIMITS = QuotaSettings(answers=2, calls=3, tokens=100)
NOON = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)


def call_of(tokens: int, *, requests: int = 1, cached: bool = False) -> ModelCalled:
    return ModelCalled(prompt="p", model="m", key="k", tokens_in=tokens, requests=requests, cached=cached)


def test_a_day_holds_so_many_answers_for_each_token_and_the_next_day_as_many(tmp_path: Path) -> None:
    now = [NOON]
    quotas = Quotas(LIMITS, open_use_tables(tmp_path), lambda: now[0])
    for _ in range(2):
        quotas.admit("me")
    with pytest.raises(
        HTTPException, match=r"used up its 2 answers for today \(quota.answers\). The next day begins in 12 h 0 min"
    ) as refused:
        quotas.admit("me")
    assert (refused.value.status_code, refused.value.headers) == (429, {"retry-after": "43200"})
    quotas.admit("me", answers=0)
    quotas.admit("you")
    assert quotas.find_use("me") == DailyUse(answers=2)
    now[0] += timedelta(hours=12)
    quotas.admit("me")
    assert quotas.find_use("me") == DailyUse(answers=1)


def test_a_server_that_is_started_anew_goes_on_counting_and_two_count_together(tmp_path: Path) -> None:
    for _ in range(2):
        Quotas(LIMITS, open_use_tables(tmp_path), lambda: NOON).admit("me")
    with pytest.raises(HTTPException):
        Quotas(LIMITS, open_use_tables(tmp_path), lambda: NOON).admit("me")
    assert (tmp_path / "quotas.sqlite3").stat().st_mode & 0o077 == 0


def test_calls_and_tokens_count_as_they_come_but_not_those_from_the_disk(tmp_path: Path) -> None:
    quotas, heard = Quotas(LIMITS, open_use_tables(tmp_path), lambda: NOON), list[Event]()
    emit = quotas.count_calls("me", heard.append)
    for event in (call_of(30, requests=2), call_of(500, cached=True), progress()):
        emit(event)
    assert quotas.find_use("me") == DailyUse(calls=2, tokens=30)
    assert len(heard) == 3
    quotas.admit("me")
    emit(call_of(70))
    for answers in (0, 1):
        with pytest.raises(HTTPException, match="used up its 3 calls to language models"):
            quotas.admit("me", answers)


def test_what_failed_costs_nothing(tmp_path: Path) -> None:
    quotas = Quotas(LIMITS, open_use_tables(tmp_path), lambda: NOON)
    quotas.count_calls("me", ignore_event)(call_of(30).model_copy(update={"error": "nobody answered"}))
    quotas.admit("me")
    quotas.take_back("me")
    assert quotas.find_use("me") == DailyUse()


def progress() -> Event:
    return Progress(task="reading", done=1, total=2, unit="documents")


def test_who_needs_no_token_is_not_counted_and_without_a_limit_nothing_is_stored(tmp_path: Path) -> None:
    for quotas, owner in (
        (Quotas(LIMITS, open_use_tables(tmp_path)), ""),
        (Quotas(QuotaSettings(), open_use_tables(tmp_path)), "me"),
    ):
        for _ in range(5):
            quotas.admit(owner)
        quotas.count_calls(owner, ignore_event)(call_of(1_000))
        assert quotas.find_use(owner) == DailyUse()
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_counted_nobody_is_admitted_and_the_remedy_is_told(tmp_path: Path) -> None:
    (tmp_path / "quotas.sqlite3").write_bytes(b"no database" * 500)
    with pytest.raises(SourceRefused, match="Delete it"):
        Quotas(LIMITS, open_use_tables(tmp_path)).admit("me")
    Quotas(LIMITS, open_use_tables(tmp_path)).count_calls("me", ignore_event)(call_of(1))


@pytest.mark.slow
def test_who_asks_too_often_is_told_when_to_come_back(guidelines: Path, tmp_path: Path) -> None:
    home = copy_home(guidelines, tmp_path, (TOKEN,))
    with running_server(home, "--tokens", str(home / "tokens.txt"), "--requests-per-minute", "3") as address:
        headers = {"authorization": f"Bearer {TOKEN}"}
        told = [httpx.get(f"{address}/api/v1/sources", headers=headers) for _ in range(4)]
        assert [one.status_code for one in told] == [200, 200, 200, 429]
        assert 1 <= int(told[-1].headers["retry-after"]) <= 20
        assert httpx.get(f"{address}/health").status_code == 200


@pytest.mark.slow
def test_a_quota_holds_for_every_way_of_asking_and_after_a_new_start(guidelines: Path, tmp_path: Path) -> None:
    home = copy_home(guidelines, tmp_path, (TOKEN, OTHER_TOKEN))
    asked = {"question": ASKED}
    ways: list[tuple[str, dict[str, Any]]] = [
        ("/api/v1/ask", asked), ("/api/v1/ask/events", asked), ("/api/v1/recommend", asked),
        ("/api/v1/check", {"text": "Gout hurts."}), ("/api/v1/check/events", {"text": "Gout hurts."}),
        ("/api/v1/explain", {"order": "Furosemide 40 mg"}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": ASKED}]}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": ASKED}], "stream": True}),
    ]  # fmt: skip
    for start in range(2):
        with (
            running_server(home, "--tokens", str(home / "tokens.txt"), settings={"quota.answers": "2"}) as address,
            httpx.Client(base_url=address, headers=bearer(TOKEN), timeout=60) as client,
        ):
            if start == 0:
                key = {"idempotency-key": "one"}
                assert [client.post("/api/v1/ask", json=asked, headers=key).status_code for _ in range(2)] == [200, 200]
                assert client.post("/api/v1/ask/events", json=asked).status_code == 200
            for way, sent in ways:
                told = client.post(way, json=sent)
                assert told.status_code == 429, way
                detail = told.json()["error"]["message"] if way.startswith("/v1/") else told.json()["detail"]
                assert "used up its 2 answers for today" in detail
                assert 0 < int(told.headers["retry-after"]) <= 86_400
            page = client.post("/ask", data=asked, headers={"accept": "text/html"})
            assert page.status_code == 429
            assert client.post("/api/v1/search", json=asked).status_code == 200
            told = client.get("/api/v1/quota").json()
            assert (told["limits"]["answers"], told["used"]["answers"]) == (2, 2)
            assert client.get("/api/v1/quota", headers=bearer(OTHER_TOKEN)).json()["used"]["answers"] == 0


@pytest.mark.slow
def test_calls_to_a_language_model_are_counted_and_end_the_day(guidelines: Path, tmp_path: Path) -> None:
    home = copy_home(guidelines, tmp_path, (TOKEN,))
    with serving(Thinking()) as model:
        settings = {"model": "compatible:sim", "compatible.url": f"{model.url}/v1", "quota.calls": "1"}
        with (
            running_server(home, "--tokens", str(home / "tokens.txt"), settings=settings) as address,
            httpx.Client(base_url=address, headers=bearer(TOKEN), timeout=60) as client,
        ):
            given = client.post("/api/v1/ask", json={"question": ASKED}).json()
            used = client.get("/api/v1/quota").json()["used"]
            spent = given["spent"]
            assert used == {"answers": 1, "calls": spent["calls"], "tokens": spent["tokens_in"] + spent["tokens_out"]}
            assert used["calls"] == len(model.asked) > 0
            told = client.post("/api/v1/search", json={"question": ASKED})
            assert told.status_code == 429
            assert "used up its 1 call to language models" in told.json()["detail"]
