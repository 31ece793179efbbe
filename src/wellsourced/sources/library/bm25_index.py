"""Passages ranked by their words with BM25, behind filters: a tantivy index beside the catalogue, made from it.

It holds the numbers of passages and none of their words as text. What is committed is there whole or not at all,
whenever the process is killed, and readers in other processes see one commit or another. There is one writer: whoever
writes holds the library's own lock.
"""

import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tantivy
from tantivy import FieldType, Filter, Index, IndexWriter, Occur, Query, Schema, TextAnalyzer, Tokenizer

from wellsourced.errors import NextStep, SourceError, SourceRefused, SourceUnavailable
from wellsourced.sources.library.engines import NewPassage, PassageFilter
from wellsourced.text.lexicon import STOP_WORDS

FOLDER = "passages.tantivy"

MAX_QUERY_WORDS = 256
"""Distinct words of a query that count; the time of a search grows with them."""

EXTRA_WORD_WEIGHT = 0.3
"""How much a further word of a query counts beside one of its own."""

MAX_WORD_LETTERS = 40
"""Longer words are no words: sequences, and addresses."""

WRITER_MEMORY = 64_000_000
"""Bytes of words that wait in memory while a batch is written."""

ANALYZER = "english"


class NumberedScore(NamedTuple):
    """A passage that was found, by its number, and its score; higher is better."""

    score: float
    number: int


class Bm25Index:
    """The index of one library. Reading it before it was made finds nothing; the first rows make it.

    Its methods may run in any thread. Raises SourceRefused when it is damaged, SourceUnavailable when it cannot be
    written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / FOLDER
        self._index: Index | None = None
        self._is_stale = False
        self._writer: IndexWriter | None = None
        self._thread_lock = threading.Lock()

    def close(self) -> None:
        """Let go of it; the files that are being joined are waited for."""
        with self._thread_lock:
            if self._writer:
                with self._explain_errors("written"):
                    self._writer.wait_merging_threads()
            self._writer = self._index = None

    def refresh(self) -> None:
        self._is_stale = True

    def drop(self) -> None:
        """Delete it, also one that cannot be opened."""
        with self._thread_lock:
            self._writer = self._index = None
            shutil.rmtree(self._path, ignore_errors=True)

    def count(self) -> int:
        index = self._open()
        return index.searcher().num_docs if index else 0

    def find_numbers(self) -> set[int]:
        index = self._open()
        if not index or not index.searcher().num_docs:
            return set()
        with self._explain_errors("read"):
            return {number for _, number in _search(index, Query.all_query(), index.searcher().num_docs)}

    def search(self, text: str, also: str, wanted: PassageFilter, limit: int) -> list[NumberedScore]:
        """The best passages, best first. The texts are words, never a syntax; of `also` they count for less."""
        index, weights = self._open(), weigh_words(text, also)
        if not index or not weights:
            return []
        with self._explain_errors("read"):
            return _search(index, _build_query(index.schema, weights, wanted), limit)

    def replace(self, document_ids: Collection[str], passages: Iterable[NewPassage], numbers: Iterable[int]) -> None:
        """Store passages in place of those that these documents have; all of it or nothing."""
        with self._thread_lock, self._explain_errors("written"):
            writer = self._open_writer()
            try:
                for id in document_ids:
                    writer.delete_documents_by_term("document_id", id)
                for passage, number in zip(passages, numbers, strict=True):
                    writer.add_document(_build_document(passage, number))
                writer.commit()
            except BaseException:
                # What waits in it must not come in with the next batch.
                self._writer = None
                raise
            self._is_stale = True

    def _open(self) -> Index | None:
        with self._thread_lock:
            if self._is_stale:
                self._index, self._is_stale = self._reload(), False
            if self._index is None and self._path.is_dir():
                with self._explain_errors("read"):
                    self._index = _open_index(self._path)
            return self._index

    def _reload(self) -> Index | None:
        """The open index as it is now; None where it has to be opened anew: a copy, or one in the place of another."""
        try:
            if self._index:
                self._index.reload()
        except ValueError:
            return None
        return self._index

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            if not self._path.is_dir():
                # It is there whole or not at all.
                raw = self._path.with_name(f"new-{self._path.name}")
                shutil.rmtree(raw, ignore_errors=True)
                raw.mkdir()
                Index(_schema(), path=str(raw))
                raw.rename(self._path)
            self._writer = _open_index(self._path).writer(WRITER_MEMORY, 1)
        return self._writer

    @contextmanager
    def _explain_errors(self, how: str) -> Iterator[None]:
        """tantivy's errors in words for the owner of the library; `how` is what is done to it: read, written."""
        try:
            yield
        except SourceError:
            raise
        except BaseException as error:
            # A fault inside of tantivy is no Exception to Python.
            if not isinstance(error, (OSError, ValueError)) and type(error).__name__ != "PanicException":
                raise
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
            step = NextStep("rebuild library", self._folder.name)
            if how == "written":
                message = f"{self._path} cannot be written ({reason}). No document is lost. Check the free disk space."
                raise SourceUnavailable(message, next_step=step) from error
            message = f"{self._folder}: the search index is damaged ({reason}). No document is lost."
            raise SourceRefused(message, next_step=step) from error


