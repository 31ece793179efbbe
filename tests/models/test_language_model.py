"""A model made of an engine: what is private stays private, what is asked is charged, what was asked is remembered."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.http.moments import Moments
from tests.models.engines import ScriptedEngine, calling
from tests.tables import each_row
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.errors import (
    BudgetSpent,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    PromptTooLong,
    UnparsableReply,
    UnsupportedPrompt,
)
from wellsourced.events import DraftProgress, Event, ModelCalled
from wellsourced.models.base import Prompt
from wellsourced.models.language_model import (
    CallCache,
    CallLimits,
    LanguageModel,
    is_streamable,
    read_partial_statements,
)
from wellsourced.policy import Budget
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.prompts.planning import Decompose, DecompositionReply, KeywordsReply, MakePico, PicoReply
from wellsourced.prompts.verification import Repair, RepairedStatement, RepairReply, StatementFault
from wellsourced.prompts.writing import AnswerDraft, WriteAnswer
from wellsourced.types import Question, Usage

ASKED = Decompose(question="What causes gout?", parts=2)
PARTS = DecompositionReply(questions=("What is gout?",))
PATIENT = MakePico(question="Aspirin?", patient="Jane Roe, 71, bleeds.")
PICO = PicoReply(population="women over 70")
DRAFT = AnswerDraft()


def writes() -> WriteAnswer:
    return WriteAnswer(question=Question(text="Gout?"), evidence=(), statements=3, leads=1)


def asked(told: list[Event]) -> list[ModelCalled]:
    return [event for event in told if isinstance(event, ModelCalled)]


async def settled() -> None:
    """Let everything go on as far as it can without anybody's help."""
    for _ in range(50):
        await asyncio.sleep(0)


# --- charged -------------------------------------------------------------------------------------------------------


async def test_a_call_is_charged_with_what_it_took_and_told() -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    engine = ScriptedEngine(PARTS, cost=0.5)
    assert await calling(engine, tracker=tracker).complete(ASKED) == PARTS
    [event] = asked(told)
    assert (event.prompt, event.model, event.error) == ("Decompose", engine.name, "")
    assert tracker.spent == Usage(calls=1, depth=1, tokens_in=event.tokens_in, tokens_out=7, cost=0.5)
    assert event.tokens_in == engine.count(" ".join(engine.asked[0])) > 0


async def test_the_account_of_the_question_is_found_wherever_it_is_asked() -> None:
    model = calling(ScriptedEngine(PARTS))
    with use_cost_tracker(CostTracker()) as tracker:
        await asyncio.gather(*(model.complete(ASKED) for _ in range(3)))
        await model.complete(ASKED)
    assert (tracker.spent.calls, tracker.spent.depth) == (4, 2)


async def test_calls_that_wait_for_a_place_are_not_counted_as_waiting_for_each_other() -> None:
    tracker = CostTracker()
    model = calling(ScriptedEngine(PARTS), tracker=tracker, limits=CallLimits(concurrency=1))
    await asyncio.gather(*(model.complete(ASKED) for _ in range(4)))
    assert (tracker.spent.calls, tracker.spent.depth) == (4, 1)


@each_row("error", [ModelUnavailable("it is down"), ModelRefused("no such model"), UnparsableReply("{", "no JSON")])
async def test_a_call_that_fails_is_charged_and_told_with_the_reason(error: ModelError) -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    with pytest.raises(type(error)):
        await calling(ScriptedEngine(error), tracker=tracker).complete(ASKED)
    [event] = asked(told)
    assert event.error == str(error)
    assert tracker.spent.calls == 1
    assert tracker.spent.tokens_in > 0
    assert event.repaired == isinstance(error, UnparsableReply)


async def test_a_reply_of_another_type_is_no_reply() -> None:
    with pytest.raises(UnparsableReply, match="it is a Keywords"):
        await calling(ScriptedEngine(KeywordsReply())).complete(ASKED)


async def test_what_no_engine_promised_to_raise_is_charged_too_and_passed_on() -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    with pytest.raises(RuntimeError):
        # The script has run out.
        await calling(ScriptedEngine([]), tracker=tracker).complete(ASKED)
    assert tracker.spent.calls == 1
    assert asked(told)[0].error


