"""What programs ask over HTTP: answers, checks, explanations, passages, documents, in JSON."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from wellsourced.api import ask, check, stream
from wellsourced.explain.explanation import Explanation, explain
from wellsourced.factcheck.check import Scope
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.recommend.recommendation import recommend
from wellsourced.server.pages.document_view import open_local_document
from wellsourced.server.requests import (
    PROBLEMS,
    OpenContext,
    QuestionRequest,
    ServerSettings,
    answer_once,
    finish_while_connected,
    stream_events,
    write_events,
)
from wellsourced.types import Answer, Checkup, Document, Pico, Question, Reference, Section, Value

EXAMPLE_TEXT = "Low-dose colchicine is used in gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"

Length = Annotated[int, Query(ge=0, le=100_000)]


class SearchRequest(QuestionRequest):
    """A question that is searched for, without an answer."""

    limit: int = Field(10, ge=1, le=1_000, strict=True, description="Passages, at most.")


class PatientRequest(QuestionRequest):
    """A question about one patient; PICO may say what is asked about, in parts."""

    pico: Pico | None = None

    def to_question(self) -> Question:
        """The question, which PICO makes where none is typed. Raises QuestionError for neither."""
        parts = " ".join(filter(None, self.pico.model_dump().values())) if self.pico else ""
        asked = self if self.question.strip() else self.model_copy(update={"question": parts})
        return QuestionRequest.to_question(asked).model_copy(update={"pico": self.pico if parts else None})


class CheckRequest(BaseModel):
    """A text with its references."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": EXAMPLE_TEXT}]})

    text: str = Field(min_length=1, description="Markdown, HTML or plain text, with the sources that it cites.")
    scope: Scope = Field("all", description="Put each statement to all sources, or to those whose marks it bears.")
    repair: bool = Field(False, strict=True, description="Also say how what does not stand is edited or removed.")


class OrderRequest(BaseModel):
    """A medical order: a prescription, a referral."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"order": "Furosemide 40 mg PO BID"}]})

    order: str = Field(min_length=1)
    patient: str = Field("", description="The patient's own text; it stays where a question's does.")
    question: str = Field("", description="Answer this about the order, too.")
    terms: int = Field(12, ge=0, le=40, strict=True, description="Terms, at most.")


class DocumentText(Value):
    """A stretch of a document; `length` is that of all of it."""

    reference: Reference
    sections: tuple[Section, ...]
    length: int
    start: int
    text: str


class FoundPassages(Value):
    """What was found, best first: each passage with the name of its source, and what could not be searched."""

    passages: tuple[dict[str, Any], ...]
    gaps: tuple[dict[str, Any], ...]


answers = APIRouter(responses=PROBLEMS)


@answers.post("/api/v1/ask", summary="Answer a question", response_model=Answer)
async def answer(asked: QuestionRequest, request: Request, context: OpenContext) -> Response:
    """The whole answer, as `wellsourced ask --json` prints it; an abstention is an answer, too. It takes as long as it
    takes; who closes the connection stops the work."""
    given = await answer_once(request, asked, ask(asked.to_question(), context))
    return Response(given.model_dump_json(indent=2), media_type="application/json")


@answers.post("/api/v1/recommend", summary="Answer for one patient", response_model=Answer)
async def answer_for_patient(asked: PatientRequest, request: Request, context: OpenContext) -> Response:
    """As `wellsourced recommend --json`: what sources recommend, and what they warn of for this patient."""
    given = await answer_once(request, asked, recommend(asked.to_question(), context))
    return Response(given.model_dump_json(indent=2), media_type="application/json")


@answers.post("/api/v1/check", summary="Check a text", response_model=Checkup)
async def check_text(asked: CheckRequest, request: Request, settings: ServerSettings) -> Response:
    """As `wellsourced check --json`: do the sources of a text exist, do they stand, and do they say what it says?"""
    document = await load_text_by_worker(asked.text.encode(), "the text")
    work = check(
        document if isinstance(document, Document) else document.document,
        settings=settings,
        scope=asked.scope,
        repair=asked.repair,
        keep=False,
    )
    return Response((await answer_once(request, asked, work)).model_dump_json(indent=2), media_type="application/json")


@answers.post("/api/v1/explain", summary="Explain a medical order", response_model=Explanation)
async def explain_order(asked: OrderRequest, request: Request, context: OpenContext) -> Response:
    """As `wellsourced explain --json`: the terms of an order in plain words, each from a source."""
    work = explain(asked.order, context, patient=asked.patient, asked=asked.question, limit=asked.terms)
    return Response((await answer_once(request, asked, work)).model_dump_json(indent=2), media_type="application/json")


@answers.post(
    "/api/v1/ask/events",
    summary="Answer a question, and tell what happens meanwhile",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events, the answer last"}},
)
async def answer_with_events(asked: QuestionRequest, context: OpenContext) -> StreamingResponse:
    """Server-sent events: `event` is the kind of what happened, `data` what it was, in JSON. The last is
    AnswerCompleted with the answer, or Problem. A draft is nobody's answer until it is checked."""
    question = asked.to_question()
    return stream_events(write_events(stream(question, context)))


@answers.post("/api/v1/search", summary="Search for a question, without an answer", response_model=FoundPassages)
async def search(asked: SearchRequest, request: Request, context: OpenContext) -> FoundPassages:
    """The passages that a question would be answered from, best first."""
    found = await finish_while_connected(request, retrieve(asked.to_question(), context))
    best = found.candidates[: asked.limit]
    return FoundPassages(
        passages=tuple({**one.passage.model_dump(mode="json"), "source": one.source} for one in best),
        gaps=tuple(gap.model_dump(mode="json") for gap in context.setup_gaps),
    )


@answers.get("/api/v1/document", summary="Read a document of a library on this machine")
async def read_document(
    id: str, context: OpenContext, start: Annotated[int, Query(ge=0)] = 0, length: Length = 5_000
) -> DocumentText:
    """Its text from a place on, so that document[start:end] of every citation can be read where it stands."""
    document = await open_local_document(id, context)
    return DocumentText(
        reference=document.reference,
        sections=document.sections,
        length=len(document.text),
        start=start,
        text=document.text[start : start + length],
    )
