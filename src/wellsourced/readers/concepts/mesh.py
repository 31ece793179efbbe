"""MeSH and DrugBank in XML: headings (desc2026.xml), supplementary concepts and drugs, one record at a time.

DrugBank is under the user's own licence and is never fetched. Elements:
https://www.nlm.nih.gov/mesh/xml_data_elements.html, https://docs.drugbank.com/xml.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import canonical_id, collapse_whitespace
from wellsourced.readers.document_builder import parse_iso_date
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


RECORD_KINDS = {
    "DescriptorRecord": ("DescriptorUI", "DescriptorName"),
    "SupplementalRecord": ("SupplementalRecordUI", "SupplementalRecordName"),
}
"""Where each sort of record keeps its id and its name."""


def read_mesh(path: File) -> rows.GraphRows:
    """The headings with their entry terms, scope notes and places; at the end, which stands below which."""
    places: dict[str, str] = {}
    # Its file is named by the year of MeSH.
    year = re.search(r"20[0-9]{2}", path.name)
    yield rows.Vocabulary(SOURCE, year.group() if year else "")
    for number, record in _count_records(path, iter_records(path, RECORD_KINDS), "MeSH record"):
        id_path, name_path = RECORD_KINDS[local_name(record)]
        id, name = find_text(record, id_path), find_text(record, f"{name_path}/String")
        if id and name:
            yield from _record_rows(record, f"MESH:{id}", name, places)
        else:
            yield UnreadablePart(f"record {number}", f"it lacks {id_path} or {name_path}", "Download the file again.")
    yield from _hierarchy_rows(places)


def _count_records(path: File, records: Iterator[Element], what: str) -> Iterator[tuple[int, Element]]:
    """(number from 1, record). Raises UnreadableFile for a file without any, and says how many came before a fault."""
    number = 0
    try:
        for number, record in enumerate(records, 1):
            yield number, record
    except UnreadableFile as error:
        raise UnreadableFile(str(path), f"{error.reason}, after {number} {what}s", error.remedy) from error
    if not number:
        raise UnreadableFile(str(path), f"it contains no {what}", "Check whether the file is complete.")


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


ROOT = "drugbank"
DRUGBANK_SOURCE = "DrugBank"

ELEMENT_ASPECTS = {
    "description": rows.DEFINITION,
    "indication": "indication",
    "pharmacodynamics": "pharmacodynamics",
    "mechanism-of-action": "mechanism of action",
    "absorption": "absorption",
    "toxicity": "toxicity",
}
"""Element → what it says of a drug."""

SYNONYM_PATH = "{*}synonyms/{*}synonym"
BRAND_PATHS = ("{*}international-brands/{*}international-brand/{*}name", "{*}products/{*}product/{*}name")


def read_drugbank(path: File) -> rows.GraphRows:
    """The drugs, with what is said of each, their brands, their groups and what they interact with."""
    groups: set[tuple[str, str]] = set()
    # Pathways and reactions name drugs too, deeper in the tree.
    drugs = (drug for drug in iter_records(path, ["drug"]) if next(map(local_name, drug.iterancestors()), "") == ROOT)
    for number, drug in _count_records(path, drugs, "drug"):
        if number == 1:
            yield rows.Vocabulary(DRUGBANK_SOURCE, parse_iso_date(next(drug.iterancestors()).get("exported-on", "")))
        yield from _drug_rows(drug, number, groups)


def _drug_rows(drug: Element, number: int, groups: set[tuple[str, str]]) -> Iterator[rows.GraphRow | UnreadablePart]:
    ids = drug.findall("{*}drugbank-id")
    id = next((one.text or "" for one in ids if one.get("primary") == "true"), "").strip()
    name = find_text(drug, "{*}name")
    # A drug without either would be a concept that nobody can find.
    if not id or not name:
        yield UnreadablePart(f"drug {number}", "it lacks a primary drugbank-id or a name", "Download the file again.")
        return
    yield rows.Concept(id, name)
    yield from _name_drugbank_rows(drug, id, name)
    for element, aspect in ELEMENT_ASPECTS.items():
        if text := find_text(drug, f"{{*}}{element}"):
            yield rows.Definition(id, collapse_whitespace(text), DRUGBANK_SOURCE, aspect)
    yield from _atc_group_rows(drug, id, groups)
    yield from _interaction_rows(drug, id)
    yield from _cross_reference_rows(drug, id)


def _name_drugbank_rows(drug: Element, id: str, name: str) -> Iterator[rows.ConceptName]:
    seen = {name.casefold()}
    scopes: dict[str, rows.Scope] = {SYNONYM_PATH: "exact", **dict.fromkeys(BRAND_PATHS, "brand")}
    for path, scope in scopes.items():
        for element in drug.findall(path):
            text = collapse_whitespace(element.text or "")
            # Synonyms of other languages would widen a query to words that no English text holds.
            is_english = scope == "brand" or "english" in (element.get("language") or "english").lower()
            if is_english and text and text.casefold() not in seen:
                seen.add(text.casefold())
                yield rows.ConceptName(id, text, scope)


def _atc_group_rows(drug: Element, id: str, known: set[tuple[str, str]]) -> Iterator[rows.GraphRow]:
    """The groups of the ATC classification, from the drug's own up to the anatomical main group."""
    for code in drug.findall("{*}atc-codes/{*}atc-code"):
        yield rows.CrossReference(id, f"ATC:{code.get('code')}")
        levels = [
            (f"ATC:{level.get('code')}", collapse_whitespace(level.text or "")) for level in code.findall("{*}level")
        ]
        for (below, _), (above, name) in pairwise([(id, ""), *levels]):
            if (below, above) not in known:
                known.add((below, above))
                yield rows.Concept(above, name or above)
                yield rows.Relation(below, "belongs_to_ATC_group" if below == id else "is_a", above, DRUGBANK_SOURCE)


def _interaction_rows(drug: Element, id: str) -> Iterator[rows.GraphRow]:
    for one in drug.findall("{*}drug-interactions/{*}drug-interaction"):
        other, name = find_text(one, "{*}drugbank-id"), find_text(one, "{*}name")
        if other:
            yield rows.Concept(other, name, mentioned=True)
            sentence = find_text(one, "{*}description")
            yield rows.Relation(
                id, "interacts_with", other, DRUGBANK_SOURCE, detail=sentence and sentence.rstrip(".") + "."
            )


def _cross_reference_rows(drug: Element, id: str) -> Iterator[rows.CrossReference]:
    for one in drug.findall("{*}external-identifiers/{*}external-identifier"):
        resource, identifier = find_text(one, "{*}resource"), find_text(one, "{*}identifier")
        if resource and identifier:
            yield rows.CrossReference(id, canonical_id(f"{resource.replace(' ', '_')}:{identifier}"))
