"""A model in a GGUF file, its header read and run in this process by llama.cpp: nothing that it is shown leaves this
machine.
"""

import asyncio
import os
import struct
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO, NamedTuple

from wellsourced.errors import ModelUnavailable, NextStep, PromptTooLong, SettingsError
from wellsourced.models.base import Completion, EngineOptions, EngineReply, OnPartialReply, R, RenderedPrompt
from wellsourced.models.llama_cpp import ChatPrompt, LlamaModel
from wellsourced.models.prompt_rendering import find_passage_keys
from wellsourced.models.reply_parsing import (
    ReplyRequest,
    ask_until_read,
    build_schema,
    current_meter,
    describe_form,
    list_rooms,
)

DEFAULT_WINDOW = 32_768
"""Tokens of a window that nobody set: what models were trained for would often fill the memory."""

MIN_WINDOW = 512
"""A window of fewer tokens holds no question with a passage."""

MEMORY_SHARE = 0.75
"""Of the memory of this machine, what a model may take."""

FINGERPRINT_BYTES = 1 << 20
"""Bytes of the beginning of a file that tell it from others, together with its size."""

RETRY_REQUEST = "\n\nThis was asked before, and {}. Reply again, in the form that was asked for, and be brief."


class LocalEngine:
    """A language model of this machine.

    One model, one call at a time, in a thread of its own: on two cores two slots answer hardly more, and a reply would
    depend on what else is asked (see models/llama_cpp.py). A call that is cancelled stops within a batch of tokens.

    window     what the model was trained for, at most `options.window`, and what memory allows
    reserved   `options.reply`, at most half of the window

    Loading takes seconds, and blocks: make one in a thread (`asyncio.to_thread`). `close` gives the memory back.
    Raises SettingsError for a file that is missing, no GGUF, cut off or too large, and when xllamacpp is missing.
    """

    remote = False

    def __init__(self, path: Path, options: EngineOptions, threads: int) -> None:
        header, size = inspect_model_file(path)
        self.name = f"local:{path.name}"
        self.window = _choose_window(path, size, header, options)
        self.reserved = min(options.reply, self.window // 2)
        self.options = options
        self.settings = (
            f"file={_fingerprint(path, size)} window={self.window} reply={self.reserved} output={options.output} "
            f"temperature={options.temperature:g} seed={options.seed} threads={threads}"
        )
        self._llama = LlamaModel(path, self.window, threads, header.control_tokens)
        self._worker = ThreadPoolExecutor(1, "local-model")
        self._closing = Event()

    def count(self, text: str) -> int:
        """Tokens of a text, as the model has them; it takes a millisecond or so, whatever is being written."""
        return self._llama.count(text)

    async def ask(self, wording: RenderedPrompt, reply: type[R], heard: OnPartialReply | None = None) -> EngineReply[R]:
        """The reply; see `ask_until_read` for one that cannot be read, or is cut off by its limit."""
        schema = None if self.options.output == "prompted" else build_schema(reply, find_passage_keys(wording))
        asked = ChatPrompt(f"{wording.instruction}\n\n{describe_form(reply)}", wording.material, schema)

        def generate(request: ReplyRequest) -> Awaitable[Completion]:
            again = RETRY_REQUEST.format(request.fault) if request.fault else ""
            return self._generate(asked._replace(user=asked.user + again), request.room, heard)

        rooms = list_rooms(self.reserved, self.window - self._count_fitting_prompt(asked))
        return await ask_until_read(generate, reply, rooms)

    async def close(self) -> None:
        """End what is being written, and give the memory back; a second time nothing is left to do."""
        if self._closing.is_set():
            return
        self._closing.set()
        await asyncio.to_thread(self._worker.shutdown)
        await asyncio.to_thread(self._llama.close)

    def _count_fitting_prompt(self, asked: ChatPrompt, room: int = 0) -> int:
        self._require_open()
        limit = self.window - (room or self.reserved)
        if (tokens := self._llama.count_prompt(asked)) > limit:
            raise PromptTooLong(tokens, limit)
        return tokens

    async def _generate(self, asked: ChatPrompt, room: int, heard: OnPartialReply | None) -> Completion:
        """What the model writes in so many tokens, in the thread of the model. Raises PromptTooLong."""
        self._count_fitting_prompt(asked, room)
        current_meter().count_request()
        loop, stop = asyncio.get_running_loop(), Event()

        def forward_text(text: str) -> None:
            if heard and text and not stop.is_set():
                heard(text)

        def check_stop(text: str) -> bool:
            if stop.is_set() or self._closing.is_set():
                return True
            loop.call_soon_threadsafe(forward_text, text)
            return False

        try:
            return await loop.run_in_executor(self._worker, self._generate_in_thread, asked, room, check_stop)
        finally:
            stop.set()

    def _generate_in_thread(self, asked: ChatPrompt, room: int, hear: Callable[[str], bool]) -> Completion:
        """Raises ModelUnavailable when it takes longer than it may, or the model is closed meanwhile."""
        self._require_open()
        seconds = self.options.seconds
        end = time.monotonic() + seconds
        sampling = {"max_tokens": room, "temperature": self.options.temperature, "seed": self.options.seed}
        written = self._llama.write(asked, sampling, lambda text: hear(text) or time.monotonic() > end)
        if written.is_complete or written.is_truncated:
            return written
        self._require_open()
        raise ModelUnavailable(
            f"{self.name} did not finish within {seconds:g} seconds", next_step=NextStep("choose model")
        )

    def _require_open(self) -> None:
        if self._closing.is_set():
            raise ModelUnavailable(f"{self.name} is closed")


# What a GGUF file says of the model that it holds, read from its header alone.
#
# The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian.


MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_ENTRIES = 65_536
MAX_ITEMS = 8_000_000
"""An array of more items is no vocabulary."""
MAX_CHARACTERS = 16_000_000

STRING, ARRAY = 8, 9
NUMBER_CODES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of the format, as `struct` spells them."""

CONTROL, USER_DEFINED = 3, 4
"""Types of tokens: those that steer a model, and whole words that somebody added."""

CACHE_NUMBER_BYTES = 2
"""Bytes of one number in the cache of keys and values."""


class InvalidGguf(ValueError):
    """This is no GGUF file, or not all of one."""


class GgufHeader(NamedTuple):
    """What is known of a model before it is loaded.

    trained_context   tokens of context that it was trained for; 0: its file does not say
    bytes_per_token   bytes of memory that each token of context takes; 0: its file does not say
    control_tokens   tokens by which its template tells roles and turns apart, as they would stand in a text
    """

    trained_context: int
    bytes_per_token: int
    control_tokens: tuple[str, ...]


def read_header(path: Path) -> GgufHeader:
    """The header of the file. Raises InvalidGguf, OSError."""
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise InvalidGguf("it is not a GGUF file")
        try:
            entries = _read_entries(file)
        except (struct.error, UnicodeDecodeError, KeyError, EOFError) as error:
            raise InvalidGguf("it is incomplete or damaged") from error
    architecture = entries.get("general.architecture", "")
    own = {key.partition(".")[2]: value for key, value in entries.items() if key.startswith(f"{architecture}.")}
    return GgufHeader(
        _positive_integer(own.get("context_length")), _cache_bytes_per_token(own), _find_control_tokens(entries)
    )


def _read_entries(file: BinaryIO) -> dict[str, Any]:
    version, _, number = struct.unpack("<IQQ", file.read(20))
    if version not in VERSIONS or number > MAX_ENTRIES:
        raise InvalidGguf("its version of GGUF is unknown, or it is damaged")
    return {_read_string(file): _read_value(file, _read_number(file, "I")) for _ in range(number)}


def _read_value(file: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return _read_string(file)
    if kind != ARRAY:
        return _read_number(file, NUMBER_CODES[kind])
    of, length = struct.unpack("<IQ", file.read(12))
    if length > MAX_ITEMS or of == ARRAY:
        raise EOFError
    if of == STRING:
        return [_read_string(file) for _ in range(length)]
    code = NUMBER_CODES[of]
    return list(struct.unpack(f"<{length}{code}", file.read(length * struct.calcsize(f"<{code}"))))


def _read_number(file: BinaryIO, code: str) -> Any:
    return struct.unpack(f"<{code}", file.read(struct.calcsize(f"<{code}")))[0]


def _read_string(file: BinaryIO) -> str:
    length = _read_number(file, "Q")
    if length > MAX_CHARACTERS:
        raise EOFError
    return file.read(length).decode("utf-8", "surrogateescape")


def _cache_bytes_per_token(own: dict[str, Any]) -> int:
    layers, heads, width = (
        _positive_integer(own.get(key)) for key in ("block_count", "attention.head_count", "embedding_length")
    )
    if not layers or not heads:
        return 0
    shared = own.get("attention.head_count_kv", heads)
    kept = sum(map(_positive_integer, shared)) if isinstance(shared, list) else layers * _positive_integer(shared)
    lengths = (_positive_integer(own.get(f"attention.{part}_length")) or width // heads for part in ("key", "value"))
    return kept * sum(lengths) * CACHE_NUMBER_BYTES


def _positive_integer(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _find_control_tokens(entries: dict[str, Any]) -> tuple[str, ...]:
    tokens, kinds = entries.get("tokenizer.ggml.tokens", ()), entries.get("tokenizer.ggml.token_type", ())
    return tuple(
        token for token, kind in zip(tokens, kinds, strict=False) if len(token) > 1 and _is_control_token(token, kind)
    )


def _is_control_token(token: str, kind: int) -> bool:
    return kind == CONTROL or (kind == USER_DEFINED and token[0] in "<[" and token[-1] in ">]")


def inspect_model_file(path: Path) -> tuple[GgufHeader, int]:
    """What a file says of the model in it, and its bytes; nothing is loaded. Raises SettingsError."""
    try:
        return read_header(path), path.stat().st_size
    except OSError as error:
        raise SettingsError(
            f"The model {path} cannot be read ({error.strerror}).", next_step=NextStep("choose model")
        ) from error
    except InvalidGguf as error:
        raise SettingsError(f"The model {path} cannot be used: {error}.", next_step=NextStep("choose model")) from error


def _choose_window(path: Path, size: int, header: GgufHeader, options: EngineOptions) -> int:
    """Tokens that the model was trained for, that were asked for, and that memory can keep, whichever is least."""
    wanted = min(options.window or DEFAULT_WINDOW, header.trained_context or DEFAULT_WINDOW)
    memory = _machine_memory()
    if not memory or not header.bytes_per_token:
        return wanted
    kept = int(memory * MEMORY_SHARE - size) // header.bytes_per_token
    if kept < min(wanted, MIN_WINDOW):
        needed = (size + min(wanted, MIN_WINDOW) * header.bytes_per_token) / MEMORY_SHARE
        raise SettingsError(
            f"The model {path} needs {needed / 1e9:.1f} GB of memory, and this machine has {memory / 1e9:.1f} GB.",
            next_step=NextStep("choose model"),
        )
    return min(wanted, kept)


def _machine_memory() -> int:
    """Bytes of memory of this machine; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _fingerprint(path: Path, size: int) -> str:
    """What tells the file from another of its name, without reading gigabytes."""
    with path.open("rb") as file:
        return sha256(file.read(FINGERPRINT_BYTES) + str(size).encode()).hexdigest()[:16]
