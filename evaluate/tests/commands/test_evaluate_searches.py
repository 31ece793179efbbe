"""`wellsourced evaluate screening`, `preflight` and `retrieval --beir`, as they are typed; PubMed is on loopback."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from tests.servers.base import Served, serving
from tests.servers.eutils import Eutils, article, failing
from wellsourced_evaluate.screening import read_topics

FOUND = {
    1: "Colchicine in gout",
    2: "Colchicine in asthma",
    3: "Colchicine in pericarditis",
    4: "Salt in hypertension",
}
QUERY = "1. colchicine.ti.\n2. salt.ti.\n3. 1 not 2"
"""In Ovid's language: of the four records it finds the first three."""

TOPIC = f"Topic: CD000001 \n\nTitle: Colchicine \n\nQuery: \n{QUERY}\n\nPids: \n    1 \n    2 \n"
QRELS = "CD000001     0  1      1  \nCD000001     0  4      1  \nCD000001     0  2      0  \n"


@pytest.fixture(scope="module")
def pubmed() -> Iterator[Served]:
    records = [article(str(id), title, [("RESULTS", "It helped.")]) for id, title in FOUND.items()]
    with serving(Eutils({"pubmed": records}, pace=0)) as served:
        yield served


def asking(server: Served) -> tuple[str, ...]:
    said = {"pubmed.url": f"{server.url}/", "network.private_hosts": server.url.removeprefix("http://")}
    said |= {"guidelines": "false", "reranker": "none"}
    return tuple(word for name, value in said.items() for word in ("--set", f"{name}={value}"))


def release(folder: Path) -> tuple[str, ...]:
    """A topic and judgements as CLEF-TAR has them."""
    (folder / "topics").mkdir()
    (folder / "topics" / "1").write_text(TOPIC, encoding="utf-8")
    (folder / "content.qrels").write_text(QRELS, encoding="utf-8")
    return "--topics", str(folder / "topics"), "--qrels", str(folder / "content.qrels")


def test_a_strategy_of_ovid_is_put_to_pubmed_and_its_relevant_works_are_counted(
    run: Run, pubmed: Served, tmp_path: Path
) -> None:
    words = ("evaluate", "screening", *release(tmp_path), "--json")
    unasked = json.loads(run(*words).stdout)
    assert (unasked["metrics"]["query_read"]["mean"], unasked["metrics"]["search_recall"]["mean"]) == (1.0, None)
    before = len(pubmed.asked)
    out = tmp_path / "found.jsonl"
    told = json.loads(run(*asking(pubmed), *words, "--search", "--out", str(out)).stdout)
    [case] = told["cases"]
    # It finds 1, 2 and 3; 1 and 4 are relevant: recall 1/2, precision 1/3, three records are read for one.
    assert (case["found"], case["hits"], case["hit_ids"], case["relevant"]) == (3, 1, ["1"], 2)
    assert case["values"]["search_recall"] == 0.5
    assert case["values"]["search_precision"] == pytest.approx(1 / 3)
    assert case["values"]["number_needed_to_read"] == 3
    assert len(pubmed.asked) == before + 2
    again = run(*asking(pubmed), "evaluate", "screening", *words[2:-1], "--search", "--out", str(out))
    assert "search_recall" in again.stdout
    assert len(pubmed.asked) == before + 2
    other = run(*asking(pubmed), *words, "--level", "abstract", "--search", "--out", str(out))
    assert (other.exit_code, "another run (level: content → abstract)" in other.stderr) == (1, True)


def test_a_question_is_put_to_the_whole_search_without_the_review_itself(
    run: Run, pubmed: Served, tmp_path: Path
) -> None:
    path = tmp_path / "reviews.jsonl"
    row = {"id": "prs-1", "question": "colchicine", "gold_ref_pmids": ["1", "3", "9"], "source_pmid": "2"}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    told = run(*asking(pubmed), "evaluate", "screening", "--topics", str(path), "--search", "--json")
    [case] = json.loads(told.stdout)["cases"]
    assert (case["found"], case["hit_ids"], case["read"]) == (2, ["1", "3"], None)
    assert case["values"]["search_recall"] == pytest.approx(2 / 3)


def test_a_search_that_fails_is_no_recall_of_nothing(run: Run, tmp_path: Path) -> None:
    with serving(Eutils({"pubmed": []}, pace=0, twist=failing("esearch", "Invalid db name"))) as served:
        told = run(*asking(served), "evaluate", "screening", *release(tmp_path), "--search")
    assert told.exit_code == 1
    assert "1 search FAILED" in told.stdout


def test_topics_that_cannot_be_used_refuse_their_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "topics.jsonl"
    rows = ({"id": "a", "boolean_query": "gout[ti]"}, {"id": "a", "boolean_query": "x"}, {"id": "b"},
            {"id": "c", "question": "x", "gold_ref_pmids": ["no"]})  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = run("evaluate", "screening", "--topics", str(path))
    assert told.exit_code != 0
    for fault in ("line 2: the id “a” is on line 1 already", "line 3: it has no boolean_query and no question",
                  "line 4: gold_ref_pmids.0: String should match pattern"):  # fmt: skip
        assert fault in told.stderr


def test_every_published_strategy_is_read(run: Run, shared_data: Path) -> None:
    path = shared_data / "graph" / "clef_tar.topics.jsonl.gz"
    told = json.loads(run("evaluate", "screening", "--topics", str(path), "--json").stdout)
    assert (told["topics"], told["metrics"]["query_read"]["mean"]) == (64, 1.0)
    assert len(read_topics(path, level="abstract").topics[0].relevant or ()) == 10
    assert len(read_topics(path).topics[0].relevant or ()) == 6


# --- the preflight ---------------------------------------------------------------------------------------------------


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
