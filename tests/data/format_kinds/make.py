# ruff: noqa: E501 - XML and cases are easier to read a line each
"""Make the PDF and Word files of each kind: `python tests/data/format_kinds/make.py`, by hand; tests never run it.

It needs Chromium and LibreOffice, and the packages reportlab, python-docx and pypdf. What can be read by people (HTML,
Markdown, CSV, text) stands in the test itself.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pypdf
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Cm, Pt
from pypdf.generic import NameObject
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

HERE = Path(__file__).parent
SCRATCH = Path(tempfile.mkdtemp())
FONTS = Path("/usr/share/fonts/truetype/dejavu")
MATHML = "http://schemas.openxmlformats.org/officeDocument/2006/math"

Piece = tuple[str, str, float, float]
"""Words, font, size, and how far they are raised above the line, in points."""


def run(*command: str | Path) -> None:
    """Run another program; an error of it stops the making."""
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=180)


def target(kind: str, name: str) -> Path:
    """Return the path of a file of a kind, its folder made."""
    (HERE / kind).mkdir(exist_ok=True)
    return HERE / kind / name


def print_page(body: str, path: Path, css: str = "") -> None:
    """Print an HTML page with Chromium."""
    page = SCRATCH / "page.html"
    style = f"body {{ font-family: 'DejaVu Serif'; font-size: 11pt }} {css}"
    page.write_text(
        f'<html lang="en"><meta charset="utf-8"><title>{path.stem}</title><style>{style}</style>{body}</html>',
        encoding="utf-8",
    )
    run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
        f"--print-to-pdf={path}", page)  # fmt: skip


def convert(source: Path, form: str, path: Path) -> None:
    """Convert a file with LibreOffice."""
    run("soffice", f"-env:UserInstallation=file://{SCRATCH}/office", "--headless", "--convert-to", form,
        "--outdir", SCRATCH / "made", source)  # fmt: skip
    (SCRATCH / "made" / f"{source.stem}.{form}").rename(path)


def draw(lines: Sequence[Sequence[Piece] | str], path: Path, size: float = 11, step: float = 15) -> None:
    """Draw lines with reportlab, each piece in its own font, size and height; a piece ends where the next begins."""
    canvas = Canvas(str(path), pagesize=A4)
    y = 760.0
    for line in lines:
        x = 72.0
        for words, font, high, rise in [(line, "Sans", size, 0.0)] if isinstance(line, str) else line:
            canvas.setFont(font, high)
            canvas.drawString(x, y + rise, words)
            x += pdfmetrics.stringWidth(words, font, high)
        y -= step
    canvas.save()


def plain(words: str) -> Piece:
    """Words as most of a line is set."""
    return (words, "Sans", 11, 0)


def up(words: str, size: float = 7, rise: float = 4) -> Piece:
    """Raised words."""
    return (words, "Sans", size, rise)


def down(words: str) -> Piece:
    """Lowered words."""
    return (words, "Sans", 7, -2.5)


def make_raised() -> None:
    """Powers, units, citations and ordinals; and small words that are not raised at all."""
    print_page(
        """<h1>Counts</h1><p>The difference was clear (P&lt;10<sup>−5</sup>) and the flow was 12 cm<sup>3</sup>/min in all.</p>
