"""What a Boolean query means, whatever language it was written in.

Every node knows where it began in the query (`at`, in characters, counted from 0), so that a fault can be shown.
"""

from typing import Literal, NamedTuple, TypeAlias

SearchField = Literal[
    "all", "title", "abstract", "title_abstract", "heading", "type", "language", "author", "journal", "id"
]
"""Where a word has to stand. "all" is anywhere in the record; "heading" among the words of MeSH headings."""

SUBJECT_FIELDS: tuple[SearchField, ...] = ("all", "title", "abstract", "title_abstract", "heading")
"""Fields whose words say what a work is about."""


class QueryTerm(NamedTuple):
    """A word, or words that stand next to each other.

    words       within them "*" stands for any letters, "#" for one, "?" for one or none: "wom#n", "h?emorrhage",
                "brain* tumor"; an asterisk at the very end is `truncated` instead
    truncated   any word that begins so, of a phrase its last one; `letters` more at most, None: any number
    """

    words: str
    field: SearchField = "all"
    truncated: bool = False
    letters: int | None = None
    at: int = 0


class MeshHeading(NamedTuple):
    """A MeSH heading.

    explode      and all that stand below it
    major        as a main subject of the work
    qualifiers   its subheadings: "drug therapy"; () for any
    """

    name: str
    explode: bool = True
    major: bool = False
    qualifiers: tuple[str, ...] = ()
    at: int = 0


class Qualifier(NamedTuple):
    """A subheading under whatever heading: "drug therapy"[sh], drug therapy.fs."""

    name: str
    at: int = 0


class DateRange(NamedTuple):
    """A period, both ends included, as precise as they were written: "2010", "2010/05"; "" for an open end."""

    first: str
    last: str
    field: Literal["published", "entered"] = "published"
    at: int = 0


class Near(NamedTuple):
    """Terms that stand within so many words of each other, in any order.

    distance   words that may stand between two of them, at most
    """

    parts: tuple["Node", ...]
    distance: int
    at: int = 0


class And(NamedTuple):
    """All of them."""

    parts: tuple["Node", ...]
    at: int = 0


class Or(NamedTuple):
    """Any of them."""

    parts: tuple["Node", ...]
    at: int = 0


class Not(NamedTuple):
    """What is `kept`, without what is `left_out`: both languages know no other negation."""

    kept: "Node"
    left_out: "Node"
    at: int = 0


class Everything(NamedTuple):
    """Nothing in particular: no condition, or a filter (`filter_text`) that is not known of records here."""

    filter_text: str = ""
    at: int = 0


Node: TypeAlias = QueryTerm | MeshHeading | Qualifier | DateRange | Near | And | Or | Not | Everything


class ParsedQuery(NamedTuple):
    """A query as it was understood.

    notes   what was repaired or could not be held against any record, a sentence each, with the position of the fault
    """

    node: Node
    notes: tuple[str, ...] = ()
