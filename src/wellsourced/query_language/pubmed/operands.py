"""What a phrase or some words mean with the field tag behind them: a term, a heading, a period, a filter."""

import re
from typing import Literal, NamedTuple

from wellsourced.query_language.date_ranges import parse_period
from wellsourced.query_language.mesh_qualifiers import find_qualifier
from wellsourced.query_language.pubmed.field_tags import FieldTag, find_nearest_tag, find_tag
from wellsourced.query_language.pubmed.lexer import PubmedToken
from wellsourced.query_language.pubmed.words import build_term
from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import Everything, MeshHeading, Near, Node, Qualifier, QueryTerm
from wellsourced.query_language.traversal import map_leaves

ALL_FIELDS = FieldTag("term")
PROXIMITY_FIELDS = ("title", "title_abstract")
"""Fields in which PubMed measures distances, beside the affiliation."""


class PubmedOperand(NamedTuple):
    """Words with what stands behind them.

    quoted   in quotation marks
    tag      the field tag behind them
    upto     the end of a range of dates in a second pair of quotation marks
    """

    text: str
    at: int
    quoted: bool
    tag: PubmedToken | None
    upto: str | None = None


def build_operand_node(operand: PubmedOperand, notes: QueryNotes) -> Node | None:
    """The node for some words; None when they hold nothing to look for."""
    wanted = _resolve_tag(operand.tag, notes)
    if wanted.kind == "dates":
        return _build_dates(operand, wanted, notes)
    if wanted.kind == "filter":
        return _build_filter(operand, notes)
    if wanted.kind == "heading":
        return _build_heading(operand, wanted, notes)
    if wanted.kind == "qualifier":
        return _build_qualifier(operand, notes)
    if wanted.distance is not None:
        return _build_near(operand, wanted, notes)
    return build_term(operand.text, wanted.field, operand.at, notes)  # type: ignore[arg-type]


def _resolve_tag(token: PubmedToken | None, notes: QueryNotes) -> FieldTag:
    """What a tag asks for; a tag that PubMed does not know is told, with the one that was probably meant."""
    if token is None:
        return ALL_FIELDS
    wanted = find_tag(token.text)
    if wanted is None:
        meant = find_nearest_tag(token.text)
        guess = f" (did you mean [{meant}]?)" if meant else ""
        notes.add_note(token.at, f"[{token.text[:40]}] is no field of PubMed{guess}; all fields are searched")
        return ALL_FIELDS
    if not wanted.known:
        notes.add_note(token.at, f"[{token.text}] cannot be told apart here; all fields are searched")
    return wanted


def _build_dates(operand: PubmedOperand, wanted: FieldTag, notes: QueryNotes) -> Node:
    field: Literal["published", "entered"] = "entered" if wanted.field == "entered" else "published"
    said = operand.text if operand.upto is None else f"{operand.text}:{operand.upto}"
    found = parse_period(re.sub(r'["\[\]]', " ", said), ":", field, operand.at, notes)
    if found:
        return found
    shown = _operand_text(operand)
    notes.add_note(operand.at, f"{shown} is no date that can be held against a record, so it narrows nothing here")
    return Everything(shown, operand.at)


def _build_filter(operand: PubmedOperand, notes: QueryNotes) -> Node:
    shown = _operand_text(operand)
    if shown.lower() in ("all[sb]", "all[filter]"):
        return Everything("", operand.at)
    notes.add_note(operand.at, f"{shown} is a filter that cannot be held against a record here, so it narrows nothing")
    return Everything(shown, operand.at)


def _operand_text(operand: PubmedOperand) -> str:
    """A filter as PubMed would take it back."""
    said = operand.text if operand.upto is None else f"{operand.text}:{operand.upto}"
    whole = " ".join(re.sub(r'["\[\]]', " ", said).split())
    shown = f'"{whole}"' if operand.quoted else whole
    return f"{shown}[{' '.join(operand.tag.text.split())}]" if operand.tag else shown


def _build_heading(operand: PubmedOperand, wanted: FieldTag, notes: QueryNotes) -> Node | None:
    words = " ".join(re.sub(r'["\[\]]', " ", operand.text).split())
    if words.lower().startswith("exp ") and not operand.quoted:
        notes.add_note(operand.at, "“exp” is Ovid's; PubMed explodes headings without being told, so it was left out")
        words = words[4:]
    if "*" in words or "$" in words:
        return build_term(words, "heading", operand.at, notes)
    name, slash, said = words.rpartition("/")
    known = find_qualifier(said) if slash else None
    name = (name if known else words).strip(" ,;.")
    if not any(map(str.isalnum, name)):
        notes.add_note(operand.at, f"“{words[:40]}” is no heading and was left out")
        return None
    return MeshHeading(name, wanted.explode, wanted.major, (known,) if known else (), operand.at)


def _build_qualifier(operand: PubmedOperand, notes: QueryNotes) -> Node | None:
    said = " ".join(re.sub(r'["\[\]]', " ", operand.text).split())
    name = find_qualifier(said)
    if not said:
        return None
    if name is None:
        notes.add_note(operand.at, f"“{said[:40]}” is no subheading of MeSH")
    return Qualifier(name or said.lower(), operand.at)


def _build_near(operand: PubmedOperand, wanted: FieldTag, notes: QueryNotes) -> Node | None:
    """Words within a distance of each other, in any order."""
    if "*" in operand.text:
        notes.add_note(
            operand.at, "PubMed measures no distance between words that are cut short; they are read as a phrase"
        )
        return build_term(operand.text, wanted.field, operand.at, notes)  # type: ignore[arg-type]
    found = [build_term(word, wanted.field, operand.at, notes) for word in operand.text.split()]  # type: ignore[arg-type]
    terms = tuple(one for one in found if one)
    if wanted.field not in PROXIMITY_FIELDS and wanted.known:
        notes.add_note(operand.at, "PubMed measures distances only in [ti], [tiab] and [ad]")
    return Near(terms, wanted.distance or 0, operand.at) if len(terms) > 1 else next(iter(terms), None)


def apply_group_tag(node: Node, token: PubmedToken, notes: QueryNotes) -> Node:
    """A group with a tag behind it: each of its words that has no tag of its own gets it."""
    notes.add_note(token.at, f"[{token.text[:40]}] stands behind a parenthesis; it was read for each word in it")

    def apply_tag(leaf: Node) -> Node:
        if not (isinstance(leaf, QueryTerm) and leaf.field == "all"):
            return leaf
        words = f"{leaf.words}*" if leaf.truncated else leaf.words
        return build_operand_node(PubmedOperand(words, leaf.at, True, token), notes) or leaf

    return map_leaves(node, apply_tag)