def _search(index: Index, query: Query, limit: int) -> list[NumberedScore]:
    searcher = index.searcher()
    hits = searcher.search(query, limit, count=False).hits
    numbers = searcher.fast_field_values("number", [address for _, address in hits])
    return [NumberedScore(score, int(number or 0)) for (score, _), number in zip(hits, numbers, strict=True)]


def weigh_words(text: str, also: str) -> dict[str, float]:
    """The words of a query as every index has them, and how much each counts."""
    weights: dict[str, float] = defaultdict(float)
    for words, weight in ((text, 1.0), (also, EXTRA_WORD_WEIGHT)):
        distinct = " ".join(list(dict.fromkeys(words.split()))[:MAX_QUERY_WORDS])
        for word in set(analyze_words(distinct)):
            weights[word] += weight
    return weights


def analyze_words(text: str) -> list[str]:
    """The words of a text as every index has them: in lower case, stemmed, without those that say nothing."""
    words: list[str] = _analyzer().analyze(text.encode(errors="replace").decode())
    return words


def _build_query(schema: Schema, weights: dict[str, float], wanted: PassageFilter) -> Query:
    words = [
        (Occur.Should, Query.boost_query(Query.term_query(schema, "searched", word, "freq"), weight))
        for word, weight in weights.items()
    ]
    filters = list(_build_filters(schema, wanted))
    if not filters and not wanted.exclude:
        return Query.boolean_query(words)
    parts = [(Occur.Must, Query.boolean_query(words))]
    parts += [(Occur.Must, Query.const_score_query(part, 0.0)) for part in filters]
    if wanted.exclude:
        parts.append((Occur.MustNot, Query.term_set_query(schema, "document_id", wanted.exclude)))
    return Query.boolean_query(parts)


def _build_filters(schema: Schema, wanted: PassageFilter) -> Iterator[Query]:
    if period := wanted.period:
        yield Query.range_query(schema, "latest", FieldType.Integer, lower_bound=period.earliest)
        yield Query.range_query(schema, "earliest", FieldType.Integer, upper_bound=period.latest)
    if wanted.only:
        yield Query.term_set_query(schema, "document_id", wanted.only)


def _build_document(passage: NewPassage, number: int) -> tantivy.Document:
    return tantivy.Document(
        number=number,
        document_id=passage.document_id,
        earliest=passage.days.earliest,
        latest=passage.days.latest,
        searched=passage.searched,
    )


@cache
def _schema() -> Schema:
    built = tantivy.SchemaBuilder()
    for name in ("number", "earliest", "latest"):
        built.add_integer_field(name, fast=True)
    built.add_text_field("document_id", tokenizer_name="raw", index_option="basic")
    # Without positions: nobody asks it for phrases, and they would double it.
    built.add_text_field("searched", tokenizer_name=ANALYZER, index_option="freq")
    return built.build()


@cache
def _analyzer() -> TextAnalyzer:
    """Words in lower case, without accents, stemmed (Snowball), without those that say nothing."""
    built = tantivy.TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(MAX_WORD_LETTERS + 1))
    built = built.filter(Filter.lowercase()).filter(Filter.custom_stopword(sorted(STOP_WORDS)))
    return built.filter(Filter.stemmer("english")).filter(Filter.ascii_fold()).build()


def _open_index(path: Path) -> Index:
    try:
        index = Index.open(str(path))
    except ValueError as error:
        if "Lockfile" not in str(error):
            raise
        index = _open_copy(path)
    index.register_tokenizer(ANALYZER, _analyzer())
    return index


def _open_copy(path: Path) -> Index:
    """An index where nothing may be written, which tantivy refuses; what is open of a copy outlives its files.

    tantivy locks the folder from a thread of its own, perhaps while it is removed: then an empty folder is left.
    """
    with tempfile.TemporaryDirectory(prefix="wellsourced-", ignore_cleanup_errors=True) as folder:
        try:
            for file in path.iterdir():
                if file.suffix != ".lock":
                    shutil.copyfile(file, Path(folder) / file.name)
        except OSError as error:
            reason = f"is on a read-only disk and cannot be copied to {folder} ({error.strerror})"
            raise SourceRefused(f"{path} {reason}. Free space there, or make its folder writable.") from error
        return Index.open(folder)
