"""A line of an Ovid strategy as it is written, before it is known in which fields its words have to stand."""

from typing import Literal, NamedTuple, TypeAlias

from wellsourced.query_language.tree import Node


class OvidWords(NamedTuple):
    """Words as they stand, a phrase where they are several, before it is known in which fields."""

    text: str
    at: int


class ResolvedOperand(NamedTuple):
    """What needs no field: a heading, what another line asks for."""

    node: Node
    at: int


class FieldedOperand(NamedTuple):
    """All words inside that have no field of their own are asked for in these."""

    inner: "OvidSyntax"
    codes: tuple[str, ...]
    at: int


class AdjacentOperands(NamedTuple):
    """Next to each other in this order (`distance` None), or at most so many words apart in any order."""

    parts: tuple["OvidSyntax", ...]
    distance: int | None
    at: int


class OperandGroup(NamedTuple):
    """Parts with the same operator between them; of NOT there are two."""

    operator: Literal["and", "or", "not"]
    parts: tuple["OvidSyntax", ...]
    at: int


OvidSyntax: TypeAlias = OvidWords | ResolvedOperand | FieldedOperand | AdjacentOperands | OperandGroup
