"""Output on this terminal: results in blocks, tables, JSON; sanitized, whoever wrote what they hold."""

import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from wellsourced.app import messages
from wellsourced.app.options import is_plain
from wellsourced.config.loader import wants_colours
from wellsourced.errors import SettingsError
from wellsourced.presentation.blocks import Presentation
from wellsourced.presentation.terminal import TerminalPage, write_terminal
from wellsourced.text.sanitization import escape_unsafe, sanitize_line

WHOLE_LINE = 1_000_000
"""Characters of a line that is not to be broken."""


def detect_page(quotes: bool | None = False, *, receipt: bool = False) -> TerminalPage:
    """Choose how to set text on this terminal, or in a file.

    quotes    with the words behind every statement and their places, or without; None: on a terminal, those that a
              statement does not consist of
    receipt   with everything; quotes only where they are not declined
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return TerminalPage(
        width=WHOLE_LINE if is_plain() else max(40, min(shutil.get_terminal_size().columns, 100)),
        quotes=(terminal or receipt) if quotes is None else quotes,
        colour=terminal and wants_colours() and not is_plain(),
        places=receipt if quotes is None else quotes,
        receipt=receipt,
    )


def print_result(shown: Presentation, page: TerminalPage | None = None, hint: str = "") -> None:
    """Print a result; `hint` is how to see what a short page leaves out."""
    click.echo(
        write_terminal(shown, page or detect_page(), messages.spell_next_step) + (hint and f"{hint}\n"), nl=False
    )


def format_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Columns as wide as their widest cell; those that hold only figures are set to the right."""
    columns = [[name, *(sanitize_line(row[place]) for row in rows)] for place, name in enumerate(header)]
    lines = zip(*map(_set_column, columns), strict=True)
    return "".join("  ".join(cells).rstrip() + "\n" for cells in lines)


def _set_column(cells: Sequence[str]) -> list[str]:
    width = max(map(len, cells))
    figures = all(re.fullmatch(r"[\d,.–]+", cell) for cell in cells[1:])
    return [cell.rjust(width) if figures else cell.ljust(width) for cell in cells]


def print_table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> None:
    """Print rows in columns under a header."""
    click.echo(format_table(rows, header), nl=False)


def print_utf8(text: str, end: str = "\n") -> None:
    """Print UTF-8 whatever the locale: what another program will read."""
    click.echo((text + end).encode("utf-8"), nl=False)


def print_json(text: str) -> None:
    """Print JSON: its data as they are, for no terminal to act on."""
    print_utf8(escape_unsafe(text))


def print_data(data: object) -> None:
    """Print data as JSON, and what JSON has no form for, such as paths, as text."""
    print_json(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def write_file(path: Path, text: str) -> None:
    """Write a file as it is to be read by other programs. Raises SettingsError for a place that cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise SettingsError(messages.cannot_write(path, error.strerror or str(error))) from error
