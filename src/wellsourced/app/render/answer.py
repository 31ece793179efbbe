"""An answer as text for a terminal. Nothing is decided here."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from wellsourced.app.render import answer_notes as noted
from wellsourced.app.render.references import (
    NumberedReferences,
    escape_citation_marks,
    number_references,
    reference_lines,
)
from wellsourced.app.render.warnings import warning_lines
from wellsourced.app.terminal import TerminalPage, format_count
from wellsourced.citations.reference_styles import CitationStyle
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Answer, Attempt, Citation, Gap, Passage, Question, SourceKind, Statement

KIND_HEADINGS: dict[SourceKind, str] = {
    "research": "From research articles",
    "trial": "From registered trials",
    "book": "From books",
    "own": "From your library",
}
"""The heading over statements without a topic, where others have one."""

RETRACTION_REASONS = ("retracted", "under an expression of concern")
"""How the reasons begin for which a work may not count any more."""

DISCLAIMER = "Not medical advice: check the sources before you act on them."
UNSOURCED_WARNING = "Not medical advice, and without a source: do not act on it."


def render_answer(answer: Answer, page: TerminalPage, style: CitationStyle | None = None) -> str:
    """The whole answer, or why there is none; then what was searched and what is missing.

    style   in which journals would print the references; None: a line that also says what was read
    """
    cited = number_references(answer)
    return join_parts(
        *answer_parts(answer, cited, page, style),
        noted.uncited_lines(answer, cited, page),
        search_lines(answer, page),
        retraction_lines(answer, page),
        gap_lines(answer.gaps, page),
        closing_lines([answer], page),
    )


def answer_parts(
    answer: Answer, cited: NumberedReferences, page: TerminalPage, style: CitationStyle | None = None
) -> Iterator[list[str]]:
    """What is answered, part by part, down to the references."""
    yield from (
        noted.emergency_lines(answer, page),
        noted.basis_lines(answer, page),
        warning_lines(answer, page),
        page.headings(f"No answer is given. {answer.reason}")
        if answer.abstained
        else summary_lines(answer, cited, page),
        noted.choice_lines(answer, page),
        *(topic_lines(statements, cited, page) for statements in group_by_topic(answer, cited)),
        noted.recommendation_lines(answer, page),
        noted.conflict_lines(answer, cited, page),
        noted.study_card_lines(answer, cited, page),
        reference_lines(cited, page, style),
    )


def join_parts(*parts: Sequence[str]) -> str:
    """Parts with an empty line between those that say something."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def summary_lines(answer: Answer, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """The statements that lead, in one paragraph, and whose they are; nothing where none leads."""
    leads = [f"{escape_citation_marks(one.text)} {cited.format_markers(one)}" for one in answer.statements if one.lead]
    return leads and [
        page.heading("In short"),
        *page.wrap(" ".join(leads), "  "),
        *page.dim(authorship_lines(answer, page)),
    ]


def authorship_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Who wrote what follows, where a language model was asked."""
    if answer.writer and answer.basis == "evidence":
        return page.wrap(f"Written by {answer.writer} from the sources below; every statement was checked.", "  ")
    if answer.basis == "evidence" and (answer.spent.calls or answer.spent.cached):
        return page.wrap("The sources' own sentences: nothing that a language model wrote is shown.", "  ")
    return []


def group_by_topic(answer: Answer, cited: NumberedReferences) -> Iterator[tuple[str, list[Statement]]]:
    """Statements under their headings; the heading is "" where none has one."""
    titled = any(statement.topic for statement in answer.statements)
    for topic, statements in groupby(answer.statements, key=lambda statement: statement.topic):
        together = list(statements)
        kinds = {cited.find_reference(citation).kind for one in together for citation in one.citations}
        untitled = KIND_HEADINGS.get(kinds.pop(), "") if len(kinds) == 1 else ""
        yield topic or (titled and (untitled or "From other sources")) or "", together


