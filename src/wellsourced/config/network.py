"""What is reached over the network: the client, live sources, registries; and the ledger of what went
there.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from wellsourced.budget import find_cost_tracker
from wellsourced.config.registry import ENGINE_REGISTRY, LIVE_SOURCE_REGISTRY, RETRACTION_REGISTRY, Connection
from wellsourced.config.settings import ServiceSettings, Settings
from wellsourced.errors import SettingsError, SourceError, UnreadableFile
from wellsourced.events import DISCLOSURE_LISTENER, Event, ignore_event
from wellsourced.privacy.loopback import is_loopback
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.sources.base import HeadingVocabulary, RetractionRegistry, Source
from wellsourced.storage.private_files import make_missing_folders, make_private_file
from wellsourced.types import Gap

if TYPE_CHECKING:
    from wellsourced.http import Client, Contact
    from wellsourced.sources.library.engines import EngineAddress, OpenEngine, PassageFinder


# The client takes a third of a second to load: who asks nobody over the network should not wait for it.


class NetworkServices(NamedTuple):
    """The sources on the network that were opened, and gaps for those that could not be."""

    sources: tuple[Source, ...] = ()
    headings: tuple[HeadingVocabulary, ...] = ()
    registries: tuple[RetractionRegistry, ...] = ()
    gaps: tuple[Gap, ...] = ()


# What leaves this machine: the privacy filter that the settings describe, and the ledger of what went.
#
# A marked record is sent through every way out (tests/app/test_exit.py), which lists them: a module that asks the
# client and is not listed there fails that test.


def build_privacy_filter(settings: Settings) -> PrivacyFilter:
    """The exit of one run: what becomes of identifiers, and who hears of what goes. OfflineError nothing goes."""
    emit = ignore_event if settings.network.offline else emit_disclosure
    return PrivacyFilter(settings.phi, show=settings.show_masked, emit=emit, scope=find_cost_tracker)


def find_plain_http(setting: str, url: str) -> str:
    """Why an address cannot be asked that would be sent a key or words over plain HTTP; "" for one that can."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme.lower() == "http" and not is_loopback(parts.hostname or "")
    except ValueError:
        return ""
    if not is_plain:
        return ""
    return f"{setting}.url is http://{parts.hostname}…, which sends keys and your words unencrypted: use https://"


def emit_disclosure(event: Event) -> None:
    """To the question for whose sake it is, and to the terminal."""
    if tracker := find_cost_tracker():
        tracker.emit(event)
    DISCLOSURE_LISTENER.get()(event)


LEDGER_FILE = "egress.jsonl"


def build_contact_writer(settings: Settings) -> Callable[["Contact"], None]:
    """Writes each contact as a line, in one go: several processes may share the ledger."""
    path = settings.home / LEDGER_FILE

    def write_contact(contact: "Contact") -> None:
        line = json.dumps({**contact._asdict(), "when": contact.when.isoformat(timespec="seconds")})
        make_missing_folders(path.parent)
        make_private_file(path)
        with path.open("a", encoding="utf-8") as ledger:
            ledger.write(line + "\n")

    return write_contact


class HostTraffic(NamedTuple):
    """All requests to one host that the ledger holds; times in ISO 8601."""

    host: str
    requests: int
    failed: int
    sent: int
    received: int
    seconds: float
    first: str
    last: str


def read_traffic(settings: Settings) -> list[HostTraffic]:
    """What left this machine, host by host, the last one contacted first. Raises UnreadableFile."""
    by_host: dict[str, list[dict[str, Any]]] = {}
    for row in _ledger_rows(settings.home / LEDGER_FILE):
        by_host.setdefault(row["host"], []).append(row)
    hosts = [_sum_host(host, rows) for host, rows in by_host.items()]
    return sorted(hosts, key=lambda one: one.last, reverse=True)


def _ledger_rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                yield {**row, "host": str(row["host"])}
            except (ValueError, KeyError, TypeError) as error:
                raise UnreadableFile(path, f"line {number} is not a ledger entry", "Remove the file.") from error


