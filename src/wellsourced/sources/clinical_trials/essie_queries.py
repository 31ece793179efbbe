"""A query in Essie, the language of ClinicalTrials.gov.

https://clinicaltrials.gov/find-studies/constructing-complex-search-queries
"""

import re

from wellsourced.query_language import parse_query
from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    QueryTerm,
)
from wellsourced.query_language.query_writers import TranslatedQuery
from wellsourced.sources.clinical_trials.trial_records import SERVICE
from wellsourced.types import Query


def build_date_filter(query: Query) -> str:
    """The dates of the query, as those on which a trial was first posted; "" for none."""
    if query.since is None and query.as_of is None:
        return ""
    # Of a trial of which the month alone is known, that is its first day.
    since = query.since.replace(day=1) if query.since else "MIN"
    return f"AREA[StudyFirstPostDate]RANGE[{since},{query.as_of or 'MAX'}]"


def translate_for_clinical_trials(expression: str) -> TranslatedQuery:
    """A Boolean expression of PubMed or Ovid in Essie; one with areas of Essie goes out as it was typed."""
    # Somebody who writes areas knows Essie: reading it as PubMed's language would take it apart.
    if "AREA[" in expression or "SEARCH[" in expression:
        return TranslatedQuery(expression.strip())
    notes: dict[str, None] = {}
    text = _write_node(parse_query(expression).node, notes, whole=True)
    return TranslatedQuery(text, tuple(notes))


def _write_node(node: Node, notes: dict[str, None], whole: bool = False) -> str:
    """One node in Essie; "" for what it cannot be asked for."""
    match node:
        case QueryTerm():
            return _write_term(node, notes)
        case MeshHeading():
            return f'"{_clean_words(node.name)}"'
        case DateRange():
            first, last = (day.replace("/", "-") for day in (node.first, node.last))
            return f"AREA[StudyFirstPostDate]RANGE[{first or 'MIN'},{last or 'MAX'}]"
        # The operator AND is written even where nothing is kept: Essie reads a bare NOT so.
        case Not():
            kept, left_out = _write_node(node.kept, notes), _write_node(node.left_out, notes)
            parts = [kept] if kept else []
            parts += [f"NOT {left_out}"] if left_out else []
            operator = " AND "
        case And() | Or() | Near():
            parts = [text for part in node.parts if (text := _write_node(part, notes))]
            operator = " OR " if isinstance(node, Or) else " AND "
            if isinstance(node, Near):
                notes[f"{SERVICE} measures no distances between words; AND was written"] = None
        case _:
            # A filter that is left out makes the search wider, which its reader has to know.
            if not isinstance(node, Everything) or node.filter_text:
                notes[f"{SERVICE} cannot be asked for a part of the query that is a filter; it was left out"] = None
            return "" if not isinstance(node, Everything) or node.filter_text else "ALL"
    return f"({operator.join(parts)})" if len(parts) > 1 and not whole else operator.join(parts)


def _write_term(node: QueryTerm, notes: dict[str, None]) -> str:
    if node.field in ("type", "language", "author", "journal"):
        notes[f"{SERVICE} has no field for {node.field}; “{node.words}” was left out"] = None
        return ""
    if node.truncated or re.search(r"[*?#]", node.words):
        notes[f"{SERVICE} has no wildcards; “{node.words}” was asked for as a word"] = None
    words = _clean_words(node.words)
    prefix = "AREA[BriefTitle]" if node.field == "title" else ""
    return f'{prefix}"{words}"' if words else ""


def _clean_words(words: str) -> str:
    return " ".join(re.sub(r'["\\*?#\[\]]', " ", words).split())
