"""The providers there are: where each is reached, and what it wants to know first."""

from difflib import get_close_matches
from ipaddress import ip_address
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from wellsourced.errors import SettingsError

Speech = Literal["responses", "chat", "anthropic", "google"]
"""The language of an API."""


class Known(NamedTuple):
    """How a provider is reached.

    speech    the language it is asked in; of Bedrock, that of all models but Claude
    url       where it is; "": wherever the settings say
    variable  the environment variable in which its own tools look for a key; "": it may go without
    setting   the part of the settings that has its key and address
    """

    speech: Speech
    setting: str
    url: str = ""
    variable: str = ""


PROVIDERS: dict[str, Known] = {
    "anthropic": Known("anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "azure": Known("chat", "azure", "", "AZURE_OPENAI_API_KEY"),
    "bedrock": Known("chat", "bedrock", "", "AWS_BEARER_TOKEN_BEDROCK"),
    "compatible": Known("chat", "compatible"),
    "google": Known("google", "google", "https://generativelanguage.googleapis.com", "GOOGLE_API_KEY"),
    "groq": Known("chat", "groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "llamacpp": Known("chat", "llamacpp", "http://127.0.0.1:8080/v1"),
    "lmstudio": Known("chat", "lmstudio", "http://127.0.0.1:1234/v1"),
    "mistral": Known("chat", "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "ollama": Known("chat", "ollama", "http://127.0.0.1:11434/v1"),
    "openai": Known("responses", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openai-chat": Known("chat", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Known("chat", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "vllm": Known("chat", "vllm", "http://127.0.0.1:8000/v1"),
}

SERVERS = {"llamacpp", "lmstudio", "ollama", "vllm"}
"""What people run themselves: on this machine, what they write costs nothing."""

EXAMPLES = {
    "azure": "https://NAME.openai.azure.com",
    "bedrock": "https://bedrock-runtime.eu-central-1.amazonaws.com",
    "compatible": "http://127.0.0.1:8000/v1",
}


class Access(NamedTuple):
    """A model, named and reachable.

    key   "" where none is wanted
    """

    provider: str
    model: str
    speech: Speech
    url: str
    key: str

    @property
    def name(self) -> str:
        """As the settings name it: "openai:gpt-5"."""
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """With its port when the address has one."""
        return urlsplit(self.url).netloc

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine."""
        return not is_loopback(urlsplit(self.url).hostname or "")

    @property
    def free(self) -> bool:
        """Whether it costs nothing, since it is a server of one's own."""
        return self.provider in SERVERS and not self.remote


def access(name: str, url: str, key: SecretStr | None) -> Access:
    """What is needed to ask the model of that name. Raises SettingsError for what is unknown or missing."""
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS:
        raise SettingsError(_unknown(provider))
    if not model:
        raise SettingsError(f"“{name}” names no model: write it as {provider}:MODEL")
    known = PROVIDERS[provider]
    secret = key.get_secret_value() if key else ""
    if known.variable and not secret:
        variable = f"WELLSOURCED_{known.setting.upper()}__KEY"
        raise SettingsError(f"{provider} wants a key: set {known.setting}.key ({variable}, or {known.variable})")
    where = url or known.url
    if not where:
        raise SettingsError(f"{provider} has no usual address: set {known.setting}.url, as in {EXAMPLES[provider]}")
    return Access(provider, model, known.speech, _checked(where, known.setting).rstrip("/"), secret)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as far as its name says."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _unknown(provider: str) -> str:
    near = get_close_matches(provider.lower(), PROVIDERS, n=1, cutoff=0.5)
    hint = f": did you mean {near[0]}?" if near else "."
    return (
        f"“{provider}” is no provider of models{hint} Write PROVIDER:MODEL; there are {', '.join(PROVIDERS)}, and "
        "local:FILE.gguf."
    )


def _checked(url: str, setting: str) -> str:
    try:
        parsed = urlsplit(url)
        whole = parsed.scheme in {"http", "https"} and parsed.hostname and not parsed.username
    except ValueError:
        whole = False
    if not whole:
        raise SettingsError(f"{setting}.url is no address that can be asked: write it as https://HOST/PATH")
    return url
