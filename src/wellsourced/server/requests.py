"""What all routes share: who sends a request, what answers it, a question as it is sent, waiting for work, and its
events."""

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import Scope

from wellsourced import config
from wellsourced.api import follow_work
from wellsourced.config import Settings
from wellsourced.config.loader import Preset
from wellsourced.config.settings import LIVE_SOURCES
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, QuestionError, SettingsError
from wellsourced.events import AnswerCompleted, Emit, Event
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.runs.history import StoredJob
from wellsourced.runs.live import JobTaken, LiveRun, Work
from wellsourced.runs.table import RunKind, digest_text
from wellsourced.server import messages
from wellsourced.server.access import TOKEN_KEY, Role
from wellsourced.server.open_contexts import OpenContexts
from wellsourced.server.problems import PROBLEM_TYPE, describe_logged
from wellsourced.server.request_limits import Quotas
from wellsourced.server.run_registry import JobHeldElsewhere, JobInterrupted, LiveRuns
from wellsourced.server.work_queue import PATIENCE_SECONDS, WorkQueue
from wellsourced.types import Question


class NextStepView(BaseModel):
    """What the reader of an error can do, as a value."""

    kind: str = Field(description="Kind of the step, such as `install extra`.")
    value: str = Field(description='What it concerns, such as `models`; "" for nothing.')


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(description="Always `about:blank`: the status says what kind of error it is.")
    status: int = Field(description="The status of the response.")
    title: str = Field(description="The kind of error in words.")
    detail: str = Field(description="What went wrong, and what to do.")
    next_step: NextStepView | None = Field(None, description="What to do, as a value; missing where nothing is known.")


class OpenAIFault(BaseModel):
    """What went wrong, as OpenAI says it."""

    message: str = Field(description="What went wrong, and what to do.")
    type: str = Field(description="`invalid_request_error`, `server_error`, or that a rate or a quota is used up.")
    param: str | None = Field(description="The parameter at fault.")
    code: str | None = Field(description="A word that programs compare, such as `unsupported_parameter`.")


class OpenAIProblem(BaseModel):
    """An error in OpenAI's form."""

    error: OpenAIFault = Field(description="The error.")


def _describe_problems(kind: type[BaseModel], media_type: str, *left_out: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of routes whose errors have this form."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {
        status: {"description": meaning, "content": {media_type: {"schema": schema}}}
        for status, meaning in messages.STATUS_MEANINGS.items()
        if status not in left_out
    }


PROBLEMS = _describe_problems(Problem, PROBLEM_TYPE)

OPENAI_PROBLEMS = _describe_problems(OpenAIProblem, "application/json", 422)

PROMPTS_FOLDER = "prompts"

OWNER_LENGTH = 16
"""Letters of the digest of a token in the names of files."""

KEEP_ALIVE_SECONDS = 15.0
"""A stream sends something at least this often: proxies close what is silent."""

DISCONNECT_SECONDS = 0.5
"""How often to look whether the client is still connected."""

MAX_KEY_LENGTH = 200

EXAMPLE_QUESTION = "What is first-line drug therapy for heart failure with reduced ejection fraction?"

T = TypeVar("T")


def _require_text(value: object) -> object:
    """Refuse a number, which would be taken for seconds since 1970."""
    if value is not None and not isinstance(value, str | date):
        raise ValueError(messages.BAD_DAY)
    return value


Day = Annotated[date, BeforeValidator(_require_text)]


