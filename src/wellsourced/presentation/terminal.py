"""Results for a terminal: wrapped, indented and set in columns."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

import click

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Quote, Text, emphasize_differences, escape_citation_marks
from wellsourced.presentation.layout import Row, Table, lay_out_comparison, lay_out_lines
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, format_numbers, name_place
from wellsourced.text.sanitization import collapse_whitespace, sanitize_line

MARK = "▌ "
"""Before marked lines, at the margin."""

_LAST_MARKERS = re.compile(r" (?=(?:\[\d+\])+$)")
"""The space before the markers that end a text."""


class TerminalPage(NamedTuple):
    """How text is set.

    quotes    show the words that a statement rests on where it is not those very words
    colour    the terminal takes colours
    places    show every quote with its section and its characters
    receipt   show how an answer was found: each search, what was read and not cited
    """

    width: int = 80
    quotes: bool = False
    colour: bool = False
    places: bool = False
    receipt: bool = False

    def heading(self, text: str) -> str:
        """A line that opens a part."""
        return click.style(text, bold=True) if self.colour else text

    def headings(self, text: str, indent: str = "") -> list[str]:
        """A heading set to the width."""
        return [self.heading(line) for line in self.wrap(text, indent)]

    @property
    def details(self) -> set[Detail]:
        """The blocks that are shown."""
        shown: dict[Detail, bool] = {"short": True, "quotes": self.quotes or self.places, "receipt": self.receipt}
        return {detail for detail, is_shown in shown.items() if is_shown}

    def dim(self, lines: Iterable[str]) -> list[str]:
        """Lines that may be passed over."""
        return [click.style(line, dim=True) if self.colour else line for line in lines]

    def wrap(self, text: str, indent: str = "", first: str | None = None) -> list[str]:
        """Text set to the width; links and words are never broken, so that they can be copied."""
        # Markers alone in a line would look as if they belonged to what follows.
        joined = _LAST_MARKERS.sub("\N{NO-BREAK SPACE}", sanitize_line(text))
        lines = textwrap.wrap(
            joined, self.width, initial_indent=indent if first is None else first, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def write_terminal(
    shown: blocks.Presentation, page: TerminalPage, spell_step: Callable[[NextStep], str] = blocks.skip_step
) -> str:
    """A result as text, its parts with an empty line between them.

    spell_step   the words in which this terminal says what can be done next
    """
    writer = _TerminalWriter(page)
    parts: list[list[str]] = []
    is_open = False  # statements follow their heading without an empty line
    for block in blocks.arrange_blocks(shown, page.details, spell_step):
        lines = [*writer.write_block(block)]
        runs_on = isinstance(block, Text | blocks.ComparisonTable) or (
            isinstance(block, blocks.Excerpt) and block.is_lead
        )
        if lines and is_open and runs_on:
            parts[-1] += lines
        elif lines:
            parts.append(lines)
        is_open = bool(parts) and (runs_on or isinstance(block, blocks.Heading))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


class _TerminalWriter(NamedTuple):
    page: TerminalPage

    def write_block(self, block: blocks.Block) -> Iterator[str]:
        page = self.page
        match block:
            case blocks.Heading():
                yield from page.headings(escape_citation_marks(block.text))
            case Text() if block.status:
                yield from self.write_statement(block)
            case Text():
                yield from self.wrap_line(block, "", "  " if block.role == "strong" else "")
            case blocks.MarkedText():
                for place, (heading, members) in enumerate(blocks.group_statements(block.statements)):
                    yield from [""] if place else []
                    yield from page.headings(heading) if heading else ()
                    for number, statement in enumerate(members):
                        yield from [""] if number and statement.quotes else []
                        yield from self.write_checked(statement)
            case blocks.Excerpt():
                yield from self.write_excerpt(block)
            case blocks.ComparisonTable():
                yield from self.write_table(lay_out_comparison(block), "")
            case blocks.List():
                yield from page.headings(escape_citation_marks(block.title)) if block.title else ()
                for rank, item in enumerate(block.items, start=1):
                    yield from self.write_item(item, rank if block.is_ordered else 0)
            case blocks.References():
                yield page.heading("References")
                for work in block.entries:
                    yield from page.wrap(escape_citation_marks(work.words), "      ", f"{f'[{work.number}]':>5} ")
                    yield from page.dim(page.wrap(escape_citation_marks(work.remark), "      "))

    def write_statement(self, text: Text) -> Iterator[str]:
        """A statement as a bullet, with the items of its list and the words that it rests on below it."""
        page = self.page
        remark = f" ({escape_citation_marks(text.remark)})" if text.remark else ""
        markers = f"{format_numbers(text.citations) or '[no source]'}{remark}"
        yield from page.wrap(f"{escape_citation_marks(text.text)} {markers}", "    ", "  • ")
        for item in text.items:
            yield from page.wrap(escape_citation_marks(item.text), "      ", "    – ")
        for quote in text.quotes:
            section = quote.locator.section.rpartition(" › ")[2]
            for span, words in zip(quote.spans, quote.words, strict=True):
                place = _format_spans(quote, [span]) if page.places else section
                # Words that the statement itself has are not printed twice.
                is_said = collapse_whitespace(words) in text.text
                where = f" ({place})" if place else ""
                said = f"in these words{where}" if page.places else ""
                line = said if is_said else f"“{words}”{where}"
                yield from page.dim(page.wrap(escape_citation_marks(line), "      "))

    def write_excerpt(self, section: blocks.Excerpt) -> Iterator[str]:
        """A section under its headings, as it is laid out in its document; marked lines have a bar at the margin."""
        page, laid = self.page, lay_out_lines(section)
        margin = "  " if section.is_lead else ""
        number = f"[{section.locator.number}] " if section.locator.number else ""
        title = f"{number}{escape_citation_marks(section.title)}"
        yield from map(page.heading, page.wrap(title, f"{margin}{' ' * len(number)}", margin) if section.title else ())
        if page.places and not section.is_lead:
            place = section.locator
            yield from page.dim(page.wrap(f"{place.document}, characters {place.start}–{place.end}", "  "))
        for part in laid.parts:
            if part.is_apart and not section.is_lead:
                yield ""
            if isinstance(part, Table):
                yield from self.write_table(part, margin)
            else:
                indent = f"{margin}  {'  ' * part.depth}"
                words = f"{part.sign} {escape_citation_marks(part.words)}".strip()
                hanging = indent + " " * (len(part.sign) + 1 if part.sign else 0)
                yield from self.mark_lines(page.wrap(words, hanging, indent), is_marked=part.is_marked)
        for sentence in laid.describe_rest(section.rest).split(". "):
            # A command is never broken, so that it can be copied.
            yield from page.dim([f"{margin}  {sanitize_line(sentence)}"] if sentence else [])

    def mark_lines(self, lines: Iterable[str], *, is_marked: bool) -> Iterator[str]:
        """Lines with a bar at the margin, and bold, where they are marked."""
        for line in lines:
            yield self.page.heading(f"{MARK}{line[len(MARK) :]}") if is_marked else line

    def write_table(self, table: Table, margin: str) -> Iterator[str]:
        """A table in columns; row by row where it is too wide for them."""
        indent, width = f"{margin}  ", table.width
        rows = [_list_cells(row) for row in table.lines]
        widths = fit_columns([row for row in rows if len(row) == width], self.page.width - len(indent) - 2 * width + 2)
        for place, (row, cells) in enumerate(zip(table.lines, rows, strict=True)):
            is_header = not place and bool(table.header)
            if len(cells) < width or (is_header and not widths):
                lines = self.page.wrap(" | ".join(cells), indent)
            elif widths:
                columns = [
                    textwrap.wrap(cell, wide, break_on_hyphens=False) for cell, wide in zip(cells, widths, strict=True)
                ]
                set_lines = zip_longest(*columns, fillvalue="")
                lines = [indent + "  ".join(map(str.ljust, line, widths)).rstrip() for line in set_lines]
            else:
                lines = self.page.wrap(_write_record(cells, table.header), f"{indent}    ", indent)
            if not is_header:
                yield from self.mark_lines(lines, is_marked=row.is_marked)
            else:
                yield from map(self.page.heading, lines)
                yield from [indent + "─" * (sum(widths) + 2 * width - 2)] if widths else []

    def write_checked(self, text: Text) -> Iterator[str]:
        """A statement of a checked text, and below it its source's place; words that differ are *marked* in both."""
        page, status = self.page, text.status or "unjudged"
        said = emphasize_differences(escape_citation_marks(text.text), text.marks, _emphasize)
        words = (STATUS_MARKS[status], f"{text.number}." if text.number else "", said, format_numbers(text.citations))
        yield from page.wrap(" ".join(filter(None, words)), "    ", "  ")
        remark = text.remark if text.group else ": ".join(filter(None, (STATUS_WORDS[status], text.remark)))
        yield from page.dim(page.wrap(remark, "      "))
        for quote in text.quotes:
            places = (f"characters {start}–{end}" for start, end in quote.spans if page.places)
            place = ", ".join(filter(None, (escape_citation_marks(quote.locator.section), *quote.facts, *places)))
            number = format_numbers([quote.locator.number])
            yield from page.wrap(f"{number} {place}:", "          ", "      ") if place else ()
            for above in quote.above.splitlines():
                yield from page.dim(page.wrap(escape_citation_marks(above), "        "))
            differing = emphasize_differences(escape_citation_marks(quote.text), quote.marks, _emphasize)
            first = "        " if place else f"      {number} "
            yield from page.wrap(f"“{differing}”", "        ", first)

    def write_item(self, item: Text, rank: int = 0) -> Iterator[str]:
        """A line of a list, and below it what belongs to it."""
        quoted = self.format_quotes(item.quotes)
        # The words of a warning are on a line of their own: they are what the reader has to weigh.
        is_apart = bool(item.text and quoted and item.role == "strong")
        bullet = {"strong": "! ", "aside": "- "}.get(item.role, "• " if item.quotes or item.items else "")
        first, hanging = (f"{rank:>3}. ", "     ") if rank else (f"  {bullet}", "    ")
        yield from self.wrap_line(item, "" if is_apart else quoted, hanging, first)
        yield from self.page.wrap(quoted, "      ") if is_apart else ()
        for below in item.items:
            yield from self.wrap_line(below, self.format_quotes(below.quotes), "      ")

    def wrap_line(self, line: Text, quoted: str, indent: str, first: str | None = None) -> list[str]:
        remark = f"({line.remark})" if line.remark else ""
        words = " ".join(filter(None, (escape_citation_marks(line.text), format_numbers(line.citations), remark)))
        lines = self.page.wrap(": ".join(filter(None, (words, quoted))), indent, first)
        return self.page.dim(lines) if line.role == "aside" else lines

    def format_quotes(self, quotes: Sequence[Quote]) -> str:
        """The words, and where they are: “…” (Guideline for gout, 2020; Flares)."""
        if not quotes:
            return ""
        words = " … ".join(f"“{collapse_whitespace(stretch)}”" for quote in quotes for stretch in quote.words)
        locator = quotes[0].locator
        place = format_places(quotes) if self.page.places else locator.section.rpartition(" › ")[2]
        return escape_citation_marks(f"{words} ({'; '.join(filter(None, (locator.title, place)))})")


