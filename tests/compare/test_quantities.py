"""Which quantities of a claim follow from those of its source, and which stand nowhere."""

from tests.tables import each_row
from wellsourced.compare.quantities import list_underived_quantities
from wellsourced.medicine.quantities import extract_quantities


def underived(claim: str, source: str, case: str = "") -> list[str]:
    return [one.words for one in list_underived_quantities(claim, [source, case], [source, case])]


@each_row(
    ("claim", "source"),
    [
        ("One hundred and seventy-nine took part.", "179 participants took part."),
        ("About one in five had it.", "16 (21.9%) had it."),
        ("Roughly one in eight men had it.", "It was 13% (95% CI 12%-15%)."),
        ("An endoscope was used in about one in nine.", "In 49 an endoscope was used (11.2%)."),
        ("Just over six in ten (179 of 287) would.", "287 students; one hundred and seventy-nine (62.4%) would."),
        ("Some 87% had an undetectable load.", "Sixty-nine patients (87.3%) had an undetectable load."),
        ("Overall 62% said they would.", "179 of 287 said they would."),
        ("Mortality was 18 percentage points higher.", "Mortality was 4% in the young and 22% in the old."),
        ("Patency slipped by roughly 12 points.", "Patency was 60.3% at 1 year and 48.4% at 3 years."),
        ("Ten controls were studied.", "Five controls with atrophy and five without it were studied."),
        ("Girls made up 30%.", "They were more likely to be male (70% vs. 49%)."),
        ("The odds were about 42% lower.", "The odds ratio was 0.58 (95% CI 0.30-1.10)."),
        ("Treat for two weeks.", "Therapy lasts 14 days."),
        ("After a mean of about three years.", "The mean follow-up was 36.4 months."),
        ("A 15-mm incision was made.", "The puncture became a 1.5-cm incision."),
        ("Give 1000 μg.", "Give 1 mg."),
        ("Give it every 8 hours.", "Cefepime 2 g IV TID."),
        ("Below 50 mg/dL glucose, about 2.8 mmol/L, it is contraindicated.", "Blood glucose < 50 mg/dL"),
        ("In a 70-kg adult that is 35 to 42 units.", "0.5-0.6 units/kg per day"),
        ("They needed 24 versus 48 grams.", "Meropenem (24 (21 to 32) grams vs. 48 (42 to 60) grams)."),
        ("Skiers between 24 and 85 years of age.", "Skiers (age range, 24-85y)."),
        ("At 12 weeks it was better.", "At Week 12 it was better."),
        ("An eight-second gap.", "A probe presented 8 s after the cue."),
        ("Fewer than 2% carried it.", "Four isolates (1.6%) carried it."),
    ],
)
def test_what_is_said_otherwise_or_worked_out_follows(claim: str, source: str) -> None:
    assert underived(claim, source) == []


@each_row(
    ("claim", "source", "left"),
    [
        ("Bisoprolol is begun at 2.5 mg daily.", "Bisoprolol: start with 1.25 mg once daily.", ["2.5 mg"]),
        ("Give 150 mg.", "Give 150 μg.", ["150 mg"]),
        ("The first 6 weeks.", "The first 6 months.", ["6 weeks"]),
        ("Every 12 hours.", "Cefepime 2 g IV q8h.", ["12 hours"]),
        ("Under 60% it may be given.", "Consider it with an FEV1 < 50%.", ["60%"]),
        ("Saturation < 90% calls for oxygen.", "Oxygen is given at a saturation < 94%.", ["90%"]),
        ("The odds fell by 58%.", "The odds ratio was 0.58 (95% CI 0.30-1.10).", ["58%"]),
        ("It took 5 years.", "They were followed for 2 years by 5 nurses.", ["5 years"]),
        ("About one in three had it.", "16 (21.9%) had it.", ["three"]),
    ],
)
def test_what_stands_nowhere_does_not(claim: str, source: str, left: list[str]) -> None:
    assert underived(claim, source) == left


def test_what_is_known_of_the_patient_is_given() -> None:
    source = "Enoxaparin 1 mg/kg SC q12h."
    assert underived("At 80 kg that is 80 mg.", source) == ["80 kg", "80 mg"]
    assert underived("At 80 kg that is 80 mg.", source, "A man of 80 kg.") == []


@each_row(
    ("words", "value"),
    [
        ("one thousand one cases", 1001),
        ("two hundred and fifty nine patients", 259),
        ("a hundred and twenty", 120),
        ("forty-eight people", 48),
    ],
)
def test_numbers_in_words_are_read(words: str, value: int) -> None:
    assert [one.value for one in extract_quantities(words)] == [value]


def test_a_ratio_below_one_is_no_count_that_a_claim_makes_for_itself() -> None:
    claim = "Finerenone lowered kidney failure (hazard ratio 0.61), dialysis, and death."
    assert [one.words for one in list_underived_quantities(claim, ["Finerenone lowered kidney failure."])] == ["0.61"]


FOR_EACH = "Fluid in 24 hours: 4 mL/kg/% TBSA. Norepinephrine 0.1 mcg/kg/min. Cisplatin 75 mg/m2."
BURNT = "A man of 80 kg and 2 m2, burns of 40 %, 3 hours ago."


@each_row(
    ("claim", "left"),
    [
        ("He gets 4 mL x 80 kg x 40 % = 12,800 mL, half of it (6,400 mL) at first.", []),
        ("He gets 12,400 mL.", ["12,400 mL"]),
        ("At 80 kg norepinephrine runs at 8 mcg/min.", []),
        ("At 80 kg norepinephrine runs at 18 mcg/min.", ["18 mcg/min"]),
        ("He gets 150 mg of cisplatin.", []),
        ("He gets 175 mg of cisplatin.", ["175 mg"]),
    ],
)
def test_what_is_worked_out_for_a_patient_follows_and_what_is_miscalculated_does_not(
    claim: str, left: list[str]
) -> None:
    assert underived(claim, FOR_EACH, BURNT) == left
