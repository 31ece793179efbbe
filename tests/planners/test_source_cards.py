"""What a planner is told of a source."""

from tests.planners.worlds import CARDS
from wellsourced.planners.searches import summarize_source


def test_a_card_names_every_document_of_a_small_source_once() -> None:
    card = CARDS[1]._replace(titles=("Guideline for Gout", "Guideline for Gout", "Fever"))
    assert summarize_source(card).titles == ("Guideline for Gout", "Fever")
