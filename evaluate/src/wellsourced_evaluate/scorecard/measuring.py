"""Every part of the scorecard measured in turn; answers and rankings that are on the disk are not asked for again."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.config.judges import open_judge
from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit
from wellsourced_evaluate.beir import Topics, read_topics
from wellsourced_evaluate.corpus import EVALUATION_FOLDER, Corpus
from wellsourced_evaluate.labelled_pairs import LabelledPairs, read_pairs
from wellsourced_evaluate.pair_sets.fitted import list_fitted_pairs, list_measured_files
from wellsourced_evaluate.questions.answer_run import AnswerRun, find_runs
from wellsourced_evaluate.questions.answering import AnswerTask, answer_questions
from wellsourced_evaluate.questions.cases import QuestionSet, Regime, find_set, read_questions
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit
from wellsourced_evaluate.questions.scores import score_run
from wellsourced_evaluate.retrieval import DEPTH, RetrievalTask, measure_retrieval
from wellsourced_evaluate.run_file import RetrievalRun, hash_code
from wellsourced_evaluate.scorecard.asking import CorpusShelf, measure_citations, read_query_metadata, read_topic_cases
from wellsourced_evaluate.scorecard.figures import (
    ScorecardFigure,
    answer_line,
    citation_line,
    search_lines,
    verification_lines,
)
from wellsourced_evaluate.scorecard.parts import (
    ANSWER_PARTS,
    CITATION_SETS,
    PART_KINDS,
    RESEARCH,
    SEARCH_PARTS,
    TOPIC_SETS,
    VERIFICATION_PARTS,
    AnswerPart,
    FittedPart,
    PartKind,
    SearchPart,
    VerificationPart,
    find_fitted_searches,
    split_groups,
)
from wellsourced_evaluate.verification import compute_figures, judge_pairs

WORDS_ALONE: Mapping[str, Any] = {"encoder": "none", "expand": (), "planner": "original", "reranker": "none"}
"""The settings of the preset `words`: BM25 with stemming, the floor of a search."""

SCORECARD_FOLDER = "scorecard"

SayStep = Callable[[str], None]


class ScorecardTask(NamedTuple):
    """What is measured.

    data        folder of the sets
    settings    under which everything is asked
    cases       questions of a set that are answered, at most; 0: all
    queries     of a set that are put to the search, at most; 0: all
    cited       questions of a set whose answers' citations are judged, at most
    judge       who says what supports what
    questions   files of further questions, which the guidelines alone answer
    pairs       files of further claims with texts
    kinds       of parts that are measured
    runs        files or folders of runs that were recorded before, with a language model say: they are told, not asked
    fresh       measure again what was measured before
    at_once     questions that are asked at the same time
    """

    data: Path
    settings: config.Settings
    cases: int
    queries: int
    cited: int
    judge: str
    questions: tuple[Path, ...] = ()
    pairs: tuple[Path, ...] = ()
    kinds: tuple[PartKind, ...] = PART_KINDS
    runs: tuple[Path, ...] = ()
    fresh: bool = False
    at_once: int = 1


class MeasuredPart(NamedTuple):
    """What came of a part: figures, or the reason why there are none; the seconds it took, and what was recorded."""

    name: str
    figures: tuple[ScorecardFigure, ...]
    seconds: float
    reason: str = ""
    runs: tuple[AnswerRun, ...] = ()


class PartResult(NamedTuple):
    """Figures, and the runs behind them."""

    figures: Sequence[ScorecardFigure]
    runs: Sequence[AnswerRun] = ()


async def measure_scorecard(task: ScorecardTask, emit: Emit, say: SayStep) -> AsyncIterator[MeasuredPart]:
    """Each part as it is done. What cannot be measured says why, and the others are measured."""
    work = _ScorecardWork(task, emit, say)
    if "verification" in task.kinds:
        for pairs in (*VERIFICATION_PARTS, *(VerificationPart(one.name, one.name, one) for one in task.pairs)):
            yield await _attempt(f"verification: {pairs.title}", work.measure_pairs(pairs))
    if "search" in task.kinds:
        for search in SEARCH_PARTS:
            yield await _attempt(f"search: {search.title}", work.measure_search(search))
    if "answers" in task.kinds:
        further = (AnswerPart(one.name, str(one), None, ("allowed",)) for one in task.questions)
        for asked in (*ANSWER_PARTS, *further):
            yield await _attempt(f"answers: {asked.title}", work.measure_answers(asked))
    if task.runs:
        yield await _attempt("recorded runs", _score_recorded(task.runs))
    if "citations" in task.kinds:
        for name in CITATION_SETS:
            yield await _attempt(f"citations: {name}", work.measure_cited(name))


async def _score_recorded(paths: Sequence[Path]) -> PartResult:
    """Runs as they lie on the disk; by whom they were written stands in their arm."""
    figures = []
    for run in find_runs(list(paths)):
        header = run.header
        arm = f"{header.preset}, {header.regime}, written by {header.model}"
        figures += score_answers(run, str(header.data["name"]), arm, "recorded")
    return PartResult(figures)


def score_answers(run: AnswerRun, title: str, arm: str, kind: PartKind = "answers") -> list[ScorecardFigure]:
    """The figures of a run, with what was fitted on its cases."""
    fitted = [
        FittedPart(f"{one.cases:,} of {len(run.records):,}", one.what, one.script)
        for one in list_fitted(str(run.header.data["name"]), run.records.values())
    ]
    return [answer_line(title, arm, one, fitted, kind) for one in score_run(run).figures]


async def _attempt(name: str, work: Awaitable[PartResult]) -> MeasuredPart:
    begun = time.perf_counter()
    try:
        found = await work
    except WellsourcedError as error:
        return MeasuredPart(name, (), round(time.perf_counter() - begun, 1), str(error))
    return MeasuredPart(name, tuple(found.figures), round(time.perf_counter() - begun, 1), "", tuple(found.runs))


class _ScorecardWork:
    """How each kind of part is measured."""

    def __init__(self, task: ScorecardTask, emit: Emit, say: SayStep) -> None:
        self.task, self.emit, self.say = task, emit, say
        self.shelf = CorpusShelf(task.data, task.settings, emit)
        self.folder = task.settings.home / EVALUATION_FOLDER / SCORECARD_FOLDER / hash_code()

    async def measure_pairs(self, part: VerificationPart) -> PartResult:
        """The judge of support on pairs whose label is known."""
        path = part.file or self.task.data / "verification" / f"{part.set}.pairs.jsonl.gz"
        pairs = read_pairs([path], None, 0)
        async with open_judge(self.task.judge, self.task.settings) as judge:
            judged, seconds = await judge_pairs(
                pairs.rows, judge, lambda done, every: self.say(f"{part.title}: judged {done:,} of {every:,} pairs")
            )
            fitted = list_fitted_parts(judge.name, pairs)
        return PartResult(list(verification_lines(part.title, compute_figures(judged, seconds), judged, fitted)))

    async def measure_search(self, part: SearchPart) -> PartResult:
        """The search as the settings have it, and BM25 alone; queries that were fitted on apart from the others."""
        folder = self.task.data / part.folder
        queries = folder / f"{part.set}.queries.jsonl.gz"
        topics = read_topics(queries, folder / f"{part.set}.qrels.tsv.gz", self.task.queries)
        corpus = await self.shelf.find(part.corpus)
        plain = corpus._replace(settings=corpus.settings.model_copy(update=dict(WORDS_ALONE)))
        mine = await self._search(part.title, corpus, topics)
        floor = await self._search(f"{part.title}, BM25 alone", plain, topics)
        fitted = find_fitted_searches(part.set)
        figures: list[ScorecardFigure] = []
        for arm, asked, what in _split_queries(topics.texts, read_groups(queries), fitted):
            figures += search_lines(part.title, arm, mine.results, floor.results, asked, what)
        return PartResult(figures)

    async def _search(self, name: str, corpus: Corpus, topics: Topics) -> RetrievalRun:
        work = RetrievalTask(corpus, topics, DEPTH, None, self.task.fresh)
        return await measure_retrieval(
            work, self.emit, lambda done, every: self.say(f"{name}: measured {done:,} of {every:,} queries")
        )

    async def measure_answers(self, part: AnswerPart) -> PartResult:
        """Each regime an arm; one judge for all."""
        data = self._read_set(part.set, round(self.task.cases * part.share), part.kind)
        settings = await self.shelf.answering_settings(part.corpus)
        figures: list[ScorecardFigure] = []
        runs = []
        async with open_judge(self.task.judge, self.task.settings) as judge:
            for regime in part.regimes:
                out = self.folder / f"{data.name}{part.kind}.{data.limit}.{regime}.jsonl"
                budget = RunBudget(RunLimit())
                task = AnswerTask(data, regime, settings, out, judge, budget, self.task.fresh, self.task.at_once)
                run = await answer_questions(task, self.emit, self._count_answers(part.title, regime))
                figures += score_answers(run, part.title, regime)
                runs.append(run)
        return PartResult(figures, runs)

    def _count_answers(self, title: str, regime: Regime) -> Callable[[int, int], None]:
        return lambda done, every: self.say(f"{title}, {regime}: answered {done:,} of {every:,} cases")

    async def measure_cited(self, name: str) -> PartResult:
        """What answers cite, as Link-Eval and ALCE count it."""
        data = self._read_set(name, self.task.cited)
        settings = await self.shelf.answering_settings(RESEARCH)
        async with (
            config.open_context(settings, emit=self.emit) as context,
            open_judge(self.task.judge, self.task.settings) as judge,
        ):
            found = await measure_citations(data.cases, context, judge, self.say)
        asked = f"{name}, {len(data.cases):,} questions, {found.refused:,} refused, {found.failed:,} failed"
        return PartResult([citation_line(asked, *one) for one in found.means.items()])

    def _read_set(self, name: str, limit: int, kind: str = "") -> QuestionSet:
        if name in TOPIC_SETS:
            return read_topic_cases(self.task.data / "retrieval", name, limit)
        return read_questions(find_set(name, self.task.data), "", limit, kinds=(kind,) if kind else ())


def list_fitted_parts(judge: str, pairs: LabelledPairs) -> list[FittedPart]:
    """What of the judge was fitted on these pairs; and whether it was measured on them how far it is believed."""
    every = len(pairs.rows)
    found = [
        FittedPart(f"{one.pairs:,} of {every:,}", f"of the judge {one.what}", one.script)
        for one in list_fitted_pairs(judge, pairs.rows)
    ]
    measured = list_measured_files(judge, pairs.files)
    threshold = "from which score on the judge is believed (evidence.json)"
    return [*found, *(FittedPart("all", threshold, "wellsourced_evaluate/fitting/evidence.py") for _ in measured)]


def read_groups(queries: Path) -> dict[str, str]:
    """Query → its group, where the file says one."""
    return {query: str(one.get("group", query)) for query, one in read_query_metadata(queries).items()}


def _split_queries(
    queries: Mapping[str, str], groups: Mapping[str, str], fitted: Sequence[FittedPart]
) -> list[tuple[str, list[str], Sequence[FittedPart]]]:
    """Each arm: its name, its queries, and what was fitted on them."""
    if not fitted:
        return [("all", list(queries), ())]
    seen, unseen = split_groups((query, groups.get(query, query)) for query in queries)
    return [
        ("half that was not fitted on", [one for one in queries if one in unseen], ()),
        ("half that was fitted on", [one for one in queries if one in seen], fitted),
    ]
