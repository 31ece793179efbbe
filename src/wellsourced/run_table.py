"""The table of runs on the disk, and its lines: what is listed, and completed by a shell, without reading an answer."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.storage.sqlite_database import connect_private_file, explain_sqlite_errors, sqlite_transaction

FILE_NAME = "runs.sqlite3"

ID_LENGTH = 12
"""Letters of the digest of a run by which it is called; fewer do where they fit one run alone."""

TITLE_LENGTH = 200

_TABLE = """
CREATE TABLE IF NOT EXISTS runs_1 (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    question TEXT NOT NULL,
    statements INTEGER NOT NULL,
    version TEXT NOT NULL,
    answer TEXT,
    digest TEXT NOT NULL,
    before TEXT NOT NULL,
    link TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT ''
)
"""

_ADD_OWNERS = "ALTER TABLE runs_1 ADD COLUMN owner TEXT NOT NULL DEFAULT ''"
"""For a file of before runs had owners: it touches no row, and what the links were made of stays as it was."""


class RunLine(NamedTuple):
    """A line of the history.

    at           when it was given, ISO 8601 in UTC
    statements   how many it made; 0: it was an abstention
    question     "" of a run that was deleted
    """

    id: str
    at: str
    question: str
    statements: int
    is_deleted: bool


def list_run_lines(path: Path, limit: int = -1, which: str = "TRUE", values: tuple[object, ...] = ()) -> list[RunLine]:
    """The runs of a file for which a condition holds, the newest first; a limit below 0 is none."""
    columns = "at, digest, question, statements, answer IS NULL"
    sql = f"SELECT {columns} FROM runs_1 WHERE {which} ORDER BY number DESC LIMIT ?"  # noqa: S608 - ours
    return [
        RunLine(make_run_id(at, digest), at, question, statements, bool(is_deleted))
        for at, digest, question, statements, is_deleted in fetch_rows(path, sql, (*values, limit))
    ]


def fetch_rows(path: Path, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """Rows; none where nothing was ever recorded, and no file is made for that."""
    if not path.exists():
        return []
    with explain_sqlite_errors(path), closing(connect_runs(path)) as store:
        return store.execute(sql, values).fetchall()


def connect_runs(path: Path) -> sqlite3.Connection:
    """Open the file of runs, made for its owner alone if need be; what is deleted in it is overwritten."""
    store = connect_private_file(path)
    try:
        store.isolation_level = None
        store.execute("PRAGMA secure_delete = ON")
        if not _has_owners(store):
            with sqlite_transaction(store):
                store.execute(_TABLE)
                # Another process may have been faster.
                if not _has_owners(store):
                    store.execute(_ADD_OWNERS)
    except BaseException:
        store.close()
        raise
    return store


def _has_owners(store: sqlite3.Connection) -> bool:
    return any(name == "owner" for _, name, *_ in store.execute("PRAGMA table_info(runs_1)"))


def make_run_id(at: str, digest: str, *, whole: bool = False) -> str:
    """By what a run is called: the first letters of a digest of when and what, or all of them."""
    made = digest_text(f"{at} {digest}")
    return made if whole else made[:ID_LENGTH]


def digest_text(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return sha256(text.encode()).hexdigest()
