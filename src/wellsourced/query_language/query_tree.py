"""What a Boolean query means, whatever language it was written in: its tree, walks over it, the tree in words, and what
has to be told of it.

Every node knows where it began in the query (`at`, in characters, counted from 0), so that a fault can be shown.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias

from wellsourced.errors import BadQuery

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


HAS_ABSTRACT: Final = "hasabstract"
"""PubMed's filter for records with an abstract, which needs no tag."""


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


def children(node: Node) -> tuple[Node, ...]:
    """What a node is made of, in order; () for a leaf."""
    if isinstance(node, And | Or | Near):
        return node.parts
    return (node.kept, node.left_out) if isinstance(node, Not) else ()


def leaves(node: Node) -> Iterator[Node]:
    """The nodes that are made of nothing else, in order, those that are left out too."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        parts = children(one)
        waiting.extend(reversed(parts))
        if not parts:
            yield one


def collect_headings(node: Node) -> tuple[MeshHeading, ...]:
    """The MeSH headings that it names, in order."""
    return tuple(leaf for leaf in leaves(node) if isinstance(leaf, MeshHeading))


def map_leaves(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same query with each leaf as `change` returns it."""
    if isinstance(node, And | Or | Near):
        return node._replace(parts=tuple(map_leaves(part, change) for part in node.parts))
    if isinstance(node, Not):
        return node._replace(kept=map_leaves(node.kept, change), left_out=map_leaves(node.left_out, change))
    return change(node)


def map_headings(node: Node, change: Callable[[MeshHeading], Node]) -> Node:
    """The same query with each MeSH heading as `change` returns it."""
    return map_leaves(node, lambda leaf: change(leaf) if isinstance(leaf, MeshHeading) else leaf)


def combine_nodes(kind: type[And] | type[Or], parts: tuple[Node, ...]) -> Node:
    """One node for several: parts of the same kind are taken in, a single part stands for itself."""
    # "(a and b) and c" is "a and b and c": two ways of writing one thing become one tree.
    flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))
    return flat[0] if len(flat) == 1 else kind(flat, flat[0].at)


def canonical_form(node: Node) -> Node:
    """The query without positions, in small letters, in one form for all ways of writing it: to compare two by."""
    if isinstance(node, And | Or):
        return combine_nodes(type(node), tuple(canonical_form(part) for part in node.parts))
    if isinstance(node, Near):
        return Near(tuple(canonical_form(part) for part in node.parts), node.distance)
    if isinstance(node, Not):
        return Not(canonical_form(node.kept), canonical_form(node.left_out))
    if isinstance(node, QueryTerm):
        return node._replace(words=node.words.casefold(), at=0)
    if isinstance(node, MeshHeading):
        plain = node._replace(name=node.name.casefold(), qualifiers=(), at=0)
        # Several subheadings are alternatives; written out, they equal a query that writes them one by one.
        alternatives = tuple(plain._replace(qualifiers=(name.casefold(),)) for name in node.qualifiers)
        return combine_nodes(Or, alternatives) if alternatives else plain
    return node._replace(at=0)


