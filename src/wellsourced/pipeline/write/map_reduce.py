"""Read long evidence in parts, all at once, and write from notes that keep the sources' words (BriefContext).

Zhang et al., npj Digital Medicine 2025. Unlike there, the check that spares it is asked, a part may say nothing, and
no passage is lost without a word.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.pipeline.write.conflicts import find_part_conflicts
from wellsourced.pipeline.write.note_taking import TakenNotes, take_notes
from wellsourced.pipeline.write.preflight import run_preflight
from wellsourced.pipeline.write.prompt_choice import build_merge_prompt, choose_prompt
from wellsourced.prompts.evidence import PassageNote
from wellsourced.prompts.writing import NotedPart
from wellsourced.types import Conflict, Evidence, Gap, Preflight, Question


class CondensedEvidence(NamedTuple):
    """What an answer is to be written from.

    parts       notes, and the parts that nobody could read; none: write from the evidence at once
    evidence    what is written from, in rank order; none: nothing that was read is relevant
    preflight   how it was decided; None: the question did not come up
    """

    parts: tuple[NotedPart, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    preflight: Preflight | None = None
    conflicts: tuple[Conflict, ...] = ()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()


async def condense_evidence(question: Question, evidence: Sequence[Evidence], context: Context) -> CondensedEvidence:
    """The evidence, best first, as it is, or as notes of its parts, as `context.condense` says."""
    check = decide_condensing(question, evidence, context)
    if check is None or not check.mapped:
        return CondensedEvidence(evidence=tuple(evidence), preflight=check)
    passages = [item.passage for item in evidence]
    noted = await take_notes(question, passages, context.judging_model, context.condense.parts)
    shown, left_out = fit_notes(question, noted.parts, context)
    if any(part.notes for part in shown):
        condensed = await _condense_to_notes(question, evidence, shown, left_out, context)
    else:
        condensed = _keep_unread_passages(evidence, noted, context)
    return condensed._replace(
        preflight=check.model_copy(update={"parts": len(noted.parts)}),
        gaps=noted.gaps,
        notes=(*noted.notes, *condensed.notes),
    )


def decide_condensing(question: Question, evidence: Sequence[Evidence], context: Context) -> Preflight | None:
    """Whether it is read in parts; None where nothing has to be decided: without a model, or where all of it fits."""
    policy = context.condense
    if policy.mode == "never" or not context.has_model or not evidence:
        return None
    passages = [item.passage for item in evidence]
    check = run_preflight(question.text, passages, policy.top, policy.delta, policy.parts)
    if context.model.room(choose_prompt(question, context)(evidence, 0)) < 0:
        return _force_mapping(check, f"the passages do not fit {context.model.name} at once")
    if policy.mode == "always" and len(evidence) > 1:
        return _force_mapping(check, "passages are always read in parts")
    return check if policy.mode == "preflight" else None


def _force_mapping(check: Preflight, reason: str) -> Preflight:
    return check.model_copy(update={"mapped": True, "saved": 0, "reason": reason})


def fit_notes(question: Question, parts: Sequence[NotedPart], context: Context) -> tuple[tuple[NotedPart, ...], int]:
    """The parts that are shown to the writer, and how many notes there is no room for.

    Parts without a note are left out, those that nobody could read are named. Of notes that do not fit together, those
    of the passages that rank lowest are left out: notes on notes would cost another wave of calls, and shorten little,
    since all of them are relevant to the question.
    """
    placed = [(place, note) for place, part in enumerate(parts) for note in part.notes]

    def keep_notes(kept: Sequence[tuple[int, PassageNote]]) -> tuple[NotedPart, ...]:
        of_part = [tuple(note for its, note in kept if its == place) for place in range(len(parts))]
        with_notes = [part.model_copy(update={"notes": of}) for part, of in zip(parts, of_part, strict=True)]
        return tuple(part for part in with_notes if part.notes or part.unread)

    asking = build_merge_prompt(question, context)
    fit = fit_items(context.model, lambda kept: asking(keep_notes(kept), 0), placed)
    return keep_notes(fit.kept), len(fit.left_out)


async def _condense_to_notes(
    question: Question, evidence: Sequence[Evidence], shown: tuple[NotedPart, ...], left_out: int, context: Context
) -> CondensedEvidence:
    """What the notes rest on, and where they disagree."""
    passages = {item.passage.key: item.passage for item in evidence}
    found = await find_part_conflicts(question, shown, passages, context.support_judge)
    noticed = {note.passage_id for part in shown for note in part.notes}
    told = (
        (left_out, f"notes that did not fit {context.model.name}, of the passages that rank lowest: {left_out}"),
        (found.unjudged, f"pairs of notes of which nobody could say whether they disagree: {found.unjudged}"),
    )
    return CondensedEvidence(
        parts=shown,
        evidence=tuple(item for item in evidence if item.passage.key in noticed),
        conflicts=found.conflicts,
        notes=tuple(sentence for when, sentence in told if when),
    )


def _keep_unread_passages(evidence: Sequence[Evidence], noted: TakenNotes, context: Context) -> CondensedEvidence:
    """Where no note can be shown: what nobody could read in parts is written from as it is, as far as it then fits.

    Where all parts were read and say nothing, that is nothing. Where none could be read, the model that writes may
    still be up; if it is not, `write` knows what to do.
    """
    if any(part.notes for part in noted.parts):
        return CondensedEvidence(evidence=tuple(evidence), notes=(f"not even one note fits {context.model.name}",))
    left = tuple(item for item in evidence if item.passage.id in noted.unread)
    return CondensedEvidence(evidence=left, notes=() if left else ("no part of what was read bears on the question",))
