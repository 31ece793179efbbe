"""Pages for patients in XML: MedQuAD's, cut into questions and answers, and the health topics of MedlinePlus.

MedQuAD is the collection of Ben Abacha and Demner-Fushman (2019), CC BY 4.0, a page of the National Institutes of
Health a file; the topics are the National Library of Medicine's, in English and Spanish.
"""

import re

from wellsourced.errors import UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import (
    DocumentStream,
    File,
    UnreadablePart,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.html_text import fragment_blocks, render_blocks
from wellsourced.readers.inline_text import collapse_whitespace
from wellsourced.types import Document, Reference, SourceKind

MEDQUAD_ROOTS = ("Document",)
ORGANISATIONS = {
    "ADAM": "A.D.A.M. Medical Encyclopedia",
    "CDC": "Centers for Disease Control and Prevention",
    "CancerGov": "National Cancer Institute",
    "GARD": "Genetic and Rare Diseases Information Center",
    "GHR": "Genetics Home Reference",
    "MPlusDrugs": "MedlinePlus",
    "MPlusHealthTopics": "MedlinePlus",
    "MPlusHerbsSupplements": "MedlinePlus",
    "NHLBI": "National Heart, Lung, and Blood Institute",
    "NIDDK": "National Institute of Diabetes and Digestive and Kidney Diseases",
    "NIHSeniorHealth": "NIH SeniorHealth",
    "NINDS": "National Institute of Neurological Disorders and Stroke",
}
"""By the name that the collection gives each site."""


@salvage_documents
def read_medquad(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a page is, a section a question.

    The collection has no answers to pages of A.D.A.M. and MedlinePlus on drugs and herbs, which are under copyright:
    such a page is told as UnreadablePart. Numbers of pages recur from site to site, so the site is part of the id.
    """
    for page in xml.iter_records(path, MEDQUAD_ROOTS):
        if not page.get("id") or page.find("QAPairs") is None:
            reason = "its root <Document> is not a MedQuAD page"
            raise UnreadableFile(str(path), reason, "Add files from the folders of that collection.")
        yield _read_page(page, kind)


def _read_page(element: xml.Element, kind: SourceKind) -> Document | UnreadablePart:
    source, number, title = element.get("source", ""), element.get("id", ""), xml.find_text(element, "Focus")
    url = element.get("url", "")
    pairs: list[tuple[str, str]] = []
    for pair in element.findall("QAPairs/QAPair"):
        answer = pair.find("Answer")
        text = "" if answer is None else normalize_line_ends("".join(map(str, answer.itertext()))).strip()
        # "What is (are) Gout ?" and "Who is at risk for Gout? ?" as one would write them.
        question = re.sub(r"\s*\?[?\s]*$", "?", xml.find_text(pair, "Question"))
        pairs += [(question, text)] if text else []
    if not pairs:
        reason = "the collection omits its answers, which are under copyright"
        remedy = f"Read it at its source: {url}" if url else "Leave it out."
        return UnreadablePart(f"the page “{title}”", reason, remedy)
    page = _begin_page(title, element.findall("FocusAnnotations/Synonyms/Synonym"))
    for question, text in pairs:
        page.add_heading(question)
        for line in text.split("\n"):
            # Items of lists stand on lines of their own, as they did on the page.
            items = map(collapse_whitespace, re.split(r"(?:^|\s{2,})(?=-\s)", line))
            page.add_block("\n".join(filter(None, items)), question)
    reference = Reference(
        id=f"medquad:{source}_{number}",
        title=title,
        url=url,
        kind=kind,
        organisation=ORGANISATIONS.get(source, source),
        depth="web page",
    )
    return page.build(reference)


def _begin_page(title: str, synonyms: list[xml.Element]) -> DocumentBuilder:
    page = DocumentBuilder()
    page.add_heading(title)
    if names := [xml.element_text(name) for name in synonyms]:
        page.add_heading(f"Also called: {'; '.join(filter(None, names))}")
    return page


TOPIC_ROOTS = ("health-topics",)


@salvage_documents
def read_medlineplus(path: File, kind: SourceKind) -> DocumentStream:
    """A document a topic: its summary. Links to other sites are left out; a topic without a summary is told."""
    for topic in xml.iter_records(path, ("health-topic",)):
        yield _read_topic(topic, kind)


def _read_topic(topic: xml.Element, kind: SourceKind) -> Document | UnreadablePart:
    title = collapse_whitespace(topic.get("title", ""))
    marked = topic.findtext("full-summary") or ""
    if not marked.strip():
        return UnreadablePart(f"the topic “{title}”", "it has no summary", "Leave it out.")
    page = _begin_page(title, topic.findall("also-called"))
    render_blocks(fragment_blocks(marked), page)
    month, day, year = (*topic.get("date-created", "").split("/"), "", "", "")[:3]
    number = topic.get("id", "")
    reference = Reference(
        id=f"medlineplus:{number}",
        title=title,
        url=topic.get("url", ""),
        kind=kind,
        organisation="MedlinePlus",
        published=xml.iso_date(year, month, day),
        mesh=tuple(filter(None, (xml.find_text(one, "descriptor") for one in topic.findall("mesh-heading")))),
        depth="web page",
    )
    return page.build(reference)
