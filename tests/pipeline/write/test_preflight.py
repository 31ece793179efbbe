"""Two rankings of the same passages agree on the best ones, or passages are read in parts."""

import random

from tests.tables import each_row
from wellsourced.pipeline.write.map_reduce import is_agreement, rank_by_score, run_preflight
from wellsourced.types import Passage, Reference

QUERY = "gout"


def said(document: str, text: str) -> Passage:
    return Passage(reference=Reference(id=document), text=text, start=0, end=len(text))


def worded(*counts: int) -> list[Passage]:
    """Passages of 10 words with the query's word so often in them: by their words, the highest count is best."""
    texts = [" ".join(["gout"] * count + ["salt"] * (10 - count)) for count in counts]
    return [said(f"d{place}", text) for place, text in enumerate(texts)]


@each_row(
    ("counts", "shared", "iou", "mapped"),
    [
        ((1, 2, 3, 4, 5, 6), 0, 0.0, True),
        ((6, 2, 1, 4, 5, 3), 1, 0.2, True),
        ((6, 5, 1, 2, 4, 3), 2, 0.5, False),
        ((4, 6, 5, 3, 2, 1), 3, 1.0, False),
    ],
)
def test_two_of_the_best_three_have_to_be_the_same(
    counts: tuple[int, ...], shared: int, iou: float, mapped: bool
) -> None:
    check = run_preflight(QUERY, worded(*counts), top=3, delta=0.2, parts=2)
    assert (check.shared, check.iou, check.mapped) == (shared, iou, mapped)
    assert (check.top, check.delta, check.parts, check.saved) == (3, 0.2, 2, 0 if mapped else 2)
    assert f"{shared} of the best 3 passages" in check.reason


def test_with_three_passages_a_fifth_and_three_tenths_are_the_same_threshold() -> None:
    draw = random.Random(7)  # noqa: S311
    told = []
    for _ in range(1_000):
        counts = draw.sample(range(1, 9), 8)
        passages = worded(*counts)
        checks = [run_preflight(QUERY, passages, top=3, delta=delta, parts=2) for delta in (0.2, 0.3)]
        assert checks[0].mapped == checks[1].mapped
        told.append(checks[0].mapped)
    assert 0 < sum(told) < 1_000


def test_a_fifth_is_not_greater_than_a_fifth_however_it_is_stored() -> None:
    assert not is_agreement(shared=1, top=3, delta=0.2)
    assert is_agreement(shared=1, top=3, delta=0.19999)
    # As it is stored, 0.3 is a little less than 6 / (2·13 - 6).
    assert not is_agreement(shared=6, top=13, delta=0.3)
    assert not is_agreement(shared=0, top=3, delta=0.0)


def test_words_that_are_in_no_passage_have_no_opinion() -> None:
    check = run_preflight("psoriasis", worded(1, 2, 3, 4, 5), top=3, delta=0.2, parts=2)
    assert (check.mapped, check.shared, check.saved) == (True, 0, 0)
    assert check.reason == "no passage shares a word with the question, so words cannot rank them"


def test_equal_scores_stand_in_the_order_of_references_and_not_as_they_were_ranked_first() -> None:
    passages = [said(name, "gout flares hurt") for name in ("e", "d", "c", "b", "a")]
    assert [one.reference.id for one in rank_by_score(passages, [1.0] * 5)] == ["a", "b", "c", "d", "e"]
    assert run_preflight(QUERY, passages, top=2, delta=0.2, parts=2).shared == 0


@each_row(("count", "reason"), [(1, "there is only one passage"), (3, "there are only 3 passages")])
def test_as_few_passages_as_are_compared_need_no_parts(count: int, reason: str) -> None:
    check = run_preflight("psoriasis", worded(*range(1, count + 1)), top=3, delta=0.2, parts=2)
    assert (check.mapped, check.iou, check.reason) == (False, 1.0, reason)
    assert check.saved == min(2, count)


def test_of_nothing_nothing_is_read_in_parts() -> None:
    assert not run_preflight(QUERY, [], top=3, delta=0.2, parts=2).mapped
