"""★ The path of one question: frame · plan · search · read · write · check."""

from collections.abc import Callable, Sequence
from datetime import date

from wellsourced.answering.errata import note_errata
from wellsourced.answering.heads import describe_closest
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.events import (
    AnswerCompleted,
    EmergencyDetected,
    Emit,
    QuestionFramed,
    ignore_event,
)
from wellsourced.pipeline.abstention import explain_abstention, explain_limits
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.read.consumer_sources import (
    WHOM_TO_ASK,
    describe_readership,
)
from wellsourced.pipeline.read.unread_files import find_unread_parts
from wellsourced.pipeline.retrieve.record_flow import count_flow
from wellsourced.pipeline.section_answer import FoundSections, find_answer_sections
from wellsourced.pipeline.verify.appraisal import appraise_evidence
from wellsourced.policy import Budget
from wellsourced.types import (
    Answer,
    AnswerSection,
    Citation,
    Evidence,
    Question,
    Statement,
    Verdict,
)
from wellsourced.worker_pool import run_in_worker

TIME_OVER_REASON = "Time ran out (budget.seconds) before anything was found that answers the question."

FALLBACK_SECONDS = 5.0
"""Seconds for the sections where a language model gave nothing that stands."""

SUICIDE = "suicide"
"""The kind of emergency below which nothing is shown: no dose, and no danger of a drug, under a helpline."""

CRISIS_REASON = "Nothing else is shown, so that you call first."


async def answer_question(
    question: Question,
    context: Context,
    emit: Emit = ignore_event,
    finish: Callable[[Answer], Answer] = lambda answer: answer,
) -> Answer:
    """Answer from what the context's sources say, or abstain and say why; either way the answer says what was searched.

    Signs of an emergency are emitted before anything else is done, and stand first in the answer.
    At most `context.max_concurrent_questions` are in work together, others wait in order. Where the budget of time is
    spent, the answer says what was left out.

    finish   what is added to the answer before it is emitted

    Raises QuestionError for what is no question, ModelError when the model fails and nobody can answer in its place. A
    source that fails is a gap; what a model could not do besides is a note.
    """
    if alarm := await context.emergency_detector.detect(question.asked or question.text):
        emit(EmergencyDetected(emergency=alarm))
    tracker = CostTracker(context.budget, emit)
    with use_cost_tracker(tracker):
        async with context.limiter.admit_question(context.max_concurrent_questions, tracker.count_seconds_left()):
            with tracker.time_step("frame"):
                framing = await frame_question(question, context)
            emit(QuestionFramed(question=framing.question))
            if alarm and alarm.kind == SUICIDE:
                # No dose and no danger of a drug stands below a helpline.
                final = Answer(question=framing.question, head="nothing", abstained=True, reason=CRISIS_REASON)
            else:
                final = await _answer(framing.question, context, tracker)
            final = final.model_copy(update={"emergency": alarm, "notes": (*framing.notes, *final.notes)})
            if alarm:
                # Who is to call an ambulance is not sent to a pharmacist.
                told = {"readership": final.readership, "reason": final.reason}
                calm = {name: text.replace(f" {WHOM_TO_ASK}", "") for name, text in told.items()}
                final = final.model_copy(update=calm)
    reason = TIME_OVER_REASON if final.abstained and tracker.skipped_steps else final.reason
    notes = (*final.notes, *tracker.describe_skipped_steps())
    # What each search found is counted and not kept.
    made = tuple(each.model_copy(update={"records": ()}) for each in final.attempts)
    costs = {"spent": tracker.spent, "timings": tracker.timings, "flow": count_flow(final), "attempts": made}
    gaps = (*final.gaps, *await find_unread_parts(final, context.sources))
    final = note_errata(finish(final.model_copy(update={"reason": reason, "notes": notes, "gaps": gaps, **costs})))
    emit(AnswerCompleted(answer=final))
    return final


