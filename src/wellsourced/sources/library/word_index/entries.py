"""The entries of the word index: what is kept of a document, the tables it is kept in, and how they are read."""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wellsourced.citations.links import possible_ids
from wellsourced.citations.people import parse_author
from wellsourced.sources.library.documents import StoredDocument
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list, sqlite_transaction
from wellsourced.text.dates import DayRange, day_range

SEPARATOR = "\ue000"
"""A word of nobody's, for it is in no script: it stands between two headings, so that no phrase reaches across."""

WORD_FIELDS = ("title", "abstract", "heading", "type", "author", "journal")
"""The columns of words. "abstract" is all the text there is of a work, and the digest that stands for it."""


class HeadingTag(NamedTuple):
    """A heading of a document and, where it has one, the qualifier under it; both as `fold_words` writes them."""

    heading: str
    qualifier: str


class WordIndexEntry(NamedTuple):
    """A document in the word index.

    identities   the names it is asked for by, in lower case: "pubmed:31234567", "doi:10.1161/…"
    words        its words, a string for each of WORD_FIELDS
    """

    id: str
    hash: int
    days: DayRange
    identities: frozenset[str]
    tags: frozenset[HeadingTag]
    words: tuple[str, ...]


def build_entry(record: StoredDocument) -> WordIndexEntry:
    """What is kept of a record."""
    card: dict[str, Any] = json.loads(record.reference)
    mesh: list[str] = card.get("mesh", [])
    authors: list[str] = card.get("authors", [])
    tags = frozenset(parse_heading(heading) for heading in mesh)
    return WordIndexEntry(
        record.id,
        record.hash,
        day_range(card.get("published", "")),
        frozenset(_list_identities(record.id, card)),
        tags,
        (
            card.get("title", ""),
            # A digest has the names that a guideline's own text may lack, and is found by them as the text is.
            _join_parts([record.text, record.digest]) if record.digest else record.text,
            _join_parts(part for heading in mesh for part in heading.split("/")),
            _join_parts(card.get("publication_types", [])),
            # "doe a" is found as "doe ann" is: a catalogue is asked for either.
            _join_parts([*authors, *(str(parse_author(one)) for one in authors), card.get("organisation", "")]),
            card.get("journal", ""),
        ),
    )


def parse_heading(heading: str) -> HeadingTag:
    """A heading as it stands in a record: "Asthma", "Asthma/drug therapy"."""
    name, _, qualifier = heading.partition("/")
    return HeadingTag(fold_words(name), fold_words(qualifier))


def fold_words(words: str) -> str:
    """Words to be compared: in lower case, without accents and punctuation, a blank between two."""
    return " ".join(re.findall(r"\w+", strip_accents(words)))


def strip_accents(words: str) -> str:
    """In lower case and without accents, as the tokenizer of the index has them."""
    plain = words.lower()
    # Nearly every word, and taking it apart costs ten times as much as this look.
    if plain.isascii():
        return plain
    parts = unicodedata.normalize("NFD", plain)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


def possible_identities(identity: str) -> tuple[str, ...]:
    """The names by which a document may be meant that was asked for by an id, a PMID, a DOI or a PMC id."""
    return tuple(id.lower() for id in possible_ids(identity))


def _list_identities(id: str, card: dict[str, Any]) -> Iterable[str]:
    yield id.lower()
    for kind, field in (("pubmed", "pmid"), ("doi", "doi"), ("pmc", "pmcid")):
        if card.get(field):
            yield f"{kind}:{card[field]}".lower()


def _join_parts(parts: Iterable[str]) -> str:
    return f" {SEPARATOR} ".join(part for part in parts if part)


FORMAT = 1
"""Raised whenever what is kept changes: the index is made again."""

TABLES = ("state", "documents", "identities", "headings", "tags", "vocabulary", "words")

