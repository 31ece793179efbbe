"""The writer of reports, its pictures, and agreement as others compute it."""

import pytest
from lxml import etree

from wellsourced_evaluate.plots import Point, draw_series
from wellsourced_evaluate.statistics import (
    cohen_kappa,
    cramers_v,
    fleiss_kappa,
    krippendorff_alpha,
    kruskal_wallis,
    mcnemar_p,
    pearson,
    spearman,
    weighted_kappa,
)
from wellsourced_evaluate.tables import (
    Block,
    Bullets,
    Chance,
    Heading,
    Interval,
    Part,
    Picture,
    Signed,
    Text,
    format_cell,
    tabulate,
    to_markdown,
    to_page,
    to_text,
)

CELLS = (
    *((None, "–"), (float("nan"), "–"), (0.71249, "0.712"), (1204, "1,204"), (True, "yes"), ("as it is", "as it is")),
    *(
        (Interval(0.1, 0.25), "0.100–0.250"),
        (Interval(None, None), "–"),
        (Interval(-0.1, 0.2, True), "-0.100 … +0.200"),
    ),
    *((Signed(0.031), "+0.031"), (Signed(None), "–"), (Chance(0.03125), "0.0312"), (Part(3, 1204), "3 of 1,204")),
)

BLOCKS: tuple[Block, ...] = (
    Heading(2, "What\nis <bad>"),
    Text("Read the intervals.", True),
    Bullets(("one", "two")),
    tabulate([("a|b", 0.5), ("c", None)], {"arm": lambda row: row[0], "value": lambda row: row[1]}),
    Picture("<svg/>"),
)


def test_a_cell_is_spelled_by_its_type() -> None:
    wrong = [(cell, format_cell(cell), text) for cell, text in CELLS if format_cell(cell) != text]
    assert not wrong


def test_a_report_is_markdown_a_page_and_text() -> None:
    table = "| arm | value |\n| --- | --- |\n| a\\|b | 0.500 |\n| c | – |"
    assert to_markdown(BLOCKS) == f"## What is <bad>\n\n**Read the intervals.**\n\n* one\n* two\n\n{table}\n"
    page = to_page("A & B", BLOCKS)
    assert "<title>A &amp; B</title>" in page and "is &lt;bad&gt;</h2>" in page and "<td>0.500</td>" in page
    assert page.count("<svg/>") == 1
    assert to_text(BLOCKS).splitlines()[-3:] == ["arm  value", "a|b  0.500", "c        –"]


def test_pictures_are_the_same_each_time_and_no_name_breaks_them() -> None:
    def draw() -> str:
        points = [Point(1.0, 0.5, 0.4, 0.6), Point(0.0, 0.25, weight=3)]
        series = {"a < b & $x$": points, "<b>": points}
        return draw_series('a "&" b', ("cost", "share"), series, levels={"floor": 0.2}, line=True, diagonal=True)

    picture = draw()
    assert picture == draw()
    root = etree.fromstring(picture.encode())
    assert root.get("role") == "img" and root.get("aria-label") == 'a "&" b'
    assert "<script" not in picture and "http" not in picture.replace("http://www.w3.org/", "")
    assert "a &lt; b &amp; $x$" in picture


def test_agreement_is_that_of_the_textbooks() -> None:
    # Cohen (1960), a table of 2 by 2: 20, 5, 10, 15 of 50; observed .7, expected .5.
    counts = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    assert cohen_kappa(pairs) == pytest.approx(0.4)
    assert cohen_kappa([("yes", "yes")] * 3) is None
    # Squares of differences 0, 0, 1 of three pairs, against 12 of all nine: 1 − (1/3) / (12/9).
    assert weighted_kappa([(1, 1), (3, 3), (2, 3)]) == pytest.approx(1 - (1 / 3) / (15 / 9))
    # Three raters on two items: 1 and 1/3 of the pairs agree; shares 4/6 and 2/6.
    assert fleiss_kappa([["a", "a", "a"], ["a", "b", "b"]]) == pytest.approx((2 / 3 - 5 / 9) / (4 / 9))
    assert krippendorff_alpha([["a", "a"], ["a", "b"], ["b"], []]) == pytest.approx(1 - 0.5 / (2 * 3 / 12))
    with pytest.raises(ValueError, match="as many labels"):
        fleiss_kappa([["a", "a"], ["a"]])


def test_association_is_that_of_scipy_and_says_nothing_of_a_constant_column() -> None:
    assert pearson([(1, 2), (2, 4), (3, 6)]).value == pytest.approx(1.0)
    assert pearson([(1, 2), (1, 4)]).value is None
    assert spearman([(1, 9), (2, 5), (3, 1)]).value == pytest.approx(-1.0)
    assert spearman([(1, 1), (2, 2)]) == (None, None, 2)
    assert kruskal_wallis([[1, 2, 3], [4, 5, 6], []]).value == pytest.approx(3.857, abs=1e-3)
    assert kruskal_wallis([[1, 1], [1]]) == (None, None, 3)
    assert cramers_v([("a", "x"), ("b", "y")] * 4) == pytest.approx(1.0)
    assert cramers_v([("a", "x")]) is None
    assert mcnemar_p(0, 0) == 1.0 and mcnemar_p(1, 9) == pytest.approx(22 / 1024)