<p>The score was 5<sup>4</sup> in adults and 12<sup>7–9</sup> in children of the second cohort.</p>
<p>On the 1<sup>st</sup> and 22<sup>nd</sup> day give CaCl<sub>2</sub> and measure t<sub>1/2</sub> of the drug.</p>
<p>The titre was 1.5 × 10<sup>6</sup> CFU/mL; 100<sup>th</sup> percentile.</p>""",
        target("pdf_raised", "chromium.pdf"),
    )
    draw(
        [
            [plain("Leukocytes were 4.5 × 10"), up("9"), plain("/L on day 3 of the course.")],
            [
                plain("The dose of 2.5"),
                up("11"),
                plain(" mg was given to 40"),
                up("12,13"),
                plain(" patients of the trial."),
            ],
            [plain("Bacteria fell to 10"), up("−3"), plain(" of the first count; H"), down("2"), plain("O was given.")],
            [plain("The body surface was 1.73 m"), up("2"), plain(" and the area 20 cm"), up("2", 7, 3.5), plain(".")],
            # A raised digit of the same size as the others.
            [plain("A second count was 7 × 10"), up("12", 11, 5), plain(" per litre of blood.")],
        ],
        target("pdf_raised", "drawn.pdf"),
    )
    draw(
        [
            # Small words on the line of the others are not raised.
            [plain("The daily dose is "), ("45 mg", "Sans", 8, 0), plain(" for adults and 30 mg for children.")],
            [plain("Weigh the child: 12"), ("kg", "Sans", 8, 0), plain(" needs 120 mL of fluid.")],
            # A word in bold or in a larger type that shares the line.
            [plain("Stop at "), ("90", "Sans", 14, 0), plain(" mmHg of systolic pressure.")],
        ],
        target("pdf_raised", "small_print.pdf"),
    )
    document = Document()
    document.core_properties.title = "Counts"
    for parts in (
        [("The level was 10", 0), ("−9", 6), (" mol/L at noon.", 0)],
        [("Give 0.25", 0), ("8", 6), (" mg and wait for 30 min.", 0)],
        [("The platelets were 90 × 10", 0), ("9", 6), ("/L before the puncture.", 0)],
    ):
        paragraph = document.add_paragraph()
        for words, rise in parts:
            run_ = paragraph.add_run(words)
            if rise:
                run_.font.size = Pt(7)
                run_._r.get_or_add_rPr().append(parse_xml(f'<w:position {nsdecls("w")} w:val="{rise * 2}"/>'))
    document.save(str(target("word_raised", "position.docx")))
    convert(target("word_raised", "position.docx"), "pdf", target("pdf_raised", "office.pdf"))


def make_word_raised() -> None:
    """Raised by the property, by a style of characters, and in HTML that LibreOffice made a document of."""
    document = Document()
    style = document.styles.add_style("Raised", 2)
    style.font.superscript = True
    for parts in (
        [("The count was 6 × 10", ""), ("12", "style"), ("/L, the area 1.9 m", ""), ("2", "style"), (".", "")],
        [("P<10", ""), ("−5", "^"), (" and a flow of 12 cm", ""), ("3", "^"), ("/min.", "")],
        [("Give 0.5", ""), ("6", "^"), (" mg on the 1", ""), ("st", "^"), (" day; keep H", ""), ("2", "_"), ("O and CO", ""),
         ("2", "_"), (" low.", "")],
        [("In 5", ""), ("a", "^"), (" of 12 patients the dose was 3", ""), ("4,5", "^"), (" mg.", "")],
    ):  # fmt: skip
        paragraph = document.add_paragraph()
        for words, how in parts:
            run_ = paragraph.add_run(words, style=style if how == "style" else None)
            if how == "^":
                run_.font.superscript = True
            if how == "_":
                run_.font.subscript = True
    document.save(str(target("word_raised", "styles.docx")))
    page = SCRATCH / "raised.html"
    page.write_text(
        """<html><meta charset="utf-8"><title>Raised</title><body><h1>Raised</h1>
