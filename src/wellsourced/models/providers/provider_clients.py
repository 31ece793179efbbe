"""A provider's library, handed our connections, our key and our address, with pydantic-ai on top of it, and one request
to it.

Every argument that a library would look up in the environment is given to it, if only as "".
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from wellsourced.errors import ModelRefused, NextStep, SettingsError, UnparsableReply
from wellsourced.models.base import UNLIMITED_TOKENS, EngineOptions, RenderedPrompt, Reply
from wellsourced.models.providers.provider_registry import ApiLanguage, ModelAccess
from wellsourced.models.providers.request_forms import ReplyForm, RequestForm
from wellsourced.models.reply_parsing import build_schema, describe_form

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings


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
    is_claude = access.provider == "bedrock" and "anthropic." in access.model
    try:
        return MODEL_BUILDERS["anthropic" if is_claude else access.language](access, client, options)
    except ImportError as error:
        raise SettingsError(
            f"{access.name} needs packages that are not installed.", next_step=NextStep("install extra", "models")
        ) from error
    except RuntimeError as error:  # what pydantic-ai raises for a name that the provider could not have
        raise SettingsError(f"{access.name} cannot be used: {error}") from error


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
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
    from pydantic_ai.providers.openrouter import OpenRouterProvider
    from pydantic_ai.providers.vllm import VLLMProvider

    own: dict[str, Callable[..., Provider[AsyncOpenAI]]] = {
        "openai-chat": OpenAIProvider,
        "ollama": OllamaProvider,
        "vllm": VLLMProvider,
        "openrouter": OpenRouterProvider,
    }
    if name in own:
        return own[name](openai_client=library)
    return OpenAICompatibleProvider(name, openai_client=library)


def _provider_profile(name: str) -> "ModelProfile":
    """What pydantic-ai does not know of a provider, whatever the model."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    # Whether a server takes an object of JSON it says itself, when it is asked for one.
    habits = OpenAIModelProfile(supports_json_object_output=True)
    if name in USES_MAX_TOKENS:
        habits["openai_chat_supports_max_completion_tokens"] = False
    if name in TAKES_SCHEMA | TAKES_TOOLS_ONLY:
        habits["supports_json_schema_output"] = name in TAKES_SCHEMA
    return habits


def _build_openai_client(access: ModelAccess, client: Any, options: EngineOptions) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    key, suffix = access.key or NO_KEY, "/openai/v1" if access.provider in {"azure", "bedrock"} else ""
    return AsyncOpenAI(
        api_key=key,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        base_url=access.url + ("" if access.url.endswith("/v1") else suffix),
        default_headers=_bearer_header(key),
        http_client=client,
        max_retries=0,
        timeout=options.seconds,
    )


def _bearer_header(key: str) -> dict[str, str]:
    """The key once more: headers that are given win over those that the environment sets."""
    return {"Authorization": f"Bearer {key}"}


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


def response_text(response: "ModelResponse") -> str:
    """The JSON of a reply, as far as it is there: the arguments of its first call, else its text."""
    calls = response.tool_calls
    return calls[0].args_as_json_str() if calls and calls[0].args else response.text or ""


RETRY_REQUEST = """\
Your reply could not be read: {reason}.
Give the whole reply once more, in the form that was asked for and with nothing else."""
"""What a model is told of a reply that does not parse."""

EMPTY_TEXT = "(nothing)"
"""Stands where there are no words: no provider takes an empty message."""

MILLION = 1_000_000


def word_in_form(wording: RenderedPrompt, reply: type[Reply], form: RequestForm) -> RenderedPrompt:
    """What is said: with the form of the reply where no schema carries it, in one message where there are not two."""
    told = describe_form(reply) if form.reply in ("json", "prompted") else ""
    instruction = "\n\n".join(filter(None, (wording.instruction, told)))
    if form.has_system:
        return RenderedPrompt(instruction, wording.material)
    return RenderedPrompt("", "\n\n".join(filter(None, (instruction, wording.material))))


def build_messages(wording: RenderedPrompt, fault: UnparsableReply | None = None) -> "list[ModelMessage]":
    """What is said; after a reply that could not be read, that reply and what is wrong with it.

    It is said back as plain text, however it came: a call that is repeated would have to be answered as one.
    """
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    instruction = wording.instruction or None
    asked = ModelRequest(parts=[UserPromptPart(wording.material or EMPTY_TEXT)], instructions=instruction)
    if fault is None:
        return [asked]
    replied = ModelResponse(parts=[TextPart(fault.reply.strip() or EMPTY_TEXT)])
    again = ModelRequest(parts=[UserPromptPart(RETRY_REQUEST.format(reason=fault))], instructions=instruction)
    return [asked, replied, again]


