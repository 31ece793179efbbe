"""Drug labels: Structured Product Labeling (SPL, HL7 V3) as DailyMed gives it, and openFDA's JSON of the same labels.

A label's text is HL7's narrative block, which is JATS under other names: it is renamed, and written as JATS is. Every
section that has a LOINC code says it in its heading.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, normalize_line_ends, salvage_documents
from wellsourced.readers.decompressed_file import MB, DecompressedFile
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.jats import write_blocks
from wellsourced.text.tables import read_rows
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


# --- openFDA ---------------------------------------------------------------------------------------------------------

RECORD_LIMIT = 32 * MB
"""Characters of one label."""

BLOCK_CHARACTERS = MB
HEAD_BYTES = 4_096
_RESULTS = lazy_regex(r'"results"\s*:\s*\[')
_BETWEEN = " \t\r\n,"
OPENFDA_HEAD = re.compile(rb'\s*\{\s*"meta"\s*:\s*\{\s*"disclaimer"')
"""How every answer and download of openFDA begins."""

_TABLE_PARSER = etree.XMLParser(**xml.SAFE_PARSER_OPTIONS, recover=True)
OpenFdaLabel = Mapping[str, Any]


def is_openfda(path: File) -> bool:
    """Whether a JSON file is an answer or a download of openFDA, by its head."""
    with DecompressedFile(path, RECORD_LIMIT) as unpacked:
        return bool(OPENFDA_HEAD.match(unpacked.read(HEAD_BYTES) or b""))


@salvage_documents
def read_openfda(path: File, kind: SourceKind) -> DocumentStream:
    """A document a label, a section a field of it; one label at a time is held: downloads have gigabytes."""
    headings = {name: (heading, code) for name, heading, code in read_rows("wellsourced.readers", "openfda_fields.tsv")}
    for number, record in enumerate(_iter_results(path), 1):
        names = record.get("openfda")
        if not isinstance(names, dict):
            yield UnreadablePart(f"item {number}", "it is not a drug label of openFDA", "Leave it out.")
            continue
        yield _read_openfda_label(record, names, headings, kind, number)


def _read_openfda_label(
    record: OpenFdaLabel, names: OpenFdaLabel, headings: Mapping[str, tuple[str, str]], kind: SourceKind, number: int
) -> Document | UnreadablePart:
    brands, generics, makers = (_strings(names.get(key)) for key in ("brand_name", "generic_name", "manufacturer_name"))
    set_id = str(record.get("set_id") or record.get("id") or "")
    title = ", ".join(brands or generics) or set_id
    page = DocumentBuilder()
    _write_names(page, title, brands, generics)
    empty = page.text
    for field, value in record.items():
        if field == "openfda" or not (texts := _strings(value)):
            continue
        name = field.removesuffix("_table")
        heading, code = headings.get(name, (name.replace("_", " ").capitalize(), ""))
        heading += f" (LOINC {code})" if code else ""
        page.add_heading(heading)
        for text in texts:
            if field == name:
                page.add_block(normalize_line_ends(text), heading)
            else:
                table = etree.fromstring(f"<component>{text}</component>", _TABLE_PARSER)
                _rename_to_jats(table)
                write_blocks(table, heading, page)
    if page.text == empty:
        return UnreadablePart(f"item {number}", f"the label of {title or 'a drug'} has no text", "Leave it out.")
    return page.build(_build_reference(set_id, title, ", ".join(makers), str(record.get("effective_time", "")), kind))


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []


def _iter_results(path: File) -> Iterator[OpenFdaLabel]:
    """The objects in the list `results` of a file. Raises UnreadableFile where one is too large, or breaks off."""
    decoder, held, begun = json.JSONDecoder(), "", False
    with DecompressedFile(path, RECORD_LIMIT) as unpacked, io.BufferedReader(unpacked) as file:
        text = io.TextIOWrapper(file, "utf-8", "replace")
        while piece := text.read(BLOCK_CHARACTERS):
            unpacked.renew_allowance()
            held += piece
            if not begun and (results := _RESULTS.search(held)):
                held, begun = held[results.end() :], True
            while begun:
                held = held.lstrip(_BETWEEN)
                try:
                    label, end = decoder.raw_decode(held)
                # It goes on in the next piece.
                except (ValueError, RecursionError):
                    break
                if not isinstance(label, dict):
                    break
                yield label
                held = held[end:]
            if len(held) > RECORD_LIMIT:
                raise UnreadableFile(str(path), f"one label is larger than {RECORD_LIMIT // MB} MB", "Leave it out.")
    if not begun or held.startswith("{"):
        raise UnreadableFile(str(path), "it breaks off within a label", "Download it again.")
