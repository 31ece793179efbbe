"""What the word index says while one looks: sets of documents, as masks over their numbers, and words with counts."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wellsourced.storage.sqlite_database import JSON_VALUES, json_list
from wellsourced.text.dates import DayRange

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
