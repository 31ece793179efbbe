"""What an entry of the registry is, and finding one by its name."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from pydantic import SecretStr

from wellsourced.errors import SettingsError

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
    """The entries of one seam by their names, in the order in which they are listed.

    noun   what one of them is called in messages: "source"
    """

    def __init__(self, noun: str, entries: Iterable[AnyEntry]) -> None:
        self.noun = noun
        self.entries: Mapping[str, AnyEntry] = {entry.name: entry for entry in entries}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entries."""
        return tuple(self.entries)

    def find(self, name: str) -> AnyEntry:
        """Return the entry of that name. Raises SettingsError, which lists what there is."""
        if name not in self.entries:
            raise SettingsError(f"There is no {self.noun} “{name}”; there is {', '.join(self.names)}.")
        return self.entries[name]

    def check_name(self, name: str) -> str:
        """Return the name if an entry has it. Raises ValueError, as pydantic wants it, with all that there are."""
        if name not in self.entries:
            *others, last = (repr(one) for one in self.names)
            raise ValueError(f"Input should be {', '.join(others)} or {last}")
        return name

    def describe(self) -> dict[str, str]:
        """Name → description of every entry."""
        return {entry.name: entry.description for entry in self.entries.values()}


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
