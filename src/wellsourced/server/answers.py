"""Routes for programs: answers, checks, explanations, passages and documents, in JSON."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from wellsourced.api import ask, check
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.config import Settings
from wellsourced.events import AnswerCompleted, Emit, ignore_event
from wellsourced.factcheck.check import Scope
from wellsourced.factcheck.load.text_files import load_text_by_worker
from wellsourced.orders.explanation import Explanation, explain
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.presentation.json_schema import to_excerpt, to_search_findings
from wellsourced.recommendation import recommend
from wellsourced.runs.live import Work
from wellsourced.server.local_documents import find_local_document
from wellsourced.server.requests import (
    NO_KEY,
    PROBLEMS,
    QuestionRequest,
    RequestContext,
    RequestKey,
    SentRequest,
    write_event,
)
from wellsourced.types import Answer, Checkup, Document, DocumentExcerpt, Pico, Question, SearchFindings, Value

DocumentId = Annotated[str, Query(description="Its id, as citations have it, such as pubmed:31234567.")]
Start = Annotated[int, Query(ge=0, description="The first character to read.")]
Length = Annotated[int, Query(ge=0, le=100_000, description="Characters to read, at most.")]


class SearchRequest(QuestionRequest):
    """A question to search for, without an answer."""

    limit: int = Field(10, ge=1, le=1_000, strict=True, description="Passages, at most.")


class PatientRequest(QuestionRequest):
    """A question about one patient, in words or as PICO."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"question": "Should she take metformin?", "patient": "type 2 diabetes, eGFR 22"}]
        }
    )

    pico: Pico | None = Field(None, description="The question as PICO, in place of words.")

    def to_question(self) -> Question:
        """Return the question, made from PICO where it is empty. Raises QuestionError for neither."""
        parts = " ".join(filter(None, self.pico.model_dump().values())) if self.pico else ""
        asked = self if self.question.strip() else self.model_copy(update={"question": parts})
        return QuestionRequest.to_question(asked).model_copy(update={"pico": self.pico if parts else None})


class CheckRequest(BaseModel):
    """A text with its references."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"text": "Colchicine shortens gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"}]
        },
    )

    text: str = Field(min_length=1, description="Markdown, HTML or plain text, with its references.")
    scope: Scope = Field("all", description="Compare each statement with all sources, or only with those it cites.")
    repair: bool = Field(False, strict=True, description="Also say how to edit or remove unsupported statements.")


class OrderRequest(BaseModel):
    """A medical order: a prescription, a referral."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"order": "Furosemide 40 mg PO BID"}]})

    order: str = Field(min_length=1, description="The text of the order.")
    patient: str = Field("", description="Text about the patient, treated as that of a question.")
    question: str = Field("", description="A question about the order, answered too.")
    terms: int = Field(12, ge=0, le=40, strict=True, description="Terms, at most.")


answers = APIRouter(responses=PROBLEMS, tags=["Answers"])


def _begin_answer(
    asked: QuestionRequest, sent: RequestContext, answering: Callable[..., Awaitable[Answer]] = ask
) -> tuple[Question, Work[Answer]]:
    """A question, and the work that answers it. Raises QuestionError for a preset that cannot answer here."""
    question, preset = asked.to_question(), sent.require_preset(asked.preset)

    async def work(emit: Emit) -> Answer:
        async with sent.open_preset(preset) as context:
            return await answering(question, context, emit)

    return question, work


async def _begin_check(asked: CheckRequest, settings: Settings) -> Work[Checkup]:
    """Prepare a check of a text, read in a worker with limits. Raises UnreadableFile."""
    loaded = await load_text_by_worker(asked.text.encode(), "the text")
    document = loaded if isinstance(loaded, Document) else loaded.document
    return lambda emit: check(
        document, settings=settings, scope=asked.scope, repair=asked.repair, keep=False, emit=emit
    )


@answers.post("/api/v1/ask", summary="Answer a question", response_model=Answer)
async def answer(asked: QuestionRequest, sent: SentRequest, key: RequestKey = "") -> Response:
    """Returns the whole answer; an abstention is an answer, too. Closing the connection stops the work, unless it is a
    job. /api/v1/runs records the answer, but never one about a patient."""
    question, work = _begin_answer(asked, sent)
    return _render(await sent.answer_once(asked, key, lambda: sent.new_run("question", question), work))


