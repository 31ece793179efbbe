"""Servers that take little of OpenAI's language serve all the same, with every preset."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from tests.servers.base import serving
from tests.servers.models.awkward import (
    LEAST,
    NO_SYSTEM,
    NO_TOOLS,
    SCHEMA_OR_TEXT,
    SYSTEM_FIRST,
    UNAVAILABLE,
    UNKNOWN_FIELD,
    Awkward,
)
from tests.servers.models.thinking import form_of, saying
from tests.tables import each_row
from tests.world import COLCHICINE, GUIDELINE, TRIAL
from wellsourced import config
from wellsourced.errors import ModelRefused
from wellsourced.http import Client
from wellsourced.models.base import Engine, EngineOptions, RenderedPrompt
from wellsourced.models.prompt_rendering import render_prompt
from wellsourced.models.providers.engine import open_engine
from wellsourced.models.providers.request_forms import KnownForms
from wellsourced.pipeline.ask import answer_question
from wellsourced.prompts.planning import ExtractKeywords, KeywordsReply
from wellsourced.sources.library import Library
from wellsourced.types import Question

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

WORDING = render_prompt(ExtractKeywords(question="Does colchicine shorten a gout flare?", limit=3))


@pytest.fixture(autouse=True)
def _real_requests() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


@asynccontextmanager
async def asking(
    server: Awkward, forms: KnownForms | None = None, name: str = "compatible:m", **options: Any
) -> AsyncIterator[Engine]:
    chosen = EngineOptions(**options)
    with serving(server) as served:
        async with Client() as client:
            carrier = client.open_provider_client(attempts=chosen.attempts, seconds=chosen.seconds)
            yield open_engine(name, client=carrier, url=f"{served.url}/v1", options=chosen, forms=forms)


def forms_sent(server: Awkward) -> list[str]:
    """What each request asked for: a tool, the type of its response format, or words."""
    return [
        "tools" if body.get("tools") else body.get("response_format", {}).get("type", "words") for body in server.bodies
    ]


@each_row(
    ("server", "output", "sent"),
    [
        (lambda: Awkward(), "auto", ["json_schema", "json_object"]),
        (lambda: Awkward(json=SCHEMA_OR_TEXT), "auto", ["json_schema", "json_object", "words"]),
        (lambda: Awkward(schema=UNKNOWN_FIELD, json=UNKNOWN_FIELD), "auto", ["json_schema", "json_object", "words"]),
        (lambda: Awkward(system=NO_SYSTEM), "auto", ["json_schema", "json_schema", "json_object"]),
        (lambda: Awkward(schema=None), "auto", ["json_schema"]),
        (lambda: Awkward(), "prompted", ["words"]),
        (lambda: Awkward(schema=None, system=NO_SYSTEM), "schema", ["json_schema", "json_schema"]),
    ],
)
async def test_what_a_server_refuses_is_asked_for_in_a_simpler_form(
    server: Callable[[], Awkward], output: Any, sent: list[str]
) -> None:
    played = server()
    async with asking(played, output=output) as engine:
        answer = await engine.ask(WORDING, KeywordsReply)
    assert answer.reply.keywords[:2] == ("colchicine", "shorten")
    assert forms_sent(played) == sent
    assert not answer.repaired


async def test_groq_and_others_of_which_tools_are_asked_get_an_object_where_tools_are_refused() -> None:
    played = Awkward()
    async with asking(played, output="auto", name="vllm:m") as engine:
        await engine.ask(WORDING, KeywordsReply)
    assert forms_sent(played)[-1] == "json_object"


async def test_no_request_has_more_than_one_system_message_and_words_bring_no_response_format() -> None:
    played = Awkward(json=SCHEMA_OR_TEXT)
    async with asking(played) as engine:
        await engine.ask(WORDING, KeywordsReply)
    systems = [sum(message["role"] == "system" for message in body["messages"]) for body in played.bodies]
    assert systems == [1, 1, 1]
    assert "response_format" not in played.bodies[-1]
    assert form_of(played.bodies[-1]) == "KeywordsReply"


async def test_the_form_that_a_server_took_is_asked_for_at_once_in_this_process_and_in_the_next(tmp_path: Path) -> None:
    path = tmp_path / "forms.json"
    played = Awkward(json=SCHEMA_OR_TEXT, system=NO_SYSTEM)
    with serving(played) as served:
        for _ in range(2):
            async with Client() as client:
                carrier = client.open_provider_client()
                known, url = KnownForms(path), f"{served.url}/v1"
                engine = open_engine("compatible:m", client=carrier, url=url, options=EngineOptions(), forms=known)
                await engine.ask(WORDING, KeywordsReply)
                await engine.ask(WORDING, KeywordsReply)
    assert forms_sent(played) == ["json_schema", "json_schema", "json_object", *["words"] * 4]
    assert json.loads(path.read_text()) == {f"compatible:m {served.url}/v1": ["prompted", False]}


async def test_a_file_of_forms_that_was_spoilt_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "forms.json"
    path.write_text('{"compatible:m http": ["verse", true], "x": 3')
    assert KnownForms(path).find("compatible:m http") is None


@each_row(
    ("server", "options"),
    [
        (lambda: Awkward(), {"output": "schema"}),
        (lambda: Awkward(), {"output": "tools"}),
        (lambda: Awkward(json=UNAVAILABLE, system=NO_SYSTEM, second_system=SYSTEM_FIRST), {"output": "schema"}),
    ],
)
async def test_a_form_that_was_asked_for_by_name_is_not_exchanged_and_the_refusal_is_told(
    server: Callable[[], Awkward], options: dict[str, Any]
) -> None:
    async with asking(server(), **options) as engine:
        with pytest.raises(ModelRefused, match=r"refused compatible:m \(400\)|refused compatible:m"):
            await engine.ask(WORDING, KeywordsReply)


async def test_what_is_refused_for_another_reason_is_not_asked_again() -> None:
    played = Awkward(schema=NO_TOOLS._replace(body={"error": {"message": "The model is not loaded."}}))
    async with asking(played) as engine:
        with pytest.raises(ModelRefused, match="The model is not loaded"):
            await engine.ask(RenderedPrompt(*WORDING), KeywordsReply)
    assert len(played.bodies) == 1


# --- presets -------------------------------------------------------------------------------------------------------

PRESETS = [
    one.name for one in config.list_presets() if not one.command and one.name not in ("hybrid", "words", "omni-spo")
]


@pytest.fixture
async def library() -> str:
    root = config.load().home / "libraries"
    Library.create(root, "trials", "research", None)
    with closing(Library.at(root, "trials", None, write=True)) as made:
        await made.add([TRIAL, GUIDELINE])
    return "trials"


@pytest.mark.parametrize("preset", PRESETS)
async def test_every_preset_answers_with_a_model_behind_a_server_that_takes_least(preset: str, library: str) -> None:
    given = (TRIAL.reference.id,) if preset == "oracle" else ()
    question = Question(text="Does colchicine shorten a gout flare?", given=given)
    for play in LEAST.values():
        server = play(saying(query="colchicine AND gout"))
        with serving(server) as served:
            settings = config.load(
                {
                    "preset": preset,
                    "model": "compatible:m",
                    "compatible.url": f"{served.url}/v1",
                    "encoder": "none",
                    "guidelines": False,
                    "reranker": "none",
                    "models.cache": False,
                }
            )
            async with config.open_context(settings, libraries=(library,), live=()) as context:
                found = await answer_question(question, context)
        assert found.statements, (preset, found.reason, found.notes)
        assert found.writer == "compatible:m"
        assert COLCHICINE in found.statements[0].text or found.basis == "parametric"
        # A wave of three that begins before anything is known is refused three times, together; after that nothing is.
        assert server.refused <= 9
