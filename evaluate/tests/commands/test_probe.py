"""Variants of a question, and prompts one by one, as they are typed."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from benchmarks.simulated_engine import REPLIES
from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking
from wellsourced import config
from wellsourced.prompts.instructions import list_prompts
from wellsourced_evaluate.agents import ask_agent, build_prompt

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

PAGE = "Colchicine shortened the flare of gout by two days in this trial. " * 6
ASKED = "Is metformin safe in chronic kidney disease?"


pytestmark = pytest.mark.usefixtures("guidelines_home")


@pytest.fixture(autouse=True)
def _asked_on_loopback() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


def at(url: str) -> tuple[str, ...]:
    """Options that name the model behind this address."""
    return ("--model", "compatible:sim", "--set", f"compatible.url={url}/v1", "--set", "models.cache=false")


def test_without_a_model_nobody_is_asked_and_the_remedy_is_named(run: Run) -> None:
    told = run("probe", "agent", "MakePico", "question=Is it safe?", "patient=Man of 60 with gout.")
    assert told.exit_code == 2
    assert "--model ollama:NAME" in told.stderr


def test_variants_are_printed_and_what_rules_cannot_do_is_told(run: Run) -> None:
    told = run("probe", "vary", ASKED)
    assert told.exit_code == 0
    assert "terse: metformin safe chronic kidney disease\n" in told.stdout
    assert "paraphrase: left out, since this needs a language model" in told.stdout


LEAST: dict[str, object] = {
    "str": "Colchicine shortened the flare of gout by two days.",
    "int": 3,
    "bool": False,
    "Question": "Does colchicine help in gout?",
    "dict": {},
    "UnionType": None,
}
"""What people would type for a field of a type."""


def fill_field(annotation: Any) -> object:
    """The least value of a field, in the form that people write."""
    origin = get_origin(annotation)
    if origin is Literal:
        return get_args(annotation)[0]
    name = (origin or annotation).__name__
    if name == "tuple":
        return [fill_field(get_args(annotation)[0])]
    if name == "Passage":
        return {"id": "p1", "text": "Colchicine shortened the flare of gout by two days in this trial."}
    if name == "Evidence":
        return "Colchicine shortened the flare of gout by two days in this trial."
    if name in LEAST:
        return LEAST[name]
    return {one: fill_field(field.annotation) for one, field in annotation.model_fields.items() if field.is_required()}


def test_every_prompt_is_listed_and_asked_by_itself_with_fields_as_people_write_them(run: Run) -> None:
    listed = json.loads(run("probe", "agent", "--json").stdout)
    assert [one["name"] for one in listed] == list(list_prompts())
    prompts = [
        build_prompt(
            kind, {one: fill_field(field.annotation) for one, field in kind.model_fields.items() if field.is_required()}
        )
        for kind in list_prompts().values()
    ]
    # The model of the tests does not reply to all of them.
    asked = [one for one in prompts if one.reply in REPLIES]
    assert len(asked) >= len(prompts) - 3
    with serving(Thinking()) as served:
        settings = config.load({"model": "compatible:sim", "compatible.url": f"{served.url}/v1", "models.cache": False})
        replies = asyncio.run(ask_agent(asked, settings, lambda _: None))
    assert [type(reply) for reply in replies] == [one.reply for one in asked]


def test_fields_are_typed_rows_keep_their_order_and_passages_their_ids(run: Run, tmp_path: Path) -> None:
    with serving(Thinking()) as served:
        told = run(*at(served.url), "probe", "agent", "keywords", "question=Does colchicine help in gout?", "limit=2")
        assert json.loads(told.stdout)["keywords"]
        rows = [{"id": n, "question": "Does it?", "passages": [{"id": f"p{n}", "text": PAGE}]} for n in range(3)]
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        judged = run(*at(served.url), "probe", "agent", "JudgeRelevance", "--rows", str(path)).stdout.splitlines()
    assert [(one["id"], one["items"][0]["passage_id"]) for one in map(json.loads, judged)] == [
        (n, f"p{n}") for n in range(3)
    ]


def test_what_a_prompt_lacks_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "Does it?", "limit": 2}\n{"question": "Does it?"}\n', encoding="utf-8")
    assert "line 2: limit: Field required" in run("probe", "agent", "keywords", "--rows", str(path)).stderr
    assert "limit: Field required" in run("probe", "agent", "keywords", "question=Does it?").stderr
    assert "Which of MakePico, WritePicoQuestion?" in run("probe", "agent", "pico").stderr
    assert "passages: Field required" in run("probe", "agent", "relevance", "question=x").stderr
    assert "no: AssessCertainty shows question" in run("probe", "agent", "certainty", "no=x").stderr
