"""★ The path of one question: frame · plan · search · read · write · check."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

from wellsourced.answering.errata import note_errata
from wellsourced.answering.heads import describe_closest
from wellsourced.budget import CostTracker, use_cost_tracker
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
    build_part_question,
    gather_evidence,
    omit_unused,
    search_parts_again,
    select_relevant,
    try_fallbacks,
)
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.read.consumer_sources import (
    WHOM_TO_ASK,
    describe_readership,
    explain_to_patient,
)
from wellsourced.pipeline.read.contents import TableOfContents, list_contents
from wellsourced.pipeline.read.section_reading import ReadingResult
from wellsourced.pipeline.read.unread_files import find_unread_parts
from wellsourced.pipeline.retrieve.record_flow import count_flow
from wellsourced.pipeline.section_answer import FoundSections, find_answer_sections
from wellsourced.pipeline.verify.appraisal import appraise_evidence
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.pipeline.write.drafting import WrittenDraft, write_answer, write_from_memory
from wellsourced.pipeline.write.map_reduce import CondensedEvidence, add_resolution, condense_evidence
from wellsourced.pipeline.write.not_found import (
    ensure_lead,
    find_lost_topics,
    select_glosses,
)
from wellsourced.policy import Budget
from wellsourced.question.required_entities import find_required_entities, list_missing_terms
from wellsourced.text.languages import detect_language, language_name
from wellsourced.text.passages import text_under_titles
from wellsourced.types import (
    Answer,
    AnswerSection,
    Citation,
    Evidence,
    Question,
    Statement,
    Verdict,
    cited_passage_ids,
)
from wellsourced.worker_pool import run_in_worker

TIME_OVER_REASON = "Time ran out (budget.seconds) before anything was found that answers the question."

FALLBACK_SECONDS = 5.0
"""Seconds for the sections where a language model gave nothing that stands."""

NOTHING_RELEVANT_REASON = "Passages were found, but none of them is relevant to the question."

SUICIDE = "suicide"
"""The kind of emergency below which nothing is shown: no dose, and no danger of a drug, under a helpline."""

CRISIS_REASON = "Nothing else is shown, so that you call first."

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
    found = await _gather_material(question, context, tracker)
    if not found.relevant_evidence and not found.from_memory:
        return await run_in_worker(build_answer, question, found, CheckedDraft(), context)
    try:
        found, outcome = await _write_and_check(question, found, context, tracker)
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


class AnswerMaterial(NamedTuple):
    """What the sources hold for a question; of what was read, what an answer is written from, best first."""

    gathered: GatheredEvidence = GatheredEvidence()
    relevant_evidence: tuple[Evidence, ...] = ()
    from_memory: bool = False


async def _gather_material(question: Question, context: Context, tracker: CostTracker) -> AnswerMaterial:
    """Plan, search and read; where nothing is relevant, ask in other ways. Nothing is searched where memory answers."""
    if context.write.memory == "always":
        return AnswerMaterial(from_memory=True)
    return await _gather_relevant_material(question, context, tracker)


async def _gather_relevant_material(question: Question, context: Context, tracker: CostTracker) -> AnswerMaterial:
    explored = await gather_evidence(question, context, tracker)
    if explored.has_answer or not (context.read.decompose or context.read.self_knowledge):
        return AnswerMaterial(explored, explored.written_from)

    async def gather_part(part: Question) -> GatheredEvidence:
        return await gather_evidence(part, context, tracker)

    widened = await try_fallbacks(
        question, gather_part, context, outage=explored.is_outage, failed=explored.failed_sources
    )
    together = explored.widen(widened)
    reading = together.reading
    return AnswerMaterial(together, select_relevant(reading.evidence, reading.head), widened.is_certain)


class CheckedDraft(NamedTuple):
    """What is said of it, and what became of the draft."""

    draft: WrittenDraft = WrittenDraft()
    verification: VerificationResult = VerificationResult()
    condensed: CondensedEvidence = CondensedEvidence()


async def _write_and_check(
    question: Question, found: AnswerMaterial, context: Context, tracker: CostTracker
) -> tuple[AnswerMaterial, CheckedDraft]:
    """What a model writes, and what of it stands; and what that was written from in the end."""
    if found.from_memory:
        with tracker.time_step("write"):
            written = await _try_memory(question, context)
        tracker.emit(AnswerDrafted(statements=written.statements))
        return found, CheckedDraft(written, VerificationResult(written.statements))
    return await _write_from_evidence(question, found, context, tracker)


async def _try_memory(question: Question, context: Context) -> WrittenDraft:
    """What the model knows; nothing, and why, when it gives nothing that can be read."""
    try:
        return await write_from_memory(question, context)
    except ModelError as error:
        return WrittenDraft(notes=(f"{context.model.name} gave no answer: {error.phrase}",))


async def _write_from_evidence(
    question: Question, found: AnswerMaterial, context: Context, tracker: CostTracker
) -> tuple[AnswerMaterial, CheckedDraft]:
    with tracker.time_step("condense"):
        condensed = await condense_evidence(question, found.relevant_evidence, context)
    is_searched_again = context.read.search_again and question.language == "en"
    documents = found.gathered.reading.documents if is_searched_again else {}
    contents = list_contents(condensed.evidence, documents, context.read.section_length)
    with tracker.time_step("write"):
        written = await write_answer(question, condensed.evidence, context, condensed.parts, contents.text)
    missing, first = written.not_found, found
    if missing and is_searched_again:
        found, written = await _write_of_open_parts(question, first, written, contents, context, tracker)
    reading = found.gathered.reading
    tracker.emit(AnswerDrafted(statements=written.statements))
    with tracker.time_step("check"):
        kept = await verify_statements(question, written.statements, reading.evidence, reading.documents, context)
    tracker.emit(AnswerChecked(statements=kept.statements, dropped=kept.dropped))
    # Nothing takes the place of a short answer that did not stand: what is left may be beside the point.
    stands = kept.statements if written.has_lead else ensure_lead(question, kept.statements, reading.evidence)
    lost = written.drafted_count - len(kept.statements)
    judges = (context.judging_model.name, context.model.name)
    record = context.controls.describe(judges) if context.controls and context.check.consistency else ()
    counts = {"drafted": written.drafted_count, "quotes": written.quotes, "dropped": lost, "record": record}
    kept = kept._replace(statements=stands, checks=kept.checks.model_copy(update=counts))
    new = {item.passage.id for item in found.relevant_evidence} - {item.passage.id for item in first.relevant_evidence}
    if not new.intersection(cited_passage_ids(stands)):
        # What was written of these parts did not stand, if anything was.
        written = written._replace(not_found=missing)
    return found, CheckedDraft(written, kept, condensed)


async def _write_of_open_parts(
    question: Question,
    found: AnswerMaterial,
    written: WrittenDraft,
    contents: TableOfContents,
    context: Context,
    tracker: CostTracker,
) -> tuple[AnswerMaterial, WrittenDraft]:
    """Before it is said that nothing was found on a part of the question: search for it by itself, read the sections
    that the writer named, and write of what that brings, for all parts in one call, beside what is written already."""
    parts = written.not_found
    again = await search_parts_again(question, parts, found.gathered, found.relevant_evidence, context, tracker)
    least = min((item.relevance for item in found.relevant_evidence), default=0.0)
    named = contents.read(written.also_read, least)
    told = (f"sections read that {context.model.name} named by their headings: {len(named)}",) if named else ()
    again = again._replace(reading=ReadingResult(named) + again.reading, notes=(*again.notes, *told))
    new = again.reading.evidence
    found = found._replace(gathered=found.gathered.widen(again), relevant_evidence=(*found.relevant_evidence, *new))
    if not new:
        return found, written
    asked = build_part_question(question, f"{'; '.join(parts)} (a part of: {question.text})")
    try:
        with tracker.time_step("write"):
            more = await write_answer(asked, new, context, said=_list_written(written))
    except ModelError as error:
        note = f"{context.model.name} could not write of what was found then: {error.phrase}"
        return found, written._replace(notes=(*written.notes, note))
    return found, written.extend(more, context.policy.leads)


def _list_written(written: WrittenDraft) -> str:
    return "\n".join(f"{one.topic}: {one.text}" if one.topic else one.text for one in written.statements)


def build_answer(
    question: Question,
    found: AnswerMaterial,
    outcome: CheckedDraft,
    context: Context,
) -> Answer:
    """The answer that a model wrote, with everything that its reader is told of it."""
    explored, written, kept = found.gathered, outcome.draft, outcome.verification
    conflicts = (*add_resolution(outcome.condensed.conflicts, written.resolution), *kept.conflicts)
    reading = explored.reading
    opposed = (side.passage_id for conflict in conflicts for side in conflict.sides)
    reading = omit_unused(reading, {*cited_passage_ids(kept.statements), *opposed}, context)
    year = (question.as_of or date.today()).year
    statements = kept.statements
    ids = cited_passage_ids(statements)
    cited = [item for item in reading.evidence if item.passage.id in ids]
    said: dict[str, Any] = {
        "basis": "parametric" if found.from_memory else "evidence",
        "choice": written.choice,
        "writer": written.writer,
        "checker": kept.checker,
        "recommendation": written.recommendation,
        "glosses": select_glosses(written.glosses, kept.statements),
    }
    if not kept.statements:
        why = explain_abstention(explored, question)
        reason = NO_MEMORY_ANSWER_REASON if found.from_memory else f"{why}{explain_limits(question)}"
        said = {"basis": "none", "abstained": True, "reason": reason}
    lost = find_lost_topics(written.topics, statements, question, written.not_found) if written.writer else ()
    is_whole = bool(statements) and not (written.not_found or lost)
    # A source without its settings is no gap where enough was found before its turn.
    unneeded = context.unset_sources if explored.is_early and is_whole else frozenset()
    setup_gaps = (one for one in context.setup_gaps if one.source not in unneeded)
    return Answer(
        question=question,
        statements=statements,
        readership=describe_readership(question, cited, context, written.writer) if cited else "",
        evidence=appraise_evidence(question, kept.statements, reading.evidence, reading.documents, year),
        gaps=tuple(dict.fromkeys((*setup_gaps, *explored.gaps, *outcome.condensed.gaps))),
        not_found=written.not_found,
        lost=lost,
        left_out=() if found.from_memory else context.left_out,
        attempts=explored.attempts,
        dropped=(*reading.dropped, *written.dropped, *kept.dropped),
        notes=(
            *explored.notes,
            *outcome.condensed.notes,
            *written.notes,
            *kept.notes,
            *_unsupported_choice_notes(outcome),
        ),
        reasoning=written.reasoning,
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
        return NOTHING_RELEVANT_REASON
    found = "\n".join(text_under_titles(item.passage) for item in explored.reading.evidence)
    named = [one for one in find_required_entities(question) if one.kind == "name"]
    if named and list_missing_terms(named, found) == named:
        return explain_missing([one.name for one in named])
    if explored.reading.head == "nothing":
        return NOTHING_RELEVANT_REASON
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
