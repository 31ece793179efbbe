"""The user's own settings file: what of it would change, and writing it.

Only what changes is touched: order, comments and line ends stay, as tomlkit keeps them. The file may hold keys, so only
its owner may read it, and it is replaced at once: a reader finds the old one or the new one.
"""

import re
import tomllib
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import SecretStr
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from wellsourced.config.loader import (
    OwnSettings,
    SettingValue,
    check_setting_names,
    describe_settings,
    flatten_tables,
    parse_settings_file,
    validate_value,
)
from wellsourced.config.settings import Settings
from wellsourced.config.trust import SETTINGS_FILE, read_settings_file, user_config_folder
from wellsourced.errors import SettingsError
from wellsourced.storage.private_files import write_private_file

FIRST_LINES = "# Settings of wellsourced that differ from the defaults.\n\n"


FileChanges = dict[str, Any]
"""Dotted name of a setting → its new value in the file; None: it is removed, and the default applies."""


def own_settings_path() -> Path:
    """Return the path of the user's own settings file; of a link, the file that it leads to."""
    return (user_config_folder() / SETTINGS_FILE).resolve()


def plan_changes(answers: Mapping[str, Any], own: OwnSettings) -> FileChanges:
    """Return the answers that differ from the file. What holds without the file is removed from it."""
    changed = {name: value for name, value in answers.items() if value != _plain_value(own.settings, name)}
    return {name: None if value == _plain_value(own.without_file, name) else value for name, value in changed.items()}


def parse_value(name: str, typed: Any) -> Any:
    """Return the value of a setting as a file has it. Raises SettingsError for an unknown name or a wrong value."""
    return _plain_value(validate_value(name, typed), name)


def plan_removal(name: str) -> FileChanges:
    """Return the change that removes a setting. Raises SettingsError for an unknown name."""
    check_setting_names({name: SettingValue("", "on the command line")})
    return {name: None}


def _plain_value(settings: Settings, name: str) -> Any:
    return _to_plain(attrgetter(name)(settings))


def _to_plain(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return [_to_plain(part) for part in value]
    return str(value) if isinstance(value, Path) else value


def write_changes(changes: FileChanges) -> Path:
    """Change the file as it is now, and return its path. Raises SettingsError; then it is as it was."""
    path = own_settings_path()
    file = read_settings_file(path)
    if file:
        # It may have been changed since the settings were read, and is refused in the same words.
        parse_settings_file(file)
    text = file.content.decode("utf-8") if file else FIRST_LINES
    edited = edit_settings(text, changes)
    try:
        write_private_file(path, edited)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}). Free space or permit it.") from error
    return path


def edit_settings(text: str, values: Mapping[str, Any]) -> str:
    """Return the file with these settings, each new one with its meaning behind it.

    values   dotted name → value; None: the setting is removed

    Raises SettingsError when it cannot be done without a change to something else.
    """
    try:
        document = tomlkit.parse(text)
        for name, value in values.items():
            _edit_setting(document, name, value)
        edited = document.as_string()
    # tomlkit and tomllib differ on rare spellings, and a value may stand where a table would have to be.
    except (TOMLKitError, AttributeError, TypeError):
        edited = ""
    if "\r\n" in text:
        edited = re.sub(r"(?<!\r)\n", "\r\n", edited)
    _verify(text, edited, values)
    return edited


def _edit_setting(document: tomlkit.TOMLDocument, name: str, value: Any) -> None:
    *groups, last = name.split(".")
    table: Any = document
    for group in groups:
        if group not in table:
            if value is None:
                return
            table[group] = tomlkit.table()
        table = table[group]
    if value is None:
        table.pop(last, None)
        return
    item: Item = tomlkit.item(value)
    if last not in table and (meaning := describe_settings().get(name)):
        item.comment(meaning)
    table[last] = item


def format_toml(value: Any) -> str:
    """Format a value as TOML has it."""
    item: Item = tomlkit.item(value)
    return item.as_string()


def _verify(text: str, edited: str, values: Mapping[str, Any]) -> None:
    """Raise SettingsError unless the two files differ in these settings and in nothing else."""
    wanted = dict(flatten_tables(tomllib.loads(text)))
    wanted |= values
    try:
        made = dict(flatten_tables(tomllib.loads(edited)))
    except tomllib.TOMLDecodeError:
        made = {}
    if made != {name: value for name, value in wanted.items() if value is not None}:
        lines = ", ".join(f"{name} = {_show(name, value)}" for name, value in values.items())
        raise SettingsError(f"The file cannot be changed without altering the rest. Add yourself: {lines}.")


def _show(name: str, value: Any) -> str:
    if value is None:
        return "nothing"
    return "the key" if name.endswith(".key") else format_toml(value)