SCHEMA = (
    # `next` is the number of the next document: a number that was lost is not given again while its words are here.
    "CREATE TABLE state (generation INTEGER NOT NULL, next INTEGER NOT NULL, subjects TEXT NOT NULL)",
    "INSERT INTO state VALUES (-1, 0, '[]')",
    "CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash INTEGER NOT NULL,"
    " earliest INTEGER NOT NULL, latest INTEGER NOT NULL, tagged INTEGER NOT NULL)",
    "CREATE TABLE identities (identity TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (identity, number))"
    " WITHOUT ROWID",
    # Headings and qualifiers, folded (`fold_words`). Of a document without a qualifier under a heading, it is 0.
    "CREATE TABLE headings (heading INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE tags (heading INTEGER NOT NULL, qualifier INTEGER NOT NULL, number INTEGER NOT NULL,"
    " PRIMARY KEY (heading, qualifier, number)) WITHOUT ROWID",
    "CREATE INDEX tags_by_qualifier ON tags (qualifier) WHERE qualifier > 0",
    # Without `columnsize` it is smaller: what it finds is never ranked here.
    f"CREATE VIRTUAL TABLE words USING fts5 ({', '.join(WORD_FIELDS)}, content = '', columnsize = 0,"
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
    for table in ("documents", "identities", "headings", "tags"):
        sql.execute(f"DELETE FROM {table}")  # noqa: S608
    sql.execute("INSERT INTO words (words) VALUES ('delete-all')")
    sql.execute("UPDATE state SET generation = -1, next = 0, subjects = '[]'")


def _read_format(sql: sqlite3.Connection) -> object:
    return sql.execute("PRAGMA user_version").fetchone()[0]


Mask = npt.NDArray[np.bool_]
"""bool (n,): whether each document, by its number, is in a set; n is the number of the next document."""

MAX_EXPRESSIONS = 200
"""Expressions in one MATCH: more would make its tree too deep for SQLite."""

HEADING_NUMBERS_SQL = f"(SELECT heading FROM headings WHERE name IN {JSON_VALUES})"  # noqa: S608
"""The numbers of headings, or qualifiers, by a list of their names."""


class IndexedDocuments(NamedTuple):
    """What sets are made of beside words.

    live               numbers that are not lost
    earliest, latest   int32 (n,): the days of publication as yyyymmdd
    tagged             documents that have headings at all
    """

    generation: int
    live: Mask
    earliest: npt.NDArray[np.int32]
    latest: npt.NDArray[np.int32]
    tagged: Mask

    @classmethod
    def load(cls, sql: sqlite3.Connection, before: "IndexedDocuments | None") -> "IndexedDocuments":
        """The documents as they are now; those of `before`, when nothing has changed since."""
        generation, size = sql.execute("SELECT generation, next FROM state").fetchone()
        # Loading a million rows takes a second, and between two searches mostly nothing has changed.
        if before and (before.generation, len(before.live)) == (generation, size):
            return before
        found = sql.execute("SELECT number, earliest, latest, tagged FROM documents").fetchall()
        table = np.array(found, np.int64).reshape(-1, 4)
        made = cls(generation, *(np.zeros(size, kind) for kind in (np.bool_, np.int32, np.int32, np.bool_)))
        numbers = table[:, 0]
        made.live[numbers] = True
        made.earliest[numbers], made.latest[numbers], made.tagged[numbers] = table[:, 1], table[:, 2], table[:, 3] > 0
        return made


class WordIndexReader:
    """The index inside of one transaction."""

    def __init__(self, sql: sqlite3.Connection, documents: IndexedDocuments) -> None:
        self._sql, self.documents = sql, documents

    def find_matching(self, matches: Collection[str]) -> Mask:
        """Documents that match any of these expressions of FTS5."""
        found, every = np.zeros(len(self.documents.live), np.bool_), list(matches)
        for start in range(0, len(every), MAX_EXPRESSIONS):
            match = " OR ".join(every[start : start + MAX_EXPRESSIONS])
            found |= self._find_rows("SELECT rowid FROM words WHERE words MATCH ?", (match,))
        return found

    def find_by_headings(self, headings: Collection[str], qualifiers: Collection[str] = ()) -> Mask:
        """Documents with any of these folded headings, and with any of these qualifiers under it, if there are any."""
        named = f"heading IN {HEADING_NUMBERS_SQL}" + (f" AND qualifier IN {HEADING_NUMBERS_SQL}" if qualifiers else "")
        lists = [headings, qualifiers] if qualifiers else [headings]
        parameters = [parameter for names in lists for parameter in json_list(names)]
        return self._find_rows(f"SELECT number FROM tags WHERE {named}", parameters)  # noqa: S608

    def find_by_qualifier(self, qualifier: str) -> Mask:
        """Documents with this qualifier, as `fold_words` writes it, under whatever heading."""
        own = "qualifier > 0 AND qualifier = (SELECT heading FROM headings WHERE name = ?)"
        return self._find_rows(f"SELECT number FROM tags WHERE {own}", (qualifier,))  # noqa: S608

    def find_by_identities(self, identities: Collection[str]) -> Mask:
        return self._find_rows(
            f"SELECT number FROM identities WHERE identity IN {JSON_VALUES}",  # noqa: S608
            json_list(identities),
        )

    def find_in_period(self, period: DayRange) -> Mask:
        """Documents that may have been published in this period."""
        return (self.documents.latest >= period.earliest) & (self.documents.earliest <= period.latest)

    def document_ids(self, wanted: Mask) -> list[str]:
        """The documents of a set, newest first, then in the order of their ids."""
        numbers = np.flatnonzero(wanted & self.documents.live).tolist()
        rows = self._sql.execute(
            "SELECT id FROM documents WHERE number IN (SELECT value FROM json_each(?)) ORDER BY latest DESC, id",
            json_list(numbers),
        )
        return [id for (id,) in rows]

    def words_with_prefix(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Words that begin so, and in how many documents each stands, in the order of the words."""
        # The last character that there is: the range holds every word with this beginning, by the index and not by
        # LIKE.
        after = prefix + "\U0010ffff"
        return self._sql.execute("SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?", (prefix, after))

    def count_documents(self, words: Collection[str]) -> dict[str, int]:
        """In how many documents each of these words stands; those that stand in none are left out."""
        rows = self._sql.execute(f"SELECT term, doc FROM vocabulary WHERE term IN {JSON_VALUES}", json_list(words))  # noqa: S608
        return dict(rows)

    def _find_rows(self, sql: str, parameters: Sequence[object]) -> Mask:
        rows: Iterable[tuple[int]] = self._sql.execute(sql, parameters).fetchall()
        found = np.zeros(len(self.documents.live), np.bool_)
        found[np.fromiter(chain.from_iterable(rows), np.int64)] = True
        return found
