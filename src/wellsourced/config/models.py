"""Who writes and who helps: the language models that the settings name, what each needs, opened; or the sources' own
sentences.
"""

import asyncio
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from wellsourced.budget import current_cost_tracker
from wellsourced.config.network import build_privacy_filter, emit_disclosure, find_plain_http, open_client
from wellsourced.config.settings import Settings
from wellsourced.context import Context
from wellsourced.errors import ModelError, NextStep, SettingsError
from wellsourced.events import Disclosure
from wellsourced.models.base import Engine, Model, NoModel
from wellsourced.models.providers.provider_registry import EXAMPLE_URLS, OWN_SERVERS, PROVIDERS, resolve_access
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.types import Gap

if TYPE_CHECKING:
    from wellsourced.http import Client
    from wellsourced.models.language_model import CallCache


LOCAL, ALL = "local", "all"
"""In `patient_to`: the models of this machine; every model."""

CLOUD_TAG = "cloud"
"""How the names of models end that Ollama's server hands to its provider: "gpt-oss:120b-cloud"."""

CALL_CACHE_FILE, MODEL_FORMS_FILE = "calls.sqlite", "model_forms.json"

PLANNER_FOLDER, PLANNER_CARD = "planner", "planner.json"
"""Where a trained planner lies in home, and the file by which a folder says that it is one."""


class ConfiguredModels(NamedTuple):
    """The models of a context, under the names of its fields; see Context for what each is for.

    planner   the model that was trained to plan; None where none is set
    """

    model: Model
    assistant: Model | None = None
    has_model: bool = False
    sees_patient: bool = False
    outbound: bool = False
    planner: Model | None = None


async def open_models(
    settings: Settings,
    client: "Client | None",
    stack: AsyncExitStack,
    exit: PrivacyFilter | None = None,
    *,
    is_replay: bool = False,
) -> ConfiguredModels:
    """The models that the settings name; closed with the stack.

    exit        by which words leave; None: as the settings say
    client      by which providers are asked; None: one is opened when it is needed
    is_replay   in offline mode a model that may not be asked gives the replies that are stored, and fails for others

    Raises SettingsError for an unknown provider, a key or an extra that is missing.
    """
    if not settings.model:
        # An assistant alone would read and judge for sentences that nobody writes: it is a slip, and told as one.
        if settings.assistant:
            message = "The assistant needs a model to help. Set model, or remove assistant."
            raise SettingsError(message, next_step=NextStep("choose model"))
        if settings.write.memory == "always":
            asking = f"The preset {settings.preset}" if settings.preset else "write.memory=always"
            message = f"{asking} answers from a language model's memory, and no model is set."
            raise SettingsError(message, next_step=NextStep("choose model"))
    writing = list(dict.fromkeys(name for name in (settings.model, settings.assistant) if name))
    planning = find_planning_model(settings)
    if not writing and not planning:
        return ConfiguredModels(NoModel())
    names = [*writing, *filter(None, [planning])]
    engines = await _open_engines(names, settings, client, stack, is_replay=is_replay)
    cache = _open_call_cache(settings, stack)
    exit = exit or build_privacy_filter(settings)
    callings = {name: _build_language_model(engine, settings, cache, exit) for name, engine in engines.items()}
    return ConfiguredModels(
        model=callings.get(settings.model) or NoModel(),
        assistant=callings.get(settings.assistant or settings.model),
        has_model=bool(writing),
        # All that write: what one is told stands in the prompts of the other. Who plans is told no patient's words.
        sees_patient=bool(writing) and all(may_see_patient(engines[name], settings) for name in writing),
        outbound=any(engine.remote for engine in engines.values()),
        planner=callings.get(planning),
    )


def find_unserved_settings(settings: Settings) -> tuple[Gap, ...]:
    """What is set, by a preset as a rule, that nothing comes of without a language model."""
    wanted = {
        "read.self_knowledge": settings.read.self_knowledge,
        "read.decompose": settings.read.decompose > 0,
        "read.relevance=tier": settings.read.relevance == "tier",
        f"condense.mode={settings.condense.mode}": settings.condense.mode in ("preflight", "always"),
        f"write.style={settings.write.style}": settings.write.style != "answer",
    }
    named = [name for name, is_set in wanted.items() if is_set]
    if settings.model or not named:
        return ()
    reason = f"{', '.join(named)} needs a language model; the answer quotes the sources instead"
    step = NextStep("choose model")
    return (Gap(source="language model", status="not configured", reason=reason, next_step=step),)


