"""Mask identifiers in a question before it is stored, shown and searched for.

What leaves this machine is seen to where it leaves (`wellsourced.privacy`), whoever sends it. Here the user is told
early, and answers, events and logs of a question that goes elsewhere do not hold the words either.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.clinical.deidentification import detect_identifiers, mask_identifiers
from wellsourced.context import Context
from wellsourced.errors import QuestionError
from wellsourced.types import Pico, Question

MASKED_NOTE = "masked before anything left this machine"

SEPARATOR = "\n\n␞\n\n"
"""Between texts that are looked at together."""


class FramedQuestion(NamedTuple):
    """A question as far as it is framed, and what its reader should know of how it was made."""

    question: Question
    notes: tuple[str, ...] = ()


def deidentify_question(question: Question, context: Context) -> FramedQuestion:
    """The question without identifiers, where anything of it may leave this machine and the user did not allow it.

    A patient's text counts only where a model may see it: else nobody is shown it. Who is named anywhere is found
    everywhere. The notes tell kinds and numbers, never the words. Raises QuestionError where such a question is to be
    refused.
    """
    if not context.outbound or context.phi == "allow":
        return FramedQuestion(question)
    texts = _list_texts(question)
    found = _count_identifiers(
        texts if context.sees_patient else texts[1:], unseen="" if context.sees_patient else question.patient
    )
    if not found:
        return FramedQuestion(question)
    if context.phi == "refuse":
        raise QuestionError(
            f"The question holds what may identify somebody ({_format_counts(found)}), and nothing of it leaves this "
            "machine. Take it out, or set phi to “mask”."
        )
    return FramedQuestion(
        _mask_question(question, texts, context.sees_patient), (f"{MASKED_NOTE}: {_format_counts(found)}",)
    )


def _list_texts(question: Question) -> list[str]:
    """The patient's text, then all of a question that is searched for or shown, as `_mask_question` orders it."""
    pico = question.pico or Pico()
    turns = [turn.text for turn in question.history]
    options = question.options.values()
    return [question.patient, question.text, question.asked, *pico.model_dump().values(), *turns, *options]


def _count_identifiers(texts: Sequence[str], unseen: str) -> Counter[str]:
    """How many identifiers of each kind stand in the texts; who is named in `unseen` is known, and is not counted."""
    # What was typed and what is searched for are one question, whose name counts once.
    whole = SEPARATOR.join((unseen, *dict.fromkeys(texts)))
    return Counter(one.kind for one in detect_identifiers(whole) if one.start >= len(unseen))


def _mask_question(question: Question, texts: Sequence[str], with_patient: bool) -> Question:
    parts = mask_identifiers(SEPARATOR.join(texts)).split(SEPARATOR)
    if len(parts) != len(texts):  # An identifier that reaches from one text into the next is none.
        parts = [mask_identifiers(text) for text in texts]
    patient, text, asked, *others = parts
    rest = iter(others)
    pico = [next(rest) for _ in Pico.model_fields]
    turns = tuple(turn.model_copy(update={"text": next(rest)}) for turn in question.history)
    return question.model_copy(
        update={
            "patient": patient if with_patient else question.patient,
            "text": text,
            "asked": asked,
            "pico": question.pico and Pico(**dict(zip(Pico.model_fields, pico, strict=True))),
            "history": turns,
            "options": dict(zip(question.options, rest, strict=True)),
        }
    )


def _format_counts(found: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in sorted(found.items()))
