"""Restate: what a model makes of a question before it is searched for, all of it asked for at once.

    MakePico     a patient's text     → the question as population, intervention, comparison and outcome, in English
    StandAlone   what was said before → the question as it stands alone, in the language that is searched in
    InEnglish    another language     → the question in English

Each of them goes further than those below it, so the first that succeeds is searched for.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from wellsourced.errors import ModelError
from wellsourced.kit import Kit
from wellsourced.models.base import Prompt, R
from wellsourced.prompts.framing import EnglishQuestion, InEnglish, MakePico, PicoMade, StandAlone, StandaloneQuestion
from wellsourced.stages.excerpts import excerpt
from wellsourced.stages.fitting import fitted
from wellsourced.text.lines import one_line
from wellsourced.types import Pico, Question, Turn

LONGEST = 1_000
"""Characters of a question that a model makes; what is longer is none."""


class Restated(NamedTuple):
    """What was made of a question, and what is to be told of it.

    text       what is to be searched for; "" when nothing was made
    alone      whether it stands alone
    english    whether it is in English
    language   of the question as a model names it; "" when none did
    """

    text: str = ""
    alone: bool = False
    english: bool = False
    language: str = ""
    pico: Pico | None = None
    notes: tuple[str, ...] = ()


async def restate(question: Question, kit: Kit) -> Restated:
    """Everything that the question needs and the kit allows, in one wave. What fails is told, and never raised."""
    made = await asyncio.gather(_pico(question, kit), _standing_alone(question, kit), _in_english(question, kit))
    best = next((one for one in made if one.text), Restated())
    return best._replace(
        language=next((one.language for one in made if one.language), ""),
        pico=next((one.pico for one in made if one.pico), None),
        notes=tuple(note for one in made for note in one.notes),
    )


def composed(pico: Pico) -> str:
    """A question in one line of its parts, in their order, as far as there are any."""
    versus = f"versus {pico.comparison}" if pico.comparison else ""
    tested = " ".join(part for part in (pico.intervention, versus) if part)
    return ": ".join(part for part in (pico.population, tested, pico.outcome) if part)


async def _pico(question: Question, kit: Kit) -> Restated:
    if not _makes_pico(question, kit):
        return Restated()

    def prompt(patient: str) -> MakePico:
        return MakePico(question=question.text, patient=patient, history=turns.kept)

    turns = _turns(kit, question, lambda some: MakePico(question=question.text, patient="", history=tuple(some)))
    shown = excerpt(question.patient, question.text, kit.helper, prompt)
    notes = _told(turns.note, shown.note("the patient's text", kit.helper.name))
    if not shown.text:
        return Restated(notes=notes)
    said = await _asked(kit, prompt(shown.text))
    made = said.reply or PicoMade()
    pico = Pico(**{part: one_line(getattr(made, part)) for part in Pico.model_fields})
    text = _question(made.question) or composed(pico)
    if not text:
        return Restated(notes=(*notes, f"no PICO could be made of the question and the patient's text{said.why}"))
    return Restated(text, alone=True, english=True, pico=pico if composed(pico) else None, notes=notes)


async def _standing_alone(question: Question, kit: Kit) -> Restated:
    if not _is_made_to_stand_alone(question, kit):
        return Restated()
    language = "en" if kit.frame.translate else question.language

    def prompt(history: Sequence[Turn], patient: str) -> StandAlone:
        return StandAlone(question=question.text, history=tuple(history), patient=patient, language=language)

    turns = _turns(kit, question, lambda some: prompt(some, ""))
    patient = question.patient if kit.sees_patient else ""
    shown = excerpt(patient, question.text, kit.helper, lambda part: prompt(turns.kept, part))
    notes = _told(turns.note, shown.note("the patient's text", kit.helper.name))
    said = await _asked(kit, prompt(turns.kept, shown.text))
    text = _question((said.reply or StandaloneQuestion()).question)
    if not text:
        return Restated(notes=(*notes, f"the question could not be made to stand alone{said.why}"))
    return Restated(text, alone=True, english=language == "en", notes=notes)


async def _in_english(question: Question, kit: Kit) -> Restated:
    if question.language == "en" or not (kit.has_model and kit.frame.translate):
        return Restated()
    said = await _asked(kit, InEnglish(question=question.text))
    made = said.reply or EnglishQuestion()
    text = _question(made.question)
    if not text:
        return Restated(notes=(f"the question could not be put into English{said.why}",))
    named = made.language.strip().lower()
    return Restated(text, english=True, language=named if len(named) == 2 and named.isalpha() else "")


def _makes_pico(question: Question, kit: Kit) -> bool:
    asked_for = kit.has_model and kit.frame.pico and question.pico is None
    return asked_for and kit.sees_patient and bool(question.patient)


def _is_made_to_stand_alone(question: Question, kit: Kit) -> bool:
    """What follows others is; and what is asked about a patient, where nothing else states it without the patient."""
    leans_on_patient = kit.sees_patient and bool(question.patient) and question.pico is None
    needed = bool(question.history) or (leans_on_patient and not kit.frame.pico)
    return kit.has_model and kit.frame.standalone and needed


class _Turns(NamedTuple):
    kept: tuple[Turn, ...]
    note: str


def _turns(kit: Kit, question: Question, prompt_of: Callable[[Sequence[Turn]], Prompt[Any]]) -> _Turns:
    """The last turns, as many as the model has room for."""
    latest = fitted(kit.helper, lambda some: prompt_of(some[::-1]), question.history[::-1]).kept
    left_out = len(question.history) - len(latest)
    note = (
        f"the oldest {left_out} of {len(question.history)} turns were not shown to {kit.helper.name}: no room for more"
    )
    return _Turns(tuple(reversed(latest)), note if left_out else "")


class _Said(NamedTuple, Generic[R]):
    """A reply, or none, and what can be said where it is of no use."""

    reply: R | None
    why: str


async def _asked(kit: Kit, prompt: Prompt[R]) -> _Said[R]:
    try:
        return _Said(await kit.helper.complete(prompt), f": {kit.helper.name} gave none")
    except ModelError as error:
        return _Said(None, f": {str(error).rstrip('.')}")


def _question(text: str) -> str:
    """A question that can be searched for; "" for what is none."""
    line = one_line(text)
    return line if len(line) <= LONGEST and any(letter.isalnum() for letter in line) else ""


def _told(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)
