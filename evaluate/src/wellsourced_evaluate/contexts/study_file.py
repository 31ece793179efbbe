"""The file in which a study is recorded as it goes: a header, then a line for each case under each condition.

A study that was cut short goes on where it was, if it is the same: same questions, conditions, settings and code.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field, TypeAdapter

from wellsourced.errors import SourceRefused
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, AnswerRunHeader
from wellsourced_evaluate.questions.arm_comparison import require_comparable
from wellsourced_evaluate.record_log import LogForm, RecordLog, hold_file

StudyName = Literal["contexts", "ablation", "robustness", "uncertainty"]
STUDIES: tuple[StudyName, ...] = get_args(StudyName)


class StudyHeader(AnswerRunHeader):
    """Of what study the lines below are. Two are the same when their headers are.

    conditions   under which each case is asked, in order; of an ablation and of variants only those of every case
    parameters   what else makes the conditions: how many distractors, which seed, how many samples
    left_out     case → why it is not asked: its gold document is missing, or there are too few distractors
    """

    study: StudyName
    conditions: tuple[str, ...]
    parameters: dict[str, Any] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)


class ConditionRecord(AnswerRecord):
    """What came of one case under one condition.

    condition    its name
    asked        the words of the question, where they are not those of the case
    given        ids of the documents that it was to be answered from, in order; none: it was searched for
    gold_document   id of the document that answers the case, where it is known; "" else
    read         ids of the documents that were read, in the order in which the writer is shown them
    lead_cited   ids of the documents that the short answer cites
    statements   what is said, one by one
    mapped       whether a long context was read in parts; None: the question did not come up
    conflicts    matters on which sources, or parts of what was read, disagree
    kept         of the statements that the answer under the first condition has, how many this one says; None: that
                 is not asked
    """

    condition: str
    asked: str = ""
    given: tuple[str, ...] = ()
    gold_document: str = ""
    read: tuple[str, ...] = ()
    lead_cited: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    mapped: bool | None = None
    conflicts: int = 0
    kept: int | None = None


class StudyRun(NamedTuple):
    """A study of one arm as it is on the disk; the last line on a case under a condition counts."""

    path: Path
    header: StudyHeader
    records: Mapping[tuple[str, str], ConditionRecord]

    @property
    def arm(self) -> str:
        """What it is called beside others."""
        return self.header.preset

    def select_condition(self, condition: str) -> dict[str, ConditionRecord]:
        """Case → what came of it under this condition."""
        return {case: one for (its, case), one in self.records.items() if its == condition}

    def as_answers(self, condition: str) -> AnswerRun:
        """The answers under one condition as a run of their own, which can be scored."""
        return AnswerRun(self.path, self.header, self.select_condition(condition))

    @property
    def conditions(self) -> list[str]:
        """Those of the header first, then those that only some cases have, as they came."""
        return list(dict.fromkeys([*self.header.conditions, *(its for its, _ in self.records)]))

    @property
    def failures(self) -> dict[str, str]:
        """What failed, and why."""
        return {f"{one.case} ({one.condition})": one.error for one in self.records.values() if one.status == "failed"}


STUDY_LOG = LogForm(
    StudyHeader,
    TypeAdapter(ConditionRecord),
    key=lambda one: (one.condition, one.case),
    stands=lambda one: one.status != "failed",
    contents="study of contexts",
    another="holds another study",
    remedy=f"Give a file that `wellsourced evaluate {'|'.join(STUDIES)}` wrote.",
)
"""What failed is asked again."""

StudyLog = RecordLog[StudyHeader, ConditionRecord, tuple[str, str]]


def read_study(path: Path) -> StudyRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    there = STUDY_LOG.read(path)
    return StudyRun(path, there.header, there.records)


@contextmanager
def open_study(path: Path, header: StudyHeader, *, fresh: bool) -> Iterator[StudyLog]:
    """The file of a study while it is written; no other process writes it. Raises as RecordLog and hold_file do."""
    with hold_file(path), RecordLog(path, header, STUDY_LOG, fresh=fresh) as log:
        yield log


def require_same_contexts(runs: Sequence[StudyRun]) -> None:
    """Raise SourceRefused, naming cases, when two arms were not given the same documents in the same order."""
    base = runs[0]
    for other in runs[1:]:
        require_comparable(base.as_answers(""), other.as_answers(""))
        both = base.records.keys() & other.records.keys()
        unlike = sorted(key for key in both if base.records[key].given != other.records[key].given)
        if unlike:
            named = ", ".join(f"{case} ({condition})" for condition, case in unlike[:3])
            remedy = "Run both on the same corpus with the same --distractors, --filler and --seed."
            raise SourceRefused(f"{base.path} and {other.path} were given different documents: {named}. {remedy}")
