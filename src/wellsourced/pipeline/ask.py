"""★ The path of one question: frame · plan · search · read · write · check."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.claims.required_entities import find_required_entities, list_missing_terms
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.events import (
    AnswerChecked,
    AnswerCompleted,
    AnswerDrafted,
    EmergencyDetected,
    Emit,
    QuestionFramed,
    ignore_event,
)
from wellsourced.pipeline.evidence import (
    GatheredEvidence,
    gather_evidence,
    omit_unused,
    select_for_extraction,
    select_relevant,
    try_fallbacks,
)
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.read.consumer_sources import explain_to_patient, note_withheld, select_for_asker
from wellsourced.pipeline.read.evidence_selection import list_nearest_sections
from wellsourced.pipeline.read.unread_files import find_unread_parts
from wellsourced.pipeline.verify.appraisal import appraise_evidence
from wellsourced.pipeline.verify.verification import VerificationResult, note_unanswered_parts, verify_statements
from wellsourced.pipeline.write.drafting import WrittenDraft, write_answer, write_from_memory
from wellsourced.pipeline.write.map_reduce import CondensedEvidence, add_resolution, condense_evidence
from wellsourced.pipeline.write.not_found import (
    ensure_lead,
    find_lost_topics,
    keep_decision,
    note_lost_leads,
    select_glosses,
)
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.passages import text_under_titles
from wellsourced.text.tokens import content_stems
from wellsourced.types import Answer, Emergency, Evidence, Question, Statement, cited_passage_ids
from wellsourced.worker_pool import run_in_worker

TIME_OVER_REASON = "Time ran out (budget.seconds) before anything was found that answers the question."

NEAR_REASON = "The sources do not clearly answer this."

NO_MEMORY_ANSWER_REASON = "The language model gave no answer from its own knowledge."


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
            found = await _gather_material(framing.question, context, tracker)
            outcome = await _write_and_check(framing.question, found, context, tracker)
            final = await run_in_worker(_build_answer, framing.question, found, outcome, context, alarm, framing.notes)
    reason = TIME_OVER_REASON if final.abstained and tracker.skipped_steps else final.reason
    notes = (*final.notes, *tracker.describe_skipped_steps())
    costs = {"spent": tracker.spent, "timings": tracker.timings}
    gaps = (*final.gaps, *await find_unread_parts(final, context.sources))
    final = finish(final.model_copy(update={"reason": reason, "notes": notes, "gaps": gaps, **costs}))
    emit(AnswerCompleted(answer=final))
    return final


class AnswerMaterial(NamedTuple):
    """What the sources hold for a question; of what was read, what an answer is written from, best first."""

    gathered: GatheredEvidence = GatheredEvidence()
    relevant_evidence: tuple[Evidence, ...] = ()
    from_memory: bool = False


async def _gather_material(question: Question, context: Context, tracker: CostTracker) -> AnswerMaterial:
    """Plan, search and read; where nothing is relevant, ask in other ways. Nothing is searched where memory answers."""
    if context.write.memory == "always":
        return AnswerMaterial(from_memory=True)
    # With the sections of guidelines that are nearest, where none is relevant for sure and no language model writes.
    found = await _gather_relevant_material(question, context, tracker)
    kinds = {item.passage.reference.kind for item in found.relevant_evidence}
    if context.has_model or not kinds <= {"research"}:
        return found
    fit = select_for_asker(question, found.gathered.reading.evidence)
    near = [item for item in fit if item.passage.reference.kind == "guideline" and item.quotes]
    return found._replace(relevant_evidence=(*found.relevant_evidence, *list_nearest_sections(near)))


async def _gather_relevant_material(question: Question, context: Context, tracker: CostTracker) -> AnswerMaterial:
    explored = await gather_evidence(question, context, tracker)
    if explored.has_answer or not (context.read.decompose or context.read.self_knowledge):
        return AnswerMaterial(explored, explored.written_from)

    async def gather_part(part: Question) -> GatheredEvidence:
        expansions = await context.understanding.find_expansions(part)
        return await gather_evidence(part.model_copy(update={"expansions": expansions}), context, tracker)

    widened = await try_fallbacks(
        question, gather_part, context, outage=explored.is_outage, failed=explored.failed_sources
    )
    reading = explored.reading + widened.reading
    kept = {item.passage.id for item in reading.evidence}
    together = explored._replace(
        reading=reading._replace(dropped=tuple(one for one in reading.dropped if one.id not in kept)),
        attempts=explored.attempts + widened.attempts,
        notes=explored.notes + widened.notes,
    )
    fit = select_for_asker(question, reading.evidence, explains=context.explains_plainly)
    return AnswerMaterial(together, select_relevant(question, fit, context.policy), widened.is_certain)


class CheckedDraft(NamedTuple):
    """What is said of it, and what became of the draft."""

    draft: WrittenDraft
    verification: VerificationResult
    condensed: CondensedEvidence = CondensedEvidence()


async def _write_and_check(
    question: Question, found: AnswerMaterial, context: Context, tracker: CostTracker
) -> CheckedDraft:
    """Write and check; where nothing of what a model wrote stands, the sources' own sentences answer."""
    if found.from_memory:
        with tracker.time_step("write"):
            written = await _try_memory(question, context)
        tracker.emit(AnswerDrafted(statements=written.statements))
        return CheckedDraft(written, VerificationResult(written.statements))
    outcome = await _write_from_evidence(question, found, context, tracker)
    drafted = outcome.draft.statements or outcome.draft.dropped
    if outcome.verification.statements or not drafted or not (extractive := context.without_model()):
        return outcome
    relevant = select_for_extraction(question, found.relevant_evidence, context)
    spare = await _write_from_evidence(question, found._replace(relevant_evidence=relevant), extractive, tracker)
    note = f"nothing that {context.model.name} wrote passed its check, so these are the sources' own sentences"
    dropped = (*outcome.draft.dropped, *outcome.verification.dropped, *spare.draft.dropped)
    notes = (*outcome.draft.notes, note, *spare.draft.notes)
    written = spare.draft._replace(
        dropped=dropped, notes=notes, recommendation=outcome.draft.recommendation, not_found=outcome.draft.not_found
    )
    kept = spare.verification._replace(
        notes=(*outcome.verification.notes, *spare.verification.notes),
        checks=outcome.verification.checks + spare.verification.checks,
    )
    return spare._replace(draft=written, verification=kept, condensed=outcome.condensed)


