"""What the terms of an order mean, by a language model: found for each term, written and checked for all at once.

Each term is searched for by its own question, and the passages that are nearest are read, without a call. One call
writes a few statements for each of them; one check reads all statements. Asked term by term, a line with nine terms
took 59 calls, most of them to say that passages on other things are beside the question.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.events import AnswerDrafted, Emit, QuestionFramed
from wellsourced.models.base import complete_or_error
from wellsourced.pipeline.evidence import PASSAGES_OF_PART, GatheredEvidence, gather_evidence, read_nearest
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.prompt_window import make_batches
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.pipeline.write.drafting import WrittenDraft, build_written_draft
from wellsourced.pipeline.written_answer import AnswerMaterial, CheckedDraft, build_answer
from wellsourced.prompts.writing import ExplainTerms, PlainDraft, TermDrafts, TermQuestion
from wellsourced.types import Answer, Document, Evidence, Question, Usage, cited_passage_ids

MAX_STATEMENTS = 3
"""Statements on one term."""

TERMS_PER_CALL = 12
"""Terms that one call explains; more would take more room than a reply has."""


class TermAnswers(NamedTuple):
    """An answer to each question, in their order, and what all of them took."""

    answers: tuple[Answer, ...] = ()
    spent: Usage = Usage()


class _FoundTerm(NamedTuple):
    """A question, what was found for it, and of that what is read."""

    question: Question
    gathered: GatheredEvidence
    evidence: tuple[Evidence, ...] = ()


async def answer_term_questions(questions: Sequence[Question], context: Context, emit: Emit) -> TermAnswers:
    """What a model says of each; an answer without a writer where it says nothing that stands."""
    tracker = CostTracker(context.budget, emit)
    nearest = read_nearest(context, min(PASSAGES_OF_PART, context.policy.passages))
    with use_cost_tracker(tracker):
        async with context.limiter.admit_question(context.max_concurrent_questions, tracker.count_seconds_left()):
            with tracker.time_step("read"):
                found = await asyncio.gather(*(_find_passages(question, nearest, tracker) for question in questions))
            with tracker.time_step("write"):
                drafts = await _write_drafts(found, context)
            tracker.emit(AnswerDrafted(statements=tuple(one for draft in drafts for one in draft.statements)))
            with tracker.time_step("check"):
                checked = await _check_drafts(found, drafts, context)
    shared = {item.passage.id: item for item in _list_evidence(found)}
    documents = _list_documents(found)
    answers = tuple(
        build_answer(one.question, _add_cited(one, outcome, shared, documents), outcome, context)
        for one, outcome in zip(found, checked, strict=True)
    )
    timed = (one.model_copy(update={"timings": tracker.timings}) for one in answers)
    return TermAnswers(tuple(timed), tracker.spent)


async def _find_passages(question: Question, context: Context, tracker: CostTracker) -> _FoundTerm:
    try:
        framing = await frame_question(question, context)
        tracker.emit(QuestionFramed(question=framing.question))
        gathered = await gather_evidence(framing.question, context, tracker)
    except QuestionError as error:
        return _FoundTerm(question, GatheredEvidence(notes=(error.phrase,)))
    return _FoundTerm(framing.question, gathered, gathered.written_from[:PASSAGES_OF_PART])


async def _write_drafts(found: Sequence[_FoundTerm], context: Context) -> list[WrittenDraft]:
    """A draft for each; an empty one where nothing was found, and where the model gave none."""
    written = [WrittenDraft() for _ in found]
    places = [place for place, one in enumerate(found) if one.evidence]

    def build_prompt(some: Sequence[int]) -> ExplainTerms:
        return _build_prompt([found[place] for place in some])

    calls = make_batches(context.model, build_prompt, places, TERMS_PER_CALL)
    replies = await asyncio.gather(*(complete_or_error(context.model, build_prompt(call)) for call in calls))
    for call, reply in zip(calls, replies, strict=True):
        if isinstance(reply, ModelError):
            note = f"{context.model.name} explained nothing: {reply.phrase}"
            for place in call:
                written[place] = WrittenDraft(notes=(note,))
            continue
        # A quote may be of a passage that was found for another term of the call.
        passages = [item.passage for item in _list_evidence([found[place] for place in call])]
        for number, place in enumerate(call, start=1):
            draft = _find_draft(reply, f"t{number}")
            made = build_written_draft(found[place].question, draft, passages, context)
            said = tuple(one.model_copy(update={"topic": _topic(place)}) for one in made.statements)
            written[place] = made._replace(statements=said, writer=context.model.name, topics=())
    return written


def _build_prompt(found: Sequence[_FoundTerm]) -> ExplainTerms:
    return ExplainTerms(
        terms=tuple(TermQuestion(key=f"t{number}", question=one.question.text) for number, one in enumerate(found, 1)),
        evidence=tuple(_list_evidence(found)),
        most=MAX_STATEMENTS,
        language=found[0].question.language,
    )


def _list_evidence(found: Sequence[_FoundTerm]) -> list[Evidence]:
    """What all of them are written from, each passage once."""
    return list({item.passage.id: item for one in found for item in one.evidence}.values())


def _list_documents(found: Sequence[_FoundTerm]) -> dict[str, Document]:
    return {id: document for one in found for id, document in one.gathered.reading.documents.items()}


def _add_cited(
    one: _FoundTerm, outcome: CheckedDraft, shared: Mapping[str, Evidence], documents: Mapping[str, Document]
) -> AnswerMaterial:
    """What was found for a term, with what its statements cite of the passages of other terms."""
    reading = one.gathered.reading
    known = {item.passage.id for item in reading.evidence}
    verified = outcome.verification
    opposed = (side.passage_id for conflict in verified.conflicts for side in conflict.sides)
    cited = dict.fromkeys((*cited_passage_ids(verified.statements), *opposed))
    others = [shared[id] for id in cited if id not in known]
    opened = {item.passage.reference.id: documents[item.passage.reference.id] for item in others}
    whole = reading._replace(evidence=(*reading.evidence, *others), documents={**reading.documents, **opened})
    return AnswerMaterial(one.gathered._replace(reading=whole), one.evidence)


def _find_draft(reply: TermDrafts, key: str) -> PlainDraft:
    said = next((one for one in reply.drafts if one.key.strip() == key), None)
    return PlainDraft(statements=said.statements[:MAX_STATEMENTS], glosses=said.glosses) if said else PlainDraft()


def _topic(place: int) -> str:
    """What a statement is known by until it is back with its term: a check keeps it, whatever is rewritten."""
    return f"term {place}"


async def _check_drafts(
    found: Sequence[_FoundTerm], drafts: Sequence[WrittenDraft], context: Context
) -> list[CheckedDraft]:
    """Each draft with what of it stands; all statements are checked as those of one answer."""
    statements = [one for draft in drafts for one in draft.statements]
    verified = VerificationResult()
    if statements:
        whole = found[0].question.model_copy(update={"text": "\n".join(one.question.text for one in found)})
        verified = await verify_statements(whole, statements, _list_evidence(found), _list_documents(found), context)
    return [CheckedDraft(draft, _select_checked(place, draft, verified)) for place, draft in enumerate(drafts)]


def _select_checked(place: int, draft: WrittenDraft, verified: VerificationResult) -> VerificationResult:
    """What became of the statements on one term."""
    texts = {one.text for one in draft.statements}
    kept = tuple(one.model_copy(update={"topic": ""}) for one in verified.statements if one.topic == _topic(place))
    dropped = tuple(one for one in verified.dropped if one.text in texts)
    conflicts = tuple(one for one in verified.conflicts if one.about in texts | {each.text for each in kept})
    return VerificationResult(kept, dropped, conflicts, verified.notes if texts else ())