async def _answer(question: Question, context: Context, tracker: CostTracker) -> Answer:
    """What a language model writes, as far as it stands; without one, and where nothing stands, the sections."""
    if not context.has_model:
        return await _show_sections(question, context, tracker)
    # Prompts take time to load, which nobody without a language model should wait for.
    from wellsourced.pipeline.written_answer import CheckedDraft, build_answer, gather_material, write_and_check

    found = await gather_material(question, context, tracker)
    if not found.relevant_evidence and not found.from_memory:
        return await run_in_worker(build_answer, question, found, CheckedDraft(), context)
    try:
        found, outcome = await write_and_check(question, found, context, tracker)
    except ModelError as error:
        told = f"{context.model.name} could not write, so the sections that are closest are shown: {error.phrase}"
        shown = await _fall_back(question, context, tracker)
        return shown.model_copy(update={"notes": (told, *found.gathered.notes, *shown.notes)})
    if found.from_memory or outcome.verification.statements or not outcome.draft.drafted_count:
        return await run_in_worker(build_answer, question, found, outcome, context)
    shown = await _fall_back(question, context, tracker)
    note = f"nothing that {context.model.name} wrote passed its check, so the sections that are closest are shown"
    dropped = (*outcome.draft.dropped, *outcome.verification.dropped, *shown.dropped)
    notes = (note, *found.gathered.notes, *outcome.condensed.notes, *outcome.draft.notes, *outcome.verification.notes)
    known = {"dropped": dropped, "checks": outcome.verification.checks, "notes": (*notes, *shown.notes)}
    return shown.model_copy(update=known)


async def _fall_back(question: Question, context: Context, tracker: CostTracker) -> Answer:
    """The sections, in a little time of their own: what a model took of the budget must not cost the sources."""
    alone = CostTracker(Budget(seconds=FALLBACK_SECONDS), tracker.emit)
    with use_cost_tracker(alone):
        return await _show_sections(question, context, alone)


async def _show_sections(question: Question, context: Context, tracker: CostTracker) -> Answer:
    """The answer without a language model; see `section_answer`."""
    found = await find_answer_sections(question, context, tracker)
    gathered = found.gathered
    year = (question.as_of or date.today()).year
    is_found = found.head == "in your sources"
    reason = "" if is_found else f"{_explain_head(found, question)}{explain_limits(question)}"
    quoted = _quote_sections(found.sections, gathered.reading.evidence)
    return Answer(
        question=question,
        statements=found.statements,
        head=found.head,
        sections=found.sections,
        absent=found.absent,
        evidence=appraise_evidence(question, quoted, gathered.reading.evidence, gathered.reading.documents, year),
        gaps=tuple(dict.fromkeys((*context.setup_gaps, *gathered.gaps))),
        not_found=found.not_found,
        left_out=context.left_out,
        attempts=gathered.attempts,
        dropped=gathered.reading.dropped,
        readership=describe_readership(question, gathered.reading.evidence, context),
        notes=gathered.notes,
        basis="evidence" if found.sections else "none",
        abstained=not is_found,
        reason=reason,
    )


def _quote_sections(sections: Sequence[AnswerSection], evidence: Sequence[Evidence]) -> list[Statement]:
    """What is shown as statements, of which each work is appraised."""
    passages = {item.passage.id: item.passage for item in evidence}
    verbatim = Verdict(label="supports", score=1.0, basis="verbatim")
    quoted = []
    for one in sections:
        passage = passages[one.passage_id]
        words = (passage.text[span.start - passage.start : span.end - passage.start] for span in one.shown)
        citations = tuple(
            Citation(passage_id=passage.id, quote=quote, start=span.start, end=span.end)
            for span, quote in zip(one.shown, words, strict=True)
        )
        quoted.append(Statement(text=citations[0].quote, citations=citations, verdict=verbatim))
    return quoted


def _explain_head(found: FoundSections, question: Question) -> str:
    return describe_closest(found.absent) if found.head == "closest" else explain_abstention(found.gathered, question)
