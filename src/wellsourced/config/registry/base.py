"""What an entry of the registry is, and finding one by its name."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from pydantic import SecretStr

from wellsourced.errors import SettingsError
from wellsourced.plugins import FoundPlugins, PluginKind, find_plugins

if TYPE_CHECKING:
    from wellsourced.http import Client


class RegistryEntry(Protocol):
    """What every entry has: the name by which settings name it, and what it is, in one line."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...


AnyEntry = TypeVar("AnyEntry", bound=RegistryEntry)


class Registry(Generic[AnyEntry]):
    """The entries of one seam by their names, in the order in which they are listed: our own, then those of plugins.

    A plugin's entry is imported when it is looked up, and its name is known without.

    noun       what one of them is called in messages: "source"
    plugins    the kind of plugin that adds entries; none where nobody can
    built_in   the entries that come with wellsourced, which no plugin can replace
    """

    def __init__(self, noun: str, entries: Iterable[AnyEntry], plugins: PluginKind | None = None) -> None:
        self.noun = noun
        self.built_in: Mapping[str, AnyEntry] = {entry.name: entry for entry in entries}
        self._kind = plugins
        self._loaded: dict[str, AnyEntry] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entries."""
        return (*self.built_in, *self.find_plugins().plugins)

    @cached_property
    def entries(self) -> Mapping[str, AnyEntry]:
        """All entries, looked up once, less those of plugins that cannot be loaded: find_plugin_faults says why."""
        found = dict(self.built_in)
        for name in self.find_plugins().plugins:
            with suppress(SettingsError):
                found[name] = self.find(name)
        return found

    def find_plugins(self) -> FoundPlugins:
        """What plugins add, not imported yet."""
        return find_plugins(self._kind, self.built_in) if self._kind else FoundPlugins({})

    def find_plugin_faults(self) -> list[str]:
        """What of plugins is not used, and why, a sentence each."""
        found = self.find_plugins()
        faults = [*found.faults]
        for name in found.plugins:
            try:
                self.find(name)
            except SettingsError as error:
                faults.append(str(error))
        return faults

    def find(self, name: str) -> AnyEntry:
        """Return the entry of that name. Raises SettingsError, which lists what there is, or says what is wrong."""
        if name in self.built_in:
            return self.built_in[name]
        plugin = self.find_plugins().plugins.get(name)
        if plugin is None:
            raise SettingsError(f"There is no {self.noun} “{name}”; there is {', '.join(self.names)}.")
        if name not in self._loaded:
            entry = plugin.load()
            # A plugin cannot take a name in the settings that it was not found by.
            if getattr(entry, "name", None) != name:
                raise SettingsError(f"{plugin.title} is no entry of that name.")
            self._loaded[name] = entry
        return self._loaded[name]

    def check_name(self, name: str) -> str:
        """Return the name if an entry has it. Raises ValueError, as pydantic wants it, with all that there are."""
        if name not in self.names:
            *others, last = (repr(one) for one in self.names)
            raise ValueError(f"Input should be {', '.join(others)} or {last}")
        return name

    def describe(self) -> dict[str, str]:
        """Name → description of every entry."""
        return {name: entry.description for name, entry in self.entries.items()}


class Connection(NamedTuple):
    """What a service on the network is asked with.

    url     its address
    key     None where none is set
    email   told to services that ask for one; "" for none
    """

    client: "Client"
    url: str
    key: SecretStr | None = None
    email: str = ""
