"""Whether a sentence reports its own findings or another work's."""

from tests.tables import each_row
from wellsourced.citations.markers import find_secondary_citation


@each_row(
    ("sentence", "mark"),
    [
        ("Aspirin reduced mortality in earlier work [12].", "[12]"),
        ("Two trials found no benefit [3, 7–9].", "[3, 7–9]"),
        ("Mortality fell (Smith et al., 2019).", "(Smith et al., 2019)"),
        ("Smith and Jones (2018) found less pain.", "Smith and Jones (2018)"),
        ("A meta-analysis by Jones showed a benefit.", "meta-analysis by Jones"),
        ("Flares were shorter, as reported by the FAST group.", "as reported by "),
        ("Previous randomised trials have shown a benefit.", "Previous randomised trials have shown"),
        ("Brouwer and colleagues saw no difference.", "Brouwer and colleagues"),
        ("According to a recent Cochrane review, it helps.", "According to a recent Cochrane review"),
    ],
)
def test_words_that_point_to_another_work_are_found(sentence: str, mark: str) -> None:
    assert find_secondary_citation(sentence) == mark


@each_row(
    "sentence",
    [
        "Colchicine shortened flares by two days (95% CI 1.2 to 2.8).",
        "The median age was 60 years (IQR [40, 70]).",
        "Patients with (1) gout and (2) diabetes were included.",
        "We did a meta-analysis of 12 trials.",
        "Johnson and Johnson makes it.",
        "In 2019, 120 patients were enrolled.",
        "Our trial was reported by us in full.",
        "",
    ],
)
def test_figures_lists_and_ones_own_work_are_none(sentence: str) -> None:
    assert find_secondary_citation(sentence) == ""


def test_a_hostile_text_takes_no_time() -> None:
    assert find_secondary_citation("(" + "A " * 100_000) == ""
    assert find_secondary_citation("It was revised in January and June 2025.") == ""
    assert find_secondary_citation("[1," * 100_000) == ""
