"""Which drugs of a line are recommended instead of those that it limits."""

from tests.recommend.test_patient_warnings import warn
from tests.tables import each_row
from wellsourced.recommend.guideline_lines import find_alternatives, find_limited_drugs

BONE = "Creatinine clearance < 30-35 mL/min -- bisphosphonates are contraindicated; consider denosumab."


@each_row(
    ("text", "limited", "recommended"),
    [
        (BONE, ["bisphosphonates"], ["denosumab"]),
        ("Do NOT use naltrexone; consider acamprosate", ["naltrexone"], ["acamprosate"]),
        ("Avoid NSAIDs; use celecoxib or acetaminophen as alternatives", ["NSAIDs"], ["celecoxib", "acetaminophen"]),
        ("LMWH is the preferred anticoagulant in pregnancy; DOACs are contraindicated", ["DOACs"], ["LMWH"]),
        (
            "Switching from febuxostat to allopurinol is recommended with a history of CVD",
            ["febuxostat"],
            ["allopurinol"],
        ),
        ("Clevidipine is an alternative; it should be avoided in soy allergy", ["Clevidipine"], []),
        ("Concomitant use with aliskiren is contraindicated in diabetes", ["aliskiren"], []),
        ("Consider reducing enoxaparin, avoid dabigatran", ["enoxaparin", "dabigatran"], []),
        ("Use apixaban rather than warfarin; avoid aspirin", ["warfarin", "aspirin"], ["apixaban"]),
    ],
)
def test_a_drug_is_an_alternative_where_its_own_clause_recommends_it_and_warns_of_nothing(
    text: str, limited: list[str], recommended: list[str]
) -> None:
    assert [one.words for one in find_limited_drugs(text)] == limited
    assert [one.words for one in find_alternatives(text)] == recommended


@each_row(("asked", "is_warned"), [("denosumab?", False), ("alendronate?", True)])
def test_an_alternative_is_not_warned_of_and_what_it_replaces_is(asked: str, is_warned: bool) -> None:
    assert bool(warn(BONE, "72-year-old woman, CrCl 24 mL/min.", asked)) is is_warned


def test_what_needs_no_adjustment_has_no_limit_of_its_dose() -> None:
    text = "CrCl < 30 mL/min: denosumab does not require renal dose adjustment."
    assert warn(text, "72-year-old woman, CrCl 24 mL/min.", "denosumab?") == []


def test_a_drug_that_is_taken_and_speaks_against_another_is_not_the_one_that_is_limited() -> None:
    text = "Naltrexone should not be used by individuals who use opioids."
    (warning,) = warn(text, "50-year-old man. Drugs: oxycodone 10 mg.", "naltrexone?")
    assert warning.drugs == ("naltrexone",)
