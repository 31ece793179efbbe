"""Read long evidence in parts, all at once, and write from notes that keep the sources' words (BriefContext).

Zhang et al., npj Digital Medicine 2025. Unlike there, the check that spares it is asked, a part may say nothing, and
no passage is lost without a word.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, product
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.compare.slots import find_disagreements
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.models.base import Model, complete_or_error
from wellsourced.pipeline.prompt_window import fit_items
from wellsourced.pipeline.quote_placement import ShownPassages, judge_support
from wellsourced.pipeline.write.drafting import pick_option
from wellsourced.pipeline.write.prompt_choice import build_merge_prompt, choose_prompt
from wellsourced.prompts.evidence import NotesReply, PassageNote, SourcedNote, TakeNotes
from wellsourced.prompts.writing import NotedPart
from wellsourced.text.passages import PassageSlice, split_evenly, split_to_fit, text_under_titles
from wellsourced.text.ranking import bm25_scores
from wellsourced.text.sanitization import one_line
from wellsourced.types import Conflict, ConflictSide, Evidence, Gap, Passage, Preflight, Question


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


WIDEST_PART_NAME = "999 of 999"
"""The name of a part while it is not known how many there will be: none is longer."""


class TakenNotes(NamedTuple):
    """What was noted of each part, in rank order; ids of passages of which some part could not be read, and why."""

    parts: tuple[NotedPart, ...]
    unread: frozenset[str] = frozenset()
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()


class PartReading(NamedTuple):
    """One part as it was read.

    strays      notes left out because they name a passage that is not in this part
    misquoted   notes left out because their words are not in the passage that they name
    error       why it could not be read; "" when it was
    """

    part: NotedPart
    pieces: tuple[PassageSlice, ...]
    strays: int = 0
    misquoted: int = 0
    error: str = ""


async def take_notes(question: Question, passages: Sequence[Passage], model: Model, count: int) -> TakenNotes:
    """Let a model read the passages in so many parts, all at once. A part that fails is a gap, its error no note."""
    planned = split_evenly([PassageSlice(passage, passage) for passage in passages], count)
    parts = split_to_fit(planned, lambda part: model.context_left(_build_prompt(question, WIDEST_PART_NAME, part)) >= 0)
    named = [(f"{place} of {len(parts)}", part) for place, part in enumerate(parts, start=1)]
    taken = await asyncio.gather(*(_read_part(question, name, part, model) for name, part in named))
    failed = [one for one in taken if one.error]
    return TakenNotes(
        tuple(one.part for one in taken),
        frozenset(piece.whole.id for one in failed for piece in one.pieces),
        tuple(_build_gap(one) for one in failed),
        tuple(_describe_reading(taken, len(planned), model.name)),
    )


def _build_prompt(question: Question, name: str, part: Sequence[PassageSlice]) -> TakeNotes:
    return TakeNotes(question=question, part=name, passages=tuple(piece.shown for piece in part))


async def _read_part(question: Question, name: str, pieces: tuple[PassageSlice, ...], model: Model) -> PartReading:
    prompt, unread = _build_prompt(question, name, pieces), NotedPart(part=name, unread=True, notes=())
    # A passage that is cut no more may still not fit: it is not sent, and told as a gap.
    if model.context_left(prompt) < 0:
        return PartReading(
            unread, pieces, error=f"it does not fit the context window of {model.name}, however it is cut"
        )
    reply = await complete_or_error(model, prompt)
    if isinstance(reply, ModelError):
        return PartReading(unread, pieces, error=str(reply) or type(reply).__name__)
    return check_notes(question, name, pieces, reply)


def check_notes(question: Question, name: str, pieces: tuple[PassageSlice, ...], reply: NotesReply) -> PartReading:
    """The notes whose words stand in the passage that they name, in the source's own words, the best passage first.

    Words with an ellipsis between them become a note for each place at which they stand.
    """
    shelf = ShownPassages(piece.shown for piece in pieces)
    places = {piece.shown.id: place for place, piece in enumerate(pieces)}
    placed = [(places[found.id] if (found := shelf.find(note.passage_id)) else None, note) for note in reply.notes]
    # A note whose words stand nowhere in its passage is no note, however true it may be.
    real = [(place, made) for place, note in placed if place is not None and (made := _align_note(note, pieces[place]))]
    # In rank order: where not all notes fit, those of the lowest passages go.
    notes = dict.fromkeys(note for _, made in sorted(real, key=lambda one: one[0]) for note in made)
    strays = sum(place is None for place, _ in placed)
    tentative = pick_option(reply.tentative, question) if question.options else one_line(reply.tentative)
    part = NotedPart(part=name, unread=False, notes=tuple(notes), tentative=tentative)
    return PartReading(part, pieces, strays, len(placed) - strays - len(real))


def _align_note(note: PassageNote, piece: PassageSlice) -> list[SourcedNote]:
    text, finding = piece.shown.text, one_line(note.finding)
    places = align_quote(note.quote, text)
    said = {"passage_id": piece.whole.key, "finding": finding, "source": _describe_source(piece.shown)}
    return [SourcedNote(quote=text[at.start : at.end], **said) for at in places]


def _describe_source(passage: Passage) -> str:
    card = passage.reference
    return " › ".join(filter(None, (f"{card.title} ({card.year})" if card.year else card.title, passage.section)))


def _build_gap(one: PartReading) -> Gap:
    works = ", ".join(dict.fromkeys(piece.whole.reference.id for piece in one.pieces))
    source = f"passages, part {one.part.part}"
    return Gap(source=source, status="failed", reason=f"{works} could not be read: {one.error}")


def _describe_reading(taken: Sequence[PartReading], planned: int, model: str) -> list[str]:
    nothing = sum(not one.part.notes and not one.part.unread for one in taken)
    strays, misquoted = sum(one.strays for one in taken), sum(one.misquoted for one in taken)
    told = (
        (len(taken) > planned, f"the passages were read in {len(taken)} parts, not {planned}, to fit {model}"),
        (nothing, f"no notes on the question in {nothing} of {len(taken)} parts"),
        (strays, f"notes left out because they name a passage of another part: {strays}"),
        (misquoted, f"notes left out because their quotes are not in the passage they name: {misquoted}"),
    )
    return [sentence for when, sentence in told if when]


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
        # No note to write from: either all parts say nothing, or some could not be read and are read now as they are.
        condensed = _keep_unread_passages(evidence, noted, context)
    return condensed._replace(
        preflight=check.model_copy(update={"parts": len(noted.parts)}),
        gaps=noted.gaps,
        notes=(*noted.notes, *condensed.notes),
    )


def run_preflight(query: str, passages: Sequence[Passage], top: int, delta: float, parts: int) -> Preflight:
    """Whether to read the passages, given best first, in parts: their order beside that of BM25 over them alone.

    A model overlooks what stands in the middle of a long prompt. Where words and the first ranking name the same best
    passages, what answers is likely to stand at the beginning already (Zhang et al., npj Digital Medicine 2025).

    top     best passages of either ranking that are compared; 1 or more
    delta   in [0, 1); they agree when the IoU of both is greater
    parts   in how many they would be read, at most; each is a call that one reading of all saves
    """
    top, parts = min(top, len(passages)), min(parts, len(passages))
    scores = bm25_scores(query, [text_under_titles(passage) for passage in passages])
    shared = _count_shared(passages, scores, top)
    few = len(passages) <= top
    too_few = f"there are only {len(passages)} passages" if len(passages) != 1 else "there is only one passage"
    mapped = not few and not is_agreement(shared, top, delta)
    return Preflight(
        mapped=mapped,
        top=top,
        delta=delta,
        shared=shared,
        iou=float(intersection_over_union(shared, top)),
        parts=parts,
        saved=0 if mapped else parts,
        reason=too_few if few else _agreement_reason(shared, top, mapped, worded=any(scores)),
    )


def is_agreement(shared: int, top: int, delta: float) -> bool:
    """Whether the IoU is greater than delta as it is written, so that 1/5 is not greater than 0.2."""
    # As it is written: in floats, 1/5 can come out above 0.2.
    return intersection_over_union(shared, top) > Fraction(str(delta))


def intersection_over_union(shared: int, top: int) -> Fraction:
    """Intersection over union of two sets of `top` members, so many of them shared; 1 for two empty sets."""
    return Fraction(shared, 2 * top - shared) if top else Fraction(1)


def _count_shared(passages: Sequence[Passage], scores: Sequence[float], top: int) -> int:
    """How many passages stand among the first of both rankings; none when words rank nothing."""
    # With scores of nothing but 0 the order is that of the ids, which would agree by chance.
    if len(passages) > top and not any(scores):
        return 0
    return len({one.id for one in passages[:top]} & {one.id for one in rank_by_score(passages, scores)[:top]})


def rank_by_score(passages: Sequence[Passage], scores: Sequence[float]) -> list[Passage]:
    """Best first. Equal scores by reference: by their first rank, they would seem to agree with it."""
    order = sorted(
        zip(passages, scores, strict=True), key=lambda one: (-one[1], one[0].reference.id, one[0].start, one[0].end)
    )
    return [passage for passage, _ in order]


def _agreement_reason(shared: int, top: int, mapped: bool, *, worded: bool) -> str:
    if not worded:
        return "no passage shares a word with the question, so words cannot rank them"
    found = f"{shared} of the best {top} passages are also the best by words"
    return f"{found}; the answer may lie in the middle" if mapped else found


def decide_condensing(question: Question, evidence: Sequence[Evidence], context: Context) -> Preflight | None:
    """Whether it is read in parts; None where nothing has to be decided: without a model, or where all of it fits."""
    policy = context.condense
    if policy.mode == "never" or not context.has_model or not evidence:
        return None
    passages = [item.passage for item in evidence]
    check = run_preflight(question.text, passages, policy.top, policy.delta, policy.parts)
    # First, whatever the policy says: what does not fit at once can only be read in parts.
    if context.model.context_left(choose_prompt(question, context)(evidence)) < 0:
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
    fit = fit_items(context.model, lambda kept: asking(keep_notes(kept)), placed)
    return keep_notes(fit.kept), len(fit.left_out)


async def _condense_to_notes(
    question: Question, evidence: Sequence[Evidence], shown: tuple[NotedPart, ...], left_out: int, context: Context
) -> CondensedEvidence:
    passages = {item.passage.key: item.passage for item in evidence}
    conflicts, unjudged = await find_part_conflicts(question, shown, passages, context.support_judge)
    noticed = {note.passage_id for part in shown for note in part.notes}
    told = (
        (left_out, f"notes of the lowest-ranked passages, which {context.model.name} had no room for: {left_out}"),
        (unjudged, f"pairs of notes not checked for disagreement: {unjudged}"),
    )
    return CondensedEvidence(
        parts=shown,
        evidence=tuple(item for item in evidence if item.passage.key in noticed),
        conflicts=conflicts,
        notes=tuple(sentence for when, sentence in told if when),
    )


def _keep_unread_passages(evidence: Sequence[Evidence], noted: TakenNotes, context: Context) -> CondensedEvidence:
    """Where no note can be shown: what nobody could read in parts is written from as it is, as far as it then fits.

    Where all parts were read and say nothing, that is nothing. Where none could be read, the model that writes may
    still be up; if it is not, `write` knows what to do.
    """
    # There are notes and not one of them fits the window: all of the evidence is left to the writer, who cuts it.
    if any(part.notes for part in noted.parts):
        return CondensedEvidence(evidence=tuple(evidence), notes=(f"not even one note fits {context.model.name}",))
    left = tuple(item for item in evidence if item.passage.id in noted.unread)
    return CondensedEvidence(
        evidence=left, notes=() if left else ("no part of the passages is relevant to the question",)
    )


# Parts of the evidence that do not agree, with the words of each; shown, and never counted as votes.

NOTES_PER_PART = 2
"""Notes of each part that are compared with those of others: its best ones."""

MAX_NOTE_PAIRS = 60
"""Pairs of notes that are judged, at most; those of the best parts first."""


async def find_part_conflicts(
    question: Question, parts: Sequence[NotedPart], passages: Mapping[str, Passage], support: Judge
) -> tuple[tuple[Conflict, ...], int]:
    """Parts that choose different options, each with its first note; without options, findings that contradict.

    With them, how many pairs of notes nobody could judge: they are no conflicts.

    passages   by their keys, as the notes name them
    """
    read = [part for part in parts if part.notes]
    if question.options:
        return _find_choice_conflict(question, read, passages), 0
    return await _find_finding_conflicts(question, read, passages, support)


PARTS_DIFFER = "what was read in parts, and merged"
"""What a conflict is about of which only the writer speaks."""


def add_resolution(found: Sequence[Conflict], resolution: str) -> tuple[Conflict, ...]:
    """The conflicts with what the writer says of how they were settled, also of one that nobody else saw."""
    settled = one_line(resolution)
    if settled and not found:
        return (Conflict(about=PARTS_DIFFER, sides=(), resolution=settled),)
    return tuple(one.model_copy(update={"resolution": settled}) for one in found)


def _find_choice_conflict(
    question: Question, parts: Sequence[NotedPart], passages: Mapping[str, Passage]
) -> tuple[Conflict, ...]:
    choosing = [part for part in parts if part.tentative]
    if len({part.tentative for part in choosing}) < 2:
        return ()
    says = {key: f"{key}: {text}" for key, text in question.options.items()}
    sides = tuple(_build_side(says[part.tentative], part.notes[0], passages) for part in choosing)
    return (Conflict(about=question.text, sides=sides),)


async def _find_finding_conflicts(
    question: Question, parts: Sequence[NotedPart], passages: Mapping[str, Passage], support: Judge
) -> tuple[tuple[Conflict, ...], int]:
    pairs = list(islice(_pair_notes(parts), MAX_NOTE_PAIRS))
    # Another source's words are judged, not what the model made of them.
    heard = await judge_support([Pair(_note_statement(one), other.quote) for _, one, other in pairs], support)
    against: dict[tuple[int, int], tuple[PassageNote, PassageNote]] = {}
    for (between, one, other), verdict in zip(pairs, heard.verdicts, strict=True):
        if verdict.label == "contradicts":
            against.setdefault(between, (one, other))
    made = tuple(
        Conflict(about=question.text, sides=tuple(_build_side(_note_statement(note), note, passages) for note in both))
        for both in against.values()
    )
    return made, sum(verdict.label == "unjudged" for verdict in heard.verdicts)


def _pair_notes(parts: Sequence[NotedPart]) -> Iterator[tuple[tuple[int, int], PassageNote, PassageNote]]:
    """(the two parts, a note of each) for the best notes of any two parts."""
    for (place, part), (other_place, other) in combinations(enumerate(parts), 2):
        for one, another in product(part.notes[:NOTES_PER_PART], other.notes[:NOTES_PER_PART]):
            yield (place, other_place), one, another


def _note_statement(note: PassageNote) -> str:
    """The finding, as far as the words it rests on say the same; else these words."""
    return note.quote if not note.finding or find_disagreements(note.finding, note.quote) else note.finding


def _build_side(says: str, note: PassageNote, passages: Mapping[str, Passage]) -> ConflictSide:
    return ConflictSide(says=says, passage_id=passages[note.passage_id].id, quote=note.quote)
