"""Changes to a library: files read into it, documents taken out of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.config.libraries import library_encoder_name
from wellsourced.events import Emit, IngestionCompleted
from wellsourced.ingest.file_ingestion import ingest_files
from wellsourced.ingest.fingerprints import manifest_path


async def ingest_paths(
    settings: config.Settings, name: str, paths: tuple[Path, ...], vectors: bool, emit: Emit, *, again: bool = False
) -> IngestionCompleted:
    """Read files into a library: first the text, then its vectors, where the library has those of this encoder."""
    encoder = config.build_encoder(settings)
    async with config.open_library(settings, name, write=True) as opened:
        ingested = await ingest_files(opened, paths, emit, again=again)
        # Another encoder's vectors would be thrown away for this one's: that is for `embed` to do, when it is told to.
        if vectors and encoder and encoder.name == library_encoder_name(settings, name):
            await opened.embed_passages(emit)
    return ingested


async def remove_documents(settings: config.Settings, name: str, ids: Sequence[str]) -> "RemovalResult":
    """Take documents out of a library, by their ids or by the files that they came from. Raises as `open_library`."""
    async with config.open_library(settings, name, write=True) as opened:
        files = {one: file for one in ids if (file := opened.file(manifest_path(Path(one))))}
        removed = await opened.remove([one for one in ids if one not in files])
        missing = len({*ids} - {*files}) - removed
        for file in files.values():
            # Killed between this and the next line, it would otherwise be known as read, with nothing of it here.
            removed += await opened.finish_file(file._replace(state="queued", sha256=""), frozenset())
            await opened.forget_file(file.path)
        return RemovalResult(removed, missing, bool(files))


class RemovalResult(NamedTuple):
    """How many documents went, how many of those named were not there, and whether files were among what was named."""

    documents: int
    missing: int
    files: bool
