"""From a line of an Ovid strategy as it is written to what it asks for, once the fields of its words are known."""

from itertools import product

from wellsourced.query_language.notes import Notes
from wellsourced.query_language.ovid_fields import ELSEWHERE, PLACES, Place, places
from wellsourced.query_language.ovid_words import word
from wellsourced.query_language.ovid_written import Adjacent, Fielded, Group, Ready, Words, Written
from wellsourced.query_language.tree import And, Near, Node, Not, Or, Term
from wellsourced.query_language.walking import joined

ANYWHERE: tuple[Place, ...] = ("all",)
MOST_PHRASES = 400
"""Into which "(a or b) adj (c or d)" is written out."""


def meant(written: Written, notes: Notes, where: tuple[Place, ...] = ANYWHERE) -> Node | None:
    """What a line asks for, its words in these places unless they have their own; None when it is nothing."""
    if isinstance(written, Ready):
        return written.node
    if isinstance(written, Words):
        return _either(word(written.said, place, written.at, notes) for place in where)
    if isinstance(written, Fielded):
        return meant(written.inner, notes, _places(written, notes))
    if isinstance(written, Adjacent):
        return _either(_adjacent(written, place, notes) for place in where)
    parts = [meant(part, notes, where) for part in written.parts]
    return _grouped(written, parts)


def _grouped(written: Group, parts: list[Node | None]) -> Node | None:
    if written.operator == "not":
        kept, left_out = parts
        return Not(kept, left_out, kept.at) if kept and left_out else kept
    known = tuple(part for part in parts if part)
    return joined(And if written.operator == "and" else Or, known) if known else None


def _places(written: Fielded, notes: Notes) -> tuple[Place, ...]:
    """Where words have to stand; fields that no record is known by are told."""
    for code in written.codes:
        if code in ELSEWHERE:
            notes.tell(written.at, f"The field .{code}. cannot be told apart here; all fields are searched")
        elif code not in PLACES:
            notes.tell(written.at, f".{code}. is no field of Ovid MEDLINE; all fields are searched")
    return places(written.codes)


def _either(found: object) -> Node | None:
    parts = tuple(part for part in found if part)  # type: ignore[attr-defined]
    return joined(Or, parts) if parts else None


def _adjacent(written: Adjacent, place: Place, notes: Notes) -> Node | None:
    """Words next to each other, or not far apart."""
    found = tuple(part for part in (meant(one, notes, (place,)) for one in written.parts) if part)
    if len(found) < 2:
        return found[0] if found else None
    if written.distance is not None:
        return Near(found, written.distance, found[0].at)
    phrases = _phrases(found)
    if phrases:
        return joined(Or, phrases)
    notes.tell(written.at, "ADJ between these was read in either order: they are too many, or no words")
    return Near(found, 0, found[0].at)


def _phrases(parts: tuple[Node, ...]) -> tuple[Term, ...]:
    """Every phrase that begins with one of the first words, goes on with one of the second; () when not to be had."""
    choices = [part.parts if isinstance(part, Or) else (part,) for part in parts]
    number = 1
    for choice in choices:
        number *= len(choice)
    if number > MOST_PHRASES or not all(isinstance(one, Term) for choice in choices for one in choice):
        return ()
    return tuple(_phrase(row) for row in product(*choices))  # type: ignore[arg-type]


def _phrase(row: tuple[Term, ...]) -> Term:
    inner = [_inside(term) for term in row[:-1]]
    return row[-1]._replace(words=" ".join([*inner, row[-1].words]), at=row[0].at)


def _inside(term: Term) -> str:
    """A word that is cut short, in the middle of a phrase."""
    if not term.truncated:
        return term.words
    return f"{term.words}*" if term.letters is None else term.words + "?" * min(term.letters, 5)
