"""Every case put to the whole system, as `wellsourced.api.ask` answers it, and recorded before the next is asked."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import SourceError, SourceRefused, WellsourcedError
from wellsourced.evaluate.questions.answer_marks import (
    cited_documents,
    cited_quotes,
    has_own_source,
    join_texts,
    lead_text,
    mark_facts,
    read_label,
)
from wellsourced.evaluate.questions.answer_run import (
    AnswerRecord,
    AnswerRun,
    AnswerRunHeader,
    AnswerRunWriter,
    RecordedSource,
    hash_parts,
    read_answer_run,
)
from wellsourced.evaluate.questions.case_rows import QuestionCase
from wellsourced.evaluate.questions.cases import QuestionSet, Regime, build_question, require_regime
from wellsourced.evaluate.retrieval import changed_settings, relevant_settings
from wellsourced.evaluate.run_file import hash_code
from wellsourced.events import Emit
from wellsourced.judges.base import Judge
from wellsourced.sources.base import IncrementalIndex, Source
from wellsourced.storage.writer_lock import WriterLock
from wellsourced.types import Answer

log = logging.getLogger(__name__)

AnswerProgress = Callable[[int, int], None]
"""Who hears how many cases are done, of how many."""

DEFAULT_PRESET = "default"


class AnswerTask(NamedTuple):
    """One arm: what is asked, under which settings, and the file in which its answers are recorded.

    judge   who says whether what has no pattern is said: one for all arms, so that these can be compared
    fresh   ask every case, also those that were answered before
    """

    data: QuestionSet
    regime: Regime
    settings: config.Settings
    out: Path
    judge: Judge
    fresh: bool = False


async def answer_questions(task: AnswerTask, emit: Emit, say: AnswerProgress) -> AnswerRun:
    """Ask every case that has no answer yet; each is on the disk before the next is asked.

    Raises SourceRefused when the regime says nothing of a case, when nothing can be searched, or when the file holds
    another run; SourceUnavailable while another process writes it. What a question raises is recorded with it.
    """
    require_regime(task.data, task.regime)
    async with config.open_context(task.settings, emit=emit) as context:
        header = await describe_run(task, context)
        task.out.parent.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(task.out.with_suffix(".lock"), str(task.out))
        try:
            writer = AnswerRunWriter(task.out, header, fresh=task.fresh)
            try:
                await _answer_rest(task, context, writer, say)
            finally:
                writer.close()
        finally:
            lock.close()
    return read_answer_run(task.out)


async def _answer_rest(task: AnswerTask, context: Context, writer: AnswerRunWriter, say: AnswerProgress) -> None:
    for case in task.data.cases:
        say(len(writer.records), len(task.data.cases))
        if case.id not in writer.records:
            writer.add(await answer_case(case, task.regime, context, task.judge))
    say(len(writer.records), len(task.data.cases))


async def answer_case(case: QuestionCase, regime: Regime, context: Context, judge: Judge) -> AnswerRecord:
    """Ask one case. Whatever goes wrong is recorded as failed, with its reason: it counts, and is not left out."""
    known: dict[str, object] = {"case": case.id, "group": case.group or case.id, "gold": case.answer}
    known |= {"question": case.question, "choices": dict(case.options)}
    known |= {"options": len(case.options), "answerable": case.answerable}
    known |= {"own_source_held": await holds_source(case, context)}
    begun = time.perf_counter()
    try:
        answer = await ask(build_question(case, regime), context)
        seconds = time.perf_counter() - begun
        marks = await mark_facts(case, answer, judge)
    except Exception as error:
        if not isinstance(error, WellsourcedError):
            log.exception("the case %s failed", case.id)
        reason = str(error) if isinstance(error, WellsourcedError) else f"{type(error).__name__}: {error}"
        seconds = round(time.perf_counter() - begun, 3)
        lost = [{"fact": one.fact, "said": False, "leads": False, "is_judged": not one.pattern} for one in case.facts]
        return AnswerRecord.model_validate(
            {**known, "status": "failed", "error": reason, "marks": lost} | {"seconds": seconds}
        )
    return AnswerRecord.model_validate(
        {
            **known,
            "status": "abstained" if answer.abstained else "answered",
            "reason": answer.reason,
            "label": read_label(case, answer),
            "text": join_texts(answer.statements),
            "short": lead_text(answer),
            "marks": marks,
            "cited": cited_documents(answer),
            "quotes": cited_quotes(answer),
            "own_source": has_own_source(case, answer),
            "gaps": [f"{gap.source}: {gap.reason}" for gap in answer.gaps],
            "seconds": round(seconds, 3),
            **_count_usage(answer),
        }
    )


async def holds_source(case: QuestionCase, context: Context) -> bool | None:
    """Whether a library has a document from which the question was made; None: not known which, or it may be online."""
    if not case.sources or any([(await one.describe()).live for one in context.sources]):
        return None
    for source in context.sources:
        for id in case.source_ids:
            with suppress(SourceError):
                await source.open(id)
                return True
    return False


def _count_usage(answer: Answer) -> dict[str, object]:
    spent = answer.spent
    tokens = spent.tokens_in + spent.tokens_out
    return {"calls": spent.calls, "cached": spent.cached, "tokens": tokens, "cost": spent.cost}


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
        sources=tuple([await _describe_source(one) for one in context.sources]),
        settings=changed_settings(dict(relevant_settings(task.settings))),
    )


async def _describe_source(source: Source) -> RecordedSource:
    """A library by what it holds: one that was filled anew with the same files is the same."""
    card = await source.describe()
    sha256 = ""
    if isinstance(source, IncrementalIndex):
        files = sorted((one.sha256, one.documents, one.passages) for one in source.files())
        sha256 = hash_parts([card.kind, card.documents, card.passages, files])
    return RecordedSource(
        name=card.name, kind=card.kind, documents=card.documents, passages=card.passages, sha256=sha256
    )