<p>The count was 3 × 10<sup>6</sup>/mL and the flow 4 cm<sup>3</sup>/min; vitamin B<sub>12</sub> was low.</p></body></html>""",
        encoding="utf-8",
    )
    run("soffice", f"-env:UserInstallation=file://{SCRATCH}/office", "--infilter=HTML (StarWriter)", "--headless",
        "--convert-to", "docx", "--outdir", SCRATCH / "made", page)  # fmt: skip
    (SCRATCH / "made" / "raised.docx").rename(target("word_raised", "office.docx"))


def make_symbols() -> None:
    """Letters of the fonts Symbol, Wingdings and ZapfDingbats, in PDF and in Word."""
    canvas = Canvas(str(target("pdf_symbols", "standard_symbol.pdf")), pagesize=A4)
    for y, pieces in (
        (760, [("Give 5 ", ""), ("μ", "Symbol"), ("g of digoxin and 2 ", ""), ("×", "Symbol"), (" 10 mL of saline.", "")]),
        (740, [("TNF-", ""), ("α", "Symbol"), (", IL-1", ""), ("β", "Symbol"), (" and ", ""), ("γ", "Symbol"), ("-GT rose.", "")]),
        (720, [("Treat if eGFR ", ""), ("≥", "Symbol"), (" 30 and age ", ""), ("≤", "Symbol"), (" 80, pain 7 ", ""), ("±", "Symbol"),
               (" 2.", "")]),
        (700, [("Warm to 37 ", ""), ("°", "Symbol"), ("C; acidosis ", ""), ("→", "Symbol"), (" bicarbonate.", "")]),
    ):  # fmt: skip
        x = 72.0
        for words, font in pieces:
            canvas.setFont(font or "Helvetica", 11)
            canvas.drawString(x, y, words)
            x += pdfmetrics.stringWidth(words, font or "Helvetica", 11)
    canvas.save()
    document = Document()
    document.core_properties.title = "Signs"
    for words in (
        "Give {Symbol:F06D}g doses: 5 {Symbol:F0B4} 10 mL, 7 {Symbol:F0B1} 2, at 37 {Symbol:F0B0}C.",
        "TNF-{Symbol:F061}, IL-1{Symbol:F062} and {Symbol:F067}-GT; fever {Symbol:F0AE} paracetamol.",
        "Treat if eGFR {Symbol:F0B3} 30 and age {Symbol:F0A3} 80, or if K {Symbol:F0B9} 4.",
        "Low pressure {Wingdings:F0E0} fluids; {Wingdings:F0FC} consent; {Wingdings:F0A8} allergy asked.",
    ):
        paragraph = document.add_paragraph()
        for number, part in enumerate(words.replace("}", "{").split("{")):
            if number % 2:
                font, code = part.split(":")
                sign = f'<w:sym {nsdecls("w")} w:font="{font}" w:char="{code}"/>'
                paragraph.add_run()._r.append(parse_xml(sign))
            else:
                paragraph.add_run(part)
    document.save(str(target("word_symbols", "signs.docx")))
    convert(target("word_symbols", "signs.docx"), "pdf", target("pdf_symbols", "office.pdf"))
    document = Document()
    for words in (
        "Give fentanyl 50 {Symbol:\uf06d}g if eGFR {Symbol:\uf0b3} 30.",
        "Give digoxin 125 {Symbol:m}g and dopamine 3 {Symbol:m}g; {Symbol:D} 2 units.",
    ):
        paragraph = document.add_paragraph()
        for number, part in enumerate(words.replace("}", "{").split("{")):
            font, _, letters = part.partition(":")
            run_ = paragraph.add_run(letters if number % 2 else part)
            if number % 2:
                fonts = f'<w:rFonts {nsdecls("w")} w:ascii="{font}" w:hAnsi="{font}" w:cs="{font}"/>'
                run_._r.get_or_add_rPr().append(parse_xml(fonts))
    document.save(str(target("word_symbols", "font_of_a_run.docx")))
    document = Document()
    paragraph = document.add_paragraph("Danger: ")
    paragraph.add_run()._r.append(parse_xml(f'<w:sym {nsdecls("w")} w:font="Ward Icons" w:char="F021"/>'))
    paragraph.add_run(" means that nobody may give potassium.")
    document.save(str(target("word_symbols", "unknown_font.docx")))


def make_gap() -> None:
    """A PDF whose letters cannot be told, since the table of its font's characters was taken out."""
    page = SCRATCH / "gap.pdf"
    print_page("<h1>Dose</h1><p>Give 50 mg of the drug every 8 hours to adults.</p>", page)
    reader = pypdf.PdfReader(page)
    writer = pypdf.PdfWriter()
    writer.append(reader)
    for font in writer.pages[0]["/Resources"]["/Font"].values():
        font.get_object().pop(NameObject("/ToUnicode"), None)
    writer.write(target("pdf_symbols", "no_character_table.pdf"))


