"""What a planner is told of a source."""

from tests.planners.worlds import CARDS
from wellsourced.planners.searches import summarize_source


def test_a_card_names_every_document_of_a_small_source_once_in_place_of_its_commonest_subjects() -> None:
    card = CARDS[1]._replace(titles=("Guideline for Gout", "Guideline for Gout", "Fever"))
    told = summarize_source(card)
    assert (told.titles, told.subjects) == (("Guideline for Gout", "Fever"), ())
    assert summarize_source(CARDS[1]).subjects == CARDS[1].subjects
