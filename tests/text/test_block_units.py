"""Units of lists, tables and algorithms: no dose without its drug, no number without whose it is."""

import re

from tests.samples import a_tenth
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.text.passages import cut_passages, extend_to_heading
from wellsourced.text.quotable_spans import find_quotable_spans, has_same_words
from wellsourced.types import Document, Passage, Reference


def units(text: str, section: str = "") -> list[str]:
    reference = Reference(id="g", title="Atrial Fibrillation", kind="guideline")
    return [
        one.text
        for one in find_quotable_spans(Passage(reference=reference, text=text, start=0, end=len(text), section=section))
    ]


DOSING = """DOAC Dosing

Criteria for dose reduction in non-valvular AF:

- Apixaban: Standard dose is 5 mg BID.
  - Dose Reduction: Reduce to 2.5 mg BID if the patient is 80 or older.
- Dabigatran: Standard dose is 150 mg BID.
  - Dose Reduction: Reduce to 75 mg BID if CrCl 15–30 mL/min.
"""


def test_a_dose_stands_under_its_drug_and_the_drug_under_whom_it_is_for() -> None:
    found = units(DOSING, "AF › DOAC Dosing")
    dose = next(one for one in found if "75 mg" in one)
    assert dose.startswith("DOAC Dosing: Criteria for dose reduction in non-valvular AF: Dabigatran:")
    assert "Apixaban" not in dose


def test_what_hangs_on_an_item_is_said_with_it_while_that_is_short_and_apart_under_its_label_when_it_is_not() -> None:
    part = "it is a caution that takes a good many words to say in full, as some guidelines do; " * 2
    text = f"- Warfarin: Target INR 2–3.\n  - Caution: {part}\n  - Monitoring: {part}\n"
    assert units(text)[0] == "Warfarin: Target INR 2–3."
    assert [one.split(" it is")[0] for one in units(text)[1:]] == ["Warfarin: Caution:", "Warfarin: Monitoring:"]


def test_a_row_of_a_table_is_read_under_the_heads_of_its_columns_and_an_empty_cell_is_not_read() -> None:
    text = "Drug | Starting Dose | Target Dose\nCarvedilol | 3.125 mg | 25 mg\nBisoprolol | | 10 mg\n"
    assert units(text) == [
        "Carvedilol: Starting Dose: 3.125 mg; Target Dose: 25 mg",
        "Bisoprolol: Target Dose: 10 mg",
    ]
    assert units("Class | Description\nII | Slight limitation\n") == ["II: Slight limitation"]


def test_a_leaf_of_an_algorithm_is_said_with_all_the_steps_that_lead_there() -> None:
    text = "HFrEF on GDMT\n  → LVEF ≤ 35%?\n      → YES → ICD\n      → NO → no ICD\n"
    assert units(text) == ["HFrEF on GDMT → LVEF ≤ 35%? → YES → ICD", "HFrEF on GDMT → LVEF ≤ 35%? → NO → no ICD"]


@a_tenth
def test_every_unit_of_every_guideline_consists_of_the_words_it_quotes(step: int) -> None:
    count = 0
    for document in [*read_guidelines()][::step]:
        assert isinstance(document, Document)
        for passage in (extend_to_heading(one, document) for one in cut_passages(document)):
            for unit in find_quotable_spans(passage):
                assert has_same_words(unit.text, " … ".join(unit.quotes(passage.text))), unit.text
                count += 1
    assert count > 3_000 / step


def test_a_row_without_a_name_goes_on_with_the_one_above_and_the_line_before_the_table_leads() -> None:
    text = "The diagnosis requires both:\n\nCriterion | Threshold\nAcidosis | pH < 7.3\n | Bicarbonate < 18 mmol/L\n"
    assert units(text) == [
        "The diagnosis requires both: Acidosis: pH < 7.3",
        "The diagnosis requires both: Acidosis: Bicarbonate < 18 mmol/L",
    ]


