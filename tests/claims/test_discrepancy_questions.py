"""What a model is asked to look at: words of a claim beside words of its source."""

import re

from tests.tables import each_row
from wellsourced.claims.discrepancy_questions import MAX_QUESTIONS, list_discrepancy_questions, list_questions_of_text

APIXABAN = (
    "Apixaban: standard dose is 5 mg BID. Reduce to 2.5 mg BID if the patient has at least two of the following: age "
    ">= 80 years, weight <= 60 kg, creatinine >= 1.5 mg/dL."
)


def asked(claim: str, sentence: str, around: str = "", case: str = "") -> str:
    """All questions about a claim in one text."""
    questions = list_discrepancy_questions(claim, [sentence], f"{sentence}\n{around}", case)
    return "\n".join(f"{one.kind}: {one.claim} / {one.evidence}" for one in questions)


@each_row(
    ("claim", "sentence", "around", "said", "given"),
    [
        (  # another drug's row
            "Enalapril is started at 5 mg with a target of 20 mg.",
            "| ACE inhibitor | Enalapril | 5 mg | 40 mg |",
            "| ACE inhibitor | Ramipril | 2.5 mg | 20 mg |",
            "20 mg",
            "40 mg",
        ),
        (  # another group
            "Complications occurred in 35.5% of those with mastectomy alone.",
            "Complication rates were comparable (mastectomy alone: 45.1% versus reconstruction: 35.5%).",
            "",
            "35.5%",
            "45.1%",
        ),
        (  # another time
            "The cumulative primary patency was 68.6% at 1 and at 3 years.",
            "The limb salvage rate was 68.6% at 1 and at 3 years.",
            "The cumulative primary patency was 60.3% at 1 year and 48.4% at 3 years.",
            "cumulative primary patency",
            "limb salvage rate",
        ),
        ("It was done in six patients.", "Splenectomy was performed on six pigs.", "", "patients", "pigs"),
        ("In AF every patient over 80 takes apixaban 2.5 mg BID.", APIXABAN, "", "every", ""),
        ("All patients responded to treatment.", "Patients with deficiency responded to treatment.", "", "All", ""),
        ("Vericiguat is recommended in HFrEF.", "Vericiguat may be considered in HFrEF.", "", "recommended", "may be"),
        (
            "Benzodiazepines cause relapse in alcohol use disorder.",
            "Benzodiazepines are associated with relapse in alcohol use disorder.",
            "",
            "cause",
            "associated",
        ),
        (
            "EDGE significantly reduced hospital admissions.",
            "Hospital admissions with EDGE were not significantly different (P=.37).",
            "",
            "reduced",
            "not significantly different",
        ),
        ("Digoxin lowered mortality.", "Digoxin was linked to fewer admissions.", "", "mortality", ""),
        ("Low-dose aspirin did not reduce stroke.", "Low-dose aspirin did reduce stroke.", "", "not", ""),
        ("Statins prevent dementia.", "There is no evidence that statins prevent dementia.", "", "Statins", "no evid"),
        ("Give 20-30 mmol per hour.", "Add 20-30 mmol potassium per liter of fluid.", "", "mmol/hour", "per liter"),
        ("Reduce the dose to 20% of that.", "Reduce the dose by 20% for safety.", "", "to 20%", "by 20%"),
        ("Warfarin is preferred over apixaban.", "Apixaban is preferred over warfarin.", "", "Warfarin", "Apixaban"),
        (
            "Give it to adults who were hospitalized or received antibiotics.",
            "Give it to adults who were hospitalized AND received antibiotics.",
            "",
            "hospitalized or received",
            "hospitalized AND received",
        ),
        (
            "Diagnosis of kidney disease requires both of: low GFR and albuminuria.",
            "Diagnosis of kidney disease requires at least one of: low GFR, albuminuria.",
            "",
            "both of",
            "at least one of",
        ),
        ("In pregnant women aim for 7%.", "Nonpregnant adults: aim for 7%.", "", "pregnant", "Nonpregnant"),
        ("Give it above 10 mm.", "Give it below 10 mm.", "", "above", "below"),
        ("Cilostazol 100 mg is given to adults.", "In children cilostazol 100 mg is given daily.", "", "adults", ""),
    ],
)
def test_what_models_overlook_is_asked_about(claim: str, sentence: str, around: str, said: str, given: str) -> None:
    questions = asked(claim, sentence, around)
    assert said in questions
    assert given in questions
    assert questions


