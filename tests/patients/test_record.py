"""What is read in a record: conditions, drugs, allergies, contradictions, and what is missing."""

from tests.tables import each_row
from wellsourced.patients.record import read_patient_record


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
    assert [one.words for one in read.past_drugs] == ["ramipril"]
    assert [one.words for one in read.proposed_drugs] == ["spironolactone"]


def test_an_allergy_is_read_and_none_is_none() -> None:
    assert read_patient_record("Allergies: penicillin (anaphylaxis 2008).").allergies == ("penicillin",)
    assert read_patient_record("Allergies: none, has taken amoxicillin twice.").allergies == ()


def kinds(record: str) -> dict[str, list[str]]:
    """The names of what was read, by kind of row."""
    rows = read_patient_record(record).rows
    return {kind: [row.name for row in rows if row.kind == kind] for kind in {row.kind for row in rows}}


def test_what_was_read_is_shown_as_rows_of_its_kind_with_the_records_words() -> None:
    record = (
        "68F, T2DM, CKD 3b. eGFR 27, K 4.4, Wt 70 kg. Drugs: ramipril 5 mg od. Ciprofloxacin 3 months ago. TIA 2019. "
        "Allergic to penicillin (rash). Denies chest pain. Mother had breast cancer. Considering spironolactone."
    )
    assert kinds(record) == {
        "age": ["age"],
        "sex": ["female"],
        "weight": ["weight"],
        "renal function": ["eGFR"],
        "measurement": ["potassium"],
        "condition": ["diabetes", "kidney disease", "stroke"],
        "drug now": ["ramipril"],
        "drug before": ["ciprofloxacin"],
        "allergy": ["penicillin"],
        "not now": ["spironolactone", "chest pain", "breast cancer"],
    }
    rows = {row.name: row for row in read_patient_record(record).rows}
    assert all(row.words in record for row in rows.values())
    assert (rows["stroke"].time, rows["ciprofloxacin"].time) == ("2019", "3 months ago")
    assert (rows["chest pain"].time, rows["breast cancer"].time) == ("denied", "family")


def test_both_of_two_weights_are_shown() -> None:
    assert kinds("Weight 74 kg. On the ward scale: 58 kg.")["weight"] == ["weight", "weight"]


def test_lines_from_which_nothing_was_read_are_listed_as_they_are() -> None:
    read = read_patient_record("60M with gout. Keeps two dogs; uses xyzolam drops, AF.\nNo known allergies.")
    assert read.unread == ("Keeps two dogs", "uses xyzolam drops")


@each_row(
    ("record", "proposed"),
    [
        ("Wants to lose weight, asking about Ozempic.", ["Ozempic"]),
        ("Sister took Ozempic.", []),
        ("He wants to avoid Ozempic.", []),
    ],
)
def test_what_somebody_asks_for_in_the_record_is_proposed(record: str, proposed: list[str]) -> None:
    assert [one.words for one in read_patient_record(record).proposed_drugs] == proposed


def test_a_drug_that_was_never_stopped_is_taken_and_one_that_was_is_not() -> None:
    record = "Tritace 5 od (never stopped it). Zoloft 100 for a year, no side effects, stopped 2020."
    assert [one.words for one in read_patient_record(record).current_drugs] == ["Tritace"]


def test_no_words_of_a_record_are_written() -> None:
    (row, *_) = read_patient_record("TIA 2019").rows
    assert row.words == "TIA 2019"
    assert "2019" not in row.model_dump_json()


def test_what_the_record_does_not_say_is_told() -> None:
    missing = read_patient_record("30-year-old woman with gout.").missing
    assert "kidney function: not in the record" in missing
    assert "pregnancy: the record does not say" in missing


def test_a_record_in_another_language_says_so() -> None:
    read = read_patient_record("Mujer de 33 años, embarazada de 26 semanas, acude por disnea desde ayer.")
    assert "Spanish" in read.missing[0]
    assert "acude por disnea desde ayer" in read.unread
    assert read.age == 33


def test_of_a_record_of_forty_pages_the_beginning_is_read_and_the_rest_is_said_not_to_be() -> None:
    read = read_patient_record("60M with gout. " + "He sleeps well. " * 4_000)
    assert "gout" in read.conditions
    assert read.unread[-1] == "everything after the first 20,000 characters"
