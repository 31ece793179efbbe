"""Searches of systematic reviews: each is read, put to PubMed, and compared with what the review took as relevant.

Topics are CLEF-TAR's (Kanoulas et al., CLEF 2017 to 2019; github.com/CLEF-TAR/tar): a file for each with “Topic:”,
“Title:”, “Query:” and the lines of a Boolean query; some have “Objective:” instead. What it found then is not read.
Judgements are in files of their own (TREC's four columns), by abstracts and by contents. Or JSON lines: `id`, `title`,
`boolean_query`, `relevant_pmids_abstract_level`, `relevant_pmids_full_text_level`; of PubMedRS-200, which has no query,
`id`, `question`, `gold_ref_pmids` (what the review cites), `source_pmid` (the review).

Of a Boolean query PubMed is asked how many records it finds, and which of the relevant ones are among them: two
requests, however many it finds. PubMed grows: a query without a last day finds more today than when the review was
made. A question is put to the whole search, as `wellsourced ask` would, with PubMed alone.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from wellsourced.context import Context
from wellsourced.errors import BadQuery, SettingsError, SourceUnavailable, UnreadableFile, WellsourcedError
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.presentation.wording import format_count
from wellsourced.query_language import list_repairs, parse_query, write_pubmed_query
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.sources.base import IdMatcher
from wellsourced.types import Query, Question, Value
from wellsourced_evaluate.beir import hash_file, read_qrels
from wellsourced_evaluate.metrics import SCREENING_METRICS
from wellsourced_evaluate.record_log import LogForm, LogHeader
from wellsourced_evaluate.recorded_rows import RecordedRow, draw_cases, read_recorded, refuse_faults
from wellsourced_evaluate.retrieval import ranked_documents
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases
from wellsourced_evaluate.tables import Block, Bullets, Interval, Part, Table, Text

Level = Literal["content", "abstract"]
"""By what works were judged: after their contents were read, or their abstracts alone."""

LEVEL_KEYS: Mapping[Level, str] = {
    "content": "relevant_pmids_full_text_level",
    "abstract": "relevant_pmids_abstract_level",
}

MAX_SHOWN = 5
"""Files, or searches of a kind, that are named one by one."""

REMEDY = "Give CLEF-TAR's files of topics, or JSON lines with id, boolean_query or question, and relevant PMIDs."
SECTION = re.compile(r"^(Topic|Title|Objective|Query|Pids):[ \t]*", re.MULTILINE)


class ReviewTopic(NamedTuple):
    """A review and its search.

    query     its Boolean query; "" where it has none, and then `question` is searched for
    relevant  PMIDs; None: nobody judged
    source    the PMID of the review itself, which may not be found; ""
    """

    id: str
    query: str
    question: str
    relevant: tuple[str, ...] | None
    source: str = ""


class ReviewTopics(NamedTuple):
    """The topics that are measured, what tells two sets apart, and how many topics there are."""

    topics: tuple[ReviewTopic, ...]
    files: Mapping[str, str]
    recorded: int


Pmid = Annotated[str, StringConstraints(pattern=r"^\d{1,8}$")]
"""The id of a record in PubMed."""


class ReviewRow(RecordedRow):
    """A review as a line of a file: with a Boolean query, or with a question."""

    model_config = ConfigDict(coerce_numbers_to_str=True, str_strip_whitespace=True)

    id: Annotated[str, StringConstraints(min_length=1)]
    title: str | None = None
    boolean_query: str | None = None
    question: str | None = None
    source_pmid: str | None = None
    relevant_pmids_full_text_level: tuple[Pmid, ...] | None = None
    relevant_pmids_abstract_level: tuple[Pmid, ...] | None = None
    gold_ref_pmids: tuple[Pmid, ...] | None = None

    @model_validator(mode="after")
    def _require_a_search(self) -> "ReviewRow":
        if not (self.boolean_query or self.question or self.title):
            raise ValueError("it has no boolean_query and no question")
        return self

    def to_topic(self, level: Level) -> ReviewTopic:
        """The review, with what was judged at this level, or else what it cites."""
        pmids = getattr(self, LEVEL_KEYS[level] if LEVEL_KEYS[level] in self.model_fields_set else "gold_ref_pmids")
        relevant = None if pmids is None else tuple(dict.fromkeys(pmids))
        question = "" if self.boolean_query else self.question or self.title or ""
        return ReviewTopic(self.id, self.boolean_query or "", question, relevant, self.source_pmid or "")


def read_topics(path: Path, qrels: Path | None = None, level: Level = "content", limit: int = 0) -> ReviewTopics:
    """Every topic of a file, or of the files of a folder; with a limit, so many of them, drawn with a fixed seed.

    qrels   judgements in a file of their own; None: those that come with the topics, by `level`

    Raises UnreadableFile that names what cannot be used, and where judgements are of none of these topics.
    """
    paths = sorted(one for one in path.iterdir() if one.is_file()) if path.is_dir() else [path]
    found: dict[str, ReviewTopic] = {}
    for one in paths:
        for topic in _read_file(one, level):
            if topic.id in found:
                raise UnreadableFile(one, f"the topic {topic.id} is in another file already", REMEDY)
            found[topic.id] = topic
    if not found:
        raise UnreadableFile(path, "it holds no topic", REMEDY)
    if qrels:
        judged, notes = read_qrels(qrels)
        refuse_faults(qrels, notes)
        if not found.keys() & judged.keys():
            reason = f"it judges none of the topics, which are called like “{next(iter(found))}”"
            raise UnreadableFile(qrels, reason, "Give the judgements of these topics.")
        relevant = {id: tuple(one for one, grade in grades.items() if grade > 0) for id, grades in judged.items()}
        found = {id: topic._replace(relevant=relevant.get(id)) for id, topic in found.items()}
    files = {one.name: hash_file(one)[:16] for one in (*paths, *([qrels] if qrels else []))}
    return ReviewTopics(draw_cases([*found.values()], limit), files, len(found))


def _read_file(path: Path, level: Level) -> list[ReviewTopic]:
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return [row.to_topic(level) for row in read_recorded(path, ReviewRow).rows]
    text = read_whole_text(path)
    places = list(SECTION.finditer(text))
    ends = [one.start() for one in places[1:]] + [len(text)]
    parts = {one[1]: text[one.end() : end].strip() for one, end in zip(places, ends, strict=True)}
    if not parts.get("Topic"):
        raise UnreadableFile(path, "it names no topic", REMEDY)
    query = parts.get("Query", "")
    return [ReviewTopic(parts["Topic"], query, "" if query else parts.get("Title", ""), None)]


# --- results --------------------------------------------------------------------------------------------------------


class SearchLogHeader(LogHeader):
    """Of what run the lines below are: other topics, settings or another version are another run."""

    wellsourced: str = Field(default_factory=lambda: version("wellsourced"))
    files: dict[str, str | int]
    settings: dict[str, str | float]


class TopicResult(Value):
    """What came of one topic.

    read      its Boolean query can be read; None: it has none
    repairs   what was repaired in it; losses: what cannot be said in PubMed's language
    sent      what it is in PubMed's language
    relevant  works that the review took as relevant; None: nobody judged
    found     records that the search finds; hits: of these, the relevant ones; None: it was not made
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
        read, hits, found = self.read, self.hits, self.found
        return {
            "query_read": None if read is None else float(read),
            "query_unrepaired": None if read is None else float(read and not self.repairs),
            "query_lossless": None if read is None else float(read and not self.losses),
            "search_recall": hits / self.relevant if hits is not None and self.relevant else None,
            "search_precision": hits / found if hits is not None and found else None,
            "number_needed_to_read": found / hits if hits and found is not None else None,
        }


