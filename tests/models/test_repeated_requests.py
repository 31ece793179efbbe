"""What is sent to a provider for one question, over the wire: repeats are counted, paid for, and come to an end."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest
from pydantic import SecretStr

from tests.http.moments import Moments
from tests.models.engines import calling
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.models import Claude, Does, Fails, Gemini, OpenAIChat, OpenAIResponses, Provider, Writes
from tests.servers.models.base import Api
from tests.tables import each_row
from wellsourced.budget import CostTracker
from wellsourced.errors import BudgetSpent, ModelError, ModelRefused, ModelUnavailable, ReplyCutOff, UnparsableReply
from wellsourced.events import Event, ModelCalled
from wellsourced.http import Client
from wellsourced.models.base import EngineOptions
from wellsourced.models.language_model import CallLimits, LanguageModel
from wellsourced.models.providers.engine import open_engine
from wellsourced.policy import Budget
from wellsourced.prompts.planning import Decompose, DecompositionReply

pydantic_ai_models = pytest.importorskip("pydantic_ai.models", reason="the extra `models` is not installed")

ASKED = Decompose(question="What causes gout?", parts=2)
PARTS = DecompositionReply(questions=("What is gout?",))
GOOD = Writes(PARTS.model_dump_json())
PRICES = {"price_in": 1_000.0, "price_out": 10_000.0}
"""US dollars for a million tokens: a reply of 37 and 11 tokens costs 0.147."""

LANGUAGES: dict[str, tuple[str, Api]] = {
    "responses": ("openai:gpt-4o", OpenAIResponses()),
    "chat": ("compatible:anything", OpenAIChat()),
    "anthropic": ("anthropic:claude-sonnet-4-6", Claude()),
    "google": ("google:gemini-2.0-flash", Gemini()),
}


@pytest.fixture(autouse=True)
def real_requests() -> Iterator[None]:
    with pydantic_ai_models.override_allow_model_requests(True):
        yield


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Slow(NamedTuple):
    """What a provider does after so many seconds in which it says nothing."""

    does: Does
    seconds: float


class SlowProvider(Provider):
    """A provider that thinks before it speaks, where its script says so.

    was_asked   set when the first request has come
    """

    def __init__(self, api: Api, *script: Does | Slow) -> None:
        super().__init__(api, *(one.does if isinstance(one, Slow) else one for one in script))
        self.was_asked = threading.Event()
        self._waits = [one.seconds if isinstance(one, Slow) else 0.0 for one in script]

    def __call__(self, asked: Asked) -> Said:
        self.was_asked.set()
        at = min(len(self.bodies), len(self._waits) - 1)
        return super().__call__(asked)._replace(wait=self._waits[at])


class Scene(NamedTuple):
    """A model, whom it is charged to, what was told, and what its provider was asked."""

    model: LanguageModel
    tracker: CostTracker
    told: list[Event]
    served: Served
    provider: SlowProvider
    moments: Moments

    @property
    def calls(self) -> list[ModelCalled]:
        return [event for event in self.told if isinstance(event, ModelCalled)]


@asynccontextmanager
async def asking(
    *script: Does | Slow,
    language: str = "chat",
    budget: Budget | None = None,
    limits: CallLimits | None = None,
    **options: Any,
) -> AsyncIterator[Scene]:
    (name, api), moments, told = LANGUAGES[language], Moments(), list[Event]()
    chosen = EngineOptions(**{"seconds": 30.0, "output": "schema", **PRICES, **options})
    provider = SlowProvider(api, *script)
    with serving(provider) as served:
        async with Client(clock=moments.clock) as client:
            carrier = client.open_provider_client(attempts=chosen.attempts, seconds=chosen.seconds)
            engine = open_engine(name, client=carrier, url=served.url, key=SecretStr("k"), options=chosen)
            tracker = CostTracker(budget, told.append)
            yield Scene(calling(engine, tracker=tracker, limits=limits), tracker, told, served, provider, moments)


# --- told as sent --------------------------------------------------------------------------------------------------


@each_row(
    ("script", "requests", "replies"),
    [
        ((GOOD,), 1, 1),
        ((Writes("{"), GOOD), 2, 2),
        ((Writes("{", cut=True), GOOD), 2, 2),
        ((Fails(429, wait=7), GOOD), 2, 1),
        ((Fails(503), Fails(503), GOOD), 3, 1),
        ((Fails(503), Writes("", cut=True), Fails(429, wait=1), Writes("no"), GOOD), 5, 3),
    ],
)
async def test_every_request_is_counted_and_every_reply_paid(
    language: str, script: tuple[Does, ...], requests: int, replies: int
) -> None:
    async with asking(*script, language=language) as scene:
        assert await scene.model.complete(ASKED) == PARTS
        spent, [call] = scene.tracker.spent, scene.calls
        assert spent.calls == call.requests == len(scene.served.asked) == requests
        assert (spent.tokens_in, spent.tokens_out) == (37 * replies, 11 * replies)
        assert spent.cost == pytest.approx(0.147 * replies)
        assert call.repaired == (replies > 1)


async def test_a_call_that_fails_in_the_end_is_charged_with_all_that_was_sent_for_it(language: str) -> None:
    async with asking(Writes("{"), Writes("{}}"), language=language) as scene:
        with pytest.raises(UnparsableReply):
            await scene.model.complete(ASKED)
        spent, [call] = scene.tracker.spent, scene.calls
        assert (spent.calls, spent.tokens_in, spent.tokens_out) == (2, 74, 22)
        assert spent.cost == pytest.approx(2 * 0.147)
        assert "could not be read" in call.error


async def test_a_reply_that_stays_too_long_is_charged_with_all_three_requests(language: str) -> None:
    async with asking(Writes("{", cut=True), language=language, reply=100) as scene:
        with pytest.raises(ReplyCutOff):
            await scene.model.complete(ASKED)
        assert (scene.tracker.spent.calls, scene.tracker.spent.tokens_out) == (3, 33)


async def test_a_provider_that_is_down_is_charged_with_every_attempt(language: str) -> None:
    async with asking(Fails(503), language=language, attempts=3) as scene:
        with pytest.raises(ModelUnavailable):
            await scene.model.complete(ASKED)
        assert scene.tracker.spent.calls == len(scene.served.asked) == 3
        assert scene.tracker.spent.cost == 0


# --- budgets -------------------------------------------------------------------------------------------------------


@each_row("again", [Writes("{"), Writes("{", cut=True), Fails(503), Fails(429, wait=3)])
async def test_a_budget_of_calls_stops_repeats_too(language: str, again: Does) -> None:
    async with asking(again, GOOD, language=language, budget=Budget(calls=1)) as scene:
        with pytest.raises(BudgetSpent, match="the budget of 1 calls is spent"):
            await scene.model.complete(ASKED)
        assert scene.tracker.spent.calls == len(scene.served.asked) == 1


async def test_a_budget_of_dollars_stops_a_repeat_that_nothing_is_left_for(language: str) -> None:
    async with asking(Writes("{"), GOOD, language=language, budget=Budget(dollars=0.1)) as scene:
        with pytest.raises(BudgetSpent, match="dollars"):
            await scene.model.complete(ASKED)
        assert len(scene.served.asked) == 1
        assert scene.tracker.spent.cost == pytest.approx(0.147)


async def test_a_budget_of_tokens_stops_a_repeat_that_does_not_fit_beside_the_reply_before(language: str) -> None:
    async with asking(Writes("{", tokens_out=5_000), GOOD, language=language, budget=Budget(tokens=5_100)) as scene:
        with pytest.raises(BudgetSpent, match="tokens"):
            await scene.model.complete(ASKED)
        assert len(scene.served.asked) == 1


async def test_a_price_that_nobody_knows_stops_a_repeat_where_a_budget_of_dollars_is_to_be_kept() -> None:
    budget = Budget(dollars=5)
    async with asking(Writes("{"), GOOD, budget=budget, price_in=None, price_out=None) as scene:
        with pytest.raises(ModelRefused, match=r"models\.price_in"):
            await scene.model.complete(ASKED)
        assert len(scene.served.asked) == 1


async def test_what_is_left_of_a_budget_after_a_call_that_was_repeated_is_known() -> None:
    async with asking(Fails(503), GOOD, budget=Budget(calls=4)) as scene:
        for _ in range(3):
            await scene.model.complete(ASKED)
        with pytest.raises(BudgetSpent):
            await scene.model.complete(ASKED)
        assert len(scene.served.asked) == 4


# --- patience ------------------------------------------------------------------------------------------------------


@each_row("stream", [False, True])
async def test_a_model_that_thinks_before_its_first_token_is_waited_for(language: str, stream: bool) -> None:
    async with asking(Slow(GOOD, 0.6), language=language, seconds=5) as scene:
        heard: list[str] = []
        engine = scene.model.engine
        wording = scene.model._render_prompt(ASKED)
        said = await engine.ask(wording, DecompositionReply, heard.append if stream else None)
        assert said.reply == PARTS
        assert bool(heard) == stream


async def test_one_time_out_and_then_a_reply_is_a_reply(language: str) -> None:
    async with asking(Slow(GOOD, 1.0), GOOD, language=language, seconds=0.3) as scene:
        assert await scene.model.complete(ASKED) == PARTS
        assert scene.tracker.spent.calls == len(scene.served.asked) == 2


async def test_two_time_outs_are_the_end_of_one_call_and_not_of_the_model() -> None:
    slow = Slow(GOOD, 0.8)
    async with asking(slow, slow, GOOD, seconds=0.2, attempts=5) as scene:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.2 seconds"):
            await scene.model.complete(ASKED)
        assert await scene.model.complete(ASKED) == PARTS
        assert [call.requests for call in scene.calls] == [2, 1]
        assert scene.tracker.spent.calls == len(scene.served.asked) == 3


async def test_three_calls_in_a_row_without_an_answer_silence_a_model_for_the_question() -> None:
    async with asking(Slow(GOOD, 2.0), seconds=0.5, attempts=1) as scene:
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match="did not answer"):
                await scene.model.complete(ASKED)
        with pytest.raises(ModelUnavailable, match="was not asked again"):
            await scene.model.complete(ASKED)
        assert scene.tracker.spent.calls == len(scene.served.asked) == 3


async def test_an_answer_in_between_ends_the_row() -> None:
    down = Fails(503)
    async with asking(down, down, GOOD, down, down, GOOD, attempts=1) as scene:
        for works in (False, False, True) * 2:
            if works:
                assert await scene.model.complete(ASKED) == PARTS
            else:
                with pytest.raises(ModelUnavailable):
                    await scene.model.complete(ASKED)


async def test_a_reply_that_cannot_be_read_is_an_answer_and_ends_the_row() -> None:
    down, odd = Fails(503), Writes("no")
    async with asking(down, down, odd, odd, down, GOOD, attempts=1) as scene:
        for _ in range(4):
            with pytest.raises(ModelError):
                await scene.model.complete(ASKED)
        assert await scene.model.complete(ASKED) == PARTS


async def test_calls_of_one_wave_that_fail_together_are_one_failure() -> None:
    script = [Slow(Fails(503), 0.3)] * 5
    async with asking(*script, GOOD, attempts=1) as scene:
        # The clock of the transport stands still; whether calls overlap is told by that of the machine.
        model = calling(scene.model.engine, tracker=scene.tracker)
        wave = await asyncio.gather(*(model.complete(ASKED) for _ in range(5)), return_exceptions=True)
        assert all(isinstance(one, ModelUnavailable) for one in wave)
        assert await model.complete(ASKED) == PARTS


async def test_who_waits_in_line_for_a_model_that_was_silenced_meanwhile_asks_it_no_more() -> None:
    async with asking(Fails(503), attempts=1, limits=CallLimits(concurrency=1)) as scene:
        wave = await asyncio.gather(*(scene.model.complete(ASKED) for _ in range(6)), return_exceptions=True)
        assert len(scene.served.asked) == scene.tracker.spent.calls == 3
        assert sum("was not asked again" in str(one) for one in wave) == 3


async def test_the_pause_that_a_provider_asks_for_is_kept(language: str) -> None:
    async with asking(Fails(429, wait=17), GOOD, language=language) as scene:
        assert await scene.model.complete(ASKED) == PARTS
        assert scene.moments.slept == [17.0]


async def test_a_provider_that_wants_to_be_left_alone_for_long_is_not_waited_for() -> None:
    async with asking(Fails(429, wait=3_600), GOOD) as scene:
        with pytest.raises(ModelUnavailable, match="try again in 3600 seconds"):
            await scene.model.complete(ASKED)
        assert (len(scene.served.asked), scene.moments.slept) == (1, [])


async def test_who_hangs_up_does_not_wait_for_a_model_that_thinks_and_it_is_charged(language: str) -> None:
    async with asking(Slow(GOOD, 3.0), language=language) as scene:
        task = asyncio.create_task(scene.model.complete(ASKED))
        await asyncio.to_thread(scene.provider.was_asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Whoever waited for it would have its answer here.
        [call] = scene.calls
        assert (call.error, call.requests) == ("it was stopped before it answered", 1)
        assert scene.tracker.spent.calls == 1


async def test_prose_thoughts_and_a_fence_around_a_reply_cost_no_second_request(language: str) -> None:
    written = f'<think>Perhaps {{"questions": []}}?</think>Here is the JSON:\n```json\n{GOOD.text}\n```\nGood luck.'
    async with asking(Writes(written), language=language, output="prompted") as scene:
        assert await scene.model.complete(ASKED) == PARTS
        assert len(scene.served.asked) == 1


async def test_what_is_wrong_with_one_field_is_told_to_the_model_by_its_name(language: str) -> None:
    async with asking(Writes('{"questions": [1]}'), GOOD, language=language) as scene:
        assert await scene.model.complete(ASKED) == PARTS
        assert "questions.0: Input should be a valid string" in json.dumps(json.loads(scene.served.asked[1].body))
