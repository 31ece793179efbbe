"""Which part of a question nothing that is said speaks of."""

from tests.tables import each_row
from wellsourced.pipeline.verify.verification import note_unanswered_parts
from wellsourced.types import Statement, Verdict


def say(*texts: str) -> list[Statement]:
    return [Statement(text=text, verdict=Verdict(label="supports", score=1.0)) for text in texts]


@each_row(
    ("question", "said", "unanswered"),
    [
        ("When is allopurinol started, and at what dose?", "Allopurinol is started after two flares a year.",
         ("Not answered: at what dose",)),
        ("When is allopurinol started, and at what dose?", "Allopurinol is started at 100 mg daily.", ()),
        ("Apixaban versus warfarin in AF?", "Apixaban is recommended in AF.", ("Not answered: warfarin in AF",)),
        ("What are the dose and duration of amoxicillin?", "Amoxicillin 1 g three times daily.",
         ("Not answered: duration of amoxicillin",)),
        ("What are the dose and duration of amoxicillin?", "Amoxicillin 1 g for 5 days.", ()),
        ("How is gout treated?", "Colchicine.", ()),
        ("Is colchicine safe in CKD? And how long is it given?", "Colchicine is safe in CKD.",
         ("Not answered: how long is it given",)),
    ],
)  # fmt: skip
def test_a_part_of_which_nothing_speaks_is_named(question: str, said: str, unanswered: tuple[str, ...]) -> None:
    assert note_unanswered_parts(question, say(said)) == unanswered
