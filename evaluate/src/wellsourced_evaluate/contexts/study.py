"""A study of what changes an answer: a case asked under a condition, what is recorded of it, and the file of records.

The file begins with a header; then comes a line for each case under each condition. A study that was cut short goes on
where it was, if it is the same: same questions, conditions, settings and code.
"""

import logging
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field, TypeAdapter

from wellsourced.api import ask
from wellsourced.app.progress import ProgressWatch
from wellsourced.context import Context
from wellsourced.encoders.base import Encoder
from wellsourced.errors import SourceRefused, WellsourcedError
from wellsourced.events import Event, PassagesRead
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Answer, Question
from wellsourced_evaluate.questions.answer_marks import cited_documents, describe_answer, lose_marks, mark_facts
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, AnswerRunHeader
from wellsourced_evaluate.questions.answering import AnswerTask, describe_run
from wellsourced_evaluate.questions.arm_comparison import require_comparable
from wellsourced_evaluate.questions.case_rows import QuestionCase
from wellsourced_evaluate.questions.cases import build_question
from wellsourced_evaluate.questions.fitted_sets import fingerprint_sets
from wellsourced_evaluate.record_log import LogForm, RecordLog, hold_file

log = logging.getLogger(__name__)

StudyName = Literal["contexts", "ablation", "robustness", "uncertainty"]


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

    asked        the words of the question, where they are not those of the case
    given        ids of the documents that it was to be answered from, in order; none: it was searched for
    gold_document   id of the document that answers the case, where it is known; "" else
    read         ids of the documents that were read, in the order in which the writer is shown them
    lead_cited   ids of the documents that the short answer cites
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
        """Those under which any case was asked: of the header first, then those that only some cases have."""
        asked = dict.fromkeys(condition for condition, _ in self.records)
        usual = [condition for condition in self.header.conditions if condition in asked]
        return list(dict.fromkeys([*usual, *asked]))

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
    remedy=f"Give a file that `wellsourced evaluate {'|'.join(get_args(StudyName))}` wrote.",
)
"""What failed is asked again."""


def read_study(path: Path) -> StudyRun:
    """What a file holds; a last line that was cut off is passed over. Raises UnreadableFile."""
    there = STUDY_LOG.read(path)
    return StudyRun(path, there.header, there.records)


def require_same_contexts(runs: Sequence[StudyRun]) -> None:
    """Raise SourceRefused, naming cases, when two arms were not given the same documents in the same order."""
    base = runs[0]
    for other in runs[1:]:
        require_comparable(base.as_answers(""), other.as_answers(""))
        both = base.records.keys() & other.records.keys()
        unlike = sorted(key for key in both if base.records[key].given != other.records[key].given)
        if unlike:
            named = ", ".join(f"{case} ({condition})" for condition, case in unlike[:3])
            remedy = "Run both on the same corpus with the same --documents, --filler and --seed."
            raise SourceRefused(f"{base.path} and {other.path} were given different documents: {named}. {remedy}")


class StudyTask(NamedTuple):
    """One arm of a study.

    corpus  file or library that documents are taken from; "": what the settings name
    """

    arm: AnswerTask
    corpus: str
    watch: ProgressWatch


class OpenStudy(NamedTuple):
    """A study while it is written: each answer is on the disk before the next is asked, and none is asked twice."""

    task: StudyTask
    log: RecordLog[StudyHeader, ConditionRecord, tuple[str, str]]

    async def ask(
        self,
        case: QuestionCase,
        condition: str,
        context: Context,
        changes: Mapping[str, object] | None = None,
        *,
        gold_document: str = "",
        base: ConditionRecord | None = None,
    ) -> ConditionRecord:
        """The answer to a case under a condition, given now or before.

        changes   fields of the question that are otherwise than the case has them
        base      the answer whose statements are to be found in this one; None: that is not asked
        """
        if answered := self.log.records.get((condition, case.id)):
            return answered
        arm = f"{self.task.arm.data.name}, {self.log.header.preset}"
        self.task.watch.show_step(f"{arm}: {len(self.log.records):,} answers; now {case.id}, {condition}")
        put = build_question(case, self.task.arm.regime).model_copy(update=changes)
        record = ConditionRecord(
            case=case.id,
            group=case.group or case.id,
            gold=case.answer,
            options=len(case.options),
            answerable=case.answerable,
            condition=condition,
            given=put.given,
            gold_document=gold_document,
            fitted=fingerprint_sets().find_sets(case.question),
            asked=put.text if put.text != case.question else "",
            **await _answer_question(case, put, context, self.task.arm.judge),
        )
        if base is not None and base.statements and record.status != "failed":
            record = record.model_copy(update={"kept": await count_kept(base.statements, record, self.task.arm.judge)})
        self.log.add(record)
        return record


