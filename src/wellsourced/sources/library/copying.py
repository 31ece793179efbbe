"""A library copied into another, or moved to another engine, from any engine to any: documents as they are stored, and
their vectors.

It goes by what the other lacks, so that what was stopped at any moment is gone on with by doing it again.
"""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from wellsourced.errors import SourceRefused
from wellsourced.events import Emit, Progress
from wellsourced.expected_questions.bank import PACKED_FILE, ROWS_FILE
from wellsourced.expected_questions.bank import VECTORS_FILE as QUESTION_VECTORS_FILE
from wellsourced.sources.base import CopiedLibrary
from wellsourced.sources.library.documents import DocumentState, DocumentStore, StoredDocument
from wellsourced.sources.library.engines import IndexedPassage, PassageFilter, PassageFinder, cut_document
from wellsourced.sources.library.hybrid_search import name_documents
from wellsourced.sources.library.upkeep import BATCH_DOCUMENTS, IndexUpkeep, run_to_completion

BATCH_VECTORS = 2_000
"""Vectors that are carried over at a time."""

COMPARED_DOCUMENTS = 20
"""Documents by whose first words, and first vector, both libraries are searched in the end."""

COMPARED_PLACES = 10
"""Places of each search that are compared."""

QUERY_WORDS = 8
"""First words of a document by which it is looked for."""


