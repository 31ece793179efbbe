"""Tools for assistants that speak the Model Context Protocol: search, open, ask, check, explain.

Nothing of what is asked is logged, and on standard output stands the protocol alone.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import date
from functools import wraps
from importlib.metadata import version
from typing import Annotated, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver import Context as ToolCall
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from wellsourced import api
from wellsourced.app.factcheck.checked_text import CheckedText
from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, QuestionError, WellsourcedError
from wellsourced.events import Emit, Event
from wellsourced.explain.explanation import explain as explain_order
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.references import describe_retraction_status, name_work
from wellsourced.recommend.recommendation import recommend
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import LiveRun, RunRecorder
from wellsourced.server.pages.answer_view import find_address, open_local_document
from wellsourced.types import Answer, Document, Passage, Question, Statement, Value, VerdictStatus

MAX_TEXT_LENGTH = 20_000
"""Characters of a document that are given at a time."""

INSTRUCTIONS = (
    "Medical answers whose every statement shows the words of a source that it rests on. Give the quotes and the "
    "addresses with what you repeat; say that nothing was found where an answer abstains; a statement whose status is "
    "not verbatim or verified has not been checked. None of it is medical advice."
)

P = ParamSpec("P")
R = TypeVar("R")

Limit = Annotated[int, Field(ge=1, le=100)]
Place = Annotated[int, Field(ge=0)]


def _tell_errors(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Let an assistant read our errors, which say what to do; of others it learns that there was one."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await tool(*args, **kwargs)
        # Ours say what to do and hold nothing private; any other error could repeat what was asked.
        except WellsourcedError as error:
            raise ToolError(str(error)) from error

    return call


@asynccontextmanager
async def _report_progress(call: ToolCall) -> AsyncIterator[Emit]:
    """What is called with events: each step is told in words to a client that sent a progress token. How many steps
    there will be nobody knows. A draft is not told: nobody has checked it."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def emit(event: Event) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    async def send_steps() -> None:
        count = 0
        while (event := await events.get()) is not None:
            step = describe_event(event)
            if step and step.kind != "draft":
                count += 1
                await call.report_progress(count, None, step.text)

    sending = asyncio.create_task(send_steps())
    try:
        yield emit
        loop.call_soon(events.put_nowait, None)
        # The result comes last, also where a step could not be told.
        await asyncio.wait({sending})
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


class ToolPassage(Value):
    """Words of a document: text is document[start:end].

    passage      its id, which the tool `open` and resources take
    retraction   what is known of one: "not retracted, as of …", "RETRACTED (…)", "" for nothing
    """

    passage: str
    document: str
    title: str
    year: int | None
    section: str
    address: str
    retraction: str
    start: int
    end: int
    text: str


class ToolStatement(Value):
    """A statement, what may be told of it, and the words of sources that it rests on, verbatim.

    status   "verbatim" and "verified" stand; "unverified" is nobody's word yet
    """

    text: str
    status: VerdictStatus
    leads: bool
    quotes: tuple[ToolPassage, ...]


class ToolAnswer(Value):
    """An answer; when `abstained`, `reason` says why, and `statements` are what stands nearest and is no answer.

    before_all   what comes first: an emergency, and what sources say against a drug for this patient
    missing      what could not be searched, or was not found
    """

    question: str
    abstained: bool
    reason: str
    before_all: tuple[str, ...]
    decision: str
    statements: tuple[ToolStatement, ...]
    missing: tuple[str, ...]


class ToolDocument(Value):
    """A stretch of a document: text is document[start:end]; `length` is that of all of it."""

    document: str
    title: str
    address: str
    sections: tuple[str, ...]
    length: int
    start: int
    end: int
    text: str


class ToolClaim(Value):
    """A claim of a text that was checked, and the words of a source that decide it."""

    claim: str
    status: VerdictStatus
    reason: str
    source: str
    quote: str


class ToolSource(Value):
    """A source that a text names: whether it is there, whether it could be read, and what is known against it."""

    key: str
    written: str
    standing: str
    read: str
    remark: str


