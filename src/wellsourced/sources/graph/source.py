"""The graph as a source, a thesaurus and a list of headings: a term finds a concept, and its facts are read."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.events import Emit, IngestionCompleted, ignore_event
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.graph import file_ingestion as adding
from wellsourced.sources.graph.concept_lookup import ConceptLookup, ConceptMatch, GraphMesh
from wellsourced.sources.graph.concept_page import ConceptFact, ConceptPage
from wellsourced.sources.graph.concept_store import ConceptStore
from wellsourced.sources.graph.file_ingestion import GraphBuilder
from wellsourced.storage.private_files import WriterLock, make_missing_folders
from wellsourced.text.dates import is_eligible
from wellsourced.text.tokens import content_stems
from wellsourced.types import Document, Hit, Passage, Query

MAX_FACTS = 10
"""Facts of one concept, besides its definition and its names, that a search brings up."""

MAX_JUDGED_FACTS = 200
"""Facts of one concept that the judge sees: those that share most words with the query."""

T = TypeVar("T")


class Graph:
    """The concepts, names and relations of one SQLite file; made when there is none and it is to be written.

    judge   ranks facts by how likely they answer the query; without one, shared words do

    Raises NotFoundError when there is none, SourceUnavailable when another process is writing and `write` is asked
    for, SourceRefused when the file is damaged or of another format; then as Source does, and never for what is asked.
    """

    name = "graph"

    def __init__(self, path: Path, write: bool = False, *, judge: Judge | None = None) -> None:
        self.path, self.judge = path, judge
        if write:
            make_missing_folders(path.parent)
        self._lock = WriterLock(path.with_name(f"{path.name}.lock"), f"the graph {path}") if write else None
        try:
            self._store = ConceptStore(path, write=write)
        except BaseException:
            if self._lock:
                self._lock.close()
            raise
        self._lookup = ConceptLookup(self._store)
        self._mesh = GraphMesh(self._lookup)
        self._thread_lock = threading.Lock()

    def close(self) -> None:
        with self._thread_lock:
            self._store.close()
        if self._lock:
            self._lock.close()

    async def describe(self) -> SourceInfo:
        """Concepts count as documents, definitions and relations as passages."""
        held = await self._run_in_turn(self._store.contents)
        years = [int(released[:4]) for released in held.releases]
        first, last = (min(years), max(years)) if years else (0, 0)
        about = f"concepts and their relations: {', '.join(held.vocabularies)}" if held.vocabularies else ""
        return SourceInfo(
            self.name, "graph", held.concepts, held.facts, first=first, last=last, about=about, asks=("term", "text")
        )

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Of each concept that the query names: its definition, the facts that answer best, its other names.

        A `term` query names a concept with each term; in any other, the longest names that stand in it count. Nothing
        is found for a term that nobody knows, nor for an empty one.
        """
        pages = await self._run_in_turn(lambda: self._lookup.build_pages(query)) if limit > 0 else []
        best = [await self._select_passages(query, one) for one in pages if is_eligible(query, one.document.reference)]
        ranked = [passage for part in ("definition", "fact", "names") for ones in best for passage in ones[part]]
        hits = [Hit(passage=passage, score=1 / rank) for rank, passage in enumerate(ranked[:limit], start=1)]
        return SearchResult(hits)

    async def _select_passages(self, query: Query, one: ConceptPage) -> dict[str, list[Passage]]:
        """The first definition, the names, and the facts that answer the query, best first."""
        parts: dict[str, list[ConceptFact]] = {"definition": [], "fact": [], "names": []}
        for fact in one.facts:
            parts[fact.part].append(fact)
        chosen = parts | {"fact": await self._rank_facts(query, one, parts["fact"])}
        shown = {"definition": 1, "fact": MAX_FACTS, "names": 1}
        return {part: [one.fact_passage(fact) for fact in facts[: shown[part]]] for part, facts in chosen.items()}

    async def _rank_facts(self, query: Query, page: ConceptPage, facts: list[ConceptFact]) -> list[ConceptFact]:
        """Facts by how likely they answer; where nothing tells them apart, one of each kind, then the second ones."""
        # The concept's own name is in every line: what else is asked for tells them apart.
        asked = set(content_stems(query.text)) - set(content_stems(page.document.reference.title))
        shared = {fact: len(asked.intersection(content_stems(page.fact_text(fact)))) if asked else 0 for fact in facts}
        likely = sorted(facts, key=lambda fact: (-shared[fact], fact.place, fact.start))[:MAX_JUDGED_FACTS]
        if self.judge is None or not asked or not likely:
            return likely
        scores = await best_claim_scores(self.judge, [query.text], [page.fact_text(fact) for fact in likely])
        return [fact for _, fact in sorted(zip(scores, likely, strict=True), key=lambda pair: -pair[0])]

    async def open(self, document_id: str) -> Document:
        """The document of the concept of this id. Raises NotFoundError."""

        def load_document() -> Document | None:
            entry = next(iter(self._store.find_by_id(document_id)), None)
            return self._lookup.build_page(entry).document if entry and entry.id == document_id else None

        if (document := await self._run_in_turn(load_document)) is None:
            raise NotFoundError(f"{self.name} has no concept {document_id}")
        return document

    async def find(self, term: str) -> ConceptMatch | None:
        """The concept that a term, or an id, names; None when nobody knows it."""
        return await self._run_in_turn(lambda: self._lookup.find(term))

    async def find_synonyms(self, term: str, limit: int = 20) -> list[str]:
        """Other names of the concept that a term names, the preferred one first, joined vocabularies included."""
        return await self._run_in_turn(lambda: self._lookup.find_synonyms(term, limit))

    async def heading(self, term: str) -> str:
        """The MeSH heading that a term names ("heart attack" → "Myocardial Infarction"); "" when none is known.

        Inverted terms and plurals count. Where only other vocabularies are here, in the words of theirs that bears
        the heading's id: it exists, and its own wording is not known.
        """
        return await self._run_in_turn(lambda: self._mesh.heading(term))

    async def explode(self, heading: str) -> list[str]:
        """The heading that a term names, then all that stand below it, the nearest first; [] for what names none."""
        return await self._run_in_turn(lambda: self._mesh.explode(heading))

    async def is_complete(self) -> bool:
        """Whether all of MeSH is here, so that a heading which is not found does not exist."""
        return await self._run_in_turn(self._mesh.is_complete)

    async def add_from(self, path: Path, emit: Emit = ignore_event, *, language: str = "en") -> IngestionCompleted:
        """Add a file of terms, or those directly in a folder; one that has changed replaces what it gave before.

        An unchanged file costs nothing, one that was cut short is gone on with. `language` (ISO 639-1) chooses the
        names of UMLS. What cannot be read is told by FileFailed; everything else goes in. In events and in the
        result, documents are concepts and passages are facts. Raises UnreadableFile for a folder without any such file,
        SourceUnavailable when the disk is full.
        """
        return await adding.add_files(self._open_builder(), self._run_in_turn, path, language, emit)

    def _open_builder(self) -> GraphBuilder:
        if self._lock is None:
            raise SourceRefused(f"The graph {self.path} is open for reading only. Open it with write=True.")
        return GraphBuilder(self._store)

    async def _run_in_turn(self, call: Callable[[], T], /) -> T:
        def in_turn() -> T:
            with self._thread_lock:
                return call()

        return await asyncio.to_thread(in_turn)
