"""Where the files of published sets lie in a folder of data, and which sets are found there."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import PublishedSet
from wellsourced_evaluate.question_sets.registry import OWN_FORM, PUBLISHED_SETS

FOLDERS = ("", "qa")
"""Where in the folder of data a set may lie; its own files in a folder of its name too."""


class LocatedSet(NamedTuple):
    """A set, and where it lies: a file, or a folder with its files; None: nowhere."""

    published: PublishedSet
    path: Path | None


def match_files(folder: Path, group: Sequence[str]) -> list[Path]:
    """The files of a group, in order; none where one of them is missing."""
    found = [sorted(one for one in folder.glob(pattern) if one.is_file()) for pattern in group]
    return [path for paths in found for path in paths] if all(found) else []


def find_release(published: PublishedSet, data: Path) -> Path | None:
    """The file in which a set lies as its authors published it, or the folder where it is several; None: nowhere."""
    for folder in (*FOLDERS, published.name):
        for group in published.files:
            if found := match_files(data / folder, group):
                return found[0] if len(found) == 1 and len(group) == 1 else data / folder
    return None


def describe_files(published: PublishedSet) -> str:
    """The names of its own files, in a phrase."""
    return ", or ".join(" and ".join(group) for group in published.files)


def list_files(path: Path, form: str) -> list[Path]:
    """The file, or the files of a set in a folder: of the first group that is complete.

    Raises UnreadableFile where the folder has none.
    """
    if not path.is_dir():
        return [path]
    published = PUBLISHED_SETS.get(form or path.name)
    if published is None:
        raise UnreadableFile(path, "it is a folder, and which set is in it is not known", "Say so with --format.")
    found = next((files for group in published.files if (files := match_files(path, group))), [])
    if not found:
        wanted = describe_files(published) or "none: name a file"
        raise UnreadableFile(path, f"it has not the files of {published.name}", f"They are {wanted}.")
    return found


def locate_sets(data: Path | None) -> list[LocatedSet]:
    """Every published set, with where it lies in a folder of data. JSON lines count before its own files."""
    found = []
    for published in PUBLISHED_SETS.values():
        path = None
        if data is not None and published.name != OWN_FORM:
            lines = [data / folder / f"{published.name}.jsonl{packed}" for folder in FOLDERS for packed in ("", ".gz")]
            path = next((one for one in lines if one.is_file()), None) or find_release(published, data)
        found.append(LocatedSet(published, path))
    return found
