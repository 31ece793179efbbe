"""What each part of the passages says on the question, noted in one wave, with words that are really there."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.errors import ModelError
from wellsourced.models.base import Model, complete_or_error
from wellsourced.pipeline.quote_placement import ShownPassages
from wellsourced.pipeline.write.drafting import pick_option
from wellsourced.prompts.evidence import NotesReply, PassageNote, SourcedNote, TakeNotes
from wellsourced.prompts.writing import NotedPart
from wellsourced.text.batching import PassageSlice, split_evenly, split_to_fit
from wellsourced.text.sanitization import one_line
from wellsourced.types import Gap, Passage, Question

WIDEST_PART_NAME = "999 of 999"
"""The name of a part while it is not known how many there will be: none is longer."""


class TakenNotes(NamedTuple):
    """What was noted of each part, in rank order.

    unread   ids of passages of which some part could not be read
    gaps     why, one for each part
    """

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
    parts = split_to_fit(planned, lambda part: model.room(_build_prompt(question, WIDEST_PART_NAME, part)) >= 0)
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
    """Read one part; what cannot fit is not sent."""
    prompt, unread = _build_prompt(question, name, pieces), NotedPart(part=name, unread=True, notes=())
    if model.room(prompt) < 0:
        return PartReading(unread, pieces, error=f"it does not fit the window of {model.name}, however it is cut")
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
    real = [(place, made) for place, note in placed if place is not None and (made := _align_note(note, pieces[place]))]
    notes = dict.fromkeys(note for _, made in sorted(real, key=lambda one: one[0]) for note in made)
    strays = sum(place is None for place, _ in placed)
    tentative = pick_option(reply.tentative, question) if question.options else one_line(reply.tentative)
    part = NotedPart(part=name, unread=False, notes=tuple(notes), tentative=tentative)
    return PartReading(part, pieces, strays, len(placed) - strays - len(real))


def _align_note(note: PassageNote, piece: PassageSlice) -> list[SourcedNote]:
    """The note with the passage's own words, under the key of the passage that may be cited, and its titles."""
    text, finding = piece.shown.text, one_line(note.finding)
    places = align_quote(note.quote, text)
    said = {"passage_id": piece.whole.key, "finding": finding, "source": _describe_source(piece.shown)}
    return [SourcedNote(quote=text[at.start : at.end], **said) for at in places]


def _describe_source(passage: Passage) -> str:
    card = passage.reference
    return " › ".join(filter(None, (f"{card.title} ({card.year})" if card.year else card.title, passage.section)))


def _build_gap(one: PartReading) -> Gap:
    works = ", ".join(dict.fromkeys(piece.whole.reference.id for piece in one.pieces))
    source = f"part {one.part.part} of what was found"
    return Gap(source=source, status="failed", reason=f"{works} could not be read: {one.error}")


def _describe_reading(taken: Sequence[PartReading], planned: int, model: str) -> list[str]:
    """What became of parts and notes, as far as it is out of the ordinary."""
    nothing = sum(not one.part.notes and not one.part.unread for one in taken)
    strays, misquoted = sum(one.strays for one in taken), sum(one.misquoted for one in taken)
    told = (
        (len(taken) > planned, f"the passages were read in {len(taken)} parts, not {planned}, to fit {model}"),
        (nothing, f"nothing was noted on the question in {nothing} of {len(taken)} parts"),
        (strays, f"notes left out because they name a passage that their part does not have: {strays}"),
        (misquoted, f"notes left out because their words are not in the passage that they name: {misquoted}"),
    )
    return [sentence for when, sentence in told if when]
