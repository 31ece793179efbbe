"""Tools for assistants that speak the Model Context Protocol: search, open, ask, check, explain.

No question is logged, and nothing but the protocol is printed to standard output.
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
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from wellsourced import api
from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import NextStep, NotFoundError, QuestionError, WellsourcedError
from wellsourced.events import Emit, Event
from wellsourced.explain.explanation import explain as explain_order
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.pipeline.frame.question_framing import tidy_question
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.presentation.answers import build_answer
from wellsourced.presentation.blocks import Presentation
from wellsourced.presentation.checks import present_checks
from wellsourced.presentation.explanations import build_explanation
from wellsourced.presentation.json_schema import list_schemas, to_excerpt, to_search_findings
from wellsourced.presentation.markdown import write_tool_text
from wellsourced.presentation.progress import describe_event
from wellsourced.presentation.searches import build_search
from wellsourced.recommend.recommendation import recommend
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import LiveRun, RunRecorder
from wellsourced.server import messages
from wellsourced.server.local_documents import open_local_document
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import DocumentExcerpt, PublicResult, Question

MAX_TEXT_LENGTH = 20_000
"""Characters of a document that are given at a time."""

P = ParamSpec("P")
R = TypeVar("R")

Limit = Annotated[int, Field(ge=1, le=100)]
Place = Annotated[int, Field(ge=0)]


def _spell_step(step: NextStep | None) -> str:
    return messages.spell_next_step(step, messages.TOOL_STEPS)


def _tell_errors(tool: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Let an assistant read our errors, which say what to do; of others it learns that there was one."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await tool(*args, **kwargs)
        # Ours say what to do and hold nothing private; any other error could repeat what was asked.
        except WellsourcedError as error:
            raise ToolError(f"{error} {_spell_step(error.next_step)}".strip()) from error

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


def _give(result: PublicResult, shown: Presentation | str) -> CallToolResult:
    """What an assistant gets: text for its model, and the same object as `--json` and HTTP for a program."""
    text = shown if isinstance(shown, str) else write_tool_text(shown, _spell_step)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=result.model_dump(mode="json")
    )


def build_tool_server(context: Context, settings: Settings) -> MCPServer:
    """The server, which answers from this context for as long as that is open."""
    schemas = list_schemas()
    tools: list[Tool] = []
    recorder = RunRecorder(RunHistory(settings.home) if settings.runs else None, describe_event)

    def add_tool(kind: str, name: str = "") -> Callable[[Callable[P, Awaitable[CallToolResult]]], None]:
        def add(call: Callable[P, Awaitable[CallToolResult]]) -> None:
            tool = Tool.from_function(_tell_errors(call), name or call.__name__)
            # The library would describe what is read, without computed fields; clients refuse what is not described.
            tool.fn_metadata.output_schema = schemas[kind]
            tools.append(tool)

        return add

    @add_tool("search")
    async def search(question: str, limit: Limit = 10) -> CallToolResult:
        """Find the passages that a medical question would be answered from, best first."""
        found = await retrieve(tidy_question(Question(text=question)), context)
        shown = build_search(found, context.setup_gaps, limit)
        return _give(to_search_findings(found, context.setup_gaps, limit), shown)

    @add_tool("document", "open")
    async def open_document(document: str, start: Place = 0, length: Place = 5_000) -> CallToolResult:
        """Read a document from a place on, at most 20,000 characters at a time, or the passage with this id."""
        excerpt = await _read_document(document, start, min(length, MAX_TEXT_LENGTH), context)
        return _give(excerpt, sanitize_text(excerpt.text))

    @add_tool("answer")
    async def ask(
        question: str, call: ToolCall, patient: str = "", since: date | None = None, as_of: date | None = None
    ) -> CallToolResult:
        """Answer a medical question from the sources, each statement with the words that support it, or abstain.

        patient: text about a patient whom the answer must suit; it stays on this machine unless the settings say who
        may see it.
        """
        if since and as_of and since > as_of:
            raise QuestionError(messages.reversed_dates(since, as_of))
        asked = tidy_question(Question(text=question, patient=patient, since=since, as_of=as_of))
        answering = recommend if patient.strip() else api.ask
        run = recorder.new_question(asked, "assistant")
        async with _report_progress(call) as emit:
            answer = await run.perform(lambda hear: answering(asked, context, hear), emit)
        return _give(answer, build_answer(answer))

    @add_tool("check")
    async def check(text: str, call: ToolCall) -> CallToolResult:
        """Check a text with references: do its sources exist, are they retracted, do they say what the text says?"""
        async with _report_progress(call) as emit:
            run = LiveRun("text", "", recorder, surface="assistant")
            checkup = await run.perform(lambda hear: api.check(text, settings=settings, keep=False, emit=hear), emit)
        shown = present_checks([CheckedText("the text", checkup)], {})
        return _give(checkup, shown)

    @add_tool("explanation")
    async def explain(order: str, call: ToolCall, question: str = "") -> CallToolResult:
        """Explain the terms of a medical order in plain words, each from a source; answer a question about it."""
        async with _report_progress(call) as emit:
            run = LiveRun("order", "", recorder, surface="assistant")
            explained = await run.perform(lambda hear: explain_order(order, context, asked=question, emit=hear), emit)
        return _give(explained, build_explanation(explained))

    server: MCPServer = MCPServer(
        "wellsourced",
        version=version("wellsourced"),
        instructions=messages.TOOL_INSTRUCTIONS,
        tools=tools,
        log_level="CRITICAL",
    )

    @server.resource("wellsourced://passage/{passage}", mime_type="text/plain")
    async def passage(passage: str) -> str:
        """The words of a passage, by its id: "doi:10.1161/…#120-480" with its special characters encoded."""
        return (await _read_document(passage, 0, MAX_TEXT_LENGTH, context)).text

    return server


async def _read_document(id: str, start: int, length: int, context: Context) -> DocumentExcerpt:
    """A document's text from a place on, or the passage whose id is given. Raises NotFoundError."""
    name, _, span = id.partition("#")
    first, dash, last = span.partition("-")
    # An id of a passage ends with its span, which is all that is wanted of the document.
    if dash and first.isdecimal() and last.isdecimal():
        start, length = int(first), min(int(last) - int(first), length)
    document = await open_local_document(name, context)
    if start >= len(document.text):
        # An empty stretch would look like the end of an empty document.
        raise NotFoundError(messages.past_end(name, len(document.text), start))
    return to_excerpt(document, start, length)
