"""What a live source is asked where the query is a Boolean expression in PubMed's language, or in Ovid's."""

import re

from wellsourced.query_language import (
    TranslatedQuery,
    detect_dialect,
    leaves,
    list_repairs,
    parse_query,
    write_europe_pmc_query,
    write_pubmed_query,
)
from wellsourced.query_language.query_tree import (
    SUBJECT_FIELDS,
    And,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    QueryTerm,
)

EUROPE_PMC_FIELD = re.compile(r"(?<![\w\"])[A-Z][A-Z_]+:(?=[\w\"(\[])")
"""A field as Europe PMC itself writes it: TITLE_ABS:gout."""


def translate_for_pubmed(expression: str) -> TranslatedQuery:
    """For PubMed: an expression that it understands as it was typed; one of Ovid, of several lines or with a fault in
    its own language, repaired. What was repaired, or cannot be said, is told. Raises BadQuery.
    """
    parsed = parse_query(expression)
    repaired = list_repairs(parsed)
    # PubMed reads its own language best: what it understands as it stands is not rewritten by us.
    if detect_dialect(expression) == "pubmed" and not repaired and "\n" not in expression.strip():
        return TranslatedQuery(expression.strip())
    written = write_pubmed_query(parsed.node)
    return TranslatedQuery(written.text, (*repaired, *written.notes))


def translate_for_europe_pmc(expression: str) -> TranslatedQuery:
    """For Europe PMC, in its own language; an expression with fields of that goes out as it was typed."""
    if EUROPE_PMC_FIELD.search(expression):
        return TranslatedQuery(expression.strip())
    parsed = parse_query(expression)
    written = write_europe_pmc_query(parsed.node)
    return TranslatedQuery(written.text, (*list_repairs(parsed), *written.notes))


def required_words(expression: str) -> str:
    """For a service that knows no expressions: the words that have to be there, of alternatives the first.

    What is left out, and what narrows by date, language or type, has no words.
    """
    return " ".join(dict.fromkeys(_node_words(parse_query(expression).node).split()))


def _node_words(node: Node) -> str:
    match node:
        case QueryTerm():
            return re.sub(r"[*?#]", " ", node.words) if node.field in SUBJECT_FIELDS else ""
        case MeshHeading():
            return node.name.replace(",", " ")
        case And() | Near():
            return " ".join(filter(None, map(_node_words, node.parts)))
        case Or():
            # Half a word finds nothing there: an alternative that is written out comes first.
            whole = sorted(node.parts, key=_has_truncated_word)
            return next(filter(None, map(_node_words, whole)), "")
        case Not():
            return _node_words(node.kept)
    return ""


def _has_truncated_word(node: Node) -> bool:
    return any(isinstance(leaf, QueryTerm) and (leaf.truncated or "*" in leaf.words) for leaf in leaves(node))
