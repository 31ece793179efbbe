"""How a study's sentence is described that may answer by yes or no."""

from tests.tables import each_row
from wellsourced.claims.yes_no_questions import MAX_COUNT, describe_answer, describe_question, find_polarity

QUESTION = "Does colchicine reduce pain in gout?"


@each_row(
    ("sentence", "sign"),
    [
        ("Colchicine significantly reduced pain in gout (p = 0.01).", 1),
        ("Colchicine did not reduce pain in gout.", -1),
        ("There was no significant difference in pain between colchicine and placebo (p = 0.4).", -1),
        ("The aim was to evaluate whether colchicine reduces pain in gout.", 0),
    ],
)
def test_a_sentence_affirms_denies_or_only_asks(sentence: str, sign: int) -> None:
    assert find_polarity(describe_answer(QUESTION, sentence)) == sign


def test_to_be_the_same_says_yes_to_who_asks_for_sameness_and_no_to_others() -> None:
    said = "Pain was similar with colchicine and with naproxen."
    assert describe_answer("Are colchicine and naproxen equivalent for pain?", said)["sameness"] < 0
    assert describe_answer("Does colchicine reduce pain more than naproxen?", said)["sameness"] > 0


def test_a_question_is_described_by_the_sorts_of_its_words() -> None:
    assert describe_question("Is aspirin better than placebo?")["question: comparison"] == 1.0
    assert describe_question("Is aspirin a salicylate?")["question: comparison"] == 0.0


def test_counts_have_a_bound() -> None:
    assert describe_answer(QUESTION, "was not " * 10_000)["no effect"] == MAX_COUNT
