import gzip
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from wellsourced.claims.results.agreement import compare_results
from wellsourced.claims.results.claimed_result import parse_claimed_result

PAIRS = Path(__file__).parents[3] / "../shared/data/verification/evidence_inference.pairs.jsonl.gz"
CLAIM = "Compared with placebo, losartan reduced systolic blood pressure."


# --- reading -------------------------------------------------------------------------------------------------------


@each_row(
    ("claim", "direction"),
    [
        ("Compared with placebo, amiodarone reduced stroke.", "down"),
        ("Amiodarone increased heart rate.", "up"),
        ("Ibuprofen improved quality of life.", "up"),
        ("There were no significant differences between groups in pain.", "same"),
        ("Vitamin D was not associated with fracture.", "same"),
        ("Smoking is associated with an increased risk of lung cancer.", "up"),
        ("Physical activity is inversely associated with depression.", "down"),
        ("Zinc had no effect on the duration of colds.", "same"),
    ],
)
def test_the_direction_of_a_claim_is_read(claim: str, direction: str) -> None:
    result = parse_claimed_result(claim)
    assert result
    assert result.direction == direction


# --- comparing -----------------------------------------------------------------------------------------------------


@each_row(
    ("claim", "evidence", "verdict"),
    [
        (CLAIM, "SBP was lower in the losartan group than in the placebo group (p=.01).", "agrees"),
        (CLAIM, "SBP was higher in the placebo group than in the losartan group (p=.01).", "agrees"),
        (CLAIM, "SBP was higher in the losartan group than in the placebo group (p=.01).", "disagrees"),
        (CLAIM, "SBP was lower in the placebo group than in the losartan group (p=.01).", "disagrees"),
        (CLAIM, "SBP did not differ between the groups.", "disagrees"),
        (CLAIM, "Heart rate was lower in the losartan group.", "silent"),
        (CLAIM, "Blood was taken from patients of both groups.", "silent"),
        ("Losartan reduces pain.", "Pain improved significantly with losartan.", "agrees"),
        ("Losartan reduces pain.", "Ibuprofen reduced pain (p=.01).", "silent"),
        ("Losartan reduces pain.", "There was a trend towards less pain with losartan (P = .2).", "disagrees"),
        ("Losartan had no effect on pain.", "Losartan did not significantly reduce pain.", "agrees"),
        ("Losartan had no effect on pain.", "Losartan reduced pain (HR .72 (.60–.86)).", "disagrees"),
        ("Statins lower mortality.", "Fewer deaths occurred with statins (95% CI 0.70 to 0.91).", "agrees"),
        ("Statins lower mortality.", "Statins and mortality: hazard ratio 0.80 (95% CI 0.60 to 0.91).", "agrees"),
        ("Statins lower mortality.", "Statins and mortality: hazard ratio 0.80 (95% CI 0.60 to 1.21).", "disagrees"),
        ("Statins lower the risk of stroke.", "Stroke risk was lower, but this was not significant.", "disagrees"),
        ("Metformin lowers HbA1c.", "HbA1c, metformin vs placebo: 3.2 vs 4.5 (p=.01).", "agrees"),
        ("Metformin raises HbA1c.", "HbA1c, metformin vs placebo: 3.2 vs 4.5 (p=.01).", "disagrees"),
        (
            "Counselling raises anxiety.",
            "Anxiety was 46 with counselling and 35 in the control group (p=.01).",
            "agrees",
        ),
        ("Smoking is associated with cancer.", "Smoking was associated with an increased risk of cancer.", "agrees"),
        ("Smoking is associated with cancer.", "Smoking was not associated with cancer.", "disagrees"),
        (
            "The reduction in pain was greater with ibuprofen than with paracetamol.",
            "Pain decreased more with paracetamol than with ibuprofen.",
            "disagrees",
        ),
        ("Folate deficiency increases homocysteine.", "Folate supplementation lowered homocysteine.", "agrees"),
        ("Olanzapine increases weight gain.", "Weight gain was greater with olanzapine.", "agrees"),
    ],
)
def test_evidence_agrees_disagrees_or_is_silent(claim: str, evidence: str, verdict: str) -> None:
    assert compare_results(claim, evidence).verdict == verdict


# Rows of Evidence Inference (MIT) with spans of PMC2366143, PMC1524987, PMC1821028 and PMC3654568 (CC BY).
@each_row(
    ("claim", "evidence", "verdict"),
    [
        (
            "Compared with placebo, antibiotic therapy significantly increased infection.",
            "Women in the antibiotic group had a significantly lower incidence of postpartum infections compared with "
            "women in the placebo group.",
            "disagrees",
        ),
        (
            "Compared with B - 20 mcg/kg/min of dobutamine, C - 40 mcg/kg/min of dobutamine significantly decreased "
            "The mean level of the double product.",
            "The mean level of the double product was significantly lower in the group C patients when compared to "
            "group B patients (p = 0.002).",
            "agrees",
        ),
        (
            "Compared with baseline, garlic powder tablet (equal to 400 mg garlic, 1 mg allicin) significantly "
            "increased triglyceride.",
            "Although triglyceride dropped by 13.72 mg/dl (6.3%) but this was not significant statistically "
            "(P-value: .222).",
            "disagrees",
        ),
        (
            "Compared with placebo, canagliflozin 100 or 300 mg significantly decreased HbA1c.",
            "Both canagliflozin 100 and 300 mg reduced HbA1c from baseline compared with placebo at week 26 "
            "(–0.33, –0.44 and –0.03%; p < 0.05).",
            "agrees",
        ),
    ],
)
def test_real_sentences_of_results_are_compared(claim: str, evidence: str, verdict: str) -> None:
    assert compare_results(claim, evidence).verdict == verdict


def test_a_claim_that_states_no_finding_is_neither_stated_nor_denied() -> None:
    found = compare_results("Aspirin is a drug.", "Aspirin reduced pain.")
    assert (found.verdict, found.supports, found.refutes) == ("silent", 0.0, 0.0)


# --- bounds --------------------------------------------------------------------------------------------------------


@given(st.text(max_size=300), st.text(max_size=300))
def test_what_is_found_in_any_text_lies_in_the_unit_interval(claim: str, evidence: str) -> None:
    found = compare_results(f"Aspirin reduced {claim}", f"{evidence} was lower with aspirin, p < .05")
    assert all(0 <= value <= 1 for value in (found.supports, found.refutes, found.outcome))


@each_row(
    "junk",
    [
        "p < ",
        "(",
        "no ",
        "a",
        "1",
        "increased and ",
        "compared with ",
        "HR 1.0 (0.1-",
        "lower than X, but no ",
        "\u200b",
    ],
)
def test_hostile_texts_take_a_bounded_time(junk: str) -> None:
    text = junk * (100_000 // len(junk))
    begun = time.process_time()
    compare_results(CLAIM, text)
    compare_results(text, "Pain was lower with losartan.")
    assert time.process_time() - begun < 5


# --- on labelled pairs -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not PAIRS.exists(), reason="the development data (../shared/data) are not on this machine")
def test_verdicts_on_trial_results_are_right_far_more_often_than_chance() -> None:
    with gzip.open(PAIRS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    labels = {"agrees": "supported", "disagrees": "contradicted", "silent": "not_enough"}
    right = [labels[compare_results(row["claim"], row["evidence"]).verdict] == row["label"] for row in rows]
    assert sum(right) / len(right) >= 0.8
