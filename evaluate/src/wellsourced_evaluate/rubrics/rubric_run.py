"""The file in which one arm is recorded: a header line, then a line for each answer and for each criterion graded.

A run that was cut short goes on where it was, if it is the same run; what failed or was unparsed is asked again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from wellsourced.types import Value
from wellsourced_evaluate.questions.answer_run import ArmHeader, RecordedSource
from wellsourced_evaluate.record_log import LogForm, RecordLog
from wellsourced_evaluate.rubrics.graders import CriterionGrade, GradeOutcome

Floor = Literal["", "silence", "one answer"]
"""What was graded: the arm's own answer; nothing; the arm's first answer, given to every other conversation too."""


class RubricRunHeader(ArmHeader):
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

GradeKey = tuple[Floor, str, int]
"""What was graded, of which conversation, by which criterion."""


class RubricRun(NamedTuple):
    """A run as it is on the disk; the last line on an answer or a criterion counts."""

    path: Path
    header: RubricRunHeader
    answers: Mapping[str, RubricAnswer]
    grades: Mapping[GradeKey, CriterionGrade]


LineKey = str | GradeKey
"""The conversation of an answer, or what a grade is of."""


def _find_key(line: RunLine) -> LineKey:
    return line.case if isinstance(line, RubricAnswer) else (line.floor, line.case, line.criterion)


_LINES: TypeAdapter[RunLine] = TypeAdapter(RunLine)
RUBRIC_LOG = LogForm(
    RubricRunHeader,
    _LINES,
    key=_find_key,
    stands=lambda one: (one.status if isinstance(one, RubricAnswer) else one.outcome) not in ("failed", "unparsed"),
    contents="answers graded by rubrics",
    another="holds the answers of another run",
    remedy="Give a file that `wellsourced evaluate rubrics` wrote.",
)
"""What failed or cannot be read is asked again."""


def read_rubric_run(path: Path) -> RubricRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    there = RUBRIC_LOG.read(path)
    return RubricRun(path, there.header, *_split_lines(there.records))


def _split_lines(records: Mapping[LineKey, RunLine]) -> tuple[dict[str, RubricAnswer], dict[GradeKey, CriterionGrade]]:
    answers = {one.case: one for one in records.values() if isinstance(one, RubricAnswer)}
    grades = {
        (one.floor, one.case, one.criterion): one.grade for one in records.values() if isinstance(one, RubricGrade)
    }
    return answers, grades


class RubricLog(RecordLog[RubricRunHeader, RunLine, LineKey]):
    """A run that is under way: what was done before is in `answers` and `grades`. Raises as RecordLog does."""

    def __init__(self, path: Path, header: RubricRunHeader, *, fresh: bool) -> None:
        super().__init__(path, header, RUBRIC_LOG, fresh=fresh)
        self.answers, grades = _split_lines(self.records)
        # An answer that is given again is graded again.
        lost = {one.case for one in self.replaced if isinstance(one, RubricAnswer)} - self.answers.keys()
        self.grades = {key: one for key, one in grades.items() if key[1] not in lost}

    def add(self, record: RunLine) -> None:
        """Keep a line; it is on the disk when this returns."""
        super().add(record)
        if isinstance(record, RubricAnswer):
            self.answers[record.case] = record
        else:
            self.grades[record.floor, record.case, record.criterion] = record.grade
