"""A question in parts without a model: only where its words leave no doubt."""

from tests.tables import each_row
from wellsourced.question.question_parts import list_asked_parts, name_part, split_by_rules


@each_row(
    ("question", "parts"),
    [
        ("What causes gout? How is acute gout treated?", ["What causes gout?", "How is acute gout treated?"]),
        ("What causes gout? How is it treated?", []),
        (
            "My father has gout. What causes gout flares? Which drugs stop gout flares?",
            ["My father has gout. What causes gout flares?", "My father has gout. Which drugs stop gout flares?"],
        ),
        (
            "A bleed on warfarin. Give a factor concentrate? Transfuse?",
            ["A bleed on warfarin. Give a factor concentrate?", "A bleed on warfarin. Transfuse?"],
        ),
        ("A bleed on warfarin. Give a factor concentrate? How much of it?", []),
        ("Croup: dexamethasone dose and how often?", []),
        (
            "Which reversal agent and BP target for a bleed on warfarin?",
            ["reversal agent for a bleed on warfarin", "BP target for a bleed on warfarin"],
        ),
        ("Which diet helps in gout? Why?", []),
        ("What is the difference between gout and pseudogout?", ["gout", "pseudogout"]),
        ("Difference between type 1 and type 2 diabetes?", ["type 1", "type 2 diabetes"]),
        (
            "Compare warfarin with apixaban for atrial fibrillation.",
            ["warfarin for atrial fibrillation", "apixaban for atrial fibrillation"],
        ),
        (
            "Aspirin versus clopidogrel after ischaemic stroke",
            ["Aspirin after ischaemic stroke", "clopidogrel after ischaemic stroke"],
        ),
        ("Does aspirin and clopidogrel after stroke reduce recurrence?", []),
        ("Compare aspirin and clopidogrel and ticagrelor in stroke", []),
        ("What is the difference between salt, sugar and fat?", []),
        ("Do trials of colchicine and placebo agree on nausea?", []),
        ("What are the dose and duration of amoxicillin?", ["dose of amoxicillin", "duration of amoxicillin"]),
        ("gout", []),
        ("?", []),
        ("? ?", []),
    ],
)  # fmt: skip
def test_without_a_model_only_what_is_plainly_in_parts_is_split(question: str, parts: list[str]) -> None:
    assert split_by_rules(question) == parts


@each_row(
    ("question", "names"),
    [
        ("When is allopurinol started, and at what dose?", ["When is allopurinol started?", "at what dose?"]),
        (
            "Pneumonia (CURB-65 2), what antibiotic and how long?",
            ["Pneumonia (CURB-65 2), what antibiotic?", "how long?"],
        ),
        ("Croup: what dose of dexamethasone, how often?", ["what dose of dexamethasone?", "how often?"]),
        ("Croup: which steroid & for how long + what if it fails?", ["which steroid?", "for how long?",
                                                                    "what if it fails?"]),
        ("Croup in a toddler, what dose of dexamethasone?", []),
        ("Croup: dexamethasone dose, and how often?", ["dexamethasone dose?", "how often?"]),
        ("What are the dose and duration of amoxicillin?", ["dose", "duration of amoxicillin"]),
        ("He has croup. Which steroid? Which dose?", ["Which steroid?", "Which dose?"]),
    ],
)  # fmt: skip
def test_a_part_is_named_by_its_own_words(question: str, names: list[str]) -> None:
    assert [name_part(part, question) for part in split_by_rules(question) or list_asked_parts(question)] == names
