"""The tools of `wellsourced mcp`, as the official client of the protocol calls them in a process of their own."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceLink

from tests.forked import relay_words
from tests.server.conftest import copy_home
from tests.tables import each_row
from wellsourced.runs.history import RunHistory
from wellsourced.types import Answer

ASKED = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
TEXT = "Low-dose colchicine is used in gout flares [1].\n\n1. ACR guideline. doi:10.1002/art.41247"

pytestmark = pytest.mark.slow

in_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def tool_home(guidelines: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_home(guidelines, tmp_path_factory.mktemp("tools"))


def command(home: Path, *options: str) -> list[str]:
    return ["--home", str(home), "--offline", "mcp", *options]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tool_home: Path) -> AsyncIterator[Client]:
    """The client of one server, which all tests share. One task opens and closes it, as its library wants it."""
    (program, *arguments), named = relay_words(command(tool_home))
    environment = {**os.environ, "HOME": str(tool_home), **named}
    opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with Client(StdioServerParameters(command=program, args=arguments, env=environment)) as client:
            opened.set_result(client)
            await done.wait()

    holding = asyncio.create_task(hold())
    await asyncio.wait((opened, holding), return_when=asyncio.FIRST_COMPLETED)
    if opened.done():
        yield opened.result()
    done.set()
    await holding


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """The object for programs, which the client has compared with its schema."""
    told = await client.call_tool(tool, arguments)
    assert not told.is_error, told.content
    assert told.structured_content
    assert told.structured_content["version"] == 3
    return told.structured_content


async def read(client: Client, tool: str, **arguments: Any) -> str:
    """The text for the model of an assistant."""
    told = await client.call_tool(tool, arguments)
    assert not told.is_error, told.content
    return str(getattr(told.content[0], "text", ""))


async def read_whole(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The whole object, to which the result has a link."""
    told = await client.call_tool(tool, arguments)
    (link,) = [part for part in told.content if isinstance(part, ResourceLink)]
    (shown,) = (await client.read_resource(link.uri)).contents
    return dict(json.loads(getattr(shown, "text", "")))


@in_one_loop
async def test_every_tool_gives_typed_results_with_the_words_of_sources(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"search", "open", "ask", "check", "explain"}
    assert all(tool.output_schema and tool.description for tool in tools.values())

    found = (await call(client, "search", question=ASKED, limit=3))["passages"]
    assert len(found) == 3
    whole = await call(client, "open", id=found[0]["id"], length=20_000)
    assert whole["text"] == found[0]["text"]
    assert await call(client, "open", document=found[0]["id"], length=20_000) == whole

    answer = await call(client, "ask", question=ASKED)
    assert "abstained" not in answer
    for statement in answer["statements"]:
        assert (statement["verdict"]["label"], statement["verdict"]["basis"]) == ("supports", "verbatim")
        for one in statement["citations"]:
            # What is cited is among the evidence, with its work, and can be opened.
            assert one["passage_id"] in {item["passage"]["id"] for item in answer["evidence"]}
            document, length = one["passage_id"].partition("#")[0], one["end"] - one["start"]
            opened = await call(client, "open", id=document, start=one["start"], length=length)
            assert opened["text"] == one["quote"]


