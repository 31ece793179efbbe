"""Questions to offer: some that the installed sources answer, and some on the sections beside an answer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.expected_questions.bank import QuestionBank, QuestionRow, is_row_current
from wellsourced.expected_questions.matching import QuestionedLibrary
from wellsourced.presentation.references import name_work, shorten_title
from wellsourced.server.pages import messages
from wellsourced.sources.base import DocumentCatalogue, SourceInfo
from wellsourced.types import Document, Reference

MAX_EXAMPLES = 6

MAX_OWN_EXAMPLES = 2
"""Of libraries without expected questions: their titles are questions only in form."""

MAX_FOLLOW_UPS = 3

SAMPLED_ROWS = 400
"""Rows of a bank that are looked at for examples; it has some for every document."""

PLAIN_BEGINNINGS = ("What is ", "What are ", "When ", "Which ", "How ", "Should ", "Who ")
"""A bank also has questions in keywords and with slips, as people type them: good to match, no example to others."""

PLAIN_LENGTHS = range(25, 76)


MAX_LISTED = 100
"""Guidelines that the first page lists."""


class SourceOverview(NamedTuple):
    """A source; of guidelines the year and title of each, the newest first."""

    about: SourceInfo
    works: list[tuple[int | None, str]]


async def list_examples(context: Context) -> list[str]:
    """Questions that the sources on this machine answer, each of another document."""
    expected: dict[str, str] = {}
    own: list[str] = []
    for source in context.sources:
        bank = source.load_expected_questions() if isinstance(source, QuestionedLibrary) else None
        if bank:
            expected |= {row.document: row.question for row in _sample_rows(bank)}
        else:
            # A source tells its titles only where they are nobody's secret.
            own += [messages.ASK_ABOUT_WORK.format(title=title) for title in (await source.describe()).titles[:1]]
    own = own[:MAX_OWN_EXAMPLES]
    wanted = MAX_EXAMPLES - len(own)
    # Documents are in the order of their subjects: every so many, neighbours are of different ones.
    spread = list(expected.values())[:: max(1, len(expected) // wanted)]
    return [*spread[:wanted], *own]


def _sample_rows(bank: QuestionBank) -> Iterator[QuestionRow]:
    rows = map(bank.row, range(0, len(bank), max(1, len(bank) // SAMPLED_ROWS)))
    yield from (row for row in rows if row and _is_plain(row))


def _is_plain(row: QuestionRow) -> bool:
    question = row.question
    is_asked = question.startswith(PLAIN_BEGINNINGS) and question.endswith("?")
    return is_asked and len(question) in PLAIN_LENGTHS and not row.near_miss


def propose_follow_ups(document: Document, spans: Sequence[tuple[int, int]], context: Context) -> list[str]:
    """Questions on the sections beside those that answered, the nearest first: as somebody expected them, else by
    their headings."""
    at = min((start for start, _ in spans), default=0)
    is_shown = {section.start for section in document.sections if _touches(section.start, section.end, spans)}
    beside = [one for one in document.sections if one.start not in is_shown and one.title]
    beside.sort(key=lambda section: abs(section.start - at))
    rows = [*_find_rows(document, context)]
    proposed: dict[str, None] = {}
    for section in beside:
        inside = (row.question for row in rows if section.start <= row.lines[0].start < section.end)
        title, heading = shorten_title(name_work(document.reference)), section.title.rpartition(" › ")[2]
        # Where somebody wrote questions, a heading ("Limitations") asks worse than nothing.
        question = next(inside, "" if rows else messages.ASK_ABOUT_SECTION.format(title=title, heading=heading))
        proposed |= {question: None} if question else {}
        if len(proposed) == MAX_FOLLOW_UPS:
            break
    return list(proposed)


def _find_rows(document: Document, context: Context) -> Iterator[QuestionRow]:
    """The plain questions that are expected of a document, as far as its text is as it was."""
    name = f'"document":"{document.reference.id}"'.encode()
    for source in context.sources:
        bank = source.load_expected_questions() if isinstance(source, QuestionedLibrary) else None
        for number, line in enumerate(bank.lines if bank else ()):
            # To parse all rows of a bank takes longer than to answer.
            if name in line and bank and (row := bank.row(number)) and _is_plain(row):
                yield from [row] if is_row_current(row, document.text) else []


def _touches(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in spans)


async def describe_sources(context: Context) -> list[SourceOverview]:
    """What a question is put to."""
    searched = []
    for source in context.sources:
        about = await source.describe()
        listed: list[Reference] = []
        if about.kind == "guideline" and not about.live and isinstance(source, DocumentCatalogue):
            listed = await source.list_references("", MAX_LISTED)
        listed.sort(key=lambda one: (-(one.year or 0), one.title))
        searched.append(SourceOverview(about, [(one.year, shorten_title(name_work(one))) for one in listed]))
    return searched
