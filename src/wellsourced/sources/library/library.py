"""A library of one's own on this machine: documents in a catalogue (SQLite), their passages in search tables (Lance).

The catalogue is the truth. A batch of documents is safe there, as pending, before its passages are touched, and a
hit counts only if the catalogue holds the very document it was cut from: whenever a process is killed, readers see
whole documents, old or new, and the next writer finishes what was begun.
"""

import asyncio
import os
import shutil
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Self, TypeVar

import pyarrow as pa

from wellsourced.encoders.base import Encoder, Vectors
from wellsourced.errors import Refused, SettingsError, SourceError
from wellsourced.events import Event, Tell, unheard
from wellsourced.private_files import close_tree, is_open_to_others, make_private_folder
from wellsourced.sources.base import Added, Fault, FileState, Headings
from wellsourced.sources.library.catalogue import Catalogue, Known, Record
from wellsourced.sources.library.editions import bars, overrules
from wellsourced.sources.library.embedding import Embedding
from wellsourced.sources.library.folders import LOCK, checked, folder_of
from wellsourced.sources.library.lance import values
from wellsourced.sources.library.passage_table import Cut, rows
from wellsourced.sources.library.reading import Reading
from wellsourced.sources.library.searching import damage_told
from wellsourced.sources.library.vector_table import EXACT, kept
from wellsourced.sources.lock import WriterLock
from wellsourced.text.passages import cut_to_be_found
from wellsourced.types import Document, Kind

Result = TypeVar("Result")

BATCH = 1_000
"""Documents that are indexed again at a time."""


