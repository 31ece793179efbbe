"""What is left out of words that are copied from a record, and what stays together."""

import re

from tests.tables import each_row
from wellsourced.pipeline.frame.deidentification import COPIED_NGRAM_WORDS, break_copied_ngrams

RECORD = (
    "67-year-old obese man, hypertension, type 2 diabetes mellitus, former smoker, creatinine clearance 28 mL/min, "
    "LVEF 35%, not on warfarin, NSTEMI 5 months ago, potassium 5.6 mmol/L."
)


@each_row(
    ("text", "kept", "never"),
    [
        ("obese man, hypertension, type 2 diabetes mellitus", "type 2 diabetes", r"type diabetes"),
        ("smoker, creatinine clearance 28 mL/min", "creatinine clearance of 28 mL/min", r"creatinine 28"),
        ("LVEF 35%, not on warfarin, NSTEMI 5 months ago", "NSTEMI 5 months ago", r"NSTEMI ago|(?<!not )on warfarin"),
        ("type 2 diabetes mellitus, former smoker", "former smoker", r"(?<!former )smoker"),
        (RECORD, "type 2 diabetes", r"creatinine 28|potassium mmol|(?<!former )smoker|(?<!not )on warfarin"),
    ],
)
def test_what_is_left_out_changes_nothing_that_is_said(text: str, kept: str, never: str) -> None:
    made = break_copied_ngrams(text, RECORD)
    assert kept in made
    assert not re.search(never, made)
    words, record = re.findall(r"\w+", made), " ".join(re.findall(r"\w+", RECORD))
    assert not any(
        " ".join(words[at : at + COPIED_NGRAM_WORDS]) in record for at in range(len(words) - COPIED_NGRAM_WORDS + 1)
    )


def test_what_was_typed_is_no_secret() -> None:
    text = "smoker, creatinine clearance 28 mL/min"
    assert break_copied_ngrams(text, RECORD, (text,)) == text


def test_the_name_of_a_disease_is_no_secret_and_a_sentence_stays_one() -> None:
    record = "Heart failure with reduced ejection fraction and a potassium of 5.6 mmol/L since May."
    name = "heart failure with reduced ejection fraction"
    assert (
        break_copied_ngrams(f"An older man with {name}: which drug?", record)
        == f"An older man with {name}: which drug?"
    )
    assert break_copied_ngrams(f"{name} and a potassium of 5.6", record) == f"{name} plus potassium of 5.6"


HUGHES = (
    "Mr. Daniel Hughes, born 4 May 1951. 72-year-old man with atrial fibrillation, CKD stage 3b (eGFR 38), weight "
    "58 kg, serum creatinine 1.7 mg/dL, and a previous GI bleed in 2021. Taking naproxen for knee osteoarthritis."
)


@each_row(
    ("text", "made"),
    [
        (
            "Older adult with atrial fibrillation, CKD stage 3b (eGFR 38), weight 58 kg, serum creatinine 1.7 mg/dL",
            "Older adult with atrial fibrillation, and CKD stage 3b (eGFR of 38), weight of 58 kg, serum creatinine of "
            "1.7 mg/dL",
        ),
        (
            "Man with LVEF 35%, not on warfarin, NSTEMI 5 months ago",
            "Man with LVEF 35%, not on warfarin, NSTEMI 5 months ago",
        ),
    ],
)
def test_figures_and_items_are_parted_and_none_is_left_out(text: str, made: str) -> None:
    assert break_copied_ngrams(text, HUGHES) == made


def test_what_is_put_in_is_no_reason_to_go_on_for_ever() -> None:
    record = "weight of 58 kg and height; weight 58 kg and height, and weight of 58 kg and height"
    made = break_copied_ngrams("His weight 58 kg and height, and weight of 58 kg and height", record)
    assert "weight" in made


def test_no_bracket_is_left_empty() -> None:
    assert "()" not in break_copied_ngrams(
        "kidney disease (eGFR) in old men here", "kidney disease eGFR in old men here"
    )
