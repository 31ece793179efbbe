"""The tables of runs, and their lines, read without any answer.

`runs_2` has a row for every run. Answers are apart from it in `runs_1`, where each names the one before, so that no
list has to read past an answer.
"""

import json
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced.errors import SourceRefused
from wellsourced.runs.processes import LockedFiles, Processes, TimedRows
from wellsourced.storage.sqlite_database import connect_private_file, sqlite_transaction
from wellsourced.storage.state_database import SqliteState, StateConnection, StateDatabase

FILE_NAME = "runs.sqlite3"

ID_LENGTH = 12
"""Letters of an id that are shown; fewer do where they fit one run alone."""

TITLE_LENGTH = 200

MAX_NUMBER = 2**62
"""More than there will ever be."""

VERSION = 4
"""Of the tables: `user_version` of the file."""

INTERRUPTED = "The program that worked on it ended before it was finished."
"""The problem of a run whose process died."""

RunKind = Literal["question", "text", "order", "retractions", "files"]
RunState = Literal["waiting", "running", "finished", "stopped", "failed"]
Surface = Literal["", "terminal", "page", "api", "assistant"]
"""Where a run was asked for; "" where nobody said."""

WORKING_STATES = ("waiting", "running")

# Of runs_2: `process` is whoever works on a run or holds its words, `recorded` its answer in runs_1. Of a job, `job` is
# its sealed Idempotency-Key, `path` where it was sent, `request` a seal of what was asked there; `words` are those of
# question and answer in which a search looks.
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
        recorded INTEGER, process TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0,
        job TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '', request TEXT NOT NULL DEFAULT '',
        words TEXT NOT NULL DEFAULT ''
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

_ONE_JOB = "CREATE UNIQUE INDEX IF NOT EXISTS runs_2_job ON runs_2 (owner, job) WHERE job != ''"
"""Of two servers that are sent the same key at once, one begins."""

NOT_DELETED = "(recorded IS NULL OR title != '')"

_POSTGRES = (
    f"""
    CREATE TABLE runs_1 (
        number BIGINT PRIMARY KEY, at TEXT NOT NULL, question TEXT NOT NULL, statements INTEGER NOT NULL,
        version TEXT NOT NULL, answer TEXT, digest TEXT NOT NULL, before TEXT NOT NULL, link TEXT NOT NULL,
        owner TEXT NOT NULL
    );
    CREATE TABLE runs_last_1 (number BIGINT NOT NULL);
    INSERT INTO runs_last_1 VALUES (0);
    CREATE TABLE runs_2 (
        number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id TEXT COLLATE "C" NOT NULL, owner TEXT NOT NULL,
        kind TEXT NOT NULL, state TEXT NOT NULL, surface TEXT NOT NULL, title TEXT NOT NULL, begun TEXT NOT NULL,
        ended TEXT NOT NULL DEFAULT '', statements INTEGER NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '',
        recorded BIGINT, process TEXT NOT NULL DEFAULT '', stop INTEGER NOT NULL DEFAULT 0,
        job TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '', request TEXT NOT NULL DEFAULT ''
    );
    CREATE TABLE run_steps_1 (
        run BIGINT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, place)
    );
    CREATE TABLE run_processes_1 (
        name TEXT PRIMARY KEY, seen TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
    );
    {"; ".join((*_TABLES[3:], _ONE_JOB))}
    """,  # noqa: S608
    "ALTER TABLE runs_2 ADD COLUMN words TEXT NOT NULL DEFAULT ''; UPDATE runs_2 SET words = lower(title)",
)
"""The same on PostgreSQL, a text for each version. `runs_last_1` counts answers, so that a missing last one is seen."""


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


