# ruff: noqa: S608 - SQL is put together from words of this file alone; whatever comes from outside is a parameter
"""Files go into the graph and out of it batch by batch, each one transaction that also says how far it came.

A process that is killed loses at most the batch at hand: whoever adds the file again goes on behind the last one.
"""

from collections.abc import Iterator
from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.concepts import concept_reader_for
from wellsourced.readers.concepts.base import Vocabulary
from wellsourced.sources.graph.concept_store import ConceptStore
from wellsourced.sources.graph.file_import import BATCH_ROWS, MENTIONED_SCOPE, FileImport, VocabularyFile
from wellsourced.sources.graph.schema import BARE, DESCRIBED, INDEXES, MENTIONED

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
            raise UnreadableFile(state.path, "its beginning cannot be read", "Fetch it again.")
        known = self.find_file(state.path)
        # A file that is known goes on behind its last batch; a new one first has to be one that can be read here.
        if known is None:
            self._require_concepts(vocabulary, state.path)
            known = self._insert_file(state, vocabulary)
        if state.size > BULK_BYTES // (10 if state.path.endswith(".gz") else 1):
            self._drop_indexes()
        return FileImport(self.store, known, vocabulary, rows)

    def _require_concepts(self, vocabulary: Vocabulary, path: str) -> None:
        named = any(one.concepts for one in self.files_of(vocabulary.name))
        # Rows of UMLS that came before their concepts would be stored for ids that nobody ever names.
        if vocabulary.closed and not named:
            reason = f"it speaks of concepts of {vocabulary.name}, and none is known yet"
            raise UnreadableFile(path, reason, "Add MRCONSO.RRF first, or the whole folder.")

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

    def _drop_indexes(self) -> None:
        for name in INDEXES:
            with self.store.transaction() as sql:
                sql.execute(f"DROP INDEX IF EXISTS {name}")

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
                self._index_text(low, min(low + BATCH_ROWS, last))
                yield min(low + BATCH_ROWS, last), last
            sql.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def _index_text(self, low: int, high: int) -> None:
        with self.store.transaction() as sql:
            rows = "SELECT key, folded FROM names WHERE key > ? AND key <= ?"
            sql.execute(f"INSERT INTO names_text (rowid, folded) {rows}", (low, high))
            sql.execute("UPDATE graph SET indexed = ?", (high,))

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
