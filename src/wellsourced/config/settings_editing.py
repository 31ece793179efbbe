"""A settings file with some of its settings changed, and everything else as its owner wrote it.

Only the values that change are touched: order, comments, blank lines and the ends of lines stay. A value of several
lines, and a setting that is taken back, stay as comments. The result is read once more, and refused unless it says just
what it should.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from wellsourced.config.settings_files import flatten_tables
from wellsourced.config.settings_statements import SettingStatement, list_statements
from wellsourced.errors import SettingsError

SettingPath = tuple[str, ...]


def edit_settings(text: str, values: Mapping[str, Any], comments: Mapping[str, str]) -> str:
    """The file with these settings, each new one under its comment.

    values     dotted name → text, list of texts, truth or number; None: the setting is taken back
    comments   dotted name → what the setting means

    Raises SettingsError when it cannot be done without a change to something else.
    """
    edited = text
    for name, value in values.items():
        path = tuple(name.split("."))
        standing = next((one for one in list_statements(edited) if one.path == path), None)
        if standing is None:
            edited = edited if value is None else _insert(edited, path, value, comments.get(name, ""))
        elif value is None:
            edited = _withdraw(edited, standing)
        else:
            edited = _replace(edited, standing, value)
    _verify(text, edited, values)
    return edited


def _replace(text: str, standing: SettingStatement, value: Any) -> str:
    """The text with another value in a setting's place."""
    start, end = standing.value
    if "\n" not in text[start:end] or _stays_in_place(standing):
        return text[:start] + format_toml(value) + text[end:]
    begin, finish = _lines_around(text, standing)
    line = f"{text[standing.start : start]}{format_toml(value)}{_line_end(text)}"
    return text[:begin] + _comment_out(text[begin:finish], _line_end(text)) + line + text[finish:]


def _withdraw(text: str, standing: SettingStatement) -> str:
    """The text with a setting as a comment; a key is no longer there at all."""
    if _stays_in_place(standing):
        start, end = standing.value
        return f'{text[:start]}""{text[end:]}'
    begin, finish = _lines_around(text, standing)
    return text[:begin] + _comment_out(text[begin:finish], _line_end(text)) + text[finish:]


def _stays_in_place(standing: SettingStatement) -> bool:
    """Whether a statement never becomes a comment: a key is not kept there, and half a line cannot be one."""
    return standing.path[-1] == "key" or standing.is_inline


def _insert(text: str, path: SettingPath, value: Any, comment: str) -> str:
    """The text with a new setting, in the table that it belongs to."""
    *table, name = path
    if place := _find_place(text, tuple(table)):
        at, written = place
        if at.is_inline_table and at.path == tuple(table):
            inside = at.value[0] + 1
            rest = text[inside:].lstrip(" \t")
            separator = " " if rest.startswith("}") else ", "
            return f"{text[:inside]} {name} = {format_toml(value)}{separator}{rest}"
        _, finish = _lines_around(text, at)
        return _insert_lines(text, finish, _format_lines(".".join((*written, name)), value, comment), before="")
    if table:
        header = f"[{'.'.join(table)}]"
        return _insert_lines(text, len(text), [header, *_format_lines(name, value, comment)], before="\n")
    lines = _format_lines(name, value, comment)
    return _insert_lines(text, _top(text), lines, before="", after="\n" if text[_top(text) :].strip() else "")


def _find_place(text: str, table: SettingPath) -> tuple[SettingStatement, SettingPath] | None:
    """The statement behind which a setting of this table can stand, and how its table is to be written there."""
    statements = [one for one in list_statements(text) if not one.is_inline and len(one.header) <= len(table)]
    as_value = [one for one in statements if one.is_inline_table and one.path == table]
    under_header = [one for one in statements if one.header == table]
    beside = [one for one in statements if table and not one.is_header and one.path[: len(table)] == table]
    for last in [*as_value, *under_header[-1:], *beside[-1:]]:
        return last, table[len(last.header) :]
    return None


def _top(text: str) -> int:
    """Where the first setting of all can stand: behind the comment with which the file begins, if a gap ends it."""
    at = 0
    for line in _split_lines(text):
        if not line.lstrip().startswith("#"):
            return at + len(line) if at and not line.strip() else 0
        at += len(line)
    return at


def _format_lines(name: str, value: Any, comment: str) -> list[str]:
    """A setting, under its comment."""
    told = [f"# {comment[:1].upper()}{comment[1:]}."] if comment else []
    return [*told, f"{name} = {format_toml(value)}"]


def format_toml(value: Any) -> str:
    """A value as TOML has it: its texts, lists and truths are written as in JSON."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _insert_lines(text: str, at: int, lines: list[str], *, before: str, after: str = "") -> str:
    """The text with these lines at this place, which is the beginning or the end of a line."""
    end = _line_end(text)
    gap = end if at and not text[:at].endswith("\n") else ""
    block = "".join(line + end for line in lines)
    opened = before.replace("\n", end) if text[:at].strip() else ""
    return text[:at] + gap + opened + block + after.replace("\n", end) + text[at:]


def _lines_around(text: str, standing: SettingStatement) -> tuple[int, int]:
    """From the beginning of a statement's first line to the end of its last."""
    last = text.find("\n", standing.value[1])
    return text.rfind("\n", 0, standing.start) + 1, last + 1 if last >= 0 else len(text)


def _comment_out(lines: str, end: str) -> str:
    """The lines as comments, the last ended too."""
    told = "".join(f"# {line}" for line in _split_lines(lines))
    return told if told.endswith("\n") else told + end


def _split_lines(text: str) -> list[str]:
    """The lines with their ends. TOML has fewer ends of lines than `str.splitlines`."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _verify(text: str, edited: str, values: Mapping[str, Any]) -> None:
    """Read both files. Raises SettingsError unless they differ in these settings and in nothing else."""
    wanted = dict(flatten_tables(tomllib.loads(text)))
    for name, value in values.items():
        if value is None:
            wanted.pop(name, None)
        else:
            wanted[name] = list(value) if isinstance(value, tuple) else value
    try:
        made = dict(flatten_tables(tomllib.loads(edited)))
    except tomllib.TOMLDecodeError:
        made = {}
    taken_back = {name for name, value in values.items() if value is None and made.get(name) == ""}
    if {name: value for name, value in made.items() if name not in taken_back} != wanted:
        lines = ", ".join(f"{name} = {_show(name, value)}" for name, value in values.items())
        raise SettingsError(f"The file cannot be changed without harm to what else it says: write into it {lines}.")


def _show(name: str, value: Any) -> str:
    """A value for a message; keys are shown to nobody."""
    if value is None:
        return "nothing"
    return "the key" if name.endswith(".key") else format_toml(value)
