"""Runs: every answer that was given here, kept in one file in home as it was, and chained so that changes show.

A question about a patient is not kept, nor one whose words identify somebody, nor an answer from a library of one's own
whose words do. What is deleted is gone; that it was there, and when, stays in the chain. A run that was asked for with
a token is its owner's; whoever has the file sees all.
"""

from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced import run_table
from wellsourced.clinical.deidentification import detect_identifiers
from wellsourced.errors import NotFoundError
from wellsourced.storage.sqlite_database import explain_sqlite_errors, sqlite_transaction
from wellsourced.types import Answer, Question


class RecordedRun(NamedTuple):
    """A run as it was kept; `version` is that of wellsourced."""

    id: str
    at: str
    version: str
    answer: Answer


class RecordedQuestion(NamedTuple):
    """A question as it was put, to be asked as of today, with id and time of the newest run that answers it.

    is_recommendation   it was asked for a recommendation
    """

    id: str
    at: str
    question: Question
    is_recommendation: bool


class RunHistory:
    """The runs of one home. Several processes may record at once. Raises SourceUnavailable where the file cannot be
    written, SourceRefused where it is damaged."""

    def __init__(self, home: Path) -> None:
        self.path = home / run_table.FILE_NAME

    def record(self, answer: Answer, owner: str = "") -> str:
        """Keep an answer, but for the words of what it left out; its id, "" for one that is not kept.

        owner   a digest of the token that asked; "" for whoever is on this machine
        """
        if answer.question.patient or _names_somebody(answer.question) or _quotes_somebodys_record(answer):
            return ""
        left_out = tuple(one.model_copy(update={"text": ""}) for one in answer.dropped)
        content = answer.model_copy(update={"dropped": left_out}).model_dump_json()
        digest, at = run_table.digest_text(content), datetime.now(UTC).isoformat(timespec="seconds")
        asked = (answer.question.asked or answer.question.text)[: run_table.TITLE_LENGTH]
        with (
            explain_sqlite_errors(self.path),
            closing(run_table.connect_runs(self.path)) as store,
            sqlite_transaction(store),
        ):
            last = store.execute("SELECT link FROM runs_1 ORDER BY number DESC LIMIT 1").fetchone()
            before = last[0] if last else ""
            row = (at, asked, len(answer.statements), version("wellsourced"), content, digest, before, owner)
            store.execute(
                "INSERT INTO runs_1 (at, question, statements, version, answer, digest, before, owner, link) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, _link(before, at, digest, owner)),
            )
        return run_table.make_run_id(at, digest)

    def list_runs(self, limit: int = -1) -> list[run_table.RunLine]:
        """The runs of all owners, the newest first; a limit below 0 is none."""
        return run_table.list_run_lines(self.path, limit)

    def list_runs_of(self, owner: str, after: str = "", limit: int = -1) -> list[run_table.RunLine]:
        """The runs of one owner that were not deleted, the newest first; from behind the run of the id `after` on.

        Raises NotFoundError where this owner has no such run.
        """
        if not after:
            return run_table.list_run_lines(self.path, limit, "owner = ? AND answer IS NOT NULL", (owner,))
        number = self._find_number(after, owner)
        which = "owner = ? AND answer IS NOT NULL AND number < ?"
        return run_table.list_run_lines(self.path, limit, which, (owner, number))

    def load(self, id: str, owner: str | None = None) -> RecordedRun:
        """A run by its id, or by the first letters of it; of any owner where none is named.

        Raises NotFoundError for none, several, and a deleted one.
        """
        number = self._find_number(id, owner)
        ((at, of, content),) = self._fetch("SELECT at, version, answer FROM runs_1 WHERE number = ?", (number,))
        if content is None:
            raise NotFoundError(f"The run {id} was deleted: when it was given is all that is left of it ({at}).")
        try:
            return RecordedRun(id, at, of, Answer.model_validate_json(content))
        except ValidationError as error:
            raise NotFoundError(
                f"The run {id} was kept by wellsourced {of}, and this version cannot read it."
            ) from error

    def list_questions(self) -> list[RecordedQuestion]:
        """Every question that was put on this machine and names nobody, once, the one asked last first."""
        columns = "at, digest, json_extract(answer, '$.question'), json_extract(answer, '$.recommendation') IS NOT NULL"
        rows = self._fetch(f"SELECT {columns} FROM runs_1 WHERE answer IS NOT NULL AND owner = '' ORDER BY number DESC")  # noqa: S608
        newest: dict[str, RecordedQuestion] = {}
        for at, digest, content, is_recommendation in rows:
            with suppress(ValidationError):
                put = question_as_put(Question.model_validate_json(content))
                one = RecordedQuestion(run_table.make_run_id(at, digest), at, put, bool(is_recommendation))
                newest.setdefault(f"{one.is_recommendation} {put.model_dump_json()}", one)
        # An earlier version kept those that name somebody.
        return [one for one in newest.values() if not _names_somebody(one.question)]

    def find_question(self, id: str) -> RecordedQuestion:
        """The question of a run, and the newest run that answers it.

        Raises as `load` does, and NotFoundError for a question that names somebody.
        """
        answer = self.load(id, owner="").answer
        put = question_as_put(answer.question), answer.recommendation is not None
        for one in self.list_questions():
            if (one.question, one.is_recommendation) == put:
                return one
        raise NotFoundError(f"The question of the run {id} seems to name somebody: it is not asked again.")

    def delete(self, id: str, owner: str | None = None) -> None:
        """Delete what was asked and answered; nothing of it stays on the disk. Raises as `load` does."""
        self._erase("number = ?", self._find_number(id, owner))

    def delete_all(self) -> int:
        """Delete every run; how many there were."""
        count = sum(not one.is_deleted for one in self.list_runs())
        self._erase("number > ?", 0)
        return count

    def prune(self, keep: int) -> int:
        """Delete all but the newest; how many were deleted."""
        old = [one for one in self.list_runs() if not one.is_deleted][keep:]
        for one in old:
            self.delete(one.id)
        return len(old)

    def find_changes(self) -> Iterator[str]:
        """What was changed since it was recorded, a sentence each; none: the chain holds from the first run on."""
        before, expected = "", 1
        rows = self._fetch("SELECT number, at, answer, digest, before, link, owner FROM runs_1 ORDER BY number")
        for number, at, content, digest, said_before, link, owner in rows:
            if number != expected or said_before != before:
                yield f"before the run of {at} at least one is missing"
            if (content is not None and run_table.digest_text(content) != digest) or link != _link(
                said_before, at, digest, owner
            ):
                yield f"the run of {at} is not as it was recorded"
            before, expected = link, number + 1
        recorded = self._fetch("SELECT seq FROM sqlite_sequence WHERE name = 'runs_1'") if rows else []
        if recorded and recorded[0][0] >= expected:
            yield "the newest run is missing"

    def _find_number(self, id: str, owner: str | None) -> int:
        rows = self._fetch("SELECT number, at, digest FROM runs_1 WHERE owner = ?1 OR ?1 IS NULL", (owner,))
        ids = [(number, run_table.make_run_id(at, digest, whole=True)) for number, at, digest in rows]
        found = [number for number, whole in ids if id and whole.startswith(id.lower())]
        if len(found) != 1:
            several = "several runs begin with" if found else "no run begins with"
            raise NotFoundError(f"“{id[:40]}”: {several} that id. `wellsourced runs list` shows them.")
        return int(found[0])

    def _erase(self, which: str, value: int) -> None:
        if not self.path.exists():
            return
        with explain_sqlite_errors(self.path), closing(run_table.connect_runs(self.path)) as store:
            with sqlite_transaction(store):
                store.execute(f"UPDATE runs_1 SET answer = NULL, question = '' WHERE {which}", (value,))  # noqa: S608
            # Pages of the log have what was deleted, too.
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _fetch(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        return run_table.fetch_rows(self.path, sql, values)


def _names_somebody(question: Question) -> bool:
    turns = (turn.text for turn in question.history)
    return any(map(detect_identifiers, (question.text, question.asked, *turns, *question.options.values())))


def _quotes_somebodys_record(answer: Answer) -> bool:
    """Whether a passage that was read in somebody's own library identifies a person."""
    own = (item.passage.text for item in answer.evidence if item.passage.reference.kind == "own")
    return any(map(detect_identifiers, own))


def question_as_put(question: Question) -> Question:
    """A question as it was typed, to be asked as of today: without what framing made of it, and without a last day."""
    return Question(
        text=question.asked or question.text,
        **{name: getattr(question, name) for name in ("history", "given", "options", "since", "exclude")},
    )


def compare_answers(before: Answer, now: Answer) -> list[str]:
    """What differs between two answers to one question, a sentence each."""
    said, says = ({one.text for one in answer.statements} for answer in (before, now))
    changes = [f"no longer said: {text}" for text in sorted(said - says)]
    changes += [f"new: {text}" for text in sorted(says - said)]
    if before.abstained != now.abstained:
        changes.append("there was an answer, and is none now" if now.abstained else "there was none, and is one now")
    if not changes and [one.text for one in before.statements] != [one.text for one in now.statements]:
        changes.append("the statements stand in another order")
    return changes


def _link(before: str, at: str, digest: str, owner: str) -> str:
    """Of a run that belongs to nobody as it always was, so that what was recorded earlier still verifies."""
    return run_table.digest_text(f"{before} {at} {digest} {owner}".rstrip())
