"""How a query is understood, for people to read: an indented tree, one node a line."""

from collections.abc import Iterator

from wellsourced.query_language.tree import Dates, Everything, Heading, Near, Node, Not, Or, Qualifier, Term
from wellsourced.query_language.walking import children

FIELDS = {
    "all": "anywhere", "title": "in the title", "abstract": "in the abstract",
    "title_abstract": "in title or abstract", "heading": "in a MeSH heading", "type": "as publication type",
    "language": "as language", "author": "as author", "journal": "as journal", "id": "as identifier",
}  # fmt: skip


def outline(node: Node) -> Iterator[str]:
    """The lines of the tree: a node, and two spaces further in what it is made of."""
    waiting = [(node, 0, "")]
    while waiting:
        one, level, role = waiting.pop()
        yield "  " * level + role + described(one)
        roles = ("", "without: ") if isinstance(one, Not) else ("",) * len(children(one))
        inner = [(part, level + 1, said) for part, said in zip(children(one), roles, strict=True)]
        waiting.extend(reversed(inner))


def described(node: Node) -> str:
    """One node in words, without those it is made of."""
    match node:
        case Term():
            return _term(node)
        case Heading():
            return _heading(node)
        case Qualifier():
            return f"any heading with the subheading {node.name}"
        case Dates():
            return _dates(node)
        case Near():
            between = (
                "next to each other" if not node.distance else f"at most {_count(node.distance, 'word')} between them"
            )
            return f"these in any order, {between}"
        case Everything():
            return f"{node.said} (narrows nothing here)" if node.said else "every record"
        case Not():
            return "this"
    return "any of" if isinstance(node, Or) else "all of"


def _term(node: Term) -> str:
    cut = (
        ""
        if not node.truncated
        else "…"
        if node.letters is None
        else f"… (at most {_count(node.letters, 'letter')} more)"
    )
    return f"“{node.words}{cut}” {FIELDS[node.field]}"


def _heading(node: Heading) -> str:
    below = " and all below it" if node.explode else ""
    with_ = f", with {' or '.join(node.qualifiers)}" if node.qualifiers else ""
    return f"MeSH heading {node.name}{below}{with_}{', as a main subject' if node.major else ''}"


def _dates(node: Dates) -> str:
    verb = "published" if node.field == "published" else "entered into the database"
    if node.first == node.last:
        return f"{verb} in {node.first}" if node.first else f"{verb} at any time"
    since = f" from {node.first}" if node.first else ""
    return f"{verb}{since}{f' to {node.last}' if node.last else ''}"


def _count(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"
