"""What a reader yields, in parts that are worth storing at once and fit into memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import InaccessibleFile, SettingsError, SourceUnavailable, UnreadableFile
from wellsourced.readers.base import DeletedDocuments, DocumentStream, UnreadablePart
from wellsourced.types import Document

MAX_DOCUMENTS, MAX_CHARACTERS = 1_000, 4_000_000
"""A batch: so many documents, or fewer of so many characters together."""


class IngestBatch(NamedTuple):
    """What a reader gave next: documents, and then ids of documents to remove. The last one is `final`, and empty."""

    documents: list[Document]
    deleted: list[str]
    faults: list[UnreadablePart]
    is_final: bool = False


def split_batches(items: DocumentStream) -> Iterator[IngestBatch]:
    """Everything that a reader yields, what is deleted after what was given before it."""
    batch, characters = IngestBatch([], [], []), 0
    for item in items:
        if isinstance(item, UnreadablePart):
            batch.faults.append(item)
        elif isinstance(item, DeletedDocuments):
            batch.deleted.extend(item.ids)
        else:
            # A document that comes after a deletion may be the same one again: it must not be stored before it.
            if batch.deleted or len(batch.documents) >= MAX_DOCUMENTS or characters >= MAX_CHARACTERS:
                yield batch
                batch, characters = IngestBatch([], [], []), 0
            batch.documents.append(item)
            characters += len(item.text)
    yield batch
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
        raise InaccessibleFile(path, error.phrase, "Then add the file again.") from error
    except SourceUnavailable as error:
        raise InaccessibleFile(path, error.phrase, "Add it again later.") from error
    except Exception as error:
        # A mistake of ours in a reader must not keep out the files behind this one, run after run.
        remedy = "Leave it out, and tell us; with a later version, `wellsourced library errors NAME --retry`."
        raise UnreadableFile(path, f"its reader broke down ({type(error).__name__}: {error})", remedy) from error
