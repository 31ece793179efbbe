"""What a live source is asked where the query is a Boolean expression in PubMed's language, or in Ovid's."""

import re

from wellsourced.query_language import Written, dialect, leaves, read, to_europe_pmc, to_pubmed
from wellsourced.query_language.tree import And, Everything, Heading, Near, Node, Not, Or, Parsed, Term

OF_EUROPE_PMC = re.compile(r"(?<![\w\"])[A-Z][A-Z_]+:(?=[\w\"(\[])")
"""A field as Europe PMC itself writes it: TITLE_ABS:gout."""

OF_SUBJECT = ("all", "title", "abstract", "title_abstract", "heading")
"""Fields whose words say what a work is about."""


def in_pubmed(expression: str) -> Written:
    """For PubMed: an expression that it understands as it was typed; one of Ovid, of several lines or with a fault in
    its own language, repaired. What was repaired, or cannot be said, is told. Raises BadQuery.
    """
    parsed = read(expression)
    repaired = _repaired(parsed)
    if dialect(expression) == "pubmed" and not repaired and "\n" not in expression.strip():
        return Written(expression.strip())
    written = to_pubmed(parsed.node)
    return Written(written.text, (*repaired, *written.notes))


def in_europe_pmc(expression: str) -> Written:
    """For Europe PMC, in its own language; an expression with fields of that goes out as it was typed."""
    if OF_EUROPE_PMC.search(expression):
        return Written(expression.strip())
    parsed = read(expression)
    written = to_europe_pmc(parsed.node)
    return Written(written.text, (*_repaired(parsed), *written.notes))


def in_words(expression: str) -> str:
    """For a service that knows no expressions: the words that have to be there, of alternatives the first.

    What is left out, and what narrows by date, language or type, has no words.
    """
    return " ".join(dict.fromkeys(_words(read(expression).node).split()))


def _repaired(parsed: Parsed) -> list[str]:
    """What was repaired. Filters that no local library can apply are no fault: the services know their own."""
    filters = tuple(leaf.said for leaf in leaves(parsed.node) if isinstance(leaf, Everything) and leaf.said)
    return [note for note in parsed.notes if not (filters and note.startswith(filters))]


def _words(node: Node) -> str:
    match node:
        case Term():
            return re.sub(r"[*?#]", " ", node.words) if node.field in OF_SUBJECT else ""
        case Heading():
            return node.name.replace(",", " ")
        case And() | Near():
            return " ".join(filter(None, map(_words, node.parts)))
        case Or():
            # Half a word finds nothing there: an alternative that is written out comes first.
            whole = sorted(node.parts, key=_is_cut_short)
            return next(filter(None, map(_words, whole)), "")
        case Not():
            return _words(node.kept)
    return ""


def _is_cut_short(node: Node) -> bool:
    return any(isinstance(leaf, Term) and (leaf.truncated or "*" in leaf.words) for leaf in leaves(node))
