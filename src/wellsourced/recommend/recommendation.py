"""Answer a question about one patient, warn of what speaks against it, and say in what the evidence does not fit."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from wellsourced.clinical.drugs import find_drugs, find_prescribed_drugs, is_meant
from wellsourced.context import Context
from wellsourced.events import Emit, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.recommend.guideline_reading import GuidelineReading, open_guidelines
from wellsourced.recommend.patient_fit import find_grades, find_misfits
from wellsourced.recommend.patient_record import PatientRecord, read_patient_record
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.types import (
    NOT_REPORTED,
    Answer,
    Evidence,
    PatientWarning,
    Question,
    Recommendation,
    Statement,
    cited_passage_ids,
)

FORBIDDING = frozenset({"contraindicated", "avoid"})
"""Warnings under which something is not given."""

NO_PATIENT_NOTE = "no patient is given, so nothing can be said of whom the evidence does not fit"


class PatientReading(NamedTuple):
    """What was read before the answer: the record, and the guidelines of this machine that may speak of it."""

    record: PatientRecord
    guidelines: GuidelineReading = GuidelineReading()

    def find_warnings(
        self, question: Question, statements: tuple[Statement, ...] = (), evidence: tuple[Evidence, ...] = ()
    ) -> list[PatientWarning]:
        """What the guidelines say against what is asked, said, or taken; where no drug is asked about, what they forbid
        of all that stands in the evidence, too: it may be given next.
        """
        asked = find_prescribed_drugs(question.text)
        said = [drug for one in statements for drug in find_drugs(one.text)]
        # An answer that says "DOACs" of the apixaban that was asked for does not make edoxaban a question.
        wider = [drug for drug in said if not drug.drug and any(is_meant(drug, one) for one in asked)]
        meant = dict.fromkeys((*asked, *(drug for drug in said if drug not in wider)))
        drugs = PatientDrugs(tuple(meant), self.record.current_drugs)
        cited = frozenset(id.rpartition("#")[0] for id in cited_passage_ids(statements))
        found = find_warnings(self.guidelines.documents, self.record, drugs, cited)
        return found if asked else [*found, *self._find_near(found, evidence, drugs, cited)]

    def _find_near(
        self,
        known: Sequence[PatientWarning],
        evidence: tuple[Evidence, ...],
        drugs: PatientDrugs,
        cited: frozenset[str],
    ) -> list[PatientWarning]:
        """What is forbidden of the drugs that stand beside those that are said, in guidelines that are cited."""
        near = {drug for one in evidence for drug in find_drugs(one.passage.text)} - {*drugs.asked, *drugs.taken}
        documents = [one for one in self.guidelines.documents if one.reference.id in cited]
        told = {one.citations[-1].quote for one in known}
        return [
            one.model_copy(update={"is_asked": False})
            for one in find_warnings(documents, self.record, PatientDrugs(tuple(near), ()), cited)
            if one.severity in FORBIDDING and one.citations[-1].quote not in told
        ]


async def recommend(question: Question, context: Context, emit: Emit = ignore_event) -> Answer:
    """Answer as a recommendation: what speaks against it for the patient, strength and certainty as the sources state
    them, and what does not fit.

    Where a model writes, it is asked for a recommendation and, if it may see the patient, told of the warnings; these,
    fit, strength and certainty are read by rule in any case, and what the model found besides is kept. The patient's
    text is compared here, and for that is shown to nobody. Raises as `answer` does.
    """
    reading = await _read_patient(question, context)
    style = context.write.model_copy(update={"style": "recommendation"})
    known = tuple(reading.find_warnings(question)) if reading and context.has_model else ()
    warned = replace(context, write=style, patient_warnings=known)
    return await answer_question(question, warned, emit, partial(_add_recommendation, question, reading))


async def _read_patient(question: Question, context: Context) -> PatientReading | None:
    """The record, or the population where there is none, and the guidelines; None where no patient is given."""
    told = question.patient or (question.pico.population if question.pico else "")
    if not told:
        return None
    record = read_patient_record(told, question.text)
    return PatientReading(record, await open_guidelines(question, record, context))


def _add_recommendation(question: Question, reading: PatientReading | None, given: Answer) -> Answer:
    """The answer with its recommendation; one that says nothing recommends nothing, and still warns."""
    warnings = tuple(reading.find_warnings(question, given.statements, given.evidence)) if reading else ()
    checks = _describe_checks(question, reading)
    if not given.statements:
        if not (warnings or checks.contradictions or (reading and reading.record.language_note)):
            return given
        return given.model_copy(update={"recommendation": checks.model_copy(update={"warnings": warnings})})
    said = given.recommendation or Recommendation()
    by_rule = find_grades(given.statements, given.evidence)
    pico = given.question.pico or question.pico
    fit = find_misfits(question.patient, pico, given.statements, given.evidence)
    is_graded = not any(one.is_asked and one.severity in FORBIDDING for one in warnings)
    recommendation = checks.model_copy(
        update={
            "strength": _choose_grade(by_rule.strength, said.strength) if is_graded else NOT_REPORTED,
            "certainty": _choose_grade(by_rule.certainty, said.certainty) if is_graded else NOT_REPORTED,
            "fit": tuple(dict.fromkeys((*fit, *said.fit))),
            "warnings": warnings,
        }
    )
    untold = () if question.patient or (pico and pico.population) else (NO_PATIENT_NOTE,)
    return given.model_copy(update={"recommendation": recommendation, "notes": (*given.notes, *untold)})


def _choose_grade(by_rule: str, by_model: str) -> str:
    return by_model if by_rule == NOT_REPORTED else by_rule


def _describe_checks(question: Question, reading: PatientReading | None) -> Recommendation:
    """What the record contradicts, and what was not compared."""
    if reading is None or not question.patient:
        return Recommendation()
    record, guidelines = reading
    unchecked = (*filter(None, (record.language_note,)), *record.unchecked, *guidelines.unread)
    return Recommendation(contradictions=record.contradictions, unchecked=unchecked)
