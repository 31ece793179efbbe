"""What is reached over the network: the client, the live sources, who keeps count of retractions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from wellsourced.config.egress import keeper
from wellsourced.config.exits import exit_of, find_plain_http
from wellsourced.config.settings import Counting, Live, Service, Settings
from wellsourced.errors import SettingsError, SourceError
from wellsourced.privacy import PrivacyFilter
from wellsourced.sources.base import HeadingVocabulary, RetractionRegistry, Source
from wellsourced.types import Gap

# The client takes a third of a second to load: who asks nobody over the network should not wait for it.
if TYPE_CHECKING:
    from wellsourced.http import Client
    from wellsourced.sources.ncbi.pubmed import PubMed

EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
ALONE, WITH_KEY = 3.0, 10.0
"""Requests a second that NCBI allows without and with a key (E-utilities, “Usage Guidelines and Requirements”)."""

NEED_KEY: dict[Live, str] = {"brave": "api.search.brave.com", "tavily": "tavily.com"}


class Reached(NamedTuple):
    """What is there, and what should have been and is not."""

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
        ledger=Ledger(keeper(settings)),
        cache=settings.home / "http" if network.cache else None,
        paces={host_of(settings.pubmed.url or EUTILS): WITH_KEY if _key(settings.pubmed) else ALONE},
        trusted=frozenset(network.trusted),
        agent=f"wellsourced/{version('wellsourced')} (+https://pypi.org/project/wellsourced{contact})",
        timeout=network.seconds,
        exit=exit or exit_of(settings),
    ) as client:
        yield client


def reach(settings: Settings, client: "Client") -> Reached:
    """Every live source and registry that the settings name; one that cannot be used is a gap, with the remedy."""
    gaps: list[Gap] = []
    sources: list[Source] = []
    registries: list[RetractionRegistry] = []
    for name in settings.live:
        if reason := lacking(name, settings):
            gaps.append(Gap(source=name, status="not configured", reason=reason))
        else:
            sources.append(live_source(name, settings, client))
    for registry in settings.retractions:
        try:
            registries.append(registry_of(registry, settings, client))
        except (SettingsError, SourceError) as error:
            gaps.append(Gap(source=registry, status="not configured", reason=str(error)))
    return Reached(tuple(sources), _headings(settings, client), tuple(registries), tuple(gaps))


def _headings(settings: Settings, client: "Client") -> tuple[HeadingVocabulary, ...]:
    """MeSH itself, where NCBI is asked anyway."""
    if not {"pubmed", "pmc"}.intersection(settings.live):
        return ()
    from wellsourced.sources.exits import HeadingsPrivacyFilter
    from wellsourced.sources.ncbi.mesh import MeshHeadings

    url = settings.pubmed.url or EUTILS
    mesh = MeshHeadings(client, url, key=_key(settings.pubmed), email=settings.network.email)
    return (HeadingsPrivacyFilter(mesh, host_of(url), client.exit),)


@asynccontextmanager
async def open_registries(settings: Settings) -> AsyncIterator[Reached]:
    """Who is asked about retractions, and no source; closed in the end."""
    async with open_client(settings) as client:
        yield reach(settings.model_copy(update={"live": ()}), client)


def lacking(name: Live, settings: Settings) -> str:
    """What a live source still needs before it can be asked, and how to give it; "" when nothing."""
    service: Service = getattr(settings, name, Service())
    if reason := find_plain_http(name, service.url):
        return reason
    if name in NEED_KEY and not _key(service) and not service.url:
        return f"it wants a key, which {NEED_KEY[name]} gives: set {name}.key (WELLSOURCED_{name.upper()}__KEY)"
    if name == "searxng" and not service.url:
        return "it is a server of your own: set searxng.url to its address"
    return ""


def live_source(name: Live, settings: Settings, client: "Client") -> Source:
    """One live source behind the exit, at its public address unless the settings name another."""
    from wellsourced.sources.exits import SourcePrivacyFilter

    source, url = _source_at(name, settings, client)
    return SourcePrivacyFilter(source, host_of(url), client.exit)


def _source_at(name: Live, settings: Settings, client: "Client") -> tuple[Source, str]:
    """The source itself, and its address."""
    if name == "pubmed":
        return _pubmed(settings, client), settings.pubmed.url or EUTILS
    if name == "pmc":
        from wellsourced.sources.ncbi.pmc import Pmc

        url = settings.pubmed.url or EUTILS
        return Pmc(client, url, key=_key(settings.pubmed), email=settings.network.email), url
    if name == "europe_pmc":
        from wellsourced.sources import europe_pmc

        url = settings.europe_pmc.url or europe_pmc.URL
        return europe_pmc.EuropePmc(client, url, settings.network.email), url
    if name == "semantic_scholar":
        from wellsourced.sources import semantic_scholar as scholar

        url = settings.semantic_scholar.url or scholar.URL
        return scholar.SemanticScholar(client, url, _key(settings.semantic_scholar)), url
    return _web(name, settings, client)


def _pubmed(settings: Settings, client: "Client") -> "PubMed":
    from wellsourced.sources.ncbi.pubmed import PubMed

    return PubMed(client, settings.pubmed.url or EUTILS, key=_key(settings.pubmed), email=settings.network.email)


def registry_of(name: Counting, settings: Settings, client: "Client") -> RetractionRegistry:
    """Who is asked about retractions, behind the exit. Raises SettingsError, Unreadable."""
    if name == "retraction_watch":
        if settings.retraction_watch is None:
            raise SettingsError("it is a file of your own: set retraction_watch to the CSV of the database")
        from wellsourced.sources.retraction_watch import RetractionWatch

        return RetractionWatch(settings.retraction_watch)
    from wellsourced.sources.exits import RegistryPrivacyFilter

    if reason := find_plain_http(name, getattr(settings, name).url):
        raise SettingsError(reason)
    if name == "pubmed":
        from wellsourced.sources.ncbi.pubmed import PubMedRegistry

        return RegistryPrivacyFilter(
            PubMedRegistry(_pubmed(settings, client)), host_of(settings.pubmed.url or EUTILS), client.exit
        )
    from wellsourced.sources import crossref

    url = settings.crossref.url or crossref.URL
    return RegistryPrivacyFilter(crossref.Crossref(client, url, settings.network.email), host_of(url), client.exit)


def _web(name: Literal["brave", "tavily", "searxng"], settings: Settings, client: "Client") -> tuple[Source, str]:
    from wellsourced.sources import web

    service: Service = getattr(settings, name)
    if name == "searxng":
        return web.WebSource(client, web.SearXNG(client, service.url)), service.url
    engine, key = web.Brave if name == "brave" else web.Tavily, _key(service)
    url = service.url or engine.URL
    return web.WebSource(client, engine(client, url, key=key)), url


def _key(service: Service) -> SecretStr | None:
    return service.key if service.key.get_secret_value() else None


def host_of(url: str) -> str:
    """The host of an address, with its port where that is named."""
    return urlsplit(url).netloc
