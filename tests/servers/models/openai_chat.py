"""OpenAI's chat completions (platform.openai.com/docs/api-reference/chat)."""

from collections.abc import Iterator
from typing import Any

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Refuses, Writes, cut_up, demand, event, only, packed, strict

FIELDS = {
    "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "metadata", "modalities", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format",
    "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options", "temperature",
    "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
}  # fmt: skip
ROLES = {"system", "developer", "user", "assistant", "tool"}


class OpenAIChat:
    """As strict as api.openai.com."""

    path = "/chat/completions"
    fields = FIELDS

    def key(self, asked: Asked) -> str:
        return asked.headers.get("Authorization", "").removeprefix("Bearer ")

    def check(self, asked: Asked, body: Body) -> None:
        demand(asked.method == "POST" and asked.path.endswith(self.path), f"Invalid URL ({asked.method} {asked.path})")
        only(body, {"model", "messages"}, self.fields)
        demand(body["messages"], "Invalid 'messages': empty array.")
        for message in body["messages"]:
            only(message, {"role"}, {"content", "name", "refusal", "tool_calls", "tool_call_id"}, "messages")
            demand(message["role"] in ROLES, f"Invalid role {message['role']}.")
            demand(message.get("content") or message.get("tool_calls"), "Invalid 'messages': no content.")
        demand("stream_options" not in body or body.get("stream"), "'stream_options' only with 'stream'.")
        self._check_form(body)

    def _check_form(self, body: Body) -> None:
        form = body.get("response_format", {"type": "text"})
        demand(form["type"] in {"text", "json_object", "json_schema"}, "Invalid 'response_format.type'.")
        if form["type"] == "json_schema":
            only(form["json_schema"], {"name", "schema"}, {"strict", "description"}, "response_format.json_schema")
            self.check_schema(form["json_schema"]["schema"], enforced=form["json_schema"].get("strict", False))
        for tool in body.get("tools", []):
            only(tool, {"type", "function"}, set(), "tools")
            only(tool["function"], {"name"}, {"description", "parameters", "strict"}, "tools.function")
            self.check_schema(tool["function"]["parameters"], enforced=tool["function"].get("strict", False))
        demand("tool_choice" not in body or body.get("tools"), "'tool_choice' only with 'tools'.")

    def check_schema(self, schema: Body, *, enforced: bool) -> None:
        demand(schema.get("type") == "object", "Invalid schema: it must be an object.")
        if enforced:
            strict(schema)

    def streams(self, asked: Asked, body: Body) -> bool:
        return bool(body.get("stream"))

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        message: Body = {"role": "assistant", "content": None, "refusal": None}
        if isinstance(does, Refuses):
            message["refusal"] = does.why
        elif name := called(body):
            message["tool_calls"] = [self._call(name, does.text)]
        else:
            message["content"] = does.text
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._reason(body, does)}
        return {**self._head(body, "chat.completion"), "choices": [choice], "usage": usage(does)}

    def events(self, body: Body, does: Writes | Refuses) -> Iterator[bytes]:
        yield self._delta(body, {"role": "assistant", "content": "", "refusal": None})
        for delta in self._deltas(body, does):
            yield self._delta(body, delta)
        yield self._delta(body, {}, self._reason(body, does))
        if (body.get("stream_options") or {}).get("include_usage"):
            yield event({**self._head(body, "chat.completion.chunk"), "choices": [], "usage": usage(does)})
        yield b"data: [DONE]\n\n"

    def _deltas(self, body: Body, does: Writes | Refuses) -> Iterator[Body]:
        if isinstance(does, Refuses):
            yield from ({"refusal": piece} for piece in cut_up(does.why))
        elif name := called(body):
            yield {"tool_calls": [{"index": 0, **self._call(name, "")}]}
            for piece in cut_up(does.text):
                yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
        else:
            yield from ({"content": piece} for piece in cut_up(does.text))

    def _delta(self, body: Body, delta: Body, reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event({**self._head(body, "chat.completion.chunk"), "choices": [choice], "usage": None})

    def _call(self, name: str, text: str) -> Body:
        return {"id": "call_8sFZ", "type": "function", "function": {"name": name, "arguments": text}}

    def _reason(self, body: Body, does: Writes | Refuses) -> str:
        if isinstance(does, Writes) and does.cut:
            return "length"
        return "tool_calls" if called(body) and isinstance(does, Writes) else "stop"

    def _head(self, body: Body, kind: str) -> Body:
        return {"id": "chatcmpl-B9MBs", "object": kind, "created": 1_790_000_000, "model": body["model"]}

    def error(self, status: int, message: str) -> Body:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def overflow(self) -> Said:
        message = (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens."
        )
        error = {"message": message, "type": "invalid_request_error", "param": "messages"}
        return Said(packed({"error": {**error, "code": "context_length_exceeded"}}), 400, "application/json")


def called(body: Body) -> str:
    """The tool that has to be called; "" when none."""
    tools = body.get("tools") or []
    return tools[0]["function"]["name"] if tools else ""


def usage(does: Any) -> Body:
    written = does if isinstance(does, Writes) else Writes("")
    total = written.tokens_in + written.tokens_out
    return {"prompt_tokens": written.tokens_in, "completion_tokens": written.tokens_out, "total_tokens": total}


class MistralChat(OpenAIChat):
    """Mistral's dialect of it (docs.mistral.ai/api): a seed is a random seed."""

    fields = FIELDS - {"seed", "stream_options", "max_completion_tokens"} | {"random_seed"}
