"""What of a question nothing that was chosen answers, so that it is not passed off as an answer."""

from collections.abc import Sequence

from wellsourced.claims.asked_terms import AskedTerm, asks_of_alternatives, list_missing_terms
from wellsourced.clinical.asked_quantities import has_asked_figure
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.models.unit_fitness import AskedFor
from wellsourced.text.passages import text_under_titles, words_under_title
from wellsourced.types import Passage

QUALIFYING_KINDS = frozenset({"qualifier"})
"""Kinds of terms that belong to a figure: they have to stand beside it."""


def find_unanswered(question: str, asked: AskedFor, chosen: Sequence[QuoteCandidate]) -> tuple[str, ...]:
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


def _list_passages(chosen: Sequence[QuoteCandidate]) -> list[Passage]:
    return list({one.passage.id: one.passage for one in chosen}.values())


def _has_figure(asked: AskedFor, home: Sequence[QuoteCandidate]) -> bool:
    """Whether a unit has a figure of the sort that is asked for, of a drug that is asked about, as it is qualified."""
    if not asked.quantities:
        return True
    names = [term for term in asked.terms if term.kind == "name"]
    qualifiers = [term for term in asked.terms if term.kind in QUALIFYING_KINDS]
    for one in home:
        text = words_under_title(one.passage, one.unit.text)
        is_named = not names or any(term.is_in(text) for term in names)
        if is_named and has_asked_figure(asked.quantities, one.unit.text) and not list_missing_terms(qualifiers, text):
            return True
    return False


def _describe_figure(asked: AskedFor) -> list[str]:
    of = _join_names([term for term in asked.terms if term.kind in {"name", *QUALIFYING_KINDS}])
    return [f"{quantity.name} {of}".strip() for quantity in asked.quantities]


def _join_names(terms: Sequence[AskedTerm]) -> str:
    return f"({', '.join(term.name for term in terms)})" if terms else ""
