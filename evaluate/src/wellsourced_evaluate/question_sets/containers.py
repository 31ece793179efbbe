"""Files by their format: JSON lines, one JSON document, a table, a workbook, XML; and the records in them."""

import csv
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import (
    MB,
    RECORD_LIMIT,
    DecompressedFile,
    iter_lines,
    read_whole_bytes,
    read_whole_text,
)
from wellsourced.readers.xml_records import root_name
from wellsourced_evaluate.questions.case_rows import BadRow
from wellsourced_evaluate.recorded_rows import parse_object

Container = Literal["lines", "json", "table", "workbook", "xml"]

CONTAINERS: Mapping[Container, str] = {
    **{"lines": "JSON lines", "json": "one JSON document", "table": "a table"},
    **{"workbook": "an Excel workbook", "xml": "XML"},
}
"""What each is called."""

SAMPLE_BYTES = 4 * MB
"""At least one line of JSON lines is no longer; a document on one line may be."""

SAMPLE_LINES, SAMPLE_MEMBERS = 20, 12
"""Lines, and members of a document, of which the fields are looked at to know what they are."""

DOCUMENT_LIMIT = 1024 * MB
"""Bytes that one JSON document may unpack to: some sets are a single object of half a gigabyte."""

MAX_CELL_CHARS = 8 * MB

WORKBOOK_LIMIT = 32 * MB
"""Bytes that one part of a workbook may unpack to; a set of 3,000 questions has 0.3 MB."""

MAX_CELLS = 4_000_000
CELL_PLACE = re.compile(rb"""\br\s*=\s*["']([A-Z]{0,3})(\d{1,7})["']""")
"""Of a cell ("AB12") or a row ("12") of a sheet."""

JSON_REMEDY = "See whether the file was written to the end, or fetch it again."
WORKBOOK_REMEDY = "Open it in a spreadsheet program and save it as .xlsx or as CSV in UTF-8."
LFS_POINTER = b"version https://git-lfs.github.com/"


class SetRecord(NamedTuple):
    """A record of a file.

    where   its place, for messages: "line 3", "record 7 (21645374)"
    value   its content; a BadRow where it cannot be read
    """

    where: str
    value: Any


class FileGlimpse(NamedTuple):
    """What the beginning of a file tells.

    containers   what it may be: one line of JSON may be a document, or lines
    keys         fields of its first records; names of columns; members of a document
    is_array     whether it is one JSON array
    """

    name: str
    containers: frozenset[Container]
    keys: frozenset[str]
    is_array: bool = False


def glimpse_file(path: Path) -> FileGlimpse:
    """Tell what kind of file it is. Raises UnreadableFile for an empty one, and for what cannot be opened."""
    with DecompressedFile(path, RECORD_LIMIT) as unpacked:
        start = io.BufferedReader(unpacked).read(SAMPLE_BYTES) or b""
    if not start.strip():
        raise UnreadableFile(path, "it is empty", "Fetch it again, or name another file.")
    if start.startswith(LFS_POINTER):
        reason = "it is a pointer of Git LFS, not the file itself"
        raise UnreadableFile(path, reason, "Get it with `git lfs pull`, or download the file itself.")
    if start.startswith(b"PK\x03\x04"):
        rows, _ = read_first_sheet(path)
        return FileGlimpse(path.name, frozenset(("workbook",)), frozenset(next(iter(rows.values()), ())))
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"<":
        return FileGlimpse(path.name, frozenset(("xml",)), frozenset((root_name(path),)))
    if text[:1] in (b"{", b"["):
        return _glimpse_json(path, text, is_array=text[:1] == b"[")
    header = next(iter(read_table_cells(path)), (0, []))[1]
    return FileGlimpse(path.name, frozenset(("table",)), frozenset(cell.strip() for cell in header))


