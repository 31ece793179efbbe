"""Answer a question about one patient, warn of what speaks against it, and say in what the evidence does not fit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.events import Emit, ignore_event
from wellsourced.medicine.conditions import find_conditions
from wellsourced.medicine.drugs import DrugMention, covers_drug, find_drugs, find_prescribed_drugs, is_meant
from wellsourced.pipeline.ask import answer_question
from wellsourced.recommend import patient_answer
from wellsourced.recommend.patient_fit import find_grades, find_misfits
from wellsourced.recommend.patient_question import (
    SearchedQuestion,
    add_problems,
    find_problems,
    may_search_record,
    says_its_subject,
    split_patient,
)
from wellsourced.recommend.patient_reading import PatientReading, find_asked_drugs, find_said_drugs, open_guidelines
from wellsourced.recommend.patient_record import PatientRecord, read_patient_record
from wellsourced.recommend.warning_rules import FORBIDDING, forbids_alone
from wellsourced.types import (
    NOT_REPORTED,
    Answer,
    Evidence,
    LimitedStatement,
    PatientWarning,
    Question,
    Recommendation,
    Reference,
    Statement,
)

NO_PATIENT_NOTE = "no patient is given, so whom the evidence does not fit was not checked"


async def recommend(question: Question, context: Context, emit: Emit = ignore_event) -> Answer:
    """Answer as a recommendation: what speaks against it for the patient, strength and certainty as the sources state
    them, and what does not fit.

    Where a model writes, it is asked for a recommendation and, if it may see the patient, told of the warnings; these,
    fit, strength and certainty are read by rule in any case, and what the model found besides is kept. Where none does
    and nothing leaves this machine, the patient's problems are searched for by their names. The patient's text is
    compared here, and for that is shown to nobody. Raises as `answer` does.
    """
    told = question if context.has_model else split_patient(question)
    reading = await _read_patient(told, context)
    searched = _search_for_patient(told, reading, context)
    style = context.write.model_copy(update={"style": "recommendation"})
    known = tuple(reading.find_warnings(told)) if reading and context.has_model else ()
    warned = replace(context, write=style, patient_warnings=known)
    return await answer_question(
        searched.question, warned, emit, partial(_add_recommendation, told, reading, searched=searched)
    )


async def _read_patient(question: Question, context: Context) -> PatientReading | None:
    """The record, or the population where there is none, and the guidelines; None where no patient is given."""
    told = _told_of_patient(question)
    if not told:
        return None
    record = read_patient_record(told, question.text)
    return PatientReading(record, await open_guidelines(question, record, context))


def _told_of_patient(question: Question) -> str:
    return question.patient or (question.pico.population if question.pico else "")


def _search_for_patient(question: Question, reading: PatientReading | None, context: Context) -> SearchedQuestion:
    """The question as it is searched for: with the patient's problems where these may be named."""
    if reading is None or context.has_model:
        return SearchedQuestion(question)
    if not may_search_record(question, context):
        return SearchedQuestion(question, has_own_words=says_its_subject(question), is_kept_apart=True)
    problems = find_problems(_told_of_patient(question), reading.record)
    return add_problems(question, problems)


