"""What is known of the files that a library is filled from: how far each came, what of it could not be read, what it
deleted. Part of the catalogue, so that no file can be done while its documents are not there.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePath

from wellsourced.sources.base import FileFault, FileState
from wellsourced.storage.postgres_schema import PostgresSchema
from wellsourced.storage.sqlite_database import JSON_VALUES, SqliteDatabase, json_list
from wellsourced.storage.state_database import StateConnection

PUBMED_FILE_NAME = re.compile(r"(?:pubmed|medline)([0-9]{2})n([0-9]{4})\.xml(?:\.gz)?", re.IGNORECASE)


def pubmed_edition(file: str) -> tuple[int, int] | None:
    """(year, number) of a file of PubMed; None for any other."""
    found = PUBMED_FILE_NAME.fullmatch(PurePath(file).name)
    return (int(found[1]), int(found[2])) if found else None


def overrules(holder: str, file: str) -> bool:
    """Whether a document that the file `holder` gave stands against the one of the same id in `file`."""
    held, given = pubmed_edition(holder), pubmed_edition(file)
    return held is not None and given is not None and held > given


def keeps_deleted(withdrawer: str, file: str) -> bool:
    """Whether a document that the file `withdrawer` deletes stays out although `file` holds it.

    Only a later file of PubMed, and a document that is added by itself (no file), bring it back. What a file says
    of its own documents is in its order.
    """
    if not file or file == withdrawer:
        return False
    deleted, given = pubmed_edition(withdrawer), pubmed_edition(file)
    return deleted is None or given is None or deleted >= given


SCHEMA = """
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL,
    documents INTEGER NOT NULL, passages INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'done',
    faulty INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 1, at TEXT NOT NULL DEFAULT ''
);
CREATE INDEX files_unsettled ON files (state) WHERE state <> 'done' OR faulty > 0;
CREATE TABLE faults (
    path TEXT NOT NULL, number INTEGER NOT NULL, place TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL,
    transient INTEGER NOT NULL, PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE TABLE withdrawn (id TEXT PRIMARY KEY, file TEXT NOT NULL);
CREATE INDEX withdrawn_by_file ON withdrawn (file);
"""

COLUMNS = "path, size, mtime_ns, sha256, documents, passages, state, faulty, tries, at"


class FileManifest:
    """The files of one library. Every method is one transaction, unless it is handed one."""

    def __init__(self, sql: SqliteDatabase | PostgresSchema) -> None:
        self.sql = sql

    def file(self, path: str) -> FileState | None:
        return next(iter(self._select_files("WHERE path = ?", (path,))), None)

    def files(self) -> list[FileState]:
        return self._select_files("ORDER BY path")

    def unsettled_files(self) -> list[FileState]:
        return self._select_files("WHERE state <> 'done' OR faulty > 0 ORDER BY path")

    def _select_files(self, condition: str, parameters: Sequence[object] = ()) -> list[FileState]:
        rows = self.sql.fetch_all(f"SELECT {COLUMNS} FROM files {condition}", parameters)  # noqa: S608
        return [FileState(*row) for row in rows]

    def faults(self, path: str) -> list[FileFault]:
        columns = "path, place, reason, remedy, transient"
        rows = self.sql.fetch_all(f"SELECT {columns} FROM faults WHERE path = ? ORDER BY number", (path,))  # noqa: S608
        return [FileFault(at, where, reason, remedy, bool(late)) for at, where, reason, remedy, late in rows]

    def queue(self, paths: Iterable[str]) -> None:
        """These files are to be read; of those that are known, nothing changes."""
        with self.sql.transaction() as sql:
            sql.executemany(
                "INSERT INTO files (path, size, mtime_ns, sha256, documents, passages, state, tries)"
                " VALUES (?, 0, 0, '', 0, 0, 'queued', 0) ON CONFLICT DO NOTHING",
                [(path,) for path in paths],
            )

    def finish(self, state: FileState, faults: Sequence[FileFault], deleted: AbstractSet[str] | None) -> None:
        """A file has been read as far as it can be. What it deleted before and does not now may come back."""
        with self.sql.transaction() as sql:
            places = ", ".join("?" * len(state))
            sql.execute("DELETE FROM files WHERE path = ?", (state.path,))
            sql.execute(f"INSERT INTO files ({COLUMNS}) VALUES ({places})", state)  # noqa: S608
            sql.execute("DELETE FROM faults WHERE path = ?", (state.path,))
            sql.executemany(
                "INSERT INTO faults (path, number, place, reason, remedy, transient) VALUES (?, ?, ?, ?, ?, ?)",
                [(f.path, number, f.where, f.reason, f.remedy, int(f.transient)) for number, f in enumerate(faults)],
            )
            if deleted is not None:
                sql.execute(
                    f"DELETE FROM withdrawn WHERE file = ? AND id NOT IN {JSON_VALUES}",  # noqa: S608
                    (state.path, *json_list(deleted)),
                )

    def copy_rows(self, other: "FileManifest") -> None:
        """Know of all files what another catalogue knows, whose documents are here."""
        tables = (
            ("files", COLUMNS),
            ("faults", "path, number, place, reason, remedy, transient"),
            ("withdrawn", "id, file"),
        )
        with self.sql.transaction() as sql:
            for table, columns in tables:
                places = ", ".join("?" * len(columns.split(",")))
                rows = other.sql.fetch_all(f"SELECT {columns} FROM {table}")  # noqa: S608
                sql.execute(f"DELETE FROM {table}")  # noqa: S608
                sql.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608

    def forget(self, path: str) -> None:
        with self.sql.transaction() as sql:
            sql.execute("DELETE FROM files WHERE path = ?", (path,))
            sql.execute("DELETE FROM faults WHERE path = ?", (path,))

    def find_withdrawals(self, ids: Collection[str]) -> dict[str, str]:
        """id → the file that deletes it, for those of these documents that a file has deleted."""
        return dict(self.sql.fetch_all(f"SELECT id, file FROM withdrawn WHERE id IN {JSON_VALUES}", json_list(ids)))  # noqa: S608

    @staticmethod
    def mark_reading(sql: StateConnection, path: str) -> None:
        """Some of this file is in: were it as it was before, that would not be all."""
        sql.execute("UPDATE files SET state = 'reading' WHERE path = ? AND state <> 'reading'", (path,))

    @staticmethod
    def insert_withdrawals(sql: StateConnection, ids: Iterable[str], file: str) -> None:
        sql.executemany(
            "INSERT INTO withdrawn (id, file) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET file = excluded.file",
            [(id, file) for id in dict.fromkeys(ids)],
        )

    @staticmethod
    def delete_withdrawals(sql: StateConnection, ids: Collection[str]) -> None:
        """These documents have come back."""
        sql.execute(f"DELETE FROM withdrawn WHERE id IN {JSON_VALUES}", json_list(ids))  # noqa: S608

    @staticmethod
    def forget_hashes(sql: StateConnection, ids: Collection[str]) -> None:
        """Have the files of these documents read when they are next named; until then nothing waits for them."""
        files = f"(SELECT file FROM documents WHERE id IN {JSON_VALUES})"  # noqa: S608
        sql.execute(f"UPDATE files SET sha256 = '' WHERE path IN {files}", json_list(ids))  # noqa: S608
