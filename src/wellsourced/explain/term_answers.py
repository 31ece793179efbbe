"""What one term of an order means, in a sentence of a source that says what it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from wellsourced.clinical.jargon import is_medical_abbreviation
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.events import Emit
from wellsourced.explain.definitions import DefinitionModel, find_long_form
from wellsourced.pipeline.ask import answer_question
from wellsourced.policy import Policy
from wellsourced.text.languages import detect_language
from wellsourced.types import Answer, Question

NOT_DEFINED = "No source here has a sentence that says what it is."

DEFINITION_TIER = ("consumer", "wiki", "own", "graph", "book", "guideline", "research", "trial")
"""Kinds of sources that are asked together for a definition; what the settings name besides comes after."""

DEFINITION_PASSAGES = 48
DEFINITION_RELEVANCE = 0.1
"""Probability from which a passage is looked at: whether a sentence defines the term its form tells, no judge."""


_NOTES_OF_SEARCH = (", ".join(DEFINITION_TIER), "searched for as written")
"""How notes begin that say how each term was searched for: of the language the whole explanation tells once."""


class TermExplanation(NamedTuple):
    """What a term means, and what it stands for when it is an abbreviation."""

    answer: Answer
    long_form: str = ""


async def explain_term(
    term: str, order: str, long_form: str, context: Context, emit: Emit, *, asked: str = ""
) -> TermExplanation:
    """What a term means, for a reader of the order's language; an abbreviation by its long form where one is known.

    asked   what it means in the order, as a question for a language model; "": what it means anywhere
    """
    names = tuple(dict.fromkeys(filter(None, (" ".join(term.split()), long_form))))
    language = detect_language(order)
    answer = await _define(names, language, context, emit, asked)
    if not long_form and is_medical_abbreviation(term):
        long_form = find_long_form(term, [item.passage.text for item in answer.evidence])
        if long_form and answer.abstained:
            answer = await _define((*names, long_form), language, context, emit)
    return TermExplanation(answer, long_form)


async def _define(names: Sequence[str], language: str, context: Context, emit: Emit, asked: str = "") -> Answer:
    """The answer to what it is: by a language model, or by a sentence that defines it."""
    defining = DefinitionModel(names)
    tools = replace(context, extractive=defining if context.extractive else None)
    if not context.has_model:
        tools = replace(tools, model=defining, policy=_widen_policy(context.policy))
    question = Question(text=(context.has_model and asked) or f"What is {names[-1]}?", language=language)
    answer = await answer_or_reason(question, tools, emit)
    if answer.writer:
        return answer
    # A sentence that defines a term concludes nothing that another work could deny.
    notes = tuple(note for note in answer.notes if not note.startswith(_NOTES_OF_SEARCH))
    is_undefined = answer.abstained and any(attempt.found for attempt in answer.attempts)
    reason = NOT_DEFINED if is_undefined else answer.reason
    return answer.model_copy(update={"reason": reason, "notes": notes, "conflicts": ()})


def _widen_policy(policy: Policy) -> Policy:
    return policy.model_copy(
        update={
            "tiers": (DEFINITION_TIER, *policy.tiers),
            "passages": max(policy.passages, DEFINITION_PASSAGES),
            "min_relevance": min(policy.min_relevance, DEFINITION_RELEVANCE),
            "min_certainty": min(policy.min_certainty, DEFINITION_RELEVANCE),
        }
    )


async def answer_or_reason(question: Question, context: Context, emit: Emit) -> Answer:
    """The answer; an empty one with the reason where there can be none, so that it costs no other."""
    try:
        return await answer_question(question, context, emit)
    except (ModelError, QuestionError) as error:
        return Answer(question=question, abstained=True, basis="none", reason=error.phrase)
