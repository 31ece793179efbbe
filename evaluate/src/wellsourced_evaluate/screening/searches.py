"""Each topic's search is read, and where that is wanted made: how many of the relevant works it finds, among how many.

Of a Boolean query PubMed is asked how many records it finds, and which of the relevant ones are among them: two
requests, however many it finds. PubMed grows: a query without a last day finds more today than when the review was
made. A question is put to the whole search, as `wellsourced ask` would, with PubMed alone.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import BadQuery, SettingsError, SourceUnavailable, WellsourcedError
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.query_language import list_repairs, parse_query, write_pubmed_query
from wellsourced.sources.base import IdMatcher
from wellsourced.types import Query, Question
from wellsourced_evaluate.metrics import SCREENING_METRICS
from wellsourced_evaluate.retrieval import ranked_documents
from wellsourced_evaluate.screening.search_log import SearchLog, SearchLogHeader, TopicResult
from wellsourced_evaluate.screening.topics import Level, ReviewTopic, ReviewTopics
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

PUBMED = "pubmed"

ScreeningProgress = Callable[[int, int], None]
"""Who hears how many topics are done, of how many."""


class ScreeningFigures(NamedTuple):
    """Means over topics, and recall and precision over all of them together."""

    means: dict[str, MetricMean]
    pooled: dict[str, PooledShare]


def build_header(data: ReviewTopics, level: Level, searched: str) -> SearchLogHeader:
    """What has to be the same for results to be the same."""
    return SearchLogHeader(wellsourced=version("wellsourced"), files=dict(data.files), level=level, searched=searched)


def read_search(topic: ReviewTopic) -> TopicResult:
    """What can be said of a topic without asking anybody."""
    relevant = None if topic.relevant is None else len(topic.relevant)
    if not topic.query:
        return TopicResult(topic=topic.id, sent=topic.question, relevant=relevant)
    try:
        parsed = parse_query(topic.query)
    except BadQuery as error:
        return TopicResult(topic=topic.id, read=False, reason=str(error), relevant=relevant)
    written = write_pubmed_query(parsed.node)
    return TopicResult(
        topic=topic.id,
        read=True,
        repairs=tuple(list_repairs(parsed)),
        losses=written.notes,
        sent=written.text,
        relevant=relevant,
    )


async def measure_searches(
    data: ReviewTopics, context: Context, log: SearchLog, say: ScreeningProgress
) -> list[TopicResult]:
    """Every topic that was not yet searched; each is on the disk before the next is asked.

    context   what questions are put to; of its sources only PubMed is asked

    Raises SettingsError where PubMed may not be asked.
    """
    context = replace(context, sources=tuple(one for one in context.sources if one.name == PUBMED))
    pubmed = next(iter(context.sources), None)
    if not isinstance(pubmed, IdMatcher):
        raise SettingsError("PubMed cannot be asked: nothing may leave this machine (network.offline, --offline).")
    left = [topic for topic in data.topics if topic.id not in log.records]
    for place, topic in enumerate(left):
        say(len(data.topics) - len(left) + place, len(data.topics))
        log.add(await _make_search(topic, pubmed, context))
    return [log.records[topic.id] for topic in data.topics]


async def _make_search(topic: ReviewTopic, pubmed: IdMatcher, context: Context) -> TopicResult:
    """One search made; what fails is told in the result, and is no recall of 0."""
    read, begun = read_search(topic), time.perf_counter()
    if read.read is False:
        return read
    relevant = set(topic.relevant or ())
    try:
        if topic.query:
            # As it was written: whoever asks PubMed translates it.
            matched = await pubmed.match_ids(Query(terms=(topic.query,), kind="boolean"), sorted(relevant))
            found, hits = matched.total, relevant & matched.ids
        else:
            found, hits = await _ask_question(topic, relevant, context)
    except WellsourcedError as error:
        return read.model_copy(update={"error": str(error), "seconds": _elapsed_seconds(begun)})
    judged = {} if topic.relevant is None else {"hits": len(hits), "hit_ids": tuple(sorted(hits))}
    return read.model_copy(update={"found": found, "seconds": _elapsed_seconds(begun), **judged})


async def _ask_question(topic: ReviewTopic, relevant: set[str], context: Context) -> tuple[int, set[str]]:
    """How many works the whole search finds, and the relevant ones among them; the review itself may not count."""
    exclude = (f"pubmed:{topic.source}",) if topic.source else ()
    found = await retrieve(Question(text=topic.question, exclude=exclude), context)
    if failed := next((one for one in found.attempts if one.status == "failed"), None):
        raise SourceUnavailable(failed.error)
    ids = ranked_documents(found)
    return len(ids), relevant & {id.removeprefix("pubmed:") for id in ids}


def _elapsed_seconds(begun: float) -> float:
    return round(time.perf_counter() - begun, 3)


def summarize_searches(results: Sequence[TopicResult]) -> ScreeningFigures:
    """Means over the topics to which a metric applies, and the shares over all topics together."""
    values = [one.to_values() for one in results]
    means = {one.name: average_cases(value[one.name] for value in values) for one in SCREENING_METRICS}
    judged = [one for one in results if one.hits is not None]
    pooled = {
        "search_recall": pool_cases([(one.hits or 0, one.relevant or 0) for one in judged]),
        "search_precision": pool_cases([(one.hits or 0, one.found or 0) for one in judged]),
    }
    return ScreeningFigures(means, pooled)
