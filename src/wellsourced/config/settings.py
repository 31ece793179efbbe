"""Every setting there is, its default and its meaning; and the names by which some were called before."""

import logging
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, create_model, field_validator

from wellsourced.config.registry import LIVE_SOURCE_REGISTRY, PLANNER_REGISTRY, RETRACTION_REGISTRY, SOURCE_SERVICES
from wellsourced.models.base import EngineOptions
from wellsourced.models.providers.provider_registry import PROVIDERS
from wellsourced.policy import Budget, CheckPolicy, CondensePolicy, FramePolicy, Policy, ReadPolicy, WritePolicy
from wellsourced.privacy import PhiPolicy
from wellsourced.types import ExpansionKind, Value


def split_names(given: Any) -> Any:
    """Names as a list: the environment and flags have none, there they stand with commas between them."""
    return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given


SPLIT_NAMES = BeforeValidator(split_names)

LiveSourceName = Annotated[str, AfterValidator(LIVE_SOURCE_REGISTRY.check_name)]
"""What can be searched over the network."""

RegistryName = Annotated[str, AfterValidator(RETRACTION_REGISTRY.check_name)]
"""Who can be asked whether a work was retracted."""

PlannerName = Annotated[str, AfterValidator(PLANNER_REGISTRY.check_name)]
"""Who can plan."""

LIVE_SOURCES = LIVE_SOURCE_REGISTRY.names


class ServiceSettings(Value):
    """A service on the network.

    url   its address; none: the public one
    key   the key that it gave you; shown to nobody
    """

    url: str = ""
    key: SecretStr = SecretStr("")


class NetworkSettings(Value):
    """What may leave this machine, and how.

    offline         nothing leaves: whatever would need the network says so
    email           told to services that ask for an address (NCBI, Crossref), so that they can write before they block
    private_hosts   your own servers (name:port), from which pages may be fetched: their addresses are private
    seconds         patience with one request
    cache           whether answers of services are kept in the folder `http` of home
    """

    offline: bool = False
    email: str = ""
    private_hosts: Annotated[tuple[str, ...], SPLIT_NAMES] = ()
    seconds: float = Field(default=20.0, gt=0)
    cache: bool = True


class ModelSettings(EngineOptions):
    """How language models are asked.

    temperature   of replies, as far as the model takes one
    seed          of replies, as far as the model takes one
    seconds       patience with one request, from its beginning until the whole reply is here
    attempts      how often a request is sent at most, after failures that may pass; after a time-out, once more
    reply         tokens of one reply, at most; one that is cut off is asked for again with up to four times as many
    thinking      how much a model thinks before it replies: auto, off, minimal, low, medium, high
    thinking_tokens   beside those of a reply, for a model that thinks: a quarter of its window at most
    window        tokens of prompt and reply together; 0: what is known of the model, else 32,768
    output        how typed replies are had: auto, tools, schema, prompted
    price_in      US dollars for a million tokens that are read; none: what is known of the model
    price_out     US dollars for a million tokens that are written; none: what is known of the model
    concurrency   requests under way to one model at once
    per_minute    requests to one model in a minute, at most; 0: as many as there are
    stream        whether drafts are shown as they are written
    cache         whether replies are kept in the folder of home, so that the same question costs nothing again
    cache_mb      megabytes that are kept, at most
    """

    concurrency: int = Field(default=8, ge=1, le=256)
    per_minute: int = Field(default=0, ge=0)
    stream: bool = False
    cache: bool = True
    cache_mb: int = Field(default=256, ge=1)


