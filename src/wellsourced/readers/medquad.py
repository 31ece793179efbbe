"""MedQuAD: pages for patients from the web sites of the National Institutes of Health, cut into questions and answers.

Files as in the collection of Ben Abacha and Demner-Fushman (2019), CC BY 4.0: one page each.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, normalize_line_ends, salvage_documents
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


class QuestionAnswer(NamedTuple):
    """A question that the collection puts, and the words of the page that answer it."""

    question: str
    answer: str


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
    pairs = [pair for pair in _list_pairs(element) if pair.answer]
    if not pairs:
        reason = "the collection omits its answers, which are under copyright"
        remedy = f"Read it at its source: {url}" if url else "Leave it out."
        return UnreadablePart(f"the page “{title}”", reason, remedy)
    page = DocumentBuilder()
    page.add_heading(title)
    if names := [xml.element_text(name) for name in element.findall("FocusAnnotations/Synonyms/Synonym")]:
        page.add_heading(f"Also called: {'; '.join(filter(None, names))}")
    for pair in pairs:
        page.add_heading(pair.question)
        for block in _answer_blocks(pair.answer):
            page.add_block(block, pair.question)
    reference = Reference(
        id=f"medquad:{source}_{number}",
        title=title,
        url=url,
        kind=kind,
        organisation=ORGANISATIONS.get(source, source),
        depth="web page",
    )
    return page.build(reference)


def _list_pairs(element: xml.Element) -> Iterator[QuestionAnswer]:
    for pair in element.findall("QAPairs/QAPair"):
        answer = pair.find("Answer")
        text = "" if answer is None else normalize_line_ends("".join(map(str, answer.itertext())))
        yield QuestionAnswer(_clean_question(xml.find_text(pair, "Question")), text.strip())


def _clean_question(text: str) -> str:
    """ "What is (are) Gout ?" and "Who is at risk for Gout? ?" as one would write them."""
    return re.sub(r"\s*\?[?\s]*$", "?", text)


def _answer_blocks(answer: str) -> Iterator[str]:
    """A line of the page each; items of lists stand on lines of their own, as they did there."""
    for line in answer.split("\n"):
        yield "\n".join(filter(None, map(xml.collapse_whitespace, re.split(r"(?:^|\s{2,})(?=-\s)", line))))
