"""The picture of what encoding costs and finds."""

from benchmarks.encoding import PICTURE, EncodingResult, draw_frontier, read_results, select_frontier


def test_the_picture_is_drawn_from_the_figures_that_are_kept():
    assert PICTURE.read_text(encoding="utf-8") == draw_frontier(read_results()), "run python -m benchmarks.encoding"


def test_the_frontier_leaves_out_what_costs_more_and_finds_no_better():
    cheap, dear, worse = (
        EncodingResult(name, "BioASQ", ndcg, *cost)
        for name, ndcg, cost in (("cheap", 0.9, (10, 20)), ("dear", 0.9, (30, 50)), ("worse", 0.8, (15, 15)))
    )
    assert select_frontier([dear, worse, cheap]) == [cheap]


def test_every_setting_is_named_in_the_picture_with_its_quality():
    results = read_results()
    picture = draw_frontier(results)
    for one in results:
        assert f">{one.setting} · {f'{one.ndcg:.3f}'.removeprefix('0')}</text>" in picture
