"""Reciprocal rank fusion, worked out by hand."""

import pytest

from wellsourced.text.fusion import fuse


def test_what_several_rankings_place_high_comes_first() -> None:
    fused = fuse([["a", "b", "c"], ["b", "d"]], k=60)
    assert [id for id, _ in fused] == ["b", "a", "d", "c"]
    assert dict(fused) == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63})


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    assert [id for id, _ in fuse([["b"], ["a"], ["c"]])] == ["a", "b", "c"]


def test_nothing_fused_is_nothing() -> None:
    assert fuse([]) == fuse([[], []]) == []
