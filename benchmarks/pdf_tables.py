"""Count the cells of printed tables that the text of a PDF pairs with their row and column.

`python -m benchmarks.pdf_tables`. `data/pdf_tables.tsv` names the cells: of NICE's PDF by page and by the words of row,
column and cell, as they were read from the picture of the page; of Markdown and HTML files of the development data by
their number in the table, which Chromium (with rules and without) and LibreOffice print when this runs. Nothing here is
to be fitted to them.
"""

import argparse
import csv
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

import lxml.html

from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

CELLS = Path(__file__).parent / "data/pdf_tables.tsv"
FOREIGN = Path(__file__).parents[2] / "shared/data/foreign"
OUTCOMES = ("paired", "as printed", "wrong", "scattered", "lost")
"""Row and column are told; the row is one line, or columns stand below their heads; another row or column is told;
the words are there, but no row can be told; the words are not there."""


@dataclass(frozen=True)
class Cell:
    """The first words of a cell, of its row's first cell and of its column's head."""

    row: str
    head: str
    words: str


@dataclass
class Table:
    """Cells of one table, in order, with the HTML to print it, or, of a PDF, the page that it is on."""

    name: str
    source: str
    page: int = 0
    cells: list[Cell] = field(default_factory=list)
    html: str = ""

    def siblings(self, cell: Cell) -> list[str]:
        """The cells of a row in order, its name first."""
        return [cell.row, *(other.words for other in self.cells if other.row == cell.row)]


def opening(words: str) -> str:
    """Return the first eight words, without the sign of a list before them."""
    return " ".join(words.removesuffix(" …").lstrip("•▪ ").split()[:8])


def read_cells() -> list[Table]:
    """Return the tables of the file of cells; raises ValueError when the development data have another table there."""
    with CELLS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    tables = []
    for (source, number), lines in groupby(rows, key=lambda row: (row["source"], row["table"])):
        table = Table(f"{Path(source).stem} {number}", source)
        if source.endswith(".pdf"):
            table.page = int(number.rstrip("ab"))
            table.cells = [Cell(*(opening(line[name]) for name in ("row", "column", "words"))) for line in lines]
        else:
            table.html, grid = _find_table(FOREIGN / source, int(number))
            for line in lines:
                y, x = int(line["row"]), int(line["column"]) - 1
                if not grid[y][x].startswith(line["words"]):
                    raise ValueError(f"{source}, table {number}: “{grid[y][x]}” is not “{line['words']}”")
                table.cells.append(Cell(opening(grid[y][0]), opening(grid[0][x]), opening(grid[y][x])))
        tables.append(table)
    return tables


def _find_table(path: Path, number: int) -> tuple[str, list[list[str]]]:
    page = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        page = run("pandoc", "-f", "gfm", "-t", "html", path)
    tables = lxml.html.fromstring(f"<div>{page}</div>").iter("table")
    table = next(table for count, table in enumerate(tables, 1) if count == number)
    table.tail = ""
    html = lxml.html.tostring(table, encoding="unicode")
    for element in table.iter("br", "li", "p"):
        element.tail = " " + (element.tail or "")
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    return html, [[" ".join("".join(map(str, cell.itertext())).split()) for cell in row] for row in rows]


def run(*command: str | Path) -> str:
    """Run another program and return what it writes; an error of it ends the measurement."""
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=300)
    return done.stdout


