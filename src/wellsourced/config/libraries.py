"""Libraries on this machine: created, opened, measured, deleted, and what one still lacks."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.encoders import build_encoder, cache_vectors
from wellsourced.config.guidelines import build_guidelines, describe_unbuilt_guidelines
from wellsourced.config.paths import (
    GRAPH,
    GUIDELINES,
    library_names,
    library_root,
    open_for_reading,
    restrict_home_access,
)
from wellsourced.config.settings import LIVE_SOURCES, Settings
from wellsourced.errors import SourceError, SourceRefused
from wellsourced.events import Emit, ignore_event
from wellsourced.sources.base import Source
from wellsourced.types import Gap, SourceKind

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library


def create_library(
    settings: Settings, name: str, kind: SourceKind = "own", *, lexical: bool = False, about: str = ""
) -> None:
    """Make an empty library; a lexical one is searched by word until it is embedded. Raises SourceRefused."""
    from wellsourced.sources.library import Library

    # A plan names its sources: two of one name could not be told from each other.
    if name == GRAPH:
        raise SourceRefused(f"“{GRAPH}” is the graph of concepts: choose another name.")
    if name == GUIDELINES:
        raise SourceRefused(f"“{GUIDELINES}” is the library that comes with wellsourced: choose another name.")
    if name in LIVE_SOURCES:
        raise SourceRefused(f"“{name}” is what is searched over the network: choose another name.")
    Library.create(library_root(settings), name, kind, None if lexical else build_encoder(settings), about)


@asynccontextmanager
async def open_library(
    settings: Settings, name: str, *, write: bool = False, build: bool = True, emit: Emit = ignore_event
) -> AsyncIterator["Library"]:
    """One library, closed in the end.

    build   whether the guidelines are built if this is their first use

    Raises NotFoundError with the nearest names, SourceUnavailable while another process writes, SourceRefused when it
    is damaged.
    """
    from wellsourced.sources.library import Library

    restrict_home_access(settings)
    encoder = cache_vectors(build_encoder(settings))
    if name == GUIDELINES and build:
        await build_guidelines(settings, encoder, emit)
    root = library_root(settings)
    # Whoever opens for writing finishes what an earlier version left anyway.
    if not write:
        await _carry_over(root, name, emit)
    with closing(
        Library.at(root, name, encoder, write=True) if write else open_for_reading(root, name, encoder)
    ) as opened:
        yield opened


async def _carry_over(root: Path, name: str, emit: Emit) -> None:
    """Index a library of an earlier version anew, from its catalogue; where that cannot be, its backlog says so."""
    from wellsourced.sources.library import Library
    from wellsourced.sources.library.folders import list_former_index

    if list_former_index(root / name):
        # A library that cannot be written (a read-only disk) is still searched as far as it is indexed.
        with suppress(SourceError), closing(Library.at(root, name, write=True)) as library:
            await library.maintain(emit)


def library_encoder_name(settings: Settings, name: str) -> str:
    """The encoder of a library's vectors; "" when it is searched by word only. Raises as `open_library` does."""
    from wellsourced.sources.library.store.documents import DocumentStore

    with closing(DocumentStore(library_root(settings) / name)) as catalogue:
        return catalogue.settings().encoder


def library_bytes(settings: Settings, name: str) -> int:
    """What a library takes on the disk, in bytes."""
    return sum(path.stat().st_size for path in (library_root(settings) / name).rglob("*") if path.is_file())


def delete_library(settings: Settings, name: str) -> None:
    """Delete a library with all that it holds. Raises NotFoundError, and SourceUnavailable while another process writes
    it."""
    from wellsourced.sources.library import delete_library_folder

    delete_library_folder(library_root(settings), name)


async def describe_backlog(settings: Settings, source: Source, *, with_index: bool = True) -> str:
    """What a source lacks and what to do about it, in a sentence without a full stop; "" when it lacks nothing.

    with_index   also what the search index lost, for which it has to be opened
    """
    from wellsourced.sources.library import Library

    if not isinstance(source, Library):
        return ""
    if source.name == GUIDELINES:
        return await describe_unbuilt_guidelines(settings)
    return (await source.backlog(with_index=with_index)).describe(source.name)


# --- for a context -------------------------------------------------------------------------------------------------


def choose_libraries(settings: Settings, asked: Sequence[str]) -> list[str]:
    """The libraries to search, each once, the guidelines first. Raises NotFoundError for one that does not exist."""
    from wellsourced.sources.library import Library

    there = library_names(settings)
    named = [*dict.fromkeys(asked or settings.libraries)]
    for name in named:
        if name not in (*there, GUIDELINES, GRAPH):
            # Opened for its error alone, which has the nearest names.
            Library.at(library_root(settings), name)
    # Named libraries are searched in the order in which they were named, and nothing else is.
    if named:
        return [name for name in named if name != GRAPH]
    own = [name for name in there if name != GUIDELINES]
    return [*([GUIDELINES] if settings.guidelines else []), *own]


async def open_searchable(
    name: str, settings: Settings, encoder: "Encoder | None", emit: Emit
) -> "tuple[Library | None, tuple[Gap, ...]]":
    """A library, if it can be searched, and as gaps what it lacks or why it cannot be."""
    if name in settings.live:
        # A plan names sources, and would not tell the two apart.
        reason = f"“{name}” is searched over the network, and a library cannot have the same name: rename its folder"
        return None, (Gap(source=name, status="failed", reason=reason),)
    unbuilt: tuple[Gap, ...] = ()
    try:
        if name == GUIDELINES:
            unbuilt = await _build_guidelines_or_gap(settings, encoder, emit)
        await _carry_over(library_root(settings), name, emit)
        library = open_for_reading(library_root(settings), name, encoder)
        card, backlog = await library.describe(), await library.backlog()
    except SourceError as error:
        return None, (Gap(source=name, status="failed", reason=str(error)),)
    if backlog and not unbuilt:
        unbuilt = (Gap(source=name, status="incomplete", reason=backlog.describe(name)),)
    if not card.documents:
        library.close()
        remedy = f"`wellsourced library add {name} PATH` puts some in"
        empty = Gap(source=name, status="empty library", reason=f"it holds no documents; {remedy}")
        return None, unbuilt or (empty,)
    return library, (*unbuilt, *_lexical_only_gaps(library, card.vectors, encoder))


async def _build_guidelines_or_gap(settings: Settings, encoder: "Encoder | None", emit: Emit) -> tuple[Gap, ...]:
    """The guidelines built; why they are not, where what there is of them can be searched all the same."""
    try:
        await build_guidelines(settings, encoder, emit)
    except SourceError as error:
        if GUIDELINES not in library_names(settings):
            raise
        return (Gap(source=GUIDELINES, status="failed", reason=str(error)),)
    return ()


def _lexical_only_gaps(library: "Library", vectors: int, encoder: "Encoder | None") -> tuple[Gap, ...]:
    if not vectors or not encoder or library.encoder:
        return ()
    remedy = f"`wellsourced library embed {library.name}` makes them anew"
    reason = f"it is searched by word only, since its vectors are not of the encoder {encoder.name}; {remedy}"
    return (Gap(source=library.name, status="not indexed", reason=reason),)
