"""Libraries on this machine: created, opened, measured, deleted; the guidelines, built with their first use; the
graph.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.config.encoders import build_encoder, open_encoder
from wellsourced.config.network import build_engine_opener, check_engine_url
from wellsourced.config.paths import (
    GRAPH,
    GUIDELINES,
    adopt_shared_libraries,
    has_guidelines,
    library_names,
    library_root,
    open_for_reading,
    restrict_home_access,
)
from wellsourced.config.registry import build_overlap_judge
from wellsourced.config.settings import LIVE_SOURCES, Settings
from wellsourced.errors import NextStep, SettingsError, SourceError, SourceRefused, SourceUnavailable, WellsourcedError
from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.judges.base import Judge
from wellsourced.sources.base import CopiedLibrary, FileState, Source
from wellsourced.types import Document, Gap, SourceKind

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.graph.source import Graph
    from wellsourced.sources.library import Library
    from wellsourced.sources.library.documents import LibrarySettings
    from wellsourced.sources.library.engines import OpenEngine
    from wellsourced.sources.library.library import CutDocument


def _refuse_graph() -> SourceRefused:
    reason = "The concept graph is no library: an ontology is added to it by the name of its collection."
    return SourceRefused(reason, next_step=NextStep("add recipe", "do"))


def create_library(
    settings: Settings, name: str, kind: SourceKind = "own", *, lexical: bool = False, about: str = "", engine: str = ""
) -> None:
    """Make an empty library; a lexical one gets no vectors until it is embedded.

    engine   the address of what is to find its passages, which is not asked yet; "": files beside its catalogue. With
             one, the catalogue is made in the database of the settings, where they name one

    Raises SourceRefused, and SettingsError for an engine that nobody knows.
    """
    from wellsourced.sources.library import Library

    if kind == "graph":
        raise _refuse_graph()
    _refuse_taken_name(name)
    encoder = None if lexical else build_encoder(settings)
    Library.create(
        library_root(settings), name, kind, encoder, about, engine and check_engine_url(engine), settings.storage.url
    )


def _refuse_taken_name(name: str) -> None:
    """Raise SourceRefused for a name that something else has than a library of one's own."""
    # A plan names its sources: two of one name could not be told from each other.
    if name == GRAPH:
        raise _refuse_graph()
    if name == GUIDELINES:
        raise SourceRefused(f"“{GUIDELINES}” is the name of the built-in library. Choose another name.")
    if name in LIVE_SOURCES:
        raise SourceRefused(f"“{name}” is the name of a network source. Choose another name.")


BUILD_TIMEOUT = 120.0
"""Seconds to wait for another process that builds the guidelines, since it last came on: it saves every five."""

POLL_SECONDS = 0.2
"""Seconds between two looks at how far it is."""


async def build_guidelines(
    settings: Settings, encoder: "Encoder | None", emit: Emit, *, patience: float = BUILD_TIMEOUT
) -> None:
    """Make the library of guidelines, or go on where an interrupted use stopped; nothing when it is complete.

    Its words come first, so that they can be searched even where the vectors are cut short. While another process
    builds them this one waits, and takes over where that one dies. Raises SourceUnavailable when it does not come on
    for `patience` seconds, and UnusableDigests where the package is missing or brings other texts: also when they were
    built before, since who asks is to know why less is known of them.
    """
    from wellsourced.readers.guidelines import guidelines_version, load_digests

    load_digests()
    root, release = library_root(settings), guidelines_version()
    if not has_guidelines(settings):
        _create_guidelines(settings, encoder)
    with closing(open_for_reading(root, GUIDELINES, encoder)) as library:
        # Nearly every time: looking takes milliseconds, and no lock is needed for it.
        if await _is_complete(library, release, encoder):
            return
        own = await _open_for_writing(library, root, encoder, emit, patience)
    with closing(own) as library:
        # Words before vectors: who stops here can search what is in, by word.
        if not _has_text(library, release):
            await _add_guidelines(library, release, emit)
        if encoder and not await _is_complete(library, release, encoder):
            await library.embed_passages(emit)


