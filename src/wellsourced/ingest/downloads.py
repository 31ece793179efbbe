"""What a publisher offers for a recipe, and getting it: in order, resumed, compared with the publisher's checksums."""

import fcntl
import html
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.events import Emit, FileDownloaded, ignore_event
from wellsourced.http import Client
from wellsourced.ingest.recipes import Recipe
from wellsourced.storage.ingestion_progress import ProgressMeter
from wellsourced.storage.private_files import FILE_MODE, close_tree, make_private_folder

FILE_LIMIT = 200 * 1000**3
"""Bytes of one file."""

MAX_ATTEMPTS = 2
"""How often a file is fetched whose checksum is another than was promised."""

_LINK = re.compile(r"""href\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_SIZE = re.compile(r"\d{2,4}-\w{2,3}-\d{2,4}\s+\d\d:\d\d(?::\d\d)?\s+([\d.]+)\s*([KMGT]?)")
_DIGEST = re.compile(r"\b([0-9a-fA-F]{64}|[0-9a-fA-F]{40}|[0-9a-fA-F]{32})\b")
_HASH_NAMES = {32: "md5", 40: "sha1", 64: "sha256"}
_EDITION = re.compile(r"-(?:latest|[0-9]{8})-")
_PART = re.compile(r"\.xml-(p[0-9]+p[0-9]+)\.bz2$")
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


class RemoteFile(NamedTuple):
    """A file that a publisher offers.

    name   what it is called here
    size   bytes, as the list of files says them: rounded, 0 when it does not say
    sums   address of its checksum, "" when there is none
    """

    name: str
    url: str
    size: int
    sums: str


async def list_remote_files(recipe: Recipe, client: Client, url: str = "") -> list[RemoteFile]:
    """The files of a recipe, in the order of their names; `url` is a mirror of the publisher's folder.

    Raises SourceRefused when the server shows no such file, and for a recipe whose files are given to nobody unasked;
    what Client.get raises.
    """
    base = recipe_url(recipe, url)
    if recipe.files:
        return [_build_remote_file(recipe, base, file, 0) for file in recipe.files]
    listing = (await client.get(base)).text
    sizes = {name: size for name, size in _parse_listing(listing) if re.fullmatch(recipe.pattern, name)}
    # A page without any of them is an error page or a moved folder: an empty library would look like success.
    if not sizes:
        remedy = "Look at it in a browser, and name its place with --from if it has moved."
        raise SourceRefused(f"{base} lists none of the files of {recipe.name}. {remedy}")
    return [_build_remote_file(recipe, base, name, sizes[name]) for name in sorted(sizes)]


def recipe_url(recipe: Recipe, url: str = "") -> str:
    """Where its files are. Raises SourceRefused when they cannot be downloaded by just anyone."""
    base = url or recipe.url
    if not base:
        raise SourceRefused(f"{recipe.name} cannot be downloaded for you. {recipe.by_hand}; then add it with --path.")
    return base if base.endswith("/") else f"{base}/"


def _build_remote_file(recipe: Recipe, base: str, file: str, size: int) -> RemoteFile:
    url = urljoin(base, file)
    sums = f"{url}{recipe.sums}" if recipe.sums.startswith(".") else recipe.sums and urljoin(base, recipe.sums)
    # Parts of a Wikipedia dump end in ".xml-p1p41242.bz2", by which no reader knows them.
    name = _PART.sub(r"-\1.xml.bz2", file.rpartition("/")[2])
    return RemoteFile(name, url, size, sums)


def _parse_listing(page: str) -> Iterator[tuple[str, int]]:
    """(name, bytes) of the files that a server lists, as Apache, nginx and NCBI print it: link, date, size."""
    links = list(_LINK.finditer(page))
    for link, end in zip(links, [*(one.start() for one in links[1:]), len(page)], strict=True):
        name = unquote(html.unescape(link[1])).rpartition("/")[2]
        said = _SIZE.search(_TAG.sub(" ", page[link.end() : end].partition(">")[2]))
        yield name, int(float(said[1]) * _UNITS[said[2]]) if said else 0


async def download_files(
    remotes: Sequence[RemoteFile], folder: Path, client: Client, emit: Emit = ignore_event, *, again: bool = False
) -> list[Path]:
    """Bring files into a folder, one after the other; those that are there and right are not fetched again.

    A file without a checksum that is there is taken as it is, unless `again`. Raises what Client.download raises;
    what has come stays, and the next call goes on.
    """
    paths: list[Path] = []
    meter = ProgressMeter(emit, sum(remote.size for remote in remotes), "downloading")
    with lock_folder(folder):
        sums: dict[str, str] = {}
        for remote in remotes:
            if remote.sums and remote.sums not in sums:
                sums[remote.sums] = (await client.get(remote.sums)).text
            checksum = find_checksum(sums[remote.sums], remote) if remote.sums else ""
            paths.append(await _download_file(remote, folder, checksum, client, meter, again=again))
            # A checksum beside its file is of that file alone; a list of them serves all.
            if remote.sums.startswith(remote.url):
                del sums[remote.sums]
    meter.report()
    return paths


async def _download_file(
    remote: RemoteFile, folder: Path, checksum: str, client: Client, meter: ProgressMeter, *, again: bool
) -> Path:
    to, asked = folder / remote.name, False

    def on_progress(done: int, total: int) -> None:
        nonlocal asked
        if not asked and not remote.size:
            meter.total += total
        asked = True
        meter.report_position(done)

    # Without a checksum nothing tells whether what is here is right, and fetching gigabytes again is for the user to
    # wish.
    if checksum or again or not to.exists():
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                await client.download(remote.url, to, limit=FILE_LIMIT, checksum=checksum, heard=on_progress)
                break
            # A wrong checksum is mostly a file that was replaced between the two requests: once more gives both anew.
            except SourceUnavailable:
                if attempt == MAX_ATTEMPTS:
                    raise
    size = to.stat().st_size
    meter.finish_file(remote.size or (size if asked else 0))
    meter.emit(FileDownloaded(path=to, url=remote.url, bytes=size, kept=not asked))
    return to


def find_checksum(sums: str, remote: RemoteFile) -> str:
    """ "md5:…" of a file, from the checksum beside it or from a list of them.

    Lists name the edition ("enwiki-20261101-…") where the address says "latest". Raises SourceRefused when it is not
    there.
    """
    own, there = remote.sums.startswith(remote.url), _EDITION.sub("-*-", remote.url.rpartition("/")[2])
    for line in sums.splitlines():
        found = _DIGEST.search(line)
        if found and (own or _EDITION.sub("-*-", line).endswith(there)):
            return f"{_HASH_NAMES[len(found[1])]}:{found[1].lower()}"
    raise SourceRefused(
        f"{remote.sums} gives no checksum of {remote.name}: it is not fetched unchecked. Try again tomorrow."
    )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """No other process brings files into this folder meanwhile. Raises SourceUnavailable when one does."""
    try:
        make_private_folder(folder)
        lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        raise SourceRefused(
            f"{folder} cannot be written ({error.strerror}). Check that you may write there."
        ) from error
    try:
        # The kernel gives it back when its holder dies.
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        remedy = "Wait until it has finished, or end it, and try again."
        raise SourceUnavailable(f"another process is downloading into {folder}. {remedy}") from error
    finally:
        close_tree(folder)
        os.close(lock)
