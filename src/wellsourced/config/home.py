"""The folder that everything is kept in: closed to everyone but its owner."""

import os
import stat
from pathlib import Path

from wellsourced.config.settings import Settings
from wellsourced.private_files import close_to_others, close_tree, is_open_to_others, list_open_to_others

HOME_ENTRIES = (
    "libraries",
    "egress",
    "http",
    "checkups",
    "verdicts",
    "calls",
    "judges",
    "graph",
    "downloads",
    "evaluate",
    "runs",
)
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
    return [path for kept in _list_home_entries(settings.home) if is_open_to_others(kept) for path in list_open_to_others(kept)]


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
