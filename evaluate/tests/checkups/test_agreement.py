"""Agreement as it is worked out by hand, and as it was published."""

import gzip
import json
from pathlib import Path

import pytest

from tests.tables import each_row
from wellsourced_evaluate.checkups.agreement import compare_group, compare_raters, find_majority
from wellsourced_evaluate.statistics import cohen_kappa, fleiss_kappa, krippendorff_alpha, mcnemar_p

KQA = Path(__file__).parents[4] / "shared/data/verification/kqa.pairs.jsonl.gz"


def labels(text: str) -> dict[str, str]:
    """ "a:yes b:no" as labels."""
    return dict(one.split(":") for one in text.split())


def test_cohens_kappa_is_that_of_a_table_worked_out_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7; expected 0.5 · 0.6 + 0.5 · 0.4 = 0.5.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)


def test_fleiss_kappa_is_that_of_his_table() -> None:
    # Fleiss (1971) as Wikipedia works it out: 10 items, 14 raters, 5 labels; 0.210.
    rows = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    votes = [[str(label) for label, count in enumerate(row) for _ in range(count)] for row in rows]
    assert fleiss_kappa(votes) == pytest.approx(0.2099, abs=1e-4)


def test_krippendorffs_alpha_is_that_of_his_table_with_missing_labels() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", C: nominal, four observers, 0.743.
    table = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    columns = zip(*(row.split() for row in table), strict=True)
    votes = [[label for label in column if label != "."] for column in columns]
    assert krippendorff_alpha(votes) == pytest.approx(0.743, abs=5e-4)


@each_row("votes", [[], [["a"]], [["a", "a"], ["a", "a"]]])
def test_where_nothing_could_be_disagreed_on_there_is_no_kappa(votes: list[list[str]]) -> None:
    assert fleiss_kappa(votes) is None
    assert krippendorff_alpha(votes) is None
    assert cohen_kappa([(one[0], one[-1]) for one in votes]) is None


def test_perfect_agreement_is_one_and_perfect_disagreement_of_two_is_minus_one() -> None:
    assert cohen_kappa([("a", "a"), ("b", "b")]) == 1
    assert cohen_kappa([("a", "b"), ("b", "a")]) == -1
    assert fleiss_kappa([["a", "a", "a"], ["b", "b", "b"]]) == 1


def test_two_are_compared_over_what_both_labelled() -> None:
    found = compare_raters("A", "B", labels("1:y 2:y 3:n 4:n"), labels("1:y 2:n 3:n 9:y"))
    assert (found.items, found.same, found.share) == (3, 2, pytest.approx(2 / 3))
    assert found.low is not None and found.low < 2 / 3 < (found.high or 0)
    nothing = compare_raters("A", "B", labels("1:y"), labels("2:y"))
    assert (nothing.items, nothing.share, nothing.kappa) == (0, None, None)


def test_the_majority_is_told_and_items_that_are_level_have_none() -> None:
    raters = {"A": labels("1:y 2:y 3:y"), "B": labels("1:y 2:n 3:n"), "C": labels("1:n 2:n")}
    assert find_majority(raters) == ({"1": "y", "2": "n"}, ("3",))


def test_items_that_somebody_left_out_are_not_among_the_complete() -> None:
    found = compare_group({"A": labels("1:y 2:y"), "B": labels("1:y 2:n"), "C": labels("1:y")})
    assert (found.complete, found.unanimous) == (1, 1)
    assert found.fleiss is None
    assert found.krippendorff is not None


def test_mcnemar_is_the_exact_binomial() -> None:
    # Of 21 on which they differ, 16 to 5: 2 · Σ C(21, 0…5) / 2²¹ (specification, F19).
    assert mcnemar_p(16, 5) == pytest.approx(0.0266, abs=5e-5)
    assert mcnemar_p(0, 0) == 1
    assert mcnemar_p(3000, 3001) == 1


@pytest.mark.skipif(not KQA.exists(), reason="the development data (../shared/data) are not on this machine")
def test_the_agreement_of_the_three_physicians_of_k_qa_is_as_published() -> None:
    rows = [json.loads(line) for line in gzip.decompress(KQA.read_bytes()).decode().splitlines()]
    raters = {f"rater {at}": {row["id"]: row["votes"][at] for row in rows} for at in range(3)}
    found = compare_group(raters)
    assert sorted(round(one.share or 0, 4) for one in found.pairs) == [0.8201, 0.8519, 0.8519]
    assert (found.complete, found.unanimous) == (189, 144)
    assert round(found.mean_share or 0, 4) == 0.8413
    assert round(found.fleiss or 0, 4) == 0.6989
    names = {"Entailment": "supported", "Contradiction": "contradicted", "Neutral": "not_enough"}
    majority, ties = find_majority(raters)
    assert {id: names[label] for id, label in majority.items()} == {row["id"]: row["label"] for row in rows}
    assert ties == ()
