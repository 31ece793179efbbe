"""PostgreSQL as the place of state that several hosts share; its driver (psycopg 3) is imported when it is used.

Nothing is kept in a session, so that a pooler may stand between: locks and limits hold for one transaction.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

from wellsourced.errors import NextStep, SettingsError, SourceRefused, SourceUnavailable
from wellsourced.storage.state_database import StateConnection, StateDatabase

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS, LOCK_SECONDS, IDLE_SECONDS = 3, 5, 10
"""How long to wait for the server, for others who write, and for a writer who froze in the middle of it."""

DOWN_SECONDS = 2.0
"""After a failed attempt the server is not tried again for so long: each would wait for it."""

MAX_IDLE = 8
"""Connections that are kept open for the next who ask."""

LOCAL_HOSTS = ("", "localhost", "127.0.0.1", "::1")

KEEP_ALIVE = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "15000"}
"""How soon a host is missed that went away without a word."""

TEMPORARY_REFUSALS = ("starting up", "shutting down", "too many", "recovery", "remaining connection slots")
"""Words with which a server says that it takes no connection now."""

VERSIONS = "CREATE TABLE IF NOT EXISTS wellsourced_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL)"

ESCAPE_REMEDY = "Write reserved characters of the password as %XX."

_idle: dict[str, list["psycopg.Connection"]] = {}
_down_until: dict[str, float] = {}
_up_to_date: set[tuple[str, str]] = set()


class PostgresConnection(StateConnection):
    """Passes statements on, with placeholders as PostgreSQL's driver writes them."""

    def __init__(self, raw: "psycopg.Connection") -> None:
        self.raw = raw

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Run a statement."""
        return self.raw.execute(sql.replace("?", "%s").encode(), _clean(values) or None)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run a statement for each row."""
        return self.raw.cursor().executemany(sql.replace("?", "%s").encode(), list(map(_clean, rows)))


def _clean(values: Sequence[Any]) -> list[Any]:
    """Without the one character that PostgreSQL's texts cannot hold."""
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values]


