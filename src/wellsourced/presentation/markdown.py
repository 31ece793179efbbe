"""A tree of blocks as Markdown: a file, a message of a chat, plain lines for assistants (MCP).

Foreign text means nothing in it: each piece is escaped, and stays in one line.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import CitedWork, Detail, Locator, Presentation, escape_citation_marks, skip_step
from wellsourced.presentation.layout import Line, Table, lay_out_comparison, lay_out_lines
from wellsourced.presentation.wording import STATUS_WORDS, format_numbers, is_web_address, name_place
from wellsourced.text.sanitization import sanitize_line

_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>#|~&"})
_LINE_START = re.compile(r"^(?=[-+=])|^\d{1,9}(?=[.)](?:\s|$))")


def escape_markdown(text: str) -> str:
    """Words that mean nothing in Markdown, in one line."""
    line = escape_citation_marks(sanitize_line(text)).translate(_SPECIAL)
    return _LINE_START.sub(lambda start: f"{start[0]}\\", line)


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """What is written, and how.

    escape       makes foreign text harmless, in one line
    name_place   what stands behind a quote: its work, its section, its page
    spell_step   what a reader can do next, as it is done where this is read; "": that is left out
    """

    details: Collection[Detail] = ("short", "quotes")
    escape: Callable[[str], str] = escape_markdown
    name_place: Callable[[Locator], str] = name_place
    spell_step: Callable[[NextStep], str] = skip_step


def write_markdown(presentation: Presentation, options: MarkdownOptions | None = None) -> str:
    """The whole result under its title."""
    writer = _MarkdownWriter(options or MarkdownOptions())
    shown = blocks.arrange_blocks(presentation, writer.options.details, writer.options.spell_step)
    parts = ("\n".join(writer.list_lines(block)) for block in shown)
    title = [f"# {writer.escape(presentation.title)}"] if presentation.title else []
    text = "\n\n".join((*title, *parts))
    # Foreign text is in one line: empty lines are all ours.
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


class _MarkdownWriter:
    def __init__(self, options: MarkdownOptions) -> None:
        self.options, self.escape = options, options.escape

    def list_lines(self, block: blocks.Block) -> Iterator[str]:
        """The lines of a block; statements are items of a list."""
        match block:
            case blocks.Heading():
                yield f"{'#' * min(max(block.level, 2), 6)} {self.escape(block.text)}"
            case blocks.Text():
                yield from self._list_text(block)
            case blocks.Excerpt():
                yield from self._list_excerpt(block)
            case blocks.ComparisonTable():
                yield from self._list_rows(lay_out_comparison(block))
            case blocks.MarkedText():
                for heading, members in blocks.group_statements(block.statements):
                    yield f"\n## {self.escape(heading)}\n" if heading else ""
                    for statement in members:
                        yield from self._list_text(statement)
            case blocks.List():
                title = self.escape(block.title)
                yield "" if not title else f"## {title}\n" if block.items else f"**{title}**"
                yield from self._list_below(block.items, (), "")
            case blocks.References():
                yield "## References\n"
                for entry in block.entries:
                    yield f"{entry.number}. {self._link_work(entry.words, entry.link)}"

    def _list_text(self, block: blocks.Text) -> Iterator[str]:
        text = self._end_line(block)
        if block.status:
            # A checked statement needs no word: what stands out are those that were not verified.
            word = "" if block.group or block.status in ("verbatim", "verified") else STATUS_WORDS[block.status]
            yield f"- {text}{f' *({word})*' if word not in block.remark else ''}"
        else:
            yield text
        yield from self._list_below(block.items, block.quotes, "  " if block.status else "")

    def _list_excerpt(self, block: blocks.Excerpt) -> Iterator[str]:
        """A section under its headings, quoted as it is laid out in its document, marked lines in bold."""
        laid = lay_out_lines(block)
        number = f"[{block.locator.number}] " if block.locator.number else ""
        yield f"{'#' * block.level} {number}{self.escape(block.title)}\n"
        # In a quotation no line of the document can pose as ours.
        quoted = "\n".join(chain.from_iterable(self._list_parts(laid.parts)))
        yield from (f"> {line}".rstrip() for line in re.sub(r"\n{3,}", "\n\n", quoted).strip("\n").split("\n"))
        # Its headings name the place: what assistants get is how it is opened.
        way = self.options.name_place(replace(block.locator, section="", page=""))
        rest = ". ".join(filter(None, (laid.describe_rest(block.rest).removesuffix("."), way)))
        yield f"\n{self.escape(rest)}" if rest else ""

    def _list_parts(self, parts: Iterable[Line | Table]) -> Iterator[Iterable[str]]:
        depth = -1
        for part in parts:
            if isinstance(part, Table):
                depth = -1
                yield ("", *self._list_rows(part), "")
                continue
            words = self._mark(part.words, is_marked=part.is_marked, is_note=part.is_note)
            # A list cannot begin two levels below the line above it: that would be a block of code.
            depth = min(part.depth if part.sign else part.depth - 1, depth + bool(part.sign))
            # Numbers are text: where lines are left out, a list would be counted anew.
            sign = {"": "", "•": "- "}.get(part.sign, f"- {self.escape(part.sign)} ")
            indent = "    " * (depth if part.sign else depth + 1)
            yield (f"{indent}{sign}{words}",) if sign else ("", f"{indent}{words}", "")

    def _list_rows(self, table: Table) -> Iterator[str]:
        yield f"| {' | '.join(map(self.escape, table.header or [''] * table.width))} |"
        yield f"|{' --- |' * table.width}"
        for row in table.rows:
            cells = (*row.cited_cells, *[("", ())] * (table.width - len(row.cells)))
            marked = (
                f"{self._mark(cell, is_marked=row.is_marked, is_note=row.is_note)} {format_numbers(numbers)}".rstrip()
                for cell, numbers in cells
            )
            yield f"| {' | '.join(marked)} |"

    def _mark(self, text: str, *, is_marked: bool, is_note: bool = False) -> str:
        """Words of a document, in bold where they are marked; words of ours in italics, which no document has."""
        stars = "*" * (2 * is_marked + is_note) if text else ""
        return f"{stars}{self.escape(text)}{stars}"

    def _list_below(self, items: Iterable[blocks.Text], quotes: Iterable[blocks.Quote], indent: str) -> Iterator[str]:
        """What belongs to a line: items and their items, then the words that it rests on."""
        for item in items:
            yield f"{indent}- {self._end_line(item)}"
            yield from self._list_below(item.items, item.quotes, f"{indent}  ")
        for quote in quotes:
            words = " … ".join(map(self.escape, quote.words))
            if quote.above or any(mark.kind == "differs" for mark in quote.marks):
                words = self._emphasize(quote.text, quote.marks)
            above = "".join(f"{indent}> {self.escape(line)}  \n" for line in quote.above.splitlines())
            yield f"\n{above}{indent}> “{words}” {self._name_quoted(quote.locator)}\n"

    def _end_line(self, line: blocks.Text) -> str:
        """A line with its works, and what of it is doubtful."""
        text, signs = self._emphasize(line.text, line.marks), {"strong": "**", "aside": "*"}.get(line.role, "")
        none = "[no source]" if line.status else ""
        remark = f"**({self.escape(line.remark)})**" if line.remark else ""
        words = f"{signs}{text}{signs}" if text else ""
        return " ".join(filter(None, (words, format_numbers(line.citations) or none, remark)))

    def _emphasize(self, text: str, marks: Iterable[blocks.Mark]) -> str:
        """A text, words that differ from the other side in bold."""
        parts = blocks.split_marks(text, (mark for mark in marks if mark.kind == "differs"))
        return "".join(self._mark(part.text, is_marked=part.marked and bool(part.text.strip())) for part in parts)

    def _link_work(self, text: str, link: str) -> str:
        """A work whose address, if it is of the web, is a link."""
        before, address, after = text.rpartition(link) if is_web_address(link) else (text, "", "")
        address = "".join(sanitize_line(address).split()).replace(">", "%3E").replace("<", "%3C")
        return " ".join(filter(None, (self.escape(before), address and f"<{address}>", self.escape(after))))

    def _name_quoted(self, locator: Locator) -> str:
        work = f"[{locator.number}]" if locator.number else self.escape(locator.title)
        return ", ".join(filter(None, (work, self.escape(self.options.name_place(locator)))))


def write_chat_message(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in a message without quotes: statements, what to know before acting on them, references."""
    return write_markdown(presentation, MarkdownOptions({"short"}, spell_step=spell_step))


