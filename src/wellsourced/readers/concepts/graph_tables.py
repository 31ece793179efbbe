"""Graphs as two tables of JSON lines: NAME.nodes.jsonl and NAME.edges.jsonl, packed or not.

A node is {"id", "label", "synonyms", "definition", "xrefs" or "exact_xrefs"}, an edge {"subject", "predicate",
"object", "object_label"}; only ids, label and the three ends are needed. An object without an id is its own label.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from wellsourced.readers.base import File, InvalidRecord, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import (
    canonical_id,
    collapse_whitespace,
    is_concept_id,
    read_lines,
    truncated_file_error,
    unreadable_line,
)
from wellsourced.readers.concepts.obo import VOCABULARY_NAMES

PREDICATE_NAMES = {"subclass_of": "is_a", "subClassOf": "is_a", "isa": "is_a"}


def read_nodes(path: File) -> rows.GraphRows:
    """The concepts of a graph, with their names and what they are called elsewhere."""
    return _read_rows(path, _node_rows)


def read_edges(path: File) -> rows.GraphRows:
    """The relations of a graph; their ends are named where the table names them."""
    return _read_rows(path, _edge_rows)


def _read_rows(path: File, build_rows: Callable[[dict[str, Any], str], Iterator[rows.GraphRow]]) -> rows.GraphRows:
    stem = path.name.split(".")[0]
    vocabulary = VOCABULARY_NAMES.get(stem.lower(), stem)
    yield rows.Vocabulary(vocabulary)
    for number, line in read_lines(path):
        if isinstance(line, UnreadablePart):
            yield line
        elif line.strip():
            try:
                built = list(build_rows(_parse_object(line), vocabulary))
            except InvalidRecord as fault:
                # A last line that is cut shows that the file is: what it lacks cannot be told line by line.
                if not line.endswith("\n") and "JSON" in str(fault):
                    raise truncated_file_error(path, number) from fault
                yield unreadable_line(number, str(fault))
            else:
                yield from built


def _parse_object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InvalidRecord(f"it is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise InvalidRecord("it is not a JSON object")
    return row


def _node_rows(row: dict[str, Any], vocabulary: str) -> Iterator[rows.GraphRow]:
    id, label = canonical_id(_get_string(row, "id")), _get_string(row, "label")
    yield rows.Concept(id, label)
    yield from (rows.ConceptName(id, synonym) for synonym in _get_strings(row, "synonyms") if synonym != label)
    if definition := _get_string(row, "definition", needed=False):
        yield rows.Definition(id, definition, vocabulary)
    for other in dict.fromkeys((*_get_strings(row, "xrefs"), *_get_strings(row, "exact_xrefs"))):
        yield rows.CrossReference(id, canonical_id(other))


def _edge_rows(row: dict[str, Any], vocabulary: str) -> Iterator[rows.GraphRow]:
    subject, predicate, object = (_get_string(row, key) for key in ("subject", "predicate", "object"))
    label = _get_string(row, "object_label", needed=False)
    other = canonical_id(object) if is_concept_id(object) else f"{vocabulary}:{object}"
    # An end without an id is known by its words alone, and two edges that name it so mean the same.
    if label or not is_concept_id(object):
        yield rows.Concept(other, label or object, mentioned=True)
    predicate = PREDICATE_NAMES.get(predicate, predicate.replace(" ", "_"))
    yield rows.Relation(canonical_id(subject), predicate, other, vocabulary)


def _get_string(row: dict[str, Any], key: str, *, needed: bool = True) -> str:
    value = row.get(key) or ""
    if not isinstance(value, str):
        raise InvalidRecord(f"its {key} is not a string")
    if needed and not value.strip():
        raise InvalidRecord(f"it has no {key}")
    return collapse_whitespace(value)


def _get_strings(row: dict[str, Any], key: str) -> list[str]:
    values = row.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InvalidRecord(f"its {key} are not a list of strings")
    return [collapse_whitespace(value) for value in values if value.strip()]
