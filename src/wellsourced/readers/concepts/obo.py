"""Ontologies in the OBO flat file format 1.2 and 1.4: DO, HPO, Mondo and their kin.

One stanza is one term. A stanza with a tag that cannot be read is left out whole: half a term would be a wrong one.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

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
from wellsourced.readers.document_builder import parse_iso_date
from wellsourced.readers.json_records import parse_json

VOCABULARY_NAMES = {"doid": "DO", "do": "DO", "hp": "HPO", "hpo": "HPO", "mondo": "Mondo"}
"""How people call the vocabularies that files call otherwise."""

SYNONYM_SCOPES: dict[str, rows.Scope] = {"EXACT": "exact", "RELATED": "related", "NARROW": "narrow", "BROAD": "broad"}
ABBREVIATION_TYPES = {"OMO:0003012", "OMO:0003000", "abbreviation", "acronym"}
UNUSED_SYNONYM_TYPES = {"obsolete_synonym", "OMO:0003005", "allelic_requirement", "HP:0034334"}
"""Types of synonyms: what abbreviates, and what nobody would say for the term."""

PREDICATE_LABELS = {"BFO:0000050": "part_of", "BFO:0000051": "has_part", "RO:0002200": "has_phenotype"}
PREDICATE_LABELS |= {"RO:0002452": "has_symptom", "RO:0004029": "disease_has_feature"}
PREDICATE_LABELS |= {"RO:0004026": "disease_has_location"}
"""Relations of the OBO Relation Ontology that files name by number."""

_QUOTED_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)', re.DOTALL)
_SYNONYM = re.compile(r"(?P<scope>[A-Z]+)?\s*(?P<type>[^\s\[]+)?\s*\[")
_REFERENCES = re.compile(r"\[(.*)\]")
_PUBMED = re.compile(r"(?:PMID:\s*|pubmed(?:\.ncbi\.nlm\.nih\.gov)?/|/pubmed/)(\d{1,8})", re.IGNORECASE)
_REMARK = re.compile(r"\s+!\s.*$|\s*\{[^{}]*\}\s*$")
_REMARK_ON_WORDS = re.compile(r"\s+!(?:\s.*)?$|\s*(?<!\\)\{[^{}=]+=[^{}]*\}\s*$")
"""Behind words, which may have braces of their own: a comment, or modifiers, which are a name and a value."""


class InvalidStanza(ValueError):
    """What is wrong with a line of a stanza."""

    def __init__(self, number: int, reason: str) -> None:
        self.number = number
        super().__init__(reason)


class OboTag(NamedTuple):
    """One line of a stanza: its number in the file, its name and what follows the colon."""

    number: int
    name: str
    value: str


class OboStanza(NamedTuple):
    """The tags under a heading: "Term", "Typedef", or "" for the head of the file."""

    heading: str
    number: int
    tags: list[OboTag]


def read_obo(path: File, name: str = "") -> rows.GraphRows:
    """The terms of an ontology; `name` is the vocabulary's, else the file says it."""
    obsolete = 0
    stanzas = _read_stanzas(path)
    head = next(stanzas)
    tags = {tag.name: tag.value for tag in (head if isinstance(head, OboStanza) else OboStanza("", 1, [])).tags}
    given = tags.get("ontology", "").split("/")[0].removesuffix(".obo") or path.name.split(".")[0]
    released = re.search(r"[12]\d{3}-\d\d-\d\d", tags.get("data-version", ""))
    name = name or VOCABULARY_NAMES.get(given.lower(), given)
    vocabulary = rows.Vocabulary(name, parse_iso_date(released[0] if released else ""))
    yield vocabulary
    for stanza in stanzas:
        if isinstance(stanza, UnreadablePart):
            yield stanza
        elif stanza.heading == "Term":
            try:
                built = list(_term_rows(stanza, vocabulary.name))
            except InvalidStanza as fault:
                yield unreadable_line(fault.number, f"{fault}; the term at line {stanza.number} is left out")
            else:
                obsolete += not built
                yield from built
    if obsolete:
        yield rows.SkippedRows("obsolete terms without a successor", obsolete)


def _read_stanzas(path: File) -> Iterator[OboStanza | UnreadablePart]:
    """The head of the file, then each stanza; an UnreadablePart instead of one that holds a line which is no tag."""
    stanza, fault = OboStanza("", 1, []), None
    for number, line in read_lines(path):
        text = line if isinstance(line, UnreadablePart) else line.strip()
        if isinstance(text, str) and text.startswith("[") and text.endswith("]"):
            yield fault or stanza
            stanza, fault = OboStanza(text[1:-1], number, []), None
        elif isinstance(text, UnreadablePart):
            fault = text
        elif not text.startswith("!"):
            name, colon, value = text.partition(":")
            stanza.tags.append(OboTag(number, name, value.strip()))
            if not colon:
                fault = unreadable_line(number, f"it is not a tag; the stanza at line {stanza.number} is left out")
    yield fault or stanza


def _term_rows(stanza: OboStanza, vocabulary: str) -> Iterator[rows.GraphRow]:
    """The rows of a term: none for an obsolete one that nothing replaces."""
    tags = defaultdict(list)
    for tag in stanza.tags:
        tags[tag.name].append(tag)
    id = canonical_id(_strip_remark(_single_value(stanza, tags["id"], "id")))
    # An old id still comes in queries and other files: it leads to its successor, and is no concept.
    if any(tag.value.startswith("true") for tag in tags["is_obsolete"]):
        yield from (rows.Redirect(id, canonical_id(_strip_remark(tag.value))) for tag in tags["replaced_by"][:1])
        return
    yield rows.Concept(id, _read_words(_single_value(stanza, tags["name"], "name")))
    yield from (rows.Redirect(canonical_id(_strip_remark(tag.value)), id) for tag in tags["alt_id"])
    yield from (_build_definition(tag, id, vocabulary) for tag in tags["def"])
    yield from (_build_synonym(tag, id) for tag in tags["synonym"])
    yield from _cross_reference_rows(tags, id)
    yield from _relation_rows(tags, id, vocabulary)


