"""Abbreviations that texts explain, and those that the tables know."""

from tests.tables import each_row
from wellsourced.medicine.drugs import read_brands
from wellsourced.medicine.word_forms import (
    find_definitions,
    is_abbreviation,
    known_abbreviations,
    list_other_abbreviations,
)
from wellsourced.question.question_types import detect_question_types, has_answer_of_type
from wellsourced.understanding.synonyms import expand_abbreviations, find_meaning
from wellsourced.understanding.term_tables import (
    brands,
    clinician_terms,
    drug_names,
    lay_terms,
    read_table,
    senses,
    split_question_words,
)


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
    ],
)
def test_a_long_form_before_brackets_is_found(text: str, found: tuple[str, str]) -> None:
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


def test_what_stands_beside_an_ambiguous_abbreviation_decides() -> None:
    assert find_meaning("AS", ["aortic", "valve"]) == "aortic stenosis"
    assert find_meaning("SBP", ["prophylaxis", "cirrhosis"]) == "spontaneous bacterial peritonitis"
    assert find_meaning("SBP", ["142", "mmHg"]) == "systolic blood pressure"
    assert find_meaning("SBP", ["history"]) == ""
    assert find_meaning("AS", ["HLA", "spine"]) == "ankylosing spondylitis"
    assert find_meaning("AS", ["score"]) == ""
    assert find_meaning("MS", ["drugs"]) == "multiple sclerosis"


@each_row(("word", "one"), [("COPD", True), ("eGFR", True), ("HbA1c", True), ("PPIs", True), ("Gout", False)])
def test_an_abbreviation_is_known_by_its_capitals(word: str, one: bool) -> None:
    assert is_abbreviation(word) is one


def test_the_tables_are_long_enough_and_name_nothing_twice() -> None:
    sizes = {"clinician_terms.tsv": 300, "drug_names.tsv": 40, "lay_terms.tsv": 200, "ambiguous.tsv": 40}
    for rows, least in ((read_brands(), 300), *((read_table(name), least) for name, least in sizes.items())):
        assert len(rows) >= least
        assert len(rows) == len(set(rows))
        assert all(part and part == part.strip() for row in rows for part in row)
    assert len(brands()) == len(read_brands())
    assert len(clinician_terms()) == len(read_table("clinician_terms.tsv"))
    assert len(lay_terms()) == len(read_table("lay_terms.tsv"))
    assert all(len(meanings) > 0 for meanings in senses().values())


@each_row(("asked", "meant"), [("HbA1c", "A1C"), ("hba1c", "A1C"), ("A1C", "HbA1c")])
def test_an_abbreviation_is_searched_for_by_the_others_of_the_same_thing_too(asked: str, meant: str) -> None:
    text = f"What {asked} is aimed at?"
    (found,) = expand_abbreviations(text, split_question_words(text))
    assert found.meanings == ("glycated hemoglobin", meant)


def test_only_abbreviations_of_one_thing_are_others_of_each_other() -> None:
    assert list_other_abbreviations("AFib") == ("AF",)
    assert list_other_abbreviations("COPD") == list_other_abbreviations("nothing") == ()


def test_a_chain_of_tables_comes_to_an_end() -> None:
    assert not {key for key in brands() if key in lay_terms() or key in drug_names()}
    assert all(short not in known_abbreviations().values() for short in known_abbreviations())
    assert len(known_abbreviations()) >= 85


@each_row(
    ("asked", "need"),
    [
        ("What is first-line drug therapy for gout?", "treatment"),
        ("How to diagnose Abetalipoproteinemia?", "diagnosis"),
        ("Which genes are mutated in Lynch syndrome?", "cause"),
        ("What are the symptoms of gout?", "signs"),
        ("How common is gout?", "frequency"),
        ("What is gout?", "meaning"),
    ],
)
def test_a_question_says_what_it_needs(asked: str, need: str) -> None:
    assert need in {one.name for one in detect_question_types(asked)}


def test_a_sentence_that_names_a_disease_does_not_yet_treat_it() -> None:
    wanted = detect_question_types("How is gout treated?")
    assert has_answer_of_type(wanted, "Colchicine is recommended for gout flares.")
    assert not has_answer_of_type(wanted, "Gout is an ancient disease of kings.")
