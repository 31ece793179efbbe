"""Warnings where a question names a class of drugs, or none: of which drug, how often, and beside which statement."""

from dataclasses import replace

from tests.presentation.written import terminal_text
from tests.tables import each_row
from tests.world import context, document, source
from wellsourced.context import Context
from wellsourced.medicine.drugs import find_drugs
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.recommend.guideline_lines import find_limited_drugs
from wellsourced.recommend.patient_reading import find_asked_drugs, find_said_drugs
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.recommend.recommendation import recommend
from wellsourced.types import PatientWarning, Question

ELIGIBLE = (
    "Oral beta-blockers should be initiated in patients with STEMI who do not have any of the following:\n\n"
    "- PR interval > 0.24 seconds\n- Second- or third-degree heart block\n- Active asthma or reactive airway disease"
)


def warn(text: str, record: str, asked: str, *, said: str = "", title: str = "A guideline") -> list[PatientWarning]:
    read = read_patient_record(record, asked)
    named = find_asked_drugs(asked)
    drugs = PatientDrugs((*named, *find_drugs(said)), read.current_drugs, named)
    return find_warnings([document("doi:10.1/one", text, title=title)], read, drugs)


AGENTS = (
    "Topical agents:\n\n"
    "Agent | Limitations\n"
    "Silver sulfadiazine | sulfonamide allergy contraindication\n"
    "Mafenide acetate | carbonic anhydrase inhibitor (metabolic acidosis risk)"
)
BICARBONATE = "Bicarbonate administration:\n- Consider only if venous pH < 7.0."


@each_row(
    ("text", "record", "asked", "drug"),
    [
        (ELIGIBLE, "57M, active asthma.", "Which anti-anginal drug?", "beta-blockers"),
        (ELIGIBLE, "57M, Mobitz II.", "Which anti-anginal drug?", "beta-blockers"),
        (ELIGIBLE, "57M, no asthma.", "Which anti-anginal drug?", ""),
        ("Avoid glyburide at eGFR < 30.", "eGFR 25", "How do I change his glucose-lowering treatment?", "glyburide"),
        ("Contraindicated in pregnancy: ACE inhibitors.", "pregnant", "Which antihypertensive?", "ACE inhibitors"),
        (BICARBONATE, "pH 7.08", "Is IV bicarbonate wanted?", "IV bicarbonate"),
        (BICARBONATE, "pH 6.9", "Is IV bicarbonate wanted?", ""),
        (AGENTS, "After Septrin - blistering rash.", "Which topical antimicrobial?", "Silver sulfadiazine"),
        (AGENTS, "pH 7.17", "Which topical antimicrobial?", "Mafenide acetate"),
        (AGENTS, "pH 7.38. Septrin was tolerated.", "Which topical antimicrobial?", ""),
    ],
)
def test_of_a_class_that_is_asked_for_the_members_that_a_line_limits_are_named(
    text: str, record: str, asked: str, drug: str
) -> None:
    found = warn(text, record, asked, title="Burns, and chronic kidney disease")
    assert [one.drugs[0] for one in found] == ([drug] if drug else [])


def test_a_dose_of_a_member_that_nobody_named_is_not_about_what_is_asked() -> None:
    text = "Enoxaparin: reduce the dose to 1 mg/kg once daily if CrCl < 30 mL/min."
    (by_class,) = warn(text, "CrCl 17 mL/min", "Which anticoagulant?", title="Chronic kidney disease")
    (by_name,) = warn(text, "CrCl 17 mL/min", "Dose of enoxaparin?", title="Chronic kidney disease")
    assert (by_class.is_asked, by_name.is_asked) == (False, True)


def test_one_rule_stands_once_and_keeps_the_other_places_that_say_it() -> None:
    text = (
        "Fondaparinux is contraindicated if CrCl < 20 mL/min.\n\nAvoid fondaparinux if CrCl < 30 mL/min.\n\n"
        "Fondaparinux is contraindicated in active bleeding."
    )
    record = "Pulmonary embolism. CrCl 17 mL/min, active GI bleed."
    first, second = warn(text, record, "fondaparinux?", title="Pulmonary embolism")
    assert [one.citations[-1].quote for one in first.also] == ["Avoid fondaparinux if CrCl < 30 mL/min."]
    assert second.also == ()
    assert first.model_dump()["also"][0]["citations"]


def test_a_dose_stands_beside_what_is_to_be_avoided_for_the_same_reason() -> None:
    text = "Avoid citalopram in long QT or the elderly.\n\nCitalopram: maximum dose 20 mg/day in patients over 60."
    found = warn(text, "79-year-old, QTc 481 ms", "citalopram?", title="Older adults")
    assert [one.severity for one in found] == ["avoid", "dose"]