def topic_lines(named: tuple[str, list[Statement]], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """A heading and its statements, each with its markers and, if wished, the words it rests on."""
    title, statements = named
    lines = page.headings(title)
    for statement in statements:
        lines += statement_lines(statement, cited, page)
    return lines


def statement_lines(statement: Statement, cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """One statement. One that is its quotes word for word is set in quotation marks, not printed twice."""
    quotes = [collapse_whitespace(citation.quote) for citation in statement.citations]
    verbatim = page.quotes and ": ".join(quotes) == statement.text
    text = ": ".join(f"“{quote}”" for quote in quotes) if verbatim else statement.text
    lines = page.wrap(f"{escape_citation_marks(text)} {cited.format_markers(statement)}", "    ", "  • ")
    if verbatim:
        lines += page.dim(page.wrap(quote_locations(statement.citations, cited), "      "))
    elif page.quotes:
        for citation in statement.citations:
            quote = f"“{escape_citation_marks(citation.quote)}” ({quote_locations([citation], cited)})"
            lines += page.dim(page.wrap(quote, "      "))
    return lines


def quote_locations(citations: Sequence[Citation], cited: NumberedReferences) -> str:
    """Where quoted words stand in their sources."""
    told = []
    for place, together in groupby(citations, key=lambda one: passage_location(cited.passages[one.passage_id])):
        spans = " and ".join(f"{citation.start}–{citation.end}" for citation in together)
        told.append(f"{place}characters {spans}")
    return "; ".join(told)


def passage_location(passage: Passage) -> str:
    """The section and the printed page of a passage, as far as it has them."""
    page = f"page {passage.page}" if passage.page else ""
    return "".join(f"{part}, " for part in (passage.section, page) if part)


def search_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """Every source that was asked, what it gave, and how much of it bears on the question; what models were asked."""
    told_first = (*interpretation_lines(answer.question), *answer.notes, *noted.model_use_lines(answer))
    if not answer.attempts and not told_first and not answer.question.given:
        return []
    told = [*told_first, *(f"{describe_attempt(one, answer)}: {describe_outcome(one)}" for one in answer.attempts)]
    if answer.attempts or answer.question.given:
        told += (describe_selection(answer), describe_check(answer))
    return page.section("Searched" if answer.attempts else "How it was answered", told)


def describe_selection(answer: Answer) -> str:
    """How many passages were judged, how many of them were kept, and why the others were not."""
    left_out = Counter(strip_figures(one.reason) for one in answer.dropped if one.what == "passage")
    kept, read = len(answer.evidence), len(answer.evidence) + left_out.total()
    why = "; ".join(f"{number} {reason}" for reason, number in sorted(left_out.items()))
    return f"{read} judged, {kept} kept" + (f" (left out: {why})" if why else "")


def interpretation_lines(question: Question) -> Iterator[str]:
    """What was searched for in place of what was typed; how words were understood besides, and who says so."""
    if question.asked and question.asked != question.text:
        yield f"searched for as “{question.text}”"
    for said, together in groupby(question.expansions, key=lambda one: one.said):
        ways = list(together)
        read = "read" if ways[0].kind == "spelling" else "understood"
        also = "" if ways[0].kind == "spelling" else " also"
        told = (f"“{one.meant}” ({one.kind}, {one.source})" for one in ways)
        yield f"{read} “{said}”{also} as {', '.join(told)}"


def describe_attempt(attempt: Attempt, answer: Answer) -> str:
    """The source, and what it was asked when that is not the question in its own words."""
    words = attempt.search.query.text
    return attempt.search.source + ("" if words == answer.question.text else f", asked “{words}”")


def describe_outcome(attempt: Attempt) -> str:
    """What came of asking one source."""
    if attempt.status == "failed":
        return f"failed ({attempt.error})"
    found = "nothing found" if attempt.status == "empty" else f"{format_count(attempt.found, 'passage')} found"
    return "; ".join((found, *attempt.notes))


def strip_figures(reason: str) -> str:
    """A reason without the figures that differ from passage to passage."""
    return re.sub(r"\s*\(.*?\)", "", reason)


def describe_check(answer: Answer) -> str:
    """How the check went, of what a language model wrote; else how many statements did not pass it, if any."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        return noted.describe_checks(answer.checks)
    number = sum(one.what == "statement" for one in answer.dropped)
    return f"{format_count(number, 'statement')} dropped by the check" if number else ""


def retraction_lines(answer: Answer, page: TerminalPage) -> list[str]:
    """The works that may not count any more, and why: who knows one of them should not miss it here."""
    reasons = {
        one.id.rpartition("#")[0]: one.reason
        for one in answer.dropped
        if one.what == "passage" and one.reason.startswith(RETRACTION_REASONS)
    }
    told = (f"{work}: {reason}" for work, reason in reasons.items())
    return page.section("Left out, since it may not count any more", told)


def gap_lines(missing: Sequence[Gap], page: TerminalPage) -> list[str]:
    """What could have been searched and was not, or could not be."""
    return page.section("Gaps", (f"{gap.source} ({gap.status}): {gap.reason}" for gap in missing))


def closing_lines(answers: Sequence[Answer], page: TerminalPage) -> list[str]:
    """How long it took at most, since they are made at once, and what an answer is not."""
    done = "Searched" if all(answer.abstained for answer in answers) else "Answered"
    seconds = max((sum(answer.timings.values()) for answer in answers), default=0.0)
    warning = UNSOURCED_WARNING if any(answer.basis == "parametric" for answer in answers) else DISCLAIMER
    return page.dim(page.wrap(f"{done} in {seconds:.1f} s. {warning}"))
