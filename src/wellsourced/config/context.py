"""The context that the settings describe: everything that a question needs, opened."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from wellsourced.config.egress import build_privacy_filter
from wellsourced.config.encoders import build_encoder, build_relevance_judge, build_reranker, cache_vectors
from wellsourced.config.graph import find_graph, open_graph, open_graph_headings
from wellsourced.config.guidelines import build_guidelines
from wellsourced.config.judges import build_configured_judge
from wellsourced.config.libraries import open_library
from wellsourced.config.loader import load
from wellsourced.config.models import find_unserved_settings, open_models
from wellsourced.config.network import (
    NetworkServices,
    build_live_source,
    build_services,
    describe_missing_setup,
    open_client,
)
from wellsourced.config.paths import (
    GRAPH,
    GUIDELINES,
    library_names,
    library_root,
    open_for_reading,
    restrict_home_access,
)
from wellsourced.config.planners import build_planner, build_understanding, collect_vocabularies
from wellsourced.config.settings import LIVE_SOURCES, LiveSourceName, Settings
from wellsourced.context import Context
from wellsourced.errors import SettingsError, SourceError
from wellsourced.events import Emit, ignore_event
from wellsourced.judges.base import Judge, Pair
from wellsourced.privacy import PrivacyFilter
from wellsourced.sources.base import Source
from wellsourced.types import Gap

if TYPE_CHECKING:
    from wellsourced.encoders.base import Encoder
    from wellsourced.http import Client
    from wellsourced.sources.graph.source import Graph
    from wellsourced.sources.library import Library


log = logging.getLogger(__name__)

COPIED_SETTINGS = ("phi", "policy", "frame", "read", "condense", "write", "check", "budget")
"""What a context takes from the settings as it stands there, under the same name."""


@asynccontextmanager
async def open_context(
    settings: Settings | None = None,
    *,
    libraries: Sequence[str] = (),
    live: Sequence[LiveSourceName] | None = None,
    emit: Emit = ignore_event,
) -> AsyncIterator[Context]:
    """Everything that a question needs, opened, and closed in the end.

    libraries   search only these, the guidelines among them as "guidelines", the graph of concepts as "graph"; none
                named: what the settings say
    live        search these over the network; None: what the settings say, and nothing when libraries are named
    emit        hears of the progress when the guidelines are built, which the first use does

    A library that cannot be opened, or a live source that lacks its key, is a gap of the context, and the others
    answer. Raises NotFoundError for a library that was asked for and does not exist, SettingsError or ModelError when
    the encoder cannot work.
    """
    from wellsourced.understanding.emergency_model import ModelEmergencyDetector

    settings = settings or load()
    _warn_of_obsolete_settings(settings)
    if live is None:
        live = () if libraries else settings.live
    settings = settings.model_copy(update={"live": tuple(live)})
    restrict_home_access(settings)
    encoder = cache_vectors(build_encoder(settings))
    ranker = build_reranker(settings, encoder)
    async with AsyncExitStack() as stack:
        # Reading the weights takes about as long as loading the search engine, and neither needs the other.
        ready = asyncio.create_task(_load_weights(encoder, ranker))
        stack.push_async_callback(_cancel_task, ready)
        # Before any library is opened: two threads that import parts of lancedb at once see half of it.
        await asyncio.to_thread(_import_lancedb)
        opened = [
            await _open_searchable(name, settings, encoder, emit) for name in _choose_libraries(settings, libraries)
        ]
        shelf = [one.library for one in opened if one.library]
        for library in shelf:
            stack.callback(library.close)
        exit = build_privacy_filter(settings)
        client = await _open_client_if_needed(settings, stack, exit)
        reached = build_services(settings, client) if client else NetworkServices()
        await ready
        relevance = build_relevance_judge(settings, encoder)
        graph = _open_graph_use(settings, libraries, relevance, stack)
        for library in shelf:
            library.headings = graph.graph
        known = collect_vocabularies(shelf, graph.graph, reached.headings)
        understanding = build_understanding(settings, known)
        writers = await open_models(settings, relevance, client, stack, exit)
        if writers.outbound:
            exit.mark_published(*_guideline_ids(shelf))
        writers = writers._replace(outbound=writers.outbound or bool(reached.sources))
        stack.enter_context(_freeze_garbage_collection())
        yield Context(
            sources=(*shelf, *graph.sources, *reached.sources),
            relevance_judge=relevance,
            support_judge=build_configured_judge(
                settings, encoder, (writers.assistant or writers.model) if writers.has_model else None
            ),
            planner=build_planner(settings, writers.assistant or writers.model, understanding, known),
            understanding=understanding,
            emergency_detector=ModelEmergencyDetector(encoder),
            ranker=ranker,
            registries=reached.registries,
            setup_gaps=(*(gap for one in opened for gap in one.gaps), *reached.gaps, *find_unserved_settings(settings)),
            **writers._asdict(),
            **{name: getattr(settings, name) for name in COPIED_SETTINGS},
        )


class GraphUse(NamedTuple):
    """The graph, which knows names and headings wherever there is one, and whether it is a source as well."""

    graph: "Graph | None" = None
    sources: "tuple[Graph, ...]" = ()


def _open_graph_use(settings: Settings, libraries: Sequence[str], relevance: Judge, stack: AsyncExitStack) -> GraphUse:
    named = GRAPH in (libraries or settings.libraries)
    graph = find_graph(settings, relevance, named=named)
    if graph is None:
        return GraphUse()
    stack.callback(graph.close)
    return GraphUse(graph, (graph,) if named or (settings.graph and not libraries) else ())


async def _open_client_if_needed(settings: Settings, stack: AsyncExitStack, exit: PrivacyFilter) -> "Client | None":
    """By which everything on the network is asked; None when the settings name nothing there."""
    if not settings.live and not settings.retractions:
        return None
    return await stack.enter_async_context(open_client(settings, exit))


def _guideline_ids(shelf: "Sequence[Library]") -> list[str]:
    """The ids of the guidelines that come with wellsourced; of the user's own libraries nothing is public."""
    return [id for library in shelf if library.name == GUIDELINES for id in library.ids_of_file(GUIDELINES)]


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
        async with open_library(settings, name, emit=emit) as library, open_graph_headings(settings) as headings:
            library.headings = headings
            yield library


