"""The rows of the first sheet of an Excel workbook (.xlsx, ECMA-376): text as it stands, numbers as they are stored."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.decompressed_file import MB, read_whole_bytes
from wellsourced.readers.xml_records import Element, iter_records, local_name, root_name

PART_LIMIT = 32 * MB
"""Bytes that one part of a workbook may unpack to; a set of 3,000 questions has 0.3 MB."""

MAX_COLUMNS = 1_000
REMEDY = "Open it in a spreadsheet program and save it as .xlsx or as CSV in UTF-8."


class WorkbookSheet(NamedTuple):
    """A sheet that is read.

    rows     number of a row → its cells, those that are empty as ""
    others   how many sheets the workbook has beside it
    """

    rows: dict[int, list[str]]
    others: int


def read_first_sheet(path: Path) -> WorkbookSheet:
    """The rows of the first sheet that have anything in them. Raises UnreadableFile."""
    data = read_whole_bytes(path, PART_LIMIT)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            sheets = sorted(
                (name for name in names if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name)),
                key=lambda name: int(re.sub(r"\D", "", name)),
            )
            if not sheets:
                raise UnreadableFile(path, "it is a ZIP file without a sheet of Excel's", REMEDY)
            shared = list(_read_strings(path, archive)) if "xl/sharedStrings.xml" in names else []
            rows = dict(_read_rows(_open_part(path, archive, sheets[0]), shared))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableFile(path, f"it is no Excel workbook, or a damaged one ({error})", REMEDY) from error
    except (ValueError, IndexError) as error:
        raise UnreadableFile(path, f"a cell of its sheet cannot be read ({error})", REMEDY) from error
    return WorkbookSheet({number: cells for number, cells in rows.items() if any(cells)}, len(sheets) - 1)


def _open_part(path: Path, archive: zipfile.ZipFile, name: str) -> InMemoryFile:
    """A part, of which it is known how large it becomes before it is unpacked, and that it declares no entities."""
    if archive.getinfo(name).file_size > PART_LIMIT:
        raise UnreadableFile(path, f"its part {name} unpacks to more than {PART_LIMIT // MB} MB", "Split it.")
    part = InMemoryFile(f"{path}/{name}", archive.read(name))
    root_name(part)
    return part


def _read_strings(path: Path, archive: zipfile.ZipFile) -> Iterator[str]:
    for item in iter_records(_open_part(path, archive, "xl/sharedStrings.xml"), ("si",)):
        yield _join_text(item)


def _join_text(element: Element) -> str:
    """The words of a string, which may be in several runs; how they are pronounced (rPh) left out."""
    texts = [
        one.text or ""
        for one in element.iter("{*}t")
        if not any(local_name(around) == "rPh" for around in one.iterancestors())
    ]
    return "".join(texts).strip()


def _read_rows(part: InMemoryFile, shared: list[str]) -> Iterator[tuple[int, list[str]]]:
    for count, row in enumerate(iter_records(part, ("row",)), 1):
        cells: list[str] = []
        for cell in row.findall("{*}c"):
            column = _column_index(cell.get("r") or "") if cell.get("r") else len(cells)
            if not len(cells) <= column < MAX_COLUMNS:
                raise ValueError(f"the cell {cell.get('r')} is out of order")
            cells += [""] * (column - len(cells)) + [_read_cell(cell, shared)]
        yield int(row.get("r") or count), cells


def _column_index(reference: str) -> int:
    """0 of "A1", 27 of "AB7"."""
    index = 0
    for letter in re.match(r"[A-Z]*", reference)[0]:  # type: ignore[index]
        index = index * 26 + ord(letter) - ord("A") + 1
    return index - 1


def _read_cell(cell: Element, shared: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return _join_text(cell)
    value = cell.find("{*}v")
    text = (value.text or "").strip() if value is not None else ""
    return shared[int(text)] if cell.get("t") == "s" and text else text
