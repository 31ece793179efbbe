"""Consistency: a model says of every statement what its passages say of it, all in one wave, and shows their words."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.prompts.checking import CheckConsistency, Checked, Claim
from wellsourced.prompts.writing import Quoted
from wellsourced.stages.context import Shown
from wellsourced.stages.fitting import batches
from wellsourced.stages.placing import Shelf, cite
from wellsourced.types import Citation, Passage, Statement, Verdict, key_of

UNSHOWN = "the model says that its passages contradict it, and shows no words of theirs"


class Heard(NamedTuple):
    """What the model says of one statement.

    verdict    `unjudged` when it says nothing that can be read, or claims support that it cannot show
    against    the words that contradict the statement, in the source's own characters; None: there are none
    disputed   passages support it and contradict it
    """

    verdict: Verdict
    against: Citation | None = None
    disputed: bool = False


NOT_HEARD = Heard(Verdict(label="unjudged", score=0.0, reason="the model said nothing of it that could be read"))


class Wave(NamedTuple):
    """What was heard of each statement, by the key of its text, and why some could not be asked about."""

    heard: dict[str, Heard]
    notes: tuple[str, ...] = ()


async def consistency(statements: Sequence[Statement], passages: Shown, model: Model) -> Wave:
    """Everything in one call if it fits, in as many at once as it takes otherwise. A call that fails judges nothing."""
    calls = batches(model, lambda some: _asking(some, passages), statements, max(1, len(statements)))
    replies = await asyncio.gather(*(_ask(model, _asking(call, passages)) for call in calls))
    heard: dict[str, Heard] = {}
    for call, reply in zip(calls, replies, strict=True):
        said: dict[str, list[Checked]] = defaultdict(list)
        for item in reply if isinstance(reply, tuple) else ():
            said[item.key.strip(" []().:#\"'`").casefold()].append(item)
        shelf = Shelf(_shown(call, passages))
        heard |= {(key := key_of(one.text)): _heard(one, said[key], shelf) for one in call}
    failures = dict.fromkeys(str(reply).rstrip(".") for reply in replies if isinstance(reply, ModelError))
    notes = [f"{model.name} could not check every statement, so the local judge did: {why}" for why in failures]
    answered = [one for call, reply in zip(calls, replies, strict=True) if isinstance(reply, tuple) for one in call]
    unread = sum(heard[key_of(one.text)].verdict.label == "unjudged" for one in answered)
    if unread:
        notes.append(
            f"of {len(answered)} statements, {model.name} judged {len(answered) - unread} in words that can be checked"
        )
    return Wave(heard, tuple(notes))


def _asking(statements: Sequence[Statement], passages: Shown) -> CheckConsistency:
    claims = tuple(
        Claim(
            key=key_of(statement.text),
            text=statement.text,
            cites=tuple(dict.fromkeys(passages[citation.passage_id].key for citation in statement.citations)),
        )
        for statement in statements
    )
    return CheckConsistency(claims=claims, passages=_shown(statements, passages))


def _shown(statements: Sequence[Statement], passages: Shown) -> tuple[Passage, ...]:
    ids = dict.fromkeys(citation.passage_id for statement in statements for citation in statement.citations)
    return tuple(passages[one] for one in ids)


async def _ask(model: Model, prompt: CheckConsistency) -> tuple[Checked, ...] | ModelError:
    try:
        return (await model.complete(prompt)).items
    except ModelError as error:
        return error


def _heard(statement: Statement, said: Sequence[Checked], shelf: Shelf) -> Heard:
    """One verdict of what was said: a contradiction that shows its words first, then silence, then support."""
    cites = {citation.passage_id for citation in statement.citations}
    placed = [(item, cite(Quoted(passage_id=item.passage_id, quote=item.quote), shelf)) for item in said]
    support = [places[0] for item, places in placed if item.label == "supports" and places]
    support = [place for place in support if place.passage_id in cites]
    against = [places[0] for item, places in placed if item.label == "contradicts" and places]
    if against:
        told = f"{against[0].passage_id} says “{against[0].quote}”"
        return Heard(Verdict(label="contradicts", score=1.0, reason=told), against[0], bool(support))
    if any(item.label == "contradicts" for item in said):
        return Heard(Verdict(label="silent", score=0.0, reason=UNSHOWN))
    if any(item.label == "silent" for item in said):
        return Heard(Verdict(label="silent", score=0.0, reason="the model finds nothing in its passages that says it"))
    if support:
        return Heard(Verdict(label="supports", score=1.0, reason=f"the model: “{support[0].quote}”"))
    return NOT_HEARD
