"""Plain text: one section; a short line that stands alone at the top is the title."""

from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_whole_text
from wellsourced.readers.digests import with_digest
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.types import Reference, SourceKind

MAX_TITLE_CHARS = 120


@with_digest
@salvage_documents
def read_plain_text(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a text file is. Without a title line, the file's name is the title."""
    text = read_whole_text(path).strip()
    if not text:
        return
    title, body = _split_title(text)
    page = DocumentBuilder()
    page.add_heading(title)
    page.add_block(body)
    yield page.build(Reference(id=file_id(path), title=title or file_title(path), kind=kind))


def _split_title(text: str) -> tuple[str, str]:
    """(title, rest). A first line that runs on into the next is part of a paragraph, however short it is."""
    first, _, rest = text.partition("\n")
    # A paragraph may begin with a short line as well: only an empty line behind it makes it a title.
    if len(first) <= MAX_TITLE_CHARS and (not rest or not rest.partition("\n")[0].strip()):
        return first.strip(), rest
    return "", text
