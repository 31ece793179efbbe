"""Lines of an explanation, as the pages of the server still show them."""

from typing import TYPE_CHECKING

from wellsourced.presentation.explanations import PLAIN_GRADE
from wellsourced.presentation.receipts import describe_usage
from wellsourced.presentation.terminal import TerminalPage

if TYPE_CHECKING:
    from wellsourced.explain.explanation import ExplainedTerm, Explanation


def title_term(one: "ExplainedTerm") -> str:
    """A term with what it stands for: "TTE (transthoracic echocardiography)"."""
    return f"{one.term} ({one.long_form})" if one.long_form else one.term


def unexplained_lines(told: "Explanation", page: TerminalPage) -> list[str]:
    """The terms for which nothing was found, in one place: their reader wants the others."""
    without = [one for one in told.terms if one.answer.abstained]
    if not told.terms:
        return page.wrap("No term is explained: none was found in the order that wants it, as far as can be told.")
    reasons: dict[str, list[str]] = {}
    for one in without:
        reasons.setdefault(one.answer.reason, []).append(title_term(one))
    return page.section("Not explained", (f"{', '.join(terms)}: {reason}" for reason, terms in reasons.items()))


def note_lines(told: "Explanation", page: TerminalPage) -> list[str]:
    """How the explanation was made, how hard it is to read, and what models were asked for it."""
    notes = [*told.notes, *dict.fromkeys(note for one in told.terms for note in one.answer.notes)]
    notes += told.follow_up.notes if told.follow_up else ()
    if told.reading_level is not None:
        is_hard = told.reading_level > PLAIN_GRADE
        hard = f", harder than the {PLAIN_GRADE} that is advised for patients" if is_hard else ""
        notes.append(f"reading level: grade {told.reading_level:.0f} (Flesch–Kincaid){hard}")
    if told.spent.calls or told.spent.cached:
        notes.append(describe_usage(told.spent))
    return page.section("About this explanation", dict.fromkeys(notes))
