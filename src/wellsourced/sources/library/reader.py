"""The reading half of a library: its folder and name, what it holds, searching it, opening its documents, counting its
words.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from wellsourced.citations.links import possible_ids
from wellsourced.encoders.base import Encoder
from wellsourced.errors import NextStep, NotFoundError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.expected_questions.bank import QuestionBank, load_bank
from wellsourced.question.vocabulary import Frequencies
from wellsourced.sources.base import FileState, HeadingVocabulary, SearchResult, SourceInfo
from wellsourced.sources.library.documents import CATALOGUE_FILE, LIBRARY_NAME, SHARED_FILE, DocumentStore
from wellsourced.sources.library.engines import PassageFinder
from wellsourced.sources.library.hybrid_search import HybridSearch, describe_damage
from wellsourced.sources.library.selector import (
    DocumentQuery,
    DocumentSelector,
    SelectedDocuments,
    SelectingEngine,
    limit_query,
    read_boolean,
)
from wellsourced.sources.library.shared_catalogues import delete_shared_catalogue
from wellsourced.sources.library.word_index.selection import EmbeddedSelector
from wellsourced.storage.private_files import WriterLock, find_writer_pid
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.passages import cut_index_passages
from wellsourced.text.tokens import tokenize
from wellsourced.text.urls import page_key
from wellsourced.types import Document, Hit, Query, Reference, SourceKind
from wellsourced.worker_pool import run_in_worker


class Backlog(NamedTuple):
    """What cannot be found in a library yet.

    documents   that are stored and are not in the search index
    files       that were named to be read, and were not read to their end
    passages    that the search index lost, or has twice
    writer      who is filling the library: "process 7", "process 7 on ward-3"; "" when nobody is
    """

    documents: int = 0
    files: int = 0
    passages: int = 0
    writer: str = ""

    def __bool__(self) -> bool:
        return bool(self.documents or self.files or self.passages)

    def describe(self) -> str:
        """Return what is missing, in a sentence without a full stop; "" when nothing is."""
        parts = [f"{_format_count(self.documents, 'stored document')} not searchable yet"] if self.documents else []
        parts += [f"{_format_count(self.files, 'file')} not read yet"] if self.files else []
        missing = ", ".join(parts)
        if missing and self.writer:
            return f"{self.writer} is adding files ({missing}); ask again when it has finished"
        if missing:
            return f"the last addition is incomplete: {missing}"
        return f"{_format_count(self.passages, 'passage')} not indexed correctly" if self.passages else ""

    def next_step(self, library: str) -> NextStep | None:
        """Return what to do about it."""
        if self.documents or self.files:
            # Whoever is filling it will be done: adding the files again would only wait for his lock.
            return None if self.writer else NextStep("resume files", library)
        return NextStep("rebuild library", library) if self.passages else None


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


MAX_LISTED_TITLES = 60
"""Documents of a library up to which it names all of them."""

MAX_FILTERED_DOCUMENTS = 1_000
"""Documents to which a ranking is limited beforehand. Of more, the best of all are ranked and the others left out."""

DEPTH_FACTOR = 16
"""How many times as many passages are ranked then as are asked for."""

ADDRESS_PREFIX = "url:"
"""How the id of a web page begins."""


class AddressIndex(NamedTuple):
    """Pages by the key of their address, as the library was at this generation."""

    generation: int
    ids: Mapping[str, str]


def _page_keys(addresses: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(key, id) of each address that is one of the web."""
    for address, id in addresses:
        with suppress(ValueError):
            yield page_key(address), id


LOCK_FILE = "writer.lock"


def list_libraries(root: Path) -> list[str]:
    """The names of the libraries under `root`."""
    found = {path.parent.name for file in (CATALOGUE_FILE, SHARED_FILE) for path in root.glob(f"*/{file}")}
    return sorted(filter(LIBRARY_NAME.fullmatch, found))


def library_folder(root: Path, name: str) -> Path:
    """The folder of the library of that name. Raises NotFoundError, with the nearest names, and SourceRefused."""
    folder = root / validate_name(name)
    if not any((folder / file).is_file() for file in (CATALOGUE_FILE, SHARED_FILE)):
        raise _unknown_library(root, name)
    return folder