class LibraryOpening(NamedTuple):
    """A library, if it can be searched, and what an answer has to say about what it lacks."""

    library: "Library | None"
    gaps: tuple[Gap, ...] = ()


def _choose_libraries(settings: Settings, asked: Sequence[str]) -> list[str]:
    """The libraries to search, each once, the guidelines first. Raises NotFoundError for one that does not exist."""
    from wellsourced.sources.library import Library

    there = library_names(settings)
    named = [*dict.fromkeys(asked or settings.libraries)]
    for name in named:
        if name not in (*there, GUIDELINES, GRAPH):
            Library.at(library_root(settings), name)
    if named:
        return [name for name in named if name != GRAPH]
    own = [name for name in there if name != GUIDELINES]
    return [*([GUIDELINES] if settings.guidelines else []), *own]


async def _load_weights(encoder: "Encoder | None", ranker: Judge | None) -> None:
    """Both loaded: what the first question waits for should not come out of the ranker's time."""
    if encoder:
        await asyncio.to_thread(encoder.encode, ["ready"], "query")
    if ranker:
        await ranker.judge([Pair("ready", "ready")])


def _warn_of_obsolete_settings(settings: Settings) -> None:
    if settings.policy.rerank_seconds:
        log.warning(
            "policy.rerank_seconds counts no more, and can be deleted: policy.rerank says how much is ranked, "
            "budget.seconds how long an answer may take."
        )


@contextmanager
def _freeze_garbage_collection() -> Iterator[None]:
    """Keep what is in memory now out of the search for garbage, which would hold the loop for 0.1 s."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _import_lancedb() -> None:
    import lancedb  # noqa: F401 - libraries import it when they search: by then it is there


async def _cancel_task(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _open_searchable(name: str, settings: Settings, encoder: "Encoder | None", emit: Emit) -> LibraryOpening:
    """A library that can be searched, or the reason why it cannot."""
    if name in settings.live:
        # A plan names sources, and would not tell the two apart.
        reason = f"“{name}” is searched over the network, and a library cannot have the same name: rename its folder"
        return LibraryOpening(None, (Gap(source=name, status="failed", reason=reason),))
    unbuilt: tuple[Gap, ...] = ()
    try:
        if name == GUIDELINES:
            unbuilt = await _build_guidelines_or_gap(settings, encoder, emit)
        library = open_for_reading(library_root(settings), name, encoder)
        card, backlog = await library.describe(), await library.backlog()
    except SourceError as error:
        return LibraryOpening(None, (Gap(source=name, status="failed", reason=str(error)),))
    if backlog and not unbuilt:
        unbuilt = (Gap(source=name, status="incomplete", reason=backlog.describe(name)),)
    if not card.documents:
        library.close()
        remedy = f"`wellsourced library add {name} PATH` puts some in"
        empty = Gap(source=name, status="empty library", reason=f"it holds no documents; {remedy}")
        return LibraryOpening(None, unbuilt or (empty,))
    return LibraryOpening(library, (*unbuilt, *_lexical_only_gaps(library, card.vectors, encoder)))


async def _build_guidelines_or_gap(settings: Settings, encoder: "Encoder | None", emit: Emit) -> tuple[Gap, ...]:
    """The guidelines built; why they are not, where what there is of them can be searched all the same."""
    try:
        await build_guidelines(settings, encoder, emit)
    except SourceError as error:
        if GUIDELINES not in library_names(settings):
            raise
        return (Gap(source=GUIDELINES, status="failed", reason=str(error)),)
    return ()


def _lexical_only_gaps(library: "Library", vectors: int, encoder: "Encoder | None") -> tuple[Gap, ...]:
    if not vectors or not encoder or library.encoder:
        return ()
    remedy = f"`wellsourced library embed {library.name}` makes them anew"
    reason = f"it is searched by word only, since its vectors are not of the encoder {encoder.name}; {remedy}"
    return (Gap(source=library.name, status="not indexed", reason=reason),)
