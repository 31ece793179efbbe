"""Boolean queries of PubMed and Ovid → one tree → PubMed's and Europe PMC's syntax. No I/O; what a library does with
a tree belongs to sources.library."""

from wellsourced.query_language.europe_pmc_writer import write_europe_pmc_query
from wellsourced.query_language.ovid.strategy import parse_ovid
from wellsourced.query_language.pubmed.parser import parse_pubmed
from wellsourced.query_language.pubmed.writer import TranslatedQuery, write_pubmed_query
from wellsourced.query_language.query_parser import Dialect, detect_dialect, parse_query
from wellsourced.query_language.traversal import (
    canonical_form,
    collect_headings,
    collect_terms,
    drop_filters,
    leaves,
    list_repairs,
    replace_headings,
)
from wellsourced.query_language.tree_outline import render_outline

__all__ = [
    "Dialect",
    "TranslatedQuery",
    "canonical_form",
    "collect_headings",
    "collect_terms",
    "detect_dialect",
    "drop_filters",
    "leaves",
    "list_repairs",
    "parse_ovid",
    "parse_pubmed",
    "parse_query",
    "render_outline",
    "replace_headings",
    "write_europe_pmc_query",
    "write_pubmed_query",
]
