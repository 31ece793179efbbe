"""Libraries as folders under one root: their names, which there are, and deleting one."""

import os
import re
import shutil
from difflib import get_close_matches
from pathlib import Path

from wellsourced.errors import NotFound, Refused
from wellsourced.sources.library.catalogue import FILE
from wellsourced.sources.lock import WriterLock

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LOCK = "writer.lock"


def libraries(root: Path) -> list[str]:
    """The names of the libraries under `root`."""
    return sorted(path.parent.name for path in root.glob(f"*/{FILE}") if NAME.fullmatch(path.parent.name))


def folder_of(root: Path, name: str) -> Path:
    """The folder of the library of that name. Raises NotFound, with the nearest names, and Refused."""
    folder = root / checked(name)
    if not (folder / FILE).is_file():
        raise NotFound(_no_such_library(root, name))
    return folder


def delete(root: Path, name: str) -> None:
    """Delete a library with all that it holds. Raises NotFound, and Unavailable while somebody writes it."""
    folder = root / checked(name)
    if not folder.is_dir():
        raise NotFound(_no_such_library(root, name))
    lock = WriterLock(folder / LOCK, f"the library {name}")
    try:
        # Out of sight in one step, so that a deletion that is cut short leaves no half of a library.
        aside = root / f".{name}.{os.getpid()}.deleted"
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
    finally:
        lock.close()


def checked(name: str) -> str:
    """The name, if it can be a folder's and nothing else's. Raises Refused."""
    if not NAME.fullmatch(name):
        remedy = "Use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first."
        raise Refused(f"{name[:80]!r} cannot be the name of a library. {remedy}")
    return name


def _no_such_library(root: Path, name: str) -> str:
    names = libraries(root)
    if not names:
        return f"There is no library {name}, nor any other, in {root}. Make one: `wellsourced library create {name}`."
    near = get_close_matches(name, names, n=3, cutoff=0.4) or names[:10]
    return f"There is no library {name} in {root}. There is: {', '.join(near)}."
