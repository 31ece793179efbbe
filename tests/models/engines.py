"""An engine that replies from a script, and a world of calls to test with."""

import asyncio
from collections.abc import Sequence
from typing import cast

from wellsourced.budget import CostTracker, current_cost_tracker
from wellsourced.errors import ModelError
from wellsourced.models.base import Engine, EngineReply, OnPartialReply, R, RenderedPrompt, Reply
from wellsourced.models.language_model import CallCache, CallLimits, LanguageModel
from wellsourced.privacy.privacy_filter import PrivacyFilter

Script = Sequence[Reply | ModelError] | Reply | ModelError


class ScriptedEngine:
    """Replies in order, or always the same; counts words as tokens; remembers what it was asked and how many at once.

    hold   awaited in the middle of each call, so that a test can keep calls under way
    heard  told to whoever listens, before the reply
    """

    def __init__(
        self,
        script: Script,
        *,
        remote: bool = False,
        window: int = 100_000,
        reserved: int = 100,
        cost: float | None = 0.0,
    ) -> None:
        self.name, self.settings = "scripted:engine", "temperature=0"
        self.window, self.reserved, self.remote, self.cost = window, reserved, remote, cost
        self.asked: list[RenderedPrompt] = []
        self.parts: Sequence[str] = ()
        self.hold: asyncio.Event | None = None
        self.at_once = self.most_at_once = 0
        self._always = script if isinstance(script, Reply | ModelError) else None
        self._script = iter(() if isinstance(script, Reply | ModelError) else script)

    def count(self, text: str) -> int:
        return len(text.split())

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:
        self.asked.append(wording)
        told = self._always or next(self._script)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await (self.hold.wait() if self.hold else asyncio.sleep(0))
        finally:
            self.at_once -= 1
        if isinstance(told, ModelError):
            raise told
        for part in self.parts if heard else ():
            cast(OnPartialReply, heard)(part)
        return EngineReply(cast(R, told), tokens_in=self.count(" ".join(wording)), tokens_out=7, cost=self.cost)


def calling(
    engine: Engine,
    *,
    cache: CallCache | None = None,
    sees_patient: bool = False,
    exit: PrivacyFilter | None = None,
    limits: CallLimits | None = None,
    tracker: CostTracker | None = None,
    **words: str,
) -> LanguageModel:
    """A model made of the engine, charged to this tracker or to that of the question."""
    return LanguageModel(
        engine,
        tracker=(lambda: tracker) if tracker else current_cost_tracker,
        cache=cache,
        words=words,
        sees_patient=sees_patient,
        exit=exit,
        limits=limits,
    )
