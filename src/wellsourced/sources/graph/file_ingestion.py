# ruff: noqa: S608 - SQL is put together from words of this file alone; whatever comes from outside is a parameter
"""Files into the graph and vocabularies out of it, batch by batch, telling how far it is; searches go on in between.

Each batch is one transaction that also says how far it came: a process that is killed loses at most the batch at hand,
and whoever adds the file again goes on behind the last one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from wellsourced.errors import UnreadableFile
from wellsourced.events import Emit, FileFailed, FileRead, FileSkipped, IngestionCompleted, Progress
from wellsourced.readers.concepts import concept_reader_for, list_concept_files
from wellsourced.readers.concepts.base import Vocabulary
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.sources.graph.concept_store import BARE, DESCRIBED, INDEXES, MENTIONED, ConceptStore
from wellsourced.sources.graph.file_import import (
    BATCH_ROWS,
    MENTIONED_SCOPE,
    FileImport,
    VocabularyFile,
    stat_vocabulary_file,
)
from wellsourced.storage.ingestion_progress import (
    MAX_NAMED_FAULTS,
    IngestTotals,
    ProgressMeter,
    emit_fault_count,
    file_size,
)

T = TypeVar("T")


class ThreadRunner(Protocol):
    """Runs a function in a thread, when it is its turn."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


BULK_BYTES = 100_000_000
"""Bytes of a file that is read without indexes, which are then made anew; packed, a tenth of them is enough."""

TABLES = ("names", "definitions", "types", "relations", "links", "redirects")
COLUMNS = ", ".join(VocabularyFile._fields)


class GraphBuilder:
    """Writes to a store that this process alone has open for writing."""

    def __init__(self, store: ConceptStore) -> None:
        self.store = store

    def find_file(self, path: str) -> VocabularyFile | None:
        rows = self.store.fetch_rows(f"SELECT {COLUMNS} FROM files WHERE path = ?", (path,))
        return VocabularyFile(*rows[0]) if rows else None

    def files_of(self, vocabulary: str) -> list[VocabularyFile]:
        rows = self.store.fetch_rows(f"SELECT {COLUMNS} FROM files WHERE vocabulary = ? ORDER BY key", (vocabulary,))
        return [VocabularyFile(*row) for row in rows]

    def open_file(self, state: VocabularyFile) -> FileImport:
        """Open a file to be read, behind what is stored of it already. Raises UnreadableFile."""
        rows = concept_reader_for(Path(state.path), state.language)(Path(state.path))
        vocabulary = next(rows)
        if not isinstance(vocabulary, Vocabulary):
            raise UnreadableFile(state.path, "its beginning is unreadable", "Download it again.")
        known = self.find_file(state.path)
        # A file that is known goes on behind its last batch; a new one first has to be one that can be read here.
        if known is None:
            named = any(one.concepts for one in self.files_of(vocabulary.name))
            # Rows of UMLS that came before their concepts would be stored for ids that nobody ever names.
            if vocabulary.closed and not named:
                reason = f"it describes concepts of {vocabulary.name}, none of which are known yet"
                raise UnreadableFile(state.path, reason, "Add MRCONSO.RRF first, or the whole folder.")
            known = self._insert_file(state, vocabulary)
        if state.size > BULK_BYTES // (10 if state.path.endswith(".gz") else 1):
            for name in INDEXES:
                with self.store.transaction() as sql:
                    sql.execute(f"DROP INDEX IF EXISTS {name}")
        return FileImport(self.store, known, vocabulary, rows)

    def _insert_file(self, state: VocabularyFile, vocabulary: Vocabulary) -> VocabularyFile:
        with self.store.transaction() as sql:
            sql.execute(
                "INSERT INTO files (path, size, mtime_ns, vocabulary, released, language, state)"
                " VALUES (?, ?, ?, ?, ?, ?, 'reading')",
                (state.path, state.size, state.mtime_ns, vocabulary.name, vocabulary.released, state.language),
            )
        known = self.find_file(state.path)
        assert known is not None  # noqa: S101 - it was entered just now, and nobody else writes
        return known

    def remove_file(self, key: int) -> Iterator[int]:
        """Take out what a file gave; tells after each step how many rows went. Resumable as the filling is."""
        with self.store.transaction() as sql:
            # First the mark: killed from here on, the next writer knows that the file is going, and finishes.
            sql.execute("UPDATE files SET state = 'removing' WHERE key = ?", (key,))
        for table in TABLES:
            yield from self._remove_from(table, key)
        with self.store.transaction() as sql:
            # The concept itself stays: other files may speak of it, and build_indexes drops those of which none does.
            sql.execute("UPDATE concepts SET state = ?, name = '', file = 0 WHERE file = ?", (BARE, key))
            sql.execute("DELETE FROM files WHERE key = ?", (key,))

    def _remove_from(self, table: str, file: int) -> Iterator[int]:
        ((last,),) = self.store.fetch_rows(f"SELECT ifnull(max(key), 0) FROM {table}")
        for low in range(0, last, BATCH_ROWS):
            span = (low, low + BATCH_ROWS, file)
            with self.store.transaction() as sql:
                # An external-content index of FTS5 has to be told the old words, as long as they can still be read.
                if table == "names":
                    sql.execute(
                        "INSERT INTO names_text (names_text, rowid, folded) SELECT 'delete', key, folded FROM names"
                        " WHERE key > ? AND key <= ? AND file = ? AND key <= (SELECT indexed FROM graph)",
                        span,
                    )
                done = sql.execute(f"DELETE FROM {table} WHERE key > ? AND key <= ? AND file = ?", span)
            yield done.rowcount

    def unfinished_removals(self) -> list[int]:
        """Files of which a killed process has left a part."""
        return [key for (key,) in self.store.fetch_rows("SELECT key FROM files WHERE state = 'removing'")]

    def build_indexes(self) -> Iterator[tuple[int, int]]:
        """Make searchable what was stored: indexes, concepts named by other files, full text.

        Yields how many names are in the full text, of how many; 0 of 0 while other indexes are made.
        """
        with self.store.explain_errors():
            sql = self.store.sql
            for name, columns in INDEXES.items():
                sql.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")
                yield 0, 0
            self._name_bare_concepts()
            (indexed,) = sql.execute("SELECT indexed FROM graph").fetchone()
            (last,) = sql.execute("SELECT ifnull(max(key), 0) FROM names").fetchone()
            for low in range(indexed, last, BATCH_ROWS):
                high = min(low + BATCH_ROWS, last)
                with self.store.transaction() as sql:
                    rows = "SELECT key, folded FROM names WHERE key > ? AND key <= ?"
                    sql.execute(f"INSERT INTO names_text (rowid, folded) {rows}", (low, high))
                    sql.execute("UPDATE graph SET indexed = ?", (high,))
                yield min(low + BATCH_ROWS, last), last
            sql.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def _name_bare_concepts(self) -> None:
        """Bare ids take a name that another file gives; those that nothing speaks of any more go."""
        named = "FROM names WHERE concept = concepts.key AND scope IN (0, ?)"
        state = f"CASE scope WHEN 0 THEN {DESCRIBED} ELSE {MENTIONED} END"
        unused = " AND ".join(
            f"NOT EXISTS (SELECT 1 FROM {table} WHERE {column} = concepts.key)"
            for table, column in (
                *(("relations", "subject"), ("relations", "object")),
                *((table, "concept") for table in ("links", "names", "definitions", "types")),
            )
        )
        with self.store.transaction() as sql:
            sql.execute(
                f"UPDATE concepts SET (name, state, file) = (SELECT text, {state}, file {named} ORDER BY scope, key"
                f" LIMIT 1) WHERE state = ? AND EXISTS (SELECT 1 {named})",
                (MENTIONED_SCOPE, BARE, MENTIONED_SCOPE),
            )
            sql.execute(f"DELETE FROM concepts WHERE state = ? AND {unused}", (BARE,))


