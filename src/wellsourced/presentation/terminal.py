"""Text for a terminal: wrapped and set in columns."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click

from wellsourced.text.sanitization import sanitize_line


class TerminalPage(NamedTuple):
    """How text is set.

    quotes    the words that a statement rests on are shown where it is not those very words
    colour    the terminal takes colours
    places    every quote is shown with its section and its characters
    receipt   everything is told of how an answer was found: references in full, each search, what was read besides
    """

    width: int = 80
    quotes: bool = False
    colour: bool = False
    places: bool = False
    receipt: bool = False

    def heading(self, text: str) -> str:
        """A line that opens a part."""
        return click.style(text, bold=True) if self.colour else text

    def headings(self, text: str) -> list[str]:
        """A heading set to the width."""
        return [self.heading(line) for line in self.wrap(text)]

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


def format_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Columns as wide as their widest cell; those that hold only figures are set to the right."""
    columns = [[name, *(sanitize_line(row[place]) for row in rows)] for place, name in enumerate(header)]
    set_columns = [_column(cells) for cells in columns]
    return "".join("  ".join(cells).rstrip() + "\n" for cells in zip(*set_columns, strict=True))


def _column(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    figures = all(re.fullmatch(r"[\d,.–]+", cell) for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]
