"""A typed reply: the form that is asked for, how often, what it took, and how it is read. Nothing is taken that does
not stand there.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import reduce
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import ModelRefused, PromptTooLong, ReplyCutOff, UnparsableReply
from wellsourced.models.base import Completion, EngineReply, R, RenderedPrompt, Reply
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
    that repeats the form it was given, or corrects itself, replies last. A comma too many, a key that the form does not
    have, and a null where something may be left out are passed over. Takes time linear in the text.

    Raises UnparsableReply, which carries the whole text and names the fields that are at fault.
    """
    try:
        return reply.model_validate_json(text)
    except ValueError as error:
        faults = [error] if isinstance(error, ValidationError) and not _is_invalid_json(error) else []
    found = [*_find_objects(drop_thoughts(text))]
    # All of them as they stand, before any with its slips forgiven: what is whole is what the model meant.
    for validate in (_validate_object, _validate_forgivingly):
        for written in reversed(found):
            try:
                return validate(reply, written)
            except ValidationError as error:
                faults.append(error)
    told = [fault for fault in faults if not _is_invalid_json(fault)] or faults
    if not told:
        raise UnparsableReply(text, NO_OBJECT)
    # Of several objects the one that is nearly right is what the model meant, and is told of.
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
        if not _is_invalid_json(error):
            for held in _list_enclosed(reply, found):
                with suppress(ValidationError):
                    return reply.model_validate_json(held)
        raise


_STRING_OR_COMMA = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,\s*+(?=[}\]])', re.DOTALL)

MAX_PASSES = 4
"""Times that slips are looked for: what one of them hides shows when it is gone."""


def _validate_forgivingly(reply: type[R], found: str) -> R:
    """The reply without slips that can be put right without guessing: line breaks in strings, commas before a closing
    bracket, keys that its form does not have, and null where something may be left out. Raises ValidationError."""
    plain = _STRING_OR_COMMA.sub(lambda match: "" if match[0].startswith(",") else match[0], found)
    try:
        value = json.loads(plain, strict=False)
    except (ValueError, RecursionError):
        return reply.model_validate_json(found)
    # What has no field of this form is something else, not a reply with slips.
    is_reply = isinstance(value, dict) and not value.keys().isdisjoint(reply.model_fields)
    for _ in range(MAX_PASSES if is_reply else 0):
        try:
            return reply.model_validate_json(json.dumps(value))
        except ValidationError as error:
            if not _drop_slips(value, error):
                raise
    return reply.model_validate_json(json.dumps(value))


def _drop_slips(value: Any, error: ValidationError) -> bool:
    """Take out what its form does not have, and nulls; whether there was any."""
    has_dropped = False
    # From behind: places of a list before the one that goes stay what they are.
    for fault in reversed(error.errors(include_url=False, include_context=False)):
        *path, last = fault["loc"] or (None,)
        try:
            holder = reduce(lambda held, step: held[step], path, value)
            if fault["type"] == "extra_forbidden" or holder[last] is None:
                del holder[last]
                has_dropped = True
        except (LookupError, TypeError):
            continue
    return has_dropped


def _list_enclosed(reply: type[R], found: str) -> Iterator[str]:
    """The objects, not empty, that are values of an object with no field of this form."""
    try:
        envelope: dict[str, Any] = json.loads(found)
    except (ValueError, RecursionError):
        return
    # An object with a field of this form is a reply that is wrong, and no envelope.
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


MAX_WIDENINGS = 2
"""Times that the room of a reply is doubled."""


class ReplyRequest(NamedTuple):
    """What is asked for.

    room       tokens that the reply may take, thoughts included
    fault      the reply before it, and what was wrong with it, which the model is told
    cut_off    the reply before it, which needed more room: the model is asked as if for the first time
    repaired   a fault was told, now or before
    """

    room: int
    fault: UnparsableReply | None = None
    cut_off: ReplyCutOff | None = None
    repaired: bool = False


def list_rooms(reserved: int, limit: int) -> list[int]:
    """The rooms that a reply is given one after another as long as it is cut off: each twice the one before.

    limit   tokens that the window leaves, and the model can write
    """
    rooms = [reserved]
    while len(rooms) <= MAX_WIDENINGS and rooms[-1] < limit:
        rooms.append(min(2 * rooms[-1], limit))
    return rooms


async def ask_until_read(
    request: Callable[[ReplyRequest], Awaitable[Completion]], reply: type[R], rooms: Sequence[int]
) -> EngineReply[R]:
    """The reply, with what all that were requested took.

    One that was cut off is requested from its beginning with the next larger room. One that cannot be parsed, or was
    cut off where there has never been a larger room, is requested once more, by what was wrong with it. Raises
    UnparsableReply for the last reply.
    """
    asked, took = ReplyRequest(rooms[0]), list[Completion]()
    while True:
        completion = await _request_in_room(request, asked)
        current_meter().record_reply(completion.tokens_in, completion.tokens_out, completion.cost)
        took.append(completion)
        try:
            if completion.is_truncated:
                # Also where what was written happens to be a reply: the model meant to go on.
                raise ReplyCutOff(completion.text, completion.tokens_out)
            return _add_up(parse_reply(reply, completion.text), took)
        except UnparsableReply as error:
            asked = _choose_next(asked, error, rooms)


