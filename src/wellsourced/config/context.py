"""The context that the settings describe: everything that a question needs, opened."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from wellsourced.config.encoders import (
    build_answer_matcher,
    build_relevance_judge,
    build_reranker,
    open_encoder,
)
from wellsourced.config.judges import build_configured_judge, build_controls
from wellsourced.config.libraries import choose_libraries, graph_path, open_graph, open_library, open_searchable
from wellsourced.config.loader import find_preset, load, require_preset_of_questions
from wellsourced.config.models import ConfiguredModels, find_unserved_settings, open_models
from wellsourced.config.network import (
    NetworkServices,
    build_engine_opener,
    build_live_source,
    build_privacy_filter,
    build_services,
    describe_missing_setup,
    open_client,
)
from wellsourced.config.paths import GRAPH, GUIDELINES, restrict_home_access
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY, PLANNER_REGISTRY, PlannerParts
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName, Settings
from wellsourced.context import Context
from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.events import Emit, ignore_event
from wellsourced.judges.base import Judge, Pair
from wellsourced.planners.base import Planner
from wellsourced.question.understanding import LiteralUnderstanding, Understanding
from wellsourced.question.vocabulary import Lexicon, Thesaurus
from wellsourced.sources.base import HeadingVocabulary, Source
from wellsourced.types import Gap

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.sources.graph.source import Graph
    from wellsourced.sources.library import Library


COPIED_SETTINGS = ("phi", "policy", "frame", "read", "condense", "write", "check", "budget")
"""What a context takes from the settings as it stands there, under the same name."""


def build_planner(settings: Settings, parts: PlannerParts) -> Planner:
    """The planner that the settings name."""
    return PLANNER_REGISTRY.find(settings.planner.partition(":")[0]).build(parts)


@asynccontextmanager
async def open_context(
    settings: Settings | None = None,
    *,
    libraries: Sequence[str] = (),
    live: Sequence[LiveSourceName] | None = None,
    emit: Emit = ignore_event,
    is_replay: bool = False,
) -> AsyncIterator[Context]:
    """Everything that a question needs, opened, and closed in the end.

    libraries   search only these, the guidelines among them as "guidelines", the graph of concepts as "graph"; none
                named: what the settings say
    live        search these over the network; None: what the settings say; when libraries are named, those of the
                preset, which were named, too
    emit        hears of the progress when the guidelines are built, which the first use does
    is_replay   in offline mode a model on the network gives its stored replies (see `open_models`)

    A library that cannot be opened, or a live source that lacks its key, is a gap of the context, and the others
    answer. Raises NotFoundError for a library that was asked for and does not exist, SettingsError or ModelError when
    the encoder cannot work.
    """
    settings = settings or load()
    require_preset_of_questions(settings.preset)
    # Who names libraries wants these, and no words of his sent anywhere; who names a preset, too, wants its sources.
    is_named = not libraries or "live" in (find_preset(settings.preset).settings if settings.preset else {})
    left_out = _list_left_out(settings, libraries, ignored=live is None and not is_named)
    if live is None:
        live = settings.live if is_named else ()
    settings = settings.model_copy(update={"live": tuple(live)})
    restrict_home_access(settings)
    encoder = open_encoder(settings)
    reranker = build_reranker(settings, encoder)
    async with AsyncExitStack() as stack:
        # Reading the weights takes about as long as loading the search engine, and neither needs the other.
        ready = asyncio.create_task(_load_weights(encoder, reranker))
        stack.push_async_callback(_cancel_task, ready)
        searched, gaps = await _open_libraries(settings, libraries, encoder, emit, stack)
        # Nearly every question is held against those that are expected, which are read while the rest is opened.
        for library in searched:
            reading = asyncio.create_task(_load_expected_questions(library))
            stack.push_async_callback(_cancel_task, reading)
        privacy_filter = build_privacy_filter(settings)
        is_networked = settings.live or settings.retractions
        client = await stack.enter_async_context(open_client(settings, privacy_filter)) if is_networked else None
        services = build_services(settings, client) if client else NetworkServices()
        graph = await _open_graph(settings, libraries, encoder, stack)
        is_graph_searched = GRAPH in (libraries or settings.libraries) or (settings.graph and not libraries)
        for library in searched:
            library.headings = graph
        models = await open_models(settings, client, stack, privacy_filter, is_replay=is_replay)
        if models.outbound:
            # Of the guidelines alone: of the user's own libraries nothing is public.
            guidelines = (library for library in searched if library.name == GUIDELINES)
            privacy_filter.mark_published(*(id for library in guidelines for id in library.ids_of_file(GUIDELINES)))
        context = _build_context(settings, encoder, models, searched, graph, services.headings)
        await ready
        stack.enter_context(_freeze_garbage_collection())
        yield replace(
            context,
            sources=(*searched, *((graph,) if graph and is_graph_searched else ()), *services.sources),
            reranker=reranker,
            encoder=encoder,
            expected_questions=build_answer_matcher(settings, encoder),
            registries=services.registries,
            outbound=models.outbound or bool(services.sources) or any(library.engine_host for library in searched),
            setup_gaps=(
                *gaps,
                *_find_missing_tier(settings, searched),
                *services.gaps,
                *find_unserved_settings(settings),
            ),
            unset_sources=frozenset(gap.source for gap in services.gaps).intersection(_list_later_sources(settings)),
            left_out=left_out,
        )


def _find_missing_tier(settings: Settings, searched: "Sequence[Library]") -> Iterator[Gap]:
    """A hierarchy of sources (LINS's) that begins with guidelines, where there are none to search."""
    first = settings.policy.tiers[0] if settings.policy.tiers else ()
    is_hierarchy = settings.read.relevance == "tier" and "guideline" in first
    if is_hierarchy and not any(library.kind == "guideline" for library in searched):
        yield Gap(source=GUIDELINES, status="not configured", reason="no guidelines are searched, the first tier here")


def _list_later_sources(settings: Settings) -> list[str]:
    """The live sources that are not of the first tier: an answer may be whole before it is their turn."""
    first = settings.policy.tiers[0] if settings.policy.tiers else ()
    return [name for name in settings.live if not {name, LIVE_SOURCE_REGISTRY.find(name).kind}.intersection(first)]


def _list_left_out(settings: Settings, libraries: Sequence[str], *, ignored: bool) -> tuple[str, ...]:
    """The guidelines, and the live sources that the settings name and that are `ignored`, where libraries were named in
    their place."""
    named = libraries or settings.libraries
    guidelines = [GUIDELINES] if named and settings.guidelines and GUIDELINES not in named else []
    return (*guidelines, *(settings.live if ignored else ()))


def _build_context(
    settings: Settings,
    encoder: "Encoder | None",
    models: ConfiguredModels,
    searched: Sequence[Source],
    graph: "Graph | None",
    headings: Sequence[HeadingVocabulary],
) -> Context:
    from wellsourced.pipeline.frame.emergency_model import ModelEmergencyDetector
    from wellsourced.question.expansions import LexicalUnderstanding

    # The graph knows other names and headings also when it is not searched.
    thesaurus = graph if isinstance(graph, Thesaurus) else None
    known = (*((graph,) if isinstance(graph, HeadingVocabulary) else ()), *headings)
    lexicons = tuple(source for source in searched if isinstance(source, Lexicon))
    understanding: Understanding = LiteralUnderstanding()
    # With every way switched off words are taken as they are written.
    if settings.expand or lexicons:
        understanding = LexicalUnderstanding(lexicons, thesaurus, settings.expand)
    asked = models.assistant or models.model
    return Context(
        sources=(),
        support_judge=build_configured_judge(settings, encoder, asked if models.has_model else None),
        planner=build_planner(settings, PlannerParts(models.planner or asked, understanding, known, thesaurus)),
        understanding=understanding,
        emergency_detector=ModelEmergencyDetector(encoder),
        controls=build_controls(settings) if models.has_model else None,
        **{name: value for name, value in models._asdict().items() if name != "planner"},
        **{name: getattr(settings, name) for name in COPIED_SETTINGS},
    )


async def _open_libraries(
    settings: Settings, named: Sequence[str], encoder: "Encoder | None", emit: Emit, stack: AsyncExitStack
) -> "tuple[list[Library], list[Gap]]":
    """The libraries that can be searched, closed with the stack, and what the others and they lack."""
    opener = build_engine_opener(settings, stack)
    names = choose_libraries(settings, named)
    opened = [await open_searchable(name, settings, encoder, emit, opener) for name in names]
    searched = [library for library, _ in opened if library]
    for library in searched:
        stack.callback(library.close)
    return searched, [gap for _, gaps in opened for gap in gaps]


async def _open_graph(
    settings: Settings, libraries: Sequence[str], encoder: "Encoder | None", stack: AsyncExitStack
) -> "Graph | None":
    # Opened also where nobody searches it: it knows synonyms and headings for the plan.
    if GRAPH in (libraries or settings.libraries) or graph_path(settings).exists():
        relevance = build_relevance_judge(settings, encoder)
        return await stack.enter_async_context(open_graph(settings, judge=relevance))
    return None


@asynccontextmanager
async def open_source(settings: Settings, name: str, emit: Emit = ignore_event) -> AsyncIterator[Source]:
    """One source by its name: a live one, the graph, or a library; closed in the end.

    Raises SettingsError for a live source that lacks its key, NotFoundError for a name that nothing has.
    """
    if name in LIVE_SOURCES:
        if reason := describe_missing_setup(name, settings):
            raise SettingsError(f"{name} cannot be asked: {reason}.")
        async with open_client(settings) as client:
            yield build_live_source(name, settings, client)
    elif name == GRAPH:
        async with open_graph(settings) as graph:
            yield graph
    else:
        async with AsyncExitStack() as stack:
            library = await stack.enter_async_context(open_library(settings, name, emit=emit))
            if graph_path(settings).exists():
                library.headings = await stack.enter_async_context(open_graph(settings))
            yield library


async def _load_expected_questions(library: "Library") -> None:
    with suppress(UnreadableFile):
        await asyncio.to_thread(library.load_expected_questions)


async def _load_weights(encoder: "Encoder | None", reranker: Judge | None) -> None:
    """Both loaded: what the first question waits for should not come out of the reranker's time."""
    from wellsourced.encoders.base import PreloadableEncoder

    if encoder:
        vectors = await asyncio.to_thread(encoder.encode, ["ready"], "query")
        if isinstance(encoder, PreloadableEncoder):
            # Passages may have weights of their own: nobody needs them where libraries have the vectors of theirs.
            encoder.add_vectors(["ready"], vectors)
    if reranker:
        await reranker.judge([Pair("ready", "ready")])


@contextmanager
def _freeze_garbage_collection() -> Iterator[None]:
    """Keep what is in memory now out of the search for garbage, which would hold the loop for 0.1 s."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


async def _cancel_task(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
