"""What a check of somebody else's text needs, opened: who finds its sources, who judges, who edits."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from wellsourced.config.context import open_context
from wellsourced.config.encoders import open_encoder
from wellsourced.config.judges import build_judge
from wellsourced.config.network import (
    build_live_source,
    build_services,
    connect_service,
    connect_source,
    open_client,
    url_host,
)
from wellsourced.config.paths import has_guidelines
from wellsourced.config.registry import RETRACTION_REGISTRY
from wellsourced.config.settings import Settings, TracingSettings
from wellsourced.events import Emit, ignore_event
from wellsourced.sources.base import RetractionRegistry, Source

if TYPE_CHECKING:
    from wellsourced.factcheck.check import CheckContext
    from wellsourced.factcheck.pages.addresses import AddressDescriber
    from wellsourced.factcheck.pages.page_fetcher import PageFetcher
    from wellsourced.factcheck.resolve.base import Tracer, WorkCatalogue
    from wellsourced.http import Client


@asynccontextmanager
async def open_tracer(settings: Settings, libraries: Sequence[Source] = ()) -> AsyncIterator["Tracer"]:
    """Who finds what a text cites; closed in the end.

    libraries   what is known on this machine, asked first: those of a context

    Of the text itself nothing is sent: ids, titles, authors, years and addresses of what it cites are. With
    `network.offline` not even these: what the libraries do not know is "offline". Raises UnreadableFile for a
    Retraction Watch file that cannot be read.
    """
    from wellsourced.factcheck.resolve.tracer import CatalogueTracer
    from wellsourced.sources import doi_org as doi

    tracing = settings.tracing
    async with open_client(settings) as client:
        yield CatalogueTracer(
            libraries,
            _open_catalogues(settings, client),
            [build_live_source(name, settings, client) for name in ("pmc", "pubmed", "europe_pmc")],
            _build_fetcher(settings, client) if tracing.pages else None,
            _open_registries(settings, client),
            _build_address_describer(client, tracing),
            resolver=tracing.doi or doi.URL,
        )


def _open_catalogues(settings: Settings, client: "Client") -> "list[WorkCatalogue]":
    """In the order in which they are asked: who gives out an id is its last resort."""
    from wellsourced.sources import crossref
    from wellsourced.sources import doi_org as doi
    from wellsourced.sources.doi_org import DatabaseCatalogue
    from wellsourced.sources.privacy_filters import CataloguePrivacyFilter

    ncbi, epmc = (connect_source(settings, client, name).url for name in ("pubmed", "europe_pmc"))
    registry = connect_service(settings, client, "crossref", RETRACTION_REGISTRY.find("crossref").url).url
    resolver = settings.tracing.doi or doi.URL
    pubmed, europe_pmc, pmc = (build_live_source(name, settings, client) for name in ("pubmed", "europe_pmc", "pmc"))
    catalogues = (
        (DatabaseCatalogue(pubmed, {"pmid": True}), ncbi),
        (DatabaseCatalogue(europe_pmc, {"pmid": False, "pmcid": False, "doi": False}), epmc),
        (DatabaseCatalogue(pmc, {"pmcid": True}, lists=False), ncbi),
        (crossref.Crossref(client, registry, settings.network.email), registry),
        (doi.DoiOrg(client, resolver), resolver),
    )
    return [CataloguePrivacyFilter(catalogue, url_host(url), client.exit) for catalogue, url in catalogues]


def _open_registries(settings: Settings, client: "Client") -> tuple[RetractionRegistry, ...]:
    """Those that the settings name; else all that can be asked. Nobody is asked over the network who may not be."""
    every = [
        name for name, entry in RETRACTION_REGISTRY.entries.items() if entry.url or getattr(settings, name) is not None
    ]
    named = settings.retractions or every
    offline = settings.network.offline
    allowed = tuple(name for name in named if not (offline and RETRACTION_REGISTRY.find(name).url))
    return build_services(settings.model_copy(update={"live": (), "retractions": allowed}), client).registries


def _build_fetcher(settings: Settings, client: "Client") -> "PageFetcher":
    from wellsourced.factcheck.pages.cited_page import read_cited_page
    from wellsourced.factcheck.pages.page_fetcher import FetchOptions, PageFetcher

    options = FetchOptions(seconds=settings.network.seconds, robots=settings.tracing.robots)
    return PageFetcher(client, partial(read_cited_page, today=date.today()), options)


def _build_address_describer(client: "Client", tracing: TracingSettings) -> "AddressDescriber":
    from wellsourced.factcheck.pages.addresses import AddressDescriber
    from wellsourced.sources import page_registries
    from wellsourced.sources.privacy_filters import ArchivePrivacyFilter

    archive = tracing.archive_url or page_registries.ARCHIVE_URL
    return AddressDescriber(
        ArchivePrivacyFilter(page_registries.InternetArchive(client, archive), url_host(archive), client.exit)
        if tracing.archive
        else None,
        page_registries.Rdap(client, tracing.rdap or page_registries.RDAP_URL) if tracing.registrations else None,
        cited_on=tracing.cited_on,
    )


CHECKUPS_FOLDER = "checkups"
"""The folder of runs, in home."""

LLM_JUDGE = "model"
"""The judge that is a language model."""

LLM_WINDOW_CHARS = 40_000
"""Characters of a source that a language model is shown at once; what does not fit its window it is shown in parts."""


@asynccontextmanager
async def open_check_context(
    settings: Settings, *, judge: str = "", analyse: bool = False, keep: bool = True, emit: Emit = ignore_event
) -> "AsyncIterator[CheckContext]":
    """The tracer, with the user's own libraries; the judge; the model, if one is set. Closed in the end.

    judge     by its name, as `describe_judges` lists them; "": as the setting `judge.support` says, else the language
              model if one is set, else the context's judge
    analyse   whether archives and registries are told the addresses that the text cites
    keep      whether the text, its verdicts and what a language model replied to it are stored in home

    A text is not searched for, so nothing live is opened, and the guidelines only where they were made searchable
    before: they hold what an answer of ours cites. Raises SettingsError, ModelError.
    """
    from wellsourced.controls.record import CONTROLS_OFF
    from wellsourced.factcheck.check import CheckContext
    from wellsourced.factcheck.pairing import JudgingOptions

    named = settings.judge.model_copy(update={"support": judge}) if judge else settings.judge
    built = settings.guidelines and has_guidelines(settings)
    tracing = settings.tracing.model_copy(update={"archive": True, "registrations": True} if analyse else {})
    models = settings.models.model_copy(update={} if keep else {"cache": False})
    # The settings have what the preset says; whether it may answer questions is nobody's concern here.
    changed = {"preset": "", "guidelines": built, "graph": False, "judge": named, "tracing": tracing, "models": models}
    own = settings.model_copy(update=changed)
    async with open_context(own, live=(), emit=emit) as opened, open_tracer(own, opened.sources) as tracer:
        name = named.support or (LLM_JUDGE if opened.has_model else "")
        wide = name == LLM_JUDGE
        model = opened.judging_model if opened.has_model else None
        judge_of_all, others = opened.support_judge, (opened.model,) if opened.has_model else ()
        if wide:
            # It is shown whole articles: without the guard, which would compare a claim with all of them.
            judge_of_all = build_judge(name, own, open_encoder(own), model, guarded=False, others=others)
        yield CheckContext(
            tracer=tracer,
            judge=judge_of_all,
            folder=settings.home / CHECKUPS_FOLDER if keep else None,
            model=model,
            judging=JudgingOptions(window=LLM_WINDOW_CHARS, any_language=True) if wide else JudgingOptions(),
            missing=opened.setup_gaps,
            notices=(CONTROLS_OFF,) if wide and not settings.check.controls else (),
            writer=opened.model if opened.has_model else None,
        )
