"""PubMed's query language, and Ovid's: read, written, and known by what they mean (`tree`). No I/O.

`read` takes a query in either language; `to_pubmed` and `to_europe_pmc` write one. A query that cannot be read is
refused with the place of the fault (BadQuery); what could be repaired is told in the notes of what was `Parsed`.
"""

from wellsourced.query_language.europe_pmc import to_europe_pmc
from wellsourced.query_language.outline import outline
from wellsourced.query_language.ovid import read_ovid
from wellsourced.query_language.pubmed import read_pubmed
from wellsourced.query_language.strategies import Dialect, dialect, read
from wellsourced.query_language.walking import headings, leaves, meaning, terms, with_headings, without_filters
from wellsourced.query_language.writing import Written, to_pubmed

__all__ = [
    "Dialect",
    "Written",
    "dialect",
    "headings",
    "leaves",
    "meaning",
    "outline",
    "read",
    "read_ovid",
    "read_pubmed",
    "terms",
    "to_europe_pmc",
    "to_pubmed",
    "with_headings",
    "without_filters",
]
