"""What a model that plans is told of a source: how much it holds, of when, and on what."""

import re

from wellsourced.prompts.planning import SourceSummary
from wellsourced.sources.base import SourceInfo
from wellsourced.text.tables import read_word_lists

_WORDS = read_word_lists("wellsourced.planners", "source_cards.tsv")
_KINDS = "|".join(_WORDS["kind of document"])
_TASKS = "|".join(_WORDS["task"])
_PEOPLE = "|".join(_WORDS["people"])

_PART_END = re.compile(r"(?<=\w\w):\s|(?<=[a-z)])\.\s(?=[A-Z])")
_OPENING = re.compile(rf"^.*?\b(?:{_KINDS})\s+(?:for|on|to)\s+(?:the\s+)?", re.IGNORECASE)
_BARE_KIND = re.compile(rf"\b(?:{_KINDS})(?:\s+(?:update|report|no\.? ?\d+))*\W*$", re.IGNORECASE)
_TASK = re.compile(
    rf"^(?:(?:{_TASKS})(?:,\s+and|,|\s+and)?\s+)+(?:of|for|in)\s+(?:the\s+)?(?:(?:{_PEOPLE})\s+with\s+)?", re.IGNORECASE
)
_PUBLISHER_AND_YEAR = re.compile(r"^(?:(?:[A-Z][A-Za-z]*/)+[A-Z]\w*\s+|(?:19|20)\d\d\s+)+")


def summarize_source(card: SourceInfo) -> SourceSummary:
    """The card in words. Numbers that are not known are left out, never guessed; where all titles are told, they are
    the subjects."""
    titles = tuple(dict.fromkeys(map(shorten_to_subject, card.titles)))
    return SourceSummary(
        name=card.name,
        kind=card.kind,
        holds=_describe_holdings(card),
        years=f"{card.first} to {card.last}" if card.first and card.last else "",
        subjects=() if titles else card.subjects,
        about=card.about,
        asks=card.asks,
        titles=titles,
    )


def _describe_holdings(card: SourceInfo) -> str:
    if not card.documents:
        return "unknown"
    return f"{card.documents:,} concepts" if card.kind == "graph" else f"{card.documents:,} documents"


def shorten_to_subject(title: str) -> str:
    """The first part of a title that names a subject, without its publisher, the kind of document and its task.

    "2023 A/B Guideline for the Diagnosis and Management of Gout: A Report" is on "Gout". The whole title where none
    does.
    """
    parts = [part.strip() for part in _PART_END.split(title)]
    telling = [part for part in parts if part and not _BARE_KIND.search(part)] or parts
    plain = _PUBLISHER_AND_YEAR.sub("", _OPENING.sub("", telling[0]))
    subject = _TASK.sub("", plain).strip(" .,")
    return subject or title.strip()
