"""Plain text, which is one section: lines stay as they are, columns parted by tabs are tables.

Which lines were only wrapped is seen where sentences are told (`text.sentences`).
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.table_rows import plain_rows, table_lines
from wellsourced.types import Reference, SourceKind

MAX_TITLE_CHARS = 120


@with_digest
@salvage_documents
def read_plain_text(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a text file is. Without a title line, the file's name is the title.

    An encoding that had to be guessed is told.
    """
    text, faults = read_text_told(path)
    text = text.strip()
    if not text:
        return
    first, _, rest = text.partition("\n")
    # A paragraph may begin with a short line as well: only an empty line behind it makes it a title.
    is_title = len(first) <= MAX_TITLE_CHARS and (not rest or not rest.partition("\n")[0].strip())
    title, body = (first.strip(), rest) if is_title else ("", text)
    page = DocumentBuilder()
    page.add_heading(title)
    page.add_block("\n".join(_write_tables(body.replace("\f", "\n\n"))))
    yield page.build(Reference(id=file_id(path), title=title or file_title(path), kind=kind))
    yield from faults


def _write_tables(text: str) -> Iterator[str]:
    """The lines of a text, those of several that tabs part as rows."""
    for is_table, lines in groupby((line.rstrip() for line in text.split("\n")), lambda line: "\t" in line.strip()):
        rows = list(lines)
        yield from table_lines(plain_rows(_split_at_tabs(rows))) if is_table and len(rows) > 1 else rows


def _split_at_tabs(rows: Sequence[str]) -> list[list[str]]:
    cells = [row.strip().split("\t") for row in rows]
    # Several tabs may only align what follows.
    aligned = [[cell for cell in row if cell.strip()] for row in cells]
    return aligned if len({len(row) for row in aligned}) == 1 else cells
