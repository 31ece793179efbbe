"""Slides, workbooks, books and archives: what other programs wrote, and what none of them writes."""

import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from tests.readers.packages import archive, package
from tests.readers.reading import documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.packages.spreadsheets import display_number
from wellsourced.types import Document

PROGRAMS = Path(__file__).parents[1] / "data" / "office_programs"
PAGES = ["pandoc.docx", "office.docx", "pandoc.pptx", "office.pptx", "pandoc.epub", "pandoc_2.epub", "office.epub"]
SAYS = [
    "Lactate above 4 mmol/L and a platelet count of 95 × 10^9/L are grave[1]. Give 30 mL/kg of fluid within 3 h when",
    "MAP is < 65 mmHg.",
    "Ceftriaxone | 2 g | 24 h | unchanged",
    "Meropenem | 1 g | 8 h | 0.5 g",
    "Gentamicin | 5 mg/kg | 24 h | avoid",
    "Vasopressin 0.03 U/min is added when norepinephrine exceeds 0.25 μg/kg/min. Hydrocortisone 50 mg every 6 h",
    "follows; mortality fell from 42.3 % to 37.6 %.",
    "Not in cirrhosis of stage C.",
]
STEPS = ["1. Take 2 blood cultures", "2. Give antibiotics within 60 min:", "  a. ceftriaxone 2 g", "3. Measure lactate"]


@each_row("name", PAGES)
def test_every_heading_table_and_number_of_a_page_of_another_program_is_read(name: str) -> None:
    document = only(PROGRAMS / name)
    assert [words for words in SAYS if words not in document.text] == []
    # LibreOffice writes books whose lists have no numbers, and whose headings and first rows of tables are none.
    if name != "office.epub":
        assert [words for words in STEPS if words not in document.text] == []
        assert "Drug | Dose | Interval | eGFR < 30" in document.text
        titles = [title.split(" › ")[-1] for title, _ in parts(document)]
        assert [title for title in ("First hour", "Doses", "Later") if title not in titles] == []
    assert document.reference.title in ("Sepsis on the ward", name.partition(".")[0])


@each_row("name", ["openpyxl.xlsx", "xlsxwriter.xlsx", "office.xlsx"])
def test_a_table_of_a_workbook_gives_a_document_a_row_with_its_numbers_as_displayed(name: str) -> None:
    texts = [document.text for document in documents(PROGRAMS / name)]
    assert texts[:3] == [
        "Drug: Ceftriaxone; Dose: 2 g; Share: 42.5%; From: 2023-03-15; Level: 0.30 mmol/L",
        "Drug: Meropenem; Dose: 1 g; Share: 3.8%; From: 2023-03-16; Level: 12345.68 mmol/L",
        "Drug: Gentamicin; Dose: 5 mg/kg; Share: 100.0%; From: 2023-03-17; Level: -7.25 mmol/L",
    ]
    if name == "openpyxl.xlsx":
        assert texts[3].startswith(
            "What the ward gives\n\nDrug | Dose | Share | From | Level\nCeftriaxone | 2 g | 42.5%"
        )


# --- workbooks -------------------------------------------------------------------------------------------------------


