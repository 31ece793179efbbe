"""Inside the worker: requests in, the parts that readers give out, and the system calls that it refuses to itself."""

import ctypes
import errno
import json
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames, limits

Task = Callable[[Mapping[str, Any], bytes], Iterable[frames.ReaderItem | bytes]]
"""A piece of work: it is given what the request says and bytes, and gives parts of a file, or one result as bytes."""

PROGRESS_INTERVAL = 0.1
"""Seconds between two signs of progress, at least."""

MAX_REQUEST_BYTES = 1 << 30
WORN_MEMORY_SHARE = 0.5
"""Share of the memory that it may take, from which a worker is replaced after its work: memory is rarely given back."""
# What a worker may not ask of the system: no socket, no other program, no other process, no file that is written.
#
# A filter of Linux (seccomp) in the processor's own numbers, those of x86-64; elsewhere there is none, and the limits
# of `limits` alone hold. What is refused fails as for lack of permission.


REFUSED_CALLS = {
    "creat": 85, "truncate": 76, "rename": 82, "mkdir": 83, "rmdir": 84, "link": 86, "unlink": 87,
    "symlink": 88, "chmod": 90, "chown": 92, "mkdirat": 258, "unlinkat": 263, "renameat": 264, "linkat": 265,
    "symlinkat": 266, "fchmodat": 268, "renameat2": 316,
    "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "sendmsg": 46, "bind": 49, "listen": 50, "socketpair": 53,
    "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "ptrace": 101, "kill": 62, "tkill": 200,
    "process_vm_readv": 310, "process_vm_writev": 311, "pidfd_send_signal": 424, "io_uring_setup": 425,
    "pidfd_open": 434, "openat2": 437,
}  # fmt: skip
"""Calls of x86-64 that are refused whatever they are given."""

OPEN, OPENAT, CLONE, TGKILL, CLONE3 = 2, 257, 56, 234, 435
X86_64 = 0xC000003E
X32 = 0x40000000
"""From here on, numbers are those of another way to call the same system."""

WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | getattr(os, "O_CREAT", 0) | getattr(os, "O_TRUNC", 0)
CLONE_THREAD = 0x00010000

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
REFUSE_AS_UNKNOWN = 0x00050000 | errno.ENOSYS
"""For calls that have an older form, which is then tried."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD = 0, 4, 16, 24, 32
"""Where the number of the call, the processor and the lower halves of what it is given stand."""

FilterStep = tuple[int, int, int, int]


def refuse_system_calls() -> bool:
    """Refuse them to this process from now on, for good; whether that could be done."""
    # Numbers of calls are the processor's own: the wrong ones would refuse what is harmless, and let through the rest.
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    code = b"".join(struct.pack("HBBI", *step) for step in build_filter(os.getpid()))
    buffer = ctypes.create_string_buffer(code, len(code))
    filter = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong]
    if prctl(38, 1, None, 0, 0):  # PR_SET_NO_NEW_PRIVS
        return False
    return not prctl(22, 2, filter, 0, 0)  # PR_SET_SECCOMP, with a filter


def build_filter(own: int) -> list[FilterStep]:
    """The filter: (what to do, steps to go over if so, if not, with what). `own`: the number of this process."""
    return [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, X86_64),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        # The same calls have other numbers there, by which the list could be walked around.
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, REFUSE),
        (EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, REFUSE_AS_UNKNOWN),
        *(step for number in REFUSED_CALLS.values() for step in ((EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE))),
        *_refuse_if(OPEN, SECOND, (ANY_BIT, 0, 1, WRITE_FLAGS)),
        *_refuse_if(OPENAT, THIRD, (ANY_BIT, 0, 1, WRITE_FLAGS)),
        *_refuse_if(CLONE, FIRST, (ANY_BIT, 1, 0, CLONE_THREAD)),
        *_refuse_if(TGKILL, FIRST, (EQUAL, 1, 0, own)),
        (RETURN, 0, 0, ALLOW),
    ]


def _refuse_if(number: int, place: int, test: FilterStep) -> list[FilterStep]:
    """Refuse a call for what stands in one place of what it is given."""
    return [(EQUAL, 0, 4, number), (LOAD, 0, 0, place), test, (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]


def serve_requests(tasks: Mapping[str, Task]) -> None:
    """Do what is asked on standard input until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which says what becomes of the work
    requests, answers = sys.stdin.buffer, _claim_stdout()
    limits.restrict_process()
    # Before the first byte from outside is looked at.
    refuse_system_calls()
    beginning, usual = limits.address_space(), limits.peak_memory()
    while (asked := frames.read_frame(requests.read, MAX_REQUEST_BYTES)) and (
        given := frames.read_frame(requests.read, MAX_REQUEST_BYTES)
    ):
        request = json.loads(asked.data)
        memory, seconds = request["memory"], request["seconds"]
        limits.limit_memory(beginning, memory)
        limits.renew_processor_time(seconds)
        try:
            _send_items(answers, tasks[request["task"]](request["given"], given.data), seconds)
        # The parent has gone: there is nobody to work for.
        except BrokenPipeError:
            return
        except Exception as error:
            frames.write_frame(answers, frames.FAULT, frames.encode_error(error))
            # Memory that a parser took is rarely given back: the next piece of work would fail for the last one's sake.
            if isinstance(error, MemoryError):
                return
        else:
            is_worn = limits.peak_memory() - usual > WORN_MEMORY_SHARE * memory
            frames.write_frame(answers, frames.END, b"worn" if is_worn else b"")
        del given, asked


def _claim_stdout() -> BinaryIO:
    """Standard output, taken away from everything else in this process that might write to it."""
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    return answers


def _send_items(pipe: BinaryIO, items: Iterable[frames.ReaderItem | bytes], seconds: float) -> None:
    """All of them as they come, and how far the reader is between them; each renews the time that it may take."""
    last = time.monotonic()

    def send(kind: bytes, data: bytes) -> None:
        frames.write_frame(pipe, kind, data)
        limits.renew_processor_time(seconds)

    def send_progress(position: int) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_INTERVAL:
            last = time.monotonic()
            send(frames.PROGRESS, str(position).encode())

    BYTES_READ.set(send_progress)
    for item in items:
        if isinstance(item, bytes):
            send(frames.RESULT, item)
        else:
            send(frames.ITEM, frames.encode_item(item))
