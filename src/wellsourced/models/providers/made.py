"""A provider's library, handed our connections, our key and our address, and pydantic-ai on top of it.

Every argument that a library would look up in the environment is given to it, if only as "".
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wellsourced.errors import SettingsError
from wellsourced.models.base import Options
from wellsourced.models.providers.known import Access, Speech

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers import Provider

NO_KEY = "none"
"""The libraries insist on a key; a server that wants none passes over it."""


OLD_LIMIT = {"compatible", "llamacpp", "lmstudio", "mistral", "ollama", "vllm"}
"""They know the limit of a reply by its old name (max_tokens); some pass over the new one without a word."""

BY_GRAMMAR = {"llamacpp", "lmstudio", "mistral"}
"""They hold any of their models to a schema."""

BY_TOOLS = {"groq"}
"""Only some of its models take a schema; all take tools."""


def made(access: Access, client: Any, options: Options) -> "Model":
    """The model, ready to be asked. Raises SettingsError when what it needs is not installed, or for a bad name."""
    try:
        return MAKERS[_speech(access)](access, client, options)
    except ImportError as error:
        raise SettingsError(
            f"{access.name} needs packages that are not installed: pip install 'wellsourced[models]'"
        ) from error
    except RuntimeError as error:  # what pydantic-ai raises for a name that the provider could not have
        raise SettingsError(f"{access.name} cannot be used: {error}") from error


def _speech(access: Access) -> Speech:
    return "anthropic" if access.provider == "bedrock" and "anthropic." in access.model else access.speech


def _responses(access: Access, client: Any, options: Options) -> "Model":
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(openai_client=_openai(access, client, options))
    return OpenAIResponsesModel(access.model, provider=provider, profile=_wanted(options))


def _chat(access: Access, client: Any, options: Options) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile

    provider = _compatible(access.provider, _openai(access, client, options))
    habits = merge_profile(_habits(access.provider), _wanted(options))
    return OpenAIChatModel(access.model, provider=provider, profile=habits)


def _compatible(name: str, library: "AsyncOpenAI") -> "Provider[AsyncOpenAI]":
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


def _habits(name: str) -> "ModelProfile":
    """What pydantic-ai does not know of a provider, whatever the model."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    habits = OpenAIModelProfile()
    if name in OLD_LIMIT:
        habits["openai_chat_supports_max_completion_tokens"] = False
    if name in BY_GRAMMAR:
        habits["supports_json_schema_output"] = True
    if name in BY_TOOLS:
        habits["supports_json_schema_output"] = False
    return habits


def _openai(access: Access, client: Any, options: Options) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    key = access.key or NO_KEY
    return AsyncOpenAI(
        api_key=key,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=_base(access),
        default_headers=_bearer(key),
        http_client=client,
        max_retries=0,
        timeout=options.seconds,
    )


def _bearer(key: str) -> dict[str, str]:
    """The key once more: headers that are given win over those that the environment sets."""
    return {"Authorization": f"Bearer {key}"}


def _base(access: Access) -> str:
    """The address under which chat completions are."""
    suffix = {"azure": "/openai/v1", "bedrock": "/openai/v1"}.get(access.provider, "")
    return access.url if access.url.endswith("/v1") else access.url + suffix


def _anthropic(access: Access, client: Any, options: Options) -> "Model":
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    library: Any
    if access.provider == "bedrock":
        library = AsyncAnthropicBedrock(
            api_key=access.key,
            aws_region="none",
            base_url=access.url,
            http_client=client,
            max_retries=0,
            timeout=options.seconds,
        )
    else:
        library = AsyncAnthropic(
            api_key=access.key,
            webhook_key="",
            base_url=access.url,
            default_headers=_bearer(access.key),
            http_client=client,
            max_retries=0,
            timeout=options.seconds,
        )
    provider = AnthropicProvider(anthropic_client=library)
    return AnthropicModel(access.model, provider=provider, profile=_wanted(options))


def _google(access: Access, client: Any, options: Options) -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=access.key, base_url=access.url, http_client=client)
    return GoogleModel(access.model, provider=provider, profile=_wanted(options))


def _wanted(options: Options) -> "ModelProfile | None":
    """What the user says that the model can, whatever is known of it."""
    from pydantic_ai.profiles import ModelProfile

    match options.output:
        case "schema":
            return ModelProfile(supports_json_schema_output=True)
        case "tools":
            return ModelProfile(supports_tools=True)
    return None


MAKERS: dict[Speech, Callable[[Access, Any, Options], "Model"]] = {
    "responses": _responses,
    "chat": _chat,
    "anthropic": _anthropic,
    "google": _google,
}
