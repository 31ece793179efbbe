"""What is told rightly and wrongly, on numbers worked out by hand."""

import pytest

from wellsourced_evaluate.preflight.confusion import Confusion


def test_the_shares_are_those_worked_out_by_hand() -> None:
    said_and_so = [(True, True)] * 2 + [(True, False)] * 2 + [(False, True)] + [(False, False)] * 3
    told = Confusion.from_cases(said_and_so)
    assert told == Confusion(tp=2, fp=2, fn=1, tn=3)
    assert told.precision == 0.5
    assert told.recall == pytest.approx(2 / 3)
    assert told.f1 == pytest.approx(4 / 7)
    assert told.specificity == 0.6
    assert told.informedness == pytest.approx(4 / 15)
    assert told.prevalence == 0.375
    assert told.predicted_share == 0.5


def test_a_share_of_nothing_is_none() -> None:
    nothing = Confusion(0, 0, 0, 0)
    assert {nothing.precision, nothing.recall, nothing.f1, nothing.specificity, nothing.predicted_share} == {None}
    assert Confusion(tp=0, fp=0, fn=2, tn=1).precision is None
    assert Confusion(tp=1, fp=0, fn=0, tn=0).informedness is None


def test_what_says_the_same_of_everything_knows_nothing() -> None:
    assert Confusion(tp=9, fp=91, fn=0, tn=0).informedness == 0.0
