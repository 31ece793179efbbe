"""Every setting there is, its default and its meaning."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, create_model, field_validator

from wellsourced.config.registry import LIVE_SOURCE_REGISTRY, PLANNER_REGISTRY, RETRACTION_REGISTRY, SOURCE_SERVICES
from wellsourced.models.base import EngineOptions
from wellsourced.models.providers.provider_registry import PROVIDERS
from wellsourced.policy import Budget, CheckPolicy, CondensePolicy, FramePolicy, Policy, ReadPolicy, WritePolicy
from wellsourced.privacy import PhiPolicy
from wellsourced.privacy.loopback import is_plain_loopback
from wellsourced.types import ExpansionKind, Value


def split_names(given: Any) -> Any:
    """Names as a list: the environment and flags have none, there they stand with commas between them."""
    return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given


SPLIT_NAMES = BeforeValidator(split_names)

LiveSourceName = Annotated[str, AfterValidator(LIVE_SOURCE_REGISTRY.check_name)]
"""What can be searched over the network."""

RegistryName = Annotated[str, AfterValidator(RETRACTION_REGISTRY.check_name)]
"""Who can be asked whether a work was retracted."""

TRAINED = "trained:"
"""Before the folder of a trained planner, or the name of the model that serves one."""


def _check_planner(name: str) -> str:
    return name if name.startswith(TRAINED) and name != TRAINED else PLANNER_REGISTRY.check_name(name)


PlannerName = Annotated[str, AfterValidator(_check_planner)]
"""Who can plan."""

LIVE_SOURCES = LIVE_SOURCE_REGISTRY.names


def _check_local_server(address: str) -> str:
    """Refuse an address that is not plainly on this machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not is_plain_loopback(parts.hostname or ""):
        raise ValueError("Input should be an address on this machine, with http:// and its port")
    return address


LocalServer = Annotated[str, AfterValidator(_check_local_server)]
"""The address of a server on this machine."""


class ServiceSettings(Value):
    """A service on the network.

    url   address of the service; none: the public one
    key   your API key; never shown
    """

    url: str = ""
    key: SecretStr = SecretStr("")


class NetworkSettings(Value):
    """What may leave this machine, and how.

    offline         send nothing; features that need the network say so
    email           your address, sent to NCBI and Crossref so they can contact you before blocking you
    private_hosts   your own servers (name:port) from which pages may be fetched although their addresses are private
    seconds         timeout of one request, in seconds
    cache           store responses of services in the folder http of home
    certificates    PEM file of your own certificate authorities, trusted like the public ones
    """

    offline: bool = False
    email: str = ""
    private_hosts: Annotated[tuple[str, ...], SPLIT_NAMES] = ()
    seconds: float = Field(default=20.0, gt=0)
    cache: bool = True
    certificates: Path | None = None


class ModelSettings(EngineOptions):
    """How language models are called.

    concurrency   maximum number of requests to one model at the same time
    per_minute    maximum number of requests to one model per minute; 0: no limit
    stream        show drafts while they are written
    cache         store replies in home, so repeating a question costs nothing
    cache_mb      maximum size of the stored replies, in megabytes
    local_servers  model servers on this machine that offline mode may ask, such as http://127.0.0.1:11434
    """

    concurrency: int = Field(default=8, ge=1, le=256)
    per_minute: int = Field(default=0, ge=0)
    stream: bool = False
    cache: bool = True
    cache_mb: int = Field(default=256, ge=1)
    local_servers: Annotated[tuple[LocalServer, ...], SPLIT_NAMES] = ()


class TracingSettings(Value):
    """How the sources of a checked text are found.

    pages           fetch the web pages that the text cites
    robots          obey robots.txt when fetching pages
    archive         ask the Internet Archive whether dead pages ever existed; it receives their addresses
    registrations   ask domain registries for the country of each domain
    cited_on        date of the text, such as 2026-11-21; none: today
    doi             address of the handle service of doi.org; none: the public one
    archive_url     address of the Internet Archive; none: the public one
    rdap            address of the domain registries; none: the public one
    """

    pages: bool = True
    robots: bool = True
    archive: bool = False
    registrations: bool = False
    cited_on: date | None = None
    doi: str = ""
    archive_url: str = ""
    rdap: str = ""


class JudgeSettings(Value):
    """What judges whether a text supports a statement.

    support   judge: comparison, similarity, overlap, model, or the folder of your own; none: comparison
    task      name of your calibration to use
    """

    support: str = ""
    task: str = "support"


class QuotaSettings(Value):
    """Daily limits (UTC) of each token of the server; 0: no limit.

    answers   maximum number of answers, checks and explanations per token and day; 0: no limit
    calls     maximum number of calls to language models per token and day; 0: no limit
    tokens    maximum number of tokens read and written by language models per token and day; 0: no limit
    """

    answers: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)


