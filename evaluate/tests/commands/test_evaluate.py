"""`wellsourced evaluate retrieval`, as it is typed."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.app.conftest import Run


class Files(NamedTuple):
    """A small test collection, as arguments."""

    folder: Path
    corpus: Path

    @property
    def words(self) -> tuple[str, ...]:
        queries, qrels = self.folder / "queries.jsonl", self.folder / "qrels.tsv"
        return ("evaluate", "retrieval", "--corpus", str(self.corpus), "--queries", str(queries), "--qrels", str(qrels))


@pytest.fixture
def files(tmp_path: Path, corpus: Path) -> Files:
    texts = {"q1": "colchicine", "q2": "allopurinol for gout", "q3": "xylophone", "q4": "nobody judged this"}
    rows = (json.dumps({"_id": id, "text": text}) for id, text in texts.items())
    (tmp_path / "queries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    grades = "query-id\tcorpus-id\tscore\nq1\ttrial-1\t1\nq2\ttrial-2\t1\nq3\ttrial-3\t1\n"
    (tmp_path / "qrels.tsv").write_text(grades, encoding="utf-8")
    return Files(tmp_path, corpus)


def test_means_intervals_and_what_was_measured_are_printed(run: Run, files: Files) -> None:
    done = run(*files.words)
    assert done.exit_code == 0, done.output
    assert "3 queries put to trials.jsonl, 3 documents" in done.stdout
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    # Two of three are found at the first place, the third is not there to be found.
    assert [lines[name][1] for name in ("nDCG@10", "R@10", "R@100", "RR@10")] == ["0.667"] * 4
    assert lines["nDCG@10"][2] == "0.000–1.000"
    assert "1 query found nothing, and counts as 0." in done.stdout
    assert "Note: queries that have no relevant document, left out: 1." in done.stdout
    assert "encoder=none" in done.stdout
    assert "policy.candidates=400" in done.stdout


def test_the_same_for_programs(run: Run, files: Files) -> None:
    found = json.loads(run(*files.words, "--json").stdout)
    assert found["measures"]["RR@10"]["mean"] == pytest.approx(2 / 3)
    assert (found["measures"]["RR@10"]["cases"], found["measures"]["RR@10"]["undefined"]) == (3, 0)
    assert (found["queries"], found["empty"], found["partial"], found["failed"]) == (3, 1, 0, 0)
    assert found["ms"]["p50"] > 0
    assert found["measured"]["corpus"]["documents"] == 3
    assert found["measured"]["changed"]["encoder"] == "none"
    lines = [json.loads(line) for line in Path(found["results"]).read_text(encoding="utf-8").splitlines()]
    assert [line.get("query") for line in lines] == [None, "q1", "q2", "q3"]
    assert lines[1]["ranked"][0] == "trial-1"


def test_a_run_that_was_cut_short_goes_on_and_measures_only_the_rest(run: Run, files: Files, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(*files.words, "--out", str(out))
    header, first, second, third = out.read_text(encoding="utf-8").splitlines()
    marked = first.replace('"ms":', '"ms":7000.0,"x":').partition(',"x":')[0] + "}"
    out.write_text(f"{header}\n{marked}\n{second}\n{third[:-9]}", encoding="utf-8")
    assert run(*files.words, "--out", str(out)).exit_code == 0
    again = out.read_text(encoding="utf-8").splitlines()
    assert again[:3] == [header, marked, second]
    assert json.loads(again[3])["query"] == "q3"
    run(*files.words, "--out", str(out), "--fresh")
    assert json.loads(out.read_text(encoding="utf-8").splitlines()[1])["ms"] < 7000


def test_an_earlier_run_is_compared_with_and_one_over_other_queries_refused(
    run: Run, files: Files, tmp_path: Path
) -> None:
    first, second, fewer = (str(tmp_path / f"{name}.jsonl") for name in ("first", "second", "fewer"))
    run(*files.words, "--out", first, "--depth", "1")
    run(*files.words, "--out", second)
    (found,) = json.loads(run("evaluate", "compare", first, second, "--json").stdout)
    assert [len(values) for values in found["cases"]["nDCG@10"].values()] == [3, 3]
    assert [one["metric"] for one in found["contrasts"]] == ["nDCG@10", "R@10", "R@100", "RR@10"]
    run(*files.words, "--limit", "2", "--out", fewer)
    refused = run("evaluate", "compare", first, fewer)
    assert refused.exit_code != 0
    assert "the first has 3 queries, the other has 2, and 2 are of both" in refused.stderr


def test_a_setting_is_checked_as_everywhere_else(run: Run, files: Files) -> None:
    refused = run(*files.words, "--set", "polcy.rrf=3")
    assert refused.exit_code == 2
    assert "No setting “polcy.rrf”" in refused.stderr
    assert run(*files.words, "--preset", "no-such").exit_code == 2


def test_a_file_of_other_results_is_not_overwritten(run: Run, files: Files, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    run(*files.words, "--out", str(out))
    before = out.read_bytes()
    refused = run(*files.words, "--out", str(out), "--depth", "9")
    assert refused.exit_code == 1
    assert "holds the results of another run (depth: 400 → 9; policy.candidates: 400 → 9)" in refused.stderr
    assert out.read_bytes() == before


@pytest.mark.nightly
def test_plain_words_reach_the_known_floor_on_claims_of_scifact(run: Run, shared_data: Path) -> None:
    task = shared_data / "verification"
    done = run(
        *("evaluate", "retrieval", "--json", "--limit", "100", "--preset", "words"),
        *("--corpus", str(task / "scifact.corpus.jsonl.gz")),
        *("--queries", str(task / "scifact.queries.jsonl.gz"), "--qrels", str(task / "scifact.qrels.tsv.gz")),
    )
    found = json.loads(done.stdout)
    assert found["queries"] == 100
    assert found["notes"] == []
    assert found["measures"]["nDCG@10"]["low"] < 0.690 < found["measures"]["nDCG@10"]["high"]
