"""What a language model says of each passage; all are asked at once, and replies are matched by key."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.pipeline.prompt_window import make_batches
from wellsourced.pipeline.quote_placement import ShownPassages
from wellsourced.policy import ReadPolicy
from wellsourced.prompts.evidence import JudgeRelevance, ReadPassages, RelevanceJudgement
from wellsourced.text.batching import PassageSlice, split_to_fit
from wellsourced.text.sanitization import short_line
from wellsourced.types import Passage, Question


class MissingJudgement(NamedTuple):
    """Why there is no judgement of something."""

    reason: str


JudgementOrMissing = RelevanceJudgement | MissingJudgement


class PassageJudgements(NamedTuple):
    """What was said of each passage, by its id.

    stray_count   judgements of something that the model was not shown, which count for nothing
    has_failed   whether no call succeeded
    """

    by_passage: Mapping[str, JudgementOrMissing]
    stray_count: int = 0
    has_failed: bool = False


async def judge_passages(
    question: Question, passages: Sequence[Passage], model: Model, policy: ReadPolicy
) -> PassageJudgements:
    """One judgement of each passage by a language model, with a study card where wanted; all calls in one wave.

    A passage that exceeds the model's window is shown in slices, and the strongest word on any of them is the word on
    it; so is the strongest of several on one passage.
    """
    calls = _plan_calls(strip_personal_context(question), passages, model, policy)
    replies = await asyncio.gather(*(_ask_model(call, model) for call in calls))
    found: dict[str, list[JudgementOrMissing]] = defaultdict(list)
    strange = 0
    for call, reply in zip(calls, replies, strict=True):
        shelf = ShownPassages(piece.shown for piece in call.pieces)
        matched: dict[str, list[JudgementOrMissing]] = defaultdict(list)
        for judgement in () if isinstance(reply, ModelError) else reply:
            if passage := shelf.find(judgement.passage_id):
                matched[passage.key].append(judgement)
            else:
                strange += 1
        why = short_line(str(reply)) if isinstance(reply, ModelError) else "its reply leaves them out"
        for piece in call.pieces:
            found[piece.whole.id] += matched[piece.shown.key] or [MissingJudgement(why)]
    said = {passage: min(words, key=_judgement_rank) for passage, words in found.items()}
    return PassageJudgements(said, strange, all(isinstance(reply, ModelError) for reply in replies))


def strip_personal_context(question: Question) -> Question:
    """The question without a patient's own words and what was said before: it stands alone."""
    return question.model_copy(update={"patient": "", "asked": "", "history": (), "expansions": ()})


class _JudgementCall(NamedTuple):
    pieces: tuple[PassageSlice, ...]
    prompt: ReadPassages | JudgeRelevance


def _plan_calls(
    question: Question, passages: Sequence[Passage], model: Model, policy: ReadPolicy
) -> list[_JudgementCall]:
    kind = ReadPassages if policy.cards else JudgeRelevance

    def build_prompt(pieces: Sequence[PassageSlice]) -> ReadPassages | JudgeRelevance:
        return kind(question=question, passages=tuple(piece.shown for piece in pieces))

    whole = [PassageSlice(passage, passage) for passage in passages]
    packed = make_batches(model, build_prompt, whole, policy.batch)
    fitting = split_to_fit(packed, lambda pieces: model.room(build_prompt(pieces)) >= 0)
    return [_JudgementCall(pieces, build_prompt(pieces)) for pieces in fitting]


async def _ask_model(call: _JudgementCall, model: Model) -> Sequence[RelevanceJudgement] | ModelError:
    try:
        if isinstance(call.prompt, ReadPassages):
            return (await model.complete(call.prompt)).items
        return (await model.complete(call.prompt)).items
    except ModelError as error:
        return error


def _judgement_rank(said: JudgementOrMissing) -> int:
    """The lower, the stronger. A no to one slice says nothing of another that nobody judged."""
    return 2 if isinstance(said, MissingJudgement) else {"yes": 0, "unsure": 1, "no": 3}[said.bears]
