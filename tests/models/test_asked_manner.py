"""What a question claims of how, and a sentence does not say."""

from tests.tables import each_row
from wellsourced.models.modifiers import leaves_manner_open

OVER_PROBENECID = (
    "A xanthine oxidase inhibitor (allopurinol or febuxostat) is strongly recommended over probenecid in CKD."
)
OVER_WARFARIN = "DOACs are recommended over warfarin in DOAC-eligible patients with AF (Class I)."


@each_row(
    ("question", "said"),
    [
        ("Is warfarin preferred over a DOAC for atrial fibrillation?", "Early transition to OAC is preferred."),
        ("Is warfarin preferred over a DOAC for atrial fibrillation?", OVER_WARFARIN),
        ("Should febuxostat be first-line in gout?", OVER_PROBENECID),
        ("Should allopurinol be given instead of febuxostat?", OVER_PROBENECID),
        ("Should antibiotics be given for 14 days in cystitis?", "Antibiotics are given for 7 days in cystitis."),
        ("Should beta-blockers be started in shock?", "Use caution when initiating beta-blockers in shock."),
        ("Does colchicine prevent gout flares?", "Colchicine is recommended as therapy for gout flares."),
        ("IV PPI before endoscopy in upper GI bleeding?", "After endoscopy: Offer PPIs to patients with stigmata."),
        (
            "Does titrating methotrexate slow radiographic progression?",
            "Titrate methotrexate to 15 mg within 4-6 weeks.",
        ),
        ("Is aspirin recommended instead of anticoagulation?", "Aspirin plus anticoagulation is limited to 30 days."),
    ],
)
def test_what_does_not_say_how_is_no_yes(question: str, said: str) -> None:
    assert leaves_manner_open(question, said)


@each_row(
    ("question", "said"),
    [
        ("Are DOACs preferred over warfarin for atrial fibrillation?", OVER_WARFARIN),
        ("Is allopurinol recommended over probenecid in CKD?", OVER_PROBENECID),
        ("Is allopurinol first-line in gout?", "Allopurinol is recommended as the preferred first-line agent."),
        ("Is nitrofurantoin given for 5 days?", "Nitrofurantoin 100 mg twice daily for 5 days."),
        (
            "He is ill for 6 days already. Does he get oseltamivir?",
            "Give oseltamivir regardless of duration of illness.",
        ),
        ("Is colchicine recommended in gout flares?", "Colchicine is strongly recommended for gout flares."),
    ],
)
def test_what_says_it_is_left(question: str, said: str) -> None:
    assert not leaves_manner_open(question, said)
