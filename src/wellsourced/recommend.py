"""Recommend: the path of a question about one patient, and what of the patient the evidence does not fit."""

from dataclasses import replace

from wellsourced.ask import answer
from wellsourced.events import Answered, Event, Tell, unheard
from wellsourced.kit import Kit
from wellsourced.stages.fit import misfits, stated
from wellsourced.types import NOT_REPORTED, Answer, Question, Recommendation

NOBODY = "no patient is given, so nothing can be said of whom the evidence does not fit"


async def recommend(question: Question, kit: Kit, tell: Tell = unheard) -> Answer:
    """Answer as a recommendation: strength and certainty as the sources state them, and what does not fit the patient.

    Where a model writes, it is asked for a recommendation; fit, strength and certainty are read by rule in any case,
    and what the model found besides is kept. The patient's text is compared here, and for that is shown to nobody.
    Raises as `answer` does.
    """
    style = kit.write.model_copy(update={"style": "recommendation"})
    given = await answer(question, replace(kit, write=style), _without_the_end(tell))
    final = _fitted(given, question)
    tell(Answered(answer=final))
    return final


def _fitted(given: Answer, question: Question) -> Answer:
    """The answer with its recommendation; one that says nothing recommends nothing."""
    if not given.statements:
        return given
    said = given.recommendation or Recommendation()
    by_rule = stated(given.statements, given.evidence)
    pico = given.question.pico or question.pico
    fit = misfits(question.patient, pico, given.statements, given.evidence)
    recommendation = Recommendation(
        strength=said.strength if by_rule.strength == NOT_REPORTED else by_rule.strength,
        certainty=said.certainty if by_rule.certainty == NOT_REPORTED else by_rule.certainty,
        fit=tuple(dict.fromkeys((*fit, *said.fit))),
    )
    untold = () if question.patient or (pico and pico.population) else (NOBODY,)
    return given.model_copy(update={"recommendation": recommendation, "notes": (*given.notes, *untold)})


def _without_the_end(tell: Tell) -> Tell:
    """Tells all but the answer, which is told when it is whole."""

    def told(event: Event) -> None:
        if not isinstance(event, Answered):
            tell(event)

    return told
