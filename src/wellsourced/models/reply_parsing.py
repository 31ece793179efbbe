"""A typed reply read out of what a model wrote: nothing is taken that does not stand there, and nothing is mended."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from wellsourced.errors import UnparsableReply
from wellsourced.models.base import R
from wellsourced.text.sanitization import drop_thoughts

MAX_FAULTS = 5
"""Of what is wrong with a reply, as many as are told."""

NO_OBJECT = "it has no JSON object in it"

_OBJECT_START = re.compile(r'\{\s*+["}]')
"""Where an object begins: not at the braces of a formula, or of "the form {...}"."""

_STRING_OR_BRACE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}]', re.DOTALL)
"""A string, also one without an end, or a brace outside strings; linear, since whatever begins matches."""

_FIELD_NAME = re.compile(r"\A\w{1,60}\Z")


def parse_reply(reply: type[R], text: str) -> R:
    """The reply that a text holds, whatever is thought and said around it.

    The text may be the reply itself, or hold it among prose, in a block of Markdown, after thoughts in <think>, or in
    the envelope of a call ({"name": …, "arguments": {…}}). Of several objects of this form the last one counts: a model
    that repeats the form it was given, or corrects itself, replies last. Takes time linear in the text.

    Raises UnparsableReply, which carries the whole text and names the fields that are at fault.
    """
    try:
        return reply.model_validate_json(text)
    except ValueError as error:
        faults = [error] if isinstance(error, ValidationError) and not _is_invalid_json(error) else []
    for found in reversed([*_find_objects(drop_thoughts(text))]):
        try:
            return _validate_object(reply, found)
        except ValidationError as error:
            faults.append(error)
    told = [fault for fault in faults if not _is_invalid_json(fault)] or faults
    if not told:
        raise UnparsableReply(text, NO_OBJECT)
    nearest = min(told, key=lambda fault: fault.error_count())
    raise UnparsableReply(text, _describe_faults(nearest)) from nearest


def _find_objects(text: str) -> Iterator[str]:
    """The outermost objects of a text, in order; one without an end, or with nothing in it, is none."""
    at = 0
    while begin := _OBJECT_START.search(text, at):
        end = _find_object_end(text, begin.start())
        if end < 0:
            return
        if not begin[0].endswith("}"):
            yield text[begin.start() : end]
        at = end


def _find_object_end(text: str, start: int) -> int:
    """Where the object that begins there ends; -1 when it does not."""
    depth = 0
    for piece in _STRING_OR_BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(piece[0], 0)
        if depth == 0:
            return piece.end()
    return -1


def _validate_object(reply: type[R], found: str) -> R:
    """The reply that an object is, or holds as the arguments of a call. Raises ValidationError."""
    try:
        return reply.model_validate_json(found)
    except ValidationError as error:
        again = [_escape_control_characters(found)] if _is_invalid_json(error) else [*_list_enclosed(reply, found)]
        for held in again:
            try:
                return reply.model_validate_json(held)
            except ValidationError:
                continue
        raise


def _escape_control_characters(found: str) -> str:
    """The same object with the line breaks in its strings written as JSON wants them; "" if it cannot be read."""
    try:
        return json.dumps(json.loads(found, strict=False))
    except (ValueError, RecursionError):
        return ""


def _list_enclosed(reply: type[R], found: str) -> Iterator[str]:
    """The objects, not empty, that are values of an object with no field of this form."""
    try:
        envelope: dict[str, Any] = json.loads(found)
    except (ValueError, RecursionError):
        return
    if not envelope.keys() & reply.model_fields.keys():
        yield from (json.dumps(value) for value in envelope.values() if isinstance(value, dict) and value)


def _is_invalid_json(error: ValidationError) -> bool:
    return error.errors(include_url=False, include_context=False, include_input=False)[0]["type"] == "json_invalid"


def _describe_faults(error: ValidationError) -> str:
    """What is wrong, without what the model wrote: a reason may be shown and logged, a patient's words not."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{_describe_place(fault['loc'])}: {'it is not JSON' if fault['type'] == 'json_invalid' else fault['msg']}"
        for fault in faults
    ]
    more = f"; and {len(told) - MAX_FAULTS} more" if len(told) > MAX_FAULTS else ""
    return "; ".join(told[:MAX_FAULTS]) + more


def _describe_place(place: tuple[int | str, ...]) -> str:
    """The path to a field; a name that no field has may be anybody's words."""
    return ".".join(str(step) if _FIELD_NAME.match(str(step)) else "…" for step in place) or "the whole"
