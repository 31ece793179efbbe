"""The file in which one arm is recorded: a header line, then a line for each answer and for each criterion graded.

A run that was cut short goes on where it was, if it is the same run; what failed or was unparsed is asked again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.evaluate.questions.answer_run import RecordedSource
from wellsourced.evaluate.rubrics.graders import CriterionGrade, GradeOutcome
from wellsourced.evaluate.run_file import LineFile, show_value
from wellsourced.types import Value

Floor = Literal["", "silence", "one answer"]
"""What was graded: the arm's own answer; nothing; the arm's first answer, given to every other conversation too."""

REMEDY = "Give a file that `wellsourced evaluate rubrics` wrote."


class RubricRunHeader(Value):
    """Of what run the lines below are. Two runs are the same when their headers are.

    answers    who answered: "asked" (this system), or the file with its sha256, or "physicians"
    model      who wrote, where this system was asked; "extractive": the sources' own sentences
    grader     who graded, with its prompt
    is_model   whether that is a language model, as HealthBench's grader is
    data       of the set: name, sha256, recorded, limit, seed, asked
    settings   dotted name → value, of those that bear on answers and are not as they come
    """

    wellsourced: str
    code: str
    arm: str
    answers: str
    model: str
    grader: str
    is_model: bool
    data: dict[str, Any]
    sources: tuple[RecordedSource, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)

    def describe_differences(self, other: "RubricRunHeader") -> list[str]:
        """What differs, and how: "arm: words → default", "data"."""
        mine, its = self.model_dump(mode="json"), other.model_dump(mode="json")
        return [
            name
            if isinstance(mine[name], dict | list)
            else f"{name}: {show_value(its[name])} → {show_value(mine[name])}"
            for name in mine
            if mine[name] != its[name]
        ]


class RubricAnswer(Value):
    """What was answered to a conversation; failed: the question raised the error."""

    kind: Literal["answer"] = "answer"
    case: str
    status: Literal["answered", "abstained", "failed"]
    text: str = ""
    error: str = ""
    seconds: float = 0.0


class RubricGrade(Value):
    """What the grader says of one criterion, by its place from 0."""

    kind: Literal["grade"] = "grade"
    case: str
    criterion: int
    floor: Floor = ""
    outcome: GradeOutcome
    explanation: str = ""

    @property
    def grade(self) -> CriterionGrade:
        """As the grader said it."""
        return CriterionGrade(self.outcome, self.explanation)


RunLine = Annotated[RubricAnswer | RubricGrade, Field(discriminator="kind")]
_LINES: TypeAdapter[RunLine] = TypeAdapter(RunLine)

GradeKey = tuple[Floor, str, int]
"""What was graded, of which conversation, by which criterion."""


class RubricRun(NamedTuple):
    """A run as it is on the disk; the last line on an answer or a criterion counts."""

    path: Path
    header: RubricRunHeader
    answers: Mapping[str, RubricAnswer]
    grades: Mapping[GradeKey, CriterionGrade]


def read_rubric_run(path: Path) -> RubricRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        header = RubricRunHeader.model_validate_json(whole[0])
        records = [_LINES.validate_json(line) for line in whole[1:]]
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, f"it cannot be read ({error})", REMEDY) from error
    except (IndexError, ValidationError) as error:
        raise UnreadableFile(path, "it holds no answers graded by rubrics", REMEDY) from error
    answers = {one.case: one for one in records if isinstance(one, RubricAnswer)}
    grades = {(one.floor, one.case, one.criterion): one.grade for one in records if isinstance(one, RubricGrade)}
    return RubricRun(path, header, answers, grades)


class RubricRunWriter:
    """A run that is under way, line by line on the disk; what was done before is in `answers` and `grades`.

    Raises SourceRefused when the file holds another run, and is not to be begun `fresh`.
    """

    def __init__(self, path: Path, header: RubricRunHeader, *, fresh: bool) -> None:
        self.path, self.header = path, header
        self.answers: dict[str, RubricAnswer] = {}
        self.grades: dict[GradeKey, CriterionGrade] = {}
        # A header that was itself cut off is no run yet.
        resumes = path.exists() and b"\n" in path.read_bytes() and not fresh
        if resumes:
            self._read_earlier()
        self._file = LineFile(path, resume=resumes)
        if not resumes:
            self._file.write(header)

    def add(self, line: RubricAnswer | RubricGrade) -> None:
        """Keep a line; it is on the disk when this returns."""
        if isinstance(line, RubricAnswer):
            self.answers[line.case] = line
        else:
            self.grades[line.floor, line.case, line.criterion] = line.grade
        self._file.write(line)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read_earlier(self) -> None:
        there = read_rubric_run(self.path)
        if there.header != self.header:
            what = "; ".join(self.header.describe_differences(there.header))
            remedy = "Give another --out, or --fresh to begin anew."
            raise SourceRefused(f"{self.path} holds the answers of another run ({what}). {remedy}")
        self.answers = {case: one for case, one in there.answers.items() if one.status != "failed"}
        lost = there.answers.keys() - self.answers.keys()
        self.grades = {
            key: one
            for key, one in there.grades.items()
            if one.outcome not in ("failed", "unparsed") and key[1] not in lost
        }