def find_planning_model(settings: Settings) -> str:
    """The model that was trained to plan: a folder, or a name as `model` takes it; "" where none is set.

    Raises SettingsError for a folder that holds no trained planner.
    """
    if settings.planner.partition(":")[0] != "trained":
        return ""
    given = settings.planner.partition(":")[2] or str(settings.home / PLANNER_FOLDER)
    if given.partition(":")[0] in PROVIDERS:
        return given
    folder = Path(given).expanduser()
    if not (folder / PLANNER_CARD).is_file():
        raise SettingsError(
            f"{given} holds no trained planner (it has no {PLANNER_CARD}). Set planner to trained:FOLDER, the folder "
            "that its training wrote, or to trained:PROVIDER:MODEL."
        )
    return str(folder.absolute())


async def _open_engines(
    names: Iterable[str],
    settings: Settings,
    client: "Client | None",
    stack: AsyncExitStack,
    *,
    is_replay: bool = False,
) -> dict[str, Engine]:
    engines: dict[str, Engine] = {}
    for name in dict.fromkeys(names):
        if name == find_planning_model(settings) and name.partition(":")[0] not in PROVIDERS:
            from wellsourced.models.transformers_engine import TransformersEngine

            engines[name] = await asyncio.to_thread(TransformersEngine, Path(name), settings.models)
        else:
            if client is None:
                client = await stack.enter_async_context(open_client(settings))
            engines[name] = _build_provider_engine(name, settings, client, is_replay=is_replay)
    return engines


def _build_provider_engine(name: str, settings: Settings, client: "Client", *, is_replay: bool) -> Engine:
    from wellsourced.models.providers.engine import open_engine
    from wellsourced.models.providers.request_forms import KnownForms

    provider = name.partition(":")[0]
    known = PROVIDERS.get(provider)
    service = settings.find_service(known.setting if known else "")
    asked_offline = ""
    if settings.network.offline:
        asked_offline = _find_local_server(service.url or (known.url if known else ""), settings)
        if not asked_offline and not is_replay:
            raise SettingsError(
                f"{name} is reached over HTTP, which offline mode refuses even on this machine. Name its server in "
                "models.local_servers if it sends nothing on, or go online.",
                next_step=NextStep("go online"),
            )
        if asked_offline and name.endswith(CLOUD_TAG):
            raise SettingsError(f"{name} runs at its provider, whatever server is asked. Choose another, or go online.")
        if asked_offline:
            emit_disclosure(Disclosure(host=asked_offline, to=f"{name}, as models.local_servers allows offline"))
    if known and (reason := find_plain_http(known.setting, service.url)):
        raise SettingsError(f"{name} cannot be asked: {reason}.")
    carrier = client.open_provider_client(
        attempts=settings.models.attempts, seconds=settings.models.seconds, asked_offline=asked_offline
    )
    forms = KnownForms(settings.home / MODEL_FORMS_FILE)
    return open_engine(name, client=carrier, url=service.url, key=service.key, options=settings.models, forms=forms)


def _find_local_server(url: str, settings: Settings) -> str:
    """The host and port of a model server that its owner named, so that offline mode may ask it; "" for any other.

    A server on this machine may hand on what it gets, and cannot be seen to.
    """
    host = urlsplit(url).netloc
    return host if host in {urlsplit(address).netloc for address in settings.models.local_servers} else ""


def _open_call_cache(settings: Settings, stack: AsyncExitStack) -> "CallCache | None":
    """One for all models: what was asked of which is part of a call's key."""
    from wellsourced.models.language_model import CallCache

    if not settings.models.cache:
        return None
    cache = CallCache(settings.home / CALL_CACHE_FILE, settings.models.cache_mb * 1_000_000)
    stack.push_async_callback(cache.close)
    return cache


def _build_language_model(engine: Engine, settings: Settings, cache: "CallCache | None", exit: PrivacyFilter) -> Model:
    from wellsourced.models.language_model import CallLimits, LanguageModel
    from wellsourced.prompts.instructions import load_instructions

    models = settings.models
    return LanguageModel(
        engine,
        tracker=current_cost_tracker,
        cache=cache,
        words=load_instructions(settings.prompts) if settings.prompts else {},
        sees_patient=may_see_patient(engine, settings),
        exit=exit,
        limits=CallLimits(models.concurrency, models.per_minute),
        stream=models.stream,
    )