def _create_guidelines(settings: Settings, encoder: "Encoder | None") -> None:
    from wellsourced.sources.library import Library

    about = "Guideline digests by the project open-medicine"
    try:
        Library.create(library_root(settings), GUIDELINES, "guideline", encoder, about)
    except SourceRefused:
        # Another process may have made it at the same moment: what matters is that it is there.
        if not has_guidelines(settings):
            raise


def _has_text(library: "Library", release: str) -> bool:
    state = library.file(GUIDELINES)
    return state is not None and state.sha256 == release


async def _is_complete(library: "Library", release: str, encoder: "Encoder | None") -> bool:
    card = await library.describe()
    return _has_text(library, release) and (encoder is None or library.count_vectors() >= card.passages)


async def _open_for_writing(
    seen: "Library", root: Path, encoder: "Encoder | None", emit: Emit, patience: float
) -> "Library":
    """The guidelines, when no other process is writing them: two first questions at once build them once.

    seen   the same library open for reading, by which to see how far the other is
    """
    from wellsourced.sources.library import Library

    far, since = None, time.monotonic()
    while True:
        try:
            return Library.at(root, GUIDELINES, encoder, write=True)
        except SourceUnavailable as error:
            card = await seen.describe()
            if (card.passages, card.vectors) != far:
                far, since = (card.passages, card.vectors), time.monotonic()
                emit(Progress(task="waiting", done=card.vectors, total=card.passages, unit="passages"))
            # Counted from when the other last came on, not from the beginning: a slow machine builds for minutes.
            if time.monotonic() - since > patience:
                reason = f"{str(error).partition('. ')[0]}, without progress for {patience:.0f} s"
                raise SourceUnavailable(f"{reason}. End that process and try again.") from error
        await asyncio.sleep(POLL_SECONDS)


async def describe_unbuilt_guidelines(settings: Settings) -> str:
    """What the guidelines lack, in a sentence; "" when they are complete, or were never begun. Builds nothing."""
    from wellsourced.readers.guidelines import guidelines_version
    from wellsourced.sources.library.reader import LOCK_FILE
    from wellsourced.storage.private_files import find_writer_pid

    root, release = library_root(settings), guidelines_version()
    if not has_guidelines(settings):
        return ""
    with closing(open_for_reading(root, GUIDELINES, None)) as library:
        has_text = _has_text(library, release)
    if writer := find_writer_pid(root / GUIDELINES / LOCK_FILE):
        return f"process {writer} is building them; other questions wait for it"
    return "" if has_text else "their index is incomplete; the next question completes it"


async def _add_guidelines(library: "Library", release: str, emit: Emit) -> None:
    from wellsourced.readers.guidelines import read_guidelines

    documents = await asyncio.to_thread(lambda: list(read_guidelines()))
    emit(Progress(task="indexing", done=0, total=len(documents), unit="documents"))
    added = await library.add_from(GUIDELINES, documents)
    emit(
        Progress(task="indexing", done=added.documents, total=len(documents), unit="documents", passages=added.passages)
    )
    # Filed like a file whose content is the release: what an older release held and this one does not is removed.
    state = FileState(GUIDELINES, 0, 0, release, added.documents, added.passages)
    await library.finish_file(state, {document.reference.id for document in documents})


@asynccontextmanager
async def open_library(
    settings: Settings,
    name: str,
    *,
    write: bool = False,
    build: bool = True,
    emit: Emit = ignore_event,
    root: Path | None = None,
) -> AsyncIterator["Library"]:
    """One library, closed in the end.

    build   whether the guidelines are built if this is their first use
    root    the folder that it lies in, where that is not the one at home

    Raises NotFoundError with the nearest names, SourceUnavailable while another process writes, SourceRefused when it
    is damaged.
    """
    from wellsourced.sources.library import Library

    restrict_home_access(settings)
    encoder = open_encoder(settings)
    if name == GUIDELINES and build and root is None:
        await build_guidelines(settings, encoder, emit)
    if root is None:
        adopt_shared_libraries(settings)
    root, database = root or library_root(settings), settings.storage.url
    async with AsyncExitStack() as stack:
        opener = build_engine_opener(settings, stack)
        with closing(
            Library.at(root, name, encoder, write=True, open_engine=opener, database=database)
            if write
            else open_for_reading(root, name, encoder, opener, database)
        ) as opened:
            yield opened


