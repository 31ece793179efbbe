"""Statements in lines: under the headings that they share, lists as lists, with the words they rest on where asked."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.app.render.references import NumberedReferences, escape_citation_marks
from wellsourced.app.terminal import TerminalPage
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Citation, Passage, Statement

MAX_HEADING_WORDS = 25
"""Words of a quote that stands before others as their heading; a longer one is prose."""

MIN_LIST_ITEMS = 3
MIN_CELLS = 2
MIN_LIST_WORDS = 18
"""Words of a statement from which its list is set as lines; a shorter one is read faster as it is."""

MIN_STEPS = 3

MAX_LEAD_WORDS = 60
"""Words of several leading statements that are read as one paragraph."""

_STEP = re.compile(r"\s(?:→|--?>)\s")
_CELL = re.compile(r"[A-Z0-9](?:[^\s:;]*\s){0,4}[^\s:;]*:\s")
"""The head of a column, with a colon, before a cell."""

_SENTENCE_BREAK = re.compile(r"[a-z)\]%]\.\s+[A-Z]")
_SAID_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|[<>≤≥=±+%−]")


class TextLayout(NamedTuple):
    """A statement's text as an introduction and the items of its list; without a list the introduction is all.

    mark   what stands before each item
    """

    intro: str
    items: tuple[str, ...] = ()
    mark: str = "–"


def lay_out_text(text: str) -> TextLayout:
    """Return how a text is set: "Intro: item; item; item" and "a → b → c" as lines where they are long enough.

    In a row of a table ("Row: Head: cell; Head: cell") each cell is a line, whatever semicolons stand in it.
    """
    steps = _STEP.split(text)
    if len(steps) >= MIN_STEPS:
        return TextLayout(steps[0], tuple(steps[1:]), "→")
    pieces = split_outside_brackets(text, "; ")
    if len(text.split()) < MIN_LIST_WORDS or any(map(_SENTENCE_BREAK.search, pieces)):
        return TextLayout(text)
    is_row = any(map(_CELL.match, pieces[1:]))
    parts = split_outside_brackets(pieces[0], ": ")
    kept = 2 if is_row else 1
    items = list(_join_cells(pieces)) if is_row else pieces
    if len(parts) <= kept or len(items) < (MIN_CELLS if is_row else MIN_LIST_ITEMS):
        return TextLayout(text)
    intro = ": ".join(parts[:-kept]) + ":"
    return TextLayout(intro, (items[0][len(intro) + 1 :], *items[1:]))


def _join_cells(pieces: Sequence[str]) -> Iterator[str]:
    """The cells of a row, each with its head: a piece without one belongs to the cell before it."""
    cell = pieces[0]
    for piece in pieces[1:]:
        if _CELL.match(piece):
            yield cell
            cell = piece
        else:
            cell = f"{cell}; {piece}"
    yield cell


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The text at each separator that stands in no bracket."""
    pieces, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        depth += (text[at] in "([{") - (text[at] in ")]}" and depth > 0)
        if not depth and text.startswith(separator, at):
            pieces.append(text[begin:at])
            begin = at = at + len(separator)
        else:
            at += 1
    return [*pieces, text[begin:]]


class HeadedStatement(NamedTuple):
    """A statement whose text is parted into the headings that it quotes first and what is said under them."""

    headings: tuple[str, ...]
    text: str
    statement: Statement


def split_headings(statement: Statement, cited: NumberedReferences) -> HeadedStatement:
    """Part a statement's text into headings and the rest.

    A heading is a quote, or the title of the section that the first quote begins with, with a colon and more behind it.
    """
    headings: list[str] = []
    rest = statement.text
    for citation in statement.citations:
        quote = collapse_whitespace(citation.quote)
        section = cited.passages[citation.passage_id].section.rpartition(" › ")[2]
        heading = quote.rstrip(": ") if headings or not section or not quote.startswith(section) else section
        if not rest.startswith(f"{heading}: ") or len(heading.split()) > MAX_HEADING_WORDS:
            break
        headings.append(heading)
        rest = rest[len(heading) + 2 :]
    first, *others = split_outside_brackets(rest, "; ")
    if headings and ": " not in first and any(map(_CELL.match, others)):
        rest = f"{headings.pop()}: {rest}"
    return HeadedStatement(tuple(headings), rest, statement)


