"""What a receipt says of statements that did not stand: each loss once, in plain words."""

from tests.presentation.test_answers import ANSWER
from tests.tables import each_row
from wellsourced.presentation.receipts import list_steps
from wellsourced.presentation.wording import explain_reason
from wellsourced.types import Omission

FIRST = Omission.of_statement("Naproxen is replaced by prednisone.", "its source does not say it: no dose")
REPLACED = Omission.of_statement(
    "Ice is given to everyone.", "its source does not say it: for whom", rewritten_as="Ice is given to adults."
)
SECOND = Omission.of_statement(
    "Naproxen may be replaced by prednisone.",
    "supports 0.25, contradicts 0.24, silent 0.51",
    is_rewrite=True,
)


def losses(*dropped: Omission) -> list[str]:
    answer = ANSWER.model_copy(update={"dropped": dropped, "attempts": (), "checks": None})
    steps = list_steps(answer)
    return [step for step in steps if "“" in step]


def test_a_statement_and_what_was_written_in_its_place_have_a_line_each() -> None:
    assert losses(FIRST, SECOND) == [
        "dropped: “Naproxen is replaced by prednisone.”: its source does not say it: no dose",
        "dropped after rewriting: “Naproxen may be replaced by prednisone.”: the local judge's score is too low",
    ]


def test_a_statement_that_is_in_the_answer_in_other_words_is_not_called_dropped() -> None:
    assert losses(REPLACED) == ["rewritten: “Ice is given to everyone.”: its source does not say it: for whom"]


def test_what_version_1_said_in_the_words_of_a_reason_is_read_into_the_fields() -> None:
    former = {
        FIRST: FIRST.reason,
        REPLACED: f"{REPLACED.reason}; written anew as “{REPLACED.rewritten_as}”",
        SECOND: f"written anew, it does not stand either: {SECOND.reason}",
    }
    for omission, reason in former.items():
        row = {"what": "statement", "id": "", "text": omission.text, "reason": reason}
        assert Omission.model_validate(row) == omission


@each_row(
    ("reason", "told"),
    [
        ("supports 0.14, contradicts 0.75, silent 0.11", "the local judge's score is too low"),
        ("meaning 0.72, result 0.00, faithful copy 0.00, turned 0.50", "the local judge's score is too low"),
        ("the number differs", "the number differs"),
    ],
)
def test_shares_of_a_judge_are_told_in_words(reason: str, told: str) -> None:
    assert explain_reason(reason) == told
