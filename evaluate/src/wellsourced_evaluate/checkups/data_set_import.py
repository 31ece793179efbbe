"""A data set read back into checkups, and scored anew without a model: each row that does not fit is told."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.factcheck.load.answer_rows import RejectedRow, read_rows
from wellsourced.factcheck.verdicts import combine_verdicts, measure_shares
from wellsourced.readers.base import File
from wellsourced.types import Checkup, ClaimSourceVerdict, SubmittedText, TextOrigin, Value
from wellsourced_evaluate.checkups.annotation import AnnotationKey
from wellsourced_evaluate.checkups.data_set import (
    FORMAT,
    AnnotationRecord,
    DataSetCard,
    PairRecord,
    QuestionRecord,
    ResponseRecord,
    SourceRecord,
    StatementRecord,
)
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

REMEDY = "Give what `wellsourced checkup export` wrote."

_KINDS: Mapping[str, type[Value]] = {
    "question": QuestionRecord,
    "response": ResponseRecord,
    "statement": StatementRecord,
    "source": SourceRecord,
    "pair": PairRecord,
    "annotation": AnnotationRecord,
}
_LINKS: Mapping[str, Mapping[str, str]] = {
    "response": {"question": "question"},
    "source": {"response": "response"},
    "statement": {"response": "response"},
    "pair": {"statement": "statement", "source": "source"},
    "annotation": {"pair": "pair"},
}
"""Kind of record → its fields that name another record, and the kind of that."""

R = TypeVar("R", bound=Value)


class ImportedDataSet(NamedTuple):
    """What a data set holds.

    keys          of the pairs of which people said something: as the key of a sheet
    annotations   what they said
    rejected      the rows that could not be used
    """

    card: DataSetCard
    checkups: tuple[NamedCheckup, ...]
    keys: tuple[AnnotationKey, ...]
    annotations: tuple[AnnotationRecord, ...]
    rejected: tuple[RejectedRow, ...]


class _RecordIndex:
    """Records by kind and id, as far as they were read."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {kind: {} for kind in _KINDS}

    def add(self, fields: Mapping[str, Any]) -> str:
        """Take a record in; why it cannot be, "" when it can."""
        kind = str(fields.get("type"))
        if kind not in _KINDS:
            return f"its type is none of {', '.join(_KINDS)}"
        try:
            record: Any = _KINDS[kind].model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            return f"it is no {kind} ({'.'.join(map(str, first['loc']))}: {first['msg']})"
        if record.id in self.records[kind]:
            return f"its id {record.id} is that of an earlier {kind}"
        for field, other in _LINKS.get(kind, {}).items():
            id = getattr(record, field)
            if id and id not in self.records[other]:
                return f"its {field} {id} is not in the data set"
        if reason := self._find_mismatch(record):
            return reason
        self.records[kind][record.id] = record
        return ""

    def _find_mismatch(self, record: Any) -> str:
        """Why a record contradicts itself or those that it names; "" when it does not."""
        if isinstance(record, SourceRecord) and record.cited.key != record.resolution.key:
            return f"its resolution is of source {record.resolution.key}, not of {record.cited.key}"
        if not isinstance(record, PairRecord):
            return ""
        statement, source = self.records["statement"][record.statement], self.records["source"][record.source]
        if statement.response != source.response:
            return "its statement and its source are of two responses"
        if (statement.claim.number, source.cited.key) != (record.pairing.claim, record.pairing.source):
            return "its pairing is of another statement or source than it names"
        return ""

    def of_kind(self, record: type[R]) -> list[R]:
        kind = next(name for name, one in _KINDS.items() if one is record)
        return [*self.records[kind].values()]


