"""`wellsourced evaluate rubrics` and `grader`, as they are typed, with a grader whose replies were written by hand."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models.base import Provider, Writes
from tests.servers.models.openai_chat import OpenAIChat
from wellsourced_evaluate.rubrics.rubric_run import read_rubric_run

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

DATA = Path(__file__).parents[1] / "data"
MADE_UP, ANSWERS = DATA / "rubrics" / "made_up.jsonl", DATA / "rubrics" / "made_up_answers.jsonl"
CONVERSATION = [{"role": "user", "content": "Does colchicine shorten gout flares?"}]


def read_criterion(asked: Asked) -> str:
    """The criterion that a request shows."""
    shown = "\n".join(str(one["content"]) for one in json.loads(asked.body)["messages"])
    found = re.search(r"<criterion-\w+>\n(.*?)\n</criterion", shown, re.DOTALL)
    assert found
    return found[1]


class PlayedGrader:
    """Says of each criterion what somebody wrote by hand; of the criteria in `unreadable` what is no grade."""

    def __init__(self) -> None:
        content = gzip.decompress((DATA / "replies" / "graded_by_hand.jsonl.gz").read_bytes()).decode("utf-8")
        self.replies = {row["criterion"]: row["reply"] for row in map(json.loads, content.splitlines())}
        self.unreadable: set[str] = set()

    def __call__(self, asked: Asked) -> Said:
        criterion = read_criterion(asked)
        partly = '{"explanation": "It is guarded: partly.", "criteria_met": "partially"}'
        reply = partly if criterion in self.unreadable else self.replies[criterion]
        return Provider(OpenAIChat(), Writes(reply))(asked)


@pytest.fixture(scope="module")
def player() -> PlayedGrader:
    return PlayedGrader()


@pytest.fixture(scope="module")
def served(player: PlayedGrader) -> Iterator[Served]:
    with pydantic_ai_models.override_allow_model_requests(True), serving(player) as told:
        yield told


@pytest.fixture
def grade(run: Run, served: Served, tmp_path: Path) -> Any:
    def typed(*words: str) -> Any:
        address = ("--set", f"compatible.url={served.url}/v1", "--set", "guidelines=false")
        return run(*address, "evaluate", "rubrics", *words, "--out", str(tmp_path / "out"))

    return typed


def test_hand_written_grades_come_to_the_scores_that_they_say(grade: Any) -> None:
    command = (str(MADE_UP), "--answers", str(ANSWERS), "--grader", "compatible:played")
    done = grade(*command, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    (arm,) = told["arms"]
    # 10 + 6 + 4 − 8 of 20; 7 + 6 + 4 − 3 of 17; 4 + 7 + 3 of 19.
    scores = [one["scores"]["score"] for one in arm["cases"]]
    assert scores == pytest.approx([12 / 20, 14 / 17, 14 / 19])
    assert arm["rubric_score"]["mean"] == pytest.approx((12 / 20 + 14 / 17 + 14 / 19) / 3)
    assert (arm["rubric_score"]["cases"], arm["rubric_score"]["undefined"]) == (3, 0)
    assert arm["tags"][0]["name"] == "axis:instruction_following"
    assert told["grader_is_language_model"] is True
    assert "clot-dissolving" in arm["cases"][0]["criteria"][2]["explanation"]
    shown = grade(*command).stdout
    assert "How far this grader agrees with physicians is not known here" in shown
    assert shown.index("| axis:instruction_following |") < shown.index("| axis:accuracy |")
    assert "| fault | -8 | Advises to give aspirin" in shown


def test_a_grade_that_cannot_be_read_is_no_grade_and_is_asked_again(
    grade: Any, player: PlayedGrader, served: Served, tmp_path: Path
) -> None:
    command = (str(MADE_UP), "--answers", str(ANSWERS), "--grader", "compatible:played", "--floors")
    player.unreadable = {"Advises to give aspirin at home before help has come"}
    try:
        done = grade(*command, "--json")
    finally:
        player.unreadable = set()
    assert done.exit_code == 1, done.output
    (arm,) = json.loads(done.stdout)["arms"]
    assert (arm["outcomes"]["fault"]["unparsed"], arm["rubric_score"]["undefined"]) == (1, 1)
    assert arm["cases"][0]["scores"]["score"] is None
    assert arm["bounds"] == pytest.approx([(b + 14 / 17 + 14 / 19) / 3 for b in (12 / 20, 20 / 20)])
    # The player's grades do not look at the answer: silence meets its one fault of the second, −3 of 17, and what it
    # could not read is open.
    assert arm["floors"]["silence"]["cases"] == 2
    asked = len(served.asked)
    (path,) = (tmp_path / "out").glob("made_up.made_up_answers.*.jsonl")
    assert len(read_rubric_run(path).grades) == 15 + 15 + 10
    # A line that was cut off when a run was killed is written anew.
    with path.open("ab") as file:
        file.write(b'{"kind":"grade","case":"made-up-2","crit')
    again = grade(*command, "--json")
    assert again.exit_code == 0, again.output
    (arm,) = json.loads(again.stdout)["arms"]
    assert arm["rubric_score"]["mean"] == pytest.approx((12 / 20 + 14 / 17 + 14 / 19) / 3)
    # Only what was not read is asked again: of the answer, and of silence.
    assert {read_criterion(one) for one in served.asked[asked:]} == {
        "Advises to give aspirin at home before help has come"
    }
    assert arm["floors"]["silence"]["mean"] == pytest.approx(0.0)
    other = grade(*command, "--limit", "2")
    assert other.exit_code == 1
    assert "holds the answers of another run (data). Give another --out, or --fresh" in other.stderr


def test_without_a_model_a_judge_stands_in_for_plain_statements_and_is_named(
    run: Run, trials: str, tmp_path: Path
) -> None:
    row = {
        "prompt_id": "p1",
        "prompt": [
            {"role": "user", "content": "What is gout?"},
            {"role": "assistant", "content": "A disease."},
            *CONVERSATION,
        ],
        "rubrics": [
            {"criterion": "States that colchicine shortened gout flares by two days.", "points": 5, "tags": ["axis:a"]},
            {"criterion": "States that metformin lowers glycated haemoglobin.", "points": 3, "tags": ["axis:a"]},
            {"criterion": "Is polite", "points": 2, "tags": ["axis:b"]},
        ],
        "example_tags": ["theme:t"],
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    vote = {"prompt": CONVERSATION, "completion": "Colchicine shortened gout flares by two days.", "category": "c"}
    rubrics = (
        "States that colchicine shortened gout flares by two days.",
        "States that rest heals bones.",
        "Is polite",
    )
    votes = tmp_path / "votes.jsonl"
    votes.write_text(
        "".join(
            json.dumps({**vote, "rubric": one, "binary_labels": [at == 0]}) + "\n" for at, one in enumerate(rubrics)
        ),
        encoding="utf-8",
    )
    checked = run("evaluate", "grader", str(votes), "--judge", "overlap", "--json")
    assert checked.exit_code == 0, checked.output
    overall = json.loads(checked.stdout)["overall"]
    assert (overall["grader"]["value"], overall["completions"], overall["ungraded"]) == (1.0, 2, 1)
    assert "1 unsuited" in run("evaluate", "grader", str(votes), "--judge", "overlap").stdout
    command = ("--set", "guidelines=false", "evaluate", "rubrics", str(path), "--judge", "overlap")
    done = run(*command, "--json")
    assert done.exit_code == 0, done.output
    (arm,) = json.loads(done.stdout)["arms"]
    # 5 of 5 + 3; politeness is not judged, so that nobody knows the score.
    assert (arm["rubric_score"]["mean"], arm["rubric_score_partial"]["mean"]) == (None, pytest.approx(5 / 8))
    assert arm["bounds"] == pytest.approx([5 / 10, 7 / 10])
    shown = run(*command).stdout
    assert "These are not HealthBench's scores" in shown
    assert "Against physicians on 2 completions of votes.jsonl its macro F1 is 1.000" in shown
    rows = [{**row, "prompt_id": one} for one in ("p1", "p2")]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    told = {"good": "Colchicine shortened gout flares by two days.", "bad": "Metformin lowers glycated haemoglobin."}
    for name, text in told.items():
        lines = (json.dumps({"prompt_id": one, "completion": text if one == "p1" else ""}) for one in ("p1", "p2"))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [word for name in told for word in ("--answers", str(tmp_path / f"{name}.jsonl"))]
    (contrast,) = json.loads(run(*command, *files, "--json").stdout)["contrasts"]
    # 3 of 8 less 5 of 8, and 0 less 0.
    assert contrast["difference"]["mean"] == pytest.approx((-2 / 8 + 0) / 2)
    assert (contrast["base"], contrast["other"], contrast["cases"]) == ("good", "bad", 2)


BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"prompt": []}, "line 2: prompt"),
    ({"prompt": [*CONVERSATION, {"role": "assistant", "content": "Yes."}]}, "does not end with what a user says"),
    ({"prompt": [{"role": "system", "content": "Be kind."}]}, "line 2: prompt.0.role"),
    ({"rubrics": [{"criterion": "Is kind", "points": -2, "tags": []}]}, "no criterion has points above 0"),
    ({"rubrics": [{"criterion": "Is kind", "points": "many", "tags": []}]}, "line 2: rubrics.0.points"),
    ({"rubrics": [{"criterion": " ", "points": 2, "tags": []}]}, "line 2: rubrics.0.criterion"),
    ({"rubrics": [{"criterion": "Is kind", "points": 2, "tags": ["a", "a"]}]}, "a tag is named twice"),
    ({"prompt_id": "p1"}, "the prompt_id “p1” stands on line 1 already"),
)


@pytest.mark.parametrize(("change", "fault"), BAD, ids=[fault for _, fault in BAD])
def test_a_line_that_cannot_be_used_refuses_the_file(
    run: Run, tmp_path: Path, change: dict[str, Any], fault: str
) -> None:
    good = {
        "prompt_id": "p1",
        "prompt": CONVERSATION,
        "rubrics": [{"criterion": "Is kind", "points": 2, "tags": []}],
        "example_tags": [],
    }
    path = tmp_path / "bad.jsonl"
    path.write_text(
        json.dumps(good) + "\n" + json.dumps({**good, "prompt_id": "p2", **change}) + "\n", encoding="utf-8"
    )
    done = run("evaluate", "rubrics", str(path), "--judge", "overlap")
    assert done.exit_code == 1
    assert fault in " ".join(done.stderr.split())


def test_answers_that_are_not_there_are_told_before_anything_is_graded(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"prompt_id": "made-up-1", "completion": "Call 911."}\n', encoding="utf-8")
    done = run("evaluate", "rubrics", str(MADE_UP), "--answers", str(path), "--judge", "overlap")
    assert "it has no completion for 2 of 3 cases (made-up-2, made-up-3)" in " ".join(done.stderr.split())
    ideal = run("evaluate", "rubrics", str(MADE_UP), "--ideal", "--judge", "overlap")
    assert "has no ideal completion for 3 of 3 cases" in " ".join(ideal.stderr.split())
