"""Recorded runs are logs that inspect_ai reads, and its tasks can be put to this system."""

import gc
import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wellsourced.app.cli import command_line
from wellsourced_evaluate.inspect_logs import count_cases, standard_error
from wellsourced_evaluate.questions.answer_run import (
    ANSWER_LOG,
    AnswerRecord,
    AnswerRun,
    AnswerRunHeader,
    read_answer_run,
)
from wellsourced_evaluate.questions.scores import score_run
from wellsourced_evaluate.record_log import RecordLog

RECORDS: tuple[dict[str, Any], ...] = (
    {"case": "z", "gold": "yes", "label": "yes", "text": "Yes.", "calls": 2, "tokens": 50, "cost": 0.5, "seconds": 1.5},
    {"case": "a", "gold": "B", "label": "A", "choices": {"A": "x", "B": "y"}, "options": 2},
    {
        "case": "facts",
        "marks": [
            {"fact": "dose", "said": True, "leads": False},
            {"fact": "maximum", "said": False, "leads": False},
            {"fact": "route", "said": None, "leads": None, "is_judged": True},
        ],
        "text": "0.9 mg/kg",
        "cited": ["doc"],
        "quotes": [{"statement": 0, "document": "doc", "start": 0, "end": 9, "quote": "0.9 mg/kg"}],
    },
    {"case": "lost", "gold": "no", "status": "failed", "error": "the model is away"},
    {"case": "none", "answerable": False, "status": "abstained", "reason": "nothing was found"},
)


def record_run(folder: Path, asked: int = len(RECORDS)) -> AnswerRun:
    header = AnswerRunHeader(
        wellsourced="1",
        code="c",
        preset="words",
        model="extractive",
        judge="overlap",
        data={"name": "mine", "form": "questions", "sha256": "s", "limit": 0, "asked": asked},
        regime="excluded",
        sources=(),
        settings={"encoder": "none"},
    )
    writer = RecordLog(folder / "mine.words.excluded.jsonl", header, ANSWER_LOG, fresh=True)
    for one in RECORDS:
        writer.add(AnswerRecord.model_validate({"status": "answered", "question": f"Why {one['case']}?", **one}))
    writer.close()
    return read_answer_run(writer.path)


def type_command(*words: object) -> Result:
    return CliRunner().invoke(command_line, ["evaluate", *map(str, words)])


def test_what_cases_count_for_adds_up_to_the_figures_of_the_run(tmp_path: Path) -> None:
    run = record_run(tmp_path)
    cases = count_cases(run)
    for figure in score_run(run).figures:
        found = [case[figure.metric] for case in cases.values() if figure.metric in case]
        assert (sum(part for part, _ in found), sum(of for _, of in found)) == (figure.part, figure.of), figure
    counts = cases["facts"]
    assert (counts["facts_said"], counts["facts_in_short"]) == ((1, 2), (0, 2))


def test_the_standard_error_is_that_of_a_mean_and_with_several_facts_that_of_a_ratio() -> None:
    # 1, 1, 0, 0: deviation sqrt(4 · 0.25 / 3) = 0.5774, by the root of 4.
    assert standard_error([(1, 1), (1, 1), (0, 1), (0, 1)]) == pytest.approx(0.5774 / 2, abs=1e-4)
    # 3 of 4 facts; residuals 3 − 0.75 · 3 = 0.75 and 0 − 0.75 · 1 = −0.75, squares 1.125 by 2; by the mean whole, 2.
    assert standard_error([(3, 3), (0, 1)]) == pytest.approx(math.sqrt(1.125 / 2) / 2)
    assert standard_error([(1, 1)]) is None


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_run_is_a_log_that_inspect_ai_reads(tmp_path: Path, ending: str) -> None:
    inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `inspect` is not installed")
    run = record_run(tmp_path, asked=6)
    made = type_command("export", run.path, "--inspect", tmp_path / f"log.{ending}")
    assert made.exit_code == 0, made.output
    log = inspect_log.read_eval_log(str(tmp_path / f"log.{ending}"))
    samples = {one.id: one for one in log.samples}
    assert (log.status, log.eval.task, log.eval.model) == ("cancelled", "mine", "wellsourced/extractive")
    assert (log.results.total_samples, log.results.completed_samples) == (6, 4)
    metrics = {one.name: {name: metric.value for name, metric in one.metrics.items()} for one in log.results.scores}
    # Right, wrong, failed: 1 of 3; squares (2/3)² + 2 · (1/3)² = 2/3, by 3 · 2.
    assert metrics["answer_accuracy"]["share"] == pytest.approx(1 / 3)
    assert metrics["answer_accuracy"]["stderr"] == pytest.approx(math.sqrt(2 / 3 / 6))
    assert [samples[id].scores["answer_accuracy"].value for id in ("z", "a", "lost")] == ["C", "I", "N"]
    assert samples["facts"].scores["facts_said"].value == 0.5
    assert "- not said: maximum" in samples["facts"].scores["facts_said"].explanation
    assert "doc: “0.9 mg/kg”" in samples["facts"].scores["facts_said"].explanation
    assert (samples["a"].choices, samples["a"].target) == (["x", "y"], "B")
    assert samples["lost"].error.message == "the model is away"
    usage = log.stats.model_usage["wellsourced/extractive"]
    assert (usage.total_tokens, usage.total_cost) == (50, 0.5)
    told = type_command("export", run.path, run.path, "--inspect", tmp_path / "log.eval")
    assert (told.exit_code, "a log has one" in told.output) == (2, True)


@pytest.mark.filterwarnings("ignore:Unclosed:ResourceWarning")
def test_a_task_of_others_is_answered_by_this_system_and_scored_by_inspect_ai(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import choice, includes

    from wellsourced_evaluate.inspect_solver import wellsourced

    finding = {"_id": "t1", "title": "Colchicine", "text": "Colchicine shortened gout flares by two days in adults."}
    (tmp_path / "trials.jsonl").write_text(json.dumps(finding) + "\n", encoding="utf-8")
    home = tmp_path / "home"
    words = ("library", "create", "trials", "--lexical", "--add", str(tmp_path / "trials.jsonl"))
    assert CliRunner().invoke(command_line, ["--set", f"home={home}", *words]).exit_code == 0
    solver = wellsourced(home=str(home), guidelines=False, encoder="none")
    texts = [Sample(input="Does colchicine shorten gout flares?", target="two days")]
    choices = [Sample(input="Does colchicine shorten gout flares?", choices=["No", "Yes"], target="B")]
    # Without a language model no choice is made.
    for said, samples, scorer in (("C", texts, includes()), ("I", choices, choice())):
        task = inspect_ai.Task(dataset=samples, solver=solver, scorer=scorer)
        (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
        assert log.status == "success", log.error
        assert [one.value for sample in log.samples for one in sample.scores.values()] == [said]
    # What inspect_ai left open is found here, and not after the tests.
    gc.collect()
