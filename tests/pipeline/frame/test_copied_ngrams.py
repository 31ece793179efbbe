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
        ("smoker, creatinine clearance 28 mL/min", "creatinine clearance 28", r"creatinine 28|clearance mL"),
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
