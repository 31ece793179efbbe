"""Graphs as two tables of JSON lines: NAME.nodes.jsonl and NAME.edges.jsonl, packed or not.

A node is {"id", "label", "synonyms", "definition", "xrefs" or "exact_xrefs"}, an edge {"subject", "predicate",
"object", "object_label"}; only ids, label and the three ends are needed. An object without an id is its own label.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from wellsourced.readers.base import Faulty, File
from wellsourced.readers.concepts.base import (
    Concept,
    CrossReference,
    Definition,
    Name,
    Relation,
    Row,
    Rows,
    Vocabulary,
    canonical,
    cut_off,
    faulty,
    is_id,
    lines,
    one_line,
)
from wellsourced.readers.concepts.obo import CALLED

PREDICATES = {"subclass_of": "is_a", "subClassOf": "is_a", "isa": "is_a"}


class Unfit(ValueError):
    """What is wrong with a line."""


def read_nodes(path: File) -> Rows:
    """The concepts of a graph, with their names and what they are called elsewhere."""
    return _rows(path, _node)


def read_edges(path: File) -> Rows:
    """The relations of a graph; their ends are named where the table names them."""
    return _rows(path, _edge)


def _rows(path: File, rows_of: Callable[[dict[str, Any], str], Iterator[Row]]) -> Rows:
    stem = path.name.split(".")[0]
    vocabulary = CALLED.get(stem.lower(), stem)
    yield Vocabulary(vocabulary)
    for number, line in lines(path):
        if isinstance(line, Faulty):
            yield line
        elif line.strip():
            try:
                rows = list(rows_of(_object(line), vocabulary))
            except Unfit as fault:
                if not line.endswith("\n") and "JSON" in str(fault):
                    raise cut_off(path, number) from fault
                yield faulty(number, str(fault))
            else:
                yield from rows


def _object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Unfit(f"it is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise Unfit("it is not a JSON object")
    return row


def _node(row: dict[str, Any], vocabulary: str) -> Iterator[Row]:
    id, label = canonical(_string(row, "id")), _string(row, "label")
    yield Concept(id, label)
    yield from (Name(id, synonym) for synonym in _strings(row, "synonyms") if synonym != label)
    if definition := _string(row, "definition", needed=False):
        yield Definition(id, definition, vocabulary)
    for other in dict.fromkeys((*_strings(row, "xrefs"), *_strings(row, "exact_xrefs"))):
        yield CrossReference(id, canonical(other))


def _edge(row: dict[str, Any], vocabulary: str) -> Iterator[Row]:
    subject, predicate, object = (_string(row, key) for key in ("subject", "predicate", "object"))
    label = _string(row, "object_label", needed=False)
    other = canonical(object) if is_id(object) else f"{vocabulary}:{object}"
    if label or not is_id(object):
        yield Concept(other, label or object, mentioned=True)
    yield Relation(canonical(subject), PREDICATES.get(predicate, predicate.replace(" ", "_")), other, vocabulary)


def _string(row: dict[str, Any], key: str, *, needed: bool = True) -> str:
    value = row.get(key) or ""
    if not isinstance(value, str):
        raise Unfit(f"its {key} is not a string")
    if needed and not value.strip():
        raise Unfit(f"it has no {key}")
    return one_line(value)


def _strings(row: dict[str, Any], key: str) -> list[str]:
    values = row.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise Unfit(f"its {key} are not a list of strings")
    return [one_line(value) for value in values if value.strip()]
