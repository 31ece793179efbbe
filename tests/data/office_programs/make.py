"""Makes the files beside it, by programs of other people: `python make.py`, with pandoc, LibreOffice, openpyxl and
xlsxwriter installed. They are kept in the repository, since no test installs these.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import openpyxl
import xlsxwriter

HERE = Path(__file__).parent
ROWS = [
    ("Drug", "Dose", "Share", "From", "Level"),
    ("Ceftriaxone", "2 g", 0.425, 45000, 0.1 + 0.2),
    ("Meropenem", "1 g", 0.0375, 45001, 12345.678),
    ("Gentamicin", "5 mg/kg", 1, 45002, -7.25),
]
FORMATS = (None, None, "0.0%", "dd/mm/yyyy", '0.00" mmol/L"')


def run(*command: str | Path) -> None:
    subprocess.run([*map(str, command)], check=True, cwd=HERE, capture_output=True)


def convert(source: Path, end: str, name: str, folder: Path) -> None:
    """Let LibreOffice save a file as another format."""
    run("soffice", "--headless", "--convert-to", end, "--outdir", folder, source)
    shutil.move(folder / f"{source.stem}.{end.partition(':')[0]}", HERE / name)


def main() -> None:
    """Write all files."""
    run("soffice", "--infilter=HTML (StarWriter)", "--headless", "--convert-to", "pdf", "long_table.html")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ("pandoc.docx", "pandoc.pptx", "pandoc.epub"):
            run("pandoc", "page.md", "-o", name)
        run("pandoc", "page.md", "-t", "epub2", "-o", "pandoc_2.epub")
        run("pandoc", "page.md", "-o", folder / "page.odt")
        convert(folder / "page.odt", "docx", "office.docx", folder)
        convert(folder / "page.odt", "epub", "office.epub", folder)
        run("soffice", "--headless", "--convert-to", "odp", "--outdir", folder, HERE / "pandoc.pptx")
        convert(folder / "pandoc.odp", "pptx", "office.pptx", folder)
    book = openpyxl.Workbook()
    for sheet, shift in ((book.active, 0), (book.create_sheet("Notes"), 2)):
        for number, row in enumerate(ROWS, 1 + shift):
            for column, (value, code) in enumerate(zip(row, FORMATS, strict=True), 1):
                cell = sheet.cell(number, column, value)
                cell.number_format = code or "General"
    book["Notes"]["A1"] = "What the ward gives"
    book.save(HERE / "openpyxl.xlsx")
    with xlsxwriter.Workbook(HERE / "xlsxwriter.xlsx") as other:
        page = other.add_worksheet()
        looks = [other.add_format({"num_format": code} if code else {}) for code in FORMATS]
        for number, row in enumerate(ROWS):
            for column, value in enumerate(row):
                page.write(number, column, value, looks[column])
    with tempfile.TemporaryDirectory() as made:
        run("soffice", "--headless", "--convert-to", "ods", "--outdir", made, HERE / "xlsxwriter.xlsx")
        convert(Path(made) / "xlsxwriter.ods", "xlsx", "office.xlsx", Path(made))


if __name__ == "__main__":
    main()
