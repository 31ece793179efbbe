"""The guard on claims that repeat a sentence but for some words: who, what, when, and against what."""

from tests.tables import each_row
from wellsourced.claims.guard import REVERSAL_KINDS, find_disagreements

SENTENCE = (
    "Among 240 children with asthma, budesonide given daily for 12 weeks before school was superior to placebo in "
    "reducing exacerbations (12.5% vs 21.0%; hazard ratio 0.58, 95% CI 0.36 to 0.91; p=0.02)."
)
ABSTRACT = (
    "Adults with eczema were excluded, and fluticasone was not studied. "
    f"{SENTENCE} After 24 weeks 36 adults had moved away, and 91 children stayed."
)


def kinds(claim: str, evidence: str) -> set[str]:
    return {found.kind for found in find_disagreements(claim, evidence)}


@each_row(
    ("old", "new", "kind"),
    [
        ("children", "adults", "population"),
        ("budesonide", "fluticasone", "drug"),
        ("asthma", "eczema", "condition"),
        ("daily", "weekly", "time"),
        ("12 weeks", "24 weeks", "time"),
        ("12 weeks", "12 months", "time"),
        ("before", "after", "time"),
        ("12.5%", "36%", "percentage"),
        ("0.36 to", "0.16 to", "interval"),
        ("p=0.02", "p=0.2", "p-value"),
        ("240 children", "91 children", "number"),
        ("budesonide given daily for 12 weeks before school was superior to placebo",
         "placebo given daily for 12 weeks before school was superior to budesonide", "role"),
        ("reducing", "raising", "direction"),
        ("was superior", "was not superior", "negation"),
    ],
)  # fmt: skip
def test_one_fact_changed_is_caught_in_the_sentence_and_in_the_whole_abstract(old: str, new: str, kind: str) -> None:
    claim = SENTENCE.replace(old, new)
    assert claim != SENTENCE
    assert kind in kinds(claim, SENTENCE)
    assert find_disagreements(claim, ABSTRACT)


@each_row(
    ("old", "new"),
    [
        ("children", "boys and girls"),
        ("12 weeks", "twelve weeks"),
        ("12.5%", "12.5 percent"),
        ("p=0.02", "P = .02"),
        ("0.36 to 0.91", "0.36–0.91"),
        ("superior to placebo", "better than placebo"),
        ("reducing", "lowering"),
        (" (12.5% vs 21.0%; hazard ratio 0.58, 95% CI 0.36 to 0.91; p=0.02)", ""),
        ("Among 240 children with asthma, budesonide", "Budesonide"),
    ],
)
def test_other_words_for_the_same_are_let_pass(old: str, new: str) -> None:
    claim = SENTENCE.replace(old, new)
    assert claim != SENTENCE
    assert find_disagreements(claim, ABSTRACT) == []


@each_row(
    ("claim", "evidence"),
    [
        ("Mortality was lower with placebo than with aspirin.", "Mortality was lower with aspirin than with placebo."),
        ("Placebo was superior to aspirin for pain.", "Aspirin was superior to placebo for pain."),
        ("In the control group pain fell more than in the yoga group.",
         "In the yoga group pain fell more than in the control group."),
    ],
)  # fmt: skip
def test_sides_that_change_places_say_the_opposite(claim: str, evidence: str) -> None:
    found = find_disagreements(claim, evidence)
    assert found
    assert {one.kind for one in found} & REVERSAL_KINDS


@each_row(
    ("claim", "evidence"),
    [
        ("Mortality was higher with placebo than with aspirin.", "Mortality was lower with aspirin than with placebo."),
        ("Women and men were included in the trial.", "Men and women were included in the trial."),
        ("Blood pressure (BP) fell in adults given aspirin.", "Blood pressure fell in adults given aspirin."),
        ("BP fell in adults given aspirin.", "Blood pressure fell in adults given aspirin."),
        ("MRI showed a lesion in most adults.", "Magnetic resonance imaging showed a lesion in most adults."),
    ],
)
def test_the_same_said_from_the_other_side_or_in_short_is_let_pass(claim: str, evidence: str) -> None:
    assert find_disagreements(claim, evidence) == []


@each_row(
    ("claim", "evidence", "kind"),
    [
        ("Coffee causes lower mortality.", "Coffee is associated with lower mortality.", "strength"),
        ("Coffee reduces mortality in healthy adults.", "Coffee may reduce mortality in healthy adults.", "strength"),
        ("All drugs of this class cause cough.", "Some drugs of this class cause cough.", "strength"),
        ("Vitamin C lowered the risk of falls.", "Vitamin D lowered the risk of falls.", "drug"),
        ("Staphylococcus aureus was found in most wounds.", "Escherichia coli was found in most wounds.", "drug"),
        ("Tumour growth stopped in vitro after treatment.", "Tumour growth stopped in vivo after treatment.",
         "population"),
        ("The dose was given intravenously to all women.", "The dose was given orally to all women.", "dose"),
        ("Patients had at most three seizures a week.", "Patients had at least three seizures a week.", "comparator"),
    ],
)  # fmt: skip
def test_what_is_put_in_the_place_of_another_is_named(claim: str, evidence: str, kind: str) -> None:
    assert kind in kinds(claim, evidence)


def test_a_quantity_is_told_once() -> None:
    (found,) = find_disagreements("Aspirin 75 mg/day was given.", "Aspirin 81 mg/day was given.")
    assert found == ("dose", "75 mg/day", "81 mg/day")
