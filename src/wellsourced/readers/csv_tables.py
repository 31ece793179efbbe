"""Tables (.csv, .tsv): every row a sentence, by a template; long texts in a column as they are."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import (
    DocumentStream,
    File,
    InvalidRecord,
    UnreadablePart,
    file_title,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import MB, detect_encoding, read_whole_bytes
from wellsourced.readers.document_builder import DocumentBuilder, build_reference
from wellsourced.readers.file_listing import read_companion
from wellsourced.types import Document, ReadingDepth, SourceKind

MAX_CELL_CHARS = 8 * MB
"""Characters of one cell, at most; the longest entries of OMIM have 0.3 MB."""

MAX_COLUMNS = 1_000

MIN_CHARS = 100
"""Characters of a line that can be quoted, where a cell holds several lines; shorter ones are headings and marks."""

TEXT_COLUMNS = ("text", "description", "content", "body", "abstract")
ENTITY_COLUMNS = {
    "gene": ("gene", "hugo symbol", "gene symbol"),
    "alteration": ("alteration", "alterations", "variant", "mutation"),
    "cancer": ("cancer", "cancer type", "cancer types", "tumor type", "tumour type"),
    "drug": ("drug", "drugs", "drugs (for therapeutic implications only)", "therapy"),
    "level": ("level", "evidence level", "level of evidence"),
}
"""What the columns of a table of actionable alterations are called, as OncoKB's are."""

LEVEL_SENTENCES = {
    "1": "{drug} is recommended for {cancer} with {gene} {alteration}: it is approved for this (level 1).",
    "2": "{drug} is recommended for {cancer} with {gene} {alteration}: it is standard care (level 2).",
    "3A": "{drug} may be recommended for {cancer} with {gene} {alteration} on clinical evidence (level 3A).",
    "3B": "{drug} may be recommended for {cancer} with {gene} {alteration} on evidence from another cancer (level 3B).",
    "4": "{drug} may be recommended for {cancer} with {gene} {alteration} on biological evidence alone (level 4).",
    "R1": "{cancer} with {gene} {alteration} is resistant to {drug}: this is standard knowledge (level R1).",
    "R2": "{cancer} with {gene} {alteration} may be resistant to {drug}, on clinical evidence (level R2).",
}
"""One for each level of OncoKB; "3" is read as 3A, the stronger of its halves being the one that the number names."""

ROW_REMEDY = "Fix the row and add the file again."
PLACEHOLDER = re.compile(r"\{([^{}]{1,200})\}")


class TableHeader(NamedTuple):
    """What is known before the first row.

    columns    as the header spells them
    template   with {column} in it; "" where there is none
    """

    name: str
    columns: tuple[str, ...]
    template: str


@salvage_documents
def read_table(path: File, kind: SourceKind) -> DocumentStream:
    """A document a row: a row is what is looked up, changes and is cited by itself.

    Its text is, the first that applies: what the template says that lies beside the file (NAME.template.txt beside
    NAME.csv) or in its first line ("# template: …"), with {column} for the value of a column; for a table with a gene,
    an alteration, a cancer, a drug and an OncoKB level, a sentence that recommends or warns; for one with a column
    `text` (description, content, body, abstract), that column, of whose lines only those of 100 characters can be
    quoted when there are several; else "Column: value; …". Rows of equal words are one document.
    The id is the column `id`, else the hash of the words. A file that is not UTF-8 is read as Windows-1252, and told.
    """
    text, fault = _decode_table(path)
    yield from read_rows(*_open_table(path, text), kind)
    if fault:
        yield fault


def read_rows(
    table: TableHeader, rows: Iterable[tuple[int, Sequence[str]]], kind: SourceKind, place: str = "line"
) -> DocumentStream:
    """A document for each of the numbered rows of a table, as `read_table` has them; `place` is what is numbered."""
    seen: set[str] = set()
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        try:
            document = _build_document(table, cells, kind)
        except InvalidRecord as unfit:
            yield UnreadablePart(f"{place} {line}", str(unfit), ROW_REMEDY)
            continue
        if document.reference.id not in seen:
            seen.add(document.reference.id)
            yield document
        elif not document.reference.id.startswith("row:"):
            reason = f"its id {document.reference.id[:80]!r} already belongs to an earlier row"
            yield UnreadablePart(f"{place} {line}", reason, ROW_REMEDY)


def _decode_table(path: File) -> tuple[str, UnreadablePart | None]:
    data = read_whole_bytes(path)
    try:
        return normalize_line_ends(data.decode(detect_encoding(data)).removeprefix("\ufeff")), None
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 (byte {error.start}) and was read as Windows-1252: accents may be wrong"
        fault = UnreadablePart("the whole file", reason, "Save it as UTF-8.")
        return normalize_line_ends(data.decode("cp1252", "replace")), fault


