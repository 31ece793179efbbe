"""A question in parts without a model: only where its words leave no doubt."""

from tests.tables import each_row
from wellsourced.question.question_parts import list_asked_parts, name_part, split_by_rules


@each_row(
    ("question", "parts"),
    [
        ("What causes gout? How is acute gout treated?", ["What causes gout?", "How is acute gout treated?"]),
        ("What causes gout? How is it treated?", []),
        ("My father has gout. What causes gout flares? Which drugs stop gout flares?", []),
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
        (
            "Which is safer in pregnancy, labetalol or methyldopa?",
            ["labetalol in pregnancy", "methyldopa in pregnancy"],
        ),
        ("Is metformin or insulin better for gestational diabetes?", ["metformin for gestational diabetes",
                                                                      "insulin for gestational diabetes"]),
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
        ("Croup: what dose of dexamethasone, how often?", ["Croup: what dose of dexamethasone?", "how often?"]),
        ("Croup: which steroid & for how long + what if it fails?", ["Croup: which steroid?", "for how long?",
                                                                    "what if it fails?"]),
        ("Croup in a toddler, what dose of dexamethasone?", []),
        ("Croup: dexamethasone dose, and how often?", ["Croup: dexamethasone dose?", "how often?"]),
    ],
)  # fmt: skip
def test_a_part_is_named_by_its_own_words(question: str, names: list[str]) -> None:
    assert [name_part(part) for part in list_asked_parts(question)] == names
