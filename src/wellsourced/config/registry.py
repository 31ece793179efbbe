"""The registry: of everything that settings can name, its name, what it is, what it needs, and how it is made.

Entries know nothing of settings: they are given the few things that they use. Settings, lists, help texts and
the contract suites are derived from them. A new source is a file in `sources/` and an entry here, or an entry point
`wellsourced.sources` of another distribution (plugins.py).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import SecretStr

from wellsourced.errors import NextStep, SettingsError
from wellsourced.judges.base import Judge, Purpose, load_calibration
from wellsourced.lazy import load_name
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner
from wellsourced.plugins import FoundPlugins, PluginKind, find_plugins
from wellsourced.question.understanding import Understanding
from wellsourced.question.vocabulary import Thesaurus
from wellsourced.sources.base import HeadingVocabulary, RetractionRegistry, Source
from wellsourced.types import SourceKind

# Encoders, judges, planners, sources and the client take up to half a second to load: their builders import them when
# they are called, and who only asks for help does not wait for it.
if TYPE_CHECKING:
    from wellsourced.controls.record import JudgeControls
    from wellsourced.encoders.base import Encoder
    from wellsourced.http import Client
    from wellsourced.sources.library.engines import EngineAddress, PassageFinder


AnyEntry = TypeVar("AnyEntry", bound="EngineEntry | JudgeEntry | PlannerEntry | LiveSourceEntry | RetractionEntry")
"""Every entry has the name by which settings name it, and what it is, in one line."""


class Registry(Generic[AnyEntry]):
    """The entries of one seam by their names, in the order in which they are listed: our own, then those of plugins.

    A plugin's entry is imported when it is looked up, and its name is known without.

    noun       what one of them is called in messages: "source"
    plugins    the kind of plugin that adds entries; none where nobody can
    built_in   the entries that come with wellsourced, which no plugin can replace
    """

    def __init__(self, noun: str, entries: Iterable[AnyEntry], plugins: PluginKind | None = None) -> None:
        self.noun = noun
        self.built_in: Mapping[str, AnyEntry] = {entry.name: entry for entry in entries}
        self._kind = plugins
        self._loaded: dict[str, AnyEntry] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entries."""
        return (*self.built_in, *self.find_plugins().plugins)

    @cached_property
    def entries(self) -> Mapping[str, AnyEntry]:
        """All entries, looked up once, less those of plugins that cannot be loaded: find_plugin_faults says why."""
        found = dict(self.built_in)
        for name in self.find_plugins().plugins:
            with suppress(SettingsError):
                found[name] = self.find(name)
        return found

    def find_plugins(self) -> FoundPlugins:
        """What plugins add, not imported yet."""
        return find_plugins(self._kind, self.built_in) if self._kind else FoundPlugins({})

    def find_plugin_faults(self) -> list[str]:
        """What of plugins is not used, and why, a sentence each."""
        found = self.find_plugins()
        faults = [*found.faults]
        for name in found.plugins:
            try:
                self.find(name)
            except SettingsError as error:
                faults.append(str(error))
        return faults

    def find(self, name: str) -> AnyEntry:
        """Return the entry of that name. Raises SettingsError, which lists what there is, or says what is wrong."""
        if name in self.built_in:
            return self.built_in[name]
        plugin = self.find_plugins().plugins.get(name)
        if plugin is None:
            raise SettingsError(f"No {self.noun} “{name}”. Choose from: {', '.join(self.names)}.")
        if name not in self._loaded:
            entry = plugin.load()
            # A plugin cannot take a name in the settings that it was not found by.
            if getattr(entry, "name", None) != name:
                raise SettingsError(f"{plugin.title} does not have that name.")
            self._loaded[name] = entry
        return self._loaded[name]

    def check_name(self, name: str) -> str:
        """Return the name if an entry has it. Raises ValueError, as pydantic wants it, with all that there are."""
        if name not in self.names:
            *others, last = (repr(one) for one in self.names)
            raise ValueError(f"Input should be {', '.join(others)} or {last}")
        return name

    def describe(self) -> dict[str, str]:
        """Name → description of every entry."""
        return {name: entry.description for name, entry in self.entries.items()}


class Connection(NamedTuple):
    """What a service on the network is asked with; `email` is told to services that ask for one."""

    client: "Client"
    url: str
    key: SecretStr | None = None
    email: str = ""