def _sum_host(host: str, rows: list[dict[str, Any]]) -> HostTraffic:
    return HostTraffic(
        host=host,
        requests=len(rows),
        failed=sum(not 200 <= row["status"] < 400 for row in rows),
        sent=sum(row["sent"] for row in rows),
        received=sum(row["received"] for row in rows),
        seconds=round(sum(row["seconds"] for row in rows), 2),
        first=min(row["when"] for row in rows),
        last=max(row["when"] for row in rows),
    )


@asynccontextmanager
async def open_client(settings: Settings, exit: PrivacyFilter | None = None) -> AsyncIterator["Client"]:
    """The one HTTP client, closed in the end; what it sends is written into the ledger of home.

    exit   by which words leave; None: as the settings say
    """
    async with _build_client(settings, exit) as client:
        yield client


def _build_client(settings: Settings, exit: PrivacyFilter | None = None) -> "Client":
    from wellsourced.http import Client, Ledger

    network = settings.network
    contact = f"; mailto:{network.email}" if network.email else ""
    return Client(
        offline=network.offline,
        ledger=Ledger(build_contact_writer(settings)),
        cache=settings.home / "http" if network.cache else None,
        paces=_choose_rates(settings),
        trusted=frozenset(network.private_hosts),
        agent=f"wellsourced/{version('wellsourced')} (+https://pypi.org/project/wellsourced{contact})",
        timeout=network.seconds,
        exit=exit or build_privacy_filter(settings),
        certificates=network.certificates,
    )


def build_engine_opener(settings: Settings, stack: AsyncExitStack) -> "OpenEngine":
    """Opens what finds the passages of libraries on other machines: by our client, which is made with the first of
    them, and closed with the stack."""
    clients: list[Client] = []

    def open_engine(address: "EngineAddress") -> "PassageFinder":
        entry = ENGINE_REGISTRY.find(urlsplit(address.url).scheme)
        if not clients:
            clients.append(_build_client(settings))
            stack.push_async_exit(clients[0])
        return entry.build(address, connect_service(settings, clients[0], entry.name, address.url))

    return open_engine


def check_engine_url(url: str) -> str:
    """Return an engine's address, if it can be one. Raises SettingsError."""
    parts = urlsplit(url)
    entry = ENGINE_REGISTRY.find(parts.scheme)
    if parts.password or parts.username or parts.query:
        variable = f"WELLSOURCED_{entry.name.upper()}__KEY"
        raise SettingsError(f"The address of an engine holds no password. Set {entry.name}.key, or {variable}.")
    if not parts.hostname or not parts.path.strip("/"):
        raise SettingsError(f"An engine is named as {entry.name}://HOST:PORT/INDEX.")
    return url


def build_services(settings: Settings, client: "Client") -> NetworkServices:
    """Every live source and registry that the settings name; one that cannot be used is a gap, with the remedy."""
    gaps: list[Gap] = []
    sources: list[Source] = []
    registries: list[RetractionRegistry] = []
    named = list(settings.live)
    for name in named:
        if reason := describe_missing_setup(name, settings):
            if (other := _find_web_substitute(name, settings)) and other not in named:
                named.append(other)
            substitute = f"{other} is" if other else "the other sources are"
            told = f"{reason}; {substitute} asked in its place" if _is_web(name) else reason
            gaps.append(Gap(source=name, status="not configured", reason=told))
        else:
            sources.append(build_live_source(name, settings, client))
    for registry in settings.retractions:
        try:
            registries.append(build_registry(registry, settings, client))
        except (SettingsError, SourceError) as error:
            gaps.append(Gap(source=registry, status="not configured", reason=str(error)))
    return NetworkServices(tuple(sources), _build_headings(settings, client), tuple(registries), tuple(gaps))


def _is_web(name: str) -> bool:
    """Whether a live source searches the web."""
    return LIVE_SOURCE_REGISTRY.find(name).kind == "web"


