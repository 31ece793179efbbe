"""The truth of a library: its settings, its files and its documents. The search index can be made from it. It is a
file of SQLite, or a schema on PostgreSQL that several hosts share (shared_catalogues).

A document is `pending` from the moment its words are safe here until they can be searched, and `removing` from the
moment nobody may see it until its passages are gone. Whoever opens the library for writing finishes what a process
that was killed in between has left.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self, cast
from uuid import uuid4

from pydantic import ValidationError

from wellsourced.citations.identifiers import ID_PREFIXES
from wellsourced.errors import NextStep, NotFoundError, SourceRefused
from wellsourced.sources.library import file_manifest as manifest
from wellsourced.sources.library.file_manifest import FileManifest
from wellsourced.storage.postgres_schema import PostgresSchema
from wellsourced.storage.sqlite_database import JSON_VALUES, SqliteDatabase, json_list
from wellsourced.types import Document, Passage, Reference, Section, SourceKind, printed_pages

LIBRARY_NAME = re.compile(r"(?=.{1,64}$)[A-Za-z0-9][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*")
CATALOGUE_FILE = "catalogue.sqlite3"
SHARED_FILE = "catalogue.postgresql"
"""What a library has in its place whose catalogue is on PostgreSQL: its owner's mark, which names the schema."""

FORMAT = 6
"""Raised whenever what is stored changes; a library of another format is refused."""

ADD = "UPDATE totals SET documents = documents + 1, passages = passages + new.passages WHERE state = new.state;"
SUBTRACT = "UPDATE totals SET documents = documents - 1, passages = passages - old.passages WHERE state = old.state;"
TOTALS_SCHEMA = (
    "CREATE TABLE totals (state TEXT PRIMARY KEY, documents INTEGER NOT NULL, passages INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO totals VALUES ('pending', 0, 0), ('indexed', 0, 0), ('removing', 0, 0)",
    f"CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN {ADD} END",
    f"CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN {SUBTRACT} END",
    f"CREATE TRIGGER documents_moved AFTER UPDATE OF state, passages ON documents BEGIN {SUBTRACT} {ADD} END",
    "CREATE INDEX documents_by_year ON documents (year) WHERE state <> 'removing'",
)
"""Counted as they come and go: counting them again would look at each."""

CHANGES_SCHEMA = (
    "CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL)",
    "CREATE TRIGGER changes_stored AFTER INSERT ON documents BEGIN INSERT INTO changes (id) VALUES (new.id); END",
    "CREATE TRIGGER changes_removed AFTER UPDATE OF state ON documents WHEN new.state = 'removing'"
    " BEGIN INSERT INTO changes (id) VALUES (new.id); END",
)
"""Which documents came, changed or went, in this order: what is made from them is brought up to date by what is new."""

IDENTIFIERS = {
    field: f"CASE WHEN json_valid(reference) THEN lower(json_extract(reference, '$.{field}')) END"
    for field in ID_PREFIXES
}
"""Kind of an id → the id of that kind that a document's card gives, in small letters; NULL for none."""

IDENTIFIER_INDEXES = ";".join(
    f"CREATE INDEX documents_by_{field} ON documents (({value}))" for field, value in IDENTIFIERS.items()
)

TABLES = f"""
CREATE TABLE library (
    name TEXT NOT NULL, kind TEXT NOT NULL, about TEXT NOT NULL, encoder TEXT NOT NULL, format INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0, vectors INTEGER NOT NULL DEFAULT 0,
    engine TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL DEFAULT ''
);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, hash INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending', 'indexed', 'removing')),
    passages INTEGER NOT NULL, year INTEGER, file TEXT NOT NULL,
    reference TEXT NOT NULL, sections TEXT NOT NULL, digest TEXT NOT NULL, text TEXT NOT NULL,
    pages TEXT NOT NULL DEFAULT ''
);
CREATE INDEX documents_unsettled ON documents (state) WHERE state <> 'indexed';
CREATE INDEX documents_by_file ON documents (file);
{IDENTIFIER_INDEXES};
{manifest.SCHEMA}
"""

