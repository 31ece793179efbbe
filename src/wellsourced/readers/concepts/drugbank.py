"""The full database of DrugBank in XML: one drug at a time, whatever the size of the file.

DrugBank is under the user's own licence and is never fetched. Schema: https://docs.drugbank.com/xml.
"""

from collections.abc import Iterator
from itertools import pairwise

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File, UnreadablePart
from wellsourced.readers.concepts import base as rows
from wellsourced.readers.concepts.base import canonical_id, collapse_whitespace
from wellsourced.readers.reference_fields import parse_iso_date
from wellsourced.readers.xml_records import Element, find_text, iter_records, local_name

ROOT = "drugbank"
SOURCE = "DrugBank"

ELEMENT_ASPECTS = {
    "description": rows.DEFINITION,
    "indication": "indication",
    "pharmacodynamics": "pharmacodynamics",
    "mechanism-of-action": "mechanism of action",
    "absorption": "absorption",
    "toxicity": "toxicity",
}
"""Element → what it says of a drug."""

BRAND_PATHS = ("international-brands/{*}international-brand/{*}name", "products/{*}product/{*}name")


def read_drugbank(path: File) -> rows.GraphRows:
    """The drugs, with what is said of each, their brands, their groups and what they interact with."""
    groups: set[tuple[str, str]] = set()
    drugs = 0
    try:
        for drug in iter_records(path, ["drug"]):
            root = drug.getparent()
            # Pathways and reactions name drugs too, deeper in the tree.
            if root is None or local_name(root) != ROOT:
                continue
            # Nothing was read before the fault: it is another sort of file, and not one that was cut off.
            if not drugs:
                yield rows.Vocabulary(SOURCE, parse_iso_date(root.get("exported-on") or ""))
            drugs += 1
            yield from _drug_rows(drug, drugs, groups)
    except UnreadableFile as error:
        if not drugs:
            raise
        raise UnreadableFile(str(path), f"{error.reason}, after {drugs} drugs", error.remedy) from error
    if not drugs:
        raise UnreadableFile(str(path), "it holds no drug", "See whether the file was written to the end.")


def _drug_rows(drug: Element, number: int, groups: set[tuple[str, str]]) -> Iterator[rows.GraphRow | UnreadablePart]:
    id, name = _primary_id(drug), find_text(drug, "{*}name")
    # A drug without either would be a concept that nobody can find.
    if not id or not name:
        yield UnreadablePart(f"drug {number}", "it has no primary drugbank-id or no name", "Fetch the file again.")
        return
    yield rows.Concept(id, name)
    yield from _name_rows(drug, id, name)
    for element, aspect in ELEMENT_ASPECTS.items():
        if text := find_text(drug, f"{{*}}{element}"):
            yield rows.Definition(id, collapse_whitespace(text), SOURCE, aspect)
    yield from _atc_group_rows(drug, id, groups)
    yield from _interaction_rows(drug, id)
    yield from _cross_reference_rows(drug, id)


def _primary_id(drug: Element) -> str:
    ids = drug.findall("{*}drugbank-id")
    return next((one.text or "" for one in ids if one.get("primary") == "true"), "").strip()


def _name_rows(drug: Element, id: str, name: str) -> Iterator[rows.ConceptName]:
    seen = {name.casefold()}
    for synonym in drug.findall("{*}synonyms/{*}synonym"):
        # Synonyms of other languages would widen a query to words that no English text holds.
        if "english" in (synonym.get("language") or "english").lower():
            yield from _unseen_name(id, synonym, "exact", seen)
    for path in BRAND_PATHS:
        for brand in drug.findall(f"{{*}}{path}"):
            yield from _unseen_name(id, brand, "brand", seen)


def _unseen_name(id: str, element: Element, scope: str, seen: set[str]) -> Iterator[rows.ConceptName]:
    text = collapse_whitespace(element.text or "")
    if text and text.casefold() not in seen:
        seen.add(text.casefold())
        yield rows.ConceptName(id, text, "brand" if scope == "brand" else "exact")


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
                yield rows.Relation(below, "belongs_to_ATC_group" if below == id else "is_a", above, SOURCE)


def _interaction_rows(drug: Element, id: str) -> Iterator[rows.GraphRow]:
    for one in drug.findall("{*}drug-interactions/{*}drug-interaction"):
        other, name = find_text(one, "{*}drugbank-id"), find_text(one, "{*}name")
        if other:
            yield rows.Concept(other, name, mentioned=True)
            sentence = find_text(one, "{*}description")
            yield rows.Relation(id, "interacts_with", other, SOURCE, detail=sentence and sentence.rstrip(".") + ".")


def _cross_reference_rows(drug: Element, id: str) -> Iterator[rows.CrossReference]:
    for one in drug.findall("{*}external-identifiers/{*}external-identifier"):
        resource, identifier = find_text(one, "{*}resource"), find_text(one, "{*}identifier")
        if resource and identifier:
            yield rows.CrossReference(id, canonical_id(f"{resource.replace(' ', '_')}:{identifier}"))
