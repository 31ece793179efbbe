"""What a guideline is on is told by a few words of its title."""

from tests.planners.worlds import CARDS
from tests.tables import each_row
from wellsourced.planners.searches import shorten_to_subject, summarize_source


@each_row(
    ("title", "subject"),
    [
        ("2023 ACC/AHA/HRS Guideline for Diagnosis and Management of Atrial Fibrillation", "Atrial Fibrillation"),
        ("A/B Practice Guidance on the Clinical Assessment and Management of Patients with Cirrhosis", "Cirrhosis"),
        ("American College of Gastroenterology Guidelines: Management of Acute Pancreatitis", "Acute Pancreatitis"),
        (
            "Definition and Evaluation of Transient Ischemic Attack: A Statement From the AHA",
            "Transient Ischemic Attack",
        ),
        ("Neonatal Resuscitation: 2020 Guidelines for Cardiopulmonary Resuscitation", "Neonatal Resuscitation"),
        ("ACOG Committee Opinion No. 757: Screening for Perinatal Depression", "Perinatal Depression"),
        ("Infective Endocarditis in Adults: Diagnosis and Therapy", "Infective Endocarditis in Adults"),
        ("American Burn Association Burn Care Guidelines", "American Burn Association Burn Care Guidelines"),
        ("Colchicine for gout: a randomised trial", "Colchicine for gout"),
        ("", ""),
    ],
)
def test_a_title_without_its_publisher_its_kind_and_its_task_is_its_subject(title: str, subject: str) -> None:
    assert shorten_to_subject(title) == subject


def test_a_card_names_every_document_of_a_small_source_once() -> None:
    card = CARDS[1]._replace(titles=("Guideline for Gout", "2020 Guideline for the Management of Gout", "Fever"))
    told = summarize_source(card)
    assert told.titles == ("Gout", "Fever")
