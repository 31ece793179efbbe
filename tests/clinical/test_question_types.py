"""What sort of thing a question asks to be named, and whether a sentence names one."""

import pytest

from wellsourced.clinical.question_types import share_of_things_named


@pytest.mark.parametrize(
    ("question", "names", "lacks"),
    [
        (
            "Which disease is rated by this scale?",
            "The scale rates essential tremor, a movement disorder.",
            "The scale was used by two raters.",
        ),
        ("On which chromosome is the gene MKKS?", "It was mapped to 20p12.", "Mutations of it are rare."),
        ("How many families took part?", "In all 2,183 families took part.", "Families took part."),
        ("When was the drug approved?", "It was approved in 2012.", "It was approved for adults."),
        ("Which receptor does it block?", "It blocks IGF1R.", "It was well tolerated."),
    ],
)  # fmt: skip
def test_a_sentence_that_names_the_sort_of_thing_asked_for_is_told_from_one_that_does_not(question, names, lacks):
    assert share_of_things_named(question, names) > share_of_things_named(question, lacks)


def test_what_the_question_says_itself_is_not_named_by_saying_it_again():
    question = "Which disease is treated by colchicine?"
    assert share_of_things_named(question, "This disease is treated by colchicine.") == 0


def test_where_nothing_in_particular_is_asked_for_everything_names_it():
    assert share_of_things_named("Tell me more.", "It rained.") == 1
