"""Answer a question about one patient: what was read in the record, the answer as `ask` gives it, lines to check.

    tell the patient from the question → read the record → open documents of this machine on it → ask
    → list the lines in which something of the record is what they warn of

Nothing here judges the answer, leaves anything out of it or puts it in another order.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import SourceError
from wellsourced.events import Emit, ignore_event
from wellsourced.lazy import lazy_regex
from wellsourced.medicine.conditions import find_conditions
from wellsourced.medicine.drugs import DrugMention, find_drugs
from wellsourced.medicine.measurements import extract_age
from wellsourced.patients.lines_to_check import PatientDrugs, find_asked_by_name, find_lines_to_check
from wellsourced.patients.record import PatientRecord, read_patient_record
from wellsourced.patients.words import find_words
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.base import Source
from wellsourced.text.languages import detect_language
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tables import read_rows
from wellsourced.types import (
    Answer,
    Document,
    LineToCheck,
    Query,
    Question,
    Recommendation,
)

NO_PATIENT_NOTE = "no patient is given, so no lines to check were looked for"

MAX_SEARCHES = 24
"""Searches that are made for one patient, of each library."""

HITS_PER_SEARCH = 20
MAX_DOCUMENTS = 60
"""Documents that are read whole, at most; those that were found first."""

MAX_PROBLEMS = 2
"""Conditions of the record that a question is searched for with, where it names nothing itself."""

UNSEARCHED_KINDS = frozenset({"research", "trial", "graph"})
"""Sources whose documents advise nobody."""

MIN_ADULT_AGE = 16.0
"""Years."""

_TOLD_AND_ASKED = lazy_regex(
    r"^(?P<told>.{12,}?)(?::|[.;!]|\s[-–—])\s+(?P<asked>(?:(?!: )[^.;!]){3,200}?\?*)\s*$", re.DOTALL
)


class ReadPatient(NamedTuple):
    """What was read before the answer: the record, and the documents of this machine that may speak of it.

    unread   what could not be opened, a phrase each
    """

    record: PatientRecord
    documents: tuple[Document, ...] = ()
    unread: tuple[str, ...] = ()

    def find_lines(self, question: Question, given: Answer | None = None) -> tuple[LineToCheck, ...]:
        """The lines to check for the patient; before the answer without the drugs that it will name."""
        drugs = list_drugs(question, self.record, given)
        return find_lines_to_check(self.documents, self.record, drugs, question.text)


async def recommend(question: Question, context: Context, emit: Emit = ignore_event) -> Answer:
    """Answer as `ask` does; before it what was read in the record, beside it the lines to check for the patient.

    A language model that may see the patient is told of the lines. The patient's text is compared here, and for that is
    shown to nobody; only names of drugs and conditions are searched for, on this machine alone. Raises as `ask` does.
    """
    told = question if context.has_model else split_patient(question)
    text = told.patient or (told.pico.population if told.pico else "")
    read = await _read_patient(text, told, context) if text else None
    searched = name_subject(told, read.record, context) if read else told
    style = context.write.model_copy(update={"style": "recommendation"})
    told_lines = read.find_lines(told) if read and context.has_model else ()
    asking = replace(context, write=style, patient_lines=told_lines)
    return await answer_question(searched, asking, emit, partial(_add_recommendation, told, read))


def _add_recommendation(question: Question, read: ReadPatient | None, given: Answer) -> Answer:
    """The answer with what was read of the patient, and the lines to check."""
    made = given.recommendation or Recommendation()
    if read is None:
        return given.model_copy(update={"recommendation": made, "notes": (*given.notes, NO_PATIENT_NOTE)})
    record = read.record
    known = {
        "record": record.rows,
        "unread": record.unread,
        "missing": (*record.missing, *read.unread, *_note_child(record, given)),
        "lines": read.find_lines(question, given),
    }
    return given.model_copy(update={"recommendation": made.model_copy(update=known)})


def list_drugs(question: Question, record: PatientRecord, given: Answer | None = None) -> PatientDrugs:
    """The drugs that are asked for, by the question or by somebody in the record, taken, and named in the answer."""
    said = given.shown_texts if given else ()
    shown = tuple(dict.fromkeys(drug._replace(start=0) for text in said for drug in find_drugs(text)))
    return PatientDrugs((*find_asked_drugs(question.text), *record.proposed_drugs), record.current_drugs, shown)


def find_asked_drugs(question: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a question asks about; where it names none, those for what it wants: to lower the
    blood pressure asks for antihypertensives. "Besides antiplatelets" asks about none.
    """
    named = find_asked_by_name(question)
    wanted = read_rows("wellsourced.patients", "asked_purposes.tsv")
    return named or tuple(
        find_drugs(name)[0] for name, expression in wanted if re.search(expression, question, re.IGNORECASE)
    )


