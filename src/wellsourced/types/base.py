"""The base class of all values: frozen, strict about names, equal when their fields are."""

from base64 import b32encode
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Value(BaseModel):
    """Frozen, strict about names, and equal when its fields are."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ComputedValue(Value):
    """A value with computed fields: what we print we can read back, although they are no arguments."""

    @model_validator(mode="before")
    @classmethod
    def _drop_computed(cls, given: Any) -> Any:
        if isinstance(given, dict) and cls.model_computed_fields.keys() & given.keys():
            return {key: value for key, value in given.items() if key not in cls.model_computed_fields}
        return given


def hash_text(text: str) -> str:
    """Sixteen hexadecimal digits that tell one text from another: the beginning of its SHA-256."""
    return sha256(text.encode()).hexdigest()[:16]


def short_key(words: str) -> str:
    """Six letters and digits that stand for these words where a model has to copy them: made from them, no number."""
    return b32encode(sha256(words.encode()).digest())[:6].decode().lower()
