"""A source's card as a model is shown it: what the source says of itself, and nothing of ours."""

from wellsourced.prompts.planning import SourceSummary
from wellsourced.sources.base import SourceInfo


def summarize_source(card: SourceInfo) -> SourceSummary:
    """The card in words. Numbers that are not known are left out, never guessed."""
    return SourceSummary(
        name=card.name,
        kind=card.kind,
        holds=_describe_holdings(card),
        years=f"{card.first} to {card.last}" if card.first and card.last else "",
        subjects=card.subjects,
        about=card.about,
        asks=card.asks,
    )


def _describe_holdings(card: SourceInfo) -> str:
    if not card.documents:
        return "unknown"
    return f"{card.documents:,} concepts" if card.kind == "graph" else f"{card.documents:,} documents"
