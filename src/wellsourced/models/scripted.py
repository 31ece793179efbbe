"""A model that replies what it was told to each kind of prompt: the fake, so that a test states its whole world."""

from collections.abc import Mapping
from typing import Any, cast

from wellsourced.errors import Unanswerable
from wellsourced.models.base import Prompt, R, Reply


class ScriptedModel:
    """Refuses to improvise: a kind of prompt it has no reply for raises Unanswerable. Remembers what it was asked."""

    name = "scripted"

    def __init__(self, replies: Mapping[type[Prompt[Any]], Reply]) -> None:
        self.replies = replies
        self.asked: list[Prompt[Any]] = []

    async def complete(self, prompt: Prompt[R]) -> R:
        """The reply told for this kind of prompt."""
        self.asked.append(prompt)
        if type(prompt) not in self.replies:
            raise Unanswerable(f"nobody told this model what to reply to {type(prompt).__name__}")
        return cast(R, self.replies[type(prompt)])
