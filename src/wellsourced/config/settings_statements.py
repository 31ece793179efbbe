"""Where in a settings file each setting stands: the beginning of its name, and its value from the first letter to the
last. The file has to be valid TOML, which `tomllib` says; it says no places, which is why they are looked for here."""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

PIECE = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|.', re.DOTALL)
"""A text, a comment, or one character of anything else."""


class SettingStatement(NamedTuple):
    """One setting, or the header of a table, as it stands in a file.

    path        its whole name, that of its table included
    header      the table under whose header it stands
    start       where its name begins, in characters
    value       where its value begins and ends; of a header: its end, twice
    is_header   whether it is "[table]"
    is_inline   whether it stands within { … }
    is_inline_table   whether its value is { … }
    """

    path: tuple[str, ...]
    header: tuple[str, ...]
    start: int
    value: tuple[int, int]
    is_header: bool = False
    is_inline: bool = False
    is_inline_table: bool = False


def list_statements(text: str) -> list[SettingStatement]:
    """Every setting and every header, in the order of the file."""
    return list(_iterate_statements(text))


def _iterate_statements(text: str) -> Iterator[SettingStatement]:
    header: tuple[str, ...] = ()
    at = 0
    while (at := _skip_blank(text, at)) < len(text):
        if text[at] == "[":
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            header = _read_path(text[at:end].rstrip())
            yield SettingStatement(header, header, at, (end, end), is_header=True)
            at = end
        else:
            for one in _read_setting(text, at, header, header, "\n"):
                yield one
                at = max(at, one.value[1])


def _read_setting(
    text: str, start: int, table: tuple[str, ...], header: tuple[str, ...], ends: str
) -> Iterator[SettingStatement]:
    """The setting that begins here, and those within its value if that is an inline table."""
    equals = _find_end(text, start, "=")
    path = (*table, *_read_path(f"{text[start:equals]} = 0"))
    begin = equals + 1 + len(text[equals + 1 :]) - len(text[equals + 1 :].lstrip(" \t"))
    end = len(text[: _find_end(text, begin, ends)].rstrip())
    is_table = text[begin] == "{"
    is_inline = ends != "\n"
    yield SettingStatement(path, header, start, (begin, end), is_inline=is_inline, is_inline_table=is_table)
    at = begin + 1
    while is_table and (at := _skip_blank(text, at)) < end - 1:
        inner = list(_read_setting(text, at, path, header, ",}"))
        yield from inner
        at = inner[0].value[1]
        at = _find_end(text, at, ",}") + 1


def _find_end(text: str, start: int, ends: str) -> int:
    """Where the first of these stands outside texts, comments and brackets; a comment ends the value of a line."""
    depth = 0
    for piece in PIECE.finditer(text, start):
        found = piece[0]
        if not depth and (found in ends or (found[0] == "#" and "\n" in ends)):
            return piece.start()
        depth += (found in "[{") - (found in "]}")
    return len(text)


def _skip_blank(text: str, at: int) -> int:
    """The next character that is neither white space nor in a comment."""
    blank = re.compile(r"(?:\s|#[^\n]*)*").match(text, at)
    return blank.end() if blank else at


def _read_path(line: str) -> tuple[str, ...]:
    """The names in a header or before an equals sign, as TOML itself reads them."""
    path: list[str] = []
    inner = tomllib.loads(line)
    while isinstance(inner, dict) and inner:
        ((name, inner),) = inner.items()
        path.append(name)
        inner = inner[0] if isinstance(inner, list) else inner
    return tuple(path)