class TracingSettings(Value):
    """How the sources of a text that is checked are looked for.

    pages          whether the pages that it names are fetched
    robots         whether what a site asks of programs (robots.txt) is kept
    archive        whether the Internet Archive is told the addresses of dead pages, to hear whether they ever were
    registrations  whether the registries of domains are asked in which country a domain is
    cited_on       the day on which the text was written, as 2026-11-21; none: today
    doi            address of doi.org's handle service; none: the public one
    archive_url    address of the Internet Archive; none: the public one
    rdap           address of the registries of domains; none: the public one
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
    """Who says whether words support a statement.

    support   weighed, similarity, overlap, model (the language model), a file or folder of your own in ONNX, or several
              with + between; none named: weighed, and overlap without an encoder
    task      your own calibrations to use, by name
    labels    the classes of a model of your own, in its order, where its config does not name them
    """

    support: str = ""
    task: str = "support"
    labels: Annotated[tuple[str, ...], SPLIT_NAMES] = ()


class QuotaSettings(Value):
    """Limits of each token of the server in a day (UTC); 0: no limit.

    answers   answers, checks and explanations that are begun
    calls     to language models
    tokens    read and written by language models
    """

    answers: int = Field(default=0, ge=0)
    calls: int = Field(default=0, ge=0)
    tokens: int = Field(default=0, ge=0)


class PlainSettings(Value):
    """All settings but those of services.

    preset             named group of settings
    home               folder of the libraries and of what is built on first use
    libraries          libraries to search, "guidelines" among them; none named: all that there are
    guidelines         whether the guidelines that come with wellsourced are searched
    graph              whether every question searches the graph of concepts too
    live               live sources to search as well, such as pubmed
    retractions        who is asked whether a work was retracted: pubmed, crossref, retraction_watch
    retraction_watch   a snapshot of the Retraction Watch database, as CSV
    planner            who decides what is asked: rules, original, keywords, boolean, query2doc, reflexion …
    decompose          whether a question of several parts is planned part by part
    expand             in which ways words may be understood as others: spelling, abbreviation, brand, synonym, lay term
    reranker           what ranks the best candidates again: splade, none, or a cross-encoder (name or folder)
    encoder            what finds by meaning: minilm, e5 (an extra), none, or a model of yours by its name or folder
    threads            processor threads for the encoder, and for a model on this machine
    model              who writes: openai:NAME, anthropic:NAME, ollama:NAME, local:FILE.gguf …; none: the sources
    assistant          who judges relevance, names keywords and checks; none: the model
    models             how language models are asked
    prompts            a file with your own words for prompts
    patient_to         models that may see a patient's text: local (those on this machine), a provider, a model, all
    phi                what becomes of a patient's identifiers in what leaves this machine: mask, refuse, allow
    show_masked        whether all that is sent to a model or a source elsewhere is printed as it goes
    runs               whether answers are saved to history; those about a patient never are
    frame              what a model may do to a question first
    read               how a model reads what was found
    condense           when passages are read in parts
    write              what a model writes
    judge              who says whether words support a statement
    tracing            how the sources of a text that is checked are looked for
    check              what becomes of a draft
    budget             what one question may cost
    quota              limits of each token of the server in a day
    network            what may leave this machine, and how
    policy             how much is searched, read and said
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
    decompose: bool = False
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


RENAMED_SETTINGS = {
    "ranker": "reranker",
    "policy.relevant": "policy.min_relevance",
    "policy.certain": "policy.min_certainty",
    "policy.enough": "policy.sufficient_works",
    "policy.rrf": "policy.rrf_k",
    "policy.seconds": "policy.source_seconds",
    "policy.at_once": "policy.concurrent_questions",
    "read.whole": "read.whole_work_length",
    "read.levels": "read.decompose_levels",
    "network.trusted": "network.private_hosts",
}
"""Old name → new name, both dotted."""

log = logging.getLogger(__name__)


def find_current_name(name: str) -> str:
    """The name that a setting has today. Of an old one it is told once that it goes."""
    if name not in RENAMED_SETTINGS:
        return name
    _warn_of_old_name(name)
    return RENAMED_SETTINGS[name]


@lru_cache
def _warn_of_old_name(name: str) -> None:
    log.warning(
        "The setting %s is now called %s. The old name works for one more release.",
        name,
        RENAMED_SETTINGS[name],
    )