def _glimpse_json(path: Path, start: bytes, *, is_array: bool) -> FileGlimpse:
    """An object on each line is lines, also where some are broken; on one line alone it is lines or a document."""
    lines = [] if is_array else [line for line in start.splitlines() if line.strip()][:SAMPLE_LINES]
    objects = {}
    for at, line in enumerate(lines):
        # Within a document objects are set in, or have commas behind them.
        with suppress(ValueError):
            objects[at] = parse_object(line if line[:1] == b"{" else b"")
    if len(lines) > 1 and (0 in objects or len(objects) > 1):
        return FileGlimpse(path.name, frozenset(("lines",)), frozenset(key for one in objects.values() for key in one))
    containers: frozenset[Container] = frozenset(("lines", "json") if objects and len(lines) == 1 else ("json",))
    return FileGlimpse(path.name, containers, frozenset(_document_keys(path)), is_array)


def _document_keys(path: Path) -> Iterator[str]:
    """The keys of the first members, and of the first objects in them."""
    for key, value in islice(iter_members(path), SAMPLE_MEMBERS):
        yield key
        within = next(iter(value), None) if isinstance(value, list) else value
        if isinstance(within, dict):
            yield from islice(within, 50)
            inner = next(iter(within.values()), None)
            yield from islice(inner, 50) if isinstance(inner, dict) else ()


def read_records(path: Path, container: Container, columns: Sequence[str] = ()) -> Iterator[SetRecord]:
    """The records of a file; one that cannot be read is a BadRow. Raises UnreadableFile for the file as a whole.

    columns   what the columns of a table are called that has no header
    """
    match container:
        case "lines":
            return _read_line_records(path)
        case "json":
            return key_records(iter_members(path))
        case "workbook":
            return _read_row_records(path, read_first_sheet(path)[0].items(), "row", columns)
        case "table":
            return _read_row_records(path, read_table_cells(path), "line", columns)
        case "xml":
            raise UnreadableFile(path, "it is XML, of which this set has none", "Name another file.")


def read_member(path: Path, member: str) -> Iterator[SetRecord]:
    """The records within one member of a document. Raises UnreadableFile where it is not there, or has none."""
    found = next((value for key, value in iter_members(path) if key == member), None)
    if not isinstance(found, dict | list):
        remedy = "Name another file, or another set with --format."
        raise UnreadableFile(path, f"it has no “{member}” with questions", remedy)
    members = found.items() if isinstance(found, dict) else ((str(at), one) for at, one in enumerate(found, 1))
    for where, value in key_records(members):
        yield SetRecord(f"{member}, {where}", value)


def key_records(members: Iterable[tuple[str, Any]]) -> Iterator[SetRecord]:
    """Members of an object or an array as records, each with its key or number as `_key`."""
    for number, (key, value) in enumerate(members, 1):
        where = f"record {number}" if key == str(number) else f"record {number} ({key[:60]})"
        yield SetRecord(where, {**value, "_key": key} if isinstance(value, dict) else value)


def add_fields(records: Iterable[SetRecord], more: Mapping[str, Any]) -> Iterator[SetRecord]:
    """The records with further fields."""
    for where, value in records:
        yield SetRecord(where, {**value, **more} if isinstance(value, dict) else value)


def _read_line_records(path: Path) -> Iterator[SetRecord]:
    for number, line in iter_lines(path):
        try:
            yield SetRecord(f"line {number}", parse_object(line))
        except ValueError as fault:
            yield SetRecord(f"line {number}", BadRow(str(fault)))


def _read_row_records(
    path: Path, rows: Iterable[tuple[int, list[str]]], word: str, columns: Sequence[str]
) -> Iterator[SetRecord]:
    """Each row as an object, by the names in the first; a sheet leaves out empty cells at its end."""
    header = list(columns)
    for number, cells in rows:
        if not header:
            header = [cell.strip() for cell in cells]
            if twice := next((name for name in header if name and header.count(name) > 1), None):
                fault = f"line 1: its header names “{twice}” twice"
                raise UnreadableFile(path, fault, "Give each column a different name.")
            continue
        width = max(at for at, name in enumerate(header, 1) if name)
        if (word == "line" and len(cells) < width) or any(cell.strip() for cell in cells[len(header) :]):
            fault = f"it has {len(cells)} cells, and not {len(header)}{_suggest_delimiter(cells)}"
            yield SetRecord(f"{word} {number}", BadRow(fault))
            continue
        filled = zip_longest(header, cells[: len(header)], fillvalue="")
        yield SetRecord(f"{word} {number}", {name: cell for name, cell in filled if name})


