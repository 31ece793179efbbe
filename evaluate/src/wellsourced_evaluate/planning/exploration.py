"""What every source finds for different queries of every question, recorded: what a planner can learn from.

The same record holds what a planner asks when it is measured. A file that was cut short is continued, and a question
of which a search failed is asked again: an outage says nothing of what a source holds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, model_validator

from wellsourced import config
from wellsourced.context import Context
from wellsourced.errors import SourceRefused, UnsupportedPrompt, WellsourcedError
from wellsourced.models.base import Model, Prompt
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.retrieve.retrieval import rerank_search
from wellsourced.pipeline.retrieve.search import AttemptResult, describe_sources, run_searches
from wellsourced.planners.base import TrialSearch
from wellsourced.planners.prompting import convert_plan
from wellsourced.planners.rules import RulePlanner
from wellsourced.planners.searches import build_query, deduplicate_searches, select_askable, summarize_source
from wellsourced.prompts.planning import PlannedQuery, SourcePlan, SourceQueries, SourceSummary
from wellsourced.question.understanding import Understanding, list_other_meanings
from wellsourced.sources.base import SourceInfo
from wellsourced.text.passages import text_under_titles
from wellsourced.types import PLANNING_TIER, Query, Question, Search, Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.planning.published_tags import read_replies, read_tags
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog, hold_file
from wellsourced_evaluate.recorded_rows import Progress, RecordedRow, Words, read_recorded
from wellsourced_evaluate.retrieval import changed_settings, relevant_settings

DEPTH, KEPT, SHOWN = 20, 10, 5
"""Passages found by a query, kept of these after ranking, and shown to a judge, as in the paper."""

MAX_KEYWORDS = 8


# --- questions -------------------------------------------------------------------------------------------------------


class PlanningQuestion(RecordedRow):
    """A question of any file: BEIR's `_id` and `text`, or `id` and `question` as published sets and our own have it.

    gold    the right answer in words; "" where the file has none
    group   what must not be divided between training and test: the question itself unless the file says more
    """

    id: Words
    question: Words
    options: dict[str, str] = Field(default_factory=dict)
    gold: str = ""
    group: str = ""
    set: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_other_names(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "gold" in given:
            return given
        options = given.get("options") or {}
        answer = given.get("ideal_answer") or given.get("answer") or ""
        id = given.get("id", given.get("_id"))
        return {
            "id": id,
            "question": given.get("question", given.get("text")),
            "options": options,
            "gold": (options.get(answer) or answer) if isinstance(answer, str) else "",
            "group": (given.get("metadata") or given).get("group") or id,
        }


def read_planning_questions(files: Sequence[Path], limit: int = 0) -> list[PlanningQuestion]:
    """The questions of these files, so many of each, their set named after the file. Raises UnreadableFile.

    Raises SourceRefused for an id that two files have.
    """
    questions = [
        row.model_copy(update={"set": file.name.partition(".")[0]})
        for file in files
        for row in read_recorded(file, PlanningQuestion, limit).rows
    ]
    seen: dict[str, str] = {}
    for row in questions:
        if seen.setdefault(row.id, row.set) != row.set:
            raise SourceRefused(f"The question {row.id} is in {seen[row.id]} and in {row.set}. Leave one of them out.")
    return questions


# --- the record ------------------------------------------------------------------------------------------------------


class ExplorationHeader(LogHeader):
    """Of what exploration the lines below are.

    explorer   who made the queries: "rules", a model, or "planner NAME"
    queries    for each source; 0: as many as the planner wants
    cards      the sources as a model is shown them
    """

    wellsourced: str
    questions: dict[str, str]
    explorer: str
    queries: int
    settings: dict[str, Any]
    cards: tuple[SourceSummary, ...]


class RecordedSearch(Value):
    """One query to one source, and the passages and their documents, best first."""

    source: str
    query: Query
    status: Literal["ok", "empty", "failed"]
    error: str = ""
    passages: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


class ExploredQuestion(PlanningQuestion):
    """What was asked for a question.

    asked       its words as planners are given them
    texts       passage id → its words under its titles, of those that a judge is shown
    fell_back   the model of a planner made no plan, and the question itself was searched for
    error       why no query was made; "" as a rule
    """

    asked: str = ""
    searches: tuple[RecordedSearch, ...] = ()
    texts: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    fell_back: bool = False
    error: str = ""

    @property
    def hash(self) -> str:
        """Tells what was judged from what was explored again since."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


