"""The tables of the word index, and how they are read.

Words, headings and qualifiers are in FTS5, so that a query of any of these is one expression. A document has a number
there. Which numbers are still a document's, and its days, are arrays, stored in blocks: a search needs them of all that
it finds, and a row for each would be a million rows.
"""

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wellsourced.sources.library.documents import DocumentChange
from wellsourced.sources.library.word_index.entries import SEPARATOR, WORD_FIELDS, HeadingTag
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list, sqlite_transaction
from wellsourced.text.dates import DayRange

FORMAT = 3
"""Raised whenever what is kept changes: the index is made again."""

BLOCK = 4_096
"""Documents of a block."""

NO_HEADING = "\ue003"
"""The word of a document that has no heading. Like SEPARATOR it is in no script, and nobody can ask for it."""

TABLES = ("state", "documents", "blocks", "identities", "headings", "tags", "vocabulary", "words")

SCHEMA = (
    # `change`, `changed_id`: the change of the catalogue that was taken over last, and of which document it was.
    # `epoch` grows when everything is forgotten. `next` is the number of the next document: a number that was lost is
    # not given again while its words are here.
    "CREATE TABLE state (epoch INTEGER NOT NULL, change INTEGER NOT NULL, changed_id TEXT NOT NULL,"
    " next INTEGER NOT NULL, documents INTEGER NOT NULL, untagged INTEGER NOT NULL, undated INTEGER NOT NULL)",
    "INSERT INTO state VALUES (0, 0, '', 0, 0, 0, 0)",
    "CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash INTEGER NOT NULL,"
    " tagged INTEGER NOT NULL, dated INTEGER NOT NULL)",
    # `change`: after which it was written last.
    "CREATE TABLE blocks (block INTEGER PRIMARY KEY, change INTEGER NOT NULL, live BLOB NOT NULL,"
    " earliest BLOB NOT NULL, latest BLOB NOT NULL)",
    "CREATE INDEX blocks_by_change ON blocks (change)",
    "CREATE TABLE identities (identity TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (identity, number))"
    " WITHOUT ROWID",
    # Without `columnsize` it is smaller: what it finds is never ranked here.
    f"CREATE VIRTUAL TABLE words USING fts5 ({', '.join(WORD_FIELDS)}, tags, content = '', columnsize = 0,"
    " tokenize = 'unicode61 remove_diacritics 2')",
    # Bytes of words that wait in memory: with the 1 MB that is usual, a third of the time goes into merging.
    "INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row')",
    f"PRAGMA user_version = {FORMAT}",
)


def prepare_tables(sql: sqlite3.Connection) -> None:
    """Make the tables where there are none of this format."""
    # Looked at without a lock first: nearly always there is nothing to do.
    if _read_format(sql) == FORMAT:
        return
    with sqlite_transaction(sql):
        # Another process may have been faster.
        if _read_format(sql) != FORMAT:
            for table in TABLES:
                sql.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in SCHEMA:
                sql.execute(statement)


def clear_tables(sql: sqlite3.Connection) -> None:
    """Forget everything, and give numbers from the first again."""
    for table in ("documents", "blocks", "identities"):
        sql.execute(f"DELETE FROM {table}")  # noqa: S608
    sql.execute("INSERT INTO words (words) VALUES ('delete-all')")
    sql.execute(
        "UPDATE state SET epoch = epoch + 1, change = 0, changed_id = '', next = 0, documents = 0, untagged = 0,"
        " undated = 0"
    )


def _read_format(sql: sqlite3.Connection) -> object:
    return sql.execute("PRAGMA user_version").fetchone()[0]


class IndexState(NamedTuple):
    """The row of `state`."""

    epoch: int
    change: int
    changed_id: str
    next: int
    documents: int
    untagged: int
    undated: int

    @property
    def last_change(self) -> DocumentChange:
        """The change of the catalogue that was taken over last."""
        return DocumentChange(self.change, self.changed_id)

    @classmethod
    def read(cls, sql: sqlite3.Connection) -> "IndexState":
        return cls(*sql.execute(f"SELECT {', '.join(cls._fields)} FROM state").fetchone())  # noqa: S608

    def write(self, sql: sqlite3.Connection) -> None:
        sql.execute(f"UPDATE state SET {', '.join(f'{name} = ?' for name in self._fields)}", self)  # noqa: S608


