"""What would be wrong with a text without one of its sentences."""

from tests.tables import each_row
from wellsourced.factcheck.text_outline import TextOutline

FALLS = "Colchicine reduces the number of flares [1]."


def is_needed(text: str, *going: str) -> bool:
    """Whether the first of these sentences cannot go, when all of them go."""
    outline = TextOutline(text)
    places = [outline.sentences_at(text.index(one), text.index(one) + len(one)) for one in going]
    assert all(places)
    return outline.is_needed(places[0], {at for place in places for at in place})


@each_row(
    "text",
    [
        f"{FALLS} It also shortens them [1].",
        f"{FALLS} However, nausea is common in gout [1].",
        f"{FALLS} In addition, rest helps in gout.",
        f"Does it help?\n\n{FALLS} Rest helps in gout [1].",
        f"Yes, it does. {FALLS}",
        f"# Gout\n\n## Flares\n\n{FALLS}\n\n## Rest\n\nRest helps.",
        f"It is known that:\n\n{FALLS}\n\nRest helps.",
        f"It is known that:\n\n- {FALLS}\n- Rest helps in gout.\n\nIce is cheap.",
        f"| Drug | Effect |\n|---|---|\n| colchicine | {FALLS} |\n| rest | helps in gout |\n",
    ],
)
def test_a_sentence_that_its_neighbours_need_an_item_and_a_row_cannot_go(text: str) -> None:
    assert is_needed(text, FALLS)


@each_row(
    "text",
    [
        f"{FALLS} Rest helps in gout [1].",
        f"Rest helps in gout. {FALLS} Ice helps in gout [1].",
        f"## Flares\n\n{FALLS} Rest helps in gout.\n\n## Ice\n\nIt is cheap.",
        FALLS,
    ],
)
def test_a_sentence_that_stands_for_itself_can_go(text: str) -> None:
    assert not is_needed(text, FALLS)


def test_what_leans_on_a_sentence_does_not_keep_it_when_it_goes_as_well() -> None:
    text = f"{FALLS} It also shortens them [1]. Rest helps in gout."
    assert not is_needed(text, FALLS, "It also shortens them [1].")
    assert is_needed(text, FALLS)
