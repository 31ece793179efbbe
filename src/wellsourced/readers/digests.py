"""A digest for documents that are read whole: given beside the file, or for a guideline its own summary.

Search finds the digest, reading opens the text. A digest that a model writes would come where `_own_summary` gives one.
"""

import functools
import re

from wellsourced.readers.base import DocumentReader, DocumentStream, File
from wellsourced.readers.document_builder import HEADING_SEPARATOR
from wellsourced.readers.file_listing import read_companion
from wellsourced.types import Document, Section, SourceKind

MAX_DIGEST_CHARS = 4_000
"""Characters of a document's own words that may serve as its digest; also what a document has that needs none."""

SUMMARY_HEADING = re.compile(
    r"(?:[0-9.]+\s*)?(?:executive |plain[- ]language |lay )?(?:summary|abstract|key (?:points|messages|recommendations)"
    r"|(?:summary of )?recommendations|overview|at a glance)\b",
    re.IGNORECASE,
)


def with_digest(read: DocumentReader) -> DocumentReader:
    """The reader, whose documents get the digest that lies beside the file: NAME.digest.md or NAME.digest.txt.

    A guideline without one, and with none in its front matter, gets its summary, or else its first section, unless it
    is so short that it needs none.
    """

    @functools.wraps(read)
    def reader(path: File, kind: SourceKind) -> DocumentStream:
        for item in read(path, kind):
            # A digest in the front matter is the author's own, and counts before any file beside it.
            if isinstance(item, Document) and not item.digest:
                # It is only ever searched, so marks of Markdown do no harm.
                digest = read_companion(path, (".digest.md", ".digest.txt"))
                digest = digest or (_own_summary(item) if kind == "guideline" else "")
                yield item.model_copy(update={"digest": digest}) if digest else item
            else:
                yield item

    return reader


def _own_summary(document: Document) -> str:
    """Its summary, whole with its parts, else its first section; "" for a document that is no longer than a digest."""
    # A short guideline is found by its own words as well as by any digest.
    if len(document.text) <= MAX_DIGEST_CHARS or not document.sections:
        return ""
    first = next((part for part in document.sections if _is_summary(part)), document.sections[0])
    below = f"{first.title}{HEADING_SEPARATOR}"
    parts = [part for part in document.sections if part.title == first.title or part.title.startswith(below)]
    words = "\n\n".join(document.text[part.start : part.end] for part in (parts if first.title else [first]))
    return words[:MAX_DIGEST_CHARS]


def _is_summary(part: Section) -> bool:
    return any(SUMMARY_HEADING.match(heading) for heading in part.title.split(HEADING_SEPARATOR))