async def test_a_budget_that_is_spent_sends_nothing() -> None:
    engine = ScriptedEngine(PARTS)
    tracker = CostTracker(Budget(calls=1))
    model = calling(engine, tracker=tracker)
    await model.complete(ASKED)
    with pytest.raises(BudgetSpent):
        await model.complete(ASKED)
    assert len(engine.asked) == tracker.spent.calls == 1


async def test_a_budget_of_time_stops_a_call_that_is_under_way_and_it_is_charged() -> None:
    engine = ScriptedEngine(PARTS)
    engine.hold = asyncio.Event()
    tracker = CostTracker(Budget(seconds=0.3))
    with pytest.raises(BudgetSpent, match=r"the budget of 0\.3 seconds is spent"):
        await calling(engine, tracker=tracker).complete(ASKED)
    assert (engine.at_once, tracker.spent.calls) == (0, 1)


async def test_a_call_that_is_cancelled_leaves_nothing_behind() -> None:
    told: list[Event] = []
    tracker = CostTracker(Budget(calls=2), told.append)
    engine = ScriptedEngine(PARTS)
    engine.hold = asyncio.Event()
    model = calling(engine, tracker=tracker, limits=CallLimits(concurrency=1))
    sent, waiting = (asyncio.create_task(model.complete(ASKED)) for _ in range(2))
    await settled()
    for task in (waiting, sent):
        task.cancel()
    assert all(
        isinstance(one, asyncio.CancelledError) for one in await asyncio.gather(sent, waiting, return_exceptions=True)
    )
    assert [event.error for event in asked(told)] == ["it was stopped before it answered"]
    engine.hold.set()
    assert await asyncio.wait_for(model.complete(ASKED), 5) == PARTS
    assert tracker.spent.calls == 2


# --- limits --------------------------------------------------------------------------------------------------------


async def test_no_more_calls_are_under_way_than_may_be() -> None:
    engine = ScriptedEngine(PARTS)
    model = calling(engine, limits=CallLimits(concurrency=3))
    await asyncio.gather(*(model.complete(ASKED) for _ in range(10)))
    assert (engine.most_at_once, len(engine.asked)) == (3, 10)


async def test_a_wave_goes_out_at_once_as_far_as_the_minute_has_room() -> None:
    moments = Moments()
    engine = ScriptedEngine(PARTS)
    model = LanguageModel(
        engine, tracker=CostTracker, limits=CallLimits(concurrency=8, per_minute=4), clock=moments.clock
    )
    await asyncio.gather(*(model.complete(ASKED) for _ in range(4)))
    assert moments.slept == []
    moments.now += 20
    await model.complete(ASKED)
    assert moments.slept == [40]
    await model.complete(ASKED)
    assert moments.slept == [40]


async def test_a_call_that_is_cancelled_while_it_waits_for_the_minute_gives_its_place_to_another() -> None:
    slept: list[float] = []
    moments = Moments()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(3600)

    model = LanguageModel(
        ScriptedEngine(PARTS),
        tracker=CostTracker,
        limits=CallLimits(per_minute=1),
        clock=moments.clock._replace(sleep=sleep),
    )
    await model.complete(ASKED)
    for _ in range(2):
        task = asyncio.create_task(model.complete(ASKED))
        await settled()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert slept.pop() == 60


# --- remembered ----------------------------------------------------------------------------------------------------


async def test_the_same_call_costs_nothing_a_second_time_and_that_is_told(tmp_path: Path) -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    engine = ScriptedEngine([PARTS])
    model = calling(engine, cache=cache, tracker=tracker)
    assert await model.complete(ASKED) == await model.complete(ASKED) == PARTS
    assert (tracker.spent.calls, tracker.spent.cached, len(engine.asked)) == (1, 1, 1)
    first, second = asked(told)
    assert (first.cached, second.cached) == (False, True)
    assert (first.key, first.tokens_in, first.tokens_out) == (second.key, second.tokens_in, second.tokens_out)
    await cache.close()


