"""A document as its page shows it: its own text, part by part, with the quoted words marked in it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.errors import NotFoundError
from wellsourced.sources.base import Source
from wellsourced.types import Document


class MarkedText(NamedTuple):
    """Words of a document, and whether they were quoted."""

    text: str
    marked: bool


class DocumentPart(NamedTuple):
    """A section, or what lies between two."""

    title: str
    stretches: tuple[MarkedText, ...]


class LocalDocument(NamedTuple):
    """A document, and the source on this machine that has it."""

    document: Document
    source: Source


async def find_local_document(id: str, context: Context) -> LocalDocument:
    """A document of a source on this machine; nothing is asked over the network for a page. Raises NotFoundError."""
    for source in context.sources:
        # A page that is looked at must not send anything over the network, which a live source's `open` would.
        if not (await source.describe()).live:
            try:
                return LocalDocument(await source.open(id), source)
            except NotFoundError:
                continue
    raise NotFoundError("No library here has this document: it was found on the network, or removed since.")


async def open_local_document(id: str, context: Context) -> Document:
    """As `find_local_document`, the document alone."""
    return (await find_local_document(id, context)).document


def view_document(document: Document, spans: Sequence[tuple[int, int]]) -> tuple[DocumentPart, ...]:
    """All of a document, with these spans of its text marked. Offsets beyond it mark nothing."""
    titles = {section.start: section.title for section in document.sections}
    edges = sorted({0, len(document.text), *titles, *(section.end for section in document.sections)})
    parts = []
    for left, right in pairwise(edges):
        text = document.text[left:right]
        # What lies between sections are their headings, which stand as titles already.
        if left in titles or (text.strip() and not document.sections):
            stretches = mark_spans(text, [(start - left, end - left) for start, end in spans])
            parts.append(DocumentPart(titles.get(left, ""), stretches))
    return tuple(parts)


def mark_spans(text: str, spans: Sequence[tuple[int, int]]) -> tuple[MarkedText, ...]:
    """A text as stretches, of which the spans are marked; what lies outside of it, or in another span, is left out."""
    stretches, at = [], 0
    for start, end in sorted(spans):
        # Two statements may quote overlapping words, which are marked once.
        start, end = max(start, at), min(end, len(text))
        if start < end:
            stretches += [MarkedText(text[at:start], False), MarkedText(text[start:end], True)]
            at = end
    return tuple(one for one in (*stretches, MarkedText(text[at:], False)) if one.text)