def _emphasize(words: str) -> str:
    bare = words.strip()
    return words.replace(bare, f"*{bare}*") if bare else words


def fit_columns(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """How wide columns are so that a table fits; () where words would have to be broken, so that it cannot."""
    columns = [*zip(*rows, strict=True)]
    widths = [max(1, *map(len, column)) for column in columns]
    least = [max((len(word) for cell in column for word in cell.split()), default=1) for column in columns]
    if sum(least) > room:
        return []
    while sum(widths) > room:
        # What is too much is taken from the widest column that can be narrower.
        _, place = max((width, place) for place, width in enumerate(widths) if width > least[place])
        widths[place] -= 1
    return widths


def _list_cells(row: Row) -> list[str]:
    cited = ((sanitize_line(escape_citation_marks(cell)), format_numbers(numbers)) for cell, numbers in row.cited_cells)
    return [" ".join(filter(None, parts)) for parts in cited]


def _write_record(cells: Sequence[str], header: Sequence[str]) -> str:
    """A row in one line: "Oral: Dose: 0.6 mg; Notes: preferred"."""
    named = (": ".join(filter(None, pair)) for pair in zip(header[1:] or cells[1:], cells[1:], strict=True) if pair[1])
    return ": ".join(filter(None, (cells[0], "; ".join(named))))


def format_places(quotes: Sequence[Quote]) -> str:
    """Where quoted words are in their documents."""
    groups = ([*group] for _, group in groupby(quotes, key=lambda quote: name_place(quote.locator)))
    return "; ".join(_format_spans(group[0], [span for quote in group for span in quote.spans]) for group in groups)


def _format_spans(quote: Quote, spans: Sequence[tuple[int, int]]) -> str:
    """The section and the printed page, as far as there are any, and the characters."""
    *before, last = (f"{start}–{end}" for start, end in spans)
    characters = f"characters {', '.join(before)}{' and ' if before else ''}{last}"
    return ", ".join(filter(None, (name_place(quote.locator), characters)))
