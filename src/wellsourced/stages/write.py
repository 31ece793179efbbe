"""Write: let the model draft, and tie every statement to the place its words come from."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from wellsourced.errors import ModelError
from wellsourced.kit import Kit
from wellsourced.models.base import Model, Prompt
from wellsourced.policy import Policy
from wellsourced.prompts.writing import AnswerAlone, Draft, Merged, Part, Recommended
from wellsourced.stages.cards import confirmed
from wellsourced.stages.citing import Cited, cited, left_out
from wellsourced.stages.drafts import best
from wellsourced.stages.fitting import fitted
from wellsourced.stages.placing import Shelf
from wellsourced.stages.styles import Asking, answering, merging, named, seeded, styled
from wellsourced.text.choices import chosen
from wellsourced.text.context import in_context
from wellsourced.text.lines import line, one_line
from wellsourced.text.quotes import locate
from wellsourced.text.tokens import stems
from wellsourced.types import (
    NOT_REPORTED,
    Dropped,
    Evidence,
    Passage,
    Question,
    Quotes,
    Recommendation,
    Statement,
    Verdict,
)

FROM_MEMORY = Verdict(label="unjudged", score=0.0, reason="from the model's own knowledge; no source was read")

UNCOUNTED = "it has a number that neither the passages nor the patient's text have"

_TURNED = re.compile(r"\b(?:very|no|not|nor|without|neither|insufficient)[ -]\Z")

Shown = Sequence[Evidence] | Sequence[Part]
"""What an answer is written from: evidence, best first, or the notes that were taken of its parts."""


class Written(NamedTuple):
    """A draft whose quotes are real; nobody has said yet that they support it.

    choice           key of the option that is right; "" when there are none, or none could be told
    notes            what its reader should know of how it was written, a sentence each without a full stop
    recommendation   what a recommendation says of itself; None: none was asked for
    conflict         how the writer settled what its parts do not agree on
    reasoning        how the choice was come to, where that was asked for
    writer           the language model whose statements these are; "": they are the sources' own sentences
    drafted, quotes  how many statements the draft had, and where its quotes were found
    """

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    drafted: int = 0
    quotes: Quotes = Quotes()
    choice: str = ""
    notes: tuple[str, ...] = ()
    recommendation: Recommendation | None = None
    conflict: str = ""
    reasoning: str = ""
    writer: str = ""


async def write(question: Question, evidence: Sequence[Evidence], kit: Kit, parts: Sequence[Part] = ()) -> Written:
    """Statements with citations, from the evidence, or from the notes that were taken of its parts.

    A statement whose quotes stand in no passage is dropped here; evidence that does not fit the model's window is left
    out, what bears on the question least first. Where the model fails, the sources' own sentences are the draft.

    Raises ModelError when the model fails and the kit has nobody who could answer without one.
    """
    if not evidence:
        return Written()
    if not kit.has_model:
        return await _written(question, evidence, evidence, answering(question, kit), kit.model, kit)
    shown, asking = (parts, merging(question, kit)) if parts else (evidence, styled(question, kit))
    try:
        written = await _written(question, evidence, shown, asking, kit.model, kit)
        return written._replace(writer=kit.model.name)
    except ModelError as error:
        if kit.extractive is None:
            raise
        spare = await _written(question, evidence, evidence, answering(question, kit), kit.extractive, kit)
        told = f"{kit.model.name} could not write, so these are the sources' own sentences: {error}".rstrip(".")
        return spare._replace(notes=(told, *spare.notes))


async def write_alone(question: Question, kit: Kit) -> Written:
    """What the model says from its own knowledge: statements without citations, each marked as that.

    Raises ModelError: nobody else could answer without a source.
    """
    prompt = AnswerAlone(
        question=question, limit=kit.policy.statements, language=question.language, reasoning=kit.write.reasoning
    )
    reply = await kit.model.complete(prompt)
    said = tuple(filter(None, dict.fromkeys(map(one_line, reply.statements))))
    statements = tuple(Statement(text=text, verdict=FROM_MEMORY) for text in said[: kit.policy.statements])
    return Written(
        statements,
        tuple(left_out(text, _beyond(kit.policy)) for text in said[kit.policy.statements :]),
        choice=picked(reply.choice, question),
        notes=_unchosen(question, reply.choice),
        reasoning=reply.reasoning,
        writer=kit.model.name,
    )


async def _written(
    question: Question, evidence: Sequence[Evidence], shown: Shown, asking: Asking, model: Model, kit: Kit
) -> Written:
    """One draft, or the best of several, of as much of what is shown as the model has room for."""
    # What fits nowhere is asked all the same: the model says how far it goes beyond its window.
    kept = fitted(model, lambda some: asking(some, 0), shown).kept or tuple(shown[:1])
    drafts, failed = await _drafts(kept, asking, model, kit)
    passages = [item.passage for item in evidence]
    shelf = Shelf(passages)
    taken = await best([(draft, cited(draft.statements, shelf)) for draft in drafts], kit.support)
    written = _of(question, taken.draft, taken.cited, passages, kit)
    outside, told = _outside(shown[len(kept) :], model)
    return written._replace(dropped=(*outside, *written.dropped), notes=(*told, *failed, *taken.notes, *written.notes))


async def _drafts(shown: Sequence[Any], asking: Asking, model: Model, kit: Kit) -> tuple[list[Draft], tuple[str, ...]]:
    """The drafts that were asked for, all at once, and what is told of those that failed. Raises when all did."""
    first = asking(shown, 0)
    wanted = kit.write.drafts if kit.has_model and model is kit.model and seeded(first) else 1
    prompts = [first, *(asking(shown, seed) for seed in range(1, wanted))]
    replies = await asyncio.gather(*(_asked(model, prompt) for prompt in prompts))
    drafts = [reply for reply in replies if isinstance(reply, Draft)]
    failures = [reply for reply in replies if isinstance(reply, ModelError)]
    if not drafts:
        raise failures[0]
    reasons = "; ".join(dict.fromkeys(str(failure).rstrip(".") for failure in failures))
    return drafts, (f"{len(failures)} of {wanted} drafts failed: {reasons}",) if failures else ()


async def _asked(model: Model, prompt: Prompt[Any]) -> Draft | ModelError:
    try:
        reply: Draft = await model.complete(prompt)
    except ModelError as error:
        return error
    return reply


def _of(question: Question, draft: Draft, made: Cited, passages: Sequence[Passage], kit: Kit) -> Written:
    limit = kit.policy.statements
    beyond = (left_out(statement.text, _beyond(kit.policy)) for statement in made.statements[limit:])
    recommendation, uncounted = _recommendation(draft, passages, question)
    return Written(
        _led(made.statements[:limit], kit.policy.leads),
        (*made.dropped, *beyond, *uncounted),
        drafted=len(draft.statements),
        quotes=made.quotes,
        choice=picked(draft.choice, question),
        notes=(*made.notes, *(_unchosen(question, draft.choice) if kit.has_model else ())),
        recommendation=recommendation,
        conflict=one_line(draft.conflict) if isinstance(draft, Merged) else "",
        reasoning=draft.reasoning.strip(),
    )


def _led(statements: Sequence[Statement], leads: int) -> tuple[Statement, ...]:
    """The statements, of which no more lead than may: a short answer is short."""
    leading = [statement for statement in statements if statement.lead][:leads]
    return tuple(
        statement if not statement.lead or statement in leading else statement.model_copy(update={"lead": False})
        for statement in statements
    )


def _recommendation(
    draft: Draft, passages: Sequence[Passage], question: Question
) -> tuple[Recommendation | None, tuple[Dropped, ...]]:
    """What it says of itself, as far as the passages say it; a strength that none of them states is not reported.

    A limit with a number that neither they nor the patient's text have is left out.
    """
    if not isinstance(draft, Recommended):
        return None, ()
    told = (one_line(draft.strength), one_line(draft.certainty))
    strength, certainty = (words if _stated(words, passages) else NOT_REPORTED for words in told)
    known = "\n".join((question.text, question.patient, *map(in_context, passages)))
    limits = [said for limit in draft.limits if (said := one_line(limit))]
    uncounted = tuple(left_out(limit, UNCOUNTED) for limit in limits if not confirmed(limit, known))
    fit = tuple(limit for limit in limits if confirmed(limit, known))
    return Recommendation(strength=strength, certainty=certainty, fit=fit), uncounted


def _stated(words: str, passages: Sequence[Passage]) -> bool:
    """Whether a passage has these words, in large letters or small, and does not say “very” or “no” before them."""
    said = words.casefold()
    found = ((locate(said, text), text) for text in (passage.text.casefold() for passage in passages))
    return bool(stems(said)) and any(place and not _TURNED.search(text[: place.start]) for place, text in found)


def picked(said: str, question: Question) -> str:
    """The key of the option that a reply names ("B", "b)", "Option B", the option's own words); "" if it names none."""
    bare = said.strip(" \t\n()[].:,;\"'`*").casefold()
    keys = [key for key in question.options if key.casefold() == bare]
    return keys[0] if len(keys) == 1 else chosen(said, question.options) if question.options else ""


def _unchosen(question: Question, said: str) -> tuple[str, ...]:
    """What is told of a choice that was asked for and not made."""
    if not question.options or picked(said, question):
        return ()
    return (f"unparsed: the model chose no option (“{line(said, 10)}”)",) if said.strip() else ("no option was chosen",)


def _beyond(policy: Policy) -> str:
    return f"beyond the {policy.statements} statements of an answer"


def _outside(left: Shown, model: Model) -> tuple[tuple[Dropped, ...], tuple[str, ...]]:
    """What did not fit: passages by their words, and all of it by name in a note."""
    if not left:
        return (), ()
    reason = f"it does not fit the window of {model.name}"
    passages = [item.passage for item in left if isinstance(item, Evidence)]
    dropped = tuple(Dropped(what="passage", id=one.id, text=one.text, reason=reason) for one in passages)
    return dropped, (f"not shown to {model.name}, for want of room: {', '.join(map(named, left))}",)
