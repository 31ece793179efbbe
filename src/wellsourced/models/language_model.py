"""A language model as stages know it, made of an engine: prompts in words, a budget, limits, and replies that were had
before.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from pydantic_core import from_json

from wellsourced.errors import (
    BudgetSpent,
    ModelUnavailable,
    NextStep,
    PromptTooLong,
    UnparsableReply,
    UnsupportedPrompt,
)
from wellsourced.events import DraftProgress, Emit, ModelCalled
from wellsourced.http.pacing import Clock
from wellsourced.models.base import (
    CallTracker,
    Engine,
    EngineReply,
    OnPartialReply,
    PricedModel,
    Prompt,
    R,
    RenderedPrompt,
    Reply,
    StartedCall,
)
from wellsourced.models.prompt_rendering import (
    ConcealedPrompt,
    conceal_prompt,
    render_prompt,
    render_schema,
    restore_partial_replies,
    restore_reply,
)
from wellsourced.models.reply_parsing import RequestMeter, use_meter
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.privacy.pseudonyms import list_kinds
from wellsourced.prompts.writing import Draft
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts
from wellsourced.text.sanitization import drop_thoughts


def is_streamable(prompt: Prompt[Any]) -> bool:
    """Whether its reply is a draft that somebody can watch."""
    return issubclass(prompt.reply, Draft)


def draft_progress_listener(emit: Emit) -> OnPartialReply:
    """Tells the text of the statements whenever there is more of it."""
    told = ""

    def on_partial_reply(reply: str) -> None:
        nonlocal told
        text = read_partial_statements(reply)
        if text and text != told:
            told = text
            emit(DraftProgress(text=text))

    return on_partial_reply


def read_partial_statements(reply: str) -> str:
    """The text of the statements in a draft's JSON as far as it goes, one a line; "" when none can be read."""
    try:
        written = drop_thoughts(reply)
        draft = from_json(written[max(written.find("{"), 0) :], allow_partial="trailing-strings")
    except ValueError:
        return ""
    statements = draft.get("statements") if isinstance(draft, dict) else None
    said = statements if isinstance(statements, list) else []
    texts = (one.get("text") for one in said if isinstance(one, dict))
    return "\n".join(text for text in texts if isinstance(text, str) and text)


MAX_CHARACTERS_AT_ONCE = 4_000
"""Characters of a prompt that are looked through at once; a longer one would hold up whoever else is at work."""

PSEUDONYM_TOKENS, PSEUDONYM_TOKEN_SHARE = 80, 0.02
"""Tokens, and of a prompt this share, that pseudonyms and the sentence on them may take beyond the words."""

CANCELLED_CALL = "it was stopped before it answered"


class CallCache:
    """Replies by the key of their call, in a file that several processes may share. Of a prompt nothing is stored but
    its hash.

    path          of the file, which its owner alone may read; made when something is first kept
    limit_bytes   of all replies; those used longest ago go first, and one that would take an eighth of it is not kept
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._entries = SqliteCache(path, limit_bytes, what="replies of models")

    async def find(self, key: bytes, kind: type[R]) -> EngineReply[R] | None:
        """The reply of this kind that was had before; an entry that cannot be read is forgotten."""
        entry = (await self._entries.find(key)).get(key)
        if entry is None:
            return None
        try:
            return EngineReply(kind.model_validate_json(entry.body), *json.loads(entry.meta))
        except (ValueError, TypeError):
            await self._entries.delete(key)
            return None

    async def store(self, key: bytes, said: EngineReply[R]) -> None:
        """This was replied just now."""
        meta = json.dumps([said.tokens_in, said.tokens_out])
        await self._entries.store({key: CacheEntry(meta, said.reply.model_dump_json().encode())})

    async def close(self) -> None:
        """Let go of the file."""
        await self._entries.close()


def build_call_key(engine: Engine, wording: RenderedPrompt, reply: type[Reply]) -> bytes:
    """What makes a call the same call: who is asked, with which settings, what, and for which form of reply."""
    return hash_parts(engine.name, engine.settings, wording.instruction, wording.material, render_schema(reply))


MINUTE = 60.0


class CallLimits(NamedTuple):
    """How many calls of one model are under way at once, and begin within any minute; 0: as many as there are."""

    concurrency: int = 8
    per_minute: int = 0


class CallQueue:
    """A queue: who comes first is served first. A wave goes out at once as far as the minute has room for it."""

    def __init__(self, limits: CallLimits, clock: Clock | None = None) -> None:
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._per_minute = limits.per_minute
        self._start_times: deque[float] = deque()
        self._clock = clock or Clock()

    @asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the end."""
        async with self._slots:
            if self._per_minute:
                await self._wait_for_start()
            yield

    async def _wait_for_start(self) -> None:
        """Wait until fewer than so many calls began within the minute. The place is taken at once: nobody overtakes."""
        now = self._clock.steady()
        while self._start_times and self._start_times[0] <= now - MINUTE:
            self._start_times.popleft()
        full = len(self._start_times) >= self._per_minute
        turn = max(now, self._start_times[-self._per_minute] + MINUTE) if full else now
        self._start_times.append(turn)
        if turn <= now:
            return
        try:
            await self._clock.sleep(turn - now)
        except asyncio.CancelledError:
            # Nothing was sent: those who come later need not wait for it.
            self._start_times.remove(turn)
            raise


