"""Checkups as a data set that others can use: JSON lines, a record each, bound together by ids (SourceCheckup).

First a card, then questions, responses, statements, sources, pairs, and what people said of pairs. An id is made of
the words that it stands for: the same in every run, so that versions of a system can be compared. The words of a source
are left out unless whoever exports says that they may be passed on; its hash and the quoted words stay.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import Literal

from wellsourced.types import (
    Checkup,
    CitedSource,
    Claim,
    ClaimEdit,
    ClaimSourceVerdict,
    Document,
    ShareInterval,
    SourceResolution,
    Value,
    Verdict,
    VerdictLabel,
)
from wellsourced_evaluate.checkups.agreement import RaterSheets
from wellsourced_evaluate.checkups.annotation import AnnotationKey
from wellsourced_evaluate.checkups.stored_runs import NamedCheckup

FORMAT = 1
"""Raised whenever a record changes so that an older version could not read it."""


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


class QuestionRecord(Value):
    """What was asked, and what kind of question it is."""

    type: Literal["question"] = "question"
    id: str
    text: str
    kind: str = ""


class ResponseRecord(Value):
    """What a system answered, and how it was checked. `question` is the id of one; "" where none is known."""

    type: Literal["response"] = "response"
    id: str
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


class StatementRecord(Value):
    """A statement of a response and its verdict; `sources` are the ids of those whose marks it bears."""

    type: Literal["statement"] = "statement"
    id: str
    response: str
    sources: tuple[str, ...]
    claim: Claim
    verdict: Verdict


class SourceRecord(Value):
    """A source of a response and what came of it.

    content_hash   SHA-256 of its words; "" where they were not had or are not at hand
    text           its words, where they may be passed on
    """

    type: Literal["source"] = "source"
    id: str
    response: str
    cited: CitedSource
    resolution: SourceResolution
    content_hash: str = ""
    text: str = ""


class PairRecord(Value):
    """What a source says of a statement, with its words."""

    type: Literal["pair"] = "pair"
    id: str
    statement: str
    source: str
    pairing: ClaimSourceVerdict


class AnnotationRecord(Value):
    """What somebody said of a pair."""

    type: Literal["annotation"] = "annotation"
    id: str
    pair: str
    rater: str
    label: VerdictLabel


DataSetRecord = (
    DataSetCard | QuestionRecord | ResponseRecord | StatementRecord | SourceRecord | PairRecord | AnnotationRecord
)


class DataSet(Value):
    """The records of a data set, in their order."""

    card: DataSetCard
    records: tuple[DataSetRecord, ...]

    def lines(self) -> Iterator[str]:
        """A line of JSON for each record, the card first."""
        yield from (f"{one.model_dump_json()}\n" for one in (self.card, *self.records))


class Annotations(Value):
    """What people said of pairs: the key of their sheet, and label by rater and item."""

    keys: tuple[AnnotationKey, ...]
    raters: dict[str, dict[str, VerdictLabel]]

    @classmethod
    def from_sheets(cls, keys: Sequence[AnnotationKey], sheets: RaterSheets) -> "Annotations":
        return cls.model_validate({"keys": keys, "raters": sheets.raters})


def build_data_set(
    checkups: Sequence[NamedCheckup],
    shares: Mapping[str, ShareInterval],
    made_by: str,
    documents: Mapping[tuple[int, str], Document],
    annotations: Annotations | None = None,
    *,
    with_texts: bool = False,
) -> DataSet:
    """The data set of these checkups.

    documents    words of sources, by (position of the checkup, key of the source): hashed, and passed on `with_texts`
    annotations  of pairs of these checkups; what is said of others is left out
    """
    questions: dict[str, QuestionRecord] = {}
    records: list[DataSetRecord] = []
    pairs: dict[tuple[str, int, str], str] = {}
    for position, (name, checkup) in enumerate(checkups):
        question = _build_question(checkup)
        if question:
            questions[question.id] = question
        response = _build_response(name, checkup, question.id if question else "")
        own = [*_build_parts(position, checkup, response.id, documents, with_texts)]
        records += [response, *own]
        pairs |= {(name, one.pairing.claim, one.pairing.source): one.id for one in own if isinstance(one, PairRecord)}
    told = [*_build_annotations(annotations, pairs)] if annotations else []
    every = (*questions.values(), *records, *told)
    counts: dict[str, int] = {}
    for one in every:
        counts[one.type] = counts.get(one.type, 0) + 1
    card = DataSetCard(made_by=made_by, texts=with_texts, counts=counts, shares=dict(shares))
    return DataSet(card=card, records=every)


def make_id(*words: str) -> str:
    """Sixteen letters and digits made of these words alone."""
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _build_question(checkup: Checkup) -> QuestionRecord | None:
    origin = checkup.origin
    if not (origin.question or origin.kind):
        return None
    id = make_id("question", origin.question, origin.kind)
    return QuestionRecord(id=id, text=origin.question, kind=origin.kind)


def _build_response(name: str, checkup: Checkup, question: str) -> ResponseRecord:
    submitted, origin = checkup.submitted, checkup.origin
    return ResponseRecord(
        id=make_id("response", origin.question, origin.system, name, submitted.document.text),
        question=question,
        system=origin.system,
        name=name,
        row=origin.id,
        document=submitted.document,
        other=submitted.other,
        notes=submitted.notes,
        checkup_notes=checkup.notes,
        edits=checkup.edits,
        judge=checkup.judge,
        as_of=checkup.as_of,
        complete=checkup.complete,
    )


def _build_parts(
    position: int, checkup: Checkup, response: str, documents: Mapping[tuple[int, str], Document], with_texts: bool
) -> Iterator[StatementRecord | SourceRecord | PairRecord]:
    """The sources, statements and pairs of one response, what is referred to before what refers to it."""
    submitted = checkup.submitted
    source_ids = {one.key: make_id(response, "source", one.key, one.url or one.written) for one in submitted.sources}
    resolutions = {one.key: one for one in checkup.traced}
    for cited in submitted.sources:
        document = documents.get((position, cited.key))
        yield SourceRecord(
            id=source_ids[cited.key],
            response=response,
            cited=cited,
            resolution=resolutions[cited.key],
            content_hash=sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest() if document else "",
            text=document.text if document and with_texts else "",
        )
    statement_ids = [make_id(response, "statement", str(one.number), one.text) for one in submitted.claims]
    for claim, verdict in zip(submitted.claims, checkup.verdicts, strict=True):
        own = tuple(source_ids[key] for key in claim.cites)
        yield StatementRecord(
            id=statement_ids[claim.number], response=response, sources=own, claim=claim, verdict=verdict
        )
    for pairing in checkup.pairings:
        statement, source = statement_ids[pairing.claim], source_ids[pairing.source]
        yield PairRecord(id=make_id(statement, source), statement=statement, source=source, pairing=pairing)


def _build_annotations(
    annotations: Annotations, pairs: Mapping[tuple[str, int, str], str]
) -> Iterator[AnnotationRecord]:
    places = {key.id: pairs.get((key.text, key.statement, key.source)) for key in annotations.keys}
    for rater, labels in annotations.raters.items():
        for item, label in labels.items():
            if pair := places.get(item):
                yield AnnotationRecord(id=make_id(pair, rater), pair=pair, rater=rater, label=label)
