"""The user's own settings file: what it makes of the settings, what of it would change, and writing it.

It may hold keys, so only its owner may read it, and it is replaced at once: a reader finds the old one or the new one.
"""

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import SecretStr

from wellsourced.config.loader import OwnSettings, describe_settings
from wellsourced.config.settings import Settings
from wellsourced.config.settings_editing import edit_settings
from wellsourced.config.trust import SETTINGS_FILE, read_settings_file, user_config_folder
from wellsourced.errors import SettingsError
from wellsourced.storage.private_files import write_private_file

FIRST_LINES = (
    "# Settings of wellsourced, as `wellsourced setup` writes them: only what is not as it is by default.\n"
    "# `wellsourced settings` lists all that can be set.\n\n"
)


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
    try:
        text = file.content.decode("utf-8") if file else FIRST_LINES
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} cannot be read: {error}. Mend the file, or move it away.") from error
    edited = edit_settings(text, dict(changes), {name: _describe_setting(name) for name, _ in changes})
    try:
        write_private_file(path, edited)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}): make room, or permit it.") from error
    return path


def _describe_setting(name: str) -> str:
    """What a setting means, said of the service that it belongs to."""
    service, _, last = name.rpartition(".")
    return f"the key that {service} gave you; shown to nobody" if last == "key" else describe_settings()[name]