async def _try_memory(question: Question, context: Context) -> WrittenDraft:
    """What the model knows; nothing, and why, when it gives nothing that can be read."""
    try:
        return await write_from_memory(question, context)
    except ModelError as error:
        return WrittenDraft(notes=(f"{context.model.name} gave no answer: {error.phrase}",))


async def _write_from_evidence(
    question: Question, found: AnswerMaterial, context: Context, tracker: CostTracker
) -> CheckedDraft:
    reading = found.gathered.reading
    with tracker.time_step("condense"):
        condensed = await condense_evidence(question, found.relevant_evidence, context)
    with tracker.time_step("write"):
        written = await write_answer(question, condensed.evidence, context, condensed.parts)
    tracker.emit(AnswerDrafted(statements=written.statements))
    # Where the model could not write, the statements are the sources' own sentences, and are judged as such.
    checking = context if written.writer else context.without_model() or context
    with tracker.time_step("check"):
        kept = await verify_statements(question, written.statements, reading.evidence, reading.documents, checking)
    tracker.emit(AnswerChecked(statements=kept.statements, dropped=kept.dropped))
    stands = ensure_lead(question, kept.statements, written.statements, reading.evidence)
    notes = (*kept.notes, *note_lost_leads(written.statements, kept.statements))
    lost = written.drafted_count - len(kept.statements)
    counts = {"drafted": written.drafted_count, "quotes": written.quotes, "dropped": lost}
    kept = kept._replace(statements=stands, notes=notes, checks=kept.checks.model_copy(update=counts))
    return CheckedDraft(written, kept, condensed)


def _note_open_parts(question: Question, written: WrittenDraft, said: Sequence[Statement]) -> list[str]:
    """Parts of the question that nothing speaks of; where a model wrote, in its own words, those that its draft had."""
    drafted = note_unanswered_parts(question.text, written.statements) if written.writer else ()
    return [note for note in note_unanswered_parts(question.text, said) if note not in drafted]


