"""Whether what was chosen answers as it is asked, and what of a question nothing answers."""

import re
from collections.abc import Sequence

from wellsourced.claims.asked_terms import AskedTerm, asks_of_alternatives, list_missing_terms
from wellsourced.clinical.asked_quantities import has_asked_figure
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.models.unit_fitness import NAMING_KINDS, QuestionProfile
from wellsourced.text.passages import text_under_titles, words_under_title
from wellsourced.types import Passage

MIN_DIRECT_SHARE = 0.6
"""Share of the best unit's score from which one that answers directly leads in its place."""

DEFINITION_PATTERN = re.compile(
    r"\b(?:defined (?:as|by)|definition|refers to|(?:is|are) (?:an?|the) |known as|characteri[sz]ed by|means)\b",
    re.IGNORECASE,
)

SUBJECT_KINDS = frozenset({"condition", "population"})
"""Kinds of terms that say of whom and of what disease the question is."""

QUALIFYING_KINDS = frozenset({"qualifier"})
"""Kinds of terms that belong to a figure: they have to stand beside it."""


def find_unanswered(question: str, asked: QuestionProfile, chosen: Sequence[QuoteCandidate]) -> tuple[str, ...]:
    """What is asked and stands in nothing that was chosen, each as it is told to a reader; () where all is answered.

    Only sections of guidelines are looked at: each is near every question on its disease. What the question names has
    to stand in the best section, or, where it names alternatives, somewhere in what was chosen of that guideline. A
    figure that is asked for has to stand where its drug does.
    """
    if not chosen or chosen[0].passage.reference.kind != "guideline":
        return ()
    best = chosen[0].passage
    home = [one for one in chosen if one.passage.reference.id == best.reference.id]
    scope = "\n".join(
        text_under_titles(one) for one in _list_passages(home if asks_of_alternatives(question) else home[:1])
    )
    terms = [term for term in asked.terms if term.kind not in QUALIFYING_KINDS]
    if missing := list_missing_terms(terms, scope):
        return tuple(term.name for term in missing)
    return () if _has_figure(asked, home) else tuple(_describe_figure(asked))


def drop_off_subject(asked: QuestionProfile, choices: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """The candidates without sections of guidelines that speak of fewer of the people and diseases than the best one.

    Where it names alternatives, or asks several things, no section has to name them all.
    """
    if not choices or asked.alternatives or asked.asks_parts:
        return list(choices)
    terms = [term for term in asked.terms if term.kind in SUBJECT_KINDS]
    lacking = {
        id: len(list_missing_terms(terms, text_under_titles(passage)))
        for id, passage in {one.passage.id: one.passage for one in choices}.items()
    }
    most = lacking[choices[0].passage.id]
    return [one for one in choices if one.passage.reference.kind != "guideline" or lacking[one.passage.id] <= most]


def _list_passages(chosen: Sequence[QuoteCandidate]) -> list[Passage]:
    return list({one.passage.id: one.passage for one in chosen}.values())


def _has_figure(asked: QuestionProfile, home: Sequence[QuoteCandidate]) -> bool:
    return not asked.quantities or any(has_figure_asked(asked, one) for one in home)


def has_figure_asked(asked: QuestionProfile, choice: QuoteCandidate) -> bool:
    """Whether it has a figure of the sort that is asked for, of a drug that is asked about, as it is qualified."""
    qualifiers = [term for term in asked.terms if term.kind in QUALIFYING_KINDS]
    for unit in choice.parts or (choice.unit,):
        text = words_under_title(choice.passage, unit.text)
        is_named = not asked.names or any(name.is_in(text) for name in asked.names)
        if is_named and has_asked_figure(asked.quantities, unit.text) and not list_missing_terms(qualifiers, text):
            return True
    return False


def answers_directly(asked: QuestionProfile, choice: QuoteCandidate) -> bool:
    """Whether it has the sort of thing that is asked for: a figure, all that is compared, a definition, a list."""
    if asked.quantities:
        return has_figure_asked(asked, choice)
    if asked.alternatives:
        return not list_missing_terms(asked.alternatives, words_under_title(choice.passage, choice.unit.text))
    if asked.is_definition:
        return DEFINITION_PATTERN.search(choice.unit.text) is not None
    return True


def put_direct_first(asked: QuestionProfile, chosen: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    """What was chosen, best first; before that what answers directly, if it is nearly as good."""
    near = [one for one in chosen if one.score >= MIN_DIRECT_SHARE * chosen[0].score]
    direct = next((one for one in near if answers_directly(asked, one)), None)
    return list(chosen) if direct is None else [direct, *(one for one in chosen if one is not direct)]


def _describe_figure(asked: QuestionProfile) -> list[str]:
    of = _join_names([term for term in asked.terms if term.kind in NAMING_KINDS | QUALIFYING_KINDS])
    return [f"{quantity.name} {of}".strip() for quantity in asked.quantities]


def _join_names(terms: Sequence[AskedTerm]) -> str:
    return f"({', '.join(term.name for term in terms)})" if terms else ""
