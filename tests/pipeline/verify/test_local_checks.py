"""What speaks against a statement whoever supports it: facts that its source states otherwise, or does not state."""

from tests.tables import each_row
from tests.world import TRIAL, passages
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.local_checks import find_objection
from wellsourced.types import Statement, Verdict


def against(claim: str, sentence: str, language: str = "en") -> Verdict | None:
    found = find_objection(Statement(text=claim, verdict=UNCHECKED), [sentence], passages(TRIAL), language)
    return found.verdict if found else None


@each_row(
    ("claim", "sentence", "label"),
    [
        ("Statins prevent dementia.", "There is no evidence that statins prevent dementia.", "silent"),
        ("Statins prevent dementia.", "It was studied whether statins prevent dementia.", "silent"),
        ("Statins prevent dementia.", "We asked if statins prevent dementia.", "silent"),
        ("Statins prevent dementia.", "We tested the hypothesis that statins prevent dementia.", "silent"),
        ("Statins prevent dementia.", "That statins prevent dementia remains unproven.", "silent"),
        ("Zinc inhibits rhinovirus.", "Zinc is thought to inhibit rhinovirus.", "silent"),
        ("Aspirin increased the risk of stroke.", "Aspirin reduced the risk of stroke.", "contradicts"),
        ("Aspirin reduced the risk of stroke.", "Aspirin did not reduce the risk of stroke.", "contradicts"),
        ("Stroke fell by 12%.", "Stroke fell by 2%.", "silent"),
        ("The dose is 5 mg.", "The dose is 5 mg/kg.", "silent"),
        ("Aspirin in\u0441reased pain.", "Aspirin reduced pain.", "silent"),
        ("Aspirin halved the risk of stroke.", "Aspirin reduced the risk of stroke by 12%.", "silent"),
        ("There is no evidence that statins prevent strokes.", "Statins prevent strokes in adults.", "contradicts"),
        ("It is untrue that statins prevent strokes.", "Statins prevent strokes in adults.", "contradicts"),
        ("No study has shown that statins prevent strokes.", "Statins prevent strokes.", "contradicts"),
        ("Zinc doubled the rate.", "Zinc 30 mg twice daily raised the rate by 1.2 points.", "silent"),
    ],
)
def test_what_the_source_denies_doubts_or_counts_otherwise_is_no_support(claim: str, sentence: str, label: str) -> None:
    found = against(claim, sentence)
    assert found is not None
    assert found.label == label


@each_row(
    ("claim", "sentence"),
    [
        ("There is no evidence that statins prevent dementia.", "We found no evidence that statins prevent dementia."),
        ("Aspirin reduced pain.", "Aspirin reduced pain, but there is little evidence that it lowers mortality."),
        ("The risk of stroke was lower with aspirin.", "Aspirin reduced the risk of stroke."),
        ("Stroke fell by 12 percent.", "Stroke fell by 12%."),
        ("Aspirin halved the risk of stroke.", "Aspirin reduced the risk of stroke by 50%."),
        ("The risk doubled.", "The risk was twice as high."),
        ("The trial was double-blind.", "This was a double-blind trial."),
    ],
)
def test_other_words_for_the_same_are_not_objected_to(claim: str, sentence: str) -> None:
    assert against(claim, sentence) is None


def test_in_another_language_a_comma_is_a_decimal_point_and_only_numbers_count() -> None:
    sentence = "Aspirin did not reduce stroke by more than 2.5 points."
    assert against("Aspirin senkte Schlaganfälle um 2,5 Punkte.", sentence, "de") is None
    assert against("Aspirin senkte Schlaganfälle um 3,5 Punkte.", sentence, "de") is not None
