"""Texts that say the same in almost the same words; what differs in a number or a negation is not the same."""

from tests.tables import each_row
from wellsourced.compare.slots import are_near_duplicates, stem_text

TEXT = (
    "Colchicine shortened the gout flare by 2 days compared with placebo in 400 adults who were treated in primary "
    "care within a day of the first pain, and nausea was more common with it than in the control group of the trial."
)


@each_row(
    "other",
    [
        TEXT,
        TEXT.upper(),
        TEXT.replace(",", " ").replace("  ", " "),
        "Results: " + TEXT,
        TEXT.replace("the trial", "this trial"),
    ],
)
def test_an_edition_of_a_text_is_that_text(other: str) -> None:
    assert are_near_duplicates(stem_text(TEXT), stem_text(other))
    assert are_near_duplicates(stem_text(other), stem_text(TEXT))


@each_row(
    "other",
    [
        TEXT.replace("2 days", "3 days"),
        TEXT.replace("shortened", "did not shorten"),
        TEXT.replace("more common", "less common"),
        TEXT.replace("by 2 days ", ""),
        TEXT + " Most of the flares were of the big toe, and every third patient also took an anti-inflammatory drug.",
        TEXT[:100],
    ],
)
def test_a_text_that_says_something_else_is_not(other: str) -> None:
    assert not are_near_duplicates(stem_text(TEXT), stem_text(other))
    assert not are_near_duplicates(stem_text(other), stem_text(TEXT))


def test_texts_without_a_word_are_not_alike() -> None:
    assert not are_near_duplicates(stem_text(""), stem_text(""))
    assert not are_near_duplicates(stem_text("…"), stem_text("the of"))
