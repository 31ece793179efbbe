"""What goes over the pipes of a worker: a letter, the number of bytes that follow, the bytes. No pickle.

To the worker go a request and its bytes; back come parts of a file, signs of progress, results, and in the end an END
or a FAULT.
"""

import struct
from collections.abc import Sequence
from typing import IO, Any, Literal, NamedTuple, Protocol

from pydantic import JsonValue, TypeAdapter, ValidationError

from wellsourced.errors import Refused, SettingsError, Unavailable, Unopened, Unreadable
from wellsourced.readers.base import Deleted, Faulty, printable
from wellsourced.types import Document, Value

HEAD = struct.Struct(">cQ")
REQUEST, DATA, DOCUMENTS, FAULTY, DELETED, PROGRESS, RESULT, END, FAULT = (bytes([letter]) for letter in b"QBDFXPR.E")


class Frame(NamedTuple):
    """One message: what it is, and its bytes."""

    kind: bytes
    data: bytes


class Request(Value):
    """One piece of work.

    task     its name in the table of the worker
    given    what it is given besides the bytes
    memory   MB, and seconds of processor time, at most; see `Limits`
    """

    task: str
    given: dict[str, JsonValue]
    memory: int
    seconds: float


class Fault(Value):
    """How a piece of work failed, in place of an exception: its class, and what that is made of."""

    kind: Literal["unreadable", "unopened", "settings", "unavailable", "refused", "system", "memory", "broken"]
    reason: str
    path: str = ""
    remedy: str = ""
    number: int = 0


class Oversized(Exception):
    """More bytes were announced than are taken."""


def write_frame(pipe: IO[bytes], kind: bytes, data: bytes) -> None:
    """Send one message."""
    pipe.write(HEAD.pack(kind, len(data)))
    pipe.write(data)
    pipe.flush()


class Readable(Protocol):
    """Where bytes come from."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, fewer at the end."""
        ...


def read_frame(pipe: Readable, most: int) -> Frame | None:
    """The next message; None when the other end is gone. Raises Oversized for one of more bytes than `most`."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    kind, size = HEAD.unpack(head)
    if size > most:
        raise Oversized
    data = pipe.read(size) if size else b""
    return Frame(kind, data) if len(data) == size else None


Batch = tuple[Document, ...]
_BATCH: TypeAdapter[Batch] = TypeAdapter(Batch)
_FAULTY: TypeAdapter[Faulty] = TypeAdapter(Faulty)
_DELETED: TypeAdapter[Deleted] = TypeAdapter(Deleted)


def encode_documents(documents: Sequence[Document]) -> bytes:
    """Documents as JSON. Raises ValueError for characters that are none (halves of a pair)."""
    return _BATCH.dump_json(tuple(documents), exclude_defaults=True)


def encode_item(item: Faulty | Deleted) -> Frame:
    """What a reader gave that is no document."""
    if isinstance(item, Faulty):
        return Frame(FAULTY, _FAULTY.dump_json(Faulty(*map(printable, item))))
    return Frame(DELETED, _DELETED.dump_json(item))


def decode_items(frame: Frame) -> Sequence[Document | Faulty | Deleted]:
    """What a reader gave. Raises ValueError for what is no such thing."""
    if frame.kind == DOCUMENTS:
        return _BATCH.validate_json(frame.data)
    if frame.kind == FAULTY:
        return [_FAULTY.validate_json(frame.data)]
    return [_DELETED.validate_json(frame.data)]


def fault_of(error: BaseException) -> Fault:
    """An exception in words that can be sent."""
    match error:
        case Unreadable():
            kind: Any = "unopened" if isinstance(error, Unopened) else "unreadable"
            return Fault(kind=kind, reason=printable(error.reason), remedy=printable(error.remedy))
        case MemoryError():
            return Fault(kind="memory", reason="")
        case SettingsError():
            return Fault(kind="settings", reason=printable(str(error)))
        case Unavailable():
            return Fault(kind="unavailable", reason=printable(str(error)))
        case Refused():
            return Fault(kind="refused", reason=printable(str(error)))
        case OSError():
            return Fault(kind="system", reason=printable(error.strerror or str(error)), number=error.errno or 0)
    return Fault(kind="broken", reason=printable(f"{type(error).__name__}: {error}")[:500])


def error_of(fault: Fault, name: str) -> Exception:
    """The exception that a fault stands for. Of a file, `name` is what it is called."""
    match fault.kind:
        case "unreadable":
            return Unreadable(name, fault.reason, fault.remedy)
        case "unopened":
            return Unopened(name, fault.reason, fault.remedy)
        case "settings":
            return SettingsError(fault.reason)
        case "unavailable":
            return Unavailable(fault.reason)
        case "refused":
            return Refused(fault.reason)
        case "system":
            return OSError(fault.number, fault.reason)
    remedy = "Leave it out, and tell us; with a later version, `wellsourced library errors NAME --retry`."
    return Unreadable(name, f"its reader broke down ({fault.reason})", remedy)


def decode_fault(data: bytes) -> Fault:
    """How a piece of work failed; what cannot be understood is a broken reader."""
    try:
        return Fault.model_validate_json(data)
    except ValidationError:
        return Fault(kind="broken", reason="it said what cannot be understood")
