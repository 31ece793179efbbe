"""Ollama's imitation of chat completions (docs.ollama.com/openai), with what it does otherwise.

It wants no key, passes over fields that it does not know, enforces no strictness, knows no refusals, gives every call
the reason "stop", and cuts what is too long without a word.
"""

from tests.servers.base import Asked, Said
from tests.servers.models.base import Body, Refuses, Writes, demand
from tests.servers.models.openai_chat import OpenAIChat


class Ollama(OpenAIChat):
    """A server of one's own."""

    path = "/v1/chat/completions"

    def check(self, asked: Asked, body: Body) -> None:
        demand(asked.method == "POST" and asked.path == self.path, "404 page not found")
        demand(body.get("model"), "model is required")
        demand(body.get("messages"), "[] is too short - 'messages'")

    def whole(self, body: Body, does: Writes | Refuses) -> Body:
        reply = super().whole(body, does)
        reply["system_fingerprint"] = "fp_ollama"
        reply["choices"][0]["message"].pop("refusal")
        return reply

    def _reason(self, body: Body, does: Writes | Refuses) -> str:
        return "length" if isinstance(does, Writes) and does.cut else "stop"

    def error(self, status: int, message: str) -> Body:
        return {"error": {"message": message, "type": "api_error", "param": None, "code": None}}

    def overflow(self) -> Said:
        raise AssertionError("it never says that anything is too long")
