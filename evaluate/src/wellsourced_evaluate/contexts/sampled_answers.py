"""Several answers to one question: of a language model at a temperature, or as a file has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Value
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.contexts.asking import (
    AskedCase,
    StudyTask,
    answer_under_condition,
    describe_study,
)
from wellsourced_evaluate.contexts.study_file import StudyLog, StudyRun, open_study, read_study
from wellsourced_evaluate.contexts.system_study import open_system
from wellsourced_evaluate.questions.case_rows import BadRow, parse_row
from wellsourced_evaluate.questions.cases import build_question
from wellsourced_evaluate.recorded_summaries import refuse_faults

GREEDY = "temperature 0"
"""The condition whose answer is scored."""

LINE = 'A line reads {"id": "q1", "answers": ["…", "…"], "correct": true}; `correct` may be left out.'


class SampledQuestion(Value):
    """A question and several answers to it.

    correct   whether, or how far, its answer at temperature 0 is right, from 0 to 1; None: it is not known
    """

    id: str
    answers: tuple[str, ...]
    correct: float | None = Field(None, ge=0, le=1)


def read_sampled(path: Path) -> tuple[list[SampledQuestion], str]:
    """The questions of a file, and the beginning of its sha256. Raises UnreadableFile that names the bad lines."""
    found: dict[str, SampledQuestion] = {}
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            one = _build_sampled(parse_row(line))
            if one.id in lines:
                raise BadRow(f"the id “{one.id}” stands on line {lines[one.id]} already")
            found[one.id], lines[one.id] = one, number
        except BadRow as bad:
            faults.append(f"line {number}: {bad}")
    refuse_faults(path, faults)
    if not found:
        raise UnreadableFile(path, "it holds no question", LINE)
    return list(found.values()), hash_file(path)[:16]


def _build_sampled(row: Mapping[str, Any]) -> SampledQuestion:
    id, answers, correct = row.get("id"), row.get("answers"), row.get("correct")
    if not isinstance(id, str) or not id.strip():
        raise BadRow("it has no id")
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise BadRow("its answers are no list of texts")
    if correct is not None and not (isinstance(correct, bool | int | float) and 0 <= correct <= 1):
        raise BadRow("its correct is neither true, false nor a number from 0 to 1")
    return SampledQuestion(id=id.strip(), answers=tuple(answers), correct=None if correct is None else float(correct))


async def sample_answers(task: StudyTask, corpus: str, samples: int, temperature: float) -> StudyRun:
    """Each case answered once at temperature 0, then so often at this temperature, each time with another seed.

    Without a language model once only: the sources' own sentences are the same each time. Raises SourceRefused when
    nothing answers, or the file holds another study.
    """
    asked_before = task.settings.models
    async with open_system(task, corpus) as context:
        names = [f"sample {number}" for number in range(1, samples + 1)] if context.has_model else []
        parameters = {"corpus": Path(corpus).name, "samples": samples, "temperature": temperature}
        header = await describe_study("uncertainty", task, context, (GREEDY, *names), parameters)
    with open_study(task.out, header, fresh=task.fresh) as writer:
        for place, name in enumerate((GREEDY, *names)):
            chosen = {"temperature": temperature if place else 0.0, "seed": asked_before.seed + place}
            settings = task.settings.model_copy(update={"models": asked_before.model_copy(update=chosen)})
            await _answer_all(task._replace(settings=settings), corpus, name, writer)
    return read_study(task.out)


async def _answer_all(task: StudyTask, corpus: str, condition: str, writer: StudyLog) -> None:
    """Every case under one condition that has no answer yet."""
    rest = [one for one in task.data.cases if (condition, one.id) not in writer.records]
    if not rest:
        return
    async with open_system(task, corpus) as context:
        for number, case in enumerate(rest):
            task.say(f"{condition}, {number:,} of {len(rest):,} cases")
            question = build_question(case, "allowed")
            asked = AskedCase(case, condition, question, context, task.judge)
            writer.add((await answer_under_condition(asked)).record)


def collect_samples(run: StudyRun) -> list[SampledQuestion]:
    """The sampled answers of each case, and whether its answer at temperature 0 is right; failed ones say nothing."""
    found = []
    for case, greedy in run.select_condition(GREEDY).items():
        sampled = [run.records.get((name, case)) for name in run.header.conditions[1:]]
        answers = tuple(one.text for one in sampled if one is not None and one.status != "failed")
        correct = float(greedy.outcome == "right") if greedy.gold and greedy.answerable is not False else None
        found.append(SampledQuestion(id=case, answers=answers, correct=correct))
    return found
