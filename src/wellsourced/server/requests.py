"""What all of the API shares: a question as it is sent, the context that answers, and how long work is waited for."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import aclosing
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException

from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import QuestionError, WellsourcedError
from wellsourced.events import AnswerCompleted, Event
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.server.access import find_token
from wellsourced.server.problems import describe_problem
from wellsourced.server.request_limits import MAX_KEY_LENGTH, RepeatedRequests
from wellsourced.types import Question

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": told, "content": {"application/problem+json": {}}}
    for status, told in (
        (400, "What was sent is no JSON"),
        (401, "No token"),
        (404, "Not found"),
        (413, "Too large"),
        (422, "A request or a question that cannot be read"),
        (429, "Too many requests: Retry-After says when to come back"),
        (503, "Later"),
    )
}

KEEP_ALIVE_SECONDS = 15.0
"""A stream says that it is alive at least this often: proxies close what is silent."""

DISCONNECT_SECONDS = 0.5
"""How often it is looked whether whoever asked is still there."""

T = TypeVar("T")

EXAMPLE = "What is first-line drug therapy for heart failure with reduced ejection fraction?"


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

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": EXAMPLE}]})

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


async def answer_once(request: Request, asked: BaseModel, work: Coroutine[object, object, T]) -> T:
    """What the work comes to. With an Idempotency-Key it is done once, goes on when the connection breaks, and who
    sends the same again gets the same; without one it stops when nobody waits for it any more."""
    key = request.headers.get("idempotency-key", "")
    if not key:
        return await finish_while_connected(request, work)
    if len(key) > MAX_KEY_LENGTH:
        work.close()
        raise HTTPException(422, f"An Idempotency-Key may have {MAX_KEY_LENGTH} characters.")
    repeated: RepeatedRequests = request.app.state.repeated
    words = f"{request.url.path} {asked.model_dump_json()}"
    begun: asyncio.Task[T] = repeated.begin_once(find_owner(request), key, words, work)
    return await asyncio.shield(begun)


async def write_events(events: AsyncIterator[Event]) -> AsyncIterator[str]:
    """The events of a question as they are sent, the answer or the problem last."""
    try:
        async with aclosing(events):  # type: ignore[type-var]  # a generator
            async for event in events:
                yield write_event(type(event).__name__, event.model_dump_json())
                if isinstance(event, AnswerCompleted):
                    return
    except WellsourcedError as error:
        yield write_event("Problem", json.dumps(describe_problem(error)._asdict(), ensure_ascii=False))


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
