"""`wellsourced evaluate rubrics`: conversations of HealthBench with answers, as inspect_evals grades them."""

import json
from pathlib import Path

import pytest

from tests.app.conftest import Run
from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.inspect_logs import RubricCase
from wellsourced_evaluate.recorded_rows import read_recorded

DATA = Path(__file__).parents[1] / "data" / "rubrics"
MADE_UP, ANSWERS = DATA / "made_up.jsonl", DATA / "made_up_answers.jsonl"


def test_a_file_that_cannot_be_graded_is_refused_with_the_lines_at_fault(tmp_path: Path) -> None:
    good = json.loads(MADE_UP.read_text(encoding="utf-8").splitlines()[0])
    faults = {
        "prompt_id: Field required": {name: value for name, value in good.items() if name != "prompt_id"},
        "it is no": [1],
        "its conversation does not end": {**good, "prompt": [*good["prompt"], {"role": "assistant", "content": "x"}]},
        "rubrics: Tuple should have at least 1 item": {**good, "prompt_id": "b", "rubrics": []},
        "the id “made-up-1” is on line 1 already": good,
    }
    unlike = []
    for reason, row in faults.items():
        path = tmp_path / "cases.jsonl"
        path.write_text(f"{json.dumps(good)}\n{json.dumps(row)}\n", encoding="utf-8")
        with pytest.raises(UnreadableFile) as refused:
            read_recorded(path, RubricCase)
        if f"line 2: {reason}" not in str(refused.value):
            unlike.append(str(refused.value))
    assert unlike == []


def test_answers_of_a_file_are_written_with_the_criteria_of_their_conversations(run: Run, tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")
    out = tmp_path / "answered.eval"
    done = run("evaluate", "rubrics", str(MADE_UP), "--answers", str(ANSWERS), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "3 conversations in" in done.stdout
    told = log.read_eval_log(str(out))
    first = told.samples[0]
    answers = {row["prompt_id"]: row["completion"] for row in map(json.loads, ANSWERS.read_text().splitlines())}
    assert first.output.completion == answers["made-up-1"]
    case = json.loads(MADE_UP.read_text(encoding="utf-8").splitlines()[0])
    assert first.metadata["conversation"] == case["prompt"]
    assert [one["points"] for one in first.metadata["rubrics"]] == [one["points"] for one in case["rubrics"]]
    themes = [tag for tag in case.get("example_tags", []) if tag.startswith("theme:")]
    assert all(set(themes) <= set(one["tags"]) for one in first.metadata["rubrics"])


def test_this_system_answers_the_last_message(run: Run, trials: str, tmp_path: Path) -> None:
    rubric = {"criterion": "States that colchicine shortens flares", "points": 5, "tags": []}
    prompt = [{"role": "user", "content": "Does colchicine shorten gout flares?"}]
    path, out = tmp_path / "mine.jsonl", tmp_path / "ours.jsonl"
    path.write_text(json.dumps({"prompt_id": "p", "prompt": prompt, "rubrics": [rubric]}) + "\n", encoding="utf-8")
    done = run("--set", "guidelines=false", "evaluate", "rubrics", str(path), "--out", str(out))
    assert done.exit_code == 0, done.output
    (row,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert row["prompt_id"] == "p"
    assert "colchicine" in row["completion"].casefold()


def test_a_completion_that_is_missing_is_said(run: Run, tmp_path: Path) -> None:
    lone = tmp_path / "lone.jsonl"
    lone.write_text(ANSWERS.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    done = run("evaluate", "rubrics", str(MADE_UP), "--answers", str(lone), "--out", str(tmp_path / "x.jsonl"))
    assert done.exit_code == 1
    assert "no completion for 2 of 3 cases (made-up-2" in " ".join(done.output.split())
