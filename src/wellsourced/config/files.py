"""What settings files say: the user's own, and that of the working directory, of which not everything counts."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.config.classification import needs_trust
from wellsourced.config.presets import preset
from wellsourced.config.trust import (
    FILE,
    SettingsContent,
    distrust_reason,
    own_folder,
    read_settings_file,
    trust_command,
)
from wellsourced.errors import SettingsError


class Given(NamedTuple):
    """A value as somebody gave it, and the place where it stands, in words."""

    value: Any
    place: str


class UntrustedSettings(UserWarning):
    """Settings of the working directory's file were left out, because the user does not trust it."""


class FolderFile(NamedTuple):
    """The working directory's file: which of its settings count, and which do not.

    reason   why it is not trusted, "" when it is
    """

    file: SettingsContent
    counted: dict[str, Given]
    ignored: dict[str, Given]
    reason: str

    @property
    def notice(self) -> str:
        """What was left out, why, and what to do, in a sentence; "" when nothing was."""
        if not self.ignored:
            return ""
        *others, last = self.ignored
        names = f"{', '.join(others)} and {last}" if others else last
        return (
            f"{self.file.path} {self.reason}, so what it says of {names} is left out: read the file, then "
            f"`{trust_command(self.file.folder)}` lets it count."
        )


def settings_files() -> list[Path]:
    """The files that there are, the one that counts more last: the user's own, that of the working directory."""
    places = (own_folder() / FILE, Path.cwd() / FILE)
    return [place for place in dict.fromkeys(places) if place.is_file()]


def read_folder_file(folder: Path | None = None) -> FolderFile | None:
    """The settings file of this folder, or of the working directory; None where there is none.

    Raises SettingsError for a file that cannot be read.
    """
    here = folder or Path.cwd()
    file = read_settings_file(here / FILE) if here.resolve() != own_folder().resolve() else None
    if file is None:
        return None
    layer = parse_file(file)
    preset_values = _from_preset(layer)
    guarded = {name for name, given in {**preset_values, **layer}.items() if needs_trust(name, given.value)}
    reason = distrust_reason(file) if guarded else ""
    if not reason:
        return FolderFile(file, {**preset_values, **layer}, {}, "")
    if guarded & preset_values.keys():  # Half of a preset is not that preset.
        preset_values, guarded = {}, guarded | {"preset"}
    counted = {name: given for name, given in {**preset_values, **layer}.items() if name not in guarded}
    return FolderFile(file, counted, {name: layer[name] for name in layer if name in guarded}, reason)


def flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name → value of what stands in tables within tables."""
    for name, value in table.items():
        if isinstance(value, Mapping) and (value or name == "policy"):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def parse_file(file: SettingsContent) -> dict[str, Given]:
    """What a settings file says. Raises SettingsError."""
    try:
        content = tomllib.loads(file.content.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        remedy = "Mend that line, or move the file away."
        raise SettingsError(f"{file.path} is not valid TOML: {error}. {remedy}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file.path} cannot be read: {error}. Mend the file, or move it away.") from error
    return {name: Given(value, f"in {file.path}") for name, value in flat(content)}


def add_preset(layer: dict[str, Given]) -> dict[str, Given]:
    """A layer upon the preset that it names."""
    return {**_from_preset(layer), **layer}


def _from_preset(layer: Mapping[str, Given]) -> dict[str, Given]:
    """What the preset that is named there says. Raises SettingsError for one that does not exist."""
    if "preset" not in layer or not layer["preset"].value:
        return {}
    chosen = preset(str(layer["preset"].value))
    return {name: Given(value, f"in the preset {chosen.name}") for name, value in flat(chosen.settings)}
