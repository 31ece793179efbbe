"""What a receipt says of statements that did not stand: each loss once, in plain words."""

from tests.presentation.test_answers import ANSWER
from tests.tables import each_row
from wellsourced.app.render.references import explain_reason, list_losses
from wellsourced.types import Omission

FIRST = Omission.of_statement("Naproxen is replaced by prednisone.", "its source does not say it: no dose")
REPLACED = Omission.of_statement(
    "Ice is given to everyone.", "its source does not say it: for whom; written anew as “Ice is given to adults.”"
)
SECOND = Omission.of_statement(
    "Naproxen may be replaced by prednisone.",
    "supports 0.25, contradicts 0.24, silent 0.51",
)


def lines(*dropped: Omission) -> list[str]:
    return [one.line for one in list_losses(ANSWER.model_copy(update={"dropped": dropped}))]


def test_a_statement_and_what_was_written_in_its_place_are_one_loss() -> None:
    assert lines(FIRST, SECOND) == [
        "dropped: “Naproxen is replaced by prednisone.”: its source does not say it: no dose; written anew it reads "
        "“Naproxen may be replaced by prednisone.”, does not stand either: the judge on this machine does not find it "
        "said, without being sure"
    ]


def test_a_statement_that_was_written_anew_and_stands_is_no_loss() -> None:
    assert lines(REPLACED, FIRST) == [
        "said in other words: “Ice is given to everyone.”: its source does not say it: for whom",
        "dropped: “Naproxen is replaced by prednisone.”: its source does not say it: no dose",
    ]


def test_what_was_written_anew_for_nothing_that_is_known_stands_alone() -> None:
    assert len(lines(SECOND)) == 1
    assert len(lines(REPLACED, SECOND)) == 2


@each_row(
    ("reason", "told"),
    [
        ("supports 0.14, contradicts 0.75, silent 0.11", "the judge on this machine finds that the opposite is said"),
        ("supports 0.15, contradicts 0.03, silent 0.82", "the judge on this machine does not find it said"),
        (
            "supports 0.55, contradicts 0.05, silent 0.40",
            "the judge on this machine finds that it is said, without being sure",
        ),
        ("the number differs", "the number differs"),
    ],
)
def test_shares_of_a_judge_are_told_in_words(reason: str, told: str) -> None:
    assert explain_reason(reason) == told
