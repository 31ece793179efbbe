"""`wellsourced evaluate run` and `report`, as they are typed, on real libraries."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from wellsourced_evaluate.questions.answer_run import ANSWER_LOG, AnswerRecord, AnswerRunHeader, read_answer_run
from wellsourced_evaluate.questions.case_queue import CaseQueue
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.record_log import RecordLog

CASES = (
    {
        "id": "gout",
        "question": "Does colchicine shorten gout flares?",
        "answer": "yes",
        "answerable": True,
        "source": "trial-1",
        "facts": [{"fact": "two days", "pattern": "TWO days"}, {"fact": "dose", "pattern": "0\\.5 mg"}],
        "must_have": ["Colchicine shortened gout flares by two days compared with placebo."],
    },
    {"id": "tooth", "question": "How is a cracked tooth repaired?", "answerable": False, "source": "trial-2"},
    {"id": "sugar", "question": "Does metformin raise glycated haemoglobin?", "answer": "no", "source": "trial-3"},
)


def write(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def asked(tmp_path: Path, trials: str) -> str:
    """A file of three cases on a library of three documents; the guidelines are not searched."""
    return write(tmp_path / "mine.jsonl", CASES)


def figures(arm: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {one["metric"]: (one["part"], one["of"]) for one in arm["figures"]}


def test_every_case_is_asked_scored_and_recorded(run: Run, asked: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("--set", "guidelines=false", "evaluate", "run", asked, "--out", str(out), "--json")
    done = run(*command)
    assert done.exit_code == 0, done.output
    ((told,),) = ([one["arms"] for one in json.loads(done.stdout)],)
    (arm,) = told
    # Without a language model no label is said, and none is counted; of what must be said, one has no dose.
    assert arm["outcomes"] == {}
    found = figures(arm)
    assert found["facts_said"] == (2, 3)
    assert found["refusal_recall"] == (1, 1)
    assert found["own_source_read"][1] == 3
    assert "answer_accuracy" not in found
    recorded = read_answer_run(out / "mine.default.allowed.jsonl")
    assert {*recorded.records} == {"gout", "tooth", "sugar"}
    assert [one.own_source_held for one in recorded.records.values()] == [True] * 3
    said = "Colchicine shortened gout flares by two days compared with placebo."
    assert recorded.records["gout"].text.startswith("Colchicine in gout\n")
    assert said in recorded.records["gout"].text
    assert said in recorded.records["gout"].short
    (source,) = recorded.header.sources
    assert (source.name, source.documents, len(source.sha256)) == ("trials", 3, 16)


def test_exact_answers_and_marked_evidence_are_scored_where_they_are_known(
    run: Run, trials: str, tmp_path: Path
) -> None:
    exact = {"kind": "factoid", "exact": [["forty-eight hours", "two days"]], "ideal": ["Flares end two days earlier."]}
    snippets = [{"document": "trial-1", "text": "Colchicine shortened gout flares"}, {"document": "t", "text": "Gone."}]
    rows = [{**CASES[0], "answer": "", **exact, "snippets": snippets}, {**CASES[2], "kind": "yesno"}]
    words = ("--set", "guidelines=false", "evaluate", "run", write(tmp_path / "mine.jsonl", rows))
    done = run(*words, "--kind", "factoid", "--out", str(tmp_path / "out"), "--json")
    assert done.exit_code == 0, done.output
    ((arm,),) = (one["arms"] for one in json.loads(done.stdout))
    assert arm["header"]["data"]["skipped"] == {"yesno": 1}
    found = {one["metric"]: one for one in arm["figures"]}
    assert (found["factoid_said"]["part"], found["factoid_said"]["of"], found["factoid_said"]["floor"]) == (1, 1, 0.0)
    assert (found["MRR"]["value"], found["MRR"]["of"]) == (None, 1)
    record = read_answer_run(tmp_path / "out" / "mine.default.allowed.jsonl").records["gout"]
    # The other trial is of allopurinol.
    assert [one.document for one in record.quotes] == ["trial-1"]
    # Of what is shown 32 characters are marked as evidence, and of 32 + 5 that are marked these are met.
    shown = sum(one.end - one.start for one in record.quotes)
    assert found["snippet_precision"]["value"] == pytest.approx(32 / shown)
    assert found["snippet_recall"]["value"] == pytest.approx(32 / 37)
    assert found["snippet_f1"]["value"] == pytest.approx(64 / (shown + 37))
    assert [(one.document, one.start is None) for one in record.snippets] == [("trial-1", False), ("t", True)]


def test_an_own_source_that_is_excluded_is_not_read(run: Run, asked: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ("--set", "guidelines=false", "evaluate", "run", asked, "--out", str(out), "--regime", "excluded")
    done = run(*command)
    assert done.exit_code == 0, done.output
    recorded = read_answer_run(out / "mine.default.excluded.jsonl").records
    assert [one.own_source for one in recorded.values()] == [False] * 3
    assert [one.own_source_held for one in recorded.values()] == [True] * 3
    assert "trial-1" not in recorded["gout"].cited


def test_a_case_that_raises_is_recorded_counted_and_asked_again(run: Run, trials: str, tmp_path: Path) -> None:
    rows = [*CASES[:1], {"id": "nothing", "question": "!!!", "answer": "yes"}]
    command = (
        "--set",
        "guidelines=false",
        "evaluate",
        "run",
        write(tmp_path / "mine.jsonl", rows),
        "--out",
        str(tmp_path),
    )
    for again in (0, 1):
        done = run(*command, "--json")
        assert done.exit_code == 1, done.output
        ((arm,),) = (one["arms"] for one in json.loads(done.stdout))
        assert [*arm["failed"]] == ["nothing"]
        assert arm["statuses"] == {"answered": 1, "failed": 1}
        assert len(read_answer_run(tmp_path / "mine.default.allowed.jsonl").replaced) == again


def test_a_killed_run_goes_on_behind_its_last_whole_line(run: Run, trials: str, home: Path, tmp_path: Path) -> None:
    rows = [{**CASES[0], "id": f"q{number}"} for number in range(60)]
    out = tmp_path / "out"
    words = [
        "--set",
        "guidelines=false",
        "--set",
        "encoder=none",
        "evaluate",
        "run",
        write(tmp_path / "many.jsonl", rows),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "wellsourced", "--home", str(home), *words, "--out", str(out)],
        env=dict(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    path = out / "many.default.allowed.jsonl"
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with path.open("ab") as file:
        file.write(b'{"case":"q99","stat')
    before = path.read_bytes().rpartition(b"\n")[0]
    assert before.count(b"\n") >= 3
    done = run("--set", "guidelines=false", "evaluate", "run", str(tmp_path / "many.jsonl"), "--out", str(out))
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(before)
    assert {*read_answer_run(path).records} == {one["id"] for one in rows}
    assert path.read_bytes().count(b"\n") == 61


def test_a_shared_run_is_what_one_alone_is_and_leaves_no_lock_behind(run: Run, asked: str, tmp_path: Path) -> None:
    words = ("--set", "guidelines=false", "evaluate", "run", asked, "--shared", "--out", str(tmp_path))
    done = run(*words, "--parallel", "2")
    assert done.exit_code == 0, done.output
    assert {*read_answer_run(tmp_path / "mine.default.allowed.jsonl").records} == {one["id"] for one in CASES}
    assert not (tmp_path / "mine.default.allowed.claims").exists()
    assert run(*words, "--max-calls", "5").exit_code == 2


@pytest.mark.nightly
def test_two_processes_share_a_run_of_which_one_is_killed_and_no_case_is_asked_twice_or_lost(
    run: Run, trials: str, home: Path, tmp_path: Path
) -> None:
    rows = [{**CASES[0], "id": f"q{number}"} for number in range(300)]
    given, out = write(tmp_path / "many.jsonl", rows), tmp_path / "out"
    words = ("--set", "guidelines=false", "evaluate", "run", given, "--shared", "--out", str(out))
    other = subprocess.Popen(
        [sys.executable, "-m", "wellsourced", "--home", str(home), "--set", "encoder=none", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    path = out / "many.default.allowed.jsonl"
    deadline = time.monotonic() + 60
    while other.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") > 3:
            break
        time.sleep(0.01)
    alone = run("--set", "guidelines=false", "evaluate", "run", given, "--out", str(out))
    assert (alone.exit_code, "is in use by process" in alone.stderr) == (1, True)
    killing = threading.Timer(0.2, other.kill)
    killing.start()
    done = run(*words)
    killing.join()
    other.wait()
    assert done.exit_code == 0, done.output
    cases = [json.loads(line)["case"] for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert sorted(cases) == sorted(one["id"] for one in rows)
    assert not path.with_suffix(".claims").exists()


def test_who_began_a_file_that_is_shared_writes_at_its_end_like_the_others(tmp_path: Path) -> None:
    said = dict.fromkeys(("wellsourced", "code", "preset", "model", "judge"), "")
    header = AnswerRunHeader(**said, data={}, regime="allowed", sources=(), settings={})
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(RecordLog(tmp_path / "run.jsonl", header, ANSWER_LOG, fresh=False)) for _ in "ab"
        )
        for number in range(4):
            (first, second)[number % 2].add(AnswerRecord(case=f"q{number}", status="abstained"))
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    assert [json.loads(line)["case"] for line in lines] == ["q0", "q1", "q2", "q3"]


async def test_a_case_that_another_process_asks_is_left_to_it_and_taken_over_when_it_is_gone(tmp_path: Path) -> None:
    said = dict.fromkeys(("wellsourced", "code", "preset", "model", "judge"), "")
    header = AnswerRunHeader(**said, data={}, regime="allowed", sources=(), settings={})
    with ExitStack() as stack:
        logs = [stack.enter_context(RecordLog(tmp_path / "run.jsonl", header, ANSWER_LOG, fresh=False)) for _ in "ab"]
        cases = [QuestionCase(id=id, question="Does it help?") for id in ("q1", "q2")]
        one, other = (CaseQueue(cases, log, is_shared=True) for log in logs)
        async with one.claim() as first:
            async with other.claim() as second:
                assert (first, second) == (cases[0], cases[1])
                await other.add(AnswerRecord(case="q2", status="failed"))
            waiting = asyncio.create_task(next_case(other))
            await asyncio.sleep(0.05)
            assert not waiting.done(), "q1 may still be lost"
        # The first has let go of its case without a record: as if it had been killed.
        assert await waiting == "q1"
        assert await next_case(one) == ""


async def next_case(queue: CaseQueue) -> str:
    async with queue.claim() as case:
        if case:
            await queue.add(AnswerRecord(case=case.id, status="abstained"))
        return case.id if case else ""


def test_two_presets_are_two_arms_that_are_compared_and_reported(run: Run, asked: str, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "report.html"
    presets = ("--preset", "default", "--preset", "words")
    done = run("--set", "guidelines=false", "evaluate", "run", asked, *presets, "--out", str(out))
    assert done.exit_code == 0, done.output
    told = run("evaluate", "report", str(out), "--html", str(page))
    assert told.exit_code == 0, told.output
    assert "## mine" in told.stdout
    assert "| facts_said | default | words |" in told.stdout
    assert "answer_accuracy" not in told.stdout
    assert "3 cases are few" in told.stdout
    html = page.read_text(encoding="utf-8")
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "").replace("http-equiv", "")


def test_a_source_that_nothing_holds_is_told_before_the_figures(run: Run, trials: str, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", [CASES[0], {**CASES[2], "source": "trial-9"}])
    done = run("--set", "guidelines=false", "evaluate", "run", path, "--out", str(tmp_path / "out"))
    warning = "**Of 2 cases with a known source 1 have none in what was searched.**"
    assert warning in done.stdout.partition("### Figures")[0]


def test_what_was_fitted_on_the_data_is_told_before_the_figures(run: Run, trials: str, tmp_path: Path) -> None:
    path = write(tmp_path / "guideline_facts.jsonl", CASES[:1])
    done = run("--set", "guidelines=false", "evaluate", "run", path, "--out", str(tmp_path / "out"))
    assert "evaluate/data/clinical_cases/README.md | 1 of 1 |" in done.stdout.partition("### Figures")[0]


def test_runs_of_other_data_or_other_libraries_are_refused_by_name(run: Run, asked: str, tmp_path: Path) -> None:
    alone = ("--set", "guidelines=false", "evaluate", "run", asked)
    assert run(*alone, "--out", str(tmp_path / "one")).exit_code == 0
    assert run(*alone, "--limit", "2", "--out", str(tmp_path / "two")).exit_code == 0
    told = run("evaluate", "report", str(tmp_path / "one"), str(tmp_path / "two"))
    assert told.exit_code == 1
    assert "they are of different data: limit (0, 2), asked (3, 2)" in told.stderr
    other = tmp_path / "more.jsonl"
    write(other, [{"_id": "trial-4", "title": "Rest", "text": "Rest healed sprained ankles."}])
    assert run("library", "add", "trials", str(other)).exit_code == 0
    refused = run(*alone, "--out", str(tmp_path / "one"))
    assert refused.exit_code == 1
    assert "holds the answers of another run (sources). Give another --out, or --fresh" in refused.stderr
    assert run(*alone, "--out", str(tmp_path / "three")).exit_code == 0
    told = run("evaluate", "report", str(tmp_path / "one"), str(tmp_path / "three"))
    assert "they searched different libraries: trials" in told.stderr


def test_settings_that_differ_are_arms_told_apart_by_their_folders(run: Run, asked: str, tmp_path: Path) -> None:
    alone = ("--set", "guidelines=false", "evaluate", "run", asked)
    assert run(*alone, "--out", str(tmp_path / "base")).exit_code == 0
    assert run(*alone, "--set", "policy.passages=1", "--out", str(tmp_path / "one")).exit_code == 0
    told = run("evaluate", "report", str(tmp_path / "base"), str(tmp_path / "one"), "--json")
    assert told.exit_code == 0, told.output
    ((base, one),) = (each["arms"] for each in json.loads(told.stdout))
    assert (base["arm"], one["arm"]) == ("default (base)", "default (one)")
    twice = run("evaluate", "report", str(tmp_path / "base"), str(tmp_path / "base"))
    assert "they are the same run" in twice.stderr


def test_what_is_no_run_and_what_is_no_set_is_refused_in_a_sentence(run: Run, asked: str, tmp_path: Path) -> None:
    assert "it holds no answers to a set of questions" in run("evaluate", "report", asked).stderr
    (tmp_path / "empty").mkdir()
    assert "it holds no run" in run("evaluate", "report", str(tmp_path / "empty")).stderr
    assert "No file pubmedqa" in run("evaluate", "run", "pubmedqa").stderr
    twice = run("evaluate", "run", asked, "--preset", "words", "--preset", "words")
    assert twice.exit_code == 2
    assert "A preset is named twice" in twice.stderr


@pytest.mark.slow
def test_facts_are_found_in_answers_from_the_guidelines(run: Run, guidelines: Path, home: Path, tmp_path: Path) -> None:
    shutil.copytree(guidelines, home)
    row = {
        "id": "tpa",
        "question": "What dose of alteplase is given for acute ischemic stroke?",
        "facts": [{"fact": "0.9 mg/kg", "pattern": "0\\.9 mg/kg"}, {"fact": "max 90 mg", "pattern": "90 mg"}],
    }
    path = write(tmp_path / "doses.jsonl", [row])
    done = run("evaluate", "run", path, "--out", str(tmp_path / "out"), "--json", encoder="minilm")
    assert done.exit_code == 0, done.output
    ((arm,),) = (one["arms"] for one in json.loads(done.stdout))
    assert figures(arm)["facts_said"] == (2, 2)
    assert arm["header"]["sources"][0]["name"] == "guidelines"
