"""A short sentence more, where a study names what the short answer does not."""

from tests.models.test_study_leads import candidates
from tests.tables import each_row
from wellsourced.models.study_leads import MAX_SENTENCE_WORDS, MAX_WORDS, add_naming_sentence

QUESTION = "Which kinase is inhibited by fenebrutinib?"
VAGUE = "Fenebrutinib does inhibit a kinase."
LONG = " ".join(["Bruton tyrosine kinase (BTK1) is blocked in blood", *["and blood"] * MAX_SENTENCE_WORDS]) + "."
NAMED = "Treated rodents had no active BTK1 for many weeks."
UNNAMED = "Treated rodents were well and had no fever for weeks."


def added(question: str, lead: str, *others: str) -> list[str]:
    studies = candidates(lead, *others)
    return [one.unit.text for one in add_naming_sentence(question, studies[:1], studies)][1:]


def test_the_first_short_sentence_that_names_such_a_thing_as_is_asked_for_follows():
    assert added(QUESTION, VAGUE, UNNAMED, LONG, NAMED, "Cells of mice have lost their BTK2 as well.") == [NAMED]


@each_row(
    ("question", "lead"),
    [
        # It is named already; several are asked for; yes or no is; a definition is.
        (QUESTION, "Fenebrutinib does inhibit BTK1."),
        ("Which kinases are inhibited by fenebrutinib?", VAGUE),
        ("Does fenebrutinib inhibit a kinase?", VAGUE),
        ("What is fenebrutinib?", VAGUE),
    ],
)
def test_none_follows_where_the_answer_names_it_or_one_thing_is_not_asked_for(question: str, lead: str):
    assert added(question, lead, NAMED) == []


def test_none_follows_that_makes_the_answer_long_or_says_the_same_again():
    long_lead = f"{VAGUE[:-1]} {'in animals ' * (MAX_WORDS // 2)}."
    assert added(QUESTION, long_lead, NAMED) == []
    assert added(QUESTION, "Treated rodents had no active kinase for many weeks.", NAMED) == []


def test_nothing_follows_where_nothing_leads():
    assert add_naming_sentence(QUESTION, [], candidates(NAMED)) == ()
