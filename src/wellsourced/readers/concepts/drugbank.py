"""The full database of DrugBank in XML: one drug at a time, whatever the size of the file.

DrugBank is under the user's own licence and is never fetched. Schema: https://docs.drugbank.com/xml.
"""

from collections.abc import Iterator
from itertools import pairwise

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Faulty, File, published
from wellsourced.readers.concepts.base import (
    DEFINITION,
    Concept,
    CrossReference,
    Definition,
    Name,
    Relation,
    Row,
    Rows,
    Vocabulary,
    canonical,
    one_line,
)
from wellsourced.readers.xml import Element, found, local, records

ROOT = "drugbank"
SOURCE = "DrugBank"

ASPECTS = {
    "description": DEFINITION,
    "indication": "indication",
    "pharmacodynamics": "pharmacodynamics",
    "mechanism-of-action": "mechanism of action",
    "absorption": "absorption",
    "toxicity": "toxicity",
}
"""Element → what it says of a drug."""

BRANDS = ("international-brands/{*}international-brand/{*}name", "products/{*}product/{*}name")


def read_drugbank(path: File) -> Rows:
    """The drugs, with what is said of each, their brands, their groups and what they interact with."""
    groups: set[tuple[str, str]] = set()
    drugs = 0
    release = ""
    try:
        for drug in records(path, ["drug"]):
            root = drug.getparent()
            # Pathways and reactions name drugs too, deeper in the tree.
            if root is None or local(root) != ROOT:
                continue
            if not drugs:
                release = published(root.get("exported-on") or "")
                yield Vocabulary(SOURCE, release)
            drugs += 1
            yield from _drug(drug, drugs, groups)
    except Unreadable as error:
        if not drugs:
            raise
        raise Unreadable(str(path), f"{error.reason}, after {drugs} drugs", error.remedy) from error
    if not drugs:
        raise Unreadable(str(path), "it holds no drug", "See whether the file was written to the end.")


def _drug(drug: Element, number: int, groups: set[tuple[str, str]]) -> Iterator[Row | Faulty]:
    id, name = _id(drug), found(drug, "{*}name")
    if not id or not name:
        yield Faulty(f"drug {number}", "it has no primary drugbank-id or no name", "Fetch the file again.")
        return
    yield Concept(id, name)
    yield from _names(drug, id, name)
    for element, aspect in ASPECTS.items():
        if text := found(drug, f"{{*}}{element}"):
            yield Definition(id, one_line(text), SOURCE, aspect)
    yield from _groups(drug, id, groups)
    yield from _interactions(drug, id)
    yield from _cross_references(drug, id)


def _id(drug: Element) -> str:
    ids = drug.findall("{*}drugbank-id")
    return next((one.text or "" for one in ids if one.get("primary") == "true"), "").strip()


def _names(drug: Element, id: str, name: str) -> Iterator[Name]:
    seen = {name.casefold()}
    for synonym in drug.findall("{*}synonyms/{*}synonym"):
        # Synonyms of other languages would widen a query to words that no English text holds.
        if "english" in (synonym.get("language") or "english").lower():
            yield from _name(id, synonym, "exact", seen)
    for path in BRANDS:
        for brand in drug.findall(f"{{*}}{path}"):
            yield from _name(id, brand, "brand", seen)


def _name(id: str, element: Element, scope: str, seen: set[str]) -> Iterator[Name]:
    text = one_line(element.text or "")
    if text and text.casefold() not in seen:
        seen.add(text.casefold())
        yield Name(id, text, "brand" if scope == "brand" else "exact")


def _groups(drug: Element, id: str, known: set[tuple[str, str]]) -> Iterator[Row]:
    """The groups of the ATC classification, from the drug's own up to the anatomical main group."""
    for code in drug.findall("{*}atc-codes/{*}atc-code"):
        yield CrossReference(id, f"ATC:{code.get('code')}")
        levels = [(f"ATC:{level.get('code')}", one_line(level.text or "")) for level in code.findall("{*}level")]
        for (below, _), (above, name) in pairwise([(id, ""), *levels]):
            if (below, above) not in known:
                known.add((below, above))
                yield Concept(above, name or above)
                yield Relation(below, "belongs_to_ATC_group" if below == id else "is_a", above, SOURCE)


def _interactions(drug: Element, id: str) -> Iterator[Row]:
    for one in drug.findall("{*}drug-interactions/{*}drug-interaction"):
        other, name = found(one, "{*}drugbank-id"), found(one, "{*}name")
        if other:
            yield Concept(other, name, mentioned=True)
            sentence = found(one, "{*}description")
            yield Relation(id, "interacts_with", other, SOURCE, detail=sentence and sentence.rstrip(".") + ".")


def _cross_references(drug: Element, id: str) -> Iterator[CrossReference]:
    for one in drug.findall("{*}external-identifiers/{*}external-identifier"):
        resource, identifier = found(one, "{*}resource"), found(one, "{*}identifier")
        if resource and identifier:
            yield CrossReference(id, canonical(f"{resource.replace(' ', '_')}:{identifier}"))