class LanguageModel:
    """A Model made of an Engine.

    tracker        the cost tracker of the question for whose sake it is asked, whenever it is asked
    cache          replies that were had before; None: none are kept
    words          name of a prompt's class → the user's own instruction in place of its docstring
    sees_patient   whether a patient's own words may be shown to an engine that is not on this machine
    exit           what becomes of words about people before an engine that is not on this machine sees them
    stream         whether a draft is told as it is written
    """

    def __init__(
        self,
        engine: Engine,
        *,
        tracker: Callable[[], CallTracker],
        cache: CallCache | None = None,
        words: Mapping[str, str] | None = None,
        sees_patient: bool = False,
        exit: PrivacyFilter | None = None,
        limits: CallLimits | None = None,
        stream: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.engine = engine
        self._account, self._cache, self._instructions = tracker, cache, words or {}
        self._sees_patient, self._exit, self._stream = sees_patient, exit or PrivacyFilter(), stream
        self._clock = clock or Clock()
        self._queue = CallQueue(limits or CallLimits(), self._clock)

    @property
    def name(self) -> str:
        """The engine's."""
        return self.engine.name

    def with_words(self, words: Mapping[str, str]) -> Self:
        """The same model with own words for prompts before those that it has; limits and memory are shared."""
        other = copy(self)
        other._instructions = {**self._instructions, **words}
        return other

    async def complete(self, prompt: Prompt[R]) -> R:
        """The reply to a prompt; what is private in it is shown to nobody who may not see it.

        An engine elsewhere sees pseudonyms in place of what identifies somebody, and so does the cache; the reply has
        the words again. Raises UnsupportedPrompt (a patient's words), IdentifyingPrompt, PromptTooLong and BudgetSpent
        before anything is sent; ModelError otherwise. BudgetSpent stops a call too that is still under way when the
        budget of time is spent.
        """
        is_private = self._check_patient_text(prompt)
        spoken = await self._conceal_prompt(prompt)
        wording = spoken.wording
        tokens = self._count_tokens(wording, prompt.reply)
        if tokens > self._max_prompt_tokens:
            raise PromptTooLong(tokens, self._max_prompt_tokens)
        key = build_call_key(self.engine, wording, prompt.reply)
        tracker = self._account()
        tracker.has_shown_patient_text = tracker.has_shown_patient_text or is_private
        # What is written for a patient repeats the patient's words: after that nothing of the question is kept.
        cache = None if tracker.has_shown_patient_text else self._cache
        if cache and (known := await cache.find(key, cast(type[R], prompt.reply))):
            told = self._build_event(prompt, key, known.tokens_in, known.tokens_out, cached=True, requests=0)
            tracker.record_cached_call(told)
            return restore_reply(known.reply, spoken.pseudonyms)
        self._check_given_up(tracker)
        said = await self._ask_and_charge(prompt, spoken, tokens, key)
        if cache:
            await cache.store(key, said)
        return restore_reply(said.reply, spoken.pseudonyms)

    def context_left(self, prompt: Prompt[Any]) -> int:
        """Tokens that could still be shown beside this prompt, its reply accounted for; below 0 it does not fit."""
        tokens = self._count_tokens(self._render_prompt(prompt), prompt.reply)
        uses_pseudonyms = self.engine.remote and self._exit.phi == "mask"
        # Pseudonyms may be longer than what they stand for.
        withheld = PSEUDONYM_TOKENS + int(PSEUDONYM_TOKEN_SHARE * tokens) if uses_pseudonyms else 0
        return self._max_prompt_tokens - tokens - withheld

    def estimate_cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """US dollars that so many tokens will cost; None where the price is not known."""
        if isinstance(self.engine, PricedModel):
            return self.engine.estimate_cost(tokens_in, tokens_out)
        return None if self.engine.remote else 0.0

    @property
    def _max_prompt_tokens(self) -> int:
        return self.engine.window - self.engine.reserved

    def _count_tokens(self, wording: RenderedPrompt, reply: type[Reply]) -> int:
        """Of all that the engine has to read: it is told the form of the reply too, however it tells it."""
        return sum(self.engine.count(text) for text in (*wording, render_schema(reply)))

    def _render_prompt(self, prompt: Prompt[Any]) -> RenderedPrompt:
        return render_prompt(prompt, self._instructions.get(type(prompt).__name__, ""))

    def _check_patient_text(self, prompt: Prompt[Any]) -> bool:
        """Whether the prompt holds a patient's words. Raises UnsupportedPrompt where this engine may not see them."""
        kind = type(prompt)
        is_private = any(getattr(prompt, name) for name in kind.private)
        # Before anything is sent, and whatever else is allowed: a patient's words go nowhere that was not named for
        # them.
        if is_private and self.engine.remote and not self._sees_patient:
            raise UnsupportedPrompt(
                f"{self.name} may not see a patient's text (setting patient_to), so nothing was sent",
                next_step=NextStep("allow patient text", self.name),
            )
        return is_private

    async def _conceal_prompt(self, prompt: Prompt[Any]) -> ConcealedPrompt:
        wording = self._render_prompt(prompt)
        if not self.engine.remote:
            return ConcealedPrompt(wording)
        if len(wording.material) <= MAX_CHARACTERS_AT_ONCE:
            return conceal_prompt(prompt, wording, self._exit)
        return await asyncio.to_thread(conceal_prompt, prompt, wording, self._exit)

    async def _ask_and_charge(
        self, prompt: Prompt[R], spoken: ConcealedPrompt, tokens: int, key: bytes
    ) -> EngineReply[R]:
        """What the engine says; the tracker is charged with it, and with a call that fails or is stopped."""
        tracker = self._account()
        begun = tracker.begin(tokens)
        meter = RequestMeter(lambda used: tracker.admit_repeat(begun, used.tokens_in + used.tokens_out, used.cost))
        told: ModelCalled | None = None
        try:
            async with self._take_turn(begun):
                self._check_given_up(tracker)
                told = self._build_event(prompt, key, tokens_in=tokens, error=CANCELLED_CALL)
                with use_meter(meter), self._watch_failures(tracker):
                    said = await self._ask_engine(prompt, spoken, tracker)
            took = {"cost": said.cost, "repaired": said.repaired}
            told = self._build_event(prompt, key, said.tokens_in, said.tokens_out, **took)
            return said
        except Exception as error:
            is_unsent = isinstance(error, PromptTooLong | UnsupportedPrompt) and not meter.requests
            fault = {"error": str(error) or type(error).__name__, "repaired": isinstance(error, UnparsableReply)}
            told = None if is_unsent or not told else told.model_copy(update=fault)
            raise
        finally:
            tracker.end(begun, told and _tell_requests(told, meter))

    def _check_given_up(self, tracker: CallTracker) -> None:
        if tracker.failures.is_given_up(self.name):
            raise ModelUnavailable(f"{self.name} was not asked again, because it did not answer before")

    @contextmanager
    def _watch_failures(self, tracker: CallTracker) -> Iterator[None]:
        """Tell the tracker whether the model answered: a reply that cannot be read is an answer too."""
        began = self._clock.steady()
        try:
            yield
        except ModelUnavailable:
            tracker.failures.record_failure(self.name, began, self._clock.steady())
            raise
        except UnparsableReply:
            tracker.failures.record_answer(self.name)
            raise
        tracker.failures.record_answer(self.name)

    @asynccontextmanager
    async def _take_turn(self, begun: StartedCall) -> AsyncIterator[None]:
        """Wait for a turn, and have it as long as the budget of time lasts. Raises BudgetSpent."""
        timer = asyncio.timeout(begun.seconds_left)
        try:
            async with timer, self._queue.take_turn():
                yield
        except TimeoutError:
            if not timer.expired():
                raise
            spent = begun.started_at + (begun.seconds_left or 0.0)
            raise BudgetSpent("seconds", spent, spent) from None

    async def _ask_engine(self, prompt: Prompt[R], spoken: ConcealedPrompt, tracker: CallTracker) -> EngineReply[R]:
        heard = draft_progress_listener(tracker.emit) if self._stream and is_streamable(prompt) else None
        if self.engine.remote:
            host = getattr(self.engine, "host", self.name)
            self._exit.disclose(host, self.name, spoken.wording.material, list_kinds(spoken.pseudonyms.kinds))
        heard = heard and restore_partial_replies(heard, spoken.pseudonyms)
        said = await self.engine.ask(spoken.wording, cast(type[R], prompt.reply), heard)
        if not isinstance(said.reply, prompt.reply):
            raise UnparsableReply(said.reply.model_dump_json(), f"it is a {type(said.reply).__name__}")
        return said

    def _build_event(
        self, prompt: Prompt[Any], key: bytes, tokens_in: int, tokens_out: int = 0, **more: Any
    ) -> ModelCalled:
        name = type(prompt).__name__
        return ModelCalled(
            prompt=name, model=self.name, key=key.hex(), tokens_in=tokens_in, tokens_out=tokens_out, **more
        )


def _tell_requests(told: ModelCalled, meter: RequestMeter) -> ModelCalled:
    """The call with the requests that were sent for it, and with what they took at least if it failed."""
    change: dict[str, Any] = {"requests": max(1, meter.requests)}
    if told.error:
        unanswered = told.tokens_in if meter.is_waiting else 0
        change |= {"tokens_in": meter.tokens_in + unanswered, "tokens_out": meter.tokens_out, "cost": meter.cost}
    return told.model_copy(update=change)
