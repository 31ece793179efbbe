"""Text for a terminal: wrapped, counted, set in columns, and unable to command the terminal whoever wrote it."""

import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import click

from wellsourced.text.sanitization import REORDERING_MARKS, is_all_visible, is_invisible

SOFT_HYPHEN = "\u00ad"


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


def format_count(number: int, noun: str) -> str:
    """ "1 passage", "1,204 passages", "2 libraries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def format_size(number: float) -> str:
    """Bytes as people say them: "3.1 GB"."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def format_decimal(value: float | None) -> str:
    """Three decimals; a dash for what is not known (None, NaN)."""
    return "–" if value is None or value != value else f"{value:.3f}"


def format_range(low: float | None, high: float | None) -> str:
    """ "0.712–0.803"."""
    return f"{format_decimal(low)}–{format_decimal(high)}"


def sanitize_line(text: str) -> str:
    """Text in one line in which nothing is hidden, commands the terminal or turns the direction of reading."""
    line = " ".join(text.split())
    if not is_all_visible(line):
        line = "".join(letter for before, letter in pairwise(f"\n{line}") if not is_invisible(before, letter))
    return sanitize_text(line)


def sanitize_text(text: str) -> str:
    """Text with each commanding or invisible character but line ends and tabs replaced by one "�": offsets stay true.

    A soft hyphen stays: it stands in many printed texts, and a terminal shows it as a hyphen or not at all.
    """
    if is_all_visible(text):
        return text
    return "".join("�" if is_unsafe(before, letter) else letter for before, letter in pairwise(f"\n{text}"))


def is_unsafe(before: str, character: str) -> bool:
    """Whether a terminal might do something else than print it: controls, half characters, reordering, zero widths."""
    if character in "\n\t" or character == SOFT_HYPHEN:
        return False
    if character in REORDERING_MARKS or is_invisible(before, character):
        return True
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def format_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Columns as wide as their widest cell; those that hold only figures are set to the right."""
    columns = [[name, *(sanitize_line(row[place]) for row in rows)] for place, name in enumerate(header)]
    set_columns = [_column(cells) for cells in columns]
    return "".join("  ".join(cells).rstrip() + "\n" for cells in zip(*set_columns, strict=True))


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """Print rows in columns under a header."""
    click.echo(format_table(rows, header), nl=False)


def _column(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    figures = all(re.fullmatch(r"[\d,.–]+", cell) for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]


def print_utf8(text: str, end: str = "\n") -> None:
    """Print UTF-8 whatever the locale: what another program will read."""
    click.echo((text + end).encode("utf-8"), nl=False)


def print_json(text: str) -> None:
    """Print JSON: its data as they are, for no terminal to act on."""
    print_utf8(escape_unsafe(text))


def print_data(data: object) -> None:
    """Print data as JSON, and what JSON has no form for, such as paths, as text."""
    print_json(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def escape_unsafe(text: str) -> str:
    """JSON of the same data in which what commands a terminal, or is not seen, is written as an escape (\\u202e)."""
    if is_all_visible(text):
        return text
    pairs = pairwise(f"\n{text}")
    return "".join(json.dumps(letter)[1:-1] if is_unsafe(before, letter) else letter for before, letter in pairs)
