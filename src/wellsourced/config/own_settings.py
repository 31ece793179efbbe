"""The user's own settings file: what it makes of the settings, what of it would change, and writing it.

Only what changes is touched: order, comments, blank lines and line ends stay, as tomlkit keeps them. A value of several
lines, and a setting that is taken back, stay as comments; a key does not. The file may hold keys, so only its owner may
read it, and it is replaced at once: a reader finds the old one or the new one.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit
from pydantic import SecretStr
from tomlkit import TOMLDocument
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, InlineTable, Item, Key, Table

from wellsourced.config.loader import OwnSettings, describe_settings
from wellsourced.config.settings import Settings
from wellsourced.config.settings_files import flatten_tables, parse_settings_file
from wellsourced.config.trust import SETTINGS_FILE, read_settings_file, user_config_folder
from wellsourced.errors import SettingsError
from wellsourced.storage.private_files import write_private_file

FIRST_LINES = "# Settings of wellsourced that differ from the defaults, written by the setup dialogue.\n\n"

SettingPath = tuple[str, ...]
"""The parts of a dotted name."""


class FileChange(NamedTuple):
    """A setting that is to stand otherwise in the file; `value` None: it is taken back, and the default holds."""

    name: str
    value: Any


def own_settings_path() -> Path:
    """Where the user's own settings file lies; of a link, the file that it leads to."""
    return (user_config_folder() / SETTINGS_FILE).resolve()


def plan_changes(answers: Mapping[str, Any], own: OwnSettings) -> list[FileChange]:
    """What of the answers is not so yet. What is as it would be without the file is not written into it."""
    changes = []
    for name, value in answers.items():
        if value != _plain_value(own.settings, name):
            is_default = value == _plain_value(own.without_file, name)
            changes.append(FileChange(name, None if is_default else value))
    return changes


def _plain_value(settings: Settings, name: str) -> Any:
    """A value as a file has it: a text, a list of texts, a truth."""
    value = attrgetter(name)(settings)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return str(value) if isinstance(value, Path) else value


def write_changes(changes: list[FileChange]) -> Path:
    """Change the file as it is now, and say which it is. Raises SettingsError; then it is as it was."""
    path = own_settings_path()
    file = read_settings_file(path)
    if file:
        # It may have been changed since the settings were read, and is refused in the same words.
        parse_settings_file(file)
    text = file.content.decode("utf-8") if file else FIRST_LINES
    edited = edit_settings(text, dict(changes), {name: _describe_setting(name) for name, _ in changes})
    try:
        write_private_file(path, edited)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}). Free space or permit it.") from error
    return path


def _describe_setting(name: str) -> str:
    service, _, last = name.rpartition(".")
    return f"your API key for {service}; never shown" if last == "key" else describe_settings()[name]


def edit_settings(text: str, values: Mapping[str, Any], comments: Mapping[str, str]) -> str:
    """The file with these settings, each new one under its comment.

    values     dotted name → text, list of texts, truth or number; None: the setting is taken back
    comments   dotted name → what the setting means

    Raises SettingsError when it cannot be done without a change to something else.
    """
    edited = text
    try:
        for name, value in values.items():
            edited = _edit_setting(edited, tuple(name.split(".")), value, comments.get(name, ""))
    except TOMLKitError:
        # tomlkit and tomllib differ on rare spellings; what cannot be read by both is left to its owner.
        edited = ""
    _verify(text, edited, values)
    return edited


class Place(NamedTuple):
    """Where a name stands in a file.

    section, at   the line: which one of those under a header, or before the first
    header        how many parts of the name stand in that header
    holder, item  the table that has the last part of the name, and what it has by it
    is_inline     whether it stands within { … }
    """

    section: Container
    at: int
    header: int
    holder: Container
    item: Item
    is_inline: bool

    @property
    def is_dotted(self) -> bool:
        """Whether the line says more of the name than its first part."""
        key = self.section.body[self.at][0]
        return key is not None and key.is_dotted()

    @property
    def text(self) -> str:
        """All of it, from the beginning of its first line to the end of its last."""
        alone = Container()
        alone.body.append(self.section.body[self.at])
        return alone.as_string()


def _find_places(path: SettingPath, section: Container, header: int = 0) -> Iterator[Place]:
    """Everywhere that a name stands under a header: a table may be begun in several lines."""
    for at, (key, item) in enumerate(section.body):
        if key and path and key.key == path[header]:
            place = Place(section, at, header, section, item, False)
            if _is_headed(key, item) and len(path) > header + 1:
                yield from _find_places(path, item.value, header + 1)
            else:
                yield from _open_item(place, path[header + 1 :])


