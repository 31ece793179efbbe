"""What is read in a record: conditions, drugs, allergies, contradictions, and what is missing."""

from tests.tables import each_row
from wellsourced.recommend.patient_record import read_patient_record


@each_row(
    ("record", "condition", "is_own"),
    [
        ("62-year-old man with asthma.", "asthma", True),
        ("No surgery, no trauma, no prior stroke.", "stroke", False),
        ("No heart failure, asthma or COPD.", "asthma", False),
        ("No rash, asthma since childhood.", "asthma", True),
        ("Mother had a stroke at 58.", "stroke", False),
        ("Pregnancy test negative today.", "pregnancy", False),
        ("G2P1, dates to 11 weeks by ultrasound.", "pregnancy", True),
        ("Mujer embarazada de 26 semanas.", "pregnancy", True),
        ("LVEF 29%, NYHA II.", "reduced ejection fraction", True),
        ("eGFR 41 and stable.", "kidney disease", True),
        ("eGFR above 90.", "kidney disease", False),
    ],
)
def test_a_condition_is_the_patients_unless_it_is_denied_or_a_relatives(
    record: str, condition: str, is_own: bool
) -> None:
    assert (condition in read_patient_record(record).conditions) is is_own


def test_a_drug_of_the_past_and_one_that_somebody_asks_for_are_not_taken() -> None:
    record = 'Tongue swelling on ramipril in 2019. Drugs: losartan 50 mg, aspirin. Registrar: "start spironolactone".'
    read = read_patient_record(record)
    assert [one.words for one in read.current_drugs] == ["losartan", "aspirin"]
    assert {one.words for one in read.past_drugs} == {"ramipril", "spironolactone"}


def test_an_allergy_is_read_and_none_is_none() -> None:
    assert read_patient_record("Allergies: penicillin (anaphylaxis 2008).").allergies == ("penicillin",)
    assert read_patient_record("Allergies: none, has taken amoxicillin twice.").allergies == ()


def test_a_record_with_two_weights_is_told() -> None:
    (told,) = read_patient_record("Weight 74 kg. On the ward scale: 58 kg. eGFR 80.").contradictions
    assert "74 kg" in told
    assert "58 kg" in told


def test_what_the_record_does_not_say_is_not_checked() -> None:
    unchecked = read_patient_record("30-year-old woman with gout.").unchecked
    assert "kidney function: not in the record, not checked" in unchecked
    assert "pregnancy: the record does not say, not checked" in unchecked


def test_a_record_in_another_language_says_which_parts_were_read() -> None:
    note = read_patient_record("Mujer de 33 años, embarazada de 26 semanas, acude por disnea desde ayer.").language_note
    assert "Spanish" in note
    assert "embarazada" in note
    assert "was not read" in note
