"""Which statement is the short answer where those that the draft gave for it did not stand their check."""

from collections.abc import Mapping, Sequence

from wellsourced.text.passages import words_under_title
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Evidence, Question, Statement, YesNoDecision

LOST_LEAD_NOTE = "the draft's short answer did not stand its check, so the best of the other statements leads"

LOST_PART_NOTE = "part of the draft's short answer did not stand its check and is left out: the rest may not be whole"


def note_lost_leads(drafted: Sequence[Statement], kept: Sequence[Statement]) -> tuple[str, ...]:
    """That of what led the draft nothing stood its check, or not all; () where all did, or where nothing is said."""
    led, leading = (sum(one.lead for one in statements) for statements in (drafted, kept))
    if not kept or leading >= led:
        return ()
    return (LOST_PART_NOTE,) if leading else (LOST_LEAD_NOTE,)


def ensure_lead(
    question: Question, statements: Sequence[Statement], drafted: Sequence[Statement], evidence: Sequence[Evidence]
) -> tuple[Statement, ...]:
    """The statements; where none of those that led has stood, the one that answers best leads in their place.

    That is one of a section or under a topic that led, if any of it stands. Among equals it is the one whose passage is
    relevant and that has, with its titles, most of the question's words. An answer that speaks has a short answer.
    """
    if not statements or any(statement.lead for statement in statements):
        return tuple(statements)
    items = {item.passage.id: item for item in evidence}
    led = {place for one in drafted if one.lead for place in _find_places(one, items)}

    def rank_answer(statement: Statement) -> tuple[int, float]:
        cited = [items[id] for id in statement.cited_ids if id in items]
        said = ((one.relevance, words_under_title(one.passage, statement.text)) for one in cited)
        fitness = max((relevance * stem_coverage(question.text, words) for relevance, words in said), default=0.0)
        return len(_find_places(statement, items).intersection(led)), fitness

    best = max(statements, key=rank_answer)
    return tuple(one.model_copy(update={"lead": one is best}) for one in statements)


def keep_decision(decision: YesNoDecision | None, statements: Sequence[Statement]) -> YesNoDecision | None:
    """The decision, as far as the statement that decides still leads; None where nothing is said."""
    if decision is None or not statements:
        return None
    leads = {one.text for one in statements if one.lead}
    return decision if decision.label == "not said" or decision.statement in leads else YesNoDecision()


def _find_places(statement: Statement, items: Mapping[str, Evidence]) -> set[tuple[str, str]]:
    """The topic of a statement, and the sections of the works that it cites."""
    passages = [items[id].passage for id in statement.cited_ids if id in items]
    sections = {(one.reference.id, one.section) for one in passages if one.section}
    return sections | ({("", statement.topic)} if statement.topic else set())
