"""The words of the sources of a checked text, in a file of its own: later commands judge them again."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from wellsourced.errors import SourceUnavailable
from wellsourced.factcheck.resolve.base import TracedSource
from wellsourced.storage.private_files import make_private_folder
from wellsourced.storage.sqlite_database import connect_private_file, explain_sqlite_errors
from wellsourced.types import Document, SubmittedText

MAX_RUNS = 1_000
"""Runs whose files are kept; the oldest go first. A study of SourceCheckup's size has 800 answers."""

STORE_ENDING = ".sqlite"

_TABLE = "CREATE TABLE IF NOT EXISTS sources_1 (key TEXT PRIMARY KEY, traced TEXT NOT NULL, document TEXT)"


class RunStore:
    """The sources of one run with their documents. For one thread. Raises SourceUnavailable when the file cannot be
    written.

    path   of the file; "" keeps everything in memory, for as long as the run lasts
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._connection = _open_connection(path) if path else sqlite3.connect(":memory:")
        with self._write_transaction() as store:
            store.execute(_TABLE)

    @property
    def name(self) -> str:
        """By what the run is found again; "" of one that is in memory alone."""
        return self.path.stem if self.path else ""

    def load_document(self, key: str) -> Document | None:
        """The words of a source; None when they were not had."""
        row = self._connection.execute("SELECT document FROM sources_1 WHERE key = ?", (key,)).fetchone()
        try:
            return Document.model_validate_json(row[0]) if row and row[0] else None
        except ValidationError:
            # Of another version.
            return None

    def store_source(self, opened: TracedSource) -> None:
        """Keep a source; it is on the disk when this returns."""
        document = opened.document.model_dump_json() if opened.document else None
        row = (opened.traced.key, opened.traced.model_dump_json(), document)
        with self._write_transaction() as store:
            store.execute("INSERT OR REPLACE INTO sources_1 VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _write_transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._connection:
                yield self._connection
        except sqlite3.Error as error:
            remedy = "check the free disk space, or choose another home"
            raise SourceUnavailable(f"{self.path or 'the memory'} cannot be written ({error}): {remedy}.") from error


def _open_connection(path: Path) -> sqlite3.Connection:
    try:
        # A text under review, and what was read for it, are nobody else's business.
        make_private_folder(path.parent)
        with explain_sqlite_errors(path, "Delete it, and check the text again."):
            return connect_private_file(path)
    except OSError as error:
        raise SourceUnavailable(
            f"{path} cannot be created ({error.strerror or error}). Choose another home."
        ) from error


def open_run_store(folder: Path | None, submitted: SubmittedText, made_by: str) -> RunStore:
    """The store of this text and of who looks and judges, empty; without a folder it is in memory.

    made_by   names of the tracer and the judge, and what else changes verdicts
    """
    if folder is None:
        return RunStore()
    sources = "\n".join(one.model_dump_json() for one in submitted.sources)
    name = sha256("\0".join((submitted.document.text, sources, made_by)).encode("utf-8", "surrogatepass")).hexdigest()
    own = folder / f"{name[:32]}{STORE_ENDING}"
    others = {*folder.glob(f"*{STORE_ENDING}")} - {own}
    oldest = sorted(others, key=lambda path: -path.stat().st_mtime)[MAX_RUNS - 1 :]
    for path in (own, *oldest):
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink(missing_ok=True)
    return RunStore(own)
