"""From a recipe to files that can be read: what will be fetched, what it takes, and the files, unpacked."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, OfflineError, SettingsError, SourceUnavailable
from wellsourced.events import Emit, ignore_event
from wellsourced.http import Client
from wellsourced.ingest.archives import is_archive, unpack_archive
from wellsourced.ingest.downloads import RemoteFile, download_files, list_remote_files, lock_folder
from wellsourced.ingest.recipes import Recipe
from wellsourced.storage.ingestion_progress import ProgressMeter, file_size

GROWTH_FACTOR = 4
"""A library, with the files it is made from, takes so many times the files alone, where nobody says (PubMed: 4.4)."""


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
    free = shutil.disk_usage(_nearest_existing(home)).free
    # A mirror, or fetching anew, is a wish for the publisher's files and not for those of a package.
    paths = tuple(own) or (() if again or url else _find_shipped_files(recipe))
    if paths:
        for path in paths:
            if not path.exists():
                raise InaccessibleFile(path, "there is no such file or folder", "Check how it is spelled.")
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
            remedy = str(missing).partition(": ")[2]
            raise type(error)(f"{error.phrase}. Without a download: {remedy}") from error
        raise


def _nearest_existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


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
    ready = [path for path in paths if not is_archive(path)]
    if archives:
        with lock_folder(folder):
            for archive in archives:
                ready.append(unpack_archive(archive, folder / "unpacked", recipe.members, meter.report_position))
                meter.finish_file(file_size(archive))
    return ready


def _find_archives(path: Path) -> list[Path]:
    """The archives among what a user names: a file, or those directly in a folder."""
    inside = sorted(path.iterdir()) if path.is_dir() else [path]
    return [one for one in inside if one.is_file() and is_archive(one)]
