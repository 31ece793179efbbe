"""Which queries found what supports the right answer: by gold documents, by a judge of support, or by another signal.

The other signals are those that Omni-RAG compares its own with: how near the passages are to the question (RaFe, Mao et
al., 2024), and whether a reader answers better with them than without (“trainable”, Ma et al., 2023).

What nobody could say is excluded and never negative: a search that failed, a judge that gives no verdict.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from wellsourced.config.encoders import build_reranker, open_encoder
from wellsourced.config.models import open_models
from wellsourced.config.settings import Settings
from wellsourced.errors import ModelError, NextStep, SettingsError, SourceRefused
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model, Prompt, Reply
from wellsourced.text.sanitization import short_line
from wellsourced.types import Value
from wellsourced_evaluate.beir import Qrels
from wellsourced_evaluate.opened_judges import open_judge
from wellsourced_evaluate.planning.exploration import SHOWN, Exploration, ExploredQuestion, RecordedSearch
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog, hold_file
from wellsourced_evaluate.recorded_rows import Progress
from wellsourced_evaluate.statistics import cohen_kappa
from wellsourced_evaluate.tables import Block, Part, Table, Text
from wellsourced_evaluate.text_metrics import load_text_metrics

RANKER, READER = "ranker", "reader"
"""The other signals, as they are named where judges are."""

NEAR_LOGIT = 2.3
"""Mean logit from which passages are near, of the paper's cross-encoder. Every other ranker has one of its own."""

SearchLabel = Literal["positive", "negative", "excluded"]


class SearchVerdict(Value):
    """What is said of one query."""

    label: SearchLabel
    reason: str = ""


class JudgedQuestion(Value):
    """The verdicts on the searches of a question, in their order.

    explored   hash of what was judged
    error      why it is to be judged again; "" as a rule
    """

    id: str
    explored: str
    verdicts: tuple[SearchVerdict, ...]
    error: str = ""


class JudgementHeader(LogHeader):
    """Who judged which exploration, and how many passages of each query they were shown."""

    judge: str
    exploration: str
    shown: int = SHOWN


JUDGEMENT_LOG = LogForm(
    JudgementHeader,
    TypeAdapter(JudgedQuestion),
    key=lambda one: one.id,
    stands=lambda one: not one.error,
    contents="judgements of queries",
    another="holds judgements of another exploration or judge",
    remedy="Give a file that `wellsourced evaluate planner judge --out` wrote.",
)


class SearchJudge(NamedTuple):
    """Who judges searches: of which questions, and how. `judge` raises ModelError when nobody answers."""

    name: str
    can_judge: Callable[[ExploredQuestion], bool]
    judge: Callable[[ExploredQuestion, RecordedSearch], Awaitable[SearchVerdict]]


def judge_by_gold_documents(qrels: Qrels, name: str) -> SearchJudge:
    """Positive where a document that is known to answer is among those shown."""
    gold = {id: {document for document, grade in grades.items() if grade > 0} for id, grades in qrels.items()}

    async def judge(question: ExploredQuestion, search: RecordedSearch) -> SearchVerdict:
        found = sorted(gold[question.id].intersection(search.documents[:SHOWN]))
        return SearchVerdict(label="positive" if found else "negative", reason=", ".join(found))

    return SearchJudge(f"gold documents ({name})", lambda question: bool(gold.get(question.id)), judge)


def judge_by_support(judge: Judge) -> SearchJudge:
    """Positive where one of the passages supports the right answer, whether or not that is right."""

    async def judge_search(question: ExploredQuestion, search: RecordedSearch) -> SearchVerdict:
        pairs = [Pair(question.gold, question.texts[id]) for id in search.passages[:SHOWN]]
        verdicts = await judge.judge(pairs)
        if support := next((one for one in verdicts if one.label == "supports"), None):
            return SearchVerdict(label="positive", reason=short_line(support.reason))
        if lacking := next((one for one in verdicts if one.label == "unjudged"), None):
            return SearchVerdict(label="excluded", reason=short_line(lacking.reason or "the judge gives no verdict"))
        return SearchVerdict(label="negative")

    return SearchJudge(judge.name, lambda question: bool(question.gold.strip()), judge_search)