@each_row(
    ("text", "record", "asked"),
    [
        ("Statins are contraindicated in pregnancy.", "58M. Sister currently 20/40 pregnant.", "statin?"),
        ("Avoid metoprolol in asthma.", "60F. FHx: mother severe asthma.", "metoprolol?"),
        ("Avoid warfarin after stroke.", "33F. Mum HTN + stroke at 60.", "warfarin?"),
        ("Avoid methotrexate in hepatitis.", "58M, hepatitis A as a child - cleared.", "methotrexate?"),
        ("Topiramate is contraindicated with kidney stones.", "49M, never had kidney stones.", "topiramate?"),
        ("DOACs are contraindicated in pregnancy.", "34F, three miscarriages at 11-16/40.", "DOAC?"),
        ("Avoid naltrexone in cancer.", "76F, myeloma screen neg.", "naltrexone?"),
        ("Avoid statins, except in those with a strong family history of premature ASCVD.", "58M, NSTEMI.", "statin?"),
        ("Do not add fibrate therapy to statin therapy to reduce CVD events.", "58M, NSTEMI.", "Which statin?"),
        ("Never omit insulin in ketoacidosis.", "DKA", "insulin?"),
        ("XOIs are preferred in CKD, because uricosurics have reduced efficacy.", "eGFR 36", "allopurinol?"),
        ("Allopurinol: maximum 800 mg/day regardless of kidney disease.", "eGFR 36", "allopurinol?"),
    ],
)
def test_what_is_a_relatives_past_denied_or_no_limit_is_no_warning(text: str, record: str, asked: str) -> None:
    assert warn(text, record, asked) == []


def test_what_a_guideline_says_of_its_own_limitations_is_no_warning() -> None:
    text = "# Limitations\n\nColchicine dose adjustment in CKD is not addressed."
    made = document("doi:10.1/one", text, title="CKD")
    sections = tuple(one.model_copy(update={"title": "Limitations"}) for one in made.sections)
    named = made.model_copy(update={"sections": sections})
    read = read_patient_record("eGFR 25")
    assert find_warnings([named], read, PatientDrugs(find_drugs("colchicine"), ())) == []


def test_who_asks_which_drug_of_a_class_to_take_is_not_warned_of_the_one_that_is_exchanged() -> None:
    text = "Do not combine ACE inhibitors with ARBs."
    record = "Drugs: ramipril 5 mg."
    assert warn(text, record, "Which antihypertensive?") == []
    assert warn(text, record, "Add losartan?") != []


def test_a_drug_that_a_family_history_forbids_is_warned_of() -> None:
    text = "GLP-1 RAs: contraindicated in personal or family history of medullary thyroid carcinoma."
    (warning,) = warn(text, "59M. FHx: brother medullary ca.", "Which glucose-lowering drug?")
    assert warning.about == ("thyroid cancer",)


@each_row(
    ("text", "limited"),
    [
        ("Potassium chloride may be harmful in patients taking ACE inhibitors.", ["Potassium chloride"]),
        ("Do not add niacin to statin therapy.", ["niacin"]),
        ("JAK inhibitors: more infections compared to TNF inhibitors.", ["JAK inhibitors"]),
        ("Respiratory depression when combined with opioids.", []),
    ],
)
def test_what_a_line_names_as_a_circumstance_is_not_limited_by_it(text: str, limited: list[str]) -> None:
    assert [one.words for one in find_limited_drugs(text)] == limited


def test_what_is_given_already_is_not_asked_for() -> None:
    assert find_asked_drugs("Which drugs besides antiplatelets?") == ()
    assert [one.words for one in find_said_drugs("NSAIDs: avoid with concurrent anticoagulant use.")] == ["NSAIDs"]


@each_row(
    ("record", "proposed"),
    [
        ("Wants to lose weight, asking about Ozempic.", ["Ozempic"]),
        ("Sister took Ozempic.", []),
        ("He wants to avoid Ozempic.", []),
    ],
)
def test_what_somebody_asks_for_in_the_record_is_asked(record: str, proposed: list[str]) -> None:
    assert [one.words for one in read_patient_record(record).proposed_drugs] == proposed


def test_a_drug_that_was_never_stopped_is_taken_and_one_that_was_is_not() -> None:
    taken = read_patient_record(
        "Tritace 5 od (never stopped it). Zoloft 100 for a year, no side effects, stopped 2020."
    )
    assert [one.words for one in taken.current_drugs] == ["Tritace"]


def test_ketones_and_the_ph_of_a_record_are_ketoacidosis_and_acidosis() -> None:
    found = read_patient_record("pH 7.08, HCO3 8, ketones 6.1").conditions
    assert {"acidosis", "ketoacidosis"} <= found.keys()
    assert "acidosis" not in read_patient_record("pH 7.38, HCO3 24, ketones 0.3").conditions


SAID = "Colchicine or NSAIDs are recommended for gout flares."
LIMIT = "NSAIDs are contraindicated in CKD."
GOUT = document("doi:10.1000/gout", SAID, kind="guideline", title="Gout 2021")
KIDNEY = document("doi:10.1000/kidney", LIMIT, kind="guideline", title="Kidneys 2024")


def with_guideline() -> Context:
    return replace(context(source("guidelines", GOUT, KIDNEY, kind="guideline"), relevant=(SAID,)))


async def test_a_statement_that_names_what_the_record_forbids_is_marked_at_its_line() -> None:
    question = Question(
        text="Which drug is recommended for gout flares?", patient="70-year-old man with gout, eGFR 36."
    )
    given = await recommend(question, with_guideline())
    assert given.recommendation is not None
    assert [one.drugs for one in given.recommendation.limited] == [("NSAIDs",)]
    shown = " ".join(terminal_text(given, TerminalPage(width=100)).split())
    assert "(not for this patient: NSAIDs; see the warnings above)" in shown


async def test_where_nothing_is_forbidden_no_statement_is_marked() -> None:
    question = Question(
        text="Which drug is recommended for gout flares?", patient="70-year-old man with gout, eGFR 88."
    )
    given = await recommend(question, with_guideline())
    assert given.recommendation is not None
    assert given.recommendation.limited == ()
