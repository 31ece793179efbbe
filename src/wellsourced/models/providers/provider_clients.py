"""A provider's library, handed our connections, our key and our address, and pydantic-ai on top of it.

Every argument that a library would look up in the environment is given to it, if only as "".
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wellsourced.errors import SettingsError
from wellsourced.models.base import EngineOptions
from wellsourced.models.providers.provider_registry import ApiLanguage, ModelAccess

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers import Provider

NO_KEY = "none"
"""The libraries insist on a key; a server that wants none passes over it."""


USES_MAX_TOKENS = {"compatible", "llamacpp", "lmstudio", "mistral", "ollama", "vllm"}
"""They know the limit of a reply by its old name (max_tokens); some pass over the new one without a word."""

TAKES_SCHEMA = {"llamacpp", "lmstudio", "mistral"}
"""They hold any of their models to a schema."""

TAKES_TOOLS_ONLY = {"groq"}
"""Only some of its models take a schema; all take tools."""


def build_model(access: ModelAccess, client: Any, options: EngineOptions) -> "Model":
    """The model, ready to be asked. Raises SettingsError when what it needs is not installed, or for a bad name."""
    try:
        return MODEL_BUILDERS[_choose_language(access)](access, client, options)
    except ImportError as error:
        raise SettingsError(
            f"{access.name} needs packages that are not installed: pip install 'wellsourced[models]'"
        ) from error
    except RuntimeError as error:  # what pydantic-ai raises for a name that the provider could not have
        raise SettingsError(f"{access.name} cannot be used: {error}") from error


def _choose_language(access: ModelAccess) -> ApiLanguage:
    return "anthropic" if access.provider == "bedrock" and "anthropic." in access.model else access.language


def _build_responses_model(access: ModelAccess, client: Any, options: EngineOptions) -> "Model":
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(openai_client=_build_openai_client(access, client, options))
    return OpenAIResponsesModel(access.model, provider=provider, profile=_requested_profile(options))


def _build_chat_model(access: ModelAccess, client: Any, options: EngineOptions) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile

    provider = _choose_provider(access.provider, _build_openai_client(access, client, options))
    habits = merge_profile(_provider_profile(access.provider), _requested_profile(options))
    return OpenAIChatModel(access.model, provider=provider, profile=habits)


def _choose_provider(name: str, library: "AsyncOpenAI") -> "Provider[AsyncOpenAI]":
    """The provider by its own rules for each of its models, where pydantic-ai has some."""
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
    from pydantic_ai.providers.openrouter import OpenRouterProvider
    from pydantic_ai.providers.vllm import VLLMProvider

    match name:
        case "openai-chat":
            return OpenAIProvider(openai_client=library)
        case "ollama":
            return OllamaProvider(openai_client=library)
        case "vllm":
            return VLLMProvider(openai_client=library)
        case "openrouter":
            return OpenRouterProvider(openai_client=library)
    return OpenAICompatibleProvider(name, openai_client=library)


def _provider_profile(name: str) -> "ModelProfile":
    """What pydantic-ai does not know of a provider, whatever the model."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    habits = OpenAIModelProfile()
    if name in USES_MAX_TOKENS:
        habits["openai_chat_supports_max_completion_tokens"] = False
    if name in TAKES_SCHEMA | TAKES_TOOLS_ONLY:
        habits["supports_json_schema_output"] = name in TAKES_SCHEMA
    return habits


def _build_openai_client(access: ModelAccess, client: Any, options: EngineOptions) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    key = access.key or NO_KEY
    return AsyncOpenAI(
        api_key=key,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=_base_url(access),
        default_headers=_bearer_header(key),
        http_client=client,
        max_retries=0,
        timeout=options.seconds,
    )


def _bearer_header(key: str) -> dict[str, str]:
    """The key once more: headers that are given win over those that the environment sets."""
    return {"Authorization": f"Bearer {key}"}


def _base_url(access: ModelAccess) -> str:
    """The address under which chat completions are."""
    suffix = {"azure": "/openai/v1", "bedrock": "/openai/v1"}.get(access.provider, "")
    return access.url if access.url.endswith("/v1") else access.url + suffix


def _build_anthropic_model(access: ModelAccess, client: Any, options: EngineOptions) -> "Model":
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    shared: dict[str, Any] = {
        "api_key": access.key,
        "base_url": access.url,
        "http_client": client,
        "max_retries": 0,
        "timeout": options.seconds,
    }
    library: Any
    if access.provider == "bedrock":
        library = AsyncAnthropicBedrock(aws_region="none", **shared)
    else:
        library = AsyncAnthropic(webhook_key="", default_headers=_bearer_header(access.key), **shared)
    provider = AnthropicProvider(anthropic_client=library)
    return AnthropicModel(access.model, provider=provider, profile=_requested_profile(options))


def _build_google_model(access: ModelAccess, client: Any, options: EngineOptions) -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=access.key, base_url=access.url, http_client=client)
    return GoogleModel(access.model, provider=provider, profile=_requested_profile(options))


def _requested_profile(options: EngineOptions) -> "ModelProfile | None":
    """What the user says that the model can, whatever is known of it."""
    from pydantic_ai.profiles import ModelProfile

    match options.output:
        case "schema":
            return ModelProfile(supports_json_schema_output=True)
        case "tools":
            return ModelProfile(supports_tools=True)
    return None


MODEL_BUILDERS: dict[ApiLanguage, Callable[[ModelAccess, Any, EngineOptions], "Model"]] = {
    "responses": _build_responses_model,
    "chat": _build_chat_model,
    "anthropic": _build_anthropic_model,
    "google": _build_google_model,
}
