"""A model in a folder of Hugging Face, run in this process by transformers: nothing leaves this machine.

Greedy: the same prompt has the same reply. Weights are read from safetensors alone, and no code of the folder is run.
"""

import asyncio
from pathlib import Path
from typing import Any

from wellsourced.errors import NextStep, PromptTooLong, SettingsError
from wellsourced.models.base import Completion, EngineOptions, EngineReply, OnPartialReply, R, RenderedPrompt
from wellsourced.models.reply_parsing import (
    ReplyRequest,
    ask_until_read,
    build_messages,
    current_meter,
    list_rooms,
)

DEFAULT_WINDOW = 32_768
"""Tokens of a window that neither its folder nor a setting names."""

RETRY_REQUEST = "\n\nThis was asked before, and {}. Reply again, in the form that was asked for, and be brief."


class TransformersEngine:
    """A language model of this machine; one call at a time.

    Loading takes seconds, and blocks: make one in a thread. Raises SettingsError for a folder that cannot be used, and
    when torch and transformers are missing.
    """

    remote = False

    def __init__(self, folder: Path, options: EngineOptions) -> None:
        self._tokenizer, self._model = _load_model(folder)
        trained = getattr(self._model.config, "max_position_embeddings", 0) or DEFAULT_WINDOW
        self.name = f"local:{folder.name}"
        self.window = min(options.window or DEFAULT_WINDOW, trained)
        self.reserved = min(options.reply, self.window // 2)
        changed = max((file.stat().st_mtime_ns for file in folder.glob("*.safetensors")), default=0)
        self.settings = f"folder={folder.absolute()} changed={changed} window={self.window} reply={self.reserved}"
        self._turn = asyncio.Lock()

    def count(self, text: str) -> int:
        """Tokens of a text, as the model has them."""
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:  # noqa: ARG002 - a plan is not watched
        """The reply; see `ask_until_read` for one that cannot be read, or is cut off by its limit."""
        messages = build_messages(wording, reply)

        async def generate(request: ReplyRequest) -> Completion:
            again = RETRY_REQUEST.format(request.fault) if request.fault else ""
            user = messages[1] | {"content": messages[1]["content"] + again}
            current_meter().count_request()
            async with self._turn:
                return await asyncio.to_thread(self._generate, [messages[0], user], request.room)

        return await ask_until_read(generate, reply, list_rooms(self.reserved, self.window // 2))

    def _generate(self, messages: list[dict[str, str]], room: int) -> Completion:
        import torch

        prompt = self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(self._model.device)
        length = prompt["input_ids"].shape[1]
        if length > self.window - room:
            raise PromptTooLong(length, self.window - room)
        with torch.inference_mode():
            written = self._model.generate(**prompt, max_new_tokens=room, do_sample=False)[0][length:]
        text = self._tokenizer.decode(written, skip_special_tokens=True)
        return Completion(text, length, len(written), is_truncated=len(written) >= room)


def _load_model(folder: Path) -> tuple[Any, Any]:
    """The tokenizer and the model. Raises SettingsError."""
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        step = NextStep("install extra", "neural")
        raise SettingsError("A model in a folder needs torch and transformers.", next_step=step) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise SettingsError(f"The model in {folder} cannot be loaded ({reason}).") from error
    if not tokenizer.chat_template:
        raise SettingsError(f"The model in {folder} has no chat template, so that it cannot be asked.")
    return tokenizer, model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