class IndexedDocument(NamedTuple):
    """A row of `documents`: whether it has headings, and a date, besides."""

    number: int
    hash: int
    tagged: bool
    dated: bool


def find_indexed(sql: sqlite3.Connection, ids: Collection[str]) -> dict[str, IndexedDocument]:
    """Those of these documents that are indexed, by their ids."""
    rows = sql.execute(
        f"SELECT id, number, hash, tagged, dated FROM documents WHERE id IN {JSON_VALUES}",  # noqa: S608
        json_list(ids),
    )
    return {id: IndexedDocument(number, hash, bool(tagged), bool(dated)) for id, number, hash, tagged, dated in rows}


def tag_words(tags: Iterable[HeadingTag]) -> str:
    """The headings of a document as words that nobody can write: each of its own, with its qualifier behind it."""
    return " ".join(map(_tag_words, tags)) or NO_HEADING


@lru_cache(maxsize=1 << 15)
def _tag_words(tag: HeadingTag) -> str:
    return f"{_tag_word(tag.heading)} {_qualifier_word(tag.qualifier)}"


def heading_phrases(heading: str, qualifiers: Collection[str]) -> list[str]:
    """What matches a heading, and any of these qualifiers under it, if there are any; as `fold_words` writes them."""
    word = _tag_word(heading)
    return [f'"{word} {_qualifier_word(one)}"' for one in qualifiers] if qualifiers else [f'"{word}"']


def qualifier_phrase(qualifier: str) -> str:
    """What matches a qualifier under whatever heading."""
    return f'"{_qualifier_word(qualifier)}"'


def _tag_word(heading: str) -> str:
    # A digest, since a heading is several words, and signs among them that the tokenizer may split at.
    return "\ue001" + blake2b(heading.encode(errors="replace"), digest_size=8).hexdigest()


def _qualifier_word(qualifier: str) -> str:
    if not qualifier:
        return SEPARATOR
    return "\ue002" + blake2b(qualifier.encode(errors="replace"), digest_size=8).hexdigest()


Mask = npt.NDArray[np.bool_]
"""bool (n,): whether each document, by its number, is in a set; n is the same for all sets of one reading."""

Days = npt.NDArray[np.int32]

KINDS = (np.dtype(np.bool_), np.dtype("<i4"), np.dtype("<i4"))
"""Of what a block holds: which numbers are documents, and the ends of their days."""


def write_blocks(sql: sqlite3.Connection, change: int, days: Mapping[int, DayRange | None]) -> None:
    """Write what has become of these numbers after a change: their days, or None for those that are lost."""
    for block, numbers in groupby(sorted(days), key=lambda number: number // BLOCK):
        found = sql.execute("SELECT live, earliest, latest FROM blocks WHERE block = ?", (block,)).fetchone()
        live, earliest, latest = (
            np.frombuffer(blob, kind).copy()
            for blob, kind in zip(found or (bytes(BLOCK), bytes(4 * BLOCK), bytes(4 * BLOCK)), KINDS, strict=True)
        )
        for number in numbers:
            its = days[number]
            live[number % BLOCK] = its is not None
            earliest[number % BLOCK], latest[number % BLOCK] = its or (0, 0)
        row = (block, change, live.tobytes(), earliest.tobytes(), latest.tobytes())
        sql.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)", row)