class QuestionRequest(BaseModel):
    """A question, and the limits of its answer.

    The patient's text stays on the server's machine unless its settings say who may see it. No request is logged.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": EXAMPLE_QUESTION}]})

    question: str = Field(description="One question, in any language.")
    patient: str = Field("", description="Text about a patient, whom the answer must suit.")
    since: Day | None = Field(None, description="Published on this day or later.")
    as_of: Day | None = Field(None, description="Published on this day or earlier.")
    exclude: tuple[str, ...] = Field((), description="Ids of documents to leave out, such as pubmed:31234567.")
    given: tuple[str, ...] = Field((), description="Ids of documents to answer from, without a search.")
    options: dict[str, str] = Field(default_factory=dict, description="Answers to choose from: letter → text.")
    preset: str = Field("", description="A named group of settings, such as lins; none: the server's own settings.")

    def to_question(self) -> Question:
        """Return the question. Raises QuestionError for an empty one, and for reversed days."""
        limits: dict[str, Any] = self.model_dump(include=QuestionRequest.model_fields.keys() - {"question", "preset"})
        return tidy_question(Question(text=self.question, **limits))


PRESET_SETTINGS = (
    *("preset", "planner", "expand", "reranker", "encoder"),
    *("frame", "policy", "read", "condense", "write", "check"),
)
"""What a preset that a client chooses may change: how sources are searched and read, and how the answer is written.
Everything else is the owner's: which sources and models there are, who sees what is typed, what it may cost."""

PRESETS_WITHOUT_MODEL = ("default", "hybrid", "words")
"""The presets that answer without a language model, in the sources' own sentences."""


RequestKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY_LENGTH,
        # What a header and an address can carry alike.
        pattern="^[!-~]*$",
        description="Makes the request a job: done once, even when the connection breaks. /api/v1/jobs/{key} shows and "
        "stops it.",
    ),
]


def refuse_key(
    key: Annotated[
        str, Header(alias="Idempotency-Key", max_length=0, description="Refused: this request cannot be a job.")
    ] = "",
) -> None:
    """Refuse a key where a request cannot be a job: its sender would believe that nothing is done twice."""
    assert not key  # noqa: S101 - its length was checked


NO_KEY = Depends(refuse_key)