EXPLORATION_LOG = LogForm(
    ExplorationHeader,
    TypeAdapter(ExploredQuestion),
    key=lambda one: one.id,
    stands=lambda one: not one.error and all(search.status != "failed" for search in one.searches),
    contents="exploration",
    another="holds another exploration",
    remedy="Give a file that `wellsourced evaluate planner explore --out` wrote.",
)
"""A question of which a search failed is explored again."""


class Exploration(NamedTuple):
    """A file of searches."""

    path: Path
    header: ExplorationHeader
    questions: dict[str, ExploredQuestion]


def read_exploration(path: Path) -> Exploration:
    """What a file holds. Raises UnreadableFile."""
    there = EXPLORATION_LOG.read(path)
    return Exploration(path, there.header, there.records)


# --- queries ---------------------------------------------------------------------------------------------------------


class ExploreSources(Prompt[SourcePlan]):
    """Ask every source `number` different queries, so that it shows what of the question it holds.

    Give every source an entry under its name with exactly `number` short queries that differ in what they ask for and
    suit what its card says it holds; none may repeat another or one of `asked`, which were asked already. Give as the
    text a short phrase of what would answer, without operators. To a source that asks for a term, give the name of one
    concept as the term, and as the text what is to be known of it.
    """

    question: str
    options: dict[str, str]
    cards: tuple[SourceSummary, ...]
    number: int
    asked: tuple[SourceQueries, ...] = ()


async def write_queries(
    question: Question, cards: Sequence[SourceInfo], context: Context, number: int
) -> tuple[list[Search], tuple[str, ...]]:
    """So many different queries for each source, by the model or else by rules, and notes. Raises ModelError."""
    there, left_out = select_askable(question, cards)
    notes: tuple[str, ...] = ()
    try:
        written, notes = await ask_model(question, there, context.assistant or context.model, number)
    except UnsupportedPrompt:
        written = tuple([one for card in there for one in await _word_by_rule(question, card, context.understanding)])
    by_source = {card.name: [one for one in written if one.source == card.name][:number] for card in there}
    short = [f"{name} has {len(its)} of {number} queries" for name, its in by_source.items() if len(its) < number]
    return [one for its in by_source.values() for one in its], (*left_out, *dict.fromkeys(notes), *short)


async def ask_model(
    question: Question, cards: Sequence[SourceInfo], model: Model, number: int
) -> tuple[tuple[Search, ...], tuple[str, ...]]:
    """One call, and one more for the sources that have too few different queries. Raises ModelError."""
    searches: tuple[Search, ...] = ()
    notes: tuple[str, ...] = ()
    for _ in range(2):
        asked = [SourceQueries(source=one.source, queries=(PlannedQuery(text=one.query.text),)) for one in searches]
        lacking = [card for card in cards if sum(one.source == card.name for one in asked) < number]
        if lacking:
            prompt = ExploreSources(
                question=question.text,
                options=question.options,
                cards=tuple(map(summarize_source, lacking)),
                number=number,
                asked=tuple(asked),
            )
            proposal = convert_plan(await model.complete(prompt), question, lacking, number, number * len(cards))
            searches = deduplicate_searches((*searches, *proposal.searches))
            notes = (*notes, *proposal.notes)
    return searches, notes


async def _word_by_rule(question: Question, card: SourceInfo, understanding: Understanding) -> tuple[Search, ...]:
    """Different queries: as the rules ask, as it was asked, by fewer keywords, by what a word may mean besides."""
    keywords = await understanding.extract_keywords(question, MAX_KEYWORDS)
    fewer = [keywords[:size] for size in (len(keywords), 3, 2, 4, 5, 1)]
    others = [(meant, *keywords[1:]) for meant in list_other_meanings(question)[:1]]
    without_one = [keywords[:place] + keywords[place + 1 :] for place in range(len(keywords))]
    texts = [question.text, *(" ".join(words) for words in (*fewer, *others, *without_one) if words)]
    worded = [Search(source=card.name, query=build_query(question, text)) for text in texts]
    return deduplicate_searches(
        (*(await RulePlanner(understanding).plan(question, [card], _look_nowhere)).searches, *worded)
    )


async def _look_nowhere(searches: Sequence[Search]) -> list[TrialSearch]:
    """The rules look at nothing before they plan."""
    return [TrialSearch(search) for search in searches]


# --- exploring -------------------------------------------------------------------------------------------------------


