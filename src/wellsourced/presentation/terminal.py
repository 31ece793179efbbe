"""Results for a terminal: wrapped, indented and set in columns."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import NamedTuple

import click

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Item, Quote, Text, escape_citation_marks
from wellsourced.presentation.wording import STATUS_MARKS, STATUS_WORDS, format_numbers, name_place
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.text.sanitization import sanitize_line


class TerminalPage(NamedTuple):
    """How text is set.

    quotes    show the words that a statement rests on where it is not those very words
    colour    the terminal takes colours
    places    show every quote with its section and its characters
    receipt   show how an answer was found: references in full, each search, what was read and not cited
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

    def section(self, title: str, items: Iterable[str], indent: str = "    ", first: str = "  ") -> list[str]:
        """A heading with these items below it, each set to the width; nothing without items."""
        lines = [line for item in items for line in self.wrap(item, indent, first)]
        return [self.heading(title), *lines] if lines else []

    def wrap(self, text: str, indent: str = "", first: str | None = None) -> list[str]:
        """Text set to the width; links and words are never broken, so that they can be copied."""
        opening = indent if first is None else first
        return textwrap.wrap(
            sanitize_line(text), self.width, initial_indent=opening, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def write_terminal(
    shown: blocks.Presentation, page: TerminalPage, spell_step: Callable[[NextStep], str], hint: str = ""
) -> str:
    """A result as text, its parts with an empty line between them.

    spell_step   the words in which this terminal says what can be done next
    hint         how to see what a short page leaves out; a page with a receipt leaves nothing out
    """
    writer = _TerminalWriter(page, "" if page.receipt else hint)
    parts: list[list[str]] = []
    is_open = False  # statements follow their heading without an empty line
    arranged = _show_once([*blocks.arrange_blocks(shown, page.details, spell_step)])
    for is_lead, group in groupby(arranged, key=lambda block: isinstance(block, Text) and block.role == "lead"):
        members = [*group]
        written = [writer.write_leads(members)] if is_lead else map(writer.write_block, members)
        for block, lines in zip(members, map(list, written), strict=not is_lead):
            runs_on = isinstance(block, Text | blocks.Group | Quote)
            if lines and is_open and runs_on:
                parts[-1] += lines
            elif lines:
                parts.append(lines)
            is_open = bool(parts) and (runs_on or isinstance(block, blocks.Heading))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


class _TerminalWriter(NamedTuple):
    page: TerminalPage
    hint: str

    def write_block(self, block: blocks.Block, indent: str = "  ") -> Iterator[str]:
        page = self.page
        match block:
            case blocks.Heading():
                parts = (block.prefix, format_numbers(block.citations), escape_citation_marks(block.text))
                yield from page.headings(" ".join(filter(None, parts)))
            case Text() | blocks.Group():
                yield from self.write_text(block, indent)
            case Quote():
                yield from page.wrap(self.format_quotes([block]), "    ", "  ")
            case blocks.SourceSection():
                yield from self.write_section(block)
            case blocks.MarkedText():
                yield from chain.from_iterable(map(self.write_checked, block.statements))
            case blocks.Table():
                yield from page.headings(block.title) if block.title else ()
                yield from format_table(block.rows, block.header).splitlines()
            case blocks.Callout(kind="note") if page.receipt:
                pass  # The steps of a receipt say what the notes say.
            case blocks.List() | blocks.Callout():
                yield from page.headings(escape_citation_marks(block.title)) if block.title else ()
                is_ordered = isinstance(block, blocks.List) and block.is_ordered
                for rank, item in enumerate(block.items, start=1):
                    yield from self.write_item(item, rank if is_ordered else 0)
            case blocks.References():
                yield page.heading("References")
                for work in block.entries:
                    words = work.full if block.is_styled or page.receipt else work.brief
                    yield from page.wrap(escape_citation_marks(words), "      ", f"{f'[{work.number}]':>5} ")
                    yield from page.dim(page.wrap(escape_citation_marks(work.remark), "      "))
            case blocks.Receipt():
                yield from self.write_receipt(block)

    def write_leads(self, texts: Sequence[blocks.Block]) -> Iterator[str]:
        """Statements that run on in a paragraph; places need a line below each, which a paragraph has no room for."""
        leads = [text for text in texts if isinstance(text, Text)]
        if self.page.places and len(leads) > 1:
            yield from chain.from_iterable(self.write_statement(text, "  ") for text in leads)
            return
        words = [f"{self.compose(text)} {_format_markers(text)}" for text in leads[:-1]]
        paragraph = " ".join([*words, self.compose(leads[-1])])
        yield from self.wrap_marked(paragraph, _format_markers(leads[-1]), "  ", "  ")
        yield from chain.from_iterable(self.write_basis(text, "    ") for text in leads)

    def write_text(self, block: Text | blocks.Group, indent: str) -> Iterator[str]:
        page = self.page
        if isinstance(block, blocks.Group):
            yield from page.wrap(f"{escape_citation_marks(block.heading)}:", f"{indent}  ", indent)
            for member in _show_once(block.members):
                yield from self.write_block(member, f"{indent}  ")
        elif block.status:
            yield from self.write_statement(block, indent)
        elif block.role == "strong":
            yield from page.headings(escape_citation_marks(block.text), indent)
        elif block.role == "aside":
            yield from page.dim(page.wrap(escape_citation_marks(block.text), indent))
        else:
            yield from page.wrap(escape_citation_marks(block.text))

    def write_statement(self, text: Text, indent: str) -> Iterator[str]:
        """A statement as a bullet, with the items of its list below it."""
        yield from self.wrap_marked(self.compose(text), _format_markers(text), f"{indent}  ", f"{indent}• ")
        for item in text.items:
            words = escape_citation_marks(item.text)
            yield from self.page.wrap(words, f"{indent}    ", f"{indent}  {text.item_mark} ")
        yield from self.write_basis(text, f"{indent}    ")

    def write_checked(self, text: Text) -> Iterator[str]:
        """A statement of a checked text: its verdict, the reason, and the words that decide, with their offsets."""
        page, status = self.page, text.status or "unjudged"
        words = (STATUS_MARKS[status], escape_citation_marks(text.text), format_numbers(text.citations))
        yield from page.wrap(" ".join(filter(None, words)), "    ", "  ")
        # A mark without words says that the check was passed: its reason may be passed over.
        if status in ("verbatim", "verified"):
            yield from page.dim(page.wrap(text.remark, "      "))
        else:
            yield from page.wrap(": ".join(filter(None, (STATUS_WORDS[status], text.remark))), "      ")
        for quote in text.quotes:
            numbers, (start, end) = format_numbers([quote.locator.number]), quote.spans[0]
            place = ", ".join((numbers, *quote.facts, f"{start}–{end}"))
            yield from page.dim(page.wrap(f"“{escape_citation_marks(quote.words[0])}” ({place})", "      "))

    def compose(self, text: Text) -> str:
        """The words of a statement; with places, a stretch that is a quote word for word is in quotation marks."""
        words = text.text
        for mark in text.marks if self.page.places else ():
            words = f"{words[: mark.start]}“{words[mark.start : mark.end]}”{words[mark.end :]}"
        return escape_citation_marks(words)

    def write_basis(self, text: Text, indent: str) -> Iterator[str]:
        """The words that a statement rests on, unless it consists of them, and their places, as far as these show."""
        page = self.page
        # A statement that consists of its quotes would be printed twice: only the place is new.
        if text.verbatim:
            yield from page.dim(page.wrap(format_places(text.quotes), indent)) if page.places else ()
            return
        for quote in text.quotes:
            section = quote.locator.section.rpartition(" › ")[2]
            for span, words in zip(quote.spans, quote.words, strict=True):
                place = _format_spans(quote, [span]) if page.places else section
                line = f"“{words}” ({place})" if place else f"“{words}”"
                yield from page.dim(page.wrap(escape_citation_marks(line), indent))

    def write_item(self, item: Item, rank: int = 0) -> Iterator[str]:
        """A line of a list, and below it what belongs to it."""
        quoted = self.format_quotes(item.quotes)
        # The words of a warning are on a line of their own: they are what the reader has to weigh.
        is_apart = bool(item.text and quoted and item.role == "strong")
        bullet = {"strong": "! ", "aside": "- "}.get(item.role, "• " if item.quotes or item.items else "")
        first, hanging, inner = f"  {bullet}", "    ", "      "
        if rank:
            first, hanging, inner = f"{rank:>3}. ", "     ", "     "
        elif item.citations:
            first, hanging = f"{format_numbers(item.citations):>5} ", inner
        yield from self.wrap_item(item, "" if is_apart else quoted, hanging, first)
        if is_apart:
            yield from self.page.wrap(quoted, inner)
        for below in item.items:
            quoted = self.format_quotes(below.quotes, with_title=not item.citations)
            mark, hang = ("– ", "  ") if quoted else ("", "")
            yield from self.wrap_item(below, quoted, f"{inner}{hang}", f"{inner}{mark}")

    def wrap_item(self, item: Item, quoted: str, indent: str, first: str) -> list[str]:
        words = ": ".join(filter(None, (escape_citation_marks(item.text), quoted)))
        remark = f" ({escape_citation_marks(item.remark)})" if item.remark else ""
        lines = self.page.wrap(words + remark, indent, first)
        return self.page.dim(lines) if item.role == "aside" else lines

    def format_quotes(self, quotes: Sequence[Quote], *, with_title: bool = True) -> str:
        """The words, and where they are: “…” (Guideline for gout, 2020; Flares)."""
        if not quotes:
            return ""
        words = " … ".join(f"“{collapse_whitespace(stretch)}”" for quote in quotes for stretch in quote.words)
        locator = quotes[0].locator
        place = format_places(quotes) if self.page.places else locator.section.rpartition(" › ")[2]
        place = "; ".join(filter(None, (locator.title if with_title else "", place)))
        return escape_citation_marks(f"{words} ({place})" if place else words)

    def write_section(self, section: blocks.SourceSection) -> Iterator[str]:
        """The lines of a section; those with a mark begin with “>”."""
        yield from self.page.headings(section.title) if section.title else ()
        at = 0
        for line in section.text.split("\n"):
            is_marked = any(mark.start < at + len(line) and mark.end > at for mark in section.marks)
            yield from self.page.wrap(line, "  ", "> " if is_marked else "  ")
            at += len(line) + 1

    def write_receipt(self, receipt: blocks.Receipt) -> Iterator[str]:
        page = self.page
        words = (receipt.closing,) if page.receipt else (receipt.summary, receipt.closing, self.hint.rstrip("."))
        closing = escape_citation_marks("".join(f"{part}. " for part in words if part))
        if page.receipt and receipt.steps:
            yield from [*page.section(receipt.title, map(escape_citation_marks, receipt.steps)), ""]
        yield from page.dim([*page.wrap(closing), *page.wrap(receipt.disclaimer)])

    def wrap_marked(self, text: str, markers: str, indent: str, first: str) -> list[str]:
        """Text set to the width with its markers behind its last word, never alone in a line."""
        lines = self.page.wrap(f"{text} {markers}", indent, first)
        # Markers alone in a line look as if they belonged to what follows.
        if len(lines) > 1 and lines[-1].strip() == markers:
            before, _, word = lines[-2].rpartition(" ")
            if before.strip():
                lines[-2:] = [before, f"{indent}{word} {markers}"]
        return lines


def _show_once(members: Sequence[blocks.Block]) -> Iterator[blocks.Block]:
    """The blocks; the words that a statement shares with the next one are below that one alone."""
    for block, following in zip(members, (*members[1:], None), strict=True):
        if isinstance(block, Text) and isinstance(following, Text) and block.quotes == following.quotes:
            yield replace(block, quotes=())
        else:
            yield block


def _format_markers(text: Text) -> str:
    """The works that a statement rests on, or that it rests on none; what is doubtful or not for this patient."""
    remark = f" ({escape_citation_marks(text.remark)})" if text.remark else ""
    return f"{format_numbers(text.citations) or '[no source]'}{remark}"


def format_places(quotes: Sequence[Quote]) -> str:
    """Where quoted words are in their documents."""
    groups = ([*group] for _, group in groupby(quotes, key=lambda quote: name_place(quote.locator)))
    return "; ".join(_format_spans(group[0], [span for quote in group for span in quote.spans]) for group in groups)


def _format_spans(quote: Quote, spans: Sequence[tuple[int, int]]) -> str:
    """The section and the printed page, as far as there are any, and the characters."""
    *before, last = (f"{start}–{end}" for start, end in spans)
    characters = f"characters {', '.join(before)}{' and ' if before else ''}{last}"
    return ", ".join(filter(None, (name_place(quote.locator), characters)))


def format_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Columns as wide as their widest cell; those that hold only figures are set to the right."""
    columns = [[name, *(sanitize_line(row[place]) for row in rows)] for place, name in enumerate(header)]
    lines = zip(*map(_set_column, columns), strict=True)
    return "".join("  ".join(cells).rstrip() + "\n" for cells in lines)


def _set_column(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    figures = all(re.fullmatch(r"[\d,.–]+", cell) for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]
