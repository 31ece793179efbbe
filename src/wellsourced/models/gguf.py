"""What a GGUF file says of the model that it holds, read from its header alone.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian.
"""

import struct
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

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
            raise InvalidGguf("it is no GGUF file")
        try:
            entries = _read_entries(file)
        except (struct.error, UnicodeDecodeError, KeyError, EOFError) as error:
            raise InvalidGguf("it is cut off or damaged") from error
    architecture = entries.get("general.architecture", "")
    own = {key.partition(".")[2]: value for key, value in entries.items() if key.startswith(f"{architecture}.")}
    return GgufHeader(
        _positive_integer(own.get("context_length")), _cache_bytes_per_token(own), _find_control_tokens(entries)
    )


def _read_entries(file: BinaryIO) -> dict[str, Any]:
    version, _, number = struct.unpack("<IQQ", file.read(20))
    if version not in VERSIONS or number > MAX_ENTRIES:
        raise InvalidGguf("it is of a version that is not known, or damaged")
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
    """Bytes of the keys and values of one token, in all layers."""
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