async def add_files(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, emit: Emit
) -> IngestionCompleted:
    """All files of a path, and then the indexes."""
    files = await asyncio.to_thread(list_concept_files, path)
    meter = ProgressMeter(emit, sum(map(file_size, files)))
    total = IngestTotals()
    for one in files:
        total = total.add(await _add_file(builder, call, one, language, meter))
    await _build_indexes(builder, call, emit)
    ended = IngestionCompleted(**total._asdict())
    emit(ended)
    return ended


async def _add_file(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, meter: ProgressMeter
) -> IngestTotals:
    try:
        state = await asyncio.to_thread(stat_vocabulary_file, path, language)
        known = await call(lambda: builder.find_file(state.path))
        # A file that was begun and not ended is not as it was: it goes on.
        if known and known.is_same_as(state) and known.state == "read":
            # What could not be read then is not forgotten.
            meter.emit(FileSkipped(path=path))
            if known.faults:
                reason = f"{known.faults} parts of it could not be read when it was added"
                meter.emit(FileFailed(path=path, reason=reason, remedy="Fix them and add the file again."))
            return IngestTotals(skipped=1)
        removed = await _remove_file(builder, call, known.key) if known and not known.is_same_as(state) else 0
        BYTES_READ.set(meter.set_position)
        given = await _import_file(await call(lambda: builder.open_file(state)), call, path, meter)
    # One file that cannot be read does not keep the others from going in.
    except UnreadableFile as error:
        meter.emit(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return IngestTotals(failed=1)
    finally:
        meter.bytes += file_size(path)
        meter.set_position(0)
    concepts, facts = given.state.concepts, given.state.facts
    meter.emit(FileRead(path=path, documents=concepts, passages=facts))
    return IngestTotals(files=1, documents=concepts, passages=facts, removed=removed)


async def _import_file(filling: FileImport, call: ThreadRunner, path: Path, meter: ProgressMeter) -> FileImport:
    try:
        while await call(filling.import_batch):
            meter.documents, meter.passages = filling.state.concepts, filling.state.facts
            meter.add_counts()
    finally:
        # Told also when the import ends in an error: what was wrong before it may be its cause.
        for fault in filling.faults[:MAX_NAMED_FAULTS]:
            meter.emit(FileFailed(path=path, reason=f"{fault.where}: {fault.reason}", remedy=fault.remedy))
        emit_fault_count(path, len(filling.faults), meter.emit)
    return filling


async def _remove_file(builder: GraphBuilder, call: ThreadRunner, key: int) -> int:
    steps = builder.remove_file(key)
    removed = 0
    while (step := await call(lambda: next(steps, None))) is not None:
        removed += step
    return removed


async def _build_indexes(builder: GraphBuilder, call: ThreadRunner, emit: Emit) -> None:
    steps = builder.build_indexes()
    begun = time.monotonic()
    while (step := await call(lambda: next(steps, None))) is not None:
        done, total = step
        rate = done / max(time.monotonic() - begun, 1e-9)
        emit(Progress(task="indexing", done=done, total=total, unit="passages", rate=rate))
