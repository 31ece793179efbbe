"""Who works on runs: each process shows that it lives, so that no run is at work for ever."""

import os
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from wellsourced.errors import SourceError
from wellsourced.storage.private_files import WriterLock, make_private_folder
from wellsourced.storage.state_database import StateConnection

LOCKS_FOLDER = "running"
"""The folder of home with a locked file for each process that works on a run."""

RENEW_SECONDS, LEASE_SECONDS = 3.0, 15.0
"""How often a process on PostgreSQL shows that it lives, and when it counts as dead."""

Rows = Sequence[tuple[str]]


class ProcessSign(Protocol):
    """That this process lives. `name`: what its runs name it by; an id of a process would not do, since another
    process, or another host, may have the same.

    must_renew   it has to be shown again and again
    """

    name: str
    must_renew: bool

    def renew(self, store: StateConnection) -> bool:
        """Show it again; False: others took this process for dead meanwhile."""

    def release(self, store: StateConnection | None) -> None:
        """Show it no longer; without a connection that is left to time."""


class Processes(Protocol):
    """The processes that work on the runs of the same tables."""

    def hold(self, store: StateConnection) -> ProcessSign:
        """Show that this process lives. Raises OSError, and as the database does."""

    def find_dead(self, store: StateConnection, names: Rows) -> set[str]:
        """Those that do not live."""

    def forget(self, store: StateConnection, names: Collection[str]) -> None:
        """Take away what dead ones left."""


class LockedFiles:
    """On one machine: a locked file for each, of which the system lets go however the process ends."""

    def __init__(self, home: Path) -> None:
        self.folder = home / LOCKS_FOLDER

    def hold(self, _: StateConnection) -> ProcessSign:
        make_private_folder(self.folder)
        return _LockedFile(self.folder / f"{os.getpid()}-{token_hex(8)}")

    def find_dead(self, _: StateConnection, names: Rows) -> set[str]:
        return {name for (name,) in names if not self._is_alive(self._find_file(name))}

    def forget(self, _: StateConnection, names: Collection[str]) -> None:
        for name in names:
            with suppress(OSError):
                self._find_file(name).unlink()

    def _find_file(self, name: str) -> Path:
        # A name from a file that somebody changed must not lead out of the folder.
        return self.folder / Path(name).name

    def _is_alive(self, lock: Path) -> bool:
        try:
            if lock.exists():
                WriterLock(lock, str(lock)).close()
        # Held, or not to be looked at, which proves no death.
        except SourceError:
            return True
        return False


class _LockedFile:
    must_renew = False

    def __init__(self, path: Path) -> None:
        self.name, self._path, self._lock = path.name, path, WriterLock(path, str(path))

    def renew(self, _: StateConnection) -> bool:
        return True

    def release(self, _: StateConnection | None) -> None:
        self._path.unlink(missing_ok=True)
        self._lock.close()


class TimedRows:
    """On several hosts, whose clocks differ: a row for each, with the time of the database when it was last seen."""

    def hold(self, store: StateConnection) -> ProcessSign:
        return _TimedRow(store)

    def find_dead(self, store: StateConnection, names: Rows) -> set[str]:
        if not names:
            return set()
        alive = store.execute(
            "SELECT name FROM run_processes_1 WHERE seen > clock_timestamp() - make_interval(secs => ?)",
            (LEASE_SECONDS,),
        )
        return {name for (name,) in names} - {name for (name,) in alive.fetchall()}

    def forget(self, store: StateConnection, names: Collection[str]) -> None:
        for name in names:
            store.execute("DELETE FROM run_processes_1 WHERE name = ?", (name,))


class _TimedRow:
    must_renew = True

    def __init__(self, store: StateConnection) -> None:
        self.name, self._renewed = f"{os.getpid()}-{token_hex(8)}", time.monotonic()
        store.execute("DELETE FROM run_processes_1 WHERE seen < clock_timestamp() - interval '1 day'")
        store.execute("INSERT INTO run_processes_1 (name) VALUES (?)", (self.name,))

    def renew(self, store: StateConnection) -> bool:
        if time.monotonic() - self._renewed < RENEW_SECONDS:
            return True
        sql = "UPDATE run_processes_1 SET seen = clock_timestamp() WHERE name = ? RETURNING name"
        was_there = store.execute(sql, (self.name,)).fetchone() is not None
        if not was_there:
            store.execute("INSERT INTO run_processes_1 (name) VALUES (?)", (self.name,))
        self._renewed = time.monotonic()
        return was_there

    def release(self, store: StateConnection | None) -> None:
        if store:
            store.execute("DELETE FROM run_processes_1 WHERE name = ?", (self.name,))