class ExplorationTask(NamedTuple):
    """What is to be explored, and where it is recorded.

    queries   for each source; 0: what the planner of the settings asks is recorded in their place
    replies   file of what a published planner replied: its plans are recorded in their place
    """

    files: Sequence[Path]
    questions: Sequence[PlanningQuestion]
    queries: int
    out: Path
    fresh: bool
    replies: Path | None = None


async def explore(task: ExplorationTask, settings: config.Settings, say: Progress) -> Exploration:
    """Explore every question that was not yet; each is on the disk before the next. Raises SourceRefused."""
    settings = _set_depths(settings)
    with hold_file(task.out):
        async with config.open_context(settings) as context:
            cards, gaps = await describe_sources(context.sources)
            if gaps:
                raise SourceRefused(f"{gaps[0].source} cannot be explored: {gaps[0].reason}")
            model = context.assistant or context.model
            replies = read_replies(task.replies) if task.replies else None
            planner = f"replies {task.replies.name}" if task.replies else f"planner {settings.planner}"
            header = ExplorationHeader(
                wellsourced=version("wellsourced"),
                questions={file.name: hash_file(file)[:16] for file in (*task.files, *filter(None, [task.replies]))},
                explorer=(model.name if context.has_model else "rules") if task.queries else planner,
                queries=task.queries,
                settings=changed_settings(dict(relevant_settings(settings))),
                cards=tuple(map(summarize_source, select_askable(Question(text="any"), cards)[0])),
            )
            with RecordLog(task.out, header, EXPLORATION_LOG, fresh=task.fresh) as log:
                left = [one for one in task.questions if one.id not in log.records]
                for place, question in enumerate(left, len(task.questions) - len(left)):
                    say(place, len(task.questions))
                    log.add(await explore_question(question, cards, context, task.queries, replies))
                return Exploration(task.out, header, log.records)


def _set_depths(settings: config.Settings) -> config.Settings:
    depths = {"candidates": DEPTH, "rerank": DEPTH, "per_query": KEPT}
    return settings.model_copy(update={"policy": settings.policy.model_copy(update=depths)})


async def explore_question(
    row: PlanningQuestion,
    cards: Sequence[SourceInfo],
    context: Context,
    queries: int,
    replies: Mapping[str, str] | None = None,
) -> ExploredQuestion:
    """Make the queries of one question and record what they find; what cannot be made is told in the record.

    replies   question → the plan that a published planner replied; None: the planner of the context plans
    """

    async def look(searches: Sequence[Search]) -> list[TrialSearch]:
        found = await run_searches(searches, PLANNING_TIER, cards, context)
        return [
            TrialSearch(one, found[one][-1].passages, found[one][-1].attempt.status == "failed") for one in searches
        ]

    given = row.model_dump(exclude={"asked", "searches", "texts", "notes", "fell_back", "error"})
    fell_back = False
    try:
        framed, told = await frame_question(Question(text=row.question, options=row.options), context)
        if queries:
            searches, notes = await write_queries(framed, cards, context, queries)
        elif replies is not None:
            there, left_out = select_askable(framed, cards)
            proposal = convert_plan(read_tags(replies.get(row.id, ""), there), framed, there)
            searches, notes = list(proposal.searches), (*proposal.notes, *left_out)
        else:
            proposal = await context.planner.plan(framed, cards, look)
            searches, notes, fell_back = list(dict.fromkeys(proposal.searches)), proposal.notes, proposal.fell_back
    except WellsourcedError as error:
        return ExploredQuestion(**given, error=str(error))
    found = await run_searches(searches, PLANNING_TIER, cards, context)
    texts: dict[str, str] = {}
    recorded = tuple([await _record_search(one, found[one], framed, context, texts) for one in searches])
    made = {"searches": recorded, "texts": texts, "notes": (*told, *notes), "fell_back": fell_back}
    return ExploredQuestion(**given, asked=framed.text, **made)


async def _record_search(
    search: Search, attempts: Sequence[AttemptResult], question: Question, context: Context, texts: dict[str, str]
) -> RecordedSearch:
    """The last attempt counts: those before it, in more terms, found nothing."""
    best, _ = await rerank_search(attempts[-1], question, context.reranker, context.policy)
    texts |= {one.id: text_under_titles(one) for one in best.passages[:SHOWN]}
    return RecordedSearch(
        source=search.source,
        query=search.query,
        status=attempts[-1].attempt.status,
        error=attempts[-1].attempt.error,
        passages=tuple(one.id for one in best.passages[:KEPT]),
        documents=tuple(one.reference.id for one in best.passages[:KEPT]),
    )
