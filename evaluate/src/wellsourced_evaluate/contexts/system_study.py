"""Studies of the whole system, which searches: without one of its sources, and with the question in other words."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from wellsourced import config
from wellsourced.context import Context
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import SourceKind
from wellsourced_evaluate.contexts.perturbations import UNCHANGED, perturb_question
from wellsourced_evaluate.contexts.study import (
    AskedCase,
    ConditionRecord,
    StudyLog,
    StudyRun,
    StudyTask,
    answer_under_condition,
    describe_study,
    open_study,
    read_study,
)
from wellsourced_evaluate.corpus import open_corpus
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import build_question

ALL_SOURCES = "all sources"
"""The condition that all others are compared with."""


@asynccontextmanager
async def open_system(task: StudyTask, corpus: str, kind: SourceKind = "research") -> AsyncIterator[Context]:
    """What the settings describe; with a corpus it alone is searched."""
    if not corpus:
        async with config.open_context(task.settings, emit=task.emit) as context:
            yield context
        return
    built = await open_corpus(corpus, task.settings, kind, task.emit)
    async with config.open_context(built.settings, libraries=(built.library,), live=(), emit=task.emit) as context:
        yield context


async def study_ablation(task: StudyTask, corpus: str, documents: int) -> StudyRun:
    """Each case with all sources, without each of them, and without each of the first documents that it then cites.

    documents   that are left out in turn, at most

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task, corpus) as context:
        names = [one.name for one in context.sources] if len(context.sources) > 1 else []
        conditions = (ALL_SOURCES, *(f"without {name}" for name in names))
        parameters = {"corpus": Path(corpus).name, "cited documents": documents}
        header = await describe_study("ablation", task, context, conditions, parameters)
        with open_study(task.out, header, fresh=task.fresh) as writer:
            for number, case in enumerate(task.data.cases):
                task.say(f"{number:,} of {len(task.data.cases):,} cases")
                base = await _answer_once(writer, _ask(case, ALL_SOURCES, context, task))
                for name in names:
                    others = tuple(one for one in context.sources if one.name != name)
                    lesser = _ask(case, f"without {name}", replace(context, sources=others), task)
                    await _answer_once(writer, lesser, base)
                for place, document in enumerate(base.cited[:documents], start=1):
                    lesser = _ask(case, f"without cited document {place}", context, task, exclude=(document,))
                    await _answer_once(writer, lesser, base)
    return read_study(task.out)


async def study_robustness(task: StudyTask, corpus: str, wanted: Sequence[str]) -> StudyRun:
    """Each case as it is, and in each of the other wordings that can be made of it.

    Raises SourceRefused when nothing answers, or the file holds another study.
    """
    async with open_system(task, corpus) as context:
        parameters = {"corpus": Path(corpus).name}
        header = await describe_study("robustness", task, context, (UNCHANGED, *wanted), parameters)
        with open_study(task.out, header, fresh=task.fresh) as writer:
            for number, case in enumerate(task.data.cases):
                task.say(f"{number:,} of {len(task.data.cases):,} cases")
                base = await _answer_once(writer, _ask(case, UNCHANGED, context, task))
                model = context.model if context.has_model else None
                made = await perturb_question(case.question, case.id, task.seed, wanted, model)
                for name in (one for one in wanted if one in made):
                    await _answer_once(writer, _ask(case, name, context, task, words=made[name]), base)
    return read_study(task.out)


def _ask(
    case: QuestionCase,
    condition: str,
    context: Context,
    task: StudyTask,
    *,
    words: str = "",
    exclude: Sequence[str] = (),
) -> AskedCase:
    question = build_question(case, "allowed")
    changes: Mapping[str, object] = {"text": words or question.text, "exclude": (*question.exclude, *exclude)}
    return AskedCase(case, condition, question.model_copy(update=dict(changes)), context, task.judge)


async def _answer_once(writer: StudyLog, asked: AskedCase, base: ConditionRecord | None = None) -> ConditionRecord:
    """The answer, given now or before; against a base with how many of its statements it still makes."""
    known = writer.records.get((asked.condition, asked.case.id))
    if known is not None:
        return known
    record = await answer_under_condition(asked)
    if base is not None and base.statements and record.status != "failed":
        record = record.model_copy(update={"kept": await count_kept(base.statements, record, asked.judge)})
    writer.add(record)
    return record


async def count_kept(statements: Sequence[str], record: ConditionRecord, judge: Judge) -> int:
    """How many of the statements an answer makes too: in the same words, or, as the judge says, in others."""
    own = {" ".join(one.split()).casefold() for one in record.statements}
    reworded = [one for one in statements if " ".join(one.split()).casefold() not in own]
    kept = len(statements) - len(reworded)
    if not reworded or not record.text:
        return kept
    verdicts = await judge.judge([Pair(one, record.text) for one in reworded])
    return kept + sum(one.label == "supports" for one in verdicts)