def make_hyphens() -> None:
    """Words broken at line ends: with a hyphen that is theirs, and with one that only the line gave them."""
    words = [
        "The patients had a high level of IL-", "6 and were tested for COVID-", "19 twice. They took 10-",
        "20 mg of a well-", "known drug as first-", "line treat-", "ment, with a beta-", "blocker and a non-",
        "steroidal drug. Infec-", "tions and pneumo-", "nia of the post-", "operative period were rare in T-",
        "cell disease, and hyper-", "tension in 3–", "5 % of them.",
    ]  # fmt: skip
    draw(words, target("pdf_hyphens", "drawn.pdf"))
    print_page("<p>" + "<br>".join(words) + "</p>", target("pdf_hyphens", "chromium.pdf"))
    shy = """<p>The anti\u00adinflam\u00admatory and immuno\u00adsup\u00adpres\u00adsive drugs low\u00adered the con\u00adcen\u00adtra\u00adtion
of the bio\u00admark\u00ader in hos\u00adpi\u00adtal\u00adized chil\u00addren and ado\u00adles\u00adcents by a quar\u00adter.</p>"""
    print_page(shy, target("pdf_hyphens", "soft.pdf"), "p { width: 32mm }")
    document = Document()
    document.core_properties.title = "Hyphens"
    section = document.sections[0]
    section.left_margin = section.right_margin = Cm(7.6)
    document.add_paragraph(
        "Low-dose, high-intensity, self-reported and double-blind studies of COVID-19 and IL-6 in Stevens-Johnson "
        "syndrome gave 10-20 mg of a long-acting, well-known drug with meta-analysis of patient-reported outcomes."
    )
    document.add_paragraph(
        "The anti\u00adcoagu\u00adlation of cardio\u00advascular in\u00adpatients with throm\u00adbo\u00adcyto\u00adpenia was stop\u00adped."
    )
    source = SCRATCH / "hyphens.docx"
    document.save(str(source))
    convert(source, "pdf", target("pdf_hyphens", "office.pdf"))


def make_ligatures() -> None:
    """Ligatures that are letters of their own, with gaps that are no spaces; and real spaces beside them."""
    draw(
        [
            "The e \ufb03 cacy and the bene \ufb01 t of in \ufb02 uenza vaccine were signi \ufb01 cant.",
            "A su \ufb03 cient and speci \ufb01 c di \ufb00 erence was con \ufb01 rmed.",
            "Give \ufb01 fty units of \ufb02 uid, then stop; if \ufb01 ve remain, rest.",
        ],
        target("pdf_ligatures", "drawn.pdf"),
    )
    canvas = Canvas(str(target("pdf_ligatures", "pieces.pdf")), pagesize=A4)
    # Each ligature stands a little away from the letters beside it, as old typesetters leave it.
    for y, pieces in (
        (760, ["The classi", "\ufb01", "cation of \ufb01brosis is di", "\ufb03", "cult."]),
        (744, ["Modi", "\ufb01", "ed release had no e", "\ufb00", "ect on re", "\ufb02", "ux."]),
    ):
        x = 72.0
        for piece in pieces:
            canvas.setFont("Sans", 11)
            canvas.drawString(x, y, piece)
            x += pdfmetrics.stringWidth(piece, "Sans", 11) + 1.2
    canvas.save()
    page = "<p>The classi\ufb01cation of \ufb01brosis and the e\ufb00ect of in\ufb02uenza on the o\ufb03ce staff.</p>"
    print_page(page, target("pdf_ligatures", "chromium.pdf"))


