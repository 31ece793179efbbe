"""An answer as text for a terminal. Nothing is decided here."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from wellsourced.app import noted
from wellsourced.app.cited import Cited, numbered, references, set_marks_apart
from wellsourced.app.terminal import Page, count
from wellsourced.text.reference_styles import CitationStyle
from wellsourced.text.units import collapse_whitespace
from wellsourced.types import Answer, Attempt, Citation, Gap, Passage, Question, SourceKind, Statement

UNTITLED: dict[SourceKind, str] = {
    "research": "From research articles",
    "book": "From books",
    "own": "From your library",
}
"""The heading over statements without a topic, where others have one."""

WITHDRAWN = ("retracted", "under an expression of concern")
"""How the reasons begin for which a work may not count any more."""

NOT_ADVICE = "Not medical advice: check the sources before you act on them."
UNSOURCED = "Not medical advice, and without a source: do not act on it."


def render(answer: Answer, page: Page, style: CitationStyle | None = None) -> str:
    """The whole answer, or why there is none; then what was searched and what is missing.

    style   in which journals would print the references; None: a line that also says what was read
    """
    cited = numbered(answer)
    return joined(
        *said(answer, cited, page, style),
        noted.uncited(answer, cited, page),
        searched(answer, page),
        withdrawn(answer, page),
        gaps(answer.gaps, page),
        closing([answer], page),
    )


def said(answer: Answer, cited: Cited, page: Page, style: CitationStyle | None = None) -> Iterator[list[str]]:
    """What is answered, part by part, down to the references."""
    yield from (
        noted.alarm(answer, page),
        noted.basis(answer, page),
        refusal(answer, page) if answer.abstained else short(answer, cited, page),
        noted.choice(answer, page),
        *(group(statements, cited, page) for statements in topics(answer, cited)),
        noted.recommendation(answer, page),
        noted.conflicts(answer, cited, page),
        noted.cards(answer, cited, page),
        references(cited, page, style),
    )


def joined(*parts: Sequence[str]) -> str:
    """Parts with an empty line between those that say something."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def refusal(answer: Answer, page: Page) -> list[str]:
    """That there is no answer, and why."""
    return [page.heading(line) for line in page.wrap(f"No answer is given. {answer.reason}")]


def short(answer: Answer, cited: Cited, page: Page) -> list[str]:
    """The statements that lead, in one paragraph, and whose they are; nothing where none leads."""
    leads = [f"{set_marks_apart(one.text)} {cited.markers(one)}" for one in answer.statements if one.lead]
    return leads and [page.heading("In short"), *page.wrap(" ".join(leads), "  "), *page.dim(written(answer, page))]


def written(answer: Answer, page: Page) -> list[str]:
    """Who wrote what follows, where a language model was asked."""
    if answer.writer and answer.basis == "evidence":
        return page.wrap(f"Written by {answer.writer} from the sources below; every statement was checked.", "  ")
    if answer.basis == "evidence" and (answer.spent.calls or answer.spent.cached):
        return page.wrap("The sources' own sentences: nothing that a language model wrote is shown.", "  ")
    return []


def topics(answer: Answer, cited: Cited) -> Iterator[tuple[str, list[Statement]]]:
    """Statements under their headings; the heading is "" where none has one."""
    titled = any(statement.topic for statement in answer.statements)
    for topic, statements in groupby(answer.statements, key=lambda statement: statement.topic):
        together = list(statements)
        kinds = {cited.reference(citation).kind for one in together for citation in one.citations}
        untitled = UNTITLED.get(kinds.pop(), "") if len(kinds) == 1 else ""
        yield topic or (titled and (untitled or "From other sources")) or "", together


def group(named: tuple[str, list[Statement]], cited: Cited, page: Page) -> list[str]:
    """A heading and its statements, each with its markers and, if wished, the words it rests on."""
    title, statements = named
    lines = [page.heading(line) for line in page.wrap(title)]
    for statement in statements:
        lines += bullet(statement, cited, page)
    return lines


def bullet(statement: Statement, cited: Cited, page: Page) -> list[str]:
    """One statement. One that is its quotes word for word is set in quotation marks, not printed twice."""
    quotes = [collapse_whitespace(citation.quote) for citation in statement.citations]
    verbatim = page.quotes and ": ".join(quotes) == statement.text
    text = ": ".join(f"“{quote}”" for quote in quotes) if verbatim else statement.text
    lines = page.wrap(f"{set_marks_apart(text)} {cited.markers(statement)}", "    ", "  • ")
    if verbatim:
        lines += page.dim(page.wrap(places(statement.citations, cited), "      "))
    elif page.quotes:
        for citation in statement.citations:
            lines += page.dim(page.wrap(f"“{set_marks_apart(citation.quote)}” ({places([citation], cited)})", "      "))
    return lines


