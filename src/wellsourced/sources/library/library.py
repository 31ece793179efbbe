"""A library of one's own: documents in a catalogue, here or on PostgreSQL, their passages in an index kept in step
with it.

The catalogue is the truth. A batch of documents is safe there, as pending, before its passages are touched, and a
hit counts only if the catalogue holds the very document it was cut from: whenever a process is killed, readers see
whole documents, old or new, and the next writer finishes what was begun.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self, cast

import numpy as np

from wellsourced.encoders.base import Encoder, Vectors, lift_vectors
from wellsourced.errors import NextStep, SettingsError, SourceError, SourceRefused
from wellsourced.events import Emit, ignore_event
from wellsourced.sources.base import AddResult, CopiedLibrary, FileFault, FileState, PreparedDocument
from wellsourced.sources.library.copying import LibraryCopy
from wellsourced.sources.library.documents import SHARED_FILE, DocumentState, DocumentStore, StoredDocument
from wellsourced.sources.library.embedded_engine import EmbeddedEngine
from wellsourced.sources.library.embedding import WINDOW_PASSAGES, EmbeddingRun
from wellsourced.sources.library.engines import (
    EngineAddress,
    IndexedPassage,
    NewPassage,
    OpenEngine,
    PassageFinder,
    cut_document,
    refuse_engines,
)
from wellsourced.sources.library.file_manifest import keeps_deleted, overrules
from wellsourced.sources.library.hybrid_search import name_documents
from wellsourced.sources.library.reader import LOCK_FILE, LibraryReader, library_folder, validate_name
from wellsourced.sources.library.shared_catalogues import (
    adopt_shared_libraries,
    create_shared_catalogue,
    list_shared_libraries,
    share_catalogue,
)
from wellsourced.sources.library.upkeep import IndexUpkeep, run_to_completion, split_batches
from wellsourced.sources.library.vector_search import MAX_EXACT_VECTORS
from wellsourced.storage.private_files import WriterLock, close_tree, is_open_to_others, make_private_folder
from wellsourced.types import Document, SourceKind


def _open_engine_at(
    catalogue: DocumentStore, open_engine: OpenEngine, write: bool, exact: int, url: str
) -> PassageFinder:
    """What finds the passages of a library at this address, or on this machine."""
    if not url:
        return EmbeddedEngine(catalogue.folder, write=write, exact=exact)
    about = catalogue.settings()
    return open_engine(EngineAddress(url, catalogue.folder.name, about.owner, about.encoder))


class CutDocument(NamedTuple):
    """A document hashed and cut into passages, which any process can do: only writing it is left to the writer."""

    record: StoredDocument
    year: int | None
    passages: Sequence[NewPassage]

    @property
    def id(self) -> str:
        return self.record.id


def prepare_document(document: Document, record: StoredDocument | None = None) -> CutDocument:
    """Hash a document, unless its `record` is at hand, and cut it."""
    record = record or StoredDocument.from_document(document)
    return CutDocument(record, document.reference.year, cut_document(document, record.hash))


class Library(LibraryReader):
    """One library, open for reading, or for writing by this process alone; one whose catalogue several hosts share, by
    one process on each, in turns.

    Searched by word, and by meaning if it is given an encoder: by the vectors that this one made, and where there are
    none, what the words find is compared (hybrid_search). One event loop at a time. Raises as Source does; every
    SourceRefused names the folder, the reason and the remedy.

    open_engine   opens what finds its passages, where that is not on this machine
    exact         up to so many vectors every one is compared here
    database      the address of PostgreSQL, for libraries whose catalogues are there
    """

    def __init__(
        self,
        folder: Path,
        encoder: Encoder | None,
        *,
        write: bool,
        open_engine: OpenEngine = refuse_engines,
        exact: int = MAX_EXACT_VECTORS,
        database: str = "",
    ) -> None:
        # One that was copied: what somebody reads about is nobody else's business.
        if is_open_to_others(folder):
            close_tree(folder)
        self._lock = WriterLock(folder / LOCK_FILE, f"the library {folder.name}") if write else None
        try:
            catalogue = DocumentStore(folder, write=write, database=database)
            self._connect = partial(_open_engine_at, catalogue, open_engine, write, exact)
            super().__init__(folder, encoder, catalogue, lambda: self._connect(catalogue.settings().engine))
        # A library that cannot be opened must not stay locked.
        except BaseException:
            self._unlock()
            raise
        self._index = IndexUpkeep(self._catalogue, self._engine)
        self._write_lock = asyncio.Lock()

    @classmethod
    def create(
        cls,
        root: Path,
        name: str,
        kind: SourceKind = "own",
        encoder: Encoder | None = None,
        about: str = "",
        engine: str = "",
        database: str = "",
    ) -> None:
        """Make an empty library under `root`; without an encoder it is searched by word until it is embedded.

        engine     the address of what is to find its passages; "": files beside its catalogue
        database   the address of PostgreSQL, where the catalogue of a library with an engine is to be; "": its folder

        It is there whole or not at all. Raises SourceRefused for a name that is taken or cannot be a folder's.
        """
        folder = root / validate_name(name)
        if (folder / SHARED_FILE if engine and database else folder).exists():
            raise SourceRefused(
                f"The library {name} exists already in {folder}. Choose another name, or delete it first."
            )
        vectors = encoder.name if encoder else ""
        if engine and database:
            create_shared_catalogue(database, name, kind, vectors, about, engine)
            adopt_shared_libraries(root, list_shared_libraries(database))
            return
        # Made aside and renamed: killed in between, there is no half of a library under the name.
        made = root / f".{name}.{os.getpid()}.new"
        shutil.rmtree(made, ignore_errors=True)
        try:
            make_private_folder(root)
            make_private_folder(made)
            DocumentStore.create(made, name, kind, vectors, about, engine)
            made.rename(folder)
        except OSError as error:
            raise SourceRefused(f"{folder} cannot be created ({error.strerror}). Check its permissions.") from error

    @classmethod
    def at(
        cls,
        root: Path,
        name: str,
        encoder: Encoder | None = None,
        *,
        write: bool = False,
        open_engine: OpenEngine = refuse_engines,
        database: str = "",
    ) -> Self:
        """The library of that name under `root`; vectors of another encoder than this are left aside.

        Raises NotFoundError with the nearest names, SourceUnavailable when another process is writing and `write` is
        asked for, SourceRefused when it is damaged.
        """
        return cls(library_folder(root, name), encoder, write=write, open_engine=open_engine, database=database)

    def close(self) -> None:
        """Let go of its files, and let the next one write."""
        super().close()
        if self._lock:
            # tantivy writes as the process's umask has it; the folder has kept its files from others until now.
            close_tree(self.folder)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock:
            self._lock.close()

    @asynccontextmanager
    async def _take_turn(self) -> AsyncIterator[None]:
        """Write as nobody else does, here or on another host, and on what others have written."""
        async with self._write_lock:
            try:
                if await run_to_completion(asyncio.to_thread(self._catalogue.begin_turn)):
                    self._refresh()
                    self._index.engine = self._engine
                yield
            finally:
                self._catalogue.end_turn()

    async def add(self, documents: Sequence[Document]) -> None:
        """Store documents, each in place of the one of its id; those that are as they were cost nothing."""
        await self.add_from("", documents)

    async def add_from(self, path: str, documents: Sequence[Document | PreparedDocument]) -> AddResult:
        """Store documents of a file; they are safe, and searchable by word, when this returns."""
        given = [d if isinstance(d, Document) else cast("CutDocument", d) for d in documents]
        async with self._take_turn():
            await self._index.finish_interrupted_work()
            return await run_to_completion(self._add_documents(path, {d.id: d for d in given}))

    async def _add_documents(self, path: str, documents: dict[str, Document | CutDocument]) -> AddResult:
        records = await asyncio.to_thread(
            lambda: [
                d.record if isinstance(d, CutDocument) else StoredDocument.from_document(d) for d in documents.values()
            ]
        )
        known = self._catalogue.find_states(documents.keys())
        # Files of MEDLINE correct earlier ones: read in any order, the later file has the last word.
        standing = self._drop_overruled(path, records, known)
        same = [r.id for r in standing if r.id in known and known[r.id].hash == r.hash]
        # What is unchanged belongs to this file all the same: it must not go when the earlier file does.
        self._catalogue.assign_to_file(same, path)
        unchanged = set(same)
        changed = {r.id: r for r in standing if r.id not in unchanged}
        new = await asyncio.to_thread(
            lambda: [
                d if isinstance(d := documents[id], CutDocument) else prepare_document(d, record)
                for id, record in changed.items()
            ]
        )
        cuts = {document.id: document.passages for document in new}
        if cuts:
            items = ((document.record, len(document.passages), document.year, path) for document in new)
            # The catalogue first, as pending: killed before the next line, the next writer indexes what is here.
            self._catalogue.store_documents(items)
            await self._index.index_passages(cuts, known.keys() & changed.keys())
        passages = sum(map(len, cuts.values())) + sum(known[id].passages for id in same)
        return AddResult(len(standing), passages, len(cuts))

    def _drop_overruled(
        self, path: str, records: Sequence[StoredDocument], known: Mapping[str, DocumentState]
    ) -> list[StoredDocument]:
        """The records of a file that no later file has replaced or deleted."""
        deleted = self._catalogue.manifest.find_withdrawals([record.id for record in records])
        return [
            r
            for r in records
            if not (r.id in deleted and keeps_deleted(deleted[r.id], path))
            and not (r.id in known and overrules(known[r.id].file, path))
        ]

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove documents; how many there were. Adding their files again brings them back."""
        async with self._take_turn():
            removed = self._catalogue.remove(document_ids)
            await self._index.finish_interrupted_work()
            return removed

    async def withdraw(self, path: str, document_ids: Sequence[str]) -> int:
        """Remove documents that a file deletes, except those that a later file holds; how many there were."""
        async with self._take_turn():
            known = self._catalogue.find_states(document_ids)
            ids = [id for id in document_ids if not (id in known and overrules(known[id].file, path))]
            earlier = self._catalogue.manifest.find_withdrawals(ids)
            # A later file that deletes it too has the last word: what it says must not be forgotten with this one.
            removed = self._catalogue.withdraw(
                [id for id in ids if not (id in earlier and overrules(earlier[id], path))], path
            )
            await self._index.finish_interrupted_work()
            return removed

    def file(self, path: str) -> FileState | None:
        return self._catalogue.manifest.file(path)

    def files(self) -> list[FileState]:
        return self._catalogue.manifest.files()

    def ids_of_file(self, path: str) -> list[str]:
        return self._catalogue.ids_of_file(path)

    def unsettled_files(self) -> list[FileState]:
        return self._catalogue.manifest.unsettled_files()

    def faults(self, path: str) -> list[FileFault]:
        return self._catalogue.manifest.faults(path)

    async def queue_files(self, paths: Sequence[str]) -> None:
        async with self._take_turn():
            await asyncio.to_thread(self._catalogue.manifest.queue, paths)

    async def forget_file(self, path: str) -> None:
        async with self._take_turn():
            self._catalogue.manifest.forget(path)

    async def finish_file(
        self,
        state: FileState,
        kept: AbstractSet[str] | None,
        faults: Sequence[FileFault] = (),
        deleted: AbstractSet[str] | None = None,
    ) -> int:
        """The file was read as far as it can be: remove what it held and is not `kept` (None: all is), remember it."""
        async with self._take_turn():
            gone = [] if kept is None else [id for id in self._catalogue.ids_of_file(state.path) if id not in kept]
            removed = self._catalogue.set_state(gone, "removing") if gone else 0
            if gone:
                await self._index.finish_interrupted_work()
            self._catalogue.manifest.finish(state, faults, deleted)
            return removed

    async def find_unsearchable(self) -> list[str]:
        """Ids of documents whose passages are not in the search index exactly once, and as the catalogue has them."""
        self._refresh()
        wrong, strange = await self._index.find_differences()
        return sorted({*wrong, *strange})

    async def find_damaged(self) -> list[str]:
        """Ids of documents whose words in the catalogue are no longer what was stored."""

        def scan() -> list[str]:
            parts = split_batches(sorted(self._catalogue.load_hashes()))
            return [id for ids in parts for id in self._catalogue.load_documents(ids).damaged]

        return await asyncio.to_thread(scan)

    async def maintain(self, emit: Emit = ignore_event) -> None:
        """Finish what was begun.

        The index of words is brought up to date: it costs a tenth of what adding by word does, and nobody waits for it
        who asks.
        """
        async with self._take_turn():
            await self._index.finish_interrupted_work(emit)
        await self._update_selector(emit)

    async def _update_selector(self, emit: Emit) -> None:
        # Everything is in and can be searched; whoever needs the words tries again, and is told why he cannot.
        with suppress(SourceError):
            await self._selector.update(emit)

    async def rebuild(self) -> None:
        """Make the search index again from the catalogue; vectors that can still be read are kept.

        Raises SourceRefused, when all others can be searched, for documents that are damaged.
        """
        async with self._take_turn():
            try:
                await self._rebuild_indexes(vectors=False)
            except SourceRefused:
                # What was kept of the index cannot be read.
                await self._rebuild_indexes(vectors=True)
            if left := self._catalogue.ids_in_state("pending"):
                raise SourceRefused(
                    f"{self.folder}: rebuilt without the documents whose stored text is damaged: "
                    f"{name_documents(left)}.",
                    next_step=NextStep("verify library", self.name),
                )

    async def _rebuild_indexes(self, *, vectors: bool) -> None:
        self._selector.clear()
        await self._index.rebuild(vectors=vectors)
        await self._update_selector(ignore_event)

    async def embed_passages(self, emit: Emit = ignore_event, computer: Encoder | None = None) -> int:
        """Compute the vectors that are missing, with this encoder; how many. Saved as it goes, so it can be stopped.

        computer   computes them in place of the encoder, and gives the same: it has its name

        A library whose vectors are another encoder's loses them first.
        """
        own = await self._take_encoder()
        encoder = computer if computer and computer.name == own.name else own
        run = EmbeddingRun(self._catalogue, self._engine, encoder, self._save_vectors, emit)
        while await run.embed_missing():
            pass
        async with self._take_turn():
            await self._index.publish_changes()
            await self._update_selector(emit)
        return run.computed

    async def add_vectors(self, ids: Sequence[str], vectors: Vectors) -> int:
        """Store vectors that this encoder's model gave these documents elsewhere; of how many documents.

        All passages of a document that have no vector get its own. Raises SettingsError where they are of another
        width.
        """
        encoder = await self._take_encoder()
        rows = lift_vectors(encoder, vectors)
        if rows.shape[1] != encoder.dim:
            wanted = vectors.shape[1] - rows.shape[1] + encoder.dim
            raise SettingsError(f"The vectors have {vectors.shape[1]} columns; those of {encoder.name} have {wanted}.")
        row_of = dict(zip(ids, rows, strict=True))
        given: set[str] = set()
        last = None
        while missing := await self._engine.list_unencoded(last, WINDOW_PASSAGES, ids):
            last = missing[-1]
            await self._save_vectors(missing, np.stack([row_of[passage.document_id] for passage in missing]))
            given.update(passage.document_id for passage in missing)
        return len(given)

    async def _take_encoder(self) -> Encoder:
        """The encoder, after vectors of another one are gone. Raises SettingsError without any."""
        if not self.encoder:
            raise SettingsError(
                f"The library {self.name} is open without an encoder. Choose an encoder to compute vectors."
            )
        async with self._take_turn():
            await self._index.finish_interrupted_work()
            if self._catalogue.settings().encoder != self.encoder.name:
                await self._engine.drop_vectors(self.encoder.name)
                self._catalogue.set_encoder(self.encoder.name)
        return self.encoder

    async def _save_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        async with self._take_turn():
            await run_to_completion(self._index.add_vectors(passages, vectors))

    async def copy_from(self, source: LibraryReader, emit: Emit = ignore_event) -> CopiedLibrary:
        """Copy what another library holds and this one lacks: documents, vectors of the same encoder, and the rest.

        It can be stopped at any moment, and gone on with by the same call. Raises SourceRefused where this one holds
        documents that the other does not.
        """
        async with self._take_turn():
            await self._index.finish_interrupted_work(emit)
            copied = await LibraryCopy(source._catalogue, source._engine, self._index, emit).copy()
            await self._update_selector(emit)
            return copied

    async def move_to(self, url: str, emit: Emit = ignore_event) -> CopiedLibrary:
        """Have the passages found at this address from now on, "" for this machine; the documents stay where they are.

        Until all of it is there, it is searched where it was. It can be stopped at any moment, and gone on with by the
        same call. What cannot be moved whole stays, and the result says why. The old index is deleted; one that cannot
        be reached is left.
        """
        if self._catalogue.is_shared and not url:
            message = f"The library {self.name} is shared by several hosts, and cannot be searched in files of one."
            raise SourceRefused(f"{message} Copy it to another library.")
        async with self._take_turn():
            await self._index.finish_interrupted_work(emit)
            old, new = self._engine, self._connect(url)
            moved = await LibraryCopy(self._catalogue, old, IndexUpkeep(self._catalogue, new), emit).move()
            if moved.is_whole:
                self._catalogue.set_engine(url, moved.embedded)
                # Opened again, as every other reader does; one writer of it is enough.
                self._refresh()
                new.close()
                self._index.engine = self._engine
                with suppress(SourceError):
                    await old.drop(vectors=True)
                old.close()
            return moved

    async def share(self, database: str, emit: Emit = ignore_event) -> bool:
        """Move the catalogue to PostgreSQL, where other hosts find the library too; False where it is there already.

        It can be stopped at any moment, and gone on with by the same call. Afterwards the library is opened again.
        """
        async with self._take_turn():
            if not self._catalogue.is_shared:
                await self._index.finish_interrupted_work(emit)
            return await run_to_completion(asyncio.to_thread(share_catalogue, self._catalogue, database, emit))

    async def drop_index(self) -> None:
        """Delete what finds its passages, wherever that is, before the library itself is deleted."""
        async with self._take_turn():
            await self._engine.drop(vectors=True)