class LibraryCopy:
    """One copy, from a catalogue and its engine to those of the library that is being written.

    Of a library that moves, both catalogues are the same one, and only the engines are two.
    """

    def __init__(self, catalogue: DocumentStore, engine: PassageFinder, to: IndexUpkeep, emit: Emit) -> None:
        self._catalogue, self._engine, self._to, self._emit = catalogue, engine, to, emit
        self._documents = self._present = self._vectors = 0
        self._damaged: list[str] = []

    async def copy(self) -> CopiedLibrary:
        """Copy what the other lacks. Raises SourceRefused where the other holds documents that this one does not."""
        if strangers := await asyncio.to_thread(self._find_strangers):
            names = self._to.catalogue.folder.name, self._catalogue.folder.name
            message = f"{names[0]} holds documents that {names[1]} does not: {name_documents(strangers)}."
            raise SourceRefused(f"{message} Copy to another library, or remove them.")
        await self._copy_documents()
        await self._carry_vectors()
        await self._to.publish_changes()
        self._to.catalogue.manifest.copy_rows(self._catalogue.manifest)
        for name in (ROWS_FILE, PACKED_FILE, QUESTION_VECTORS_FILE):
            with suppress(FileNotFoundError):
                shutil.copyfile(self._catalogue.folder / name, self._to.catalogue.folder / name)
        return await self._verify()

    async def move(self) -> CopiedLibrary:
        """Index what the other engine lacks of this catalogue's documents. Nobody is told of it yet."""
        await self._to.engine.prepare()
        present = await self._to.engine.count_by_document()
        after, done, total = "", 0, self._catalogue.counts().documents
        while states := await asyncio.to_thread(self._catalogue.list_states, after, BATCH_DOCUMENTS):
            after, done = [*states][-1], done + len(states)
            wanted = {id: (state.hash, state.passages) for id, state in states.items()}
            missing = [id for id, counts in wanted.items() if present.pop(id, (counts[0], 0)) != counts]
            if missing:
                await run_to_completion(self._index(missing))
            self._present += len(states) - len(missing)
            self._emit(Progress(task="copying", done=done, total=total, unit="documents"))
        if present:
            await self._to.engine.replace(present.keys(), ())
        await self._carry_vectors()
        return await self._verify()

    async def _index(self, ids: Sequence[str]) -> None:
        records, damaged = await asyncio.to_thread(self._catalogue.load_documents, ids)
        cuts = await asyncio.to_thread(lambda: [cut_document(one.to_document(), one.hash) for one in records.values()])
        await self._to.engine.replace(ids, [passage for passages in cuts for passage in passages])
        self._documents += len(records)
        self._damaged += damaged

    def _find_strangers(self) -> list[str]:
        """Documents of the other that are not here."""
        after, strangers = "", list[str]()
        while states := self._to.catalogue.list_states(after, BATCH_DOCUMENTS):
            after = [*states][-1]
            strangers += sorted(states.keys() - self._catalogue.find_states(states.keys()).keys())
        return strangers

    async def _copy_documents(self) -> None:
        after, done, total = "", 0, self._catalogue.counts().documents
        while states := await asyncio.to_thread(self._catalogue.list_states, after, BATCH_DOCUMENTS):
            after, done = [*states][-1], done + len(states)
            changed = _find_changed(states, self._to.catalogue)
            if changed:
                await run_to_completion(self._store({id: states[id].file for id in changed}))
            self._present += len(states) - len(changed)
            self._emit(Progress(task="copying", done=done, total=total, unit="documents"))

    async def _store(self, files: Mapping[str, str]) -> None:
        """Store documents, in place of those of their ids; `files` are the files that they are from."""
        before = self._to.catalogue.find_states(files.keys()).keys()
        records, damaged = await asyncio.to_thread(self._catalogue.load_documents, files.keys())
        documents = {id: record.to_document() for id, record in records.items()}
        cuts = await asyncio.to_thread(lambda: {id: cut_document(documents[id], records[id].hash) for id in records})
        self._to.catalogue.store_documents(
            (record, len(cuts[id]), documents[id].reference.year, files[id]) for id, record in records.items()
        )
        await self._to.index_passages(cuts, before)
        self._documents += len(records)
        self._damaged += damaged

    async def _carry_vectors(self) -> None:
        """Give passages the vectors that they have here, where the other's are, or may be, of the same encoder."""
        encoder, other = self._catalogue.settings().encoder, self._to.catalogue.settings()
        if encoder != other.encoder:
            if not encoder or (await self._to.engine.count()).vectors:
                return
            await self._to.engine.drop_vectors(encoder)
            self._to.catalogue.set_encoder(encoder)
        total, last = (await self._engine.count()).vectors, None
        while missing := await self._to.engine.list_unencoded(last, BATCH_VECTORS):
            last = missing[-1]
            # By their ids: the other engine's numbers say nothing to this one.
            vectors = await self._engine.load_vectors([IndexedPassage(*passage[:2]) for passage in missing])
            known = [passage for passage in missing if passage.id in vectors]
            if known:
                rows = np.stack([vectors[passage.id] for passage in known])
                await run_to_completion(self._to.engine.add_vectors(known, rows))
            self._vectors += len(known)
            self._emit(Progress(task="copying", done=self._vectors, total=total, unit="passages"))

    async def _verify(self) -> CopiedLibrary:
        same, places = await self._compare_searches()
        counts, expected = await self._to.engine.count(), self._to.catalogue.count_pending()
        return CopiedLibrary(
            documents=self._documents,
            present=self._present,
            passages=counts.passages,
            vectors=self._vectors,
            embedded=counts.vectors,
            damaged=tuple(self._damaged),
            differing=tuple(await asyncio.to_thread(self._find_differing)),
            lost=abs(expected.passages - counts.passages),
            places=places,
            same=same,
        )

    def _find_differing(self) -> list[str]:
        """Documents that are not the same in both, but for those that are damaged here."""
        after, differing = "", self._find_strangers()
        while states := self._catalogue.list_states(after, BATCH_DOCUMENTS):
            after = [*states][-1]
            differing += _find_changed(states, self._to.catalogue)
        return [id for id in differing if id not in self._damaged]

    async def _compare_searches(self) -> tuple[int, int]:
        """(places in which both engines found the same, places compared), by words and by vectors that both have."""
        self._to.engine.refresh()
        same = places = 0
        for record in self._catalogue.sample_documents(COMPARED_DOCUMENTS):
            if not record.is_sound:
                continue
            words = " ".join(record.text.split()[:QUERY_WORDS])
            vectors = await self._load_first_vector(record)
            rankings = []
            for engine in (self._engine, self._to.engine):
                found = await engine.rank_by_words(words, "", PassageFilter(), COMPARED_PLACES)
                near = [await engine.rank_by_vector(one, PassageFilter(), COMPARED_PLACES) for one in vectors]
                rankings.append([{one.passage.id for one in ranking.passages} for ranking in (found, *near)])
            same += sum(len(here & there) for here, there in zip(*rankings, strict=True))
            places += sum(map(len, rankings[0]))
        return same, places

    async def _load_first_vector(self, record: StoredDocument) -> list[NDArray[np.float32]]:
        """The vector of the first passage of a document, if both engines have it."""
        first = [IndexedPassage(*passage[:2]) for passage in cut_document(record.to_document(), record.hash)[:1]]
        here, there = await self._engine.load_vectors(first), await self._to.engine.load_vectors(first)
        return [here[id] for id in here.keys() & there.keys()]


def _find_changed(states: Mapping[str, DocumentState], other: DocumentStore) -> list[str]:
    """Documents of these states that another catalogue does not have, or has otherwise."""
    known = other.find_states(states.keys())
    return [id for id, state in states.items() if id not in known or known[id].hash != state.hash]
