"""Checkups as a data set that others can use: JSON lines, a record each, bound together by ids (SourceCheckup).

First a card, then questions, responses, statements, sources, pairs, and what people said of pairs. An id is made of
the words of what it names: the same in every run, so that versions of a system can be compared. The words of a source
are left out unless all of them may be passed on; their hash and the quoted words stay. What is read back is scored
again without a model, and each row that does not fit is rejected.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import SettingsError, UnreadableFile
from wellsourced.factcheck.load.answer_rows import RejectedRow, read_rows
from wellsourced.factcheck.verdicts import pool_shares
from wellsourced.readers.base import File
from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    ClaimEdit,
    ClaimSourceVerdict,
    Document,
    ShareInterval,
    SourceResolution,
    SubmittedText,
    TextOrigin,
    Value,
    Verdict,
    VerdictLabel,
)
from wellsourced_evaluate.checkups.agreement import Labels
from wellsourced_evaluate.checkups.sheets import AnnotationKey, make_key
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup, score_again
from wellsourced_evaluate.recorded_rows import describe_fault

FORMAT = 1
"""Raised whenever a record changes so that an older version could not read it."""

SUBMITTED_FIELDS, CHECKUP_FIELDS = ("document", "other", "notes"), ("edits", "judge", "as_of", "complete")
"""Fields of a response that the text, and the checkup, have by the same name."""

REMEDY = "Give what `wellsourced checkup export` wrote."


class DataSetCard(Value):
    """What the data set is.

    texts    whether the words of sources are in it
    shares   the figures of all responses together
    """

    type: Literal["card"] = "card"
    format: int = FORMAT
    made_by: str = ""
    about: str = "Statements of answers, the sources that these cite, and what each source says of each statement."
    texts: bool = False
    counts: dict[str, int]
    shares: dict[str, ShareInterval]


class Record(Value):
    """A record behind the card. A field with the name of a type is the id of a record of that type."""

    type: str
    id: str


class QuestionRecord(Record):
    """What was asked, and what kind of question it is."""

    type: Literal["question"] = "question"
    text: str
    kind: str = ""


class ResponseRecord(Record):
    """What a system answered, and how it was checked. `question` is the id of one; "" where none is known."""

    type: Literal["response"] = "response"
    question: str
    system: str
    name: str
    row: str = ""
    document: Document
    other: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    checkup_notes: tuple[str, ...] = ()
    edits: tuple[ClaimEdit, ...] = ()
    judge: str = ""
    as_of: date | None = None
    complete: bool = True


class StatementRecord(Record):
    """A statement of a response and its verdict; `sources` are the ids of those whose marks it bears."""

    type: Literal["statement"] = "statement"
    response: str
    sources: tuple[str, ...]
    claim: Claim
    verdict: Verdict


class SourceRecord(Record):
    """A source of a response and what came of it.

    content_hash   SHA-256 of its words; "" where they were not had or are not at hand
    text           its words, where they may be passed on
    """

    type: Literal["source"] = "source"
    response: str
    cited: CitedSource
    resolution: SourceResolution
    content_hash: str = ""
    text: str = ""


class PairRecord(Record):
    """What a source says of a statement, with its words."""

    type: Literal["pair"] = "pair"
    statement: str
    source: str
    pairing: ClaimSourceVerdict


class AnnotationRecord(Record):
    """What somebody said of a pair."""

    type: Literal["annotation"] = "annotation"
    pair: str
    rater: str
    label: VerdictLabel


RECORDS: Mapping[str, type[Record]] = {
    one.model_fields["type"].default: one
    for one in (QuestionRecord, ResponseRecord, StatementRecord, SourceRecord, PairRecord, AnnotationRecord)
}


# --- written -----------------------------------------------------------------------------------------------------


def build_data_set(
    stored: Sequence[NamedCheckup],
    made_by: str,
    keys: Sequence[AnnotationKey] = (),
    raters: Mapping[str, Labels] = MappingProxyType({}),
    *,
    with_texts: bool = False,
) -> tuple[DataSetCard, list[Record]]:
    """The card of the data set of these checkups, and its records in their order.

    keys, raters   of sheets of these checkups, and what was written on them; what is said of other pairs is left out
    with_texts     the words of sources are passed on, and not only hashed
    """
    questions: dict[str, Record] = {}
    records: list[Record] = []
    pairs: dict[tuple[str, int, str], str] = {}
    for one in stored:
        origin, question = one.checkup.origin, ""
        if origin.question or origin.kind:
            question = make_id("question", origin.question, origin.kind)
            questions[question] = QuestionRecord(id=question, text=origin.question, kind=origin.kind)
        for record in _build_response(one, question, with_texts):
            records.append(record)
            if isinstance(record, PairRecord):
                pairs[one.name, record.pairing.claim, record.pairing.source] = record.id
    places = {key.id: pairs.get((key.text, key.statement, key.source)) for key in keys}
    said = [
        AnnotationRecord.model_validate({"id": make_id(pair, rater), "pair": pair, "rater": rater, "label": label})
        for rater, labels in raters.items()
        for item, label in labels.items()
        if (pair := places.get(item))
    ]
    every = [*questions.values(), *records, *said]
    counts = dict(Counter(record.type for record in every))
    shares = pool_shares([one.checkup for one in stored])
    return DataSetCard(made_by=made_by, texts=with_texts, counts=counts, shares=dict(shares)), every


def make_id(*words: str) -> str:
    """Sixteen letters and digits made of these words alone."""
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _pick(names: Sequence[str], value: Value) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _build_response(one: NamedCheckup, question: str, with_texts: bool) -> Iterator[Record]:
    """A response, its sources, statements and pairs: what is referred to before what refers to it."""
    checkup = one.checkup
    submitted, origin = checkup.submitted, checkup.origin
    response = make_id("response", origin.question, origin.system, one.name, submitted.document.text)
    yield ResponseRecord(
        id=response,
        question=question,
        system=origin.system,
        name=one.name,
        row=origin.id,
        checkup_notes=checkup.notes,
        **_pick(SUBMITTED_FIELDS, submitted),
        **_pick(CHECKUP_FIELDS, checkup),
    )
    source_ids = {
        cited.key: make_id(response, "source", cited.key, cited.url or cited.written) for cited in submitted.sources
    }
    resolutions = {found.key: found for found in checkup.traced}
    for cited in submitted.sources:
        document = one.documents.get(cited.key)
        yield SourceRecord(
            id=source_ids[cited.key],
            response=response,
            cited=cited,
            resolution=resolutions[cited.key],
            content_hash=sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest() if document else "",
            text=document.text if document and with_texts else "",
        )
    statement_ids = [make_id(response, "statement", str(claim.number), claim.text) for claim in submitted.claims]
    for claim, verdict in zip(submitted.claims, checkup.verdicts, strict=True):
        sources = tuple(source_ids[key] for key in claim.cites)
        id = statement_ids[claim.number]
        yield StatementRecord(id=id, response=response, sources=sources, claim=claim, verdict=verdict)
    for pairing in checkup.pairings:
        statement, source = statement_ids[pairing.claim], source_ids[pairing.source]
        yield PairRecord(id=make_id(statement, source), statement=statement, source=source, pairing=pairing)


# --- read back ---------------------------------------------------------------------------------------------------


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


Index = dict[str, dict[str, Any]]
"""Records by type and id, as far as they were read."""


def read_data_set(file: File) -> ImportedDataSet:
    """The checkups of a data set, scored again: the same records give the same figures. Asks no model and no source.

    Raises UnreadableFile for a file that is no data set, SettingsError for one of a later format.
    """
    rows = read_rows(file)
    card = _read_card(file, next(rows, (1, "it is empty"))[1])
    index: Index = {kind: {} for kind in RECORDS}
    rejected = []
    for row, fields in rows:
        try:
            record = _read_record(fields, index)
            index[record.type][record.id] = record
        except ValueError as fault:
            rejected.append(RejectedRow(row, str(fault)))
    checkups = tuple(_build_checkups(index))
    if not checkups:
        told = f" (row {rejected[0].row}: {rejected[0].reason})" if rejected else ""
        raise UnreadableFile(str(file), f"it holds no response{told}", REMEDY)
    annotations = tuple(index["annotation"].values())
    keys = []
    for id in dict.fromkeys(one.pair for one in annotations):
        pair = index["pair"][id]
        response = index["response"][index["statement"][pair.statement].response]
        keys.append(make_key(id, response.name, response.judge, pair.pairing))
    return ImportedDataSet(card, checkups, tuple(keys), annotations, tuple(rejected))


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
        raise UnreadableFile(str(file), f"its card cannot be read ({describe_fault(error)})", REMEDY) from error


def _read_record(fields: Mapping[str, Any] | str, index: Index) -> Any:
    """The record of a row. Raises ValueError for one that cannot be read, or that does not fit those before it."""
    if isinstance(fields, str):
        raise ValueError(fields)
    kind = str(fields.get("type"))
    if kind not in RECORDS:
        raise ValueError(f"its type is none of {', '.join(RECORDS)}")
    try:
        record: Any = RECORDS[kind].model_validate(fields)
    except ValidationError as error:
        raise ValueError(f"it is not a {kind} ({describe_fault(error)})") from error
    if record.id in index[kind]:
        raise ValueError(f"its id {record.id} is that of an earlier {kind}")
    for other, known in index.items():
        id = getattr(record, other, "")
        if id and id not in known:
            raise ValueError(f"its {other} {id} is not in the data set")
    if kind == "source" and record.cited.key != record.resolution.key:
        raise ValueError(f"its resolution is of source {record.resolution.key}, not of {record.cited.key}")
    if kind == "pair":
        statement, source = index["statement"][record.statement], index["source"][record.source]
        if statement.response != source.response:
            raise ValueError("its statement and its source are of two responses")
        if (statement.claim.number, source.cited.key) != (record.pairing.claim, record.pairing.source):
            raise ValueError("its pairing is of another statement or source than it names")
    return record


def _build_checkups(index: Index) -> Iterator[NamedCheckup]:
    """Each response as a checkup: its verdicts follow from its pairs, since one on which they rested may be missing."""
    parts: dict[str, list[Any]] = defaultdict(list)
    for kind, link in (("source", "response"), ("statement", "response"), ("pair", "statement")):
        for record in index[kind].values():
            parts[kind + getattr(record, link)].append(record)
    for response in index["response"].values():
        question = index["question"].get(response.question)
        sources = parts["source" + response.id]
        statements = sorted(parts["statement" + response.id], key=lambda one: one.claim.number)
        # A statement may be missing, too: those that are there are numbered through.
        numbered = [*enumerate(statements)]
        submitted = SubmittedText(
            claims=tuple(one.claim.model_copy(update={"number": number}) for number, one in numbered),
            sources=tuple(one.cited for one in sources),
            **_pick(SUBMITTED_FIELDS, response),
        )
        checkup = Checkup(
            submitted=submitted,
            traced=tuple({one.resolution.key: one.resolution for one in sources}.values()),
            pairings=tuple(
                pair.pairing.model_copy(update={"claim": number})
                for number, one in numbered
                for pair in parts["pair" + one.id]
            ),
            notes=response.checkup_notes,
            **_pick(CHECKUP_FIELDS, response),
            origin=TextOrigin(
                id=response.row,
                question=question.text if question else "",
                system=response.system,
                kind=question.kind if question else "",
            ),
        )
        yield NamedCheckup(response.name, score_again(checkup))
