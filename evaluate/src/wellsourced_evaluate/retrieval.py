"""How good the search is: question → frame → plan → search → fuse → rank, put to queries whose answers are known.

Documents are ranked by their best passage. nDCG, recall and the reciprocal rank are ir_measures' own.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wellsourced import config
from wellsourced.config.settings import ServiceSettings
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.types import Question
from wellsourced_evaluate.beir import Topics
from wellsourced_evaluate.corpus import Corpus
from wellsourced_evaluate.metrics import RETRIEVAL_METRICS
from wellsourced_evaluate.record_log import RecordLog
from wellsourced_evaluate.retrieval_runs import (
    MAX_RANKED,
    RETRIEVAL_LOG,
    QueryResult,
    QueryStatus,
    RetrievalRun,
    RunHeader,
    hash_code,
)

if TYPE_CHECKING:
    from ir_measures import Measure

MEASURES = tuple(metric.name for metric in RETRIEVAL_METRICS)
"""As ir_measures calls them; the first is the one by which queries are compared."""

MIN_SECONDS = 60.0
"""Seconds that a source on the network has for one query, at least."""

DEPTH = 400
"""Passages asked of each source, so that they fold to a hundred documents or more."""

IRRELEVANT_SETTINGS = {
    *("preset", "home", "libraries", "guidelines", "live", "retractions", "retraction_watch", "threads", "network")
}
"""Settings that have no bearing on how one library is searched; of a preset what it sets has."""

VERSIONED_PACKAGES = ("ir-measures", "numpy", "onnxruntime", "tantivy")


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
    header = build_header(work)
    out = work.out or work.corpus.folder / f"{header.hash}.jsonl"
    with RecordLog(out, header, RETRIEVAL_LOG, fresh=work.fresh) as results:
        left = [query for query in work.topics.texts if query not in results.records]
        async with config.open_context(search_settings(work), libraries=[work.corpus.library], emit=emit) as context:
            for place, query in enumerate(left):
                say(len(work.topics.texts) - len(left) + place, len(work.topics.texts))
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
    settings = work.corpus.settings
    update: dict[str, float] = {
        "source_seconds": max(MIN_SECONDS, settings.policy.source_seconds),
        "concurrent_questions": 1,
    }
    if work.depth:
        update["candidates"] = work.depth
    return settings.model_copy(update={"policy": settings.policy.model_copy(update=update)})


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
    found = ir_measures.iter_calc(measures, {query: dict(topics.qrels[query])}, run)
    values = {str(metric.measure): round(float(metric.value), 6) for metric in found}
    return {str(measure): values[str(measure)] for measure in measures}


def build_header(work: RetrievalTask) -> RunHeader:
    """What of a run has to be the same for its results to be the same."""
    corpus = work.corpus
    return RunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        versions={name: version(name) for name in VERSIONED_PACKAGES},
        corpus={
            "name": corpus.name,
            "sha256": corpus.sha256[:16],
            "documents": corpus.documents,
            "passages": corpus.passages,
        },
        topics=dict(work.topics.files),
        depth=work.depth,
        settings=dict(relevant_settings(search_settings(work))),
    )


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
