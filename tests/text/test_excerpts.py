"""What of an excerpt of a study is shown, and what is not."""

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.text.quotable_spans import find_quotable_spans, has_same_words


def shown(text: str) -> list[str]:
    """What is shown of a study that has these words alone; each is made of its own quotes."""
    (passage,) = passages(document("pubmed:1", text))
    units = find_quotable_spans(passage)
    assert all(has_same_words(unit.text, " ".join(unit.quotes(passage.text))) for unit in units)
    return [unit.text for unit in units]


@each_row(
    ("text", "expected"),
    [
        (
            "the presence of a DNAJB1-PRKACA fusion gene has been associated with FLC.",
            "… the presence of a DNAJB1-PRKACA fusion gene has been associated with FLC.",
        ),
        (
            "Somatic mutations of CALR have been identified as a driver of neoplasms,",
            "Somatic mutations of CALR have been identified as a driver of neoplasms, …",
        ),
        # The end of a word whose beginning is lacking is left out.
        ("s showed that nemolizumab is safe in adults.", "… showed that nemolizumab is safe in adults."),
        (
            "Furthermore, risdiplam is given by mouth to infants.",
            "Furthermore, risdiplam is given by mouth to infants.",
        ),
        (
            "The FDA greenlighted cemiplimab for metastatic squamous cell carcinoma.",
            "The FDA greenlighted cemiplimab for metastatic squamous cell carcinoma.",
        ),
    ],
)
def test_a_sentence_that_was_cut_is_shown_with_marks_where_something_is_left_out(text: str, expected: str):
    assert shown(text) == [expected]


@each_row(
    "text",
    [
        "These mutations have been associated with a short life.",
        "However, these mutations have been associated with a short life.",
        "a family of pore-forming proteins (PFPs), known as perforin like proteins",
        "goblet cells in the lungs",
    ],
)
def test_what_leans_on_words_that_are_lacking_and_what_is_no_clause_is_not_shown(text: str):
    assert shown(text) == []


def test_nothing_that_was_cut_is_shown_beside_a_whole_sentence():
    whole = "Risdiplam is given by mouth to infants."
    assert shown(f"{whole} It was shown that the drug is well tolerated by") == [whole]
