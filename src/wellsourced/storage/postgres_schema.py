"""A schema on PostgreSQL, asked as a file of SQLite is (sqlite_database.SqliteDatabase): by the same statements, of
which only lists are written otherwise.

Who writes takes turns with writers on other hosts. A turn is a lock of a transaction that is open beside those that
write: a process that is killed lets go of it at once, a host that falls silent within half a minute, and a pooler may
stand between.
"""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from zlib import crc32

from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.storage.postgres import PostgresConnection, PostgresState
from wellsourced.storage.state_database import StateConnection

if TYPE_CHECKING:
    import psycopg

TURN_SECONDS = 60
"""How long to wait for others who write: a batch takes seconds."""

INSERTED_ROWS = 1_000
"""Rows of one statement, which may have 65,535 parameters."""

MISSING_TABLE = "42P01"

SESSION = """
BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL application_name = '{name}';
SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3;
SELECT pg_advisory_xact_lock_shared({presence})
"""

FIND_WRITER = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted
AND pg_locks.classid = 0 AND pg_locks.objid = ? AND datname = current_database() ORDER BY backend_start LIMIT 1
"""


class SchemaConnection(PostgresConnection):
    """Passes statements on in which a list is a parameter `json_each(?)`, as SQLite reads them; texts as they are."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement."""
        places = sql.split("?")[:-1]
        given = [
            [_clean_text(one) for one in json.loads(value)] if place.endswith("json_each(") else value
            for place, value in zip(places, values, strict=True)
        ]
        sql = sql.replace("json_each(?)", "unnest(CAST(? AS TEXT[])) AS value")
        return self.raw.execute(sql.replace("?", "%s").encode(), given or None)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Insert rows: many by each statement, since what is counted as they come is counted by statement."""
        into, _, values = sql.partition(" VALUES ")
        row, end, conflict = values.partition(")")
        for start in range(0, len(rows), INSERTED_ROWS):
            part = rows[start : start + INSERTED_ROWS]
            whole = f"{into} VALUES {', '.join([row + end] * len(part))}{conflict}".replace("?", "%s")
            self.raw.execute(whole.encode(), [value for one in part for value in one])


def _clean_text(value: Any) -> Any:
    """What is looked for, without characters that no text of PostgreSQL has."""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode() if isinstance(value, str) else value


class _SchemaState(PostgresState):
    """Explains a missing table: somebody has deleted what is here, and nobody may make an empty one in its place."""

    def __init__(self, url: str, name: str, missing: str) -> None:
        super().__init__(url, name, ())
        self._missing = missing

    def _explain(self, error: "psycopg.Error") -> SourceRefused | SourceUnavailable:
        return NotFoundError(self._missing) if error.sqlstate == MISSING_TABLE else super()._explain(error)


class PostgresSchema:
    """The tables of one schema. Raises SourceUnavailable where it cannot be reached, SourceRefused where this user may
    not, NotFoundError where its tables are gone.

    what   for messages: "the library trials"
    """

    def __init__(self, url: str, name: str, what: str) -> None:
        where = PostgresState(url, name, ()).place
        self._state = _SchemaState(url, name, f"The tables of {what} are not in {where}: they were deleted.")
        self.place, self._what, self._search_path = where, what, set_search_path(name)
        self._turn, self._presence = (crc32(f"wellsourced {name} {lock}".encode()) for lock in ("turn", "presence"))
        self._session: psycopg.Connection | None = None
        self._has_turn = False

    def close(self) -> None:
        """Let go of the turn, and be no writer any more."""
        session, self._session, self._has_turn = self._session, None, False
        if session:
            session.close()

    def fetch_one(self, sql: str) -> tuple[Any, ...]:
        """The row that is always there."""
        rows = self.fetch_all(sql)
        if not rows:
            raise SourceRefused(f"{self.place}: a required row of {self._what} is missing. Restore it from a backup.")
        return rows[0]

    def fetch_all(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        # In one go: on the way to another machine each statement would wait for its answer.
        with self._state.open() as store, store.raw.pipeline(), store.raw.transaction():
            store.raw.execute(self._search_path)
            rows: list[tuple[Any, ...]] = (
                SchemaConnection(store.raw).execute(sql, [_clean_text(value) for value in parameters]).fetchall()
            )
            return rows

    @contextmanager
    def transaction(self) -> Iterator[StateConnection]:
        """All of it is written, or nothing."""
        with self._state.open() as store, self._state.transaction(store):
            # Who lost his turn, with the connection, may not go on: another has it by now.
            if self._has_turn and self._session:
                self._session.execute("SELECT 1")
            store.raw.execute(self._search_path)
            yield SchemaConnection(store.raw)

    def begin_turn(self) -> None:
        """Wait until nobody else writes. Raises SourceUnavailable, naming who does, after a minute."""
        with self._state.explain_errors():
            if self._session is None or not self._is_connected(self._session):
                self._session = self._state.connect_apart()
                name = f"process {os.getpid()} on {platform.node()}".replace("'", "")[:63]
                self._session.execute(SESSION.format(name=name, presence=self._presence).encode())
            self._session.execute("SAVEPOINT turn")
            try:
                self._session.execute(
                    f"SET LOCAL lock_timeout = '{TURN_SECONDS}s'; SELECT pg_advisory_xact_lock({self._turn})".encode()
                )
            except Exception as error:
                if getattr(error, "sqlstate", None) != "55P03":
                    raise
                self._session.execute("ROLLBACK TO turn")
                message = f"{self._what} is in use by {self._find_holder(self._turn)}"
                raise SourceUnavailable(f"{message[0].upper()}{message[1:]}. Try again when it has finished.") from None
        self._has_turn = True

    def _is_connected(self, session: "psycopg.Connection") -> bool:
        try:
            with self._state.explain_errors():
                session.execute("SELECT 1")
        except (SourceRefused, SourceUnavailable):
            session.close()
            return False
        return True

    def end_turn(self) -> None:
        """Let the next one write."""
        self._has_turn = False
        if self._session:
            with suppress(SourceRefused, SourceUnavailable), self._state.explain_errors():
                self._session.execute("ROLLBACK TO turn")

    def find_writer(self) -> str:
        """Who has it open for writing on whatever host, "process 7 on ward-3"; "" for nobody. For messages."""
        return self._find_holder(self._presence)

    def _find_holder(self, lock: int) -> str:
        with self._state.open() as store:
            found = store.execute(FIND_WRITER, (lock,)).fetchone()
        return str(found[0]) if found else ""


def set_search_path(schema: str) -> bytes:
    """The statement by which tables without a schema are those of this one, until the transaction ends."""
    return f'SET LOCAL search_path TO "{schema}"'.encode()