def list_citations(presentation: Presentation, message: str) -> Iterator[tuple[int, CitedWork]]:
    """Where each number of a work begins in a message; foreign text has none, since writers escape it."""
    lists = (block.entries for block in presentation.blocks if isinstance(block, blocks.References))
    works = {f"[{work.number}]": work for work in chain.from_iterable(lists)}
    for match in re.finditer(r"\[\d+\]", message):
        if match[0] in works:
            yield match.start(), works[match[0]]


def write_tool_text(presentation: Presentation, spell_step: Callable[[NextStep], str] = skip_step) -> str:
    """The result in plain lines: what must come first is first, quotes are word for word, with how to open them."""
    return write_markdown(
        presentation, MarkdownOptions(escape=_write_plain, name_place=_name_passage, spell_step=spell_step)
    )


def _write_plain(text: str) -> str:
    # An assistant repeats quotes: backslashes would change their words. In one line they cannot pose as structure.
    return escape_citation_marks(sanitize_line(text))


def _name_passage(locator: Locator) -> str:
    """The place in a work, the id by which the tool `open` shows it, and the address on the web."""
    link = locator.link if is_web_address(locator.link) else ""
    opened = f"open: {locator.document}#{locator.start}-{locator.end}"
    return ", ".join(filter(None, (name_place(locator), opened, link)))
