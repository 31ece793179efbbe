"""Tables (.csv, .tsv): every row a sentence, by a template; long texts in a column as they are."""

import contextlib
import csv
import hashlib
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import (
    DocumentStream,
    File,
    InvalidRecord,
    build_documents,
    file_title,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import MB, read_text_told
from wellsourced.readers.document_builder import DocumentBuilder, build_reference
from wellsourced.readers.file_listing import read_companion
from wellsourced.readers.table_rows import name_values
from wellsourced.types import Document, ReadingDepth, SourceKind

MAX_CELL_CHARS = 8 * MB
"""Characters of one cell, at most; the longest entries of OMIM have 0.3 MB."""

MAX_COLUMNS = 1_000

MIN_CHARS = 100
"""Characters of a line that can be quoted, where a cell holds several lines; shorter ones are headings and marks."""

TEXT_COLUMNS = ("text", "description", "content", "body", "abstract")
ROW_REMEDY = "Fix the row and add the file again."
SAMPLE_ROWS, SAMPLE_CHARS = 50, 100_000
"""How much of a table is looked at to see how it is written."""

FIRST_LINE = re.compile(
    r"""[#]\s*template:(?P<template>.*)\n
      | "?sep=(?P<delimiter>[^\n])"?[ \t;,|]*\n
      | [#](?:[ \t].*|[^\t;,|\n]*)(?:\n|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A line before the names of the columns. One that begins with "#" and is parted like the others is none of these."""

MEASURED = re.compile(r"\s*[<>≤≥±~]?\s?[0-9]+(?:[.,][0-9]+|(?:[.,][0-9]+)?\s?(?:%|[a-zµμ]{1,3}\b))", re.IGNORECASE)
"""A number with decimals or with its unit; a bare one may be a year that names a column."""

PLACEHOLDER = re.compile(r"\{([^{}]{1,200})\}")


class TableHeader(NamedTuple):
    """What is known before the first row.

    columns    as the header spells them
    names      the same as they are looked up
    template   with {column} in it; "" where there is none
    """

    name: str
    columns: tuple[str, ...]
    names: tuple[str, ...]
    template: str


@salvage_documents
def read_table(path: File, kind: SourceKind) -> DocumentStream:
    """A document a row: a row is what is looked up, changes and is cited by itself.

    Its text is, the first that applies: what the template says that lies beside the file (NAME.template.txt beside
    NAME.csv) or in its first line ("# template: …"), with {column} for the value of a column; for a table with a column
    `text` (description, content, body, abstract), that column, of whose lines only those of 100 characters can be
    quoted when there are several; else "Column: value; …", and what no column names is kept.
    Rows of equal words are one document. What parts the cells is found; without a line of names nothing is named.
    The id is the column `id`, else the hash of the words. A file that is not UTF-8 is read as Windows-1252, and told.
    """
    text, faults = read_text_told(path)
    yield from read_rows(*_open_table(path, text), kind)
    yield from faults


def read_rows(
    table: TableHeader, rows: Iterable[tuple[int, Sequence[str]]], kind: SourceKind, place: str = "line"
) -> DocumentStream:
    """A document for each of the numbered rows of a table, as `read_table` has them; `place` is what is numbered."""
    filled = ((f"{place} {line}", cells) for line, cells in rows if any(cell.strip() for cell in cells))
    return build_documents(filled, partial(_build_document, table, kind=kind), ROW_REMEDY)


def _open_table(path: File, text: str) -> tuple[TableHeader, Iterator[tuple[int, list[str]]]]:
    """(what the file says first, its rows with the line on which each ends)."""
    skipped, delimiter = 0, ""
    template = read_companion(path, (".template.txt",))
    while first := FIRST_LINE.match(text):
        text = text[first.end() :]
        skipped += 1
        # Excel's word for what parts the columns.
        delimiter = first["delimiter"] or delimiter
        template = (first["template"] or template).strip()
    delimiter = delimiter or _find_delimiter(path, text)
    rows = _read_rows(path, text, skipped, delimiter)
    first_row = next(rows, (0, []))
    columns = tuple(" ".join(cell.split()) for cell in first_row[1])
    if not any(columns) or len(columns) > MAX_COLUMNS:
        raise UnreadableFile(str(path), "its first line has no column names", "Add the column names there.")
    known = {column.casefold() for column in columns}
    unknown = [name for name in PLACEHOLDER.findall(template) if name.strip().casefold() not in known]
    if unknown or (template and not PLACEHOLDER.search(template)):
        reason = f"its template uses an unknown column {unknown[0]!r}" if unknown else "its template uses no column"
        raise UnreadableFile(str(path), reason, f"Columns: {', '.join(columns)}. Write them as {{{columns[0]}}}.")
    if _is_data(_sample_rows(text, delimiter)):
        columns, rows = ("",) * len(columns), itertools.chain([first_row], rows)
    return TableHeader(file_title(path), columns, tuple(map(str.casefold, columns)), template), rows


def _is_data(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is one like all others: a value with its unit stands in it, as in most cells below."""
    for place, cell in enumerate(rows[0] if len(rows) > 1 else ()):
        below = [row[place] for row in rows[1:] if place < len(row) and row[place].strip()]
        if MEASURED.match(cell) and sum(bool(MEASURED.match(value)) for value in below) > len(below) / 2:
            return True
    return False


def _find_delimiter(path: File, text: str) -> str:
    """What parts the cells of most rows into as many as the first row has, and into most of them."""
    best, delimiter = (0, 0), "\t" if ".tsv" in path.name.lower() else ","
    for mark in "\t;,|":
        widths = [len(row) for row in _sample_rows(text, mark)]
        if widths and widths[0] > 1 and (score := (widths.count(widths[0]), widths[0])) > best:
            best, delimiter = score, mark
    return delimiter


def _sample_rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows, as far as they can be read."""
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        rows.extend(
            itertools.islice(csv.reader(io.StringIO(text[:SAMPLE_CHARS], newline=""), delimiter=delimiter), SAMPLE_ROWS)
        )
    return [row for row in rows if row]


def _read_rows(path: File, text: str, skipped: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    # Python's limit is one for the whole process; it is only ever raised.
    csv.field_size_limit(max(MAX_CELL_CHARS, csv.field_size_limit()))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num + skipped, cells
    except csv.Error as error:
        reason = f"its line {reader.line_num + skipped} is not a table row ({error})"
        raise UnreadableFile(str(path), reason, "Check for a missing quotation mark there.") from error


def _build_document(table: TableHeader, cells: Sequence[str], *, kind: SourceKind) -> Document:
    row: dict[str, str] = {}
    for name, cell in zip(table.names, cells, strict=False):
        # Of columns of one name, all count.
        row[name] = f"{row[name]}; {cell}" if row.get(name) else cell
    page = DocumentBuilder()
    depth = _write_row(table, cells, row, page)
    if not page.text:
        raise InvalidRecord("it is empty")
    title = row.get("title", "").strip() or row.get("name", "").strip() or table.name
    id = row.get("id", "").strip() or f"row:{hashlib.sha256(page.text.encode()).hexdigest()[:20]}"
    reference = build_reference(row, id=id, title=" ".join(title.split()), kind=kind, depth=depth)
    return page.build(reference)


def _write_row(table: TableHeader, cells: Sequence[str], row: Mapping[str, str], page: DocumentBuilder) -> ReadingDepth:
    """Put a row on a page: its author's long text, or its values under the names of their columns."""
    long = next((name for name in TEXT_COLUMNS if name in row), "")
    if not (table.template or long):
        page.add_block(name_values(table.columns, cells))
        return "record"
    # A comma within a value that is not quoted moves all behind it.
    if any(cell.strip() for cell in cells[len(table.columns) :]):
        raise InvalidRecord(f"it has {len(cells)} cells; the header has {len(table.columns)} columns")
    if table.template:
        page.add_block(_fill_template(table.template, row))
    else:
        # Of several lines, only the long ones can be quoted.
        lines = [line.strip() for line in row[long].split("\n") if line.strip()]
        if lines and lines[0][0] in ",;:.!?)]":
            raise InvalidRecord("its text starts in the middle of a sentence")
        for line in lines:
            if len(lines) > 1 and len(line) < MIN_CHARS:
                page.add_heading(line)
            else:
                page.add_block(line)
        return "full text"
    return "record"


def _fill_template(template: str, row: Mapping[str, str]) -> str:
    """The template with the values of a row: names are looked up and nothing else, so a value cannot be a template."""

    def fill_placeholder(place: re.Match[str]) -> str:
        found = " ".join(row.get(place[1].strip().casefold(), "").split())
        if not found:
            raise InvalidRecord(f"its {place[1].strip()} is empty")
        return found

    return PLACEHOLDER.sub(fill_placeholder, template)
