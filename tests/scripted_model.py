"""A fake model with a scripted reply to each kind of prompt, so that a test states everything it relies on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from wellsourced.errors import ModelError, UnsupportedPrompt
from wellsourced.models.base import UNLIMITED_TOKENS, Prompt, R, Reply

ScriptedReply: TypeAlias = Reply | ModelError
"""A reply, or the error of a model that gives none."""

Script: TypeAlias = ScriptedReply | Sequence[ScriptedReply] | Callable[[Any], ScriptedReply]
"""What it says to one kind of prompt: always the same, one after another, or what a function says of the prompt."""


class ScriptedModel:
    """Refuses to improvise: a kind of prompt it has no reply for raises UnsupportedPrompt. Remembers what it was asked.

    An error among the replies is raised, to play a model that is down or talks nonsense. Of replies in a sequence,
    each is given once; asked for more, it raises UnsupportedPrompt.
    """

    name = "scripted"

    def __init__(self, replies: Mapping[type[Prompt[Any]], Script], *, window: int = 0) -> None:
        self.replies, self.window = replies, window
        self.prompts: list[Prompt[Any]] = []
        self._remaining_replies: dict[type[Prompt[Any]], Iterator[ScriptedReply]] = {
            kind: iter(script) for kind, script in replies.items() if isinstance(script, Sequence)
        }

    async def complete(self, prompt: Prompt[R]) -> R:
        """The reply told for this kind of prompt."""
        self.prompts.append(prompt)
        told = self._next_reply(prompt)
        if isinstance(told, ModelError):
            raise told
        return cast(R, told)

    def context_left(self, prompt: Prompt[Any]) -> int:
        """As many tokens as `window` has over the words of the prompt's JSON; without one there is always room."""
        return self.window - len(prompt.model_dump_json().split()) if self.window else UNLIMITED_TOKENS

    def _next_reply(self, prompt: Prompt[Any]) -> ScriptedReply:
        kind = type(prompt)
        if kind not in self.replies:
            raise UnsupportedPrompt(f"nobody told this model what to reply to {kind.__name__}")
        script = self.replies[kind]
        if isinstance(script, Reply | ModelError):
            return script
        if not isinstance(script, Sequence):
            return script(prompt)
        if (told := next(self._remaining_replies[kind], None)) is None:
            raise UnsupportedPrompt(
                f"this model was told {len(script)} replies to {kind.__name__}, and is asked for more"
            )
        return told
