"""Catalogues that several hosts share, on PostgreSQL: each in a schema of its own, which a list of libraries names. One
that moves there has no name that anybody sees until all of it is there.

The tables are those of SQLite (documents.TABLES); what is counted as it changes is counted by statement, since each row
that is updated a thousand times in a transaction would be looked through a thousand times.
"""

from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import Emit, Progress
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

COPIED_DOCUMENTS = 1_000
"""Documents that are copied at a time."""

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


def create_shared_catalogue(
    database: str, name: str, kind: SourceKind, encoder: str, about: str, engine: str, owner: str = ""
) -> str:
    """Make an empty catalogue, all of it or nothing; its owner's mark. Raises SourceRefused for a taken name."""
    owner, shared = owner or uuid4().hex, _open_list(database)
    with shared.open() as store, shared.transaction(store):
        added = "INSERT INTO wellsourced_libraries VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name"
        if not store.execute(added, (name, owner)).fetchone():
            raise SourceRefused(f"The library {name} exists already in {shared.place}. Choose another name.")
        store.execute(f'CREATE SCHEMA "{name_schema(owner)}"')
        store.execute(set_search_path(name_schema(owner)).decode())
        store.execute(_write_schema())
        store.execute(INSERT_SETTINGS, (name, kind, about, encoder, FORMAT, engine, owner))
    return owner


def share_catalogue(catalogue: DocumentStore, database: str, emit: Emit) -> bool:
    """Move a catalogue there from its file, by what is missing there, so that it can be stopped and called again; False
    where it is there already. Whoever has the file open has to open the library again.

    Raises SourceRefused for a name that another library has there, SourceUnavailable.
    """
    folder, settings, known = catalogue.folder, catalogue.settings(), list_shared_libraries(database)
    if known.get(folder.name, settings.owner) != settings.owner:
        raise SourceRefused(f"Another library is named {folder.name} in the database. Copy this one to another name.")
    if catalogue.is_shared and known.get(folder.name):
        return False
    if not catalogue.is_shared:
        beside = folder.with_name(f".{folder.name}.shared")
        if settings.owner not in known.values():
            hidden = f".{settings.owner}"
            create_shared_catalogue(database, hidden, settings.kind, "", settings.about, "", settings.owner)
        write_private_file(beside / SHARED_FILE, settings.owner)
        with closing(DocumentStore(beside, write=True, database=database)) as there:
            _copy_documents(catalogue, there, emit)
            there.manifest.copy_rows(catalogue.manifest)
            there.set_encoder(settings.encoder)
            there.set_engine(settings.engine, settings.vectors)
        # From here on this host has it there, and soon all others; the file is of no use any more.
        (beside / SHARED_FILE).replace(folder / SHARED_FILE)
        beside.rmdir()
    with _open_list(database).open() as store:
        store.execute("UPDATE wellsourced_libraries SET name = ? WHERE owner = ?", (folder.name, settings.owner))
    for path in folder.glob(f"{CATALOGUE_FILE}*"):
        path.unlink()
    return True


def _copy_documents(catalogue: DocumentStore, there: DocumentStore, emit: Emit) -> None:
    """Make the documents there those of this catalogue, also those that are damaged. Raises SourceRefused if they are
    not the same in the end."""
    after, done, total, differing = "", 0, catalogue.counts().documents, 0
    while states := there.list_states(after, COPIED_DOCUMENTS):
        after = [*states][-1]
        gone = states.keys() - catalogue.find_states(states).keys()
        there.remove(gone)
        there.delete_removed_documents(gone)
    after, pending = "", {*catalogue.ids_in_state("pending")}
    while states := catalogue.list_states(after, COPIED_DOCUMENTS):
        after, done = [*states][-1], done + len(states)
        held = there.find_states(states)
        records = catalogue.load_unchecked([id for id in states if held.get(id) != states[id]])
        there.store_documents((one, states[one.id].passages, one.find_year(), states[one.id].file) for one in records)
        there.set_state(states.keys() - pending, "indexed")
        differing += there.find_states(states) != states
        emit(Progress(task="copying", done=done, total=total, unit="documents"))
    if differing:
        raise SourceRefused(f"The documents of {catalogue.folder.name} are not the same in the database. Try again.")


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
