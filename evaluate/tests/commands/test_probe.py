"""What an answerer is tried with, as it is typed: questions from pages, and variants of a question."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking, saying

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

PAGE = "# Gout\n\n" + "Colchicine shortened the flare of gout by two days in this trial. " * 6
ASKED = "Is metformin safe in chronic kidney disease?"


pytestmark = pytest.mark.usefixtures("guidelines_home")


@pytest.fixture(autouse=True)
def _asked_on_loopback() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


def at(url: str) -> tuple[str, ...]:
    """Options that name the model behind this address."""
    return ("--model", "compatible:sim", "--set", f"compatible.url={url}/v1", "--set", "models.cache=false")


def test_a_question_is_made_from_a_page_with_the_words_that_answer_it(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "gout.md"
    page.write_text(PAGE, encoding="utf-8")
    with serving(Thinking()) as served:
        told = run(*at(served.url), "probe", "page", "--json", str(page))
    assert told.exit_code == 0, told.stderr
    made = json.loads(told.stdout)
    assert made["excerpt"] in PAGE


def test_a_page_that_gives_no_question_is_told_with_the_reason(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "gout.md"
    page.write_text(PAGE, encoding="utf-8")
    with serving(Thinking(saying(question="What does this page say?"))) as served:
        told = run(*at(served.url), "probe", "page", str(page), str(tmp_path / "none.md"))
    assert told.exit_code == 3, told.stderr
    assert "it says “this page”" in told.stderr
    assert "none.md" in told.stderr


def test_without_a_model_a_page_gives_no_question_and_the_remedy_is_named(run: Run) -> None:
    told = run("probe", "page", "https://example.org/")
    assert told.exit_code == 2
    assert "--model ollama:NAME" in told.stderr


def test_variants_are_printed_and_what_rules_cannot_do_is_told(run: Run) -> None:
    told = run("probe", "vary", ASKED)
    assert told.exit_code == 0
    assert "terse: metformin safe chronic kidney disease\n" in told.stdout
    assert "paraphrase: left out, since this needs a language model" in told.stdout


def test_answers_to_variants_are_compared_with_the_answer_to_the_question(run: Run) -> None:
    told = json.loads(run("probe", "vary", "--answer", "--json", ASKED, encoder="minilm").stdout)
    assert [one["manner"] for one in told["changes"]] == ["demographic", "comorbidity", "terse"]
    assert all(one["answered"] for one in told["changes"])
    assert told["steady"] > 0.9
