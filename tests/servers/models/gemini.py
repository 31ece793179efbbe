"""Google's generateContent and streamGenerateContent (ai.google.dev/api/generate-content)."""

import json
from collections.abc import Iterator

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Refuses, Writes, cut_up, demand, event, only, packed

FIELDS = {"systemInstruction", "generationConfig", "tools", "toolConfig", "safetySettings", "cachedContent", "labels"}
CONFIG = {
    "candidateCount", "frequencyPenalty", "logprobs", "maxOutputTokens", "mediaResolution", "presencePenalty",
    "responseJsonSchema", "responseLogprobs", "responseMimeType", "responseModalities", "responseSchema", "seed",
    "stopSequences", "temperature", "thinkingConfig", "topK", "topP",
}  # fmt: skip


class Gemini:
    """As strict as generativelanguage.googleapis.com."""

    path = "/v1beta/models/"

    def key(self, asked: Asked) -> str:
        return asked.headers.get("X-Goog-Api-Key", "")

    def check(self, asked: Asked, body: Body) -> None:
        demand(asked.method == "POST" and asked.path.startswith(self.path), "Not Found")
        only(body, {"contents"}, FIELDS)
        demand(body["contents"], "GenerateContentRequest.contents: contents is not specified")
        for content in body["contents"]:
            demand(content["role"] in {"user", "model"}, "Please use a valid role: user, model.")
            demand(all(part for part in content["parts"]), "contents.parts must not be empty.")
        config = body.get("generationConfig", {})
        only(config, set(), CONFIG, "generation_config")
        json_wanted = config.get("responseMimeType") == "application/json"
        demand("responseJsonSchema" not in config or json_wanted, "A schema is only for application/json.")

    def streams(self, asked: Asked, body: Body) -> bool:
        return asked.path.endswith(":streamGenerateContent")

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        if isinstance(does, Refuses):
            return {"promptFeedback": {"blockReason": "SAFETY"}, **self._tail(does)}
        part: Body = {"text": does.text}
        if name := self._tool(body):
            part = {"functionCall": {"name": name, "args": json.loads(does.text)}}
        return {**self._candidate(part, does), **self._tail(does)}

    def events(self, body: Body, does: Writes | Refuses) -> Iterator[bytes]:
        if isinstance(does, Refuses) or self._tool(body):
            yield event(self.whole(body, does))
            return
        *first, last = cut_up(does.text)
        for piece in first:
            content = {"parts": [{"text": piece}], "role": "model"}
            yield event({"candidates": [{"content": content, "index": 0}], **self._tail(does)})
        yield event({**self._candidate({"text": last}, does), **self._tail(does)})

    def _candidate(self, part: Body, does: Writes) -> Body:
        content = {"parts": [part], "role": "model"}
        reason = "MAX_TOKENS" if does.cut else "STOP"
        return {"candidates": [{"content": content, "finishReason": reason, "index": 0}]}

    def _tail(self, does: Writes | Refuses) -> Body:
        written = does if isinstance(does, Writes) else Writes("")
        counts = {"promptTokenCount": written.tokens_in, "candidatesTokenCount": written.tokens_out}
        counts["totalTokenCount"] = written.tokens_in + written.tokens_out
        return {"usageMetadata": counts, "modelVersion": "gemini-2.5-flash", "responseId": "aXc4"}

    def _tool(self, body: Body) -> str:
        tools = body.get("tools") or []
        return tools[0]["functionDeclarations"][0]["name"] if tools else ""

    def error(self, status: int, message: str) -> Body:
        kinds = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
        kinds |= {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        return {"error": {"code": status, "message": message, "status": kinds.get(status, "INTERNAL")}}

    def overflow(self) -> Said:
        message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
        return Said(packed(self.error(400, message)), 400, "application/json")
