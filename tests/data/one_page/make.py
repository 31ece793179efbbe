"""Make the files of the one page with other programs than ours: `python tests/data/one_page/make.py`, by hand.

It needs Chromium, LibreOffice and pandoc, and the packages python-docx, python-pptx and openpyxl. The files that it
makes are committed, and tests never run it. page.md, page.nxml and pubmed.xml are written by hand, as people do.
"""

import subprocess
import tempfile
from pathlib import Path

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE as REL
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Alignment
from page import COLUMN_TEXT, RUNNING_HEAD, TITLE, make_html
from pptx import Presentation
from pptx.util import Cm, Pt

HERE = Path(__file__).parent
SCRATCH = Path(tempfile.mkdtemp())


def run(*command: str | Path) -> None:
    """Run another program; an error of it stops the making."""
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=180)


def convert(source: Path, form: str, target: str, infilter: str = "") -> None:
    """Convert a file with LibreOffice, and put it beside this script under the name of the target."""
    extra = [f"--infilter={infilter}"] if infilter else []
    run("soffice", f"-env:UserInstallation=file://{SCRATCH}/office", *extra, "--headless", "--convert-to", form,
        "--outdir", SCRATCH / "made", source)  # fmt: skip
    (SCRATCH / "made" / f"{source.stem}.{form.split(':')[0]}").rename(HERE / target)


def words_and_marks(line: str) -> list[tuple[str, str]]:
    """Take "10{^9}/L" apart into words and how each is set: "", "^" (raised) or "_" (lowered)."""
    parts = []
    for number, part in enumerate(line.replace("}", "{").split("{")):
        parts.append((part[1:], part[0]) if number % 2 else (part, ""))
    return [part for part in parts if part[0]]


PLAIN = [
    "Leukocytes were 11 × 10{^9}/L and the body mass index was 31 kg/m{^2} on arrival.",
    "Give vitamin D{_3} and keep SpO{_2} above 94 % at rest.",
    "The rate of attacks fell from 2{^3} to 1 per 100 patients, and in women it was 4{^[5]} before.",
    "Treat when eGFR ≥ 30 mL/min, age ≤ 80 years, pain 7 ± 2, and the change −1.5 mg/dL.",
    "Give fentanyl 50 μg once; TNF-α, IL-1β and γ-GT are not needed.",
    "The anti\u00adinflam\u00admatory effect begins within hours.",
    "A \ufb01rst \ufb02are with an e\ufb00usion is di\ufb03cult to tell from sepsis.",
]
HYPHENS = "A low-dose course was compared in a meta-analysis of six trials, and inflammation fell."
LATER = "The patient is seen again on day three and the dose is halved when the pain is below 3 of 10."
BOX = "Call the rheumatologist when two joints are red."
STEPS = [
    (0, "Ask for earlier attacks."),
    (1, "Look at the joint."),
    (2, "Aspirate it when fever is above 38.5 °C."),
    (1, "Take blood for urate."),
    (0, "Start treatment."),
]
HEADER = ["Drug", "Dose{^a}", "Interval", "Renal dose"]
ROWS = [
    ["Colchicine", "500 μg", "twice daily", "500 μg alternate days"],
    ["Prednisolone", "35 mg\nby mouth", "each morning", "35 mg unchanged"],
    ["", "30 mg intravenous", "each night", "15 mg halved"],
    ["Naproxen", "750 mg first\n250 mg later", "every 8 hours", "avoid"],
    ["Ibuprofen", "400 mg with each meal", "", "stop below 30"],
]
SURPLUS = ["Anakinra", "100 mg", "once daily", "every second day", "specialist only"]
SHORT = ["Ice pack", "20 min", "four times daily"]
TABLE_NOTE = "{^a} Halve every dose above 75 years."
FOOTNOTE = "Not before aspiration in suspected sepsis."


