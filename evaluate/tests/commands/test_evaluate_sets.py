"""`wellsourced evaluate sets`, and `evaluate run` on sets as they are published."""

import json
from pathlib import Path

from evaluate.tests import set_files as files
from evaluate.tests.set_files import document, workbook, write_files
from tests.app.conftest import Run
from wellsourced_evaluate.question_sets import registry


def test_all_sets_are_listed_with_what_is_here_and_what_is_wrong_with_it(run: Run, tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "pubmedqa/ori_pqal.json": document(files.PUBMEDQA),
            "benchmark.json": document(files.MIRAGE),
            "TREC-2017-LiveQA-Medical-Test.xml": b"<NLM-QUESTIONS>",
        },
    )
    listed = run("evaluate", "sets", "--data", str(tmp_path), "--json")
    assert listed.exit_code == 1
    rows = {row["name"]: row for row in json.loads(listed.stdout)}
    assert rows.keys() == registry.PUBLISHED_SETS.keys()
    assert (rows["pubmedqa"]["cases"], rows["pubmedqa"]["form"]) == (2, "pubmedqa (release)")
    assert (rows["mirage"]["cases"], rows["medqa"]["cases"]) == (2 + 3 + 2 + 1 + 1, None)
    assert "its XML is invalid" in rows["liveqa"]["fault"]
    assert rows["mimic_ed"]["access"] == "credentialed"
    table = run("evaluate", "sets").stdout
    assert len(table.splitlines()) == len(rows) + 3
    more = run("evaluate", "sets", "pubmedqa", "--data", str(tmp_path))
    assert more.exit_code == 0
    assert "Here: " in more.stdout
    assert "sha256 8b3276be8942ebbd77f3ddcda12c1749bf0e490045a736fd8438ee40cf37a41d" in more.stdout
    unknown = run("evaluate", "sets", "medqua")
    assert "No set medqua" in unknown.output


def test_published_files_are_asked_and_scored_as_far_as_anything_is_known(
    run: Run, tmp_path: Path, trials: str
) -> None:
    del trials
    name = "41586_2023_6291_MOESM6_ESM.xlsx"
    write_files(
        tmp_path,
        {
            name: workbook([("Does colchicine shorten gout flares?",), ("How is a cracked tooth repaired?",)]),
            "benchmark.json": document(files.MIRAGE),
        },
    )
    base = ("--set", "guidelines=false", "evaluate", "run")
    options = ("--data", str(tmp_path), "--out", str(tmp_path / "out"), "--judge", "overlap", "--json")
    searched = run(*base, "healthsearchqa", *options)
    assert searched.exit_code == 0, searched.output
    ((arm,),) = (one["arms"] for one in json.loads(searched.stdout))
    figures = {one["metric"]: (one["value"], one["part"], one["of"]) for one in arm["figures"]}
    assert figures == {"answer_accuracy": (None, 0, 0), "coverage": (0.5, 1, 2)}
    whole = run(*base, "mirage", *options, "--limit", "1")
    assert whole.exit_code == 0, whole.output
    told = {one["set"]: one["arms"][0]["cases"] for one in json.loads(whole.stdout)}
    assert told == dict.fromkeys(("medqa", "medmcqa", "pubmedqa", "bioasq", "mmlu_med"), 1)
    shown = run("evaluate", "report", str(tmp_path / "out"))
    assert "or no language model says one: nothing tells what is right" in shown.stdout
