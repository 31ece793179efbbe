"""Text for a terminal: wrapped, counted, set in columns, and unable to command the terminal whoever wrote it."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click

REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the order in which a line is read ("Trojan Source", CVE-2021-42574)."""


class Page(NamedTuple):
    """How wide to set text, whether quotes are shown, and whether the terminal takes colours."""

    width: int = 80
    quotes: bool = False
    colour: bool = False

    def heading(self, text: str) -> str:
        """A line that opens a part."""
        return click.style(text, bold=True) if self.colour else text

    def dim(self, lines: Iterable[str]) -> list[str]:
        """Lines that may be passed over."""
        return [click.style(line, dim=True) if self.colour else line for line in lines]

    def wrap(self, text: str, indent: str = "", first: str | None = None) -> list[str]:
        """Text set to the width; links and words are never broken, so that they can be copied."""
        opening = indent if first is None else first
        return textwrap.wrap(
            safe(text), self.width, initial_indent=opening, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def count(number: int, noun: str) -> str:
    """ "1 passage", "1,204 passages", "2 libraries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def size(number: float) -> str:
    """Bytes as people say them: "3.1 GB"."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def safe(text: str) -> str:
    """Text in one line in which no character commands the terminal or turns the direction of reading."""
    return harmless(" ".join(text.split()))


def harmless(text: str) -> str:
    """Text with each commanding character but line ends and tabs replaced by one "�", so that offsets stay true."""
    return "".join("�" if commands(character) else character for character in text)


def commands(character: str) -> bool:
    """Whether a terminal might do something else than print it: control characters, half characters, reordering."""
    if character in "\n\t":
        return False
    return character in REORDERING or unicodedata.category(character) in ("Cc", "Cs")


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Columns as wide as their widest cell; those that hold only figures are set to the right."""
    columns = [[name, *(safe(row[place]) for row in rows)] for place, name in enumerate(header)]
    set_columns = [_column(cells) for cells in columns]
    return "".join("  ".join(cells).rstrip() + "\n" for cells in zip(*set_columns, strict=True))


def _column(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    figures = all(re.fullmatch(r"[\d,.–]+", cell) for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]


def emit(text: str, end: str = "\n") -> None:
    """Print UTF-8 whatever the locale: what another program will read."""
    click.echo((text + end).encode("utf-8"), nl=False)