def use_own_words(context: Context, path: Path) -> Context:
    """The context with somebody's own words for prompts, where there is such a file and a model that they are for.

    Raises SettingsError for a file that was spoilt.
    """
    if not context.has_model or not path.exists():
        return context
    from wellsourced.models.language_model import LanguageModel
    from wellsourced.prompts.instructions import load_instructions

    words = load_instructions(path)
    model, assistant = (
        one.with_words(words) if isinstance(one, LanguageModel) else one for one in (context.model, context.assistant)
    )
    return replace(context, model=model or context.model, assistant=assistant)


class ModelTrial(NamedTuple):
    """A model that was made, and asked one thing if that was wished; `seconds` 0: it was not asked."""

    name: str
    remote: bool
    window: int
    sees_patient: bool
    seconds: float = 0.0
    error: str = ""


async def try_models(names: Iterable[str], settings: Settings, ask: bool) -> list[ModelTrial]:
    """Each of these models, made; and asked for keywords of a question if `ask`. Raises SettingsError."""
    async with AsyncExitStack() as stack:
        engines = await _open_engines(names, settings, None, stack)
        return [await _try_engine(engine, settings, ask) for engine in engines.values()]


async def _try_engine(engine: Engine, settings: Settings, ask: bool) -> ModelTrial:
    tried = ModelTrial(engine.name, engine.remote, engine.window, may_see_patient(engine, settings))
    if not ask:
        return tried
    from wellsourced.prompts.planning import ExtractKeywords

    begun = time.perf_counter()
    try:
        await _build_language_model(engine, settings, None, build_privacy_filter(settings)).complete(
            ExtractKeywords(question="How is gout treated?", limit=3)
        )
    except ModelError as error:
        return tried._replace(error=f"{error}.")
    return tried._replace(seconds=time.perf_counter() - begun)


def may_see_patient(engine: Engine, settings: Settings) -> bool:
    """Whether the user allowed this model to see a patient's text: by its name, its provider, or where it is."""
    allowed = {name.lower() for name in settings.patient_to}
    name = engine.name.lower()
    return bool(allowed & {ALL, name, name.partition(":")[0]}) or (LOCAL in allowed and not engine.remote)


class ModelNeeds(NamedTuple):
    """What a model is asked with.

    service       the settings that hold its key and address
    takes_key     whether a key may be given
    example_url   how an address is written, where the provider has no usual one; "" where it has
    """

    service: str
    takes_key: bool
    example_url: str


def find_model_needs(name: str) -> ModelNeeds:
    """What this model needs. Raises SettingsError for an unknown provider, no name of a model."""
    provider, _, model = name.partition(":")
    known = PROVIDERS.get(provider)
    if known is None or not model:
        # It says what is wrong with the name before it looks at address and key.
        resolve_access(name, "", None)
    assert known is not None  # noqa: S101 - else it has raised
    return ModelNeeds(known.setting, provider not in OWN_SERVERS, "" if known.url else EXAMPLE_URLS[provider])


def find_model_host(name: str, settings: Settings) -> str:
    """Where this model is asked. Raises SettingsError for a key or address that is missing or wrong."""
    provider = name.partition(":")[0]
    find_model_needs(name)
    service = settings.find_service(PROVIDERS[provider].setting)
    # Before the key is looked at: over plain HTTP it would be sent in the clear.
    if reason := find_plain_http(PROVIDERS[provider].setting, service.url):
        raise SettingsError(f"{name} cannot be asked: {reason}.")
    return resolve_access(name, service.url, service.key).host


def check_address(given: str) -> str:
    """An address as it was typed. Raises SettingsError for one that cannot be asked, or that would be sent words in
    the clear."""
    try:
        parts = urlsplit(given)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and given.isprintable()
    except ValueError:
        is_whole = False
    if not is_whole or " " in given:
        raise SettingsError(f"“{given}” is not a web address. Write it as https://HOST/PATH.")
    if find_plain_http("", given):
        raise SettingsError("Plain HTTP is allowed for this machine only. Write the address as https://….")
    return given