@asynccontextmanager
async def open_study(
    task: StudyTask,
    study: StudyName,
    context: Context,
    conditions: Sequence[str],
    parameters: Mapping[str, Any],
    left_out: Mapping[str, str] | None = None,
) -> AsyncIterator[OpenStudy]:
    """The file of a study, to be written; what its header says has to be the same for its answers to be the same.

    Raises SourceRefused where nothing answers or the file holds another study, SourceUnavailable while another process
    writes it.
    """
    arm = task.arm
    run = await describe_run(arm, context)
    parameters = {"corpus": Path(task.corpus).name, **parameters, "seed": arm.data.seed}
    own = {"study": study, "conditions": tuple(conditions), "parameters": parameters, "left_out": left_out or {}}
    header = StudyHeader.model_validate({**run.model_dump(), **own})
    with hold_file(arm.out), RecordLog(arm.out, header, STUDY_LOG, fresh=arm.fresh) as log:
        yield OpenStudy(task, log)


async def _answer_question(case: QuestionCase, question: Question, context: Context, judge: Judge) -> dict[str, Any]:
    """What came of a case. Whatever goes wrong is told as failed, with its reason: it counts, and is not left out."""
    read: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, PassagesRead):
            read.extend(evidence.passage.reference.id for evidence in event.evidence)

    begun = time.perf_counter()
    took: float | None = None
    try:
        answer = await ask(question, context, hear)
        took = time.perf_counter() - begun
        found = _describe_answer(case, answer, context.encoder)
        found |= {"marks": await mark_facts(case, answer, judge), "read": tuple(dict.fromkeys(read))}
    except Exception as error:
        is_known = isinstance(error, WellsourcedError)
        if not is_known:
            log.exception("the case %s failed", case.id)
        reason = str(error) if is_known else f"{type(error).__name__}: {error}"
        found = {"status": "failed", "error": reason, "marks": lose_marks(case)}
    return {**found, "seconds": round(time.perf_counter() - begun if took is None else took, 3)}


def _describe_answer(case: QuestionCase, answer: Answer, encoder: Encoder | None) -> dict[str, Any]:
    spent = answer.spent
    leads = answer.model_copy(update={"statements": [one for one in answer.statements if one.lead], "sections": ()})
    return {
        **describe_answer(case, answer, encoder),
        "statements": [one.text for one in answer.statements],
        "lead_cited": cited_documents(leads),
        "mapped": answer.preflight.mapped if answer.preflight else None,
        "conflicts": len(answer.conflicts),
        **{"calls": spent.calls, "cached": spent.cached, "cost": spent.cost},
        "tokens": spent.tokens_in + spent.tokens_out,
    }


async def count_kept(statements: Sequence[str], record: ConditionRecord, judge: Judge) -> int:
    """How many of the statements an answer makes too: in the same words, or, as the judge says, in others."""
    own = {" ".join(one.split()).casefold() for one in record.statements}
    reworded = [one for one in statements if " ".join(one.split()).casefold() not in own]
    kept = len(statements) - len(reworded)
    if not reworded or not record.text:
        return kept
    verdicts = await judge.judge([Pair(one, record.text) for one in reworded])
    return kept + sum(one.label == "supports" for one in verdicts)
