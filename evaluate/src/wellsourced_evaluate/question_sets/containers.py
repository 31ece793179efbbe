"""Files by what is in them: JSON lines, one JSON document, a table, a workbook, XML; and their records."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.decompressed_file import MB, RECORD_LIMIT, DecompressedFile, iter_lines, read_whole_text
from wellsourced.readers.xml_records import root_name
from wellsourced_evaluate.question_sets.base import Container, Row, SetForm, SetRecord
from wellsourced_evaluate.question_sets.json_documents import iter_keyed_records, iter_members
from wellsourced_evaluate.question_sets.workbook import read_first_sheet
from wellsourced_evaluate.questions.case_rows import BadRow, parse_row

SAMPLE_BYTES = 4 * MB
"""At least one line of JSON lines is no longer; a document on one line may be."""

SAMPLE_LINES, SAMPLE_MEMBERS = 20, 12
"""Lines, and members of a document, of which the fields are looked at to know what they are."""

MAX_CELL_CHARS = 8 * MB

LFS_POINTER = b"version https://git-lfs.github.com/"


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
    """What kind of file it is. Raises UnreadableFile for an empty one, and for what cannot be opened."""
    start = _read_start(path)
    if not start.strip():
        raise UnreadableFile(path, "it is empty", "Fetch it again, or name another file.")
    if start.startswith(LFS_POINTER):
        reason = "it is a pointer of Git LFS, and not the file that it stands for"
        raise UnreadableFile(path, reason, "Get it with `git lfs pull`, or download the file itself.")
    if start.startswith(b"PK\x03\x04"):
        rows = read_first_sheet(path).rows
        return FileGlimpse(path.name, frozenset(("workbook",)), frozenset(next(iter(rows.values()), ())))
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"<":
        return FileGlimpse(path.name, frozenset(("xml",)), frozenset((root_name(path),)))
    if text[:1] in (b"{", b"["):
        return _glimpse_json(path, text, is_array=text[:1] == b"[")
    header = next(iter(read_table_cells(path)), (0, []))[1]
    return FileGlimpse(path.name, frozenset(("table",)), frozenset(cell.strip() for cell in header))


def _read_start(path: Path) -> bytes:
    with DecompressedFile(path, RECORD_LIMIT) as unpacked:
        return io.BufferedReader(unpacked).read(SAMPLE_BYTES) or b""


def _glimpse_json(path: Path, start: bytes, *, is_array: bool) -> FileGlimpse:
    """An object on each line is lines, also where some are broken; on one line alone it is lines or a document."""
    lines = [] if is_array else [line for line in start.splitlines() if line.strip()][:SAMPLE_LINES]
    objects = {}
    for at, line in enumerate(lines):
        # Within a document objects are set in, or have commas behind them.
        with suppress(BadRow):
            objects[at] = parse_row(line if line[:1] == b"{" else b"")
    found = list(objects.values())
    if len(lines) > 1 and (0 in objects or len(found) > 1):
        return FileGlimpse(path.name, frozenset(("lines",)), frozenset(key for one in found for key in one))
    containers: frozenset[Container] = frozenset(("lines", "json") if found and len(lines) == 1 else ("json",))
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


def read_records(path: Path, container: Container) -> Iterator[SetRecord]:
    """The records of a file; one that cannot be read is a BadRow. Raises UnreadableFile for the file as a whole."""
    match container:
        case "lines":
            return _read_line_records(path)
        case "json":
            return iter_keyed_records(path)
        case "workbook":
            return _read_row_records(path, read_first_sheet(path).rows.items(), "row")
        case "table":
            return _read_row_records(path, read_table_cells(path), "line")
        case "xml":
            raise UnreadableFile(path, "it is XML, of which this set has none", "Name another file.")


def read_numbered(path: Path, container: Container, first: int = 0) -> Iterator[SetRecord]:
    """The records of a set that has no ids: each with its place in the file as `_number`."""
    for number, (where, said) in enumerate(read_records(path, container), first):
        yield SetRecord(where, {**said, "_number": number} if isinstance(said, dict) else said)


def sheet_forms(
    file: str, translate: Callable[[Any], Row], markers: tuple[str, ...], names: str = "", *, numbered: bool = False
) -> tuple[SetForm, SetForm]:
    """A workbook as it was published, and a table with its columns."""

    def describe(name: str, about: str, container: Container) -> SetForm:
        read = partial(read_numbered, container=container, first=1) if numbered else None
        return SetForm(name, about, container, translate, markers, names, read)

    return describe("release", file, "workbook"), describe("table", "the same as CSV", "table")


def _read_line_records(path: Path) -> Iterator[SetRecord]:
    for number, line in iter_lines(path):
        try:
            yield SetRecord(f"line {number}", parse_row(line))
        except BadRow as bad:
            yield SetRecord(f"line {number}", bad)


def _read_row_records(path: Path, rows: Iterable[tuple[int, list[str]]], word: str) -> Iterator[SetRecord]:
    """Each row below the first as an object, by the names in the first; a sheet leaves out empty cells at its end."""
    header: list[str] = []
    for number, cells in rows:
        if not header:
            header = [cell.strip() for cell in cells]
            _check_header(path, header)
            width = max(at for at, name in enumerate(header, 1) if name)
            continue
        short = word == "line" and len(cells) < width
        if short or any(cell.strip() for cell in cells[len(header) :]):
            said = f"it has {len(cells)} cells, and the header {len(header)}{suggest_delimiter(cells)}"
            yield SetRecord(f"{word} {number}", BadRow(said))
            continue
        filled = [*cells, *[""] * (len(header) - len(cells))]
        yield SetRecord(f"{word} {number}", {name: cell for name, cell in zip(header, filled, strict=False) if name})


def _check_header(path: Path, header: Sequence[str]) -> None:
    names = [name for name in header if name]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UnreadableFile(path, f"line 1: its header names “{twice}” twice", "Give each column a name of its own.")


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
        reason = f"line {reader.line_num}: it is no row of a table ({error})"
        raise UnreadableFile(path, reason, "See whether a quotation mark is missing there.") from error


def suggest_delimiter(cells: Sequence[str]) -> str:
    """What to say of a row that is one cell: by what its cells may be divided instead."""
    found = re.search(r"[;\t|]", cells[0]) if len(cells) == 1 else None
    names = {";": "semicolons", "\t": "tabs", "|": "bars"}
    return f"; its cells seem to be divided by {names[found[0]]}: save it with commas" if found else ""
