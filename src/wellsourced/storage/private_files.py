"""Files and folders that only their owner may read, and a lock for one writer at a time.

What somebody asked, read and stored tells of him and of others. Folders have the mode 0700, files 0600. A folder
protects what is in it also where a library of another maker writes files as the process's umask has it; those get their
mode when they are finished.
"""

import errno
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wellsourced.errors import SourceRefused, SourceUnavailable

FOLDER_MODE, FILE_MODE, OTHERS_MASK = 0o700, 0o600, 0o077


def make_private_folder(path: Path) -> None:
    """Make a folder and the folders above it that are missing; one that was there is closed to others.

    For folders that hold nothing but what is ours. Raises OSError.
    """
    make_missing_folders(path)
    close_to_others(path)


def make_missing_folders(path: Path) -> None:
    """Make a folder and those above it, as far as they are missing, for their owner alone. Raises OSError."""
    missing = []
    while not path.is_dir():
        if path.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        try:
            folder.mkdir(mode=FOLDER_MODE)
        except FileExistsError:
            # Another process may have been faster; a file of that name is another matter.
            if not folder.is_dir():
                raise


def make_private_file(path: Path) -> None:
    """Make an empty file unless it is there, closed to others; what SQLite puts beside it takes its mode from it.

    Raises OSError.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
    close_to_others(path)


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner may read; it is the old one or the new one, whatever happens. Raises OSError."""
    make_missing_folders(path.parent)
    handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(made).replace(path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise


def close_to_others(path: Path) -> None:
    """Take from a file or folder what others may do with it; left as it is where that is not ours to do."""
    with suppress(OSError):
        if is_open_to_others(path):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~OTHERS_MASK)


def close_tree(folder: Path) -> None:
    """Take from a folder, and from all in it, what others may do with it."""
    for path in list_open_to_others(folder):
        close_to_others(path)


def list_open_to_others(folder: Path) -> Iterator[Path]:
    """A file or folder, and what is in it, as far as others may do anything with it."""
    if is_open_to_others(folder):
        yield folder
    if folder.is_dir() and not folder.is_symlink():
        for parent, folders, files in os.walk(folder):
            yield from filter(is_open_to_others, (Path(parent, name) for name in (*folders, *files)))


def is_open_to_others(path: Path) -> bool:
    """Whether anyone but its owner may do anything with a file or folder. A link has no mode of its own."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return bool(mode & OTHERS_MASK) and (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


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

    shared   others may hold it too, as long as all of them share it
    """

    def __init__(self, path: Path, holder: str, *, shared: bool = False) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        except OSError as error:
            raise SourceRefused(f"{holder} cannot be written ({error.strerror}). Check its permissions.") from error
        close_to_others(path)
        try:
            fcntl.flock(self._descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        # Read before the descriptor is closed: for the message, who holds it.
        except OSError as error:
            pid = os.pread(self._descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(self._descriptor)
            raise SourceUnavailable(f"{holder} is in use by process {pid}. Wait until it ends, or end it.") from error
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