def print_tables(tables: Sequence[Table], printer: str, folder: Path) -> Iterator[tuple[Table, Path]]:
    """Print each table within a page: with rules ("chromium", "office") or without ("bare")."""
    rules = "" if printer == "bare" else "td, th { border: 1px solid black }"
    style = "td, th { padding: 3px 8px; text-align: left; vertical-align: top } table { border-collapse: collapse } "
    pages = [folder / f"{printer}{number}.html" for number in range(len(tables))]
    for table, page in zip(tables, pages, strict=True):
        html = table.html.replace("<table", '<table border="1"', 1) if rules else table.html
        page.write_text(
            f'<html lang="en"><meta charset="utf-8"><title>Care</title><style>{style + rules}</style>'
            f"<body><h1>Care</h1><p>The ward follows this table.</p>{html}<p>Ask whenever in doubt.</p></body></html>",
            encoding="utf-8",
        )
    if printer == "office":
        run("soffice", f"-env:UserInstallation=file://{folder}/office", "--infilter=HTML (StarWriter)", "--headless",
            "--convert-to", "pdf", "--outdir", folder, *pages)  # fmt: skip
    else:
        for page in pages:
            run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                f"--print-to-pdf={page.with_suffix('.pdf')}", page)  # fmt: skip
    yield from ((table, page.with_suffix(".pdf")) for table, page in zip(tables, pages, strict=True))


def read(path: Path, page: int = 0) -> str:
    """Return the text of a PDF, or of one of its pages, as its reader gives it, the signs of raised digits removed."""
    document = _read_document(path)
    starts = [*document.pages, len(document.text)]
    text = document.text[starts[page - 1] : starts[page]] if 0 < page < len(starts) else document.text
    return re.sub(r"[\^_](?=\w)", "", text)


@cache
def _read_document(path: Path) -> Document:
    return next(part for part in reader_for(path)(path, "own") if isinstance(part, Document))


def _pattern(words: str) -> str:
    """An expression for words however they are broken: at spaces, behind a stroke, by the sign of a list."""
    signs = [re.escape(word).replace("/", r"/\s?") for word in re.sub(r"[\^_](?=\w)", "", words).split()]
    return r"(?<![\w.])" + r"\s*[•▪\-–]?\s*".join(signs) + r"(?!\w)"


def judge(text: str, table: Table, cell: Cell) -> str:
    """Return how a text has a cell: one of OUTCOMES."""
    found = [_judge_block(block, table, cell) for block in re.split(r"\n\s*\n", text)]
    for outcome in ("paired", "as printed", "wrong"):
        if outcome in found:
            return outcome
        if outcome == "paired" and _stands_in_columns(text.splitlines(), cell):
            return "as printed"
    return "scattered" if re.search(_pattern(cell.words), text) else "lost"


def _judge_block(block: str, table: Table, cell: Cell) -> str:
    lines = block.splitlines()
    heads = [part.strip() for part in next((line for line in lines if "|" in line), "").split("|")]
    outcomes = {_judge_line(line, heads, table, cell) for line in lines}
    if r"|" not in block:
        outcomes.add(_judge_printed(" ".join(lines), table, cell))
    return next((outcome for outcome in ("paired", "as printed", "wrong") if outcome in outcomes), "")


def _judge_line(line: str, heads: list[str], table: Table, cell: Cell) -> str:
    value, own = _pattern(cell.words), _pattern(cell.row)
    if re.search(own, line) and re.search(
        _pattern(cell.head).removesuffix(r"(?!\w)") + rf"[^:|]{{0,90}}:\s{value}", line
    ):
        return "paired"
    parts = [part.strip() for part in line.split("|")]
    if len(parts) < 2:
        return _judge_printed(line, table, cell)
    # The sign of a list may precede the words.
    places = [place for place, part in enumerate(parts) if re.match(value, part.lstrip("•▪-– "))]
    if not places:
        return ""
    row = next((other.row for other in table.cells if re.match(_pattern(other.row), parts[0])), "")
    names = {heads[place] for place in places if place < len(heads)}
    named = any(re.match(_pattern(cell.head), name) for name in names)
    if not re.match(own, parts[0]):
        return "wrong" if named and row and not _is_said(table, row, cell.head, cell) else ""
    others = {other.head for other in table.cells if other.head != cell.head}
    if named or not any(re.match(_pattern(other), name) for other in others for name in names):
        # A row without a head is still a row.
        return "paired" if named else "as printed"
    return "" if _is_said(table, cell.row, "", cell) else "wrong"