SEARCH_LOG = LogForm(
    SearchLogHeader, TypeAdapter(TopicResult), key=lambda one: one.topic, stands=lambda one: not one.error
)
"""What failed is searched again."""

PUBMED = "pubmed"

Figures = Mapping[str, tuple[MetricMean, PooledShare | None]]
"""Metric → its mean over the topics to which it applies, and, where it is a share, that over all topics together."""


def read_search(topic: ReviewTopic) -> TopicResult:
    """What can be said of a topic without asking anybody."""
    known: dict[str, Any] = {"topic": topic.id, "relevant": None if topic.relevant is None else len(topic.relevant)}
    if not topic.query:
        return TopicResult(**known, sent=topic.question)
    try:
        parsed = parse_query(topic.query)
    except BadQuery as error:
        return TopicResult(**known, read=False, reason=str(error))
    written = write_pubmed_query(parsed.node)
    repairs = tuple(list_repairs(parsed))
    return TopicResult(**known, read=True, repairs=repairs, losses=written.notes, sent=written.text)


async def make_search(topic: ReviewTopic, context: Context) -> TopicResult:
    """The search of a topic made with PubMed alone; what fails is told in the result, and is no recall of 0.

    Raises SettingsError where PubMed may not be asked.
    """
    pubmed = next((one for one in context.sources if one.name == PUBMED), None)
    if not isinstance(pubmed, IdMatcher):
        raise SettingsError("PubMed cannot be asked: nothing may leave this machine (network.offline, --offline).")
    context = replace(context, sources=(pubmed,))
    read, begun = read_search(topic), time.perf_counter()
    if read.read is False:
        return read
    relevant = set(topic.relevant or ())
    came: dict[str, Any] = {}
    try:
        if topic.query:
            # As it was written: what asks PubMed translates it.
            matched = await pubmed.match_ids(Query(terms=(topic.query,), kind="boolean"), sorted(relevant))
            came["found"], hits = matched.total, relevant & matched.ids
        else:
            # The review itself may not count.
            exclude = (f"pubmed:{topic.source}",) if topic.source else ()
            ids = ranked_documents(await retrieve_whole(Question(text=topic.question, exclude=exclude), context))
            came["found"], hits = len(ids), relevant & {id.removeprefix("pubmed:") for id in ids}
        if topic.relevant is not None:
            came |= {"hits": len(hits), "hit_ids": tuple(sorted(hits))}
    except WellsourcedError as error:
        came["error"] = str(error)
    return read.model_copy(update={**came, "seconds": round(time.perf_counter() - begun, 3)})


