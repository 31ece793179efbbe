"""What raters sent back: rows that are refused, raters who did not read, and figures worked out by hand."""

import json
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.rating.questionnaire import FormItem, Questionnaire, RatingCriteria, RatingForm
from wellsourced_evaluate.rating.rating_rows import find_failures, read_ratings
from wellsourced_evaluate.rating.rating_study import RatingStudy, measure_ratings
from wellsourced_evaluate.rating.system_answers import SystemAnswers

pytest.importorskip("scipy")

CRITERIA = RatingCriteria.model_validate(
    {
        "title": "Which?",
        "criteria": [
            {"name": "accuracy", "ask": "Right?", "low_means": "wrong", "high_means": "right"},
            {"name": "harm", "ask": "Harm?", "low_means": "none", "high_means": "much", "better": "lower"},
        ],
        "preference": {"ask": "Which?", "tie": "None"},
        "control": {"question": "How warm?", "right": "37", "wrong": "57"},
    }
)


def form(rater: int, *systems: str) -> RatingForm:
    """Questions q1, q2 …, each with its answers in this order ("xy"), q1 again exchanged, and the control."""
    kinds = [("question", f"q{at}", tuple(order)) for at, order in enumerate(systems, 1)]
    kinds += [("repeat", "q1", tuple(systems[0][::-1])), ("control", "How warm?", ("wrong", "right"))]
    items = [
        FormItem.model_validate({"id": f"{rater}-{at}", "kind": kind, "question": question, "systems": order})
        for at, (kind, question, order) in enumerate(kinds, 1)
    ]
    return RatingForm(id=f"form{rater}", rater=rater, items=tuple(items))


KEY = Questionnaire(
    seed=1,
    citations="strip",
    systems=tuple(SystemAnswers(name=name, file=f"{name}.jsonl", sha256="0") for name in "xy"),
    criteria=CRITERIA,
    forms=(form(1, "xy", "yx", "xy"), form(2, "yx", "yx", "xy"), form(3, "xy", "xy", "yx")),
)

HEADER = "form,item,rater,A accuracy,B accuracy,A harm,B harm,preference,comment\n"
ANNA = (
    "form1,1-1,anna,5,3,1,2,A,\nform1,1-2,anna,2,4,1,1,b,\nform1,1-3,anna,4,4,1,1,tie,\n"
    "form1,1-4,anna,3,5,2,1,B,\nform1,1-5,anna,1,5,5,1,B,\n"
)
"""x is right 5, 4, 4 and y 3, 2, 4; x preferred twice, once neither."""
BEN = (
    "form2,2-1,ben,3,4,1,1,B,\nform2,2-2,ben,4,2,1,1,A,\nform2,2-3,ben,4,4,1,1,tie,\n"
    "form2,2-4,ben,4,3,1,1,A,\nform2,2-5,ben,1,5,5,1,B,\n"
)
"""x is right 4, 2, 4 and y 3, 4, 4; x preferred, then y, then neither."""
CARL = (
    "form3,3-1,carl,1,5,5,1,B,\nform3,3-2,carl,1,5,5,1,B,\nform3,3-3,carl,5,1,1,5,A,\n"
    "form3,3-4,carl,1,5,5,1,B,\nform3,3-5,carl,5,5,1,1,A,\n"
)
"""Always for y but in the repeated question, and for the wrong answer."""


@pytest.fixture
def measure(tmp_path: Path) -> "Measure":
    return Measure(tmp_path)


class Measure:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *texts: str) -> RatingStudy:
        files = []
        for number, text in enumerate(texts):
            files.append(self.folder / f"sheet{number}.csv")
            files[-1].write_text(HEADER + text, encoding="utf-8")
        return measure_ratings(read_ratings(files, KEY), KEY)


def test_means_are_of_questions_and_each_rating_goes_to_its_system(measure: Measure) -> None:
    accuracy, harm = measure(ANNA, BEN).everyone.criteria.values()
    # x: (5 + 4) / 2, (4 + 2) / 2, (4 + 4) / 2; y: (3 + 3) / 2, (2 + 4) / 2, (4 + 4) / 2
    assert accuracy.means["x"].mean == pytest.approx((4.5 + 3 + 4) / 3)
    assert accuracy.means["y"].mean == pytest.approx((3 + 3 + 4) / 3)
    assert accuracy.means["x"].cases == 3
    (contrast,) = (one.contrast for one in accuracy.contrasts)
    assert (contrast.more, contrast.equal, contrast.less) == (0, 2, 1)
    assert contrast.difference.mean == pytest.approx(-0.5)
    assert harm.means["y"].mean == pytest.approx((1.5 + 1 + 1) / 3)
    assert accuracy.kruskal_wallis.items == 12


def test_wins_ties_and_losses_are_of_ratings_and_the_sign_test_of_questions(measure: Measure) -> None:
    (found,) = measure(ANNA, BEN).everyone.preferences
    assert (found.one, found.other) == ("x", "y")
    assert [(share.part, share.whole) for share in (found.wins, found.ties, found.losses)] == [(3, 6), (2, 6), (1, 6)]
    assert (found.ahead, found.level, found.behind, found.p) == (1, 2, 0, 1.0)
    assert found.wins.low is not None
    assert found.wins.low <= 0.5 <= (found.wins.high or 0)


def test_a_share_of_none_has_an_interval_that_is_no_point(measure: Measure) -> None:
    (found,) = measure(ANNA).everyone.preferences
    # Wilson's upper bound of 0 of 3 questions: z² / (3 + z²).
    assert (found.losses.share, found.losses.low) == (0, 0)
    assert found.losses.high == pytest.approx(1.96**2 / (3 + 1.96**2), abs=1e-4)