def lead_lines(leads: Sequence[Statement], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """The statements of a short answer: a paragraph where they are one, or plain and short; else one by one."""
    headed = [split_headings(one, cited) for one in leads]
    is_long = page.places or sum(len(one.text.split()) for one in leads) > MAX_LEAD_WORDS
    is_parted = len(leads) > 1 and (is_long or any(one.headings for one in headed))
    if is_parted or any(lay_out_text(one.text).items for one in leads):
        return statement_lines(leads, cited, page)
    first = [f"{_compose_text(one, page)} {cited.format_markers(one.statement)}" for one in headed[:-1]]
    text = " ".join([*first, _compose_text(headed[-1], page)])
    basis = [line for one in leads for line in basis_lines(one, cited, page, "    ")]
    return [*wrap_marked(text, cited.format_markers(leads[-1]), page, "  ", "  "), *basis]


def statement_lines(statements: Sequence[Statement], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """Statements, each with its markers and what the page shows of its basis; headings that they share stand once."""
    return list(_grouped_lines([split_headings(one, cited) for one in statements], cited, page, "  "))


def _grouped_lines(
    items: Sequence[HeadedStatement], cited: NumberedReferences, page: TerminalPage, indent: str
) -> Iterator[str]:
    """Bullets; where some share a heading, all headings stand on lines of their own, else before their statement."""
    groups = [[*together] for _, together in groupby(items, key=lambda one: one.headings[:1])]
    is_parted = any(len(group) > 1 and group[0].headings for group in groups)
    for group in groups:
        if not is_parted or not group[0].headings:
            for one in group:
                yield from _bullet_lines(one, cited, page, indent)
            continue
        shared = _count_shared(group)
        heading = escape_citation_marks(": ".join(group[0].headings[:shared]))
        yield from page.wrap(f"{heading}:", f"{indent}  ", indent)
        below = [one._replace(headings=one.headings[shared:]) for one in group]
        yield from _grouped_lines(below, cited, page, f"{indent}  ")


def _count_shared(members: Sequence[HeadedStatement]) -> int:
    """How many headings, from the first on, all members have."""
    return next(
        (depth for depth, ways in enumerate(zip(*(one.headings for one in members), strict=False)) if len({*ways}) > 1),
        min(len(one.headings) for one in members),
    )


def _bullet_lines(one: HeadedStatement, cited: NumberedReferences, page: TerminalPage, indent: str) -> Iterator[str]:
    layout = lay_out_text(_compose_text(one, page))
    markers = cited.format_markers(one.statement)
    yield from wrap_marked(layout.intro, markers, page, f"{indent}  ", f"{indent}• ")
    for item in layout.items:
        yield from page.wrap(item, f"{indent}    ", f"{indent}  {layout.mark} ")
    yield from basis_lines(one.statement, cited, page, f"{indent}    ")


def _compose_text(one: HeadedStatement, page: TerminalPage) -> str:
    """The headings and the text; with places, a text that is one quote word for word is set in quotation marks."""
    quotes = [collapse_whitespace(citation.quote) for citation in one.statement.citations[-1:]]
    text = f"“{one.text}”" if page.places and quotes == [one.text] else one.text
    return escape_citation_marks(": ".join((*one.headings, text)))


def wrap_marked(text: str, markers: str, page: TerminalPage, indent: str, first: str) -> list[str]:
    """Text set to the width with its markers behind its last word, never alone in a line."""
    lines = page.wrap(f"{text} {markers}", indent, first)
    if len(lines) > 1 and lines[-1].strip() == markers:
        before, _, word = lines[-2].rpartition(" ")
        if before.strip():
            lines[-2:] = [before, f"{indent}{word} {markers}"]
    return lines


def basis_lines(statement: Statement, cited: NumberedReferences, page: TerminalPage, indent: str) -> Iterator[str]:
    """The words that a statement rests on, unless it consists of them, and their places, as far as these are shown."""
    if is_verbatim(statement):
        yield from page.dim(page.wrap(quote_locations(statement.citations, cited), indent)) if page.places else ()
    elif page.quotes:
        for citation in statement.citations:
            section = cited.passages[citation.passage_id].section.rpartition(" › ")[2]
            place = quote_locations([citation], cited) if page.places else section
            told = f"“{escape_citation_marks(citation.quote)}”" + (f" ({place})" if place else "")
            yield from page.dim(page.wrap(told, indent))


def is_verbatim(statement: Statement) -> bool:
    """Whether a statement consists of the words and figures of its quotes, in their order."""
    quotes = " ".join(citation.quote for citation in statement.citations)
    return bool(quotes) and _SAID_TOKEN.findall(statement.text) == _SAID_TOKEN.findall(quotes)


def quote_locations(citations: Sequence[Citation], cited: NumberedReferences) -> str:
    """Where quoted words stand in their sources."""
    told = []
    for place, together in groupby(citations, key=lambda one: passage_location(cited.passages[one.passage_id])):
        *spans, last = (f"{citation.start}–{citation.end}" for citation in together)
        told.append(f"{place}characters {', '.join(spans)}{' and ' if spans else ''}{last}")
    return "; ".join(told)


def passage_location(passage: Passage) -> str:
    """The section and the printed page of a passage, as far as it has them."""
    page = f"page {passage.page}" if passage.page else ""
    return "".join(f"{part}, " for part in (passage.section, page) if part)