def make_dois() -> None:
    """The work's own DOI, broken at a line end in four ways, and one that ends with its line."""
    text = "We studied 80 patients for two years and counted their attacks."
    for name, lines in {
        "after_slash": ["J Exam 2020; doi: 10.1016/", "j.jexam.2020.01.001. Received 2 May 2020."],
        "after_hyphen": ["Available at https://doi.org/10.1182/blood-", "2010-10-311704. All rights reserved."],
        "after_stop": ["This article: https://doi.org/10.1371/journal.", "pmed.1000097 (open access)."],
        "whole": ["https://doi.org/10.5555/xyz123", "Received 2 May 2020, accepted 3 June 2020."],
    }.items():
        draw(["Attacks of gout", "", text, "", *lines], target("pdf_doi", f"{name}.pdf"))


DRUGS = [
    ["Drug", "Adults", "Children", "Renal failure"],
    ["Amoxicillin", "500 mg three times daily", "15 mg/kg three times daily", "500 mg twice daily"],
    ["Gentamicin", "5 mg/kg once daily", "7 mg/kg once daily", "level before each dose"],
    ["Doxycycline", "100 mg twice daily", "not below 8 years", "no change"],
    ["Ciprofloxacin", "750 mg twice daily", "10 mg/kg twice daily", "500 mg once daily"],
]


def make_tables() -> None:
    """The same table with rules, without, and with shaded rows, printed by three programs."""
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in DRUGS[1:])
    table = f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in DRUGS[0])}</tr>{rows}</table>"
    before, after = "<h1>Antibiotics</h1><p>Doses by mouth:</p>", "<p>Ask before the second course is given.</p>"
    left = "td, th { text-align: left; vertical-align: top; padding: 2px 8px }"
    ruled = "table { border-collapse: collapse } td, th { border: 1px solid }"
    print_page(before + table + after, target("pdf_tables", "chromium_ruled.pdf"), left + ruled)
    print_page(before + table + after, target("pdf_tables", "chromium_bare.pdf"), left)
    shaded = "tr:nth-child(even) { background: #ddd } table { width: 9cm; font-size: 9pt; border-collapse: collapse }"
    print_page(before + table + after, target("pdf_tables", "chromium_shaded.pdf"), left + shaded)
    for name, style in (("office_ruled.pdf", "Table Grid"), ("office_bare.pdf", "Normal Table")):
        document = Document()
        document.core_properties.title = "Antibiotics"
        document.add_heading("Antibiotics", 1)
        document.add_paragraph("Doses by mouth:")
        grid = document.add_table(rows=0, cols=4)
        grid.style = style
        for row in DRUGS:
            for cell, words in zip(grid.add_row().cells, row, strict=True):
                cell.text = words
        document.add_paragraph("Ask before the second course is given.")
        source = SCRATCH / "table.docx"
        document.save(str(source))
        convert(source, "pdf", target("pdf_tables", name))
    style = ParagraphStyle("cell", fontName="Sans", fontSize=9)
    grid = Table([[Paragraph(cell, style) for cell in row] for row in DRUGS], colWidths=[80, 90, 90, 90])
    lines = [("LINEBELOW", (0, 0), (-1, 0), 1, "black"), ("LINEBELOW", (0, -1), (-1, -1), 1, "black")]
    grid.setStyle(TableStyle([*lines, ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]))
    page = SimpleDocTemplate(str(target("pdf_tables", "reportlab_booktabs.pdf")), title="Antibiotics")
    page.build([Paragraph("Doses by mouth:", style), grid, Paragraph("Ask before the second course is given.", style)])


