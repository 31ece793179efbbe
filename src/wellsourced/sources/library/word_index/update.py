"""Bringing the word index up to date: what is gone is forgotten, what is new is indexed."""

import sqlite3
import time
from collections.abc import Sequence

from wellsourced.events import Emit, Progress
from wellsourced.sources.library.documents import DocumentChange, DocumentStore
from wellsourced.sources.library.word_index.entries import WORD_FIELDS, WordIndexEntry, build_entry
from wellsourced.sources.library.word_index.tables import (
    IndexState,
    clear_tables,
    find_indexed,
    tag_words,
    write_blocks,
)
from wellsourced.storage.sqlite_database import JSON_VALUES, json_list, sqlite_transaction
from wellsourced.text.dates import NO_DAYS

MAX_LOST_SHARE = 0.2
"""Share of numbers that may be lost before the index is made again."""

MAX_CHANGES = 5_000
"""Changes that are taken over in one transaction: half a second, for which others who write here wait."""

BATCH_DOCUMENTS = 500
"""Documents that are read, and told of, at a time."""


class IndexUpdate:
    """Brings an index up to date with a catalogue, some documents at a time, each time in one transaction.

    Between two of them others may read, and take the next turn themselves. Whoever is killed leaves what was done.
    """

    def __init__(self, sql: sqlite3.Connection, catalogue: DocumentStore, emit: Emit) -> None:
        self._sql, self._catalogue, self._emit = sql, catalogue, emit
        self._started, self._first = time.monotonic(), IndexState.read(sql).change

    def run(self) -> int:
        """Take over what has changed until now; the number of the last of these changes."""
        target = self._catalogue.last_change().number
        while self._is_behind(target):
            with sqlite_transaction(self._sql):
                # Another process may have been faster.
                if self._is_behind(target):
                    self._take_over_changes()
        return target

    def _is_behind(self, target: int) -> bool:
        """Also when it is ahead, which can only be if the catalogue is another."""
        # In this order: the catalogue may go on in between, and is never behind what was taken from it.
        known = IndexState.read(self._sql).last_change
        last = self._catalogue.last_change()
        return known.number < target or known.number > last.number or (known.number == last.number and known != last)

    def _take_over_changes(self) -> None:
        state = IndexState.read(self._sql)
        changes = self._catalogue.list_changes(state.change, MAX_CHANGES)
        # Where the last change is another than it was, so is the catalogue: a copy of an earlier day, brought back.
        if state.change and changes[:1] != [state.last_change]:
            clear_tables(self._sql)
            return
        ids = list(dict.fromkeys(change.id for change in changes))
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            self._report_progress(state.change + start, changes[-1].number)
            state = self._index_documents(state, ids[start : start + BATCH_DOCUMENTS], changes[-1])
        # Lost numbers stay in the index of words as dead weight: from a fifth on, making it again costs less.
        if state.next - state.documents > MAX_LOST_SHARE * state.next:
            clear_tables(self._sql)
        else:
            state._replace(change=changes[-1].number, changed_id=changes[-1].id).write(self._sql)

    def _index_documents(self, state: IndexState, ids: Sequence[str], last: DocumentChange) -> IndexState:
        """Index these documents as they are now, those that are gone not at all; the state after it."""
        known = find_indexed(self._sql, ids)
        now = self._catalogue.find_states(known)
        lost = [one for id, one in known.items() if id not in now or now[id].hash != one.hash]
        gone = {one.number for one in lost}
        # What is damaged is found by no word; who verifies the library is told of it.
        records, _ = self._catalogue.load_documents([id for id in ids if id not in known or known[id].number in gone])
        new = [build_entry(records[id]) for id in ids if id in records]
        numbered = list(enumerate(new, state.next))
        self._sql.execute(f"DELETE FROM documents WHERE number IN {JSON_VALUES}", json_list(gone))  # noqa: S608
        self._insert(numbered)
        write_blocks(self._sql, last.number, {**dict.fromkeys(gone), **{number: one.days for number, one in numbered}})
        return state._replace(
            next=state.next + len(new),
            documents=state.documents + len(new) - len(lost),
            untagged=state.untagged + sum(not one.tags for one in new) - sum(not one.tagged for one in lost),
            undated=state.undated + sum(one.days == NO_DAYS for one in new) - sum(not one.dated for one in lost),
        )

    def _insert(self, numbered: Sequence[tuple[int, WordIndexEntry]]) -> None:
        many = self._sql.executemany
        many(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
            ((number, one.id, one.hash, bool(one.tags), one.days != NO_DAYS) for number, one in numbered),
        )
        many(
            f"INSERT INTO words (rowid, {', '.join(WORD_FIELDS)}, tags) VALUES (?, ?{', ?' * len(WORD_FIELDS)})",  # noqa: S608
            ((number, *one.words, tag_words(one.tags)) for number, one in numbered),
        )
        many("INSERT INTO identities VALUES (?, ?)", ((name, n) for n, one in numbered for name in one.identities))

    def _report_progress(self, change: int, last: int) -> None:
        seconds, done = time.monotonic() - self._started, max(0, change - self._first)
        total, rate = max(last, self._catalogue.last_change().number) - self._first, done / seconds if seconds else 0.0
        self._emit(Progress(task="indexing", done=done, total=total, unit="documents", documents=done, rate=rate))
