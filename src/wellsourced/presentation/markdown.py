"""A tree of blocks as Markdown. Foreign text means nothing in it: each piece is escaped, and stays in one line."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from wellsourced.errors import NextStep
from wellsourced.presentation import blocks
from wellsourced.presentation.blocks import Detail, Locator, Presentation, escape_citation_marks, skip_step
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

    def list_lines(self, block: blocks.Block, indent: str = "") -> Iterator[str]:
        """The lines of a block; statements and groups of them are items of a list, from `indent` on."""
        match block:
            case blocks.Heading():
                words = (self.escape(block.prefix), format_numbers(block.citations), self.escape(block.text))
                yield f"{'#' * min(max(block.level, 2), 6)} {' '.join(filter(None, words))}"
            case blocks.Text():
                text = self._end_line(self.escape(block.text), block)
                if block.status:
                    # A checked statement needs no word: what stands out are those that were not verified.
                    word = "" if block.status in ("verbatim", "verified") else STATUS_WORDS[block.status]
                    state = f" *({word})*" if word not in block.remark else ""
                    yield f"{indent}- {text}{state}"
                else:
                    yield f"**{text}**" if block.role == "strong" else text
                yield from self._list_below(block.items, block.quotes, f"{indent}  " if block.status else "")
            case blocks.Group():
                yield f"{indent}- {self.escape(block.heading)}:"
                for member in block.members:
                    yield from self.list_lines(member, f"{indent}  ")
            case blocks.Quote():
                yield from self._list_below((), (block,), "")
            case blocks.SourceSection():
                yield f"### {self.escape(block.title)}\n" if block.title else ""
                at = 0
                for line in block.text.splitlines(keepends=True):
                    is_marked = any(mark.start < at + len(line) and mark.end > at for mark in block.marks)
                    yield f"> **{self.escape(line)}**\\" if is_marked and line.strip() else f"> {self.escape(line)}\\"
                    at += len(line)
                yield f"\n{self._name_quoted(block.locator)}"
            case blocks.MarkedText():
                for statement in block.statements:
                    yield from self.list_lines(statement)
            case blocks.Table():
                yield f"**{self.escape(block.title)}**\n" if block.title else ""
                for row in (block.header, *block.rows):
                    yield f"| {' | '.join(map(self.escape, row))} |"
                    if row is block.header:
                        yield f"|{' --- |' * len(row)}"
            case blocks.List() | blocks.Callout():
                title = self.escape(block.title)
                yield "" if not title else f"## {title}\n" if block.items else f"**{title}**"
                yield from self._list_below(block.items, (), "")
            case blocks.References():
                yield "## References\n" if block.entries else ""
                is_full = block.is_styled or "receipt" in self.options.details
                for entry in block.entries:
                    yield f"{entry.number}. {self._link_work(entry.full if is_full else entry.brief, entry.link)}"
            case blocks.Receipt():
                if "receipt" in self.options.details and block.steps:
                    yield f"## {self.escape(block.title)}\n"
                    yield from (f"- {self.escape(step)}" for step in block.steps)
                else:
                    yield self.escape(f"{'. '.join(filter(None, (block.summary, block.closing)))}.")
                yield f"\n*{self.escape(block.disclaimer)}*"

    def _list_below(self, items: Iterable[blocks.Item], quotes: Iterable[blocks.Quote], indent: str) -> Iterator[str]:
        """What belongs to a line: items and their items, then the words that it rests on."""
        for item in items:
            text = self._end_line(self.escape(item.text), item)
            yield f"{indent}- {f'**{text}**' if item.role == 'strong' else text}"
            yield from self._list_below(item.items, item.quotes, f"{indent}  ")
        for quote in quotes:
            words = " … ".join(map(self.escape, quote.words))
            yield f"\n{indent}> “{words}” {self._name_quoted(quote.locator)}\n"

    def _end_line(self, text: str, line: blocks.Text | blocks.Item) -> str:
        """A line with its works, and what of it is doubtful."""
        none = "[no source]" if isinstance(line, blocks.Text) and line.status else ""
        remark = f"**({self.escape(line.remark)})**" if line.remark else ""
        return " ".join(filter(None, (text, format_numbers(line.citations) or none, remark)))

    def _link_work(self, text: str, link: str) -> str:
        """A work whose address, if it is of the web, is a link."""
        before, address, after = text.rpartition(link) if is_web_address(link) else (text, "", "")
        address = "".join(sanitize_line(address).split()).replace(">", "%3E").replace("<", "%3C")
        return " ".join(filter(None, (self.escape(before), address and f"<{address}>", self.escape(after))))

    def _name_quoted(self, locator: Locator) -> str:
        work = f"[{locator.number}]" if locator.number else self.escape(locator.title)
        return ", ".join(filter(None, (work, self.escape(self.options.name_place(locator)))))
