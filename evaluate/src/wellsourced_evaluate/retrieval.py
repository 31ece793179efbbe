"""How good the search is: question → frame → plan → search → fuse → rank, put to queries whose answers are known.

Documents are ranked by their best passage. nDCG, recall and the reciprocal rank are ir_measures' own. Results are
stored in a file as they come, and a run that was cut short goes on.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

import wellsourced
import wellsourced_evaluate
from wellsourced import config
from wellsourced.config.settings import ServiceSettings
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.types import Question, Value
from wellsourced_evaluate.beir import Topics
from wellsourced_evaluate.corpus import Corpus
from wellsourced_evaluate.metrics import RETRIEVAL_METRICS
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog

if TYPE_CHECKING:
    from ir_measures import Measure

QueryStatus = Literal["ok", "empty", "partial", "failed"]
"""Found something; nothing; something, although a search of it failed; nothing, since its searches failed."""

MEASURES = tuple(metric.name for metric in RETRIEVAL_METRICS)
"""As ir_measures calls them; the first is the one by which queries are compared."""

MIN_SECONDS = 60.0
"""Seconds that a source on the network has for one query, at least."""

DEPTH = 400
"""Passages asked of each source, so that they fold to a hundred documents or more."""

MAX_RANKED = 100
"""Documents of a ranking that are kept: no measure looks further."""

IRRELEVANT_SETTINGS = {
    *("preset", "home", "libraries", "guidelines", "live", "retractions", "retraction_watch", "threads", "network"),
    "storage",
}
"""Settings that have no bearing on how one library is searched; of a preset what it sets has."""

VERSIONED_PACKAGES = ("ir-measures", "numpy", "onnxruntime", "tantivy")


class RunHeader(LogHeader):
    """Of what run the lines below are. Two runs are the same when their headers are.

    code      of the product and this package, beginning of its sha256: results of other code are other results
    corpus    its name, documents, passages and sha256; topics: names and sha256 of queries and judgements, and how
              many were drawn
    depth     passages asked of each source, 0 for what the settings say
    settings  dotted name → value, of those that bear on the search
    """

    wellsourced: str
    code: str
    versions: dict[str, str]
    corpus: dict[str, str | int]
    topics: dict[str, str | int]
    depth: int
    settings: dict[str, Any]


class QueryResult(Value):
    """What came of one query.

    measures   by name; none of a query that failed
    ranked     ids of documents, best first, at most MAX_RANKED
    ms         that the search took
    errors     what failed: a source, or the query itself
    notes      what the search said of itself: that a ranker ran out of time, that a heading does not exist
    """

    query: str
    status: QueryStatus
    measures: Mapping[str, float] = Field(default_factory=dict)
    ms: float = 0.0
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()


RETRIEVAL_LOG = LogForm(
    RunHeader,
    TypeAdapter(QueryResult),
    key=lambda one: one.query,
    stands=lambda one: one.status in ("ok", "empty"),
    contents="results of an evaluation",
    remedy="Give a file that `wellsourced evaluate retrieval --out` wrote.",
)
"""What failed is measured again."""


class RetrievalRun(NamedTuple):
    """A run as it is on the disk; the last line on a query counts."""

    path: Path
    header: RunHeader
    results: Mapping[str, QueryResult]


def read_run(path: Path) -> RetrievalRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    there = RETRIEVAL_LOG.read(path)
    return RetrievalRun(path, there.header, there.records)


# --- measuring -------------------------------------------------------------------------------------------------------


class RetrievalTask(NamedTuple):
    """What is to be measured, and where the results go.

    depth   passages asked of each source; 0: as many as the settings say
    fresh   measure every query, also those that were measured before
    """

    corpus: Corpus
    topics: Topics
    depth: int
    out: Path | None
    fresh: bool


async def measure_retrieval(work: RetrievalTask, emit: Emit, say: Callable[[int, int], None]) -> RetrievalRun:
    """Put every query that was not yet measured to the search; each result is on the disk before the next query.

    Raises SourceRefused when the file holds another run.
    """
    measures = parse_measures(MEASURES)
    corpus, settings, every = work.corpus, search_settings(work), len(work.topics.texts)
    header = RunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        versions={name: version(name) for name in VERSIONED_PACKAGES},
        corpus={"sha256": corpus.sha256[:16]} | {n: getattr(corpus, n) for n in ("name", "documents", "passages")},
        topics=dict(work.topics.files),
        depth=work.depth,
        settings=dict(relevant_settings(settings)),
    )
    out = work.out or corpus.folder / f"{header.hash}.jsonl"
    with RecordLog(out, header, RETRIEVAL_LOG, fresh=work.fresh) as results:
        left = [query for query in work.topics.texts if query not in results.records]
        async with config.open_context(settings, libraries=[corpus.library], emit=emit) as context:
            for place, query in enumerate(left, every - len(left)):
                say(place, every)
                results.add(await measure_query(query, work.topics, context, measures))
        return RetrievalRun(out, header, results.records)


def parse_measures(names: Iterable[str]) -> "list[Measure]":
    """The measures of these names."""
    import ir_measures

    return [ir_measures.parse_measure(name) for name in names]


def search_settings(work: RetrievalTask) -> config.Settings:
    """The settings under which the corpus is searched: as given, but as deep as is measured, in turn, with patience.

    A source on the network that runs out of time would give a busy machine other figures than an idle one.
    """
    policy = work.corpus.settings.policy
    update: dict[str, float] = {"source_seconds": max(MIN_SECONDS, policy.source_seconds), "concurrent_questions": 1}
    if work.depth:
        update["candidates"] = work.depth
    return work.corpus.settings.model_copy(update={"policy": policy.model_copy(update=update)})


async def measure_query(query: str, topics: Topics, context: Context, measures: "list[Measure]") -> QueryResult:
    """Put one query to the search of a context; what fails is told in the result, and never a zero."""
    begun = time.perf_counter()
    try:
        found = await retrieve(Question(text=topics.texts[query]), context)
    except WellsourcedError as error:
        return QueryResult(query=query, status="failed", errors=(str(error),), ms=_elapsed_ms(begun))
    ms, ranked = _elapsed_ms(begun), ranked_documents(found)
    errors = tuple(f"{one.search.source}: {one.error}" for one in found.attempts if one.status == "failed")
    status: QueryStatus = ("partial" if ranked else "failed") if errors else ("ok" if ranked else "empty")
    values = {} if status == "failed" else compute_measures(measures, query, topics, ranked)
    kept = tuple(ranked[:MAX_RANKED])
    return QueryResult(
        query=query, status=status, measures=values, ms=ms, errors=errors, notes=found.notes, ranked=kept
    )


def _elapsed_ms(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 2)


def ranked_documents(found: RetrievalResult) -> list[str]:
    """Documents, each at the place of its best passage; those that hold the same words stand right behind it."""
    ids = (id for one in found.candidates for id in (one.passage.reference.id, *one.also_in))
    return list(dict.fromkeys(ids))


def compute_measures(measures: "list[Measure]", query: str, topics: Topics, ranked: list[str]) -> dict[str, float]:
    """Each measure of one ranking, by name."""
    import ir_measures

    # Places, not scores: scores of two rankings cannot be compared, and equal ones would be ordered by id.
    run = {query: {document: 1 / place for place, document in enumerate(ranked, 1)}}
    values = ir_measures.calc_aggregate(measures, {query: dict(topics.qrels[query])}, run)
    return {str(measure): round(float(values[measure]), 6) for measure in measures}


# --- what makes a run the same ---------------------------------------------------------------------------------------


def changed_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of these settings, those that are not as they come."""
    usual = dict(relevant_settings(config.Settings()))
    return {name: value for name, value in settings.items() if name not in usual or usual[name] != value}


def relevant_settings(settings: config.Settings) -> Iterator[tuple[str, Any]]:
    """Dotted name → value, of the settings that bear on what is found and said; none of services, none of places."""
    services = {name for name in type(settings).model_fields if isinstance(getattr(settings, name), ServiceSettings)}
    for name, value in settings.model_dump(mode="json", exclude=services | IRRELEVANT_SETTINGS).items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", one) for key, one in value.items())
        else:
            yield name, value


def hash_code() -> str:
    """The beginning of the sha256 of all sources and data of the product and of this package."""
    digest = hashlib.sha256()
    for package in (wellsourced, wellsourced_evaluate):
        hash_folder(Path(package.__file__ or "").parent, digest.update)
    return digest.hexdigest()[:12]


def hash_folder(root: Path, update: Callable[[bytes], None]) -> None:
    """Hash the names and contents of all files under a folder, in order.

    Compiled files are left out: Python writes them under names that vanish while somebody reads. So does whatever else
    vanishes meanwhile.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for path in (Path(folder, name) for name in sorted(names)):
            with suppress(FileNotFoundError):
                update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
