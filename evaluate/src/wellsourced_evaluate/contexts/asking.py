"""A question asked under a condition, as `wellsourced.api.ask` answers it, and what is recorded of the answer."""

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit, Event, PassagesRead
from wellsourced.judges.base import Judge
from wellsourced.types import Answer, Question
from wellsourced_evaluate.contexts.study_file import ConditionRecord, StudyHeader, StudyName
from wellsourced_evaluate.questions.answer_marks import (
    cited_documents,
    has_own_source,
    join_texts,
    lead_text,
    lose_marks,
    mark_facts,
    read_label,
)
from wellsourced_evaluate.questions.answering import AnswerTask, describe_run
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import QuestionSet
from wellsourced_evaluate.questions.fitted_sets import fingerprint_sets
from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit

log = logging.getLogger(__name__)

StudyProgress = Callable[[str], None]
"""Who hears where the work is, in a sentence."""


class StudyTask(NamedTuple):
    """One arm of a study: what is asked, under which settings, and the file in which its answers are recorded.

    judge   who says whether something is said: one for all arms, so that these can be compared
    seed    draws what is drawn beside the cases
    fresh   ask everything, also what was answered before
    """

    data: QuestionSet
    settings: config.Settings
    out: Path
    judge: Judge
    emit: Emit
    say: StudyProgress
    seed: int
    fresh: bool = False


class AskedCase(NamedTuple):
    """A case under a condition: the question as it is put, who answers it, and who says whether facts are said."""

    case: QuestionCase
    condition: str
    question: Question
    context: Context
    judge: Judge
    gold_document: str = ""


class ConditionAnswer(NamedTuple):
    """What is recorded, and the answer itself; None where the question failed."""

    record: ConditionRecord
    answer: Answer | None


async def answer_under_condition(asked: AskedCase) -> ConditionAnswer:
    """Ask one case. Whatever goes wrong is recorded as failed, with its reason: it counts, and is not left out."""
    case, read = asked.case, list[str]()
    known: dict[str, Any] = {"case": case.id, "group": case.group or case.id, "gold": case.answer}
    known |= {"options": len(case.options), "answerable": case.answerable, "condition": asked.condition}
    known |= {"given": asked.question.given, "gold_document": asked.gold_document}
    known |= {"fitted": fingerprint_sets().find_sets(case.question)}
    if asked.question.text != case.question:
        known |= {"asked": asked.question.text}

    def hear(event: Event) -> None:
        if isinstance(event, PassagesRead):
            read.extend(one.passage.reference.id for one in event.evidence)

    begun = time.perf_counter()
    try:
        answer = await ask(asked.question, asked.context, hear)
        seconds = time.perf_counter() - begun
        marks = await mark_facts(case, answer, asked.judge)
    except Exception as error:
        if not isinstance(error, WellsourcedError):
            log.exception("the case %s failed", case.id)
        reason = str(error) if isinstance(error, WellsourcedError) else f"{type(error).__name__}: {error}"
        seconds = round(time.perf_counter() - begun, 3)
        failed = {**known, "status": "failed", "error": reason, "marks": lose_marks(case), "seconds": seconds}
        return ConditionAnswer(ConditionRecord.model_validate(failed), None)
    found = {
        **known,
        **describe_answer(case, answer),
        "marks": marks,
        "read": tuple(dict.fromkeys(read)),
        "seconds": round(seconds, 3),
    }
    return ConditionAnswer(ConditionRecord.model_validate(found), answer)


def describe_answer(case: QuestionCase, answer: Answer) -> dict[str, Any]:
    """What a record says of an answer, without its marks."""
    spent = answer.spent
    home = {one.passage.id: one.passage.reference.id for one in answer.evidence}
    leads = [home[id] for one in answer.statements if one.lead for id in one.cited_ids]
    return {
        "status": "abstained" if answer.abstained else "answered",
        "reason": answer.reason,
        "label": read_label(case, answer),
        "text": join_texts(answer.statements),
        "short": lead_text(answer),
        "statements": tuple(one.text for one in answer.statements),
        "cited": cited_documents(answer),
        "lead_cited": tuple(dict.fromkeys(leads)),
        "mapped": answer.preflight.mapped if answer.preflight else None,
        "conflicts": len(answer.conflicts),
        "own_source": has_own_source(case, answer),
        "gaps": [f"{gap.source}: {gap.reason}" for gap in answer.gaps],
        "calls": spent.calls,
        "cached": spent.cached,
        "tokens": spent.tokens_in + spent.tokens_out,
        "cost": spent.cost,
    }


async def describe_study(
    study: StudyName,
    task: StudyTask,
    context: Context,
    conditions: tuple[str, ...],
    parameters: Mapping[str, Any],
    left_out: Mapping[str, str] | None = None,
) -> StudyHeader:
    """What of a study has to be the same for its answers to be the same. Raises SourceRefused where nothing answers."""
    arm = AnswerTask(task.data, "allowed", task.settings, task.out, task.judge, RunBudget(RunLimit()))
    run = await describe_run(arm, context)
    told = {**run.model_dump(), "study": study, "conditions": conditions, "left_out": dict(left_out or {})}
    return StudyHeader.model_validate({**told, "parameters": {**parameters, "seed": task.seed}})