class RequestContext:
    """A request with what the server has for it.

    owner        of the runs that whoever sends it may see: a digest of the token, "" on this machine
    is_at_home   it comes from this machine
    may_edit     it may add files to libraries: from this machine, and with a token of an editor
    library_turns   one writes to a library at a time; others wait
    flags        those of the start of the server, before the settings files
    prompts      the file of the sender's own words for prompts, which need not exist
    """

    def __init__(self, request: Request) -> None:
        state = request.app.state
        self.request = request
        self.contexts: OpenContexts = state.contexts
        self._held = self.contexts.hold()
        self.context: Context = self._held.context
        self.queue: WorkQueue = state.queue
        # What may work at the same time is a matter of the context.
        self.queue.at_once = self.context.max_concurrent_questions
        self.settings: Settings = state.settings
        self.flags: dict[str, Any] = state.flags
        self.runs: LiveRuns = state.runs
        self.quotas: Quotas = state.quotas
        self.library_turns: Mapping[str, asyncio.Lock] = state.library_turns
        self.tokens: Mapping[str, Role] = state.access.tokens
        # Not looked up again: a token that is revoked in this moment must not become nobody's, who is at home.
        self._token = token = request.scope[TOKEN_KEY]
        # Made from the token, not the token itself: it names files and rows on the disk.
        self.owner = digest_text(token) if token else ""
        self.is_at_home = not state.access.wants_token
        self.may_edit = self.is_at_home or self.tokens.get(token) == "editor"
        self.prompts = self.settings.home / PROMPTS_FOLDER / f"{self.owner[:OWNER_LENGTH] or 'this-machine'}.toml"

    def list_offered_presets(self) -> list[Preset]:
        """The presets that can answer here: without a language model few can, and one needs named documents."""
        offered = (one for one in config.list_presets() if not one.command and one.name != "oracle")
        return [one for one in offered if self.context.has_model or one.name in PRESETS_WITHOUT_MODEL]

    def require_preset(self, name: str) -> str:
        """Return the name of a preset, "" for none. Raises QuestionError for one that cannot answer here."""
        if not name:
            return ""
        try:
            chosen = config.find_preset(name)
        except SettingsError as error:
            raise QuestionError(str(error)) from error
        if chosen.command:
            raise QuestionError(messages.PRESET_OF_COMMAND.format(name=name, command=chosen.command))
        if not self.context.has_model and name not in PRESETS_WITHOUT_MODEL:
            raise QuestionError(messages.PRESET_NEEDS_MODEL.format(name=name))
        return name

    @asynccontextmanager
    async def open_preset(self, name: str) -> AsyncIterator[Context]:
        """Open the context of a preset; "": that of the server. It adds no source and no model."""
        # The server's own context is open already, with its caches warm.
        if not name or name == self.settings.preset:
            yield self.context
            return
        chosen = config.load({**self.flags, "preset": name})
        models = self.settings.models.model_copy(update={"temperature": chosen.models.temperature})
        changed = {one: getattr(chosen, one) for one in PRESET_SETTINGS}
        settings = self.settings.model_copy(update={**changed, "models": models})
        local = [source.name for source in self.context.sources if source.name not in LIVE_SOURCES]
        async with config.open_context(settings, libraries=local, live=settings.live) as opened:
            # All presets wait in one queue: how many questions this machine bears does not grow with their number.
            yield replace(opened, limiter=self.context.limiter, left_out=self.context.left_out)

    async def reopen_context(self) -> None:
        """Reopen the libraries after one was added or deleted."""
        await self.contexts.reopen()

    def release(self) -> None:
        """Let go of the context, when the response was sent."""
        self.contexts.release(self._held)

    def start_run(self, run: LiveRun, work: Work[object]) -> LiveRun:
        """Begin a run that goes on when the request has ended; its context stays open as long."""
        started = self.runs.start(run, work)
        held = self.contexts.hold(self._held)
        assert started.task  # noqa: S101 - it was just started
        started.task.add_done_callback(lambda _: self.contexts.release(held))
        return started

    def require_home(self) -> None:
        """Raise HTTPException for a visitor from elsewhere: files and settings are those of this machine."""
        if not self.is_at_home:
            raise HTTPException(403, messages.OPERATOR_ONLY)

    def require_editor(self) -> None:
        """Raise HTTPException for a visitor who may only ask and look."""
        if not self.may_edit:
            raise HTTPException(403, messages.EDITOR_ONLY)

    def find_run(self, id: str) -> LiveRun:
        """A run of this owner, live or saved. Raises NotFoundError for none."""
        if run := self.runs.find(id, self.owner):
            return run
        raise NotFoundError(messages.NO_RUN)

    def new_run(self, kind: RunKind, question: Question | None = None) -> LiveRun:
        """The run of a request: with the words of a question whose answer is recorded, else only that something
        runs."""
        if question:
            run = self.runs.recorder.new_question(question, "api", self.owner)
        else:
            run = LiveRun(kind, "", self.runs.recorder, self.owner, "api", is_private=True)
        self.runs.known.add(run)
        return run

    def charge_quota(self, work: Work[T], answers: int = 1, patience: float | None = PATIENCE_SECONDS) -> Work[T]:
        """Count the work in the day of its owner, and let it wait for its turn. Raises HTTPException: 429 where the day
        is used up, 503 where too many wait.

        answers    0: it gives none
        patience   seconds to wait for a turn; None: whoever asked is not waiting
        """
        self.queue.refuse_if_full(self.owner, patience)
        self.quotas.admit(self.owner, answers)

        async def work_in_turn(emit: Emit) -> T:
            try:
                async with self.queue.take_turn(self.owner, patience):
                    return await work(self.quotas.count_calls(self.owner, emit))
            # Who got no answer has not used one up; calls to language models were made all the same.
            except BaseException:
                if answers:
                    self.quotas.take_back(self.owner)
                raise

        return work_in_turn

    async def finish_while_connected(self, work: Awaitable[T]) -> T:
        """Wait for the work; it is cancelled when the client disconnects."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=DISCONNECT_SECONDS))[0]:
                if await self.request.is_disconnected():
                    task.cancel()
            return await task
        finally:
            task.cancel()

    def seal(self, text: str) -> str:
        """What may be written of a text that may name a patient: whoever has it, and not the token, cannot guess it."""
        return hmac.new(self._token.encode(), text.encode(), "sha256").hexdigest()

    def find_job(self, key: str) -> LiveRun | None:
        """A job of this owner, whichever server it was sent to."""
        return self.runs.find_job(self.owner, key, self.seal(key) if self.owner else "")

    async def answer_once(self, asked: BaseModel, key: str, new_run: Callable[[], LiveRun], work: Work[T]) -> T:
        """Wait for the work. With an Idempotency-Key it is a job: it is done once, goes on when the connection breaks,
        and the same request gets the same result; without one it stops when the client disconnects."""
        if not key:
            return await self.finish_while_connected(new_run().perform(self.charge_quota(work)))
        path = self.request.url.path
        request = self.seal(f"{path} {asked.model_dump_json()}")
        while True:
            elsewhere = await asyncio.to_thread(self.find_job, key)
            # Looked at again: the same request may have come in meanwhile, and from here on nothing is awaited.
            job = self.runs.find_held_job(self.owner, key) or elsewhere
            # A failure may have passed: kept under its key it could never be tried again.
            if job is None or job.state in ("failed", "stopped"):
                job = new_run()
                job.key, job.stored = key, StoredJob(self.seal(key) if self.owner else "", path, request)
                self.start_run(job, self.charge_quota(work, patience=None))
            # Another request with an old key would be given an answer to a question that it did not ask.
            elif job.stored.request != request:
                raise HTTPException(422, messages.KEY_REUSED)
            try:
                result: T = await self.runs.wait(job)
                return result
            except JobTaken:
                self.runs.forget(job)
                self.quotas.take_back(self.owner)
            # Whoever was to do it is gone: it is done here.
            except JobInterrupted:
                continue
            except JobHeldElsewhere:
                raise HTTPException(409, messages.JOB_HELD_ELSEWHERE) from None

    def stream_work(self, run: LiveRun, work: Work[T], write_result: Callable[[T], str]) -> StreamingResponse:
        """Respond with the events of a run as they are sent, and with its result or the problem last."""
        charged = self.charge_quota(work)
        return stream_events(write_events(lambda emit: run.perform(charged, emit), write_result, self.request.scope))


async def _open_request(request: Request) -> AsyncIterator[RequestContext]:
    sent = RequestContext(request)
    try:
        yield sent
    finally:
        sent.release()


SentRequest = Annotated[RequestContext, Depends(_open_request)]


async def write_events(work: Work[T], write_result: Callable[[T], str], scope: Scope) -> AsyncIterator[str]:
    """Write the events of a piece of work as they are sent, and its result or the problem last.

    scope   of the request, for the log of an unexpected error
    """
    try:
        async with aclosing(follow_work(work)) as parts:
            async for part in parts:
                if not isinstance(part, Event):
                    yield write_result(part)
                # The result is sent when all of the work is done.
                elif not isinstance(part, AnswerCompleted):
                    yield write_event(type(part).__name__, part.model_dump_json())
    # The status was sent long ago: a client reads what went wrong in the stream.
    except Exception as error:
        yield write_event("Problem", json.dumps(describe_logged(scope, error).to_json(), ensure_ascii=False))


async def keep_alive(parts: AsyncIterator[str]) -> AsyncIterator[str]:
    """Pass the parts of a stream on, with a comment where nothing happens for a while."""
    waiting = asyncio.ensure_future(anext(parts, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=KEEP_ALIVE_SECONDS)
            if not done:
                yield ": still working\n\n"
                continue
            part = waiting.result()
            if part is None:
                return
            yield part
            waiting = asyncio.ensure_future(anext(parts, None))
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await parts.aclose()  # type: ignore[attr-defined]  # a generator


def stream_events(parts: AsyncIterator[str]) -> StreamingResponse:
    """Respond with server-sent events."""
    return StreamingResponse(keep_alive(parts), media_type="text/event-stream")


def write_event(kind: str, data: str) -> str:
    """Write one server-sent event; `data` is one line of JSON."""
    return f"event: {kind}\ndata: {data}\n\n"
