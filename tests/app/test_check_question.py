"""`check --question`: a model on loopback answers with addresses, and its answer is checked like any other."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.servers.base import serving
from tests.servers.models.thinking import Thinking
from tests.tables import each_row
from wellsourced.models.base import Reply
from wellsourced.prompts.probing import SourcedAnswerReply, SourcedStatement

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

FLARE = "Colchicine shortened gout flares by two days in adults."
QUESTION = "Does colchicine help in gout?"
PAGE = "http://www.example.org/gout/"


@pytest.fixture(autouse=True)
def _asked_on_loopback() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


@pytest.fixture
def library(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "gout.md"
    page.write_text(f"---\ntitle: Gout\nurl: https://example.org/gout\n---\n{FLARE} It was studied for a year.\n")
    assert run("library", "create", "leaflets", "--add", str(page)).exit_code == 0


def answering(*statements: SourcedStatement, refusal: str = "") -> Thinking:
    def twist(reply: Reply) -> Reply:
        said = SourcedAnswerReply(statements=statements, refusal=refusal)
        return said if isinstance(reply, SourcedAnswerReply) else reply

    return Thinking(twist)


def at(url: str) -> tuple[str, ...]:
    dead = [f"{name}.url=http://127.0.0.1:9" for name in ("pubmed", "europe_pmc", "crossref")]
    values = [f"compatible.url={url}/v1", "models.cache=false", "network.seconds=2", *dead]
    return ("--model", "compatible:sim", *(word for value in values for word in ("--set", value)))


def test_the_answer_of_the_model_is_checked_against_the_pages_that_it_names(run: Run, library: None) -> None:
    with serving(answering(SourcedStatement(text=FLARE, addresses=(PAGE,)))) as served:
        done = run(*at(served.url), "check", "--question", QUESTION, "--judge", "overlap", "--json")
    assert done.exit_code == 0, done.output
    checkup = json.loads(done.stdout)
    assert checkup["origin"] == {"id": "", "question": QUESTION, "system": "compatible:sim", "kind": ""}
    assert [one["text"] for one in checkup["submitted"]["claims"]] == [FLARE]
    assert [one["label"] for one in checkup["verdicts"]] == ["supports"]
    assert checkup["submitted"]["sources"][0]["url"] == PAGE


def test_a_model_that_says_nothing_or_refuses_has_no_statement_and_that_is_an_outcome(run: Run) -> None:
    with serving(answering()) as served:
        done = run(*at(served.url), "check", "--question", QUESTION, "--judge", "overlap", "--json")
    assert done.exit_code == 0, done.output
    assert {"the model was asked twice", "the model gave no answer"} <= {*json.loads(done.stdout)["notes"]}
    shares = json.loads(done.stdout)["shares"]["response support, all responses"]
    assert (shares["part"], shares["of"]) == (0, 1)
    with serving(answering(refusal="I give no advice.")) as served:
        refused = run(*at(served.url), "check", "--question", QUESTION, "--judge", "overlap")
    assert "the model refused to answer: I give no advice." in " ".join(refused.stdout.split())


@each_row(
    ("words", "why"),
    [
        (("--question", QUESTION), "--model (openai:NAME"),
        (("--question", QUESTION, "-"), "Use either texts or --question"),
        ((), "There are no texts to check"),
        (("--question", QUESTION, "--question", QUESTION), "is given twice"),
    ],
)
def test_bad_use_says_what_to_do(run: Run, words: tuple[str, ...], why: str) -> None:
    done = run("check", *words)
    assert (done.exit_code, why in " ".join(done.output.split())) == (2, True), done.output


def test_a_blank_question_is_bad_use_and_a_model_that_is_down_is_told(run: Run) -> None:
    down = ("--model", "compatible:sim", "--set", "compatible.url=http://127.0.0.1:9/v1", "--set", "models.attempts=1")
    assert run(*down, "check", "--question", " ", "--judge", "overlap").exit_code == 2
    done = run(*down, "check", "--question", QUESTION, "--judge", "overlap")
    assert done.exit_code == 3
    assert "Cannot reach 127.0.0.1:9" in done.output
