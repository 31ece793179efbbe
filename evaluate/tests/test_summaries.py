"""Recorded summaries: files with a fault are refused by line, and figures are those worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.recorded_summaries import RecordedReview, export_texts, read_summaries, split_reference
from wellsourced_evaluate.source_checks import contrast_hits, list_searchers, measure_review, measure_sources
from wellsourced_evaluate.summaries import ScoredSummary, compare_metric, take_column
from wellsourced_evaluate.text_metrics import NO_SCORES

SCORES = {"rouge-L": 0.5, "meteor": 0.5, "chrf": 50.0, "google_bleu": 0.5, "character": 0.5}


def summary(**more: object) -> dict[str, Any]:
    return {"text": "Colchicine helps.", "scores": SCORES} | more


def review(id: str = "r1", **more: object) -> dict[str, Any]:
    return {"id": id, "human_answer": "It helps.", "systems": {"gpt4": summary()}} | more


def written(folder: Path, *rows: object) -> Path:
    path = folder / "summaries.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


# --- reading -------------------------------------------------------------------------------------------------------

FAULTS: dict[str, str] = {
    "no json": "it is not JSON",
    "[1]": "it is not a JSON object",
    json.dumps({"human_answer": "x", "systems": {"gpt4": summary()}}): "id: Field required",
    json.dumps(review(id=" ")): "id: String should match",
    json.dumps(review(id=7)): "id: Input should be a valid string",
    json.dumps({"id": "r2", "systems": {"gpt4": summary()}}): "human_answer: Field required",
    json.dumps({"id": "r2", "human_answer": "x"}): "systems: Field required",
    json.dumps(review("r2", systems={})): "systems: Dictionary should have at least 1 item",
    json.dumps(review("r2", systems={"gpt4": 7})): "systems.gpt4: Input should be",
    json.dumps(review("r2", systems={"gpt4": {"scores": SCORES}})): "systems.gpt4.text: Field required",
    json.dumps(
        review("r2", systems={"gpt4": summary(scores={**SCORES, "chrf": "50"})})
    ): "systems.gpt4.scores.chrF: Input should be a valid number",
    json.dumps(review("r2", systems={"gpt4": summary(scores={"rouge-L": 1})})): "it has no score “meteor”",
    json.dumps(review("r2", systems={"gpt4": summary(relevant_pmids="1, 2")})): "systems.gpt4.relevant_pmids: Input",
    json.dumps(review("r2", systems={"gpt4": summary(relevant_pmids=[{}])})): "systems.gpt4.relevant_pmids.0: Input",
    json.dumps(review("r2", ref_pmids="1")): "ref_pmids: Input should be",
    json.dumps(review("r1")): "the id “r1” is on line 1 already",
}


def test_a_line_that_cannot_be_used_is_refused_with_its_number_and_reason(tmp_path: Path) -> None:
    unlike = {}
    for line, reason in FAULTS.items():
        with pytest.raises(UnreadableFile) as refused:
            read_summaries(written(tmp_path, review("r1"), line))
        if f"line 2: {reason}" not in str(refused.value) and reason not in str(refused.value).partition("line 2: ")[2]:
            unlike[line] = str(refused.value)
    assert unlike == {}


def test_every_review_has_every_system(tmp_path: Path) -> None:
    both = {"gpt4": summary(), "gpt5": summary()}
    with pytest.raises(UnreadableFile, match="“r2” has, and others lack, the system “gpt5”"):
        read_summaries(written(tmp_path, review("r1"), review("r2", systems=both)))
    with pytest.raises(UnreadableFile, match="“r2” lacks, and others have, the system “gpt5”"):
        read_summaries(written(tmp_path, review("r1", systems=both), review("r2")), 1)


def test_many_faults_are_counted_and_an_empty_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"line 5: it is not JSON; and 2 more lines\."):
        read_summaries(written(tmp_path, *["{"] * 7))
    with pytest.raises(UnreadableFile, match="it holds no row"):
        read_summaries(written(tmp_path))


def test_a_limit_draws_the_same_reviews_each_time_and_says_of_how_many(tmp_path: Path) -> None:
    path = written(tmp_path, *(review(f"r{place}") for place in range(9)))
    one, two = read_summaries(path, 3), read_summaries(path, 3)
    assert (len(one.rows), one.recorded, [*one.rows[0].systems]) == (3, 9, ["gpt4"])
    assert one == two


def test_a_score_that_was_not_published_is_null_and_not_compared(tmp_path: Path) -> None:
    rows = [review("r1", systems={"gpt4": summary(scores={**SCORES, "meteor": None})}), review("r2")]
    data = read_summaries(written(tmp_path, *rows))
    assert data.rows[0].systems["gpt4"].published["METEOR"] is None
    scored = [
        ScoredSummary(
            one.id, "gpt4", one.systems["gpt4"].published, {**NO_SCORES, "METEOR": 0.25, "ROUGE-L": 0.5}, NO_SCORES
        )
        for one in data.rows
    ]
    found = {name: compare_metric(name, scored) for name in ("METEOR", "ROUGE-L", "chrF")}
    assert found["METEOR"] == (1, 1, 0, 0.25, 0.25, "r2, gpt4")
    assert found["ROUGE-L"] == (2, 0, 2, 0.0, 0.0, "")
    assert found["chrF"] == (0, 2, 0, None, None, "")
    assert take_column(scored, "gpt4", "published", "METEOR") == {"r1": 0.25, "r2": 0.25}
    assert take_column(scored, "gpt4", "documented", "METEOR") == {"r1": None, "r2": None}


def test_an_answer_is_parted_at_its_blank_lines_and_spaces_at_its_ends_stay() -> None:
    assert split_reference("It helps. \n \r\nIt is safe.\nVery.\n") == ("It helps. ", "It is safe.\nVery.\n")
    assert split_reference("One.\n\n\n") == ("One.",)
    assert split_reference("") == ("",)


def test_texts_are_written_as_the_tools_of_other_metrics_read_them(tmp_path: Path) -> None:
    rows = [
        review(
            f"r{at}",
            human_answer="It helps.\n\nIt is\nsafe.",
            context="A trial.",
            systems={"gpt4": summary(), "b": summary(text="No.\n")},
        )
        for at in range(2)
    ]
    made = export_texts(read_summaries(written(tmp_path, *rows)), tmp_path / "texts")
    assert set(made.values()) == {4}
    lines = {
        name: (tmp_path / "texts" / f"{name}.txt").read_text().splitlines()
        for name in ("references", "candidates", "sources")
    }
    assert lines["candidates"] == ["Colchicine helps.", "No."] * 2
    assert lines["references"] == ["It is safe. It helps."] * 4
    assert lines["sources"] == ["A trial."] * 4
    last = json.loads((tmp_path / "texts" / "texts.json").read_text())[-1]
    assert (last["review"], last["system"], last["system_output"], last["source"]) == ("r1", "b", "No.\n", "A trial.")


# --- sources -------------------------------------------------------------------------------------------------------


def searched(id: str, cited: str, relevant: str, others: str = "", source: str = "") -> RecordedReview:
    """A review that cites these works, a letter each, and what a search took and left."""
    found = summary(relevant_pmids=[*relevant], irrelevant_pmids=[*others])
    fields = review(id, systems={"clinfo_pubmed": found}, ref_pmids=[*cited], source_pmid=source)
    return RecordedReview.model_validate(fields)


def test_precision_and_recall_are_shares_of_what_was_taken_and_of_what_is_cited() -> None:
    found = measure_review(searched("r1", "abcd", "abx", "cyz", source="x"), "clinfo_pubmed")
    assert found == {
        "source_precision": (2, 3),
        "source_recall": (2, 4),
        "candidate_precision": (3, 6),
        "candidate_recall": (3, 4),
    }


def test_a_search_that_took_nothing_has_no_precision_and_a_review_that_cites_nothing_no_recall(tmp_path: Path) -> None:
    data = read_summaries(written(tmp_path, review()))._replace(
        rows=(searched("r1", "ab", "a"), searched("r2", "ab", "", "x", "x"), searched("r3", "", "xy", source="x"))
    )
    found = measure_sources(data, "clinfo_pubmed")
    precision, recall = found.means["source_precision"], found.means["source_recall"]
    assert (precision.mean, precision.cases, precision.undefined) == (0.5, 2, 1)
    assert (recall.mean, recall.cases, recall.undefined) == (0.25, 2, 1)
    assert found.means_with_0["source_precision"] == pytest.approx(1 / 3)
    assert found.means_with_0["source_recall"] == pytest.approx(0.5 / 3)
    assert (found.no_hit, found.kept, found.true_candidates, found.regime) == (2, 1, 1, "unrestricted")
    # It took the review itself once, and found it once more.
    assert found.source == pytest.approx(1 / 3)
    assert list_searchers(data) == ["clinfo_pubmed"]
    assert contrast_hits(data, "clinfo_pubmed", "clinfo_pubmed") == (1, 0, 0, 2, 1.0)


def test_sources_are_not_measured_where_it_is_not_recorded_what_was_found(tmp_path: Path) -> None:
    found = {"gpt4": summary(relevant_pmids=["1"], irrelevant_pmids=[2])}
    known = review("r1", ref_pmids=["1", "1", 3], systems=found)
    data = read_summaries(written(tmp_path, known))
    assert list_searchers(data) == ["gpt4"]
    assert data.rows[0].cited == {"1", "3"}
    assert list_searchers(read_summaries(written(tmp_path, known, review("r2", ref_pmids=["1"])))) == []
    assert list_searchers(read_summaries(written(tmp_path, review("r1", systems=found)))) == []


@pytest.mark.slow
def test_the_published_precision_and_recall_of_three_searches_come_back(shared_data: Path) -> None:
    data = read_summaries(shared_data / "benchmarks" / "pubmedrs200_outputs.jsonl.gz")
    assert (len(data.rows), len(data.rows[0].systems)) == (74, 13)
    found = {one.regime: one for one in (measure_sources(data, name) for name in list_searchers(data))}
    figures = {
        regime: tuple(round(one.means[name].mean or 0, 4) for name in ("source_precision", "source_recall"))
        for regime, one in found.items()
    }
    assert figures == {
        "restricted": (0.2151, 0.0606),
        "source dropped": (0.1844, 0.0563),
        "unrestricted": (0.1540, 0.0542),
    }
    kept = {regime: (one.kept, one.true_candidates, one.no_hit) for regime, one in found.items()}
    assert kept == {"restricted": (176, 183, 22), "source dropped": (162, 167, 27), "unrestricted": (151, 158, 26)}
    # The paper's figures are of 145 questions, of which these are a part: they lie within the intervals.
    for one in found.values():
        assert one.paper is not None
        for name, value in one.paper.items():
            assert (one.means[name].low or 1) < value < (one.means[name].high or 0)