def _open_table(path: File, text: str) -> tuple[TableHeader, Iterator[tuple[int, list[str]]]]:
    """(what the file says first, its rows with the line on which each ends)."""
    skipped = 0
    template = read_companion(path, (".template.txt",))
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        skipped += 1
        told = re.match(r"#\s*template:\s*(.+)", line, re.IGNORECASE)
        template = told[1].strip() if told else template
    rows = _read_rows(path, text, skipped)
    _, header = next(rows, (0, []))
    columns = tuple(" ".join(cell.split()) for cell in header)
    if not any(columns) or len(columns) > MAX_COLUMNS:
        raise UnreadableFile(str(path), "its first line has no column names", "Add the column names there.")
    known = {column.casefold() for column in columns}
    unknown = [name for name in PLACEHOLDER.findall(template) if name.strip().casefold() not in known]
    if unknown or (template and not PLACEHOLDER.search(template)):
        reason = f"its template uses an unknown column {unknown[0]!r}" if unknown else "its template uses no column"
        raise UnreadableFile(str(path), reason, f"Columns: {', '.join(columns)}. Write them as {{{columns[0]}}}.")
    return TableHeader(file_title(path), columns, template), rows


def _read_rows(path: File, text: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    # Python's limit is one for the whole process; it is only ever raised.
    csv.field_size_limit(max(MAX_CELL_CHARS, csv.field_size_limit()))
    delimiter = "\t"
    if ".tsv" not in path.name.lower():
        # What parts the columns of the header line, quoted ones left out.
        header = re.sub(r'"[^"]*"', "", text[:100_000].partition("\n")[0])
        delimiter = max("\t;,|", key=header.count) if re.search(r"[\t;,|]", header) else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num + skipped, cells
    except csv.Error as error:
        reason = f"its line {reader.line_num + skipped} is not a table row ({error})"
        raise UnreadableFile(str(path), reason, "Check for a missing quotation mark there.") from error


def _build_document(table: TableHeader, cells: Sequence[str], kind: SourceKind) -> Document:
    if any(cell.strip() for cell in cells[len(table.columns) :]):
        raise InvalidRecord(f"it has {len(cells)} cells; the header has {len(table.columns)} columns")
    row = {column.casefold(): " ".join(cell.split(" ")) for column, cell in zip(table.columns, cells, strict=False)}
    page = DocumentBuilder()
    depth = _write_row(table, row, page)
    if not page.text:
        raise InvalidRecord("it is empty")
    title = row.get("title", "").strip() or row.get("name", "").strip() or table.name
    id = row.get("id", "").strip() or f"row:{hashlib.sha256(page.text.encode()).hexdigest()[:20]}"
    reference = build_reference(row, id=id, title=" ".join(title.split()), kind=kind, depth=depth)
    return page.build(reference)


def _write_row(table: TableHeader, row: Mapping[str, str], page: DocumentBuilder) -> ReadingDepth:
    """Put a row on a page. A long text is its author's; every other row is a sentence of ours."""
    # The four entities and the level of a table of actionable alterations.
    columns = {part: next((name for name in names if name in row), "") for part, names in ENTITY_COLUMNS.items()}
    long = next((name for name in TEXT_COLUMNS if name in row), "")
    if table.template:
        page.add_block(_fill_template(table.template, row))
    elif all(columns.values()):
        page.add_block(_level_sentence({part: " ".join(row[name].split()) for part, name in columns.items()}))
    elif long:
        # Of several lines, only the long ones can be quoted.
        lines = [line.strip() for line in row[long].split("\n") if line.strip()]
        if lines and re.match(r"[,;:.!?)\]]", lines[0]):
            raise InvalidRecord("its text starts in the middle of a sentence")
        for line in lines:
            if len(lines) > 1 and len(line) < MIN_CHARS:
                page.add_heading(line)
            else:
                page.add_block(line)
        return "full text"
    else:
        pairs = ((column, " ".join(row.get(column.casefold(), "").split())) for column in table.columns)
        page.add_block("; ".join(f"{column}: {value}" if column else value for column, value in pairs if value))
    return "record"


def _level_sentence(entities: Mapping[str, str]) -> str:
    empty = [part for part, value in entities.items() if not re.search(r"\w", value)]
    if empty:
        raise InvalidRecord(f"its {empty[0]} is missing")
    level = re.sub(r"^LEVEL[ _]*", "", entities["level"].upper())
    sentence = LEVEL_SENTENCES.get("3A" if level == "3" else level)
    if sentence is None:
        raise InvalidRecord(f"its level {entities['level'][:40]!r} is not one of {', '.join(LEVEL_SENTENCES)}")
    words = _fill_template(sentence, entities)
    return words[0].upper() + words[1:]


def _fill_template(template: str, row: Mapping[str, str]) -> str:
    """The template with the values of a row: names are looked up and nothing else, so a value cannot be a template."""

    def fill_placeholder(place: re.Match[str]) -> str:
        found = " ".join(row.get(place[1].strip().casefold(), "").split())
        if not found:
            raise InvalidRecord(f"its {place[1].strip()} is empty")
        return found

    return PLACEHOLDER.sub(fill_placeholder, template)
