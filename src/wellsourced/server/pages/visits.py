"""A visit: the context, the runs that its visitor may see, where new ones begin, and what he sends with a form."""

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
from wellsourced.server.requests import find_owner
from wellsourced.types import Answer, Question

TITLE_LENGTH = 150

PROMPTS_FOLDER = "prompts"

OWNER_LENGTH = 16
"""Letters of the digest of a token by which files are called."""

NOT_KEPT = "Not kept on the disk, since {}: it is gone when the server stops."

NAMES_SOMEBODY = "the question, or a document of your own that was read for it, seems to name somebody"

Work = Callable[[Emit], Coroutine[object, object, object]]


class Visit:
    """What a page needs of the server, and who it is for.

    owner     of the runs that this visitor may see: made from the token, "" on this machine
    flags     what the server was started with, before the settings files
    reopen_context   opens the libraries anew, after one came or went
    prompts   the file of the visitor's own words for prompts, whether it is there or not
    history   the runs that are kept on the disk, each of its owner; None where none are
    """

    def __init__(self, request: Request) -> None:
        self.context: Context = request.app.state.context
        self.settings: Settings = request.app.state.settings
        self.flags: dict[str, Any] = request.app.state.flags
        self.reopen_context: Callable[[], Awaitable[None]] = request.app.state.reopen_context
        self.runs: LiveRuns = request.app.state.runs
        self.tokens: tuple[str, ...] = request.app.state.access.tokens
        # Made from the token and not the token itself: it is the name of files and rows on the disk.
        self.owner = find_owner(request)
        self.is_at_home = not self.owner
        self.prompts = self.settings.home / PROMPTS_FOLDER / f"{self.owner[:OWNER_LENGTH] or 'this-machine'}.toml"
        self.history = RunHistory(self.settings.home) if self.settings.runs else None

    def find_run(self, id: str) -> LiveRun:
        """A run of this visitor: of this server, or one that is kept. Raises HTTPException for none."""
        run = self.look_up_run(id)
        if run is None:
            raise HTTPException(404, "There is no such run here: it was deleted, or the server was started anew since.")
        return run

    def look_up_run(self, id: str) -> LiveRun | None:
        """A run of this visitor; None for "", and for one that is gone."""
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
        """The runs that are kept and not among those of this server, the newest first."""
        if self.history is None:
            return []
        # A run that is live and kept would be listed twice.
        shown = {run.kept for run in self.runs.list_of(self.owner)}
        return [one for one in self.history.list_runs_of(self.owner) if one.id not in shown]

    def delete_run(self, run: LiveRun) -> None:
        """Forget a run, here and on the disk."""
        self.runs.delete(run)
        # Also from the disk: who deletes a question wants nothing of it to stay.
        if run.kept and self.history:
            self.history.delete(run.kept, self.owner)

    def require_home(self) -> None:
        """Raises HTTPException for a visitor from elsewhere: files and settings are those of this machine."""
        if not self.is_at_home:
            raise HTTPException(403, "This is done on the machine of the server alone.")


PageVisit = Annotated[Visit, Depends(Visit)]


