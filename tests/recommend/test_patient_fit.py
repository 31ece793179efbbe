"""What of a patient the cited evidence does not fit, and how strong a recommendation its sources call it."""

from tests.tables import each_row
from tests.world import SUPPORTS
from wellsourced.recommend.patient_fit import StatedGrades, find_grades, find_misfits
from wellsourced.types import Citation, Evidence, Passage, Pico, Reference, Statement

TRIAL = (
    "We enrolled adults aged 18 to 65 years with hypertension. Patients with chronic kidney disease, cirrhosis or "
    "pregnancy were excluded. Apixaban reduced strokes (Class I, LOE A). Of 500 patients with diabetes, 20 were "
    "excluded because of missing data."
)
SAID = "Apixaban reduced strokes (Class I, LOE A)."


def cited(text: str, quote: str) -> tuple[list[Statement], list[Evidence]]:
    passage = Passage(reference=Reference(id="pubmed:1", title="A trial"), text=text, start=0, end=len(text))
    start = text.index(quote)
    citation = Citation(passage_id=passage.id, quote=quote, start=start, end=start + len(quote))
    statement = Statement(text=quote, citations=(citation,), verdict=SUPPORTS, lead=True)
    return [statement], [Evidence(passage=passage, relevance=0.9)]


def extract_own_notices(patient: str, text: str, quote: str = "") -> tuple[str, ...]:
    return find_misfits(patient, None, *cited(text, quote or text))


def test_age_and_comorbidity_that_a_trial_left_out_are_told_in_its_words() -> None:
    assert extract_own_notices("72-year-old man with CKD and diabetes", TRIAL, SAID) == (
        "The patient is 72 years old, and A trial says: “We enrolled adults aged 18 to 65 years with hypertension”.",
        "The patient's record says “CKD”, and A trial says: “Patients with chronic kidney disease, cirrhosis or "
        "pregnancy were excluded”.",
    )


@each_row(
    "patient",
    [
        "40-year-old man with diabetes",
        "65-year-old, no CKD, denies cirrhosis; mother had kidney disease",
        "A patient of whom nothing is said",
        "28-year-old woman, pregnancy test negative, eGFR 95",
    ],
)
def test_whoever_fits_or_denies_it_is_not_accused_of_anything(patient: str) -> None:
    assert extract_own_notices(patient, TRIAL, SAID) == ()


@each_row(
    ("patient", "text", "words"),
    [
        ("8-month-old boy", "In adults, give 400 mg.", "The patient is 8 months old"),
        ("80-year-old", "In children under 12 years of age, give 10 mg/kg.", "The patient is 80 years old"),
        ("60-year-old man", "Among postmenopausal women, it reduced fractures.", "The patient is male"),
        ("30F, 12 weeks pregnant", "It is contraindicated in pregnancy.", "The patient's record says “pregnant”"),
        ("50M, eGFR 24", "Avoid metformin in severe renal impairment.", "The patient's record says “eGFR 24”"),
        ("Allergies: penicillin (rash)", "Amoxicillin is given first.", "names an allergy to “penicillin”"),
    ],
)
def test_what_does_not_fit_is_told_with_the_words_of_record_and_source(patient: str, text: str, words: str) -> None:
    (line,) = extract_own_notices(patient, text)
    assert words in line
    assert text.rstrip(".") in line


@each_row(
    ("patient", "text"),
    [
        ("8-month-old boy", "In adults, give 400 mg; in infants, give 40 mg."),
        ("60-year-old man", "Men and women were treated alike."),
        ("70-year-old", "Patients were followed for 2 to 5 years."),
        ("NKDA", "Amoxicillin is given first."),
        ("penicillin allergy", "In patients allergic to penicillin, give doxycycline, not amoxicillin."),
    ],
)
def test_what_fits_is_not_told(patient: str, text: str) -> None:
    assert extract_own_notices(patient, text) == ()


@each_row(
    ("patient", "text"),
    [
        ("2-year-old girl", "In infants, give 40 mg."),
        ("24-month-old boy", "In infants, give 40 mg."),
        ("6-year-old boy", "In preschool children, give 60 mg."),
    ],
)
def test_who_is_as_old_as_an_age_group_reaches_still_belongs_to_it(patient: str, text: str) -> None:
    assert extract_own_notices(patient, text) == ()


@each_row("patient", ["3-year-old girl", "25-month-old boy"])
def test_who_is_older_than_an_age_group_reaches_is_told(patient: str) -> None:
    (line,) = extract_own_notices(patient, "In infants, give 40 mg.")
    assert "“In infants, give 40 mg”" in line


def test_only_what_is_cited_counts() -> None:
    statements, _ = cited("In adults, give 400 mg.", "In adults, give 400 mg.")
    _, others = cited("In children aged 2 to 5 years, give 4 mg.", "In children")
    assert find_misfits("30-year-old", None, statements, others) == ()


def test_without_a_patients_text_the_population_of_the_pico_is_held_against_the_evidence() -> None:
    text = "In adults, give 400 mg."
    (line,) = find_misfits("", Pico(population="8-year-old children with asthma"), *cited(text, text))
    assert line.startswith("The patient is 8 years old")


@each_row(
    ("text", "quote", "expected"),
    [
        (TRIAL, SAID, StatedGrades("Class I", "LOE A")),
        ("It is recommended. (Grade 1B)", "It is recommended.", StatedGrades("Grade 1B", "Grade 1B")),
        (
            "Give it. Strong recommendation, low-certainty evidence.",
            "Give it.",
            StatedGrades("Strong recommendation", "low-certainty evidence"),
        ),
        ("Give X (Class I). Give Y (Class IIb). Z helps.", "Z helps.", StatedGrades()),
        (
            "NYHA class II heart failure, grade 2 toxicity and class III obesity.",
            "NYHA class II heart failure",
            StatedGrades(),
        ),
        ("Ice is recommended (Conditional, Very Low).", "Ice is recommended", StatedGrades("Conditional", "Very Low")),
    ],
)
def test_strength_and_certainty_are_the_sources_words_or_not_reported(
    text: str, quote: str, expected: StatedGrades
) -> None:
    assert find_grades(*cited(text, quote)) == expected


def test_the_certainty_of_another_recommendation_is_not_that_of_the_one_that_leads() -> None:
    leading, passages = cited("Give colchicine (Class I). ", "Give colchicine (Class I).")
    other, more = cited(
        "Start allopurinol early, with moderate certainty.", "Start allopurinol early, with moderate certainty."
    )
    behind = other[0].model_copy(update={"lead": False})
    assert find_grades([*leading, behind], [*passages, *more]) == StatedGrades("Class I", "not reported")


def test_an_allergy_is_told_once_in_words_that_say_something_of_the_drug() -> None:
    heading, passages = cited("NSAIDs for Acute Flare", "NSAIDs for Acute Flare")
    saying, more = cited("NSAIDs are recommended at full doses.", "NSAIDs are recommended at full doses.")
    assert find_misfits("Allergic to ibuprofen", None, [*heading, *saying], [*passages, *more]) == (
        "The patient's record names an allergy to “ibuprofen”, and the source says: “NSAIDs are recommended at full "
        "doses”.",
    )


def test_an_age_from_which_a_drug_is_another_dose_tells_nothing_of_whom_it_is_for() -> None:
    text = "Prasugrel 10 mg is recommended. Dose reduction: 5 mg once daily in patients aged 75 years or older."
    statements, evidence = cited(text, "Dose reduction: 5 mg once daily in patients aged 75 years or older.")
    assert find_misfits("61-year-old man", None, statements, evidence) == ()
