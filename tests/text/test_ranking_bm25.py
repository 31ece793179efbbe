"""How well each of a few texts matches the words of a query; the numbers are worked out by hand."""

from math import log

import pytest

from tests.tables import each_row
from wellsourced.text.ranking import bm25_scores

TEXTS = ["gout hurts", "gout gout flare pain", "weather report today"]
"""2, 4 and 3 words: 3 on average. “gout” is in two of three, “flare” in one."""

GOUT = log(1 + 1.5 / 2.5)
FLARE = log(1 + 2.5 / 1.5)


def test_scores_are_those_worked_out_by_hand() -> None:
    # k1·(1 - b + b·length/mean): 1.5·(0.25 + 0.75·2/3) = 1.125; 1.5·(0.25 + 0.75·4/3) = 1.875
    first = GOUT * 1 * 2.5 / (1 + 1.125)
    second = GOUT * 2 * 2.5 / (2 + 1.875) + FLARE * 1 * 2.5 / (1 + 1.875)
    assert bm25_scores("Gout flare", TEXTS) == pytest.approx([first, second, 0.0])
    assert bm25_scores("Gout flare", TEXTS) == pytest.approx([0.552945, 1.459352, 0.0], abs=1e-6)


def test_without_b_the_length_of_a_text_makes_no_difference() -> None:
    assert bm25_scores("gout", ["gout", "gout and much besides that is not"], b=0) == pytest.approx(
        [log(1.2), log(1.2)]
    )


def test_with_k1_of_0_a_word_counts_once_however_often_it_stands() -> None:
    assert bm25_scores("gout", TEXTS, k1=0) == pytest.approx([GOUT, GOUT, 0.0])


def test_letter_case_accents_and_repetitions_in_the_query_make_no_difference() -> None:
    assert bm25_scores("SJÖGREN sjogren", ["Sjögren", "gout"]) == bm25_scores("sjogren", ["sjogren", "gout"])


def test_a_word_that_every_text_has_still_counts_for_a_text() -> None:
    assert all(score > 0 for score in bm25_scores("gout", ["gout", "gout pain"]))


@each_row(("query", "texts"), [("gout", []), ("gout", ["", "  "]), ("", ["gout"]), ("?", ["gout"])])
def test_without_words_there_is_nothing_to_score(query: str, texts: list[str]) -> None:
    assert bm25_scores(query, texts) == [0.0] * len(texts)


def test_a_text_without_words_among_others_scores_nothing() -> None:
    assert bm25_scores("gout", ["", "gout"])[0] == 0.0 < bm25_scores("gout", ["", "gout"])[1]