SCHEMA = f"{TABLES}{';'.join(TOTALS_SCHEMA)};{';'.join(CHANGES_SCHEMA)}"

INSERT_SETTINGS = "INSERT INTO library (name, kind, about, encoder, format, engine, owner) VALUES (?, ?, ?, ?, ?, ?, ?)"


class LibrarySettings(NamedTuple):
    """What a library is.

    encoder      the name of the encoder of its vectors; "" for a library that is not to be embedded yet
    generation   grows with every commit that searches can see
    vectors      passages that can be found by meaning
    engine       the address of what finds its passages, without credentials; "" for files beside the catalogue
    owner        32 hexadecimal digits by which such an engine knows this library, wherever it lies
    """

    name: str
    kind: SourceKind
    about: str
    encoder: str
    format: int
    generation: int
    vectors: int
    engine: str
    owner: str


class LibraryCounts(NamedTuple):
    """Documents and passages that the library holds, and the first and last year of publication, 0 when unknown."""

    documents: int
    passages: int
    first: int
    last: int


class PendingCounts(NamedTuple):
    """Documents that wait to be indexed, or to be removed; files that wait to be read; passages of all that is in."""

    documents: int
    removals: int
    files: int
    passages: int


class DocumentState(NamedTuple):
    """What is known of a document without reading it. A document that is being removed is known, and `hash` is None."""

    hash: int | None
    passages: int
    file: str


class DocumentChange(NamedTuple):
    """A document came, changed, or went; later changes have higher numbers, and the first is 1."""

    number: int
    id: str


class StoredDocument(NamedTuple):
    """A document as it is stored. `hash` is of all that follows it, so that damage is seen; `pages` is "" for none."""

    id: str
    hash: int
    reference: str
    sections: str
    digest: str
    text: str
    pages: str = ""

    @classmethod
    def from_document(cls, document: Document) -> Self:
        sections = json.dumps([[s.title, s.start, s.end] for s in document.sections], ensure_ascii=False)
        card = document.reference.model_dump_json(exclude_defaults=True, exclude={"year"})
        pages = json.dumps(document.pages) if document.pages else ""
        parts = (card, sections, document.digest, document.text, pages)
        return cls(document.reference.id, _hash_parts(parts), *parts)

    @property
    def is_sound(self) -> bool:
        # Damage may have made bytes, or a number, of a text.
        return all(isinstance(part, str) for part in self[2:]) and _hash_parts(self[2:]) == self.hash

    def to_reference(self) -> Reference:
        return Reference.model_validate_json(self.reference)

    def find_year(self) -> int | None:
        """The year of its card; None without any, and of a card that is damaged."""
        return _read_reference(self.id, self.reference).year

    def to_document(self) -> Document:
        sections = tuple(Section(title=title, start=start, end=end) for title, start, end in json.loads(self.sections))
        text, digest, pages = self.text, self.digest, self._page_starts()
        return Document(reference=self.to_reference(), text=text, sections=sections, digest=digest, pages=pages)

    def cut_passage(self, card: Reference, place: tuple[int, int]) -> Passage | None:
        """The passage at this place, under this card, as cut_index_passages cuts it; None where no section has it."""
        start, end = place
        sections = json.loads(self.sections) or [["", 0, len(self.text)]]
        section = next((title for title, first, last in sections if first <= start < end <= last), None)
        if section is None:
            return None
        is_first = not any(self.text[first : min(last, start)].strip() for _, first, last in sections)
        return Passage(
            reference=card,
            text=self.text[start:end],
            start=start,
            end=end,
            section=section,
            page=printed_pages(self._page_starts(), start, end),
            stands_for_document=bool(self.digest) and is_first,
        )

    def _page_starts(self) -> tuple[int, ...]:
        return tuple(json.loads(self.pages)) if self.pages else ()


def _hash_parts(parts: Iterable[str]) -> int:
    *first, pages = parts
    digest = blake2b(digest_size=8)
    for part in (*first, pages) if pages else first:
        # The length keeps two parts from passing for two others that read the same in a row.
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return int.from_bytes(digest.digest(), "big", signed=True)