def read_library_settings(settings: Settings, name: str) -> "LibrarySettings":
    """What a library is, read from its catalogue alone. Raises as `open_library` does."""
    from wellsourced.sources.library.documents import DocumentStore

    with closing(DocumentStore(library_root(settings) / name, database=settings.storage.url)) as catalogue:
        return catalogue.settings()


async def prepare_engine(settings: Settings, name: str) -> None:
    """Have the engine of a new library made ready; a library whose engine refuses is deleted. Raises SourceError."""
    from wellsourced.sources.library import delete_library_folder

    try:
        async with open_library(settings, name, write=True) as library:
            await library.maintain()
    except WellsourcedError:
        delete_library_folder(library_root(settings), name, settings.storage.url)
        raise


async def copy_library(settings: Settings, source: str, to: str, engine: str, emit: Emit) -> CopiedLibrary:
    """Copy a library into another, which is made where it is not there, or gone on with where it is.

    source, to   names, or the folders of libraries that lie elsewhere
    engine       the address of what is to find the passages of a new one; "": files beside its catalogue

    Raises SourceError, SettingsError.
    """
    from wellsourced.sources.library import Library, list_libraries

    root, name = _locate_library(settings, to)
    _refuse_taken_name(name)
    from_root, from_name = _locate_library(settings, source)
    if (from_root, from_name) == (root, name):
        raise SourceRefused(f"{source} cannot be copied into itself. Choose another name.")
    async with open_library(settings, from_name, emit=emit, root=from_root) as original:
        adopt_shared_libraries(settings)
        is_new = name not in list_libraries(root)
        if is_new:
            about = await original.describe()
            # By word: whose vectors it has is told by those that are carried over.
            at, database = engine and check_engine_url(engine), settings.storage.url
            Library.create(root, name, about.kind, None, about.about, at, database)
        async with open_library(settings, name, write=True, emit=emit, root=root) as copy:
            if engine and copy.engine_url != engine:
                where = f"at {copy.engine_url}" if copy.engine_url else "on this machine"
                raise SourceRefused(f"{to} exists, and its passages are found {where}. Copy to another name.")
            return await copy.copy_from(original, emit)


class MovedLibrary(NamedTuple):
    """What was moved of a library: its index, None if it was there already, and whether its catalogue was."""

    copied: CopiedLibrary | None
    is_shared: bool


async def move_library(settings: Settings, name: str, engine: str, emit: Emit) -> MovedLibrary:
    """Have the passages of a library found at this address, or on this machine for "". With one, the catalogue moves
    to the database of the settings, where they name one.

    Raises SourceError, SettingsError.
    """
    refuse_guidelines(name)
    copied, database, is_shared = None, settings.storage.url, False
    async with open_library(settings, name, write=True, emit=emit) as library:
        if library.engine_url != (engine and check_engine_url(engine)):
            copied = await library.move_to(engine, emit)
        if engine and database and (copied is None or copied.is_whole):
            is_shared = await library.share(database, emit)
    return MovedLibrary(copied, is_shared)


def _locate_library(settings: Settings, named: str) -> tuple[Path, str]:
    """The folder that a library lies in, and its name, of a name or the library's own folder."""
    path = Path(named).expanduser().absolute()
    return (path.parent, path.name) if len(Path(named).parts) > 1 else (library_root(settings), named)


def library_bytes(settings: Settings, name: str) -> int:
    """What a library takes on the disk, in bytes."""
    return sum(path.stat().st_size for path in (library_root(settings) / name).rglob("*") if path.is_file())


def prepare_documents(documents: Sequence[Document]) -> "list[CutDocument]":
    """Documents as a library stores them, made by whatever process: storing these is all that is left to its writer."""
    from wellsourced.sources.library.library import prepare_document

    return [prepare_document(document) for document in documents]


def refuse_guidelines(name: str) -> None:
    """Raise SourceRefused for the built-in guidelines, of which the next release would silently undo any change, and
    for the concept graph."""
    if name == GUIDELINES:
        raise SourceRefused("The built-in guidelines cannot be changed.", next_step=NextStep("create library"))
    if name == GRAPH:
        raise _refuse_graph()


