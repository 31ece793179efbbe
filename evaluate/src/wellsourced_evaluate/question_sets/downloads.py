"""Getting the files of a published set where anybody may have them, into a folder of its name below the data."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.http import Client
from wellsourced_evaluate.question_sets.base import PublishedSet

SIZE_LIMIT = 1_000_000_000
"""Bytes of one file."""


class FetchedFile(NamedTuple):
    """A file that is there now.

    sha256        of what came
    is_compared   whether it was compared with a digest that was known before
    """

    path: Path
    url: str
    bytes: int
    sha256: str
    is_compared: bool


async def download_set(
    published: PublishedSet,
    data: Path,
    client: Client,
    *,
    mirror: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> list[FetchedFile]:
    """Fetch all its files; those that are there and have the digest that is known are not fetched again.

    mirror   the address of a folder that has files of these names

    Raises SourceRefused for a set that is not given to just anyone, or has no address of its own, and what
    Client.download raises; what has come stays.
    """
    if not published.downloads:
        kind = "only to who has agreed to its terms" if published.access != "public" else "by hand only"
        raise SourceRefused(
            f"{published.name} is to be had {kind}, at {published.address}. Put its files into {data / published.name}."
        )
    folder = data / published.name
    folder.mkdir(parents=True, exist_ok=True)
    fetched = []
    for one in published.downloads:
        url = f"{mirror.rstrip('/')}/{one.name}" if mirror else one.url
        say(f"Fetching {one.name}")
        checksum = f"sha256:{one.sha256}" if one.sha256 else ""
        path = await client.download(url, folder / one.name, limit=SIZE_LIMIT, checksum=checksum)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        fetched.append(FetchedFile(path, url, path.stat().st_size, digest, bool(one.sha256)))
    return fetched
