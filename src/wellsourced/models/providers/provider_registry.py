"""The providers there are: where each is reached, and what it wants to know first."""

from difflib import get_close_matches
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from wellsourced.errors import NextStep, SettingsError
from wellsourced.privacy.loopback import is_plain_loopback

ApiLanguage = Literal["responses", "chat", "anthropic", "google"]
"""The language of an API."""


class Provider(NamedTuple):
    """How a provider is reached.

    language   the language it is asked in; of Bedrock, that of all models but Claude
    url       where it is; "": wherever the settings say
    key_variable   the environment variable in which its own tools look for a key; "": it may go without
    setting   the part of the settings that has its key and address
    """

    language: ApiLanguage
    setting: str
    url: str = ""
    key_variable: str = ""


PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider("anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "azure": Provider("chat", "azure", "", "AZURE_OPENAI_API_KEY"),
    "bedrock": Provider("chat", "bedrock", "", "AWS_BEARER_TOKEN_BEDROCK"),
    "compatible": Provider("chat", "compatible"),
    "google": Provider("google", "google", "https://generativelanguage.googleapis.com", "GOOGLE_API_KEY"),
    "groq": Provider("chat", "groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "llamacpp": Provider("chat", "llamacpp", "http://127.0.0.1:8080/v1"),
    "lmstudio": Provider("chat", "lmstudio", "http://127.0.0.1:1234/v1"),
    "mistral": Provider("chat", "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "ollama": Provider("chat", "ollama", "http://127.0.0.1:11434/v1"),
    "openai": Provider("responses", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openai-chat": Provider("chat", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": Provider("chat", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "vllm": Provider("chat", "vllm", "http://127.0.0.1:8000/v1"),
}

OWN_SERVERS = {"llamacpp", "lmstudio", "ollama", "vllm"}
"""What people run themselves: on this machine, what they write costs nothing."""

EXAMPLE_URLS = {
    "azure": "https://NAME.openai.azure.com",
    "bedrock": "https://bedrock-runtime.eu-central-1.amazonaws.com",
    "compatible": "http://127.0.0.1:8000/v1",
}


class ModelAccess(NamedTuple):
    """A model, named and reachable.

    key   "" where none is wanted
    """

    provider: str
    model: str
    language: ApiLanguage
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
        return not is_plain_loopback(urlsplit(self.url).hostname or "")

    @property
    def is_free(self) -> bool:
        """Whether it costs nothing, since it is a server of one's own."""
        return self.provider in OWN_SERVERS and not self.remote


def resolve_access(name: str, url: str, key: SecretStr | None) -> ModelAccess:
    """What is needed to ask the model of that name. Raises SettingsError for what is unknown or missing."""
    provider, _, model = name.partition(":")
    if provider not in PROVIDERS:
        near = get_close_matches(provider.lower(), PROVIDERS, n=1, cutoff=0.5)
        hint = f": did you mean {near[0]}?" if near else "."
        hint = ": run llama-server, and name its model llamacpp:NAME." if provider == "local" else hint
        raise SettingsError(
            f"“{provider}” is not a provider of models{hint} Write PROVIDER:MODEL. Providers: {', '.join(PROVIDERS)}."
        )
    if not model:
        raise SettingsError(f"“{name}” names no model: write {provider}:MODEL", next_step=NextStep("choose model"))
    known = PROVIDERS[provider]
    secret = key.get_secret_value() if key else ""
    if known.key_variable and not secret:
        raise SettingsError(
            f"{provider} needs an API key ({known.setting}.key or {known.key_variable}).",
            next_step=NextStep("set key", known.setting),
        )
    where = url or known.url
    if not where:
        raise SettingsError(
            f"{provider} has no default address: set {known.setting}.url, for example {EXAMPLE_URLS[provider]}"
        )
    return ModelAccess(provider, model, known.language, _check_url(where, known.setting).rstrip("/"), secret)


def _check_url(url: str, setting: str) -> str:
    try:
        parsed = urlsplit(url)
        whole = parsed.scheme in {"http", "https"} and parsed.hostname and not parsed.username
    except ValueError:
        whole = False
    if not whole:
        raise SettingsError(f"{setting}.url is not a web address: write it as https://HOST/PATH")
    return url
