"""The seam to everything that turns files of terms into rows of a graph: concepts, their names, what is said of them.

A reader begins with the Vocabulary that its file belongs to. Then it yields rows, in the order of the file, and a
UnreadablePart for each part that it cannot read. Ids are written as `canonical_id` writes them, whoever gives them.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.decompressed_file import iter_lines

Scope = Literal["preferred", "exact", "abbreviation", "brand", "related", "narrow", "broad"]
"""How a name relates to its concept; only the first four mean the same thing."""

DEFINITION = "definition"
"""The aspect of a Definition that says what the concept is; others are named as they are printed ("indication")."""


class Vocabulary(NamedTuple):
    """Whose file it is.

    released   ISO 8601, as precise as the file says; "" when it does not
    closed     rows count only for concepts that another file of the vocabulary has named before, and relations only
               between two of different names
    """

    name: str
    released: str = ""
    closed: bool = False


class Concept(NamedTuple):
    """Something that has a name.

    id          "HP:0001250", "umls:C0004096", "DB00945"
    mentioned   it is only the end of somebody's relation, and may be described elsewhere
    """

    id: str
    name: str
    mentioned: bool = False


class ConceptName(NamedTuple):
    """Another name of a concept."""

    concept: str
    text: str
    scope: Scope = "exact"


class Definition(NamedTuple):
    """What a source says of a concept, in one line of its own words.

    source      who says so: "NCI"
    aspect      "definition", "indication", "absorption"
    reference   what that rests on: "PMID:15816939"
    """

    concept: str
    text: str
    source: str
    aspect: str = DEFINITION
    reference: str = ""


class SemanticType(NamedTuple):
    """What sort of thing a concept is: "Disease or Syndrome"."""

    concept: str
    name: str


class Relation(NamedTuple):
    """Subject, predicate, object: read aloud, a sentence.

    predicate   "has_symptom", "is_a"
    source      who says so: "DO"
    reference   what that rests on: "PMID:31675180"; "" when it is not given
    detail      what else is said: "seen in 1/2", or a sentence that ends with a full stop
    """

    subject: str
    predicate: str
    object: str
    source: str
    reference: str = ""
    detail: str = ""


class CrossReference(NamedTuple):
    """The same thing in another vocabulary."""

    concept: str
    other: str


class Redirect(NamedTuple):
    """An id that is no longer used, and the one that stands for it."""

    id: str
    to: str


class SkippedRows(NamedTuple):
    """So many rows that can be read and say nothing that the graph keeps, and why."""

    reason: str
    rows: int


GraphRow = (
    Vocabulary | Concept | ConceptName | Definition | SemanticType | Relation | CrossReference | Redirect | SkippedRows
)
GraphRows = Iterator[GraphRow | UnreadablePart]


ConceptReader = Callable[[File], GraphRows]
"""Reads one file, lazily and in constant memory; the same file gives the same rows in the same order.

Raises UnreadableFile where a file breaks off or cannot be read on; what it gave before is whole.
"""

PREFIXES = {
    "umls": "umls umls_cui umlscui cui",
    "MESH": "mesh msh",
    "OMIM": "omim mim omimps mimps",
    "ORPHA": "orpha orphanet ordo",
    "NCIT": "ncit nci ncithesaurus",
    "SNOMEDCT": "snomedct snomedct_us snomed_ct sctid snomed",
    "MEDDRA": "meddra mdr",
    "DOID": "doid",
    "MONDO": "mondo",
    "HP": "hp hpo",
    "DRUGBANK": "drugbank",
    "RXCUI": "rxcui rxnorm",
    "PMID": "pmid pubmed",
}
"""Prefix → the spellings that vocabularies use for it; releases of SNOMED CT are dated: SNOMEDCT_US_2025_09_01."""

_PREFIX_BY_SPELLING = {spelling: prefix for prefix, spellings in PREFIXES.items() for spelling in spellings.split()}
_RELEASE_DATE = re.compile(r"(_[0-9]{4})?(_[0-9]{2}){2}$")


def canonical_id(id: str) -> str:
    """An id with its prefix in one spelling: "UMLS_CUI:C0004096" → "umls:C0004096"; DrugBank's own have none."""
    prefix, colon, rest = id.strip().partition(":")
    if not colon:
        return prefix
    known = _canonical_prefix(prefix)
    return rest if known == "DRUGBANK" else f"{known}:{rest}"


@lru_cache(maxsize=1024)
def _canonical_prefix(prefix: str) -> str:
    return _PREFIX_BY_SPELLING.get(_RELEASE_DATE.sub("", prefix.lower()), prefix)


def is_concept_id(text: str) -> bool:
    """Whether this is "PREFIX:accession", and not the words of a label."""
    return re.fullmatch(r"[A-Za-z][\w.]*:\S+", text) is not None


def collapse_whitespace(text: str) -> str:
    """The words of a text without line breaks, NULs and doubled spaces."""
    return " ".join(text.replace("\x00", "").split())


def read_lines(path: File) -> Iterator[tuple[int, str | UnreadablePart]]:
    """(number from 1, line with its end) of every line that is not blank; an UnreadablePart for one that is not UTF-8.

    Raises UnreadableFile for what cannot be opened, a damaged archive and a line of more than 64 MB.
    """
    for number, line in iter_lines(path):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            reason = f"it is not UTF-8 text: invalid byte at column {error.start + 1}"
            yield number, unreadable_line(number, reason)


def read_columns(
    path: File, columns: int, between: str = "\t"
) -> Iterator[tuple[int, list[str]] | tuple[int, UnreadablePart]]:
    """(number from 1, cells) of the lines of a table, without remarks ("#").

    Raises UnreadableFile where it ends within a line.
    """
    for number, line in read_lines(path):
        if isinstance(line, UnreadablePart):
            yield number, line
        elif not line.startswith("#"):
            cells = line.rstrip("\r\n").split(between)
            # RRF ends every column with a bar.
            is_closed = between != "|" or not cells.pop()
            if len(cells) == columns and is_closed and cells[0]:
                yield number, cells
            elif not line.endswith("\n"):
                raise truncated_file_error(path, number)
            elif len(cells) != columns:
                yield number, unreadable_line(number, f"it has {len(cells)} columns; the table has {columns}")
            else:
                yield number, unreadable_line(number, "it has no concept, or does not end with a bar")


def unreadable_line(number: int, reason: str) -> UnreadablePart:
    """A line that cannot be read."""
    return UnreadablePart(f"line {number}", reason, "Fix the line and add the file again.")


def truncated_file_error(path: File, number: int) -> UnreadableFile:
    """A file that ends within a line."""
    remedy = "Download or unpack it again, then add it again."
    return UnreadableFile(str(path), f"it ends in the middle of line {number}", remedy)
