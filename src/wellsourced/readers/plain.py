"""Plain text: one section; a short line that stands alone at the top is the title."""

from wellsourced.readers.base import File, Read, file_id, file_title, salvaging, whole
from wellsourced.readers.digests import digested
from wellsourced.readers.page import Page
from wellsourced.types import Document, Kind, Reference

LONGEST_TITLE = 120


@digested
@salvaging
def read_plain(path: File, kind: Kind) -> Read:
    """The one document that a text file is. Without a title line, the file's name is the title."""
    text = whole(path).strip()
    if not text:
        return
    title, body = _titled(text)
    page = Page()
    page.heading(title)
    page.block(body)
    title = title or file_title(path)
    yield Document(
        reference=Reference(id=file_id(path), title=title, kind=kind), text=page.text, sections=page.sections
    )


def _titled(text: str) -> tuple[str, str]:
    """(title, rest). A first line that runs on into the next is part of a paragraph, however short it is."""
    first, _, rest = text.partition("\n")
    if len(first) <= LONGEST_TITLE and (not rest or not rest.partition("\n")[0].strip()):
        return first.strip(), rest
    return "", text
