"""What other distributions add: commands, sources, engines, planners, judges and readers, found by their entry points.

A distribution names what it adds in its pyproject.toml, and nothing here has to be changed for it:

    [project.entry-points."wellsourced.commands"]
    triage = "hospital_tools.commands:triage"          # a click command
    [project.entry-points."wellsourced.sources"]
    intranet = "hospital_tools.sources:INTRANET"       # a LiveSourceEntry

What comes with wellsourced cannot be replaced: of two with one name, the built-in one is used, then the first by the
name of its distribution. A fault of one plugin costs nothing but itself, and is said in one sentence.
"""

import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from wellsourced.errors import SettingsError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PluginKind = Literal["command", "source", "engine", "planner", "judge", "reader"]

PREFIX = "wellsourced."


class Plugin(NamedTuple):
    """Something that another distribution adds, not imported yet.

    name     as it is typed or set: "triage", "judges.measure", "intranet"; of an engine the scheme of its addresses:
             "elastic"; of a reader the ending of its files: "rtf"
    """

    kind: PluginKind
    name: str
    distribution: str
    version: str
    entry: "EntryPoint"

    @property
    def title(self) -> str:
        """As messages call it, at the beginning of a sentence."""
        return f"The {self.kind} {self.name} of {self.distribution} {self.version}"

    def load(self) -> Any:
        """Import it. Raises SettingsError, which names it, for one that cannot be imported."""
        try:
            return self.entry.load()
        # Whatever a module of somebody else raises while it is imported, it costs only what it adds.
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".rstrip(": .")
            raise SettingsError(f"{self.title} cannot be loaded ({reason}).") from error


class FoundPlugins(NamedTuple):
    """What other distributions add of one kind, by name; what of it is not used, and why, a sentence each."""

    plugins: dict[str, Plugin]
    faults: tuple[str, ...] = ()


def find_plugins(kind: PluginKind, built_in: Collection[str] = ()) -> FoundPlugins:
    """Return what other distributions add of this kind, none of it imported.

    built_in   names that are taken
    """
    found: dict[str, Plugin] = {}
    faults = []
    for plugin in _read_plugins():
        if plugin.kind != kind:
            continue
        owner = "wellsourced" if plugin.name in built_in else ""
        if plugin.name in found:
            owner = found[plugin.name].distribution
        if owner:
            taken = f"{owner} already has one with this name"
            faults.append(f"The {kind} {plugin.name} of {plugin.distribution} is not used: {taken}.")
        else:
            found[plugin.name] = plugin
    return FoundPlugins(found, tuple(faults))


@cache
def _read_plugins() -> tuple[Plugin, ...]:
    if not (folders := _find_folders()):
        return ()
    from importlib.metadata import Distribution

    found = {
        (one.metadata["Name"], entry.group, entry.name): (one.version, entry)
        for one in map(Distribution.at, folders)
        for entry in one.entry_points
        if entry.group.startswith(PREFIX)
    }
    kinds: dict[str, PluginKind] = {f"{PREFIX}{kind}s": kind for kind in get_args(PluginKind)}
    return tuple(
        Plugin(kinds[group], name, distribution, version, entry)
        for (distribution, group, name), (version, entry) in sorted(found.items())
        if group in kinds
    )


def _find_folders() -> list[Path]:
    """Where distributions describe themselves that name entry points of ours, in the order of the path.

    The standard library's reader of distributions takes as long to import as `wellsourced --help` takes in all, and
    to ask it for all that is installed takes as long again.
    """
    files = (file for folder in sys.path for file in Path(folder or ".").glob("*.dist-info/entry_points.txt"))
    return [file.parent for file in files if f"[{PREFIX}".encode() in file.read_bytes()]