def delete_library_folder(root: Path, name: str, database: str = "") -> None:
    """Delete a library with all that it holds, also in the database. Raises NotFoundError, and SourceUnavailable while
    somebody writes it."""
    folder = root / validate_name(name)
    if not folder.is_dir():
        raise _unknown_library(root, name)
    # Nobody may be writing: his next batch would come back as a library without a catalogue.
    lock = WriterLock(folder / LOCK_FILE, f"the library {name}")
    try:
        if (folder / SHARED_FILE).is_file():
            delete_shared_catalogue(folder, database)
        # Out of sight in one step, so that a deletion that is cut short leaves no half of a library.
        aside = root / f".{name}.{os.getpid()}.deleted"
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
    finally:
        lock.close()


def validate_name(name: str) -> str:
    """The name, if it can be a folder's and nothing else's. Raises SourceRefused."""
    if not LIBRARY_NAME.fullmatch(name):
        remedy = "Use up to 64 letters, digits, dots, dashes, underscores and blanks, starting with a letter or digit."
        raise SourceRefused(f"{name[:80]!r} cannot name a library. {remedy}")
    return name


def _unknown_library(root: Path, name: str) -> NotFoundError:
    names = list_libraries(root)
    if not names:
        return NotFoundError(
            f"No library “{name}”; there are none in {root}.", next_step=NextStep("create library", name)
        )
    # A loose cutoff: a wrong name is mostly a library's name with a word left out.
    near = get_close_matches(name, names, n=3, cutoff=0.4) or names[:10]
    message = f"No library “{name}” in {root}. Libraries: {', '.join(near)}."
    return NotFoundError(message, next_step=NextStep("list libraries"))


