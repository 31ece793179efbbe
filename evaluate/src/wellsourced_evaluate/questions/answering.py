"""Every case put to the whole system, as `wellsourced.api.ask` answers it, and recorded as soon as it is answered."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, SourceError, SourceRefused, SourceUnavailable, WellsourcedError
from wellsourced.events import Emit
from wellsourced.judges.base import Judge
from wellsourced.sources.base import IncrementalIndex, Source
from wellsourced.types import Question
from wellsourced_evaluate.contexts.documents import build_case_document, fix_context
from wellsourced_evaluate.questions.answer_marks import (
    describe_answer,
    find_document,
    locate_snippets,
    lose_marks,
    mark_exact,
    mark_facts,
)
from wellsourced_evaluate.questions.answer_run import (
    ANSWER_LOG,
    AnswerLog,
    AnswerRecord,
    AnswerRun,
    AnswerRunHeader,
    RecordedSource,
    hash_parts,
    read_answer_run,
)
from wellsourced_evaluate.questions.case_queue import WRITE_SECONDS, CaseQueue, hold_appending, remove_claims
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import (
    QuestionSet,
    Regime,
    build_question,
    require_gold,
    require_regime,
)
from wellsourced_evaluate.questions.fitted_sets import fingerprint_sets
from wellsourced_evaluate.questions.recorded_searches import ArmSearches, SharedSearches, makes_searches
from wellsourced_evaluate.questions.run_budget import CallTally, RunBudget
from wellsourced_evaluate.record_log import RecordLog, hold_file
from wellsourced_evaluate.retrieval import changed_settings, hash_code, relevant_settings

log = logging.getLogger(__name__)

DEFAULT_PRESET = "default"


class AnswerTask(NamedTuple):
    """One arm: what is asked, under which settings, and the file in which its answers are recorded.

    judge      who says whether what has no pattern is said: one for all arms, so that these can be compared
    budget     what all arms together may cost
    fresh      ask every case, also those that were answered before
    at_once    cases that are asked at the same time
    is_shared  other processes ask cases of the same run at the same time
    searches   where all arms read the same searches; None: each searches for itself
    """

    data: QuestionSet
    regime: Regime
    settings: config.Settings
    out: Path
    judge: Judge
    budget: RunBudget
    fresh: bool = False
    at_once: int = 1
    searches: SharedSearches | None = None
    is_shared: bool = False

    @property
    def is_oracle(self) -> bool:
        """Whether each case is answered from the passages that are known to answer it, without a search."""
        return self.settings.planner == "given"

    def require_fields(self) -> None:
        """Raise SourceRefused, naming cases, where a case lacks what this arm needs of it."""
        require_regime(self.data, self.regime)
        if self.is_oracle:
            require_gold(self.data)


async def answer_questions(task: AnswerTask, emit: Emit, say: Callable[[int, int], None]) -> AnswerRun:
    """Ask every case that has no answer yet; each is on the disk as soon as it is answered.

    say   hears how many cases are done, of how many

    Raises SourceRefused when the regime says nothing of a case, when nothing can be searched, or when the file holds
    another run; SourceUnavailable while another process writes it. What a question raises is recorded with it.
    """
    task.require_fields()
    async with config.open_context(task.settings, emit=emit) as context:
        header = await describe_run(task, context)
        # So many questions have room: they wait in `_answer_rest` for their turn, and not inside.
        policy = context.policy.model_copy(update={"concurrent_questions": task.at_once})
        with ExitStack() as stack:
            stack.enter_context(hold_file(task.out, shared=task.is_shared))
            searches = ArmSearches(None, header.preset)
            if task.searches and makes_searches(header.settings):
                stack.enter_context(hold_file(task.searches.path))
                searches.log = stack.enter_context(task.searches.open(header, task.settings))
                header = header.model_copy(update={"snapshot": searches.log.header.hash})
            writer = stack.enter_context(await _open_log(task, header))
            task.budget.count_earlier((*writer.replaced, *writer.records.values()))
            if searches.log or task.regime in ("as-of", "restricted"):
                context = replace(context, sources=tuple(searches.wrap(one) for one in context.sources))
            await _answer_rest(task, replace(context, policy=policy), writer, searches, say)
            if task.is_shared and len(writer.records) == len(task.data.cases):
                remove_claims(task.out)
    return read_answer_run(task.out)


async def _open_log(task: AnswerTask, header: AnswerRunHeader) -> AnswerLog:
    """The file of a run, to be written; one process after the other opens one that is shared."""
    while True:
        with suppress(SourceUnavailable), hold_appending(task.out) if task.is_shared else nullcontext():
            return RecordLog(task.out, header, ANSWER_LOG, fresh=task.fresh)
        await asyncio.sleep(WRITE_SECONDS)


async def _answer_rest(
    task: AnswerTask, context: Context, writer: AnswerLog, searches: ArmSearches, say: Callable[[int, int], None]
) -> None:
    """The cases that are left, several at once: each worker that has finished one takes the next."""
    every = len(task.data.cases)
    queue = CaseQueue(task.data.cases, writer, is_shared=task.is_shared)
    known = fingerprint_sets()
    stated = {"seed": task.data.seed, "model": writer.header.model, "library": writer.header.library}

    async def work() -> None:
        while True:
            async with queue.claim() as case:
                if case is None or not await task.budget.admit(case.id):
                    return
                try:
                    answered = await answer_case(case, task, context)
                finally:
                    await task.budget.end(case.id)
                searches.require_complete(case.id)
                own = {"at_once": task.at_once, "fitted": known.find_sets(case.question)}
                await queue.add(answered.model_copy(update={**stated, **own}))
                say(len(writer.records), every)

    say(len(writer.records), every)
    # When one ends in an error, such as a full disk, the others do not go on behind its back.
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(task.at_once):
                group.create_task(work())
    except ExceptionGroup as several:
        raise several.exceptions[0] from None


async def answer_case(case: QuestionCase, task: AnswerTask, context: Context) -> AnswerRecord:
    """Ask one case. Whatever goes wrong is recorded as failed, with its reason: it counts, and is not left out."""
    known = case.model_dump(include={"question", "answerable", "as_of", "references", "kind"})
    # Without a language model nothing is decided or chosen, so that no label can be right or wrong.
    known |= {"case": case.id, "group": case.group or case.id, "gold": case.answer if context.has_model else ""}
    known |= {"choices": dict(case.options), "options": len(case.options)}
    known |= {"snippets": await locate_snippets(case, context), "own_source_held": await _holds_source(case, context)}
    asking, judging = (CallTally(partial(task.budget.charge, case.id)) for _ in range(2))
    begun = time.perf_counter()
    took: float | None = None
    try:
        question = build_question(case, task.regime)
        if task.is_oracle:
            question, context = await _give_gold(question, case, context)
        answer = await ask(question, context, asking.hear)
        took = time.perf_counter() - begun
        with use_cost_tracker(CostTracker(emit=judging.hear)):
            marks = await mark_facts(case, answer, task.judge)
        came = {**describe_answer(case, answer, context.encoder), "marks": marks}
    except Exception as error:
        is_known = isinstance(error, WellsourcedError)
        if not is_known:
            log.exception("the case %s failed", case.id)
        lost = {"marks": lose_marks(case), "exact": mark_exact(case.exact, case.question, "", "")}
        came = {"status": "failed", "error": str(error) if is_known else f"{type(error).__name__}: {error}", **lost}
    seconds = time.perf_counter() - begun if took is None else took
    judged = {"judge_calls": judging.calls, "judge_cost": judging.cost, "seconds": round(seconds, 3)}
    return AnswerRecord.model_validate({**known, **came, **asking.to_fields(), **judged})


async def _give_gold(question: Question, case: QuestionCase, context: Context) -> tuple[Question, Context]:
    """What an oracle is asked: the question with the passages that answer it, and nothing else to read.

    The texts of the case's own line, or else its sources as far as they can be opened. Raises NotFoundError of none.
    """
    own = build_case_document(case)
    if own and case.sources:
        own = own.model_copy(update={"reference": own.reference.model_copy(update={"id": case.sources[0]})})
    sources = [(id, f"pubmed:{id}") if id.isdecimal() else (id,) for id in case.sources]
    opened = [own] if own else [await find_document(ids, context, with_live=True) for ids in sources]
    gold = [document for document in opened if document and document.text.strip()]
    if not gold:
        named = ", ".join(case.sources)
        raise NotFoundError(f"no gold passage: the case has no context, and nothing that is searched has {named}")
    given = {"given": tuple(document.reference.id for document in gold), "as_of": None, "exclude": ()}
    return question.model_copy(update=given), fix_context(context, gold)


async def _holds_source(case: QuestionCase, context: Context) -> bool | None:
    """Whether a library has a document from which the question was made; None: not known which, or it may be online."""
    try:
        if not case.sources or any([(await one.describe()).live for one in context.sources]):
            return None
        return await find_document(case.source_ids, context) is not None
    except SourceError:
        return None


async def describe_run(task: AnswerTask, context: Context) -> AnswerRunHeader:
    """What of a run has to be the same for its answers to be the same. Raises SourceRefused where nothing answers."""
    if not context.sources and not context.has_model:
        raise SourceRefused("There is nothing to answer from: no library, no live source and no language model.")
    return AnswerRunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        preset=task.settings.preset or DEFAULT_PRESET,
        model=context.model.name if context.has_model else "extractive",
        judge=task.judge.name,
        data=task.data.to_json(),
        regime=task.regime,
        sources=tuple([await describe_source(one) for one in context.sources]),
        settings=changed_settings(dict(relevant_settings(task.settings))),
    )


async def describe_source(source: Source) -> RecordedSource:
    """A library by what it holds: one that was filled anew with the same files is the same."""
    card = await source.describe()
    sha256 = ""
    if isinstance(source, IncrementalIndex):
        files = sorted((one.sha256, one.documents, one.passages) for one in source.files())
        sha256 = hash_parts([card.kind, card.documents, card.passages, files])
    held = {name: getattr(card, name) for name in ("name", "kind", "documents", "passages")}
    return RecordedSource(**held, sha256=sha256)
