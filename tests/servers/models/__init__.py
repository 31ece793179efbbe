"""Providers of models on loopback, each in its own wire format, as strict as the real ones about what they are sent."""

from tests.servers.models.base import Api, Breaks, Does, Fails, Overflows, Provider, Refuses, Writes
from tests.servers.models.claude import Claude
from tests.servers.models.gemini import Gemini
from tests.servers.models.ollama import Ollama
from tests.servers.models.openai_chat import MistralChat, OpenAIChat
from tests.servers.models.openai_responses import OpenAIResponses

__all__ = [
    "Api", "Breaks", "Claude", "Does", "Fails", "Gemini", "MistralChat", "Ollama", "OpenAIChat", "OpenAIResponses",
    "Overflows", "Provider", "Refuses", "Writes",
]  # fmt: skip
