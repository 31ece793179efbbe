"""The guidelines on this machine that may speak of a patient, found by what the record says and opened whole."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, find_prescribed_drugs
from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.recommend.patient_record import PatientRecord
from wellsourced.sources.base import Source
from wellsourced.types import Document, Query, Question

MAX_SEARCHES = 24
"""Searches that are made for one patient, of each guideline library."""

HITS_PER_SEARCH = 20
MAX_GUIDELINES = 60
"""Guidelines that are read whole, at most; those that were found first."""


class GuidelineReading(NamedTuple):
    """Guidelines that were opened, and what could not be, a phrase each."""

    documents: tuple[Document, ...] = ()
    unread: tuple[str, ...] = ()


async def open_guidelines(question: Question, record: PatientRecord, context: Context) -> GuidelineReading:
    """The guidelines of this machine that name what the record has, whole.

    Only sources on this machine are searched, with the names of conditions and drugs and not with the record's words.
    A source that fails is told, and the others are read.
    """
    documents: dict[str, Document] = {}
    unread: list[str] = []
    libraries = 0
    for source in context.sources:
        try:
            info = await source.describe()
            if info.live or info.kind != "guideline":
                continue
            libraries += 1
            for id in await _find_guidelines(source, question, record):
                if id not in documents and id not in question.exclude and len(documents) < MAX_GUIDELINES:
                    documents[id] = await source.open(id)
        except SourceError as error:
            unread.append(f"guidelines of {source.name}: could not be read ({error})")
    if not libraries:
        unread.append("guidelines: none is on this machine, so none was read for warnings")
    return GuidelineReading(tuple(documents.values()), tuple(unread))


async def _find_guidelines(source: Source, question: Question, record: PatientRecord) -> list[str]:
    found: dict[str, None] = {}
    for words in list(dict.fromkeys(_search_words(question, record)))[:MAX_SEARCHES]:
        query = Query(terms=(words,), exclude=question.exclude, since=question.since, as_of=question.as_of)
        result = await source.search(query, HITS_PER_SEARCH)
        found |= dict.fromkeys(hit.passage.reference.id for hit in result.hits)
    return list(found)


def _search_words(question: Question, record: PatientRecord) -> Iterator[str]:
    yield question.text
    drugs = (*find_prescribed_drugs(question.text), *record.current_drugs)
    for drug in drugs:
        yield f"{drug.drug or drug.own_class} contraindications"
    for condition in record.conditions:
        yield f"contraindicated in {condition}"
    for name in _unique_classes(drugs):
        yield f"avoid {name}"


def _unique_classes(drugs: Sequence[DrugMention]) -> list[str]:
    return list(dict.fromkeys(drug.own_class for drug in drugs))
