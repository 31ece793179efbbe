"""Servers that speak OpenAI's language and take only some of it, refusing the rest in the words of real ones.

The words are those of DeepSeek and Moonshot (`response_format`), LM Studio (`json_object`), FastAPI (unknown fields),
vLLM (tools, and chat templates of Gemma) and llama.cpp (templates).
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Provider, packed
from tests.servers.models.openai_chat import OpenAIChat
from tests.servers.models.thinking import Thinking, Twist


class Refusal(NamedTuple):
    """What a server says to what it does not take."""

    status: int
    body: Any


UNAVAILABLE = Refusal(
    400,
    {
        "error": {
            "message": "This response_format type is unavailable now",
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_request_error",
        }
    },
)
SCHEMA_OR_TEXT = Refusal(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})
UNKNOWN_FIELD = Refusal(
    422,
    {
        "detail": [
            {"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}
        ]
    },
)
NO_TOOLS = Refusal(
    400,
    {
        "object": "error",
        "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "type": "BadRequestError",
        "code": 400,
    },
)
NO_SYSTEM = Refusal(
    400,
    {"object": "error", "message": "System role not supported", "type": "BadRequestError", "param": None, "code": 400},
)
SYSTEM_FIRST = Refusal(
    500,
    {
        "error": {
            "code": 500,
            "message": "Value is not callable: System message must be at the beginning.",
            "type": "server_error",
        }
    },
)


class Awkward(Thinking):
    """A model that replies well behind a server that takes little, and with slips that models make.

    schema, json, tools   what is said to a request in this form; None: it is taken
    system, second_system   what is said to any system message, and to one more than one
    slips   whether replies come with a key too many, a comma too many, nulls and words around them
    """

    def __init__(
        self,
        *twists: Twist,
        schema: Refusal | None = UNAVAILABLE,
        json: Refusal | None = None,
        tools: Refusal | None = NO_TOOLS,
        system: Refusal | None = None,
        second_system: Refusal | None = SYSTEM_FIRST,
        slips: bool = False,
    ) -> None:
        super().__init__(*twists)
        self._refusals = {"json_schema": schema, "json_object": json}
        self._tools, self._system, self._second_system, self._slips = tools, system, second_system, slips
        self.refused = 0

    def __call__(self, asked: Asked) -> Said:
        body = json.loads(asked.body)
        self.bodies.append(body)
        if refusal := self._find_refusal(body):
            self.refused += 1
            return Said(packed(refusal.body), refusal.status, "application/json")
        written = self.writes(body)
        if self._slips:
            written = written._replace(text=add_slips(written.text))
        return Provider(OpenAIChat(), written)(asked)

    def _find_refusal(self, body: Body) -> Refusal | None:
        systems = sum(message["role"] in ("system", "developer") for message in body["messages"])
        form = body.get("response_format", {}).get("type", "")
        return (
            (self._system if systems else None)
            or (self._second_system if systems > 1 else None)
            or (self._tools if body.get("tools") else None)
            or self._refusals.get(form)
        )


def add_slips(text: str) -> str:
    """The reply as models often write it: nulls for what is empty, a key and a comma too many, prose around it."""
    reply = {name: None if value in ("", []) else value for name, value in json.loads(text).items()}
    for item in (one for value in reply.values() if isinstance(value, list) for one in value if isinstance(one, dict)):
        item["confidence"] = 0.9
        if "card" in item:
            item["card"] = None
    written = json.dumps({**reply, "comment": "as asked"}, ensure_ascii=False)
    return f"Here is the reply:\n```json\n{written[:-1]},}}\n```"


LEAST: dict[str, Callable[..., Awkward]] = {
    "takes objects of JSON": Awkward,
    "takes words alone": lambda *twists: Awkward(*twists, json=SCHEMA_OR_TEXT, slips=True),
    "knows no format and no system message": lambda *twists: Awkward(
        *twists, schema=UNKNOWN_FIELD, json=UNKNOWN_FIELD, system=NO_SYSTEM, slips=True
    ),
}
"""Servers that take least of what can be sent."""
