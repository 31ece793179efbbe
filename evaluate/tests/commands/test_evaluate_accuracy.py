"""`wellsourced evaluate accuracy`: answers of others beside known ones, by a model on loopback or as rows say."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.servers.base import Asked, Said, serving
from tests.servers.models.base import Fails, Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from wellsourced_evaluate.known_answers import RELATIONS

ROWS = [
    {"id": one, "question": "What prevents gout?", "gold": ["Allopurinol prevents it."], "answer": f"It is {one}."}
    for one in RELATIONS
]  # fmt: skip


@pytest.fixture
def _asked_on_loopback() -> Iterator[None]:
    models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")
    with models.override_allow_model_requests(True):
        yield


def write(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


class Judging:
    """A provider that says of an answer what its words name, as often as it is let."""

    def __init__(self, replies: int) -> None:
        self.left = replies

    def __call__(self, asked: Asked) -> Said:
        self.left -= 1
        said = next(one for one in RELATIONS if f"It is {one}." in asked.body.decode())
        reply = json.dumps({"relation": said, "reason": "so it reads"})
        return Provider(OpenAIChat(), Writes(reply) if self.left >= 0 else Fails(401, "no"))(asked)


@pytest.mark.usefixtures("_asked_on_loopback")
def test_a_model_says_how_an_answer_stands_and_one_that_failed_is_asked_again(run: Run, tmp_path: Path) -> None:
    rows = [*({**one, "relation": "equal"} for one in ROWS), {**ROWS[0], "id": "empty", "answer": ""}]
    path = write(tmp_path / "mine.jsonl", rows)

    def compare(server: Judging) -> tuple[int, dict[str, object]]:
        with serving(server) as served:
            model = ("--model", "compatible:sim", "--set", f"compatible.url={served.url}/v1")
            words = ("evaluate", "accuracy", "--answers", path, "--out", str(tmp_path / "log.jsonl"), "--json")
            told = run(*model, "--set", "models.cache=false", *words)
        return told.exit_code, json.loads(told.stdout)

    status, first = compare(Judging(2))
    assert (status, first["failed"]) == (1, {"": 2})
    status, found = compare(rest := Judging(2))
    assert (status, rest.left) == (0, 0), "what was compared is not asked again"
    assert {one["id"]: one["relation"] for one in found["answers"]} == {one: one for one in RELATIONS} | {
        "empty": "less"
    }
    assert found["shares"][""]["less"] | {"low": 0, "high": 1} == {
        "share": 0.4, "low": 0, "high": 1, "part": 2, "whole": 5,
    }  # fmt: skip
    assert (found["agreement"]["same"], found["agreement"]["items"]) == (1, 4)


def test_rows_that_somebody_judged_need_no_model_and_systems_are_tested(run: Run, tmp_path: Path) -> None:
    rows = [
        {**ROWS[0], "id": f"q{n}", "system": system, "relation": "equal" if n < right else "conflicting"}
        for system, right in (("alpha", 9), ("beta", 3))
        for n in range(10)
    ]
    told = run("evaluate", "accuracy", "--answers", write(tmp_path / "judged.jsonl", rows))
    assert told.exit_code == 0, told.output
    (line,) = [one for one in told.stdout.splitlines() if one.startswith("alpha") and "equal" in one]
    assert "0.900" in line and "9 of 10" in line
    assert "chi-square" in told.stdout


def test_rows_without_a_known_answer_or_a_relation_are_refused_by_name(run: Run, tmp_path: Path) -> None:
    bare = {name: value for name, value in ROWS[0].items() if name != "gold"}
    told = run("evaluate", "accuracy", "--answers", write(tmp_path / "bare.jsonl", [ROWS[1], bare]))
    assert told.exit_code == 1
    assert "line 2" in told.stderr and "gold" in told.stderr
    told = run("evaluate", "accuracy", "--answers", write(tmp_path / "unsaid.jsonl", ROWS[:1]))
    assert (told.exit_code, "--model NAME" in told.stderr) == (1, True)