def read_data_set(file: File) -> ImportedDataSet:
    """The checkups of a data set, scored anew: the same records give the same figures. Asks no model and no source.

    Raises UnreadableFile for a file that is no data set, SettingsError for one of a later format.
    """
    rows = read_rows(file)
    card = _read_card(file, next(rows, (1, "it is empty"))[1])
    index = _RecordIndex()
    rejected = [
        RejectedRow(row, reason)
        for row, fields in rows
        if (reason := fields if isinstance(fields, str) else index.add(fields))
    ]
    checkups = _build_checkups(index)
    if not checkups:
        told = f" (row {rejected[0].row}: {rejected[0].reason})" if rejected else ""
        raise UnreadableFile(str(file), f"it holds no response{told}", REMEDY)
    annotations = index.of_kind(AnnotationRecord)
    keys = [_build_key(index, id) for id in dict.fromkeys(one.pair for one in annotations)]
    return ImportedDataSet(card, tuple(checkups), tuple(keys), tuple(annotations), tuple(rejected))


def _build_key(index: _RecordIndex, pair_id: str) -> AnnotationKey:
    pair = index.records["pair"][pair_id]
    response = index.records["response"][index.records["statement"][pair.statement].response]
    return AnnotationKey(
        id=pair_id,
        label=pair.pairing.verdict.label,
        judge=response.judge,
        text=response.name,
        statement=pair.pairing.claim,
        source=pair.pairing.source,
    )


def _read_card(file: File, fields: Mapping[str, Any] | str) -> DataSetCard:
    if isinstance(fields, str) or fields.get("type") != "card" or not isinstance(fields.get("format"), int):
        raise UnreadableFile(str(file), "it does not begin with the card of a data set", REMEDY)
    if fields["format"] > FORMAT:
        raise SettingsError(
            f"{file} has format {fields['format']}, and this version reads {FORMAT}: install a later wellsourced."
        )
    try:
        return DataSetCard.model_validate(fields)
    except ValidationError as error:
        raise UnreadableFile(str(file), f"its card cannot be read ({error.errors()[0]['msg']})", REMEDY) from error


def _build_checkups(index: _RecordIndex) -> list[NamedCheckup]:
    questions = {one.id: one for one in index.of_kind(QuestionRecord)}
    sources: dict[str, list[SourceRecord]] = defaultdict(list)
    for source in index.of_kind(SourceRecord):
        sources[source.response].append(source)
    statements: dict[str, list[StatementRecord]] = defaultdict(list)
    for statement in index.of_kind(StatementRecord):
        statements[statement.response].append(statement)
    pairs: dict[str, list[ClaimSourceVerdict]] = defaultdict(list)
    for pair in index.of_kind(PairRecord):
        pairs[pair.statement].append(pair.pairing)
    return [
        NamedCheckup(one.name, _build_checkup(one, questions, sources[one.id], statements[one.id], pairs))
        for one in index.of_kind(ResponseRecord)
    ]


def _build_checkup(
    response: ResponseRecord,
    questions: Mapping[str, QuestionRecord],
    sources: list[SourceRecord],
    statements: list[StatementRecord],
    pairs: Mapping[str, list[ClaimSourceVerdict]],
) -> Checkup:
    """A checkup with its verdicts combined anew, since a pair may be missing on which the old ones rested."""
    statements = sorted(statements, key=lambda one: one.claim.number)
    numbers = {one.claim.number: place for place, one in enumerate(statements)}
    claims = tuple(one.claim.model_copy(update={"number": numbers[one.claim.number]}) for one in statements)
    found = [
        [pair.model_copy(update={"claim": place}) for pair in pairs.get(one.id, [])]
        for place, one in enumerate(statements)
    ]
    resolutions = {one.resolution.key: one.resolution for one in sources}
    cited = tuple(one.cited for one in sources)
    question = questions.get(response.question)
    submitted = SubmittedText(
        document=response.document, claims=claims, sources=cited, other=response.other, notes=response.notes
    )
    checkup = Checkup(
        submitted=submitted,
        traced=tuple(resolutions.values()),
        pairings=tuple(pair for some in found for pair in some),
        verdicts=tuple(
            combine_verdicts(claim, some, cited, resolutions) for claim, some in zip(claims, found, strict=True)
        ),
        edits=response.edits,
        notes=response.checkup_notes,
        judge=response.judge,
        as_of=response.as_of,
        complete=response.complete,
        origin=TextOrigin(
            id=response.row,
            question=question.text if question else "",
            system=response.system,
            kind=question.kind if question else "",
        ),
    )
    return checkup.model_copy(update={"shares": measure_shares(checkup)})
