"""`wellsourced evaluate sets`, and `evaluate run` on sets as they are published."""

import hashlib
import json
from pathlib import Path

import pytest

from evaluate.tests import set_files as files
from evaluate.tests.set_files import document, workbook, write_files
from tests.app.conftest import Run
from tests.servers.archive import archive
from wellsourced_evaluate.question_sets import registry
from wellsourced_evaluate.question_sets.registry import SetDownload


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


def test_files_are_fetched_and_compared_with_the_digest_that_is_known(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a real server on loopback. The digest of PubMedQA is that of other bytes: what came is not kept."""
    genes = document(files.GENETURING)
    words = ("evaluate", "sets", "geneturing", "--data", str(tmp_path), "--download", "--json")
    with archive({"/sets/geneturing.json": genes, "/sets/ori_pqal.json": document(files.PUBMEDQA)}) as served:
        fetched = run(*words, "--from", f"{served.url}/sets/")
        assert fetched.exit_code == 0, fetched.output
        (row,) = json.loads(fetched.stdout)
        (file,) = row["fetched"]
        assert (file["sha256"], file["is_compared"]) == (hashlib.sha256(genes).hexdigest(), False)
        assert (row["cases"], row["path"]) == (3, str(tmp_path / "geneturing" / "geneturing.json"))
        refused = run(
            "evaluate", "sets", "pubmedqa", "--data", str(tmp_path), "--download", "--from", f"{served.url}/sets"
        )
        assert refused.exit_code != 0
        assert not (tmp_path / "pubmedqa" / "ori_pqal.json").exists()
        known = SetDownload(url="", name="geneturing.json", sha256=hashlib.sha256(genes).hexdigest())
        changed = registry.PUBLISHED_SETS["geneturing"].model_copy(update={"downloads": (known,)})
        monkeypatch.setitem(registry.PUBLISHED_SETS, "geneturing", changed)  # type: ignore[arg-type]
        before = len(served.asked)
        again = run(*words, "--from", f"{served.url}/sets/")
        assert json.loads(again.stdout)[0]["fetched"][0]["is_compared"]
        assert len(served.asked) == before
    for name in ("bioasq", "mimic_ed", "medqa"):
        by_hand = run("evaluate", "sets", name, "--data", str(tmp_path), "--download")
        assert "is to be had" in by_hand.output
    assert run("evaluate", "sets", "--download").exit_code == 2


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
