"""A reply as it came, read: of the promised type, or an error that carries it."""

import re
from typing import TYPE_CHECKING

from pydantic import ValidationError

from wellsourced.errors import UnparsableReply
from wellsourced.models.base import R

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

CODE_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL | re.IGNORECASE)
"""Small models put JSON into a block of Markdown, whatever they are asked."""

MAX_FAULTS = 5
"""Of what is wrong with a reply, as many as are told."""


def response_text(response: "ModelResponse") -> str:
    """The JSON of a reply, as far as it is there: the arguments of its first call, else its text."""
    calls = response.tool_calls
    return calls[0].args_as_json_str() if calls and calls[0].args else response.text or ""


def parse_response(text: str, reply: type[R]) -> R:
    """The reply that the text is. Raises Unparsable, which carries the text."""
    fenced = CODE_FENCE.match(text)
    try:
        return reply.model_validate_json(fenced[1] if fenced else text)
    except ValidationError as error:
        raise UnparsableReply(text, _describe_faults(error)) from error


def _describe_faults(error: ValidationError) -> str:
    """What is wrong, without what the model wrote: a reason may be shown and logged, a patient's words not."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    told = [
        f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {_fault_reason(fault['type'], fault['msg'])}"
        for fault in faults
    ]
    more = f"; and {len(told) - MAX_FAULTS} more" if len(told) > MAX_FAULTS else ""
    return "; ".join(told[:MAX_FAULTS]) + more


def _fault_reason(kind: str, message: str) -> str:
    return "it is not JSON" if kind == "json_invalid" else message