@each_row(
    ("stored", "code", "shown"),
    [
        ("0.30000000000000004", "", "0.3"),
        ("0.5000001", "General", "0.5000001"),
        ("0.3333333333333333", "", "0.3333333333"),
        ("1234567", "", "1234567"),
        ("1E-05", "", "0.00001"),
        ("0.5", "0%", "50%"),
        ("0.005", "0.0%", "0.5%"),
        ("2.5", "0", "3"),
        ("-2.5", "0", "-3"),
        ("1.005", "0.00", "1.01"),
        ("7.4", "0.##", "7.4"),
        ("7", "0.##", "7"),
        ("1234.5", "#,##0.00", "1,234.50"),
        ("5", '0" mg"', "5 mg"),
        ("5", '"eGFR "0', "eGFR 5"),
        ("5", r"0.0\ \m\g", "5.0 mg"),
        ("80", '[$€-407] #,##0.00_);[Red]([$€-407] #,##0.00)', "80.00"),
        ("-80", "0.00;[Red]0.00", "-80.00"),
        ("12345", "0.00E+00", "1.23E+4"),
        ("0.5", "# ?/?", "0.5"),
        ("45000", "dd/mm/yyyy", "2023-03-15"),
        ("45000", "mmm yyyy", "2023-03"),
        ("45000.75", "yyyy-mm-dd hh:mm", "2023-03-15 18:00"),
        ("0.75", "h:mm AM/PM", "18:00"),
        ("1.5", "[h]:mm", "36:00"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("1e400", "yyyy", "1e400"),
        ("NaN", "0.0", "NaN"),
        ("x", "0", "x"),
    ],
)  # fmt: skip
def test_a_number_reads_as_its_cell_displays_it(stored: str, code: str, shown: str) -> None:
    assert display_number(stored, code, datetime(1899, 12, 30)) == shown


STYLES = """<s:styleSheet ><s:fonts><s:font/><s:font><s:b/></s:font></s:fonts>
<s:cellXfs><s:xf/><s:xf fontId="1"/></s:cellXfs></s:styleSheet>"""
STRINGS = """<s:sst ><s:si><s:r><s:t>150 × 10</s:t></s:r>
<s:r><s:rPr><s:vertAlign val="superscript"/></s:rPr><s:t>9</s:t></s:r>
<s:r><s:t>/L</s:t></s:r><s:rPh><s:t>kana</s:t></s:rPh></s:si></s:sst>"""


def workbook(*sheets: str, hidden: int = 0, more: str = "") -> bytes:
    listed = "".join(
        f'<s:sheet name="S{n}" state="{"hidden" if n == hidden else "visible"}" r:id="worksheet{n}"/>'
        for n, _ in enumerate(sheets, 1)
    )
    made = {f"worksheet{n}": f"<s:worksheet >{sheet}</s:worksheet>" for n, sheet in enumerate(sheets, 1)}
    return package(
        "s:workbook", f"{more}<s:sheets>{listed}</s:sheets>", {**made, "styles": STYLES, "sharedStrings": STRINGS}
    )


def rows(*lines: dict[str, str], look: int = 0) -> str:
    """Rows of words by column, or of what follows the place of a cell; `look` is the style of the first row."""
    made = ""
    for number, line in enumerate(lines, 1):
        made += f'<s:row r="{number}">'
        for column, words in line.items():
            inner = f' t="inlineStr" s="{look if number == 1 else 0}"><s:is><s:t>{words}</s:t></s:is>'
            made += f'<s:c r="{column}{number}"{words.removeprefix("<") if words[:1] == "<" else inner}</s:c>'
        made += "</s:row>"
    return f"<s:sheetData>{made}</s:sheetData>"


NAMES = {"A": "Drug", "B": "Dose", "C": "Note"}


def merged(place: str) -> str:
    return f'<s:mergeCells><s:mergeCell ref="{place}"/></s:mergeCells>'


@each_row(
    ("sheet", "texts"),
    [
        (
            rows(NAMES, {"A": "Urate", "B": "<><s:v>0.1</s:v>", "C": '< t="s"><s:v>0</s:v>'}),
            ["Drug: Urate; Dose: 0.1; Note: 150 × 10^9/L"],
        ),
        (
            rows(NAMES, {"A": "A", "B": "1 g", "C": "oral"}, {"B": "2 g", "C": "vein"}) + merged("A2:A3"),
            ["Drug: A; Dose: 1 g; Note: oral", "Drug: A; Dose: 2 g; Note: vein"],
        ),
        (
            rows(NAMES, {"A": "A", "B": "rest"}, {"A": "B", "B": "1 g", "C": "oral"}) + merged("B2:C2"),
            ["Drug | Dose | Note\nA | rest | rest\nB | 1 g | oral"],
        ),
        (
            rows({"A": "Ward 7"}, NAMES, {"A": "A", "B": "1 g", "C": "oral"}, {"A": "Not for children."}),
            ["Ward 7\n\nDrug | Dose | Note\nA | 1 g | oral\n\nNot for children."],
        ),
        (rows({"A": "First"}, {"A": "Then"}), ["First\n\nThen"]),
        (
            rows({"A": "9 g", "B": "5 mg", "C": "1 mg"}, {"A": "A", "B": "1 g", "C": "oral", "D": "extra"}, look=1),
            ["9 g | 5 mg | 1 mg | [no header]\nA | 1 g | oral | extra"],
        ),
    ],
)
def test_a_sheet_is_a_table_of_rows_or_a_page(tmp_path: Path, sheet: str, texts: list[str]) -> None:
    assert [one.text for one in documents(written(tmp_path / "a.xlsx", workbook(sheet)))] == texts


def test_hidden_sheets_and_formulas_without_a_value_are_told(tmp_path: Path) -> None:
    shown = rows({"A": "Dose"}, {"A": "<><s:f>1+1</s:f>"})
    items = read(written(tmp_path / "a.xlsx", workbook(shown, rows({"A": "Secret"}), hidden=2)))
    assert [one.text for one in items if isinstance(one, Document)] == ["Dose\n\n[formula]"]
    faults = [f"{one.where}: {one.reason}" for one in items if isinstance(one, UnreadablePart)]
    assert faults == [
        "sheet S1, formulas without a value: 1 cannot be shown as text",
        "sheet S2: it is hidden, and was left out",
    ]


def test_a_workbook_of_a_mac_counts_days_from_1904(tmp_path: Path) -> None:
    styles = STYLES.replace("<s:xf/>", '<s:xf numFmtId="14"/>')
    sheet = "<s:worksheet ><s:sheetData><s:row><s:c><s:v>1</s:v></s:c></s:row></s:sheetData></s:worksheet>"
    main = '<s:workbookPr date1904="1"/><s:sheets><s:sheet name="S" r:id="worksheet1"/></s:sheets>'
    data = package("s:workbook", main, {"worksheet1": sheet, "styles": styles})
    assert only(written(tmp_path / "a.xlsx", data)).text == "1904-01-02"


def test_a_cell_that_is_merged_over_a_million_rows_fills_no_memory(tmp_path: Path) -> None:
    sheet = rows(NAMES, {"A": "A", "B": "1 g", "C": "oral"}) + merged("A2:XFD1048576")
    assert "A | 1 g | oral" in only(written(tmp_path / "a.xlsx", workbook(sheet))).text


# --- slides ----------------------------------------------------------------------------------------------------------


def shape(*paragraphs: str, place: str = "") -> str:
    held = f'<p:nvPr><p:ph type="{place}"/></p:nvPr>' if place else "<p:nvPr/>"
    return f"<p:sp><p:nvSpPr>{held}</p:nvSpPr><p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"


def line(words: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{words}</a:t></a:r></a:p>"


def slides(*contents: str, hidden: int = 0) -> bytes:
    listed = "".join(f'<p:sldId id="{n}" r:id="slide{n}"/>' for n, _ in enumerate(contents, 1))
    made = {
        f"slide{n}": f"<p:sld {'show=`0`' if n == hidden else ''}><p:cSld><p:spTree>{one}</p:spTree></p:cSld></p:sld>"
        for n, one in enumerate(contents, 1)
    }
    quoted = {name: xml.replace("`", '"') for name, xml in made.items()}
    return package("p:presentation", f"<p:sldIdLst>{listed}</p:sldIdLst>", quoted)


NUMBERED = '<a:pPr lvl="{}"><a:buAutoNum type="{}"/></a:pPr>'


@each_row(
    ("slide", "right"),
    [
        (shape(line("Dose"), place="title") + shape(line("2 g"), place="body"), [("Dose", "2 g")]),
        (shape(line("2 g")), [("Slide 1", "2 g")]),
        (
            f"<p:grpSp>{shape(line('2 g'))}<p:grpSp>{shape(line('3 g'))}</p:grpSp></p:grpSp>",
            [("Slide 1", "2 g\n\n3 g")],
        ),
        (shape(line("a"), line("b"), place="body"), [("Slide 1", "- a\n- b")]),
        (
            shape(line("2 g")) + shape(line("17"), place="sldNum") + shape(line("Ward"), place="ftr"),
            [("Slide 1", "2 g")],
        ),
        (
            shape(
                *(
                    line(word, NUMBERED.format(*what))
                    for word, what in (
                        ("a", (0, "arabicPeriod")),
                        ("b", (1, "alphaLcParenR")),
                        ("c", (1, "alphaLcParenR")),
                        ("d", (0, "arabicPeriod")),
                        ("e", (1, "romanUcParenBoth")),
                    )
                )
            ),
            [("Slide 1", "1. a\n  a) b\n  b) c\n2. d\n  (I) e")],
        ),
        (
            shape(
                '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>9</a:t></a:r>'
                '<a:r><a:t>/L if </a:t></a:r><a:r><a:rPr><a:sym typeface="Symbol"/></a:rPr><a:t>\uf0b3</a:t></a:r>'
                "<a:r><a:t>3</a:t></a:r></a:p>"
            ),
            [("Slide 1", "10^9/L if ≥3")],
        ),
    ],
)
def test_a_slide_is_a_section_with_what_it_shows(tmp_path: Path, slide: str, right: list[tuple[str, str]]) -> None:
    assert parts(only(written(tmp_path / "a.pptx", slides(slide)))) == right


def test_hidden_slides_and_charts_are_told(tmp_path: Path) -> None:
    chart = "<p:graphicFrame><a:graphic><a:graphicData><c:chart/></a:graphicData></a:graphic></p:graphicFrame>"
    items = read(written(tmp_path / "a.pptx", slides(shape(line("2 g")) + chart, shape(line("9 g")), hidden=2)))
    assert [one.text for one in items if isinstance(one, Document)] == ["2 g"]
    assert [one.where for one in items if isinstance(one, UnreadablePart)] == ["slides 2", "charts"]


# --- books -----------------------------------------------------------------------------------------------------------


def book(**changes: str | bytes) -> bytes:
    """A book of two chapters in another order than their names, with styles of its own; `changes` are other files."""
    page = '<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
    files: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="O/a.opf"/></rootfiles></container>',
        "O/a.opf": """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>On salt</dc:title>
<dc:creator>Ann Doe</dc:creator><dc:creator>Carl Roe</dc:creator><dc:date>2021-05-03</dc:date>
<dc:identifier>doi:10.1000/salt</dc:identifier><dc:publisher>WHO</dc:publisher></metadata><manifest>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="1" href="z%20z.xhtml" media-type="application/xhtml+xml"/>
<item id="2" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="1"/><itemref idref="2"/></spine></package>""",
        "O/nav.xhtml": page.format("<p>Contents</p>"),
        "O/z z.xhtml": page.format('<h1>First</h1><a id="x"/><p>Give 10<span class="up">9</span>/L&nbsp;of it.</p>'),
        "O/a.xhtml": page.format("<h1>Second</h1><p>Then stop<a href='#n'>3</a>.</p>"),
        "O/s.css": "p { margin: 0 } span.up { font-size: 70%; vertical-align: super }",
    }
    return archive(files | changes)


def test_a_book_is_its_chapters_in_the_order_of_reading(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.epub", book()), "book")
    assert parts(document) == [("First", "Give 10^9/L\xa0of it."), ("Second", "Then stop[3].")]
    reference = document.reference
    assert (reference.title, reference.authors, reference.doi) == ("On salt", ("Ann Doe", "Carl Roe"), "10.1000/salt")
    assert (reference.published, reference.organisation) == ("2021-05-03", "WHO")


def test_a_chapter_that_is_missing_or_broken_is_told_and_costs_no_other(tmp_path: Path) -> None:
    document, fault = read(written(tmp_path / "a.epub", book(**{"O/a.xhtml": "no page at all"})))
    assert isinstance(document, Document) and parts(document) == [("First", "Give 10^9/L\xa0of it.")]
    assert isinstance(fault, UnreadablePart) and fault.where == "O/a.xhtml"


@each_row(
    ("changes", "reason"),
    [
        (
            {"META-INF/encryption.xml": "<encryption><CipherReference URI='O/a.xhtml'/></encryption>"},
            "its copy protection does not let it be read",
        ),
        ({"META-INF/container.xml": "<container/>"}, "not an EPUB file, or damaged"),
        ({"O/a.opf": "<package"}, "not an EPUB file, or damaged"),
        ({"O/big.xhtml": b" " * (70 * 1024 * 1024)}, "contains more than 64 MB of XML"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(tmp_path: Path, changes: dict[str, str | bytes], reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        read(written(tmp_path / "a.epub", book(**changes)))


# --- damage ----------------------------------------------------------------------------------------------------------


@each_row("name", ["pandoc.docx", "pandoc.pptx", "office.xlsx", "pandoc.epub"])
def test_a_truncated_or_encrypted_file_says_what_to_do(tmp_path: Path, name: str) -> None:
    data = (PROGRAMS / name).read_bytes()
    for broken, reason in ((data[: len(data) // 2], "damaged"), (b"\xd0\xcf\x11\xe0" + bytes(600), "it is encrypted")):
        with pytest.raises(UnreadableFile, match=rf"{reason}.*(save it again|Save it again)"):
            read(written(tmp_path / name, broken))


@each_row("name", ["office.pptx", "office.xlsx"])
def test_entities_of_a_package_are_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(PROGRAMS / name) as old:
        files = {one: old.read(one).replace(b"?>", b'?><!DOCTYPE x [<!ENTITY a "b">]>', 1) for one in old.namelist()}
    with pytest.raises(UnreadableFile, match="declares entities"):
        read(written(tmp_path / name, archive(files)))


# --- archives --------------------------------------------------------------------------------------------------------


def test_the_files_of_an_archive_are_read_as_if_they_lay_in_a_folder(tmp_path: Path) -> None:
    inner = archive({"note.md": "# Salt\n\nIt is eaten."})
    files = {
        "a/note.md": "# Salt\n\nIt is eaten.",
        "b/note.md": "# Salt\n\nIt is eaten.",
        "plan.docx": (PROGRAMS / "pandoc.docx").read_bytes(),
        "doses.csv": "Drug,Dose\nA,1 g\n",
        "scan.dcm": b"x",
        "old.doc": b"x",
        "more.zip": inner,
        "a/.hidden.md": "x",
        "__MACOSX/a/._note.md": "x",
        "a/note.digest.md": "x",
    }
    items = read(written(tmp_path / "all.zip", archive(files)))
    found = [one for one in items if isinstance(one, Document)]
    assert [one.reference.title for one in found] == ["Salt", "Salt", "Sepsis on the ward", "doses"]
    assert len({one.reference.id for one in found}) == 4
    assert {one.where: one.reason for one in items if isinstance(one, UnreadablePart)} == {
        "scan.dcm": "this file type is not supported",
        "old.doc": "it has the old binary Word format",
        "more.zip": "it is an archive in an archive",
    }


def test_an_archive_that_is_a_bomb_or_has_a_password_or_lies_is_refused(tmp_path: Path) -> None:
    bomb = archive({f"{n}.txt": b"a" * (40 * 1024 * 1024) for n in range(3)})
    locked = bytearray(archive({"note.md": "# Salt\n\nIt is eaten."}))
    for start in (locked.find(b"PK\x03\x04") + 6, locked.find(b"PK\x01\x02") + 8):
        locked[start] |= 1
    for data, reason in ((bomb, "unpacks to more than"), (bytes(locked), "password"), (b"PK rubbish", "damaged")):
        with pytest.raises(UnreadableFile, match=reason):
            read(written(tmp_path / "all.zip", data))


def test_a_member_of_an_archive_that_is_longer_than_it_says_is_not_read_on(tmp_path: Path) -> None:
    data = bytearray(archive({"note.txt": "Salt is eaten. " * 1000}))
    at = data.find(b"PK\x01\x02") + 24
    data[at : at + 4] = (100).to_bytes(4, "little")
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as lying:
        assert lying.getinfo("note.txt").file_size == 100
    with pytest.raises(UnreadableFile, match="damaged"):
        read(written(tmp_path / "all.zip", bytes(data)))
