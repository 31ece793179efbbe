"""Bringing the word index up to date: what has gone from the catalogue is forgotten, what is new in it is indexed."""

import json
import sqlite3
import time
from collections.abc import Sequence

from wellsourced.errors import Refused
from wellsourced.events import Progress, Tell
from wellsourced.sources.database import MANY, many
from wellsourced.sources.library.catalogue import Catalogue, Record
from wellsourced.sources.library.subjects import SAMPLE, subjects
from wellsourced.sources.library.word_entries import FIELDS, Entry, entry
from wellsourced.sources.library.word_schema import empty

LOST = 0.2
"""Share of numbers that may be lost before the index is made again."""

BATCH = 500
"""Documents that are read, and told of, at a time."""


def fill(sql: sqlite3.Connection, catalogue: Catalogue, tell: Tell) -> None:
    """Bring the index up to date, in the transaction of the caller."""
    # Read first: what is added to the catalogue meanwhile may be missed here, and will make the index stale again.
    generation = catalogue.generation()
    missing = _missing(sql, catalogue.hashes())
    _Filling(sql, catalogue, tell).add(missing)
    about = json.dumps(subjects(_sound_sample(catalogue)), ensure_ascii=False)
    sql.execute("UPDATE state SET generation = ?, subjects = ?", (generation, about))


def _sound_sample(catalogue: Catalogue) -> list[Record]:
    try:
        return [record for record in catalogue.sample(SAMPLE) if record.sound]
    except Refused:
        # Its subjects are a help to who plans a search, and no reason to have none.
        return []


def _missing(sql: sqlite3.Connection, now: dict[str, int]) -> list[str]:
    """Ids of the documents that are to be indexed, after those that are gone or have changed lost their numbers."""
    known: dict[str, int] = dict(sql.execute("SELECT id, hash FROM documents"))
    lost = [id for id, hash in known.items() if now.get(id) != hash]
    (given,) = sql.execute("SELECT next FROM state").fetchone()
    if given - (len(known) - len(lost)) > LOST * given:
        empty(sql)
        return list(now)
    sql.execute(f"DELETE FROM documents WHERE id IN {MANY}", many(lost))  # noqa: S608
    return [id for id, hash in now.items() if known.get(id) != hash]


class _Filling:
    """One run: numbers go up from the last that was given."""

    def __init__(self, sql: sqlite3.Connection, catalogue: Catalogue, tell: Tell) -> None:
        self._sql, self._catalogue, self._tell = sql, catalogue, tell
        self._headings: dict[str, int] = {"": 0, **dict(sql.execute("SELECT name, heading FROM headings"))}
        self._next: int = sql.execute("SELECT next FROM state").fetchone()[0]
        self._began = time.monotonic()

    def add(self, ids: Sequence[str]) -> None:
        """Index these documents, those that are there."""
        for start in range(0, len(ids), BATCH):
            # What is damaged is found by no word; who verifies the library is told of it.
            records, _ = self._catalogue.sound_records(ids[start : start + BATCH])
            self._put([entry(records[id]) for id in ids[start : start + BATCH] if id in records])
            self._say(min(start + BATCH, len(ids)), len(ids))
        self._sql.execute("UPDATE state SET next = ?", (self._next,))

    def _put(self, entries: Sequence[Entry]) -> None:
        numbered = list(enumerate(entries, self._next))
        self._next += len(entries)
        many = self._sql.executemany
        many(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
            ((number, one.id, one.hash, *one.days, bool(one.tags)) for number, one in numbered),
        )
        many(
            f"INSERT INTO words (rowid, {', '.join(FIELDS)}) VALUES (?{', ?' * len(FIELDS)})",  # noqa: S608
            ((number, *one.words) for number, one in numbered),
        )
        many("INSERT INTO identities VALUES (?, ?)", ((name, n) for n, one in numbered for name in one.identities))
        many(
            "INSERT INTO tags VALUES (?, ?, ?)",
            ((self._heading(t.heading), self._heading(t.qualifier), n) for n, one in numbered for t in one.tags),
        )

    def _heading(self, name: str) -> int:
        if name not in self._headings:
            self._headings[name] = len(self._headings)
            self._sql.execute("INSERT INTO headings VALUES (?, ?)", (self._headings[name], name))
        return self._headings[name]

    def _say(self, done: int, total: int) -> None:
        seconds = time.monotonic() - self._began
        rate = done / seconds if seconds > 0 else 0.0
        self._tell(Progress(task="indexing", done=done, total=total, unit="documents", documents=done, rate=rate))
