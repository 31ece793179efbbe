"""Answers of any system beside the known one: equal, more, less or conflicting (SourceCheckup, Wu et al. 2025).

A language model, or whoever judged the rows, says which. What nobody said is counted apart, and is none of the four.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import AliasChoices, BeforeValidator, Field, TypeAdapter

from wellsourced.errors import ModelError, SourceRefused
from wellsourced.models.base import Model, Prompt, Reply
from wellsourced.presentation.wording import format_count
from wellsourced.text.sanitization import short_line
from wellsourced.types import Value
from wellsourced_evaluate.checkups.agreement import PairAgreement, agreement_table, compare_raters
from wellsourced_evaluate.group_tests import GroupedValue, TestResult, list_tests, test_blocks
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog, hold_file
from wellsourced_evaluate.recorded_rows import Progress, RecordedFile, RecordedRow, Words, read_recorded
from wellsourced_evaluate.statistics import PooledShare, pool_cases
from wellsourced_evaluate.tables import Block, Interval, Part, Table, Text

Relation = Literal["equal", "more", "less", "conflicting"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

PEOPLE = "the rows"


class RelationReply(Reply):
    """How the answer stands to the known one, and why in a sentence."""

    relation: Relation
    reason: str = ""


class CompareToKnown(Prompt[RelationReply]):
    """Say how this answer stands to the known answer to the question.

    equal: it says the same, in whatever words. more: it says all of the known answer, and more that does not conflict
    with it. less: it leaves out a part of the known answer, and conflicts with none. conflicting: something in it
    cannot be true together with the known answer, whatever else it says. Take the known answer as true. Give the reason
    in one sentence.
    """

    question: str
    known: str
    answer: str


def _join_parts(given: Any) -> Any:
    return "\n".join(map(str, given)) if isinstance(given, list | tuple) else given


class KnownRow(RecordedRow):
    """An answer, and the known one: a text, or the statements that it is made of."""

    id: Words
    question: Words
    known: Annotated[Words, BeforeValidator(_join_parts)] = Field(
        validation_alias=AliasChoices("gold", "known", "must_have", "human_answer")
    )
    answer: str = ""
    system: str = ""
    relation: Relation | None = None

    @property
    def key(self) -> str:
        """By what it is known among the rows."""
        return f"{self.id}\n{self.system}"


class ComparedAnswer(Value):
    """What was said of an answer; `error`: why nothing was, and then it is asked again."""

    key: str
    relation: Relation | None = None
    reason: str = ""
    error: str = ""


class ComparisonHeader(LogHeader):
    """Whose answers were compared, and by whom."""

    file: str
    sha256: str
    model: str


COMPARISON_LOG = LogForm(
    ComparisonHeader, TypeAdapter(ComparedAnswer), key=lambda one: one.key, stands=lambda one: not one.error
)


def read_known(path: Path, limit: int = 0) -> RecordedFile[KnownRow]:
    """The rows of a file. Raises UnreadableFile that names those which cannot be used: without a known answer, too."""
    return read_recorded(
        path, KnownRow, limit, keys=lambda row: [(f"the id “{row.id}” of system “{row.system}”", row.key)]
    )


def take_relations(data: RecordedFile[KnownRow]) -> list[ComparedAnswer]:
    """What the rows themselves say. Raises SourceRefused where one says nothing."""
    if silent := [row.id for row in data.rows if row.relation is None]:
        named = ", ".join(silent[:3])
        raise SourceRefused(
            f"{format_count(len(silent), 'row')} of {data.file} ({named}) have no relation: name a language model "
            "that says one, with --model NAME."
        )
    return [ComparedAnswer(key=row.key, relation=row.relation) for row in data.rows]


async def compare_answers(
    data: RecordedFile[KnownRow], model: Model, name: str, out: Path, say: Progress, *, fresh: bool
) -> list[ComparedAnswer]:
    """What a model says of every row, each on the disk before the next; an empty answer is less, without a call."""
    header = ComparisonHeader(file=data.file, sha256=data.sha256, model=name)
    with hold_file(out), RecordLog(out, header, COMPARISON_LOG, fresh=fresh) as log:
        for place, row in enumerate(data.rows):
            say(place, len(data.rows))
            if row.key not in log.records:
                log.add(await _compare_answer(row, model))
        return [log.records[row.key] for row in data.rows]


async def _compare_answer(row: KnownRow, model: Model) -> ComparedAnswer:
    made = partial(ComparedAnswer, key=row.key)
    if not row.answer.strip():
        return made(relation="less", reason="the answer is empty")
    try:
        said = await model.complete(CompareToKnown(question=row.question, known=row.known, answer=row.answer))
    except ModelError as error:
        return made(error=short_line(str(error)))
    return made(relation=said.relation, reason=short_line(said.reason))


class KnownStudy(NamedTuple):
    """What came of all answers.

    shares      system → relation → its share of the answers that were compared; intervals draw answers again
    failed      system → answers that could not be compared
    agreement   of the model with what the rows say; None where they say nothing, or no model was asked
    tests       between systems
    """

    judge: str
    shares: Mapping[str, Mapping[Relation, PooledShare]]
    failed: Mapping[str, int]
    agreement: PairAgreement | None
    tests: Sequence[TestResult]
    answers: Sequence[Mapping[str, Any]]


def summarize_relations(judge: str, rows: Sequence[KnownRow], compared: Sequence[ComparedAnswer]) -> KnownStudy:
    """The share of each relation by system, and how far the model agrees with the rows."""
    told = {one.key: one for one in compared}
    systems = dict.fromkeys(row.system for row in rows)
    said = {name: [told[row.key].relation for row in rows if row.system == name] for name in systems}
    shares = {
        name: {one: pool_cases([(int(its == one), 1) for its in some if its]) for one in RELATIONS}
        for name, some in said.items()
    }
    theirs = {row.key: str(row.relation) for row in rows if row.relation}
    ours = {one.key: str(one.relation) for one in compared if one.relation}
    values = [
        GroupedValue(group=row.system, value=ours[row.key], case=row.id)
        for row in rows
        if row.key in ours and row.system
    ]
    return KnownStudy(
        judge,
        shares,
        Counter({name: some.count(None) for name, some in said.items() if None in some}),
        compare_raters(judge, PEOPLE, ours, theirs) if theirs and judge != PEOPLE else None,
        [*list_tests(values)] if len({one.group for one in values}) > 1 else [],
        [
            {"id": row.id, "system": row.system, **told[row.key].model_dump(include={"relation", "reason", "error"})}
            for row in rows
        ],
    )


def known_blocks(data: RecordedFile[KnownRow], study: KnownStudy) -> Iterator[Block]:
    """Everything, for people."""
    yield Text(
        f"{format_count(len(data.rows), 'answer')} of {data.file} (sha256 {data.sha256}) beside the known ones, as "
        f"{study.judge} said"
    )
    rows = [
        (system or "all", relation, found.share, Interval(found.low, found.high), Part(found.part, found.whole))
        for system, shares in study.shares.items()
        for relation, found in shares.items()
    ]
    yield Table(("system", "beside the known answer", "share", "95 % interval", "answers"), rows)
    for system, number in study.failed.items():
        named = f" of {system}" if system else ""
        yield Text(
            f"{format_count(number, 'answer')}{named} could not be compared, in no share: give the command again.", True
        )
    if study.agreement:
        yield agreement_table([study.agreement])
    if study.tests:
        values = [GroupedValue(group=one["system"], value=one["relation"]) for one in study.answers if one["relation"]]
        yield from test_blocks(values, study.tests)
