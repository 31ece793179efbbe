"""`wellsourced evaluate preflight` and `retrieval --beir`, as they are typed."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run


def told_of(run: Run, path: Path, *rows: dict[str, Any]) -> dict[str, Any]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = run("evaluate", "preflight", "--rows", str(path), "--json")
    assert found.exit_code == 0, found.output
    told: dict[str, Any] = json.loads(found.stdout)
    return told


def test_the_figures_of_the_preflight_are_those_of_its_counts(run: Run, tmp_path: Path) -> None:
    so = [(True, True)] * 2 + [(True, False)] * 2 + [(False, True)] + [(False, False)] * 3 + [(True, None)]
    rows = [{"id": str(at), "predicted": said, "happened": was} for at, (said, was) in enumerate(so)]
    told = told_of(run, tmp_path / "cases.jsonl", *rows)
    assert told["counts"] == {"tp": 2, "fp": 2, "fn": 1, "tn": 3}
    assert told["not_retrieved"] == 1
    values = {name: round(one["value"], 3) for name, one in told["shares"].items()}
    # 2/4, 2/3, 2·2/(2·2+2+1) = 4/7, 3/5, 4/8, 3/8
    assert [*values.values()] == [0.5, 0.667, 0.571, 0.6, 0.5, 0.375]
    # Reading in parts always: precision 3/8, F1 6/11.
    assert told["shares"]["preflight_precision"]["floor"] == 3 / 8
    assert told["shares"]["preflight_f1"]["floor"] == 6 / 11
    low, high = (told["shares"]["preflight_precision"][end] for end in ("low", "high"))
    assert 0 <= low < 0.5 < high <= 1


def test_of_a_ranking_the_preflight_is_asked(run: Run, tmp_path: Path) -> None:
    texts = ["nothing", "of", "it", "colchicine gout", "colchicine", "gout"]
    passages = [{"id": f"d{place}", "text": text} for place, text in enumerate(texts)]
    row = {"id": "late", "question": "colchicine gout", "passages": passages, "relevant": ["d3"]}
    last = {**row, "id": "lost", "relevant": ["d9"]}
    told = told_of(run, tmp_path / "rankings.jsonl", row, last)
    # By words d3, d4 and d5 are the best: none of the first three, so that it is read in parts; d3 stands fourth.
    assert [(one["predicted"], one["happened"], one["place"]) for one in told["rows"]] == [
        (True, True, 4),
        (True, None, None),
    ]
    bad = tmp_path / "bad.jsonl"
    bad.write_text(
        '{"id": "a", "predicted": "yes", "happened": true}\n{"id": "b", "predicted": true}\n', encoding="utf-8"
    )
    refused = run("evaluate", "preflight", "--rows", str(bad))
    assert "line 1: predicted: Input should be a valid boolean; line 2: it needs predicted" in refused.stderr


def test_every_setting_of_the_preflight_is_told_of_the_same_rankings(run: Run, tmp_path: Path) -> None:
    texts = ["colchicine gout", "nothing", "gout", "of", "it", "colchicine"]
    passages = [{"id": f"d{place}", "text": text} for place, text in enumerate(texts)]
    rows = [
        {"id": f"q{place}", "question": "colchicine gout", "passages": passages, "relevant": [f"d{place}"]}
        for place in (0, 3, 4)
    ]
    path = tmp_path / "rankings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = run("evaluate", "preflight", "--rows", str(path), "--sweep", "--json")
    assert told.exit_code == 0, told.output
    swept = {(one["top"], one["delta"]): one["shares"] for one in json.loads(told.stdout)["sweep"]}
    # By words d0 is the best, then d2 or d5: of the first ones all are shared, of two 1, of three 2 (IoU 1, 1/3, 1/2).
    assert {top: swept[top, 0.3]["preflight_invoked"] for top in (1, 2, 3)} == {1: 0, 2: 0, 3: 0}
    assert {top: swept[top, 0.4]["preflight_invoked"] for top in (1, 2, 3)} == {1: 0, 2: 1, 3: 0}
    assert (swept[2, 0.4]["preflight_precision"], swept[2, 0.4]["preflight_recall"]) == (2 / 3, 1)
    # Six passages and no more: the rankings agree on them.
    assert swept[6, 0.0]["preflight_invoked"] == 0
    assert len(swept) == 60
    shown = run("evaluate", "preflight", "--rows", str(path), "--sweep").stdout
    assert "passages compared" in shown


# --- folders of BEIR -------------------------------------------------------------------------------------------------


@pytest.fixture
def beir(tmp_path: Path, corpus: Path) -> Path:
    folder = tmp_path / "gout"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_bytes(corpus.read_bytes())
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "colchicine flares"}\n', encoding="utf-8")
    judged = b"query-id\tcorpus-id\tscore\nq1\ttrial-1\t1\n"
    (folder / "qrels" / "dev.tsv.gz").write_bytes(gzip.compress(judged))
    return folder


def test_a_folder_of_beir_is_searched_and_its_preflight_measured(run: Run, beir: Path) -> None:
    missing = run("evaluate", "retrieval", "--beir", str(beir))
    assert "has no qrels/test.tsv. It has judgements of dev." in missing.stderr
    told = run("evaluate", "retrieval", "--beir", str(beir), "--split", "dev", "--json")
    assert '"dev.tsv.gz"' in told.stdout, told.output
    found = run("evaluate", "preflight", "--beir", str(beir), "--split", "dev", "--json")
    [case] = json.loads(found.stdout)["rows"]
    assert (case["id"], case["happened"], case["place"]) == ("q1", False, 1)
    unnamed = run("evaluate", "retrieval", "--corpus", "trials")
    assert "Missing option '--queries'" in unnamed.stderr


def test_documents_that_are_nearly_the_same_are_listed(run: Run, tmp_path: Path) -> None:
    words = [f"word{at}" for at in range(100)]
    texts = {"a": words, "b": [*words[:-1], "another"], "c": [*words[:50], "nothing else", "is alike"]}
    path = tmp_path / "texts.jsonl"
    rows = ({"_id": key, "title": key, "text": " ".join(text)} for key, text in texts.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("library", "create", "texts", "--lexical", "--add", str(path)).exit_code == 0
    told = json.loads(run("evaluate", "duplicates", "texts", "--json").stdout)
    # A document begins with its title: 97 runs each, of which the first and the last differ: 95 of 99.
    assert [(one["id"], one["first"], round(one["share"], 4)) for one in told["pairs"]] == [("b", "a", 0.9596)]
    assert "1 document of 3 in texts nearly the same" in run("evaluate", "duplicates", "texts").stdout
    assert run("evaluate", "duplicates", "nowhere").exit_code == 2