def choose_form(model: "Model") -> ReplyForm:
    """How a typed reply is had of a model most surely."""
    if model.profile.get("supports_json_schema_output", False):
        return "schema"
    return "tools" if model.profile.get("supports_tools", True) else "prompted"


def build_parameters(reply: type[Reply], form: ReplyForm) -> "ModelRequestParameters":
    """The form of the reply; strict: a provider that can lets the model write nothing but what the schema allows."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    schema, name = build_schema(reply), reply.__name__
    if form == "tools":
        tool = ToolDefinition(
            name=name, parameters_json_schema=schema, description="Give the reply.", strict=True, kind="output"
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    if form == "prompted":
        return ModelRequestParameters(output_mode="text")
    return ModelRequestParameters(
        output_mode="native" if form == "schema" else "prompted",
        output_object=OutputObjectDefinition(schema, name, strict=True),
        # `word_in_form` says it, in the one instruction: many servers take no second system message.
        prompted_output_template=None if form == "schema" else False,
    )


def build_settings(model: "Model", reached: ModelAccess, options: EngineOptions, reserved: int) -> "ModelSettings":
    """What the model takes of temperature and seed, and the most that it may write."""
    # Instructions and material are kept apart by models/prompt_rendering.py: no library adds words of its own.
    chosen: dict[str, Any] = {"max_tokens": reserved, "framing_announcement": "never"}
    if _takes_temperature(model, options):
        chosen["temperature"] = options.temperature
    if options.thinking != "auto":
        chosen["thinking"] = False if options.thinking == "off" else options.thinking
    if reached.provider == "mistral":
        chosen["extra_body"] = {"random_seed": options.seed}
    elif "seed" not in model.unsupported_settings:
        chosen["seed"] = options.seed
    if reached.language == "responses":
        # What was asked may be a patient's: it is not kept by the provider for a conversation that nobody goes on with.
        chosen["openai_store"] = False
    return cast("ModelSettings", chosen)


NO_THOUGHTS_UNASKED = {"anthropic", "azure", "openai", "openai-chat"}
"""Of their models it is known which think without being told to; others' think if they can at all."""


def does_think(model: "Model", reached: ModelAccess, options: EngineOptions) -> bool:
    """Whether the model thinks before it replies, as far as that is known: its thoughts take room too."""
    profile = model.profile
    if not profile.get("supports_thinking", False) or profile.get("thinking_always_enabled", False):
        return bool(profile.get("thinking_always_enabled", False))
    if options.thinking != "auto":
        return options.thinking != "off"
    return bool(profile.get("thinking_enabled_by_default", False)) or reached.provider not in NO_THOUGHTS_UNASKED


def _takes_temperature(model: "Model", options: EngineOptions) -> bool:
    """Whether it takes a temperature: those that reason before they write do not."""
    profile = model.profile
    if profile.get("anthropic_disallows_sampling_settings", False):
        return False
    if options.thinking not in {"auto", "off"} and profile.get("supports_thinking", False):
        # Claude and GPT refuse it while they think.
        return model.system not in {"anthropic", "openai", "azure"}
    silent = profile.get("openai_supports_reasoning_effort_none", False)
    reasons = profile.get("thinking_enabled_by_default", False) or not silent
    return not (profile.get("openai_supports_reasoning", False) and reasons)


def find_max_output(model: "Model") -> int:
    """Tokens that the model can write at most; unlimited where that is not known."""
    known = model.profile.get("anthropic_max_output_tokens")
    return known if isinstance(known, int) else UNLIMITED_TOKENS


def reply_text(response: "ModelResponse", reached: ModelAccess) -> str:
    """The text of a reply, as far as it was written. Raises ModelRefused."""
    text, why = response_text(response), (response.provider_details or {}).get("refusal", "")
    if response.finish_reason == "content_filter" or why:
        words = f"; it said “{' '.join(str(why).split())[:200]}”" if why else ""
        raise ModelRefused(f"{reached.name} refused to answer{words}", next_step=NextStep("rephrase"))
    return text


def request_cost(response: "ModelResponse", options: EngineOptions, *, free: bool) -> float | None:
    """US dollars for one request; None when the price is not known."""
    tokens = response.usage
    known = (0.0, 0.0) if free else _listed_cost(response)
    paid_in = known[0] if options.price_in is None else options.price_in * tokens.input_tokens / MILLION
    paid_out = known[1] if options.price_out is None else options.price_out * tokens.output_tokens / MILLION
    return None if paid_in is None or paid_out is None else paid_in + paid_out


def _listed_cost(response: "ModelResponse") -> tuple[float, float] | tuple[None, None]:
    try:
        price = response.cost()
    except (AssertionError, LookupError, ValueError):
        return None, None
    return float(price.input_price), float(price.output_price)
