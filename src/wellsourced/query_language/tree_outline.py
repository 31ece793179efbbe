"""How a query is understood, for people to read: an indented tree, one node a line."""

from collections.abc import Iterator

from wellsourced.query_language.query_tree import (
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    QueryTerm,
)
from wellsourced.query_language.traversal import children

FIELD_PHRASES = {
    "all": "anywhere", "title": "in the title", "abstract": "in the abstract",
    "title_abstract": "in title or abstract", "heading": "in a MeSH heading", "type": "as publication type",
    "language": "as language", "author": "as author", "journal": "as journal", "id": "as identifier",
}  # fmt: skip


def render_outline(node: Node) -> Iterator[str]:
    """The lines of the tree: a node, and two spaces further in what it is made of."""
    waiting = [(node, 0, "")]
    while waiting:
        one, level, role = waiting.pop()
        yield "  " * level + role + describe_node(one)
        roles = ("", "without: ") if isinstance(one, Not) else ("",) * len(children(one))
        inner = [(part, level + 1, said) for part, said in zip(children(one), roles, strict=True)]
        waiting.extend(reversed(inner))


def describe_node(node: Node) -> str:
    """One node in words, without those it is made of."""
    match node:
        case QueryTerm():
            return _describe_term(node)
        case MeshHeading():
            return _describe_heading(node)
        case Qualifier():
            return f"any heading with the subheading {node.name}"
        case DateRange():
            return _describe_dates(node)
        case Near():
            between = f"at most {_count_phrase(node.distance, 'word')} between them"
            return f"these in any order, {between if node.distance else 'next to each other'}"
        case Everything():
            return f"{node.filter_text} (narrows nothing here)" if node.filter_text else "every record"
        case Not():
            return "this"
    return "any of" if isinstance(node, Or) else "all of"


def _describe_term(node: QueryTerm) -> str:
    limit = "" if node.letters is None else f" (at most {_count_phrase(node.letters, 'letter')} more)"
    return f"“{node.words}{f'…{limit}' if node.truncated else ''}” {FIELD_PHRASES[node.field]}"


def _describe_heading(node: MeshHeading) -> str:
    below = " and all below it" if node.explode else ""
    with_ = f", with {' or '.join(node.qualifiers)}" if node.qualifiers else ""
    return f"MeSH heading {node.name}{below}{with_}{', as a main subject' if node.major else ''}"


def _describe_dates(node: DateRange) -> str:
    verb = "published" if node.field == "published" else "entered into the database"
    if node.first == node.last:
        return f"{verb} in {node.first}" if node.first else f"{verb} at any time"
    since = f" from {node.first}" if node.first else ""
    return f"{verb}{since}{f' to {node.last}' if node.last else ''}"


def _count_phrase(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"
