"""Tools for assistants that speak the Model Context Protocol: search, open, ask, check, explain.

Nothing of what is asked is logged, and on standard output stands the protocol alone.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
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
from wellsourced.recommend.recommendation import recommend
from wellsourced.server import tool_results as results
from wellsourced.server.pages.document_view import open_local_document
from wellsourced.server.pages.steps import describe_event
from wellsourced.types import Question

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


def build_tool_server(context: Context, settings: Settings) -> MCPServer:
    """The server, which answers from this context for as long as that is open."""
    server: MCPServer = MCPServer(
        "wellsourced", version=version("wellsourced"), instructions=INSTRUCTIONS, log_level="CRITICAL"
    )

    @server.tool()
    @_tell_errors
    async def search(question: str, limit: Limit = 10) -> list[results.ToolPassage]:
        """Find the passages that a medical question would be answered from, best first, and say nothing about it."""
        found = await retrieve(tidy_question(Question(text=question)), context)
        return [results.tell_passage(one.passage) for one in found.candidates[:limit]]

    @server.tool(name="open")
    @_tell_errors
    async def open_document(document: str, start: Place = 0, length: Place = 5_000) -> results.ToolDocument:
        """Read a document from a place on, at most 20,000 characters at a time. It takes the id of a passage, too."""
        return await _read_document(document, start, min(length, MAX_TEXT_LENGTH), context)

    @server.tool()
    @_tell_errors
    async def ask(
        question: str, call: ToolCall, patient: str = "", since: date | None = None, as_of: date | None = None
    ) -> results.ToolAnswer:
        """Answer a medical question from the sources, each statement with the words that it rests on, or abstain.

        patient: a patient's own text, which the answer has to suit; it stays on this machine unless the settings say
        who may see it.
        """
        if since and as_of and since > as_of:
            raise QuestionError(f"since ({since}) is later than as_of ({as_of}): nothing lies between them.")
        asked = tidy_question(Question(text=question, patient=patient, since=since, as_of=as_of))
        answering = recommend if patient.strip() else api.ask
        async with _report_progress(call) as emit:
            return results.tell_answer(await answering(asked, context, emit))

    @server.tool()
    @_tell_errors
    async def check(text: str, call: ToolCall) -> results.ToolCheck:
        """Check a text with references: do its sources exist, do they stand, and do they say what it says?"""
        async with _report_progress(call) as emit:
            checked = await api.check(text, settings=settings, keep=False, emit=emit)
            return results.tell_check(CheckedText("the text", checked))

    @server.tool()
    @_tell_errors
    async def explain(order: str, call: ToolCall, question: str = "") -> results.ToolExplanation:
        """Explain the terms of a medical order in plain words, each from a source; and answer a question about it."""
        async with _report_progress(call) as emit:
            return results.tell_explanation(await explain_order(order, context, asked=question, emit=emit))

    @server.resource("wellsourced://passage/{passage}", mime_type="text/plain")
    async def passage(passage: str) -> str:
        """The words of a passage, by its id: "doi:10.1161/…#120-480" with its special characters encoded."""
        return (await _read_document(passage, 0, MAX_TEXT_LENGTH, context)).text

    return server


async def _read_document(id: str, start: int, length: int, context: Context) -> results.ToolDocument:
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
    return results.tell_document(document, start, start + max(length, 0))
