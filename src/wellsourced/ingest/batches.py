"""What a reader yields, in parts that are worth storing at once and fit into memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import SettingsError, Unavailable, Unopened, Unreadable
from wellsourced.readers import Deleted, Faulty, Read
from wellsourced.types import Document

DOCUMENTS, CHARACTERS = 1_000, 4_000_000
"""A batch: so many documents, or fewer of so many characters together."""


class Batch(NamedTuple):
    """What a reader gave next: documents, and then ids of documents to remove. The last one is `final`, and empty."""

    documents: list[Document]
    deleted: list[str]
    faults: list[Faulty]
    final: bool = False


def batches(items: Read) -> Iterator[Batch]:
    """Everything that a reader yields, what is deleted after what was given before it."""
    batch, characters = Batch([], [], []), 0
    for item in items:
        if isinstance(item, Faulty):
            batch.faults.append(item)
        elif isinstance(item, Deleted):
            batch.deleted.extend(item.ids)
        else:
            if batch.deleted or len(batch.documents) >= DOCUMENTS or characters >= CHARACTERS:
                yield batch
                batch, characters = Batch([], [], []), 0
            batch.documents.append(item)
            characters += len(item.text)
    yield batch
    yield Batch([], [], [], final=True)


def following(path: Path, rest: Iterator[Batch]) -> Batch:
    """The next batch. Raises Unreadable; Unopened when the fault is not the file's."""
    try:
        return next(rest)
    except Unreadable:
        raise
    except OSError as error:
        raise Unopened(path, f"it cannot be read ({error.strerror or error})", "Add it again later.") from error
    except SettingsError as error:
        # A package that reads this kind of file is missing: once it is here, the file is read without being asked.
        raise Unopened(path, str(error).rstrip("."), "Then add the file again.") from error
    except Unavailable as error:
        raise Unopened(path, str(error).rstrip("."), "Add it again later.") from error
    except Exception as error:
        # A mistake of ours in a reader must not keep out the files behind this one, run after run.
        remedy = "Leave it out, and tell us; with a later version, `wellsourced library errors NAME --retry`."
        raise Unreadable(path, f"its reader broke down ({type(error).__name__}: {error})", remedy) from error