# --- what finds by meaning, and what ranks again; beside them stand models of the user's own


ENCODERS: Mapping[str, Callable[[int], "Encoder | None"]] = {
    "minilm": lambda threads: load_name("wellsourced.encoders.minilm", "MiniLM")(threads),
    "none": lambda _: None,
}
"""Name of an encoder that judges were calibrated with → makes it, for so many threads."""


def _build_splade(encoder: "Encoder | None") -> Judge:
    from wellsourced.encoders.splade import Splade
    from wellsourced.judges.ranking import RankingJudge

    return RankingJudge(Splade(), encoder)


RERANKERS: Mapping[str, Callable[["Encoder | None"], Judge | None]] = {"splade": _build_splade, "none": lambda _: None}
"""Name → makes what ranks the best candidates again; it is given MiniLM where that finds by meaning anyway."""


# --- who can judge whether words support a statement; beside them stand models of the user's own


class JudgeParts(NamedTuple):
    """What judges are made of.

    encoder      what finds by meaning; None without one
    calibrated   the encoder if judges were calibrated with it, else MiniLM, opened when it is called
    model        the language model; None when none is named
    others       language models that are asked where the verdicts of that one do not count
    controls     how a language model that judges is checked; None: it is not
    """

    encoder: "Encoder | None"
    calibrated: Callable[[], "Encoder"]
    model: "Model | None" = None
    threads: int = 2
    others: "tuple[Model, ...]" = ()
    controls: "JudgeControls | None" = None


class JudgeEntry(NamedTuple):
    """A judge.

    needs_model   whether a language model is asked; such a one is not chosen by a folder's file that is not trusted
    """

    name: str
    description: str
    build: Callable[[JudgeParts], Judge]
    needs_model: bool = False


def _build_comparison(parts: JudgeParts) -> Judge:
    """On MiniLM, whoever else finds."""
    from wellsourced.encoders.base import TokenEncoder
    from wellsourced.encoders.minilm import MiniLM
    from wellsourced.judges.base import load_calibration
    from wellsourced.judges.comparison import ComparisonJudge

    # Two of them would take twice the memory.
    inner = getattr(parts.encoder, "encoder", parts.encoder)
    reading = inner if isinstance(inner, TokenEncoder) else MiniLM(parts.threads)
    return ComparisonJudge(reading, load_calibration("support", f"comparison:{reading.name}"))


def build_similarity_judge(purpose: Purpose, encoder: "Encoder") -> Judge:
    """A judge that goes by likeness, as it was calibrated for relevance or support."""
    from wellsourced.judges.ranking import SimilarityJudge

    return SimilarityJudge(encoder, load_calibration(purpose, f"similarity:{encoder.name}"))


def build_overlap_judge(purpose: Purpose) -> Judge:
    """A judge that goes by the words in common."""
    from wellsourced.judges.overlap import OverlapJudge

    return OverlapJudge(load_calibration(purpose, "overlap"))


def _build_llm(parts: JudgeParts) -> Judge:
    from wellsourced.judges.llm import LlmJudge

    if parts.model is None:
        message = "The judge “model” needs a language model, and none is set."
        raise SettingsError(message, next_step=NextStep("choose model"))
    return LlmJudge(parts.model, controls=parts.controls, others=parts.others)


JUDGE_REGISTRY = Registry(
    "judge",
    (
        JudgeEntry(
            "comparison", "the claim beside its nearest sentence: meaning, results, figures, words", _build_comparison
        ),
        # By the encoder that it was calibrated with: a model of the user's own finds, and MiniLM judges.
        JudgeEntry(
            "similarity",
            "similarity of meaning and shared words",
            lambda parts: build_similarity_judge("support", parts.calibrated()),
        ),
        JudgeEntry("overlap", "shared words", lambda _: build_overlap_judge("support")),
        JudgeEntry(
            "model",
            "the configured language model, which quotes the deciding words",
            _build_llm,
            needs_model=True,
        ),
    ),
    plugins="judge",
)

JUDGE_FORMS = {"PATH": "the folder of a cross-encoder or a model of natural language inference (safetensors)"}
"""What may be named besides, and what it is."""


# --- who can plan


class PlannerParts(NamedTuple):
    """What planners are made of; a thesaurus knows by what other names a thing goes."""

    model: Model
    understanding: Understanding
    headings: tuple[HeadingVocabulary, ...] = ()
    thesaurus: Thesaurus | None = None