def _note_child(record: PatientRecord, given: Answer) -> Iterator[str]:
    """That nothing shown speaks of children, where the patient is one: documents for adults do not say so."""
    if record.age is not None and record.age < MIN_ADULT_AGE and given.shown_ids:
        shown = [text_under_titles(item.passage) for item in given.evidence if item.passage.id in given.shown_ids]
        if not any(find_words("children", text) for text in shown):
            yield "the patient is a child, and nothing shown mentions children"


# --- the patient and the question ----------------------------------------------------------------------------------


def split_patient(question: Question) -> Question:
    """The question with the patient apart that it tells of itself: "58-year-old with gout: what should I add?".

    Whoever is told of has an age; a question with a patient of its own, or an earlier one, stays.
    """
    if question.patient or question.pico or question.history or question.asked:
        return question
    match = _TOLD_AND_ASKED.match(question.text)
    if match is None or extract_age(match["told"]) is None:
        whole = question.text if extract_age(question.text) is not None else ""
        return question.model_copy(update={"patient": whole})
    asked = match["asked"].strip()
    return question.model_copy(
        update={"text": asked[:1].upper() + asked[1:], "asked": question.text, "patient": match["told"]}
    )


def name_subject(question: Question, record: PatientRecord, context: Context) -> Question:
    """The question with conditions of the record where it names none itself: "which antibiotic?" is found of anything.

    Only where nothing leaves this machine: the names of a patient's conditions are not among what a question may carry.
    """
    is_plain = not (question.pico or question.history or question.given or context.has_model or context.outbound)
    if not is_plain or find_conditions(question.text) or detect_language(question.text) not in ("en", ""):
        return question
    rows = [row for row in record.rows if row.kind == "condition" and not row.time]
    named = list(dict.fromkeys(row.name for row in rows))[:MAX_PROBLEMS]
    if not named:
        return question
    text = f"{' and '.join(named).capitalize()}: {question.text}"
    return question.model_copy(update={"text": text, "asked": question.asked or question.text})


# --- documents of this machine -------------------------------------------------------------------------------------


async def _read_patient(text: str, question: Question, context: Context) -> ReadPatient:
    """The record, and the documents that name what it has, whole; a source that fails is told of."""
    record = read_patient_record(text)
    documents: dict[str, Document] = {}
    unread: list[str] = []
    for source in context.sources:
        try:
            info = await source.describe()
            if info.live or info.kind in UNSEARCHED_KINDS:
                continue
            for id in await _find_documents(source, question, record):
                if id not in documents and id not in question.exclude and len(documents) < MAX_DOCUMENTS:
                    documents[id] = await source.open(id)
        except SourceError as error:
            unread.append(f"{source.name}: could not be read for lines to check ({error})")
    return ReadPatient(record, tuple(documents.values()), tuple(unread))


async def _find_documents(source: Source, question: Question, record: PatientRecord) -> list[str]:
    found: dict[str, None] = {}
    for words in list(dict.fromkeys(_search_words(question, record)))[:MAX_SEARCHES]:
        query = Query(terms=(words,), exclude=question.exclude, since=question.since, as_of=question.as_of)
        result = await source.search(query, HITS_PER_SEARCH)
        found |= dict.fromkeys(hit.passage.reference.id for hit in result.hits)
    return list(found)


def _search_words(question: Question, record: PatientRecord) -> Iterator[str]:
    yield question.text
    for drug in (*find_asked_drugs(question.text), *record.current_drugs):
        yield f"{drug.drug or drug.own_class} contraindications"
    for condition in record.conditions:
        yield f"contraindicated in {condition}"