async def _request_in_room(request: Callable[[ReplyRequest], Awaitable[Completion]], asked: ReplyRequest) -> Completion:
    """What is written. Raises the ReplyCutOff before it where the model is not given more room."""
    try:
        return await request(asked)
    except (ModelRefused, PromptTooLong) as error:
        # The larger room was refused: what is wrong is still that the reply was cut off.
        if asked.cut_off:
            raise asked.cut_off from error
        raise


def _choose_next(asked: ReplyRequest, error: UnparsableReply, rooms: Sequence[int]) -> ReplyRequest:
    """What is asked for after a reply that is none. Raises the error when it is to be the last."""
    if isinstance(error, ReplyCutOff) and len(rooms) > 1:
        for room in rooms:
            if room > asked.room:
                return ReplyRequest(room, cut_off=error, repaired=asked.repaired)
        raise error
    # Once: a model that was told its fault and makes it again will go on making it.
    if asked.repaired:
        raise error
    return ReplyRequest(asked.room, fault=error, repaired=True)


def _add_up(reply: R, took: Sequence[Completion]) -> EngineReply[R]:
    costs = [one.cost for one in took if one.cost is not None]
    return EngineReply(
        reply,
        sum(one.tokens_in for one in took),
        sum(one.tokens_out for one in took),
        # The price of one is not known, so that of all is not.
        sum(costs) if len(costs) == len(took) else None,
        repaired=len(took) > 1,
    )


class RequestMeter:
    """Counts the requests of one call where they are sent, and what was replied, read or not.

    requests     sent so far, each one that was repeated counted again
    tokens_in, tokens_out, cost   of all replies that came; cost is None once the price of one is not known
    replies      that came
    is_waiting   whether a reply to the last request, or to a first one, has not come
    """

    def __init__(self, admit_repeat: "Callable[[RequestMeter], None] | None" = None) -> None:
        self.requests = self.replies = self.tokens_in = self.tokens_out = 0
        self.cost: float | None = 0.0
        self.is_waiting = True
        self._admit_repeat = admit_repeat

    def count_request(self) -> None:
        """Count a request that is about to be sent. Raises what does not admit a repeat (BudgetSpent)."""
        # The first request was admitted with the call; each that repeats it costs again.
        if self.requests and self._admit_repeat:
            self._admit_repeat(self)
        self.requests += 1
        self.is_waiting = True

    def record_reply(self, tokens_in: int, tokens_out: int, cost: float | None) -> None:
        """Add what a reply took."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost = None if self.cost is None or cost is None else self.cost + cost
        self.replies += 1
        self.is_waiting = False


_CURRENT_METER: ContextVar[RequestMeter | None] = ContextVar("meter", default=None)


@contextmanager
def use_meter(meter: RequestMeter) -> Iterator[RequestMeter]:
    """Every request that is sent inside, in tasks that are started inside too, is counted by this meter."""
    token = _CURRENT_METER.set(meter)
    try:
        yield meter
    finally:
        _CURRENT_METER.reset(token)


def current_meter() -> RequestMeter:
    """The meter of the call that is being made; a new one, that nobody reads, when there is none."""
    return _CURRENT_METER.get() or RequestMeter()


PLACEHOLDER = "…"


def build_schema(reply: type[Reply]) -> dict[str, Any]:
    """Its JSON schema with every field required: a model that is free to leave out a field leaves out what matters."""
    schema: dict[str, Any] = _require_fields(reply.model_json_schema())
    return schema


def describe_form(reply: type[Reply]) -> str:
    """What the reply has to look like, for a model that does not see its schema."""
    schema = reply.model_json_schema()
    form = json.dumps(_build_example(schema, schema.get("$defs", {})), ensure_ascii=False)
    meaning = (reply.__doc__ or "").strip()
    return f"Reply with one JSON object of this form, and nothing else: {form}\n{meaning}".strip()


def build_messages(wording: RenderedPrompt, reply: type[Reply]) -> list[dict[str, str]]:
    """A prompt as a chat, for a model that does not see its schema: what it is trained with is what it is asked."""
    system = f"{wording.instruction}\n\n{describe_form(reply)}"
    return [{"role": "system", "content": system}, {"role": "user", "content": wording.material}]


def _require_fields(node: Any) -> Any:
    if isinstance(node, list):
        return [_require_fields(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _require_fields(value) for key, value in node.items() if key not in {"default", "title"}}
    if "properties" in node:
        # A field may have the name of a keyword ("title"): below here are names, not keywords.
        kept["properties"] = {name: _require_fields(one) for name, one in node["properties"].items()}
        kept["required"] = list(node["properties"])
    return kept


def _build_example(node: dict[str, Any], known: dict[str, Any]) -> Any:
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
