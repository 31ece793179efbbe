"""The pair generator: what its changes do to a sentence, and that claim or evidence alone do not tell the label."""

from collections import Counter
from random import Random

import pytest

from wellsourced_evaluate.training.entailment import alter, comparisons
from wellsourced_evaluate.training.entailment.comparisons import Comparison
from wellsourced_evaluate.training.entailment.loose import finding, said
from wellsourced_evaluate.training.entailment.minimal import CONTRADICTED, NOT_ENOUGH, SUPPORTED, minimal
from wellsourced_evaluate.training.entailment.texts import Document, Weights, flat

TRIAL = Document(
    "1",
    "Metformin reduces weight in adults with obesity.",
    (
        "Obesity is common among adults and its treatment is difficult.",
        "We randomised 240 adults with obesity to metformin or placebo for 24 weeks.",
        "Mean weight was lower in the metformin group than in the placebo group after 24 weeks (P = 0.01).",
        "Metformin significantly reduced fasting glucose in adults with obesity and insulin resistance.",
        "In conclusion, metformin reduces body weight in adults with obesity.",
    ),
    (4,),
    "research",
)


def fixed(seed: int = 1) -> Random:
    return Random(seed)  # noqa: S311 - nothing secret


def test_a_direction_is_turned_round() -> None:
    assert alter.opposite("Mortality was reduced.", fixed()) == "Mortality was increased."


@pytest.mark.parametrize(
    ("sentence", "negated"),
    [
        ("The drug is safe.", "The drug is not safe."),
        ("There was a difference in pain.", "There was no difference in pain."),
    ],
)
def test_a_sentence_is_negated_where_its_verb_stands(sentence: str, negated: str) -> None:
    assert alter.negated(sentence, fixed()) == negated


def test_a_sentence_that_denies_is_not_negated_again() -> None:
    assert alter.negated("The drug did not reduce pain.", fixed()) is None


def test_a_denial_is_taken_away() -> None:
    assert alter.affirmed("The drug did not reduce pain.", fixed()) == "The drug reduced pain."


def test_a_changed_number_is_never_the_old_one() -> None:
    changed = {alter.renumbered("Pain fell in 40% of 120 patients.", fixed(seed)) for seed in range(40)}
    assert "Pain fell in 40% of 120 patients." not in changed
    assert len(changed) > 4


def test_arms_swapped_and_direction_turned_say_the_same() -> None:
    sentence = "Pain was higher in women than in men."
    assert alter.swapped_arms(sentence, fixed()) == "Pain was higher in men than in women."
    assert alter.flipped(sentence, fixed()) == "Pain was lower in men than in women."


def test_a_lead_in_is_no_part_of_the_claim() -> None:
    assert (
        alter.bare("These results suggest that statins reduce mortality in men.") == "Statins reduce mortality in men."
    )


def test_long_forms_are_known_by_their_initials() -> None:
    text = "Chronic obstructive pulmonary disease (COPD) and another thing (XYZ)."
    assert alter.abbreviations(text.replace("Chronic", "chronic")) == {"COPD": "chronic obstructive pulmonary disease"}


def test_a_title_that_states_a_finding_is_a_claim_and_a_topic_is_none() -> None:
    assert (
        finding("Metformin reduces weight in adults with obesity") == "Metformin reduces weight in adults with obesity."
    )
    assert finding("Inhibition of platelet aggregation by aspirin") == "Aspirin inhibits platelet aggregation."
    assert finding("A questionnaire for patients of general practitioners") is None


def test_a_comparison_is_read_with_its_direction() -> None:
    read = comparisons.compared(TRIAL.sentences[2])
    assert read == Comparison("Mean weight", "less", "metformin", "placebo")


def test_the_other_arm_tells_the_same_finding_the_other_way_round() -> None:
    finding_read = Comparison("pain", "less", "aspirin", "placebo")
    assert comparisons.turned(finding_read) == Comparison("pain", "more", "placebo", "aspirin")
    assert all(comparisons.against(finding_read, fixed(s)).direction != "less" for s in range(20))


def test_labels_of_one_sentence_are_as_often_supported_as_contradicted() -> None:
    weights = Weights(" ".join(TRIAL.sentences) for _ in range(3))
    labels = Counter(
        p.label
        for s in range(300)
        for p in minimal(TRIAL, 3, weights, fixed(s))
        if "changed" in p.kind or p.kind == "as said"
    )
    assert labels[SUPPORTED] == labels[CONTRADICTED] > 200


def test_a_changed_claim_is_supported_as_often_as_contradicted() -> None:
    claim, evidence = "Metformin reduced glucose.", "In this trial metformin reduced fasting glucose in adults."
    found = Counter(
        (p.claim == claim, p.label) for s in range(400) for p in said(claim, evidence, "1", "said", fixed(s))
    )
    for unchanged in (True, False):
        supported, contradicted = found[unchanged, SUPPORTED], found[unchanged, CONTRADICTED]
        assert abs(supported - contradicted) < 0.35 * (supported + contradicted), found


def test_another_population_is_silence_and_not_contradiction() -> None:
    weights = Weights(" ".join(TRIAL.sentences) for _ in range(3))
    found = [p for s in range(60) for p in minimal(TRIAL, 3, weights, fixed(s)) if p.kind == "other subject"]
    assert found
    assert {p.label for p in found} == {NOT_ENOUGH}


def test_titles_are_alike_whatever_their_marks() -> None:
    assert flat("Metformin: a Trial.") == flat("metformin – a trial")
