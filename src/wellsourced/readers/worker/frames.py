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


ERRORS: dict[FaultKind, type[Exception]] = {
    "unopened": InaccessibleFile,
    "unreadable": UnreadableFile,
    "settings": SettingsError,
    "unavailable": SourceUnavailable,
    "refused": SourceRefused,
    "memory": MemoryError,
    "system": OSError,
}
"""What can be sent; the first that fits counts, and any other exception is a broken reader."""


def build_fault(error: BaseException) -> WorkFault:
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
    return WorkFault(
        kind=kind,
        reason=replace_surrogates(reason),
        remedy=replace_surrogates(remedy),
        number=getattr(error, "errno", None) or 0,
        extra=step.value if step and step.kind == "install extra" else "",
    )


def build_error(fault: WorkFault, name: str) -> Exception:
    """The exception that a fault stands for. Of a file, `name` is what it is called."""
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


def decode_fault(data: bytes) -> WorkFault:
    """How a piece of work failed; what cannot be understood is a broken reader."""
    try:
        return WorkFault.model_validate_json(data)
    except ValidationError:
        return WorkFault(kind="broken", reason="it sent an invalid message")
