"""The library of guidelines that comes with wellsourced: built with its first use."""

import asyncio
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.config.shelves import GUIDELINES, library_names, readable, root_of
from wellsourced.errors import Refused, Unavailable
from wellsourced.events import Progress, Tell
from wellsourced.sources.base import FileState

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.library import Library

PATIENCE = 120.0
"""Seconds to wait while another process builds the guidelines: they take about twenty."""


def guidelines_release() -> str:
    """The release of open-medicine that the guidelines come from. Raises Unreadable when it is damaged."""
    from wellsourced.readers.guidelines import guidelines_version

    return guidelines_version()


async def build_guidelines(settings: Settings, encoder: "Encoder | None", tell: Tell) -> None:
    """Make the library of guidelines, or go on where an interrupted use stopped; nothing when it is complete.

    Its words come first, so that they can be searched even where the vectors are cut short.
    """
    root, release = root_of(settings), guidelines_release()
    if GUIDELINES not in library_names(settings):
        _make_guidelines(settings, encoder)
    with closing(readable(root, GUIDELINES, encoder)) as library:
        if await _complete(library, release, encoder):
            return
    with closing(await _for_writing(root, GUIDELINES, encoder)) as library:
        if not _has_text(library, release):
            await _add_guidelines(library, release, tell)
        if encoder and not await _complete(library, release, encoder):
            await library.embed(tell)


def _make_guidelines(settings: Settings, encoder: "Encoder | None") -> None:
    from wellsourced.sources.library import Library

    about = "Guideline digests by the project open-medicine"
    try:
        Library.create(root_of(settings), GUIDELINES, "guideline", encoder, about)
    except Refused:
        # Another process may have made it at the same moment: what matters is that it is there.
        if GUIDELINES not in library_names(settings):
            raise


def _has_text(library: "Library", release: str) -> bool:
    """Whether the guidelines of that release are in, to the last one."""
    state = library.file(GUIDELINES)
    return state is not None and state.sha256 == release


async def _complete(library: "Library", release: str, encoder: "Encoder | None") -> bool:
    card = await library.card()
    # Opened for reading, it has let go of an encoder that did not make its vectors.
    return _has_text(library, release) and (
        encoder is None or (library.encoder is not None and card.vectors >= card.passages)
    )


async def _for_writing(root: Path, name: str, encoder: "Encoder | None") -> "Library":
    """The library, when no other process is writing it: two first questions at once build the guidelines once."""
    from wellsourced.sources.library import Library

    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Library.at(root, name, encoder, write=True)
        except Unavailable:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.2)


async def _add_guidelines(library: "Library", release: str, tell: Tell) -> None:
    from wellsourced.readers.guidelines import read_guidelines

    documents = await asyncio.to_thread(lambda: list(read_guidelines()))
    tell(Progress(task="indexing", done=0, total=len(documents), unit="documents"))
    added = await library.add_from(GUIDELINES, documents)
    tell(
        Progress(task="indexing", done=added.documents, total=len(documents), unit="documents", passages=added.passages)
    )
    # Filed like a file whose content is the release: what an older release held and this one does not is removed.
    state = FileState(GUIDELINES, 0, 0, release, added.documents, added.passages)
    await library.finish(state, {document.reference.id for document in documents})
