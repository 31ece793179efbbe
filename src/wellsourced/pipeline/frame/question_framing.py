"""Make of the text that was typed a question that can be searched for, or say why it is not one.

    tidy → its language → what identifies somebody → what a model makes of it, in one wave → what its words may mean

What is searched for is the first of: the question as PICO, as it stands alone, in English, as it was typed. Where no
model makes a follow-up stand alone, the words of the question that it leans on are added by rule.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wellsourced.citations.links import possible_ids
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.models.base import Model, Prompt, R, complete_or_error
from wellsourced.pipeline.frame.deidentification import FramedQuestion, break_copied_ngrams, deidentify_question
from wellsourced.pipeline.prompt_window import TextExcerpt, fit_items, select_excerpt
from wellsourced.question.follow_up import resolve_follow_up
from wellsourced.question.understanding import Understanding
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.sanitization import one_line
from wellsourced.text.tokens import tokenize
from wellsourced.types import Pico, Question, Turn

MAX_QUESTION_CHARS = 4_000
"""Characters. A case report belongs into `patient`; what is longer than this is no question."""

MAX_PATIENT_CHARS = 1_000_000
"""Characters of a patient's text: about 200 printed pages, twice over."""

MAX_HISTORY_CHARS = 1_000_000
"""Characters of everything that was said before."""
# Ask a model to restate a question before it is searched for, in all forms at once.
#
#     MakePico     a patient's text     → the question as population, intervention, comparison and outcome, in English
#     StandAlone   what was said before → the question as it stands alone, in the language that is searched in
#     InEnglish    another language     → the question in English
#
# Each of them goes further than those below it, so the first that succeeds is searched for.


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
    asked_for = context.has_model and context.frame.pico and question.pico is None
    if not (asked_for and context.sees_patient and question.patient):
        return Restatement()
    from wellsourced.prompts.planning import MakePico, PicoReply

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
        return Restatement(
            notes=(*notes, f"no PICO question could be built from the question and the patient's text{why}")
        )
    return Restatement(
        text, is_standalone=True, is_english=True, pico=pico if compose_pico(pico) else None, notes=notes
    )


async def _make_standalone(question: Question, context: Context) -> Restatement:
    # What follows others is; and what is asked about a patient, where nothing else states it without the patient.
    leans_on_patient = context.sees_patient and bool(question.patient) and question.pico is None
    needed = bool(question.history) or (leans_on_patient and not context.frame.pico)
    if not (context.has_model and context.frame.standalone and needed):
        return Restatement()
    from wellsourced.prompts.planning import StandAlone, StandaloneQuestion

    model, language = context.judging_model, "en" if context.frame.translate else question.language

    def build_prompt(history: Sequence[Turn], patient: str) -> StandAlone:
        return StandAlone(question=question.text, history=tuple(history), patient=patient, language=language)

    patient = question.patient if context.sees_patient else ""
    turns, shown, notes = _fit_material(question, patient, model, build_prompt)
    made, why = await _ask_model(model, build_prompt(turns, shown.text), StandaloneQuestion())
    text = _clean_question(made.question)
    if not text:
        return Restatement(notes=(*notes, f"the question could not be rewritten to be complete by itself{why}"))
    return Restatement(text, is_standalone=True, is_english=language == "en", notes=notes)


async def _translate(question: Question, context: Context) -> Restatement:
    if question.language == "en" or not (context.has_model and context.frame.translate):
        return Restatement()
    from wellsourced.prompts.planning import EnglishQuestion, InEnglish

    made, why = await _ask_model(context.judging_model, InEnglish(question=question.text), EnglishQuestion())
    text = _clean_question(made.question)
    if not text:
        return Restatement(notes=(f"the question could not be translated into English{why}",))
    named = made.language.strip().lower()
    return Restatement(text, is_english=True, language=named if len(named) == 2 and named.isalpha() else "")