def shorten_title(text: str) -> str:
    """What was asked, in a line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[:TITLE_LENGTH]}…"


def begin(visit: Visit, kind: RunKind, title: str, work: Work, origin: RunOrigin = NO_ORIGIN) -> Response:
    """Begin a run, and lead to its page; an answer is kept on the disk as far as it may be."""

    async def work_and_keep(emit: Emit) -> object:
        result = await work(emit)
        # Kept in a thread, and before the run ends, so that its page can say under which id it is.
        if isinstance(result, Answer) and visit.history:
            run.kept, run.not_kept = await asyncio.to_thread(_keep, result, visit.history, visit.owner)
        return result

    run = visit.runs.start(visit.owner, kind, shorten_title(title), work_and_keep, origin)
    return RedirectResponse(f"/runs/{run.id}", 303)


def _keep(answer: Answer, history: RunHistory, owner: str) -> tuple[str, str]:
    """The id under which an answer is kept; or why it is not, which takes the answer from nobody."""
    try:
        id = history.record(answer, owner)
    # A full disk costs the record and not the answer, which was paid for.
    except (WellsourcedError, OSError) as error:
        return "", f"This answer is not kept on the disk: {error}"
    return id, "" if id else NOT_KEPT.format("it is about a patient" if answer.question.patient else NAMES_SOMEBODY)


MAX_FIELDS = 500
"""Each source that can be chosen is one."""

# A file that is sent stays in memory: it may be a patient's, and beyond this size it would be laid down in /tmp.
MultiPartParser.spool_max_size = MAX_BODY_BYTES


class SentFile(NamedTuple):
    """A file that was sent with a form: its name and its bytes."""

    name: str
    content: bytes


async def read_form(request: Request, max_files: int = 1) -> FormData:
    """The form of a request; its size is limited by AccessControl."""
    return await request.form(max_files=max_files, max_fields=MAX_FIELDS, max_part_size=MAX_BODY_BYTES)


def read_field(form: Mapping[str, object], name: str) -> str:
    """A field's text, with line ends as everywhere; "" for none."""
    value = form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


async def read_file(form: FormData, name: str) -> SentFile | None:
    """A file, without the folders of its name; None where none was chosen."""
    return next(iter(await read_files(form, name)), None)


async def read_files(form: FormData, name: str) -> list[SentFile]:
    """The files of a field, without the folders of their names."""
    sent = [one for one in form.getlist(name) if isinstance(one, UploadFile) and one.filename]
    return [
        SentFile((one.filename or "").replace("\\", "/").rpartition("/")[2] or "file", await one.read()) for one in sent
    ]


def read_question(form: Mapping[str, object]) -> Question:
    """The question of a form. Raises QuestionError for none, and for what is no date."""
    since, as_of = (_read_date(form, name) for name in ("since", "as_of"))
    # A search between them would find nothing, and the answer would blame the sources.
    if since and as_of and since > as_of:
        raise QuestionError(f"“From” ({since}) is later than “until” ({as_of}): nothing lies between them.")
    question = Question(
        text=read_field(form, "question"), patient=read_field(form, "patient"), since=since, as_of=as_of
    )
    return tidy_question(question)


def _read_date(form: Mapping[str, object], name: str) -> date | None:
    given = read_field(form, name)
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise QuestionError(f"“{given[:40]}” is no date: write 2019-05-31.") from error


def choose_sources(form: FormData, context: Context) -> Context:
    """The context with the sources that were chosen; all of them where the form lets nobody choose.

    Raises QuestionError for none.
    """
    if not form.getlist("source"):
        # A form without a choice of sources sends none; one with a choice and no mark means none.
        if read_field(form, "may_choose"):
            raise QuestionError("No source is chosen: choose at least one.")
        return context
    chosen = [source for source in context.sources if source.name in form.getlist("source")]
    if not chosen:
        raise QuestionError("No source of that name is open here: choose at least one of those that are listed.")
    # An answer says which sources were not searched, so that their silence is not taken for agreement.
    left_out = [source.name for source in context.sources if source not in chosen]
    return replace(context, sources=tuple(chosen), left_out=(*context.left_out, *left_out))


def describe_destinations(context: Context) -> str:
    """Where the words of a question may go, for whoever types them."""
    live = [source.name for source in context.sources if source.name in LIVE_SOURCES]
    if not context.outbound:
        return "Nothing that you type leaves the machine on which this server runs."
    told = []
    if live:
        told.append(f"The words of searches go to {', '.join(live)}; identifiers of people are taken out before")
    if context.has_model:
        seen = "also sees" if context.sees_patient else "never sees"
        told.append(f"the language model {context.model.name} sees the question, and {seen} the patient's text")
    told.append("a patient's text is in no search")
    return f"{'; '.join(told)}."
