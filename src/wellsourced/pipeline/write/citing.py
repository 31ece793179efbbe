"""Cite what a model drafted at the places its words come from; what has no place is left out and counted."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.pipeline.quote_placement import ShownPassages, place_quotes
from wellsourced.prompts.writing import DraftStatement, LocatedQuote
from wellsourced.text.sanitization import one_line
from wellsourced.types import Citation, Omission, QuoteCounts, Statement, Verdict

UNCHECKED = Verdict(label="silent", score=0.0, reason="not checked yet")

QUOTE_NOT_FOUND = "a quote is in no passage read"
UNKNOWN_PASSAGE_CITED = "it cites a passage that was not read"
NOTHING_CITED = "it cites nothing"


class CitedDraft(NamedTuple):
    """Statements whose words are real, those that have none, and where the quotes were found.

    quotes   all that the draft has, those of statements that stand without them among them
    """

    statements: tuple[Statement, ...]
    dropped: tuple[Omission, ...]
    quotes: QuoteCounts = QuoteCounts()

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        lost, moved = self.quotes.invented, self.quotes.misattributed
        told = (
            (lost, f"in no passage read, and {'was' if lost == 1 else 'were'} left out"),
            (moved, f"in another passage than the one named, and {'is' if moved == 1 else 'are'} cited there"),
        )
        return tuple(
            f"{count} {'quote stands' if count == 1 else 'quotes stand'} {where}" for count, where in told if count
        )


def cite_statements(drafted: Sequence[DraftStatement], shelf: ShownPassages) -> CitedDraft:
    """The statements with citations in the source's own characters.

    A quote that stands nowhere is left out, and so is a statement that has no other. One that stands in another
    passage than the one named is cited where it stands.
    """
    kept: list[Statement] = []
    dropped: list[Omission] = []
    fates: Counter[str] = Counter()
    said: set[str] = set()
    for one in drafted:
        places = place_quotes(one.quotes, shelf)
        fates.update(place.kind for place in places)
        citations = tuple(citation for place in places for citation in place.citations)
        if not all(isinstance(quoted, LocatedQuote) for quoted in one.quotes):
            citations = tuple(dict.fromkeys(citations))
        text = one_line(one.text)
        if citations and text and text not in said:
            said.add(text)
            kept.append(_build_statement(one, text, citations))
        elif text not in said:
            dropped.append(Omission.of_statement(text, _omission_reason(one, shelf)))
    return CitedDraft(tuple(kept), tuple(dropped), QuoteCounts.model_validate(fates))


def _omission_reason(one: DraftStatement, shelf: ShownPassages) -> str:
    if not one.quotes:
        return NOTHING_CITED
    return QUOTE_NOT_FOUND if any(shelf.find(quoted.passage_id) for quoted in one.quotes) else UNKNOWN_PASSAGE_CITED


def _build_statement(one: DraftStatement, text: str, citations: tuple[Citation, ...]) -> Statement:
    return Statement(text=text, citations=citations, verdict=UNCHECKED, topic=one_line(one.topic), lead=one.lead)
