"""The words of the server: catalogues, templates, scripts, the description of the API, and what real pages say."""

import html
import re
from collections.abc import Iterator
from inspect import getmembers
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import httpx
import pytest

from tests.server.conftest import TOKEN, bearer
from tests.server.test_kept_runs import ask, finish
from tests.tables import each_row
from tests.wording import FOLD, find_faults
from wellsourced.errors import NextStep, NextStepKind, SettingsError
from wellsourced.examination import DoctorFinding
from wellsourced.server import messages
from wellsourced.server.access import Access
from wellsourced.server.application import build_application
from wellsourced.server.pages import library_pages, rendering
from wellsourced.server.pages import messages as page_messages

TEMPLATES = sorted((rendering.HERE / "templates").glob("*.html"))
SCRIPTS = sorted((rendering.HERE / "static").glob("*.js"))
CATALOGUES = (messages, page_messages)

OTHER_SURFACE = re.compile(
    r"`?\bwellsourced [a-z]+ ?[a-z-]*`|\bwellsourced (?:ask|library|setup|doctor|runs)\b|(?<!\S)--\w+"
)
"""A command or a flag of the terminal."""

SAID = {
    messages: [messages.quota_spent("calls", 2, 2), messages.describe_status(404, "Not Found")],
    page_messages: [
        page_messages.describe_failure(SettingsError("The setting is wrong.")),
        page_messages.destinations(["pubmed", "europe_pmc"], "model", sees_patient=True),
        page_messages.destinations([], "model", sees_patient=False),
    ],
}


def list_sentences(catalogue: ModuleType) -> Iterator[str]:
    """Every message of a catalogue; templates with the names of their values."""
    for _, member in getmembers(catalogue):
        if isinstance(member, str) and " " in member and member != catalogue.__doc__:
            yield member
        if isinstance(member, dict):
            yield from (text for text in member.values() if isinstance(text, str))
    yield from (*SAID[catalogue], *(title for _, _, title in messages.PROBLEMS))


