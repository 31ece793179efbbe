"""Answer a question about one patient, and say in what the evidence does not fit that patient."""

from dataclasses import replace
from functools import partial

from wellsourced.context import Context
from wellsourced.events import Emit, ignore_event
from wellsourced.pipeline.ask import answer_question
from wellsourced.recommend.patient_fit import find_grades, find_misfits
from wellsourced.types import NOT_REPORTED, Answer, Question, Recommendation

NO_PATIENT_NOTE = "no patient is given, so nothing can be said of whom the evidence does not fit"


async def recommend(question: Question, context: Context, emit: Emit = ignore_event) -> Answer:
    """Answer as a recommendation: strength and certainty as the sources state them, and what does not fit the patient.

    Where a model writes, it is asked for a recommendation; fit, strength and certainty are read by rule in any case,
    and what the model found besides is kept. The patient's text is compared here, and for that is shown to nobody.
    Raises as `answer` does.
    """
    style = context.write.model_copy(update={"style": "recommendation"})
    return await answer_question(question, replace(context, write=style), emit, partial(_add_recommendation, question))


def _add_recommendation(question: Question, given: Answer) -> Answer:
    """The answer with its recommendation; one that says nothing recommends nothing."""
    if not given.statements:
        return given
    said = given.recommendation or Recommendation()
    by_rule = find_grades(given.statements, given.evidence)
    pico = given.question.pico or question.pico
    fit = find_misfits(question.patient, pico, given.statements, given.evidence)
    recommendation = Recommendation(
        strength=said.strength if by_rule.strength == NOT_REPORTED else by_rule.strength,
        certainty=said.certainty if by_rule.certainty == NOT_REPORTED else by_rule.certainty,
        fit=tuple(dict.fromkeys((*fit, *said.fit))),
    )
    untold = () if question.patient or (pico and pico.population) else (NO_PATIENT_NOTE,)
    return given.model_copy(update={"recommendation": recommendation, "notes": (*given.notes, *untold)})