def _single_value(stanza: OboStanza, tags: list[OboTag], name: str) -> str:
    if len(tags) != 1:
        number = tags[-1].number if tags else stanza.number
        raise InvalidStanza(number, f"the term has {len(tags) or 'no'} lines “{name}:”")
    if not tags[0].value:
        raise InvalidStanza(tags[0].number, f"no {name}")
    return tags[0].value


def _build_definition(tag: OboTag, id: str, vocabulary: str) -> rows.Definition:
    text, rest = _split_quoted_text(tag)
    found = _REFERENCES.search(rest)
    # People and web pages that a definition rests on are not kept.
    pmids = dict.fromkeys(_PUBMED.findall(found[1].replace("\\", "")) if found else ())
    reference = ", ".join(f"PMID:{pmid}" for pmid in pmids)
    return rows.Definition(id, collapse_whitespace(text), vocabulary, reference=reference)


def _build_synonym(tag: OboTag, id: str) -> rows.ConceptName:
    text, rest = _split_quoted_text(tag)
    match = _SYNONYM.match(rest) or re.match(r"(?P<scope>[A-Z]+)?(?P<type>$)?", rest)
    scope = SYNONYM_SCOPES.get(match["scope"] or "RELATED") if match else None
    if scope is None or match is None:
        raise InvalidStanza(tag.number, f"the scope of the synonym “{text}” is not one of {', '.join(SYNONYM_SCOPES)}")
    # Nobody would say it for the term: it finds it, and does not widen a query.
    if match["type"] in UNUSED_SYNONYM_TYPES:
        scope = "related"
    elif match["type"] in ABBREVIATION_TYPES and scope in ("exact", "related"):
        scope = "abbreviation"
    return rows.ConceptName(id, collapse_whitespace(text), scope)


def _cross_reference_rows(tags: dict[str, list[OboTag]], id: str) -> Iterator[rows.CrossReference]:
    for tag in tags["xref"]:
        yield rows.CrossReference(id, canonical_id(_strip_remark(tag.value.split('"')[0])))
    for tag in tags["property_value"]:
        if tag.value.startswith("skos:exactMatch"):
            other = tag.value.removeprefix("skos:exactMatch").split(" xsd:")[0].strip().strip('"')
            yield rows.CrossReference(id, canonical_id(other))


def _relation_rows(tags: dict[str, list[OboTag]], id: str, vocabulary: str) -> Iterator[rows.GraphRow]:
    """is_a and relationship lines, and what an intersection adds to them; the ends named, where a remark names them."""
    seen: Counter[tuple[str, str]] = Counter()
    for tag in (*tags["is_a"], *tags["relationship"], *tags["intersection_of"]):
        words = _strip_remark(tag.value).split()
        # An intersection names a kind by a term alone, and any other relation by two words.
        kind_of = tag.name == "is_a" or (tag.name == "intersection_of" and len(words) == 1)
        predicate, object = ("is_a", words[:1]) if kind_of else ("".join(words[:1]), words[1:2])
        if not object:
            raise InvalidStanza(tag.number, f"the line “{tag.name}:” names no term")
        predicate, other = PREDICATE_LABELS.get(predicate, predicate), canonical_id(object[0])
        seen[predicate, other] += 1
        # Intersections repeat what is_a lines say already.
        if seen[predicate, other] > 1 or other == id:
            continue
        label = tag.value.partition(" ! ")[2].strip()
        if label and tag.name != "intersection_of":
            yield rows.Concept(other, _read_words(label), mentioned=True)
        yield rows.Relation(id, predicate, other, vocabulary)


def _split_quoted_text(tag: OboTag) -> tuple[str, str]:
    match = _QUOTED_TEXT.match(tag.value)
    if not match:
        raise InvalidStanza(tag.number, f"the line “{tag.name}:” has no quoted text")
    return _unescape(match[1]), match[2]


def _strip_remark(value: str, remark: re.Pattern[str] = _REMARK) -> str:
    """A value without the remark behind it and without modifiers in braces."""
    before = ""
    while before != value:
        before, value = value, remark.sub("", value)
    return value.replace("\\", "").strip() if remark is _REMARK else value


def _read_words(value: str) -> str:
    """The words of a name, without what is said about the line."""
    return collapse_whitespace(_unescape(_strip_remark(value, _REMARK_ON_WORDS)))


def _unescape(text: str) -> str:
    """OBO writes a colon, a comma or a quote of the text behind a backslash; \\n and \\W are white space."""
    return re.sub(r"\\(.)", lambda found: " " if found[1] in "nWt" else found[1], text)


# Graphs as two tables of JSON lines: NAME.nodes.jsonl and NAME.edges.jsonl, packed or not.
#
# A node is {"id", "label", "synonyms", "definition", "xrefs" or "exact_xrefs"}, an edge {"subject", "predicate",
# "object", "object_label"}; only ids, label and the three ends are needed. An object without an id is its own label.


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
        else:
            try:
                row = parse_json(line)
                if not isinstance(row, dict):
                    raise InvalidRecord("it is not a JSON object")
                built = list(build_rows(row, vocabulary))
            except InvalidRecord as fault:
                # A last line that is cut shows that the file is: what it lacks cannot be told line by line.
                if not line.endswith("\n") and "JSON" in str(fault):
                    raise truncated_file_error(path, number) from fault
                yield unreadable_line(number, str(fault))
            else:
                yield from built


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
