"""What a model notes of a study, and of what there is nothing to note."""

from tests.tables import each_row
from tests.world import document
from wellsourced.pipeline.read.screening import build_card
from wellsourced.prompts.evidence import UncheckedCard
from wellsourced.text.passages import cut_passages


@each_row(
    ("text", "has_card"),
    [
        ("A trial of colchicine", False),
        ("Results", False),
        ("Colchicine shortened the gout flare by two days compared with placebo.", True),
    ],
)
def test_of_a_heading_alone_nothing_is_noted(text: str, has_card: bool) -> None:
    (passage,) = cut_passages(document("pubmed:1", text, title="A trial of colchicine"))
    noted = UncheckedCard(summary="Colchicine was compared with placebo.", design="Randomised trial")
    assert bool(build_card(noted, passage)) is has_card
