"""From a recipe to files that can be read: what is offered, what it takes, fetched in order, checked, resumed and
unpacked.
"""

import asyncio
import csv
import html
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from wellsourced.errors import (
    InaccessibleFile,
    NextStep,
    NotFoundError,
    OfflineError,
    SettingsError,
    SourceRefused,
    SourceUnavailable,
)
from wellsourced.events import Emit, FileDownloaded, ignore_event
from wellsourced.http import Client
from wellsourced.ingest.archives import is_archive, unpack_archive
from wellsourced.ingest.recipes import Recipe
from wellsourced.storage.ingestion_progress import ProgressMeter, file_size
from wellsourced.storage.private_files import WriterLock, close_tree, make_private_folder

GROWTH_FACTOR = 4
"""A library, with the files it is made from, takes so many times the files alone, where nobody says (PubMed: 4.4)."""

FILE_LIMIT = 200 * 1000**3
"""Bytes of one file."""

MAX_ATTEMPTS = 2
"""How often a file is fetched whose checksum is another than was promised."""

_LINK = re.compile(r"""(?:href\s*=|"file"\s*:)\s*["']([^"']+)["']""", re.IGNORECASE)
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
    base = url or recipe.url
    if not base:
        raise SourceRefused(
            f"{recipe.name} cannot be downloaded automatically. {recipe.by_hand}.",
            next_step=NextStep("add files", recipe.name),
        )
    if is_archive(Path(base)):
        return [_build_remote_file(recipe, base, base, 0)]
    base = base if base.endswith("/") else f"{base}/"
    if recipe.files:
        return [_build_remote_file(recipe, base, file, 0) for file in recipe.files]
    sizes: dict[str, int] = {}
    missing: NotFoundError | None = None
    for place in recipe.listing.split() or [""]:
        # A mirror keeps the list where it keeps the files.
        address = urljoin(base, place.rpartition("/")[2] if url else place)
        try:
            listing = (await client.get(address)).text
        # The list of a year that has not begun, or is no longer kept, is not there: others are.
        except NotFoundError as error:
            missing = error
        else:
            listed = _parse_listing(listing, recipe.publisher)
            sizes |= {path: size for path, size in listed if re.fullmatch(recipe.pattern, path.rpartition("/")[2])}
    if missing and not sizes:
        raise missing
    # A page without any of them is an error page or a moved folder: an empty library would look like success.
    if not sizes:
        remedy = "Check the address in a browser; the files may have moved."
        raise SourceRefused(
            f"{base} lists no files of {recipe.name}. {remedy}", next_step=NextStep("add recipe", recipe.name)
        )
    wanted = sorted(sizes)[-1:] if recipe.newest else sorted(sizes)
    return [_build_remote_file(recipe, base, path, sizes[path]) for path in wanted]


def _build_remote_file(recipe: Recipe, base: str, file: str, size: int) -> RemoteFile:
    url = urljoin(base, file)
    sums = f"{url}{recipe.sums}" if recipe.sums.startswith(".") else recipe.sums and urljoin(base, recipe.sums)
    # Parts of a Wikipedia dump end in ".xml-p1p41242.bz2", by which no reader knows them.
    name = _PART.sub(r"-\1.xml.bz2", file.rpartition("/")[2])
    return RemoteFile(name, url, size, sums)


def _parse_listing(page: str, publisher: str = "") -> Iterator[tuple[str, int]]:
    """(path, bytes) of the files that a server lists, relative to the list or to its host.

    Lists are links with date and size, as Apache, nginx and NCBI print them, openFDA's JSON, or NCBI's CSV of books.
    """
    if publisher:
        books = csv.DictReader(page.splitlines())
        yield from (
            (book.get("File") or "", 0) for book in books if re.fullmatch(publisher, book.get("Publisher") or "")
        )
        return
    links = list(_LINK.finditer(page))
    for link, end in zip(links, [*(one.start() for one in links[1:]), len(page)], strict=True):
        address = urlsplit(html.unescape(link[1]))
        path = unquote(address.path)
        said = _SIZE.search(_TAG.sub(" ", page[link.end() : end].partition(">")[2]))
        # Another host's file is looked for in the folder of the recipe, or of its mirror.
        name = path.rpartition("/")[2] if address.netloc else path
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
        f"{remote.sums} has no checksum of {remote.name}, so it was not downloaded. Try again tomorrow."
    )


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """No other process brings files into this folder meanwhile. Raises SourceUnavailable when one does."""
    # Why it cannot be made is said by the lock, which cannot be made either.
    with suppress(OSError):
        make_private_folder(folder)
    with closing(WriterLock(folder / ".lock", str(folder))):
        try:
            yield
        finally:
            close_tree(folder)


