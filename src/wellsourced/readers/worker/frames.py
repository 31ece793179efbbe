"""What goes over the pipes of a worker: a letter, the number of bytes that follow, the bytes. No pickle.

To the worker go a request and its bytes; back come parts of a file, signs of progress, results, and in the end an END
or a FAULT.
"""

import struct
from collections.abc import Callable, Sequence
from typing import IO, Literal, NamedTuple

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

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
REQUEST, DATA, ITEMS, PROGRESS, RESULT, END, FAULT = (bytes([letter]) for letter in b"QBIPR.E")


class WorkerFrame(NamedTuple):
    """One message: what it is, and its bytes."""

    kind: bytes
    data: bytes


class WorkRequest(Value):
    """One piece of work.

    task     its name in the table of the worker
    given    what it is given besides the bytes
    memory   MB, and seconds of processor time, at most; see `WorkerLimits`
    """

    task: str
    given: dict[str, JsonValue]
    memory: int
    seconds: float


FaultKind = Literal["unreadable", "unopened", "settings", "unavailable", "refused", "system", "memory", "broken"]


class WorkFault(Value):
    """How a piece of work failed, in place of an exception: its class, and what that is made of.

    extra   of wellsourced that has to be installed first; the worker is not trusted, so this is one plain word
    """

    kind: FaultKind
    reason: str
    remedy: str = ""
    number: int = 0
    extra: str = Field(default="", pattern="^[a-z0-9]{0,20}$")


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

_ITEMS: TypeAdapter[tuple[ReaderItem, ...]] = TypeAdapter(tuple[ReaderItem, ...])


def encode_items(items: Sequence[ReaderItem]) -> WorkerFrame:
    """What a reader gave, in order. Raises ValueError for characters that are none (halves of a pair)."""
    return WorkerFrame(ITEMS, _ITEMS.dump_json(tuple(items), exclude_defaults=True))


def decode_items(frame: WorkerFrame) -> Sequence[ReaderItem]:
    """What a reader gave. Raises ValueError for what is no such thing."""
    return _ITEMS.validate_json(frame.data)


FILE_ERRORS: dict[FaultKind, type[UnreadableFile]] = {"unopened": InaccessibleFile, "unreadable": UnreadableFile}
PLAIN_ERRORS: dict[FaultKind, type[Exception]] = {
    "settings": SettingsError,
    "unavailable": SourceUnavailable,
    "refused": SourceRefused,
}
"""Exceptions that come back as they were raised."""


def build_fault(error: BaseException) -> WorkFault:
    """An exception in words that can be sent."""
    for file_kind, file_error in FILE_ERRORS.items():
        if isinstance(error, file_error):
            reason, remedy = replace_surrogates(error.reason), replace_surrogates(error.remedy)
            return WorkFault(kind=file_kind, reason=reason, remedy=remedy)
    for kind, plain_error in PLAIN_ERRORS.items():
        if isinstance(error, plain_error):
            step = getattr(error, "next_step", None)
            extra = step.value if step and step.kind == "install extra" else ""
            return WorkFault(kind=kind, reason=replace_surrogates(str(error)), extra=extra)
    if isinstance(error, MemoryError):
        return WorkFault(kind="memory", reason="")
    if isinstance(error, OSError):
        reason = replace_surrogates(error.strerror or str(error))
        return WorkFault(kind="system", reason=reason, number=error.errno or 0)
    return WorkFault(kind="broken", reason=replace_surrogates(f"{type(error).__name__}: {error}")[:500])


def build_error(fault: WorkFault, name: str) -> Exception:
    """The exception that a fault stands for. Of a file, `name` is what it is called."""
    if file_error := FILE_ERRORS.get(fault.kind):
        return file_error(name, fault.reason, fault.remedy)
    if plain_error := PLAIN_ERRORS.get(fault.kind):
        error = plain_error(fault.reason)
        if isinstance(error, SettingsError) and fault.extra:
            error.next_step = NextStep("install extra", fault.extra)
        return error
    if fault.kind == "system":
        return OSError(fault.number, fault.reason)
    remedy = "Leave it out and report this error."
    return UnreadableFile(name, f"its reader failed ({fault.reason})", remedy)


def decode_fault(data: bytes) -> WorkFault:
    """How a piece of work failed; what cannot be understood is a broken reader."""
    try:
        return WorkFault.model_validate_json(data)
    except ValidationError:
        return WorkFault(kind="broken", reason="it sent an invalid message")
