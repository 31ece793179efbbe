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


def test_a_second_arm_reads_what_the_first_one_found(run: Run, asked: str, tmp_path: Path) -> None:
    snapshot = ("--snapshot", str(tmp_path / "searches"), "--out", str(tmp_path / "out"))
    refused = run(*ALONE, "run", asked, *snapshot, "--only-snapshot")
    assert "There is no snapshot" in refused.stderr
    arms = ("--preset", "default", "--preset", "words")
    done = run(*ALONE, "run", asked, *arms, *snapshot, "--parallel", "4")
    assert done.exit_code == 0, done.output
    first, second = (read_answer_run(tmp_path / "out" / f"mine.{one}.allowed.jsonl") for one in ("default", "words"))
    assert first.header.snapshot == second.header.snapshot != ""
    assert {one.replayed for one in first.records.values()} == {0}
    assert sum(one.replayed or 0 for one in second.records.values()) > 0
    other = tmp_path / "searches" / "mine.allowed.snapshot"
    lines = other.read_text("utf-8").splitlines(keepends=True)
    other.write_text("".join(line for line in lines if '"case":"Aspirin"' not in line), encoding="utf-8")
    only = (*snapshot[:2], "--only-snapshot", "--out", str(tmp_path / "only"))
    failing = run(*ALONE, "run", asked, *only)
    assert failing.exit_code == 1
    failed = [
        one for one in read_answer_run(tmp_path / "only" / "mine.default.allowed.jsonl").records.values() if one.error
    ]
    assert [one.case for one in failed] == ["Aspirin"]
    assert "searched for what its snapshot does not have (trials: " in failed[0].error

    told = run("evaluate", "compare", str(tmp_path / "out"))
    assert "| answer_accuracy | default | words |" in told.stdout
    compared = json.loads(run("evaluate", "compare", str(tmp_path / "out"), "--json").stdout)
    assert next(one["test"] for one in compared[0]["contrasts"]) == "McNemar"
    table, page = tmp_path / "cases.csv", tmp_path / "report.html"
    written = ("--csv", str(table), "--html", str(page), "--cutoff", "2022-12-31")
    report = run("evaluate", "report", str(tmp_path / "out"), *written)
    assert report.exit_code == 0, report.output
    assert "### Before and after 2022-12-31" in report.stdout
    assert "| default | up to 2022-12-31 | 3 |" in report.stdout
    assert "| default | without a date | 1 |" in report.stdout
    assert "### Searches" in report.stdout
    assert len(table.read_text("utf-8").splitlines()) == 17
    assert "answer_accuracy with 95 % intervals against seconds of a case" in page.read_text("utf-8")


def test_who_names_a_set_and_no_command_is_told_how_it_is_typed(run: Run) -> None:
    told = run("evaluate", "pubmedqa", "--limit", "3")
    assert told.exit_code == 2
    assert "type `wellsourced evaluate run pubmedqa …`" in told.stderr
    near = run("evaluate", "raport", "out")
    assert "Did you mean `wellsourced evaluate report`?" in near.stderr
    alone = run("evaluate", "run", "x.jsonl", "--only-snapshot")
    assert alone.exit_code == 2
