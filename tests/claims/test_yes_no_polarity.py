"""How a study's sentence is described that may answer by yes or no."""

from wellsourced.claims.yes_no_questions import MAX_COUNT, describe_answer

QUESTION = "Does colchicine reduce pain in gout?"


def test_to_be_the_same_says_yes_to_who_asks_for_sameness_and_no_to_others() -> None:
    said = "Pain was similar with colchicine and with naproxen."
    assert describe_answer("Are colchicine and naproxen equivalent for pain?", said)["sameness"] < 0
    assert describe_answer("Does colchicine reduce pain more than naproxen?", said)["sameness"] > 0


def test_counts_have_a_bound() -> None:
    assert describe_answer(QUESTION, "was not " * 10_000)["no effect"] == MAX_COUNT
