"""What sort of thing a question asks to be named, and whether a sentence names one."""

from tests.tables import each_row
from wellsourced.question.question_types import share_of_things_named


@each_row(
    ("question", "names", "lacks"),
    [
        (
            "Which disease is rated by this scale?",
            "The scale rates essential tremor, a movement disorder.",
            "The scale was used by two raters.",
        ),
        ("On which chromosome is the gene MKKS?", "It was mapped to 20p12.", "Mutations of it are rare."),
        ("How many families took part?", "In all 2,183 families took part.", "Families took part."),
        # The figure of a name is no number, a region no chromosome, a word for software no program.
        ("How many genes are in the family?", "It has 70 members.", "ZNF589 is a member of it."),
        ("On which chromosome is the gene MKKS?", "It was mapped to 20p12.", "It is found in the kidney."),
        ("Which database lists such variants?", "SNP2TFBS lists them.", "A position weight model lists them."),
        ("Which gene is mutated in it?", "Mutations of SCN1A are found.", "Mutations of several genes are found."),
        ("What is the brand name of it?", "It is given as Aimovig™.", "It is given once a month."),
        ("What species did it come from?", "It came from bats.", "It came from a market."),
        ("Which treatment did they compare?", "They compared resection of the gland.", "They compared the outcomes."),
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
