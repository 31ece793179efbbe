"""Statements in lines: under the headings that they share, lists, tables and steps item by item, with the words they
rest on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from wellsourced.app.render.references import NumberedReferences, escape_citation_marks
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Citation, Passage, Statement

MAX_HEADING_WORDS = 25
"""Words of a quote that stands before others as their heading; a longer one is prose."""

MAX_LEAD_WORDS = 60
"""Words of several leading statements that are read as one paragraph."""

_SAID_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+|[<>≤≥=±+%−]")


class HeadedStatement(NamedTuple):
    """A statement whose text is parted into the headings that it quotes first and what is said under them.

    quoted   its citations but those of the headings
    """

    headings: tuple[str, ...]
    text: str
    statement: Statement
    quoted: tuple[Citation, ...] = ()


MIN_LIST_ITEMS = 3
MINCELL_HEADS = 2
MIN_LIST_WORDS = 18
"""Words of a statement from which its list is set as lines; a shorter one is read faster as it is."""

MIN_STEPS = 3
MIN_STEP_WORDS = 4
"""Words of a step, on average, from which steps are lines; "norepinephrine -> vasopressin" is read as it is."""

_STEP = re.compile(r"\s(?:→|--?>)\s")
CELL_HEAD = re.compile(r"[A-Z0-9](?:[^\s:;]*\s){0,4}[^\s:;]*:\s")
"""The head of a column, with a colon, before a cell."""

_LINE_MARK = re.compile(r"[ \t]*(?:(?:[-•*→]|--?>|\d{1,2}[.)])[ \t]+)?")
"""The indentation of a line, and the mark of an item or a step."""

_SENTENCE_BREAK = re.compile(r"[a-z)\]%]\.\s+[A-Z]")


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
    # Arrows before lists: steps may hold semicolons, and items of a list hold no steps.
    steps = _STEP.split(text)
    if len(steps) >= MIN_STEPS and len(text.split()) >= MIN_STEP_WORDS * len(steps):
        return TextLayout(steps[0], tuple(steps[1:]), "→")
    pieces = split_outside_brackets(text, "; ")
    # A sentence that ends inside a piece shows prose with semicolons, which lines would tear apart.
    if len(text.split()) < MIN_LIST_WORDS or any(map(_SENTENCE_BREAK.search, pieces)):
        return TextLayout(text)
    is_row = any(map(CELL_HEAD.match, pieces[1:]))
    parts = split_outside_brackets(pieces[0], ": ")
    # In a row the last colon belongs to the first cell's head, so the introduction ends one colon earlier.
    kept = 2 if is_row else 1
    items = list(_join_cells(pieces)) if is_row else pieces
    if len(parts) <= kept or len(items) < (MINCELL_HEADS if is_row else MIN_LIST_ITEMS):
        return TextLayout(text)
    intro = ": ".join(parts[:-kept]) + ":"
    return TextLayout(intro, (items[0][len(intro) + 1 :], *items[1:]))


def _join_cells(pieces: Sequence[str]) -> Iterator[str]:
    """The cells of a row, each with its head: a piece without one belongs to the cell before it."""
    cell = pieces[0]
    for piece in pieces[1:]:
        if CELL_HEAD.match(piece):
            yield cell
            cell = piece
        else:
            cell = f"{cell}; {piece}"
    yield cell


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The text at each separator that stands in no bracket."""
    pieces, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        # A closing bracket without its opening one, as in "a) first", must not make the depth negative.
        depth += (text[at] in "([{") - (text[at] in ")]}" and depth > 0)
        if not depth and text.startswith(separator, at):
            pieces.append(text[begin:at])
            begin = at = at + len(separator)
        else:
            at += 1
    return [*pieces, text[begin:]]


class LinePlace(NamedTuple):
    """Where a quote that begins a line of its source stands in a text: how far that line is indented, and its mark."""

    at: int
    indent: int
    has_mark: bool


def lay_out_quotes(
    text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage], *, has_heading: bool
) -> TextLayout:
    """Return how a text of quotes is set that were lines of a list or a table: each outermost line as an item.

    What stands before the first item introduces it; where nothing does, and no heading either, `intro` is "".
    """
    places = list(_find_line_places(text, quoted, passages))
    inner = [place for place in places if place.at]
    if not inner or len(text.split()) < MIN_LIST_WORDS:
        return TextLayout(text)
    # Items below items stay within their item: only the outermost lines of the source become lines here.
    outermost = min(place.indent for place in inner)
    starts = [place.at for place in inner if place.indent == outermost]
    # The first line is an item like the others only if it has their indentation and their mark; else it introduces
    # them.
    is_first_item = places[0].at == 0 and places[0][1:] == next(one for one in inner if one.at == starts[0])[1:]
    pieces = [text[begin:end].strip(" ;→") for begin, end in pairwise([0, *starts, len(text)])]
    mark = "→" if "→" in text[: starts[0]].rstrip()[-1:] else "–"
    if is_first_item or (has_heading and not pieces[0]):
        return TextLayout("", tuple(filter(None, pieces)), mark)
    return TextLayout(pieces[0], tuple(pieces[1:]), mark)


