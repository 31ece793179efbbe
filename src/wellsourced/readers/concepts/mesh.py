"""MeSH as the National Library of Medicine gives it in XML: headings (desc2026.xml) and supplementary concepts.

One record at a time, whatever the size of the file. Elements: https://www.nlm.nih.gov/mesh/xml_data_elements.html.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Faulty, File, published
from wellsourced.readers.concepts.base import (
    Concept,
    CrossReference,
    Definition,
    Name,
    Relation,
    Row,
    Rows,
    Scope,
    Vocabulary,
    one_line,
)
from wellsourced.readers.xml import Element, found, local, records

HEADINGS, SUPPLEMENT = "DescriptorRecordSet", "SupplementalRecordSet"
"""The outermost elements."""

SOURCE = "MeSH"
TREE = "MESH_TREE"
"""The prefix of a heading's places in the trees, which it bears as an id: explosion follows them (see `Graph`)."""

SCOPES: dict[str, Scope] = {"NRW": "narrow", "BRD": "broad", "REL": "related"}
"""What a further concept of a record is to its preferred one → how its terms name the record."""

TAGS: dict[str, Scope] = {"ABB": "abbreviation", "ABX": "abbreviation", "ACR": "abbreviation", "ACX": "abbreviation"}
TAGS |= {"TRD": "brand"}
"""LexicalTag → how such a term names its concept."""

PLACED = {"A": "is_narrower_than", "Z": "part_of"}
"""Tree → what a heading is to the one above it, where it is no kind of it: the eyebrows are no kind of face."""


class Kind(NamedTuple):
    """Where a sort of record keeps its id and its name."""

    id: str
    name: str


RECORDS = {
    "DescriptorRecord": Kind("DescriptorUI", "DescriptorName"),
    "SupplementalRecord": Kind("SupplementalRecordUI", "SupplementalRecordName"),
}


def read_mesh(path: File) -> Rows:
    """The headings with their entry terms, scope notes and places; at the end, which stands below which."""
    places: dict[str, str] = {}
    number = 0
    yield Vocabulary(SOURCE, _released(path))
    try:
        for number, record in enumerate(records(path, RECORDS), 1):
            kind = RECORDS[local(record)]
            id, name = found(record, kind.id), found(record, f"{kind.name}/String")
            if id and name:
                yield from _record(record, f"MESH:{id}", name, places)
            else:
                reason = f"it has no {kind.id} or no {kind.name}"
                yield Faulty(f"record {number}", reason, "Fetch the file again.")
    except Unreadable as error:
        raise Unreadable(str(path), f"{error.reason}, after {number} records", error.remedy) from error
    if not number:
        raise Unreadable(str(path), "it holds no record of MeSH", "See whether the file was written to the end.")
    yield from _hierarchy(places)


def _released(path: File) -> str:
    """The year of MeSH, which its file is named by."""
    year = re.search(r"20[0-9]{2}", path.name)
    return published(year.group() if year else "")


def _record(record: Element, id: str, name: str, places: dict[str, str]) -> Iterator[Row]:
    yield Concept(id, name)
    yield from _names(record, id, name)
    for concept in record.findall("ConceptList/Concept[@PreferredConceptYN='Y']"):
        if note := found(concept, "ScopeNote"):
            yield Definition(id, one_line(note), SOURCE)
    for place in record.findall("TreeNumberList/TreeNumber"):
        if tree := (place.text or "").strip():
            places[tree] = id
            yield CrossReference(id, f"{TREE}:{tree}")
    # A star marks the heading under which NLM prefers to file it.
    for one in record.findall("HeadingMappedToList/HeadingMappedTo/DescriptorReferredTo/DescriptorUI"):
        if heading := (one.text or "").strip().lstrip("*"):
            yield Relation(id, "is_indexed_under", f"MESH:{heading}", SOURCE)


def _names(record: Element, id: str, name: str) -> Iterator[Name]:
    """Its entry terms. Permuted ones ("Infarction, Myocardial") are left out: a search turns words around itself."""
    seen = {name.casefold()}
    scopes = _scopes(record)
    for concept in record.findall("ConceptList/Concept"):
        scope = scopes.get(found(concept, "ConceptUI"), "exact")
        for term in concept.findall("TermList/Term"):
            text = found(term, "String")
            if term.get("IsPermutedTermYN") != "Y" and text and text.casefold() not in seen:
                seen.add(text.casefold())
                yield Name(id, text, TAGS.get(term.get("LexicalTag") or "", scope) if scope == "exact" else scope)


def _scopes(record: Element) -> dict[str, Scope]:
    """Id of a further concept of the record → how its terms name the record."""
    scopes: dict[str, Scope] = {}
    preferred = found(record, "ConceptList/Concept[@PreferredConceptYN='Y']/ConceptUI")
    for one in record.findall("ConceptList/Concept[@PreferredConceptYN='N']"):
        scopes[found(one, "ConceptUI")] = "related"
    for relation in record.iterfind("ConceptList/Concept/ConceptRelationList/ConceptRelation"):
        first, second = found(relation, "Concept1UI"), found(relation, "Concept2UI")
        if first == preferred and second in scopes:
            scopes[second] = SCOPES.get(relation.get("RelationName") or "", "related")
    return scopes


def _hierarchy(places: Mapping[str, str]) -> Iterator[Relation]:
    """What stands directly below what, by the numbers of the trees: C14.907 stands below C14. Each pair once."""
    known: set[Relation] = set()
    for tree, id in places.items():
        above = places.get(tree.rpartition(".")[0], id)
        relation = Relation(id, PLACED.get(tree[0], "is_a"), above, SOURCE)
        if above != id and relation not in known:
            known.add(relation)
            yield relation
