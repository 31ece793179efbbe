# ruff: noqa: S608 - SQL is put together from words of this file alone; whatever comes from outside is a parameter
"""Files into the graph and vocabularies out of it, batch by batch, telling how far it is; searches go on in between.

Each batch is one transaction that also says how far it came: a process that is killed loses at most the batch at hand,
and whoever adds the file again goes on behind the last one.
"""

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from wellsourced.errors import UnreadableFile
from wellsourced.events import Emit, FileFailed, FileRead, FileSkipped, IngestionCompleted, Progress
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.concepts import concept_reader_for, list_concept_files
from wellsourced.readers.concepts.base import (
    Concept,
    ConceptName,
    CrossReference,
    Definition,
    Redirect,
    Relation,
    SemanticType,
    SkippedRows,
    Vocabulary,
)
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.sources.graph.concept_store import (
    BARE,
    DESCRIBED,
    INDEXES,
    MENTIONED,
    SCOPES,
    ConceptStore,
    fold_name,
    initials,
)
from wellsourced.storage.ingestion_progress import (
    MAX_NAMED_FAULTS,
    ProgressMeter,
    emit_fault_count,
    file_size,
)

BATCH_ROWS = 100_000
"""Rows that are read, stored or removed at a time."""

UNKNOWN_ENDS = "relations with an unknown end, or with one name at both ends"
UNKNOWN_CONCEPT = "definitions and types of unknown concepts"


class VocabularyFile(NamedTuple):
    """A file as the graph knows it, or as it lies on the disk (then without a key).

    items   rows of its reader that are stored
    """

    key: int
    path: str
    size: int
    mtime_ns: int
    language: str
    state: str = "reading"
    items: int = 0
    concepts: int = 0
    facts: int = 0
    faults: int = 0
    left_out: str = "{}"

    def is_same_as(self, other: "VocabularyFile") -> bool:
        """Whether both are the same bytes, read in the same way."""
        return self[1:5] == other[1:5]


