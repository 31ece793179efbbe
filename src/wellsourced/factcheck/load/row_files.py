"""Files of rows: JSON lines, a JSON list, or a table with a header. A row that is none costs nothing but itself."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File
from wellsourced.readers.decompressed_file import MB, iter_lines, read_whole_text

LINE_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
TABLE_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")

MAX_CELL_CHARS = 8 * MB

NO_OBJECT = "it is no JSON object"

NumberedRow = tuple[int, Mapping[str, Any] | str]
"""The number of a row and its fields, or what is wrong with it."""


class RejectedRow(NamedTuple):
    """A row that cannot be used, and why."""

    row: int
    reason: str


def holds_rows(name: str, data: bytes = b"") -> bool:
    """Whether a file is one of rows, by its ending; a .json file, by its first sign."""
    lower = name.lower()
    return lower.endswith((*LINE_ENDINGS, *TABLE_ENDINGS)) or (lower.endswith(".json") and data.lstrip()[:1] == b"[")


def read_rows(file: File) -> Iterator[NumberedRow]:
    """Each row: of lines counted from 1, of a table as a spreadsheet counts, with the header.

    Raises UnreadableFile for a file that is no text, or no JSON at all.
    """
    lower = str(file).lower()
    if lower.endswith(TABLE_ENDINGS):
        return _read_table(file)
    return _read_lines(file) if lower.endswith(LINE_ENDINGS) else _read_list(file)


def _read_lines(file: File) -> Iterator[NumberedRow]:
    for number, line in iter_lines(file):
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            yield number, "it is not UTF-8"
        except (ValueError, RecursionError):
            yield number, "it is no JSON"
        else:
            yield number, value if isinstance(value, dict) else NO_OBJECT


def _read_list(file: File) -> Iterator[NumberedRow]:
    try:
        values = json.loads(read_whole_text(file))
        values = values if isinstance(values, list) else [values]
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(str(file), "it is no JSON", "Save it as JSON lines: an object on each line.") from error
    yield from ((number, value if isinstance(value, dict) else NO_OBJECT) for number, value in enumerate(values, 1))


def _read_table(file: File) -> Iterator[NumberedRow]:
    """The cells of each row by their columns, or what is wrong with it."""
    text = read_whole_text(file)
    # Python's limit is one for the whole process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL_CHARS))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text.partition("\n")[0]))
    columns = next(rows, [])
    number = 1
    while True:
        number += 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"it is no row of a table ({error})"
            continue
        # Spreadsheets end in rows of empty cells.
        if any(cell.strip() for cell in cells):
            yield number, _place_cells(columns, cells)


def _place_cells(columns: Sequence[str], cells: Sequence[str]) -> Mapping[str, str] | str:
    # More cells than columns: a separator stood in a text without quotes, and every field behind it is another.
    if any(cell.strip() for cell in cells[len(columns) :]):
        return f"it has {len(cells)} cells, and the header names {len(columns)} columns"
    return dict(zip(columns, cells, strict=False))


def _find_delimiter(header: str) -> str:
    return max("\t;,", key=header.count)