class LoadedDocuments(NamedTuple):
    """Documents by their ids, all as they were stored, and the ids of others that are damaged."""

    records: dict[str, StoredDocument]
    damaged: list[str]


COLUMNS = ", ".join(StoredDocument._fields)
TOTALS_SQL = "SELECT state, documents, passages FROM totals"


class DocumentStore:
    """An open catalogue. Every method is one transaction; what it returned from is on the disk.

    database   the address of PostgreSQL, for a catalogue that is there
    place      where it is, without a password

    Raises NotFoundError where there is none, SourceRefused when it is damaged or too new, SourceUnavailable when the
    disk is full, another process holds it for too long, or the database cannot be reached.
    """

    def __init__(self, folder: Path, *, write: bool = False, database: str = "") -> None:
        self.folder, self._database = folder, database
        self._shared = _open_schema(folder, database)
        if not self._shared and not (folder / CATALOGUE_FILE).is_file():
            raise NotFoundError(f"No library in {folder}")
        self._sql = self._shared or SqliteDatabase(folder / CATALOGUE_FILE, write=write)
        self.place = self._shared.place if self._shared else str(folder / CATALOGUE_FILE)
        self.manifest = FileManifest(self._sql)
        try:
            (found,) = self._sql.fetch_one("SELECT format FROM library")
            if found != FORMAT:
                remedy = "Use the version that made it, or delete it and add its files again."
                raise SourceRefused(
                    f"{self.folder}: the library has format {found}, but this version reads {FORMAT}. {remedy}"
                )
        except BaseException:
            self._sql.close()
            raise

    @classmethod
    def create(cls, folder: Path, name: str, kind: SourceKind, encoder: str, about: str, engine: str = "") -> None:
        """Make an empty catalogue in a folder that has none."""
        SqliteDatabase.create(folder / CATALOGUE_FILE, SCHEMA)
        sql = SqliteDatabase(folder / CATALOGUE_FILE, write=True)
        try:
            with sql.transaction() as writing:
                writing.execute(INSERT_SETTINGS, (name, kind, about, encoder, FORMAT, engine, uuid4().hex))
        finally:
            sql.close()

    def close(self) -> None:
        self._sql.close()

    @property
    def is_shared(self) -> bool:
        """Whether several hosts may write it, each in its turn."""
        return self._shared is not None

    def open_again(self) -> "DocumentStore":
        """A catalogue of the same documents, for whoever reads them at another time."""
        return DocumentStore(self.folder, database=self._database)

    def begin_turn(self) -> bool:
        """Wait until no other host writes; whether one may have. On one machine, the library's lock sees to it."""
        if self._shared:
            self._shared.begin_turn()
        return self.is_shared

    def end_turn(self) -> None:
        """Let others write."""
        if self._shared:
            self._shared.end_turn()

    def find_writer(self) -> str:
        """Who writes on whatever host, "process 7 on ward-3"; "" for nobody, and where the folder's lock says it."""
        return self._shared.find_writer() if self._shared else ""

    def settings(self) -> LibrarySettings:
        return LibrarySettings(
            *self._sql.fetch_one(
                "SELECT name, kind, about, encoder, format, generation, vectors, engine, owner FROM library"
            )
        )

    def generation(self) -> int:
        """A number that has grown since, if anything a search could see has changed."""
        return cast(int, self._sql.fetch_one("SELECT generation FROM library")[0])

    def last_change(self) -> DocumentChange:
        """The document that changed last; number 0 before the first."""
        rows = self._sql.fetch_all("SELECT number, id FROM changes ORDER BY number DESC LIMIT 1")
        return DocumentChange(*rows[0]) if rows else DocumentChange(0, "")

    def list_changes(self, first: int, limit: int) -> list[DocumentChange]:
        """At most so many changes, from this one on. A document may be among them several times."""
        rows = self._sql.fetch_all(
            "SELECT number, id FROM changes WHERE number >= ? ORDER BY number LIMIT ?", (first, limit)
        )
        return [DocumentChange(*row) for row in rows]

    def counts(self) -> LibraryCounts:
        year = "SELECT year FROM documents WHERE state <> 'removing' AND year IS NOT NULL ORDER BY year"
        row = self._sql.fetch_one(
            f"SELECT sum(documents), sum(passages), coalesce(({year} LIMIT 1), 0), coalesce(({year} DESC LIMIT 1), 0)"  # noqa: S608
            " FROM totals WHERE state <> 'removing'"
        )
        return LibraryCounts(*row)

    def find_states(self, ids: Collection[str]) -> dict[str, DocumentState]:
        """What is known of those of these documents that are here, or were and are not quite gone."""
        columns = "id, hash, passages, file, state"
        rows = self._sql.fetch_all(f"SELECT {columns} FROM documents WHERE id IN {JSON_VALUES}", json_list(ids))  # noqa: S608
        return {
            id: DocumentState(None if state == "removing" else hash, passages, file)
            for id, hash, passages, file, state in rows
        }

    def list_states(self, after: str, limit: int) -> dict[str, DocumentState]:
        """What is known of the documents that are here, by their ids and in their order, from behind this one on."""
        columns = "id, hash, passages, file"
        rows = self._sql.fetch_all(
            f"SELECT {columns} FROM documents WHERE id > ? AND state <> 'removing' ORDER BY id LIMIT ?",  # noqa: S608
            (after, limit),
        )
        return {id: DocumentState(*state) for id, *state in rows}

    def load_document(self, id: str) -> StoredDocument | None:
        """One document, if it is here. Raises SourceRefused when its words are no longer what was stored."""
        found = self.load_documents([id])
        if found.damaged:
            remedy = "Remove it from the library and add its file again."
            raise SourceRefused(f"{self.place}: the stored text of {id} is damaged. {remedy}")
        return found.records.get(id)

    def find_identified(self, ids: Collection[str]) -> str:
        """The id of a document whose own id is one of these in upper or lower case, or whose card gives it.

        Of several of the same work, the full text, which is known by its PMC id; "" for none.
        """
        for given in ids:
            prefix, colon, id = given.partition(":")
            field = next((field for field, its in ID_PREFIXES.items() if its == prefix + colon), "")
            if not field:
                continue
            found = self._sql.fetch_all(
                f"SELECT id FROM documents WHERE {IDENTIFIERS[field]} = ? AND state <> 'removing' UNION"  # noqa: S608
                # No index compares without case: no more is looked at than the ids of this kind.
                f" SELECT id FROM documents WHERE {_begins_with(prefix)} AND lower(id) = ? AND state <> 'removing'",
                (id.lower(), given.lower()),
            )
            if found:
                named = given.lower()
                return min((str(id) for (id,) in found), key=lambda id: (id.lower() != named, id[:4] != "pmc:"))
        return ""

    def load_documents(self, ids: Collection[str]) -> LoadedDocuments:
        """Those of these documents that are here as they were stored, and the ids of those that are damaged.

        Raises SourceRefused when nothing of the file can be read.
        """
        unreadable: list[str] = []
        try:
            stored = self.load_unchecked(ids)
        except SourceRefused:
            # A page of the file is damaged: the documents that stand on others are asked for one by one.
            stored, unreadable = self._load_one_by_one(ids)
        damaged = [record.id for record in stored if not record.is_sound]
        return LoadedDocuments({record.id: record for record in stored if record.is_sound}, [*unreadable, *damaged])

    def _load_one_by_one(self, ids: Collection[str]) -> tuple[list[StoredDocument], list[str]]:
        self.generation()
        stored: list[StoredDocument] = []
        unreadable: list[str] = []
        for id in ids:
            try:
                stored += self.load_unchecked([id])
            except SourceRefused:
                unreadable.append(id)
        return stored, unreadable

    def load_unchecked(self, ids: Collection[str]) -> list[StoredDocument]:
        """Those of these documents that are here, damaged or not."""
        return self._select_documents(f"id IN {JSON_VALUES} AND state <> 'removing'", json_list(ids))

    def load_hashes(self) -> dict[str, int]:
        """id → hash of every document that is here."""
        return dict(self._sql.fetch_all("SELECT id, hash FROM documents WHERE state <> 'removing'"))

    def sample_documents(self, count: int) -> list[StoredDocument]:
        """About so many of the documents, from all over the library; the same ones while nothing changes."""
        first, last = self._sql.fetch_one("SELECT coalesce(min(rowid), 0), coalesce(max(rowid), 0) FROM documents")
        step = max(1, (last - first + 1) // max(1, count))
        condition = "rowid IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND state <> 'removing' ORDER BY id"
        return self._select_documents(condition, json_list(range(first, last + 1, step)))

    def load_addresses(self) -> list[tuple[str, str]]:
        """(address, id) of every document that is here and has no id of a catalogue: of web pages and leaflets."""
        return self._sql.fetch_all(
            "SELECT json_extract(reference, '$.url'), id FROM documents WHERE state <> 'removing'"  # noqa: S608
            f" AND NOT {_begins_with('pubmed')} AND NOT {_begins_with('pmc')} AND NOT {_begins_with('doi')}"
            " AND json_extract(reference, '$.url') <> '' ORDER BY rowid"
        )

    def list_titles(self) -> tuple[str, ...]:
        """The titles of all documents that can be found, in the order in which they were added."""
        rows = self._sql.fetch_all(
            "SELECT json_extract(reference, '$.title') FROM documents WHERE state = 'indexed' ORDER BY rowid"
        )
        return tuple(str(title) for (title,) in rows if title)

    def list_references(self, after: str, limit: int) -> list[Reference]:
        """References of the documents that are here, by their ids, from behind this one on; of a damaged one its id."""
        rows = self._sql.fetch_all(
            "SELECT id, reference FROM documents WHERE id > ? AND state <> 'removing' ORDER BY id LIMIT ?",
            (after, limit),
        )
        return [_read_reference(id, reference) for id, reference in rows]

    def _select_documents(self, condition: str, parameters: Sequence[object]) -> list[StoredDocument]:
        rows = self._sql.fetch_all(f"SELECT {COLUMNS} FROM documents WHERE {condition}", parameters)  # noqa: S608
        return [StoredDocument(*row) for row in rows]

    def ids_in_state(self, state: str) -> list[str]:
        """Ids of the documents that are `pending` or `removing`."""
        rows = self._sql.fetch_all("SELECT id FROM documents WHERE state <> 'indexed' AND state = ?", (state,))
        return [id for (id,) in rows]

    def count_pending(self) -> PendingCounts:
        """How many documents and files are on their way in, and how many passages should be found of the others."""
        waiting = {state: (documents, passages) for state, documents, passages in self._sql.fetch_all(TOTALS_SQL)}
        (files,) = self._sql.fetch_one(
            "SELECT count(*) FROM files WHERE state <> 'done' AND state IN ('queued', 'reading')"
        )
        return PendingCounts(waiting["pending"][0], waiting["removing"][0], files, waiting["indexed"][1])

    def expected_passages(self) -> dict[str, tuple[int, int]]:
        """id → (hash, passages) of every document that should be searchable."""
        rows = self._sql.fetch_all("SELECT id, hash, passages FROM documents WHERE state = 'indexed'")
        return {id: (hash, passages) for id, hash, passages in rows}

    def store_documents(self, records: Iterable[tuple[StoredDocument, int, int | None, str]]) -> None:
        """Store documents as pending, each with the number of its passages, its year, and the file that owns it now."""
        rows = [(passages, year, file, *record) for record, passages, year, file in records]
        places = ", ".join("?" * (3 + len(StoredDocument._fields)))
        with self._sql.transaction() as sql:
            # Not replaced: of a row that gives way to another, no trigger is told.
            sql.execute(f"DELETE FROM documents WHERE id IN {JSON_VALUES}", json_list([row[3] for row in rows]))  # noqa: S608
            sql.executemany(
                f"INSERT INTO documents (state, passages, year, file, {COLUMNS})"  # noqa: S608
                f" VALUES ('pending', {places})",
                rows,
            )
            self.manifest.delete_withdrawals(sql, [row[3] for row in rows])
            for file in dict.fromkeys(row[2] for row in rows):
                self.manifest.mark_reading(sql, file)

    def assign_to_file(self, ids: Collection[str], file: str) -> None:
        """These documents are as they were, and are now in this file."""
        with self._sql.transaction() as sql:
            sql.execute(
                f"UPDATE documents SET file = ? WHERE id IN {JSON_VALUES} AND file <> ?",  # noqa: S608
                (file, *json_list(ids), file),
            )
            self.manifest.mark_reading(sql, file)

    def set_state(self, ids: Collection[str], state: str) -> int:
        """Put these documents into a state; the number of those that are here."""
        with self._sql.transaction() as sql:
            return sql.execute(*_set_state_sql(ids, state)).rowcount

    def remove(self, ids: Collection[str]) -> int:
        """Nobody may see these documents; their number. Adding their files again brings them back."""
        with self._sql.transaction() as sql:
            self.manifest.forget_hashes(sql, ids)
            return sql.execute(*_set_state_sql(ids, "removing")).rowcount

    def withdraw(self, ids: Collection[str], file: str) -> int:
        """As `remove`, but only a later file than this one brings them back, also those that are not here yet."""
        with self._sql.transaction() as sql:
            self.manifest.insert_withdrawals(sql, ids, file)
            self.manifest.mark_reading(sql, file)
            return sql.execute(*_set_state_sql(ids, "removing")).rowcount

    def delete_removed_documents(self, ids: Collection[str]) -> None:
        """The passages of these documents are gone: so are they."""
        with self._sql.transaction() as sql:
            sql.execute(
                f"DELETE FROM documents WHERE state = 'removing' AND id IN {JSON_VALUES}",  # noqa: S608
                json_list(ids),
            )

    def ids_of_file(self, path: str) -> list[str]:
        rows = self._sql.fetch_all("SELECT id FROM documents WHERE file = ? AND state <> 'removing'", (path,))
        return [id for (id,) in rows]

    def publish_changes(self, vectors: int) -> None:
        """Tell every reader that there is something new to see."""
        with self._sql.transaction() as sql:
            sql.execute("UPDATE library SET generation = generation + 1, vectors = ?", (vectors,))

    def set_encoder(self, name: str) -> None:
        with self._sql.transaction() as sql:
            sql.execute("UPDATE library SET encoder = ?, generation = generation + 1, vectors = 0", (name,))

    def set_engine(self, url: str, vectors: int) -> None:
        """Passages are found there from now on; so many of them have vectors there."""
        with self._sql.transaction() as sql:
            sql.execute("UPDATE library SET engine = ?, generation = generation + 1, vectors = ?", (url, vectors))


def _open_schema(folder: Path, database: str) -> PostgresSchema | None:
    """The schema of a library whose catalogue is on PostgreSQL; None for one that has a file."""
    owner = read_owner(folder)
    if not owner:
        return None
    if not database:
        told = f"The documents of the library {folder.name} are on PostgreSQL, and no database is set."
        raise SourceRefused(told, next_step=NextStep("change setting", "storage.url"))
    return PostgresSchema(database, name_schema(owner), f"the library {folder.name}")


def read_owner(folder: Path) -> str:
    """The mark of a library whose catalogue is on PostgreSQL, 32 hexadecimal digits; "" for any other."""
    try:
        return (folder / SHARED_FILE).read_text(encoding="ascii")[:32]
    except OSError:
        return ""


def name_schema(owner: str) -> str:
    """The schema of a library's catalogue."""
    return f"wellsourced_{owner}"


def _begins_with(prefix: str) -> str:
    """Ids of this kind, as a range: an index has them in a row."""
    return f"(id >= '{prefix}:' AND id < '{prefix};')"


def _read_reference(id: str, stored: str) -> Reference:
    try:
        return Reference.model_validate_json(stored)
    except ValidationError:
        return Reference(id=id)


def _set_state_sql(ids: Collection[str], state: str) -> tuple[str, tuple[str, ...]]:
    sql = f"UPDATE documents SET state = ? WHERE id IN {JSON_VALUES} AND state <> 'removing'"  # noqa: S608
    return sql, (state, *json_list(ids))