def make_word(path: Path) -> None:
    """Write the page with python-docx; text box, footnote, symbol and numbering are raw XML, as Word writes them."""
    document = Document()
    document.core_properties.title = TITLE
    document.sections[0].header.paragraphs[0].text = RUNNING_HEAD
    style_numbering(document)
    document.add_heading(TITLE, 0)
    document.add_heading("Signs", 1)
    for line in PLAIN:
        add_runs(document.add_paragraph(), line)
    # The sign of Greek mu as Word's "Insert symbol" leaves it: a character of the font Symbol.
    paragraph = document.add_paragraph("The second dose of fentanyl is 25 ")
    paragraph.add_run()._r.append(parse_xml(f'<w:sym {nsdecls("w")} w:font="Symbol" w:char="F06D"/>'))
    paragraph.add_run("g at night.")
    document.add_paragraph(HYPHENS)
    document.add_heading("Drugs", 1)
    make_word_table(document)
    add_runs(document.add_paragraph(), TABLE_NOTE)
    document.add_heading("Steps", 1)
    paragraph = document.add_paragraph("Start within 24 hours.")
    paragraph.add_run()._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="2"/>'))
    paragraph.add_run(" Then follow these steps:")
    for level, words in STEPS:
        step = document.add_paragraph(words)
        step._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>')
        )
    document.add_paragraph()._p.append(parse_xml(text_box(BOX)))
    document.add_heading("Later", 1)
    document.add_paragraph(LATER)
    document.add_paragraph(" ".join(COLUMN_TEXT.split()))
    add_footnotes(document)
    document.save(str(path))


def add_runs(paragraph, line: str) -> None:
    for words, mark in words_and_marks(line):
        run_ = paragraph.add_run(words)
        run_.font.superscript = True if mark == "^" else None
        if mark == "_":
            run_.font.subscript = True


def make_word_table(document) -> None:
    table = document.add_table(rows=0, cols=4)
    table.style = "Table Grid"
    for row in [HEADER, *ROWS, SHORT]:
        cells = table.add_row().cells
        for cell, words in zip(cells, row, strict=False):
            first, *more = words.split("\n")
            add_runs(cell.paragraphs[0], first)
            for line in more:
                if row[0] == "Naproxen":
                    cell.paragraphs[0].style = document.styles["List Bullet"]
                    cell.add_paragraph(line, style="List Bullet")
                else:
                    cell.paragraphs[0].add_run().add_break()
                    cell.paragraphs[0].add_run(line)
    # A row that has fewer cells than the others, as Word leaves it after "Delete cells", and one that has more.
    short = table.rows[-1]._tr
    short.remove(short.findall(qn("w:tc"))[-1])
    long = parse_xml(
        f"<w:tr {nsdecls('w')}>"
        + "".join(f"<w:tc><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>" for words in SURPLUS)
        + "</w:tr>"
    )
    short.addprevious(long)
    rows = table._tbl.findall(qn("w:tr"))
    for row, value in ((rows[2], "restart"), (rows[3], "continue")):
        row.findall(qn("w:tc"))[0].get_or_add_tcPr().append(parse_xml(f'<w:vMerge {nsdecls("w")} w:val="{value}"/>'))
    cells = rows[5].findall(qn("w:tc"))
    rows[5].remove(cells[2])
    cells[1].get_or_add_tcPr().append(parse_xml(f'<w:gridSpan {nsdecls("w")} w:val="2"/>'))


def style_numbering(document) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="%{level + 1}."/></w:lvl>'
        for level, form in enumerate(["decimal", "lowerLetter", "lowerRoman"])
    )
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))


def text_box(words: str) -> str:
    """A text box as Word writes it: a drawing, and the same box again for older programs."""
    content = f"<w:txbxContent><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:txbxContent>"
    return f"""<w:r {nsdecls("w", "wp", "a")}
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">
<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">
<wp:extent cx="4000000" cy="600000"/><wp:docPr id="7" name="Box"/><a:graphic>
<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp>
<wps:cNvSpPr txBox="1"/>
<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="4000000" cy="600000"/></a:xfrm>
<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>
<a:ln w="9525"><a:solidFill><a:srgbClr val="000000"/></a:solidFill></a:ln></wps:spPr>
<wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:shape style="width:315pt;height:47pt"><v:textbox>{content}</v:textbox></v:shape></w:pict>
</mc:Fallback>
</mc:AlternateContent></w:r>"""


