"""What all of the API shares: a question as it is sent, the context that answers, whose a request is, how long work is
waited for, and what is told while it goes on."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import QuestionError, WellsourcedError
from wellsourced.events import AnswerCompleted, Emit, Event, ignore_event
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.server.access import describe_problem, find_token
from wellsourced.server.examples import EXAMPLE_QUESTION
from wellsourced.server.live_runs import Jobs
from wellsourced.server.request_limits import Quotas
from wellsourced.types import Question

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": told, "content": {"application/problem+json": {}}}
    for status, told in (
        (400, "What was sent is no JSON"),
        (401, "No token"),
        (404, "Not found"),
        (409, "The job was stopped meanwhile"),
        (413, "Too large"),
        (422, "A request or a question that cannot be read"),
        (429, "Too many requests, or the quota of the day is used up: Retry-After says when to come back"),
        (503, "Later"),
    )
}

KEEP_ALIVE_SECONDS = 15.0
"""A stream says that it is alive at least this often: proxies close what is silent."""

DISCONNECT_SECONDS = 0.5
"""How often it is looked whether whoever asked is still there."""

MAX_KEY_LENGTH = 200

T = TypeVar("T")

Work = Callable[[Emit], Coroutine[object, object, T]]
"""What is begun with somebody who hears its events."""


def _require_text(value: object) -> object:
    """A day is written as text: a number would be taken for seconds since 1970."""
    if value is not None and not isinstance(value, str | date):
        raise ValueError("write a day as 2019-05-31")
    return value


Day = Annotated[date, BeforeValidator(_require_text)]


class QuestionRequest(BaseModel):
    """A question, and the limits under which it is answered.

    The patient's text stays on the server's machine unless its settings name who may see it; nothing of a request is
    logged.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": EXAMPLE_QUESTION}]})

    question: str = Field(description="One question, in any language.")
    patient: str = Field("", description="A patient's own text, which the answer has to suit.")
    since: Day | None = Field(None, description="Only what was published on this day or later.")
    as_of: Day | None = Field(None, description="Only what was published on this day or earlier.")
    exclude: tuple[str, ...] = Field((), description="Documents that may not count, such as pubmed:31234567.")
    given: tuple[str, ...] = Field((), description="Documents to answer from, without a search.")
    options: dict[str, str] = Field(default_factory=dict, description="Answers to choose from: letter → text.")

    def to_question(self) -> Question:
        """The question that is meant. Raises QuestionError for none, and where nothing lies between the days."""
        if self.since and self.as_of and self.since > self.as_of:
            raise QuestionError(f"since ({self.since}) is later than as_of ({self.as_of}): nothing lies between them.")
        limits: dict[str, Any] = self.model_dump(include=QuestionRequest.model_fields.keys() - {"question"})
        return tidy_question(Question(text=self.question, **limits))


def find_context(request: Request) -> Context:
    """What answers."""
    context: Context = request.app.state.context
    return context


def find_settings(request: Request) -> Settings:
    """What the server was started with."""
    settings: Settings = request.app.state.settings
    return settings


def find_owner(request: Request) -> str:
    """Whose a request is: a digest of its token, "" on this machine."""
    token = find_token(request.headers, request.app.state.access.tokens)
    return sha256(token.encode()).hexdigest() if token else ""


RequestKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=MAX_KEY_LENGTH,
        # What a header and an address can carry alike.
        pattern="^[!-~]*$",
        description="Makes the request a job, which is done once, goes on when the connection breaks, and can be seen "
        "and stopped at /api/v1/jobs/{key}.",
    ),
]
ServerSettings = Annotated[Settings, Depends(find_settings)]
OpenContext = Annotated[Context, Depends(find_context)]


async def finish_while_connected(request: Request, work: Awaitable[T]) -> T:
    """What the work comes to; it is cancelled when nobody waits for it any more."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=DISCONNECT_SECONDS))[0]:
            if await request.is_disconnected():
                task.cancel()
        return await task
    finally:
        task.cancel()


def charge_quota(request: Request, work: Work[T], answers: int = 1) -> Work[T]:
    """The work, counted in the day of whoever asks. Raises HTTPException (429) where that is used up."""
    quotas: Quotas = request.app.state.quotas
    owner = find_owner(request)
    quotas.admit(owner, answers)
    return lambda emit: work(quotas.count_calls(owner, emit))


async def answer_once(request: Request, asked: BaseModel, key: str, work: Work[T]) -> T:
    """What the work comes to. With an Idempotency-Key it is a job: it is done once, goes on when the connection breaks,
    and who sends the same again gets the same; without one it stops when nobody waits for it any more."""
    if not key:
        return await finish_while_connected(request, charge_quota(request, work)(ignore_event))
    jobs: Jobs = request.app.state.jobs
    of = (find_owner(request), key, request.url.path, asked.model_dump_json())
    job = jobs.find_same(*of) or jobs.begin(*of, charge_quota(request, work))
    result: T = await job.wait()
    return result


async def write_events(work: Work[T], write_result: Callable[[T], str]) -> AsyncIterator[str]:
    """The events of a piece of work as they are sent, what it came to or the problem last."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def emit(event: Event) -> None:
        # What it came to is told when all of the work is done.
        if not isinstance(event, AnswerCompleted):
            loop.call_soon_threadsafe(events.put_nowait, event)

    task = asyncio.ensure_future(work(emit))
    task.add_done_callback(lambda _: loop.call_soon(events.put_nowait, None))
    try:
        while (event := await events.get()) is not None:
            yield write_event(type(event).__name__, event.model_dump_json())
        yield write_result(await task)
    except WellsourcedError as error:
        yield write_event("Problem", json.dumps(describe_problem(error)._asdict(), ensure_ascii=False))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def keep_alive(parts: AsyncIterator[str]) -> AsyncIterator[str]:
    """The parts of a stream, and a comment where nothing happens for a while."""
    waiting = asyncio.ensure_future(anext(parts, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=KEEP_ALIVE_SECONDS)
            if not done:
                yield ": still at work\n\n"
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
    """A response of server-sent events."""
    return StreamingResponse(keep_alive(parts), media_type="text/event-stream")


def write_event(kind: str, data: str) -> str:
    """One server-sent event; the data are one line of JSON."""
    return f"event: {kind}\ndata: {data}\n\n"
