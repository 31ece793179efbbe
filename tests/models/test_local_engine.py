"""A real model in a file, small enough for every machine: what it says is poor, and always of the promised form."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from tests.models.asked import PROMPTS, QUESTION, SHORT, TRAP
from tests.models.weights import smollm2
from tests.tables import each_row
from wellsourced.errors import ModelError, ModelUnavailable, PromptTooLong, ReplyCutOff, SettingsError, UnparsableReply
from wellsourced.models.base import EngineOptions, Prompt, RenderedPrompt, Reply
from wellsourced.models.local_engine import InvalidGguf, LocalEngine, read_header
from wellsourced.models.prompt_rendering import find_passage_keys, render_prompt
from wellsourced.models.reply_parsing import RequestMeter, build_schema, describe_form, parse_reply, use_meter
from wellsourced.prompts.evidence import ArticlesReply, JudgeRelevance, RelevanceReply
from wellsourced.prompts.planning import ExtractKeywords, KeywordsReply, PseudoDocument

OPTIONS = EngineOptions(reply=96, window=1_024, seconds=120)
THREADS = 1
"""On a machine that is busy otherwise, two threads of llama.cpp wait for each other most of the time."""

ASKED = ExtractKeywords(question="Does colchicine shorten a gout flare?", limit=3)
LONG = RenderedPrompt("Write as much as you can about gout.", "Write about gout, its causes, and everything else.")


def opened(options: EngineOptions = OPTIONS) -> LocalEngine:
    return LocalEngine(smollm2(), options, THREADS)


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    made = opened()
    yield made
    asyncio.run(made.close())


async def test_it_says_what_it_is(engine: LocalEngine) -> None:
    assert engine.name == "local:SmolLM2-135M-Instruct.Q4_1.gguf"
    assert (engine.window, engine.reserved, engine.remote) == (1_024, 96, False)
    assert "temperature=0 seed=0" in engine.settings


async def test_tokens_are_counted_by_the_model_s_own_tokenizer(engine: LocalEngine) -> None:
    assert engine.count("") == 0
    assert engine.count("Why is the sky blue?") == 6
    once, twice = engine.count(" gout flare"), engine.count(" gout flare gout flare")
    assert twice == 2 * once
    assert engine.count("\x00 \ud800 ﬁ 🫀") > 4


@pytest.mark.nightly
async def test_the_same_wording_has_the_same_reply_whatever_was_asked_between(engine: LocalEngine) -> None:
    first = await engine.ask(render_prompt(ASKED), KeywordsReply)
    with suppress(UnparsableReply):
        await engine.ask(render_prompt(ExtractKeywords(question="What is gout?", limit=2)), KeywordsReply)
    assert await engine.ask(render_prompt(ASKED), KeywordsReply) == first
    assert first.reply.keywords
    assert first.tokens_in > 50
    assert 0 < first.tokens_out <= 96
    assert first.repaired is False


async def test_a_reply_is_heard_as_it_is_written(engine: LocalEngine) -> None:
    heard: list[str] = []
    said = await engine.ask(render_prompt(ASKED), KeywordsReply, heard.append)
    assert len(heard) > 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(heard))
    assert parse_reply(KeywordsReply, heard[-1]) == said.reply


async def test_the_event_loop_goes_on_while_it_writes(engine: LocalEngine) -> None:
    turns = 0

    async def watch() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    watching = asyncio.create_task(watch())
    await engine.ask(render_prompt(ASKED), KeywordsReply)
    watching.cancel()
    assert turns > 5


async def test_what_does_not_fit_is_refused_before_anything_is_read(engine: LocalEngine) -> None:
    heard: list[str] = []
    with pytest.raises(PromptTooLong) as raised:
        await engine.ask(RenderedPrompt("Name the words.", "gout " * 2_000), KeywordsReply, heard.append)
    assert raised.value.limit == 1_024 - 96
    assert (raised.value.tokens > 2_000, heard) == (True, [])


async def test_a_call_that_is_cancelled_keeps_no_core_busy(engine: LocalEngine) -> None:
    heard: list[str] = []
    begun = asyncio.Event()

    def hear(text: str) -> None:
        heard.append(text)
        begun.set()

    task = asyncio.create_task(engine.ask(LONG, PseudoDocument, hear))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    stopped = len(heard)
    await asyncio.sleep(1)
    spent = time.process_time()
    await asyncio.sleep(1)
    assert time.process_time() - spent < 0.5
    assert len(heard) == stopped


async def test_a_reply_that_is_cut_off_is_asked_for_again_in_more_room_and_then_shown_as_it_is() -> None:
    brief = await asyncio.to_thread(opened, OPTIONS.model_copy(update={"reply": 24}))
    with use_meter(RequestMeter()) as meter, pytest.raises(ReplyCutOff, match="cut off after 96 tokens") as raised:
        await brief.ask(LONG, RelevanceReply)
    assert (meter.requests, meter.replies, meter.tokens_out) == (3, 3, 24 + 48 + 96)
    assert raised.value.reply.startswith("{")
    await brief.close()


async def test_a_call_that_takes_longer_than_it_may_is_ended() -> None:
    hasty = await asyncio.to_thread(opened, OPTIONS.model_copy(update={"seconds": 0.05}))
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.05 seconds"):
        await hasty.ask(LONG, PseudoDocument)
    await hasty.close()


TRAPPED = JudgeRelevance(question=QUESTION, passages=(SHORT, TRAP))


def test_a_passage_can_neither_close_its_turn_nor_name_another_passage(engine: LocalEngine) -> None:
    assert find_passage_keys(render_prompt(TRAPPED)) == (SHORT.key, TRAP.key)
    # A mark is one token, and broken up it is several; counted as it is shown, it steers nothing.
    assert engine.count("<|im_end|>") > 1


@pytest.mark.nightly
async def test_a_model_that_reads_such_a_passage_judges_those_it_was_shown_alone(engine: LocalEngine) -> None:
    try:
        said = await engine.ask(render_prompt(TRAPPED), RelevanceReply)
    except UnparsableReply as error:
        assert error.reply.lstrip().startswith("{")
    else:
        assert {one.passage_id for one in said.reply.items} <= {SHORT.key, TRAP.key}


async def test_once_closed_it_says_so() -> None:
    engine = await asyncio.to_thread(opened)
    waiting = asyncio.create_task(engine.ask(LONG, PseudoDocument))
    await asyncio.sleep(0.2)
    await engine.close()
    with pytest.raises(ModelUnavailable, match="is closed"):
        await waiting
    with pytest.raises(ModelUnavailable, match="is closed"):
        await engine.ask(LONG, PseudoDocument)
    await engine.close()


MAIN = {"ExtractKeywords", "MakePico", "JudgeRelevance", "TakeNotes", "WriteAnswer", "CheckConsistency", "AnswerAlone"}
"""Prompts of the path of a question; a reply of each takes seconds, and what the others are made of is the same."""


@pytest.mark.nightly
async def test_every_step_has_a_reply_of_its_form_or_none_that_could_be_read() -> None:
    prompts = [prompt for prompt in PROMPTS if type(prompt).__name__ in MAIN]
    outcomes: dict[str, str] = {}
    engine = await asyncio.to_thread(opened, OPTIONS.model_copy(update={"reply": 32}))
    for prompt in prompts:
        try:
            said = await engine.ask(render_prompt(prompt), prompt.reply)
            outcomes[type(prompt).__name__] = type(said.reply).__name__
        except UnparsableReply as error:
            # Cut off: as far as it goes, it keeps to the form.
            assert "cut off" in str(error)
            assert error.reply.lstrip().startswith("{")
    await engine.close()
    assert len(outcomes) >= len(prompts) // 4
    assert all(outcomes[type(one).__name__] == one.reply.__name__ for one in prompts if type(one).__name__ in outcomes)


@each_row("kind", sorted({prompt.reply for prompt in PROMPTS}, key=lambda one: one.__name__))
def test_a_model_is_told_every_field_of_a_reply(kind: type[Reply]) -> None:
    told = describe_form(kind)
    assert told.startswith("Reply with one JSON object of this form")
    assert all(f'"{name}": ' in told for name in kind.model_fields)


def test_every_field_is_asked_for_and_only_passages_that_are_shown_can_be_named() -> None:
    article = build_schema(ArticlesReply, ("abc234",))["$defs"]["ArticleJudgement"]
    assert article["required"] == ["passage_id", "bears", "quote", "why", "card"]
    assert article["properties"]["passage_id"] == {"enum": ["abc234"]}
    assert build_schema(ArticlesReply)["$defs"]["ArticleJudgement"]["properties"]["passage_id"] == {"type": "string"}


def test_the_header_tells_the_window_and_the_marks_of_its_template() -> None:
    header = read_header(smollm2())
    assert header.trained_context == 8_192
    assert header.bytes_per_token == 30 * 3 * 2 * 64 * 2
    assert {"<|im_start|>", "<|im_end|>"} <= set(header.control_tokens)


def refused(path: Path) -> str:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    with pytest.raises(SettingsError) as raised:
        LocalEngine(path, OPTIONS, THREADS)
    return str(raised.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "cannot be read (No such file or directory)." in refused(tmp_path / "none.gguf")
    assert "cannot be read (Is a directory)" in refused(tmp_path)


@each_row("content", [b"", b"GG", b"PK\x03\x04 a zip", b"\x00" * 4_096])
def test_a_file_of_another_kind_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(content)
    assert refused(path) == f"The model {path} cannot be used: it is not a GGUF file."


@each_row("kept", [10, 24, 100, 3_000, 400_000])
def test_a_file_that_breaks_off_in_its_header_is_told(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "part.gguf"
    with smollm2().open("rb") as whole:
        path.write_bytes(whole.read(kept))
    assert "it is incomplete or damaged" in refused(path)


def test_a_file_that_breaks_off_in_its_weights_is_told_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "part.gguf"
    with smollm2().open("rb") as whole:
        path.write_bytes(whole.read(20_000_000))
    assert "llama.cpp cannot load it: it is incomplete, damaged" in refused(path)
    assert capfd.readouterr() == ("", "")


@each_row("number", [2**16 + 1, 2**63])
def test_a_header_that_promises_too_much_is_refused_at_once(tmp_path: Path, number: int) -> None:
    path = tmp_path / "greedy.gguf"
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + bytes(8) + number.to_bytes(8, "little"))
    with pytest.raises(InvalidGguf, match="its version of GGUF is unknown, or it is damaged"):
        read_header(path)


def test_words_around_a_reply_are_left_out_and_what_is_none_is_told() -> None:
    assert parse_reply(KeywordsReply, 'Sure! ```json\n{"keywords": ["gout"]}\n``` Here you are.').keywords == ("gout",)
    for text in ("", "gout", '{"keywords": 3}', '{"words": []}'):
        with pytest.raises(ModelError) as raised:
            parse_reply(KeywordsReply, text)
        assert isinstance(raised.value, UnparsableReply)
        assert raised.value.reply == text


def test_a_prompt_without_passages_has_no_keys() -> None:
    prompt: Prompt[KeywordsReply] = ASKED
    assert find_passage_keys(render_prompt(prompt)) == ()
