"""Drug labels: Structured Product Labeling (SPL, HL7 V3) as DailyMed gives it.

A label's text is HL7's narrative block, which is JATS under other names: it is renamed, and written as JATS is. Every
section that has a LOINC code says it in its heading.
"""

from collections.abc import Iterator

from lxml import etree

from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.jats import write_blocks
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("document",)
SPL_NAMESPACE = "urn:hl7-org:v3"

_JATS_NAMES = {
    **{"section": "sec", "component": "statement", "structuredBody": "statement", "highlight": "statement"},
    **{"text": "p", "paragraph": "p", "item": "list-item", "br": "break", "excerpt": "sec"},
}
UNCLASSIFIED = "42229-5"
"""The LOINC code of a section that is of none of the kinds."""

LABEL_URL = "https://dailymed.nlm.nih.gov/dailymed/drugInfo.cfm?setid="
GENERIC_NAME = "asEntityWithGeneric/genericMedicine/name"
REMEDY = "Download the label from DailyMed as XML."


@salvage_documents
def read_spl(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a label is, each section under its heading with its LOINC code.

    A label in two languages keeps both. Raises UnreadableFile for a <document> that is no label.
    """
    for label in xml.iter_records(path, ROOTS):
        body = label.find(f"{{{SPL_NAMESPACE}}}component/{{{SPL_NAMESPACE}}}structuredBody")
        if body is None:
            yield UnreadablePart("the label", "it has no <structuredBody>", REMEDY)
        else:
            yield _read_label(label, kind)


def _read_label(label: xml.Element, kind: SourceKind) -> Document | UnreadablePart:
    _rename_to_jats(label)
    set_id, effective = _attribute(label, "setId", "root"), _attribute(label, "effectiveTime", "value")
    organisation = xml.find_text(label, "author/assignedEntity/representedOrganization/name")
    products = list(label.iter("manufacturedProduct"))
    brands = _unique_texts(product for one in products for product in one.findall("name"))
    generics = _unique_texts(name for one in products for name in one.findall(GENERIC_NAME))
    title = xml.find_text(label, "title") or ", ".join(brands or generics)
    page = DocumentBuilder()
    _write_names(page, title, brands, generics)
    empty = page.text
    write_blocks(label, "", page)
    if page.text == empty:
        return UnreadablePart(f"the label “{title}”", "it has no text", "Leave it out.")
    return page.build(_build_reference(set_id, title, organisation, effective, kind))


def _rename_to_jats(label: xml.Element) -> None:
    """Give the elements of a label the names of JATS; codes join their headings, notes and pictures the line."""
    for element in label.iter("{*}*"):
        name = xml.local_name(element)
        element.tag = _JATS_NAMES.get(name, name)
    for section in label.iter("sec"):
        _complete_heading(section)
    for items in label.iter("list"):
        items.set("list-type", "order" if items.get("listType", "").lower() == "ordered" else "bullet")
        for caption in items.findall("list-item/caption"):
            # A bullet is left to the mark of the list; a letter or a number is a word of the item.
            caption.tail = f" {caption.tail or ''}"
            caption.tag = "styled-content" if any(map(str.isalnum, xml.element_text(caption))) else "label"
    for mark in label.iter("footnoteRef"):
        mark.text = "[note]"
    for note in label.iter("footnote"):
        _enclose(note, " [", "]")
    for picture in label.iter("renderMultiMedia"):
        _enclose(picture, "[picture", "]")


def _complete_heading(section: xml.Element) -> None:
    """The printed title, or else the name of its code; the code behind it."""
    code = section.find("code")
    title = section.find("title")
    if title is None:
        title = etree.Element("title")
        title.text = "" if code is None else code.get("displayName", "").capitalize()
        section.insert(0, title)
    if code is not None and code.get("code", UNCLASSIFIED) != UNCLASSIFIED:
        _enclose(title, "", f" (LOINC {code.get('code')})")


def _enclose(element: xml.Element, before: str, behind: str) -> None:
    element.text = before + (element.text or "")
    if len(element):
        element[-1].tail = (element[-1].tail or "").rstrip() + behind
    else:
        element.text = element.text.rstrip() + behind


def _attribute(label: xml.Element, child: str, name: str) -> str:
    found = label.find(child)
    return "" if found is None else found.get(name, "").strip()


def _unique_texts(elements: Iterator[xml.Element]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(xml.element_text, elements))))


def _write_names(page: DocumentBuilder, title: str, brands: list[str], generics: list[str]) -> None:
    page.add_heading(title)
    for name, words in (("Brand name", brands), ("Generic name", generics)):
        if words:
            page.add_heading(f"{name}: {'; '.join(words)}")


def _build_reference(set_id: str, title: str, organisation: str, effective: str, kind: SourceKind) -> Reference:
    """`effective` is HL7's: 20240131, or with a time behind it."""
    return Reference(
        id=f"spl:{set_id.lower()}" if set_id else f"spl:{title}",
        title=title,
        url=f"{LABEL_URL}{set_id}" if set_id else "",
        kind=kind,
        organisation=organisation,
        published=xml.iso_date(effective[:4], effective[4:6], effective[6:8]),
        depth="full text",
    )
