"""Answer a question about one patient, warn of what speaks against it, and say in what the evidence does not fit."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from wellsourced.clinical.drugs import DrugMention, covers_drug, find_drugs, find_prescribed_drugs, is_meant
from wellsourced.clinical.warned_conditions import find_conditions
from wellsourced.context import Context
from wellsourced.events import Emit, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.recommend.guideline_reading import GuidelineReading, open_guidelines
from wellsourced.recommend.own_guidelines import put_own_first, read_citations
from wellsourced.recommend.patient_fit import find_grades, find_misfits
from wellsourced.recommend.patient_record import PatientRecord, read_patient_record
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.recommend.repeated_rules import merge_warnings
from wellsourced.recommend.warning_rules import FORBIDDING, SEVERITIES, forbids_alone, is_relative_contraindication
from wellsourced.recommend.weight_doses import work_out_doses
from wellsourced.text.tables import read_rows
from wellsourced.types import (
    NOT_REPORTED,
    Answer,
    Document,
    Evidence,
    LimitedStatement,
    PatientWarning,
    Question,
    Recommendation,
    Statement,
    cited_passage_ids,
)

MAX_FOUND_FIRST = 10
"""Guidelines that the question itself found first."""

MAX_NEAR_GUIDELINES = 3
"""Of those, the ones on the patient's conditions that are read for all that they forbid, at most."""

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
        stated = find_asked_drugs(question.text)
        asked = (*stated, *(() if stated else find_purposes(question.text)), *self.record.proposed_drugs)
        said = [drug for one in statements for drug in find_said_drugs(one.text)]
        # An answer that says "DOACs" of the apixaban that was asked for does not make edoxaban a question.
        wider = [drug for drug in said if any(_is_beside(drug, one) for one in asked)]
        meant = dict.fromkeys((*asked, *(drug for drug in said if drug not in wider)))
        drugs = PatientDrugs(tuple(meant), self.record.current_drugs, asked)
        cited = frozenset(id.rpartition("#")[0] for id in cited_passage_ids(statements))
        found = find_warnings(self.guidelines.documents, self.record, drugs, cited)
        if stated:
            return found
        every = [*found, *self._find_near(evidence, drugs, cited)]
        return merge_warnings(sorted(every, key=lambda one: (not one.is_asked, SEVERITIES.index(one.severity))))

    def _find_near(
        self, evidence: tuple[Evidence, ...], drugs: PatientDrugs, cited: frozenset[str]
    ) -> list[PatientWarning]:
        """What is forbidden of all that the guidelines of the question may recommend, where it names no drug."""
        documents = [one for one in self.guidelines.documents if one.reference.id in self._choose_near(evidence, cited)]
        named = dict.fromkeys(drug._replace(start=0) for one in documents for drug in find_drugs(one.text))
        near = [one for one in named if not any(is_meant(drug, one) for drug in (*drugs.asked, *drugs.taken))]
        found = find_warnings(self.guidelines.documents, self.record, PatientDrugs(tuple(near), ()), cited)
        chosen = {one.reference.id for one in documents}
        return [
            one.model_copy(update={"is_asked": False})
            for one in found
            if one.drugs
            and (one.passage.reference.id in chosen or one.severity == "contraindicated")
            and (one.severity in FORBIDDING or _is_relative(one))
            and not self._is_of_subject(one)
        ]

    def _is_of_subject(self, warning: PatientWarning) -> bool:
        """Whether what speaks against a drug is the disease that the guideline is about."""
        subjects = {one.name for one in find_conditions(warning.passage.reference.title)}
        return subjects.issuperset(warning.about)

    def _choose_near(self, evidence: tuple[Evidence, ...], cited: frozenset[str]) -> frozenset[str]:
        """The guidelines that are cited, those of which several passages were read, and the first on the patient's
        conditions that the question found.
        """
        counts = Counter(one.passage.reference.id for one in evidence)
        read = {id for id, count in counts.items() if count > 1}
        first = self.guidelines.documents[:MAX_FOUND_FIRST]
        about = [one.reference.id for one in first if self._is_about_patient(one)][:MAX_NEAR_GUIDELINES]
        return frozenset({*cited, *read, *about})

    def _is_about_patient(self, document: Document) -> bool:
        return any(one.name in self.record.conditions for one in find_conditions(document.reference.title))


def _is_relative(warning: PatientWarning) -> bool:
    return any(is_relative_contraindication(one.quote) for one in warning.citations)


def _is_beside(said: DrugMention, asked: DrugMention) -> bool:
    """Whether an answer names the class of the drug that was asked for, or another drug of it."""
    if not said.drug:
        return is_meant(said, asked)
    return bool(asked.drug) and said.own_class == asked.own_class and not is_meant(said, asked)


_BESIDES = re.compile(
    r"\b(?:besides|apart from|other than|in addition to|as well as|except)\s(?:\w+\s)?$", re.IGNORECASE
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:concurrent|concomitant|taking|receiving|already on|who use|intoleran\w+ (?:to|of)"
    r"|allerg\w+ to)\s(?:\w+\s)?$",
    re.I,
)


def find_asked_drugs(question: str) -> tuple[DrugMention, ...]:
    """The drugs and classes that a question asks about: "besides antiplatelets" asks about none."""
    return tuple(one for one in find_prescribed_drugs(question) if not _BESIDES.search(question[: one.start]))


