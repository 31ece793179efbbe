"""The form of a typed reply: as a JSON schema that a grammar is made of, and in words for the model."""

import json
from collections.abc import Sequence
from typing import Any

from wellsourced.models.base import Reply

PLACEHOLDER = "…"


PASSAGE_FIELD = "passage_id"


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
