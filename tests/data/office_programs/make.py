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
DRUGS = ["amoxicillin", "colchicine", "digoxin", "enoxaparin", "fentanyl", "gentamicin", "heparin", "insulin"]
DRUGS += ["metformin", "warfarin"]
STYLE = "td, th { border: 1px solid black; padding: 3px 8px; text-align: left } table { border-collapse: collapse }"
HEADS = {
    "long_table": "<tr><td><b>Drug</b></td><td><b>Dose</b></td><td><b>How often</b></td></tr>",
    "long_table_repeated": "<thead><tr><th>Drug</th><th>Dose</th><th>How often</th></tr></thead>",
}
"""Of a table over two pages: LibreOffice prints those of a <thead> again."""


def run(*command: str | Path) -> None:
    subprocess.run([*map(str, command)], check=True, cwd=HERE, capture_output=True)


def convert(source: Path, end: str, name: str, folder: Path) -> None:
    """Let LibreOffice save a file as another format."""
    run("soffice", "--headless", "--convert-to", end, "--outdir", folder, source)
    shutil.move(folder / f"{source.stem}.{end.partition(':')[0]}", HERE / name)


def print_long_tables() -> None:
    """Let LibreOffice print tables of sixty rows."""
    rows = "".join(
        f"<tr><td>{drug} {number}</td><td>{number * 5} mg</td><td>{'twice' if number % 2 else 'once'} daily</td></tr>"
        for number in range(1, 7)
        for drug in DRUGS
    )
    with tempfile.TemporaryDirectory() as made:
        for name, head in HEADS.items():
            page = Path(made) / f"{name}.html"
            page.write_text(
                f'<html lang="en"><meta charset="utf-8"><title>Doses</title><style>{STYLE}</style><body><h1>Doses</h1>'
                f'<p>The ward follows this table.</p><table border="1">{head}{rows}</table>'
                "<p>Ask whenever in doubt.</p></body></html>",
                encoding="utf-8",
            )
            run("soffice", "--infilter=HTML (StarWriter)", "--headless", "--convert-to", "pdf", "--outdir", HERE, page)


def main() -> None:
    """Write all files."""
    print_long_tables()
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