def make_outside() -> None:
    """Words of Word beside its main run: boxes, notes at the end, controls, changes, numbers, formulas, fields."""
    document = Document()
    body = document.element.body

    def add(xml: str) -> None:
        names = f'{nsdecls("w")} xmlns:m="{MATHML}" xmlns:v="urn:schemas-microsoft-com:vml"'
        body.insert(
            len(body) - 1,
            parse_xml(xml.replace("<w:p>", f"<w:p {names}>", 1).replace("<w:sdt>", f"<w:sdt {names}>", 1)),
        )

    def word(words: str) -> str:
        return f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'

    add(f"<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p>{word('Old box: stop metformin.')}</w:p>"
        f"</w:txbxContent></v:textbox></v:shape></w:pict></w:r>{word('Before surgery:')}</w:p>")  # fmt: skip
    add(f"<w:sdt><w:sdtContent><w:p>{word('Control: measure lactate.')}</w:p></w:sdtContent></w:sdt>")
    add(
        f"<w:p>{word('Inline control: give ')}<w:sdt><w:sdtContent>{word('40 mg')}</w:sdtContent></w:sdt>{word(' now.')}</w:p>"
    )
    add(f'<w:p>{word("The dose is ")}<w:ins w:id="1" w:author="A" w:date="2024-01-01T00:00:00Z">{word("20 mg")}</w:ins>'
        f'<w:del w:id="2" w:author="A" w:date="2024-01-01T00:00:00Z"><w:r><w:delText>30 mg</w:delText></w:r></w:del>'
        f"{word(' daily.')}</w:p>")  # fmt: skip
    add(
        f"<w:p>{word('A low')}<w:r><w:noBreakHyphen/></w:r>{word('dose course of anti')}<w:r><w:softHyphen/></w:r>{word('biotics.')}</w:p>"
    )
    add(f"<w:p>{word('The ratio is ')}<m:oMath><m:f><m:num><m:r><m:t>HDL</m:t></m:r></m:num><m:den><m:r><m:t>LDL</m:t></m:r></m:den>"
        f"</m:f></m:oMath>{word(' and ')}<m:oMath><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>9</m:t></m:r></m:sup>"
        f"</m:sSup></m:oMath>{word(' cells.')}</w:p>")  # fmt: skip
    add(
        f'<w:p>{word("See page ")}<w:fldSimple w:instr="PAGEREF x">{word("12")}</w:fldSimple>{word(" of the plan.")}</w:p>'
    )
    add(
        f"<w:p>{word('pH 7.2')}<w:r><w:tab/></w:r>{word('severe')}<w:r><w:br/></w:r>{word('pH 7.3')}<w:r><w:tab/></w:r>{word('moderate')}</w:p>"
    )
    document.save(str(target("word_outside", "parts.docx")))

    document = Document()
    numbering = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, (form, text) in enumerate([("decimal", "Step %1:"), ("decimal", "%1.%2"), ("upperRoman", "(%3)")])
    )
    numbering.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="91">{levels}</w:abstractNum>'))
    start = f'<w:lvlOverride {nsdecls("w")} w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="91"><w:abstractNumId w:val="91"/></w:num>'))
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="92"><w:abstractNumId w:val="91"/>{start}</w:num>'))
    for words, level, number in (
        ("Open the airway.", 0, 91), ("Lift the chin.", 1, 91), ("Look for blood.", 2, 91), ("Remove the vomit.", 2, 91),
        ("Hold the jaw.", 1, 91), ("Give oxygen.", 0, 91), ("Call for help.", 0, 92),
    ):  # fmt: skip
        paragraph = document.add_paragraph(words)
        xml = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        paragraph._p.get_or_add_pPr().append(parse_xml(xml))
    document.save(str(target("word_outside", "numbers.docx")))


