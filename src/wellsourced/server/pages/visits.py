"""The request of a page: its context, the runs its visitor may see, and what comes with its form."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser

from wellsourced.config import Settings
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, QuestionError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.run_table import RunLine
from wellsourced.runs import RunHistory
from wellsourced.server.access import MAX_BODY_BYTES
from wellsourced.server.live_runs import NO_ORIGIN, LiveRun, LiveRuns, RunKind, RunOrigin
from wellsourced.server.pages import messages
from wellsourced.server.requests import find_owner
from wellsourced.types import Answer, Question

TITLE_LENGTH = 150

PROMPTS_FOLDER = "prompts"

OWNER_LENGTH = 16
"""Letters of the digest of a token in the names of files."""

Work = Callable[[Emit], Coroutine[object, object, object]]


class Visit:
    """What a page needs of the server, and its visitor.

    owner     of the runs that this visitor may see: made from the token, "" on this machine
    flags     those of the start of the server, before the settings files
    reopen_context   reopens the libraries after one was added or deleted
    prompts   the file of the visitor's own words for prompts, which need not exist
    history   the runs on the disk, each of its owner; None where none are kept
    """

    def __init__(self, request: Request) -> None:
        self.context: Context = request.app.state.context
        self.settings: Settings = request.app.state.settings
        self.flags: dict[str, Any] = request.app.state.flags
        self.reopen_context: Callable[[], Awaitable[None]] = request.app.state.reopen_context
        self.runs: LiveRuns = request.app.state.runs
        self.tokens: tuple[str, ...] = request.app.state.access.tokens
        # Made from the token, not the token itself: it names files and rows on the disk.
        self.owner = find_owner(request)
        self.is_at_home = not self.owner
        self.prompts = self.settings.home / PROMPTS_FOLDER / f"{self.owner[:OWNER_LENGTH] or 'this-machine'}.toml"
        self.history = RunHistory(self.settings.home) if self.settings.runs else None

    def find_run(self, id: str) -> LiveRun:
        """A run of this visitor, live or saved. Raises HTTPException for none."""
        run = self.look_up_run(id)
        if run is None:
            raise HTTPException(404, messages.RUN_GONE)
        return run

    def look_up_run(self, id: str) -> LiveRun | None:
        """A run of this visitor; None for "", and for one that was deleted."""
        return self.runs.find(id, self.owner) or (self._open_kept_run(id) if id else None)

    def _open_kept_run(self, id: str) -> LiveRun | None:
        if self.history is None:
            return None
        try:
            kept = self.history.load(id, self.owner)
        except NotFoundError:
            return None
        asked = kept.answer.question.asked or kept.answer.question.text
        return LiveRun(
            kept.id,
            self.owner,
            "question",
            shorten_title(asked),
            datetime.fromisoformat(kept.at),
            state="finished",
            result=kept.answer,
            kept=kept.id,
        )

    def list_kept_runs(self) -> list[RunLine]:
        """The saved runs that are not live, newest first."""
        if self.history is None:
            return []
        # A run that is live and saved would be listed twice.
        shown = {run.kept for run in self.runs.list_of(self.owner)}
        return [one for one in self.history.list_runs_of(self.owner) if one.id not in shown]

    def delete_run(self, run: LiveRun) -> None:
        """Delete a run, here and on the disk."""
        self.runs.delete(run)
        if run.kept and self.history:
            self.history.delete(run.kept, self.owner)

    def require_home(self) -> None:
        """Raise HTTPException for a visitor from elsewhere: files and settings are those of this machine."""
        if not self.is_at_home:
            raise HTTPException(403, messages.OPERATOR_ONLY)


PageVisit = Annotated[Visit, Depends(Visit)]


def shorten_title(text: str) -> str:
    """Shorten a question to one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"