def judge_by_nearness(ranker: Judge, above: float = NEAR_LOGIT) -> SearchJudge:
    """Positive where the mean logit of the passages, as answers to the question, is above a threshold (RaFe).

    Which mean the paper takes is not published. What is right is not looked at.
    """

    async def judge_search(question: ExploredQuestion, search: RecordedSearch) -> SearchVerdict:
        asked = question.asked or question.question
        verdicts = await ranker.judge([Pair(asked, question.texts[id]) for id in search.passages[:SHOWN]])
        mean = fmean(_logit(one.score) for one in verdicts)
        return SearchVerdict(label="positive" if mean > above else "negative", reason=f"mean logit {mean:.2f}")

    return SearchJudge(f"{ranker.name} above {above}", lambda _: True, judge_search)


def _logit(score: float) -> float:
    bounded = min(max(score, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))


class ShortAnswer(Reply):
    """A short answer; where options are given, the letter of one."""

    answer: str


class AnswerShortly(Prompt[ShortAnswer]):
    """Answer the question in a sentence, from the passages where any are shown. With options, give one letter alone."""

    question: str
    options: dict[str, str]
    passages: tuple[str, ...] = ()


def judge_by_reader(model: Model) -> SearchJudge:
    """Positive where a reader answers strictly better with the passages than without (“trainable”).

    Better is right rather than wrong where there are options, and else a higher ROUGE-L with the right answer.
    """
    alone: dict[str, float] = {}

    async def read(question: ExploredQuestion, passages: tuple[str, ...] = ()) -> float:
        asked = AnswerShortly(question=question.question, options=question.options, passages=passages)
        answer = (await model.complete(asked)).answer.strip()
        if question.options:
            return float(question.options.get(answer.strip(".:()").upper()) == question.gold)
        return load_text_metrics()["ROUGE-L"](question.gold, answer)

    async def judge_search(question: ExploredQuestion, search: RecordedSearch) -> SearchVerdict:
        if question.id not in alone:
            alone[question.id] = await read(question)
        score = await read(question, tuple(question.texts[id] for id in search.passages[:SHOWN]))
        label: SearchLabel = "positive" if score > alone[question.id] else "negative"
        return SearchVerdict(label=label, reason=f"{score:.2f}, and {alone[question.id]:.2f} without")

    return SearchJudge(f"reader {model.name}", lambda question: bool(question.gold.strip()), judge_search)


@asynccontextmanager
async def open_search_judge(name: str, above: float | None, settings: Settings) -> AsyncIterator[SearchJudge]:
    """Who judges without gold documents: one of the other signals, or a judge of support. Raises SettingsError.

    above   threshold of the ranker; None: the paper's
    """
    if name == RANKER:
        ranker = build_reranker(settings, open_encoder(settings))
        if ranker is None:
            raise SettingsError("The reranker is to judge, and the settings have none (reranker=none).")
        yield judge_by_nearness(ranker, NEAR_LOGIT if above is None else above)
    elif name == READER:
        async with AsyncExitStack() as stack:
            models = await open_models(settings, None, stack)
            if not models.has_model:
                raise SettingsError(
                    "A reader is a language model, and none is set.", next_step=NextStep("choose model")
                )
            yield judge_by_reader(models.assistant or models.model)
    else:
        async with open_judge(name, settings) as opened:
            yield judge_by_support(opened)


class Judgements(NamedTuple):
    """The verdicts on an exploration."""

    header: JudgementHeader
    questions: dict[str, JudgedQuestion]


def read_judgements(path: Path) -> Judgements:
    """What a file holds. Raises UnreadableFile."""
    return Judgements(*JUDGEMENT_LOG.read(path)[:2])


