"""Every conversation answered and every criterion graded, each recorded as soon as it is known."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced import config
from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import SourceRefused, WellsourcedError
from wellsourced.events import Emit
from wellsourced.types import Answer, Question
from wellsourced_evaluate.questions.answer_marks import join_texts
from wellsourced_evaluate.questions.answering import DEFAULT_PRESET, AnswerProgress, describe_source
from wellsourced_evaluate.record_log import hold_file
from wellsourced_evaluate.retrieval import changed_settings, relevant_settings
from wellsourced_evaluate.rubrics.graders import NOTHING_SAID, CriterionGrade, Grader
from wellsourced_evaluate.rubrics.rubric_files import RubricCase, RubricSet
from wellsourced_evaluate.rubrics.rubric_run import (
    Floor,
    GradeKey,
    RubricAnswer,
    RubricGrade,
    RubricLog,
    RubricRun,
    RubricRunHeader,
    read_rubric_run,
)
from wellsourced_evaluate.run_file import hash_code

log = logging.getLogger(__name__)

GRADES_AT_ONCE = 16
"""Criteria under way at the same time; how many calls a model takes at once is the setting models.concurrency."""

AnswerCase = Callable[[RubricCase], Awaitable[RubricAnswer]]


class AnswerArm(NamedTuple):
    """Who answers, under which name; `known`: of the header, what says how."""

    name: str
    known: dict[str, Any]
    answer: AnswerCase


class RubricTask(NamedTuple):
    """What is graded, by whom, and the file in which it is recorded.

    with_floors   grade silence, and one answer given to all, by the same criteria
    """

    data: RubricSet
    grader: Grader
    out: Path
    with_floors: bool = False
    fresh: bool = False


@asynccontextmanager
async def open_system_arm(settings: config.Settings, emit: Emit) -> AsyncIterator[AnswerArm]:
    """This system, under these settings. Raises SourceRefused where nothing answers."""
    async with config.open_context(settings, emit=emit) as context:
        if not context.sources and not context.has_model:
            raise SourceRefused("There is nothing to answer from: no library, no live source and no language model.")

        async def answer(case: RubricCase) -> RubricAnswer:
            return await answer_conversation(case, context)

        known: dict[str, Any] = {
            "answers": "asked",
            "model": context.model.name if context.has_model else "extractive",
            "sources": tuple([await describe_source(one) for one in context.sources]),
            "settings": changed_settings(dict(relevant_settings(settings))),
        }
        yield AnswerArm(settings.preset or DEFAULT_PRESET, known, answer)


def build_written_arm(name: str, origin: str, texts: dict[str, str]) -> AnswerArm:
    """Answers that were written before, by prompt_id."""

    async def answer(case: RubricCase) -> RubricAnswer:
        return RubricAnswer(case=case.prompt_id, status="answered", text=texts[case.prompt_id])

    return AnswerArm(name, {"answers": origin, "model": ""}, answer)


def find_ideal_texts(data: RubricSet) -> dict[str, str]:
    """prompt_id → what physicians answered. Raises SourceRefused, naming cases, where that is not recorded."""
    found = {one.prompt_id: one.ideal_completions_data for one in data.cases}
    if lacking := [id for id, ideal in found.items() if ideal is None]:
        more = " …" if len(lacking) > 3 else ""
        raise SourceRefused(
            f"{data.file.name} has no ideal completion for {len(lacking):,} of {len(found):,} cases "
            f"({', '.join(lacking[:3])}{more}): leave these out of the file, or grade other answers."
        )
    return {id: ideal.ideal_completion for id, ideal in found.items() if ideal}


async def answer_conversation(case: RubricCase, context: Context) -> RubricAnswer:
    """What this system says to the last turn, knowing those before. What goes wrong is recorded as failed."""
    *before, last = case.turns
    begun = time.perf_counter()
    try:
        given = await ask(Question(text=last.text, history=tuple(before)), context)
    except Exception as error:
        if not isinstance(error, WellsourcedError):
            log.exception("the conversation %s failed", case.prompt_id)
        reason = str(error) if isinstance(error, WellsourcedError) else f"{type(error).__name__}: {error}"
        seconds = round(time.perf_counter() - begun, 3)
        return RubricAnswer(case=case.prompt_id, status="failed", error=reason, seconds=seconds)
    return RubricAnswer(
        case=case.prompt_id,
        status="abstained" if given.abstained else "answered",
        text=join_answer(given),
        seconds=round(time.perf_counter() - begun, 3),
    )


def join_answer(given: Answer) -> str:
    """An answer as its reader meets it: what to do first in an emergency, then what is said, or why nothing is."""
    advice = given.emergency.advice if given.emergency else ""
    said = join_texts(given.statements) or given.reason
    return "\n".join(filter(None, (advice, said)))


async def grade_rubrics(task: RubricTask, arm: AnswerArm, say: AnswerProgress) -> RubricRun:
    """Answer and grade what has no answer or no grade yet.

    Raises SourceRefused when the file holds another run; SourceUnavailable while another process writes it.
    """
    header = RubricRunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        arm=arm.name,
        grader=task.grader.name,
        is_model=task.grader.is_model,
        data=task.data.file.to_json(len(task.data.cases)),
        **arm.known,
    )
    with hold_file(task.out), RubricLog(task.out, header, fresh=task.fresh) as writer:
        await _GradingWork(task, writer, say).run(arm.answer)
    return read_rubric_run(task.out)


class _GradingWork:
    """The criteria of a run that are under way: so many at once, while the next conversation is answered."""

    def __init__(self, task: RubricTask, writer: RubricLog, say: AnswerProgress) -> None:
        self.task, self.writer, self.say = task, writer, say
        self._free = asyncio.Semaphore(GRADES_AT_ONCE)
        floors = 2 if task.with_floors else 0
        self._all = sum(len(one.rubrics) for one in task.data.cases) * (1 + floors)

    async def run(self, answer: AnswerCase) -> None:
        """Answer and grade everything that is not yet."""
        try:
            await self._run_all(answer)
        except ExceptionGroup as several:
            raise several.exceptions[0] from several

    async def _run_all(self, answer: AnswerCase) -> None:
        async with asyncio.TaskGroup() as group:
            for case in self.task.data.cases:
                if case.prompt_id not in self.writer.answers:
                    self.writer.add(await answer(case))
                await self._grade_case(group, case, "", self.writer.answers[case.prompt_id].text)
            if self.task.with_floors:
                for floor, case, text in self._list_floors():
                    await self._grade_case(group, case, floor, text)

    def _list_floors(self) -> Iterator[tuple[Floor, RubricCase, str]]:
        """Silence for every conversation, and for every other the first answer; or why there was none, if never one."""
        cases = self.task.data.cases
        yield from (("silence", case, "") for case in cases)
        answers = [self.writer.answers[case.prompt_id] for case in cases]
        by_status = {one.status: one for one in reversed(answers)}
        first = by_status.get("answered") or by_status.get("abstained")
        if first:
            yield from (("one answer", case, first.text) for case in cases if case.prompt_id != first.case)

    async def _grade_case(self, group: asyncio.TaskGroup, case: RubricCase, floor: Floor, text: str) -> None:
        for place in range(len(case.rubrics)):
            if (floor, case.prompt_id, place) not in self.writer.grades:
                await self._free.acquire()
                group.create_task(self._grade_criterion(case, (floor, case.prompt_id, place), text))

    async def _grade_criterion(self, case: RubricCase, key: GradeKey, text: str) -> None:
        floor, id, place = key
        try:
            grade = await self._ask_grader(case, place, text)
            self.writer.add(
                RubricGrade(case=id, criterion=place, floor=floor, outcome=grade.outcome, explanation=grade.explanation)
            )
            self.say(len(self.writer.grades), self._all)
        finally:
            self._free.release()

    async def _ask_grader(self, case: RubricCase, place: int, text: str) -> CriterionGrade:
        """Silence does nothing that is wanted; whether it is a fault is asked."""
        one = case.rubrics[place]
        if not text.strip() and one.points >= 0:
            return CriterionGrade("unmet", NOTHING_SAID)
        return await self.task.grader.grade(case.turns, text, one.criterion)
