"""Runs as they are kept: found by their ids, read, compared, stopped, deleted for good, and any change of them seen.

A question about a patient is not kept, nor one whose words identify a person, nor an answer from a library of your own
whose words do. What is deleted is gone; that it was there, and when, stays in the chain. A run that was asked for with
a token is its owner's; whoever has the file sees all.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.deidentification import detect_identifiers
from wellsourced.errors import NextStep, NotFoundError
from wellsourced.privacy.privacy_filter import find_expression_identifiers
from wellsourced.runs import table
from wellsourced.runs.table import RunLine, RunState, RunStep, RunTables, Surface, open_run_tables
from wellsourced.storage.state_database import StateConnection
from wellsourced.types import Answer, Question

LIST_HISTORY = NextStep("list history")

_find_version = cache(version)

JOB_AGE = timedelta(hours=1)
"""How long a job can be asked for again."""

Steps = Sequence[tuple[int, RunStep]]
"""What happened in a run, each with its place."""


class StoredJob(NamedTuple):
    """What may be written of a job: no key, which may name a patient.

    job       its Idempotency-Key, sealed with the token that it came with
    path      where it was sent; `request`: a seal of what was asked there
    """

    job: str = ""
    path: str = ""
    request: str = ""


NO_JOB = StoredJob()

_LITERAL = str.maketrans({sign: f"\\{sign}" for sign in "%_\\"})
"""How what would stand for others in a pattern of SQL is looked for as it is."""


class RunHistory:
    """The runs of one home, or of all hosts that share a database. Several processes may record at once. Raises
    SourceUnavailable where it cannot be reached or written, SourceRefused where it is damaged.

    url   of a database on PostgreSQL; "": a file of home
    """

    def __init__(self, home: Path, url: str = "") -> None:
        self.tables: RunTables = open_run_tables(home, url)
        self.database = self.tables.database

    def record(self, answer: Answer, owner: str = "", surface: Surface = "") -> str:
        """Keep an answer that was given without being watched; its id, "" for one that is not kept.

        owner   a digest of the token that asked; "" for whoever is on this machine
        """
        if not may_keep(answer):
            return ""
        line = RunLine(token_hex(16), owner, "question", "running", surface, title_question(answer.question), _now())
        with self.database.open() as store, self.database.transaction(store):
            self.insert(store, line)
            self.finish(store, line.id, "finished", answer)
        return line.short_id

    def insert(self, store: StateConnection, line: RunLine, process: str = "", stored: StoredJob = NO_JOB) -> bool:
        """Add a run that begins; `process` works on it. False: another run has its key, which did not fail."""
        if stored.job:
            # Who asks again, later or after a failure, has it done again.
            sql = "UPDATE runs_2 SET job = '' WHERE owner = ? AND job = ? AND (begun < ? OR state IN (?, ?))"
            store.execute(sql, (line.owner, stored.job, _find_oldest(), "failed", "stopped"))
        fields = "id, owner, kind, state, surface, title, begun, process, job, path, request, words"
        row = (*line[:7], process, *stored, line.title.casefold())
        sql = f"INSERT INTO runs_2 ({fields}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        return store.execute(f"{sql} ON CONFLICT DO NOTHING RETURNING number", row).fetchone() is not None

    def reclaim(self, store: StateConnection, id: str, state: RunState, process: str) -> bool:
        """Note that a run is in work, which others took for interrupted; whether its row is there."""
        sql = "UPDATE runs_2 SET process = ?, state = ?, problem = '' WHERE id = ? RETURNING number"
        return store.execute(sql, (process, state, id)).fetchone() is not None

    def write_steps(self, store: StateConnection, id: str, state: RunState, steps: Steps) -> None:
        """Add what has happened in a run, each with its place."""
        if found := store.execute("UPDATE runs_2 SET state = ? WHERE id = ? RETURNING number", (state, id)).fetchone():
            rows = [(*found, place, *step) for place, step in steps]
            store.executemany("INSERT INTO run_steps_1 VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def finish(
        self, store: StateConnection, id: str, state: RunState, answer: Answer | None = None, problem: str = ""
    ) -> bool:
        """Note how a run ended, with its answer; whether its row was there: somebody may have deleted it meanwhile."""
        found = store.execute("SELECT owner FROM runs_2 WHERE id = ?", (id,)).fetchone()
        if found is None:
            return False
        ended = _now()
        sql = "UPDATE runs_2 SET state = ?, ended = ?, problem = ?, process = '' WHERE id = ?"
        store.execute(sql, (state, ended, problem, id))
        if answer:
            recorded, words = self._append_answer(store, ended, found[0], answer)
            sql = "UPDATE runs_2 SET title = ?, statements = ?, recorded = ?, words = ? WHERE id = ?"
            store.execute(sql, (title_question(answer.question), len(answer.statements), recorded, words, id))
        return True

    def withhold(self, id: str, state: RunState, *, keep_row: bool) -> None:
        """Note how a run ended whose words may not be kept, and erase those that are there.

        keep_row   its words are in the memory of this process, which says so as long as it lives
        """
        with self.database.open() as store:
            with self.database.transaction(store):
                had_words = store.execute("SELECT 1 FROM runs_2 WHERE id = ? AND title != ''", (id,)).fetchone()
                store.execute("DELETE FROM run_steps_1 WHERE run = (SELECT number FROM runs_2 WHERE id = ?)", (id,))
                store.execute(
                    "UPDATE runs_2 SET title = '', words = '', state = ?, ended = ? WHERE id = ?", (state, _now(), id)
                )
                if not keep_row:
                    store.execute("DELETE FROM runs_2 WHERE id = ?", (id,))
            if had_words:
                self.database.overwrite_deleted(store)

    def list_runs(self, limit: int = -1, *, with_deleted: bool = True) -> list[RunLine]:
        """The runs of all owners, the newest first; a limit below 0 is none."""
        return self.tables.list_lines(limit, "TRUE" if with_deleted else table.NOT_DELETED)

    def list_runs_of(
        self, owner: str, after: str = "", limit: int = -1, skip: int = 0, words: Sequence[str] = ()
    ) -> list[RunLine]:
        """The runs of one owner that were not deleted, the newest first; from behind the run of the id `after` on.

        words   those in whose question or answer all of these words or parts of words are

        Raises NotFoundError where this owner has no such run.
        """
        which = f"owner = ? AND {table.NOT_DELETED} AND number < ?"
        which += r" AND words LIKE ? ESCAPE '\'" * len(words)
        parts = [f"%{word.casefold().translate(_LITERAL)}%" for word in words]
        number = self.find(after, owner).number if after else table.MAX_NUMBER
        return self.tables.list_lines(limit if limit < 0 else limit + skip, which, (owner, number, *parts))[skip:]

    def find(self, id: str, owner: str | None = None) -> RunLine:
        """A run by its id, or by the first letters of it; of any owner where none is named.

        Raises NotFoundError for none, and several.
        """
        first = id.lower() if re.fullmatch("[0-9a-fA-F]{1,64}", id) else "-"
        owners = () if owner is None else (owner,)
        which = "id >= ? AND id < ?" + " AND owner = ?" * len(owners)
        lines = self.tables.list_lines(2, which, (first, f"{first}g", *owners))
        if len(lines) != 1:
            several = "Several runs begin" if lines else "No run begins"
            raise NotFoundError(f"{several} with the id “{id[:40]}”.", next_step=LIST_HISTORY)
        return lines[0]

    def load(self, id: str, owner: str | None = None) -> Answer:
        """The answer of a run. Raises as `find` does, and NotFoundError where no answer is kept."""
        line = self.find(id, owner)
        rows = self.tables.fetch_rows("SELECT at, version, answer FROM runs_1 WHERE number = ?", (line.recorded,))
        if not rows:
            raise NotFoundError(f"The run {line.short_id} ({line.state}) has no answer.", next_step=LIST_HISTORY)
        ((at, of, content),) = rows
        if content is None:
            raise NotFoundError(f"The run {line.short_id} was deleted. It ended at {at}.")
        try:
            return Answer.model_validate_json(content)
        except ValidationError as error:
            told = f"The run {line.short_id} is from wellsourced {of}; this version cannot read it."
            raise NotFoundError(told) from error

    def read_steps(self, id: str, owner: str | None = None, after: int = 0) -> tuple[RunLine, Steps]:
        """A run, and what has happened in it from the place `after` on, each with its place. Raises as `find` does."""
        line = self.find(id, owner)
        sql = "SELECT place, kind, text FROM run_steps_1 WHERE run = ? AND place > ? ORDER BY place"
        rows = self.tables.fetch_rows(sql, (line.number, after))
        return line, [(place, RunStep(kind, text)) for place, kind, text in rows]

    def request_stop(self, id: str, owner: str | None = None) -> RunLine:
        """Ask the process that works on a run to stop it; the run as it is now. Raises as `find` does."""
        line = self.find(id, owner)
        if line.is_working:
            with self.database.open() as store:
                store.execute("UPDATE runs_2 SET stop = 1 WHERE number = ?", (line.number,))
        return line

    def list_jobs(self, owner: str, job: str = "") -> list[tuple[RunLine, StoredJob]]:
        """The jobs of an owner of the last hour that any of the servers was sent, the newest first; one by its key."""
        fields = ", ".join((*RunLine._fields, *StoredJob._fields))
        which = "owner = ? AND job != '' AND (job = ? OR ? = '') AND begun >= ?"
        sql = f"SELECT {fields} FROM runs_2 WHERE {which} ORDER BY number DESC"  # noqa: S608
        rows = self.tables.fetch_rows(sql, (owner, job, job, _find_oldest()))
        return [(RunLine(*row[:-3]), StoredJob(*row[-3:])) for row in rows]

    def drop_job(self, id: str) -> None:
        """Forget that a run was a job; the run stays."""
        with self.database.open() as store:
            store.execute("UPDATE runs_2 SET job = '', path = '', request = '' WHERE id = ?", (id,))

    def delete(self, id: str, owner: str | None = None) -> None:
        """Delete what was asked and answered; nothing of it stays on the disk. Raises as `find` does."""
        self._erase("number = ?", self.find(id, owner).number)

    def delete_all(self) -> int:
        """Delete every run; how many there were."""
        count = sum(not line.is_deleted for line in self.list_runs())
        self._erase("number > ?", 0)
        return count

    def prune(self, keep: int) -> int:
        """Delete all but the newest; how many were deleted."""
        old = self.tables.list_lines(-1, f"{table.NOT_DELETED} AND state NOT IN ('waiting', 'running')")[keep:]
        if old:
            self._erase("number <= ? AND state NOT IN ('waiting', 'running')", old[0].number)
        return len(old)

    def find_changes(self) -> Iterator[str]:
        """What was changed since it was recorded, a sentence each; none: the chain holds from the first run on."""
        before, expected = "", 1
        rows = self.tables.fetch_rows(
            "SELECT runs_1.number, at, answer, digest, before, link, runs_1.owner,"
            " coalesce(runs_2.owner = runs_1.owner AND title = question AND (answer IS NULL) = (title = ''), FALSE)"
            " FROM runs_1 LEFT JOIN runs_2 ON recorded = runs_1.number ORDER BY runs_1.number"
        )
        for number, at, content, digest, given_before, link, owner, is_listed in rows:
            if number != expected or given_before != before:
                yield f"At least one run before the run of {at} is missing."
            is_changed = content is not None and table.digest_text(content) != digest
            if is_changed or not is_listed or link != _link(given_before, at, digest, owner):
                yield f"The run of {at} was changed after it was recorded."
            before, expected = link, number + 1
        recorded = self.tables.fetch_rows(self.tables.last_number) if rows else []
        if recorded and recorded[0][0] >= expected:
            yield "The newest run is missing."

    def _append_answer(self, store: StateConnection, at: str, owner: str, answer: Answer) -> tuple[int, str]:
        """Add an answer to the end of the chain, without the words of what it left out; its place and its words."""
        left_out = tuple(omission.model_copy(update={"text": ""}) for omission in answer.dropped)
        content = answer.model_copy(update={"dropped": left_out}).model_dump_json()
        digest = table.digest_text(content)
        last = store.execute("SELECT link FROM runs_1 ORDER BY number DESC LIMIT 1").fetchone()
        before, title = last[0] if last else "", title_question(answer.question)
        (number,) = store.execute(self.tables.next_number).fetchone()
        row = (number, at, title, len(answer.statements), _find_version("wellsourced"), content, digest, before, owner)
        added = store.execute(
            "INSERT INTO runs_1 (number, at, question, statements, version, answer, digest, before, owner, link)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
            (*row, _link(before, at, digest, owner)),
        )
        return int(added.fetchone()[0]), table.find_words(content)

    def _erase(self, which: str, value: int) -> None:
        if not self.database.exists():
            return
        with self.database.open() as store:
            with self.database.transaction(store):
                for sql in (
                    "DELETE FROM run_steps_1 WHERE run IN (SELECT number FROM runs_2 WHERE {})",
                    "UPDATE runs_1 SET answer = NULL, question = ''"
                    " WHERE number IN (SELECT recorded FROM runs_2 WHERE {})",
                    # What was answered stays as a place in the chain; of what was not, nothing stays.
                    "UPDATE runs_2 SET title = '', words = '', problem = '' WHERE {}",
                    "DELETE FROM runs_2 WHERE recorded IS NULL AND {}",
                ):
                    store.execute(sql.format(which), (value,))
            self.database.overwrite_deleted(store)


def identifies_somebody(question: Question, known: Question | None = None) -> bool:
    """Whether a question is about a patient, or its words identify a person; `known` is one whose words do not."""
    words = _list_words(question) - (_list_words(known) if known else set())
    return bool(question.patient) or any(map(detect_identifiers, words))


def _list_words(question: Question) -> set[str]:
    return {question.text, question.asked, *(turn.text for turn in question.history), *question.options.values()}


def may_keep(answer: Answer, known: Question | None = None) -> bool:
    """Whether an answer may be on the disk: neither its question nor a passage of your own identifies a person.

    Passages lie on this disk in their library anyway, so that what only may be a name ("Minor, clean") counts in the
    question alone: it held 25 of 60 answers from guidance of a hospital.
    """
    own = (item.passage.text for item in answer.evidence if item.passage.reference.kind == "own")
    return not identifies_somebody(answer.question, known) and not any(map(find_expression_identifiers, own))


def title_question(question: Question) -> str:
    """What was asked, as it was typed, as far as a list shows it."""
    return (question.asked or question.text)[: table.TITLE_LENGTH]


def _link(before: str, at: str, digest: str, owner: str) -> str:
    """Of a run that belongs to nobody as it always was, so that what was recorded earlier still verifies."""
    return table.digest_text(f"{before} {at} {digest} {owner}".rstrip())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _find_oldest() -> str:
    """When a job was begun that can just be asked for again."""
    return (datetime.now(UTC) - JOB_AGE).isoformat(timespec="seconds")
