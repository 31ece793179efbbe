"""Runs of the search are compared query by query, and only if they were asked the same."""

from pathlib import Path

import pytest

from wellsourced.errors import SourceRefused
from wellsourced_evaluate.questions.arm_comparison import SetComparison, compare_files
from wellsourced_evaluate.record_log import RecordLog
from wellsourced_evaluate.retrieval import RETRIEVAL_LOG, QueryResult, RunHeader
from wellsourced_evaluate.statistics import PERMUTATIONS

Values = dict[str, float | None]


def write_run(path: Path, values: Values, qrels: str = "same") -> Path:
    """A run that gave each query this nDCG@10 and half as much recall; None where it failed."""
    header = RunHeader(
        wellsourced="0.1.0", code="abc", versions={}, corpus={}, topics={"qrels_sha256": qrels}, depth=400, settings={}
    )
    with RecordLog(path, header, RETRIEVAL_LOG, fresh=True) as log:
        for query, value in values.items():
            measures = {} if value is None else {"nDCG@10": value, "R@10": value / 2}
            log.add(QueryResult(query=query, status="ok" if measures else "failed", measures=measures))
    return path


def compare(folder: Path, ours: Values, base: Values, qrels: str = "same") -> SetComparison:
    paths = [write_run(folder / "base.jsonl", base), write_run(folder / "ours.jsonl", ours, qrels)]
    (found,) = compare_files(paths, "randomisation")
    return found


def test_wins_ties_and_losses_are_counted_and_the_mean_difference_is_that_of_the_pairs(tmp_path: Path) -> None:
    found = compare(tmp_path, {"a": 0.9, "b": 0.4, "c": 0.5, "d": 0.1}, {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.4})
    assert [one.metric for one in found.contrasts] == ["nDCG@10", "R@10"]
    first, second = (one.contrast for one in found.contrasts)
    assert (first.more, first.equal, first.less) == (2, 1, 1)
    assert (first.base, first.other) == pytest.approx((0.4, 0.475))
    low, high = first.difference.low, first.difference.high
    assert first.difference.mean == pytest.approx(0.075)
    assert (low or 0) < 0 < (high or 0)
    # Of the 8 signings of .4, .2 and −.3 the sums are ±.9, ±.5, ±.3 and ±.1: six are at least .3.
    assert first.p == pytest.approx(6 / 8, abs=0.02)
    assert second.difference.mean == pytest.approx(0.0375)
    assert list(found.changes["base", "ours"]) == ["a", "c", "d"]


def test_a_gain_on_each_of_many_queries_is_not_chance(tmp_path: Path) -> None:
    queries = [f"q{number}" for number in range(60)]
    found = compare(tmp_path, dict.fromkeys(queries, 0.6), dict.fromkeys(queries, 0.5))
    assert found.contrasts[0].contrast.p == pytest.approx(1 / (PERMUTATIONS + 1))
    assert found.contrasts[0].contrast.more == 60


def test_a_query_that_failed_in_one_run_is_left_out_of_both_and_counted(tmp_path: Path) -> None:
    found = compare(tmp_path, {"a": 0.5, "b": None, "c": 0.5}, {"a": 0.5, "b": 0.9, "c": None})
    recall = found.contrasts[1].contrast
    assert (recall.difference.cases, recall.difference.undefined) == (1, 2)
    assert recall.base == recall.other == 0.25
    with pytest.raises(SourceRefused, match="no metric has a value in every run"):
        compare(tmp_path, {"a": None}, {"a": 0.5})


def test_runs_that_were_asked_or_judged_otherwise_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="the first has 2 queries, the other has 3, and 1 are of both"):
        compare(tmp_path, {"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.0, "z": 1.0})
    with pytest.raises(SourceRefused, match="judged by different files"):
        compare(tmp_path, {"a": 1.0}, {"a": 1.0}, qrels="new")
