"""Tools for assistants that speak the Model Context Protocol: search, open, ask, check, explain.

Results are short, since they fill the context of a model; a link leads to the whole. No question is logged, and nothing
but the protocol is printed to standard output.
"""

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from inspect import signature
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver import Context as ToolCall
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from wellsourced import api
from wellsourced.config import Settings
from wellsourced.context import Context
from wellsourced.errors import NextStep, NotFoundError, WellsourcedError
from wellsourced.factcheck.checked_text import CheckedText
from wellsourced.orders.explanation import explain as explain_order
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
from wellsourced.recommendation import recommend
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import LiveRun, RunRecorder, Work
from wellsourced.server import messages
from wellsourced.server.local_documents import find_local_document
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import Checkup, DocumentExcerpt, PublicResult, Question

MAX_TEXT_LENGTH = 20_000
"""Characters of a document that are given at a time."""

RESULT_ADDRESS = "wellsourced://result/"
SOURCES_ADDRESS = "wellsourced://sources"

MAX_WHOLE_RESULTS = 20
"""Whole results in memory: those about a patient, and checks, are nowhere else."""

LEFT_OUT = frozenset(
    {"attempts", "dropped", "checks", "preflight", "spent", "timings", "quotes", "appraisal", "shares", "differences"}
)
"""Fields of the record of an answer or a check, which a link leads to."""

OPENED_ELSEWHERE = {"passage": ("text", "section"), "document": ("text",), "verdict": ("quote",)}
"""Value → its fields whose words the tool `open` reads, or which stand beside it."""

FORMER_NAMES = {"document": "id"}
"""Name of an argument in releases before this one → today's."""

Result = TypeVar("Result", bound=PublicResult)

AskedQuestion = Annotated[str, Field(description="One medical question, in any language.")]
Limit = Annotated[int, Field(ge=1, le=100, description="Passages, at most.")]
OpenedId = Annotated[str, Field(description="Id of a document or a passage, as search and ask give it.")]
Start = Annotated[int, Field(ge=0, description="First character to read, from 0.")]
Length = Annotated[int, Field(ge=0, description="Characters to read: at most 20,000 at a time.")]
Patient = Annotated[
    str,
    Field(
        description="Text about a patient, whom the answer must suit. It stays on this machine, unless the settings "
        "say who may see it."
    ),
]
Since = Annotated[date | None, Field(description="Only what was published on this day or later: 2019-05-31.")]
AsOf = Annotated[date | None, Field(description="Only what was published on this day or earlier: 2019-05-31.")]
CheckedWords = Annotated[str, Field(description="Markdown, HTML or plain text, with its references.")]
Order = Annotated[str, Field(description="Text of a medical order, such as a prescription or a referral.")]
OrderQuestion = Annotated[str, Field(description="A question about the order, answered too.")]


def _spell_step(step: NextStep | None) -> str:
    return messages.spell_next_step(step, messages.TOOL_STEPS)