def _find_web_substitute(name: str, settings: Settings) -> str:
    """Another source of the web that is set up, for one that is not; "" where there is none."""
    others = (other for other in LIVE_SOURCE_REGISTRY.built_in if _is_web(name) and _is_web(other))
    return next((other for other in others if not describe_missing_setup(other, settings)), "")


def _build_headings(settings: Settings, client: "Client") -> tuple[HeadingVocabulary, ...]:
    """MeSH itself, where NCBI is asked anyway."""
    if not {"pubmed", "pmc"}.intersection(settings.live):
        return ()
    from wellsourced.sources.eutils import MeshHeadings
    from wellsourced.sources.privacy_filters import HeadingsPrivacyFilter

    to = connect_source(settings, client, "pubmed")
    mesh = MeshHeadings(client, to.url, key=to.key, email=to.email)
    return (HeadingsPrivacyFilter(mesh, url_host(to.url), client.exit),)


@asynccontextmanager
async def open_registries(settings: Settings) -> AsyncIterator[NetworkServices]:
    """Who is asked about retractions, and no source; closed in the end."""
    async with open_client(settings) as client:
        yield build_services(settings.model_copy(update={"live": ()}), client)


def describe_missing_setup(name: str, settings: Settings) -> str:
    """What a live source still needs before it can be asked, and how to give it; "" when nothing."""
    entry = LIVE_SOURCE_REGISTRY.find(name)
    service = settings.find_service(name)
    if reason := find_plain_http(name, service.url):
        return reason
    if entry.key_issuer and not _service_key(service) and not service.url:
        return f"it needs an API key from {entry.key_issuer}: set {name}.key, or WELLSOURCED_{name.upper()}__KEY"
    if not entry.url and not service.url:
        return f"it needs the address of your server: set {name}.url"
    return ""


def build_live_source(name: str, settings: Settings, client: "Client") -> Source:
    """One live source behind the exit, at its public address unless the settings name another."""
    from wellsourced.sources.privacy_filters import SourcePrivacyFilter

    to = connect_source(settings, client, name)
    return SourcePrivacyFilter(LIVE_SOURCE_REGISTRY.find(name).build(to), url_host(to.url), client.exit)


def connect_source(settings: Settings, client: "Client", name: str) -> Connection:
    """What a live source is asked with, by its name."""
    entry = LIVE_SOURCE_REGISTRY.find(name)
    return connect_service(settings, client, entry.service_name, entry.url)


def connect_service(settings: Settings, client: "Client", service: str, url: str) -> Connection:
    """What a service is asked with: as its settings say, at its public address unless they name another."""
    own = settings.find_service(service)
    return Connection(client, own.url or url, _service_key(own), settings.network.email)


def build_registry(name: str, settings: Settings, client: "Client") -> RetractionRegistry:
    """Who is asked about retractions, behind the exit. Raises SettingsError, UnreadableFile."""
    entry = RETRACTION_REGISTRY.find(name)
    if not entry.url:
        path: Path | None = getattr(settings, name)
        if path is None:
            raise SettingsError(f"it needs your copy of the database: set {name} to its CSV file")
        return entry.build(path)
    from wellsourced.sources.privacy_filters import RegistryPrivacyFilter

    if reason := find_plain_http(name, settings.find_service(name).url):
        raise SettingsError(reason)
    to = connect_service(settings, client, name, entry.url)
    return RegistryPrivacyFilter(entry.build(to), url_host(to.url), client.exit)


def _choose_rates(settings: Settings) -> dict[str, float]:
    """Host → requests a second, of the services that say how often they may be asked."""
    rates: dict[str, float] = {}
    for entry in LIVE_SOURCE_REGISTRY.entries.values():
        service = settings.find_service(entry.service_name)
        if entry.rate and not (entry.rate.is_public_only and service.url):
            rate = entry.rate.with_key if _service_key(service) else entry.rate.without_key
            rates[url_host(service.url or entry.url)] = rate
    return rates


def _service_key(service: ServiceSettings) -> SecretStr | None:
    return service.key if service.key.get_secret_value() else None


def url_host(url: str) -> str:
    """The host of an address, with its port where that is named."""
    return urlsplit(url).netloc