def _add_recommendation(
    question: Question, reading: PatientReading | None, given: Answer, *, searched: SearchedQuestion
) -> Answer:
    """The answer with its recommendation; one that says nothing recommends nothing, and still warns."""
    given, misfitting = _fit_answer(question, reading, given, searched) if reading else (given, ())
    own = _list_own_statements(reading, given)
    found = reading.find_warnings(question, own, given.evidence) if reading else ()
    warnings = tuple(
        patient_answer.promote_concerned(found, find_asked_drugs(question.text), patient_answer.list_leading(given))
    )
    checks = _describe_checks(question, reading)
    if not given.statements:
        if not (warnings or checks.contradictions or (reading and reading.record.language_note)):
            return given
        limited = tuple(find_limited(given.found_instead, warnings))
        made = checks.model_copy(update={"warnings": warnings, "limited": limited})
        return given.model_copy(update={"recommendation": made})
    said = given.recommendation or Recommendation()
    limited = tuple(find_limited(given.statements, warnings))
    barred = {one.text for one in limited}
    free = [one for one in given.statements if one.text not in barred]
    is_barred = patient_answer.bars_what_is_recommended(
        warnings, find_asked_drugs(question.text), patient_answer.list_leading(given), barred
    )
    by_rule = find_grades(free, given.evidence)
    pico = given.question.pico or question.pico
    misfits = find_misfits(question.patient, pico, given.statements, given.evidence)
    fit = [one for one in misfits if not _is_warned_of(one, warnings)]
    recommendation = checks.model_copy(
        update={
            "strength": NOT_REPORTED if is_barred else _choose_grade(by_rule.strength, said.strength),
            "certainty": NOT_REPORTED if is_barred else _choose_grade(by_rule.certainty, said.certainty),
            "fit": tuple(dict.fromkeys((*fit, *misfitting, *said.fit))),
            "warnings": warnings,
            "limited": limited,
            "is_barred": is_barred,
        }
    )
    untold = () if question.patient or (pico and pico.population) else (NO_PATIENT_NOTE,)
    doses = tuple(patient_answer.work_out_doses(question.text, free, reading.record)) if reading else ()
    notes = (*given.notes, *patient_answer.describe_search(searched), *doses, *untold)
    return given.model_copy(update={"recommendation": recommendation, "notes": notes})


def _fit_answer(
    question: Question, reading: PatientReading, given: Answer, searched: SearchedQuestion
) -> tuple[Answer, tuple[str, ...]]:
    """The answer as far as it is one to this patient's question, what is on the patient's own diseases first."""
    if not (searched.has_own_words or searched.added):
        return patient_answer.refuse(given, patient_answer.explain_empty_question(question, searched)), ()
    if reason := patient_answer.explain_adult_sources(reading.record, given):
        given = patient_answer.refuse(given, reason, nearest=given.statements)
    ordered, misfitting = _order_by_disease(question, reading, given)
    steps = patient_answer.lead_with_earlier_steps(question.text, ordered.statements)
    leading = patient_answer.promote_new(steps, reading.record, find_asked_drugs(question.text))
    return ordered.model_copy(update={"statements": leading}), misfitting


def _list_own_statements(reading: PatientReading | None, given: Answer) -> tuple[Statement, ...]:
    """The statements that recommend something to this patient: not those on diseases of others, where others stand."""
    if reading is None:
        return given.statements
    cited = read_citations(given.evidence, reading.record)
    return tuple(one for one in given.statements if not cited.is_of_others(one)) or given.statements


def _order_by_disease(question: Question, reading: PatientReading, given: Answer) -> tuple[Answer, tuple[str, ...]]:
    """The answer with what guidelines on the patient's diseases say before the rest, and what the rest is about."""
    cited = read_citations(given.evidence, reading.record)
    asked = find_asked_drugs(question.text)
    ordered = {
        "statements": promote_own(given.statements, cited, asked),
        "found_instead": promote_own(given.found_instead, cited, asked),
    }
    return given.model_copy(update=ordered), cited.describe_others(given.statements)


def _is_warned_of(misfit: str, warnings: Sequence[PatientWarning]) -> bool:
    """Whether a warning quotes what does not fit, so that it is said already."""
    told = [each for one in warnings for each in (one, *one.also)]
    quotes = [quote.quote.rstrip(".") for one in told for quote in one.citations[-1:]]
    return any(quote in misfit for quote in quotes)


def find_limited(statements: Sequence[Statement], warnings: Sequence[PatientWarning]) -> Iterator[LimitedStatement]:
    """The statements that name a drug which a warning forbids, but those that say so themselves."""
    names = [name for one in warnings if one.severity in FORBIDDING for name in one.drugs]
    forbidden = [drug for name in names for drug in find_prescribed_drugs(name)]
    for statement in statements:
        said = [one for one in find_said_drugs(statement.text) if not _BEFORE_IT.search(statement.text[: one.start])]
        named = [one for one in said if any(covers_drug(drug, one) for drug in forbidden)]
        drugs = dict.fromkeys(one.words for one in named if not forbids_alone(statement.text, (one,)))
        if drugs:
            yield LimitedStatement(text=statement.text, drugs=tuple(drugs))


