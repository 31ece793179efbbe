"""Presets: settings that belong together, under one name. Each is a file of `wellsourced/presets`."""

import tomllib
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, NamedTuple

from wellsourced.errors import SettingsError

PRESET_SUFFIX = ".toml"


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
        raise SettingsError(f"There is no preset “{name}”; there is {', '.join(near)}. See `wellsourced presets`.")
    return known[name]


def _read_preset(name: str) -> Preset:
    content = tomllib.loads(files("wellsourced.presets").joinpath(name + PRESET_SUFFIX).read_text(encoding="utf-8"))
    about = content.pop("about")
    return Preset(name, about, content)
