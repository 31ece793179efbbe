"""Which files lie below the paths that a user names, and which of them are left out, and why."""

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.readers.base import REFUSED_SUFFIXES, File, list_suffixes, replace_surrogates
from wellsourced.readers.decompressed_file import read_whole_text

COMPANION_SUFFIXES = (".digest.md", ".digest.txt", ".template.txt")
"""The names of files that belong to the file beside them and are no documents of their own."""


class FileListing(NamedTuple):
    """Files to be read, sorted, each once; and what is left out, each with its reason."""

    files: list[Path]
    left_out: list[UnreadableFile]


def list_files(paths: Sequence[Path]) -> FileListing:
    """The files named, and those below the folders named whose names can be read, none hidden.

    A path that is no folder is always there, so that whoever reads it can say why it cannot be read. Left out is what
    would keep the others out or should not go in unasked: a folder that may not be entered, a name that is no text, a
    link that leads to itself, and, below a folder, a link that leads out of it.
    """
    found: set[Path] = set()
    left_out: dict[str, UnreadableFile] = {}
    named, roots = set(paths), [os.path.realpath(path) for path in paths]
    for path, error in _list_candidates(paths):
        error = error or _path_error(path) or (None if path in named else _outside_link_error(path, roots))
        if error:
            left_out.setdefault(str(error.path), error)
        elif not path.is_dir():  # what a link to a folder inside leads to is found at its own place
            found.add(path)
    return FileListing(sorted(found), [left_out[name] for name in sorted(left_out)])


def list_unknown_files(paths: Sequence[Path]) -> list[Path]:
    """The files below the folders named that `list_files` leaves out, since no reader knows what they are called."""
    folders, known = (
        [path for path in paths if path.is_dir()],
        (*list_suffixes(), *REFUSED_SUFFIXES, *COMPANION_SUFFIXES),
    )
    shown = (path for folder in folders for path, error in _walk_folder(folder) if error is None and not path.is_dir())
    return sorted(path for path in shown if not _has_suffix(path, known))


def companion_files(path: Path, endings: Sequence[str] = COMPANION_SUFFIXES) -> list[Path]:
    """The files that belong to this one and lie beside it: its digest, its template. None that is a link elsewhere."""
    name = path.name.rpartition(".")[0]
    return [one for ending in endings if _is_in_own_folder(one := path.with_name(name + ending))]


def read_companion(path: File, endings: Sequence[str]) -> str:
    """The words of the first of these files that lies beside this one; "" where none does."""
    if not isinstance(path, Path):
        return ""
    return next((read_whole_text(one).strip() for one in companion_files(path, endings)), "")


def _is_in_own_folder(path: Path) -> bool:
    """Whether this is a file, or a link to one in the same folder."""
    if not path.is_file():
        return False
    return not path.is_symlink() or Path(os.path.realpath(path)).parent == Path(os.path.realpath(path.parent))


def _list_candidates(paths: Sequence[Path]) -> Iterator[tuple[Path, UnreadableFile | None]]:
    known = (*list_suffixes(), *REFUSED_SUFFIXES)
    for path in paths:
        if _is_text_name(path) and path.is_dir():
            for one, error in _walk_folder(path):
                if error or one.is_dir() or (_has_suffix(one, known) and not _has_suffix(one, COMPANION_SUFFIXES)):
                    yield one, error
        else:
            yield path, None


def _walk_folder(folder: Path) -> Iterator[tuple[Path, UnreadableFile | None]]:
    """The files below a folder, none hidden, links to folders with their objection, and folders that cannot be read."""
    refused: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=refused.append):
        yield from ((Path(error.filename), _folder_error(error)) for error in refused)
        refused.clear()
        folders[:] = [name for name in folders if not name.startswith(".")]
        odd = [name for name in folders if not _is_text_name(name) or Path(here, name).is_symlink()]
        yield from ((Path(here, name), None) for name in odd)
        folders[:] = [name for name in folders if name not in odd]
        yield from ((Path(here, name), None) for name in names if not name.startswith("."))
    yield from ((Path(error.filename), _folder_error(error)) for error in refused)


def _path_error(path: Path) -> UnreadableFile | None:
    """Why a path cannot be a file's, whoever named it; None when it can."""
    if not _is_text_name(path):
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        return UnreadableFile(shown, "its name is not UTF-8", "Rename it.")
    if path.is_symlink():
        try:
            path.stat()
        except OSError as error:
            if error.errno == errno.ELOOP:
                return UnreadableFile(path, "it is a link to itself", "Remove it.")
    return None


def _outside_link_error(path: Path, roots: Sequence[str]) -> UnreadableFile | None:
    """Why a link that was found below a folder is not followed; None for what leads nowhere else."""
    target = os.path.realpath(path)
    if not path.is_symlink() or any(os.path.commonpath((target, root)) == root for root in roots):
        return None
    reason = "it is a link out of this folder"
    return UnreadableFile(path, reason, "Name the link or its target directly.")


def _folder_error(error: OSError) -> InaccessibleFile:
    shown = os.fsencode(error.filename or "").decode("utf-8", "backslashreplace")
    return InaccessibleFile(shown, f"it cannot be opened ({error.strerror or error})", "Check its permissions.")


def _is_text_name(path: Path | str) -> bool:
    return replace_surrogates(str(path)) == str(path)


def _has_suffix(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)