async def retrieve_whole(question: Question, context: Context) -> RetrievalResult:
    """What the whole search finds. Raises SourceUnavailable where any source failed."""
    found = await retrieve(question, context)
    if failed := next((one for one in found.attempts if one.status == "failed"), None):
        raise SourceUnavailable(failed.error)
    return found


def summarize_searches(results: Sequence[TopicResult]) -> Figures:
    """The figures of these searches."""
    values = [one.to_values() for one in results]
    wholes = {"search_recall": "relevant", "search_precision": "found"}
    pooled = {
        metric: pool_cases([(one.hits, getattr(one, whole) or 0) for one in results if one.hits is not None])
        for metric, whole in wholes.items()
    }
    names = [one.name for one in SCREENING_METRICS]
    return {name: (average_cases(value[name] for value in values), pooled.get(name)) for name in names}


def screening_blocks(data: ReviewTopics, results: Sequence[TopicResult], figures: Figures) -> Iterator[Block]:
    """The report: figures, and what could not be read, was repaired, failed, or has nothing to be compared with."""
    files = [f"{name} (sha256 {digest})" for name, digest in data.files.items()]
    more = f" and {len(files) - MAX_SHOWN:,} more files" if len(files) > MAX_SHOWN else ""
    yield Text(f"{format_count(len(results), 'topic')} of {', '.join(files[:MAX_SHOWN])}{more}")
    rows = [
        (
            *(name, mean.mean, Interval(mean.low, mean.high), Part(mean.cases, len(results))),
            Part(pooled.part, pooled.whole) if pooled and pooled.whole else None,
        )
        for name, (mean, pooled) in figures.items()
    ]
    yield Table(("metric", "mean", "95 % interval", "topics", "all together"), rows)
    troubles = {
        "cannot be read": [(one.topic, one.reason) for one in results if one.read is False],
        "FAILED, and left out": [(one.topic, one.error) for one in results if one.error],
        "read with repair": [(one.topic, one.repairs[0]) for one in results if one.repairs],
        "not wholly said in PubMed's language": [(one.topic, one.losses[0]) for one in results if one.losses],
    }
    for what, some in troubles.items():
        if some:
            yield Text(f"{'1 search' if len(some) == 1 else f'{len(some):,} searches'} {what}:")
            yield Bullets([f"{topic}: {note}" for topic, note in some[:MAX_SHOWN]])
    if unjudged := sum(one.relevant is None for one in results):
        yield Text(f"{format_count(unjudged, 'topic')} without judgements: of these nothing is known to be relevant.")
    if all(one.found is None for one in results):
        yield Text("No search was made: --search asks PubMed.")