def _check_database(address: str) -> str:
    """Refuse an address that is not of PostgreSQL. Raises ValueError."""
    if address:
        # Loaded where there is an address: every command reads settings.
        from wellsourced.storage.postgres import is_postgres_url

        if not is_postgres_url(address):
            raise ValueError("Input should be postgresql://user:password@host/name, with %XX for reserved characters")
    return address


class StorageSettings(Value):
    """Where a server keeps what it has to remember: runs, jobs, the use of each token, and the documents of libraries
    that a search engine searches.

    url   PostgreSQL database that several servers share: postgresql://user:password@host/name; none: files in home
    """

    url: Annotated[str, AfterValidator(_check_database)] = Field(default="", repr=False)


class PlainSettings(Value):
    """All settings but those of services.

    preset             named group of settings
    home               folder of libraries, history and caches
    libraries          libraries to search, “guidelines” among them; none: all
    guidelines         search the built-in guidelines
    graph              search the concept graph for every question
    live               live sources to search as well, such as pubmed
    retractions        registries to ask for retracted works: pubmed, crossref, retraction_watch
    retraction_watch   CSV file of the Retraction Watch database
    planner            how searches are planned: rules, original, keywords, boolean, prompting, trained:FOLDER …
    expand             how query words are expanded: spelling, abbreviation, brand, synonym, lay term
    reranker           model that reranks the best candidates: splade, none, or a cross-encoder (name or folder)
    encoder            embedding model for semantic search: minilm, none, or your own (name or folder)
    threads            processor threads for the encoder
    model              language model: openai:NAME, ollama:NAME, llamacpp:NAME …; none: quote the sources
    assistant          model that judges relevance, suggests keywords and checks statements; none: the same model
    prompts            file with your own instructions to language models
    patient_to         models that may see a patient's text: local, a provider, a model, or all
    phi                how to treat personal identifiers in outgoing data: mask, refuse, allow
    show_masked        print everything that is sent to a model or a source over the network
    runs               save answers to history; answers about a patient are never saved
    """

    preset: str = ""
    home: Path = Field(default_factory=lambda: user_data_path("wellsourced", appauthor=False))
    libraries: Annotated[tuple[str, ...], SPLIT_NAMES] = ()
    guidelines: bool = True
    graph: bool = False
    live: Annotated[tuple[LiveSourceName, ...], SPLIT_NAMES] = ()
    retractions: Annotated[tuple[RegistryName, ...], SPLIT_NAMES] = ()
    retraction_watch: Path | None = None
    planner: PlannerName = "rules"
    expand: Annotated[tuple[ExpansionKind, ...], SPLIT_NAMES] = get_args(ExpansionKind)
    reranker: str = "splade"
    encoder: str = "minilm"
    threads: int = Field(default=2, ge=1, le=256)
    model: str = ""
    assistant: str = ""
    models: ModelSettings = ModelSettings()
    prompts: Path | None = None
    patient_to: Annotated[tuple[str, ...], SPLIT_NAMES] = ("local",)
    phi: PhiPolicy = "mask"
    show_masked: bool = False
    runs: bool = True
    frame: FramePolicy = FramePolicy()
    read: ReadPolicy = ReadPolicy()
    condense: CondensePolicy = CondensePolicy()
    write: WritePolicy = WritePolicy()
    judge: JudgeSettings = JudgeSettings()
    tracing: TracingSettings = TracingSettings()
    check: CheckPolicy = CheckPolicy()
    budget: Budget = Budget()
    quota: QuotaSettings = QuotaSettings()
    network: NetworkSettings = NetworkSettings()
    storage: StorageSettings = StorageSettings()
    policy: Policy = Policy()

    @field_validator("home", "retraction_watch", "prompts")
    @classmethod
    def _make_absolute(cls, path: Path | None) -> Path | None:
        try:
            return path.expanduser().absolute() if path else None
        except RuntimeError as error:
            raise ValueError("Input should begin with a user who has a home folder") from error


SERVICE_NAMES = (*SOURCE_SERVICES, *dict.fromkeys(provider.setting for provider in PROVIDERS.values()))
"""The services that have settings: of sources and registries, then of models."""

if TYPE_CHECKING:
    ServiceTables = PlainSettings
else:
    ServiceTables = create_model(
        "ServiceTables",
        __base__=PlainSettings,
        **{name: (ServiceSettings, ServiceSettings()) for name in SERVICE_NAMES},
    )


class Settings(ServiceTables):
    """Where things lie, and how questions are answered; of each service, its address and its key."""

    def find_service(self, name: str) -> ServiceSettings:
        """Return the settings of a service; those of none for a name that has none."""
        return getattr(self, name) if name in SERVICE_NAMES else ServiceSettings()
