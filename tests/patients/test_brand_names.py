"""Brands in records and questions, which guidelines do not have."""

from tests.tables import each_row
from wellsourced.medicine.drugs import find_prescribed_drugs
from wellsourced.patients.record import read_patient_record


@each_row(
    ("text", "drugs", "words"),
    [
        ("On Eliquis 5 mg bd", ["apixaban"], ["Eliquis"]),
        ("ZESTRIL 10 mg", ["lisinopril"], ["ZESTRIL"]),
        ("prolia every 6 months", ["denosumab"], ["prolia"]),
        ("Lotrel 5/10", ["amlodipine", "benazepril"], ["Lotrel", "Lotrel"]),
        ("apixaban (Eliquis)", ["apixaban", "apixaban"], ["apixaban", "Eliquis"]),
        ("no regular drugs", [], []),
    ],
)
def test_a_brand_is_each_of_its_drugs_in_the_words_of_the_text(text: str, drugs: list[str], words: list[str]) -> None:
    found = find_prescribed_drugs(text)
    assert [one.drug for one in found] == drugs
    assert [one.words for one in found] == words


def test_a_record_by_brands_has_drugs_and_allergies() -> None:
    read = read_patient_record("Drugs: Eliquis 5 mg bd, Lasix 40 mg. Allergies: Bactrim (rash).")
    assert [one.drug for one in read.current_drugs] == ["apixaban", "furosemide"]
    assert read.allergies == ("Bactrim",)
