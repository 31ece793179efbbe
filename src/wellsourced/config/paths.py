"""What lies in the home folder, how a library in it is opened, and that only its owner may look in."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.errors import SourceError
from wellsourced.storage.private_files import close_to_others, close_tree, is_open_to_others, list_open_to_others

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library
    from wellsourced.sources.library.engines import OpenEngine


# What opens libraries and encodes is imported by the functions that do so: together it takes two seconds to load, and
# who only asks for help or for the settings should not wait for it.

GUIDELINES, GRAPH = "guidelines", "graph"
"""Names that no library of one's own can have."""


def library_root(settings: Settings) -> Path:
    """The folder that the libraries lie in."""
    return settings.home / "libraries"


def library_names(settings: Settings) -> list[str]:
    """The libraries that there are, also those that other hosts have made in the database of the settings."""
    from wellsourced.sources.library import list_libraries

    adopt_shared_libraries(settings)
    return list_libraries(library_root(settings))


def has_guidelines(settings: Settings) -> bool:
    """Whether their library was begun. It is on each host of its own, so no database is asked."""
    from wellsourced.sources.library import list_libraries

    return GUIDELINES in list_libraries(library_root(settings))


def adopt_shared_libraries(settings: Settings) -> None:
    """Know the libraries of the database as they are now; where it cannot be reached, as they were: who opens one is
    told."""
    if settings.storage.url:
        from wellsourced.sources.library import shared_catalogues

        with suppress(SourceError, OSError):
            libraries = shared_catalogues.list_shared_libraries(settings.storage.url)
            shared_catalogues.adopt_shared_libraries(library_root(settings), libraries)


def open_for_reading(
    root: Path, name: str, encoder: "Encoder | None", open_engine: "OpenEngine | None" = None, database: str = ""
) -> "Library":
    """The library, with its expected questions.

    open_engine   opens what finds its passages, where that may be on another machine
    database      where its catalogue is, if that is on PostgreSQL
    """
    from wellsourced.expected_questions.bank import SHIPPED_FOLDER
    from wellsourced.sources.library import Library
    from wellsourced.sources.library.engines import refuse_engines

    opened = Library.at(root, name, encoder, open_engine=open_engine or refuse_engines, database=database)
    if name == GUIDELINES:
        opened.questions_folder = SHIPPED_FOLDER
    return opened


HOME_ENTRIES = (
    "libraries", "egress", "http", "checkups", "verdicts", "calls", "judges", "graph", "downloads", "evaluate", "runs",
    "quotas",
)  # fmt: skip
"""How the names begin of what we keep there: a folder that holds anything else is not ours to close."""


def restrict_home_access(settings: Settings) -> None:
    """Take from what we keep at home what others may do with it, as earlier versions left it."""
    for path in _list_home_entries(settings.home):
        if is_open_to_others(path):
            close_tree(path)
    if _is_own_folder(settings.home):
        close_to_others(settings.home)


def find_exposed_files(settings: Settings) -> list[Path]:
    """What we keep at home and others may still look into. What lies in a folder that is closed is closed as well."""
    if settings.home.is_dir() and not is_open_to_others(settings.home):
        return []
    return [
        path
        for kept in _list_home_entries(settings.home)
        if is_open_to_others(kept)
        for path in list_open_to_others(kept)
    ]


def _list_home_entries(home: Path) -> list[Path]:
    try:
        return sorted(Path(entry) for entry in os.scandir(home) if entry.name.startswith(HOME_ENTRIES))
    except OSError:
        return []


def _is_own_folder(home: Path) -> bool:
    """Whether nothing but ours is in it, and nobody else may put anything there (/tmp)."""
    try:
        with os.scandir(home) as entries:
            ours = all(entry.name.startswith(HOME_ENTRIES) for entry in entries)
        return ours and not home.stat().st_mode & stat.S_ISVTX
    except OSError:
        return False
