"""Plain text, which is one section: lines that were only wrapped go on, columns parted by tabs are tables."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from wellsourced.readers.base import DocumentStream, File, file_id, file_title, salvage_documents
from wellsourced.readers.decompressed_file import read_text_told
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.table_rows import plain_rows, table_lines
from wellsourced.types import Reference, SourceKind

MAX_TITLE_CHARS = 120

WRAP_WIDTHS = range(40, 121)
"""Characters in the longest line of a paragraph that was wrapped by hand or by a program."""

_MARKED = re.compile(
    r"[ \t]*(?:[-•*+▪◦‣·–—>#|→⇒│├└]|\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)|-+>|=>|\[[ xX]?\])(?:[ \t]|$)"
)
"""How an item, a step or a row begins: it never goes on with the line above."""

_COLUMNS = re.compile(r"[^\s.!?:] {2}\s*\S|\S {3}\s*\S|\t|[ \t]\|[ \t]|\|$")
"""What a line of columns has in it: wide gaps, tabs, strokes."""

_STOPS = ".!?:;"
_PAGE_BREAK = re.compile(r"\s*\f\s*")


@with_digest
@salvage_documents
def read_plain_text(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a text file is. Without a title line, the file's name is the title.

    Lines that were wrapped to a width are joined; items, steps, short lines and columns keep theirs. An encoding that
    had to be guessed is told.
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
    page.add_block(_unwrap(body))
    yield page.build(Reference(id=file_id(path), title=title or file_title(path), kind=kind))
    yield from faults


def _unwrap(text: str) -> str:
    """The text with its wrapped lines joined by blanks and its tables as rows."""
    text = _PAGE_BREAK.sub(_join_pages, text) if "\f" in text else text
    lines = [line.rstrip() for line in text.split("\n")]
    runs = [list(run) for _, run in groupby(lines, bool)]
    wrapped = (max(map(len, part)) for run in runs for part in _split_marked(run) if _is_wrapped(part))
    width = max(wrapped, default=0)
    return "\n".join(line for run in runs for line in _join_run(run, width))


def _join_pages(gap: re.Match[str]) -> str:
    """A sentence may go on behind the end of a page."""
    before, after = gap.string[: gap.start()][-1:], gap.string[gap.end() : gap.end() + 1]
    return "\n" if after.islower() and before not in _STOPS else "\n\n"


def _join_run(run: list[str], width: int) -> Iterator[str]:
    for is_table, lines in groupby(run, lambda line: "\t" in line.strip()):
        rows = list(lines)
        if is_table and len(rows) > 1:
            yield from table_lines(plain_rows(_split_at_tabs(rows)))
        else:
            for part in _split_marked(rows):
                yield from _join_lines(part, width)


def _split_at_tabs(rows: Sequence[str]) -> list[list[str]]:
    cells = [row.strip().split("\t") for row in rows]
    # Several tabs may only align what follows.
    aligned = [[cell for cell in row if cell.strip()] for row in cells]
    return aligned if len({len(row) for row in aligned}) == 1 else cells


def _split_marked(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines that may go on with each other: an item begins such a part, a line of columns is one by itself."""
    part: list[str] = []
    for line in lines:
        if part and (_MARKED.match(line) or _COLUMNS.search(line.strip()) or _COLUMNS.search(part[-1].strip())):
            yield part
            part = []
        part.append(line)
    if part and part[0]:
        yield part
    else:
        yield from ([line] for line in part)


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether every line is as full as the width of the longest allows, and one goes on in lower case."""
    width = max(map(len, lines))
    if len(lines) < 3 or width not in WRAP_WIDTHS or not any(line.lstrip()[0].islower() for line in lines[1:]):
        return False
    return all(_is_full(line, following, width) for line, following in pairwise(lines))


def _is_full(line: str, following: str, width: int) -> bool:
    return len(line) + 1 + len(following.split(None, 1)[0]) > width


def _join_lines(lines: list[str], width: int) -> Iterator[str]:
    wrapped = bool(lines[0]) and _is_wrapped(lines)
    is_item = _MARKED.match(lines[0]) is not None
    is_prose = not lines[0].lstrip()[:1].islower() and lines[-1][-1:] in _STOPS
    joined = lines[0]
    for line, following in pairwise(lines):
        words = following.lstrip()
        is_full = len(line) <= width and _is_full(line, following, width)
        hangs = is_item and len(following) - len(words) > len(lines[0]) - len(lines[0].lstrip())
        continues = (is_prose or hangs) and line[-1:] not in _STOPS and (words[:1].islower() or words[:1] in ",;)%")
        # A hyphen at the end of a line may belong to the word or not: the line break says that it is one.
        if (wrapped or is_full or continues) and line[-1:] not in "-‐":
            joined += f" {words}"
        else:
            yield joined
            joined = following
    yield joined
