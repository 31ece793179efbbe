"""Abbreviations that texts explain, and those that the tables know."""

from tests.tables import each_row
from wellsourced.medicine.drugs import load_listed_drugs
from wellsourced.medicine.names import listed_terms, term_key
from wellsourced.medicine.word_forms import find_meaning, known_abbreviations, list_other_abbreviations
from wellsourced.question.expansions import expand_abbreviations
from wellsourced.question.vocabulary import split_question_words
from wellsourced.text.abbreviations import find_definitions, is_abbreviation
from wellsourced.text.tables import read_rows


@each_row(
    ("text", "found"),
    [
        (
            "Patients with chronic obstructive pulmonary disease (COPD) smoke.",
            ("COPD", "chronic obstructive pulmonary disease"),
        ),
        ("The heat shock transcription factor (HSF) binds.", ("HSF", "heat shock transcription factor")),
        ("We used magnetic resonance imaging (MRI; 3 T).", ("MRI", "magnetic resonance imaging")),
        ("A trial of cognitive-behavioral therapy (CBT).", ("CBT", "cognitive-behavioral therapy")),
        (
            "N-terminal pro-B-type natriuretic peptide (NT-proBNP) rose.",
            ("NT-proBNP", "N-terminal pro-B-type natriuretic peptide"),
        ),
        ("MI (motivational interviewing) helped.", ("MI", "motivational interviewing")),
    ],
)
def test_a_long_form_before_brackets_or_in_them_is_found(text: str, found: tuple[str, str]) -> None:
    assert list(find_definitions(text)) == [found]


@each_row(
    "text",
    [
        "It rose (p < 0.05).",
        "Two groups (n = 12) were formed.",
        "Aspirin (see above) helps.",
        "(COPD) is common.",
        "()",
        "",
    ],
)
def test_brackets_that_explain_nothing_give_nothing(text: str) -> None:
    assert list(find_definitions(text)) == []


@each_row(
    ("short", "beside", "meant"),
    [
        ("AS", "aortic valve", "aortic stenosis"),
        ("AS", "HLA spine", "ankylosing spondylitis"),
        ("AS", "score", ""),
        ("SBP", "prophylaxis cirrhosis", "spontaneous bacterial peritonitis"),
        ("SBP", "142 mmHg", "systolic blood pressure"),
        ("SBP", "history", ""),
        ("MS", "drugs", ""),
        ("COPD", "drugs", "chronic obstructive pulmonary disease"),
    ],
)
def test_what_stands_beside_an_ambiguous_abbreviation_decides(short: str, beside: str, meant: str) -> None:
    assert find_meaning(short, beside) == meant


@each_row(("word", "one"), [("COPD", True), ("eGFR", True), ("HbA1c", True), ("PPIs", True), ("Gout", False)])
def test_an_abbreviation_is_known_by_its_capitals(word: str, one: bool) -> None:
    assert is_abbreviation(word) is one


@each_row("table", ["abbreviations", "clinician_terms", "drug_classes", "drugs", "lay_terms", "names"])
def test_a_table_has_no_row_twice_and_no_name_beside_blanks(table: str) -> None:
    rows = read_rows("wellsourced.medicine", f"{table}.tsv")
    assert len(rows) == len(set(rows)) and len({len(row) for row in rows}) == 1
    assert all(row[0] and all(part == part.strip() for part in row) for row in rows)


@each_row("table", ["clinician_terms", "lay_terms"])
def test_no_term_of_a_question_has_two_meanings(table: str) -> None:
    keys = [term_key(said) for said, _ in read_rows("wellsourced.medicine", f"{table}.tsv")]
    assert len(keys) == len(set(keys))


def test_no_brand_is_of_two_drugs_nor_another_name_of_something() -> None:
    brands = [term_key(brand) for one in load_listed_drugs() for brand in one.brands]
    assert len(brands) == len(set(brands))
    assert {listed_terms()[brand].kind for brand in brands} == {"brand"}


@each_row(("asked", "meant"), [("HbA1c", "A1C"), ("hba1c", "A1C"), ("A1C", "HbA1c")])
def test_an_abbreviation_is_searched_for_by_the_others_of_the_same_thing_too(asked: str, meant: str) -> None:
    text = f"What {asked} is aimed at?"
    (found,) = expand_abbreviations(text, split_question_words(text))
    assert found.meanings == ("glycated hemoglobin", meant)


def test_only_abbreviations_of_one_thing_are_others_of_each_other() -> None:
    assert list_other_abbreviations("AFib") == ("AF",)
    assert list_other_abbreviations("COPD") == list_other_abbreviations("nothing") == ()


def test_a_chain_of_tables_comes_to_an_end() -> None:
    assert all(short not in known_abbreviations().values() for short in known_abbreviations())
