"""Whose question it is: a patient's own, or a clinician's on patients."""

import json
from pathlib import Path

from tests.tables import each_row
from wellsourced.question.patient_questions import is_patient_question

CASES = Path(__file__).parents[2] / "evaluate" / "data" / "clinical_cases"


@each_row(
    "text",
    [
        "I have gout and my doctor told me to take colchicine, how should I take it?",
        "my son has a fever of 39, what should I give him",
        "Can I stop taking allopurinol when I feel better?",
        "My father has chest pain and is sweating, what should we do?",
        "Dad has been told he has polymyositis. Can it be cured, and what do they give for it?",
        "I am a 33 years old female with right lower abdominal pain, what could it be?",
        "whats a normal blood sugar after eating",
        "Will the keflex make me throw up if Ive had a very low food intake",
        "Should I be worried about my eGFR of 55?",
        "Can a nausea prescription be taken at the same time as Dramamine?",
        "Darf ich Alkohol trinken, wenn ich Metformin nehme?",
        "¿Puedo tomar ibuprofeno si tomo lisinopril?",
    ],
)
def test_who_speaks_of_oneself_or_of_the_family_is_a_patient(text: str) -> None:
    assert is_patient_question(text)


@each_row(
    "text",
    [
        "When do I call it septic shock rather than sepsis?",
        "How much albumin do I give when I take off 8 litres of ascites?",
        "When should I avoid verapamil or diltiazem for fast AF?",
        "Intracerebral haemorrhage with a systolic of 190: what pressure am I aiming for?",
        "Should I start a statin in a 78-year-old with no ASCVD?",
        "Can I give ceftriaxone to a patient with penicillin allergy?",
        "My patient with HFrEF has a potassium of 5.6 on spironolactone, what should I do?",
        "I have a 65-year-old man with COPD and frequent exacerbations. What should I add?",
        "My patient's mother asks whether we should stop it.",
        "Do I need an LP if the CT is negative for SAH at 6 hours?",
        "Which collagen I mutations cause osteogenesis imperfecta type I?",
        "what is the dose of apixaban in ckd",
        "Is shingles vaccination recommended after 50?",
        "MTX tablets make her sick every friday. before I give up on the drug what can I try?",
        "which past events count as a major one when I'm deciding if an ascvd pt is very high risk?",
        "On 4 drugs and I added spironolactone 25 for his resistant htn. How long do I give it?",
        "Pneumonia with an effusion tapped today. Below what pleural pH do I put a drain in?",
    ],
)
def test_a_clinician_who_says_i_and_a_type_that_is_called_i_are_no_patient(text: str) -> None:
    assert not is_patient_question(text)


def test_one_lay_word_makes_no_patient_and_two_do() -> None:
    assert not is_patient_question("Is shingles contagious?")
    assert is_patient_question("Is shingles contagious?", lay_words=1)


@each_row("name", ["near_misses", "patients"])
def test_no_question_of_the_clinical_cases_is_taken_for_a_patients(name: str) -> None:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    assert [question for question in asked if is_patient_question(question)] == []


def test_who_asks_what_to_enter_into_a_calculator_is_no_patient() -> None:
    assert not is_patient_question("What do I need to type in to the pooled cohort calculator?")
    assert is_patient_question("What do I need to take before my scan?")
