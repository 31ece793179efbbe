"""Parts of the evidence that do not agree, with the words of each; shown, and never counted as votes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

from wellsourced.claims.guard import find_disagreements
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.support import judge_support
from wellsourced.prompts.evidence import PassageNote
from wellsourced.prompts.writing import NotedPart
from wellsourced.text.sanitization import one_line
from wellsourced.types import Conflict, ConflictSide, Passage, Question

NOTES_PER_PART = 2
"""Notes of each part that are compared with those of others: its best ones."""

MAX_NOTE_PAIRS = 60
"""Pairs of notes that are judged, at most; those of the best parts first."""


class PartConflicts(NamedTuple):
    """The conflicts, and how many pairs of notes nobody could judge: they are none."""

    conflicts: tuple[Conflict, ...] = ()
    unjudged: int = 0


async def find_part_conflicts(
    question: Question, parts: Sequence[NotedPart], passages: Mapping[str, Passage], support: Judge
) -> PartConflicts:
    """Parts that choose different options, each with its first note; without options, findings that contradict.

    passages   by their keys, as the notes name them
    """
    read = [part for part in parts if part.notes]
    if question.options:
        return PartConflicts(_find_choice_conflict(question, read, passages))
    return await _find_finding_conflicts(question, read, passages, support)


def add_resolution(found: Sequence[Conflict], resolution: str) -> tuple[Conflict, ...]:
    """The conflicts with what the writer says of how they were settled; "" when it says nothing."""
    return tuple(one.model_copy(update={"resolution": one_line(resolution)}) for one in found)


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
) -> PartConflicts:
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
    return PartConflicts(made, sum(verdict.label == "unjudged" for verdict in heard.verdicts))


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
