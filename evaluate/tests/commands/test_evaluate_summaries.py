"""`wellsourced evaluate summaries` and `evaluate list`, as they are typed."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from wellsourced_evaluate.recorded_summaries import read_summaries
from wellsourced_evaluate.summaries import split_reviews

TEXTS = {"short": "colchicine shortens", "same": "colchicine shortens the flare", "silent": ""}
SCORES = {"rouge-L": 2 / 3, "meteor": 0.5, "chrf": 50.0, "google_bleu": 0.3, "character": 0.5}


def row(id: str, **more: Any) -> str:
    systems = {name: {"text": text, "scores": SCORES} for name, text in TEXTS.items()}
    return json.dumps({"id": id, "human_answer": "the flare\n\ncolchicine shortens ", "systems": systems} | more)


@pytest.fixture
def summaries(tmp_path: Path) -> Path:
    path = tmp_path / "summaries.jsonl"
    path.write_text(row("r1") + "\n" + row("r2") + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def libraries() -> None:
    for name in ("cer", "nltk", "sacrebleu", "rouge_score_rs", "scipy"):
        pytest.importorskip(name)


def test_scores_of_both_directions_and_their_distance_from_the_published_ones_are_given(
    run: Run, summaries: Path
) -> None:
    done = run("evaluate", "summaries", "--published", str(summaries), "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["reviews"], found["systems"], found["texts"]) == (2, 3, 6)
    # Two of three texts are compared: against a system's empty text, as the reference, nothing can be said.
    rouge = found["published"]["ROUGE-L"]
    assert (rouge["compared"], rouge["left_out"], rouge["equal"]) == (4, 2, 2)
    assert found["mean_absolute_difference"]["ROUGE-L"] == pytest.approx((0 + 1 / 3) / 2)
    means = found["means"]["silent"]
    assert means["published"]["METEOR"]["mean"] is None
    assert means["published"]["METEOR"]["undefined"] == 2
    assert means["documented"]["METEOR"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "cases": 2, "undefined": 0}
    assert found["means"]["short"]["documented"]["CharacTER"]["mean"] == pytest.approx(10 / 19)
    assert found["sources"] == {}
    assert any("it is not recorded what the systems found" in note for note in found["notes"])


def test_systems_are_compared_with_one_that_is_named(run: Run, summaries: Path) -> None:
    asked = ("evaluate", "summaries", "--published", str(summaries))
    found = json.loads(run(*asked, "--against", "short", "--json").stdout)["contrasts"]
    assert [one["other"] for one in found] == ["same", "silent"]
    rouge = found[0]["metrics"]["ROUGE-L"]
    assert rouge["difference"]["mean"] == pytest.approx(1 / 3)
    assert (rouge["more"], rouge["equal"], rouge["less"]) == (2, 0, 0)
    refused = run(*asked, "--against", "gpt9")
    assert refused.exit_code == 2
    assert "has no system “gpt9”. It has short, same, silent." in refused.stderr


def test_the_figures_are_shown_to_people_and_every_text_is_kept_in_a_file(
    run: Run, summaries: Path, tmp_path: Path
) -> None:
    out = tmp_path / "scores.jsonl"
    done = run("evaluate", "summaries", "--published", str(summaries), "--limit", "1", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "3 texts of 1 review by 3 systems, of summaries.jsonl" in done.stdout
    assert "0.667 → 0.667" in done.stdout
    assert "– → 0.000" in done.stdout
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [one["system"] for one in rows] == ["short", "same", "silent"]
    assert rows[1]["documented"]["ROUGE-L"] == 1.0
    assert rows[0]["as_published"]["METEOR"] == 0.5


def test_a_file_with_a_bad_line_is_refused_before_anything_is_scored(run: Run, summaries: Path) -> None:
    summaries.write_text(row("r1") + "\n" + row("r1") + "\n", encoding="utf-8")
    refused = run("evaluate", "summaries", "--published", str(summaries), "--json")
    assert refused.exit_code == 1
    assert "line 2: the id “r1” is on line 1 already" in refused.stderr
    assert refused.stdout == ""


def test_texts_are_exported_for_metrics_of_larger_models(run: Run, summaries: Path, tmp_path: Path) -> None:
    done = run("evaluate", "summaries", "--published", str(summaries), "--export", str(tmp_path / "texts"))
    assert done.exit_code == 0, done.output
    assert "6 texts in" in done.stdout
    assert len((tmp_path / "texts" / "candidates.txt").read_text().splitlines()) == 6


def test_what_can_be_evaluated_is_listed_with_what_it_needs(run: Run) -> None:
    told = run("evaluate", "list").stdout
    assert "ROUGE-L, METEOR, chrF, GoogleBLEU, CharacTER" in told
    found = {one["name"]: one for one in json.loads(run("evaluate", "list", "--json").stdout)}
    assert [*found] == [
        *("retrieval", "verification", "summaries", "citations", "outputs", "preflight"),
        *("ratings", "run", "contexts", "robustness", "ablation", "uncertainty"),
    ]
    assert found["summaries"]["extra"] == "text-metrics"
    assert found["retrieval"]["needs"] == ["--corpus", "--queries", "--qrels"]
    assert found["retrieval"]["metrics"][0]["name"] == "nDCG@10"


def test_a_metric_is_explained_and_one_that_does_not_exist_is_bad_use(run: Run) -> None:
    lines = run("evaluate", "list", "CharacTER", "chrF").stdout.splitlines()
    assert lines[1].split()[:3] == ["CharacTER", "0–1", "lower"]
    assert lines[2].split()[:3] == ["chrF", "0–100", "higher"]
    assert json.loads(run("evaluate", "list", "chrF", "--json").stdout)[0]["maximum"] == 100
    refused = run("evaluate", "list", "character")
    assert refused.exit_code == 2
    assert "It is spelled CharacTER." in refused.stderr


def test_before_and_after_a_day_stand_apart_and_refusals_and_what_is_removed_are_named(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    scores = {**SCORES, "overall": 0.8, "commet": 0.7, "word_length": 9}
    rows = []
    for id, day, text, relevant in (
        *(
            ("r1", "9/30/2021", "colchicine shortens the flare", ["1"]),
            ("r2", "2021-10-01", "I'm sorry, but no.", ["1"]),
        ),
        *(("r3", "10/2/2021", "", ["2"]), ("r4", "", "colchicine", [])),
    ):
        system = {"text": text, "scores": scores, "relevant_pmids": relevant, "irrelevant_pmids": ["1", "7"]}
        rows.append(row(id, systems={"mine": system}, published=day, ref_pmids=["1", "9"]))
    path.write_text("".join(f"{one}\n" for one in rows), encoding="utf-8")
    asked = ("evaluate", "summaries", "--published", str(path), "--cutoff", "2021-10-01", "--found-by", "mine")
    found = json.loads(run(*asked, "--json").stdout)
    assert (found["removed"], found["refusals"]) == (["r4"], {"mine": 2})
    parts = {part: systems["mine"]["ROUGE-L"] for part, systems in found["by_date"].items()}
    assert {part: mean["cases"] for part, mean in parts.items()} == {"before 2021-10-01": 1, "from 2021-10-01 on": 2}
    assert (parts["before 2021-10-01"]["mean"], parts["from 2021-10-01 on"]["mean"]) == (1.0, 0.0)
    assert found["others"]["mine"].keys() == {"overall", "commet"}
    told = run(*asked).stdout
    assert "Removed, since nothing was taken as relevant: r4." in told
    assert "Before 2021-10-01 (1 review), documented direction:" in told
    # Of 1 and 7 that were found 1 is cited, in two reviews; of 1, 2 and 7 also; recall is 1 of 2.
    assert re.search(r"mine +found +recall +0\.500", told)
    assert re.search(r"mine +found +precision +0\.444", told)
    assert re.search(r"mine +relevant +precision +0\.667", told)
    path.write_text(row("r1", published="31.10.2021") + "\n", encoding="utf-8")
    assert "line 1: published: “31.10.2021” is neither a day" in run(*asked).stderr


def test_damaged_letters_are_repaired_where_no_published_score_is_compared(run: Run, tmp_path: Path) -> None:
    path, folder = tmp_path / "mine.jsonl", tmp_path / "texts"
    damaged = {"mine": {"text": "SjÃ¶gren â‰¥ 2", "scores": SCORES}}
    path.write_text(row("r1", human_answer="Sjögren ≥ 2", systems=damaged) + "\n", encoding="utf-8")
    asked = ("evaluate", "summaries", "--published", str(path))
    as_found = run(*asked, "--json")
    assert "1 text with damaged letters" in as_found.stderr
    repaired = run(*asked, "--repair", "--json")
    assert repaired.stderr == ""
    before, after = (json.loads(one.stdout)["means"]["mine"] for one in (as_found, repaired))
    assert before["documented"]["chrF"]["mean"] < after["documented"]["chrF"]["mean"] == pytest.approx(100)
    assert before["published"] == after["published"]
    assert run(*asked, "--repair", "--export", str(folder)).exit_code == 0
    assert (folder / "candidates.txt").read_text(encoding="utf-8") == "Sjögren ≥ 2\n"


def test_the_shared_reviews_from_after_the_training_of_the_models_are_those_of_the_paper(shared_data: Path) -> None:
    data = read_summaries(shared_data / "benchmarks" / "pubmedrs200_outputs.jsonl.gz")
    parts = split_reviews(data, date(2021, 10, 1))
    assert {part: len(reviews) for part, reviews in parts.items()} == {
        "before 2021-10-01": 32,
        "from 2021-10-01 on": 42,
    }


@pytest.mark.slow
def test_a_part_of_the_published_scores_comes_back(run: Run, shared_data: Path) -> None:
    path = shared_data / "benchmarks" / "pubmedrs200_outputs.jsonl.gz"
    found = json.loads(run("evaluate", "summaries", "--published", str(path), "--limit", "6", "--json").stdout)
    assert found["texts"] == 78
    for name in ("ROUGE-L", "chrF", "GoogleBLEU", "CharacTER"):
        assert found["published"][name]["equal"] == 78, name
    assert found["mean_absolute_difference"]["METEOR"] < 0.001


@pytest.mark.nightly
def test_all_published_scores_come_back_in_processes(run: Run, shared_data: Path) -> None:
    path = shared_data / "benchmarks" / "pubmedrs200_outputs.jsonl.gz"
    found = json.loads(run("evaluate", "summaries", "--published", str(path), "--json").stdout)
    assert found["texts"] == 962
    for name in ("ROUGE-L", "chrF", "GoogleBLEU", "CharacTER"):
        assert found["published"][name]["equal"] == 962, name
    assert found["published"]["METEOR"]["equal"] > 900
    assert found["mean_absolute_difference"]["METEOR"] < 0.001


def test_rows_of_anybody_and_runs_of_our_own_are_scored_without_published_scores(
    run: Run, trials: str, tmp_path: Path
) -> None:
    case = {"id": "r1", "question": "Does colchicine shorten gout flares?", "reference": "Colchicine shortens flares."}
    asked = tmp_path / "mine.jsonl"
    asked.write_text(json.dumps(case) + "\n", encoding="utf-8")
    answered = ("--set", "guidelines=false", "evaluate", "run", str(asked), "--out", str(tmp_path / "out"))
    assert run(*answered).exit_code == 0
    foreign = tmp_path / "foreign.jsonl"
    review = {"id": "r1", "human_answer": "Colchicine shortens flares.", "ref_pmids": ["trial-1", "7"]}
    systems = {
        "theirs": "Colchicine shortens flares.",
        "silent": {"text": "", "relevant_pmids": [], "irrelevant_pmids": []},
    }
    foreign.write_text(json.dumps({**review, "systems": systems}) + "\n", encoding="utf-8")
    command = ("evaluate", "summaries", "--published", str(foreign), "--run", str(tmp_path / "out"), "--json")
    done = run(*command)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["published"], [*found["means"]]) == ({}, ["theirs", "silent", "default"])
    assert found["means"]["theirs"]["documented"]["ROUGE-L"]["mean"] == 1.0
    assert 0 < found["means"]["default"]["documented"]["ROUGE-L"]["mean"] < 1
    assert found["words"]["theirs"] == 3
    # What the run read is held against what the review cites.
    sources = found["sources"]["default"]
    assert (sources["kept"], sources["means"]["source_recall"]["mean"]) == (1, 0.5)
    alone = run("evaluate", "summaries", "--run", str(tmp_path / "out"))
    assert alone.exit_code == 0, alone.output
    assert "1 text of 1 review by 1 system" in alone.stdout
    assert "published scores" not in alone.stdout
    assert "silent took no work" in run(*command, "--found-by", "silent").stderr
    assert json.loads(run(*command, "--found-by", "default").stdout)["reviews"] == 1
    assert "Give --published, --run or both" in run("evaluate", "summaries").stderr
