"""Anthropic's messages (platform.claude.com/docs/en/api/messages)."""

from collections.abc import Iterator

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Refuses, Writes, cut_up, demand, event, only, packed, strict

FIELDS = {
    "container", "context_management", "inference_geo", "metadata", "output_config", "service_tier", "stop_sequences",
    "stream", "system", "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p",
}  # fmt: skip


class Claude:
    """As strict as api.anthropic.com."""

    path = "/v1/messages"

    def key(self, asked: Asked) -> str:
        return asked.headers.get("X-Api-Key") or asked.headers.get("Authorization", "").removeprefix("Bearer ")

    def check(self, asked: Asked, body: Body) -> None:
        demand(asked.method == "POST" and asked.path == self.path, "Not Found")
        demand(asked.headers.get("Anthropic-Version"), "anthropic-version: header is required")
        only(body, {"model", "max_tokens", "messages"}, FIELDS)
        roles = [message["role"] for message in body["messages"]]
        demand(roles and roles[0] == "user", "messages: first message must use the user role")
        demand(all(message["content"] for message in body["messages"]), "messages: text must be non-empty")
        form = body.get("output_config", {}).get("format")
        if form:
            demand(form["type"] == "json_schema", "output_config.format.type: must be json_schema")
            strict(form["schema"])
        for tool in body.get("tools", []):
            only(tool, {"name", "input_schema"}, {"description", "strict", "type", "cache_control"}, "tools")
            strict(tool["input_schema"] if tool.get("strict") else {})

    def streams(self, asked: Asked, body: Body) -> bool:
        return bool(body.get("stream"))

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        import json

        content: list[Body] = []
        if isinstance(does, Writes) and body.get("tools"):
            # The service hands on parsed arguments; what does not parse cannot be a call.
            content = [{**self._tool(body), "input": json.loads(does.text)}]
        elif isinstance(does, Writes):
            content = [{"type": "text", "text": does.text}]
        written = does if isinstance(does, Writes) else Writes("")
        return {
            **self._message(body, content),
            "stop_reason": self._reason(body, does),
            "usage": {"input_tokens": written.tokens_in, "output_tokens": written.tokens_out},
        }

    def events(self, body: Body, does: Writes | Refuses) -> Iterator[bytes]:
        written = does if isinstance(does, Writes) else Writes("")
        usage = {"input_tokens": written.tokens_in, "output_tokens": 1}
        message = {**self._message(body, []), "stop_reason": None, "usage": usage}
        yield event({"type": "message_start", "message": message}, "message_start")
        yield event({"type": "ping"}, "ping")
        if isinstance(does, Writes):
            yield from self._block(body, does.text)
        delta = {"stop_reason": self._reason(body, does), "stop_sequence": None}
        usage = {"output_tokens": written.tokens_out}
        yield event({"type": "message_delta", "delta": delta, "usage": usage}, "message_delta")
        yield event({"type": "message_stop"}, "message_stop")

    def _block(self, body: Body, text: str) -> Iterator[bytes]:
        tool = bool(body.get("tools"))
        block = {**self._tool(body), "input": {}} if tool else {"type": "text", "text": ""}
        yield event({"type": "content_block_start", "index": 0, "content_block": block}, "content_block_start")
        for piece in cut_up(text):
            delta = (
                {"type": "input_json_delta", "partial_json": piece} if tool else {"type": "text_delta", "text": piece}
            )
            yield event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")
        yield event({"type": "content_block_stop", "index": 0}, "content_block_stop")

    def _tool(self, body: Body) -> Body:
        return {"type": "tool_use", "id": "toolu_01A0", "name": body["tools"][0]["name"]}

    def _message(self, body: Body, content: list[Body]) -> Body:
        head = {"id": "msg_01X", "type": "message", "role": "assistant", "model": body["model"]}
        return {**head, "content": content, "stop_sequence": None}

    def _reason(self, body: Body, does: Writes | Refuses) -> str:
        if isinstance(does, Refuses):
            return "refusal"
        if does.cut:
            return "max_tokens"
        return "tool_use" if body.get("tools") else "end_turn"

    def error(self, status: int, message: str) -> Body:
        kinds = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}
        kinds |= {429: "rate_limit_error", 529: "overloaded_error"}
        error = {"type": kinds.get(status, "api_error"), "message": message}
        return {"type": "error", "error": error, "request_id": "req_011"}

    def overflow(self) -> Said:
        message = "prompt is too long: 214315 tokens > 200000 maximum"
        return Said(packed(self.error(400, message)), 400, "application/json")
