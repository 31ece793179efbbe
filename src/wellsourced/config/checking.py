"""What is needed to find what a text cites: catalogues, who has the words of works, pages, registries."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from typing import TYPE_CHECKING

from wellsourced.config.network import EUTILS_URL, url_host, build_live_source, open_client, build_services
from wellsourced.config.settings import RegistryName, Settings, TracingSettings
from wellsourced.sources.base import RetractionRegistry, Source

if TYPE_CHECKING:
    from wellsourced.checkup.addresses import AddressDescriber
    from wellsourced.checkup.base import Tracer
    from wellsourced.checkup.catalogues import WorkCatalogue
    from wellsourced.checkup.fetching import PageFetcher
    from wellsourced.http import Client


@asynccontextmanager
async def open_tracer(
    settings: Settings, libraries: Sequence[Source] = (), how: TracingSettings | None = None
) -> AsyncIterator["Tracer"]:
    """Who finds what a text cites; closed in the end.

    libraries   what is known on this machine, asked first: those of a kit
    how         None: as the settings say

    Of the text itself nothing is sent: ids, titles, authors, years and addresses of what it cites are. With
    `network.offline` not even these: what the libraries do not know is "offline". Raises SettingsError for a list of
    paywalls that cannot be read, Unreadable for a Retraction Watch file that cannot.
    """
    from wellsourced.checkup.tracing import CatalogueTracer
    from wellsourced.sources import doi

    how = how or settings.tracing
    async with open_client(settings) as client:
        yield CatalogueTracer(
            libraries,
            _open_catalogues(settings, client, how),
            [build_live_source(name, settings, client) for name in ("pmc", "pubmed", "europe_pmc")],
            _build_fetcher(settings, client, how) if how.pages else None,
            _open_registries(settings, client),
            _build_address_describer(client, how),
            resolver=how.doi or doi.URL,
        )


def _open_catalogues(settings: Settings, client: "Client", how: TracingSettings) -> "list[WorkCatalogue]":
    """In the order in which they are asked: who gives out an id is its last resort."""
    from wellsourced.sources import crossref, doi, europe_pmc
    from wellsourced.sources.catalogues import CrossrefCatalogue, DatabaseCatalogue
    from wellsourced.sources.exits import CataloguePrivacyFilter

    ncbi, resolver = settings.pubmed.url or EUTILS_URL, how.doi or doi.URL
    epmc, registry = settings.europe_pmc.url or europe_pmc.URL, settings.crossref.url or crossref.URL
    catalogues = (
        (DatabaseCatalogue(build_live_source("pubmed", settings, client), {"pmid": True}), ncbi),
        (
            DatabaseCatalogue(
                build_live_source("europe_pmc", settings, client), {"pmid": False, "pmcid": False, "doi": False}
            ),
            epmc,
        ),
        (DatabaseCatalogue(build_live_source("pmc", settings, client), {"pmcid": True}, lists=False), ncbi),
        (CrossrefCatalogue(crossref.Crossref(client, registry, settings.network.email)), registry),
        (doi.DoiOrg(client, resolver), resolver),
    )
    return [CataloguePrivacyFilter(catalogue, url_host(url), client.exit) for catalogue, url in catalogues]


def _open_registries(settings: Settings, client: "Client") -> tuple[RetractionRegistry, ...]:
    """Those that the settings name; else all that can be asked. Nobody is asked over the network who may not be."""
    every: tuple[RegistryName, ...] = ("pubmed", "crossref", *(("retraction_watch",) if settings.retraction_watch else ()))
    named = settings.retractions or every
    allowed = tuple(one for one in named if one == "retraction_watch" or not settings.network.offline)
    return build_services(settings.model_copy(update={"live": (), "retractions": allowed}), client).registries


def _build_fetcher(settings: Settings, client: "Client", how: TracingSettings) -> "PageFetcher":
    from functools import partial

    from wellsourced.checkup.cited_page import read_cited_page
    from wellsourced.checkup.fetching import FetchOptions, PageFetcher

    manners = FetchOptions(seconds=settings.network.seconds, robots=how.robots)
    return PageFetcher(client, partial(read_cited_page, today=date.today()), manners)


def _build_address_describer(client: "Client", how: TracingSettings) -> "AddressDescriber":
    from wellsourced.checkup.addresses import AddressDescriber, load_paywalls
    from wellsourced.sources import internet_archive, rdap
    from wellsourced.sources.exits import ArchivePrivacyFilter

    archive = how.archive_url or internet_archive.URL
    return AddressDescriber(
        load_paywalls(how.paywalls),
        ArchivePrivacyFilter(internet_archive.InternetArchive(client, archive), url_host(archive), client.exit)
        if how.archive
        else None,
        rdap.Rdap(client, how.rdap or rdap.URL) if how.registrations else None,
        cited_on=how.cited_on,
    )