@each_row(
    ("claim", "sentence"),
    [
        ("Colchicine shortened flares by two days.", "Colchicine shortened gout flares by 2 days."),
        ("Potassium goes in at 10 mmol an hour.", "Potassium: replace at 10 mmol/hour IV"),
        ("Pollen could be identified even from tape.", "Pollen was properly identified even when collected on tape."),
        (
            "The initial treatment of venous thromboembolism takes 3 months.",
            "Treat venous thromboembolism for 3 months.",
        ),
        ("Neither aspirin nor warfarin has proven safety.", "None of them (aspirin, warfarin) have proven safety."),
        ("Aspirin and ticagrelor work alike on platelets.", "| Platelet inhibitors | Aspirin, ticagrelor |"),
        ("There were five men for every two women.", "The ratio of men to women was 2.5:1 there."),
        ("It is given to adults who are not pregnant.", "It is given to nonpregnant adults."),
        ("Flares were rare and pain fell.", "Flares were rare, but pain fell."),
    ],
)
def test_other_words_for_the_same_raise_none(claim: str, sentence: str) -> None:
    assert asked(claim, sentence) == ""


def test_what_the_patient_has_needs_no_source() -> None:
    claim, sentence = "At a creatinine of 130 apixaban 5 mg BID is kept.", "Apixaban: standard dose is 5 mg BID."
    assert "130" in asked(claim, sentence, "Platelets 130")
    assert asked(claim, sentence, "Platelets 130", "A man with a creatinine of 130") == ""


@each_row(
    ("claim", "sentence"),
    [
        (
            "All trials found that prednisone is not superior in treating severe asthma exacerbations.",
            "All trials found that prednisone is not superior in treating mild to moderate asthma exacerbations.",
        ),
        (
            "Meropenem was infused over 30 minutes every 12 hours.",
            "Meropenem was infused over 30 minutes every 8 hours.\nThey stayed 12 (7 to 19) days.",
        ),
        (
            "Pollen testing was carried out twice, with a 3-week wash-out interval.",
            "Pollen testing was carried out twice, with a 1-week wash-out interval.",
        ),
    ],
)
def test_a_difference_is_asked_about_once(claim: str, sentence: str) -> None:
    assert len(list_discrepancy_questions(claim, sentence.split("\n"), sentence)) == 1


def test_a_question_shows_words_as_they_are_read() -> None:
    [one] = list_discrepancy_questions(
        "Gentamicin may be considered (Class IIb) for it.",
        ["Gentamicin is **not recommended** ( Class III ) for it ."],
        "",
    )
    assert "**" not in one.phrase
    assert not re.search(r"\s[.,;:)]|\(\s", one.phrase)


def test_an_answer_word_denies_nothing() -> None:
    text = "Hypervolemia is avoided, because it increases complications."
    assert list_questions_of_text(f"No: {text}", text) == ()


def test_few_questions_are_asked_in_plain_words() -> None:
    claim = (
        "All patients must take 20 mg; it prevents mortality, and every one was cured by calcitonin in elective care."
    )
    questions = list_discrepancy_questions(claim, ["Ten pigs may take 10 mg unless they are lame."], "Ten pigs.")
    assert len(questions) == MAX_QUESTIONS
    assert all(one.phrase.endswith("? If not, the claim is not supported.") for one in questions)


@each_row(
    ("claim", "sentence", "around"),
    [
        (  # a guideline's name
            "In HFrEF, check potassium every 6 months (2022 AHA/ACC/HFSA guideline).",
            "In HFrEF, check potassium every 6 months.",
            "2022 AHA/ACC/HFSA Guideline for the Management of Heart Failure, 1 of 3",
        ),
        ("High burden may favour a less stringent goal.", "High burden may be favoring a less stringent goal.", ""),
        (
            "In severe disease it recommends anabolic therapy before all others.",
            "In severe disease the Endocrine Society recommends anabolic therapy before all others.",
            "",
        ),
        ("The tumour was no larger than 4 cm.", "The tumor was ≤4 cm.", ""),
    ],
)
def test_what_only_looks_different_is_not_asked_about(claim: str, sentence: str, around: str) -> None:
    assert asked(claim, sentence, around) == ""


def test_what_a_pronoun_stands_for_may_deny() -> None:
    assert "neither" in asked(
        "In severe disease it recommends anabolic therapy before others.",
        "In severe disease neither society recommends anabolic therapy before others.",
    )
