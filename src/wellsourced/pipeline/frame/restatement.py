"""Ask a model to restate a question before it is searched for, in all forms at once.

    MakePico     a patient's text     → the question as population, intervention, comparison and outcome, in English
    StandAlone   what was said before → the question as it stands alone, in the language that is searched in
    InEnglish    another language     → the question in English

Each of them goes further than those below it, so the first that succeeds is searched for.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.models.base import Model, Prompt, R, complete_or_error
from wellsourced.pipeline.prompt_window import TextExcerpt, fit_items, select_excerpt
from wellsourced.prompts.framing import EnglishQuestion, InEnglish, MakePico, PicoReply, StandAlone, StandaloneQuestion
from wellsourced.text.sanitization import one_line
from wellsourced.types import Pico, Question, Turn

MAX_RESTATED_CHARS = 1_000
"""Characters of a question that a model makes; what is longer is none."""


class Restatement(NamedTuple):
    """A question in other words, and notes on how it was made.

    text       what is to be searched for; "" when nothing was made
    is_standalone   whether it stands alone
    is_english   whether it is in English
    language   of the question as a model names it; "" when none did
    """

    text: str = ""
    is_standalone: bool = False
    is_english: bool = False
    language: str = ""
    pico: Pico | None = None
    notes: tuple[str, ...] = ()


async def restate_question(question: Question, context: Context) -> Restatement:
    """Everything that the question needs and the context allows, in one wave. A failure becomes a note."""
    made = await asyncio.gather(
        _make_pico(question, context), _make_standalone(question, context), _translate(question, context)
    )
    best = next((one for one in made if one.text), Restatement())
    return best._replace(
        language=next((one.language for one in made if one.language), ""),
        pico=next((one.pico for one in made if one.pico), None),
        notes=tuple(note for one in made for note in one.notes),
    )


def compose_pico(pico: Pico) -> str:
    """A question in one line of its parts, in their order, as far as there are any."""
    versus = f"versus {pico.comparison}" if pico.comparison else ""
    tested = " ".join(part for part in (pico.intervention, versus) if part)
    return ": ".join(part for part in (pico.population, tested, pico.outcome) if part)


async def _make_pico(question: Question, context: Context) -> Restatement:
    if not _needs_pico(question, context):
        return Restatement()
    model = context.judging_model

    def build_prompt(history: Sequence[Turn], patient: str) -> MakePico:
        return MakePico(question=question.text, patient=patient, history=tuple(history))

    turns, shown, notes = _fit_material(question, question.patient, model, build_prompt)
    if not shown.text:
        return Restatement(notes=notes)
    made, why = await _ask_model(model, build_prompt(turns, shown.text), PicoReply())
    pico = Pico(**{part: one_line(getattr(made, part)) for part in Pico.model_fields})
    text = _clean_question(made.question) or compose_pico(pico)
    if not text:
        return Restatement(notes=(*notes, f"no PICO could be made of the question and the patient's text{why}"))
    return Restatement(
        text, is_standalone=True, is_english=True, pico=pico if compose_pico(pico) else None, notes=notes
    )


async def _make_standalone(question: Question, context: Context) -> Restatement:
    if not _needs_standalone(question, context):
        return Restatement()
    model, language = context.judging_model, "en" if context.frame.translate else question.language

    def build_prompt(history: Sequence[Turn], patient: str) -> StandAlone:
        return StandAlone(question=question.text, history=tuple(history), patient=patient, language=language)

    patient = question.patient if context.sees_patient else ""
    turns, shown, notes = _fit_material(question, patient, model, build_prompt)
    made, why = await _ask_model(model, build_prompt(turns, shown.text), StandaloneQuestion())
    text = _clean_question(made.question)
    if not text:
        return Restatement(notes=(*notes, f"the question could not be made to stand alone{why}"))
    return Restatement(text, is_standalone=True, is_english=language == "en", notes=notes)


async def _translate(question: Question, context: Context) -> Restatement:
    if question.language == "en" or not (context.has_model and context.frame.translate):
        return Restatement()
    made, why = await _ask_model(context.judging_model, InEnglish(question=question.text), EnglishQuestion())
    text = _clean_question(made.question)
    if not text:
        return Restatement(notes=(f"the question could not be put into English{why}",))
    named = made.language.strip().lower()
    return Restatement(text, is_english=True, language=named if len(named) == 2 and named.isalpha() else "")


def _needs_pico(question: Question, context: Context) -> bool:
    asked_for = context.has_model and context.frame.pico and question.pico is None
    return asked_for and context.sees_patient and bool(question.patient)


def _needs_standalone(question: Question, context: Context) -> bool:
    """What follows others is; and what is asked about a patient, where nothing else states it without the patient."""
    leans_on_patient = context.sees_patient and bool(question.patient) and question.pico is None
    needed = bool(question.history) or (leans_on_patient and not context.frame.pico)
    return context.has_model and context.frame.standalone and needed


def _fit_material(
    question: Question, patient: str, model: Model, prompt_of: Callable[[Sequence[Turn], str], Prompt[Any]]
) -> tuple[tuple[Turn, ...], TextExcerpt, tuple[str, ...]]:
    """The last turns, as many as the model has room for, then the patient's text; notes on what was left out."""
    latest = fit_items(model, lambda some: prompt_of(some[::-1], ""), question.history[::-1])
    turns = latest.kept[::-1]
    shown = select_excerpt(patient, question.text, model, lambda part: prompt_of(turns, part))
    notes = [
        f"the oldest {len(latest.left_out)} of {len(question.history)} turns were not shown to {model.name}: no room "
        "for more"
    ] * bool(latest.left_out)
    return turns, shown, (*notes, *filter(None, [shown.note("the patient's text", model.name)]))


async def _ask_model(model: Model, prompt: Prompt[R], empty: R) -> tuple[R, str]:
    """The reply, or an empty one, and what is to be said where nothing comes of it."""
    reply = await complete_or_error(model, prompt)
    return (empty, f": {reply.phrase}") if isinstance(reply, ModelError) else (reply, f": {model.name} gave none")


def _clean_question(text: str) -> str:
    """A question that can be searched for; "" for what is none."""
    line = one_line(text)
    return line if len(line) <= MAX_RESTATED_CHARS and any(letter.isalnum() for letter in line) else ""
