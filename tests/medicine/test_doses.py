"""A dose that its source gives in another unit, rhythm, by another route or for other people is a conflict."""

import time

from tests.tables import each_row
from wellsourced.medicine.doses import extract_doses, find_dose_conflict

ORAL = "In adults, amoxicillin 500 mg is given orally three times daily."
BANDS = "Adults take 500 mg twice daily; children take 10 mg/kg twice daily."
HEART = "In patients with heart failure, start carvedilol 3.125 mg orally twice daily."
RENAL = "In patients with renal impairment, reduce enoxaparin to 1 mg/kg subcutaneously once daily."
ANAPHYLAXIS = "Give adrenaline 0.5 mg intramuscularly to adults and 0.15 mg intramuscularly to children under 6 years."
OLD = "For adults aged 65 years or older, zolpidem 5 mg at bedtime is recommended."
PREGNANT = "Folic acid 5 mg daily is advised for pregnant women with epilepsy."
COLCHICINE = "Colchicine 0.5 mg twice daily reduced flares in patients with chronic gout."
LOADING = "A loading dose of 300 mg by mouth is followed by 75 mg by mouth daily."
INSULIN = "Insulin infusion is started at 0.1 units/kg/hour intravenously."
RANGE = "Prednisolone 30 to 35 mg orally once daily is given for five days."
VITAMIN = "Infants should receive 400 IU of vitamin D by mouth per day."
FLUID = "A bolus of 30 mL/kg of crystalloid is given intravenously within three hours."
WEIGHT = "Children weighing 10 to 20 kg take 250 mg by mouth once daily."
BARE = "The maximum dose is 40 mg/kg/day."
THREE = "Adults take 5, 10 or 20 mg by mouth once daily."


@each_row(
    ("claim", "sentence"),
    [
        (ORAL, ORAL),
        ("Adults take 500 mg of amoxicillin by mouth three times a day.", ORAL),
        ("Amoxicillin 500 mg PO TID is given to adults.", ORAL),
        ("For adults, oral amoxicillin 500 mg every 8 hours is given.", ORAL),
        ("Adults take 500 mg twice daily.", BANDS),
        ("Children take 10 mg/kg twice a day.", BANDS),
        ("In heart failure, carvedilol is started at 3.125 mg by mouth twice daily.", HEART),
        ("With renal insufficiency, enoxaparin is given as 1 mg/kg SC once daily.", RENAL),
        ("Adults receive 0.5 mg of adrenaline IM.", ANAPHYLAXIS),
        ("Children under 6 years receive 0.15 mg IM.", ANAPHYLAXIS),
        ("Adults receive 0.5 mg IM and children under 6 years 0.15 mg IM.", ANAPHYLAXIS),
        ("Adults ages 65 and older should take zolpidem 5 mg.", OLD),
        ("Pregnant women with epilepsy are advised to take 5 mg of folic acid per day.", PREGNANT),
        ("In chronic gout, colchicine 0.5 mg twice a day reduced flares.", COLCHICINE),
        ("300 mg by mouth is given first, then 75 mg by mouth every day.", LOADING),
        ("An intravenous infusion of 0.1 units/kg/hour is started.", INSULIN),
        ("Oral prednisolone 30–35 mg once a day is given.", RANGE),
        ("Babies should get 400 IU of vitamin D a day by mouth.", VITAMIN),
        ("Crystalloid 30 mL/kg is given IV.", FLUID),
        ("Children weighing 10–20 kg take 250 mg orally once a day.", WEIGHT),
        ("No more than 40 mg/kg/day is given.", BARE),
        ("Adults may take 10 mg orally once daily.", THREE),
        ("Adults may take 10 or 20 mg orally once daily.", THREE),
        ("Amoxicillin is given for seven days.", ORAL),
        ("Serum ferritin below 30 ng/mL suggests iron deficiency.", "Ferritin was low."),
        ("Blood loss of 500 mL or more was rare.", "Women lost little blood."),
        ("Fasting glucose of 126 mg/dL or more means diabetes.", "Diabetes is diagnosed at 126 mg/dL."),
        ("Participants lost 5 kg.", "Weight fell by 5 kg in adults."),
    ],
)
def test_a_dose_that_says_what_its_source_says_stands(claim: str, sentence: str) -> None:
    assert not find_dose_conflict(claim, [sentence])


