"""Every part of the scorecard measured in turn; answers and rankings that are on the disk are not asked for again."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.config.judges import open_judge
from wellsourced.errors import NotFoundError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced_evaluate.beir import SEED, Topics, hash_file, read_topics
from wellsourced_evaluate.citation_metrics import VALID_ABOVE
from wellsourced_evaluate.corpus import EVALUATION_FOLDER, Corpus, open_corpus
from wellsourced_evaluate.labelled_pairs import LabelledPairs, list_fitted_pairs, list_measured_files, read_pairs
from wellsourced_evaluate.questions.answer_run import AnswerRun, find_runs
from wellsourced_evaluate.questions.answering import AnswerTask, answer_questions
from wellsourced_evaluate.questions.case_rows import QuestionCase, parse_row
from wellsourced_evaluate.questions.cases import QuestionSet, build_question, find_set, read_questions
from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit
from wellsourced_evaluate.recorded_answers import RecordedAnswer, RecordedAnswers, average_answers, measure_answers
from wellsourced_evaluate.retrieval import DEPTH, QueryResult, RetrievalTask, hash_code, measure_retrieval
from wellsourced_evaluate.scorecard.figures import (
    ScorecardFigure,
    answer_figures,
    citation_figure,
    search_figures,
    verification_figures,
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
    CorpusFile,
    FittedPart,
    PartKind,
    SearchPart,
    VerificationPart,
    find_fitted_searches,
    is_in_fitted_half,
)
from wellsourced_evaluate.verification import compute_figures, judge_pairs

WORDS_ALONE: Mapping[str, Any] = {"encoder": "none", "expand": (), "planner": "original", "reranker": "none"}
"""The settings of the preset `words`: BM25 with stemming, the floor of a search."""

CITATION_FIGURES = ("citation_set_precision", "citation_precision", "citation_recall", "alce_recall", "alce_precision")

SCORECARD_FOLDER = "scorecard"


class ScorecardTask(NamedTuple):
    """What is measured.

    data        folder of the sets
    settings    under which everything is asked
    cases       questions of a set that are answered, at most; 0: all
    queries     of a set that are put to the search, at most; 0: all
    cited       questions of a set whose answers' citations are judged, at most
    judge       who says what supports what
    questions   files of further questions, which the guidelines alone answer
    claims      files of further claims with texts
    kinds       of parts that are measured
    runs        files or folders of runs that were recorded before, with a language model say: they are told, not asked
    fresh       measure again what was measured before
    parallel    questions that are asked at the same time
    """

    data: Path
    settings: config.Settings
    cases: int
    queries: int
    cited: int
    judge: str
    questions: tuple[Path, ...] = ()
    claims: tuple[Path, ...] = ()
    kinds: tuple[PartKind, ...] = PART_KINDS
    runs: tuple[Path, ...] = ()
    fresh: bool = False
    parallel: int = 1


class MeasuredPart(NamedTuple):
    """What came of a part: figures, or the reason why there are none; the seconds it took, and what was recorded."""

    name: str
    figures: tuple[ScorecardFigure, ...]
    seconds: float
    reason: str = ""
    runs: tuple[AnswerRun, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        figures = [figure.to_json() for figure in self.figures]
        return {**self._asdict(), "figures": figures, "runs": [str(run.path) for run in self.runs]}


PartResult = tuple[Sequence[ScorecardFigure], Sequence[AnswerRun]]
"""Figures, and the runs behind them."""


async def measure_scorecard(task: ScorecardTask, emit: Emit, say: Callable[[str], None]) -> AsyncIterator[MeasuredPart]:
    """Each part as it is done. What cannot be measured says why, and the others are measured."""
    work = _ScorecardWork(task, emit, say)
    further_pairs = [VerificationPart(path.name, path.name, path) for path in task.claims]
    further_questions = [AnswerPart(path.name, str(path), None, ("allowed",)) for path in task.questions]
    parts: dict[str, list[tuple[str, Callable[[], Awaitable[PartResult]]]]] = {
        "verification": [
            (one.title, partial(work.measure_pairs, one)) for one in (*VERIFICATION_PARTS, *further_pairs)
        ],
        "search": [(one.title, partial(work.measure_search, one)) for one in SEARCH_PARTS],
        "answers": [(one.title, partial(work.measure_answers, one)) for one in (*ANSWER_PARTS, *further_questions)],
        "recorded": [("", partial(_score_recorded, task.runs))] if task.runs else [],
        "citations": [(name, partial(work.measure_cited, name)) for name in CITATION_SETS],
    }
    for kind, several in parts.items():
        for title, measure in several if kind in (*task.kinds, "recorded") else ():
            name = f"{kind}: {title}" if title else "recorded runs"
            begun = time.perf_counter()
            try:
                figures, runs = await measure()
                reason = ""
            except WellsourcedError as error:
                figures, runs, reason = (), (), str(error)
            yield MeasuredPart(name, tuple(figures), round(time.perf_counter() - begun, 1), reason, tuple(runs))


async def _score_recorded(paths: Sequence[Path]) -> PartResult:
    """Runs that were recorded before; by whom they were written is in their arm."""
    figures = []
    for run in find_runs(list(paths)):
        header = run.header
        arm = f"{header.preset}, {header.regime}, written by {header.model}"
        figures += answer_figures(run, str(header.data["name"]), arm, "recorded")
    return figures, ()


class _ScorecardWork:
    """How each kind of part is measured."""

    def __init__(self, task: ScorecardTask, emit: Emit, say: Callable[[str], None]) -> None:
        self.task, self.emit, self.say = task, emit, say
        self.folder = task.settings.home / EVALUATION_FOLDER / SCORECARD_FOLDER / hash_code()
        self._corpora: dict[str, Corpus] = {}

    async def measure_pairs(self, part: VerificationPart) -> PartResult:
        """The judge of support on pairs whose label is known."""
        path = part.file or self.task.data / "verification" / f"{part.set}.pairs.jsonl.gz"
        pairs = read_pairs([path], None, 0)
        async with open_judge(self.task.judge, self.task.settings) as judge:
            judged, seconds = await judge_pairs(
                pairs.rows, judge, lambda done, every: self.say(f"{part.title}: judged {done:,} of {every:,} pairs")
            )
            fitted = _list_fitted_parts(judge.name, pairs)
        return [*verification_figures(part.title, compute_figures(judged, seconds), judged, fitted)], ()

    async def measure_search(self, part: SearchPart) -> PartResult:
        """The search as the settings have it, and BM25 alone; queries that were fitted on apart from the others."""
        folder = self.task.data / part.folder
        path = folder / f"{part.set}.queries.jsonl.gz"
        topics = read_topics(path, folder / f"{part.set}.qrels.tsv.gz", self.task.queries)
        corpus = await self._open_corpus(part.corpus)
        plain = corpus._replace(settings=corpus.settings.model_copy(update=dict(WORDS_ALONE)))
        runs = [
            await self._search(part.title, corpus, topics),
            await self._search(f"{part.title}, BM25 alone", plain, topics),
        ]
        fitted = find_fitted_searches(part.set)
        if not fitted:
            return [*search_figures(part.title, "all", runs, [*topics.texts], ())], ()
        groups = {query: str(one.get("group", query)) for query, one in read_query_metadata(path).items()}
        seen = [query for query in topics.texts if is_in_fitted_half(groups.get(query, query))]
        unseen = [query for query in topics.texts if query not in {*seen}]
        halves = (
            *search_figures(part.title, "half that was not fitted on", runs, unseen, ()),
            *search_figures(part.title, "half that was fitted on", runs, seen, fitted),
        )
        return halves, ()

    async def _search(self, name: str, corpus: Corpus, topics: Topics) -> Mapping[str, QueryResult]:
        work = RetrievalTask(corpus, topics, DEPTH, None, self.task.fresh)
        run = await measure_retrieval(
            work, self.emit, lambda done, every: self.say(f"{name}: measured {done:,} of {every:,} queries")
        )
        return run.results

    async def measure_answers(self, part: AnswerPart) -> PartResult:
        """Each regime an arm; one judge for all."""
        data = self._read_set(part.set, round(self.task.cases * part.share), part.kind)
        settings = await self._answering_settings(part.corpus)
        figures: list[ScorecardFigure] = []
        runs = []
        async with open_judge(self.task.judge, self.task.settings) as judge:
            for regime in part.regimes:
                out = self.folder / f"{data.name}{part.kind}.{data.limit}.{regime}.jsonl"
                budget = RunBudget(RunLimit())
                task = AnswerTask(data, regime, settings, out, judge, budget, self.task.fresh, self.task.parallel)
                say = partial(self._say_answered, f"{part.title}, {regime}")
                runs.append(await answer_questions(task, self.emit, say))
                figures += answer_figures(runs[-1], part.title, regime)
        return figures, runs

    def _say_answered(self, arm: str, done: int, every: int) -> None:
        self.say(f"{arm}: answered {done:,} of {every:,} cases")

    async def measure_cited(self, name: str) -> PartResult:
        """What answers cite, as Link-Eval and ALCE count it. What is refused or fails is counted."""
        cases = self._read_set(name, self.task.cited).cases
        settings = await self._answering_settings(RESEARCH)
        rows: list[RecordedAnswer] = []
        failed = 0
        async with (
            config.open_context(settings, emit=self.emit) as context,
            open_judge(self.task.judge, self.task.settings) as judge,
        ):
            for place, case in enumerate(cases):
                self.say(f"citations: answered {place:,} of {len(cases):,} questions")
                try:
                    answer = await ask(build_question(case, "allowed"), context)
                except WellsourcedError:
                    failed += 1
                    continue
                rows += [] if answer.abstained else [RecordedAnswer(id=case.id, answer=answer)]
            self.say(f"citations: judging {len(rows):,} answers")
            data = RecordedAnswers(tuple(rows), "answers", "", len(rows))
            means = average_answers(await measure_answers(data, judge, VALID_ABOVE))
        refused = len(cases) - len(rows) - failed
        title = f"{name}, {len(cases):,} questions, {refused:,} refused, {failed:,} failed"
        return [citation_figure(title, metric, means[metric][0]) for metric in means if metric in CITATION_FIGURES], ()

    async def _open_corpus(self, wanted: CorpusFile) -> Corpus:
        """The corpus of this file. Raises NotFoundError when the file is not there."""
        if wanted.file not in self._corpora:
            path = self.task.data / wanted.file
            if not path.is_file():
                raise NotFoundError(f"{path} is not there.")
            self._corpora[wanted.file] = await open_corpus(str(path), self.task.settings, wanted.kind, self.emit)
        return self._corpora[wanted.file]

    async def _answering_settings(self, wanted: CorpusFile | None) -> config.Settings:
        """What answers a question: the guidelines as `wellsourced ask` has them, and the corpus."""
        if wanted is None:
            return self.task.settings.model_copy(update={"libraries": (config.GUIDELINES,), "live": ()})
        corpus = await self._open_corpus(wanted)
        libraries = (corpus.library, *((config.GUIDELINES,) if self.task.settings.guidelines else ()))
        return corpus.settings.model_copy(update={"libraries": libraries, "live": ()})

    def _read_set(self, name: str, limit: int, kind: str = "") -> QuestionSet:
        if name in TOPIC_SETS:
            return read_topic_cases(self.task.data / "retrieval", name, limit)
        return read_questions(find_set(name, self.task.data), "", limit, kinds=(kind,) if kind else ())


def _list_fitted_parts(judge: str, pairs: LabelledPairs) -> list[FittedPart]:
    """What of the judge was fitted on these pairs; and whether it was measured on them how far it is believed."""
    every = len(pairs.rows)
    found = [
        FittedPart(f"{one.pairs:,} of {every:,}", f"of the judge {one.what}", one.script)
        for one in list_fitted_pairs(judge, pairs.rows)
    ]
    threshold = "from which score on the judge is believed (evidence.json)"
    script = "benchmarks/written_statements/earn.py"
    return [*found, *(FittedPart("all", threshold, script) for _ in list_measured_files(judge, pairs.files))]


def read_query_metadata(path: Path) -> dict[str, Mapping[str, Any]]:
    """Query → what its line says beside its text. Raises UnreadableFile."""
    return {str(row["_id"]): row.get("metadata") or {} for row in (parse_row(line) for _, line in iter_lines(path))}


def read_topic_cases(folder: Path, name: str, limit: int) -> QuestionSet:
    """The queries of a set as cases; those whose answer is on several pages are not asked, and counted.

    Raises UnreadableFile.
    """
    path = folder / f"{name}.queries.jsonl.gz"
    metadata = read_query_metadata(path)
    drawn = read_topics(path, folder / f"{name}.qrels.tsv.gz", limit)
    cases = tuple(
        QuestionCase(
            id=query,
            question=text,
            sources=tuple(document for document, grade in drawn.qrels[query].items() if grade > 0),
            group=str(metadata[query].get("group", query)),
        )
        for query, text in drawn.texts.items()
        if not metadata[query].get("answer_not_unique")
    )
    skipped = {"answer not unique": len(drawn.texts) - len(cases)} if len(cases) < len(drawn.texts) else {}
    return QuestionSet(name, "queries", hash_file(path)[:16], cases, len(metadata), limit, SEED, skipped)
