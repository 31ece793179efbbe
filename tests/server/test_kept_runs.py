"""Answers of pages as they are kept, opened after the server was started anew, followed, compared and deleted."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from docx import Document

from tests.server.conftest import OTHER_TOKEN, TOKEN, copy_home, running_server
from tests.tables import each_row
from wellsourced.runs.table import FILE_NAME

ASKED = "How is gout treated?"
PATIENT = "Erika Mustermann, 71, type 2 diabetes, eGFR 22."
GOUT_DOI = "10.1002/art.41247"
SNAPSHOT = (
    "Record ID,Title,Journal,RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDOI,OriginalPaperPubMedID,"
    "RetractionNature,Reason,Author\n"
    f"1,Gout,ACR,1/2/2026 0:00,10.1002/notice,0,{GOUT_DOI},0,Retraction,+Error in Data;,Nobody\n"
)

RECHECK = r'<form class="inline" method="post" action="[^"]*/recheck">.*?</form>'

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(guidelines, tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def pages(home: Path) -> Iterator[httpx.Client]:
    with running_server(home) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


def ask(client: httpx.Client, question: str = ASKED, **fields: str | list[str]) -> str:
    """The way to a question's run, when it is done."""
    return finish(client, client.post("/ask", data={"question": question, **fields}))


def finish(client: httpx.Client, begun: httpx.Response) -> str:
    assert begun.status_code == 303, begun.text
    way = begun.headers["location"]
    client.get(f"{way}/events")
    return str(way)


def words_on_disk(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_an_answer_is_there_after_the_server_was_started_anew_with_what_was_withdrawn_since_until_it_is_deleted(
    guidelines: Path, tmp_path: Path
) -> None:
    home, snapshot = copy_home(guidelines, tmp_path), tmp_path / "snapshot.csv"
    question = "What lowers urate in gout with tophi?"
    with running_server(home) as address, httpx.Client(base_url=address, timeout=60) as client:
        first = ask(client, question)
        said = client.get(first).text
        assert "Check for retractions" not in said
        assert client.post(f"{first}/recheck").status_code == 422
    snapshot.write_text(SNAPSHOT, encoding="utf-8")
    settings = {"retractions": "retraction_watch", "retraction_watch": str(snapshot)}
    with running_server(home, settings=settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        listed = client.get("/runs").text
        assert question in listed
        way = listed.partition('<a href="/runs/')[2].partition('"')[0]
        again = client.get(f"/runs/{way}").text
        assert "Check for retractions" in again
        assert re.sub(RECHECK, "", again).partition("Left out, and why")[0] == said.partition("Left out, and why")[0]
        assert client.get(f"/runs/{way}/export/json").json()["question"]["text"] == question
        following = ask(client, "And in kidney disease?", follows=way)
        follow = client.get(following).text
        assert "A follow-up to “<a" in follow and "gout" in follow
        checked = finish(client, client.post(f"/runs/{way}/recheck"))
        told = client.get(checked).text
        assert "is retracted" in told and "No source that still counts supports this statement" in told
        # Both have what was said before.
        for later in (following, checked):
            client.post(f"{later}/delete")
        assert client.post(f"/runs/{way}/delete").status_code == 303
        assert client.get(f"/runs/{way}").status_code == 404
    assert question.encode() not in (home / FILE_NAME).read_bytes()


@each_row(
    "fields",
    [{"question": "Should she take metformin?", "patient": PATIENT}, {"question": f"{ASKED} For Mrs Erika Mustermann"}],
)
def test_what_is_about_somebody_is_in_memory_alone(pages: httpx.Client, home: Path, fields: dict[str, str]) -> None:
    page = pages.get(ask(pages, **fields)).text
    assert "Not saved to history" in page
    assert b"Mustermann" not in words_on_disk(home)
    assert b"mustermann" not in words_on_disk(home)


def test_what_came_with_a_token_is_kept_for_that_token_alone(guidelines: Path, tmp_path: Path) -> None:
    home = copy_home(guidelines, tmp_path, (TOKEN, OTHER_TOKEN))
    mine, other = ({"authorization": f"Bearer {token}"} for token in (TOKEN, OTHER_TOKEN))
    for _ in range(2):
        with (
            running_server(home, "--tokens", str(home / "tokens.txt")) as address,
            httpx.Client(base_url=address, headers=mine, timeout=60) as client,
        ):
            if not client.get("/runs").text.count(ASKED):
                ask(client)
            way = client.get("/runs").text.partition('<a href="/runs/')[2].partition('"')[0]
            assert "statement" in client.get(f"/runs/{way}").text
            assert ASKED not in client.get("/runs", headers=other).text
            for method in (client.get, client.post):
                assert method(f"/runs/{way}{'/delete' * (method == client.post)}", headers=other).status_code == 404
            for forbidden in ("/settings", "/library/guidelines"):
                assert client.get(forbidden).status_code == 403
            sent = client.post("/library/files", data={"name": "own"}, files={"files": ("a.txt", b"a")})
            assert sent.status_code == 403


def test_a_question_is_asked_again_and_compared(pages: httpx.Client) -> None:
    first = ask(pages)
    second = finish(pages, pages.post(f"{first}/again"))
    assert "Both say the same, in the same order." in pages.get(second).text
    other = ask(pages, "How is heart failure with reduced ejection fraction treated?")
    ids = [way.rpartition("/")[2] for way in (first, other)]
    compared = pages.get("/compare", params={"run": ids}).text
    assert "No longer stated:" in compared and "New:" in compared
    for wrong in ([], ids[:1], [*ids, second.rpartition("/")[2]], [ids[0], ids[0]]):
        assert pages.get("/compare", params={"run": wrong}).status_code == 422
    assert pages.get("/compare", params={"run": [ids[0], "none"]}).status_code == 404


def test_what_follows_on_an_answer_is_understood_with_it(pages: httpx.Client) -> None:
    first = ask(pages)
    follow = ask(pages, "And in kidney disease?", follows=first.rpartition("/")[2])
    page = pages.get(follow).text
    assert "read as a follow-up" in page and "CKD" in page
    assert f'href="{follow}"' in pages.get(first).text
    assert pages.post("/ask", data={"question": ASKED, "follows": "nothing"}).status_code == 404


def test_a_patient_stays_with_the_questions_that_follow(pages: httpx.Client) -> None:
    first = ask(pages, "How is type 2 diabetes treated?", patient=PATIENT)
    follow = ask(pages, "Should she take metformin?", follows=first.rpartition("/")[2])
    assert "Lines to check for this patient" in pages.get(follow).text


def test_sources_and_preset_are_chosen(pages: httpx.Client) -> None:
    by_word = pages.get(ask(pages, may_choose="1", source=["guidelines"], preset="words")).text
    assert "statement" in by_word
    for wrong, said in (
        ({"may_choose": "1"}, "No source is chosen"),
        ({"source": "nothing"}, "source is not open here"),
        ({"preset": "nothing"}, "No preset"),
    ):
        told = pages.post("/ask", data={"question": ASKED, **wrong})
        assert told.status_code == 422
        assert said in told.text and ASKED in told.text


def test_an_answer_is_kept_as_a_word_file(pages: httpx.Client) -> None:
    told = pages.get(f"{ask(pages)}/export/word")
    file = Document(BytesIO(told.content))
    lines = [paragraph.text for paragraph in file.paragraphs]
    assert lines[0] == ASKED
    assert any(line.startswith("[1] ") for line in lines)
    assert any("digest of the guideline" in line for line in lines)
    assert any(f"https://doi.org/{GOUT_DOI}" in paragraph.text for paragraph in file.paragraphs)
