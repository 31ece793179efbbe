"""Two runs are compared query by query, and only if they were asked the same."""

from pathlib import Path

import pytest

from wellsourced.confidence import PERMUTATIONS
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.retrieval_runs import QueryResult, RetrievalRun, RunHeader, compare_runs


def run(values: dict[str, float | None], qrels: str = "same", encoder: str = "none") -> RetrievalRun:
    """A run that gave each query this nDCG@10 and half as much recall; None where it failed."""
    header = RunHeader(
        wellsourced="0.1.0", code="abc", versions={}, corpus={}, topics={"qrels_sha256": qrels}, depth=400,
        settings={"encoder": encoder},
    )  # fmt: skip
    results = {
        query: QueryResult(query=query, status="failed")
        if value is None
        else QueryResult(query=query, status="ok", measures={"nDCG@10": value, "R@10": value / 2})
        for query, value in values.items()
    }
    return RetrievalRun(Path("base.jsonl"), header, results)


def test_wins_ties_and_losses_are_counted_and_the_mean_difference_is_that_of_the_pairs() -> None:
    found = compare_runs(
        run({"a": 0.9, "b": 0.4, "c": 0.5, "d": 0.1}, encoder="minilm"), run({"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.4})
    )
    assert [*found.contrasts] == ["nDCG@10", "R@10"]
    first, second = found.contrasts.values()
    assert (first.more, first.equal, first.less) == (2, 1, 1)
    assert (first.base, first.other) == pytest.approx((0.4, 0.475))
    assert first.difference.mean == pytest.approx(0.075)
    assert first.difference.low is not None
    assert first.difference.high is not None
    assert first.difference.low < 0 < first.difference.high
    # Of the 8 signings of .4, .2 and −.3 the sums are ±.9, ±.5, ±.3 and ±.1: six are at least .3.
    assert first.p == pytest.approx(6 / 8, abs=0.02)
    assert second.difference.mean == pytest.approx(0.0375)
    assert list(found.changes) == ["a", "c", "d"]
    assert found.unlike == ("encoder: none → minilm",)


def test_a_gain_on_each_of_many_queries_is_not_chance() -> None:
    queries = [f"q{number}" for number in range(60)]
    found = compare_runs(run(dict.fromkeys(queries, 0.6)), run(dict.fromkeys(queries, 0.5)))
    assert found.contrasts["nDCG@10"].p == pytest.approx(1 / (PERMUTATIONS + 1))
    assert found.contrasts["nDCG@10"].more == 60


def test_a_query_that_failed_in_one_run_is_left_out_of_both_and_counted() -> None:
    found = compare_runs(run({"a": 0.5, "b": None, "c": 0.5}), run({"a": 0.5, "b": 0.9, "c": None}))
    assert (found.queries, found.left_out) == (1, 2)
    assert found.contrasts["R@10"].base == found.contrasts["R@10"].other == 0.25
    with pytest.raises(SourceRefused, match="every query failed"):
        compare_runs(run({"a": None}), run({"a": 0.5}))


def test_runs_over_other_queries_are_refused_with_how_many_they_share() -> None:
    with pytest.raises(SourceRefused, match="it has 2 queries, the other has 3, and 1 are of both"):
        compare_runs(run({"a": 1.0, "b": 1.0, "c": 1.0}), run({"a": 1.0, "z": 1.0}))


def test_runs_that_were_judged_otherwise_are_refused() -> None:
    with pytest.raises(SourceRefused, match="judged by another file"):
        compare_runs(run({"a": 1.0}, qrels="new"), run({"a": 1.0}, qrels="old"))