def begin(visit: Visit, kind: RunKind, title: str, work: Work, origin: RunOrigin = NO_ORIGIN) -> Response:
    """Start a run, and lead to its page; an answer is saved to history where it may be."""

    async def work_and_keep(emit: Emit) -> object:
        result = await work(emit)
        # Before the run ends, so that its page can say whether it was saved.
        if isinstance(result, Answer) and visit.history:
            run.kept, run.not_kept = await asyncio.to_thread(_keep, result, visit.history, visit.owner)
        return result

    run = visit.runs.start(visit.owner, kind, shorten_title(title), work_and_keep, origin)
    return RedirectResponse(f"/runs/{run.id}", 303)


def _keep(answer: Answer, history: RunHistory, owner: str) -> tuple[str, str]:
    """Save an answer: (its id, ""), or ("", why it was not saved)."""
    try:
        id = history.record(answer, owner)
    # A full disk costs the record, not the answer.
    except (WellsourcedError, OSError) as error:
        return "", messages.not_saved(error)
    return id, "" if id else messages.NOT_SAVED_PATIENT if answer.question.patient else messages.NOT_SAVED_PERSONAL


MAX_FIELDS = 500
"""Each source to choose from is one."""

# An uploaded file stays in memory: it may be a patient's, and beyond this size it would be written to /tmp.
MultiPartParser.spool_max_size = MAX_BODY_BYTES


class SentFile(NamedTuple):
    """A file of a form: its name and its bytes."""

    name: str
    content: bytes


async def read_form(request: Request, max_files: int = 1) -> FormData:
    """Read the form of a request; AccessControl limits its size."""
    return await request.form(max_files=max_files, max_fields=MAX_FIELDS, max_part_size=MAX_BODY_BYTES)


def read_field(form: Mapping[str, object], name: str) -> str:
    """Read the text of a field, with its line ends made uniform; "" for none."""
    value = form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


async def read_file(form: FormData, name: str) -> SentFile | None:
    """Read a file, without the folders of its name; None where none was chosen."""
    return next(iter(await read_files(form, name)), None)


async def read_files(form: FormData, name: str) -> list[SentFile]:
    """Read the files of a field, without the folders of their names."""
    sent = [one for one in form.getlist(name) if isinstance(one, UploadFile) and one.filename]
    return [
        SentFile((one.filename or "").replace("\\", "/").rpartition("/")[2] or "file", await one.read()) for one in sent
    ]


def read_question(form: Mapping[str, object]) -> Question:
    """Read the question of a form. Raises QuestionError for an empty one, and for dates that are none or reversed."""
    since, as_of = (_read_date(form, name) for name in ("since", "as_of"))
    # A search between them would find nothing, and the answer would blame the sources.
    if since and as_of and since > as_of:
        raise QuestionError(messages.reversed_dates(since, as_of))
    question = Question(
        text=read_field(form, "question"), patient=read_field(form, "patient"), since=since, as_of=as_of
    )
    return tidy_question(question)


def _read_date(form: Mapping[str, object], name: str) -> date | None:
    given = read_field(form, name)
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise QuestionError(messages.no_date(given)) from error


def choose_sources(form: FormData, context: Context) -> Context:
    """Limit the context to the chosen sources; a form without a choice means all. Raises QuestionError for none."""
    if not form.getlist("source"):
        # A form without the choice sends no source; one with the choice and no mark means none.
        if read_field(form, "may_choose"):
            raise QuestionError(messages.NO_SOURCE_CHOSEN)
        return context
    chosen = [source for source in context.sources if source.name in form.getlist("source")]
    if not chosen:
        raise QuestionError(messages.UNKNOWN_SOURCE)
    # An answer says which sources were not searched: their silence is no agreement.
    left_out = [source.name for source in context.sources if source not in chosen]
    return replace(context, sources=tuple(chosen), left_out=(*context.left_out, *left_out))


def describe_destinations(context: Context) -> str:
    """Where the words of a question may go, for the person who types them."""
    if not context.outbound:
        return messages.STAYS_HERE
    live = [source.name for source in context.sources if source.name in LIVE_SOURCES]
    model = context.model.name if context.has_model else ""
    return messages.destinations(live, model, sees_patient=context.sees_patient)
