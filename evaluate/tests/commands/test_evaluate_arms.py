"""`wellsourced evaluate run` with a model that costs, several cases at once and recorded searches; `compare`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_ai import models

from tests.app.conftest import Run
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models.thinking import Thinking
from wellsourced_evaluate.questions.answer_run import AnswerRecord, read_answer_run

ALONE = ("--set", "guidelines=false", "evaluate")
DRUGS = ("Colchicine", "Allopurinol", "Metformin", "Aspirin", "Warfarin", "Insulin", "Statin", "Heparin")
DOWN = "Warfarin"
"""What the model does not answer about."""


@pytest.fixture(scope="module")
def model() -> Iterator[Served]:
    """A model that fails at one of eight cases."""
    thinking = Thinking()

    def answer(asked: Asked) -> Said:
        if DOWN in asked.body.decode():
            return Said(b'{"error": {"message": "overloaded"}}', 500, "application/json")
        return thinking(asked)

    with serving(answer) as served, models.override_allow_model_requests(True):
        yield served


@pytest.fixture
def asked(tmp_path: Path, trials: str) -> str:
    """Eight cases, of which the last says no date."""
    rows = [
        {"id": drug, "question": f"Does {drug} shorten gout flares?", "answer": "yes", "as_of": f"20{20 + at}-06-30"}
        for at, drug in enumerate(DRUGS)
    ]
    del rows[-1]["as_of"]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def records(path: Path) -> dict[str, AnswerRecord]:
    """What was recorded, without what differs from one time to the next."""
    every = read_answer_run(path).records
    return {case: one.model_copy(update={"seconds": 0.0, "at_once": 1}) for case, one in every.items()}


def test_a_run_stops_at_its_budget_and_goes_on_to_what_one_without_a_budget_gives(
    run: Run, asked: str, model: Served, tmp_path: Path
) -> None:
    priced = {"models.price_in": "1", "models.price_out": "1", "models.cache": "false", "compatible.key": "x"}
    settings = {"compatible.url": f"{model.url}/v1", "models.attempts": "1", **priced}
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    command = ("--model", "compatible:sim", *options, *ALONE, "run", asked, "--judge", "overlap", "--parallel", "3")
    first = run(*command, "--out", str(tmp_path / "out"), "--max-calls", "8")
    assert first.exit_code == 1, first.output
    assert "Not every case was asked: " in first.stderr
    assert "of 8 calls are spent" in first.stderr
    assert "cases were asked so far" in first.stdout
    path = tmp_path / "out" / "mine.default.allowed.jsonl"
    before = records(path)
    assert 0 < len(before) < 8
    assert sum(one.calls for one in before.values()) == len(model.asked) <= 8
    done = run(*command, "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 0, done.output
    after = records(path)
    assert {case: after[case] for case in before} == before
    assert {*after} == {*DRUGS}
    assert sum(one.calls for one in after.values()) == len(model.asked)
    assert all(one.prompts and one.model == "compatible:sim" and one.seed == 7 for one in after.values())
    # A call that is not answered has cost nothing that is known.
    assert {case for case, one in after.items() if not one.cost} == {DOWN}
    assert len({one.prompts for one in after.values()}) == 8
    assert {case for case, one in after.items() if one.lacks_its_model} == {DOWN}
    whole = run(*command, "--out", str(tmp_path / "whole"))
    assert whole.exit_code == 0, whole.output
    assert f"1 cases have what is said without compatible:sim, which failed ({DOWN}: " in whole.stdout
    assert records(tmp_path / "whole" / path.name) == after


def test_who_names_a_set_and_no_command_is_told_how_it_is_typed(run: Run) -> None:
    told = run("evaluate", "pubmedqa", "--limit", "3")
    assert told.exit_code == 2
    assert "type `wellsourced evaluate run pubmedqa …`" in told.stderr
    near = run("evaluate", "raport", "out")
    assert "Did you mean `wellsourced evaluate report`?" in near.stderr
