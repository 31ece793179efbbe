"""Where libraries lie, and how one is opened for reading."""

from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.errors import SettingsError

# What opens libraries and encodes is imported by the functions that do so: together it takes two seconds to load, and
# who only asks for help or for the settings should not wait for it.
if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library

GUIDELINES, GRAPH = "guidelines", "graph"
"""Names that no library of one's own can have."""


def library_root(settings: Settings) -> Path:
    """The folder that the libraries lie in."""
    return settings.home / "libraries"


def library_names(settings: Settings) -> list[str]:
    """The libraries that there are."""
    from wellsourced.sources.library import list_libraries

    return list_libraries(library_root(settings))


def open_for_reading(root: Path, name: str, encoder: "Encoder | None") -> "Library":
    """The library, to be searched by meaning if its vectors are this encoder's, else by word."""
    from wellsourced.sources.library import Library

    try:
        return Library.at(root, name, encoder)
    except SettingsError:
        return Library.at(root, name)