def places(citations: Sequence[Citation], cited: Cited) -> str:
    """Where quoted words stand in their sources."""
    told = []
    for place, together in groupby(citations, key=lambda citation: standing_in(cited.passages[citation.passage_id])):
        spans = " and ".join(f"{citation.start}–{citation.end}" for citation in together)
        told.append(f"{place}characters {spans}")
    return "; ".join(told)


def standing_in(passage: Passage) -> str:
    """The section and the printed page of a passage, as far as it has them."""
    page = f"page {passage.page}" if passage.page else ""
    return "".join(f"{part}, " for part in (passage.section, page) if part)


def searched(answer: Answer, page: Page) -> list[str]:
    """Every source that was asked, what it gave, and how much of it bears on the question; what models were asked."""
    told_first = (*understood(answer.question), *answer.notes, *noted.asking(answer))
    if not answer.attempts and not told_first and not answer.question.given:
        return []
    lines = [page.heading("Searched" if answer.attempts else "How it was answered")]
    for told in told_first:
        lines += page.wrap(told, "    ", "  ")
    for attempt in answer.attempts:
        lines += page.wrap(f"{asked(attempt, answer)}: {outcome(attempt)}", "    ", "  ")
    if not answer.attempts and not answer.question.given:
        return lines
    left_out = Counter(reason_kind(one.reason) for one in answer.dropped if one.what == "passage")
    kept, read = len(answer.evidence), len(answer.evidence) + left_out.total()
    why = "; ".join(f"{number} {reason}" for reason, number in sorted(left_out.items()))
    told = f"{read} judged, {kept} kept" + (f" (left out: {why})" if why else "")
    return [*lines, *page.wrap(told, "    ", "  "), *unsaid(answer, page)]


def understood(question: Question) -> Iterator[str]:
    """What was searched for in place of what was typed; how words were understood besides, and who says so."""
    if question.asked and question.asked != question.text:
        yield f"searched for as “{question.text}”"
    for said, together in groupby(question.expansions, key=lambda one: one.said):
        ways = list(together)
        read = "read" if ways[0].kind == "spelling" else "understood"
        also = "" if ways[0].kind == "spelling" else " also"
        told = (f"“{one.meant}” ({one.kind}, {one.source})" for one in ways)
        yield f"{read} “{said}”{also} as {', '.join(told)}"


def asked(attempt: Attempt, answer: Answer) -> str:
    """The source, and what it was asked when that is not the question in its own words."""
    words = attempt.search.query.text
    return attempt.search.source + ("" if words == answer.question.text else f", asked “{words}”")


def outcome(attempt: Attempt) -> str:
    """What came of asking one source."""
    if attempt.status == "failed":
        return f"failed ({attempt.error})"
    found = "nothing found" if attempt.status == "empty" else f"{count(attempt.found, 'passage')} found"
    return "; ".join((found, *attempt.notes))


def reason_kind(reason: str) -> str:
    """A reason without the figures that differ from passage to passage."""
    return re.sub(r"\s*\(.*?\)", "", reason)


def unsaid(answer: Answer, page: Page) -> list[str]:
    """How the check went, of what a language model wrote; else how many statements did not pass it."""
    if answer.checks and (answer.spent.calls or answer.spent.cached):
        return page.wrap(noted.told_checks(answer.checks), "    ", "  ")
    number = sum(one.what == "statement" for one in answer.dropped)
    return page.wrap(f"{count(number, 'statement')} dropped by the check", "    ", "  ") if number else []


def withdrawn(answer: Answer, page: Page) -> list[str]:
    """The works that may not count any more, and why: who knows one of them should not miss it here."""
    reasons = {
        one.id.rpartition("#")[0]: one.reason
        for one in answer.dropped
        if one.what == "passage" and one.reason.startswith(WITHDRAWN)
    }
    lines = [page.heading("Left out, since it may not count any more")] if reasons else []
    for work, reason in reasons.items():
        lines += page.wrap(f"{work}: {reason}", "    ", "  ")
    return lines


def gaps(missing: Sequence[Gap], page: Page) -> list[str]:
    """What could have been searched and was not, or could not be."""
    lines = [page.heading("Gaps")] if missing else []
    for gap in missing:
        lines += page.wrap(f"{gap.source} ({gap.status}): {gap.reason}", "    ", "  ")
    return lines


def closing(answers: Sequence[Answer], page: Page) -> list[str]:
    """How long it took at most, since they are made at once, and what an answer is not."""
    done = "Searched" if all(answer.abstained for answer in answers) else "Answered"
    seconds = max((sum(answer.timings.values()) for answer in answers), default=0.0)
    warning = UNSOURCED if any(answer.basis == "parametric" for answer in answers) else NOT_ADVICE
    return page.dim(page.wrap(f"{done} in {seconds:.1f} s. {warning}"))