def words_of_template(text: str) -> Iterator[str]:
    """What a template says itself: labels and attributes that are read out, and its text by blocks."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}", " ", re.sub(r"\{\{.*?\}\}", FOLD, text, flags=re.DOTALL), flags=re.DOTALL)
    yield from re.findall(r'(?:aria-label|alt|placeholder|title)="([^"]+)"', text)
    text = re.sub(r"</?(?:a|b|code|small|span|mark|input)\b[^>]*>", "", text)
    for block in re.split(r"<[^>]+>", text):
        if re.search(r"\w", block):
            yield html.unescape(" ".join(block.split()))


def list_descriptions(part: object) -> Iterator[str]:
    """Every summary and description in a part of the description of the API."""
    if isinstance(part, dict):
        for name, inner in part.items():
            if name in ("summary", "description") and isinstance(inner, str):
                yield from paragraphs(inner)
            elif name not in ("example", "examples"):
                yield from list_descriptions(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from list_descriptions(inner)


def paragraphs(text: str) -> Iterator[str]:
    """Its paragraphs; of a list of fields, each line."""
    parts = (re.split(r"\n(?=\s*\w[\w, ]* {2,}\S)", paragraph) for paragraph in text.split("\n\n"))
    return (" ".join(line.split()) for lines in parts for line in lines)


def faults_of(sentence: str) -> list[str]:
    foreign = [f"“{one[0]}” is of the terminal" for one in OTHER_SURFACE.finditer(sentence)]
    return [f"{fault}: {sentence}" for fault in (*find_faults(sentence), *foreign)]


@each_row("catalogue", CATALOGUES)
def test_every_message_is_short_plain_and_of_its_surface(catalogue: ModuleType) -> None:
    sentences = list(list_sentences(catalogue))
    assert len(sentences) > 25
    assert [fault for sentence in sentences for fault in faults_of(sentence)] == []


@each_row("template", TEMPLATES)
def test_a_template_says_short_plain_sentences(template: Path) -> None:
    words = list(words_of_template(template.read_text(encoding="utf-8")))
    assert [fault for sentence in words for fault in faults_of(sentence)] == []


def test_a_template_that_says_too_much_or_names_a_command_is_reported() -> None:
    said = '<p>There is no run; run <code>wellsourced setup</code> with --all.</p><img alt="Nobody stands here">'
    faults = [fault for sentence in words_of_template(said) for fault in faults_of(sentence)]
    assert len(faults) == 5
    long = "<p>One {{ two }} " + "word " * 20 + "</p>"
    assert any("words in one sentence" in fault for said in words_of_template(long) for fault in faults_of(said))


def test_scripts_say_plain_words() -> None:
    said = [word for path in SCRIPTS for word in re.findall(r'"([A-Z][^"]* [^"]*)"', path.read_text(encoding="utf-8"))]
    assert said and [fault for sentence in said for fault in faults_of(sentence)] == []


def test_the_description_of_the_api_is_short_and_plain() -> None:
    description = build_application(Access()).openapi()
    own = {name for name, schema in description["components"]["schemas"].items() if is_of_server(name)}
    schemas = [schema for name, schema in description["components"]["schemas"].items() if name in own]
    said = [description["info"]["summary"], *list_descriptions(description["paths"]), *list_descriptions(schemas)]
    assert len(said) > 100
    assert [fault for sentence in said for fault in faults_of(sentence)] == []


def is_of_server(name: str) -> bool:
    from wellsourced.server import answers, application, chat_completions, request_limits, requests, resources

    modules = (answers, application, chat_completions, request_limits, requests, resources)
    return any(getattr(getattr(one, name, None), "__module__", "") == one.__name__ for one in modules)


def test_every_next_step_is_spelled_by_both_surfaces() -> None:
    for kind in get_args(NextStepKind):
        step = NextStep(kind, "NAME")
        for sentence in (messages.spell_next_step(step), page_messages.spell_next_step(step)):
            assert sentence.endswith("."), kind
            assert faults_of(sentence) == [] and "{" not in sentence, kind


def test_what_cannot_be_read_without_an_extra_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = [DoctorFinding("extra", True, "", NextStep("install extra", "documents"))] * 2
    monkeypatch.setattr(library_pages, "examine_extras", lambda: lacking)
    (said,) = library_pages.list_extras()
    assert said == "Reading Wikipedia dumps needs an extra. On the server: pip install 'wellsourced[documents]'."


def visible_text(page: str) -> str:
    """What a page says, without its markup and the words of sources."""
    main = re.sub(r"<(script|blockquote)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", main))


@pytest.mark.slow
def test_real_pages_name_no_command_and_no_flag(client: httpx.Client) -> None:
    ways = ["/", "/check", "/explain", "/runs", "/library", "/library/guidelines", "/settings", "/prompts",
            "/prompts/WriteAnswer", "/sign-in", "/document?id=none", "/runs/none", "/compare"]  # fmt: skip
    ways += [ask(client, question) for question in ("How is gout treated?", "Who won the football world cup?")]
    ways.append(finish(client, client.post("/check", data={"text": "Gout hurts [1].\n\n1. doi:10.1002/art.41247"})))
    ways.append(finish(client, client.post("/explain", data={"order": "Furosemide 40 mg PO BID"})))
    texts = {way: client.get(way, headers={"accept": "text/html"}).text for way in ways}
    texts["doctor"] = client.post("/doctor").text
    for form in ({"question": " "}, {"question": "gout?", "preset": "nothing"}, {"question": "gout?", "source": "x"}):
        texts[str(form)] = client.post("/ask", data=form, headers={"accept": "text/html"}).text
    for way, text in texts.items():
        assert OTHER_SURFACE.findall(visible_text(text)) == [], way


@pytest.mark.slow
def test_real_errors_of_the_api_are_plain_and_name_no_command(guarded: str) -> None:
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/api/v1/ask", {"json": {"question": " "}}),
        ("POST", "/api/v1/ask", {"json": {"question": "gout?", "since": "2020-01-01", "as_of": "2019-01-01"}}),
        ("POST", "/api/v1/ask", {"json": {"question": 7}}),
        ("POST", "/api/v1/ask", {"json": {"question": "gout " * 20_000}}),
        ("GET", "/api/v1/document", {"params": {"id": "none"}}),
        ("GET", "/api/v1/libraries/none/documents", {}),
        ("GET", "/api/v1/runs/aaaaaaaaaaaa", {}),
        ("GET", "/api/v1/jobs/none", {}),
        ("GET", "/nothing", {}),
        ("PUT", "/api/v1/ask", {}),
    ]
    with httpx.Client(base_url=guarded, headers=bearer(TOKEN), timeout=60) as client:
        replies = [client.request(method, way, **sent) for method, way, sent in asked]
        replies.append(client.get("/api/v1/sources", headers={"authorization": "Bearer wrong"}))
        replies.append(client.get("/api/v1/sources", headers={"origin": "https://evil.example"}))
    for reply in replies:
        problem = reply.json()
        assert reply.headers["content-type"] == "application/problem+json"
        assert {"type", "status", "title", "detail"} <= problem.keys() and problem["status"] == reply.status_code
        # Whole sentences are ours; pydantic's and starlette's are not.
        assert OTHER_SURFACE.findall(problem["detail"]) == [], problem
