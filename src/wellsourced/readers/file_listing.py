"""Which files lie below the paths that a user names, and which of them are left out, and why; digests beside files.

Search finds the digest of a document that is read whole, reading opens the text: given beside the file, or for a
guideline its own summary. A digest that a model writes would come where `_own_summary` gives one.
"""

import errno
import functools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.readers.base import (
    REFUSED_SUFFIXES,
    DocumentReader,
    DocumentStream,
    File,
    list_suffixes,
    replace_surrogates,
)
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.readers.document_builder import HEADING_SEPARATOR
from wellsourced.types import Document, Section, SourceKind

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


MAX_DIGEST_CHARS = 4_000
"""Characters of a document's own words that may serve as its digest; also what a document has that needs none."""

SUMMARY_HEADING = re.compile(
    r"(?:[0-9.]+\s*)?(?:executive |plain[- ]language |lay )?(?:summary|abstract|key (?:points|messages|recommendations)"
    r"|(?:summary of )?recommendations|overview|at a glance)\b",
    re.IGNORECASE,
)


def with_digest(read: DocumentReader) -> DocumentReader:
    """The reader, whose documents get the digest that lies beside the file: NAME.digest.md or NAME.digest.txt.

    A guideline without one, and with none in its front matter, gets its summary, or else its first section, unless it
    is so short that it needs none.
    """

    @functools.wraps(read)
    def reader(path: File, kind: SourceKind) -> DocumentStream:
        for item in read(path, kind):
            # A digest in the front matter is the author's own, and counts before any file beside it.
            if isinstance(item, Document) and not item.digest:
                # It is only ever searched, so marks of Markdown do no harm.
                digest = read_companion(path, (".digest.md", ".digest.txt"))
                digest = digest or (_own_summary(item) if kind == "guideline" else "")
                yield item.model_copy(update={"digest": digest}) if digest else item
            else:
                yield item

    return reader


def _own_summary(document: Document) -> str:
    """Its summary, whole with its parts, else its first section; "" for a document that is no longer than a digest."""
    # A short guideline is found by its own words as well as by any digest.
    if len(document.text) <= MAX_DIGEST_CHARS or not document.sections:
        return ""
    first = next((part for part in document.sections if _is_summary(part)), document.sections[0])
    below = f"{first.title}{HEADING_SEPARATOR}"
    parts = [part for part in document.sections if part.title == first.title or part.title.startswith(below)]
    words = "\n\n".join(document.text[part.start : part.end] for part in (parts if first.title else [first]))
    return words[:MAX_DIGEST_CHARS]


def _is_summary(part: Section) -> bool:
    return any(SUMMARY_HEADING.match(heading) for heading in part.title.split(HEADING_SEPARATOR))