class PostgresState(StateDatabase):
    """The tables of one part of the state in a database.

    url          postgresql://user:password@host:port/name?sslmode=…, with all that libpq knows
    part         what the tables are for: its versions and its transactions are apart from those of other parts
    migrations   the statements that lead from each version to the next, from nothing on
    """

    def __init__(self, url: str, part: str, migrations: Sequence[str]) -> None:
        self.url, self.part, self._migrations = url, part, migrations
        parts = urlsplit(url)
        self.place = f"PostgreSQL at {parts.hostname or 'this machine'} (database {parts.path.strip('/')})"

    def exists(self) -> bool:
        return True

    @contextmanager
    def open(self) -> Iterator[PostgresConnection]:
        with self.explain_errors(), self.connect() as store:
            yield store

    @contextmanager
    def connect(self) -> Iterator[PostgresConnection]:
        raw = self._take_idle() or self.connect_apart()
        try:
            if (self.url, self.part) not in _up_to_date:
                self._bring_up_to_date(PostgresConnection(raw))
                _up_to_date.add((self.url, self.part))
            yield PostgresConnection(raw)
        finally:
            idle = _idle.setdefault(self.url, [])
            if raw.broken or len(idle) >= MAX_IDLE:
                raw.close()
            else:
                idle.append(raw)

    def _take_idle(self) -> "psycopg.Connection | None":
        driver, idle = _load_driver(), _idle.setdefault(self.url, [])
        while True:
            try:
                raw = idle.pop()
            except IndexError:
                return None
            # The server may have been started again meanwhile.
            try:
                raw.execute("SELECT 1")
                return raw
            except driver.Error:
                raw.close()

    def connect_apart(self) -> "psycopg.Connection":
        """A connection that its owner closes. Raises as the driver does."""
        driver = _load_driver()
        if time.monotonic() < _down_until.get(self.url, 0):
            raise driver.OperationalError("it did not answer a moment ago")
        try:
            options = _add_defaults(driver.conninfo.conninfo_to_dict(self.url))
        except driver.Error:
            # Its own words may repeat the password.
            raise SettingsError(f"The address in storage.url cannot be read. {ESCAPE_REMEDY}") from None
        try:
            # No prepared statements: a pooler may give the next transaction to another session.
            raw: psycopg.Connection = driver.connect(**options, autocommit=True, prepare_threshold=None)
        except driver.OperationalError:
            _down_until[self.url] = time.monotonic() + DOWN_SECONDS
            raise
        return raw

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        driver = _load_driver()
        try:
            yield
        except driver.Error as error:
            raise self._explain(error) from None

    def _explain(self, error: "psycopg.Error") -> SourceRefused | SourceUnavailable:
        lines = str(error).splitlines() or [type(error).__name__]
        reason = lines[0].rpartition(" failed: ")[2].strip().rstrip(".")
        state = error.sqlstate or ""
        if state == "42P01":
            # The tables are gone: somebody restored or emptied the database. Whoever comes next makes them.
            _up_to_date.discard((self.url, self.part))
        if state.startswith("55P03"):
            return SourceUnavailable(f"{self.place} is in use by another process. Try again when it has finished.")
        if state == "42501":
            return SourceRefused(f"The user of {self.place} may not do this ({reason}). Grant it the right.")
        # A connection that was not made has no state; what a server says when it refuses begins so.
        is_refused = not state and "FATAL:" in reason and not any(words in reason for words in TEMPORARY_REFUSALS)
        if is_refused:
            return SourceRefused(f"{self.place} refused the connection ({reason}). Check storage.url.")
        if state and not state.startswith(("08", "53", "57", "58", "25P03")):
            return SourceRefused(f"{self.place} cannot do this ({reason}).")
        return SourceUnavailable(f"{self.place} cannot be reached ({reason}). Try again when it answers.")

    @contextmanager
    def transaction(self, store: PostgresConnection) -> Iterator[None]:
        with store.raw.transaction():
            # One writer at a time, as SQLite has it: what is read inside stays true until it is written.
            store.execute(
                f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s';"
                f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s';"
                f"SELECT pg_advisory_xact_lock({crc32(f'wellsourced {self.part}'.encode())})"
            )
            yield

    def read_clock(self) -> datetime:
        with self.open() as store:
            now: datetime = store.execute("SELECT clock_timestamp() AT TIME ZONE 'UTC'").fetchone()[0]
        return now.replace(tzinfo=UTC)

    def overwrite_deleted(self, store: PostgresConnection) -> None:
        """Nothing: old rows, the log and backups are the operator's (docs/several-servers.md)."""

    def _bring_up_to_date(self, store: PostgresConnection) -> None:
        """Go from the version that is there to ours, all of the way or not at all. Raises SourceRefused for a later."""
        with self.transaction(store):
            # The table of versions is that of all parts.
            store.execute(f"SELECT pg_advisory_xact_lock({crc32(b'wellsourced')})")
            store.execute(VERSIONS)
            row = store.execute("SELECT version FROM wellsourced_versions WHERE part = ?", (self.part,)).fetchone()
            there, ours = row[0] if row else 0, len(self._migrations)
            if there > ours:
                told = f"{self.place} was made by a later wellsourced (version {there}; this one knows {ours})."
                raise SourceRefused(f"{told} Update wellsourced.")
            for statements in self._migrations[there:]:
                store.execute(statements)
            if there < ours:
                sql = "INSERT INTO wellsourced_versions VALUES (?, ?) ON CONFLICT (part) DO UPDATE SET version = ?"
                store.execute(sql, (self.part, ours, ours))


def is_postgres_url(address: str) -> bool:
    """Whether an address can be read in one way only: else a part of its password could be taken for a host's name."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    ports = [host.rpartition("]")[2].partition(":")[2] for host in parts.netloc.rpartition("@")[2].split(",")]
    is_plain = parts.netloc.count("@") <= 1 and "@" not in parts.path + parts.query + parts.fragment
    return parts.scheme in ("postgresql", "postgres") and is_plain and all(port.isdigit() for port in ports if port)


def _load_driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        told = "PostgreSQL needs the package psycopg, which is not installed."
        raise SettingsError(told, next_step=NextStep("install extra", "postgresql")) from error
    return psycopg


def _add_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the address leaves open: nothing goes to another machine in the clear, and nothing is waited for long."""
    host = str(given.get("host", ""))
    secure = {} if host in LOCAL_HOSTS or host.startswith("/") else {"sslmode": "require"}
    return {"connect_timeout": CONNECT_SECONDS, "application_name": "wellsourced", **KEEP_ALIVE, **secure, **given}


def close_idle_connections() -> None:
    """Let go of all that are not in use, and look at the tables again before they are used."""
    for connections in _idle.values():
        while connections:
            connections.pop().close()
    _up_to_date.clear()
    _down_until.clear()