class ToolCheck(Value):
    """A text that was checked."""

    claims: tuple[ToolClaim, ...]
    sources: tuple[ToolSource, ...]


class ToolTerm(Value):
    """A term of an order; no statement: no source here says what it is."""

    term: str
    long_form: str
    statements: tuple[ToolStatement, ...]


class ToolExplanation(Value):
    """An order that was explained; `signs` are the program's own plain words for signs of a prescription."""

    signs: dict[str, str]
    terms: tuple[ToolTerm, ...]
    follow_up: ToolAnswer | None


def tell_passage(passage: Passage, start: int | None = None, end: int | None = None) -> ToolPassage:
    """A passage, or those words of it that stand from `start` to `end` of the document."""
    start, end = passage.start if start is None else start, passage.end if end is None else end
    reference = passage.reference
    return ToolPassage(
        passage=passage.id,
        document=reference.id,
        title=name_work(reference),
        year=reference.year,
        section=passage.section,
        address=find_address(reference),
        retraction=describe_retraction_status(reference).strip(" ()"),
        start=start,
        end=end,
        text=passage.text[start - passage.start : end - passage.start],
    )


def tell_statements(answer: Answer, statements: Iterable[Statement]) -> tuple[ToolStatement, ...]:
    """Statements of an answer, with their quotes."""
    passages = {item.passage.id: item.passage for item in answer.evidence}
    return tuple(
        ToolStatement(
            text=one.text,
            status=one.verdict.status,
            leads=one.lead,
            quotes=tuple(tell_passage(passages[c.passage_id], c.start, c.end) for c in one.citations),
        )
        for one in statements
    )


def tell_answer(answer: Answer) -> ToolAnswer:
    """An answer, or why there is none."""
    # Apart from the statements: an assistant that quotes only those must still meet the alarm.
    emergency = [f"{answer.emergency.kind}: {answer.emergency.advice}"] if answer.emergency else []
    warnings = [one.sentence for one in answer.recommendation.warnings] if answer.recommendation else []
    decision = answer.decision
    return ToolAnswer(
        question=answer.question.text,
        abstained=answer.abstained,
        reason=answer.reason,
        before_all=(*emergency, *warnings),
        decision=f"{decision.label} (right in {decision.probability:.0%} of such answers)" if decision else "",
        # What an abstention found is given too, under `abstained`, which INSTRUCTIONS tell the assistant to say.
        statements=tell_statements(answer, answer.found_instead if answer.abstained else answer.statements),
        missing=(*(f"{gap.source} ({gap.status}): {gap.reason}" for gap in answer.gaps), *answer.not_found),
    )


def tell_document(document: Document, start: int, end: int) -> ToolDocument:
    """document[start:end]."""
    return ToolDocument(
        document=document.reference.id,
        title=name_work(document.reference),
        address=find_address(document.reference),
        sections=tuple(one.title for one in document.sections if one.title),
        length=len(document.text),
        start=start,
        end=min(end, len(document.text)),
        text=document.text[start:end],
    )


