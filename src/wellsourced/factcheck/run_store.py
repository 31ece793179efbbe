"""What a run of a check has come to so far, in one file: it can be stopped at any moment, and goes on from there."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SourceUnavailable
from wellsourced.factcheck.pairing import DocumentVerdict
from wellsourced.factcheck.resolve.base import TracedSource
from wellsourced.storage.private_files import make_private_folder
from wellsourced.storage.sqlite_database import connect_private_file, set_corrupt_file_aside
from wellsourced.types import Document, FetchOutcome, SourceResolution, SubmittedText

RETRIED_CLASSES: frozenset[FetchOutcome] = frozenset({"timeout", "server error", "offline", "not asked"})
"""What may come out otherwise: a run that goes on asks again."""

MAX_RUNS = 1_000
"""Runs whose files are kept; the oldest go first. A study of SourceCheckup's size has 800 answers."""

STORE_ENDING = ".sqlite"

_TABLES = """
CREATE TABLE IF NOT EXISTS run_1 (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources_1 (key TEXT PRIMARY KEY, traced TEXT NOT NULL, document TEXT);
CREATE TABLE IF NOT EXISTS pairings_1 (
    source TEXT NOT NULL, claim TEXT NOT NULL, found TEXT NOT NULL, PRIMARY KEY (source, claim)
);
"""
_WRITE = "INSERT OR REPLACE INTO"


class StoredSource(NamedTuple):
    """What is stored of a source, and whether its words are."""

    traced: SourceResolution
    has_words: bool


class RunStore:
    """Sources as they were found, with their documents, and what each says of each claim. For one thread.

    What was not judged, and what may be reached another time, is not taken over from an earlier run. Raises
    SourceUnavailable when the file cannot be written: what is not on the disk would be lost.

    path   of the file; "" keeps everything in memory, for as long as the run lasts
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.resumed_pairs = 0
        self._connection = _open_connection(path) if path else sqlite3.connect(":memory:")
        with self._write_transaction() as store:
            store.executescript(_TABLES)

    @property
    def name(self) -> str:
        """By what the run is found again; "" of one that is in memory alone."""
        return self.path.stem if self.path else ""

    @property
    def start_date(self) -> str:
        """The day on which the run began, ISO 8601; "" when nothing is stored."""
        return self._load_value("begun")

    @property
    def is_complete(self) -> bool:
        """Whether the run came to its end."""
        return self._load_value("finished") == "yes"

    @property
    def pair_count(self) -> int:
        """Pairs that were judged."""
        return int(self._connection.execute("SELECT count(*) FROM pairings_1").fetchone()[0])

    def mark_started(self, today: date) -> None:
        """Note when it began, unless it goes on."""
        if not self.start_date:
            self._store_value("begun", today.isoformat())

    def mark_finished(self) -> None:
        """Note that it came to its end."""
        self._store_value("finished", "yes")

    def clear(self) -> None:
        """Forget everything."""
        with self._write_transaction() as store:
            for table in ("run_1", "sources_1", "pairings_1"):
                store.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours

    def load_source(self, key: str) -> StoredSource | None:
        """A source as it was found; None when it was not looked for, or may be reached now."""
        query = "SELECT traced, document IS NOT NULL FROM sources_1 WHERE key = ?"
        row = self._connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        try:
            traced = SourceResolution.model_validate_json(row[0])
        except ValidationError:
            # Of another version: it is looked for again.
            return None
        return StoredSource(traced, bool(row[1])) if row[1] or traced.fetched not in RETRIED_CLASSES else None

    def load_document(self, key: str) -> Document | None:
        """The words of a source; None when they were not had."""
        row = self._connection.execute("SELECT document FROM sources_1 WHERE key = ?", (key,)).fetchone()
        try:
            return Document.model_validate_json(row[0]) if row and row[0] else None
        except ValidationError:
            return None

    def store_source(self, opened: TracedSource) -> None:
        """Keep a source; it is on the disk when this returns."""
        document = opened.document.model_dump_json() if opened.document else None
        row = (opened.traced.key, opened.traced.model_dump_json(), document)
        with self._write_transaction() as store:
            store.execute(f"{_WRITE} sources_1 VALUES (?, ?, ?)", row)

    def load_verdicts(self, source: str) -> dict[str, DocumentVerdict]:
        """What a source says of the claims that it was judged on, by their texts."""
        rows = self._connection.execute("SELECT claim, found FROM pairings_1 WHERE source = ?", (source,)).fetchall()
        known: dict[str, DocumentVerdict] = {}
        for claim, found in rows:
            with suppress(ValidationError):
                known[claim] = DocumentVerdict.model_validate_json(found)
        return known

    def store_verdicts(self, source: str, found: Mapping[str, DocumentVerdict]) -> None:
        """Keep what a source says of claims; what was not judged is asked again."""
        rows = [
            (source, claim, one.model_dump_json()) for claim, one in found.items() if one.verdict.label != "unjudged"
        ]
        with self._write_transaction() as store:
            store.executemany(f"{_WRITE} pairings_1 VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _load_value(self, name: str) -> str:
        row = self._connection.execute("SELECT value FROM run_1 WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def _store_value(self, name: str, value: str) -> None:
        with self._write_transaction() as store:
            store.execute(f"{_WRITE} run_1 VALUES (?, ?)", (name, value))

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._connection:
                yield self._connection
        except sqlite3.Error as error:
            remedy = "check the free disk space, or choose another home"
            raise SourceUnavailable(f"{self.path or 'the memory'} cannot be written ({error}): {remedy}.") from error


def _open_connection(path: Path) -> sqlite3.Connection:
    """The file, made if need be; one that is corrupt is set aside under the name `….corrupt`."""
    try:
        # A text under review, and what was read for it, are nobody else's business.
        make_private_folder(path.parent)
        return _connect(path)
    except OSError as error:
        raise SourceUnavailable(
            f"{path} cannot be created ({error.strerror or error}). Choose another home."
        ) from error
    except sqlite3.OperationalError as error:
        reason = "another run is using it, or the disk is full"
        raise SourceUnavailable(f"{path} cannot be opened ({error}): {reason}.") from error
    except sqlite3.DatabaseError:
        set_corrupt_file_aside(path)
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    # What a power cut takes is asked again; a process that is killed loses nothing.
    store = connect_private_file(path)
    try:
        if store.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("it is corrupt")
    except BaseException:
        store.close()
        raise
    return store


def open_run_store(folder: Path | None, submitted: SubmittedText, made_by: str, *, fresh: bool = False) -> RunStore:
    """The store of this text, of who looks and judges, and of how; without a folder it is in memory.

    A run that was stopped goes on. One that came to its end is made anew: a source may have been retracted since.

    made_by   names of the tracer and the judge, and what else changes verdicts
    fresh     forget what a run that was stopped came to
    """
    if folder is None:
        return RunStore()
    sources = "\n".join(one.model_dump_json() for one in submitted.sources)
    name = sha256("\0".join((submitted.document.text, sources, made_by)).encode("utf-8", "surrogatepass")).hexdigest()
    store = RunStore(folder / f"{name[:32]}{STORE_ENDING}")
    if fresh or store.is_complete:
        store.clear()
    store.resumed_pairs = store.pair_count
    _forget_oldest(folder, keep=store.path)
    return store


def _forget_oldest(folder: Path, keep: Path | None) -> None:
    files = sorted(folder.glob(f"*{STORE_ENDING}"), key=lambda path: -path.stat().st_mtime)
    for path in files[MAX_RUNS:]:
        for end in ("", "-wal", "-shm"):
            if path != keep:
                Path(f"{path}{end}").unlink(missing_ok=True)