def _open_item(place: Place, rest: SettingPath) -> Iterator[Place]:
    """What a line has by the rest of a name: further parts of a dotted one, or names within { … }."""
    if not rest:
        yield place
    elif isinstance(place.item, Table | InlineTable):
        is_inline = place.is_inline or isinstance(place.item, InlineTable)
        for key, item in place.item.value.body:
            if key and key.key == rest[0]:
                inner = place._replace(holder=place.item.value, item=item, is_inline=is_inline)
                yield from _open_item(inner, rest[1:])


def _is_headed(key: Key, item: Item) -> bool:
    """Whether something begins with a header, and is no line of the section in which it stands."""
    return isinstance(item, AoT) or (isinstance(item, Table) and not key.is_dotted())


def _edit_setting(text: str, path: SettingPath, value: Any, comment: str) -> str:
    document, end = tomlkit.parse(text), "\r\n" if "\r\n" in text else "\n"
    if place := next(_find_places(path, document), None):
        _change(place, path[-1], value, end)
    elif value is not None:
        for place in _find_places(path[:-1], document):
            if isinstance(place.item, InlineTable):
                # At the beginning, where tomlkit sets its comma as a hand would.
                item = _build_item(value)
                item.trivia.indent = " "
                place.item.value.body.insert(0, (tomlkit.key(path[-1]), item))
                return document.as_string()
        ended = text if not text or text.endswith("\n") else text + end
        told = f"# {comment[:1].upper()}{comment[1:]}.{end}" if comment else ""
        edited = _insert(tomlkit.parse(ended), path, format_toml(value), told, end)
        # A last line without an end is given one only where something comes behind it.
        was_last = ended != text and edited.endswith(text.rpartition("\n")[2] + end)
        return edited.removesuffix(end) if was_last else edited
    return document.as_string()


def _change(place: Place, name: str, value: Any, end: str) -> None:
    before, after, fresh = place.text, "", _build_item("" if value is None else value)
    # A key is not kept as a comment, and half a line cannot be one.
    stays = name == "key" or place.is_inline
    if stays or (value is not None and "\n" not in place.item.as_string()):
        place.holder[name] = fresh
        return
    if value is not None:
        place.holder[name] = fresh
        # What was told behind the last of several lines stays there.
        fresh.trivia.comment_ws = fresh.trivia.comment = ""
        after = place.text
    told = re.sub(r"(?ms)^(?=.)", "# ", before)
    del place.section.body[place.at]
    _insert_lines(place.section, place.at, (told if told.endswith("\n") else told + end) + after)


def _insert(document: TOMLDocument, path: SettingPath, value: str, told: str, end: str) -> str:
    """The text with a new setting under its comment, in the table that it belongs to."""
    *table, name = path
    for place in reversed(list(_find_places(path[:-1], document))):
        if place.is_dotted:
            name = ".".join(path[place.header :])
            _insert_lines(place.section, place.at + 1, f"{told}{name} = {value}{end}")
            return document.as_string()
        # For "[a.b]" tomlkit makes a table a that nobody wrote: it has no line, and no place for a setting.
        if isinstance(place.item, Table) and not place.item.is_super_table():
            _insert_lines(place.item.value, _count_lines(place.item.value), f"{told}{name} = {value}{end}")
            return document.as_string()
    if table:
        before = document.as_string()
        header = f"{end if before.strip() else ''}[{'.'.join(table)}]{end}"
        return f"{before}{header}{told}{name} = {value}{end}"
    at = _count_lines(document) or _count_opening(document)
    gap = end if document.body[at:] and not any(key for key, _ in document.body[:at]) else ""
    _insert_lines(document, at, f"{told}{name} = {value}{end}{gap}")
    return document.as_string()


def _count_lines(section: Container) -> int:
    """The lines up to the last setting. Comments further down are no part of it: often they tell of the next header."""
    return max((at + 1 for at, (key, item) in enumerate(section.body) if key and not _is_headed(key, item)), default=0)


def _count_opening(document: Container) -> int:
    """The lines of the comment with which a file begins and that tells of the file, which a gap shows."""
    blank = [not key and not item.as_string().strip() for key, item in document.body]
    return blank.index(True) + 1 if True in blank[1:] else 0


def _insert_lines(section: Container, at: int, text: str) -> None:
    section.body[at:at] = tomlkit.parse(text).body


def _build_item(value: Any) -> Item:
    item: Item = tomlkit.item(list(value) if isinstance(value, tuple) else value)
    return item


def format_toml(value: Any) -> str:
    """A value as TOML has it."""
    return _build_item(value).as_string()


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
        raise SettingsError(f"The file cannot be changed without altering the rest. Add yourself: {lines}.")


def _show(name: str, value: Any) -> str:
    if value is None:
        return "nothing"
    return "the key" if name.endswith(".key") else format_toml(value)
