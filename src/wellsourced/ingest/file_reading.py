"""Files read in batches: documents to store, ids of documents to remove, parts that cannot be read."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, SettingsError, SourceUnavailable, UnreadableFile
from wellsourced.readers.base import DeletedDocuments, DocumentStream, UnreadablePart
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import SHARED_POOL, stream_file
from wellsourced.sources.base import PreparedDocument
from wellsourced.types import Document, SourceKind
from wellsourced.worker_pool import ReaderThread

MAX_DOCUMENTS, MAX_CHARACTERS = 1_000, 4_000_000
"""A batch: so many documents, or fewer of so many characters together."""


class IngestBatch(NamedTuple):
    """What a reader gave next: documents, and then ids of documents to remove. The last one is `final`, and empty.

    position   bytes of the file that were read for it, where whoever reads cannot tell it in between
    """

    documents: Sequence[Document | PreparedDocument]
    deleted: Sequence[str]
    faults: Sequence[UnreadablePart]
    is_final: bool = False
    position: int = 0


def split_batches(items: DocumentStream) -> Iterator[IngestBatch]:
    """Everything that a reader yields, what is deleted after what was given before it."""
    documents: list[Document] = []
    deleted: list[str] = []
    faults: list[UnreadablePart] = []
    characters = 0
    for item in items:
        if isinstance(item, UnreadablePart):
            faults.append(item)
        elif isinstance(item, DeletedDocuments):
            deleted.extend(item.ids)
        else:
            # A document that comes after a deletion may be the same one again: it must not be stored before it.
            if deleted or len(documents) >= MAX_DOCUMENTS or characters >= MAX_CHARACTERS:
                yield IngestBatch(documents, deleted, faults)
                documents, deleted, faults, characters = [], [], [], 0
            documents.append(item)
            characters += len(item.text)
    yield IngestBatch(documents, deleted, faults)
    yield IngestBatch([], [], [], is_final=True)


def read_next_batch(path: Path, rest: Iterator[IngestBatch]) -> IngestBatch:
    """The next batch. Raises UnreadableFile; InaccessibleFile when the fault is not the file's."""
    try:
        return next(rest)
    except UnreadableFile:
        raise
    except OSError as error:
        raise InaccessibleFile(path, f"it cannot be read ({error.strerror or error})", "Add it again later.") from error
    except SettingsError as error:
        # A package that reads this kind of file is missing: once it is here, the file is read without being asked.
        missing = InaccessibleFile(path, error.phrase, "Then add the file again.")
        missing.next_step = error.next_step
        raise missing from error
    except SourceUnavailable as error:
        raise InaccessibleFile(path, error.phrase, "Add it again later.") from error
    except Exception as error:
        # A mistake of ours in a reader must not keep out the files behind this one, run after run.
        remedy = "Leave it out and report this error."
        raise UnreadableFile(path, f"its reader failed ({type(error).__name__}: {error})", remedy) from error


class FileReader:
    """Who reads files, one after the other: here in a process with limits, spoken to by a thread of its own."""

    def __init__(self, limits: WorkerLimits = FILE_LIMITS) -> None:
        self._thread, self._worker, self._limits = ReaderThread(), SHARED_POOL.take(), limits

    def read_batches(self, path: Path, kind: SourceKind, sha256: str) -> Iterator[IngestBatch]:  # noqa: ARG002
        """What the file of these bytes gives, in batches. Raises as `stream_file`."""
        return split_batches(stream_file(path, kind, self._worker, self._limits))

    async def read_next(self, path: Path, rest: Iterator[IngestBatch]) -> IngestBatch:
        """As `read_next_batch`."""
        return await self._thread.run(read_next_batch, path, rest)

    async def close(self) -> None:
        """No more is to be read; what is being read is given up."""
        if self._worker.busy:
            self._worker.close()
        await self._thread.run(SHARED_POOL.put_back, self._worker)
        self._thread.close()
