"""Ask a model to restate a question before it is searched for, in all forms at once.

    MakePico     a patient's text     → the question as population, intervention, comparison and outcome, in English
    StandAlone   what was said before → the question as it stands alone, in the language that is searched in
    InEnglish    another language     → the question in English

Each of them goes further than those below it, so the first that succeeds is searched for.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.models.base import Prompt, R
from wellsourced.pipeline.prompt_window import fit_items, select_excerpt
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

    def build_prompt(patient: str) -> MakePico:
        return MakePico(question=question.text, patient=patient, history=turns.kept)

    turns = _fit_turns(
        context, question, lambda some: MakePico(question=question.text, patient="", history=tuple(some))
    )
    shown = select_excerpt(question.patient, question.text, context.judging_model, build_prompt)
    notes = _collect_notes(turns.note, shown.note("the patient's text", context.judging_model.name))
    if not shown.text:
        return Restatement(notes=notes)
    said = await _ask_model(context, build_prompt(shown.text))
    made = said.reply or PicoReply()
    pico = Pico(**{part: one_line(getattr(made, part)) for part in Pico.model_fields})
    text = _clean_question(made.question) or compose_pico(pico)
    if not text:
        return Restatement(notes=(*notes, f"no PICO could be made of the question and the patient's text{said.why}"))
    return Restatement(
        text, is_standalone=True, is_english=True, pico=pico if compose_pico(pico) else None, notes=notes
    )


async def _make_standalone(question: Question, context: Context) -> Restatement:
    if not _needs_standalone(question, context):
        return Restatement()
    language = "en" if context.frame.translate else question.language

    def build_prompt(history: Sequence[Turn], patient: str) -> StandAlone:
        return StandAlone(question=question.text, history=tuple(history), patient=patient, language=language)

    turns = _fit_turns(context, question, lambda some: build_prompt(some, ""))
    patient = question.patient if context.sees_patient else ""
    shown = select_excerpt(patient, question.text, context.judging_model, lambda part: build_prompt(turns.kept, part))
    notes = _collect_notes(turns.note, shown.note("the patient's text", context.judging_model.name))
    said = await _ask_model(context, build_prompt(turns.kept, shown.text))
    text = _clean_question((said.reply or StandaloneQuestion()).question)
    if not text:
        return Restatement(notes=(*notes, f"the question could not be made to stand alone{said.why}"))
    return Restatement(text, is_standalone=True, is_english=language == "en", notes=notes)


async def _translate(question: Question, context: Context) -> Restatement:
    if question.language == "en" or not (context.has_model and context.frame.translate):
        return Restatement()
    said = await _ask_model(context, InEnglish(question=question.text))
    made = said.reply or EnglishQuestion()
    text = _clean_question(made.question)
    if not text:
        return Restatement(notes=(f"the question could not be put into English{said.why}",))
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


class _ShownTurns(NamedTuple):
    kept: tuple[Turn, ...]
    note: str


def _fit_turns(context: Context, question: Question, prompt_of: Callable[[Sequence[Turn]], Prompt[Any]]) -> _ShownTurns:
    """The last turns, as many as the model has room for."""
    latest = fit_items(context.judging_model, lambda some: prompt_of(some[::-1]), question.history[::-1]).kept
    left_out = len(question.history) - len(latest)
    note = (
        f"the oldest {left_out} of {len(question.history)} turns were not shown to "
        f"{context.judging_model.name}: no room for more"
    )
    return _ShownTurns(tuple(reversed(latest)), note if left_out else "")


class _ReplyOrReason(NamedTuple, Generic[R]):
    """A reply, or none, and what can be said where it is of no use."""

    reply: R | None
    why: str


async def _ask_model(context: Context, prompt: Prompt[R]) -> _ReplyOrReason[R]:
    try:
        return _ReplyOrReason(await context.judging_model.complete(prompt), f": {context.judging_model.name} gave none")
    except ModelError as error:
        return _ReplyOrReason(None, f": {error.phrase}")


def _clean_question(text: str) -> str:
    """A question that can be searched for; "" for what is none."""
    line = one_line(text)
    return line if len(line) <= MAX_RESTATED_CHARS and any(letter.isalnum() for letter in line) else ""


def _collect_notes(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)