def test_a_short_list_is_one_unit_with_the_line_that_introduces_it() -> None:
    text = "AKI is any of the following:\n\n- Creatinine up by 0.3 mg/dL\n- Urine below 0.5 mL/kg/h\n"
    assert units(text) == ["AKI is any of the following: Creatinine up by 0.3 mg/dL; Urine below 0.5 mL/kg/h"]


FIGURE = re.compile(r"\d[\d.,]*\s*(?:mg|mcg|g|mL|units?|mEq|mmol|%|mm ?Hg|bpm|days?|weeks?|months?|hours?)\b")


@a_tenth
def test_nearly_every_figure_of_every_guideline_can_be_said(step: int) -> None:
    can = all_of_them = 0
    for document in [*read_guidelines()][::step]:
        for section in document.sections:
            text = document.text[section.start : section.end]
            passage = Passage(
                reference=document.reference, text=text, start=section.start, end=section.end, section=section.title
            )
            spans = [span for unit in find_quotable_spans(passage) for span in unit.spans]
            figures = list(FIGURE.finditer(text))
            all_of_them += len(figures)
            can += sum(any(span.start <= one.start() and one.end() <= span.end for span in spans) for one in figures)
    assert can / all_of_them >= 0.95


def test_steps_that_are_all_to_be_done_are_said_together_and_alternatives_apart() -> None:
    text = (
        "Check potassium\n  → K+ > 5.0?\n      → Do NOT replace potassium\n      → Start insulin therapy\n"
        "  → K+ 3.5-5.0?\n      → YES → Start insulin\n      → NO → Wait\n"
    )
    assert units(text) == [
        "Check potassium → K+ > 5.0? → Do NOT replace potassium; Start insulin therapy",
        "Check potassium → K+ 3.5-5.0? → YES → Start insulin",
        "Check potassium → K+ 3.5-5.0? → NO → Wait",
    ]


def test_steps_that_are_long_together_are_said_apart() -> None:
    long = " ".join(["word"] * 40)
    text = f"Check potassium\n  → K+ > 5.0?\n      → Replace {long}\n      → Start {long}\n"
    assert len(units(text)) == 2


def test_a_row_that_only_adds_to_the_one_above_is_said_with_it() -> None:
    text = "Drug | Dose | Route\nVancomycin | 30 mg/kg | IV\nPLUS Rifampin | 900 mg | PO\nDaptomycin | 8 mg/kg | IV\n"
    assert units(text) == [
        "Vancomycin: Dose: 30 mg/kg; Route: IV; PLUS Rifampin: Dose: 900 mg; Route: PO",
        "Daptomycin: Dose: 8 mg/kg; Route: IV",
    ]


def test_a_row_is_said_under_the_title_of_its_group() -> None:
    text = "Doses:\nDrug | Dose | Route\nChildren\nA | 1 mg | oral\n | 2 mg | iv\nAdults\nB | 5 mg | oral\n"
    assert units(text) == [
        "Doses: Children; A: Dose: 1 mg; Route: oral",
        "Doses: Children; A: Dose: 2 mg; Route: iv",
        "Doses: Adults; B: Dose: 5 mg; Route: oral",
    ]


def test_a_name_that_a_table_does_not_give_is_said_only_beside_others() -> None:
    unnamed = "[no header] | [no header] | [no header]\nA | oral | daily\nB | iv | weekly\n"
    assert units(unnamed) == ["A: oral; daily", "B: iv; weekly"]
    assert units("Drug | Dose | [no header]\nA | 1 mg | with food\n") == ["A: Dose: 1 mg; [no header]: with food"]


def test_an_empty_first_name_shifts_no_column() -> None:
    assert units("| Men | Women\nAge | 40 | 41\nSex | x |\n") == ["Age: Men: 40; Women: 41", "Sex: Men: x"]


def test_a_sentence_goes_on_in_the_next_line_and_letters_mark_items() -> None:
    assert units("The dose is halved when the pain\nis below 3 of 10.\n") == [
        "The dose is halved when the pain is below 3 of 10."
    ]
    assert units("Do this:\n  a. Look at the joint.\n  b) Take blood.\n") == ["Do this: Look at the joint. Take blood."]
