"""llama.cpp in this process, through xllamacpp: a file is loaded, its tokens are counted, replies are written.

xllamacpp wraps llama.cpp's server, which always listens somewhere. Here it listens on a Unix socket in a folder of
this user's alone that is removed as soon as the model is loaded: nobody can reach it, and no port is open. Where there
are no such sockets (Windows) it is a port of this machine with a key that nobody knows.

One slot and no cache of prompts: both would make a reply depend on what else was asked (sums of numbers are rounded
otherwise in other batches), and the same question must have the same answer.
"""

import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import ModelRefused, NextStep, PromptTooLong, SettingsError
from wellsourced.models.base import Completion

BATCH_TOKENS = 128
"""Tokens read at a time: between two batches a call can be stopped. 512 would read 4 % faster."""

COUNTER_WINDOW = 256
"""Tokens that the counter can read, the fewest that llama.cpp takes: it never reads any."""

SILENT_VERBOSITY = -1
"""Verbosity at which llama.cpp says nothing at all, not even on its way down."""

WORD_JOINER = "\N{WORD JOINER}"
"""Unseen, and passed over where quotes are compared; see models/prompt_rendering.py."""

Message = dict[str, str]
ShouldStop = Callable[[str], bool]
"""Hears all of a reply so far, "" while the prompt is read; what it returns says whether to stop."""


class ChatPrompt(NamedTuple):
    """What a model is told, what it is shown, and the schema that its reply keeps to; None: it may write anything."""

    system: str
    user: str
    schema: dict[str, Any] | None


class LlamaModel:
    """A model in memory. Calls block; one at a time is answered, the others wait.

    marks   tokens that steer the model: in what is shown to it they are broken up, and steer nothing

    Raises SettingsError when the file cannot be loaded or xllamacpp is not installed.
    """

    def __init__(self, path: Path, window: int, threads: int, marks: tuple[str, ...]) -> None:
        # Without marks, what is found nowhere.
        self._control_tokens = re.compile("|".join(map(re.escape, sorted(marks, key=len, reverse=True))) or "(?!)")
        self._writer = _load_server(path, window, threads)
        # A server of its own: its queue is never held up by a reply that is being written. The weights are mapped, not
        # read, and what it is asked is always too long for it, so that it counts and computes nothing.
        self._counter = _load_server(path, COUNTER_WINDOW, 1, warmup=False, no_extra_bufts=True)
        try:
            self._filler_tokens = self._count_by_refusal([""])
            self._template_tokens = self._count_template()
        except (ValueError, ModelRefused) as error:
            reason = "its tokenizer or its chat template does not work"
            raise SettingsError(
                f"The model {path} cannot be used: {reason}.", next_step=NextStep("choose model")
            ) from error

    def count(self, text: str) -> int:
        """Tokens of a text, as this model has them."""
        return self._count_by_refusal([self.neutralize_markup(text)]) - self._filler_tokens

    def count_prompt(self, asked: ChatPrompt) -> int:
        """Tokens of a whole prompt, the template of the file included."""
        return self.count(asked.system) + self.count(asked.user) + self._template_tokens

    def neutralize_markup(self, text: str) -> str:
        """The text without anything that the model would take for a turn or a role, and without lone surrogates."""
        sound = text.encode("utf-8", "replace").decode("utf-8")
        return self._control_tokens.sub(lambda found: found.group()[0] + WORD_JOINER + found.group()[1:], sound)

    def write(self, asked: ChatPrompt, sampling: dict[str, float], hear: ShouldStop) -> Completion:
        """A reply that keeps to the schema. Raises PromptTooLong, ModelRefused."""
        telling = _ReplyCollector(hear)
        request = {
            "messages": self._build_messages(asked.system, asked.user),
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
            "cache_prompt": False,
            "chat_template_kwargs": {"enable_thinking": False},
            **sampling,
        }
        if asked.schema:
            # By a grammar that llama.cpp makes of it.
            request["response_format"] = {"type": "json_schema", "json_schema": {"schema": asked.schema}}
        try:
            self._writer.handle_chat_completions(request, telling)
        except ValueError as error:
            raise ModelRefused(f"the local model rejected the request: {error}") from error
        return telling.build_completion()

    def close(self) -> None:
        """Give the memory back; it waits for the batch that is being read."""
        del self._writer, self._counter

    def _build_messages(self, system: str, user: str) -> list[Message]:
        roles = (("system", system), ("user", user))
        return [{"role": role, "content": self.neutralize_markup(text)} for role, text in roles]

    def _count_template(self) -> int:
        user = "word " * COUNTER_WINDOW
        told = self._counter.handle_chat_completions({"messages": self._build_messages("word", user), "max_tokens": 1})
        return _refused_length(told) - self.count("word") - self.count(user)

    def _count_by_refusal(self, prompt: list[str | int]) -> int:
        told = self._counter.handle_completions({"prompt": [*prompt, *[1] * COUNTER_WINDOW], "max_tokens": 1})
        return _refused_length(told)


class _ReplyCollector:
    """Gathers the pieces of one reply."""

    def __init__(self, hear: ShouldStop) -> None:
        self._should_stop = hear
        self._text, self._finish_reason, self._usage = "", "", {"prompt_tokens": 0, "completion_tokens": 0}
        self._error: dict[str, Any] = {}

    def __call__(self, piece: dict[str, Any]) -> bool:
        self._error = piece.get("error") or self._error
        self._usage = piece.get("usage") or self._usage
        for choice in piece.get("choices", ()):
            self._text += choice["delta"].get("content") or ""
            self._finish_reason = choice.get("finish_reason") or self._finish_reason
        return self._should_stop(self._text)

    def build_completion(self) -> Completion:
        """All of it. Raises PromptTooLong, ModelRefused."""
        if "n_prompt_tokens" in self._error:
            raise PromptTooLong(self._error["n_prompt_tokens"], self._error["n_ctx"])
        if self._error:
            raise ModelRefused(f"the local model rejected the request: {self._error.get('message', self._error)}")
        used = self._usage
        return Completion(
            self._text,
            used["prompt_tokens"],
            used["completion_tokens"],
            is_complete=self._finish_reason == "stop",
            is_truncated=self._finish_reason == "length",
        )


def _refused_length(told: dict[str, Any]) -> int:
    error = told.get("error", {})
    if "n_prompt_tokens" not in error:
        raise ModelRefused(f"the local model cannot count its tokens: {error.get('message', 'it answered instead')}")
    return int(error["n_prompt_tokens"])


def _load_server(path: Path, window: int, threads: int, **settings: Any) -> Any:
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError as error:
        raise SettingsError(
            "A model in a file on this machine needs the package xllamacpp.",
            next_step=NextStep("install extra", "local"),
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_batch, params.n_ubatch = window, BATCH_TOKENS, BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_parallel, params.cache_ram_mib, params.verbosity, params.offline = 1, 0, SILENT_VERBOSITY, True
    params.fit_params = params.endpoint_slots = params.endpoint_props = params.ui = False
    params.api_keys = [secrets.token_urlsafe()]
    for name, value in settings.items():
        setattr(params, name, value)
    with _private_socket() as address:
        params.hostnames = [address]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            reason = "llama.cpp cannot load it: it is incomplete, damaged, unsupported or too large"
            raise SettingsError(
                f"The model {path} cannot be used: {reason}.", next_step=NextStep("choose model")
            ) from error


@contextmanager
def _private_socket() -> Iterator[str]:
    if os.name == "nt":
        yield "127.0.0.1"
        return
    with tempfile.TemporaryDirectory(prefix="ws") as folder:
        yield str(Path(folder) / "s.sock")
