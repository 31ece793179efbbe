"""Small walks over the tree of a query: its leaves, its headings, its meaning without positions."""

from collections.abc import Callable, Iterator, Mapping

from wellsourced.query_language.query_tree import (
    And,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    ParsedQuery,
    QueryTerm,
)


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


def collect_terms(node: Node) -> tuple[QueryTerm, ...]:
    """The words that are asked for, in order, without those that are left out."""
    found: list[QueryTerm] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, QueryTerm):
            found.append(one)
        waiting.extend(reversed(children(one)[:1] if isinstance(one, Not) else children(one)))
    return tuple(found)


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


def replace_headings(node: Node, replace: Mapping[str, Node]) -> Node:
    """The same query in which other nodes stand for some headings, known by their names in whatever case."""
    wanted = {name.casefold(): other for name, other in replace.items()}
    return map_headings(node, lambda heading: wanted.get(heading.name.casefold(), heading))


def drop_filters(node: Node) -> Node:
    """The same query without the filters that cannot be held against a record; Everything where nothing else is asked.

    A filter that is not known narrows nothing, and must not leave out everything when it stands behind NOT.
    """
    return _drop_filters_in(node) or Everything(at=node.at)


def _drop_filters_in(node: Node) -> Node | None:
    if isinstance(node, Everything) and node.filter_text:
        return None
    if isinstance(node, Not):
        kept, left_out = _drop_filters_in(node.kept) or Everything(at=node.at), _drop_filters_in(node.left_out)
        return Not(kept, left_out, node.at) if left_out else kept
    if isinstance(node, And | Or):
        known = tuple(part for part in map(_drop_filters_in, node.parts) if part)
        return combine_nodes(type(node), known) if known else None
    return node


def combine_nodes(kind: type[And] | type[Or], parts: tuple[Node, ...]) -> Node:
    """One node for several: parts of the same kind are taken in, a single part stands for itself."""
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
        return _split_qualifiers(node)
    return node._replace(at=0)


def _split_qualifiers(node: MeshHeading) -> Node:
    plain = node._replace(name=node.name.casefold(), qualifiers=(), at=0)
    if not node.qualifiers:
        return plain
    return combine_nodes(Or, tuple(plain._replace(qualifiers=(name.casefold(),)) for name in node.qualifiers))


def tree_depth(node: Node) -> int:
    """How deep the tree is; 1 for a leaf."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        one, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((part, level + 1) for part in children(one))
    return deepest


def list_repairs(parsed: ParsedQuery) -> list[str]:
    """What was repaired in a query; a filter that no local library can apply is no fault: services know theirs."""
    filters = tuple(
        leaf.filter_text for leaf in leaves(parsed.node) if isinstance(leaf, Everything) and leaf.filter_text
    )
    return [note for note in parsed.notes if not (filters and note.startswith(filters))]
