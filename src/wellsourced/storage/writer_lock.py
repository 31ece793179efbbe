"""One writer at a time: a lock that the kernel gives back when its holder dies."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.storage.private_files import FILE_MODE, close_to_others


def find_writer_pid(path: Path) -> int:
    """The id of the process that holds the lock, 0 when none does. For messages: whoever acts on it takes the lock."""
    try:
        pid = int(path.read_bytes()[:20] or b"0")
        if pid > 0:
            os.kill(pid, 0)
    except PermissionError as error:
        # Another user's process is alive, another user's lock says nothing.
        return 0 if error.filename else pid
    except (OSError, ValueError, OverflowError):
        return 0
    return pid


class WriterLock:
    """A lock, held from its construction until `close`. Raises SourceUnavailable, naming the process that holds it, and
    SourceRefused.

    An flock on a file beside the data: it cannot be left behind by a process that was killed, as a file with a
    process id in it could. The id inside is only for the message.
    """

    def __init__(self, path: Path, holder: str) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            raise SourceRefused(
                f"{holder} cannot be written ({error.strerror}). Check that you may write there."
            ) from error
        close_to_others(path)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Read before the descriptor is closed: for the message, who holds it.
        except OSError as error:
            pid = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            reason = f"{holder} is being written by another process (id {pid})"
            raise SourceUnavailable(f"{reason}: wait until it has finished, or end it, and try again.") from error
        self._write_pid()

    def _write_pid(self) -> None:
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            # On a full disk the lock still holds; only its message will not know by whom.
            return

    def close(self) -> None:
        """Let the next one write."""
        if self._descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1