class AcquisitionPlan(NamedTuple):
    """What a recipe will take.

    remotes    files to fetch; none when they are here already
    paths      files that are here: the user's own, or those of an installed package
    download   bytes to fetch, 0 when nobody says
    disk       bytes needed in all, 0 when nobody says
    free       bytes that the disk has left
    """

    recipe: Recipe
    remotes: tuple[RemoteFile, ...]
    paths: tuple[Path, ...]
    download: int
    disk: int
    free: int


async def plan_acquisition(
    recipe: Recipe,
    home: Path,
    client: Client,
    *,
    own: Sequence[Path] = (),
    url: str = "",
    files: int = 0,
    again: bool = False,
) -> AcquisitionPlan:
    """Find out what is to be fetched, without fetching it.

    own     the user's own files or folders: nothing is fetched
    url     a mirror of the publisher's folder
    files   take so many of the files only, the first ones; 0 takes all
    again   fetch what an installed package ships too: it may be older

    Raises SourceRefused for a recipe that has to be got by hand, and what Client.get raises.
    """
    free = shutil.disk_usage(next(place for place in (home, *home.parents) if place.exists())).free
    # A mirror, or fetching anew, is a wish for the publisher's files and not for those of a package.
    paths = tuple(own) or (() if again or url else _find_shipped_files(recipe))
    if paths:
        for path in paths:
            if not path.exists():
                raise InaccessibleFile(path, "no such file or folder", "Check the spelling.")
        return AcquisitionPlan(recipe, (), paths, 0, GROWTH_FACTOR * sum(map(file_size, paths)), free)
    with _suggest_package(recipe):
        remotes = await list_remote_files(recipe, client, url)
    taken = remotes[:files] if files else remotes
    listed = sum(remote.size for remote in taken)
    download = listed or round(recipe.download * len(taken) / len(remotes))
    growth = recipe.disk / recipe.download if recipe.disk and recipe.download else GROWTH_FACTOR
    return AcquisitionPlan(recipe, tuple(taken), (), download, round(growth * download), free)


def _find_shipped_files(recipe: Recipe) -> tuple[Path, ...]:
    try:
        return tuple(path for path in recipe.shipped() if path.exists())
    except SettingsError:
        return ()


@contextmanager
def _suggest_package(recipe: Recipe) -> Iterator[None]:
    """Where nothing can be fetched, say which package ships the files of a recipe, if one does that is not here."""
    try:
        yield
    except (OfflineError, SourceUnavailable) as error:
        try:
            recipe.shipped()
        except SettingsError as missing:
            message = f"{error.phrase}. A package provides these files."
            raise type(error)(message, next_step=missing.next_step) from error
        raise


async def acquire_files(
    supply: AcquisitionPlan, home: Path, client: Client, emit: Emit = ignore_event, *, again: bool = False
) -> list[Path]:
    """The files and folders that a reader can read: fetched into home/downloads/RECIPE, archives unpacked beside them.

    Raises what `fetch` and `unpacked` raise; what has come stays, and the next call goes on.
    """
    folder = home / "downloads" / supply.recipe.name
    with _suggest_package(supply.recipe):
        paths = (
            await download_files(supply.remotes, folder, client, emit, again=again)
            if supply.remotes
            else list(supply.paths)
        )
    return await asyncio.to_thread(_unpack_archives, paths, folder, supply.recipe, emit)


def _unpack_archives(paths: Sequence[Path], folder: Path, recipe: Recipe, emit: Emit) -> list[Path]:
    archives = [archive for path in paths for archive in _find_archives(path)]
    meter = ProgressMeter(emit, sum(map(file_size, archives)), "unpacking")
    # Readers know a .zip, too: what is unpacked here is not read a second time.
    zipped = {archive.parent for archive in archives if archive.suffix.lower() == ".zip" and recipe.goes != "graph"}
    named = [one for path in paths for one in (sorted(path.iterdir()) if path in zipped else [path])]
    ready = [path for path in named if not is_archive(path)]
    if archives:
        with lock_folder(folder):
            for archive in archives:
                members, limit = r".*\.zip" if recipe.nested else recipe.members, recipe.member_limit or None
                unpacked = unpack_archive(archive, folder / "unpacked", members, meter.report_position, limit=limit)
                for inner in unpacked.rglob("*.zip") if recipe.nested else ():
                    unpack_archive(inner, inner.parent, recipe.members)
                    inner.unlink()
                ready.append(unpacked)
                meter.finish_file(file_size(archive))
    return ready


def _find_archives(path: Path) -> list[Path]:
    """The archives among what a user names: a file, or those directly in a folder."""
    inside = sorted(path.iterdir()) if path.is_dir() else [path]
    return [one for one in inside if one.is_file() and is_archive(one)]
