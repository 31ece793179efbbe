"""Fusion by ranks and by scores, worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellsourced.text.ranking import fuse_ranks, fuse_scores


def test_what_several_rankings_place_high_comes_first() -> None:
    fused = fuse_ranks([["a", "b", "c"], ["b", "d"]], k=60)
    assert [id for id, _ in fused] == ["b", "a", "d", "c"]
    assert dict(fused) == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63})


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    assert [id for id, _ in fuse_ranks([["b"], ["a"], ["c"]])] == ["a", "b", "c"]


def test_nothing_fused_is_nothing() -> None:
    assert fuse_ranks([]) == fuse_ranks([[], []]) == []


WORDS = {"a": 12.0, "b": 9.0, "c": 3.0}
MEANING = {"a": 0.2, "b": 0.7, "c": 0.3, "d": 0.6}
scores = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.1, 100), min_size=1)


def test_scores_count_by_how_far_they_stand_out() -> None:
    # Of 0, 0 and 3 the mean is 1 and the deviation √2; of 2, 0 and 1 they are 1 and √(2/3).
    combined = dict(fuse_scores([{"a": 3.0}, {"b": 2.0, "c": 1.0}], [0.5, 0.5]))
    assert combined == pytest.approx(
        {
            "a": 0.5 * 2 / 2**0.5 - 0.5 / (2 / 3) ** 0.5,
            "b": -0.5 / 2**0.5 + 0.5 / (2 / 3) ** 0.5,
            "c": -0.5 / 2**0.5,
        }
    )


@given(scores, scores, st.floats(0.01, 100))
def test_the_unit_of_a_score_does_not_count(words: dict[str, float], meaning: dict[str, float], unit: float) -> None:
    scaled = dict(fuse_scores([{id: unit * score for id, score in words.items()}, meaning], [0.4, 0.6]))
    assert scaled == pytest.approx(dict(fuse_scores([words, meaning], [0.4, 0.6])), abs=1e-6)


def test_the_zero_point_of_a_score_that_all_have_does_not_count() -> None:
    shifted = {id: score + 0.7 for id, score in MEANING.items()}
    assert dict(fuse_scores([WORDS, shifted], [0.4, 0.6])) == pytest.approx(
        dict(fuse_scores([WORDS, MEANING], [0.4, 0.6]))
    )


@given(scores, scores)
def test_what_is_better_by_every_score_comes_first(words: dict[str, float], meaning: dict[str, float]) -> None:
    place = {id: place for place, (id, _) in enumerate(fuse_scores([words, meaning], [0.4, 0.6]))}
    for better in place:
        for worse in place:
            by_word = words.get(better, 0) - words.get(worse, 0)
            by_meaning = meaning.get(better, 0) - meaning.get(worse, 0)
            if by_word > 1e-3 and by_meaning > 1e-3:
                assert place[better] < place[worse]


def test_the_order_in_which_scores_are_given_does_not_count() -> None:
    backwards = [dict(reversed(one.items())) for one in (WORDS, MEANING)]
    assert fuse_scores(backwards, [0.4, 0.6]) == fuse_scores([WORDS, MEANING], [0.4, 0.6])


def test_scores_that_do_not_differ_do_not_count_and_ties_come_by_id() -> None:
    alike = {"b": 0.1 + 0.2, "a": 0.3, "c": 0.3}
    assert fuse_scores([alike], [1.0]) == [("a", 0.0), ("b", 0.0), ("c", 0.0)]
    assert [id for id, _ in fuse_scores([alike, {"b": 1.0, "c": 1.0}], [0.9, 0.1])] == ["b", "c", "a"]


def test_more_that_is_found_does_not_move_what_stands_at_the_top() -> None:
    first = fuse_scores([WORDS, MEANING], [0.4, 0.6])
    more = fuse_scores([WORDS | {"x": 0.5}, MEANING | {"x": 0.01}], [0.4, 0.6], spread_over="abcd")
    assert [item for item in more if item[0] != "x"] == first


def test_nothing_combined_is_nothing() -> None:
    assert fuse_scores([], []) == fuse_scores([{}, {}], [0.4, 0.6]) == []
