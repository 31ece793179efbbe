"""Runs that pages begin: whose they are, what is told of them again, and what becomes of too many."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path

import httpx
import pytest
from fastapi import Request
from starlette.datastructures import UploadFile

from tests.server.conftest import OTHER_TOKEN, TOKEN, bearer, copy_home, running_server
from tests.tables import each_row
from wellsourced.errors import ModelError
from wellsourced.events import DraftProgress, Emit, Event, Progress
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.live import LiveRun, Work
from wellsourced.runs.table import RunStep
from wellsourced.server.pages.forms import read_form
from wellsourced.server.pages.history_pages import DraftText
from wellsourced.server.run_registry import MAX_RUNS_PER_OWNER, LiveRuns

ASKED = {"question": "How is gout treated?"}


def progress(done: int) -> Event:
    return Progress(task="reading", done=done, total=3, unit="documents")


async def work_in_steps(emit: Emit) -> str:
    for done in range(1, 4):
        emit(progress(done))
        await asyncio.sleep(0)
    return "done"


async def work_forever(emit: Emit) -> str:
    emit(progress(1))
    await asyncio.Event().wait()
    return "never"


async def work_in_vain(emit: Emit) -> str:
    raise ModelError("the model died")


async def break_down(emit: Emit) -> str:
    raise ZeroDivisionError("Erika Mustermann")


def start(work: Work[object], runs: LiveRuns | None = None, owner: str = "") -> LiveRun:
    runs = runs or LiveRuns(None, describe_event)
    return runs.start(LiveRun("question", "gout?", runs.recorder, owner, "page"), work)


async def settle(run: LiveRun) -> LiveRun:
    assert run.task
    await asyncio.wait({run.task}, timeout=5)
    await asyncio.sleep(0)
    return run


async def test_who_comes_late_or_back_hears_what_was_missed() -> None:
    run = start(work_in_steps)
    at_once = [place async for place, _ in run.follow(0)]
    late = [place async for place, _ in run.follow(0)]
    back = [place async for place, _ in run.follow(2)]
    assert (at_once, late, back) == ([1, 2, 3], [1, 2, 3], [3])
    assert (run.state, run.result) == ("finished", "done")


@each_row(
    ("work", "state", "said"), [(work_in_vain, "failed", "the model died"), (break_down, "failed", "ZeroDivisionError")]
)
async def test_what_goes_wrong_is_told_and_repeats_no_words(
    work: Callable[[Emit], Coroutine[object, object, object]], state: str, said: str
) -> None:
    run = await settle(start(work))
    assert run.state == state
    assert said in run.problem
    assert "Mustermann" not in run.problem


async def test_a_run_is_stopped_and_what_had_happened_stays() -> None:
    run = start(work_forever)
    await asyncio.sleep(0.01)
    run.stop()
    await settle(run)
    assert run.state == "stopped"
    never_begun = start(work_forever)
    never_begun.stop()
    assert (await settle(never_begun)).state == "stopped"
    assert [step.text async for _, step in run.follow(0)] == ["Reading: 33%"]


async def test_of_too_many_the_oldest_that_is_finished_goes_and_nobody_elses() -> None:
    runs = LiveRuns(None, describe_event)
    other = start(work_in_steps, runs, "somebody else")
    working = start(work_forever, runs)
    finished = await settle(start(work_in_steps, runs))
    for _ in range(MAX_RUNS_PER_OWNER - 1):
        start(work_forever, runs)
    assert runs.find(finished.id, "") is None
    assert runs.find(working.id, "") is working
    assert runs.find(other.id, "somebody else") is other
    assert runs.find(other.id, "") is None
    for run in runs.list_of(""):
        runs.delete(run)


@pytest.mark.slow
def test_a_browser_signs_in_and_sees_its_own_runs_alone(guarded: str) -> None:
    headers = {"accept": "text/html", "origin": guarded}
    with httpx.Client(base_url=guarded, headers=headers, timeout=60) as mine, httpx.Client(base_url=guarded) as other:
        assert mine.get("/").headers["location"] == "/sign-in"
        assert mine.post("/sign-in", data={"token": "wrong"}).status_code == 401
        cookie = mine.post("/sign-in", data={"token": TOKEN}).headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        way = mine.post("/ask", data=ASKED).headers["location"]
        assert mine.get(way).status_code == 200
        told = other.get(way, headers={"authorization": f"Bearer {OTHER_TOKEN}"})
        assert told.status_code == 404
        assert ASKED["question"] not in told.text
        assert "Sign out" in mine.get("/runs").text
        assert mine.post("/sign-out").headers["location"] == "/sign-in"
        assert mine.get("/runs").status_code == 303


@pytest.mark.slow
def test_a_cookie_alone_changes_nothing_for_a_page_of_somebody_else(guarded: str) -> None:
    cookies = {"wellsourced_token": TOKEN}
    for origin in ({}, {"origin": "null"}, {"origin": "https://evil.example"}):
        told = httpx.post(f"{guarded}/ask", data=ASKED, headers=origin, cookies=cookies)
        assert told.status_code in (401, 403)


@pytest.mark.slow
def test_a_stream_that_broke_goes_on_where_it_was(client: httpx.Client) -> None:
    way = client.post("/ask", data=ASKED).headers["location"]
    whole = client.get(f"{way}/events").text.split("\n\n")
    places = [one.partition("\n")[0].removeprefix("id: ") for one in whole if one.startswith("id: ")]
    again = client.get(f"{way}/events", headers={"last-event-id": places[-2]}).text.split("\n\n")
    assert again[0].startswith(f"id: {places[-1]}\n")
    assert json.loads(whole[-2].partition("data: ")[2]) == {"state": "finished"}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["/runs/none", "/runs/none/events", "/runs/none/export/json", "/document?id=none"])
def test_what_is_not_there_is_a_page_that_says_so(client: httpx.Client, way: str) -> None:
    told = client.get(way, headers={"accept": "text/html"})
    assert told.status_code == 404
    assert "<h1>not found</h1>" in told.text.lower()


@pytest.mark.slow
def test_no_file_but_those_of_the_pages_is_given(client: httpx.Client) -> None:
    for name in ("routes.py", "..%2froutes.py", "%2e%2e/rendering.py", "nothing.css"):
        assert client.get(f"/static/{name}").status_code == 404
    assert client.get("/static/style.css").headers["content-type"].startswith("text/css")


@pytest.mark.slow
def test_a_text_that_is_none_is_told_and_a_file_is_checked(client: httpx.Client, tmp_path: Path) -> None:
    assert client.post("/check", data={"text": " "}).status_code == 422
    way = client.post("/check", files={"file": ("../a.pdf", b"\x00\x01")}).headers["location"]
    client.get(f"{way}/events")
    told = client.get(way)
    assert 'role="alert"' in told.text
    assert "<h1>a.pdf</h1>" in told.text


@pytest.mark.slow
def test_nothing_of_a_patient_is_laid_down_whatever_a_page_or_a_program_asks(guidelines: Path, tmp_path: Path) -> None:
    """Every file of home is looked through for the marks, after each form and each way of programs was used."""
    home = copy_home(guidelines, tmp_path)
    record = "Mrs Zebrafinch, MRN 4482913, has gout and takes allopurinol."
    cited = f"{record} Low-dose colchicine is recommended for gout flares [1].\n\n1. doi:10.1002/art.41247"
    asked = {"question": f"Should Mrs Zebrafinch, MRN 4482913, take colchicine? {record}"}
    with running_server(home) as server, httpx.Client(base_url=server, timeout=60) as client:
        for way, form in {
            "/ask": {**asked, "patient": record},
            "/explain": {"order": f"Furosemide 40 mg PO BID. {record}", "patient": record},
            "/check": {"text": cited, "repair": "yes"},
        }.items():
            run = client.post(way, data=form).headers["location"]
            assert '"finished"' in client.get(f"{run}/events").text
        for way, sent in {
            "ask": asked,
            "recommend": {**asked, "patient": record},
            "explain": {"order": "Furosemide 40 mg PO BID", "patient": record},
            "search": asked,
            "check": {"text": cited, "repair": True},
        }.items():
            assert client.post(f"/api/v1/{way}", json=sent).status_code == 200
    held = {path.relative_to(home): path.read_bytes().lower() for path in home.rglob("*") if path.is_file()}
    assert [name for name, words in held.items() if b"zebrafinch" in words or b"4482913" in words] == []
    assert not (home / "checkups").exists()


async def test_a_file_that_is_sent_is_not_laid_down_on_its_way() -> None:
    sent = httpx.Request("POST", "http://server/check", files={"file": ("letter.pdf", b"x" * 3_900_000)})
    body = iter([{"type": "http.request", "body": sent.read(), "more_body": False}])

    async def receive() -> dict[str, object]:
        return next(body)

    headers = [(name.lower(), value) for name, value in sent.headers.raw]
    form = await read_form(Request({"type": "http", "method": "POST", "headers": headers}, receive))
    file = form["file"]
    assert isinstance(file, UploadFile)
    assert file.size == 3_900_000
    assert file._in_memory
    await form.close()


@pytest.mark.slow
def test_the_history_is_searched_by_words_in_any_order(guarded: str) -> None:
    with httpx.Client(base_url=guarded, headers=bearer(OTHER_TOKEN), timeout=60) as client:
        for question in ("How is an acute gout flare treated?", "What is the dose of probenecid in gout?"):
            client.post("/ask", data={"question": question})
        found = client.get("/runs", params={"words": "GOUT acute"}).text
        assert "acute gout flare" in found and "probenecid in gout" not in found
        assert 'value="GOUT acute"' in found
        assert "No question or answer has these words" in client.get("/runs", params={"words": "<b>"}).text
        assert client.get("/runs", params={"words": "x" * 201}).status_code == 422


def test_a_draft_is_put_together_from_its_last_words_and_begins_again_with_another() -> None:
    text = " ".join(f"Statement {number} says something else." for number in range(40))
    draft = DraftText()
    for end in (*range(80, len(text), 150), len(text)):
        step = describe_event(DraftProgress(text=text[:end]))
        assert step
        # What waits in memory is short, what is shown is all of it.
        assert len(step.text) < 250
        shown = draft.add(step)
        assert (shown.kind, shown.text) == ("draft", text[:end])
    assert draft.add(RunStep("step", "Question read")).text == "Question read"
    again = describe_event(DraftProgress(text="Another draft."))
    assert again and draft.add(again).text == draft.text == "Another draft."
