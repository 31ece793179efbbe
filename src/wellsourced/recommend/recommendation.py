"""Answer a question about one patient, warn of what speaks against it, and say in what the evidence does not fit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from wellsourced.clinical.drugs import DrugMention, covers_drug, find_prescribed_drugs
from wellsourced.context import Context
from wellsourced.events import Emit, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.recommend.guideline_reading import open_guidelines
from wellsourced.recommend.own_guidelines import put_own_first, read_citations
from wellsourced.recommend.patient_answer import (
    bars_what_is_recommended,
    describe_search,
    explain_adult_sources,
    explain_empty_question,
    lead_with_earlier_steps,
    list_leading,
    put_concerned_first,
    put_new_first,
    refuse,
)
from wellsourced.recommend.patient_fit import find_grades, find_misfits
from wellsourced.recommend.patient_question import (
    SearchedQuestion,
    add_problems,
    may_search_record,
    says_its_subject,
    split_patient,
)
from wellsourced.recommend.patient_reading import PatientReading, find_asked_drugs, find_said_drugs
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.record_problems import find_problems
from wellsourced.recommend.warning_rules import FORBIDDING, forbids_alone
from wellsourced.recommend.weight_doses import work_out_doses
from wellsourced.types import (
    NOT_REPORTED,
    Answer,
    LimitedStatement,
    PatientWarning,
    Question,
    Recommendation,
    Statement,
)

NO_PATIENT_NOTE = "no patient is given, so nothing can be said of whom the evidence does not fit"


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
    warnings = tuple(put_concerned_first(found, find_asked_drugs(question.text), list_leading(given)))
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
    is_barred = bars_what_is_recommended(warnings, find_asked_drugs(question.text), list_leading(given), barred)
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
    doses = tuple(work_out_doses(question.text, free, reading.record)) if reading else ()
    notes = (*given.notes, *describe_search(searched), *doses, *untold)
    return given.model_copy(update={"recommendation": recommendation, "notes": notes})


def _fit_answer(
    question: Question, reading: PatientReading, given: Answer, searched: SearchedQuestion
) -> tuple[Answer, tuple[str, ...]]:
    """The answer as far as it is one to this patient's question, what is on the patient's own diseases first."""
    if not (searched.has_own_words or searched.added):
        return refuse(given, explain_empty_question(question, searched)), ()
    if reason := explain_adult_sources(reading.record, given):
        given = refuse(given, reason, nearest=given.statements)
    ordered, misfitting = _order_by_disease(question, reading, given)
    steps = lead_with_earlier_steps(question.text, ordered.statements)
    leading = put_new_first(steps, reading.record, find_asked_drugs(question.text))
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
        "statements": put_own_first(given.statements, cited, asked),
        "found_instead": put_own_first(given.found_instead, cited, asked),
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
