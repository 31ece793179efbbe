"""What overrules a language model that found a statement in its source."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.tables import each_row
from wellsourced.compare.slots import list_open_slots
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.local_checks import Objection, find_veto
from wellsourced.types import Passage, Reference, Statement

PLAYED = Path(__file__).parents[2] / "data" / "replies" / "claims_by_hand.jsonl.gz"

GUIDELINE = Reference(id="doi:10.1000/guideline", title="A guideline", kind="guideline")


def passage_of(text: str, title: str = "A guideline", section: str = "") -> Passage:
    reference = GUIDELINE.model_copy(update={"title": title})
    return Passage(reference=reference, section=section, text=text, start=0, end=len(text))


def veto(claim: str, *sentences: str, around: str = "", question: str = "", language: str = "en") -> Objection | None:
    passage = passage_of("\n".join((*sentences, around)))
    return find_veto(Statement(text=claim, verdict=UNCHECKED), sentences, [passage], question, language)


@each_row(
    ("claim", "sentence"),
    [
        ("Bisoprolol is begun at 2.5 mg daily.", "Bisoprolol: start with 1.25 mg once daily."),
        ("Give 150 mg once daily.", "Give 150 μg o.d."),
        ("Give 2 g every 12 hours.", "Cefepime 2 g IV q8h."),
        ("It comes in with an FEV1 under 60%.", "Consider roflumilast with an FEV1 < 50%."),
    ],
)
def test_a_quantity_that_stands_nowhere_overrules(claim: str, sentence: str) -> None:
    found = veto(claim, sentence)
    assert found is not None
    assert found.kind == "figure"
    assert found.verdict.label == "silent"


@each_row(
    ("claim", "sentence"),
    [
        ("Give 200 mg by mouth each day.", "Hydrocortisone 200 mg/day IV."),
        ("The dose is 10 mg/kg a day.", "In children the dose is 10 mg/kg/day."),
        ("Statins prevent dementia.", "There is no evidence that statins prevent dementia."),
        ("Give it below 180 mg/dL.", "Give it above 180 mg/dL."),
        (
            "The nurse informs the registrar of potassium below 2.5 mmol/l, and the ward doctor below 3.0 mmol/l.",
            "The nurse informs the ward doctor for potassium below 3.0 mmol/l and the registrar below 2.5 mmol/l.",
        ),
    ],
)
def test_every_other_difference_is_a_question_and_overrules_nobody(claim: str, sentence: str) -> None:
    assert veto(claim, sentence) is None
    assert list_open_slots(claim, [sentence], sentence)


def test_a_copy_of_a_sentence_that_says_the_opposite_overrules_whoever_read_over_it() -> None:
    found = veto(
        "Low-dose aspirin did not reduce the risk of stroke.", "Low-dose aspirin did reduce the risk of stroke."
    )
    assert found is not None
    assert found.kind == "negation"


def test_letters_of_another_alphabet_overrule_whoever_reads_over_them() -> None:
    assert veto("Colchicine in\u0441reased pain.", "Colchicine increased pain.") is not None


@each_row(
    ("claim", "sentences"),
    [
        (
            "Give 1.2 mg by mouth, then no more than 1.8 mg that day.",
            ("1.2 mg orally at once", "Maximum | 1.8 mg total"),
        ),
        ("Potassium goes in at 10 mmol an hour.", ("Replace at 10 mmol/hour IV",)),
        ("Atorvastatin 40–80 mg a day.", ("Atorvastatin 40--80 mg/day (Class I, Level of Evidence A).",)),
        ("Clopidogrel 75 mg daily.", ("NOAC + single antiplatelet agent (clopidogrel 75 mg daily)",)),
        ("Two grams are given three times a day.", ("Cefepime 2 g IV q8h",)),
        ("NSAIDs are not for patients with an ulcer.", ("Contraindications include active peptic ulcer disease.",)),
        ("Low-dose works as well as high-dose.", ("The low-dose regimen is as effective as high-dose colchicine.",)),
    ],
)
def test_other_words_for_the_same_do_not(claim: str, sentences: tuple[str, ...]) -> None:
    assert veto(claim, *sentences) is None


def test_what_the_question_says_of_its_patient_is_known() -> None:
    claim, sentence = "Her LVEF of 30% is below 40%.", "Contraindicated in HFrEF (LVEF < 40%)."
    assert veto(claim, sentence) is not None
    assert veto(claim, sentence, question="A woman of 72 with an LVEF of 30%. May she take diltiazem?") is None


def test_a_figure_that_stands_beside_the_cited_words_is_known() -> None:
    assert veto("Restart after 4 weeks.", "Resumption may be considered.", around="Wait at least 4 weeks.") is None


def test_in_another_language_the_numbers_are_compared() -> None:
    assert veto("Se dan 5 mg.", "Se dan 2,5 mg.", language="es") is not None


def load_played() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(PLAYED.read_bytes()).splitlines()]


def is_vetoed(row: dict[str, Any]) -> bool:
    passages = [passage_of(one["text"], one["title"], one["section"]) for one in row["passages"]]
    statement = Statement(text=row["claim"], verdict=UNCHECKED)
    return find_veto(statement, row["quotes"], passages, row["question"], "en") is not None


def test_what_was_written_by_hand_as_a_strong_model_writes_is_let_through_where_it_is_right() -> None:
    """The rules were made after these claims were read: no estimate for others."""
    right = [row for row in load_played() if not row["is_faulty"]]
    assert len(right) > 90
    assert sum(map(is_vetoed, right)) <= 1  # "2.1 litres", of 30 mL/kg at 70 kg: nothing is multiplied


def test_wrong_numbers_in_them_are_found_whatever_the_model_says() -> None:
    vetoed = [row["claim"] for row in load_played() if row["is_faulty"] and is_vetoed(row)]
    assert any("2.5 mg" in claim for claim in vetoed)
    assert any("60%" in claim for claim in vetoed)


@each_row(
    ("claim", "sentence", "same"),
    [
        ("Tube feeding is begun after three days.", "Not tolerating oral intake after 72 hours?", True),
        ("Treat for two weeks.", "Therapy lasts 14 days.", True),
        ("Follow them for two years.", "Follow-up: 24 months.", True),
        ("Tube feeding is begun after four days.", "Not tolerating oral intake after 72 hours?", False),
    ],
)
def test_the_same_time_in_another_unit_is_no_other_time(claim: str, sentence: str, same: bool) -> None:
    assert (veto(claim, sentence) is None) is same


# --- what is reached, and what is cut --------------------------------------------------------------------------------


@each_row(
    ("claim", "sentence"),
    [
        ("Attacks fell by 4.8 days, against 2.7 days on placebo.", "Mean change in days (placebo -2.7, drug -4.8)."),
        ("That is roughly 2 days more than placebo.", "Mean change in monthly days (placebo -2.7, drug -4.8)."),
        ("Median survival was 9.7 months.", "Survival was 9.7 [95% CI 7.1 to 11.2] versus 11.0 [5.2 to 13.6] months."),
        ("For a 70 kg patient that is about 105 mL an hour.", "Maintenance rate: 1.5 mL/kg/hr."),
        ("Oliguria (less than 0.5 ml/kg of urine per hour) counts.", "Urine output < 0.5 mL/kg/hour"),
        ("Dopamine at 5 micrograms per kg of body weight per minute.", "Dopamine: 5 mcg/kg/min"),
        ("The 2024 standards say so.", "Standards of Care in Diabetes—2024 say so."),
    ],
)
def test_a_figure_that_some_conversion_reaches_overrules_nobody(claim: str, sentence: str) -> None:
    assert veto(claim, sentence) is None


def test_a_phase_of_a_trial_that_is_known_with_another_number_is_no_figure() -> None:
    assert veto("A phase 2 study found it effective.", "It supports further phase 3 studies.") is None