def add_footnotes(document) -> None:
    notes = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes {nsdecls("w")}>
<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>
<w:r><w:t xml:space="preserve"> {FOOTNOTE}</w:t></w:r></w:p></w:footnote>
</w:footnotes>"""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, notes.encode(), document.part.package)
    document.part.relate_to(part, REL.FOOTNOTES)


def make_slides(path: Path) -> None:
    """Write the page as slides with python-pptx: a title, numbered steps, a text box and a table with joined cells."""
    show = Presentation()
    show.core_properties.title = TITLE
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = TITLE
    frame = slide.placeholders[1].text_frame
    for number, line in enumerate([*PLAIN, HYPHENS, LATER]):
        fill_slide_paragraph(frame.paragraphs[0] if not number else frame.add_paragraph(), line)
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Drugs"
    table = slide.shapes.add_table(len(ROWS) + 2, 4, Cm(1), Cm(4), Cm(22), Cm(10)).table
    for y, row in enumerate([HEADER, *ROWS, SHORT]):
        for x, words in enumerate(row):
            lines = words.split("\n")
            paragraph = table.cell(y, x).text_frame.paragraphs[0]
            fill_slide_paragraph(paragraph, lines[0])
            for line in lines[1:]:
                if row[0] == "Naproxen":
                    fill_slide_paragraph(table.cell(y, x).text_frame.add_paragraph(), line)
                else:
                    paragraph.add_line_break()
                    fill_slide_paragraph(paragraph, line)
    table.cell(2, 0).merge(table.cell(3, 0))
    table.cell(5, 1).merge(table.cell(5, 2))
    box = slide.shapes.add_textbox(Cm(1), Cm(16), Cm(20), Cm(1)).text_frame
    fill_slide_paragraph(box.paragraphs[0], TABLE_NOTE)
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Steps"
    frame = slide.placeholders[1].text_frame
    for number, (level, words) in enumerate(STEPS):
        paragraph = frame.paragraphs[0] if not number else frame.add_paragraph()
        paragraph.level = level
        fill_slide_paragraph(paragraph, words)
        form = ["arabicPeriod", "alphaLcPeriod", "romanLcPeriod"][level]
        paragraph._p.get_or_add_pPr().append(
            parse_xml(f'<a:buAutoNum xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" type="{form}"/>')
        )
    slide.shapes.add_textbox(Cm(1), Cm(15), Cm(20), Cm(2)).text_frame.text = BOX
    slide.notes_slide.notes_text_frame.text = "Say that women stop the tablets when diarrhoea begins."
    show.save(str(path))


def fill_slide_paragraph(paragraph, line: str) -> None:
    for words, mark in words_and_marks(line):
        run_ = paragraph.add_run()
        run_.text = words
        run_.font.size = Pt(14)
        if mark:
            run_.font._element.set("baseline", "30000" if mark == "^" else "-25000")


def make_workbook(path: Path) -> None:
    """Write the table and the sentences with openpyxl: joined cells, raised digits within a cell, two sheets."""
    book = Workbook()
    book.properties.title = TITLE
    sheet = book.active
    sheet.title = "Drugs"
    for row in [HEADER, *ROWS, SURPLUS, SHORT]:
        sheet.append([rich(words) if words else None for words in row])
    for cells in sheet.iter_rows():
        for cell in cells:
            cell.alignment = Alignment(wrap_text=True)
    sheet.merge_cells("A3:A4")
    sheet.merge_cells("B6:C6")
    notes = book.create_sheet("Notes")
    notes.append(["No.", "Text"])
    for number, line in enumerate([*PLAIN, HYPHENS, LATER, TABLE_NOTE], 1):
        notes.append([number, rich(line)])
    book.save(path)


def rich(line: str):
    parts = words_and_marks(line)
    if len(parts) == 1 and not parts[0][1]:
        return parts[0][0]
    names = {"^": "superscript", "_": "subscript"}
    return CellRichText(
        *(TextBlock(InlineFont(vertAlign=names[mark]), words) if mark else words for words, mark in parts)
    )


RAISED = str.maketrans("0123456789a", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def with_unicode_digits(line: str) -> str:
    """Write raised and lowered digits as the characters that Unicode has for them, as plain text does."""
    tables = {"": {}, "^": RAISED, "_": LOWERED}
    return "".join(words if "[" in words else words.translate(tables[mark]) for words, mark in words_and_marks(line))


def make_csv(path: Path) -> None:
    """Write the table and the sentences as comma-separated values, a line break within a cell included."""
    lines = [HEADER, *ROWS[:2], ["Prednisolone", *ROWS[2][1:]], *ROWS[3:4], SURPLUS, SHORT]
    lines += [[f"Note {number}", line, "", ""] for number, line in enumerate([*PLAIN, HYPHENS, LATER], 1)]
    rows = [
        ",".join(
            '"' + with_unicode_digits(cell) + '"' if set(cell) & set(',\n"') else with_unicode_digits(cell)
            for cell in line
        )
        for line in lines
    ]
    path.write_text("\r\n".join(rows) + "\r\n", encoding="utf-8", newline="")


def make_text(path: Path) -> None:
    """Write the page as wrapped plain text, with words broken at line ends and a table of aligned columns."""
    wrapped = "A low-\ndose course was compared in a meta-\nanalysis of six trials, and inflam-\nmation fell."
    later = "The patient is seen again on day three and\nthe dose is halved when the pain\nis below 3 of 10."
    widths = [16, 20, 18, 0]
    table = [HEADER, ROWS[0], SURPLUS[:4], SHORT]
    aligned = [
        "".join(with_unicode_digits(cell).ljust(width) for cell, width in zip(row, widths, strict=False))
        for row in table
    ]
    marks = ["1. ", "   a. ", "      i. ", "   b. ", "2. "]
    parts = [
        TITLE.upper(), "Signs", *(with_unicode_digits(line) for line in PLAIN), wrapped,
        "Drugs", "\n".join(line.rstrip() for line in aligned), with_unicode_digits(TABLE_NOTE),
        "Steps", "Start within 24 hours.* Then follow these steps:",
        "\n".join(mark + words for mark, (_, words) in zip(marks, STEPS, strict=True)),
        BOX, "Later", later, COLUMN_TEXT, f"* {FOOTNOTE}",
    ]  # fmt: skip
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Make all files."""
    (HERE / "page.html").write_text(
        make_html(read=True).replace(' epub:type="noteref"', "").replace(' epub:type="footnote"', ""), encoding="utf-8"
    )
    printed = SCRATCH / "page.html"
    printed.write_text(make_html(read=False), encoding="utf-8")
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        f"--print-to-pdf={HERE / 'chromium.pdf'}", printed)  # fmt: skip
    make_word(HERE / "python.docx")
    convert(HERE / "python.docx", "pdf", "office.pdf")
    convert(HERE / "page.html", "docx", "office.docx", "HTML (StarWriter)")
    book = SCRATCH / "book.html"
    book.write_text(
        make_html(read=True).replace("<html", '<html xmlns:epub="http://www.idpf.org/2007/ops"'), encoding="utf-8"
    )
    run("pandoc", "-f", "html+epub_html_exts", "-t", "epub3", "--metadata", "lang=en", "-o", HERE / "pandoc.epub", book)
    make_slides(HERE / "python.pptx")
    make_workbook(HERE / "openpyxl.xlsx")
    convert(HERE / "openpyxl.xlsx", "xlsx", "office.xlsx")
    make_csv(HERE / "table.csv")
    make_text(HERE / "page.txt")


if __name__ == "__main__":
    main()