async def judge_exploration(
    exploration: Exploration, judge: SearchJudge, out: Path, say: Progress, *, fresh: bool
) -> Judgements:
    """Judge every question that was not yet, or was explored again since. Raises SourceRefused."""
    able = [one for one in exploration.questions.values() if judge.can_judge(one)]
    if not able:
        raise SourceRefused(f"{judge.name} can judge none of {exploration.path}: no question has a known answer.")
    header = JudgementHeader(judge=judge.name, exploration=exploration.header.hash)
    with hold_file(out), RecordLog(out, header, JUDGEMENT_LOG, fresh=fresh) as log:
        left = [one for one in able if one.id not in log.records or log.records[one.id].explored != one.hash]
        for place, question in enumerate(left, len(able) - len(left)):
            say(place, len(able))
            log.add(await _judge_question(question, judge))
        return Judgements(header, log.records)


async def _judge_question(question: ExploredQuestion, judge: SearchJudge) -> JudgedQuestion:
    """One search after another; passages that several queries found are judged once."""
    known: dict[tuple[str, ...], SearchVerdict] = {(): SearchVerdict(label="negative", reason="nothing was found")}
    verdicts: list[SearchVerdict] = []
    error = question.error
    for search in question.searches:
        shown = search.passages[:SHOWN]
        if search.status == "failed":
            verdicts.append(SearchVerdict(label="excluded", reason=f"the search failed: {search.error}"))
            continue
        try:
            known[shown] = known.get(shown) or await judge.judge(question, search)
        except ModelError as failure:
            known[shown] = SearchVerdict(label="excluded", reason=short_line(str(failure)))
        verdicts.append(known[shown])
        # Whoever did not answer now may answer later.
        error = known[shown].reason if known[shown].label == "excluded" else error
    return JudgedQuestion(id=question.id, explored=question.hash, verdicts=tuple(verdicts), error=error)


def pair_verdicts(exploration: Exploration, judged: JudgedQuestion) -> list[tuple[RecordedSearch, SearchVerdict]]:
    """Each search with what is said of it. Raises SourceRefused for a judgement of something else."""
    question = exploration.questions.get(judged.id)
    if question is None or question.hash != judged.explored:
        raise SourceRefused(f"The judgement of {judged.id} is not of {exploration.path}. Judge that file again.")
    return list(zip(question.searches, judged.verdicts, strict=True))


# --- reporting -------------------------------------------------------------------------------------------------------


class JudgeAgreement(NamedTuple):
    """How far a judge agrees with another, taken as truth, on the searches that both labelled."""

    searches: int
    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    kappa: float | None


def compare_judges(judged: Judgements, truth: Judgements) -> JudgeAgreement:
    """Compare two judgements of one exploration."""
    pairs = [
        (mine.label, its.label)
        for id, question in judged.questions.items()
        if id in truth.questions and question.explored == truth.questions[id].explored
        for mine, its in zip(question.verdicts, truth.questions[id].verdicts, strict=True)
        if "excluded" not in (mine.label, its.label)
    ]
    counts = Counter(pairs)
    right, wrong = counts["positive", "positive"], counts["positive", "negative"]
    missed = counts["negative", "positive"]
    return JudgeAgreement(
        len(pairs),
        _divide(len(pairs) - wrong - missed, len(pairs)),
        _divide(right, right + wrong),
        _divide(right, right + missed),
        _divide(2 * right, 2 * right + wrong + missed),
        cohen_kappa(pairs),
    )


def _divide(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def judgement_blocks(
    exploration: Exploration, judged: Judgements, agreement: JudgeAgreement | None = None
) -> Iterator[Block]:
    """The labels by source, what could not be judged, and how far two judges agree."""
    pairs = [pair for one in judged.questions.values() for pair in pair_verdicts(exploration, one)]
    counts = Counter((search.source, verdict.label) for search, verdict in pairs)
    labels: tuple[SearchLabel, ...] = ("positive", "negative", "excluded")
    whole = Counter(search.source for search, _ in pairs)
    rows = [(name, *(Part(counts[name, label], whole[name]) for label in labels)) for name in sorted(whole)]
    yield Table(("source", *labels), rows)
    if unjudged := len(exploration.questions) - len(judged.questions):
        yield Text(f"{unjudged:,} questions have no known answer and were not judged.")
    if failed := sum(bool(one.error) for one in judged.questions.values()):
        yield Text(f"{failed:,} questions could not be judged. Run the command again to judge them.", True)
    if agreement:
        yield Table(agreement._fields, [agreement])
