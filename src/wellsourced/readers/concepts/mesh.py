"""MeSH as the National Library of Medicine gives it in XML: headings (desc2026.xml) and supplementary concepts.

One record at a time, whatever the size of the file. Elements: https://www.nlm.nih.gov/mesh/xml_data_elements.html.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import collapse_whitespace
from wellsourced.readers.reference_fields import parse_iso_date
from wellsourced.readers.xml_records import Element, find_text, iter_records, local_name

HEADINGS_ROOT, SUPPLEMENT_ROOT = "DescriptorRecordSet", "SupplementalRecordSet"
"""The outermost elements."""

SOURCE = "MeSH"
TREE_PREFIX = "MESH_TREE"
"""The prefix of a heading's places in the trees, which it bears as an id: explosion follows them (see `Graph`)."""

RELATION_SCOPES: dict[str, rows.Scope] = {"NRW": "narrow", "BRD": "broad", "REL": "related"}
"""What a further concept of a record is to its preferred one → how its terms name the record."""

TAG_SCOPES: dict[str, rows.Scope] = {**dict.fromkeys(("ABB", "ABX", "ACR", "ACX"), "abbreviation"), "TRD": "brand"}
"""LexicalTag → how such a term names its concept."""

TREE_PREDICATES = {"A": "is_narrower_than", "Z": "part_of"}
"""Tree → what a heading is to the one above it, where it is no kind of it: the eyebrows are no kind of face."""


class MeshRecordKind(NamedTuple):
    """Where a sort of record keeps its id and its name."""

    id: str
    name: str


RECORD_KINDS = {
    "DescriptorRecord": MeshRecordKind("DescriptorUI", "DescriptorName"),
    "SupplementalRecord": MeshRecordKind("SupplementalRecordUI", "SupplementalRecordName"),
}


def read_mesh(path: File) -> rows.GraphRows:
    """The headings with their entry terms, scope notes and places; at the end, which stands below which."""
    places: dict[str, str] = {}
    number = 0
    yield rows.Vocabulary(SOURCE, _release_year(path))
    try:
        for number, record in enumerate(iter_records(path, RECORD_KINDS), 1):
            kind = RECORD_KINDS[local_name(record)]
            id, name = find_text(record, kind.id), find_text(record, f"{kind.name}/String")
            if id and name:
                yield from _record_rows(record, f"MESH:{id}", name, places)
            else:
                reason = f"it has no {kind.id} or no {kind.name}"
                yield UnreadablePart(f"record {number}", reason, "Fetch the file again.")
    except UnreadableFile as error:
        raise UnreadableFile(str(path), f"{error.reason}, after {number} records", error.remedy) from error
    if not number:
        raise UnreadableFile(str(path), "it holds no record of MeSH", "See whether the file was written to the end.")
    yield from _hierarchy_rows(places)


def _release_year(path: File) -> str:
    """The year of MeSH, which its file is named by."""
    year = re.search(r"20[0-9]{2}", path.name)
    return parse_iso_date(year.group() if year else "")


def _record_rows(record: Element, id: str, name: str, places: dict[str, str]) -> Iterator[rows.GraphRow]:
    yield rows.Concept(id, name)
    yield from _name_rows(record, id, name)
    for concept in record.findall("ConceptList/Concept[@PreferredConceptYN='Y']"):
        if note := find_text(concept, "ScopeNote"):
            yield rows.Definition(id, collapse_whitespace(note), SOURCE)
    for place in record.findall("TreeNumberList/TreeNumber"):
        if tree := (place.text or "").strip():
            places[tree] = id
            yield rows.CrossReference(id, f"{TREE_PREFIX}:{tree}")
    # A star marks the heading under which NLM prefers to file it.
    for one in record.findall("HeadingMappedToList/HeadingMappedTo/DescriptorReferredTo/DescriptorUI"):
        if heading := (one.text or "").strip().lstrip("*"):
            yield rows.Relation(id, "is_indexed_under", f"MESH:{heading}", SOURCE)


def _name_rows(record: Element, id: str, name: str) -> Iterator[rows.ConceptName]:
    """Its entry terms. Permuted ones ("Infarction, Myocardial") are left out: a search turns words around itself."""
    seen = {name.casefold()}
    scopes = _concept_scopes(record)
    for concept in record.findall("ConceptList/Concept"):
        scope = scopes.get(find_text(concept, "ConceptUI"), "exact")
        for term in concept.findall("TermList/Term"):
            text = find_text(term, "String")
            if term.get("IsPermutedTermYN") != "Y" and text and text.casefold() not in seen:
                seen.add(text.casefold())
                tagged = TAG_SCOPES.get(term.get("LexicalTag") or "", scope)
                # An abbreviation of a narrower concept is no abbreviation of the record: the relation counts before the
                # tag.
                yield rows.ConceptName(id, text, tagged if scope == "exact" else scope)


def _concept_scopes(record: Element) -> dict[str, rows.Scope]:
    """Id of a further concept of the record → how its terms name the record."""
    scopes: dict[str, rows.Scope] = {}
    preferred = find_text(record, "ConceptList/Concept[@PreferredConceptYN='Y']/ConceptUI")
    for one in record.findall("ConceptList/Concept[@PreferredConceptYN='N']"):
        scopes[find_text(one, "ConceptUI")] = "related"
    for relation in record.iterfind("ConceptList/Concept/ConceptRelationList/ConceptRelation"):
        first, second = find_text(relation, "Concept1UI"), find_text(relation, "Concept2UI")
        if first == preferred and second in scopes:
            scopes[second] = RELATION_SCOPES.get(relation.get("RelationName") or "", "related")
    return scopes


def _hierarchy_rows(places: Mapping[str, str]) -> Iterator[rows.Relation]:
    """What stands directly below what, by the numbers of the trees: C14.907 stands below C14. Each pair once."""
    known: set[rows.Relation] = set()
    for tree, id in places.items():
        above = places.get(tree.rpartition(".")[0], id)
        relation = rows.Relation(id, TREE_PREDICATES.get(tree[0], "is_a"), above, SOURCE)
        # A heading with several places may stand below the same one twice.
        if above != id and relation not in known:
            known.add(relation)
            yield relation
