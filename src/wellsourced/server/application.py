"""The application: what can be asked over HTTP, from one context that is open as long as the server runs."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from datetime import date
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.telemetry import TelemetryConfig
from pydantic import BaseModel, ConfigDict, Field

from wellsourced.api import ask, stream
from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import QuestionError, WellsourcedError
from wellsourced.events import AnswerCompleted, Event
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.server.access import Access, AccessControl
from wellsourced.server.live_runs import LiveRuns
from wellsourced.server.pages.routes import pages
from wellsourced.server.problems import add_problem_handlers, describe_problem
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Answer, Question, SourceKind, Value

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": told, "content": {"application/problem+json": {}}}
    for status, told in ((401, "No token"), (422, "A request or a question that cannot be read"), (503, "Later"))
}

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI would send what it was asked to wherever the environment says (OTEL_EXPORTER_OTLP_ENDPOINT)."""

KEEP_ALIVE_SECONDS = 15.0
"""A stream says that it is alive at least this often: proxies close what is silent."""

DISCONNECT_SECONDS = 0.5
"""How often it is looked whether whoever asked is still there."""

T = TypeVar("T")

EXAMPLE = "What is first-line drug therapy for heart failure with reduced ejection fraction?"


class QuestionRequest(BaseModel):
    """A question, and the limits under which it is answered.

    The patient's text stays on the server's machine unless its settings name who may see it; nothing of a request is
    logged.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": EXAMPLE}]})

    question: str = Field(description="One question, in any language.")
    patient: str = Field("", description="A patient's own text, which the answer has to suit.")
    since: date | None = Field(None, description="Only what was published on this day or later.")
    as_of: date | None = Field(None, description="Only what was published on this day or earlier.")
    exclude: tuple[str, ...] = Field((), description="Documents that may not count, such as pubmed:31234567.")
    given: tuple[str, ...] = Field((), description="Documents to answer from, without a search.")
    options: dict[str, str] = Field(default_factory=dict, description="Answers to choose from: letter → text.")

    def to_question(self) -> Question:
        """The question that is meant. Raises QuestionError for none, and where nothing lies between the days."""
        if self.since and self.as_of and self.since > self.as_of:
            raise QuestionError(f"since ({self.since}) is later than as_of ({self.as_of}): nothing lies between them.")
        limits: dict[str, Any] = self.model_dump(include=QuestionRequest.model_fields.keys() - {"question"})
        return tidy_question(Question(text=self.question, **limits))


class SearchRequest(QuestionRequest):
    """A question that is searched for, without an answer."""

    limit: int = Field(10, ge=1, le=1_000, description="Passages, at most.")


class SearchedSource(Value):
    """What a source says of itself.

    documents, passages   how many it holds; of a live source what it last said, 0 when unknown
    """

    name: str
    kind: SourceKind
    documents: int
    passages: int
    live: bool
    about: str

    @classmethod
    def of(cls, info: SourceInfo) -> "SearchedSource":
        """What of it is told."""
        return cls(**{name: getattr(info, name) for name in cls.model_fields})


class FoundPassages(Value):
    """What was found, best first: each passage with the name of its source, and what could not be searched."""

    passages: tuple[dict[str, Any], ...]
    gaps: tuple[dict[str, Any], ...]


def build_application(access: Access, context: Context | None = None, settings: Settings | None = None) -> FastAPI:
    """The application. Without a context it answers nothing, and describes itself."""
    application = FastAPI(
        title="wellsourced",
        version=version("wellsourced"),
        summary="Medical answers whose every sentence shows the words it rests on.",
        # The pages of FastAPI load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
    )
    state = application.state
    state.context, state.settings, state.access, state.runs = context, settings, access, LiveRuns()
    application.include_router(routes)
    application.include_router(pages)
    add_problem_handlers(application)
    application.add_middleware(AccessControl, access=access)
    return application


def _find_context(request: Request) -> Context:
    context: Context = request.app.state.context
    return context


OpenContext = Annotated[Context, Depends(_find_context)]

routes = APIRouter(responses=PROBLEMS)


@routes.get("/health", summary="Whether the server answers")
async def tell_health() -> dict[str, str]:
    """It does, if this does."""
    return {"status": "ok", "version": version("wellsourced")}


@routes.get("/api/v1/sources", summary="What is searched")
async def list_sources(context: OpenContext) -> list[SearchedSource]:
    """Every source that a question may be put to."""
    return [SearchedSource.of(await source.describe()) for source in context.sources]


@routes.post("/api/v1/ask", summary="Answer a question", response_model=Answer)
async def answer(asked: QuestionRequest, request: Request, context: OpenContext) -> Response:
    """The whole answer, as `wellsourced ask --json` prints it; an abstention is an answer, too. It takes as long as it
    takes; who closes the connection stops the work."""
    given = await _finish_while_connected(request, ask(asked.to_question(), context))
    return Response(given.model_dump_json(indent=2), media_type="application/json")


@routes.post(
    "/api/v1/ask/events",
    summary="Answer a question, and tell what happens meanwhile",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events, the answer last"}},
)
async def answer_with_events(asked: QuestionRequest, context: OpenContext) -> StreamingResponse:
    """Server-sent events: `event` is the kind of what happened, `data` what it was, in JSON. The last is
    AnswerCompleted with the answer, or Problem. A draft is nobody's answer until it is checked."""
    question = asked.to_question()
    return StreamingResponse(_write_events(stream(question, context)), media_type="text/event-stream")


@routes.post("/api/v1/search", summary="Search for a question, without an answer", response_model=FoundPassages)
async def search(asked: SearchRequest, request: Request, context: OpenContext) -> FoundPassages:
    """The passages that a question would be answered from, best first."""
    found = await _finish_while_connected(request, retrieve(asked.to_question(), context))
    best = found.candidates[: asked.limit]
    return FoundPassages(
        passages=tuple({**one.passage.model_dump(mode="json"), "source": one.source} for one in best),
        gaps=tuple(gap.model_dump(mode="json") for gap in context.setup_gaps),
    )


async def _finish_while_connected(request: Request, work: Awaitable[T]) -> T:
    """What the work comes to; it is cancelled when nobody waits for it any more."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=DISCONNECT_SECONDS))[0]:
            if await request.is_disconnected():
                task.cancel()
        return await task
    finally:
        task.cancel()


async def _write_events(events: AsyncIterator[Event]) -> AsyncIterator[str]:
    """The events as they are sent, and a comment where nothing happens for a while."""
    waiting = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=KEEP_ALIVE_SECONDS)
            if not done:
                yield ": still at work\n\n"
                continue
            event = waiting.result()
            if event is None:
                return
            yield write_event(type(event).__name__, event.model_dump_json())
            if isinstance(event, AnswerCompleted):
                return
            waiting = asyncio.ensure_future(anext(events, None))
    except WellsourcedError as error:
        yield write_event("Problem", json.dumps(describe_problem(error)._asdict(), ensure_ascii=False))
    finally:
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await events.aclose()  # type: ignore[attr-defined]  # a generator


def write_event(kind: str, data: str) -> str:
    """One server-sent event; the data are one line of JSON."""
    return f"event: {kind}\ndata: {data}\n\n"
