"""Statements of one answer that cannot both hold: both stay, as not verified, and are shown beside each other.

The model that checks them names such pairs in the same reply. Which of the two is right it was asked already.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.pipeline.verify.consistency import Clash
from wellsourced.text.sanitization import short_line
from wellsourced.types import Conflict, ConflictSide, Statement

MAX_REASON_WORDS = 40
"""Words of the model's reason that are shown."""


class MarkedClashes(NamedTuple):
    """The statements, those that clash with their verdicts changed, and each pair as a conflict."""

    statements: tuple[Statement, ...]
    conflicts: tuple[Conflict, ...] = ()


def mark_clashes(kept: Mapping[str, Statement], clashes: Sequence[Clash]) -> MarkedClashes:
    """The statements that stand, by the keys under which they were checked; a pair counts where both of it stand."""
    marked = dict(kept)
    conflicts: dict[frozenset[str], Conflict] = {}
    for clash in clashes:
        pair = frozenset((clash.first, clash.second))
        if len(pair) < 2 or not pair <= kept.keys() or pair in conflicts:
            continue
        sides = [kept[clash.first], kept[clash.second]]
        reason = short_line(clash.reason, MAX_REASON_WORDS).rstrip(".")
        about = ": ".join(filter(None, ("Two statements of this answer cannot both hold", reason)))
        conflicts[pair] = Conflict(about=about, sides=tuple(map(_build_side, sides)))
        for key, other in ((clash.first, sides[1]), (clash.second, sides[0])):
            told = f"it cannot hold together with “{short_line(other.text, MAX_REASON_WORDS)}”"
            # What is in the source's own words stays that: its source says it, whatever another statement says.
            if marked[key].verdict.status != "verbatim":
                verdict = marked[key].verdict.model_copy(update={"reason": told, "basis": "likeness"})
                marked[key] = marked[key].model_copy(update={"verdict": verdict})
    return MarkedClashes(tuple(marked.values()), tuple(conflicts.values()))


def _build_side(statement: Statement) -> ConflictSide:
    first = statement.citations[0]
    return ConflictSide(says=statement.text, passage_id=first.passage_id, quote=first.quote)
