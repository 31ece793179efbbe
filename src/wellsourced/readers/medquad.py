"""MedQuAD: pages for patients from the web sites of the National Institutes of Health, cut into questions and answers.

Files as in the collection of Ben Abacha and Demner-Fushman (2019), CC BY 4.0: one page each.
"""

import re

from wellsourced.errors import UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import (
    DocumentStream,
    File,
    UnreadablePart,
    collapse_whitespace,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("Document",)
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
    root = xml.root_name(path)
    for page in xml.iter_records(path, ROOTS):
        if not page.get("id") or page.find("QAPairs") is None:
            reason = f"its root <{root}> is not a MedQuAD page"
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
    page = DocumentBuilder()
    page.add_heading(title)
    if names := [xml.element_text(name) for name in element.findall("FocusAnnotations/Synonyms/Synonym")]:
        page.add_heading(f"Also called: {'; '.join(filter(None, names))}")
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
