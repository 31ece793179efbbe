"""Settings as they hold here and now: the only module that reads the environment.

A setting comes from the defaults < the user's own wellsourced.toml < that of the working directory < the environment
(WELLSOURCED_…) < flags; the last one that gives it counts. Of the working directory's file counts what any folder may
say, and the rest only when the user trusts it. A preset stands just below whatever names it. A name that no setting
has is refused, wherever it is.
"""

import os
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.config.settings import Settings
from wellsourced.config.trust import (
    SETTINGS_FILE,
    SettingsFile,
    distrust_reason,
    needs_trust,
    read_settings_file,
    user_config_folder,
)
from wellsourced.errors import NextStep, SettingsError
from wellsourced.models.providers.provider_registry import PROVIDERS
from wellsourced.text.urls import hide_secrets
from wellsourced.types import Value

PRESET_SUFFIX = ".toml"


SETTING_GROUPS = frozenset(
    name
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Value)
)
"""Tables of settings: an empty one in a file changes nothing."""


class Preset(NamedTuple):
    """A name, what it is for, and the settings that it stands for, as they would stand in wellsourced.toml.

    command   the only command that it is for; "": all that answer questions
    """

    name: str
    about: str
    settings: dict[str, Any]
    command: str = ""


def list_presets() -> list[Preset]:
    """All that there are, by name."""
    found = []
    for file in sorted(files("wellsourced.presets").iterdir(), key=lambda file: file.name):
        if file.name.endswith(PRESET_SUFFIX):
            content = tomllib.loads(file.read_text(encoding="utf-8"))
            about, command = content.pop("about"), content.pop("command", "")
            found.append(Preset(file.name.removesuffix(PRESET_SUFFIX), about, content, command))
    return found


def find_preset(name: str) -> Preset:
    """The preset of that name. Raises SettingsError with the nearest names."""
    known = {one.name: one for one in list_presets()}
    if name not in known:
        # Papers have names of their own for what presets do: "lins-herd" is LINS's hierarchy.
        parts = name.casefold().split("-")
        told = {one.name: f"{one.name} {one.about}".casefold() for one in known.values()}
        whole = [one for one, words in told.items() if all(part in words for part in parts)]
        near = (*get_close_matches(name, known, 3, 0.8), *whole, *get_close_matches(name, known, 3, 0.4))
        names = ", ".join([*dict.fromkeys(near)][:3] or known)
        raise SettingsError(f"No preset “{name}”. Presets: {names}.", next_step=NextStep("list presets"))
    return known[name]


def require_preset_of_questions(name: str) -> None:
    """Raise SettingsError for a preset that answers no questions."""
    if name and (command := find_preset(name).command):
        raise SettingsError(f"The preset {name} is for {command}, and answers no questions.")


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

    file: SettingsFile
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
    places = (user_config_folder() / SETTINGS_FILE, Path.cwd() / SETTINGS_FILE)
    return [place for place in dict.fromkeys(places) if place.is_file()]


def read_folder_file(folder: Path | None = None) -> FolderFile | None:
    """The settings file of this folder, or of the working directory; None where there is none.

    Raises SettingsError for a file that cannot be read.
    """
    here = folder or Path.cwd()
    is_own = here.resolve() == user_config_folder().resolve()
    if is_own or (file := read_settings_file(here / SETTINGS_FILE)) is None:
        return None
    layer = parse_settings_file(file)
    preset_values = _preset_values(layer)
    guarded = {name for name, given in {**preset_values, **layer}.items() if needs_trust(name, given.value)}
    reason = distrust_reason(file) if guarded else ""
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
        else:
            yield prefix + name, value


def parse_settings_file(file: SettingsFile) -> dict[str, SettingValue]:
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


# --- all that is given, and what of it counts


VARIABLE_PREFIX = "WELLSOURCED_"
PROVIDER_VARIABLES = {
    "GEMINI_API_KEY": "google.key",
    **{one.key_variable: f"{one.setting}.key" for one in PROVIDERS.values() if one.key_variable},
    "AZURE_OPENAI_ENDPOINT": "azure.url",
}
"""Variables in which the providers' own programs look for a key: whoever has set one need not set it again."""


class Setting(NamedTuple):
    """One setting as it holds now: its dotted name, its value, where that came from, and what it means.

    value     without the passwords and keys that an address may hold
    ignored   the file that gives it another value, which does not count because the file is not trusted; "" for none
    """

    name: str
    value: Any
    place: str
    meaning: str
    ignored: str = ""


class OwnSettings(NamedTuple):
    """What the user's own file makes of the settings, whatever counts more here.

    settings       by the defaults, the variables of providers' programs, the file and its preset
    without_file   the same without what the file itself sets
    overruled      dotted name → the place that counts more here and gives it: "in the environment variable …"
    """

    settings: Settings
    without_file: Settings
    overruled: Mapping[str, str]