def tree_depth(node: Node) -> int:
    """How deep the tree is; 1 for a leaf."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        one, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((part, level + 1) for part in children(one))
    return deepest


def list_repairs(parsed: ParsedQuery) -> list[str]:
    """What was repaired in a query."""
    filters = tuple(
        leaf.filter_text for leaf in leaves(parsed.node) if isinstance(leaf, Everything) and leaf.filter_text
    )
    # A filter that no library here can apply is no fault of the query: services know theirs.
    return [note for note in parsed.notes if not (filters and note.startswith(filters))]


FIELD_PHRASES = {
    "all": "anywhere", "title": "in the title", "abstract": "in the abstract",
    "title_abstract": "in title or abstract", "heading": "in a MeSH heading", "type": "as publication type",
    "language": "as language", "author": "as author", "journal": "as journal", "id": "as identifier",
}  # fmt: skip


def render_outline(node: Node) -> Iterator[str]:
    """The lines of the tree: a node, and two spaces further in what it is made of."""
    waiting = [(node, 0, "")]
    while waiting:
        one, level, role = waiting.pop()
        yield "  " * level + role + describe_node(one)
        roles = ("", "without: ") if isinstance(one, Not) else ("",) * len(children(one))
        inner = [(part, level + 1, said) for part, said in zip(children(one), roles, strict=True)]
        waiting.extend(reversed(inner))


def describe_node(node: Node) -> str:
    """One node in words, without those it is made of."""
    match node:
        case QueryTerm():
            limit = "" if node.letters is None else f" (at most {_count_phrase(node.letters, 'letter')} more)"
            return f"“{node.words}{f'…{limit}' if node.truncated else ''}” {FIELD_PHRASES[node.field]}"
        case MeshHeading():
            below = " and all below it" if node.explode else ""
            with_ = f", with {' or '.join(node.qualifiers)}" if node.qualifiers else ""
            return f"MeSH heading {node.name}{below}{with_}{', as a main subject' if node.major else ''}"
        case Qualifier():
            return f"any heading with the subheading {node.name}"
        case DateRange():
            return _describe_dates(node)
        case Near():
            between = f"at most {_count_phrase(node.distance, 'word')} between them"
            return f"these in any order, {between if node.distance else 'next to each other'}"
        case Everything():
            return f"{node.filter_text} (ignored here)" if node.filter_text else "every record"
        case Not():
            return "this"
    return "any of" if isinstance(node, Or) else "all of"


def _describe_dates(node: DateRange) -> str:
    verb = "published" if node.field == "published" else "entered into the database"
    if node.first == node.last:
        return f"{verb} in {node.first}" if node.first else f"{verb} at any time"
    since = f" from {node.first}" if node.first else ""
    return f"{verb}{since}{f' to {node.last}' if node.last else ''}"


def _count_phrase(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


MAX_CHARACTERS: Final = 50_000
MAX_LEVELS: Final = 100
"""Of parentheses, and of operators that take turns: published strategies stay below 20."""

MAX_TERMS: Final = 50_000
"""Terms of a query once the lines that it refers to stand in their place."""

MAX_NOTES: Final = 40


class QueryNotes:
    """Notes on one query, and its refusal."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._positions: dict[str, int] = {}

    def add_note(self, at: int, sentence: str) -> None:
        """Something was repaired, or cannot be held against any record. Without a full stop."""
        # Each thing once, at its first place.
        self._positions.setdefault(sentence, at)

    def list_notes(self) -> tuple[str, ...]:
        """All of them; of very many, the first."""
        ordered = sorted(self._positions.items(), key=lambda note: note[1])
        lines = [f"{sentence}, at character {at + 1}" for sentence, at in ordered[:MAX_NOTES]]
        more = len(ordered) - len(lines)
        return (*lines, f"{more} more notes are not shown") if more else tuple(lines)

    def refuse(self, at: int, reason: str, remedy: str) -> NoReturn:
        """It cannot be read. Raises BadQuery."""
        raise BadQuery(self.query, at, reason, remedy)

    def check_length(self) -> None:
        """Raises BadQuery for what nobody could have written by hand."""
        if len(self.query) > MAX_CHARACTERS:
            reason = f"The query has {len(self.query):,} characters, more than {MAX_CHARACTERS:,}"
            self.refuse(MAX_CHARACTERS, reason, "Split it into several queries.")


WILDCARDS = "?#*"
"""One letter or none, one letter, any number of letters: as Ovid writes them, and as terms keep them."""


def has_wildcard(words: str, signs: str = WILDCARDS) -> bool:
    """Whether a word stands for several."""
    return any(sign in words for sign in signs)


def blank_out(text: str, signs: str = '"[]') -> str:
    """A text with blanks for some characters, and single blanks between its words."""
    return " ".join(text.translate(dict.fromkeys(map(ord, signs), " ")).split())


STRAIGHT_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " "),
        **dict.fromkeys("“”„‟«»＂", '"'),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict(zip("（）［］", "()[]", strict=True)),
    }
)
"""Typographic characters and what they mean, one for one: every place in the query stays where it was."""


def straighten_typography(query: str) -> str:
    """The query with straight quotation marks, hyphens and brackets."""
    return query.translate(STRAIGHT_CHARACTERS)
