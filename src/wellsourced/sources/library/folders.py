"""Libraries as folders under one root: their names, which there are, and deleting one."""

import os
import re
import shutil
from difflib import get_close_matches
from pathlib import Path

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.sources.library.store.documents import CATALOGUE_FILE
from wellsourced.storage.writer_lock import WriterLock

LIBRARY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LOCK_FILE = "writer.lock"


def list_libraries(root: Path) -> list[str]:
    """The names of the libraries under `root`."""
    return sorted(
        path.parent.name for path in root.glob(f"*/{CATALOGUE_FILE}") if LIBRARY_NAME.fullmatch(path.parent.name)
    )


def list_former_index(folder: Path) -> list[Path]:
    """What an earlier version searched in a library, Lance tables: all that they were made from is in the catalogue."""
    return sorted(folder.glob("*.lance"))


def library_folder(root: Path, name: str) -> Path:
    """The folder of the library of that name. Raises NotFoundError, with the nearest names, and SourceRefused."""
    folder = root / validate_name(name)
    if not (folder / CATALOGUE_FILE).is_file():
        raise NotFoundError(_unknown_library_message(root, name))
    return folder


def delete_library_folder(root: Path, name: str) -> None:
    """Delete a library with all that it holds. Raises NotFoundError, and SourceUnavailable while somebody writes it."""
    folder = root / validate_name(name)
    if not folder.is_dir():
        raise NotFoundError(_unknown_library_message(root, name))
    # Nobody may be writing: his next batch would come back as a library without a catalogue.
    lock = WriterLock(folder / LOCK_FILE, f"the library {name}")
    try:
        # Out of sight in one step, so that a deletion that is cut short leaves no half of a library.
        aside = root / f".{name}.{os.getpid()}.deleted"
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
    finally:
        lock.close()


def validate_name(name: str) -> str:
    """The name, if it can be a folder's and nothing else's. Raises SourceRefused."""
    if not LIBRARY_NAME.fullmatch(name):
        remedy = "Use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first."
        raise SourceRefused(f"{name[:80]!r} cannot be the name of a library. {remedy}")
    return name


def _unknown_library_message(root: Path, name: str) -> str:
    names = list_libraries(root)
    if not names:
        return f"There is no library {name}, nor any other, in {root}. Make one: `wellsourced library create {name}`."
    # A loose cutoff: a wrong name is mostly a library's name with a word left out.
    near = get_close_matches(name, names, n=3, cutoff=0.4) or names[:10]
    return f"There is no library {name} in {root}. There is: {', '.join(near)}."
