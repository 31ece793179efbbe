"""A grader measured against physicians' votes: each completion graded, recorded, and what came of it kept in home."""

import asyncio
import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from wellsourced.storage.private_files import write_private_file
from wellsourced.types import Value
from wellsourced_evaluate.corpus import EVALUATION_FOLDER
from wellsourced_evaluate.questions.answering import AnswerProgress
from wellsourced_evaluate.record_log import hold_file
from wellsourced_evaluate.rubrics.grader_agreement import GraderAgreement, Labels, measure_agreement
from wellsourced_evaluate.rubrics.graders import CriterionGrade, Grader
from wellsourced_evaluate.rubrics.rubric_files import VotedCompletion, VoteSet, read_turns
from wellsourced_evaluate.rubrics.rubric_grading import GRADES_AT_ONCE
from wellsourced_evaluate.rubrics.rubric_run import RubricGrade, RubricLog, RubricRunHeader
from wellsourced_evaluate.run_file import hash_code

CHECKS_FOLDER = "graders"
"""Below the folder of evaluations in home."""


class GraderCheck(Value):
    """What a grader reached against physicians' votes, and on which file.

    macro_f1     over all categories together, with its 95 % interval; None: it is not defined
    physicians   what these reach among each other
    completions  that it graded; `ungraded`: that it could not
    """

    grader: str
    file: str
    sha256: str
    macro_f1: float | None
    low: float | None
    high: float | None
    physicians: float | None
    completions: int
    ungraded: int


class CheckedGrader(NamedTuple):
    """The grades by the lines of the completions, and how they agree with the votes."""

    path: Path
    grader: str
    grades: Mapping[int, CriterionGrade]
    agreement: GraderAgreement


def find_checks_folder(home: Path) -> Path:
    """Where checks of graders are kept."""
    return home / EVALUATION_FOLDER / CHECKS_FOLDER


def name_check(data: VoteSet, grader: Grader) -> str:
    """The name of the file of a check: one for each file of votes, limit, seed and grader."""
    asked = f"{data.file.sha256} {data.file.limit} {data.file.seed} {grader.name}"
    return f"{data.file.name.split('.')[0]}-{hashlib.sha256(asked.encode()).hexdigest()[:12]}.jsonl"


async def check_grader(data: VoteSet, grader: Grader, path: Path, say: AnswerProgress, *, fresh: bool) -> CheckedGrader:
    """Grade every completion that has no grade yet, each on the disk at once, and keep what came of it in `.json`.

    Raises SourceRefused when the file holds another run; SourceUnavailable while another process writes it.
    """
    header = RubricRunHeader(
        wellsourced=version("wellsourced"),
        code=hash_code(),
        arm="votes",
        answers="votes",
        model="",
        grader=grader.name,
        is_model=grader.is_model,
        data=data.file.to_json(len(data.cases)),
    )
    with hold_file(path), RubricLog(path, header, fresh=fresh) as writer:
        await _grade_rest(data, grader, writer, say)
    grades = {int(case): grade for (_, case, _), grade in writer.grades.items()}
    found = CheckedGrader(path, grader.name, grades, measure_agreement(data.cases, _read_labels(grades)))
    write_private_file(path.with_suffix(".json"), _summarize_check(data, found).model_dump_json())
    return found


def _read_labels(grades: Mapping[int, CriterionGrade]) -> Labels:
    return {line: one.is_met for line, one in grades.items()}


async def _grade_rest(data: VoteSet, grader: Grader, writer: RubricLog, say: AnswerProgress) -> None:
    free = asyncio.Semaphore(GRADES_AT_ONCE)

    async def grade(line: int, case: VotedCompletion) -> None:
        async with free:
            said = await grader.grade(read_turns(case.prompt), case.completion, case.rubric)
            writer.add(RubricGrade(case=str(line), criterion=0, outcome=said.outcome, explanation=said.explanation))
            say(len(writer.grades), len(data.cases))

    left = {line: case for line, case in data.cases.items() if ("", str(line), 0) not in writer.grades}
    await asyncio.gather(*(grade(line, case) for line, case in left.items()))


def _summarize_check(data: VoteSet, found: CheckedGrader) -> GraderCheck:
    overall = found.agreement.overall
    return GraderCheck(
        grader=found.grader,
        file=data.file.name,
        sha256=data.file.sha256,
        macro_f1=overall.grader.value,
        low=overall.grader.low,
        high=overall.grader.high,
        physicians=overall.physicians.value,
        completions=overall.completions,
        ungraded=overall.ungraded,
    )


def find_checks(home: Path, grader: str) -> tuple[GraderCheck, ...]:
    """What this grader reached in checks that are kept in home, that on most completions first."""
    found = []
    for path in sorted(find_checks_folder(home).glob("*.json")):
        try:
            check = GraderCheck.model_validate_json(path.read_bytes())
        except ValidationError:
            # It is of another version, and says nothing here.
            continue
        if check.grader == grader:
            found.append(check)
    return tuple(sorted(found, key=lambda one: -one.completions))