class LibraryReader:
    """What can be asked of a library, whoever writes it; see Library.

    headings   who knows what stands below a MeSH heading, for Boolean queries; None when nobody does
    questions_folder   where its expected questions lie; those of the guideline digests come with wellsourced
    """

    headings: HeadingVocabulary | None = None

    def __init__(
        self, folder: Path, encoder: Encoder | None, catalogue: DocumentStore, open_engine: Callable[[], PassageFinder]
    ) -> None:
        self.folder, self.encoder, self.questions_folder = folder, encoder, folder
        self._catalogue, self._open_engine = catalogue, open_engine
        try:
            self._engine = open_engine()
        except BaseException:
            catalogue.close()
            raise
        self._selector = self._open_selector()
        self._pages: AddressIndex | None = None
        self._settings = catalogue.settings()
        self._generation = self._settings.generation
        self._hybrid_search = self._build_search()

    def _open_selector(self) -> DocumentSelector:
        if isinstance(self._engine, SelectingEngine):
            return self._engine.open_selector(self._catalogue)
        return EmbeddedSelector(self.folder, self._catalogue.open_again)

    def close(self) -> None:
        self._catalogue.close()
        self._selector.close()
        self._engine.close()

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def engine_host(self) -> str:
        """The machine that finds its passages, "host:port"; "" for this one."""
        return self._engine.host

    @property
    def engine_url(self) -> str:
        """The address of what finds its passages; "" for files beside its catalogue."""
        return self._settings.engine

    @property
    def database(self) -> str:
        """The database that has its catalogue, as its owner calls it; "" for a file of its folder."""
        return self._catalogue.place if self._catalogue.is_shared else ""

    @property
    def kind(self) -> SourceKind:
        return self._settings.kind

    def load_expected_questions(self) -> QuestionBank | None:
        """The questions that it is expected to be asked, with the lines that answer; None where nobody wrote any."""
        return load_bank(self.questions_folder)

    async def describe(self) -> SourceInfo:
        """What it holds now."""
        about, counts = self._catalogue.settings(), self._catalogue.counts()
        return SourceInfo(
            self.name,
            about.kind,
            counts.documents,
            counts.passages,
            about.vectors,
            counts.first,
            counts.last,
            about.about,
            asks=("text", "boolean"),
            titles=self._list_titles(about.kind, counts.documents),
        )

    def _list_titles(self, kind: SourceKind, documents: int) -> tuple[str, ...]:
        """The titles of a small library. Those of a user's own are nobody else's business: they may name a patient."""
        # A large library has too many titles to help who plans a search.
        return self._catalogue.list_titles() if kind != "own" and documents <= MAX_LISTED_TITLES else ()

    async def list_references(self, after: str, limit: int) -> list[Reference]:
        """At most so many references, in the order of their ids, of documents whose ids come after this one."""
        return await run_in_worker(self._catalogue.list_references, after, limit)

    async def backlog(self, *, with_index: bool = True) -> Backlog:
        """What it was given and does not hold yet.

        with_index   also what the search index lost, for which it has to be opened
        """
        self._refresh()
        waiting, pid = self._catalogue.count_pending(), find_writer_pid(self.folder / LOCK_FILE)
        writer = f"process {pid}" if pid else self._catalogue.find_writer()
        # While somebody writes, or was stopped, the index is ahead of the catalogue or behind it for a moment.
        settled = not (writer or waiting.documents or waiting.removals)
        passages = await self._count_lost_passages(waiting.passages) if with_index and settled else 0
        return Backlog(waiting.documents, waiting.files, passages, writer)

    async def _count_lost_passages(self, expected: int) -> int:
        try:
            return abs(expected - (await self._engine.count()).passages)
        except SourceError:
            # Whoever searches is told that it cannot be read.
            return 0

    async def open(self, document_id: str) -> Document:
        """The document of that id, as it was given; of "url:…", the page under whatever spelling of its address.

        The DOI, the PMID and the PMC id of a work lead to its document, however they are written and under whichever
        it is stored; so does the path of a file that holds one document.

        Raises NotFoundError.
        """
        return await run_in_worker(self._load_document, document_id)

    def _load_document(self, document_id: str) -> Document:
        record = self._catalogue.load_document(document_id)
        # Other spellings are looked for last: they need all addresses of the library, which most openings never do.
        if not record and document_id.startswith(ADDRESS_PREFIX):
            # The document whose address is another spelling of this one.
            generation = self._catalogue.generation()
            if self._pages is None or self._pages.generation != generation:
                self._pages = AddressIndex(generation, dict(_page_keys(self._catalogue.load_addresses())))
            ids, named = self._pages.ids, _page_keys([(document_id.removeprefix(ADDRESS_PREFIX), "")])
            id = next((ids[key] for key, _ in named if key in ids), "")
            record = self._catalogue.load_document(id) if id else None
        if not record:
            other = self._catalogue.find_identified(possible_ids(document_id)) or self._find_in_file(document_id)
            record = self._catalogue.load_document(other) if other else None
        if record:
            return record.to_document()
        raise NotFoundError(f"The library {self.name} has no document {document_id}")

    def _find_in_file(self, path: str) -> str:
        """The id of the document of a file; "" where there is no such file, or it holds several."""
        # No path is as long, or has such signs in it.
        with suppress(OSError, ValueError):
            ids = self._catalogue.ids_of_file(str(Path(path).resolve()))
            return ids[0] if len(ids) == 1 else ""
        return ""

    async def find_file(self, document_id: str) -> FileState | None:
        """The file that a document is from, as it was when it was last read; None for one that came by itself."""
        return await run_in_worker(self._find_file, document_id)

    def _find_file(self, document_id: str) -> FileState | None:
        known = self._catalogue.find_states([document_id]).get(document_id)
        return self._catalogue.manifest.file(known.file) if known and known.file else None

    async def search(self, query: Query, limit: int) -> SearchResult:
        """The best passages, by word and, where there are vectors, by meaning; both rankings fused by rank.

        Of a Boolean query, the passages of the documents that match, ranked by its words; those in which no word of
        it stands come last, the newest first. The text of any other query is words: nothing in it is a syntax here.
        Raises BadQuery for a Boolean query that cannot be read.
        """
        is_boolean = query.kind == "boolean"
        # A Boolean query may be of dates alone; any other without a letter would match nothing, and take its time.
        if limit < 1 or not (is_boolean or any(character.isalnum() for character in query.text)):
            return SearchResult([])
        self._refresh()
        clear = self._engine.clear_query(query)
        found = await (self._search_boolean if is_boolean else self._hybrid_search.search)(clear, limit)
        if clear == query:
            return found
        note = f"{self._engine.host} was asked without words that may identify a person"
        return found._replace(notes=(note, *found.notes))

    async def count(self, query: Query) -> int:
        """How many documents match; of a query that is not Boolean, how many hold all its words in whatever form."""
        query = self._selector.clear_query(query)
        if query.kind == "boolean":
            meant, _ = await read_boolean(query, self.headings)
            return (await self._selector.select(meant, 0)).total
        words = {word for word in tokenize(query.text) if word not in STOP_WORDS}
        return await self._selector.count_holding_all(words, limit_query(query))

    async def frequencies(self, words: Collection[str]) -> Frequencies:
        return await self._selector.frequencies(words)

    async def spelled_like(self, word: str, limit: int = 10) -> list[tuple[str, int]]:
        return await self._selector.spelled_like(word, limit)

    async def _search_boolean(self, query: Query, limit: int) -> SearchResult:
        # Whoever finds passages there has cleared it already, and told.
        query = query if self._selector.host == self._engine.host else self._selector.clear_query(query)
        meant, told = await read_boolean(query, self.headings)
        selected = await self._selector.select(meant, max(limit, MAX_FILTERED_DOCUMENTS))
        notes = tuple(dict.fromkeys((*told, *selected.notes)))
        if not selected.ids:
            return SearchResult([], notes)
        ranked = SearchResult([])
        if selected.words:
            text = query.model_copy(update={"kind": "text", "terms": selected.words})
            ranked = await self._rank_selected(text, meant, selected, limit)
        seen = {hit.passage.reference.id for hit in ranked.hits}
        rest = [id for id in selected.ids if id not in seen]
        last = min((hit.score for hit in ranked.hits), default=0.0)
        # Documents that match by their headings may hold none of its words: they are part of the answer, and come last.
        firsts = await run_in_worker(self._first_passages, rest, limit - len(ranked.hits), min(last, 0.0))
        return SearchResult(ranked.hits + firsts.hits, (*notes, *ranked.notes, *firsts.notes))

    async def _rank_selected(
        self, text: Query, meant: DocumentQuery, selected: SelectedDocuments, limit: int
    ) -> SearchResult:
        # A list of ids is part of the filter: with very many, ranking everything and leaving out is faster.
        if selected.total <= MAX_FILTERED_DOCUMENTS:
            return await self._hybrid_search.search(text, limit, selected.ids)
        best = await self._hybrid_search.search(text, limit * DEPTH_FACTOR)
        ids = tuple({hit.passage.reference.id for hit in best.hits})
        matching = set((await self._selector.select(meant._replace(only=ids), len(ids))).ids)
        return best._replace(hits=[hit for hit in best.hits if hit.passage.reference.id in matching][:limit])

    def _first_passages(self, ids: Sequence[str], limit: int, score: float) -> SearchResult:
        hits: list[Hit] = []
        notes: list[str] = []
        for start in range(0, len(ids), max(1, limit)):
            if len(hits) >= limit:
                break
            records, damaged = self._catalogue.load_documents(ids[start : start + limit])
            notes += describe_damage(damaged)
            documents = [records[id].to_document() for id in ids[start : start + limit] if id in records]
            hits += [Hit(passage=passage, score=score) for one in documents for passage in cut_index_passages(one)[:1]]
        return SearchResult(hits[: max(0, limit)], tuple(notes))

    def _refresh(self) -> None:
        if not self.folder.is_dir():
            # What is open of it would go on to answer.
            raise NotFoundError(f"The library {self.name} was deleted, or its folder {self.folder} cannot be reached")
        if not self._catalogue.is_shared and (self.folder / SHARED_FILE).is_file():
            raise SourceUnavailable(f"The library {self.name} was moved to a database. Open it again.")
        generation = self._catalogue.generation()
        if generation != self._generation:
            self._engine.refresh()
            before, self._settings, self._generation = self._settings, self._catalogue.settings(), generation
            if before.engine != self._settings.engine:
                # It was moved. The old engine is not closed: a search may still be at it.
                self._engine = self._open_engine()
                self._selector = self._open_selector()
            self._hybrid_search = self._build_search()

    def count_vectors(self) -> int:
        """Passages that have a vector of its encoder; those of another one cannot be compared."""
        settings = self._catalogue.settings()
        return settings.vectors if self.encoder and self.encoder.name == settings.encoder else 0

    def _build_search(self) -> HybridSearch:
        return HybridSearch(self._catalogue, self._engine, self.encoder, has_vectors=self.count_vectors() > 0)
