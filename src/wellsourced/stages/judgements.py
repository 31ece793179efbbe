"""Judgements: what a language model says of each passage, asked of all of them at once and matched by their keys."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.kit import Kit
from wellsourced.models.base import Model
from wellsourced.prompts.reading import Judgement, JudgeRelevance, ReadPassages
from wellsourced.stages.fitting import batches
from wellsourced.stages.placing import Shelf
from wellsourced.text.lines import line
from wellsourced.text.partition import Piece, cut_to_fit
from wellsourced.types import Passage, Question


class Missing(NamedTuple):
    """Why there is no judgement of something."""

    reason: str


Said = Judgement | Missing


class Heard(NamedTuple):
    """What was said of each passage, by its id.

    strange   judgements of something that the model was not shown, which count for nothing
    failed    whether no call succeeded
    """

    said: Mapping[str, Said]
    strange: int = 0
    failed: bool = False


async def judgements(question: Question, passages: Sequence[Passage], kit: Kit) -> Heard:
    """One judgement of each passage by `kit.helper`, with a card where the kit wants cards; all calls in one wave.

    A passage that exceeds the model's window is shown in slices, and the strongest word on any of them is the word on
    it; so is the strongest of several on one passage.
    """
    calls = _calls(impersonal(question), passages, kit)
    replies = await asyncio.gather(*(_replied(call, kit.helper) for call in calls))
    found: dict[str, list[Said]] = defaultdict(list)
    strange = 0
    for call, reply in zip(calls, replies, strict=True):
        matched, others = _matched(call.pieces, reply)
        strange += others
        for piece in call.pieces:
            found[piece.of.id] += matched[piece.shown.key] or [_missing(reply)]
    said = {passage: min(words, key=_standing) for passage, words in found.items()}
    return Heard(said, strange, all(isinstance(reply, ModelError) for reply in replies))


def impersonal(question: Question) -> Question:
    """The question without a patient's own words and what was said before: it stands alone."""
    return question.model_copy(update={"patient": "", "asked": "", "history": (), "expansions": ()})


class _Call(NamedTuple):
    pieces: tuple[Piece, ...]
    prompt: ReadPassages | JudgeRelevance


def _calls(question: Question, passages: Sequence[Passage], kit: Kit) -> list[_Call]:
    """The passages in their order, in batches that fit."""
    kind = ReadPassages if kit.read.cards else JudgeRelevance

    def prompt(pieces: Sequence[Piece]) -> ReadPassages | JudgeRelevance:
        return kind(question=question, passages=tuple(piece.shown for piece in pieces))

    whole = [Piece(passage, passage) for passage in passages]
    packed = batches(kit.helper, prompt, whole, kit.read.batch)
    fitting = cut_to_fit(packed, lambda pieces: kit.helper.room(prompt(pieces)) >= 0)
    return [_Call(pieces, prompt(pieces)) for pieces in fitting]


async def _replied(call: _Call, model: Model) -> Sequence[Judgement] | ModelError:
    try:
        if isinstance(call.prompt, ReadPassages):
            return (await model.complete(call.prompt)).items
        return (await model.complete(call.prompt)).items
    except ModelError as error:
        return error


class _Matched(NamedTuple):
    by_key: Mapping[str, list[Said]]
    strange: int


def _matched(pieces: Sequence[Piece], reply: Sequence[Judgement] | ModelError) -> _Matched:
    """What was said of each piece, by its key."""
    shelf = Shelf(piece.shown for piece in pieces)
    by_key: dict[str, list[Said]] = defaultdict(list)
    strange = 0
    for judgement in () if isinstance(reply, ModelError) else reply:
        if passage := shelf.find(judgement.passage_id):
            by_key[passage.key].append(judgement)
        else:
            strange += 1
    return _Matched(by_key, strange)


def _missing(reply: Sequence[Judgement] | ModelError) -> Missing:
    return Missing(line(str(reply)) if isinstance(reply, ModelError) else "its reply leaves them out")


def _standing(said: Said) -> int:
    """The lower, the stronger. A no to one slice says nothing of another that nobody judged."""
    return 2 if isinstance(said, Missing) else {"yes": 0, "unsure": 1, "no": 3}[said.bears]
