"""Questions over HTTP: the answer of the terminal, what happens meanwhile, and what goes wrong."""

import json

import httpx
import pytest
from click.testing import CliRunner

from tests.tables import each_row
from wellsourced.app.cli import command_line
from wellsourced.types import Answer, Checkup

ASKED = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
EVENTS = ("QuestionFramed", "SearchPlanned", "SourceSearched", "PassagesRead")

pytestmark = pytest.mark.slow


def read_events(response: httpx.Response) -> list[tuple[str, dict[str, object]]]:
    """(kind, data) of each server-sent event."""
    blocks = [block.split("\n") for block in response.text.split("\n\n") if block and not block.startswith(":")]
    return [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in blocks]


@pytest.mark.usefixtures("guidelines_home")
def test_the_answer_is_the_one_of_the_terminal(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask", json={"question": ASKED})
    assert told.status_code == 200
    assert told.headers["content-type"] == "application/json"
    given = Answer.model_validate_json(told.content)
    printed = CliRunner().invoke(command_line, ["ask", "--json", ASKED])
    assert given.statements == Answer.model_validate_json(printed.stdout).statements
    assert (given.head, given.version) == ("in your sources", 3)
    assert given.sections == Answer.model_validate_json(printed.stdout).sections != ()


@pytest.mark.usefixtures("guidelines_home")
def test_a_preset_answers_as_on_the_terminal_and_one_that_cannot_answer_here_is_refused(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask", json={"question": ASKED, "preset": "words"})
    printed = CliRunner().invoke(command_line, ["--preset", "words", "ask", "--json", ASKED])
    assert (
        Answer.model_validate_json(told.content).sections == Answer.model_validate_json(printed.stdout).sections != ()
    )
    found = client.post("/api/v1/search", json={"question": ASKED, "preset": "words", "limit": 3}).json()
    assert len(found["passages"]) == 3
    for preset, said in (
        ("lins-herd", "No preset “lins-herd”. Presets: lins-ebm"),
        ("sourcecheckup", "is for check"),
        ("lins", "needs a language model, and this server has none"),
    ):
        for path in ("ask", "ask/events", "recommend", "search"):
            refused = client.post(f"/api/v1/{path}", json={"question": ASKED, "preset": preset})
            assert refused.status_code == 422
            assert said in refused.json()["detail"]


def test_a_page_shows_every_feature_of_a_published_system(client: httpx.Client) -> None:
    page = client.get("/published/lins").text
    assert "F34 Scoring with withheld keys" in page and "<code>wellsourced --preset lins chat</code>" in page
    assert 'href="/published/omni"' in page and 'href="/published/lins"' in client.get("/").text
    assert client.get("/published/other").status_code == 404


def test_what_happens_is_told_in_its_order_and_the_answer_last(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask/events", json={"question": ASKED})
    assert told.headers["content-type"].startswith("text/event-stream")
    events = read_events(told)
    kinds = [kind for kind, _ in events]
    assert [kind for kind in kinds if kind in EVENTS] == list(EVENTS)
    assert kinds[-1] == "AnswerCompleted"
    whole = Answer.model_validate(events[-1][1]["answer"])
    assert (
        whole.statements
        == Answer.model_validate_json(client.post("/api/v1/ask", json={"question": ASKED}).content).statements
    )


def test_of_a_check_each_source_is_told_and_the_checkup_last(client: httpx.Client) -> None:
    text = "Low-dose colchicine is used in gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"
    told = client.post("/api/v1/check/events", json={"text": text})
    assert told.headers["content-type"].startswith("text/event-stream")
    (kind, progress), (last, done) = read_events(told)
    assert (kind, progress["task"], progress["done"], progress["total"]) == ("Progress", "verifying", 1, 1)
    assert last == "CheckCompleted"
    given = Checkup.model_validate(done["checkup"])
    asked_at_once = Checkup.model_validate_json(client.post("/api/v1/check", json={"text": text}).content)
    assert given.verdicts == asked_at_once.verdicts
    told = client.post("/api/v1/check/events", json={"text": ""})
    assert (told.status_code, told.headers["content-type"]) == (422, "application/problem+json")


def test_who_stops_reading_stops_the_work_and_others_are_answered(client: httpx.Client) -> None:
    for number in range(8):
        with client.stream("POST", "/api/v1/ask/events", json={"question": f"{ASKED} ({number})"}) as told:
            assert next(told.iter_lines()).startswith("event: ")
    with pytest.raises(httpx.ReadTimeout):
        client.post("/api/v1/ask", json={"question": f"{ASKED} (again)"}, timeout=0.01)
    assert client.post("/api/v1/ask", json={"question": ASKED}, timeout=20).status_code == 200


def test_what_is_not_found_is_an_answer_that_says_so(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask", json={"question": "Who won the football world cup in 1974?"})
    given = Answer.model_validate_json(told.content)
    assert told.status_code == 200
    assert given.abstained
    assert given.reason


def test_a_search_gives_passages_with_their_place(client: httpx.Client) -> None:
    told = client.post("/api/v1/search", json={"question": "colchicine for gout flares", "limit": 3}).json()
    assert len(told["passages"]) == 3
    first = told["passages"][0]
    assert first["source"] == "guidelines"
    assert first["end"] - first["start"] == len(first["text"])


def test_the_sources_are_told(client: httpx.Client) -> None:
    (source,) = client.get("/api/v1/sources").json()
    assert (source["name"], source["kind"], source["live"]) == ("guidelines", "guideline", False)
    assert source["passages"] > 1_000


@each_row("path", ["/api/v1/ask", "/api/v1/ask/events", "/api/v1/search"])
@each_row(
    ("sent", "said"),
    [
        ({"question": "  "}, "The question is empty"),
        ({"question": "gout?", "since": "2020-01-01", "as_of": "2019-01-01"}, "nothing lies between"),
        ({"question": "gout " * 20_000}, "characters"),
        ({"question": "gout?", "since": "yesterday"}, "since"),
        ({"question": 7}, "question"),
        ({}, "question"),
        ([], "the body"),
    ],
)
def test_what_cannot_be_asked_is_told_with_what_to_do(client: httpx.Client, path: str, sent: object, said: str) -> None:
    told = client.post(path, json=sent)
    assert told.status_code == 422
    assert told.headers["content-type"] == "application/problem+json"
    assert said in told.json()["detail"]


def test_a_fault_repeats_nothing_of_what_was_sent(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask", json={"question": "gout?", "patient": 1, "name": "Erika Mustermann"})
    assert told.status_code == 422
    assert "Mustermann" not in told.text


def test_from_a_document_that_is_not_here_nothing_is_answered(client: httpx.Client) -> None:
    told = client.post("/api/v1/ask", json={"question": "How is gout treated?", "given": ["doi:10.1/none"]})
    assert told.status_code == 200
    assert Answer.model_validate_json(told.content).abstained


def test_a_document_is_read_where_a_citation_stands(client: httpx.Client) -> None:
    given = Answer.model_validate_json(client.post("/api/v1/ask", json={"question": ASKED}).content)
    passages = {one.passage.id: one.passage for one in given.evidence}
    for citation in (citation for one in given.statements for citation in one.citations):
        way = {"id": passages[citation.passage_id].reference.id, "start": citation.start, "length": len(citation.quote)}
        assert client.get("/api/v1/document", params=way).json()["text"] == citation.quote
    told = client.get("/api/v1/document", params={"id": "doi:10.1/none"})
    assert told.status_code == 404
    assert told.headers["content-type"] == "application/problem+json"


def test_lines_to_check_for_a_patient_are_given(client: httpx.Client) -> None:
    sent = {"question": "Should she take metformin?", "patient": "type 2 diabetes, eGFR 22"}
    given = Answer.model_validate_json(client.post("/api/v1/recommend", json=sent).content)
    assert given.recommendation
    assert any("eGFR" in line.about for line in given.recommendation.lines)
    asked = {"question": "", "pico": {"population": "adults with gout", "intervention": "colchicine"}}
    assert client.post("/api/v1/recommend", json=asked).status_code == 200


def test_an_order_is_explained(client: httpx.Client) -> None:
    told = client.post("/api/v1/explain", json={"order": "Furosemide 40 mg PO BID"}).json()
    assert {one["sign"]: one["meaning"] for one in told["signs"]}["BID"] == "twice a day"


def test_a_request_that_is_sent_again_is_done_once(client: httpx.Client) -> None:
    key = {"idempotency-key": "one"}
    first, again = (client.post("/api/v1/ask", json={"question": ASKED}, headers=key) for _ in range(2))
    assert first.content == again.content
    assert client.post("/api/v1/ask", json={"question": ASKED}).json()["timings"] != first.json()["timings"]
    told = client.post("/api/v1/ask", json={"question": "gout?"}, headers=key)
    assert told.status_code == 422
    assert "Idempotency-Key" in told.json()["detail"]


def test_the_description_has_every_way_and_an_example(client: httpx.Client) -> None:
    told = client.get("/openapi.json").json()
    ways = ("sources", "ask", "ask/events", "search", "recommend", "check", "check/events", "explain", "document")
    runs = ("runs", "runs/{id}", "runs/{id}/stop", "jobs", "jobs/{key}")
    own = ("libraries", "libraries/{name}/documents", *runs, "quota")
    chat = {"/v1/models", "/v1/models/{model}", "/v1/chat/completions"}
    server = {"/health", "/ready", "/metrics"}
    assert set(told["paths"]) == {*server, *(f"/api/v1/{way}" for way in (*ways, *own)), *chat}
    assert told["components"]["schemas"]["QuestionRequest"]["examples"] == [{"question": ASKED}]
    assert "Answer" in told["components"]["schemas"]