async def test_what_is_remembered_is_answered_even_when_the_budget_is_spent(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    model = calling(ScriptedEngine([PARTS]), cache=cache, tracker=CostTracker(Budget(calls=1)))
    assert await model.complete(ASKED) == await model.complete(ASKED)
    await cache.close()


async def test_words_of_ones_own_are_asked_and_are_another_call(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    engine = ScriptedEngine([PARTS, DecompositionReply()])
    assert await calling(engine, cache=cache).complete(ASKED) == PARTS
    assert await calling(engine, cache=cache, Decompose="Split it.").complete(ASKED) == DecompositionReply()
    assert engine.asked[1].instruction.startswith("Split it.\n\n")
    await cache.close()


async def test_a_reply_that_could_not_be_read_is_not_remembered(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    model = calling(ScriptedEngine([UnparsableReply("{", "no JSON"), PARTS]), cache=cache)
    with pytest.raises(UnparsableReply):
        await model.complete(ASKED)
    assert await model.complete(ASKED) == PARTS
    await cache.close()


async def test_what_is_kept_and_is_no_reply_is_not_believed(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    engine = ScriptedEngine([PARTS, PARTS])
    model = calling(engine, cache=cache)
    await model.complete(ASKED)
    with closing(sqlite3.connect(tmp_path / "calls.sqlite3")) as store, store:
        store.execute("UPDATE entries_1 SET body = ?", (b'{"answer": 42}',))
    assert await model.complete(ASKED) == await model.complete(ASKED) == PARTS
    assert len(engine.asked) == 2
    await cache.close()


async def test_of_a_prompt_nothing_is_written_to_the_disk_and_of_a_patient_not_even_the_reply(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    model = calling(ScriptedEngine([PARTS, PICO, PICO]), cache=cache)
    await model.complete(ASKED)
    await model.complete(PATIENT)
    await model.complete(PATIENT)
    await cache.close()
    stored = b"".join(path.read_bytes() for path in await asyncio.to_thread(lambda: [*tmp_path.glob("calls*")]))
    assert b"What is gout?" in stored
    assert b"What causes gout?" not in stored
    assert b"women over 70" not in stored


async def test_what_repeats_a_draft_that_was_written_for_a_patient_is_not_written_to_the_disk(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    fault = StatementFault(key="k1", text="Jane Roe should take aspirin.", reason="it is silent")
    anew = RepairReply(statements=(RepairedStatement(text="Jane Roe may take aspirin.", quotes=(), fault="k1"),))
    repair = Repair(question=Question(text="Aspirin?"), faults=(fault,), passages=())
    model = calling(ScriptedEngine([PICO, anew]), cache=cache, tracker=CostTracker())
    await model.complete(PATIENT)
    assert await model.complete(repair) == anew
    await cache.close()
    assert not await asyncio.to_thread(lambda: [*tmp_path.glob("calls*")])


async def test_the_same_prompt_without_a_patient_is_remembered(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite3", 1_000_000)
    engine = ScriptedEngine([PICO])
    model = calling(engine, cache=cache)
    for _ in range(2):
        assert await model.complete(MakePico(question="Aspirin?", patient="")) == PICO
    await cache.close()


# --- private -------------------------------------------------------------------------------------------------------


async def test_a_patients_text_is_not_sent_to_a_provider_unless_the_user_allowed_it() -> None:
    engine = ScriptedEngine(PICO, remote=True)
    tracker = CostTracker()
    with pytest.raises(UnsupportedPrompt, match=r"scripted:engine may not see a patient's text.*patient_to") as raised:
        await calling(engine, tracker=tracker).complete(PATIENT)
    assert "Jane" not in str(raised.value)
    assert (engine.asked, tracker.spent) == ([], Usage())


async def test_a_provider_that_may_see_a_patient_is_shown_no_identifiers() -> None:
    engine = ScriptedEngine(PICO, remote=True)
    assert await calling(engine, sees_patient=True).complete(PATIENT) == PICO
    assert "[NAME 1], 71, bleeds." in engine.asked[0].material
    assert "Jane" not in engine.asked[0].material


@each_row(("remote", "sees"), [(False, False), (True, True)])
async def test_whoever_may_see_a_patient_is_shown_the_text(remote: bool, sees: bool) -> None:
    engine = ScriptedEngine(PICO, remote=remote)
    await calling(engine, sees_patient=sees, exit=PrivacyFilter("allow")).complete(PATIENT)
    assert "Jane Roe, 71, bleeds." in engine.asked[0].material


async def test_a_prompt_whose_private_part_is_empty_may_be_shown_to_anybody() -> None:
    engine = ScriptedEngine(PICO, remote=True)
    assert await calling(engine).complete(MakePico(question="Aspirin?", patient="")) == PICO


# --- room ----------------------------------------------------------------------------------------------------------


async def test_a_prompt_that_does_not_fit_is_refused_before_anything_is_sent() -> None:
    wide = calling(ScriptedEngine(PARTS, window=1000, reserved=100))
    room = wide.context_left(ASKED)
    assert 0 < room < 900
    exact = ScriptedEngine(PARTS, window=1000 - room, reserved=100)
    assert calling(exact).context_left(ASKED) == 0
    assert await calling(exact).complete(ASKED) == PARTS
    narrow, tracker = ScriptedEngine(PARTS, window=999 - room, reserved=100), CostTracker()
    model = calling(narrow, tracker=tracker)
    assert model.context_left(ASKED) == -1
    with pytest.raises(PromptTooLong) as raised:
        await model.complete(ASKED)
    assert (raised.value.tokens, raised.value.limit) == (900 - room, 899 - room)
    assert (narrow.asked, tracker.spent) == ([], Usage())


async def test_an_engine_that_finds_a_prompt_too_long_was_sent_nothing() -> None:
    tracker = CostTracker()
    with pytest.raises(PromptTooLong):
        await calling(ScriptedEngine(PromptTooLong(9, 8)), tracker=tracker).complete(ASKED)
    assert tracker.spent == Usage()


# --- as it is written ----------------------------------------------------------------------------------------------

GROWING = [
    '{"reasoning": "no", "stat',
    '{"reasoning": "no", "statements": [{"text": "Colchi',
    '{"reasoning": "no", "statements": [{"text": "Colchicine helps.", "quotes": [{"pass',
    '{"reasoning": "no", "statements": [{"text": "Colchicine helps.", "quotes": []}, {"text": "Ice',
]


async def written(prompt: Prompt[Any], stream: bool = True) -> list[str]:
    told: list[Event] = []
    engine = ScriptedEngine(DRAFT)
    engine.parts = GROWING
    tracker = CostTracker(emit=told.append)
    await LanguageModel(engine, tracker=lambda: tracker, stream=stream).complete(prompt)
    return [event.text for event in told if isinstance(event, DraftProgress)]


async def test_a_draft_is_told_as_far_as_it_is_written_and_nothing_twice() -> None:
    assert await written(writes()) == ["Colchi", "Colchicine helps.", "Colchicine helps.\nIce"]


async def test_nobody_is_shown_the_repair_of_a_draft() -> None:
    assert await written(writes(), stream=False) == []
    fault = StatementFault(key="k1", text="It cures.", reason="unsaid")
    assert not is_streamable(Repair(question=Question(text="Gout?"), faults=(fault,), passages=()))


@each_row("reply", ["", "{", "[1, 2", "no JSON", '{"statements": 3', '{"statements": [3, {"text": 4}]}'])
def test_what_cannot_be_read_yet_is_not_told(reply: str) -> None:
    assert read_partial_statements(reply) == ""


def test_a_whole_draft_is_read_to_its_end() -> None:
    texts = [{"text": "One."}, {"text": "Two."}]
    assert read_partial_statements(json.dumps({"statements": texts})) == "One.\nTwo."


async def test_a_model_that_failed_to_answer_once_is_asked_again() -> None:
    model = calling(ScriptedEngine([ModelUnavailable("it does not answer"), PARTS]), tracker=CostTracker())
    with pytest.raises(ModelUnavailable, match="it does not answer"):
        await model.complete(ASKED)
    assert await model.complete(ASKED) == PARTS


async def test_a_model_that_did_not_answer_three_times_is_not_waited_for_again_for_the_same_question() -> None:
    engine = ScriptedEngine([*[ModelUnavailable("it does not answer")] * 3, PARTS])
    model = calling(engine, tracker=CostTracker())
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="it does not answer"):
            await model.complete(ASKED)
    with pytest.raises(ModelUnavailable, match="was not asked again, because it did not answer before"):
        await model.complete(ASKED)
    another = calling(engine, tracker=CostTracker())
    assert await another.complete(ASKED) == PARTS