def _fit_material(
    question: Question, patient: str, model: Model, prompt_of: Callable[[Sequence[Turn], str], Prompt[Any]]
) -> tuple[tuple[Turn, ...], TextExcerpt, tuple[str, ...]]:
    """The last turns, as many as the model has room for, then the patient's text; notes on what was left out."""
    latest = fit_items(model, lambda some: prompt_of(some[::-1], ""), question.history[::-1])
    turns = latest.kept[::-1]
    shown = select_excerpt(patient, question.text, model, lambda part: prompt_of(turns, part))
    notes = [
        f"{model.name} did not see the oldest {len(latest.left_out)} of {len(question.history)} turns: no room for more"
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


async def frame_question(question: Question, context: Context) -> FramedQuestion:
    """The question in order, in words that can be searched for, and what these may mean.

    A question that was framed before (it has `asked`) is only put in order. A model that fails is told, and the
    question goes on as it is. Raises QuestionError as `tidy_question` does, and where identifiers are to be refused.
    """
    ordered = tidy_question(question)
    if question.asked:
        clear = deidentify_question(ordered, context)
        return FramedQuestion(await _add_expansions(clear.question, context), clear.notes)
    stated = _apply_pico(_fold_capitals(_detect_language(ordered)))
    clear = deidentify_question(stated.question, context)
    made = await restate_question(clear.question, context)
    framed = _apply_restatement(clear.question, made)
    leaning = await _add_earlier_words(framed, made, context.understanding)
    # The patient's text was looked at; what is new is what a model wrote.
    checked = deidentify_question(leaning.question.model_copy(update={"patient": ""}), context)
    final = checked.question.model_copy(update={"patient": leaning.question.patient})
    notes = (*stated.notes, *clear.notes, *made.notes, *_not_done_notes(clear.question, made, context), *leaning.notes)
    return FramedQuestion(await _add_expansions(final, context), notes + checked.notes)


def tidy_question(question: Question) -> Question:
    """The question with its white space in order, and what it excludes by every id meant.

    A question that was given as PICO alone has its parts for text. Raises QuestionError when there is nothing to search
    for, or more than anybody could mean, and where nothing can lie between its days.
    """
    # A search between them would find nothing, and the answer would blame the sources.
    if question.since and question.as_of and question.since > question.as_of:
        raise QuestionError(f"{question.since} is later than {question.as_of}, so nothing lies between them.")
    text = " ".join(question.text.split()) or compose_pico(question.pico or Pico())
    if not any(map(str.isalnum, text)):
        raise QuestionError("The question is empty. Ask something, for example “How is gout treated?”.")
    _check_length(MAX_QUESTION_CHARS, "The question", text, "Ask in fewer words.")
    _check_length(MAX_PATIENT_CHARS, "The patient's text", question.patient, "Give only the relevant part.")
    said = "".join(turn.text for turn in question.history)
    _check_length(MAX_HISTORY_CHARS, "The conversation", said, "Start a new one.")
    excluded = tuple(dict.fromkeys(id for given in question.exclude for id in possible_ids(given)))
    return question.model_copy(update={"text": text, "exclude": excluded})


def _check_length(most: int, what: str, text: str, remedy: str) -> None:
    if len(text) > most:
        raise QuestionError(f"{what} has {len(text):,} characters; at most {most:,} are read. {remedy}")


def _detect_language(question: Question) -> Question:
    if question.language != "en":
        return question
    return question.model_copy(update={"language": detect_language(question.text)})


def _fold_capitals(question: Question) -> Question:
    """A sentence in capitals alone in small letters; a few words may be abbreviations: "COPD VS ACOS"."""
    is_shouted = question.text.isupper() and len(question.text.split()) > 3
    return _reword(question, question.text.capitalize()) if is_shouted else question


def _apply_pico(question: Question) -> FramedQuestion:
    text = compose_pico(question.pico or Pico())
    if not text or text == question.text:
        return FramedQuestion(question)
    if set(tokenize(text)).issuperset(tokenize(question.text)):
        return FramedQuestion(question.model_copy(update={"text": text}))
    note = "the question was given in words and as PICO; the PICO is searched for"
    return FramedQuestion(_reword(question, text), (note,))


def _apply_restatement(question: Question, made: Restatement) -> Question:
    typed = (question.text, question.asked, *(turn.text for turn in question.history if turn.role == "user"))
    text = break_copied_ngrams(made.text, question.patient, typed) or question.text
    parts = made.pico.model_dump() if made.pico else {}
    pico = Pico(**{part: break_copied_ngrams(words, question.patient, typed) for part, words in parts.items()})
    told = {"pico": pico if made.pico else question.pico, "language": made.language or question.language}
    return _reword(question, text).model_copy(update=told)


def _reword(question: Question, text: str) -> Question:
    asked = question.asked or (question.text if text != question.text else "")
    return question.model_copy(update={"text": text, "asked": asked})


async def _add_earlier_words(question: Question, made: Restatement, understanding: Understanding) -> FramedQuestion:
    if made.is_standalone or not (question.language == "en" or made.is_english):
        return FramedQuestion(question)
    found = await resolve_follow_up(question, understanding)
    if found is None:
        return FramedQuestion(question)
    text, added = found
    note = f"read as a follow-up; words of an earlier question were added to the search: {', '.join(added)}"
    return FramedQuestion(_reword(question, text), (note,))


def _not_done_notes(question: Question, made: Restatement, context: Context) -> tuple[str, ...]:
    notes = []
    if question.language != "en" and not made.is_english:
        why = "" if context.has_model else ": translating needs a language model"
        notes.append(f"searched for as written, in {language_name(question.language)}{why}")
    if question.patient and question.pico is None and not context.has_model:
        notes.append(
            "only the question's own words are searched for, not the patient's text, because no language model is "
            "configured"
        )
    elif question.patient and not context.sees_patient:
        notes.append(
            f"{context.judging_model.name} may not see the patient's text (setting patient_to): only the question's "
            "own words are searched for"
        )
    return tuple(notes)


async def _add_expansions(question: Question, context: Context) -> Question:
    """The question with what its words may mean; without the patient's text where a model could see it and may not."""
    patient = "" if context.has_model and not context.sees_patient else question.patient
    mended = await _mend_spelling(question, context.understanding)
    known = [one for one in mended.expansions if one.kind == "spelling"]
    found = await context.understanding.find_expansions(mended)
    return mended.model_copy(update={"expansions": tuple(dict.fromkeys((*known, *found))), "patient": patient})


async def _mend_spelling(question: Question, understanding: Understanding) -> Question:
    """The question with misspelled words as they are understood, so that all who judge it read these; with which words
    they are, of this time and of an earlier one.
    """
    found = await understanding.find_expansions(question)
    known = tuple(one for one in (*question.expansions, *found) if one.kind == "spelling")
    mended = question.model_copy(update={"expansions": tuple(dict.fromkeys(known))})
    return _reword(mended, mended.expanded_text)