class PlannerEntry(NamedTuple):
    """A planner.

    needs_model   whether a language model plans; without one its plans are those of the rules
    """

    name: str
    description: str
    build: Callable[[PlannerParts], Planner]
    needs_model: bool = True


def _build_ked(parts: PlannerParts) -> Planner:
    from wellsourced.planners.keywords import KedPlanner, KeywordPlanner

    return KedPlanner(KeywordPlanner(parts.model, parts.understanding), parts.understanding)


def _build_boolean(parts: PlannerParts) -> Planner:
    from wellsourced.planners.boolean import BooleanPlanner
    from wellsourced.sources.heading_validation import validate_expression

    async def validate(query: str) -> tuple[str, tuple[str, ...]]:
        return await validate_expression(query, parts.headings)

    return BooleanPlanner(
        parts.model, parts.understanding, validate=validate, headings=parts.headings, thesaurus=parts.thesaurus
    )


def _with_model(place: str) -> Callable[[PlannerParts], Planner]:
    """The builder of a class of `planners`, by its module and name."""
    module, name = place.split(".")

    def build(parts: PlannerParts) -> Planner:
        planner: Planner = load_name(f"wellsourced.planners.{module}", name)(parts.model, parts.understanding)
        return planner

    return build


def _build_rules(parts: PlannerParts) -> Planner:
    from wellsourced.planners.rules import RulePlanner

    return RulePlanner(parts.understanding)


def _build_original(parts: PlannerParts) -> Planner:
    from wellsourced.planners.rules import OriginalPlanner

    return OriginalPlanner(parts.understanding, parts.model)


def _build_given(_: PlannerParts) -> Planner:
    from wellsourced.planners.rules import GivenDocumentsPlanner

    return GivenDocumentsPlanner()


PLANNER_REGISTRY = Registry(
    "planner",
    (
        PlannerEntry("rules", "keywords and their possible meanings, by rules", _build_rules, needs_model=False),
        PlannerEntry("original", "the question as asked", _build_original, needs_model=False),
        PlannerEntry("ked", "keywords from a model, and the question", _build_ked),
        PlannerEntry("keywords", "keywords from a model", _with_model("keywords.KeywordPlanner")),
        PlannerEntry("boolean", "a Boolean query from a model, with validated headings", _build_boolean),
        PlannerEntry(
            "query2doc",
            "the question and a passage that a model imagines",
            _with_model("prompting.Query2DocPlanner"),
        ),
        PlannerEntry("prompting", "searches from a model", _with_model("prompting.PromptingPlanner")),
        PlannerEntry(
            "reflexion",
            "searches from a model, revised by their results",
            _with_model("plan_trials.ReflexionPlanner"),
        ),
        PlannerEntry("serts", "searches from a model, explored as a tree", _with_model("plan_trials.SertsPlanner")),
        PlannerEntry(
            "trained", "searches from a model that was trained to plan", _with_model("prompting.TrainedPlanner")
        ),
        PlannerEntry("given", "no search: the documents named", _build_given, needs_model=False),
    ),
    plugins="planner",
)


# --- what can be searched over the network, and who is asked about retractions

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


def _build_late(module: str, name: str, *takes: str) -> Callable[[Connection], Any]:
    """Make what a module of `sources` calls by this name, of the client, the address, and what else it takes."""

    def build(to: Connection) -> Any:
        made = load_name(f"wellsourced.sources.{module}", name)
        return made(to.client, to.url, **{one: getattr(to, one) for one in takes})

    return build


def _build_web_search(name: str, *takes: str) -> Callable[[Connection], Source]:
    """Make a source of the web of a search engine."""
    build_engine = _build_late("web", name, *takes)

    def build(to: Connection) -> Source:
        source: Source = load_name("wellsourced.sources.web", "WebSource")(to.client, build_engine(to))
        return source

    return build


_build_pubmed = _build_late("entrez", "PubMed", "key", "email")


