"""Settings in files: presets, the user's own file, and the working directory's, of which not everything counts."""

import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.config import trust
from wellsourced.config.settings import Settings, find_current_name, is_removed
from wellsourced.errors import NextStep, SettingsError
from wellsourced.types import Value

PRESET_SUFFIX = ".toml"


SETTING_GROUPS = frozenset(
    name
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Value)
)
"""Tables of settings: an empty one in a file changes nothing."""


class Preset(NamedTuple):
    """A name, what it is for, and the settings that it stands for, as they would stand in wellsourced.toml."""

    name: str
    about: str
    settings: dict[str, Any]


def list_presets() -> list[Preset]:
    """All that there are, by name."""
    folder = files("wellsourced.presets")
    names = sorted(one.name.removesuffix(PRESET_SUFFIX) for one in folder.iterdir() if one.name.endswith(PRESET_SUFFIX))
    return [_read_preset(name) for name in names]


def find_preset(name: str) -> Preset:
    """The preset of that name. Raises SettingsError with the nearest names."""
    known = {one.name: one for one in list_presets()}
    if name not in known:
        near = get_close_matches(name, known, 3, 0.4) or list(known)
        raise SettingsError(f"No preset “{name}”. Presets: {', '.join(near)}.", next_step=NextStep("list presets"))
    return known[name]


def _read_preset(name: str) -> Preset:
    content = tomllib.loads(files("wellsourced.presets").joinpath(name + PRESET_SUFFIX).read_text(encoding="utf-8"))
    about = content.pop("about")
    return Preset(name, about, content)


class SettingValue(NamedTuple):
    """A value as somebody gave it, and the place where it stands, in words."""

    value: Any
    place: str


class UntrustedSettings(UserWarning):
    """Settings of the working directory's file were left out, because the user does not trust it."""

    def __init__(self, notice: str, folder: str) -> None:
        super().__init__(notice)
        self.next_step = NextStep("trust folder", folder)


class FolderFile(NamedTuple):
    """The working directory's file: which of its settings count, and which do not.

    reason   why it is not trusted, "" when it is
    """

    file: trust.SettingsFile
    effective: dict[str, SettingValue]
    ignored: dict[str, SettingValue]
    reason: str

    @property
    def notice(self) -> str:
        """What was left out, why, and what to do, in a sentence; "" when nothing was."""
        if not self.ignored:
            return ""
        *others, last = self.ignored
        names = f"{', '.join(others)} and {last}" if others else last
        return (
            f"{self.file.path} {self.reason}, so its values of {names} are ignored. Read the file before you trust it."
        )


def find_settings_files() -> list[Path]:
    """The files that there are, the one that counts more last: the user's own, that of the working directory."""
    places = (trust.user_config_folder() / trust.SETTINGS_FILE, Path.cwd() / trust.SETTINGS_FILE)
    return [place for place in dict.fromkeys(places) if place.is_file()]


def read_folder_file(folder: Path | None = None) -> FolderFile | None:
    """The settings file of this folder, or of the working directory; None where there is none.

    Raises SettingsError for a file that cannot be read.
    """
    here = folder or Path.cwd()
    file = (
        trust.read_settings_file(here / trust.SETTINGS_FILE)
        if here.resolve() != trust.user_config_folder().resolve()
        else None
    )
    if file is None:
        return None
    layer = parse_settings_file(file)
    preset_values = _preset_values(layer)
    guarded = {name for name, given in {**preset_values, **layer}.items() if trust.needs_trust(name, given.value)}
    reason = trust.distrust_reason(file) if guarded else ""
    if not reason:
        return FolderFile(file, {**preset_values, **layer}, {}, "")
    if guarded & preset_values.keys():  # Half of a preset is not that preset.
        preset_values, guarded = {}, guarded | {"preset"}
    counted = {name: given for name, given in {**preset_values, **layer}.items() if name not in guarded}
    return FolderFile(file, counted, {name: layer[name] for name in layer if name in guarded}, reason)


def flatten_tables(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name → value of what stands in tables within tables."""
    for name, value in table.items():
        if isinstance(value, Mapping) and (value or prefix + name in SETTING_GROUPS):
            yield from flatten_tables(value, f"{prefix}{name}.")
        elif not is_removed(prefix + name):
            yield find_current_name(prefix + name), value


def parse_settings_file(file: trust.SettingsFile) -> dict[str, SettingValue]:
    """What a settings file says. Raises SettingsError."""
    try:
        content = tomllib.loads(file.content.decode("utf-8"))
    except tomllib.TOMLDecodeError as error:
        remedy = "Fix that line or remove the file."
        raise SettingsError(f"{file.path} is not valid TOML: {error}. {remedy}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file.path} cannot be read: {error}. Fix the file or remove it.") from error
    return {name: SettingValue(value, f"in {file.path}") for name, value in flatten_tables(content)}


def apply_preset(layer: dict[str, SettingValue]) -> dict[str, SettingValue]:
    """A layer upon the preset that it names."""
    return {**_preset_values(layer), **layer}


def _preset_values(layer: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    """What the preset that is named there says. Raises SettingsError for one that does not exist."""
    if "preset" not in layer or not layer["preset"].value:
        return {}
    chosen = find_preset(str(layer["preset"].value))
    place = f"in the preset {chosen.name}"
    return {name: SettingValue(value, place) for name, value in flatten_tables(chosen.settings)}
