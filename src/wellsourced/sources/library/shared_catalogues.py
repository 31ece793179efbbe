"""Catalogues that several hosts share, on PostgreSQL: each in a schema of its own, which a list of libraries names.

The tables are those of SQLite (documents.TABLES); what is counted as it changes is counted by statement, since each row
that is updated a thousand times in a transaction would be looked through a thousand times.
"""

from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.sources.library.documents import (
    CATALOGUE_FILE,
    FORMAT,
    INSERT_SETTINGS,
    LIBRARY_NAME,
    SHARED_FILE,
    TABLES,
    DocumentStore,
    name_schema,
    read_owner,
)
from wellsourced.storage.postgres import PostgresState
from wellsourced.storage.postgres_schema import set_search_path
from wellsourced.storage.private_files import make_private_folder, write_private_file
from wellsourced.types import SourceKind

LIBRARIES = "CREATE TABLE wellsourced_libraries (name TEXT PRIMARY KEY, owner TEXT NOT NULL UNIQUE)"

# A card that is no JSON has no ids: an index must not refuse it. PostgreSQL reads no JSON with the character 0 in it.
_FUNCTIONS = r"""
CREATE FUNCTION json_valid(TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION json_extract(said TEXT, field TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CAST(replace(said, '\u0000', '\ufffd') AS json) ->> substr(field, 3);
EXCEPTION WHEN others THEN
    RETURN NULL;
END $$;
"""

_COUNTS = """
ALTER TABLE documents ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE;
CREATE TABLE totals (state TEXT PRIMARY KEY, documents INTEGER NOT NULL, passages INTEGER NOT NULL);
INSERT INTO totals VALUES ('pending', 0, 0), ('indexed', 0, 0), ('removing', 0, 0);
CREATE TABLE changes (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id TEXT NOT NULL);
CREATE FUNCTION count_changes() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE totals SET documents = documents - number, passages = totals.passages - parts FROM (
            SELECT state AS old_state, count(*) AS number, sum(passages) AS parts FROM old_rows GROUP BY state
        ) AS old WHERE state = old_state;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE totals SET documents = documents + number, passages = totals.passages + parts FROM (
            SELECT state AS new_state, count(*) AS number, sum(passages) AS parts FROM new_rows GROUP BY state
        ) AS new WHERE state = new_state;
        INSERT INTO changes (id) SELECT id FROM new_rows WHERE TG_OP = 'INSERT' OR state = 'removing' ORDER BY rowid;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER documents_added AFTER INSERT ON documents REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
CREATE TRIGGER documents_deleted AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
CREATE TRIGGER documents_moved AFTER UPDATE ON documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
CREATE INDEX documents_by_year ON documents (year) WHERE state <> 'removing';
"""

# Ids and paths in the order of their bytes, as SQLite has them.
_DIALECT = {
    " WITHOUT ROWID": "",
    "INTEGER": "BIGINT",
    "id TEXT PRIMARY KEY": 'id TEXT COLLATE "C" PRIMARY KEY',
    "path TEXT PRIMARY KEY": 'path TEXT COLLATE "C" PRIMARY KEY',
}


def _write_schema() -> str:
    tables = TABLES
    for ours, theirs in _DIALECT.items():
        tables = tables.replace(ours, theirs)
    return f"{_FUNCTIONS}{tables}{_COUNTS}"


def _open_list(database: str) -> PostgresState:
    return PostgresState(database, "libraries", (LIBRARIES,))


def list_shared_libraries(database: str) -> dict[str, str]:
    """Name → owner of the libraries whose catalogues are there. Raises SourceUnavailable, SourceRefused."""
    with _open_list(database).open() as store:
        return dict(store.execute("SELECT name, owner FROM wellsourced_libraries").fetchall())


def create_shared_catalogue(database: str, name: str, kind: SourceKind, encoder: str, about: str, engine: str) -> None:
    """Make an empty catalogue, all of it or nothing. Raises SourceRefused for a taken name."""
    owner, shared = uuid4().hex, _open_list(database)
    with shared.open() as store, shared.transaction(store):
        added = "INSERT INTO wellsourced_libraries VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name"
        if not store.execute(added, (name, owner)).fetchone():
            raise SourceRefused(f"The library {name} exists already in {shared.place}. Choose another name.")
        store.execute(f'CREATE SCHEMA "{name_schema(owner)}"')
        store.execute(set_search_path(name_schema(owner)).decode())
        store.execute(_write_schema())
        store.execute(INSERT_SETTINGS, (name, kind, about, encoder, FORMAT, engine, owner))


def delete_shared_catalogue(folder: Path, database: str) -> None:
    """Delete the catalogue of a library. Raises SourceUnavailable while somebody writes it, on whatever host."""
    owner, shared = read_owner(folder), _open_list(database)
    # Tables that are gone have no writer.
    with suppress(NotFoundError), closing(DocumentStore(folder, database=database)) as catalogue:
        if writer := catalogue.find_writer():
            raise SourceUnavailable(f"The library {folder.name} is in use by {writer}. Wait until it ends, or end it.")
    with shared.open() as store, shared.transaction(store):
        store.execute("DELETE FROM wellsourced_libraries WHERE owner = ?", (owner,))
        store.execute(f'DROP SCHEMA IF EXISTS "{name_schema(owner)}" CASCADE')


def adopt_shared_libraries(root: Path, libraries: Mapping[str, str]) -> None:
    """Have folders under `root` for these libraries, name → owner, and for no others that are shared: for what is made
    from a catalogue on each host. A library that is on this machine keeps its name.
    """
    for stub in root.glob(f"*/{SHARED_FILE}"):
        if read_owner(stub.parent) not in libraries.values():
            stub.unlink()
    for name, owner in libraries.items():
        folder = root / name
        # What others wrote there names a folder here.
        is_plain = LIBRARY_NAME.fullmatch(name) and owner.isascii() and owner.isalnum()
        if is_plain and not (folder / CATALOGUE_FILE).exists() and read_owner(folder) != owner:
            make_private_folder(root)
            make_private_folder(folder)
            write_private_file(folder / SHARED_FILE, owner)