@answers.post("/api/v1/recommend", summary="Answer for one patient", response_model=Answer)
async def answer_for_patient(asked: PatientRequest, sent: SentRequest, key: RequestKey = "") -> Response:
    """Returns what sources recommend, and what they warn of for this patient. The answer is never recorded."""
    _, work = _begin_answer(asked, sent, recommend)
    return _render(await sent.answer_once(asked, key, lambda: sent.new_run("question"), work))


@answers.post("/api/v1/check", summary="Check a text", response_model=Checkup)
async def check_text(asked: CheckRequest, sent: SentRequest, key: RequestKey = "") -> Response:
    """Do the sources of a text exist, were they retracted, and do they say what the text says?"""
    work = await _begin_check(asked, sent.settings)
    return _render(await sent.answer_once(asked, key, lambda: sent.new_run("text"), work))


@answers.post("/api/v1/explain", summary="Explain a medical order", response_model=Explanation)
async def explain_order(asked: OrderRequest, sent: SentRequest, key: RequestKey = "") -> Response:
    """Explains the terms of an order in plain words, each from a source."""

    async def work(emit: Emit) -> Explanation:
        return await explain(
            asked.order, sent.context, patient=asked.patient, asked=asked.question, limit=asked.terms, emit=emit
        )

    return _render(await sent.answer_once(asked, key, lambda: sent.new_run("order"), work))


def _render(result: Value) -> Response:
    return Response(result.model_dump_json(indent=2), media_type="application/json")


def describe_events(last: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route of server-sent events, the last of which is of this kind."""
    return {200: {"content": {"text/event-stream": {}}, "description": f"Server-sent events, {last} last"}}


@answers.post(
    "/api/v1/ask/events",
    summary="Answer a question, with its progress",
    response_class=StreamingResponse,
    dependencies=[NO_KEY],
    responses=describe_events("AnswerCompleted"),
)
async def answer_with_events(asked: QuestionRequest, sent: SentRequest) -> StreamingResponse:
    """Sends server-sent events: `event` is the kind, `data` its JSON. The last is AnswerCompleted with the answer, or
    Problem. A draft is not yet checked. The answer is recorded as that of /api/v1/ask. Closing the connection stops
    the work."""
    question, work = _begin_answer(asked, sent)
    return sent.stream_work(
        sent.new_run("question", question),
        work,
        lambda given: write_event("AnswerCompleted", AnswerCompleted(answer=given).model_dump_json()),
    )


@answers.post(
    "/api/v1/check/events",
    summary="Check a text, with its progress",
    response_class=StreamingResponse,
    dependencies=[NO_KEY],
    responses=describe_events("CheckCompleted"),
)
async def check_with_events(asked: CheckRequest, sent: SentRequest) -> StreamingResponse:
    """Sends server-sent events: Progress for each source, ModelCalled for each call to a language model. The last is
    CheckCompleted with the `checkup`, or Problem."""
    return sent.stream_work(
        sent.new_run("text"),
        await _begin_check(asked, sent.settings),
        lambda given: write_event("CheckCompleted", f'{{"checkup":{given.model_dump_json()}}}'),
    )


@answers.post("/api/v1/search", summary="Search for a question, without an answer", dependencies=[NO_KEY])
async def search(asked: SearchRequest, sent: SentRequest) -> SearchFindings:
    """Returns the passages that a question would be answered from, best first."""
    question, preset = asked.to_question(), sent.require_preset(asked.preset)

    async def work(emit: Emit) -> RetrievalResult:
        async with sent.open_preset(preset) as context:
            with use_cost_tracker(CostTracker(context.budget, emit)):
                return await retrieve(question, context)

    found = await sent.finish_while_connected(sent.charge_quota(work, answers=0)(ignore_event))
    return to_search_findings(found, sent.context.setup_gaps, asked.limit)


@answers.get("/api/v1/document", summary="Read a document of a library on this machine")
async def read_document(id: DocumentId, sent: SentRequest, start: Start = 0, length: Length = 5_000) -> DocumentExcerpt:
    """Returns its text from `start` on, so that the words of every citation can be read in their place."""
    document, _ = await find_local_document(id, sent.context)
    return to_excerpt(document, start, length)
