"""A language model asked a question with its sources: statements, and the addresses that they rest on."""

from typing import NamedTuple

from wellsourced.errors import QuestionError, UnparsableReply
from wellsourced.factcheck.check import text_to_document
from wellsourced.factcheck.load.answer_rows import AnswerRow, compose_answer_text
from wellsourced.factcheck.load.decomposition import decompose_by_worker
from wellsourced.factcheck.load.input_texts import InputText
from wellsourced.models.base import Model
from wellsourced.prompts.probing import AskWithSources, SourcedAnswerReply, SourcedStatement
from wellsourced.text.sanitization import one_line
from wellsourced.types import TextOrigin

NOTHING_SAID = "your reply had no statement"
NO_ADDRESS = "none of your statements named an address"


class SourcedAnswer(NamedTuple):
    """What came of it.

    text    the statements with marks, and the list of their sources; what the model said where it would not answer
    notes   what its reader should know: that it was asked twice, named no source, would not answer, said nothing
    """

    text: str
    origin: TextOrigin
    notes: tuple[str, ...] = ()


async def ask_with_sources(question: str, model: Model) -> SourcedAnswer:
    """The answer of a model, with the addresses that it gives; where it names none, or says nothing, asked once more.

    An answer without any, and a refusal, are answers: they count. Raises QuestionError for no question, ModelError.
    """
    asked = one_line(question)
    if not asked:
        raise QuestionError("The question is empty.")
    origin = TextOrigin(question=asked, system=model.name)
    reply = await _complete(AskWithSources(question=asked), model)
    lack = _find_lack(reply)
    if lack:
        again = await _complete(AskWithSources(question=asked, lack=lack), model)
        reply = again if _count_addresses(again) or not reply.statements else reply
    notes = ["the model was asked twice"] if lack else []
    if not reply.statements:
        notes.append(
            f"the model refused to answer: {one_line(reply.refusal)}" if reply.refusal else "the model gave no answer"
        )
        return SourcedAnswer(one_line(reply.refusal), origin, tuple(notes))
    if not _count_addresses(reply):
        notes.append("the model named no source")
    return SourcedAnswer(_compose_text(reply.statements, origin), origin, tuple(notes))


async def write_input_text(question: str, model: Model) -> InputText:
    """The answer of a model, taken apart, as a text that is to be checked. Raises QuestionError, ModelError."""
    answer = await ask_with_sources(question, model)
    # It is in statements already: a model would only reword them.
    submitted = await decompose_by_worker(text_to_document(answer.text))
    return InputText(answer.origin.question, submitted, origin=answer.origin, notes=answer.notes)


async def _complete(prompt: AskWithSources, model: Model) -> SourcedAnswerReply:
    """The reply; one that cannot be read says nothing."""
    try:
        return await model.complete(prompt)
    except UnparsableReply:
        return SourcedAnswerReply()


def _find_lack(reply: SourcedAnswerReply) -> str:
    """What a reply has to be asked for again; "" where it is complete, or where the model will not answer."""
    if reply.refusal and not reply.statements:
        return ""
    if not any(one.text.strip() for one in reply.statements):
        return NOTHING_SAID
    return "" if _count_addresses(reply) else NO_ADDRESS


def _count_addresses(reply: SourcedAnswerReply) -> int:
    return sum(bool(address.strip()) for one in reply.statements for address in one.addresses)


def _compose_text(statements: tuple[SourcedStatement, ...], origin: TextOrigin) -> str:
    numbers: dict[str, int] = {}
    parts = []
    for one in statements:
        own = [one_line(address) for address in one.addresses if address.strip()]
        marks = "".join(f" [{numbers.setdefault(address, len(numbers) + 1)}]" for address in dict.fromkeys(own))
        parts.append(f"{one_line(one.text)}{marks}")
    answer = "\n\n".join(part for part in parts if part)
    return compose_answer_text(AnswerRow(row=1, answer=answer, sources=tuple(numbers), origin=origin))