class IndexedDocuments:
    """What sets are made of beside words, by the numbers of the documents.

    epoch              of the index, as `state` has it
    live               numbers that are not lost
    earliest, latest   the days of publication as yyyymmdd
    """

    def __init__(self, epoch: int) -> None:
        self.epoch, self.change = epoch, -1
        self.live: Mask = np.zeros(0, np.bool_)
        self.earliest: Days = np.zeros(0, np.int32)
        self.latest: Days = np.zeros(0, np.int32)

    def load(self, sql: sqlite3.Connection, state: IndexState) -> None:
        """Read the blocks that were written since, in the same epoch."""
        if state.change == self.change:
            return
        more = -(-state.next // BLOCK) * BLOCK - len(self.live)
        self.live = np.pad(self.live, (0, more))
        self.earliest, self.latest = np.pad(self.earliest, (0, more)), np.pad(self.latest, (0, more))
        rows = sql.execute("SELECT block, live, earliest, latest FROM blocks WHERE change > ?", (self.change,))
        for block, *blobs in rows:
            place = slice(block * BLOCK, (block + 1) * BLOCK)
            self.live[place], self.earliest[place], self.latest[place] = map(np.frombuffer, blobs, KINDS)
        self.change = state.change


class WordIndexReader:
    """The index inside of one transaction."""

    def __init__(self, sql: sqlite3.Connection, state: IndexState, documents: IndexedDocuments) -> None:
        self._sql, self.state, self.documents = sql, state, documents

    def find_matching(self, expression: str) -> Mask:
        """Documents that match an expression of FTS5; "" matches none."""
        # FTS5 takes an expression of nothing for a fault.
        return (
            self._find_rows("SELECT rowid FROM words WHERE words MATCH ?", (expression,)) if expression else self.none()
        )

    def none(self) -> Mask:
        """No document."""
        return np.zeros(len(self.documents.live), np.bool_)

    def find_by_identities(self, identities: Collection[str]) -> Mask:
        return self._find_rows(
            f"SELECT number FROM identities WHERE identity IN {JSON_VALUES}",  # noqa: S608
            json_list(identities),
        )

    def find_by_ids(self, ids: Collection[str]) -> Mask:
        """The documents of these very ids."""
        return self._find_rows(f"SELECT number FROM documents WHERE id IN {JSON_VALUES}", json_list(ids))  # noqa: S608

    def find_in_period(self, period: DayRange) -> Mask:
        """Documents that may have been published in this period."""
        return (self.documents.latest >= period.earliest) & (self.documents.earliest <= period.latest)

    def newest_ids(self, wanted: Mask, limit: int) -> list[str]:
        """At most so many documents of a set, newest first, then in the order of their ids."""
        numbers = np.flatnonzero(wanted)
        latest = self.documents.latest[numbers]
        if limit < 1:
            return []
        if limit < len(numbers):
            # The day at the edge of the list: of the documents of that day, the ids decide.
            edge = np.partition(latest, len(latest) - limit)[len(latest) - limit]
            numbers, latest = numbers[latest >= edge], latest[latest >= edge]
        days = dict(zip(numbers.tolist(), latest.tolist(), strict=True))
        rows = self._sql.execute(
            f"SELECT number, id FROM documents WHERE number IN {JSON_VALUES}",  # noqa: S608
            json_list(days),
        )
        return [id for _, id in sorted((-days[number], id) for number, id in rows)[:limit]]

    def words_like(self, beginnings: Collection[str], pattern: str = "") -> Iterator[tuple[str, int]]:
        """As boolean.LibraryWords; the words of one beginning in their order."""
        meant = re.compile(pattern) if pattern else None
        for beginning in beginnings:
            # The last character that there is: the range holds every word with this beginning, by the index and not by
            # LIKE.
            ends = (beginning, beginning + "\U0010ffff")
            for word, count in self._sql.execute("SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?", ends):
                if not meant or meant.fullmatch(word):
                    yield word, count

    def count_documents(self, words: Collection[str]) -> dict[str, int]:
        """In how many documents each of these words stands; those that stand in none are left out."""
        rows = self._sql.execute(f"SELECT term, doc FROM vocabulary WHERE term IN {JSON_VALUES}", json_list(words))  # noqa: S608
        return dict(rows)

    def _find_rows(self, sql: str, parameters: Sequence[object]) -> Mask:
        rows: Iterable[tuple[int]] = self._sql.execute(sql, parameters).fetchall()
        found = self.none()
        found[np.fromiter(chain.from_iterable(rows), np.int64)] = True
        return found
