"""The file of runs: its tables, how an earlier one is brought up to date, and its lines, read without any answer.

`runs_2` has a row for every run. Answers are apart from it in `runs_1`, where each names the one before: that is the
file of earlier versions as it was, so that what they recorded still verifies, and no list has to read past an answer.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, NamedTuple

from wellsourced.errors import SourceError
from wellsourced.storage.private_files import WriterLock, make_private_folder
from wellsourced.storage.sqlite_database import connect_private_file, explain_sqlite_errors, sqlite_transaction

FILE_NAME = "runs.sqlite3"

LOCKS_FOLDER = "running"
"""The folder of home with a locked file for each process that works on a run."""

ID_LENGTH = 12
"""Letters of an id that are shown; fewer do where they fit one run alone."""

TITLE_LENGTH = 200

VERSION = 2
"""Of the tables: `user_version` of the file."""

RunKind = Literal["question", "text", "order", "retractions", "files"]
RunState = Literal["waiting", "running", "finished", "stopped", "failed"]
Surface = Literal["", "terminal", "page", "api", "assistant"]
"""Where a run was asked for; "" of runs of earlier versions, which did not say."""

WORKING_STATES = ("waiting", "running")

# Of runs_2: `process` is the locked file of whoever works on a run or holds its words, `recorded` its answer in runs_1.
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS runs_1 (
        number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, question TEXT NOT NULL, statements INTEGER NOT NULL,
        version TEXT NOT NULL, answer TEXT, digest TEXT NOT NULL, before TEXT NOT NULL, link TEXT NOT NULL,
        owner TEXT NOT NULL DEFAULT ''
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS runs_2 (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL,
        state TEXT NOT NULL, surface TEXT NOT NULL, title TEXT NOT NULL, begun TEXT NOT NULL,
        ended TEXT NOT NULL DEFAULT '', statements INTEGER NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '',
        recorded INTEGER, process TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS run_steps_1 (
        run INTEGER NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, place)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS runs_2_id ON runs_2 (id)",
    "CREATE INDEX IF NOT EXISTS runs_2_owner ON runs_2 (owner)",
    "CREATE INDEX IF NOT EXISTS runs_2_process ON runs_2 (process) WHERE process != ''",
    "CREATE INDEX IF NOT EXISTS runs_2_recorded ON runs_2 (recorded) WHERE recorded IS NOT NULL",
)

_ADD_OWNERS = "ALTER TABLE runs_1 ADD COLUMN owner TEXT NOT NULL DEFAULT ''"
"""For a file of before runs had owners: it touches no row, and what the links were made of stays as it was."""

_ADOPT = """
INSERT INTO runs_2 (id, kind, state, owner, surface, title, begun, ended, statements, recorded)
SELECT run_id(at, digest), 'question', 'finished', owner, '', question, at, at, statements, number
FROM runs_1 WHERE number > (SELECT ifnull(max(recorded), 0) FROM runs_2) ORDER BY number
"""
"""A row for each answer that an earlier version recorded."""

_HAS_STRANGERS = "SELECT (SELECT max(number) FROM runs_1) > (SELECT ifnull(max(recorded), 0) FROM runs_2)"


NOT_DELETED = "(recorded IS NULL OR title != '')"


class RunLine(NamedTuple):
    """What is known of a run without its answer.

    owner      a digest of the token that asked; "" for this machine
    title      what was asked; "" of a run that was deleted, and of one whose words are in memory only
    begun      ISO 8601 in UTC; `ended` is "" of what is in work, and where nobody saw it end
    statements   how many its answer makes; 0: it is an abstention, or there is no answer
    problem    why it failed, in a sentence
    recorded   the place of its answer in the chain; None: it has none
    """

    id: str
    owner: str
    kind: RunKind
    state: RunState
    surface: Surface
    title: str
    begun: str
    ended: str = ""
    statements: int = 0
    problem: str = ""
    recorded: int | None = None
    number: int = 0

    @property
    def short_id(self) -> str:
        """The letters by which it is called."""
        return self.id[:ID_LENGTH]

    @property
    def is_working(self) -> bool:
        return self.state in WORKING_STATES

    @property
    def is_deleted(self) -> bool:
        return self.recorded is not None and not self.title


class RunStep(NamedTuple):
    """A sentence on what happened in a run, and what sort of thing it is."""

    kind: Literal["alarm", "draft", "failure", "sending", "step"]
    text: str


def list_run_lines(path: Path, limit: int = -1, which: str = "TRUE", values: tuple[object, ...] = ()) -> list[RunLine]:
    """The runs of a file for which a condition holds, the newest first; a limit below 0 is none."""
    sql = f"SELECT {', '.join(RunLine._fields)} FROM runs_2 WHERE {which} ORDER BY number DESC LIMIT ?"  # noqa: S608
    return [RunLine(*row) for row in fetch_rows(path, sql, (*values, limit))]


def fetch_rows(path: Path, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """Rows; none where nothing was ever recorded, and no file is made for that."""
    if not path.exists():
        return []
    with open_runs(path) as store:
        release_dead_processes(store, path)
        return store.execute(sql, values).fetchall()


@contextmanager
def open_runs(path: Path) -> Iterator[sqlite3.Connection]:
    """The file of runs, for a moment. Raises SourceUnavailable where it cannot be written, SourceRefused where it is
    damaged, OSError where it cannot be made."""
    with explain_sqlite_errors(path), closing(connect_runs(path)) as store:
        yield store


def connect_runs(path: Path) -> sqlite3.Connection:
    """Open the file of runs, made for its owner alone if need be; what is deleted in it is overwritten."""
    store = connect_private_file(path)
    try:
        store.isolation_level = None
        store.execute("PRAGMA secure_delete = ON")
        # An earlier version that is still running records answers beside us.
        if _find_version(store) < VERSION or store.execute(_HAS_STRANGERS).fetchone()[0]:
            _bring_up_to_date(store)
    except BaseException:
        store.close()
        raise
    return store


def _find_version(store: sqlite3.Connection) -> int:
    return int(store.execute("PRAGMA user_version").fetchone()[0])


def _bring_up_to_date(store: sqlite3.Connection) -> None:
    """Add what an earlier file lacks, all of it or nothing: whoever is killed meanwhile leaves the file as it was."""
    # The id of a run of an earlier version is a digest of when and what. Those of today are random.
    store.create_function("run_id", 2, lambda at, digest: digest_text(f"{at} {digest}"), deterministic=True)
    with sqlite_transaction(store):
        # Looked at inside the transaction: another process may have been faster.
        if _find_version(store) < VERSION:
            for table in _TABLES:
                store.execute(table)
            if not any(name == "owner" for _, name, *_ in store.execute("PRAGMA table_info(runs_1)")):
                store.execute(_ADD_OWNERS)
            store.execute(f"PRAGMA user_version = {VERSION}")
        store.execute(_ADOPT)


def digest_text(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return sha256(text.encode()).hexdigest()


def hold_process_lock(home: Path) -> tuple[Path, WriterLock]:
    """A locked file that says that this process lives: the system lets go of it however the process ends.

    An id of a process would not do: another process, or the next container, may have the same. Raises OSError.
    """
    make_private_folder(home / LOCKS_FOLDER)
    path = home / LOCKS_FOLDER / f"{os.getpid()}-{token_hex(8)}"
    return path, WriterLock(path, str(path))


def _is_alive(lock: Path) -> bool:
    try:
        if lock.exists():
            WriterLock(lock, str(lock)).close()
    # Held, or not to be looked at, which proves no death.
    except SourceError:
        return True
    return False


def release_dead_processes(store: sqlite3.Connection, path: Path) -> None:
    """Note that runs were stopped whose process died, and drop the rows of those whose words died with it."""
    names = store.execute("SELECT DISTINCT process FROM runs_2 WHERE process != ''").fetchall()
    # A name from a file that somebody changed must not lead out of the folder.
    locks = {name: path.parent / LOCKS_FOLDER / Path(name).name for (name,) in names}
    dead = {name: lock for name, lock in locks.items() if not _is_alive(lock)}
    if not dead:
        return
    with sqlite_transaction(store):
        for name in dead:
            store.execute("DELETE FROM runs_2 WHERE process = ? AND title = ''", (name,))
            store.execute("UPDATE runs_2 SET process = '', state = 'stopped' WHERE process = ?", (name,))
    for lock in dead.values():
        with suppress(OSError):
            lock.unlink()
