"""What would be wrong with a text without one of its sentences."""

from tests.tables import each_row
from wellsourced.factcheck.text_outline import TextOutline, leans_back

FALLS = "Colchicine reduces the number of flares [1]."


def need(text: str, *going: str) -> str:
    """Why the first of these sentences cannot go, when all of them go."""
    outline = TextOutline(text)
    places = [outline.sentences_at(text.index(one), text.index(one) + len(one)) for one in going]
    assert all(places)
    return outline.find_need(places[0], {at for place in places for at in place})


@each_row(
    ("text", "why"),
    [
        (f"{FALLS} It also shortens them [1].", "“It also shortens them.” depends on it"),
        (f"{FALLS} However, nausea is common in gout [1].", "“However, nausea is common in …” depends on it"),
        (f"Does it help?\n\n{FALLS} Rest helps in gout [1].", "it continues “Does it help?”"),
        (f"Yes. {FALLS}", "it continues “Yes.”"),
        (f"# Gout\n\n## Flares\n\n{FALLS}\n\n## Rest\n\nRest helps.", "its heading would be empty"),
        (f"It is known that:\n\n- {FALLS}\n\nRest helps.",
         "the list after “It is known that:” would be empty"),
        (f"Two things are known.\n\n- {FALLS}\n- Rest helps in gout.", "“Two things are known.” counts it"),
        (f"It is known that:\n\n- {FALLS}\n- Rest helps in gout.\n\nBoth can be combined.",
         "“Both can be combined.” depends on it"),
        (f"It is known that:\n\n{FALLS}\n\nRest helps.", "“It is known that:” introduces it"),
        (f"{FALLS} In addition, rest helps in gout.", "“In addition, rest helps in …” depends on it"),
        (f"| Drug | Effect |\n|---|---|\n| colchicine | {FALLS} |\n", "its table would be empty"),
    ],
)  # fmt: skip
def test_a_sentence_that_another_needs_cannot_go(text: str, why: str) -> None:
    assert need(text, FALLS) == why


@each_row(
    "text",
    [
        f"{FALLS} Rest helps in gout [1].",
        f"Rest helps in gout. {FALLS} In addition, ice helps in gout [1].",
        f"It is known that:\n\n- {FALLS}\n- Rest helps in gout.\n\nIce is cheap.",
        f"## Flares\n\n{FALLS} Rest helps in gout.\n\n## Ice\n\nIt is cheap.",
        f"| Drug | Effect |\n|---|---|\n| colchicine | {FALLS} |\n| rest | helps in gout |\n",
        FALLS,
    ],
)
def test_a_sentence_that_stands_for_itself_can_go(text: str) -> None:
    assert need(text, FALLS) == ""


def test_what_leans_on_a_sentence_does_not_keep_it_when_it_goes_as_well() -> None:
    text = f"{FALLS} It also shortens them [1]. Rest helps in gout."
    assert need(text, FALLS, "It also shortens them [1].") == ""
    assert need(text, FALLS) != ""


@each_row(
    ("words", "leans"),
    [
        ("Neither alone is enough.", True),
        ("Neither aspirin nor rest is enough.", False),
        ("The first needed half the dose.", True),
        ("The first dose is given at night.", False),
        ("The operation can therefore be considered.", True),
        ("If not, they may be used.", True),
        ("Moreover, it lowers urate.", True),
        ("Moreover, allopurinol lowers urate.", False),
    ],
)
def test_openings_that_mean_nothing_without_the_sentence_before(words: str, leans: bool) -> None:
    assert leans_back(words) is leans