def test_two_raters_are_compared_by_cohens_kappa_and_three_by_fleiss_too(measure: Measure) -> None:
    accuracy, _, preference = measure(ANNA, BEN).everyone.agreement.values()
    (more,) = accuracy.pairs
    pair = more.agreement
    # Anna: x 5 4 4, y 3 2 4; Ben: x 4 2 4, y 3 4 4. Same: x3, y1, y3. Chance: (4: 3 · 4 + 3: 1 · 1 + 2: 1 · 1) / 36.
    assert (pair.items, pair.same) == (6, 3)
    assert pair.kappa == pytest.approx((1 / 2 - 14 / 36) / (1 - 14 / 36))
    # Anna 5 3 4 2 4 4 and Ben 4 3 2 4 4 4: Σ of products 77, 22 · 21 / 6 = 77; Σ d² 9 of 6, and 54 of 36 by chance.
    assert more.pearson == pytest.approx(0)
    assert more.weighted_kappa == pytest.approx(0)
    assert [one.same for one in preference.group.pairs] == [2]
    _, _, three = measure(ANNA, BEN, CARL).everyone.agreement.values()
    # Votes: x x y, x y y, tie tie x. One pair of three agrees each time; labels: x 4, y 3, tie 2.
    assert three.group.fleiss == pytest.approx((1 / 3 - 29 / 81) / (1 - 29 / 81))


def test_who_failed_quality_control_is_named_and_all_is_said_with_and_without(measure: Measure) -> None:
    study = measure(ANNA, BEN, CARL)
    assert list(study.failed) == ["carl"]
    assert study.everyone.raters == ("anna", "ben", "carl")
    assert study.passed is not None
    assert study.passed == measure(ANNA, BEN).everyone
    assert measure(ANNA).failed == {}
    assert measure(CARL).passed is None


def test_each_way_to_fail_is_told(tmp_path: Path) -> None:
    rows = {
        "form1,1-5,r,1,5,5,1,A,": "preferred the wrong answer of the control question",
        "form1,1-5,r,1,5,5,1,tie,": "saw no difference between the right and the wrong answer of the control question",
        "form1,1-5,r,3,3,3,3,,": "rated the wrong answer of the control question as good as the right one",
        "form1,1-1,r,,,,,A,\nform1,1-4,r,,,,,A,": (
            "preferred another answer when a question was put again with the answers exchanged"
        ),
        "form1,1-1,r,5,1,1,1,,\nform1,1-4,r,5,1,1,1,,": (
            "rated the same answers far apart when a question was put again"
        ),
        "form1,1-1,r,5,1,1,5,A,\nform1,1-4,r,2,4,4,2,tie,": "",
    }
    for row, reason in rows.items():
        path = tmp_path / "sheet.csv"
        path.write_text(f"{HEADER}{row}\n", encoding="utf-8")
        found = find_failures(read_ratings([path], KEY).items, KEY)
        assert found == ({"r": (reason,)} if reason else {}), row


@each_row(
    ("row", "why"),
    [
        ("form1,1-1,anna,6,3,1,2,A,", "A accuracy: “6” is not a whole number from 1 to 5"),
        ("form1,1-1,anna,2.5,3,1,2,A,", "A accuracy: “2.5” is not a whole number from 1 to 5"),
        ("form1,1-1,anna,5,3,1,2,C,", "preference: “C” is none of A, B and tie"),
        ("form1,2-1,anna,5,3,1,2,A,", "the key has no item “2-1” of a form “form1”"),
        ("form1,,anna,5,3,1,2,A,", "it has no item"),
        ("form2,2-1,anna,5,3,1,2,A,", "anna has filled in another form already: raters need different names"),
        ("form1,1-2,anna,2,5,1,1,b,", "anna has rated this question otherwise in an earlier row"),
        ("form1,1-3,anna,4,4,1,1,tie,,,,7", "it has 12 cells; the header has 9 columns"),
    ],
)
def test_a_bad_row_is_refused_by_its_number_and_costs_only_itself(tmp_path: Path, row: str, why: str) -> None:
    path = tmp_path / "anna.csv"
    path.write_text(f"{HEADER}form1,1-2,anna,2,4,1,1,b,\n{row}\n", encoding="utf-8")
    found = read_ratings([path], KEY)
    assert [*found.rejected] == [("anna.csv", 3, why)]
    assert len(found.items) == 1


def test_what_is_empty_is_counted_and_a_form_as_it_was_sent_out_is_no_rating(tmp_path: Path) -> None:
    path = tmp_path / "anna.csv"
    path.write_text(f"{HEADER}form1,1-1,,5,,1,2,,\nform1,1-2,,,,,,,\n", encoding="utf-8")
    assert read_ratings([path], KEY).missing == {"anna": 5 * 5 - 3}
    path.write_text(f"{HEADER}form1,1-1,,,,,,,\n", encoding="utf-8")
    with pytest.raises(SourceRefused, match="No file has a rating"):
        read_ratings([path], KEY)


def test_json_and_tables_that_a_spreadsheet_has_saved_say_the_same(tmp_path: Path) -> None:
    table, rows = tmp_path / "a.csv", tmp_path / "b.json"
    table.write_text(f"\ufeff{HEADER}form1,1-1,anna,5,3.0,1,2,a,\n".replace(",", ";"), encoding="utf-8")
    cells = {"A accuracy": 5, "B accuracy": "3", "A harm": 1, "B harm": 2, "preference": "A"}
    rows.write_text(json.dumps([{"form": "form1", "item": "1-1", "rater": "anna", **cells}]), encoding="utf-8")
    assert read_ratings([table], KEY) == read_ratings([rows], KEY)
    assert len(read_ratings([table, rows], KEY).items) == 1