def make_word_tables() -> None:
    """Word's tables: joined cells in both directions, a table within a cell, a head of two rows."""
    document = Document()
    document.core_properties.title = "Tables"
    table = document.add_table(rows=4, cols=4)
    for y, row in enumerate([["Drug", "Adults", "", "Note"], ["", "First day", "Later", ""],
                             ["Warfarin", "10 mg", "5 mg", "INR daily"], ["", "5 mg above 80", "3 mg above 80", "INR daily too"]]):  # fmt: skip
        for x, words in enumerate(row):
            table.cell(y, x).text = words
    for first, last in (((0, 0), (1, 0)), ((0, 1), (0, 2)), ((0, 3), (1, 3)), ((2, 0), (3, 0))):
        words = table.cell(*first).text
        table.cell(*first).merge(table.cell(*last)).text = words
    document.add_paragraph("Between the tables.")
    table = document.add_table(rows=2, cols=2)
    for y, row in enumerate([["Drug", "Doses"], ["Heparin", ""]]):
        for x, words in enumerate(row):
            table.cell(y, x).text = words
    inner = table.cell(1, 1).add_table(rows=2, cols=2)
    for y, row in enumerate([["bolus", "80 units/kg"], ["infusion", "18 units/kg"]]):
        for x, words in enumerate(row):
            inner.cell(y, x).text = words
    document.save(str(target("word_tables", "joined.docx")))


def make_titles() -> None:
    """Titles that only the page has: no metadata, those of a template, those of Word's file; over two lines."""
    body = ["Gout is treated by rest and by colchicine.", "It comes back in one of two patients within a year."]
    for name, title, heading in (
        ("untitled", "untitled", ["Colchicine for acute gout"]),
        ("word_draft", "Microsoft Word - draft_v3_final.docx", ["Warfarin after stroke"]),
        ("two_lines", "", ["Early mobilisation of adults after", "planned surgery of the hip"]),
    ):
        canvas = Canvas(str(target("pdf_titles", f"{name}.pdf")), pagesize=A4)
        if title:
            canvas.setTitle(title)
        y = 770.0
        for words, size in [
            ("Ward protocols, volume 3", 8.0),
            *((line, 18.0) for line in heading),
            *((line, 11.0) for line in body),
        ]:
            canvas.setFont("Sans", size)
            canvas.drawString(72, y, words)
            y -= size * 1.6
        canvas.save()


def make_pages() -> None:
    """Two sentences over page ends, with running heads, page numbers and a footnote between their halves."""
    canvas = Canvas(str(target("pdf_pages", "drawn.pdf")), pagesize=A4)
    canvas.setTitle("Transfusion")
    pages = [
        ["Transfuse one unit of red cells when the haemoglobin is below", "70 g/L* and the patient has no bleed-"],
        [
            "ing; give a second unit only after the haemoglobin has been",
            "measured again. The rate is 5 mL/kg per hour in children and",
        ],
        ["250 mL per hour in adults, unless they bleed."],
    ]
    for number, lines in enumerate(pages, 41):
        for words, x, y, size in [
            ("Transfusion", 72, 800, 9), ("Ward protocols", 440, 800, 9), (str(number), 290, 30, 9),
            *((line, 72, 760 - 15 * row, 11) for row, line in enumerate(lines)),
        ]:  # fmt: skip
            canvas.setFont("Sans", size)
            canvas.drawString(x, y, words)
        if number == 41:
            canvas.setFont("Sans", 8)
            canvas.drawString(72, 60, "* 80 g/L in patients with heart disease.")
        canvas.showPage()
    canvas.save()


def main(names: list[str]) -> None:
    """Make the files of the kinds named ("raised", "pages", …), or all."""
    pdfmetrics.registerFont(TTFont("Sans", str(FONTS / "DejaVuSans.ttf")))
    for make in (make_raised, make_word_raised, make_symbols, make_gap, make_hyphens, make_ligatures, make_dois,
                 make_tables, make_outside, make_word_tables, make_titles, make_pages):  # fmt: skip
        if not names or make.__name__.removeprefix("make_") in names:
            make()


if __name__ == "__main__":
    main(sys.argv[1:])
