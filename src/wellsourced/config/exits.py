"""Every way by which words leave this machine: the registry of routes, and the exit that the settings describe.

A marked record is sent through every route (tests/app/test_exit.py). One that is added stands here first: a module that
asks the client and is in no route fails that test.
"""

from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from wellsourced.accounts import find_current_account
from wellsourced.config.settings import Settings
from wellsourced.events import DISCLOSURE_LISTENER, Event, ignore_event
from wellsourced.privacy import PrivacyFilter
from wellsourced.privacy.loopback import is_loopback

RouteContent = Literal["prompts", "queries", "references", "terms", "ids", "addresses", "nothing"]
"""What a route carries. `ids` are DOIs, PMIDs and domains; `nothing`: files that everybody is given."""


class EgressRoute(NamedTuple):
    """One way out.

    name     of the source, the service or the setting
    says     what words it carries
    module   whose calls of the client it is, without "wellsourced."
    """

    name: str
    content: RouteContent
    module: str


ROUTES = (
    EgressRoute("models", "prompts", "config.models"),
    EgressRoute("pubmed", "queries", "sources.ncbi.eutils"),
    EgressRoute("pmc", "queries", "sources.ncbi.eutils"),
    EgressRoute("europe_pmc", "queries", "sources.europe_pmc"),
    EgressRoute("semantic_scholar", "queries", "sources.semantic_scholar"),
    EgressRoute("brave", "queries", "sources.web.engines"),
    EgressRoute("tavily", "queries", "sources.web.engines"),
    EgressRoute("searxng", "queries", "sources.web.engines"),
    EgressRoute("headings", "terms", "sources.ncbi.eutils"),
    EgressRoute("crossref", "references", "sources.crossref"),
    EgressRoute("doi", "ids", "sources.doi"),
    EgressRoute("registrations", "ids", "sources.rdap"),
    EgressRoute("archive", "addresses", "sources.internet_archive"),
    EgressRoute("pages found", "addresses", "sources.web.pages"),
    EgressRoute("pages cited", "addresses", "checkup.fetching"),
    EgressRoute("pages named", "addresses", "app.check.texts"),
    EgressRoute("recipes", "nothing", "ingest.downloads"),
)


def build_privacy_filter(settings: Settings) -> PrivacyFilter:
    """The exit of one run: what becomes of identifiers, and who hears of what goes. Offline nothing goes."""
    tell = ignore_event if settings.network.offline else _emit_disclosure
    return PrivacyFilter(settings.phi, show=settings.show_masked, tell=tell, scope=find_current_account)


def find_plain_http(setting: str, url: str) -> str:
    """Why an address cannot be asked that would be sent a key or words over plain HTTP; "" for one that can."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme.lower() == "http" and not is_loopback(parts.hostname or "")
    except ValueError:
        return ""
    if not is_plain:
        return ""
    return (
        f"{setting}.url is http://{parts.hostname}…, and a key or your words would go there in the clear, for anybody "
        "on the way to read: give it as https://… (plain HTTP is for this machine alone)"
    )


def _emit_disclosure(event: Event) -> None:
    """To the question for whose sake it is, and to the terminal."""
    if account := find_current_account():
        account.emit(event)
    DISCLOSURE_LISTENER.get()(event)
