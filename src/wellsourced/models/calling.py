"""A language model as stages know it, made of an engine: prompts in words, a budget, a memory, limits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

from pydantic import ValidationError

from wellsourced.errors import BudgetSpent, ModelDown, Overlong, Unanswerable, Unparsable
from wellsourced.events import Asked
from wellsourced.http.clock import Clock
from wellsourced.models.base import AccountLike, Begun, Engine, Prompt, R, Reply, Said, Wording
from wellsourced.models.cache import CallCache, Kept, key_of
from wellsourced.models.concealment import Spoken, conceal_wording, restore_heard, restore_reply
from wellsourced.models.limits import Limits, Turns
from wellsourced.models.streaming import is_shown, writing
from wellsourced.models.wording import form, worded
from wellsourced.privacy import Exit, list_kinds

BRIEF = 4_000
"""Characters of a prompt that are looked through at once; a longer one would hold up whoever else is at work."""

ALLOWANCE, SHARE = 80, 0.02
"""Tokens, and of a prompt this share, that pseudonyms and the sentence on them may take beyond the words."""

STOPPED = "it was stopped before it had answered"


class Calling:
    """A Model made of an Engine.

    account        the account of the question for whose sake it is asked, whenever it is asked
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
        account: Callable[[], AccountLike],
        cache: CallCache | None = None,
        words: Mapping[str, str] | None = None,
        sees_patient: bool = False,
        exit: Exit | None = None,
        limits: Limits | None = None,
        stream: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.engine = engine
        self._account, self._cache, self._words = account, cache, words or {}
        self._sees_patient, self._exit, self._stream = sees_patient, exit or Exit(), stream
        self._turns = Turns(limits or Limits(), clock)

    @property
    def name(self) -> str:
        """The engine's."""
        return self.engine.name

    async def complete(self, prompt: Prompt[R]) -> R:
        """The reply to a prompt; what is private in it is shown to nobody who may not see it.

        An engine elsewhere sees pseudonyms in place of what identifies somebody, and so does the cache; the reply has
        the words again. Raises Unanswerable (a patient's words), IdentifyingPrompt, Overlong and BudgetSpent before
        anything is sent; ModelError otherwise. BudgetSpent stops a call too that is still under way when the budget of
        time is spent.
        """
        is_private = self._permit(prompt)
        spoken = await self._spoken(prompt)
        wording = spoken.wording
        tokens = self._fitting(wording, prompt.reply)
        key = key_of(self.engine, wording, prompt.reply)
        account = self._account()
        account.confided = account.confided or is_private
        # What is written for a patient repeats the patient's words: after that nothing of the question is kept.
        cache = None if account.confided else self._cache
        if cache and (known := await self._recalled(cache, key, prompt)):
            return restore_reply(known, spoken.pseudonyms)
        if self.name in account.down:
            raise ModelDown(f"{self.name} was not asked again, since it had not answered before")
        said = await self._charged(prompt, spoken, tokens, key)
        if cache:
            await cache.keep(key, Kept(said.reply.model_dump_json(), said.tokens_in, said.tokens_out))
        return restore_reply(said.reply, spoken.pseudonyms)

    def room(self, prompt: Prompt[Any]) -> int:
        """Tokens that could still be shown beside this prompt, its reply accounted for; below 0 it does not fit."""
        tokens = self._tokens(self._worded(prompt), prompt.reply)
        return self._limit - tokens - (ALLOWANCE + int(SHARE * tokens) if self._conceals else 0)

    @property
    def _limit(self) -> int:
        return self.engine.window - self.engine.reserved

    def _tokens(self, wording: Wording, reply: type[Reply]) -> int:
        """Of all that the engine has to read: it is told the form of the reply too, however it tells it."""
        return sum(self.engine.count(text) for text in (*wording, form(reply)))

    def _worded(self, prompt: Prompt[Any]) -> Wording:
        return worded(prompt, self._words.get(type(prompt).__name__, ""))

    def _fitting(self, wording: Wording, reply: type[Reply]) -> int:
        """The tokens of a prompt that fits. Raises Overlong."""
        tokens = self._tokens(wording, reply)
        if tokens > self._limit:
            raise Overlong(tokens, self._limit)
        return tokens

    def _permit(self, prompt: Prompt[Any]) -> bool:
        """Whether the prompt holds a patient's words. Raises Unanswerable where this engine may not see them."""
        kind = type(prompt)
        is_private = any(getattr(prompt, name) for name in kind.private)
        if is_private and self.engine.remote and not self._sees_patient:
            raise Unanswerable(
                f"{self.name} may not see a patient's text, which {kind.__name__} would show it, so nothing was sent: "
                "name it in patient_to to allow it"
            )
        return is_private

    @property
    def _conceals(self) -> bool:
        return self.engine.remote and self._exit.phi == "mask"

    async def _spoken(self, prompt: Prompt[Any]) -> Spoken:
        """The prompt as this engine may see it. Raises IdentifyingPrompt."""
        wording = self._worded(prompt)
        if not self.engine.remote:
            return Spoken(wording)
        if len(wording.shown) <= BRIEF:
            return conceal_wording(prompt, wording, self._exit)
        return await asyncio.to_thread(conceal_wording, prompt, wording, self._exit)

    async def _recalled(self, cache: CallCache, key: bytes, prompt: Prompt[R]) -> R | None:
        """The reply to the same call, if it was had before; that it was is told."""
        kept = await cache.find(key)
        if kept is None:
            return None
        try:
            reply = prompt.reply.model_validate_json(kept.reply)
        except ValidationError:
            await cache.forget(key)
            return None
        told = self._told(prompt, key, tokens_in=kept.tokens_in, tokens_out=kept.tokens_out, cached=True)
        self._account().recalled(told)
        return cast(R, reply)

    async def _charged(self, prompt: Prompt[R], spoken: Spoken, tokens: int, key: bytes) -> Said[R]:
        """What the engine says; the account is charged with it, and with a call that fails or is stopped."""
        account = self._account()
        begun = account.begin(tokens)
        told: Asked | None = None
        try:
            async with self._turn(begun):
                told = self._told(prompt, key, tokens_in=tokens, error=STOPPED)
                said = await self._said(prompt, spoken, account)
            told = self._told(
                prompt, key, said.tokens_in, said.tokens_out, cost=said.cost, repaired=said.repaired
            )  # fmt: skip
            return said
        except (Overlong, Unanswerable):
            told = None
            raise
        except Exception as error:
            if isinstance(error, ModelDown):
                account.down.add(self.name)
            told = told and self._failed(told, error)
            raise
        finally:
            account.end(begun, told)

    @asynccontextmanager
    async def _turn(self, begun: Begun) -> AsyncIterator[None]:
        """Wait for a turn, and have it as long as the budget of time lasts. Raises BudgetSpent."""
        timer = asyncio.timeout(begun.left)
        try:
            async with timer, self._turns.turn():
                yield
        except TimeoutError:
            if not timer.expired():
                raise
            spent = begun.at + (begun.left or 0.0)
            raise BudgetSpent("seconds", spent, spent) from None

    async def _said(self, prompt: Prompt[R], spoken: Spoken, account: AccountLike) -> Said[R]:
        heard = writing(account.tell) if self._stream and is_shown(prompt) else None
        if self.engine.remote:
            host = getattr(self.engine, "host", self.name)
            self._exit.disclose(host, self.name, spoken.wording.shown, list_kinds(spoken.pseudonyms.kinds))
        heard = heard and restore_heard(heard, spoken.pseudonyms)
        said = await self.engine.ask(spoken.wording, cast(type[R], prompt.reply), heard)
        if not isinstance(said.reply, prompt.reply):
            raise Unparsable(said.reply.model_dump_json(), f"it is a {type(said.reply).__name__}")
        return said

    def _told(self, prompt: Prompt[Any], key: bytes, tokens_in: int, tokens_out: int = 0, **more: Any) -> Asked:
        name = type(prompt).__name__
        return Asked(prompt=name, model=self.name, key=key.hex(), tokens_in=tokens_in, tokens_out=tokens_out, **more)

    def _failed(self, told: Asked, error: Exception) -> Asked:
        """A call that failed, with the tokens that it took at least."""
        change: dict[str, Any] = {"error": str(error) or type(error).__name__}
        if isinstance(error, Unparsable):
            # It was asked twice, and answered twice.
            written = 2 * self.engine.count(error.reply)
            change |= {"tokens_in": 2 * told.tokens_in, "tokens_out": written, "repaired": True}
        return told.model_copy(update=change)