def stat_vocabulary_file(path: Path, language: str) -> VocabularyFile:
    """The file as it lies on the disk. Raises UnreadableFile."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise UnreadableFile(path, "no such file or folder", "Check the spelling.") from error
    except OSError as error:
        raise UnreadableFile(path, f"it cannot be opened ({error.strerror})", "Check its permissions.") from error
    return VocabularyFile(0, str(path.resolve()), found.st_size, found.st_mtime_ns, language)


MENTIONED_SCOPE = SCOPES.index("mentioned")

SELECT_CONCEPT = "SELECT key, ?, ?, ?, ?, ? FROM concepts WHERE id = ?"
INSERT_NAMES = f"INSERT INTO names (concept, scope, text, folded, initials, file) {SELECT_CONCEPT}"
INSERT_DEFINITIONS = f"INSERT INTO definitions (concept, aspect, source, reference, text, file) {SELECT_CONCEPT}"
INSERT_TYPES = "INSERT INTO types (concept, type, file) SELECT key, ?, ? FROM concepts WHERE id = ?"
INSERT_LINKS = "INSERT INTO links (concept, other, file) SELECT key, ?, ? FROM concepts WHERE id = ?"
INSERT_CONCEPTS = (
    "INSERT INTO concepts (id, name, state, file) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
    " SET name = excluded.name, state = excluded.state, file = excluded.file WHERE excluded.state > state"
)
INSERT_RELATIONS = (
    "INSERT INTO relations (subject, predicate, object, source, reference, detail, file)"
    " SELECT s.key, ?, o.key, ?, ?, ?, ? FROM concepts s, concepts o WHERE s.id = ? AND o.id = ?"
)
INSERT_KNOWN_RELATIONS = f"{INSERT_RELATIONS} AND s.state = 2 AND o.state = 2 AND s.name <> o.name COLLATE NOCASE"
SELECT_NAMED_CONCEPT = (
    "INSERT INTO names (concept, scope, text, folded, initials, file) SELECT key, ?, ?, ?, '', ? FROM concepts"
)
INSERT_MENTIONS = f"{SELECT_NAMED_CONCEPT} WHERE id = ? AND state = 1"


class FileImport:
    """One file on its way into the graph."""

    def __init__(self, store: ConceptStore, state: VocabularyFile, vocabulary: Vocabulary, rows: Iterator[Any]) -> None:
        self.store, self.state, self.vocabulary = store, state, vocabulary
        self.faults: list[UnreadablePart] = []
        self._rows = rows
        self._skipped_rows = 0
        self._word_keys: dict[str, int] = {}

    def import_batch(self) -> bool:
        """Read and store one batch; whether there may be more. Raises UnreadableFile where the file breaks off.

        What is stored already is read over. Rows before the place where it breaks off are stored first.
        """
        if self._skipped_rows < self.state.items:
            rows, broken = self._read_rows(min(BATCH_ROWS, self.state.items - self._skipped_rows))
            self._skipped_rows += len(rows)
        else:
            rows, broken = self._read_rows(BATCH_ROWS)
            self._store_rows(rows, final=not rows and not broken)
            self._skipped_rows = self.state.items
        if broken:
            raise broken
        return bool(rows)

    def _read_rows(self, number: int) -> tuple[list[Any], UnreadableFile | None]:
        taken: list[Any] = []
        try:
            for row in islice(self._rows, number):
                taken.append(row)  # noqa: PERF402 - what came before a fault must not be lost with it
        except UnreadableFile as error:
            return taken, error
        return taken, None

    def _store_rows(self, rows: Sequence[Any], *, final: bool) -> None:
        kinds: dict[type, list[Any]] = defaultdict(list)
        for row in rows:
            kinds[type(row)].append(row)
        left_out = Counter(json.loads(self.state.left_out))
        left_out.update({one.reason: one.rows for one in kinds[SkippedRows]})
        try:
            with self.store.transaction() as sql:
                self._insert_concepts(kinds[Concept], kinds[Relation])
                self._insert_names(kinds[Concept], kinds[ConceptName])
                left_out[UNKNOWN_CONCEPT] += self._insert_texts(kinds[Definition], kinds[SemanticType])
                left_out[UNKNOWN_ENDS] += self._insert_relations(kinds[Relation])
                file = self.state.key
                sql.executemany(INSERT_LINKS, ((one.other, file, one.concept) for one in kinds[CrossReference]))
                redirects = ((one.id, one.to, file) for one in kinds[Redirect])
                sql.executemany("INSERT INTO redirects (id, other, file) VALUES (?, ?, ?)", redirects)
                state = self._count_rows(rows, kinds, left_out, final=final)
                changes = "state = ?, items = ?, concepts = ?, facts = ?, faults = ?, left_out = ?"
                sql.execute(f"UPDATE files SET {changes} WHERE key = ?", (*state[5:], state.key))
        except BaseException:
            # Words that were numbered in a transaction that did not come to pass have no number.
            self._word_keys.clear()
            raise
        self.state = state
        self.faults += kinds[UnreadablePart]

    def _count_rows(
        self, rows: Sequence[Any], kinds: dict[type, list[Any]], left_out: Counter[str], *, final: bool
    ) -> VocabularyFile:
        before = self.state
        facts = len(kinds[Definition]) + len(dict.fromkeys(kinds[Relation]))
        dropped = sum(left_out[one] for one in (UNKNOWN_ENDS, UNKNOWN_CONCEPT))
        dropped -= sum(json.loads(before.left_out).get(one, 0) for one in (UNKNOWN_ENDS, UNKNOWN_CONCEPT))
        return before._replace(
            state="read" if final else "reading",
            items=before.items + len(rows),
            concepts=before.concepts + sum(not one.mentioned for one in kinds[Concept]),
            facts=before.facts + max(0, facts - dropped),
            faults=before.faults + len(kinds[UnreadablePart]),
            left_out=json.dumps(+left_out),
        )

    def _insert_concepts(self, concepts: Iterable[Concept], relations: Iterable[Relation]) -> None:
        file = self.state.key
        rows = ((one.id, one.name, MENTIONED if one.mentioned else DESCRIBED, file) for one in concepts)
        self.store.sql.executemany(INSERT_CONCEPTS, rows)
        if not self.vocabulary.closed:
            ends = dict.fromkeys(end for one in relations for end in (one.subject, one.object))
            self.store.sql.executemany(INSERT_CONCEPTS, ((id, "", BARE, file) for id in ends))

    def _insert_names(self, concepts: Sequence[Concept], names: Iterable[ConceptName]) -> None:
        file = self.state.key
        rows = dict.fromkeys([(one.id, 0, one.name) for one in concepts if not one.mentioned])
        rows |= dict.fromkeys((one.concept, SCOPES.index(one.scope), one.text) for one in names)
        seen: set[tuple[str, str]] = set()
        for_sql = []
        for id, scope, text in rows:
            key = fold_name(text)
            # Of names that differ in case or hyphens alone, the first is kept.
            if key and (id, key) not in seen:
                seen.add((id, key))
                for_sql.append((scope, text, key, initials(text) if scope <= 1 else "", file, id))
        self.store.sql.executemany(INSERT_NAMES, for_sql)
        mentions = dict.fromkeys((one.id, one.name) for one in concepts if one.mentioned)
        self.store.sql.executemany(
            INSERT_MENTIONS,
            ((MENTIONED_SCOPE, text, key, file, id) for id, text in mentions if (key := fold_name(text))),
        )

    def _insert_texts(self, definitions: Sequence[Definition], types: Sequence[SemanticType]) -> int:
        """Stores them; the number of those whose concept is not known."""
        sql, file = self.store.sql, self.state.key
        said = sql.executemany(
            INSERT_DEFINITIONS,
            (
                (self._word_key(one.aspect), self._word_key(one.source), one.reference, one.text, file, one.concept)
                for one in definitions
            ),
        ).rowcount
        typed = sql.executemany(INSERT_TYPES, ((self._word_key(one.name), file, one.concept) for one in types)).rowcount
        return len(definitions) + len(types) - max(0, said) - max(0, typed)

    def _insert_relations(self, relations: Sequence[Relation]) -> int:
        """Stores them, each once; the number of those that are left out for their ends."""
        # MRREL gives one relation of two concepts for each pair of their names, in a row.
        once = dict.fromkeys(relations)
        file, word = self.state.key, self._word_key
        done = self.store.sql.executemany(
            INSERT_KNOWN_RELATIONS if self.vocabulary.closed else INSERT_RELATIONS,
            (
                (word(predicate), word(source), reference, detail, file, subject, object)
                for subject, predicate, object, source, reference, detail in once
            ),
        )
        return len(once) - max(0, done.rowcount)

    def _word_key(self, text: str) -> int:
        key = self._word_keys.get(text)
        if key is None:
            sql = self.store.sql
            sql.execute("INSERT INTO words (text) VALUES (?) ON CONFLICT DO NOTHING", (text,))
            (key,) = sql.execute("SELECT key FROM words WHERE text = ?", (text,)).fetchone()
            self._word_keys[text] = key
        return int(key)


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

    def open_file(self, state: VocabularyFile) -> FileImport:
        """Open a file to be read, behind what is stored of it already. Raises UnreadableFile."""
        rows = concept_reader_for(Path(state.path), state.language)(Path(state.path))
        vocabulary = next(rows)
        if not isinstance(vocabulary, Vocabulary):
            raise UnreadableFile(state.path, "its beginning is unreadable", "Download it again.")
        known = self.find_file(state.path)
        # A file that is known goes on behind its last batch; a new one first has to be one that can be read here.
        if known is None:
            of_vocabulary = "SELECT 1 FROM files WHERE vocabulary = ? AND concepts > 0"
            # Rows of UMLS that came before their concepts would be stored for ids that nobody ever names.
            if vocabulary.closed and not self.store.fetch_rows(of_vocabulary, (vocabulary.name,)):
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

    def remove_file(self, key: int) -> int:
        """Take out all that a file gave; how many rows that were."""
        removed = 0
        with self.store.transaction() as sql:
            # An external-content index of FTS5 has to be told the old words, as long as they can still be read.
            sql.execute(
                "INSERT INTO names_text (names_text, rowid, folded) SELECT 'delete', key, folded FROM names"
                " WHERE file = ? AND key <= (SELECT indexed FROM graph)",
                (key,),
            )
            for table in TABLES:
                removed += sql.execute(f"DELETE FROM {table} WHERE file = ?", (key,)).rowcount
            # The concept itself stays: other files may speak of it, and build_indexes drops those of which none does.
            sql.execute("UPDATE concepts SET state = ?, name = '', file = 0 WHERE file = ?", (BARE, key))
            sql.execute("DELETE FROM files WHERE key = ?", (key,))
        return removed

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
    total = IngestionCompleted()
    for one in files:
        total += await _add_file(builder, call, one, language, meter)
    await _build_indexes(builder, call, emit)
    emit(total)
    return total


async def _add_file(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, meter: ProgressMeter
) -> IngestionCompleted:
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
            return IngestionCompleted(skipped=1)
        removed = 0
        if known and not known.is_same_as(state):
            gone = known.key
            removed = await call(lambda: builder.remove_file(gone))
        BYTES_READ.set(meter.set_position)
        given = await _import_file(await call(lambda: builder.open_file(state)), call, path, meter)
    # One file that cannot be read does not keep the others from going in.
    except UnreadableFile as error:
        meter.emit(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return IngestionCompleted(failed=1)
    finally:
        meter.bytes += file_size(path)
        meter.set_position(0)
    concepts, facts = given.state.concepts, given.state.facts
    meter.emit(FileRead(path=path, documents=concepts, passages=facts))
    return IngestionCompleted(files=1, documents=concepts, passages=facts, removed=removed)


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


async def _build_indexes(builder: GraphBuilder, call: ThreadRunner, emit: Emit) -> None:
    steps = builder.build_indexes()
    begun = time.monotonic()
    while (step := await call(lambda: next(steps, None))) is not None:
        done, total = step
        rate = done / max(time.monotonic() - begun, 1e-9)
        emit(Progress(task="indexing", done=done, total=total, unit="passages", rate=rate))
