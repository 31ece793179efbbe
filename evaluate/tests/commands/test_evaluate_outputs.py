"""`wellsourced evaluate outputs`: what is read in recorded outputs, what it comes to, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from wellsourced_evaluate.outputs import (
    RecordedOutput,
    compare_published,
    contrast_outputs,
    rank_arms,
    read_outputs,
    score_outputs,
)

OUTPUTS = Path(__file__).parents[3] / "../shared/data/fixtures/llm_outputs.jsonl.gz"
OPTIONS = {"A": "yes", "B": "no"}

# Two models, two modes, one set of three questions and one of one; the second model is recorded in one mode alone.
TOLD = (
    ("m1", "cot", "x", "q1", '{"answer_choice": "A"}', "A", "A"),
    ("m1", "cot", "x", "q2", '{"answer_choice": "A. yes or B. no"}', "A", "A"),
    ("m1", "cot", "x", "q3", "I am unable to answer.", "B", None),
    ("m1", "rag", "x", "q1", "The answer is B.", "A", "B"),
    ("m1", "rag", "x", "q2", "<think>The answer is B.</think>The answer is A.", "A", "A"),
    ("m1", "rag", "x", "q3", '{"answer_choice": "B. no', "B", "B"),
    ("m2", "rag", "x", "q1", "yes", "A", "A"),
    ("m2", "rag", "y", "q9", "no", "B", "B"),
)


def make_rows() -> list[dict[str, Any]]:
    names = ("model", "mode", "dataset", "question_id", "raw_output", "gold", "parsed_choice")
    rows = [dict(zip(names, one, strict=True)) for one in TOLD]
    return [
        {"id": str(at), "options": OPTIONS, "correct": row["parsed_choice"] == row["gold"], **row}
        for at, row in enumerate(rows)
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read(arm: str, dataset: str, right: int, of: int) -> list[RecordedOutput]:
    return [
        RecordedOutput(
            id=f"{arm}{at}",
            dataset=dataset,
            question_id=f"{at}",
            model=arm,
            raw_output="A" if at < right else "B",
            options=OPTIONS,
            gold="A",
        )
        for at in range(of)
    ]


def test_outputs_are_scored_by_arm_and_set_and_compared_with_what_was_recorded(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "read.jsonl"
    command = ("evaluate", "outputs", "--recorded", write(tmp_path / "told.jsonl", make_rows()), "--out", str(out))
    done = run(*command, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    arms = {(one["arm"], one["dataset"]): one for one in told["arms"]}
    cot = arms["m1, cot", "x"]
    assert cot["outcomes"] == {"right": 1, "wrong": 0, "unparsed": 2}
    # Always "A" is right in two of three, a coin in half; counting the unparsed as A makes one of them right.
    assert cot["figures"][0]["floor"] == pytest.approx(2 / 3)
    assert cot["chance"] == pytest.approx(0.5)
    assert cot["as_letter"] == pytest.approx({"A": 2 / 3, "B": 2 / 3})
    assert cot["published"] == pytest.approx(2 / 3)
    assert [one["metric"] for one in cot["figures"]] == ["answer_accuracy", "unparsed", "decided_accuracy"]
    assert (told["unparsed"]["part"], told["unparsed"]["of"]) == (2, 8)
    (modes,) = (
        one for one in told["contrasts"] if (one["base"], one["other"], one["dataset"]) == ("m1, cot", "m1, rag", "x")
    )
    # q1 is right in the first alone, q2 and q3 in the second alone: p = 2·(1 + 3)/8, at most 1.
    assert (modes["questions"], modes["right"]["only_base"], modes["right"]["only_other"]) == (3, 1, 2)
    assert modes["right"]["p"] == pytest.approx(1.0)
    # Two models in one mode share q1; two that differ in both things are not compared.
    assert {(one["base"], one["other"]) for one in told["contrasts"]} == {
        ("m1, cot", "m1, rag"),
        ("m1, rag", "m2, rag"),
    }
    published = told["published"]
    assert (published["compared"], published["equal"], published["unparsed"]) == (8, 7, [2, 1])
    assert [(one["id"], one["manner"]) for one in published["differences"]] == [("1", "several")]
    assert [json.loads(line)["outcome"] for line in out.read_text().splitlines()] == [
        *("right", "unparsed", "unparsed", "wrong", "right", "right", "right", "right"),
    ]
    report = run(*command)
    assert report.exit_code == 0, report.output
    assert "Unparsed: 2 of 8, 0.250" in report.stdout
    assert "| 1 | none | A | A | several | A. yes or B. no |" in report.stdout


def test_arms_are_ranked_over_the_sets_that_all_have_and_level_ones_share_a_place() -> None:
    rows = [*read("a", "x", 9, 10), *read("b", "x", 1, 10), *read("c", "x", 9, 10)]
    rows += [*read("a", "y", 8, 10), *read("b", "y", 9, 10), *read("c", "y", 1, 10), *read("a", "z", 1, 2)]
    ranks = {one.arm: one for one in rank_arms(score_outputs(rows))}
    # On x: a and c share places 1 and 2, b is third. On y: b, a, c.
    assert {arm: one.average_rank for arm, one in ranks.items()} == {"a": 1.75, "b": 2.0, "c": 2.25}
    assert {one.sets for one in ranks.values()} == {2}
    assert all(one.low <= one.average_rank <= one.high for one in ranks.values())
    assert rank_arms(score_outputs(read("a", "x", 1, 2))) == []
    assert [one.questions for one in contrast_outputs([*read("a", "x", 1, 2), *read("b", "x", 2, 3)])] == [2, 2]


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"gold": "C"}, "its gold “C” is none of A, B"),
    ({"raw_output": None}, "raw_output: Input should be a valid string"),
    ({"options": {"A": "yes"}}, "options: Dictionary should have at least 2 items"),
    ({"parsed_choice": "D"}, "its parsed_choice “D” is none of A, B"),
    ({"correct": "yes"}, "correct: Input should be a valid boolean"),
    ({"id": "0"}, "the id “0” is on line 1 already"),
    ({"question_id": "q1"}, "the question “q1” of this arm is on line 1 already"),
]


def test_a_line_that_cannot_be_used_refuses_the_file(run: Run, tmp_path: Path) -> None:
    unlike = []
    for change, fault in FAULTS:
        rows = make_rows()
        rows[1] |= change
        done = run("evaluate", "outputs", "--recorded", write(tmp_path / "told.jsonl", rows))
        if done.exit_code != 1 or f"line 2: {fault}" not in " ".join(done.output.split()):
            unlike.append((fault, done.output))
    assert unlike == []


@pytest.mark.skipif(not OUTPUTS.exists(), reason="the recorded outputs are not here")
def test_the_recorded_accuracies_of_a_model_that_retrieves_come_back() -> None:
    rows = read_outputs(OUTPUTS).rows
    published = compare_published(rows)
    assert published
    assert (published.compared, published.equal, published.unparsed[0]) == (1155, 1144, 68)
    assert [one.reading.manner for one in published.differences] == ["several"] * 11
    found = {(one.arm, one.dataset): one for one in score_outputs(rows)}
    recorded = {"bioasq": (120, 127), "pubmedqa": (91, 116), "medqa": (28, 34), "mmlu": (23, 30)}
    for dataset, counts in recorded.items():
        accuracy = found["gpt-4-32k, rag_32", dataset].accuracy
        assert (accuracy.part, accuracy.of) == counts
