"""What is reached over the network: the client, live sources, registries of retractions, single pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from wellsourced.config.egress import build_contact_writer, build_privacy_filter, find_plain_http
from wellsourced.config.settings import LiveSourceName, RegistryName, ServiceSettings, Settings
from wellsourced.errors import SettingsError, SourceError, UnreadableFile
from wellsourced.privacy import PrivacyFilter
from wellsourced.sources.base import HeadingVocabulary, RetractionRegistry, Source
from wellsourced.types import Document, Gap

if TYPE_CHECKING:
    from wellsourced.http import Client
    from wellsourced.sources.ncbi.pubmed import PubMed


# The client takes a third of a second to load: who asks nobody over the network should not wait for it.

EUTILS_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
RATE_WITHOUT_KEY, RATE_WITH_KEY = 3.0, 10.0
"""Requests a second that NCBI allows without and with a key (E-utilities, “Usage Guidelines and Requirements”)."""

KEY_ISSUERS: dict[LiveSourceName, str] = {"brave": "api.search.brave.com", "tavily": "tavily.com"}


class NetworkServices(NamedTuple):
    """The sources on the network that were opened, and gaps for those that could not be."""

    sources: tuple[Source, ...] = ()
    headings: tuple[HeadingVocabulary, ...] = ()
    registries: tuple[RetractionRegistry, ...] = ()
    gaps: tuple[Gap, ...] = ()


@asynccontextmanager
async def open_client(settings: Settings, exit: PrivacyFilter | None = None) -> AsyncIterator["Client"]:
    """The one HTTP client, closed in the end; what it sends is written into the ledger of home.

    exit   by which words leave; None: as the settings say
    """
    from wellsourced.http import Client, Ledger

    network = settings.network
    contact = f"; mailto:{network.email}" if network.email else ""
    async with Client(
        offline=network.offline,
        ledger=Ledger(build_contact_writer(settings)),
        cache=settings.home / "http" if network.cache else None,
        paces={
            url_host(settings.pubmed.url or EUTILS_URL): RATE_WITH_KEY
            if _service_key(settings.pubmed)
            else RATE_WITHOUT_KEY
        },
        trusted=frozenset(network.trusted),
        agent=f"wellsourced/{version('wellsourced')} (+https://pypi.org/project/wellsourced{contact})",
        timeout=network.seconds,
        exit=exit or build_privacy_filter(settings),
    ) as client:
        yield client


def build_services(settings: Settings, client: "Client") -> NetworkServices:
    """Every live source and registry that the settings name; one that cannot be used is a gap, with the remedy."""
    gaps: list[Gap] = []
    sources: list[Source] = []
    registries: list[RetractionRegistry] = []
    for name in settings.live:
        if reason := describe_missing_setup(name, settings):
            gaps.append(Gap(source=name, status="not configured", reason=reason))
        else:
            sources.append(build_live_source(name, settings, client))
    for registry in settings.retractions:
        try:
            registries.append(build_registry(registry, settings, client))
        except (SettingsError, SourceError) as error:
            gaps.append(Gap(source=registry, status="not configured", reason=str(error)))
    return NetworkServices(tuple(sources), _build_headings(settings, client), tuple(registries), tuple(gaps))


def _build_headings(settings: Settings, client: "Client") -> tuple[HeadingVocabulary, ...]:
    """MeSH itself, where NCBI is asked anyway."""
    if not {"pubmed", "pmc"}.intersection(settings.live):
        return ()
    from wellsourced.sources.ncbi.mesh import MeshHeadings
    from wellsourced.sources.privacy_filters import HeadingsPrivacyFilter

    url = settings.pubmed.url or EUTILS_URL
    mesh = MeshHeadings(client, url, key=_service_key(settings.pubmed), email=settings.network.email)
    return (HeadingsPrivacyFilter(mesh, url_host(url), client.exit),)


@asynccontextmanager
async def open_registries(settings: Settings) -> AsyncIterator[NetworkServices]:
    """Who is asked about retractions, and no source; closed in the end."""
    async with open_client(settings) as client:
        yield build_services(settings.model_copy(update={"live": ()}), client)


def describe_missing_setup(name: LiveSourceName, settings: Settings) -> str:
    """What a live source still needs before it can be asked, and how to give it; "" when nothing."""
    service: ServiceSettings = getattr(settings, name, ServiceSettings())
    if reason := find_plain_http(name, service.url):
        return reason
    if name in KEY_ISSUERS and not _service_key(service) and not service.url:
        return f"it wants a key, which {KEY_ISSUERS[name]} gives: set {name}.key (WELLSOURCED_{name.upper()}__KEY)"
    if name == "searxng" and not service.url:
        return "it is a server of your own: set searxng.url to its address"
    return ""


def build_live_source(name: LiveSourceName, settings: Settings, client: "Client") -> Source:
    """One live source behind the exit, at its public address unless the settings name another."""
    from wellsourced.sources.privacy_filters import SourcePrivacyFilter

    source, url = _build_source(name, settings, client)
    return SourcePrivacyFilter(source, url_host(url), client.exit)


def _build_source(name: LiveSourceName, settings: Settings, client: "Client") -> tuple[Source, str]:
    """The source itself, and its address."""
    if name == "pubmed":
        return _build_pubmed(settings, client), settings.pubmed.url or EUTILS_URL
    if name == "pmc":
        from wellsourced.sources.ncbi.pmc import Pmc

        url = settings.pubmed.url or EUTILS_URL
        return Pmc(client, url, key=_service_key(settings.pubmed), email=settings.network.email), url
    if name == "europe_pmc":
        from wellsourced.sources import europe_pmc

        url = settings.europe_pmc.url or europe_pmc.URL
        return europe_pmc.EuropePmc(client, url, settings.network.email), url
    if name == "semantic_scholar":
        from wellsourced.sources import semantic_scholar as scholar

        url = settings.semantic_scholar.url or scholar.URL
        return scholar.SemanticScholar(client, url, _service_key(settings.semantic_scholar)), url
    return _build_web_source(name, settings, client)


def _build_pubmed(settings: Settings, client: "Client") -> "PubMed":
    from wellsourced.sources.ncbi.pubmed import PubMed

    return PubMed(
        client, settings.pubmed.url or EUTILS_URL, key=_service_key(settings.pubmed), email=settings.network.email
    )


def build_registry(name: RegistryName, settings: Settings, client: "Client") -> RetractionRegistry:
    """Who is asked about retractions, behind the exit. Raises SettingsError, UnreadableFile."""
    if name == "retraction_watch":
        if settings.retraction_watch is None:
            raise SettingsError("it is a file of your own: set retraction_watch to the CSV of the database")
        from wellsourced.sources.retraction_watch import RetractionWatch

        return RetractionWatch(settings.retraction_watch)
    from wellsourced.sources.privacy_filters import RegistryPrivacyFilter

    if reason := find_plain_http(name, getattr(settings, name).url):
        raise SettingsError(reason)
    if name == "pubmed":
        from wellsourced.sources.ncbi.pubmed import PubMedRegistry

        return RegistryPrivacyFilter(
            PubMedRegistry(_build_pubmed(settings, client)), url_host(settings.pubmed.url or EUTILS_URL), client.exit
        )
    from wellsourced.sources import crossref

    url = settings.crossref.url or crossref.URL
    return RegistryPrivacyFilter(crossref.Crossref(client, url, settings.network.email), url_host(url), client.exit)


def _build_web_source(
    name: Literal["brave", "tavily", "searxng"], settings: Settings, client: "Client"
) -> tuple[Source, str]:
    from wellsourced.sources import web

    service: ServiceSettings = getattr(settings, name)
    if name == "searxng":
        return web.WebSource(client, web.SearXNG(client, service.url)), service.url
    engine, key = web.Brave if name == "brave" else web.Tavily, _service_key(service)
    url = service.url or engine.URL
    return web.WebSource(client, engine(client, url, key=key)), url


def _service_key(service: ServiceSettings) -> SecretStr | None:
    return service.key if service.key.get_secret_value() else None


def url_host(url: str) -> str:
    """The host of an address, with its port where that is named."""
    return urlsplit(url).netloc


async def open_page(name: str, settings: Settings) -> Document:
    """The document behind an address, or in a file of any kind that is read.

    Raises SourceError for what its server or its file is, SettingsError for an extra that is not installed.
    """
    from wellsourced.sources.web.search_engines import EngineResult
    from wellsourced.sources.web.source import PageLimits, read_page

    if not name.startswith(("https://", "http://")):
        return await asyncio.to_thread(_read_page_file, Path(name))
    async with open_client(settings) as client:
        return await read_page(client, EngineResult(url=name), PageLimits(), date.today())


def _read_page_file(path: Path) -> Document:
    from wellsourced.readers.base import UnreadablePart
    from wellsourced.readers.worker.pool import read_file_items

    for item in read_file_items(path, "own"):
        if isinstance(item, Document):
            return item
        if isinstance(item, UnreadablePart):
            raise UnreadableFile(path, f"{item.where}: {item.reason}", item.remedy)
    raise UnreadableFile(path, "there is nothing to read in it", "Name a page with text.")
