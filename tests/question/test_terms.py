"""Which words of a question a text has, in whatever form."""

from tests.tables import each_row
from wellsourced.question.terms import find_asking_clause, has_word, list_asked_words, read_words, weigh_coverage
from wellsourced.question.word_rarity import EVERYDAY_RARITY, UNKNOWN_RARITY, load_digest_counts, rate_rarity
from wellsourced.types import Expansion, Question


@each_row(
    ("question", "word", "text", "is_there"),
    [
        ("Starting Kerendia?", "Kerendia", "Finerenone 10 mg once daily", True),
        ("How do I dose colchecine?", "colchecine", "Colchicine 1.2 mg orally", True),
        ("Is RBBB enough for CRT?", "RBBB", "right bundle branch block", True),
        ("Which hba1c is aimed at?", "hba1c", "an A1C below 8 %", True),
        ("Which A1C is aimed at?", "A1C", "an HbA1c below 8 %", True),
        ("Which HbA1c is aimed at?", "HbA1c", "a glucose below 180 mg/dL", False),
        ("Treating urosepsis?", "urosepsis", "sepsis from the urinary tract", True),
        ("A haemorrhage on warfarin?", "warfarin", "a vitamin K antagonist", True),
        ("After a Watchman?", "Watchman", "aspirin and clopidogrel", False),
        ("When does the pacemaker go in?", "pacemaker", "temporary pacing", False),
        ("How many mg of phenobarbital?", "phenobarbital", "levetiracetam is an alternative", False),
    ],
)
def test_a_word_is_known_in_its_other_forms_and_no_other_word_for_it(
    question: str, word: str, text: str, is_there: bool
) -> None:
    (asked,) = [one for one in list_asked_words(Question(text=question)) if one.text == word]
    assert has_word(read_words(text), asked) is is_there


def test_a_word_is_also_known_as_what_it_is_understood_as() -> None:
    ward = Expansion(said="abx", meant="antibiotics", kind="synonym", source="wellsourced")
    (word,) = [one for one in list_asked_words(Question(text="Stop abx?", expansions=(ward,))) if one.text == "abx"]
    assert has_word(read_words("Antibiotic treatment for 5 days"), word)


@each_row(
    ("text", "clause"),
    [
        ("T2DM, max ramipril. starting dose of kerendia?", "starting dose of kerendia?"),
        ("Adding azithromycin - what dose and how often?", "Adding azithromycin what dose and how often?"),
        ("E. coli in the urine. Which drug?", "Which drug?"),
        ("what bore chest tube", "what bore chest tube"),
    ],
)
def test_what_asks_is_the_last_clause_with_as_much_before_it_as_tells_of_what(text: str, clause: str) -> None:
    assert find_asking_clause(text) == clause


def test_what_is_asked_of_it_is_asked_of_the_drug_that_was_named_before() -> None:
    asked = list_asked_words(Question(text="On naltrexone, knee operation planned. How long before must it stop?"))
    assert {word.text: word.is_asking for word in asked} == {
        "naltrexone": True,
        "knee": False,
        "operation": False,
        "planned": False,
        "stop": True,
    }


def test_a_word_that_no_digest_has_tells_most_where_everyday_english_lacks_it_too() -> None:
    assert load_digest_counts()["finerenon"] < load_digest_counts()["patient"]
    assert (
        rate_rarity("patient") < rate_rarity("printer") == EVERYDAY_RARITY < UNKNOWN_RARITY < rate_rarity("finerenon")
    )


def test_rare_words_count_more_and_nothing_asked_is_all_there() -> None:
    rare, common = list_asked_words(Question(text="finerenone in patients or treatment"))[:1], []
    words = [*rare, *list_asked_words(Question(text="therapy"))]
    assert weigh_coverage(words, [True, False]) > 0.5
    assert weigh_coverage(common, []) == 1.0
