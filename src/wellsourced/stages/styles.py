"""Styles: which prompt asks for which kind of answer."""

from collections.abc import Callable, Sequence
from typing import Any

from wellsourced.kit import Kit
from wellsourced.models.base import Prompt
from wellsourced.prompts.writing import ExplainPlainly, MergeNotes, Part, Recommend, Synthesise, WriteAnswer
from wellsourced.stages.excerpts import excerpt
from wellsourced.types import Evidence, Pico, Question

Asking = Callable[[Sequence[Any], int], Prompt[Any]]
"""The prompt that shows these pieces of evidence (or notes of parts), for the draft of this number."""


def answering(question: Question, kit: Kit) -> Asking:
    """An answer in statements: what a model that writes nothing of its own can do, too."""
    said = {**_common(question, kit), "reasoning": kit.write.reasoning}
    return lambda shown, seed: WriteAnswer(evidence=tuple(shown), seed=seed, **said)


def merging(question: Question, kit: Kit) -> Asking:
    """An answer from the notes that were taken of parts, in whatever style."""
    said = {**_common(question, kit), "reasoning": kit.write.reasoning, "question_again": question.text}
    return lambda parts, _: MergeNotes(parts=tuple(parts), **said)


def styled(question: Question, kit: Kit) -> Asking:
    """What the policy asks for."""
    return {
        "answer": answering,
        "synthesis": _synthesising,
        "recommendation": _recommending,
        "plain": _explaining,
    }[kit.write.style](question, kit)


def seeded(prompt: Prompt[Any]) -> bool:
    """Whether asking it with another seed makes another draft."""
    return "seed" in type(prompt).model_fields


def named(item: Evidence | Part) -> str:
    """What an item is called where it is told that it was not shown."""
    return item.passage.id if isinstance(item, Evidence) else f"part {item.part}"


def _synthesising(question: Question, kit: Kit) -> Asking:
    said = {**_common(question, kit), "reasoning": kit.write.reasoning}
    return lambda shown, seed: Synthesise(evidence=tuple(shown), seed=seed, **said)


def _recommending(question: Question, kit: Kit) -> Asking:
    said = {**_common(question, kit), "pico": question.pico or Pico()}

    def about(patient: str) -> Recommend:
        return Recommend(evidence=(), patient=patient, **said)

    patient = question.patient if kit.sees_patient else ""
    # A long record must not crowd out what the recommendation is to rest on.
    spare = kit.model.room(about("")) * 2 // 3
    shown_of_it = excerpt(patient, question.text, kit.model, about, spare).text if patient else ""
    return lambda shown, _: about(shown_of_it).model_copy(update={"evidence": tuple(shown)})


def _explaining(question: Question, kit: Kit) -> Asking:
    return lambda shown, _: ExplainPlainly(evidence=tuple(shown), **_common(question, kit))


def _common(question: Question, kit: Kit) -> dict[str, Any]:
    return {
        "question": question,
        "statements": kit.policy.statements,
        "leads": kit.policy.leads,
        "language": question.language,
    }