def _find_line_places(text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage]) -> Iterator[LinePlace]:
    """The lines of quotes in their order in the text, but those that a quote begins in their middle."""
    at = 0
    for citation in quoted:
        passage = passages[citation.passage_id]
        before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
        for number, line in enumerate((before + citation.quote).split("\n")):
            mark = line[: _measure_mark(line)]
            words = collapse_whitespace(line[max(len(mark), 0 if number else len(before)) :]).rstrip(" .;:")
            found = text.find(words, at) if words else -1
            if found < 0:
                continue
            at = found + len(words)
            # The first line of a quote counts only if the quote begins where the line does, apart from its mark.
            if number or len(before) <= len(mark):
                yield LinePlace(found, len(mark) - len(mark.lstrip()), bool(mark.strip()))


def _measure_mark(line: str) -> int:
    """Characters of a line's indentation and of the mark behind it."""
    found = _LINE_MARK.match(line)
    return found.end() if found else 0


def fills_line(citation: Citation, passage: Passage) -> bool:
    """Whether nothing but an item's mark stands beside a quote in its line: it is a heading, and no cell of a row."""
    before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
    after = passage.text[citation.end - passage.start :].partition("\n")[0]
    return not re.search(r"[\w|]", before[_measure_mark(before) :] + after)


def split_headings(statement: Statement, cited: NumberedReferences) -> HeadedStatement:
    """Part a statement's text into headings and the rest.

    A heading is a quote that fills its line, or the title of the section that the first quote begins with, with a colon
    and more behind it.
    """
    headings: list[str] = []
    rest = statement.text
    for citation in statement.citations:
        quote = collapse_whitespace(citation.quote)
        section = cited.passages[citation.passage_id].section.rpartition(" › ")[2]
        # A section's title may open a quote without filling a line of its own; only the first quote can begin with it.
        has_title = not headings and section and quote.startswith(section)
        heading = section if has_title else quote.rstrip(": ")
        # Headings are parted only as far as the text repeats them in the same order: behind the first other word they
        # are prose.
        if not rest.startswith(f"{heading}: ") or len(heading.split()) > MAX_HEADING_WORDS:
            break
        if not has_title and not fills_line(citation, cited.passages[citation.passage_id]):
            break
        headings.append(heading)
        rest = rest[len(heading) + 2 :]
    return HeadedStatement(tuple(headings), rest, statement, statement.citations[len(headings) :])


def lead_lines(leads: Sequence[Statement], cited: NumberedReferences, page: TerminalPage) -> list[str]:
    """The statements of a short answer: a paragraph where they are one, or plain and short; else one by one."""
    headed = [split_headings(one, cited) for one in leads]
    # Places need a line below each statement, which a paragraph has no room for.
    is_long = page.places or sum(len(one.text.split()) for one in leads) > MAX_LEAD_WORDS
    is_parted = len(leads) > 1 and (is_long or any(one.headings for one in headed))
    if is_parted or any(lay_out_statement(one, cited, page).items for one in headed):
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
        # A heading over a single statement saves nothing: it stays in front of its words.
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
    """A statement as a bullet, with the items of its list below it; items that nothing introduces are bullets."""
    layout = lay_out_statement(one, cited, page)
    markers = cited.format_markers(one.statement)
    if layout.intro:
        yield from wrap_marked(layout.intro, markers, page, f"{indent}  ", f"{indent}• ")
    for item in layout.items:
        if layout.intro:
            yield from page.wrap(item, f"{indent}    ", f"{indent}  {layout.mark} ")
        else:
            # An item alone bears only the warnings that name its own drug; below a heading they are of the whole.
            own = cited.format_markers(one.statement, "" if one.headings else item)
            yield from wrap_marked(item, own, page, f"{indent}  ", f"{indent}• ")
    yield from basis_lines(one.statement, cited, page, f"{indent}    ")


def lay_out_statement(one: HeadedStatement, cited: NumberedReferences, page: TerminalPage) -> TextLayout:
    """How a statement is set: by the lines that its quotes were, else by what its text looks like."""
    layout = lay_out_quotes(one.text, one.quoted, cited.passages, has_heading=bool(one.headings))
    # Lines of the source are certain; what the text looks like is only the second guess.
    if not layout.items:
        return lay_out_text(_compose_text(one, page))
    intro = escape_citation_marks(": ".join(filter(None, (*one.headings, layout.intro))))
    is_open = intro and not intro.endswith((":", ".", "→"))
    return TextLayout(f"{intro}:" if is_open else intro, tuple(map(escape_citation_marks, layout.items)), layout.mark)


def _compose_text(one: HeadedStatement, page: TerminalPage) -> str:
    """The headings and the text; with places, a text that is one quote word for word is set in quotation marks."""
    quotes = [collapse_whitespace(citation.quote) for citation in one.statement.citations[-1:]]
    text = f"“{one.text}”" if page.places and quotes == [one.text] else one.text
    return escape_citation_marks(": ".join((*one.headings, text)))


def wrap_marked(text: str, markers: str, page: TerminalPage, indent: str, first: str) -> list[str]:
    """Text set to the width with its markers behind its last word, never alone in a line."""
    lines = page.wrap(f"{text} {markers}", indent, first)
    # Markers alone in a line look as if they belonged to what follows.
    if len(lines) > 1 and lines[-1].strip() == markers:
        before, _, word = lines[-2].rpartition(" ")
        if before.strip():
            lines[-2:] = [before, f"{indent}{word} {markers}"]
    return lines


def basis_lines(statement: Statement, cited: NumberedReferences, page: TerminalPage, indent: str) -> Iterator[str]:
    """The words that a statement rests on, unless it consists of them, and their places, as far as these are shown."""
    # A statement that consists of its quotes would be printed twice: only the place is new.
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