def find_purposes(question: str) -> tuple[DrugMention, ...]:
    """The classes of drugs for what a question wants: to lower the blood pressure asks for antihypertensives."""
    return tuple(
        find_drugs(name)[0]._replace(words=match.group(), start=match.start())
        for name, expression in read_rows("wellsourced.recommend", "asked_purposes.tsv")
        for match in [re.search(expression, question, re.IGNORECASE)]
        if match
    )


def find_said_drugs(statement: str) -> tuple[DrugMention, ...]:
    """The drugs that a statement speaks of, but those that it names as a patient's circumstance."""
    return tuple(one for one in find_drugs(statement) if not _CIRCUMSTANCE.search(statement[: one.start]))


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
    given, misfitting = _order_by_disease(question, reading, given) if reading else (given, ())
    warnings = tuple(reading.find_warnings(question, given.statements, given.evidence)) if reading else ()
    checks = _describe_checks(question, reading)
    if not given.statements:
        if not (warnings or checks.contradictions or (reading and reading.record.language_note)):
            return given
        limited = tuple(_find_limited(given.found_instead, warnings))
        made = checks.model_copy(update={"warnings": warnings, "limited": limited})
        return given.model_copy(update={"recommendation": made})
    said = given.recommendation or Recommendation()
    by_rule = find_grades(given.statements, given.evidence)
    pico = given.question.pico or question.pico
    misfits = find_misfits(question.patient, pico, given.statements, given.evidence)
    fit = [one for one in misfits if not _is_warned_of(one, warnings)]
    is_graded = not any(one.is_asked and one.severity in FORBIDDING for one in warnings)
    recommendation = checks.model_copy(
        update={
            "strength": _choose_grade(by_rule.strength, said.strength) if is_graded else NOT_REPORTED,
            "certainty": _choose_grade(by_rule.certainty, said.certainty) if is_graded else NOT_REPORTED,
            "fit": tuple(dict.fromkeys((*fit, *misfitting, *said.fit))),
            "warnings": warnings,
            "limited": tuple(_find_limited(given.statements, warnings)),
        }
    )
    untold = () if question.patient or (pico and pico.population) else (NO_PATIENT_NOTE,)
    free = [one for one in given.statements if one.text not in {limited.text for limited in recommendation.limited}]
    doses = tuple(work_out_doses(question.text, free, reading.record)) if reading else ()
    notes = (*given.notes, *doses, *untold)
    return given.model_copy(update={"recommendation": recommendation, "notes": notes})


def _order_by_disease(question: Question, reading: PatientReading, given: Answer) -> tuple[Answer, tuple[str, ...]]:
    """The answer with what guidelines on the patient's diseases say before the rest, and what the rest is about."""
    cited = read_citations(given.evidence, reading.record)
    asked = find_asked_drugs(question.text)
    ordered = {
        "statements": put_own_first(given.statements, cited, asked),
        "found_instead": put_own_first(given.found_instead, cited, asked),
    }
    return given.model_copy(update=ordered), cited.describe_others(given.statements)


def _is_warned_of(misfit: str, warnings: Sequence[PatientWarning]) -> bool:
    """Whether a warning quotes what does not fit, so that it is said already."""
    told = [each for one in warnings for each in (one, *one.also)]
    quotes = [quote.quote.rstrip(".") for one in told for quote in one.citations[-1:]]
    return any(quote in misfit for quote in quotes)


def _find_limited(statements: Sequence[Statement], warnings: Sequence[PatientWarning]) -> Iterator[LimitedStatement]:
    """The statements that name a drug which a warning forbids, but those that say so themselves."""
    names = [name for one in warnings if one.severity in FORBIDDING for name in one.drugs]
    forbidden = [drug for name in names for drug in find_prescribed_drugs(name)]
    for statement in statements:
        said = [one for one in find_said_drugs(statement.text) if not _is_given_before(statement.text, one)]
        named = [one for one in said if any(covers_drug(drug, one) for drug in forbidden)]
        drugs = dict.fromkeys(one.words for one in named if not forbids_alone(statement.text, (one,)))
        if drugs:
            yield LimitedStatement(text=statement.text, drugs=tuple(drugs))


def _is_given_before(text: str, drug: DrugMention) -> bool:
    """Whether a text names a drug as what came before, or does not come: "after fibrinolysis", "contraindications to
    fibrinolytic therapy".
    """
    return bool(_BEFORE_IT.search(text[: drug.start]))


_BEFORE_IT = re.compile(
    r"\b(?:after|following|failed|failure of|(?:who|having) (?:have )?receiv\w+|response to|(?:contraindications?"
    r"|ineligible|unsuitable|unfit|alternatives?) (?:to|for)|instead of|rather than|recommended over)\s(?:[\w-]+\s)?$",
    re.IGNORECASE,
)


def _choose_grade(by_rule: str, by_model: str) -> str:
    return by_model if by_rule == NOT_REPORTED else by_rule


def _describe_checks(question: Question, reading: PatientReading | None) -> Recommendation:
    """What the record contradicts, and what was not compared."""
    if reading is None or not question.patient:
        return Recommendation()
    record, guidelines = reading
    unchecked = (*filter(None, (record.language_note,)), *record.unchecked, *guidelines.unread)
    return Recommendation(contradictions=record.contradictions, unchecked=unchecked)
