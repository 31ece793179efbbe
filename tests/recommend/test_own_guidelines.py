"""What a guideline on the patient's own disease says comes first, and a dose by weight is worked out from its rule."""

from collections.abc import Sequence

from tests.tables import each_row
from tests.world import SUPPORTS
from wellsourced.medicine.drugs import find_drugs
from wellsourced.recommend.patient_answer import work_out_doses
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.recommendation import promote_own, read_citations
from wellsourced.types import Citation, Evidence, Passage, Reference, Statement

STROKE = read_patient_record("69F, R face/arm weakness, NIHSS 11. CT no blood. Wt 70 kg.")
BLEED = ("Alteplase may be given into the ventricle.", "Management of Intracerebral Hemorrhage")
INFARCT = ("Alteplase: 0.9 mg/kg (maximum total dose: 90 mg).", "Management of Acute Ischemic Stroke")


def said(*pairs: tuple[str, str]) -> tuple[list[Statement], list[Evidence]]:
    """A statement for each text and title, of which the first leads."""
    statements, evidence = [], []
    for number, (text, title) in enumerate(pairs):
        passage = Passage(reference=Reference(id=f"doi:10.1/{number}", title=title), text=text, start=0, end=len(text))
        citation = Citation(passage_id=passage.id, quote=text, start=0, end=len(text))
        statements.append(Statement(text=text, citations=(citation,), verdict=SUPPORTS, lead=not number))
        evidence.append(Evidence(passage=passage, relevance=0.9))
    return statements, evidence


def order(pairs: Sequence[tuple[str, str]], asked: str = "alteplase") -> list[tuple[str, bool]]:
    statements, evidence = said(*pairs)
    ordered = promote_own(statements, read_citations(evidence, STROKE), find_drugs(asked))
    return [(one.text, one.lead) for one in ordered]


def test_the_guideline_on_the_patients_disease_leads() -> None:
    assert order((BLEED, INFARCT)) == [(INFARCT[0], True), (BLEED[0], False)]


def test_where_the_own_guideline_does_not_speak_of_the_drug_the_other_still_leads() -> None:
    assert order((BLEED, ("Give aspirin.", INFARCT[1]))) == [(BLEED[0], True), ("Give aspirin.", False)]


def test_an_item_that_led_is_not_said_twice() -> None:
    whole = (f"{BLEED[0]} Maximum 12 doses.", BLEED[1])
    assert [text for text, _ in order((BLEED, whole, INFARCT))] == [INFARCT[0], whole[0]]


def test_the_reader_is_told_of_a_disease_that_the_record_does_not_name() -> None:
    statements, evidence = said(BLEED, INFARCT)
    told = read_citations(evidence, STROKE).describe_others(statements)
    assert told == (f"{BLEED[1]} is about intracranial haemorrhage, which was not read in the record.",)


@each_row(
    ("record", "text", "worked_out"),
    [
        ("Wt 70 kg", INFARCT[0], "0.9 mg/kg × 70 kg (“Wt 70 kg”) = 63 mg, below the maximum of 90 mg"),
        ("Wt 110 kg", INFARCT[0], "= 99 mg, above the maximum of 90 mg, so the maximum applies"),
        ("Wt 110 kg", "Enoxaparin 1 mg/kg twice daily.", "1 mg/kg × 110 kg (“Wt 110 kg”) = 110 mg"),
        ("Wt 70 kg", "Insulin 0.1 units/kg/h.", ""),
        ("Wt 70 kg", "Phenytoin 15-20 mg/kg.", ""),
        ("Wt 70 kg", "0.75 mg/kg over 30 min, then 0.50 mg/kg over 60 min.", ""),
        ("Weight 70 kg on the ward, weight 84 kg at home", INFARCT[0], ""),
        ("Weight unknown", INFARCT[0], ""),
    ],
)
def test_a_dose_by_weight_is_worked_out_from_one_rule_and_one_weight(record: str, text: str, worked_out: str) -> None:
    statements, _ = said((text, "A guideline"))
    told = list(work_out_doses("What dose?", statements, read_patient_record(record)))
    assert len(told) == bool(worked_out)
    assert all(worked_out in one and "not stated by the source" in one for one in told)


def test_who_asks_for_no_dose_is_told_none() -> None:
    statements, _ = said(INFARCT)
    assert not list(work_out_doses("Is alteplase right?", statements, STROKE))