async def delete_library(settings: Settings, name: str) -> None:
    """Delete a library with all that it holds, also on another machine. Raises NotFoundError, and SourceUnavailable
    while another process writes it, or its engine cannot be asked: then nothing is deleted."""
    from wellsourced.sources.library import delete_library_folder

    # One that cannot be opened is deleted all the same: what it had on this machine is in its folder.
    engine = ""
    with suppress(SourceError):
        engine = read_library_settings(settings, name).engine
    if engine:
        async with open_library(settings, name, write=True, build=False) as library:
            await library.drop_index()
    delete_library_folder(library_root(settings), name, settings.storage.url)


async def describe_backlog(
    settings: Settings, source: Source, *, with_index: bool = True
) -> tuple[str, NextStep | None]:
    """Return what a source lacks, in a sentence without a full stop, and what to do about it; "" when it lacks nothing.

    with_index   also what the search index lost, for which it has to be opened
    """
    from wellsourced.sources.library import Library

    if not isinstance(source, Library):
        return "", None
    if source.name == GUIDELINES:
        return await describe_unbuilt_guidelines(settings), None
    backlog = await source.backlog(with_index=with_index)
    return backlog.describe(), backlog.next_step(source.name)


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
    name: str, settings: Settings, encoder: "Encoder | None", emit: Emit, open_engine: "OpenEngine"
) -> "tuple[Library | None, tuple[Gap, ...]]":
    """A library, if it can be searched, and as gaps what it lacks or why it cannot be."""
    if name in settings.live:
        # A plan names sources, and would not tell the two apart.
        reason = f"“{name}” is also the name of a network source; rename the library's folder"
        return None, (Gap(source=name, status="failed", reason=reason),)
    unbuilt: tuple[Gap, ...] = ()
    try:
        if name == GUIDELINES:
            unbuilt = await _build_guidelines_or_gap(settings, encoder, emit)
        library = open_for_reading(library_root(settings), name, encoder, open_engine)
        card, backlog = await library.describe(), await library.backlog()
    # An engine that is not set up closes this library, and no other.
    except (SourceError, SettingsError) as error:
        return None, (Gap.of_error(name, error),)
    if backlog and not unbuilt:
        reason, step = backlog.describe(), backlog.next_step(name)
        unbuilt = (Gap(source=name, status="incomplete", reason=reason, next_step=step),)
    if not card.documents:
        library.close()
        step = NextStep("add files", name)
        empty = Gap(source=name, status="empty library", reason="it holds no documents", next_step=step)
        return None, unbuilt or (empty,)
    return library, (*unbuilt, *_former_vector_gaps(library, card.vectors, encoder))


async def _build_guidelines_or_gap(settings: Settings, encoder: "Encoder | None", emit: Emit) -> tuple[Gap, ...]:
    """The guidelines built; why they are not, where what there is of them can be searched all the same."""
    try:
        await build_guidelines(settings, encoder, emit)
    except SourceError as error:
        if not has_guidelines(settings):
            raise
        return (Gap.of_error(GUIDELINES, error),)
    return ()


def _former_vector_gaps(library: "Library", vectors: int, encoder: "Encoder | None") -> tuple[Gap, ...]:
    if not vectors or not encoder or library.count_vectors():
        return ()
    reason = f"searched by word first: its vectors are from another encoder than {encoder.name}"
    step = NextStep("embed library", library.name)
    return (Gap(source=library.name, status="not indexed", reason=reason, next_step=step),)


GRAPH_FILE = "graph.sqlite3"


def graph_path(settings: Settings) -> Path:
    """Where the graph lies, once it holds anything."""
    return settings.home / GRAPH_FILE


@asynccontextmanager
async def open_graph(settings: Settings, *, write: bool = False, judge: Judge | None = None) -> AsyncIterator["Graph"]:
    """The graph, closed in the end; made when it is written and not there.

    judge   of relevance; None: the words in common

    Raises NotFoundError, SourceUnavailable, SourceRefused.
    """
    from wellsourced.sources.graph.source import Graph

    with closing(Graph(graph_path(settings), write, judge=judge or build_overlap_judge("relevance"))) as graph:
        yield graph