class Library(Reading):
    """One library, open for reading, or for writing by this process alone.

    Searched by word; also by meaning where it has vectors and is given the encoder that made them. One event loop at
    a time. Raises as Source does; every Refused names the folder, the reason and the remedy.
    """

    def __init__(
        self,
        folder: Path,
        encoder: Encoder | None,
        *,
        write: bool,
        exact: int = EXACT,
        headings: Headings | None = None,
    ) -> None:
        if is_open_to_others(folder):
            close_tree(folder)
        self._lock = WriterLock(folder / LOCK, f"the library {folder.name}") if write else None
        try:
            super().__init__(folder, encoder, Catalogue(folder, write=write), headings, exact)
        except BaseException:
            self._unlock()
            raise
        self._audited = False
        self._writing = asyncio.Lock()

    @classmethod
    def create(cls, root: Path, name: str, kind: Kind = "own", encoder: Encoder | None = None, about: str = "") -> None:
        """Make an empty library under `root`; without an encoder it is searched by word until it is embedded.

        It is there whole or not at all. Raises Refused for a name that is taken or cannot be a folder's.
        """
        folder = root / checked(name)
        if folder.exists():
            raise Refused(f"there is a library {name} already, in {folder}. Choose another name, or delete it first.")
        made = root / f".{name}.{os.getpid()}.new"
        shutil.rmtree(made, ignore_errors=True)
        try:
            make_private_folder(root)
            make_private_folder(made)
            Catalogue.create(made, name, kind, encoder.name if encoder else "", about)
            made.rename(folder)
        except OSError as error:
            raise Refused(f"{folder} cannot be made ({error.strerror}). Check that you may write there.") from error

    @classmethod
    def at(
        cls,
        root: Path,
        name: str,
        encoder: Encoder | None = None,
        *,
        write: bool = False,
        headings: Headings | None = None,
    ) -> Self:
        """The library of that name under `root`; `headings` know what stands below those of a Boolean query.

        Raises NotFound with the nearest names, Unavailable when another process is writing and `write` is asked for,
        Refused when it is damaged, SettingsError when it is to be searched with another encoder than its own.
        """
        library = cls(folder_of(root, name), encoder, write=write, headings=headings)
        own = library._settings.encoder
        if encoder and own and own != encoder.name and not write:
            library.close()
            remedy = f"Set that encoder, or make new vectors: `wellsourced library embed {name}`."
            raise SettingsError(f"The library {name} has vectors of {own}; {encoder.name} cannot read them. {remedy}")
        return library

    def close(self) -> None:
        """Let go of its files, and let the next one write."""
        super().close()
        if self._lock:
            # Lance writes as the process's umask has it; the folder has kept its files from others until now.
            close_tree(self.folder)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock:
            self._lock.close()

    async def add(self, documents: Sequence[Document]) -> None:
        """Store documents, each in place of the one of its id; those that are as they were cost nothing."""
        await self.add_from("", documents)

    async def add_from(self, path: str, documents: Sequence[Document]) -> Added:
        """Store documents of a file; they are safe, and searchable by word, when this returns."""
        async with self._writing:
            await self._settle()
            return await to_the_end(self._add(path, {d.reference.id: d for d in documents}))

    async def _add(self, path: str, documents: dict[str, Document]) -> Added:
        records = await asyncio.to_thread(lambda: [Record.of(document) for document in documents.values()])
        known = self._catalogue.known(documents.keys())
        standing = self._standing(path, records, known)
        same = [r.id for r in standing if r.id in known and known[r.id].hash == r.hash]
        self._catalogue.own(same, path)
        unchanged = set(same)
        changed = {r.id: r for r in standing if r.id not in unchanged}
        cuts = await asyncio.to_thread(lambda: [_cut(documents[id], record.hash) for id, record in changed.items()])
        if cuts:
            items = ((changed[c.document.reference.id], len(c.passages), c.document.reference.year) for c in cuts)
            self._catalogue.put(items, path)
            await self._index(cuts, known.keys() & changed.keys())
        passages = sum(len(c.passages) for c in cuts) + sum(known[id].passages for id in same)
        return Added(len(standing), passages, len(cuts))

    def _standing(self, path: str, records: Sequence[Record], known: Mapping[str, Known]) -> list[Record]:
        """The records of a file that no later file has replaced or deleted."""
        deleted = self._catalogue.manifest.withdrawn([record.id for record in records])
        return [
            r
            for r in records
            if not (r.id in deleted and bars(deleted[r.id], path))
            and not (r.id in known and overrules(known[r.id].file, path))
        ]

    async def _index(self, cuts: Sequence[Cut], before: AbstractSet[str]) -> None:
        """Put the passages of pending documents in place of what the tables may hold of `before`, and say so."""
        table = await asyncio.to_thread(rows, cuts)
        old = await self._vectors.of(before)
        await self._drop_passages(before)
        await self._passages.add(table)
        again = kept(old, table)
        if again is not None:
            await self._vectors.put(again)
        self._catalogue.mark([c.document.reference.id for c in cuts], "indexed")
        await self._publish()

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove documents; how many there were. Adding their files again brings them back."""
        async with self._writing:
            removed = self._catalogue.remove(document_ids)
            await self._settle()
            return removed

    async def withdraw(self, path: str, document_ids: Sequence[str]) -> int:
        """Remove documents that a file deletes, except those that a later file holds; how many there were."""
        async with self._writing:
            known = self._catalogue.known(document_ids)
            ids = [id for id in document_ids if not (id in known and overrules(known[id].file, path))]
            earlier = self._catalogue.manifest.withdrawn(ids)
            # A later file that deletes it too has the last word: what it says must not be forgotten with this one.
            removed = self._catalogue.withdraw(
                [id for id in ids if not (id in earlier and overrules(earlier[id], path))], path
            )
            await self._settle()
            return removed

    async def _drop_passages(self, document_ids: Collection[str]) -> None:
        await self._vectors.delete(document_ids)
        await self._passages.delete(document_ids)

    def file(self, path: str) -> FileState | None:
        """What is known of a file that it was filled from."""
        return self._catalogue.manifest.file(path)

    def files(self) -> list[FileState]:
        """Every file that it was filled from, in the order of the paths."""
        return self._catalogue.manifest.files()

    def ids_of_file(self, path: str) -> list[str]:
        """The ids of the documents that it holds from a file."""
        return self._catalogue.of_file(path)

    def unsettled(self) -> list[FileState]:
        """The files that were not read to their end, or not without faults."""
        return self._catalogue.manifest.unsettled()

    def faults(self, path: str) -> list[Fault]:
        """What could not be read of a file."""
        return self._catalogue.manifest.faults(path)

    async def queue(self, paths: Sequence[str]) -> None:
        """These files are to be read."""
        async with self._writing:
            await asyncio.to_thread(self._catalogue.manifest.queue, paths)

    async def forget(self, path: str) -> None:
        """Know nothing of a file any more; its documents stay."""
        async with self._writing:
            self._catalogue.manifest.forget(path)

    async def finish(
        self,
        state: FileState,
        kept: AbstractSet[str] | None,
        faults: Sequence[Fault] = (),
        deleted: AbstractSet[str] | None = None,
    ) -> int:
        """The file was read as far as it can be: remove what it held and is not `kept` (None: all is), remember it."""
        async with self._writing:
            gone = [] if kept is None else [id for id in self._catalogue.of_file(state.path) if id not in kept]
            removed = self._catalogue.mark(gone, "removing") if gone else 0
            if gone:
                await self._settle()
            self._catalogue.manifest.finish(state, faults, deleted)
            return removed

    async def _settle(self) -> None:
        """Finish what was begun and not ended: by a process that was killed, on a full disk, or by a cancelled call."""
        if not self._audited:
            await self._audit()
            self._audited = True
        for ids in _batches(self._catalogue.unsettled("removing")):
            await to_the_end(self._finish_removal(ids))
        for ids in _batches(self._catalogue.unsettled("pending")):
            await to_the_end(self._index_again(ids))

    async def _finish_removal(self, ids: Sequence[str]) -> None:
        await self._drop_passages(ids)
        self._catalogue.forget(ids)
        await self._publish()

    async def _index_again(self, ids: Sequence[str]) -> None:
        # One that is damaged stays pending, and keeps no other from going in.
        records = self._catalogue.sound_records(ids).records
        cuts = await asyncio.to_thread(lambda: [_cut(record.document(), record.hash) for record in records.values()])
        await self._index(cuts, set(ids))

    async def _audit(self) -> None:
        """Mend what a power failure may have left, when of two writes in a row only the later reached the disk."""
        if await self._passages.count() != self._catalogue.counts().passages:
            wrong, strange = await self._differences()
            self._catalogue.mark(wrong, "pending")
            await self._drop_passages(strange)

    async def verify(self) -> list[str]:
        """Ids of documents whose passages are not in the search tables exactly once, and as the catalogue has them."""
        self._refresh()
        wrong, strange = await self._differences()
        return sorted({*wrong, *strange})

    async def damaged(self) -> list[str]:
        """Ids of documents whose words in the catalogue are no longer what was stored."""

        def look() -> list[str]:
            parts = _batches(sorted(self._catalogue.hashes()))
            return [id for ids in parts for id in self._catalogue.sound_records(ids).damaged]

        return await asyncio.to_thread(look)

    async def _differences(self) -> tuple[set[str], set[str]]:
        """(documents with other passages than the catalogue says, documents with passages that it does not know)."""
        expected, present = self._catalogue.expected(), await self._passages.documents()
        wrong = {id for id, passages in expected.items() if passages[1] and present.get(id) != passages}
        unsettled = {*self._catalogue.unsettled("pending"), *self._catalogue.unsettled("removing")}
        return wrong, present.keys() - expected.keys() - unsettled

    async def _publish(self) -> None:
        self._catalogue.publish(await self._vectors.count())

    async def maintain(self) -> None:
        """Finish what was begun, and put the search tables in order when enough rows have changed."""
        async with self._writing:
            await self._settle()
            await self._tidy()

    async def _index_words(self, tell: Tell) -> None:
        loop = asyncio.get_running_loop()

        def told(event: Event) -> None:
            loop.call_soon_threadsafe(tell, event)

        try:
            await asyncio.to_thread(self._words.update, told)
        except SourceError:
            # Everything is in and can be searched; whoever needs the words tries again, and is told why he cannot.
            return

    async def _tidy(self) -> None:
        if await self._passages.maintain():
            await self._vectors.maintain()
            await self._publish()

    async def rebuild(self) -> None:
        """Make the search tables again from the catalogue; vectors that can still be read are kept.

        Raises Refused, when all others can be searched, for documents that are damaged.
        """
        async with self._writing:
            try:
                await self._remake()
            except Refused:
                # The passages are new: what cannot be read are the vectors.
                self._vectors.drop()
                await self._remake()
            if left := self._catalogue.unsettled("pending"):
                raise Refused(f"{self.folder}: all is searched again but {damage_told(self.name, left)}.")

    async def _remake(self) -> None:
        self._passages.drop()
        self._words.forget()
        self._audited = True
        self._catalogue.mark(self._catalogue.expected().keys(), "pending")
        await self._publish()
        await self._settle()
        await self._tidy()
        await self._index_words(unheard)

    async def embed(self, tell: Tell = unheard) -> int:
        """Compute the vectors that are missing, with this encoder; how many. Saved as it goes, so it can be stopped.

        A library whose vectors are another encoder's loses them first.
        """
        if not self.encoder:
            raise SettingsError(f"The library {self.name} was opened without an encoder: set one to compute vectors.")
        async with self._writing:
            await self._settle()
            if self._catalogue.settings().encoder != self.encoder.name:
                self._vectors.drop()
                self._catalogue.set_encoder(self.encoder.name)
        embedding = Embedding(self._passages, self._vectors, self.encoder, self._keep, tell)
        while await embedding.once():
            pass
        async with self._writing:
            await self._vectors.maintain()
            await self._publish()
            await self._index_words(tell)
        return embedding.computed

    async def _keep(self, passages: pa.Table, vectors: Vectors) -> None:
        """Save vectors, except of passages whose document has changed since they were read."""
        async with self._writing:
            ids = values(passages, "document_id")
            known = self._catalogue.known(set(ids))
            pairs = enumerate(zip(ids, values(passages, "document_hash"), strict=True))
            rows = [row for row, (id, hash) in pairs if id in known and known[id].hash == hash]
            await to_the_end(self._save(passages.take(pa.array(rows, pa.int64())), vectors[rows]))

    async def _save(self, passages: pa.Table, vectors: Vectors) -> None:
        await self._vectors.add(passages, vectors)
        await self._publish()


async def to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Do a short piece of work whole: who cancels it waits until it is done.

    A Lance call that is cancelled may still commit later, behind the back of whoever repeats it.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that nobody warns of it: the catalogue knows what is unfinished
        raise


def _cut(document: Document, hash: int) -> Cut:
    return Cut(document, hash, cut_to_be_found(document))


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
