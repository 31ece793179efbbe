"""Runs and cases go to inspect_ai and come back as they were; its own logs become runs that are scored as ours are.

`choices.eval` and `texts.json` were written by inspect_ai 0.3.285: its mock model, its solvers, its scorers.
"""

import json
import math
import shutil
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

LOGS = Path(__file__).parent / "data" / "inspect_logs"

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


def message_of(told: Result) -> str:
    return " ".join(f"{told.exception} {told.output}".split())


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


def test_cases_become_a_data_set_in_which_nothing_is_lost(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "q1", "question": "Does it help?", "answer": "yes", "source": ["pubmed:1"], "as_of": "2019-12-31"},
        {"id": "q2", "question": "Which?", "options": {"1": "x", "2": "y"}, "answer": "2", "group": "g"},
        {"id": "q3", "question": "What?", "facts": [{"fact": "dose", "pattern": "1 mg"}], "must_have": ["It helps."]},
        {"id": "q4", "question": "Who?", "answerable": False},
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    made = type_command("export", tmp_path / "mine.jsonl", "--inspect", tmp_path / "set.jsonl")
    assert made.exit_code == 0, made.output
    samples = [json.loads(line) for line in (tmp_path / "set.jsonl").read_text().splitlines()]
    assert [one["target"] for one in samples] == ["yes", "B", "dose\nIt helps.", ""]
    assert samples[1]["choices"] == ["x", "y"]
    assert [one["metadata"]["wellsourced"] for one in samples] == rows


def test_a_case_with_more_options_than_letters_is_named(tmp_path: Path) -> None:
    row = {"id": "q1", "question": "Which?", "options": {str(number): "x" for number in range(27)}}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row))
    refused = type_command("export", tmp_path / "mine.jsonl", "--inspect", tmp_path / "set.jsonl")
    assert "the case “q1” cannot be written: it has 27 choices" in message_of(refused)


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_run_is_a_log_that_inspect_ai_reads_and_comes_back_byte_for_byte(tmp_path: Path, ending: str) -> None:
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
    taken = type_command("import", tmp_path / f"log.{ending}", "--out", tmp_path / "back")
    assert taken.exit_code == 0, taken.output
    assert (tmp_path / "back" / run.path.name).read_bytes() == run.path.read_bytes()


def test_a_log_of_choices_has_the_labels_that_its_scorer_read(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    taken = type_command("import", LOGS / "choices.eval", "--out", tmp_path, "--json")
    told = json.loads(taken.output)
    assert told["notes"] == ["Samples of other epochs, left out: 3."]
    run = read_answer_run(Path(told["file"]))
    # Which lowers uric acid: right; which is an SGLT2 inhibitor: A for C; which prevents flares: no letter.
    assert [(one.gold, one.label, one.outcome) for one in run.records.values()] == [
        ("B", "B", "right"),
        ("C", "A", "wrong"),
        ("A", "", "unparsed"),
    ]
    first = run.records["q0"]
    assert (first.group, first.choices["B"], first.tokens, first.calls, first.cost) == ("g", "allopurinol", 10, 1, None)
    assert (run.header.model, run.header.judge) == ("mockllm/model", "inspect_ai/choice")
    report = type_command("report", tmp_path)
    assert "| answer_accuracy | mockllm/model | 0.333 |" in report.output


def test_a_log_of_texts_has_labels_verdicts_and_failures(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    taken = type_command("import", LOGS / "texts.json", "--out", tmp_path, "--json")
    told = json.loads(taken.output)
    assert told["notes"] == [
        "Scored by includes; the log also has match (--scorer).",
        "Labels that count otherwise than includes has them: 1 (2).",
    ]
    records = read_answer_run(Path(told["file"])).records
    # “and no effect was seen” includes “no”, and does not answer with it.
    assert [(one.gold, one.outcome) for one in list(records.values())[:3]] == [
        ("yes", "right"),
        ("no", "unparsed"),
        ("maybe", "failed"),
    ]
    assert [(one.marks[0].fact, one.marks[0].said) for one in list(records.values())[3:]] == [
        ("0.9 mg/kg", True),
        ("90 mg", False),
    ]
    assert records["3"].error == "ValueError('the model is away')"


def test_what_is_no_log_is_refused_in_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    for name, content in (("cut.eval", (LOGS / "choices.eval").read_bytes()[:9000]), ("other.json", b'{"a": 1}')):
        (tmp_path / name).write_bytes(content)
        told = type_command("import", tmp_path / name, "--out", tmp_path / "runs")
        assert (told.exit_code, "inspect_ai cannot read it" in message_of(told)) == (1, True)
    shutil.copy(LOGS / "choices.eval", tmp_path / "log.eval")
    for words, reason in ((["--epoch", 3], "it has no epoch 3"), (["--scorer", "f1"], "it has no scorer “f1”")):
        told = type_command("import", tmp_path / "log.eval", "--out", tmp_path / "runs", *words)
        assert reason in message_of(told)
    run = record_run(tmp_path).path
    told = type_command("export", run, run, "--inspect", tmp_path / "log.eval")
    assert (told.exit_code, "a log has one" in told.output) == (2, True)