def _judge_printed(line: str, table: Table, cell: Cell) -> str:
    """Judge a line without bars: whether it has the row unbroken, or ends a line of another row with this cell."""
    parts = table.siblings(cell)
    if re.search(r"[^|]*?".join(_pattern(part) for part in parts), line):
        between = re.search(_pattern(parts[0]) + r"(.*?)" + _pattern(parts[-1]), line)
        names = {other.row for other in table.cells} - {cell.row}
        if between and not any(re.search(_pattern(name), between[1]) for name in names):
            return "as printed"
    start = re.search(_pattern(cell.words), line)
    rows = [other.row for other in table.cells if start and re.match(_pattern(other.row), line)]
    if start and rows and cell.row not in rows and not any(_is_said(table, row, "", cell) for row in rows):
        return "wrong" if not re.search(_pattern(cell.row), line) else ""
    return ""


def _is_said(table: Table, row: str, head: str, cell: Cell) -> bool:
    """Whether the table has the same words elsewhere in a row: under another head, or under this one."""
    return any(
        other.row == row and other.words == cell.words and other != cell and head in ("", other.head)
        for other in table.cells
    )


def _stands_in_columns(lines: Sequence[str], cell: Cell) -> bool:
    """Whether columns are kept as printed: the cell, line by line, below its head, beginning on a line of its row."""
    first = cell.words.split()
    for number, line in enumerate(lines):
        if not re.match(r"\s*" + re.escape(cell.row.split()[0]), line):
            continue
        for place in (match.end() for match in re.finditer(r"\s{2,}", line)):
            if line[place:].split()[:1] != first[:1]:
                continue
            below = [
                re.split(r"\s{2,}", other[max(0, place - 1) :].strip())[0] for other in lines[number : number + 12]
            ]
            heads = [other[max(0, place - 2) :].strip() for other in lines[max(0, number - 60) : number]]
            if re.match(_pattern(cell.words), " ".join(below)) and any(
                head.startswith(cell.head.split()[0]) for head in heads
            ):
                return True
    return False


def measure(printers: Sequence[str], show: int) -> Iterator[tuple[str, Counter[str], list[str]]]:
    """Judge every cell by printer, with examples of what is not right."""
    tables = read_cells()
    with tempfile.TemporaryDirectory() as folder:
        for printer in printers:
            if printer == "NICE":
                pages = [(table, FOREIGN / table.source) for table in tables if not table.html]
            else:
                pages = list(print_tables([table for table in tables if table.html], printer, Path(folder)))
            outcomes: Counter[str] = Counter()
            examples: list[str] = []
            for table, path in pages:
                text = read(path, table.page)
                for cell in table.cells:
                    outcome = judge(text, table, cell)
                    outcomes[outcome] += 1
                    if outcome not in ("paired", "as printed") and len(examples) < show:
                        examples.append(f"{outcome}: {table.name}: {cell.row} / {cell.head} / {cell.words}")
            yield printer, outcomes, examples


def main() -> None:
    """Print how the cells of each printer's tables are told."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pdf_tables", description=__doc__)
    names = ["NICE", "chromium", "bare", "office"]
    parser.add_argument("--printer", nargs="+", choices=names, default=names, help="these alone")
    parser.add_argument("--show", type=int, default=0, help="examples of what is not right, of each (default: none)")
    asked = parser.parse_args()
    print(f"| printed by | cells | {' | '.join(OUTCOMES)} |\n|---|---:|{'---:|' * len(OUTCOMES)}")
    for printer, outcomes, examples in measure(asked.printer, asked.show):
        figures = (outcomes.total(), *(outcomes[name] for name in OUTCOMES))
        print(f"| {printer} | {' | '.join(map(str, figures))} |", flush=True)
        print(*examples, sep="\n", end="\n" if examples else "")


if __name__ == "__main__":
    main()
