"""Where the files of published sets lie in a folder of data, and fetching those that anybody may have."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.http import Client
from wellsourced_evaluate.question_sets.registry import OWN_FORM, PUBLISHED_SETS, PublishedSet

FOLDERS = ("", "qa")
"""Where in the folder of data a set may lie; its own files in a folder of its name too."""

SIZE_LIMIT = 1_000_000_000
"""Bytes of one file that is fetched."""


class LocatedSet(NamedTuple):
    """A set and its place: a file, or a folder with its files; None: nowhere."""

    published: PublishedSet
    path: Path | None


class FetchedFile(NamedTuple):
    """A file that was fetched, its sha256, and whether that was compared with one that was known before."""

    path: Path
    url: str
    bytes: int
    sha256: str
    is_compared: bool


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
    """Every published set, with its place in a folder of data. JSON lines count before its own files."""
    located = []
    for published in PUBLISHED_SETS.values():
        path = None
        if data is not None and published.name != OWN_FORM:
            lines = [data / folder / f"{published.name}.jsonl{packed}" for folder in FOLDERS for packed in ("", ".gz")]
            path = next((one for one in lines if one.is_file()), None) or find_release(published, data)
        located.append(LocatedSet(published, path))
    return located


async def download_set(
    published: PublishedSet,
    data: Path,
    client: Client,
    *,
    mirror: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> list[FetchedFile]:
    """Fetch all its files into a folder of its name; those that are there with the digest that is known are kept.

    mirror   the address of a folder that has files of these names

    Raises SourceRefused for a set that is not given to just anyone, or has no address of its own, and what
    Client.download raises; what has come stays.
    """
    folder = data / published.name
    if not published.downloads:
        kind = "only to who has agreed to its terms" if published.access != "public" else "by hand only"
        raise SourceRefused(
            f"{published.name} is to be had {kind}, at {published.address}. Put its files into {folder}."
        )
    folder.mkdir(parents=True, exist_ok=True)
    fetched = []
    for file in published.downloads:
        url = f"{mirror.rstrip('/')}/{file.name}" if mirror else file.url
        say(f"Fetching {file.name}")
        checksum = f"sha256:{file.sha256}" if file.sha256 else ""
        path = await client.download(url, folder / file.name, limit=SIZE_LIMIT, checksum=checksum)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        fetched.append(FetchedFile(path, url, path.stat().st_size, digest, bool(file.sha256)))
    return fetched
