"""The file in which a study is recorded as it goes: a header, then a line for each case under each condition.

A study that was cut short goes on where it was, if it is the same: same questions, conditions, settings and code.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field, ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.evaluate.questions.answer_run import AnswerRecord, AnswerRun, AnswerRunHeader
from wellsourced.evaluate.questions.arm_comparison import require_comparable
from wellsourced.evaluate.run_file import LineFile

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


def read_study(path: Path) -> StudyRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    remedy = f"Give a file that `wellsourced evaluate {'|'.join(STUDIES)}` wrote."
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        header = StudyHeader.model_validate_json(whole[0])
        records = [ConditionRecord.model_validate_json(line) for line in whole[1:]]
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, f"it cannot be read ({error})", remedy) from error
    except (IndexError, ValidationError) as error:
        raise UnreadableFile(path, "it holds no study of contexts", remedy) from error
    return StudyRun(path, header, {(one.condition, one.case): one for one in records})


class StudyWriter:
    """A study that is under way, line by line on the disk; what was answered before is in `records`.

    Raises SourceRefused when the file holds another study, and is not to be begun `fresh`.
    """

    def __init__(self, path: Path, header: StudyHeader, *, fresh: bool) -> None:
        self.path, self.header = path, header
        self.records: dict[tuple[str, str], ConditionRecord] = {}
        # A header that was itself cut off is no study yet.
        resumes = path.exists() and b"\n" in path.read_bytes() and not fresh
        if resumes:
            self.records = self._read_earlier()
        self._file = LineFile(path, resume=resumes)
        if not resumes:
            self._file.write(header)

    def add(self, record: ConditionRecord) -> None:
        """Keep a record; it is on the disk when this returns."""
        self.records[record.condition, record.case] = record
        self._file.write(record)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _read_earlier(self) -> dict[tuple[str, str], ConditionRecord]:
        """What was answered before; what failed is asked again."""
        there = read_study(self.path)
        if there.header != self.header:
            what = "; ".join(self.header.describe_differences(there.header))
            remedy = "Give another --out, or --fresh to begin anew."
            raise SourceRefused(f"{self.path} holds another study ({what}). {remedy}")
        return {key: one for key, one in there.records.items() if one.status != "failed"}


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