def _build_answer(
    question: Question,
    found: AnswerMaterial,
    outcome: CheckedDraft,
    context: Context,
    alarm: Emergency | None,
    notes: Sequence[str],
) -> Answer:
    explored, written, kept = found.gathered, outcome.draft, outcome.verification
    conflicts = (*add_resolution(outcome.condensed.conflicts, written.resolution), *kept.conflicts)
    reading = explored.reading._replace(evidence=(*explored.reading.evidence, *kept.evidence))
    opposed = (side.passage_id for conflict in conflicts for side in conflict.sides)
    reading = omit_unused(question, reading, {*cited_passage_ids(kept.statements), *opposed}, context)
    year = (question.as_of or date.today()).year
    statements = kept.statements
    said: dict[str, Any] = {
        "basis": "parametric" if found.from_memory else "evidence",
        "choice": written.choice,
        "decision": keep_decision(written.decision, kept.statements),
        "writer": written.writer,
        "recommendation": written.recommendation,
        "glosses": select_glosses(written.glosses, kept.statements),
    }
    nearness = " ".join((NEAR_REASON, *filter(None, [explain_missing(written.missing)]))) if written.is_near else ""
    if nearness and kept.statements:
        reason = f"{nearness}{explain_limits(question)}"
        said = {"basis": "none", "abstained": True, "reason": reason, "found_instead": kept.statements}
        statements = ()
    elif not kept.statements:
        told = explain_to_patient(question, explored.reading.evidence, explored.sources) if nearness else ""
        why = told or nearness or explain_abstention(explored, question)
        reason = NO_MEMORY_ANSWER_REASON if found.from_memory else f"{why}{explain_limits(question)}"
        said = {"basis": "none", "abstained": True, "reason": reason}
    lost = find_lost_topics(written.topics, statements, question, written.not_found) if written.writer else ()
    named = [stem for part in (*written.not_found, *lost) for stem in content_stems(part)]
    # What the gaps name is not told twice.
    open_parts = [
        one for one in _note_open_parts(question, written, statements) if not {*content_stems(one)} & {*named}
    ]
    is_whole = bool(statements) and not (written.not_found or lost or open_parts)
    # A source without its settings is no gap where enough was found before its turn.
    unneeded = context.unset_sources if explored.is_early and is_whole else frozenset()
    setup_gaps = (one for one in context.setup_gaps if one.source not in unneeded)
    return Answer(
        question=question,
        statements=statements,
        evidence=appraise_evidence(question, kept.statements, reading.evidence, reading.documents, year),
        gaps=tuple(dict.fromkeys((*setup_gaps, *explored.gaps, *outcome.condensed.gaps))),
        not_found=written.not_found,
        lost=lost,
        left_out=() if found.from_memory else context.left_out,
        attempts=explored.attempts,
        dropped=(*reading.dropped, *written.dropped, *kept.dropped),
        notes=(
            *notes,
            *note_withheld(question, reading.evidence, written.writer if context.explains_plainly else ""),
            *explored.notes,
            *outcome.condensed.notes,
            *written.notes,
            *kept.notes,
            *_unsupported_choice_notes(outcome),
            *open_parts,
        ),
        reasoning=written.reasoning,
        emergency=alarm,
        conflicts=conflicts,
        checks=kept.checks if kept.checks.drafted else None,
        preflight=outcome.condensed.preflight,
        **said,
    )


def _unsupported_choice_notes(outcome: CheckedDraft) -> tuple[str, ...]:
    if not outcome.draft.choice or outcome.verification.statements:
        return ()
    return (
        f"the model chose {outcome.draft.choice}, but none of its statements passed the check, so nothing is chosen",
    )


def explain_abstention(explored: GatheredEvidence, question: Question) -> str:
    """Why an answer abstains, in a sentence for its reader."""
    if explored.is_outage:
        return "No source could be reached."
    if not any(card.documents or card.live for card in explored.sources):
        if explored.unasked_gaps:
            return "No source could be reached."
        return "There is nothing to search: no library holds any documents."
    if explored.has_named_documents and not explored.reading.documents:
        return "None of the named documents could be opened."
    if not explored.attempts and not explored.reading.evidence:
        return "The plan contains no search, and no answer is given without a source."
    if explored.attempts and not any(attempt.found for attempt in explored.attempts):
        return "No source holds anything that matches the question's words or meaning within its limits."
    if reason := explain_to_patient(question, explored.reading.evidence, explored.sources):
        return reason
    if not explored.reading.evidence:
        return "Passages were found, but none of them is relevant to the question."
    found = "\n".join(text_under_titles(item.passage) for item in explored.reading.evidence)
    named = [one for one in find_required_entities(question) if one.kind == "name"]
    if named and list_missing_terms(named, found) == named:
        return explain_missing([one.name for one in named])
    return "The passages found are close to the question but do not answer it with enough certainty."


def explain_limits(question: Question) -> str:
    """What besides may have kept an answer from being found: its dates, its language; "" for nothing."""
    told = ""
    if question.since or question.as_of:
        first = f" from {question.since}" if question.since else ""
        last = f" until {question.as_of}" if question.as_of else ""
        told = f" Only works published{first}{last} were searched, and none without a date."
    if question.language != "en" and detect_language(question.text) == question.language:
        told += f" The question was compared as written, in {language_name(question.language)}: ask in English."
    return told


def explain_missing(missing: Sequence[str]) -> str:
    """That what was found does not speak of what is asked; "" where nothing of it can be named."""
    return f"Nothing found mentions {' or '.join(missing)} for this question." if missing else ""