class PlainTool(Tool):
    """A tool of whose errors an assistant reads ours, which say what to do; of others it learns that there was one."""

    async def run(self, arguments: dict[str, Any], context: ToolCall[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool. Raises ToolError with a plain sentence."""
        arguments = {FORMER_NAMES.get(name, name): value for name, value in arguments.items()}
        names = self.fn_metadata.arg_model.model_fields
        # The library would ignore a misspelt argument, and the answer would not be what was asked for.
        faults = [messages.UNKNOWN_ARGUMENT.format(name=name[:40]) for name in arguments if name not in names]
        try:
            if not faults:
                return await super().run(arguments, context, convert_result)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, WellsourcedError):
                raise ToolError(f"{cause} {_spell_step(cause.next_step)}".strip()) from error
            # Any other error could repeat what was asked.
            if isinstance(error, UnexpectedToolError) or not isinstance(cause, ValidationError):
                raise
            faults = [_describe_fault(fault) for fault in cause.errors()]
        raise ToolError(messages.BAD_ARGUMENTS.format(tool=self.name, names=", ".join(names), faults=", ".join(faults)))


def _describe_fault(fault: ErrorDetails) -> str:
    """What is wrong with an argument; its value is not repeated."""
    template = messages.MISSING_ARGUMENT if fault["type"] == "missing" else messages.BAD_ARGUMENT
    return template.format(name=fault["loc"][0], fault=fault["msg"].lower())


def _give(result: PublicResult, shown: Presentation | str, run: LiveRun | None = None) -> CallToolResult:
    """What an assistant gets: text for its model, a short object for a program, and a link to all of it."""
    content: list[ContentBlock] = [
        TextContent(type="text", text=shown if isinstance(shown, str) else write_tool_text(shown, _spell_step))
    ]
    if run:
        address = f"{RESULT_ADDRESS}{run.line.short_id}"
        content.append(ResourceLink(name=messages.WHOLE_RESULT, uri=address, mime_type="application/json"))
    return CallToolResult(content=content, structured_content=shorten_result(result))


def shorten_result(result: PublicResult) -> dict[str, Any]:
    """Return the JSON of a result without defaults and LEFT_OUT, with the passages that are cited, and no text of them.

    The record of a work is given once; later its `id` and `year` stand for it.
    """
    if isinstance(result, Checkup):
        told = ("verbatim", "verified", "contradicted")
        deciding = (pair for pair in result.pairings if pair.own or pair.verdict.status in told)
        result = result.model_copy(update={"pairings": tuple(deciding)})
    whole = result.model_dump(mode="json", exclude_defaults=True)
    return {**result.model_dump(include={"version", "kind"}), **_shorten(whole, set())}


def _shorten(value: Any, works: set[str]) -> Any:
    """`works`: the ids of those whose records were given."""
    if isinstance(value, list):
        return [_shorten(part, works) for part in value]
    if not isinstance(value, dict):
        return value
    kept = {name: part for name, part in value.items() if name not in LEFT_OUT}
    if "evidence" in kept:
        cited = {*_list_cited(value)}
        kept["evidence"] = [item for item in kept["evidence"] if item["passage"]["id"] in cited]
    # Of a row of a table each statement cites the heads of its columns, several times.
    if "citations" in kept:
        kept["citations"] = list({tuple(one.values()): one for one in kept["citations"]}.values())
    for name in kept.keys() & OPENED_ELSEWHERE.keys():
        kept[name] = {field: part for field, part in kept[name].items() if field not in OPENED_ELSEWHERE[name]}
    if (work := kept.get("reference", {}).get("id")) in works:
        kept["reference"] = {"id": work, "year": kept["reference"]["year"]}
    works |= {work} if work else set()
    return {name: _shorten(part, works) for name, part in kept.items()}


def _list_cited(value: Any) -> Iterator[str]:
    """The ids of passages that an answer cites, or sets against each other."""
    if isinstance(value, dict):
        yield from [value["passage_id"]] if "passage_id" in value else []
        value = value.values()
    for part in value if not isinstance(value, str | int | float | None) else ():
        yield from _list_cited(part)


class ToolServer:
    """The tools and their resources, which answer from a context for as long as that is open."""

    def __init__(self, context: Context, settings: Settings) -> None:
        self.context, self.settings = context, settings
        self.history = RunHistory(settings.home, settings.storage.url) if settings.runs else None
        self.recorder = RunRecorder(self.history, describe_event)
        self.results: dict[str, PublicResult] = {}

    async def search(self, question: AskedQuestion, limit: Limit = 10) -> CallToolResult:
        """Find the passages that a medical question would be answered from, best first."""
        found = await retrieve(tidy_question(Question(text=question)), self.context)
        shown = build_search(found, self.context.setup_gaps, limit)
        return _give(to_search_findings(found, self.context.setup_gaps, limit), shown)

    async def open(self, id: OpenedId, start: Start = 0, length: Length = 5_000) -> CallToolResult:
        """Read a document from a place on, at most 20,000 characters at a time, or the passage with this id."""
        excerpt = await self._read_document(id, start, min(length, MAX_TEXT_LENGTH))
        return _give(excerpt, sanitize_text(excerpt.text))

    async def ask(
        self, question: AskedQuestion, call: ToolCall, patient: Patient = "", since: Since = None, as_of: AsOf = None
    ) -> CallToolResult:
        """Answer a medical question from the sources, each statement with the words that support it, or abstain."""
        asked = tidy_question(Question(text=question, patient=patient, since=since, as_of=as_of))
        answering = recommend if patient.strip() else api.ask
        run = self.recorder.new_question(asked, "assistant")
        answer = await self._perform(run, lambda emit: answering(asked, self.context, emit), call)
        return _give(answer, build_answer(answer), run)

    async def check(self, text: CheckedWords, call: ToolCall) -> CallToolResult:
        """Check a text with references: do its sources exist, are they retracted, do they say what the text says?"""
        run = LiveRun("text", "", self.recorder, surface="assistant")
        done = await self._perform(
            run, lambda emit: api.check(text, settings=self.settings, keep=False, emit=emit), call
        )
        return _give(done, present_checks([CheckedText("the text", done)], {}), run)

    async def explain(self, order: Order, call: ToolCall, question: OrderQuestion = "") -> CallToolResult:
        """Explain the terms of a medical order in plain words, each from a source; answer a question about it."""
        run = LiveRun("order", "", self.recorder, surface="assistant")
        explained = await self._perform(
            run, lambda emit: explain_order(order, self.context, asked=question, emit=emit), call
        )
        return _give(explained, build_explanation(explained), run)

    async def read_result(self, id: str) -> str:
        """The whole result of a tool, as JSON: one of the last, or an answer of the history."""
        result = self.results.get(id) or (self.history.load(id, owner="") if self.history else None)
        if result is None:
            raise NotFoundError(messages.NO_RUN)
        return result.model_dump_json()

    async def list_sources(self) -> str:
        """What is searched: each source with its kind, its size and its years, as JSON."""
        known = [(await source.describe())._asdict() for source in self.context.sources]
        return json.dumps(known, ensure_ascii=False, default=str)

    async def _perform(self, run: LiveRun, work: Work[Result], call: ToolCall) -> Result:
        """What a run comes to, which `read_result` gives. Each step is told in words to a client that sent a progress
        token; how many there will be nobody knows. A draft is not told: nobody has checked it."""
        working = asyncio.ensure_future(run.perform(work))
        try:
            count = 0
            async for _, step in run.follow():
                if step.kind != "draft":
                    count += 1
                    await call.report_progress(count, None, step.text)
            result = await working
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
        self.results[run.line.short_id] = result
        if len(self.results) > MAX_WHOLE_RESULTS:
            del self.results[next(iter(self.results))]
        return result

    async def _read_document(self, id: str, start: int, length: int) -> DocumentExcerpt:
        """A document's text from a place on, or the passage whose id is given. Raises NotFoundError."""
        name, _, span = id.partition("#")
        first, dash, last = span.partition("-")
        # An id of a passage ends with its span, which is all that is wanted of the document.
        if dash and first.isdecimal() and last.isdecimal():
            start, length = int(first), min(int(last) - int(first), length)
        document, _ = await find_local_document(name, self.context)
        if start >= len(document.text):
            # An empty stretch would look like the end of an empty document.
            raise NotFoundError(messages.PAST_END.format(document=name, length=len(document.text), start=start))
        return to_excerpt(document, start, length)


def write_question_prompt(question: AskedQuestion) -> str:
    """Answer a medical question, with the words of sources."""
    return messages.QUESTION_PROMPT.format(question=question)


def write_check_prompt(text: CheckedWords) -> str:
    """Check the statements and the references of a text."""
    return messages.CHECK_PROMPT.format(text=text)


PROMPTS = {"answer-with-sources": write_question_prompt, "check-references": write_check_prompt}


class PlainServer(MCPServer):
    """A server that says what is wrong with a prompt or a resource that it does not have."""

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """Return a prompt. Raises MCPError that says what there is, or which argument is missing."""
        if (write := PROMPTS.get(name)) is None:
            raise MCPError(INVALID_PARAMS, messages.NO_PROMPT.format(names=", ".join(PROMPTS)))
        names, given = list(signature(write).parameters), arguments or {}
        if given.keys() != set(names) or not all(words.strip() for words in given.values()):
            raise MCPError(INVALID_PARAMS, messages.PROMPT_TAKES.format(name=name, names=", ".join(names)))
        return await super().get_prompt(name, arguments, context)

    async def read_resource(self, uri: Any, context: Any = None) -> Any:
        """Read a resource. Raises MCPError with a plain sentence."""
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            cause = error.__cause__
            if isinstance(cause, WellsourcedError):
                raise MCPError(INVALID_PARAMS, f"{cause} {_spell_step(cause.next_step)}".strip()) from error
            raise


def build_tool_server(context: Context, settings: Settings) -> MCPServer:
    """The server, which answers from this context for as long as that is open."""
    given = ToolServer(context, settings)
    schemas = list_schemas()
    tools = []
    for kind, title, call in (
        ("search", "Search medical sources", given.search),
        ("document", "Read a document", given.open),
        ("answer", "Answer with sources", given.ask),
        ("check", "Check a text", given.check),
        ("explanation", "Explain an order", given.explain),
    ):
        # Nothing is changed by any of them; whether they go beyond this machine is a matter of its settings.
        is_open = context.outbound and call != given.open
        hints = ToolAnnotations(
            title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=is_open
        )
        tool = PlainTool.from_function(call, call.__name__, title, annotations=hints)
        # The library would describe what is read, without computed fields; clients refuse what is not described.
        tool.fn_metadata.output_schema = schemas[kind]
        tool.parameters["additionalProperties"] = False
        tools.append(tool)
    server = PlainServer(
        "wellsourced",
        version=version("wellsourced"),
        instructions=messages.TOOL_INSTRUCTIONS,
        tools=tools,
        log_level="CRITICAL",
    )
    server.resource(f"{RESULT_ADDRESS}{{id}}", name="result", title="A whole result", mime_type="application/json")(
        given.read_result
    )
    server.resource(SOURCES_ADDRESS, name="sources", title="What is searched", mime_type="application/json")(
        given.list_sources
    )
    for name, write in PROMPTS.items():
        server.prompt(name)(write)
    return server
