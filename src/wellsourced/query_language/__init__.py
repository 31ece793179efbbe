"""PubMed's query language, and Ovid's: read, written, and known by what they mean (`tree`). No I/O.

`read` takes a query in either language; `write_pubmed_query` and `write_europe_pmc_query` write one. A query that
cannot be read is
refused with the place of the fault (BadQuery); what could be repaired is told in the notes of what was `Parsed`.
"""

from wellsourced.query_language.europe_pmc import write_europe_pmc_query
from wellsourced.query_language.outline import render_outline
from wellsourced.query_language.ovid import parse_ovid
from wellsourced.query_language.pubmed import parse_pubmed
from wellsourced.query_language.strategies import Dialect, detect_dialect, parse_query
from wellsourced.query_language.walking import (
    canonical_form,
    collect_headings,
    collect_terms,
    drop_filters,
    leaves,
    replace_headings,
)
from wellsourced.query_language.writing import TranslatedQuery, write_pubmed_query

__all__ = [
    "Dialect",
    "TranslatedQuery",
    "canonical_form",
    "collect_headings",
    "collect_terms",
    "detect_dialect",
    "drop_filters",
    "leaves",
    "parse_ovid",
    "parse_pubmed",
    "parse_query",
    "render_outline",
    "replace_headings",
    "write_europe_pmc_query",
    "write_pubmed_query",
]