LIVE_SOURCE_REGISTRY = Registry(
    "network source",
    (
        LiveSourceEntry(
            "pubmed",
            "PubMed: research abstracts and books",
            "research",
            "sources.eutils",
            _build_pubmed,
            url=EUTILS_URL,
            rate=NCBI_RATE,
        ),
        LiveSourceEntry(
            "pmc",
            "PubMed Central: full text of open-access research",
            "research",
            "sources.eutils",
            _build_late("entrez", "Pmc", "key", "email"),
            url=EUTILS_URL,
            service="pubmed",
            rate=NCBI_RATE,
        ),
        LiveSourceEntry(
            "europe_pmc",
            "Europe PMC: abstracts, preprints, and open-access full text",
            "research",
            "sources.europe_pmc",
            _build_late("europe_pmc", "EuropePmc", "email"),
            url="https://www.ebi.ac.uk/europepmc/webservices/rest",
        ),
        LiveSourceEntry(
            "semantic_scholar",
            "Semantic Scholar: abstracts, most cited first",
            "research",
            "sources.semantic_scholar",
            _build_late("semantic_scholar", "SemanticScholar", "key"),
            url="https://api.semanticscholar.org/graph/v1/",
        ),
        LiveSourceEntry(
            "clinical_trials",
            "ClinicalTrials.gov: registered trials and their posted results",
            "trial",
            "sources.clinical_trials",
            _build_late("clinical_trials", "ClinicalTrials"),
            url="https://clinicaltrials.gov/api/v2",
            rate=CLINICAL_TRIALS_RATE,
        ),
        LiveSourceEntry(
            "brave",
            "the web, by Brave Search",
            "web",
            "sources.web",
            _build_web_search("Brave", "key"),
            url="https://api.search.brave.com/res/v1/web/search",
            key_issuer="api.search.brave.com",
        ),
        LiveSourceEntry(
            "tavily",
            "the web, by Tavily",
            "web",
            "sources.web",
            _build_web_search("Tavily", "key"),
            url="https://api.tavily.com/search",
            key_issuer="tavily.com",
        ),
        LiveSourceEntry(
            "searxng",
            "the web, by your own SearXNG server",
            "web",
            "sources.web",
            _build_web_search("SearXNG"),
        ),
    ),
    plugins="source",
)


class RetractionEntry(NamedTuple):
    """A registry that is asked whether works were retracted.

    build   makes the registry from a connection, or from the file that the setting of its name names
    url     its public address; "" for a file, which answers offline too
    """

    name: str
    description: str
    build: Callable[[Any], RetractionRegistry]
    url: str = ""


def _build_pubmed_registry(to: Connection) -> RetractionRegistry:
    registry: RetractionRegistry = load_name("wellsourced.sources.entrez", "PubMedRegistry")(_build_pubmed(to))
    return registry


RETRACTION_REGISTRY = Registry(
    "retraction registry",
    (
        RetractionEntry("pubmed", "PubMed's records of retracted works", _build_pubmed_registry, url=EUTILS_URL),
        RetractionEntry(
            "crossref",
            "retraction notices from publishers",
            _build_late("crossref", "Crossref", "email"),
            url="https://api.crossref.org/",
        ),
        RetractionEntry(
            "retraction_watch",
            "a CSV snapshot of the database",
            lambda path: load_name("wellsourced.sources.retraction_watch", "RetractionWatch")(path),
        ),
    ),
)

# --- what finds the passages of libraries that are too large for this machine, or for one


class EngineEntry(NamedTuple):
    """An engine: what finds the passages of a library on another machine.

    name    the scheme of its addresses: "opensearch" of opensearch://search.example:9200/index
    build   makes it, without asking it anything; `url` of the connection is where the settings say that it is, or the
            library's address of it
    """

    name: str
    description: str
    build: "Callable[[EngineAddress, Connection], PassageFinder]"


def _open_opensearch(address: "EngineAddress", to: Connection) -> "PassageFinder":
    from wellsourced.sources.library.opensearch.engine import open_engine

    return open_engine(address, to.client, to.url, to.key)


ENGINE_REGISTRY: Registry[EngineEntry] = Registry(
    "engine",
    (EngineEntry("opensearch", "OpenSearch: BM25, and vectors with Lucene's graph", _open_opensearch),),
    plugins="engine",
)

SOURCE_SERVICES: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(entry.service_name for entry in LIVE_SOURCE_REGISTRY.built_in.values()),
            # One that a plugin adds has the settings of its own name: it is not imported to be asked.
            *LIVE_SOURCE_REGISTRY.find_plugins().plugins,
            *ENGINE_REGISTRY.names,
            *(entry.name for entry in RETRACTION_REGISTRY.built_in.values() if entry.url),
        )
    )
)
"""The settings that hold an address and a key of a source, an engine or a registry."""
