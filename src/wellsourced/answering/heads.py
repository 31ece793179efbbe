"""What can be said of the sections that are shown: they answer, they are the closest, or nothing is near."""

from collections.abc import Sequence

from wellsourced.answering.scoring import ScoredSection
from wellsourced.answering.selection import ShownSection
from wellsourced.claims.required_entities import RequiredEntity, find_required_entities
from wellsourced.types import AnswerHead, Question

MIN_SCORE = 0.6
"""Score of the best unit, of 2, below which nothing is near the question."""

NAMED_KINDS = frozenset({"name", "analyte", "condition", "test"})
"""Kinds of things that have to be mentioned."""


def choose_head(
    question: Question, scored: Sequence[ScoredSection], shown: Sequence[ShownSection]
) -> tuple[AnswerHead, tuple[str, ...]]:
    """The head, and what the question names that the documents shown do not mention."""
    if not shown or max((one.units[0].score for one in scored if one.units), default=0.0) < MIN_SCORE:
        return "nothing", ()
    absent = tuple(dict.fromkeys(one.name for one in _list_absent(question, shown)))
    return ("closest" if absent else "in your sources"), absent


def _list_absent(question: Question, shown: Sequence[ShownSection]) -> list[RequiredEntity]:
    documents = {id(one.section.document): one.section.document for one in shown}
    text = "\n".join(f"{one.reference.title}\n{one.text}" for one in documents.values())
    named = [one for one in find_required_entities(question) if one.kind in NAMED_KINDS]
    return [one for one in named if not one.is_covered_by(text)]