def read_table_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line on which it ends, cells) of each row of a table, cut at commas; at tabs in a .tsv.

    Raises UnreadableFile where it is not UTF-8, and where a quotation mark is not closed.
    """
    csv.field_size_limit(max(MAX_CELL_CHARS, csv.field_size_limit()))
    delimiter = "\t" if ".tsv" in path.name.lower() else ","
    reader = csv.reader(io.StringIO(read_whole_text(path), newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        reason = f"line {reader.line_num}: it is not a row of a table ({error})"
        raise UnreadableFile(path, reason, "See whether a quotation mark is missing there.") from error


def _suggest_delimiter(cells: Sequence[str]) -> str:
    """Name the mark that may divide the cells of a row which is one cell."""
    found = re.search(r"[;\t|]", cells[0]) if len(cells) == 1 else None
    names = {";": "semicolons", "\t": "tabs", "|": "bars"}
    return f"; its cells seem to be divided by {names[found[0]]}: save it with commas" if found else ""


# --- the members of one JSON document -------------------------------------------------------------------------------


def iter_members(path: Path) -> Iterator[tuple[str, Any]]:
    """(key, or number from 1, and value) of each member of the one object or array in a file.

    Raises UnreadableFile where the JSON is broken, breaks off or has a key twice in one object.
    """
    try:
        whole = json.loads(read_whole_bytes(path, DOCUMENT_LIMIT).decode("utf-8-sig"), object_pairs_hook=_build_object)
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 text (byte {error.object[error.start]:#04x})"
        raise UnreadableFile(path, reason, "Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(path, f"it is not JSON ({error})", JSON_REMEDY) from error
    if not isinstance(whole, dict | list):
        raise UnreadableFile(path, "it is not JSON (there is neither an object nor an array)", JSON_REMEDY)
    yield from whole.items() if isinstance(whole, dict) else ((str(at), one) for at, one in enumerate(whole, 1))


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON allows a key to stand twice, and one of the two values would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"an object has “{name}” twice")
    return made


# --- workbooks -----------------------------------------------------------------------------------------------------


def read_first_sheet(path: Path) -> tuple[dict[int, list[str]], int]:
    """The first sheet of an Excel workbook (.xlsx), number of a row → its cells, and how many further sheets it has.

    Text is as it is, a whole number has no point, an empty cell is ""; rows without anything are left out. Raises
    UnreadableFile.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    data = read_whole_bytes(path, WORKBOOK_LIMIT)
    try:
        _check_parts(path, data)
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        table = book.get_sheet_by_index(0).to_python(skip_empty_area=False) if book.sheet_names else []
    except (zipfile.BadZipFile, zlib.error, CalamineError, OSError, EOFError, ValueError, RuntimeError) as error:
        reason = f"it is not an Excel workbook, or damaged ({error})"
        raise UnreadableFile(path, reason, WORKBOOK_REMEDY) from error
    rows = {number: [_spell_cell(cell) for cell in cells] for number, cells in enumerate(table, 1)}
    return {number: cells for number, cells in rows.items() if any(cells)}, len(book.sheet_names) - 1


def _check_parts(path: Path, data: bytes) -> None:
    """Refuse what unpacks to too much, and what is not as it was packed. Raises UnreadableFile and BadZipFile."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for part in archive.infolist():
            if part.file_size > WORKBOOK_LIMIT:
                reason = f"its part {part.filename} unpacks to more than {WORKBOOK_LIMIT // MB} MB"
                raise UnreadableFile(path, reason, "Split it.")
            content = archive.read(part)
            if "worksheets/" in part.filename and _count_cells(content) > MAX_CELLS:
                raise UnreadableFile(path, f"its part {part.filename} has more than {MAX_CELLS:,} cells", "Split it.")


def _count_cells(sheet: bytes) -> int:
    """The cells of the rectangle in which a sheet has anything: they are all made room for, however few are filled."""
    places = [(letters.decode(), int(row)) for letters, row in CELL_PLACE.findall(sheet)]
    # Columns are called A, …, Z, AA, …: numbers to the base of 26 without a zero.
    widths = (reduce(lambda number, letter: number * 26 + ord(letter) - 64, letters, 0) for letters, _ in places)
    return max(widths, default=0) * max((row for _, row in places), default=0)


def _spell_cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
