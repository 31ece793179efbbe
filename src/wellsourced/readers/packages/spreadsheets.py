"""Workbooks (.xlsx): a table is read row by row as a CSV file is; any other sheet is a document, as it is displayed."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import groupby
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.csv_tables import MAX_COLUMNS, TableHeader, read_rows
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.packages.office_parts import (
    Element,
    FileFormat,
    OfficePackage,
    OmittedContent,
    attribute,
    find_child,
    is_on,
    join_pieces,
    run_pieces,
)
from wellsourced.readers.table_rows import Cell, TableRow, table_lines
from wellsourced.readers.xml_records import local_name
from wellsourced.types import SourceKind

WORKBOOK_FORMAT = FileFormat("Excel", "Open it in a spreadsheet program and save it again as .xlsx.")

MAX_TAGS = 10_000_000
"""Tags in all of the XML: four for each cell."""

MAX_CELLS = 5_000_000
"""Cells of one sheet, the empty ones between others counted."""

SIGNIFICANT_DIGITS = 10
"""Digits that a cell without a format of its own displays of a fraction."""

FORMAT_CODES = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd"}
FORMAT_CODES |= {15: "yyyy-mm-dd", 16: "mm-dd", 17: "yyyy-mm", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm", 21: "h:mm:ss"}
FORMAT_CODES |= {22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss"}
FORMAT_CODES |= {46: "[h]:mm:ss", 47: "mm:ss", **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd")}
"""What the numbers of formats stand for that no file spells out."""

LITERAL = lazy_regex(r"\"([^\"]*)\"|\\(.)|\[(?![hms]+\])[^\]]*\]|[_*].", re.IGNORECASE)
"""Of a format: literal words, and colours, conditions and padding, which print none."""

PLACEHOLDERS = lazy_regex(r"[#0?][#0?,]*(?:\.([#0?]*))?(E[+-]0+)?")
CELL_PLACE = lazy_regex(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")


@salvage_documents
def read_xlsx(path: File, kind: SourceKind) -> DocumentStream:
    """A document a row of a sheet that is a table, as `read_table` has them; a document a sheet of any other.

    A table has the distinct names of its columns in the first row, and nothing but rows below. Cells read as they are
    displayed: rounded, with percent signs and units of their format; dates in ISO 8601. A merged cell stands in each
    cell that it covers. Hidden sheets are left out, and told, as are charts and formulas without a stored value.
    """
    package = OfficePackage(path, WORKBOOK_FORMAT, "workbook", MAX_TAGS)
    workbook = _Workbook(package)
    reference = package.build_reference(kind)
    for number, (name, part, is_hidden) in enumerate(workbook.sheets, 1):
        if is_hidden:
            yield UnreadablePart(f"sheet {name}", "it is hidden, and was left out", "Show it and save the file.")
            continue
        sheet, omitted = workbook.read_sheet(path, part)
        title = f"{reference.title}: {name}" if len(workbook.sheets) > 1 else reference.title
        if columns := sheet.column_names():
            table = TableHeader(title, columns, tuple(map(str.casefold, columns)), "")
            yield from read_rows(table, sheet.filled_rows(), kind, "row")
        elif sheet.rows or sheet.boxes:
            page = DocumentBuilder()
            sheet.write(page)
            id = f"{reference.id}-{number}" if number > 1 else reference.id
            yield page.build(reference.model_copy(update={"id": id, "title": title}))
        for fault in omitted.list_faults(sheet.joined_text()):
            yield fault._replace(where=f"sheet {name}, {fault.where}")


class _SheetCell(NamedTuple):
    """A cell that has words. rows, columns: how many it covers."""

    text: str
    is_text: bool
    is_bold: bool
    rows: int = 1
    columns: int = 1


class _Sheet(NamedTuple):
    """The cells that have words, by row and column from 1, and the texts that lie over them."""

    rows: dict[int, dict[int, _SheetCell]]
    boxes: list[str]

    def joined_text(self) -> str:
        return "\n".join(cell.text for row in self.rows.values() for cell in row.values())

    def column_names(self) -> tuple[str, ...]:
        """The names in the first row, if the sheet is a table and nothing else; else ()."""
        if len(self.rows) < 2 or self.boxes:
            return ()
        (first, names), *others = sorted(self.rows.items())
        left, right = min(names), max(names)
        texts = {cell.text.casefold() for cell in names.values() if cell.is_text and cell.columns == 1}
        if not 1 < len(texts) == len(names) == right - left + 1 <= MAX_COLUMNS or others[-1][0] - first != len(others):
            return ()
        # A row of one cell is a title or a remark, and a cell over columns the name of a group: no row of a table.
        rows = (row for _, row in others)
        if any(
            len(row) < 2 or min(row) < left or max(row) > right or any(cell.columns > 1 for cell in row.values())
            for row in rows
        ):
            return ()
        return tuple(names[column].text for column in range(left, right + 1))

    def filled_rows(self) -> Iterator[tuple[int, list[str]]]:
        """(number, cells) of the rows below the names of a table, what covers several in each of them."""
        (_, names), *others = sorted(self.rows.items())
        reaching: dict[int, tuple[int, str]] = {}  # column → (the last row that the cell covers, its words)
        for number, row in others:
            reaching |= {column: (number + cell.rows - 1, cell.text) for column, cell in row.items()}
            yield (
                number,
                [
                    text if last >= number else ""
                    for last, text in (reaching.get(at, (0, "")) for at in range(min(names), max(names) + 1))
                ],
            )

    def write(self, page: DocumentBuilder) -> None:
        """Put the sheet on a page: rows that follow each other are a table, below what stands alone in a row."""
        for _, group in groupby(enumerate(sorted(self.rows)), key=lambda pair: pair[1] - pair[0]):
            numbers = [number for _, number in group]
            tables = [place for place, number in enumerate(numbers) if len(self.rows[number]) > 1]
            start, end = (tables[0], tables[-1] + 1) if tables else (len(numbers), len(numbers))
            for number in numbers[:start]:
                self._write_alone(page, number, is_above=numbers[start:][:1] == [number + 1])
            page.add_block("\n".join(table_lines(self._table_rows(numbers[start:end]))))
            for number in numbers[end:]:
                self._write_alone(page, number, is_above=False)
        for box in self.boxes:
            page.add_block(box)

    def _write_alone(self, page: DocumentBuilder, number: int, *, is_above: bool) -> None:
        """A row of one cell: a heading where it is bold, or stands directly above a table, else a paragraph."""
        (cell,) = self.rows[number].values()
        if cell.is_text and (cell.is_bold or is_above):
            page.open_section(" ".join(cell.text.split()), 1)
        else:
            page.add_block(cell.text)

    def _table_rows(self, numbers: Sequence[int]) -> list[TableRow]:
        """The rows as cells in the columns that any of them uses; a first row in bold names the columns."""
        columns = sorted({column for number in numbers for column in self.rows[number]})
        covered: dict[int, int] = {}  # column → the last row that a cell from above covers
        rows: list[TableRow] = []
        for number in numbers:
            row, cells, behind = self.rows[number], [], 0
            for column in columns[: bisect_right(columns, max(row))]:
                if (cell := row.get(column)) is not None:
                    behind = column + cell.columns
                    inside = columns[bisect_left(columns, column) : bisect_left(columns, behind)]
                    covered |= dict.fromkeys(inside, number + cell.rows - 1)
                    cells.append(Cell(cell.text, cell.rows, len(inside)))
                elif column >= behind and covered.get(column, 0) < number:
                    cells.append(Cell(""))
            rows.append(TableRow(cells, not rows and all(cell.is_bold for cell in row.values())))
        return rows


class _Workbook:
    """What the sheets of a file share.

    sheets   (name, part, whether it is hidden) of each, in order
    """

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        main = package.root(package.main)
        self.sheets = [
            (sheet.get("name", ""), package.target(package.main, sheet), sheet.get("state", "visible") != "visible")
            for sheet in main.iterfind("{*}sheets/{*}sheet")
        ]
        self._epoch = (
            datetime(1904, 1, 1)
            if attribute(main.find("{*}workbookPr"), "date1904") in ("1", "true")
            else datetime(1899, 12, 30)
        )
        strings = (part for part in package.list_related(package.main, "sharedStrings"))
        self._strings = [_rich_text(one) for part in strings for one in package.root(part).iterchildren("{*}si")]
        self._formats: list[tuple[str, bool]] = []
        for part in package.list_related(package.main, "styles"):
            self._read_formats(package.root(part))

    def _read_formats(self, styles: Element) -> None:
        """(code of the format, whether it is bold) of each style of cells, in their order."""
        codes = {one.get("numFmtId"): one.get("formatCode", "") for one in styles.iterfind("{*}numFmts/{*}numFmt")}
        bold = [str(n) for n, font in enumerate(styles.iterfind("{*}fonts/{*}font")) if is_on(font.find("{*}b"))]
        for style in styles.iterfind("{*}cellXfs/{*}xf"):
            id = style.get("numFmtId", "0")
            code = codes.get(id) or FORMAT_CODES.get(int(id) if id.isdecimal() else 0, "")
            self._formats.append((code, style.get("fontId") in bold))

    def read_sheet(self, path: File, part: str) -> tuple[_Sheet, OmittedContent]:
        """The sheet in a part, and what of it is no text. Raises UnreadableFile."""
        rows: dict[int, dict[int, _SheetCell]] = {}
        omitted = OmittedContent()
        at = 0
        merges: list[str] = []
        for element in self._package.iter_elements(part, ("row", "mergeCell")):
            if local_name(element) == "mergeCell":
                merges.append(element.get("ref", ""))
                continue
            at = _whole_number(element.get("r")) or at + 1
            column = 0
            cells = {}
            for cell in element.iterchildren("{*}c"):
                column = _parse_place(cell.get("r", ""))[1] or column + 1
                if read := self._read_cell(cell, omitted):
                    cells[column] = read
            if cells:
                rows[at] = cells
        width = len({column for row in rows.values() for column in row})
        if width > MAX_COLUMNS or width * len(rows) > MAX_CELLS:
            reason = f"a sheet has more than {MAX_COLUMNS:,} columns, or {MAX_CELLS:,} cells"
            raise UnreadableFile(str(path), reason, "Split it, or save the part that you need.")
        for merge in merges:
            first, _, last = merge.partition(":")
            (row, column), (bottom, right) = _parse_place(first), _parse_place(last)
            if (cell := rows.get(row, {}).get(column)) is not None:
                cell = cell._replace(rows=max(1, bottom - row + 1), columns=max(1, right - column + 1))
                rows[row][column] = cell
        boxes = [
            words
            for drawing in self._package.list_related(part, "drawing")
            for words in self._read_boxes(drawing, omitted)
        ]
        return _Sheet(rows, boxes), omitted

    def _read_boxes(self, drawing: str, omitted: OmittedContent) -> Iterator[str]:
        root = self._package.root(drawing)
        for box in root.iter("{*}txBody"):
            lines = ("".join(text.text or "" for text in line.iter("{*}t")) for line in box.iter("{*}p"))
            yield "\n".join(filter(None, lines))
        for _ in root.iter("{*}chart"):
            omitted.count("charts")

    def _read_cell(self, cell: Element, omitted: OmittedContent) -> _SheetCell | None:
        """A cell that has words; None for any other."""
        type, style = cell.get("t", "n"), _whole_number(cell.get("s"))
        code, is_bold = self._formats[style] if style < len(self._formats) else ("", False)
        value = cell.findtext("{*}v", "")
        if type == "inlineStr":
            text = "".join(_rich_text(one) for one in cell.iterchildren("{*}is"))
        elif type == "s":
            index = _whole_number(value)
            text = self._strings[index] if value and index < len(self._strings) else ""
        elif type == "b":
            text = "TRUE" if value == "1" else "FALSE"
        elif type == "n" and value:
            text = display_number(value, code, self._epoch)
        else:
            text = value.strip()
        if not value and cell.find("{*}f") is not None:
            omitted.count("formulas without a value")
            text = "[formula]"
        return _SheetCell(text, type in ("s", "str", "inlineStr"), is_bold) if text else None


def _rich_text(element: Element) -> str:
    """The words of a text whose parts may be raised or lowered; its pronunciation is left out."""
    words = find_child(element, "{*}t").text or ""
    # Most cells are a word or two, in which nothing is to be done.
    return words if len(element) == 1 and words.isalnum() else join_pieces(run_pieces(element, OmittedContent()))


def _whole_number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 8 else 0


def _parse_place(place: str) -> tuple[int, int]:
    """(row, column) of "B12", from 1; (0, 0) for what is no place."""
    found = CELL_PLACE.fullmatch(place)
    if not found:
        return 0, 0
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column


# --- numbers ---------------------------------------------------------------------------------------------------------


def display_number(stored: str, code: str, epoch: datetime) -> str:
    """A number as its cell displays it: rounded, with the literal words of its format; dates in ISO 8601.

    A negative one has its minus sign, whatever the format has in its place. What cannot be read is given as stored.
    """
    try:
        value = Decimal(stored)
        plain = code.split(";")[0] if code.lower() != "general" else ""
        bare = LITERAL.sub("", plain)
        if not set("ymdhs").isdisjoint(bare.lower()):
            return _display_date(float(value), bare.lower(), epoch)
        # Programs store what they computed with: 0.30000000000000004.
        value = Decimal(f"{float(value):.15g}")
        place = PLACEHOLDERS.search(bare)
        if not place or "/" in bare or "," in bare[place.end() - 1 : place.end()]:
            return _display_general(value)
        least = place[1] or ""
        if place[2]:
            return f"{value:.{len(least)}E}"
        value = value * 100 if "%" in bare else value
        rounded = value.quantize(Decimal(1).scaleb(-len(least)), ROUND_HALF_UP)
        number = f"{rounded:{',' if ',' in place[0] else ''}f}"
        optional = len(least) - len(least.rstrip("#?"))
        while optional and number[-1] == "0":
            number, optional = number[:-1], optional - 1
        # The literal words of the format stand around the number; those that look like one are put out of the way.
        shown = LITERAL.sub(lambda found: (found[1] or found[2] or "").replace("0", "\0"), plain)
        shown = PLACEHOLDERS.sub(lambda _: number.rstrip("."), shown, count=1)
        return " ".join(shown.replace("\0", "0").split())
    except (InvalidOperation, OverflowError, ValueError):
        return stored


def _display_general(value: Decimal) -> str:
    number = value if value == value.to_integral_value() else Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return f"{number:.{SIGNIFICANT_DIGITS}g}" if abs(number.adjusted()) > 20 else f"{number.normalize():f}"


def _display_date(serial: float, code: str, epoch: datetime) -> str:
    """A count of days since the epoch, as precise as its format displays it."""
    seconds = round(serial * 86_400)
    if "[" in code:  # a duration
        return f"{seconds // 3600}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if "s" in code else "")
    # The first two months of Excel's calendar are a day ahead: it has a 29th of February 1900.
    moment = epoch + timedelta(seconds=seconds + (86_400 if epoch.year < 1900 and 0 < serial < 60 else 0))
    has_day, has_time = "d" in code, not set("hs").isdisjoint(code)
    date = (
        "" if set("yd").isdisjoint(code) and has_time else "%Y-%m-%d" if has_day else "%Y-%m" if "m" in code else "%Y"
    )
    time = ("%H:%M:%S" if "s" in code else "%H:%M") if has_time else ""
    return moment.strftime(" ".join(filter(None, (date, time))))
