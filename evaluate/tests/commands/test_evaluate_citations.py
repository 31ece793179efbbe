"""`wellsourced evaluate citations`, as it is typed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from wellsourced.types import Answer, Citation, Evidence, Passage, Question, Reference, Statement, Verdict

TEXTS = {
    "gout": "Colchicine shortened gout flares by two days compared with placebo.",
    "sugar": "Metformin lowered glycated haemoglobin by one percentage point.",
}
"""The overlap judge says that a text supports its own words, and that the other says nothing of them."""


def answer(*cites: tuple[str, str]) -> dict[str, Any]:
    """Statements in the words of one text, each with the text that it cites."""
    passages = {
        name: Passage(reference=Reference(id=f"own:{name}", title=name), text=text, start=0, end=len(text))
        for name, text in TEXTS.items()
    }
    statements = (
        Statement(
            text=TEXTS[says],
            citations=(Citation(passage_id=passages[cited].id, quote=TEXTS[cited][:9], start=0, end=9),),
            verdict=Verdict(label="unjudged", score=0.0),
        )
        for says, cited in cites
    )
    found = Answer(
        question=Question(text="What helps in gout?"),
        statements=tuple(statements),
        evidence=tuple(Evidence(passage=one, relevance=0.9) for one in passages.values()),
    )
    return found.model_dump(mode="json")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    rows = (
        {"id": "q1", "answer": answer(("gout", "gout"), ("sugar", "sugar")), "gold": TEXTS["gout"]},
        {"id": "q2", "answer": answer(("gout", "sugar"))},
        {"id": "q3", "answer": answer()},
    )
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_each_answer_comes_with_its_counts_and_means_say_of_how_many_they_are(run: Run, answers: Path) -> None:
    command = ("evaluate", "citations", "--answers", str(answers), "--judge", "overlap", "--json")
    done = run(*command, "--valid-above", "0.6")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["answers"], found["unjudged"], found["valid_above"]) == (3, 0, 0.6)
    assert [one["counts"]["citation_precision"] for one in found["cases"]] == [[2, 2], [0, 1], [0, 0]]
    assert [one["values"]["citation_precision"] for one in found["cases"]] == [1.0, 0.0, None]
    precision, recall = found["metrics"]["citation_precision"], found["metrics"]["citation_recall"]
    assert (precision["mean"], precision["cases"], precision["undefined"]) == (0.5, 2, 1)
    assert (precision["pooled"]["part"], precision["pooled"]["whole"]) == (2, 3)
    assert (recall["mean"], recall["cases"]) == (pytest.approx(1 / 3), 3)
    correctness = found["metrics"]["statement_correctness"]
    assert (correctness["mean"], correctness["cases"], correctness["undefined"]) == (1.0, 1, 2)
    assert correctness["pooled"] is None


def test_the_same_for_people(run: Run, answers: Path) -> None:
    told = run("evaluate", "citations", "--answers", str(answers), "--judge", "overlap", "--valid-above", "0.95").stdout
    lines = {line.split()[0]: line for line in told.splitlines() if line}
    assert "0.500" in lines["citation_precision"]
    assert "2 of 3" in lines["citation_precision"]
    assert "0 of 3" in lines["citation_recall"]
    assert "relevance of 0.95" in lines["Passages"]


FAULTS = (
    ("{", "it is not JSON"),
    ("[]", "it is not a JSON object"),
    (json.dumps({"answer": {}}), "id: Field required"),
    (json.dumps({"id": "q2"}), "answer: Field required"),
    (json.dumps({"id": "q2", "answer": {}}), "answer.question: Field required"),
    (json.dumps({"id": "q2", "answer": answer(), "gold": 7}), "gold: Input should be a valid string"),
    (json.dumps({"id": "q1", "answer": answer()}), "the id “q1” is on line 1 already"),
)


def test_a_line_that_cannot_be_used_is_refused_with_its_number(run: Run, tmp_path: Path) -> None:
    path, unlike = tmp_path / "answers.jsonl", []
    for line, fault in FAULTS:
        path.write_text(json.dumps({"id": "q1", "answer": answer()}) + "\n" + line + "\n", encoding="utf-8")
        refused = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap")
        if refused.exit_code != 1 or f"line 2: {fault}" not in refused.stderr:
            unlike.append((fault, refused.stderr))
    assert unlike == []


def test_an_answer_that_quotes_what_is_not_in_its_passage_is_refused(run: Run, tmp_path: Path) -> None:
    broken = answer(("gout", "gout"))
    broken["statements"][0]["citations"][0]["quote"] = "Aspirin"
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"id": "q1", "answer": broken}) + "\n", encoding="utf-8")
    refused = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap")
    assert refused.exit_code == 1
    assert "line 1: " in refused.stderr
    assert "does not contain these words at the place given" in refused.stderr


def measure(run: Run, path: Path, *options: str) -> dict[str, Any]:
    done = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap", *options, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


FOREIGN = {
    "id": "q1",
    "answer": f"{TEXTS['gout']} [1] {TEXTS['sugar']} [1][2] Rest is enough [7]. Nothing else helps.",
    "refs": [{"text": TEXTS["gout"], "score": 0.9}, {"page_content": TEXTS["sugar"], "score": 0.2}],
}


def test_answers_of_any_system_are_measured_with_marks_that_lead_nowhere(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_text(json.dumps(FOREIGN) + "\n", encoding="utf-8")
    (case,) = measure(run, path, "--valid-above", "0.6")["cases"]
    # Three of four statements cite; one of four marks belongs to no text, and [1] of the second is not needed.
    assert case["counts"]["citation_set_precision"] == [2, 3]
    assert case["counts"]["citation_precision"] == [2, 4]
    assert case["counts"]["citation_recall"] == [1, 1]
    assert case["counts"]["citation_coverage"] == [2, 4]
    assert case["counts"]["unresolved_citations"] == [1, 4]
    assert "fluency" not in run("evaluate", "citations", "--answers", str(path), "--judge", "overlap").stdout
    path.write_text(json.dumps({**FOREIGN, "fluency": 0.83}) + "\n", encoding="utf-8")
    without = measure(run, path)
    assert without["metrics"]["fluency"]["mean"] == 0.83
    assert without["cases"][0]["counts"]["citation_recall"] == [0, 0]
    told = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap").stdout
    assert "No threshold, so no recall of citations" in told


def test_an_answer_of_the_history_is_measured_anew_by_another_judge(run: Run, trials: str) -> None:
    words = ("--set", "guidelines=false")
    assert run(*words, "ask", "Does colchicine shorten gout flares?").exit_code == 0
    (line,) = json.loads(run("history", "list", "--json").stdout)
    done = run("evaluate", "citations", "--run", line["id"][:8], "--judge", "overlap", "--json")
    assert done.exit_code == 0, done.output
    (case,) = json.loads(done.stdout)["cases"]
    assert case["id"] == line["id"]
    assert case["counts"]["citation_coverage"][0] > 0
    assert "Give --answers, or --run" in run("evaluate", "citations").stderr
    assert "No run begins with the id" in run("evaluate", "citations", "--run", "ffffffff").stderr


def test_exports_of_other_tools_and_markdown_are_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ragas.jsonl"
    ragas = {"id": "q1", "user_input": "Does it help?", "response": f"{TEXTS['gout']} [1]", "contexts": [TEXTS["gout"]]}
    path.write_text(json.dumps(ragas) + "\n", encoding="utf-8")
    assert measure(run, path)["cases"][0]["counts"]["citation_precision"] == [1, 1]
    page = tmp_path / "theirs.md"
    page.write_text(
        f"# Gout\n\n{TEXTS['gout']} [1]\n\n## References\n\n1. Smith J. {TEXTS['gout']} N Engl J Med 2021.\n",
        encoding="utf-8",
    )
    assert measure(run, page)["cases"][0]["counts"]["citation_precision"] == [1, 1]
    page.write_text("Nothing is cited.\n", encoding="utf-8")
    refused = run("evaluate", "citations", "--answers", str(page), "--judge", "overlap")
    assert refused.exit_code == 1
    assert "it is no answer with a list of what it cites" in refused.stderr
    path.write_text(json.dumps({"id": "q1", "answer": "It helps [1]."}) + "\n", encoding="utf-8")
    refused = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap")
    assert "line 1: refs: the answer comes without the texts that it cites" in refused.stderr


def test_the_threshold_is_that_of_the_ranker_in_use(run: Run, tmp_path: Path) -> None:
    path, scored = tmp_path / "theirs.jsonl", tmp_path / "scored.jsonl"
    path.write_text(json.dumps(FOREIGN) + "\n", encoding="utf-8")
    rows = [{"score": place / 100, "valid": place > 60 or place % 2 == 0} for place in range(100)]
    scored.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = measure(run, path, "--calibration", str(scored))
    assert found["valid_above"] == 0.59
    threshold = found["threshold"]
    assert (threshold["above"], threshold["valid"], threshold["pairs"]) == (40, 40, 100)
    assert 0.9 < threshold["low"] < 1.0 == pytest.approx(threshold["high"])
    assert threshold["histogram"][5] == pytest.approx({"low": 0.495, "high": 0.594, "valid": 5, "passages": 10})
    page = tmp_path / "report.html"
    typed = ("evaluate", "citations", "--answers", str(path), "--judge", "overlap", "--calibration", str(scored))
    told = run(*typed, "--html", str(page)).stdout
    assert re.search(r"0\.495–0\.594 +10 +5  █{20}\n", told)
    assert "threshold 0.59" in page.read_text()
    never = [{**row, "valid": place % 2 == 0} for place, row in enumerate(rows)]
    scored.write_text("".join(json.dumps(row) + "\n" for row in never), encoding="utf-8")
    none = measure(run, path, "--calibration", str(scored))
    assert (none["valid_above"], none["threshold"]["value"]) == (None, None)
    words = [
        {"question": TEXTS["gout"], "text": TEXTS["gout" if valid else "sugar"], "valid": valid}
        for valid in (True, False)
    ]
    scored.write_text("".join(json.dumps(row) + "\n" for row in words * 30), encoding="utf-8")
    told = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap", "--calibration", str(scored))
    assert "60 passages have no score: name the --ranker that gives it" in told.stderr
    ranked = measure(run, path, "--calibration", str(scored), "--ranker", "overlap")
    assert (ranked["threshold"]["above"], ranked["threshold"]["precision"]) == (30, 1.0)
    scored.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    few = run("evaluate", "citations", "--answers", str(path), "--judge", "overlap", "--calibration", str(scored))
    assert "A threshold needs at least 30 scored passages, and there are 1" in few.stderr