def build_tool_server(context: Context, settings: Settings) -> MCPServer:
    """The server, which answers from this context for as long as that is open."""
    server: MCPServer = MCPServer(
        "wellsourced", version=version("wellsourced"), instructions=INSTRUCTIONS, log_level="CRITICAL"
    )
    recorder = RunRecorder(RunHistory(settings.home) if settings.runs else None, describe_event)

    @server.tool()
    @_tell_errors
    async def search(question: str, limit: Limit = 10) -> list[ToolPassage]:
        """Find the passages that a medical question would be answered from, best first, and say nothing about it."""
        found = await retrieve(tidy_question(Question(text=question)), context)
        return [tell_passage(one.passage) for one in found.candidates[:limit]]

    @server.tool(name="open")
    @_tell_errors
    async def open_document(document: str, start: Place = 0, length: Place = 5_000) -> ToolDocument:
        """Read a document from a place on, at most 20,000 characters at a time. It takes the id of a passage, too."""
        return await _read_document(document, start, min(length, MAX_TEXT_LENGTH), context)

    @server.tool()
    @_tell_errors
    async def ask(
        question: str, call: ToolCall, patient: str = "", since: date | None = None, as_of: date | None = None
    ) -> ToolAnswer:
        """Answer a medical question from the sources, each statement with the words that it rests on, or abstain.

        patient: a patient's own text, which the answer has to suit; it stays on this machine unless the settings say
        who may see it.
        """
        if since and as_of and since > as_of:
            raise QuestionError(f"since ({since}) is later than as_of ({as_of}): nothing lies between them.")
        asked = tidy_question(Question(text=question, patient=patient, since=since, as_of=as_of))
        answering = recommend if patient.strip() else api.ask
        run = recorder.new_question(asked, "assistant")
        async with _report_progress(call) as emit:
            return tell_answer(await run.perform(lambda hear: answering(asked, context, hear), emit))

    @server.tool()
    @_tell_errors
    async def check(text: str, call: ToolCall) -> ToolCheck:
        """Check a text with references: do its sources exist, do they stand, and do they say what it says?"""
        async with _report_progress(call) as emit:
            run = LiveRun("text", "", recorder, surface="assistant")
            checked = await run.perform(lambda hear: api.check(text, settings=settings, keep=False, emit=hear), emit)
            result = CheckedText("the text", checked)
            claims = []
            for claim, verdict in result.judged_claims:
                pairs = result.find_deciding(claim, verdict)
                quote, source = (pairs[0].quote, pairs[0].source) if pairs else ("", "")
                claims.append(
                    ToolClaim(
                        claim=claim.text, status=verdict.status, reason=verdict.reason, source=source, quote=quote
                    )
                )
            written = {one.key: one.written for one in result.checkup.submitted.sources}
            sources = tuple(
                ToolSource(
                    key=one.key,
                    written=written.get(one.key, ""),
                    standing=one.standing,
                    read=one.fetched,
                    remark="; ".join(
                        filter(None, (one.reason, one.reference.retraction.objection if one.reference else ""))
                    ),
                )
                for one in result.checkup.traced
            )
            return ToolCheck(claims=tuple(claims), sources=sources)

    @server.tool()
    @_tell_errors
    async def explain(order: str, call: ToolCall, question: str = "") -> ToolExplanation:
        """Explain the terms of a medical order in plain words, each from a source; and answer a question about it."""
        async with _report_progress(call) as emit:
            run = LiveRun("order", "", recorder, surface="assistant")
            told = await run.perform(lambda hear: explain_order(order, context, asked=question, emit=hear), emit)
            return ToolExplanation(
                signs={one.sign: one.meaning for one in told.signs},
                terms=tuple(
                    ToolTerm(
                        term=one.term,
                        long_form=one.long_form,
                        statements=tell_statements(one.answer, one.answer.statements),
                    )
                    for one in told.terms
                ),
                follow_up=tell_answer(told.follow_up) if told.follow_up else None,
            )

    @server.resource("wellsourced://passage/{passage}", mime_type="text/plain")
    async def passage(passage: str) -> str:
        """The words of a passage, by its id: "doi:10.1161/…#120-480" with its special characters encoded."""
        return (await _read_document(passage, 0, MAX_TEXT_LENGTH, context)).text

    return server


async def _read_document(id: str, start: int, length: int, context: Context) -> ToolDocument:
    """A document's text from a place on, or the passage whose id is given. Raises NotFoundError."""
    name, _, span = id.partition("#")
    first, dash, last = span.partition("-")
    # An id of a passage ends with its span, which is all that is wanted of the document.
    if dash and first.isdecimal() and last.isdecimal():
        start, length = int(first), min(int(last) - int(first), length)
    document = await open_local_document(name, context)
    if start >= len(document.text):
        # An empty stretch would look like the end of an empty document.
        raise NotFoundError(f"{name} has {len(document.text):,} characters: nothing stands at {start:,}.")
    return tell_document(document, start, start + max(length, 0))
