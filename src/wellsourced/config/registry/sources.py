"""What can be searched over the network, and who is asked about retractions: one entry each.

A new source is a file in `sources/` and an entry here, or an entry point `wellsourced.sources` of another distribution
(plugins.py); settings, `source list`, `doctor` and the contract suite follow from it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from wellsourced.config.registry.base import Connection, Registry
from wellsourced.sources.base import RetractionRegistry, Source
from wellsourced.types import SourceKind

# Every builder imports its source when it is called: who asks nobody over the network should not wait for it.

EUTILS_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"


class RequestRate(NamedTuple):
    """Requests a second that a service allows, without and with a key.

    is_public_only   whether it holds at the public address alone, and not at one that the settings name instead
    """

    without_key: float
    with_key: float
    is_public_only: bool = False


NCBI_RATE = RequestRate(3.0, 10.0)
"""E-utilities, “Usage Guidelines and Requirements”."""

CLINICAL_TRIALS_RATE = RequestRate(0.8, 0.8, is_public_only=True)
"""About 50 requests a minute from one machine are answered, as programs that ask it say."""


class LiveSourceEntry(NamedTuple):
    """A source on the network.

    kind         of what it holds
    module       whose calls of the client it makes, without "wellsourced."
    build        makes it, ready to be asked
    url          its public address; "": a server of one's own, whose address the settings have to name
    service      the settings that hold its address and key; "": those of its own name
    key_issuer   where the key is to be had that its public address wants; "" when it wants none
    rate         how often it may be asked; None: as the client asks everybody
    """

    name: str
    description: str
    kind: SourceKind
    module: str
    build: Callable[[Connection], Source]
    url: str = ""
    service: str = ""
    key_issuer: str = ""
    rate: RequestRate | None = None

    @property
    def service_name(self) -> str:
        """The settings that hold its address and key."""
        return self.service or self.name


def _build_pubmed(to: Connection) -> Source:
    from wellsourced.sources.ncbi.pubmed import PubMed

    return PubMed(to.client, to.url, key=to.key, email=to.email)


def _build_pmc(to: Connection) -> Source:
    from wellsourced.sources.ncbi.pmc import Pmc

    return Pmc(to.client, to.url, key=to.key, email=to.email)


def _build_europe_pmc(to: Connection) -> Source:
    from wellsourced.sources.europe_pmc import EuropePmc

    return EuropePmc(to.client, to.url, to.email)


def _build_semantic_scholar(to: Connection) -> Source:
    from wellsourced.sources.semantic_scholar import SemanticScholar

    return SemanticScholar(to.client, to.url, to.key)


def _build_clinical_trials(to: Connection) -> Source:
    from wellsourced.sources.clinical_trials.source import ClinicalTrials

    return ClinicalTrials(to.client, to.url)


def _build_brave(to: Connection) -> Source:
    from wellsourced.sources.web import Brave, WebSource

    return WebSource(to.client, Brave(to.client, to.url, key=to.key))


def _build_tavily(to: Connection) -> Source:
    from wellsourced.sources.web import Tavily, WebSource

    return WebSource(to.client, Tavily(to.client, to.url, key=to.key))


def _build_searxng(to: Connection) -> Source:
    from wellsourced.sources.web import SearXNG, WebSource

    return WebSource(to.client, SearXNG(to.client, to.url))


LIVE_SOURCE_REGISTRY = Registry(
    "source on the network",
    (
        LiveSourceEntry(
            "pubmed",
            "PubMed: abstracts of research, and books",
            "research",
            "sources.ncbi.eutils",
            _build_pubmed,
            url=EUTILS_URL,
            rate=NCBI_RATE,
        ),
        LiveSourceEntry(
            "pmc",
            "PubMed Central: full text of open research",
            "research",
            "sources.ncbi.eutils",
            _build_pmc,
            url=EUTILS_URL,
            service="pubmed",
            rate=NCBI_RATE,
        ),
        LiveSourceEntry(
            "europe_pmc",
            "Europe PMC: abstracts, preprints, full text where it is open",
            "research",
            "sources.europe_pmc",
            _build_europe_pmc,
            url="https://www.ebi.ac.uk/europepmc/webservices/rest",
        ),
        LiveSourceEntry(
            "semantic_scholar",
            "Semantic Scholar: abstracts, cited ones first",
            "research",
            "sources.semantic_scholar",
            _build_semantic_scholar,
            url="https://api.semanticscholar.org/graph/v1/",
        ),
        LiveSourceEntry(
            "clinical_trials",
            "ClinicalTrials.gov: registered trials, and their results where they are posted",
            "trial",
            "sources.clinical_trials.source",
            _build_clinical_trials,
            url="https://clinicaltrials.gov/api/v2",
            rate=CLINICAL_TRIALS_RATE,
        ),
        LiveSourceEntry(
            "brave",
            "the web, through Brave Search",
            "web",
            "sources.web.search_engines",
            _build_brave,
            url="https://api.search.brave.com/res/v1/web/search",
            key_issuer="api.search.brave.com",
        ),
        LiveSourceEntry(
            "tavily",
            "the web, through Tavily",
            "web",
            "sources.web.search_engines",
            _build_tavily,
            url="https://api.tavily.com/search",
            key_issuer="tavily.com",
        ),
        LiveSourceEntry(
            "searxng",
            "the web, through a SearXNG server of your own",
            "web",
            "sources.web.search_engines",
            _build_searxng,
        ),
    ),
    plugins="source",
)


class RetractionEntry(NamedTuple):
    """Somebody who is asked whether works were retracted.

    build   makes the registry from a connection; None for one that is a file
    open    makes it from a file of the user's own, which the setting of its name names
    url     its public address; "" for a file
    """

    name: str
    description: str
    build: Callable[[Connection], RetractionRegistry] | None = None
    open: Callable[[Path], RetractionRegistry] | None = None
    url: str = ""

    @property
    def is_local(self) -> bool:
        """Whether it lies on this machine, so that it answers offline too."""
        return self.build is None


def _build_pubmed_registry(to: Connection) -> RetractionRegistry:
    from wellsourced.sources.ncbi.pubmed import PubMed, PubMedRegistry

    return PubMedRegistry(PubMed(to.client, to.url, key=to.key, email=to.email))


def _build_crossref(to: Connection) -> RetractionRegistry:
    from wellsourced.sources.crossref import Crossref

    return Crossref(to.client, to.url, to.email)


def _open_retraction_watch(path: Path) -> RetractionRegistry:
    from wellsourced.sources.retraction_watch import RetractionWatch

    return RetractionWatch(path)


RETRACTION_REGISTRY = Registry(
    "registry of retractions",
    (
        RetractionEntry("pubmed", "PubMed's records of retracted works", _build_pubmed_registry, url=EUTILS_URL),
        RetractionEntry(
            "crossref", "the notices that publishers deposit", _build_crossref, url="https://api.crossref.org/"
        ),
        RetractionEntry("retraction_watch", "a snapshot of its database, as CSV", open=_open_retraction_watch),
    ),
)

SOURCE_SERVICES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(entry.service_name for entry in LIVE_SOURCE_REGISTRY.built_in.values()),
            # One that a plugin adds has the settings of its own name: it is not imported to be asked.
            *LIVE_SOURCE_REGISTRY.find_plugins().plugins,
            *(entry.name for entry in RETRACTION_REGISTRY.built_in.values() if not entry.is_local),
        )
    )
)
"""The settings that hold an address and a key of a source or a registry."""
