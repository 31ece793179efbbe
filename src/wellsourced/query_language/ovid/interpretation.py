"""From a line of an Ovid strategy as it is written to what it asks for, once the fields of its words are known."""

from collections.abc import Iterable
from itertools import product
from math import prod

from wellsourced.query_language.ovid.fields import FIELD_PLACES, UNSUPPORTED_FIELDS, SearchPlace, merge_places
from wellsourced.query_language.ovid.parser import (
    AdjacentOperands,
    FieldedOperand,
    OperandGroup,
    OvidSyntax,
    OvidWords,
    ResolvedOperand,
)
from wellsourced.query_language.ovid.words import build_word_node
from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import And, Near, Node, Not, Or, QueryTerm
from wellsourced.query_language.traversal import combine_nodes

ANYWHERE: tuple[SearchPlace, ...] = ("all",)
MAX_PHRASES = 400
"""Into which "(a or b) adj (c or d)" is written out."""


def build_node(written: OvidSyntax, notes: QueryNotes, where: tuple[SearchPlace, ...] = ANYWHERE) -> Node | None:
    """What a line asks for, its words in these places unless they have their own; None when it is nothing."""
    if isinstance(written, ResolvedOperand):
        return written.node
    if isinstance(written, OvidWords):
        return _join_alternatives(build_word_node(written.text, place, written.at, notes) for place in where)
    if isinstance(written, FieldedOperand):
        return build_node(written.inner, notes, _search_places(written, notes))
    if isinstance(written, AdjacentOperands):
        return _join_alternatives(_build_adjacent(written, place, notes) for place in where)
    return _combine_group(written, [build_node(part, notes, where) for part in written.parts])


def _combine_group(written: OperandGroup, parts: list[Node | None]) -> Node | None:
    if written.operator == "not":
        kept, left_out = parts
        return Not(kept, left_out, kept.at) if kept and left_out else kept
    known = tuple(part for part in parts if part)
    return combine_nodes(And if written.operator == "and" else Or, known) if known else None


def _search_places(written: FieldedOperand, notes: QueryNotes) -> tuple[SearchPlace, ...]:
    """Where words have to stand; fields that no record is known by are told."""
    for code in written.codes:
        if code in UNSUPPORTED_FIELDS:
            notes.add_note(written.at, f"The field .{code}. cannot be told apart here; all fields are searched")
        elif code not in FIELD_PLACES:
            notes.add_note(written.at, f".{code}. is no field of Ovid MEDLINE; all fields are searched")
    return merge_places(written.codes)


def _join_alternatives(found: Iterable[Node | None]) -> Node | None:
    parts = tuple(part for part in found if part)
    return combine_nodes(Or, parts) if parts else None


def _build_adjacent(written: AdjacentOperands, place: SearchPlace, notes: QueryNotes) -> Node | None:
    """Words next to each other, or not far apart."""
    found = tuple(part for part in (build_node(one, notes, (place,)) for one in written.parts) if part)
    if len(found) < 2:
        return found[0] if found else None
    if written.distance is not None:
        return Near(found, written.distance, found[0].at)
    phrases = _expand_phrases(found)
    if phrases:
        return combine_nodes(Or, phrases)
    notes.add_note(written.at, "ADJ between these was read in either order: they are too many, or no words")
    return Near(found, 0, found[0].at)


def _expand_phrases(parts: tuple[Node, ...]) -> tuple[QueryTerm, ...]:
    """Every phrase that begins with one of the first words, goes on with one of the second; () when not to be had."""
    choices = [part.parts if isinstance(part, Or) else (part,) for part in parts]
    if prod(map(len, choices)) > MAX_PHRASES or not all(
        isinstance(one, QueryTerm) for choice in choices for one in choice
    ):
        return ()
    return tuple(_join_phrase(row) for row in product(*choices))  # type: ignore[arg-type]


def _join_phrase(row: tuple[QueryTerm, ...]) -> QueryTerm:
    inner = [_inner_words(term) for term in row[:-1]]
    return row[-1]._replace(words=" ".join([*inner, row[-1].words]), at=row[0].at)


def _inner_words(term: QueryTerm) -> str:
    """A word that is cut short, in the middle of a phrase."""
    if not term.truncated:
        return term.words
    return f"{term.words}*" if term.letters is None else term.words + "?" * min(term.letters, 5)
