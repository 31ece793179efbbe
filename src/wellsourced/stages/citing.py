"""Citing: tie what a model drafted to the places its words come from; what cannot be tied is left out, and counted."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.prompts.writing import Drafted
from wellsourced.stages.placing import Shelf, placed
from wellsourced.text.lines import one_line
from wellsourced.types import Citation, Dropped, Quotes, Statement, Verdict

UNCHECKED = Verdict(label="silent", score=0.0, reason="not checked yet")

NOWHERE = "a quote is in no passage read"
UNKNOWN = "it cites a passage that was not read"
NOTHING = "it cites nothing"


class Cited(NamedTuple):
    """Statements whose words are real, those that have none, and where the quotes were found.

    quotes   all that the draft has, those of statements that stand without them among them
    """

    statements: tuple[Statement, ...]
    dropped: tuple[Dropped, ...]
    quotes: Quotes = Quotes()

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        lost, moved = _stand(self.quotes.invented), _stand(self.quotes.misattributed)
        told = (
            f"{lost[0]} in no passage read, and {lost[1]} left out",
            f"{moved[0]} in another passage than the one named, and {moved[2]} cited there",
        )
        counts = (self.quotes.invented, self.quotes.misattributed)
        return tuple(said for said, count in zip(told, counts, strict=True) if count)


def cited(drafted: Sequence[Drafted], shelf: Shelf) -> Cited:
    """The statements with citations in the source's own characters.

    A quote that stands nowhere is left out, and so is a statement that has no other. One that stands in another
    passage than the one named is cited where it stands.
    """
    kept: list[Statement] = []
    dropped: list[Dropped] = []
    fates: Counter[str] = Counter()
    said: set[str] = set()
    for one in drafted:
        places = placed(one.quotes, shelf)
        fates.update(place.fate for place in places)
        citations = tuple(dict.fromkeys(citation for place in places for citation in place.citations))
        text = one_line(one.text)
        if citations and text and text not in said:
            said.add(text)
            kept.append(_statement(one, text, citations))
        elif text not in said:
            dropped.append(left_out(text, _why(one, shelf)))
    return Cited(tuple(kept), tuple(dropped), Quotes.model_validate(fates))


def _stand(count: int) -> tuple[str, str, str]:
    """So many quotes stand, in words, with the verbs that follow."""
    return ("1 quote stands", "was", "is") if count == 1 else (f"{count} quotes stand", "were", "are")


def left_out(text: str, reason: str) -> Dropped:
    """A statement that is not made, and why."""
    return Dropped(what="statement", id="", text=text, reason=reason)


def _why(one: Drafted, shelf: Shelf) -> str:
    if not one.quotes:
        return NOTHING
    return NOWHERE if any(shelf.find(quoted.passage_id) for quoted in one.quotes) else UNKNOWN


def _statement(one: Drafted, text: str, citations: tuple[Citation, ...]) -> Statement:
    return Statement(text=text, citations=citations, verdict=UNCHECKED, topic=one_line(one.topic), lead=one.lead)
