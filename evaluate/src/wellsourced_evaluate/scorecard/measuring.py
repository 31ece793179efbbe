"""What a scorecard measures, and every part measured in turn.

Answers and rankings that are on the disk are not asked for again.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from wellsourced import config
from wellsourced.confidence import ConfidenceInterval, wilson_interval
from wellsourced.errors import NotFoundError, WellsourcedError
from wellsourced.events import Emit
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.text.tables import read_rows
from wellsourced_evaluate.beir import SEED, hash_file, read_topics
from wellsourced_evaluate.corpus import EVALUATION_FOLDER, Corpus, open_corpus
from wellsourced_evaluate.development_data import CORPORA
from wellsourced_evaluate.fitting.models import is_fitted_half
from wellsourced_evaluate.labelled_pairs import list_fitted_pairs, list_measured_files, read_pairs
from wellsourced_evaluate.metrics import METRICS
from wellsourced_evaluate.opened_judges import open_judge
from wellsourced_evaluate.questions.answer_run import AnswerRun, find_runs
from wellsourced_evaluate.questions.answering import AnswerTask, answer_questions
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import QuestionSet, Regime, find_set, read_questions
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit
from wellsourced_evaluate.questions.scores import score_run
from wellsourced_evaluate.recorded_rows import Progress, parse_object
from wellsourced_evaluate.retrieval import DEPTH, QueryResult, RetrievalTask, hash_code, measure_retrieval
from wellsourced_evaluate.statistics import bootstrap_mean
from wellsourced_evaluate.verification import JudgedPair, compute_figures, judge_pairs

WORDS_ALONE: Mapping[str, Any] = {"encoder": "none", "expand": (), "planner": "original", "reranker": "none"}
"""The settings of the preset `words`: BM25 with stemming, the floor of a search."""

SEARCH_METRICS = ("nDCG@10", "R@100")

# --- the table -------------------------------------------------------------------------------------------------------

PartKind = Literal["verification", "search", "answers", "recorded"]
"""Claims with texts, put to the judge of support; queries, put to the search and to BM25 alone, which is the floor;
questions, put to the whole system; runs that were recorded before. They are measured in this order."""


class ScorecardPart(NamedTuple):
    """A set, as one kind of part is measured on it.

    corpus   that is searched, by its name in `CORPORA`; "": the guidelines alone
    asked    the kind of questions that are asked; "": all
    share    of the cases that are asked of other sets
    file     where a set lies that is not in the folder of data
    """

    kind: PartKind
    title: str
    set: str
    corpus: str = ""
    regimes: tuple[Regime, ...] = ("allowed",)
    asked: str = ""
    share: float = 1.0
    file: Path | None = None

    @property
    def name(self) -> str:
        """As it is said how long it took, or why it could not be measured."""
        return f"{self.kind}: {self.title}" if self.title else "recorded runs"


BOTH: tuple[Regime, ...] = ("allowed", "excluded")
PARTS = (
    ScorecardPart("verification", "SciFact", "scifact"),
    ScorecardPart("verification", "Evidence Inference", "evidence_inference"),
    ScorecardPart("verification", "K-QA", "kqa"),
    ScorecardPart("verification", "Statements as language models write them", "as_written"),
    ScorecardPart("search", "PubMedQA", "pubmedqa", "research"),
    ScorecardPart("search", "BioASQ", "bioasq", "research"),
    ScorecardPart("search", "Evidence Inference", "evidence_inference", "research"),
    ScorecardPart("search", "MedQuAD", "medquad", "consumer"),
    ScorecardPart("search", "SciFact", "scifact", "scifact"),
    ScorecardPart("answers", "PubMedQA (yes, no, maybe)", "pubmedqa", "research", BOTH),
    ScorecardPart("answers", "BioASQ (yes, no)", "bioasq", "research", BOTH, "yesno"),
    ScorecardPart("answers", "BioASQ (factoids)", "bioasq", "research", BOTH, "factoid", 0.5),
    ScorecardPart("answers", "BioASQ (lists)", "bioasq", "research", BOTH, "list", 0.5),
    ScorecardPart("answers", "BioASQ (summaries)", "bioasq", "research", BOTH, "summary", 0.5),
    ScorecardPart("answers", "Evidence Inference (effect in a trial)", "evidence_inference", "research", BOTH),
    ScorecardPart("answers", "MedQuAD (pages for patients)", "medquad", "consumer", BOTH),
    ScorecardPart("answers", "K-QA (patients' questions)", "kqa", "consumer"),
    ScorecardPart("answers", "Questions on guidelines", "guideline_facts"),
)

TOPIC_SETS = ("medquad",)
"""Sets of which no answers are known, only the documents that have them."""


class ScorecardTask(NamedTuple):
    """What is measured.

    data        folder of the sets
    settings    under which everything is asked
    cases       questions of a set that are answered, at most; 0: all
    queries     of a set that are put to the search, at most; 0: all
    judge       who says what supports what
    kinds       of parts that are measured
    questions   files of further questions, which the guidelines alone answer
    claims      files of further claims with texts
    runs        files or folders of runs that were recorded before, with a language model say: they are told, not asked
    fresh       measure again what was measured before
    parallel    questions that are asked at the same time
    """

    data: Path
    settings: config.Settings
    cases: int
    queries: int
    judge: str
    kinds: Sequence[str]
    questions: tuple[Path, ...] = ()
    claims: tuple[Path, ...] = ()
    runs: tuple[Path, ...] = ()
    fresh: bool = False
    parallel: int = 1

    def list_parts(self) -> list[ScorecardPart]:
        """What is measured, in order."""
        more = [ScorecardPart("verification", path.name, path.name, file=path) for path in self.claims]
        more += [ScorecardPart("answers", path.name, str(path)) for path in self.questions]
        more += [ScorecardPart("recorded", "", "")] if self.runs else []
        wanted = [part for part in (*PARTS, *more) if part.kind in (*self.kinds, "recorded")]
        return sorted(wanted, key=lambda part: get_args(PartKind).index(part.kind))


# --- figures ---------------------------------------------------------------------------------------------------------


class FittedPart(NamedTuple):
    """What was fitted on how many of the cases of a part, by which script."""

    cases: str
    what: str
    script: str


class ScorecardFigure(NamedTuple):
    """A figure as it is in the scorecard.

    arm         under what it was measured: the regime, or the half of the queries
    interval    the figure and its 95 % interval; None: it applies to nothing here
    of          in how many things it is measured: cases, facts, queries or pairs
    floor       what is reached without reading anything, or by the plainest way; None: none is known
    fitted      what was fitted on these cases; none: nothing
    """

    kind: PartKind
    title: str
    arm: str
    metric: str
    interval: ConfidenceInterval | None
    of: str
    floor: float | None = None
    floor_name: str = ""
    fitted: tuple[FittedPart, ...] = ()

    @property
    def standing(self) -> str:
        """Where its interval lies: "worse" than the floor, "better", or around it: "no significant difference"."""
        if self.floor is None or self.interval is None:
            return ""
        below, above = self.interval.high < self.floor, self.interval.low > self.floor
        if METRICS[self.metric].lower:
            below, above = above, below
        return "worse" if below else "better" if above else "no significant difference"

    @property
    def margin(self) -> float:
        """How far on the good side of its floor; what has none comes last."""
        if self.interval is None or self.floor is None:
            return float("inf")
        return (self.interval.mean - self.floor) * (-1 if METRICS[self.metric].lower else 1)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = {**self._asdict(), "standing": self.standing}
        del told["interval"]
        return told | dict(zip(("value", "low", "high"), self.interval or (None, None, None), strict=True))


class MeasuredPart(NamedTuple):
    """What came of a part: figures, or the reason why there are none; the seconds it took, and what was recorded."""

    name: str
    figures: tuple[ScorecardFigure, ...]
    seconds: float
    reason: str = ""
    runs: tuple[AnswerRun, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {**self._asdict(), "runs": [str(run.path) for run in self.runs]}


def _know_interval(values: Iterable[float | None]) -> ConfidenceInterval | None:
    """A figure and its bounds, where they are numbers."""
    known = [value for value in values if value is not None and not isnan(value)]
    return ConfidenceInterval(*known) if len(known) == len(ConfidenceInterval._fields) else None


def answer_figures(run: AnswerRun, kind: PartKind, title: str, arm: str) -> list[ScorecardFigure]:
    """The figures of a run, with what was fitted on its cases."""
    fitted = tuple(
        FittedPart(f"{share.cases:,} of {len(run.records):,}", share.what, share.script)
        for share in list_fitted(str(run.header.data["name"]), run.records.values())
    )
    return [
        ScorecardFigure(
            *(kind, title, arm, one.metric, _know_interval((one.value, one.low, one.high))),
            *(f"{one.part:,} of {one.of:,}", one.floor, one.floor_name, fitted),
        )
        for one in score_run(run).figures
    ]


def verification_figures(
    title: str, judged: Sequence[JudgedPair], seconds: float, fitted: tuple[FittedPart, ...]
) -> list[ScorecardFigure]:
    """How often the judge is right, and how far that can be believed which it confirms or denies."""
    told = compute_figures(judged, seconds)
    (commonest, most), *_ = Counter(one.pair.label for one in judged).most_common(1)
    so = np.array([one.pair.label == "supports" for one in judged])
    likely = np.array([one.verdict.label == "supports" for one in judged])
    confirmed = np.array([one.verdict.is_confirmed for one in judged])
    denied = np.array([one.verdict.status == "contradicted" for one in judged])
    share, every = float(so.mean()), "saying so of every pair"
    counts = (
        ("likely_precision", so[likely], share, every),
        ("confirmed_precision", so[confirmed], share, every),
        ("confirmed_recall", confirmed[so], None, ""),
        ("denied_precision", ~so[denied], 1 - share, every),
    )
    of_all = f"{told.n - told.unjudged:,} of {told.n:,} pairs"
    rows: list[tuple[str, ConfidenceInterval, str, float | None, str]] = [
        ("accuracy", told.accuracy, of_all, most / len(judged), f"always “{commonest}”"),
        ("macro_f1", told.macro_f1, of_all, None, ""),
        ("support", told.support, of_all, 0.5, "chance"),
    ]
    for metric, right, floor, name in counts:
        found = int(right.sum())
        of = f"{found:,} of {len(right):,} pairs"
        rows.append((metric, wilson_interval(found, len(right)), of, floor, name))
    return [
        ScorecardFigure("verification", title, "", metric, _know_interval(mean), of, floor, name, fitted)
        for metric, mean, of, floor, name in rows
    ]


def find_fitted_searches(name: str) -> tuple[FittedPart, ...]:
    """What was fitted on one half of the queries of a set, as `fitted_searches.tsv` has it; nothing where none was."""
    rows = read_rows("wellsourced_evaluate.scorecard", "fitted_searches.tsv")
    return tuple(FittedPart("all", what, script) for named, what, script in rows if named == name)


def read_query_metadata(path: Path) -> dict[str, Mapping[str, Any]]:
    """Query → what its line says beside its text. Raises UnreadableFile."""
    return {str(row["_id"]): row.get("metadata") or {} for row in (parse_object(line) for _, line in iter_lines(path))}


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


# --- measuring -------------------------------------------------------------------------------------------------------


async def measure_scorecard(task: ScorecardTask, emit: Emit, say: Callable[[str], None]) -> AsyncIterator[MeasuredPart]:
    """Each part as it is done. What cannot be measured says why, and the others are measured."""
    work = _ScorecardWork(task, emit, say)
    for part in task.list_parts():
        begun, reason = time.perf_counter(), ""
        try:
            figures, runs = await work.measure(part)
        except WellsourcedError as error:
            figures, runs, reason = [], [], str(error)
        yield MeasuredPart(part.name, tuple(figures), round(time.perf_counter() - begun, 1), reason, tuple(runs))


class _ScorecardWork:
    """How each kind of part is measured."""

    def __init__(self, task: ScorecardTask, emit: Emit, say: Callable[[str], None]) -> None:
        self.task, self.emit, self.say = task, emit, say
        self.folder = task.settings.home / EVALUATION_FOLDER / "scorecard" / hash_code()
        self._corpora: dict[str, Corpus] = {}

    async def measure(self, part: ScorecardPart) -> tuple[list[ScorecardFigure], list[AnswerRun]]:
        """The figures of a part, and the runs behind them. Raises WellsourcedError."""
        arms: list[tuple[AnswerRun, str, str]]
        match part.kind:
            case "verification":
                return await self._measure_pairs(part), []
            case "search":
                return await self._measure_search(part), []
            case "answers":
                runs = await self._answer(part)
                arms = [(run, part.title, run.header.regime) for run in runs]
            case "recorded":
                runs = []
                recorded = [(run, run.header) for run in find_runs(list(self.task.runs))]
                arms = [
                    (run, str(one.data["name"]), f"{one.preset}, {one.regime}, written by {one.model}")
                    for run, one in recorded
                ]
        return [figure for run, title, arm in arms for figure in answer_figures(run, part.kind, title, arm)], runs

    def _show(self, done_so: str, things: str) -> Progress:
        return lambda done, every: self.say(f"{done_so} {done:,} of {every:,} {things}")

    async def _measure_pairs(self, part: ScorecardPart) -> list[ScorecardFigure]:
        """The judge of support on pairs whose label is known."""
        path = part.file or self.task.data / "verification" / f"{part.set}.pairs.jsonl.gz"
        pairs = read_pairs([path], None, 0)
        async with open_judge(self.task.judge, self.task.settings) as judge:
            judged, seconds = await judge_pairs(pairs.rows, judge, self._show(f"{part.title}: judged", "pairs"))
        fitted = [
            FittedPart(f"{one.pairs:,} of {len(pairs.rows):,}", f"of the judge {one.what}", one.script)
            for one in list_fitted_pairs(judge.name, pairs.rows)
        ]
        believed = "from which score on the judge is believed (evidence.json)"
        measured = FittedPart("all", believed, "wellsourced_evaluate/fitting/evidence.py")
        fitted += [measured for _ in list_measured_files(judge.name, pairs.files)]
        return verification_figures(part.title, judged, seconds, tuple(fitted))

    async def _measure_search(self, part: ScorecardPart) -> list[ScorecardFigure]:
        """The search as the settings have it, and BM25 alone; queries that were fitted on apart from the others."""
        folder = self.task.data / ("verification" if part.set == "scifact" else "retrieval")
        path = folder / f"{part.set}.queries.jsonl.gz"
        topics = read_topics(path, folder / f"{part.set}.qrels.tsv.gz", self.task.queries)
        corpus = await self._open_corpus(part.corpus)
        plain = corpus._replace(settings=corpus.settings.model_copy(update=dict(WORDS_ALONE)))
        runs: list[Mapping[str, QueryResult]] = []
        for name, searched in ((part.title, corpus), (f"{part.title}, BM25 alone", plain)):
            say = self._show(f"{name}: measured", "queries")
            task = RetrievalTask(searched, topics, DEPTH, None, self.task.fresh)
            runs.append((await measure_retrieval(task, self.emit, say)).results)

        def compare(arm: str, asked: Sequence[str], fitted: tuple[FittedPart, ...] = ()) -> list[ScorecardFigure]:
            """Means over these queries; one that failed in one of the runs counts 0 there."""
            figures = []
            for metric in SEARCH_METRICS if asked else ():
                columns = (np.array([found[query].measures.get(metric, 0.0) for query in asked]) for found in runs)
                mine, floor = map(bootstrap_mean, columns)
                of = f"{len(asked):,} queries"
                told = (metric, _know_interval(mine), of, floor.mean, "BM25 alone", fitted)
                figures.append(ScorecardFigure("search", part.title, arm, *told))
            return figures

        fitted = find_fitted_searches(part.set)
        if not fitted:
            return compare("all", [*topics.texts])
        groups = {query: str(one.get("group", query)) for query, one in read_query_metadata(path).items()}
        seen = [query for query in topics.texts if is_fitted_half(groups.get(query, query))]
        unseen = [query for query in topics.texts if query not in {*seen}]
        return [
            *compare("half that was not fitted on", unseen),
            *compare("half that was fitted on", seen, fitted),
        ]

    async def _answer(self, part: ScorecardPart) -> list[AnswerRun]:
        """A run for each regime; one judge for all."""
        data = self._read_set(part, round(self.task.cases * part.share))
        settings = await self._answering_settings(part.corpus)
        runs = []
        async with open_judge(self.task.judge, self.task.settings) as judge:
            for regime in part.regimes:
                out = self.folder / f"{data.name}{part.asked}.{data.limit}.{regime}.jsonl"
                budget = RunBudget(RunLimit())
                task = AnswerTask(data, regime, settings, out, judge, budget, self.task.fresh, self.task.parallel)
                say = self._show(f"{part.title}, {regime}: answered", "cases")
                runs.append(await answer_questions(task, self.emit, say))
        return runs

    async def _open_corpus(self, name: str) -> Corpus:
        """The corpus of this name. Raises NotFoundError when its file is not there."""
        if name not in self._corpora:
            wanted = CORPORA[name]
            path = self.task.data / wanted.file
            if not path.is_file():
                raise NotFoundError(f"{path} is not there.")
            self._corpora[name] = await open_corpus(str(path), self.task.settings, wanted.kind, self.emit)
        return self._corpora[name]

    async def _answering_settings(self, name: str) -> config.Settings:
        """What answers a question: the guidelines as `wellsourced ask` has them, and the corpus."""
        if not name:
            return self.task.settings.model_copy(update={"libraries": (config.GUIDELINES,), "live": ()})
        corpus = await self._open_corpus(name)
        libraries = (corpus.library, *((config.GUIDELINES,) if self.task.settings.guidelines else ()))
        return corpus.settings.model_copy(update={"libraries": libraries, "live": ()})

    def _read_set(self, part: ScorecardPart, limit: int) -> QuestionSet:
        if part.set in TOPIC_SETS:
            return read_topic_cases(self.task.data / "retrieval", part.set, limit)
        return read_questions(find_set(part.set, self.task.data), "", limit, kinds=(part.asked,) if part.asked else ())
