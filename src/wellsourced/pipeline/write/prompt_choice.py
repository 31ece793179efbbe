"""Which prompt asks for which kind of answer."""

from collections.abc import Callable, Sequence
from typing import Any

from wellsourced.context import Context
from wellsourced.models.base import Prompt
from wellsourced.pipeline.prompt_window import select_excerpt
from wellsourced.pipeline.read.consumer_sources import is_for_patient
from wellsourced.pipeline.read.screening import show_cards_once
from wellsourced.prompts.writing import ExplainPlainly, MergeNotes, Recommend, Synthesise, WriteAnswer
from wellsourced.types import Pico, Question

PromptBuilder = Callable[[Sequence[Any]], Prompt[Any]]
"""The prompt that shows these pieces of evidence (or notes of parts)."""

MAX_TOLD_WARNINGS = 12
"""Warnings about a patient that a model is told, the most important first."""


def build_answer_prompt(
    question: Question, context: Context, kind: type[WriteAnswer | Synthesise] = WriteAnswer, **besides: str
) -> PromptBuilder:
    """An answer in statements: what a model that writes nothing of its own can do, too."""
    said = {**_common_fields(question, context), "reasoning": context.write.reasoning, **besides}
    return lambda shown: kind(evidence=show_cards_once(shown), **said)


def build_merge_prompt(question: Question, context: Context) -> PromptBuilder:
    """An answer from the notes that were taken of parts, in whatever style."""
    said = {**_common_fields(question, context), "reasoning": context.write.reasoning, "question_again": question.text}
    is_theirs = is_for_patient(question, context)
    return lambda parts: MergeNotes(parts=tuple(parts), for_patient=is_theirs, **said)


def choose_prompt(question: Question, context: Context, contents: str = "", written: str = "") -> PromptBuilder:
    """What the policy asks for, and in everyday words what a patient asks.

    contents   headings of what is not shown, which an answer in statements may ask for
    written    what such an answer says already
    """
    if is_for_patient(question, context):
        return _build_plain_prompt(question, context)
    match context.write.style:
        case "recommendation":
            return _build_recommendation_prompt(question, context, contents=contents, written=written)
        case "synthesis":
            return build_answer_prompt(question, context, Synthesise)
        case _:
            return build_answer_prompt(question, context, contents=contents, written=written)


def _build_plain_prompt(question: Question, context: Context) -> PromptBuilder:
    """With the order that the question is about, where it may be shown."""
    said = _common_fields(question, context)

    def build_prompt(order: str) -> ExplainPlainly:
        return ExplainPlainly(evidence=(), order=order, **said)

    order = _select_record(question, context, build_prompt)
    return lambda shown: build_prompt(order).model_copy(update={"evidence": show_cards_once(shown)})


def _build_recommendation_prompt(question: Question, context: Context, **besides: str) -> PromptBuilder:
    told = tuple(one.sentence for one in context.patient_lines[:MAX_TOLD_WARNINGS]) if context.sees_patient else ()
    said = {
        **_common_fields(question, context),
        "asked": question.asked,
        "pico": question.pico or Pico(),
        "warnings": "\n".join(told),
        **besides,
    }

    def build_prompt(patient: str) -> Recommend:
        return Recommend(evidence=(), patient=patient, **said)

    patient = _select_record(question, context, build_prompt)
    return lambda shown: build_prompt(patient).model_copy(update={"evidence": show_cards_once(shown)})


def _select_record(question: Question, context: Context, build_prompt: Callable[[str], Prompt[Any]]) -> str:
    if not question.patient or not context.sees_patient:
        return ""
    # A long record must not crowd out what the answer is to rest on.
    spare = context.model.context_left(build_prompt("")) * 2 // 3
    return select_excerpt(question.patient, question.text, context.model, build_prompt, spare).text


def _common_fields(question: Question, context: Context) -> dict[str, Any]:
    return {
        "question": question,
        "statements": context.policy.statements,
        "leads": context.policy.leads,
        "language": question.language,
    }
