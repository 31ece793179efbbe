"""Small walks over the tree of a query: its leaves, its headings, its meaning without positions."""

from collections.abc import Iterator, Mapping

from wellsourced.query_language.tree import And, Everything, Heading, Near, Node, Not, Or, Term


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


def headings(node: Node) -> tuple[Heading, ...]:
    """The MeSH headings that it names, in order."""
    return tuple(leaf for leaf in leaves(node) if isinstance(leaf, Heading))


def terms(node: Node) -> tuple[Term, ...]:
    """The words that are asked for, in order, without those that are left out."""
    found: list[Term] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Term):
            found.append(one)
        waiting.extend(reversed(children(one)[:1] if isinstance(one, Not) else children(one)))
    return tuple(found)


def with_headings(node: Node, replace: Mapping[str, Node]) -> Node:
    """The same query in which other nodes stand for some headings, known by their names in whatever case."""
    wanted = {name.casefold(): other for name, other in replace.items()}
    return _replaced(node, wanted)


def _replaced(node: Node, wanted: Mapping[str, Node]) -> Node:
    if isinstance(node, Heading):
        return wanted.get(node.name.casefold(), node)
    if isinstance(node, And | Or | Near):
        return node._replace(parts=tuple(_replaced(part, wanted) for part in node.parts))
    if isinstance(node, Not):
        return node._replace(kept=_replaced(node.kept, wanted), left_out=_replaced(node.left_out, wanted))
    return node


def without_filters(node: Node) -> Node:
    """The same query without the filters that cannot be held against a record; Everything where nothing else is asked.

    A filter that is not known narrows nothing, and must not leave out everything when it stands behind NOT.
    """
    return _known(node) or Everything(at=node.at)


def _known(node: Node) -> Node | None:
    if isinstance(node, Everything) and node.said:
        return None
    if isinstance(node, Not):
        kept, left_out = _known(node.kept) or Everything(at=node.at), _known(node.left_out)
        return Not(kept, left_out, node.at) if left_out else kept
    if isinstance(node, And | Or):
        known = tuple(part for part in map(_known, node.parts) if part)
        return joined(type(node), known) if known else None
    return node


def joined(kind: type[And] | type[Or], parts: tuple[Node, ...]) -> Node:
    """One node for several: parts of the same kind are taken in, a single part stands for itself."""
    flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,)))
    return flat[0] if len(flat) == 1 else kind(flat, flat[0].at)


def meaning(node: Node) -> Node:
    """The query without positions, in small letters, in one form for all ways of writing it: to compare two by."""
    if isinstance(node, And | Or):
        return joined(type(node), tuple(meaning(part) for part in node.parts))
    if isinstance(node, Near):
        return Near(tuple(meaning(part) for part in node.parts), node.distance)
    if isinstance(node, Not):
        return Not(meaning(node.kept), meaning(node.left_out))
    if isinstance(node, Term):
        return node._replace(words=node.words.casefold(), at=0)
    if isinstance(node, Heading):
        return _one_qualifier_each(node)
    return node._replace(at=0)


def _one_qualifier_each(node: Heading) -> Node:
    plain = node._replace(name=node.name.casefold(), qualifiers=(), at=0)
    if not node.qualifiers:
        return plain
    return joined(Or, tuple(plain._replace(qualifiers=(name.casefold(),)) for name in node.qualifiers))


def levels(node: Node) -> int:
    """How deep the tree is; 1 for a leaf."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        one, level = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((part, level + 1) for part in children(one))
    return deepest
