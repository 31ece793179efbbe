"""Who may ask: tokens on every way, no other page, no other name, no body beyond the limit."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from starlette.routing import BaseRoute, Mount, Route

from tests.server.conftest import OTHER_TOKEN, TOKEN, bearer
from tests.tables import each_row
from wellsourced.app.cli import command_line
from wellsourced.errors import SettingsError
from wellsourced.server.access import MAX_BODY_BYTES, OPEN_PATHS, Access, AccessControl, TokenFile, decide_access
from wellsourced.server.application import build_application

QUESTION = {"question": "How is gout treated?"}

PROBLEM = "application/problem+json"


def list_ways() -> list[tuple[str, str]]:
    """Method and path of all that the application answers, of pages too: from its routes, so that none is forgotten."""
    routes = iterate_routes(build_application(Access()).routes)
    return [(method.lower(), route.path) for route in routes for method in sorted(route.methods or ())]


def iterate_routes(routes: Sequence[BaseRoute]) -> Iterator[Route]:
    for route in routes:
        if isinstance(route, Route):
            yield route
        elif isinstance(route, Mount):
            yield Route(f"{route.path}/{{name}}", route.app, methods=["GET"])
        else:
            yield from iterate_routes(route.original_router.routes)  # type: ignore[attr-defined]  # an included one


@pytest.mark.slow
def test_every_way_but_health_wants_a_token_which_opens_it(guarded: str) -> None:
    ways = list_ways()
    assert len(ways) >= 30
    with httpx.Client(base_url=guarded) as client:
        for method, path in [*ways, ("get", "/nothing")]:
            for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}):
                told = client.request(method, path, headers=headers)
                assert told.status_code == (200 if path in OPEN_PATHS and method != "post" else 401), (method, path)
        assert client.get("/api/v1/sources", headers=bearer(TOKEN)).status_code == 200


@pytest.mark.slow
def test_another_name_and_another_page_are_refused(address: str) -> None:
    assert httpx.get(f"{address}/health", headers={"host": "evil.example"}).status_code == 421
    told = httpx.post(f"{address}/api/v1/ask", json=QUESTION, headers={"origin": "https://evil.example"})
    assert told.status_code == 403
    assert httpx.get(f"{address}/health", headers={"origin": address}).status_code == 200


@pytest.mark.slow
def test_only_json_is_read(address: str) -> None:
    """A form of another page can send text, and no JSON."""
    told = httpx.post(
        f"{address}/api/v1/ask", content=b'{"question": "How is gout treated?"}', headers={"content-type": "text/plain"}
    )
    assert (told.status_code, told.headers["content-type"]) == (415, "application/problem+json")
    assert "Content-Type: application/json" in told.json()["detail"]


def send_in_parts() -> Iterator[bytes]:
    """A body that does not say how long it is."""
    for _ in range(MAX_BODY_BYTES // 500_000 + 2):
        yield b" " * 500_000


@pytest.mark.slow
def test_a_body_beyond_the_limit_is_refused_whether_it_says_so_or_not(address: str) -> None:
    headers = {"content-type": "application/json"}
    told = httpx.post(f"{address}/api/v1/ask", content=b" " * (MAX_BODY_BYTES + 1), headers=headers)
    assert told.status_code == 413
    told = httpx.post(f"{address}/api/v1/ask", content=send_in_parts(), headers=headers)
    assert told.status_code == 413


@pytest.mark.slow
@pytest.mark.parametrize("way", ["/api/v1/ask", "/api/v1/search", "/api/v1/recommend", "/v1/chat/completions", "/ask"])
def test_a_question_of_four_megabytes_is_refused_in_words(address: str, way: str) -> None:
    text = "gout " * (MAX_BODY_BYTES // 5 - 100)
    chat = {"messages": [{"role": "user", "content": text}]}
    sent = {"data": {"question": text}} if way == "/ask" else {"json": chat if "chat" in way else {"question": text}}
    told = httpx.post(address + way, **sent)  # type: ignore[arg-type]
    assert told.status_code == (400 if "chat" in way else 422)
    assert "at most 4,000 are read" in told.text and (way == "/ask" or len(told.text) < 1_000)


@pytest.mark.slow
def test_a_browser_that_is_refused_gets_a_page(address: str) -> None:
    told = httpx.post(f"{address}/ask", content=b" " * (MAX_BODY_BYTES + 1), headers={"accept": "text/html"})
    assert told.status_code == 413 and told.text.startswith("<!doctype html>") and "up to 4,000,000 bytes" in told.text


@pytest.mark.slow
def test_every_answer_has_the_headers_and_no_page_loads_from_elsewhere(address: str) -> None:
    for path in ("/health", "/", "/runs", "/nothing", "/docs", "/redoc", "/api/v1/ask"):
        told = httpx.get(address + path)
        assert told.headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in told.headers["content-security-policy"]
        assert told.headers["x-content-type-options"] == "nosniff"
        assert "server" not in told.headers
        assert told.status_code == {"/health": 200, "/": 200, "/runs": 200, "/api/v1/ask": 405}.get(path, 404)


@each_row("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])  # noqa: S104 - what is refused
def test_others_reach_nothing_without_a_token(host: str) -> None:
    with pytest.raises(SettingsError, match="could read what is stored here"):
        decide_access(host, {})
    assert not decide_access(host, {TOKEN: "reader"}).hosts


@each_row("host", ["127.0.0.1", "::1", "localhost", "127.0.0.9"])
def test_this_machine_needs_none_and_is_called_by_its_own_names(host: str) -> None:
    assert "localhost" in decide_access(host, {}).hosts
    assert not decide_access(host, {TOKEN: "reader"}).hosts, "with tokens a proxy may call it as its visitors do"


@each_row("content", ["", "\n \n", "short", f"{TOKEN}\nshort", "ü" * 40])
def test_tokens_that_are_none_or_are_guessed_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match="ASCII letters and digits"):
        TokenFile(path)


def test_a_token_has_a_role_and_an_unknown_role_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(f"{TOKEN}\n{OTHER_TOKEN}  editor\n", encoding="utf-8")
    assert dict(TokenFile(path)) == {TOKEN: "reader", OTHER_TOKEN: "editor"}
    path.write_text(f"{TOKEN} edtor\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="is not a role"):
        TokenFile(path)


def test_a_server_open_to_others_does_not_start_and_says_why() -> None:
    told = CliRunner().invoke(command_line, ["serve", "--host", "0.0.0.0"])  # noqa: S104 - what is refused
    assert told.exit_code == 2
    assert "--tokens FILE" in told.output


@pytest.mark.slow
@pytest.mark.usefixtures("guidelines_home")
def test_a_port_that_is_taken_is_told(address: str) -> None:
    told = CliRunner().invoke(command_line, ["serve", "--port", address.rpartition(":")[2]])
    assert told.exit_code == 2
    assert "Choose another --port" in told.output


@pytest.mark.parametrize(("way", "words"), [("/api/v1/ask", "detail"), ("/v1/chat/completions", "error")])
async def test_an_error_that_nobody_expected_is_answered_and_logged_without_its_words(
    way: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("Jane Roe has gout")

    transport = httpx.ASGITransport(AccessControl(fail, Access()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        told = await client.post(way, json={"question": "Jane Roe"})
    assert told.status_code == 500
    assert "ZeroDivisionError" in str(told.json()[words])
    (line,) = caplog.messages
    assert line.startswith("500 for POST") and "ZeroDivisionError at " in line and "test_access.py" in line
    assert "Roe" not in line + told.text


def test_the_description_names_its_tokens_and_the_form_of_every_error() -> None:
    for tokens, wanted in (((), [{"token": []}, {}]), (("a" * 20,), [{"token": []}])):
        described = build_application(Access(tokens)).openapi()
        assert described["security"] == wanted
        assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert described["paths"]["/health"]["get"]["security"] == []
    names = {tag["name"] for tag in described["tags"]}
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert set(operation["tags"]) <= names and len(operation["tags"]) == 1
            assert all(parameter["description"] for parameter in operation.get("parameters", []))
            told = {status: reply for status, reply in operation["responses"].items() if status >= "400"}
            kind, form = ("application/json", "OpenAIProblem") if path.startswith("/v1/") else (PROBLEM, "Problem")
            assert all(reply["content"][kind]["schema"]["$ref"].endswith(f"/{form}") for reply in told.values())
    for name, schema in described["components"]["schemas"].items():
        assert all("description" in field for field in schema.get("properties", {}).values()), name