class RunTables(NamedTuple):
    """Where runs are, with what SQLite and PostgreSQL do not say alike.

    processes    how those who work on runs are known to live
    next_number  gives the number of the next answer; None: the table has it
    last_number  gives that of the last answer that there ever was
    """

    database: StateDatabase
    processes: Processes
    next_number: str
    last_number: str

    def fetch_rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Rows; none where nothing was ever recorded, and no file is made for that."""
        if not self.database.exists():
            return []
        with self.database.open() as store:
            self._release_dead_processes(store)
            rows: list[tuple[Any, ...]] = store.execute(sql, values).fetchall()
            return rows

    def list_lines(self, limit: int = -1, which: str = "TRUE", values: tuple[object, ...] = ()) -> list[RunLine]:
        """The runs for which a condition holds, the newest first; a limit below 0 is none."""
        sql = f"SELECT {', '.join(RunLine._fields)} FROM runs_2 WHERE {which} ORDER BY number DESC LIMIT ?"  # noqa: S608
        return [RunLine(*row) for row in self.fetch_rows(sql, (*values, limit if limit >= 0 else MAX_NUMBER))]

    def _release_dead_processes(self, store: StateConnection) -> None:
        """Note that runs were interrupted whose process died, and drop the rows of those whose words died with it."""
        names_sql = "SELECT DISTINCT process FROM runs_2 WHERE process != ''"
        if not self.processes.find_dead(store, store.execute(names_sql).fetchall()):
            return
        with self.database.transaction(store):
            # Looked at again now that nobody writes: it may have shown that it lives.
            dead = self.processes.find_dead(store, store.execute(names_sql).fetchall())
            for name in dead:
                store.execute("DELETE FROM runs_2 WHERE process = ? AND title = ''", (name,))
                sql = "UPDATE runs_2 SET process = '', state = 'stopped', problem = ? WHERE process = ?"
                store.execute(sql, (INTERRUPTED, name))
            self.processes.forget(store, dead)


def open_run_tables(home: Path, url: str = "") -> RunTables:
    """The runs of a home; on PostgreSQL where there is an address of a database. Nothing is opened yet."""
    if url:
        from wellsourced.storage.postgres import PostgresState

        return RunTables(
            PostgresState(url, "runs", _POSTGRES),
            TimedRows(),
            "UPDATE runs_last_1 SET number = number + 1 RETURNING number",
            "SELECT number FROM runs_last_1",
        )
    return RunTables(
        SqliteState(home / FILE_NAME, connect_runs),
        LockedFiles(home),
        "SELECT NULL",
        "SELECT seq FROM sqlite_sequence WHERE name = 'runs_1'",
    )


def connect_runs(path: Path) -> sqlite3.Connection:
    """Open the file of runs, made for its owner alone if need be; what is deleted in it is overwritten."""
    store = connect_private_file(path)
    try:
        store.isolation_level = None
        store.execute("PRAGMA secure_delete = ON")
        if _find_version(store) != VERSION:
            _make_tables(store)
    except BaseException:
        store.close()
        raise
    return store


def _find_version(store: sqlite3.Connection) -> int:
    return int(store.execute("PRAGMA user_version").fetchone()[0])


def _make_tables(store: sqlite3.Connection) -> None:
    """Make the tables of a new file, all of them or none. Raises SourceRefused for a file of another version."""
    with sqlite_transaction(store):
        # Looked at inside the transaction: another process may have been faster.
        if _find_version(store) == VERSION:
            return
        if store.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise SourceRefused(f"{FILE_NAME} is of another version of wellsourced. Move it away to begin a new one.")
        for statement in (*_TABLES, _ONE_JOB, f"PRAGMA user_version = {VERSION}"):
            store.execute(statement)


def find_words(content: str | None) -> str:
    """The words of an answer in which a search looks: what was asked, what is said, and the sections that are shown.

    "" for what is deleted, and for what no version wrote.
    """
    try:
        answer = json.loads(content or "null")
        shown = {section["passage_id"] for section in answer.get("sections", ())}
        passages = [item["passage"] for item in answer.get("evidence", ())]
        texts = [answer["question"].get("asked") or answer["question"]["text"]]
        texts += [statement["text"] for statement in answer.get("statements", ())]
        texts += [passage["text"] for passage in passages if passage["id"] in shown]
        return " ".join(texts).casefold()
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""


def digest_text(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    return sha256(text.encode()).hexdigest()