@in_one_loop
async def test_tools_say_what_they_change_and_what_each_argument_is(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        assert tool.title and tool.annotations
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
        # The server of these tests is offline.
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert all(argument["description"] for argument in tool.input_schema["properties"].values())


@in_one_loop
async def test_sources_and_prompts_are_listed_and_an_unknown_one_is_told(client: Client) -> None:
    (sources,) = (await client.list_resources()).resources
    (shown,) = (await client.read_resource(sources.uri)).contents
    assert [source["name"] for source in json.loads(getattr(shown, "text", ""))] == ["guidelines"]
    prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    assert set(prompts) == {"answer-with-sources", "check-references"}
    told = await client.get_prompt("answer-with-sources", {"question": ASKED})
    assert ASKED in str(told.messages[0].content)
    for name, given, words in (
        ("answer-with-sources", {}, "takes question"),
        ("check-references", {"text": "x", "y": "z"}, "takes text"),
        ("none", {}, "No prompt has this name. Prompts: answer-with-sources"),
    ):
        with pytest.raises(MCPError, match=words):
            await client.get_prompt(name, given)
    with pytest.raises(MCPError, match="No run begins with the id"):
        await client.read_resource("wellsourced://result/none")


QUESTIONS = (
    ASKED,
    "How is gout treated?",
    "How do I treat community-acquired pneumonia in adults?",
    "What is the target blood pressure in chronic kidney disease?",
)


@in_one_loop
async def test_an_answer_leaves_room_in_the_context_of_an_assistant_and_a_link_leads_to_all_of_it(
    client: Client,
) -> None:
    for question in QUESTIONS:
        short = await call(client, "ask", question=question)
        assert len(json.dumps(short, ensure_ascii=False).encode()) <= 12_000, question
        whole = await read_whole(client, "ask", question=question)
        assert whole["statements"] == Answer.model_validate(whole).model_dump(mode="json")["statements"]
        assert [one["text"] for one in whole["statements"]] == [one["text"] for one in short["statements"]]
        assert whole["attempts"] and all(item["passage"]["text"] for item in whole["evidence"])
        assert short["head"] == whole["head"] == "in your sources"
        assert [one["shown"] for one in short["sections"]] == [one["shown"] for one in whole["sections"]]
    about_a_patient = {"question": "Should she take metformin?", "patient": "type 2 diabetes, eGFR 22"}
    assert (await read_whole(client, "ask", **about_a_patient))["recommendation"]["lines"]
    assert (await read_whole(client, "check", text=TEXT))["submitted"]["document"]["text"] == TEXT


@in_one_loop
async def test_a_long_check_is_short_and_names_each_work_once(client: Client) -> None:
    said = "Low-dose colchicine is strongly recommended over high-dose colchicine for gout flares [{}]."
    entries = ("doi:10.1002/art.41247", "doi:10.1161/CIR.0000000000001063", "doi:10.2337/dc24-S009")
    text = "\n\n".join([said.format(1 + number % 3) for number in range(6)])
    listed = "\n".join(f"{number}. Guideline. {entry}" for number, entry in enumerate(entries, 1))
    short = await call(client, "check", text=f"{text}\n\nReferences\n\n{listed}")
    assert len(json.dumps(short, ensure_ascii=False).encode()) <= 12_000
    assert {one["source"] for one in short["pairings"]} >= {"1"}
    assert [one["key"] for one in short["traced"]] == ["1", "2", "3"]


@in_one_loop
async def test_what_is_asked_is_in_the_history_and_of_a_patient_nothing(client: Client, tool_home: Path) -> None:
    await call(client, "ask", question="How is gout treated?")
    await call(client, "ask", question="Should she take metformin?", patient="type 2 diabetes, eGFR 22")
    await call(client, "explain", order="Furosemide 40 mg PO BID")
    newest, *_ = lines = RunHistory(tool_home).list_runs()
    assert (newest.title, newest.surface, newest.state) == ("How is gout treated?", "assistant", "finished")
    assert {line.kind for line in lines} == {"question"}


@in_one_loop
async def test_what_a_model_reads_says_how_to_open_each_section(client: Client) -> None:
    text = await read(client, "ask", question=ASKED)
    opened = re.findall(r"\n> ([^>\n|*…]+)\n(?:>.*\n)*\n.*open: (\S+?),", text)
    assert opened
    for words, passage in opened:
        whole = " ".join((await read(client, "open", id=passage, length=20_000)).split())
        assert words.lstrip("- →") in whole


@in_one_loop
@each_row(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": ASKED}, ["Question read", "guidelines, asked", "kept of what was found"]),
        ("check", {"text": TEXT}, ["Verifying: 100%"]),
        ("explain", {"order": "Furosemide 40 mg PO BID"}, ["Question read"]),
    ],
)
async def test_who_wants_to_hear_of_progress_hears_each_step_in_its_order_and_no_draft(
    client: Client, tool: str, arguments: dict[str, Any], said: list[str]
) -> None:
    heard: list[tuple[float, str]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message or ""))

    told = await client.call_tool(tool, arguments, progress_callback=hear)
    assert not told.is_error, told.content
    assert [number for number, _ in heard] == [*range(1, len(heard) + 1)]
    messages = iter([message for _, message in heard])
    assert all(any(part in message for message in messages) for part in said), heard
    assert not any("Draft" in message for _, message in heard)
    tools = {one.name: one for one in (await client.list_tools()).tools}
    assert "call" not in tools[tool].input_schema["properties"]


@in_one_loop
async def test_an_abstention_a_warning_a_check_and_an_order(client: Client) -> None:
    none = await call(client, "ask", question="Who won the football world cup in 1974?")
    assert none["abstained"] and none["reason"]
    assert "attempts" not in none
    text = await read(client, "ask", question="Who won the football world cup in 1974?")
    assert (none["head"], "## Nothing in your sources on this." in text) == ("nothing", True)
    patient = {"question": "Should she take metformin?", "patient": "type 2 diabetes, eGFR 22"}
    told = await read(client, "ask", **patient)
    # What was read comes before the answer, the lines to check behind it.
    assert told.split("## ")[1].startswith("Read in the record")
    assert "## Lines to check for this patient" in told
    assert "the record says “eGFR 22”" in told
    checked = await call(client, "check", text=TEXT)
    assert [one["key"] for one in checked["submitted"]["sources"]] == ["1"]
    assert "Low-dose colchicine" in await read(client, "check", text=TEXT)
    explained = await call(client, "explain", order="Furosemide 40 mg PO BID")
    assert {one["sign"]: one["meaning"] for one in explained["signs"]}["BID"] == "twice a day"
    shown = await read(client, "explain", order="Furosemide 40 mg PO BID")
    assert "BID: twice a day" in shown and "\n.\n" not in shown


@in_one_loop
@each_row(
    ("tool", "arguments", "said"),
    [
        ("ask", {"question": " "}, "The question is empty"),
        ("ask", {"question": "gout?", "since": "2020-01-01", "as_of": "2019-01-01"}, "nothing lies between"),
        ("ask", {}, "The tool ask takes question, patient, since, as_of: question is missing."),
        ("open", {"identifier": "doi:10.1/none"}, "The tool open takes id, start, length: identifier is none of them."),
        ("open", {"id": "doi:10.1/none"}, "No library here has this document"),
        ("open", {"id": "doi:10.1002/art.41247", "start": 99_999_999}, "is past its end"),
        ("search", {"question": "gout", "limit": 0}, "limit"),
        ("explain", {"order": ""}, "order"),
    ],
)
async def test_what_cannot_be_done_is_told_and_the_server_goes_on(
    client: Client, tool: str, arguments: dict[str, Any], said: str
) -> None:
    told = await client.call_tool(tool, arguments)
    assert told.is_error
    assert said in str(told.content) and "pydantic" not in str(told.content)
    assert (await call(client, "search", question="gout", limit=1))["passages"]
