"""Tables of what a server keeps: in a SQLite file of its home, or on PostgreSQL where several hosts share them.

Both are asked in the same SQL, with `?` for values, and in both one transaction at a time writes to the same tables.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from wellsourced.errors import SourceUnavailable
from wellsourced.storage.sqlite_database import BACKUP_REMEDY, Remedy, explain_sqlite_errors, sqlite_transaction

EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
"""Moves all pages from the log into the file: those in the log have what was deleted."""


class StateConnection(Protocol):
    """An open connection, one thread's at a time; `execute` returns a cursor, as in all drivers of databases."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run a statement for each row."""


class StateDatabase(ABC):
    """Where tables are. Raises SourceUnavailable where they cannot be reached or written now, SourceRefused where they
    are damaged, of a later version, or not for this user.

    place   what its owner calls it; no password is in it
    """

    place: str

    @contextmanager
    def open(self) -> Iterator[StateConnection]:
        """Connect for a moment; errors are explained."""
        with self.explain_errors(), self.connect() as store:
            yield store

    @abstractmethod
    def exists(self) -> bool:
        """Whether anything can be there: whoever only reads makes no tables."""

    @abstractmethod
    def connect(self) -> AbstractContextManager[StateConnection]:
        """A connection to tables that are up to date. Raises as the driver does."""

    @abstractmethod
    def explain_errors(self) -> AbstractContextManager[None]:
        """Turn the driver's errors into words for the owner."""

    @abstractmethod
    def transaction(self, store: Any) -> AbstractContextManager[None]:
        """All that is written inside, or nothing; nobody else writes meanwhile."""

    @abstractmethod
    def read_clock(self) -> datetime:
        """The time that counts for all who share the tables."""

    @abstractmethod
    def overwrite_deleted(self, store: Any) -> None:
        """Leave nothing of what was deleted where this program can reach it."""


class SqliteState(StateDatabase):
    """One file. What is deleted in it is overwritten.

    connect   opens the file, makes its tables and brings earlier ones up to date
    """

    def __init__(
        self, path: Path, connect: Callable[[Path], sqlite3.Connection], remedy: Remedy = BACKUP_REMEDY
    ) -> None:
        self.path, self.place, self._connect, self._remedy = path, str(path), connect, remedy

    def exists(self) -> bool:
        return self.path.exists()

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        return closing(self._connect(self.path))

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        with explain_sqlite_errors(self.path, self._remedy):
            try:
                yield
            except OSError as error:
                told = f"{self.path} cannot be written ({error.strerror or error}). Check its permissions."
                raise SourceUnavailable(told) from error

    def transaction(self, store: sqlite3.Connection) -> AbstractContextManager[None]:
        return sqlite_transaction(store)

    def read_clock(self) -> datetime:
        return datetime.now(UTC)

    def overwrite_deleted(self, store: sqlite3.Connection) -> None:
        store.execute(EMPTY_LOG)
