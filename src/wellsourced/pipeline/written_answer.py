"""What a language model writes: from what is searched and read, in a draft that is checked, as an answer.

Nothing of it is loaded where no language model writes.
"""

from datetime import date
from typing import Any, NamedTuple

from wellsourced.budget import CostTracker
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.events import (
    AnswerChecked,
    AnswerDrafted,
)
from wellsourced.pipeline.abstention import explain_abstention, explain_limits
from wellsourced.pipeline.evidence import (
    GatheredEvidence,
    build_part_question,
    gather_evidence,
    omit_unused,
    search_parts_again,
    select_relevant,
    try_fallbacks,
)
from wellsourced.pipeline.read.consumer_sources import (
    describe_readership,
)
from wellsourced.pipeline.read.contents import TableOfContents, list_contents
from wellsourced.pipeline.read.section_reading import ReadingResult
from wellsourced.pipeline.verify.appraisal import appraise_evidence
from wellsourced.pipeline.verify.verification import VerificationResult, verify_statements
from wellsourced.pipeline.write.drafting import WrittenDraft, write_answer, write_from_memory
from wellsourced.pipeline.write.map_reduce import CondensedEvidence, add_resolution, condense_evidence
from wellsourced.pipeline.write.not_found import (
    ensure_lead,
    find_lost_topics,
    select_glosses,
)
from wellsourced.types import (
    Answer,
    Evidence,
    Question,
    cited_passage_ids,
)

NO_MEMORY_ANSWER_REASON = "The language model gave no answer from its own knowledge."


class AnswerMaterial(NamedTuple):
    """What the sources hold for a question; of what was read, what an answer is written from, best first."""

    gathered: GatheredEvidence = GatheredEvidence()
    relevant_evidence: tuple[Evidence, ...] = ()
    from_memory: bool = False


async def gather_material(question: Question, context: Context, tracker: CostTracker) -> AnswerMaterial:
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


async def write_and_check(
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
