"""The form of a typed reply: as a JSON schema that a grammar is made of, in words for the model, and read back."""

import json
import re
from collections.abc import Iterator, Sequence
from json import JSONDecodeError, JSONDecoder
from typing import Any

from pydantic import ValidationError

from wellsourced.errors import UnparsableReply
from wellsourced.models.base import R, Reply

PLACEHOLDER = "…"


PASSAGE_FIELD = "passage_id"


_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
"""What a model thinks aloud before it replies; braces in it are none of the reply."""

MAX_OBJECTS = 20
"""Braces of a reply at which an object is looked for."""


def build_schema(reply: type[Reply], keys: Sequence[str] = ()) -> dict[str, Any]:
    """Its JSON schema with every field required: a model that is free to leave out a field leaves out what matters.

    keys   of the passages that are shown: no others can be named; none: any can
    """
    schema: dict[str, Any] = _require_fields(reply.model_json_schema(), list(keys))
    return schema


def describe_form(reply: type[Reply]) -> str:
    """What the reply has to look like, for a model that does not see its schema."""
    schema = reply.model_json_schema()
    form = json.dumps(_build_example(schema, schema.get("$defs", {})), ensure_ascii=False)
    meaning = (reply.__doc__ or "").strip()
    return f"Reply with one JSON object of this form, and nothing else: {form}\n{meaning}".strip()


def parse_reply(reply: type[R], text: str) -> R:
    """The reply that a text holds: the first JSON object of this form, what is thought and said around it left out.

    Raises UnparsableReply with the whole text, which names the field that is at fault.
    """
    fault: ValidationError | None = None
    for found in _find_objects(_THOUGHT.sub(" ", text)):
        try:
            return reply.model_validate_json(found)
        except ValidationError as error:
            fault = fault or error
    if fault is None:
        raise UnparsableReply(text, "it has no JSON object in it")
    first = fault.errors()[0]
    field = ".".join(map(str, first["loc"]))
    raise UnparsableReply(
        text, f"{fault.error_count()} faults, the first: {f'{field}: ' if field else ''}{first['msg']}"
    ) from fault


def _find_objects(text: str) -> Iterator[str]:
    """The outermost JSON objects of a text, in order; then all from the first brace to the last one."""
    decoder, at = JSONDecoder(strict=False), text.find("{")
    first = at
    for _ in range(MAX_OBJECTS):
        if at < 0:
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except (JSONDecodeError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)
    if 0 <= first < text.rfind("}"):
        yield text[first : text.rfind("}") + 1]


def _require_fields(node: Any, keys: list[str]) -> Any:
    if isinstance(node, list):
        return [_require_fields(one, keys) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _require_fields(value, keys)
        for key, value in node.items()
        if key not in {"default", "title", "description"}
    }
    if "properties" in node:
        # A field may have the name of a keyword ("title"): below here are names, not keywords.
        kept["properties"] = {name: _require_fields(one, keys) for name, one in node["properties"].items()}
        kept["required"] = list(node["properties"])
        if keys and (named := node["properties"].get(PASSAGE_FIELD)):
            none = [named["default"]] if "default" in named else []
            kept["properties"][PASSAGE_FIELD] = {"enum": [*keys, *none]}
    return kept


def _build_example(node: dict[str, Any], known: dict[str, Any]) -> Any:
    """A value of this schema that shows its form."""
    if "$ref" in node:
        return _build_example(known[node["$ref"].rpartition("/")[2]], known)
    if "anyOf" in node:
        return _build_example(node["anyOf"][0], known)
    if "enum" in node:
        return " | ".join(map(str, node["enum"]))
    match node.get("type"):
        case "object":
            return {name: _build_example(one, known) for name, one in node.get("properties", {}).items()}
        case "array":
            return [_build_example(node.get("items", {}), known)]
        case "boolean":
            return False
        case "integer" | "number":
            return 0
    return PLACEHOLDER
