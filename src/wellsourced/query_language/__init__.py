"""Boolean queries of PubMed and Ovid → one tree → PubMed's and Europe PMC's syntax. No I/O; what a library does with
a tree belongs to sources.library."""

from typing import TYPE_CHECKING

from wellsourced.lazy import import_lazily

# Few questions hold a query: the parsers are imported for those that do.
if TYPE_CHECKING:
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

__getattr__ = import_lazily(
    __name__,
    {
        "wellsourced.query_language.ovid_strategy": ("parse_ovid",),
        "wellsourced.query_language.pubmed_parser": ("parse_pubmed",),
        "wellsourced.query_language.query_parser": ("Dialect", "detect_dialect", "parse_query"),
        "wellsourced.query_language.query_tree": (
            "canonical_form",
            "collect_headings",
            "leaves",
            "list_repairs",
            "render_outline",
        ),
        "wellsourced.query_language.query_writers": (
            "TranslatedQuery",
            "write_europe_pmc_query",
            "write_pubmed_query",
        ),
    },
)
