"""The library of guidelines, of the digests that the package open-medicine brings: built with its first use."""

import asyncio
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.paths import GUIDELINES, library_names, library_root, open_for_reading
from wellsourced.config.settings import Settings
from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.events import Emit, Progress
from wellsourced.sources.base import FileState

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library

BUILD_TIMEOUT = 120.0
"""Seconds to wait for another process that builds the guidelines, since it last came on: it saves every five."""

POLL_SECONDS = 0.2
"""Seconds between two looks at how far it is."""


def guidelines_release() -> str:
    """The release of open-medicine whose texts the guidelines are. Raises UnreadableFile when our list is damaged."""
    from wellsourced.readers.guidelines import guidelines_version

    return guidelines_version()


async def build_guidelines(
    settings: Settings, encoder: "Encoder | None", emit: Emit, *, patience: float = BUILD_TIMEOUT
) -> None:
    """Make the library of guidelines, or go on where an interrupted use stopped; nothing when it is complete.

    Its words come first, so that they can be searched even where the vectors are cut short. While another process
    builds them this one waits, and takes over where that one dies. Raises SourceUnavailable when it does not come on
    for `patience` seconds, and UnusableDigests where the package is missing or brings other texts: also when they were
    built before, since who asks is to know why less is known of them.
    """
    from wellsourced.readers.guidelines import load_digests

    load_digests()
    root, release = library_root(settings), guidelines_release()
    if GUIDELINES not in library_names(settings):
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
        if GUIDELINES not in library_names(settings):
            raise


def _has_text(library: "Library", release: str) -> bool:
    """Whether the guidelines of that release are in, to the last one."""
    state = library.file(GUIDELINES)
    return state is not None and state.sha256 == release


async def _is_complete(library: "Library", release: str, encoder: "Encoder | None") -> bool:
    card = await library.describe()
    # Opened for reading, it has let go of an encoder that did not make its vectors.
    return _has_text(library, release) and (
        encoder is None or (library.encoder is not None and card.vectors >= card.passages)
    )


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
                reason = f"{str(error).partition(':')[0]}, which has not come on for {patience:.0f} s"
                raise SourceUnavailable(f"{reason}: end that process, and ask again.") from error
        await asyncio.sleep(POLL_SECONDS)


async def describe_unbuilt_guidelines(settings: Settings) -> str:
    """What the guidelines lack, in a sentence; "" when they are complete, or were never begun. Builds nothing."""
    from wellsourced.sources.library.folders import LOCK_FILE
    from wellsourced.storage.writer_lock import find_writer_pid

    root, release = library_root(settings), guidelines_release()
    if GUIDELINES not in library_names(settings):
        return ""
    with closing(open_for_reading(root, GUIDELINES, None)) as library:
        has_text = _has_text(library, release)
    if writer := find_writer_pid(root / GUIDELINES / LOCK_FILE):
        return f"process {writer} is building them: whoever asks meanwhile waits for it"
    return "" if has_text else "their building was cut short: the next question finishes it"


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