def load(flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings as they hold here and now.

    flags   dotted name → value, stronger than everything else: {"policy.passages": 20}

    Warns with UntrustedSettings when settings of the working directory's file are left out. Raises SettingsError for
    an unknown name, a value that cannot be, a file that cannot be read.
    """
    folder = read_folder_file()
    given = _collect_values(flags or {}, folder)
    if folder and folder.ignored:
        warnings.warn(UntrustedSettings(folder.notice, folder.file.folder), stacklevel=2)
    return _validate_values(given)


def explain_settings(flags: Mapping[str, Any] | None = None) -> list[Setting]:
    """Every setting, its value and where it came from. Raises SettingsError as `load` does; warns of nothing."""
    folder = read_folder_file()
    given = _collect_values(flags or {}, folder)
    settings = _validate_values(given)
    ignored = dict.fromkeys(folder.ignored, str(folder.file.path)) if folder else {}
    return [
        Setting(
            name,
            hide_secrets(attrgetter(name)(settings)),
            given[name].place if name in given else "default",
            meaning,
            ignored.get(name, ""),
        )
        for name, meaning in describe_settings().items()
    ]


def format_value(name: str, value: object) -> str:
    """Format a value of a setting as its user would type it."""
    if value is None or value == ():
        return "(all)" if name == "libraries" else "(none)"
    if isinstance(value, tuple):
        inner = [",".join(one) if isinstance(one, tuple) else one for one in value]
        return (" > " if inner != list(value) else ",").join(inner)
    return str(value).lower() if isinstance(value, bool) else str(value)


def load_own() -> OwnSettings:
    """What the user's own file says. Raises SettingsError for an unknown name, a value that cannot be."""
    file = read_settings_file(user_config_folder() / SETTINGS_FILE)
    layer = parse_settings_file(file) if file else {}
    usual = _from_usual_variables()
    preset_alone = {name: given for name, given in apply_preset(layer).items() if name not in layer or name == "preset"}
    folder = read_folder_file()
    stronger = {**(folder.effective if folder else {}), **apply_preset(_from_environment())}
    check_setting_names({**layer, **stronger})
    return OwnSettings(
        _validate_values({**usual, **apply_preset(layer)}),
        _validate_values({**usual, **preset_alone}),
        {name: given.place for name, given in stronger.items()},
    )


def validate_value(name: str, value: Any) -> Settings:
    """Return settings of which only this one is given. Raises SettingsError for an unknown name or a wrong value."""
    given = {name: SettingValue(value, "on the command line")}
    check_setting_names(given)
    return _validate_values({**given, **apply_preset(given)})


def wants_colours() -> bool:
    """Whether a terminal's user wants colours: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def describe_settings(model: type[Value] = Settings, prefix: str = "") -> dict[str, str]:
    """Dotted name → meaning of every setting. Meanings are read from the tables in the docstrings."""
    docstrings = "\n".join(base.__doc__ or "" for base in model.__mro__ if issubclass(base, Value))
    meanings = dict(re.findall(r"^ {4}(\w+) {2,}(\S.*)$", docstrings, re.MULTILINE))
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Value):
            names |= describe_settings(inner, f"{prefix}{name}.")
        else:
            names[prefix + name] = meanings.get(name, "")
    return names


def _collect_values(flags: Mapping[str, Any], folder: FolderFile | None) -> dict[str, SettingValue]:
    """Dotted name → the value that counts. Raises SettingsError for a name that does not exist."""
    given: dict[str, SettingValue] = {}
    own = read_settings_file(user_config_folder() / SETTINGS_FILE)
    typed = {name: SettingValue(value, "on the command line") for name, value in flatten_tables(flags)}
    layers = [apply_preset(_from_usual_variables()), apply_preset(parse_settings_file(own) if own else {})]
    layers += [folder.effective] if folder else []
    layers += [apply_preset(_from_environment()), apply_preset(typed)]
    for layer in layers:
        given |= layer
    check_setting_names({**given, **(folder.ignored if folder else {})})
    return given


def check_setting_names(given: Mapping[str, SettingValue]) -> None:
    """Raise SettingsError for the first name that no setting has."""
    names = describe_settings()
    for name, (_, place) in given.items():
        if name not in names:
            raise SettingsError(_describe_unknown(name, place, list(names)))


def _from_usual_variables() -> dict[str, SettingValue]:
    """Keys that stand where the providers' own programs look for them: the weakest of all that is given."""
    return {name: _read_variable(one) for one, name in PROVIDER_VARIABLES.items() if os.environ.get(one, "").strip()}


def _from_environment() -> dict[str, SettingValue]:
    given = [one for one, value in os.environ.items() if one.upper().startswith(VARIABLE_PREFIX) and value.strip()]
    return {one[len(VARIABLE_PREFIX) :].lower().replace("__", "."): _read_variable(one) for one in given}


def _read_variable(variable: str) -> SettingValue:
    return SettingValue(os.environ[variable], f"in the environment variable {variable}")


def _describe_unknown(name: str, place: str, names: list[str]) -> str:
    inner = [other for other in names if other.startswith(f"{name}.")]
    if inner:
        return f"“{name}” {place} is a group of settings. Name one of them, for example {inner[0]}."
    last = {other.rpartition(".")[2]: other for other in names}
    near = get_close_matches(name, names, 1) or [
        last[one] for one in get_close_matches(name.rpartition(".")[2], last, 1)
    ]
    hint = f" Did you mean “{near[0]}”?" if near else ""
    return f"No setting “{name}” ({place}).{hint}"


def _validate_values(given: Mapping[str, SettingValue]) -> Settings:
    nested: dict[str, Any] = {}
    for name, (value, _) in given.items():
        *groups, last = name.split(".")
        table = nested
        for group in groups:
            table = table.setdefault(group, {})
        table[last] = value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        raise SettingsError(_describe_invalid(error, given)) from error


def _describe_invalid(error: ValidationError, given: Mapping[str, SettingValue]) -> str:
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    name = next(name for name in (".".join(path[:length]) for length in range(len(path), 0, -1)) if name in given)
    value, place = given[name]
    # A key is shown to nobody, nor an address that cannot be read and has a password somewhere.
    shown = "what it was given" if name.endswith((".key", "storage.url")) else repr(hide_secrets(value))
    wanted = first["msg"].removeprefix("Value error, ").partition(", unable")[0].replace("a valid tuple", "a list")
    return f"“{name}” cannot be {shown} ({place}): {wanted.replace('Input', 'it')}."
