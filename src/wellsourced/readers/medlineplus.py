"""Health topics of MedlinePlus, pages for patients in English and Spanish: the National Library of Medicine's XML."""

from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, collapse_whitespace, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.html_text import fragment_blocks, render_blocks
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("health-topics",)
ORGANISATION = "MedlinePlus"


@salvage_documents
def read_medlineplus(path: File, kind: SourceKind) -> DocumentStream:
    """A document a topic: its summary. Links to other sites are left out; a topic without a summary is told."""
    xml.require_root(path, ROOTS, "the health topics of MedlinePlus", "Add mplus_topics_….xml of medlineplus.gov.")
    for topic in xml.iter_records(path, ("health-topic",)):
        yield _read_topic(topic, kind)


def _read_topic(topic: xml.Element, kind: SourceKind) -> Document | UnreadablePart:
    title = collapse_whitespace(topic.get("title", ""))
    marked = topic.findtext("full-summary") or ""
    if not marked.strip():
        return UnreadablePart(f"the topic “{title}”", "it has no summary", "Leave it out.")
    page = DocumentBuilder()
    page.add_heading(title)
    if names := [xml.element_text(name) for name in topic.findall("also-called")]:
        page.add_heading(f"Also called: {'; '.join(filter(None, names))}")
    render_blocks(fragment_blocks(marked), page)
    month, day, year = (*topic.get("date-created", "").split("/"), "", "", "")[:3]
    number = topic.get("id", "")
    reference = Reference(
        id=f"medlineplus:{number}",
        title=title,
        url=topic.get("url", ""),
        kind=kind,
        organisation=ORGANISATION,
        published=xml.iso_date(year, month, day),
        mesh=tuple(filter(None, (xml.find_text(one, "descriptor") for one in topic.findall("mesh-heading")))),
        depth="web page",
    )
    return page.build(reference)
