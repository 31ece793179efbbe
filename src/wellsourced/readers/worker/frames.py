"""What goes over the pipes of a worker: a letter, the number of bytes that follow, the bytes. No pickle.

To the worker go a request and its bytes; back come items of a file, signs of progress, a result, and in the end an END
or a FAULT.
"""

import struct
from collections.abc import Callable
from typing import IO, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from wellsourced.errors import (
    InaccessibleFile,
    NextStep,
    SettingsError,
    SourceRefused,
    SourceUnavailable,
    UnreadableFile,
)
from wellsourced.readers.base import DeletedDocuments, UnreadablePart, replace_surrogates
from wellsourced.types import Document, Value

FRAME_HEADER = struct.Struct(">cQ")
REQUEST, DATA, ITEM, PROGRESS, RESULT, END, FAULT = (bytes([letter]) for letter in b"QBIPR.E")


class WorkerFrame(NamedTuple):
    """One message: what it is, and its bytes."""

    kind: bytes
    data: bytes


class OversizedFrame(Exception):
    """More bytes were announced than are taken."""


def write_frame(pipe: IO[bytes], kind: bytes, data: bytes) -> None:
    """Send one message."""
    pipe.write(FRAME_HEADER.pack(kind, len(data)))
    pipe.write(data)
    pipe.flush()


def read_frame(read: Callable[[int], bytes], most: int) -> WorkerFrame | None:
    """The next message; None when the other end is gone. Raises OversizedFrame for one of more bytes than `most`.

    read   gives so many bytes, fewer at the end
    """
    head = read(FRAME_HEADER.size)
    if len(head) < FRAME_HEADER.size:
        return None
    kind, size = FRAME_HEADER.unpack(head)
    if size > most:
        raise OversizedFrame
    data = read(size) if size else b""
    return WorkerFrame(kind, data) if len(data) == size else None


ReaderItem = Document | UnreadablePart | DeletedDocuments
"""What a reader gives."""

_ITEM: TypeAdapter[ReaderItem] = TypeAdapter(ReaderItem)


def encode_item(item: ReaderItem) -> bytes:
    """What a reader gave; of a document with characters that are none (halves of a pair), that it cannot be read."""
    if isinstance(item, UnreadablePart):
        item = UnreadablePart(*map(replace_surrogates, item))
    try:
        return _ITEM.dump_json(item, exclude_defaults=True)
    except ValueError:
        where = f"document {item.reference.id[:100]}" if isinstance(item, Document) else "deleted documents"
        return encode_item(UnreadablePart(where, "it contains halves of surrogate pairs", "Save it as UTF-8."))


def decode_item(data: bytes) -> ReaderItem:
    """What a reader gave. Raises ValueError for what is no such thing."""
    return _ITEM.validate_json(data)


class WorkFault(Value):
    """How a piece of work failed, in place of an exception: its class, and what that is made of.

    kind    one of ERRORS; whatever else is a reader that failed
    extra   of wellsourced that has to be installed first; the worker is not trusted, so this is one plain word
    """

    kind: str = "broken"
    reason: str
    remedy: str = ""
    number: int = 0
    extra: str = Field(default="", pattern="^[a-z0-9]{0,20}$")


ERRORS: dict[str, type[Exception]] = {
    error.__name__: error
    for error in (
        *(InaccessibleFile, UnreadableFile, SettingsError, SourceUnavailable, SourceRefused, MemoryError, OSError),
    )
}
"""What can be sent; the first that fits counts."""


def encode_error(error: Exception) -> bytes:
    """An exception in words that can be sent."""
    kind = next((kind for kind, known in ERRORS.items() if isinstance(error, known)), "broken")
    reason, remedy = str(error), ""
    if isinstance(error, UnreadableFile):
        reason, remedy = error.reason, error.remedy
    elif isinstance(error, OSError):
        reason = error.strerror or reason
    elif kind == "broken":
        reason = f"{type(error).__name__}: {error}"[:500]
    step = getattr(error, "next_step", None)
    fault = WorkFault(
        kind=kind,
        reason=replace_surrogates(reason),
        remedy=replace_surrogates(remedy),
        number=getattr(error, "errno", None) or 0,
        extra=step.value if step and step.kind == "install extra" else "",
    )
    return fault.model_dump_json().encode()


def decode_error(data: bytes, name: str) -> Exception:
    """The exception that was sent; what cannot be understood is a broken reader. Of a file, `name` is its name."""
    try:
        fault = WorkFault.model_validate_json(data)
    except ValidationError:
        fault = WorkFault(reason="it sent an invalid message")
    error_type = ERRORS.get(fault.kind)
    if error_type is None:
        return UnreadableFile(name, f"its reader failed ({fault.reason})", "Leave it out and report this error.")
    if issubclass(error_type, UnreadableFile):
        return error_type(name, fault.reason, fault.remedy)
    if error_type is OSError:
        return OSError(fault.number, fault.reason)
    error = error_type(fault.reason)
    if isinstance(error, SettingsError) and fault.extra:
        error.next_step = NextStep("install extra", fault.extra)
    return error
