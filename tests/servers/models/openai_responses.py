"""OpenAI's responses (platform.openai.com/docs/api-reference/responses)."""

from collections.abc import Iterator
from itertools import count

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Refuses, Writes, cut_up, demand, event, only, packed, strict

FIELDS = {
    "background", "include", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "parallel_tool_calls",
    "previous_response_id", "prompt", "prompt_cache_key", "reasoning", "safety_identifier", "service_tier", "store",
    "stream", "stream_options", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation",
    "user",
}  # fmt: skip


class OpenAIResponses:
    """As strict as api.openai.com."""

    path = "/responses"

    def key(self, asked: Asked) -> str:
        return asked.headers.get("Authorization", "").removeprefix("Bearer ")

    def check(self, asked: Asked, body: Body) -> None:
        demand(asked.method == "POST" and asked.path.endswith(self.path), f"Invalid URL ({asked.method} {asked.path})")
        only(body, {"model", "input"}, FIELDS)
        demand(body["input"], "Invalid 'input': empty.")
        form = body.get("text", {}).get("format", {"type": "text"})
        if form["type"] == "json_schema":
            only(form, {"type", "name", "schema"}, {"strict", "description"}, "text.format")
            strict(form["schema"] if form.get("strict") else {})
        for tool in body.get("tools", []):
            only(tool, {"type", "name", "parameters"}, {"strict", "description"}, "tools")
            strict(tool["parameters"] if tool.get("strict") else {})

    def streams(self, asked: Asked, body: Body) -> bool:
        return bool(body.get("stream"))

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        cut = isinstance(does, Writes) and does.cut
        return {
            **self._response(body, "incomplete" if cut else "completed", [self._item(body, does)]),
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "usage": self._usage(does),
        }

    def events(self, body: Body, does: Writes | Refuses) -> Iterator[bytes]:
        number = count()

        def told(kind: str, **data: object) -> bytes:
            return event({"type": kind, "sequence_number": next(number), **data}, kind)

        item, place = self._item(body, does), {"output_index": 0, "item_id": "msg_68a1"}
        yield told("response.created", response=self._response(body, "in_progress", []))
        yield told("response.in_progress", response=self._response(body, "in_progress", []))
        yield told("response.output_item.added", output_index=0, item=self._begun(item))
        if item["type"] == "function_call":
            for piece in cut_up(item["arguments"]):
                yield told("response.function_call_arguments.delta", **place, delta=piece)
            yield told("response.function_call_arguments.done", **place, arguments=item["arguments"], name=item["name"])
        else:
            yield from self._part(told, place, item["content"][0])
        yield told("response.output_item.done", output_index=0, item=item)
        whole = self.whole(body, does)
        yield told(f"response.{whole['status']}", response=whole)

    def _part(self, told, place: Body, part: Body) -> Iterator[bytes]:  # type: ignore[no-untyped-def]
        name = "refusal" if part["type"] == "refusal" else "text"
        kind = "response.refusal" if name == "refusal" else "response.output_text"
        extra: Body = {} if name == "refusal" else {"logprobs": []}
        yield told("response.content_part.added", **place, content_index=0, part={**part, name: ""})
        for piece in cut_up(part[name]):
            yield told(f"{kind}.delta", **place, content_index=0, delta=piece, **extra)
        yield told(f"{kind}.done", **place, content_index=0, **{name: part[name]}, **extra)
        yield told("response.content_part.done", **place, content_index=0, part=part)

    def _item(self, body: Body, does: Writes | Refuses) -> Body:
        if isinstance(does, Writes) and body.get("tools"):
            name = body["tools"][0]["name"]
            call = {"type": "function_call", "id": "msg_68a1", "call_id": "call_8sFZ", "name": name}
            return {**call, "arguments": does.text, "status": "completed"}
        part: Body = {"type": "refusal", "refusal": getattr(does, "why", "")}
        if isinstance(does, Writes):
            part = {"type": "output_text", "text": does.text, "annotations": [], "logprobs": []}
        return {"type": "message", "id": "msg_68a1", "role": "assistant", "status": "completed", "content": [part]}

    def _begun(self, item: Body) -> Body:
        if item["type"] == "function_call":
            return {**item, "arguments": "", "status": "in_progress"}
        return {**item, "content": [], "status": "in_progress"}

    def _response(self, body: Body, status: str, output: list[Body]) -> Body:
        return {
            "id": "resp_68a1",
            "object": "response",
            "created_at": 1_790_000_000,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": body["model"],
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": body.get("tool_choice", "auto"),
            "tools": body.get("tools", []),
            "usage": None,
        }

    def _usage(self, does: Writes | Refuses) -> Body:
        written = does if isinstance(does, Writes) else Writes("")
        return {
            "input_tokens": written.tokens_in,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written.tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": written.tokens_in + written.tokens_out,
        }

    def error(self, status: int, message: str) -> Body:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def overflow(self) -> Said:
        message = "Your input exceeds the context window of this model. Please adjust your input and try again."
        error = {"message": message, "type": "invalid_request_error", "param": "input"}
        return Said(packed({"error": {**error, "code": "context_length_exceeded"}}), 400, "application/json")