_BEFORE_IT = re.compile(
    r"\b(?:after|following|failed|failure of|(?:who|having) (?:have )?receiv\w+|response to|(?:contraindications?"
    r"|ineligible|unsuitable|unfit|alternatives?) (?:to|for)|instead of|rather than|recommended over)\s(?:[\w-]+\s)?$",
    re.IGNORECASE,
)
"""Ends before a drug that came before, or does not come: "after fibrinolysis", "contraindications to" it."""


def _choose_grade(by_rule: str, by_model: str) -> str:
    return by_model if by_rule == NOT_REPORTED else by_rule


def _describe_checks(question: Question, reading: PatientReading | None) -> Recommendation:
    """What the record contradicts, and what was not compared."""
    if reading is None or not question.patient:
        return Recommendation()
    record, guidelines = reading
    unchecked = (*filter(None, (record.language_note,)), *record.unchecked, *guidelines.unread)
    return Recommendation(contradictions=record.contradictions, unchecked=unchecked)


# Which of the guidelines that an answer cites are on a disease of the patient, and which on one of somebody else.
#
# A guideline's title says what it is about. What is answered from one on a disease that the record does not name
# stands behind what those on the patient's own say, and the reader is told.


class CitedGuidelines(NamedTuple):
    """The works that statements cite, by passage, and what of the record they are held against."""

    references: Mapping[str, Reference]
    conditions: frozenset[str]

    def is_of_others(self, statement: Statement) -> bool:
        """Whether all that a statement cites is on diseases that the record does not name."""
        cited = [self.references[id] for id in statement.cited_ids if id in self.references]
        return bool(cited) and all(self._is_on_other_disease(one) for one in cited)

    def describe_others(self, statements: Iterable[Statement]) -> tuple[str, ...]:
        """A sentence for each work on a disease that the record does not name."""
        cited = (self.references[id] for one in statements for id in one.cited_ids if id in self.references)
        return tuple(
            f"{one.title} is about {' or '.join(sorted(_find_subjects(one)))}, which was not read in the record."
            for one in {one.id: one for one in cited}.values()
            if self._is_on_other_disease(one)
        )

    def _is_on_other_disease(self, reference: Reference) -> bool:
        subjects = _find_subjects(reference)
        return bool(subjects) and subjects.isdisjoint(self.conditions)


def read_citations(evidence: Iterable[Evidence], record: PatientRecord) -> CitedGuidelines:
    """The works of the evidence, held against the record."""
    return CitedGuidelines({one.passage.id: one.passage.reference for one in evidence}, frozenset(record.conditions))


def promote_own(
    statements: Sequence[Statement], cited: CitedGuidelines, asked: Sequence[DrugMention]
) -> tuple[Statement, ...]:
    """The statements, those of guidelines on other diseases last; none of these leads where another can.

    Another can lead that names a drug which is asked for, or any where none is.
    """
    others = [one for one in statements if cited.is_of_others(one)]
    own = [one for one in statements if one not in others]
    leads = [one for one in own if one.lead]
    heirs = [one for one in own if not asked or _names_any(one, asked)]
    if not others or not (leads or heirs):
        return tuple(statements)
    if not leads:
        at = own.index(heirs[0])
        own[at] = heirs[0].model_copy(update={"lead": True})
    told = [one.model_copy(update={"lead": False}) for one in others]
    return (*own, *(one for one in told if not _is_repeated(one, told)))


def _names_any(statement: Statement, asked: Sequence[DrugMention]) -> bool:
    words = " ".join((statement.topic, statement.text))
    return any(is_meant(one, drug) for one in find_drugs(words) for drug in asked)


def _is_repeated(statement: Statement, others: Sequence[Statement]) -> bool:
    """Whether another statement says the same and more, as the whole list does of the item that led."""
    return any(
        one is not statement and len(one.text) > len(statement.text) and statement.text in one.text for one in others
    )


def _find_subjects(reference: Reference) -> frozenset[str]:
    return frozenset(one.name for one in find_conditions(reference.title)) - _PEOPLE


_PEOPLE = frozenset({"old age", "childhood", "post-menopausal", "women of child-bearing age"})
"""Whom a title is about, besides the disease."""
