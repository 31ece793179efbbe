"""Boolean queries of PubMed and Ovid → one tree → PubMed's and Europe PMC's syntax. No I/O; what a library does with
a tree belongs to sources.library."""

from wellsourced.query_language.ovid_strategy import parse_ovid
from wellsourced.query_language.pubmed_parser import parse_pubmed
from wellsourced.query_language.query_parser import Dialect, detect_dialect, parse_query
from wellsourced.query_language.query_tree import (
    canonical_form,
    collect_headings,
    leaves,
    list_repairs,
    render_outline,
)
from wellsourced.query_language.query_writers import TranslatedQuery, write_europe_pmc_query, write_pubmed_query

__all__ = [
    "Dialect", "TranslatedQuery", "canonical_form", "collect_headings", "detect_dialect",
    "leaves", "list_repairs", "parse_ovid", "parse_pubmed", "parse_query", "render_outline",
    "write_europe_pmc_query", "write_pubmed_query",
]  # fmt: skip
