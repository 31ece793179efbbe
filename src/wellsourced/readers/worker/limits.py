"""What a process that reads foreign bytes may take, and how it ties its own hands."""

import math
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

MB = 1024 * 1024
MAX_OPEN_FILES = 64
"""Files that are open at once, at most: the one that is read, pipes, modules that are loaded on the way."""

MEMORY_PAGE_BYTES = 4096
"""Bytes of a page of memory; where they are more, the limit is looser."""


class WorkerLimits(NamedTuple):
    """What the work on one file or page may take.

    memory    MB of address space beyond what a worker has when it starts
    seconds   of processor time between two signs that it gets on: a part that it gives, a page, bytes that it has read
    silence   seconds of the clock between two signs of life
    output    MB that it may give of one file or page, or 1,000 times the size of that, whichever is more
    """

    memory: int = 2048
    seconds: float = 120.0
    silence: float = 600.0
    output: int = 512


FILE_LIMITS = WorkerLimits()
"""For files that go into a library."""

PAGE_LIMITS = WorkerLimits(memory=1024, seconds=30.0, silence=60.0, output=128)
"""For a page that was fetched."""

TEXT_LIMITS = WorkerLimits(memory=2048, seconds=120.0, silence=240.0, output=256)
"""For a text that is checked."""


def restrict_process() -> None:
    """Let this process write no file, open few, dump no core, and end with its parent.

    Linux holds it to all of that; other systems to what they know of it.
    """
    if sys.platform == "linux":  # elsewhere the end of the pipe ends it
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG, of the thread that started it
    for name, value in (("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0), ("RLIMIT_NOFILE", MAX_OPEN_FILES)):
        _set_limit(name, value, for_good=True)


def limit_memory(beginning: int, megabytes: int) -> None:
    """Let the address space of this process grow to so many MB beyond the bytes that it began with."""
    _set_limit("RLIMIT_AS", beginning + megabytes * MB)


def renew_processor_time(seconds: float) -> None:
    """So many seconds of processor time from now on; the process is ended when they are spent."""
    _set_limit("RLIMIT_CPU", math.ceil(time.process_time() + seconds))


def _set_limit(name: str, value: int, *, for_good: bool = False) -> None:
    """Set a limit of `resource`, no higher than it may be; one for good cannot be raised again."""
    try:
        import resource
    except ImportError:  # no system of this kind
        return
    limit = getattr(resource, name)
    hard = resource.getrlimit(limit)[1]
    value = value if hard < 0 else min(value, hard)
    with suppress(ValueError, OSError):  # a system that does not know this limit
        resource.setrlimit(limit, (value, value if for_good else hard))


def peak_memory(process: int | Literal["self"] = "self") -> float:
    """The most memory, in MB, that a process, by default this one, has had at once; 0.0 where that is not known.

    Linux keeps it only while the process lives. What it counts to a process that has ended includes the one that
    started it.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    if process != "self":
        return 0.0
    try:
        import resource
    except ImportError:
        return 0.0
    return maxrss_megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def maxrss_megabytes(maxrss: int) -> float:
    """The `ru_maxrss` of a process in MB: macOS counts bytes, the others KB."""
    return maxrss / (MB if sys.platform == "darwin" else 1024)


def address_space() -> int:
    """Bytes of address space that this process has now."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * MEMORY_PAGE_BYTES
    except OSError:
        return 0
