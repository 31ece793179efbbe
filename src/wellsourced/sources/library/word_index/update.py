"""Bringing the word index up to date: what has gone from the catalogue is forgotten, what is new in it is indexed."""

import json
import sqlite3
import time
from collections.abc import Sequence

from wellsourced.errors import SourceRefused
from wellsourced.events import Emit, Progress
from wellsourced.sources.library.store.documents import DocumentStore
from wellsourced.sources.library.store.stored_document import StoredDocument
from wellsourced.sources.library.word_index.entries import WORD_FIELDS, WordIndexEntry, build_entry
from wellsourced.sources.library.word_index.schema import clear_tables
from wellsourced.sources.library.word_index.subjects import SAMPLE_DOCUMENTS, find_subjects
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list

MAX_LOST_SHARE = 0.2
"""Share of numbers that may be lost before the index is made again."""

BATCH_DOCUMENTS = 500
"""Documents that are read, and told of, at a time."""


def update_index(sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
    """Bring the index up to date, in the transaction of the caller."""
    # Read first: what is added to the catalogue meanwhile may be missed here, and will make the index stale again.
    generation = catalogue.generation()
    missing = _find_missing(sql, catalogue.load_hashes())
    _IndexUpdate(sql, catalogue, emit).add(missing)
    about = json.dumps(find_subjects(_sound_sample(catalogue)), ensure_ascii=False)
    sql.execute("UPDATE state SET generation = ?, subjects = ?", (generation, about))


def _sound_sample(catalogue: DocumentStore) -> list[StoredDocument]:
    try:
        return [record for record in catalogue.sample_documents(SAMPLE_DOCUMENTS) if record.is_sound]
    except SourceRefused:
        # Its subjects are a help to who plans a search, and no reason to have none.
        return []


def _find_missing(sql: sqlite3.Connection, now: dict[str, int]) -> list[str]:
    """Ids of the documents that are to be indexed, after those that are gone or have changed lost their numbers."""
    known: dict[str, int] = dict(sql.execute("SELECT id, hash FROM documents"))
    lost = [id for id, hash in known.items() if now.get(id) != hash]
    (given,) = sql.execute("SELECT next FROM state").fetchone()
    # Lost numbers stay in the index of words as dead weight: from a fifth on, making it anew costs less.
    if given - (len(known) - len(lost)) > MAX_LOST_SHARE * given:
        clear_tables(sql)
        return list(now)
    sql.execute(f"DELETE FROM documents WHERE id IN {JSON_VALUES}", json_list(lost))  # noqa: S608
    return [id for id, hash in now.items() if known.get(id) != hash]


class _IndexUpdate:
    """One run: numbers go up from the last that was given."""

    def __init__(self, sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
        self._sql, self._catalogue, self._emit = sql, catalogue, emit
        self._headings: dict[str, int] = {"": 0, **dict(sql.execute("SELECT name, heading FROM headings"))}
        self._next_number: int = sql.execute("SELECT next FROM state").fetchone()[0]
        self._started = time.monotonic()

    def add(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            # What is damaged is found by no word; who verifies the library is told of it.
            records, _ = self._catalogue.load_documents(ids[start : start + BATCH_DOCUMENTS])
            self._insert_entries(
                [build_entry(records[id]) for id in ids[start : start + BATCH_DOCUMENTS] if id in records]
            )
            self._report_progress(min(start + BATCH_DOCUMENTS, len(ids)), len(ids))
        self._sql.execute("UPDATE state SET next = ?", (self._next_number,))

    def _insert_entries(self, entries: Sequence[WordIndexEntry]) -> None:
        numbered = list(enumerate(entries, self._next_number))
        self._next_number += len(entries)
        many = self._sql.executemany
        many(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
            ((number, one.id, one.hash, *one.days, bool(one.tags)) for number, one in numbered),
        )
        many(
            f"INSERT INTO words (rowid, {', '.join(WORD_FIELDS)}) VALUES (?{', ?' * len(WORD_FIELDS)})",  # noqa: S608
            ((number, *one.words) for number, one in numbered),
        )
        many("INSERT INTO identities VALUES (?, ?)", ((name, n) for n, one in numbered for name in one.identities))
        many(
            "INSERT INTO tags VALUES (?, ?, ?)",
            (
                (self._heading_key(t.heading), self._heading_key(t.qualifier), n)
                for n, one in numbered
                for t in one.tags
            ),
        )

    def _heading_key(self, name: str) -> int:
        if name not in self._headings:
            self._headings[name] = len(self._headings)
            self._sql.execute("INSERT INTO headings VALUES (?, ?)", (self._headings[name], name))
        return self._headings[name]

    def _report_progress(self, done: int, total: int) -> None:
        seconds = time.monotonic() - self._started
        rate = done / seconds if seconds > 0 else 0.0
        self._emit(Progress(task="indexing", done=done, total=total, unit="documents", documents=done, rate=rate))
