"""What a phrase or some words mean with the field tag behind them: a term, a heading, a period, a filter."""

import re
from typing import Literal, NamedTuple

from wellsourced.query_language.dates import period
from wellsourced.query_language.notes import Notes
from wellsourced.query_language.pubmed_lexer import Token
from wellsourced.query_language.pubmed_tags import Tag, nearest, tag
from wellsourced.query_language.pubmed_words import term
from wellsourced.query_language.qualifiers import qualifier
from wellsourced.query_language.tree import Everything, Heading, Near, Node, Not, Qualifier, Term
from wellsourced.query_language.walking import children

ALL = Tag("term")
PLAIN_DISTANCE = ("title", "title_abstract")
"""Fields in which PubMed measures distances, beside the affiliation."""


class Operand(NamedTuple):
    """Words with what stands behind them.

    quoted   in quotation marks
    tag      the field tag behind them
    upto     the end of a range of dates in a second pair of quotation marks
    """

    said: str
    at: int
    quoted: bool
    tag: Token | None
    upto: str | None = None


def said_node(operand: Operand, notes: Notes) -> Node | None:
    """The node for some words; None when they hold nothing to look for."""
    wanted = _wanted(operand.tag, notes)
    if wanted.kind == "dates":
        return _dates(operand, wanted, notes)
    if wanted.kind == "filter":
        return _filter(operand, notes)
    if wanted.kind == "heading":
        return _heading(operand, wanted, notes)
    if wanted.kind == "qualifier":
        return _qualifier(operand, notes)
    if wanted.distance is not None:
        return _near(operand, wanted, notes)
    return term(operand.said, wanted.field, operand.at, notes)  # type: ignore[arg-type]


def _wanted(token: Token | None, notes: Notes) -> Tag:
    """What a tag asks for; a tag that PubMed does not know is told, with the one that was probably meant."""
    if token is None:
        return ALL
    wanted = tag(token.text)
    if wanted is None:
        meant = nearest(token.text)
        guess = f" (did you mean [{meant}]?)" if meant else ""
        notes.tell(token.at, f"[{token.text[:40]}] is no field of PubMed{guess}; all fields are searched")
        return ALL
    if not wanted.known:
        notes.tell(token.at, f"[{token.text}] cannot be told apart here; all fields are searched")
    return wanted


def _dates(operand: Operand, wanted: Tag, notes: Notes) -> Node:
    field: Literal["published", "entered"] = "entered" if wanted.field == "entered" else "published"
    said = operand.said if operand.upto is None else f"{operand.said}:{operand.upto}"
    found = period(re.sub(r'["\[\]]', " ", said), ":", field, operand.at, notes)
    if found:
        return found
    shown = _as_said(operand)
    notes.tell(operand.at, f"{shown} is no date that can be held against a record, so it narrows nothing here")
    return Everything(shown, operand.at)


def _filter(operand: Operand, notes: Notes) -> Node:
    shown = _as_said(operand)
    if shown.lower() in ("all[sb]", "all[filter]"):
        return Everything("", operand.at)
    notes.tell(operand.at, f"{shown} is a filter that cannot be held against a record here, so it narrows nothing")
    return Everything(shown, operand.at)


def _as_said(operand: Operand) -> str:
    """A filter as PubMed would take it back."""
    said = operand.said if operand.upto is None else f"{operand.said}:{operand.upto}"
    whole = " ".join(re.sub(r'["\[\]]', " ", said).split())
    shown = f'"{whole}"' if operand.quoted else whole
    return f"{shown}[{' '.join(operand.tag.text.split())}]" if operand.tag else shown


def _heading(operand: Operand, wanted: Tag, notes: Notes) -> Node | None:
    words = " ".join(re.sub(r'["\[\]]', " ", operand.said).split())
    if words.lower().startswith("exp ") and not operand.quoted:
        notes.tell(operand.at, "“exp” is Ovid's; PubMed explodes headings without being told, so it was left out")
        words = words[4:]
    if "*" in words or "$" in words:
        return term(words, "heading", operand.at, notes)
    name, slash, said = words.rpartition("/")
    known = qualifier(said) if slash else None
    name = (name if known else words).strip(" ,;.")
    if not any(map(str.isalnum, name)):
        notes.tell(operand.at, f"“{words[:40]}” is no heading and was left out")
        return None
    return Heading(name, wanted.explode, wanted.major, (known,) if known else (), operand.at)


def _qualifier(operand: Operand, notes: Notes) -> Node | None:
    said = " ".join(re.sub(r'["\[\]]', " ", operand.said).split())
    name = qualifier(said)
    if not said:
        return None
    if name is None:
        notes.tell(operand.at, f"“{said[:40]}” is no subheading of MeSH")
    return Qualifier(name or said.lower(), operand.at)


def _near(operand: Operand, wanted: Tag, notes: Notes) -> Node | None:
    """Words within a distance of each other, in any order."""
    if "*" in operand.said:
        notes.tell(
            operand.at, "PubMed measures no distance between words that are cut short; they are read as a phrase"
        )
        return term(operand.said, wanted.field, operand.at, notes)  # type: ignore[arg-type]
    found = [term(word, wanted.field, operand.at, notes) for word in operand.said.split()]  # type: ignore[arg-type]
    terms = tuple(one for one in found if one)
    if wanted.field not in PLAIN_DISTANCE and wanted.known:
        notes.tell(operand.at, "PubMed measures distances only in [ti], [tiab] and [ad]")
    return Near(terms, wanted.distance or 0, operand.at) if len(terms) > 1 else next(iter(terms), None)


def retagged(node: Node, token: Token, notes: Notes) -> Node:
    """A group with a tag behind it: each of its words that has no tag of its own gets it."""
    notes.tell(token.at, f"[{token.text[:40]}] stands behind a parenthesis; it was read for each word in it")
    return _each(node, token, notes)


def _each(node: Node, token: Token, notes: Notes) -> Node:
    if isinstance(node, Term) and node.field == "all":
        said = f"{node.words}*" if node.truncated else node.words
        return said_node(Operand(said, node.at, True, token), notes) or node
    if isinstance(node, Not):
        return Not(_each(node.kept, token, notes), _each(node.left_out, token, notes), node.at)
    if not children(node):
        return node
    return node._replace(parts=tuple(_each(part, token, notes) for part in children(node)))  # type: ignore[call-arg]
