"""Searches of systematic reviews: each is read, put to PubMed, and compared with what the review took as relevant.

Topics are CLEF-TAR's (Kanoulas et al., CLEF 2017 to 2019; github.com/CLEF-TAR/tar): a file for each with “Topic:”,
“Title:”, “Query:” and the lines of a Boolean query, “Pids:” with what it found then; some have “Objective:” instead.
Judgements are in files of their own (TREC's four columns), by abstracts and by contents. Or JSON lines: `id`, `title`,
`boolean_query`, `relevant_pmids_abstract_level`, `relevant_pmids_full_text_level`; of PubMedRS-200, which has no query,
`id`, `question`, `gold_ref_pmids` (what the review cites), `source_pmid` (the review).

Of a Boolean query PubMed is asked how many records it finds, and which of the relevant ones are among them: two
requests, however many it finds. PubMed grows: a query without a last day finds more today than when the review was
made. A question is put to the whole search, as `wellsourced ask` would, with PubMed alone.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from wellsourced.context import Context
from wellsourced.errors import BadQuery, SettingsError, SourceUnavailable, UnreadableFile, WellsourcedError
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.query_language import list_repairs, parse_query, write_pubmed_query
from wellsourced.readers.decompressed_file import iter_lines, read_whole_text
from wellsourced.sources.base import IdMatcher
from wellsourced.types import Query, Question, Value
from wellsourced_evaluate.beir import Qrels, hash_file, read_qrels
from wellsourced_evaluate.metrics import SCREENING_METRICS
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog
from wellsourced_evaluate.recorded_rows import draw_cases, refuse_faults
from wellsourced_evaluate.retrieval import ranked_documents
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

Level = Literal["content", "abstract"]
"""By what works were judged: after their contents were read, or their abstracts alone."""

LEVEL_KEYS: Mapping[Level, str] = {
    "content": "relevant_pmids_full_text_level",
    "abstract": "relevant_pmids_abstract_level",
}

REMEDY = "Give CLEF-TAR's files of topics, or JSON lines with id, boolean_query or question, and relevant PMIDs."
SECTION = re.compile(r"^(Topic|Title|Objective|Query|Pids):[ \t]*", re.MULTILINE)
PMID = re.compile(r"\d{1,8}")


class ReviewTopic(NamedTuple):
    """A review and its search.

    query     its Boolean query; "" where it has none, and then `question` is searched for
    relevant  PMIDs; None: nobody judged
    recorded  how many PMIDs the search found when the set was made; None: not recorded
    source    the PMID of the review itself, which may not be found; ""
    """

    id: str
    title: str
    query: str
    question: str
    relevant: tuple[str, ...] | None
    recorded: int | None = None
    source: str = ""


class ReviewTopics(NamedTuple):
    """The topics that are measured, what tells two sets apart, and how many topics there are."""

    topics: tuple[ReviewTopic, ...]
    files: Mapping[str, str]
    recorded: int


class _BadTopic(Exception):
    """What a topic lacks."""


def read_topics(path: Path, qrels: Path | None = None, level: Level = "content", limit: int = 0) -> ReviewTopics:
    """Every topic of a file, or of the files of a folder; with a limit, so many of them, drawn with a fixed seed.

    qrels   judgements that stand in a file of their own; None: those that stand with the topics, by `level`

    Raises UnreadableFile that names what cannot be used, and where judgements are of none of these topics.
    """
    judged, notes = read_qrels(qrels) if qrels else ({}, [])
    if qrels:
        refuse_faults(qrels, notes)
    paths = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    found: dict[str, ReviewTopic] = {}
    faults: list[str] = []
    for one in paths:
        for where, topic in _read_file(one, level):
            place = f"{one.name}, {where}" if path.is_dir() else where
            if isinstance(topic, str):
                faults.append(f"{place}: {topic}")
            elif topic.id in found:
                faults.append(f"{place}: the topic {topic.id} came already")
            else:
                found[topic.id] = _judge(topic, judged) if qrels else topic
    refuse_faults(path, faults)
    if not found:
        raise UnreadableFile(path, "it holds no topic", REMEDY)
    if qrels and not found.keys() & judged.keys():
        reason = f"it judges none of the topics, which are called like “{next(iter(found))}”"
        raise UnreadableFile(qrels, reason, "Give the judgements of these topics.")
    files = {one.name: hash_file(one)[:16] for one in (*paths, *([qrels] if qrels else []))}
    return ReviewTopics(draw_cases([*found.values()], limit), files, len(found))


def _judge(topic: ReviewTopic, judged: Qrels) -> ReviewTopic:
    grades = judged.get(topic.id)
    return topic._replace(relevant=None if grades is None else tuple(id for id, grade in grades.items() if grade > 0))


def _read_file(path: Path, level: Level) -> Iterator[tuple[str, ReviewTopic | str]]:
    """Where a topic stands, and the topic or what is wrong with it."""
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        yield "its topic", _parse_release(read_whole_text(path))
        return
    for number, line in iter_lines(path):
        try:
            topic: ReviewTopic | str = _build_topic(json.loads(line.decode("utf-8")), level)
        except _BadTopic as bad:
            topic = str(bad)
        except (ValueError, RecursionError):
            topic = "it is no JSON"
        yield f"line {number}", topic


def _parse_release(text: str) -> ReviewTopic | str:
    """A file of CLEF-TAR."""
    places = list(SECTION.finditer(text))
    ends = [one.start() for one in places[1:]] + [len(text)]
    parts = {one[1]: text[one.end() : end].strip() for one, end in zip(places, ends, strict=True)}
    if not parts.get("Topic"):
        return "it names no topic"
    pids = parts.get("Pids", "").split()
    if strange := next((id for id in pids if not PMID.fullmatch(id)), ""):
        return f"“{strange}” among its Pids is no PMID"
    title, query = parts.get("Title", ""), parts.get("Query", "")
    question = "" if query else title
    return ReviewTopic(parts["Topic"], title, query, question, None, len(pids) if "Pids" in parts else None)


def _build_topic(fields: Any, level: Level) -> ReviewTopic:
    if not isinstance(fields, dict):
        raise _BadTopic("it is no JSON object")
    said = {name: fields.get(name) for name in ("id", "title", "boolean_query", "question", "source_pmid")}
    if wrong := next((name for name, value in said.items() if not isinstance(value, str | int | None)), ""):
        raise _BadTopic(f"its {wrong} is no text")
    id, title, query, question, source = (str(value or "").strip() for value in said.values())
    if not id:
        raise _BadTopic("it has no id")
    if not (query or question or title):
        raise _BadTopic("it has no boolean_query and no question")
    key = LEVEL_KEYS[level] if LEVEL_KEYS[level] in fields else "gold_ref_pmids"
    relevant = _read_pmids(fields, key)
    return ReviewTopic(id, title, query, "" if query else question or title, relevant, None, source)


def _read_pmids(fields: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    values = fields.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or not all(PMID.fullmatch(str(one)) for one in values):
        raise _BadTopic(f"its {name} are no list of PMIDs")
    return tuple(dict.fromkeys(str(one) for one in values))


# --- results --------------------------------------------------------------------------------------------------------


class SearchLogHeader(LogHeader):
    """Of what run the lines below are: other topics, or another version, are another run."""

    wellsourced: str
    files: dict[str, str]
    level: str
    searched: str


class TopicResult(Value):
    """What came of one topic.

    read      its Boolean query can be read; None: it has none
    repairs   what was repaired in it; losses: what cannot be said in PubMed's language
    reason    why it cannot be read
    sent      what it is in PubMed's language
    relevant  works that the review took as relevant; None: nobody judged
    found     records that the search finds; hits: of these, the relevant ones; None: it was not made
    error     why the search failed
    """

    topic: str
    read: bool | None = None
    repairs: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    reason: str = ""
    sent: str = ""
    relevant: int | None = None
    found: int | None = None
    hits: int | None = None
    hit_ids: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""

    def to_values(self) -> Mapping[str, float | None]:
        """Metric → its value for this topic; None where it does not apply."""
        read = self.read
        known = self.hits is not None and self.found is not None
        hits, found = self.hits or 0, self.found or 0
        return {
            "query_read": None if read is None else float(read),
            "query_unrepaired": None if read is None else float(read and not self.repairs),
            "query_lossless": None if read is None else float(read and not self.losses),
            "search_recall": hits / self.relevant if known and self.relevant else None,
            "search_precision": hits / found if known and found else None,
            "number_needed_to_read": found / hits if known and hits else None,
        }


SEARCH_LOG = LogForm(
    SearchLogHeader, TypeAdapter(TopicResult), key=lambda one: one.topic, stands=lambda one: not one.error
)
"""What failed is searched again."""

SearchLog = RecordLog[SearchLogHeader, TopicResult, str]

PUBMED = "pubmed"


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
    data: ReviewTopics, context: Context, log: SearchLog, say: Callable[[int, int], None]
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
        return read.model_copy(update={"error": str(error), "seconds": round(time.perf_counter() - begun, 3)})
    judged = {} if topic.relevant is None else {"hits": len(hits), "hit_ids": tuple(sorted(hits))}
    return read.model_copy(update={"found": found, "seconds": round(time.perf_counter() - begun, 3), **judged})


async def _ask_question(topic: ReviewTopic, relevant: set[str], context: Context) -> tuple[int, set[str]]:
    """How many works the whole search finds, and the relevant ones among them; the review itself may not count."""
    exclude = (f"pubmed:{topic.source}",) if topic.source else ()
    found = await retrieve(Question(text=topic.question, exclude=exclude), context)
    if failed := next((one for one in found.attempts if one.status == "failed"), None):
        raise SourceUnavailable(failed.error)
    ids = ranked_documents(found)
    return len(ids), relevant & {id.removeprefix("pubmed:") for id in ids}


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