@each_row(
    ("claim", "sentence"),
    [
        ("Adults take 5 mg of amoxicillin by mouth three times a day.", ORAL),
        ("Adults take 500 mcg of amoxicillin by mouth three times a day.", ORAL),
        ("Adults take 500 mg/kg of amoxicillin by mouth three times a day.", ORAL),
        ("Adults receive amoxicillin 500 mg intravenously three times a day.", ORAL),
        ("Children take 500 mg of amoxicillin by mouth three times a day.", ORAL),
        ("Adults and children take 500 mg of amoxicillin by mouth three times a day.", ORAL),
        ("Adults take 500 mg of amoxicillin by mouth once a day.", ORAL),
        ("Children take 500 mg twice daily.", BANDS),
        ("Adults take 10 mg/kg twice daily.", BANDS),
        ("Children take 10 mg twice daily.", BANDS),
        ("Take 10 mg/kg twice daily.", BANDS),
        ("Enoxaparin is given as 1 mg/kg SC once daily.", RENAL),
        ("With renal impairment, enoxaparin is given as 1 mg/kg IV once daily.", RENAL),
        ("Adults receive 0.15 mg of adrenaline IM.", ANAPHYLAXIS),
        ("Adults receive 0.15 mg IM and children under 6 years 0.5 mg IM.", ANAPHYLAXIS),
        ("Folic acid 5 mg daily is advised for women with epilepsy.", PREGNANT),
        ("Take 300 mg by mouth daily.", LOADING),
        ("Insulin is infused intravenously at 0.1 units/hour.", INSULIN),
        ("Oral prednisolone 30–35 mg twice a day is given.", RANGE),
        ("Children should get 400 IU of vitamin D a day by mouth.", VITAMIN),
        ("Infants should get 400 mg of vitamin D a day by mouth.", VITAMIN),
        ("Crystalloid 30 mL is given IV.", FLUID),
        ("Adults may take 15 mg orally once daily.", THREE),
        ("A dose of 20 mg is given.", "The drug was given."),
    ],
)
def test_a_dose_with_another_amount_unit_route_rhythm_or_other_people_does_not_stand(claim: str, sentence: str) -> None:
    assert find_dose_conflict(claim, [sentence])


def test_people_that_are_asked_about_may_be_left_out() -> None:
    claim = "Enoxaparin 1 mg/kg is given subcutaneously once daily."
    assert find_dose_conflict(claim, [RENAL])
    assert not find_dose_conflict(claim, [RENAL], "Enoxaparin in renal impairment?")


def test_each_dose_of_a_sentence_has_its_own_people() -> None:
    assert [sorted(dose.people) for dose in extract_doses(BANDS)] == [["adult"], ["child"]]
    assert [sorted(dose.people) for dose in extract_doses("Give 500 mg to adults and 250 mg to children.")] == [
        ["adult"],
        ["child"],
    ]
    assert [sorted(dose.people) for dose in extract_doses("In adults, 5, 10 or 20 mg daily.")] == [["adult"]] * 3


@each_row("text", ["5 mg " * 20_000, "every 8 " * 20_000, "patients with " * 20_000, "aged " * 20_000])
def test_hostile_text_does_not_hang(text: str) -> None:
    started = time.process_time()
    find_dose_conflict(text, [text])
    assert time.process_time() - started < 5


def test_what_is_given_by_weight_is_a_dose_and_what_is_measured_by_the_day_is_none() -> None:
    assert [dose.unit for dose in extract_doses("The level was 5 mg/kg.")] == ["mg/kg"]
    assert extract_doses("The level was 5 mg/day.") == []
