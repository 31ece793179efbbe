"""A source's card as a model is shown it: what the source says of itself, and nothing of ours."""

from wellsourced.prompts.planning import SourceCard
from wellsourced.sources.base import Card


def shown(card: Card) -> SourceCard:
    """The card in words. Numbers that are not known are left out, never guessed."""
    return SourceCard(
        name=card.name,
        kind=card.kind,
        holds=_holds(card),
        years=f"{card.first} to {card.last}" if card.first and card.last else "",
        subjects=card.subjects,
        about=card.about,
        asks=card.asks,
    )


def _holds(card: Card) -> str:
    if not card.documents:
        return "unknown"
    return f"{card.documents:,} concepts" if card.kind == "graph" else f"{card.documents:,} documents"
