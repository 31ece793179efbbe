"""What a Word file prints beside plain words: signs, raised digits, numbers of lists, boxes, notes, joined cells."""

from pathlib import Path

import pytest

from tests.readers.packages import cell, item, paragraph, table, word
from tests.readers.reading import documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.readers.base import UnreadablePart
from wellsourced.types import Document


def text(tmp_path: Path, body: str, **others: str) -> str:
    return only(written(tmp_path / "a.docx", word(body, **others))).text


def sign(font: str, code: str) -> str:
    return f'<w:sym w:font="{font}" w:char="{code}"/>'


def lettered(font: str, letters: str) -> str:
    return f'<w:rPr><w:rFonts w:ascii="{font}" w:hAnsi="{font}"/></w:rPr><w:t>{letters}</w:t>'


SIGNS = {
    "50 μg": ("50 ", sign("Symbol", "F06D"), "g"),
    "eGFR ≥ 30": ("eGFR ", sign("Symbol", "F0B3"), " 30"),
    "age ≤ 80": ("age ", sign("symbol", "00A3"), " 80"),
    "7 ± 2": ("7 ", lettered("Symbol", "\uf0b1"), " 2"),
    "125 μg": ("125 ", lettered("Symbol", "m"), "g"),
    "K ≠ 4": ("K ", sign("Symbol", "F0B9"), " 4"),
    "fever → ice": ("fever ", sign("Wingdings", "F0E0"), " ice"),
    "✔ consent": (sign("Wingdings", "F0FC"), " consent"),
    "◻ no": (sign("Wingdings", "F0A8"), " no"),
    "☒ yes": ("<w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData>", "yes"),
    "∑ of all": (sign("Segoe UI Symbol", "2211"), " of all"),
}


@each_row("right", SIGNS)
def test_a_sign_of_a_symbol_font_is_the_sign_that_is_printed(tmp_path: Path, right: str) -> None:
    assert text(tmp_path, paragraph(*SIGNS[right])) == right


@each_row(
    "runs",
    [("stop ", sign("Zapf Chancery", "F041"), " it"), ("stop \uf0b3 it",), ("stop ", sign("Symbol", "F0F0"), " it")],
)
def test_a_sign_that_no_table_knows_is_marked_in_the_text_and_told(tmp_path: Path, runs: tuple[str, ...]) -> None:
    document, fault = read(written(tmp_path / "a.docx", word(paragraph(*runs))))
    assert isinstance(document, Document) and isinstance(fault, UnreadablePart)
    assert document.text == "stop \ufffd it"
    assert fault.reason.startswith("1 of an unknown font")


RAISED = {
    "150 × 10^9/L": ("150 × 10", "^9", "/L"),
    "from 10^−3 to": ("from 10", "^−", "^3", " to"),
    "31 kg/m^2 on": ("31 kg/m", "^2", " on"),
    "four trials[3,4] of": ("four trials", "^3,", "^4", " of"),
    "rose.[12] It": ("rose.", "^12", " It"),
    "in 5[a] of": ("in 5", "^a", " of"),
    "the 22nd day": ("the 22", "^nd", " day"),
    "10^1/2 tablets": ("10", "^1/2", " tablets"),
    "CO2 and H2O": ("CO", "_2", " and H", "_2", "O"),
    "5_2 of": ("5", "_2", " of"),
    "9 × 10^6/mL": ("9 × 10", '<w:rPr><w:position w:val="8"/></w:rPr><w:t>6</w:t>', "/mL"),
    "8 × 10^7/mL": ("8 × 10", '<w:rPr><w:rStyle w:val="up"/></w:rPr><w:t>7</w:t>', "/mL"),
}
STYLES = """<w:styles ><w:style w:type="character" w:styleId="base"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>
</w:style><w:style w:type="character" w:styleId="up"><w:basedOn w:val="base"/></w:style></w:styles>"""


@each_row("right", RAISED)
def test_what_is_raised_or_lowered_does_not_run_into_the_number_before_it(tmp_path: Path, right: str) -> None:
    assert text(tmp_path, paragraph(*RAISED[right]), styles=STYLES) == right


def level(number: int, format: str, written_as: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{format}"/>{more}'
        f'<w:lvlText w:val="{written_as}"/></w:lvl>'
    )


NUMBERING = f"""<w:numbering ><w:abstractNum w:abstractNumId="0">{level(0, "decimal", "Step %1:")}
{level(1, "lowerLetter", "%1%2)")}{level(2, "upperRoman", "(%3)")}{level(3, "bullet", "o")}</w:abstractNum>
<w:abstractNum w:abstractNumId="1">{level(0, "upperRoman", "%1.")}{level(1, "decimal", "%1.%2", "<w:isLgl/>")}
{level(2, "none", "%3")}</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>"""


@each_row(
    ("items", "right"),
    [
        ([(0, 1), (0, 1)], ["Step 1: a", "Step 2: b"]),
        ([(0, 1), (1, 1), (1, 1), (0, 1), (1, 1)], ["Step 1: a", "1a) b", "1b) c", "Step 2: d", "2a) e"]),
        ([(0, 1), (1, 1), (2, 1), (2, 1)], ["Step 1: a", "1a) b", "(I) c", "(II) d"]),
        ([(2, 1), (0, 1)], ["(I) a", "Step 2: b"]),
        ([(0, 1), (3, 1), (0, 1)], ["Step 1: a", "- b", "Step 2: c"]),
        ([(0, 1), (0, 2), (0, 2), (0, 1)], ["Step 1: a", "Step 7: b", "Step 8: c", "Step 9: d"]),
        ([(0, 3), (1, 3), (1, 3)], ["I. a", "1.1 b", "1.2 c"]),
        ([(0, 3), (2, 3)], ["I. a", "- b"]),
        ([(0, 9)], ["- a"]),
    ],
)
def test_steps_keep_the_numbers_that_are_printed(
    tmp_path: Path, items: list[tuple[int, int]], right: list[str]
) -> None:
    body = "".join(item(letter, *place) for letter, place in zip("abcdefg", items, strict=False))
    assert [line.strip() for line in text(tmp_path, body, numbering=NUMBERING).split("\n")] == right


def test_items_far_down_a_list_go_on_with_double_letters(tmp_path: Path) -> None:
    lettered = NUMBERING.replace(level(0, "decimal", "Step %1:"), level(0, "lowerLetter", "%1."))
    lines = text(tmp_path, item("x") * 28, numbering=lettered).split("\n")
    assert (lines[25], lines[26], lines[27]) == ("z. x", "aa. x", "bb. x")


HEADED = """<w:styles ><w:style w:type="paragraph" w:styleId="h1"><w:name w:val="heading 1"/><w:pPr><w:numPr>
<w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>"""


def test_a_heading_keeps_its_number(tmp_path: Path) -> None:
    body = paragraph("Dose", properties='<w:pStyle w:val="h1"/>') + paragraph("Give 2 g.")
    document = only(written(tmp_path / "a.docx", word(body, styles=HEADED, numbering=NUMBERING)))
    assert parts(document) == [("I. Dose", "Give 2 g.")]


def box(*blocks: str) -> str:
    return f"<w:txbxContent>{''.join(blocks)}</w:txbxContent>"


def drawing(*blocks: str) -> str:
    return f"<w:drawing><a:x>{box(*blocks)}</a:x></w:drawing>"


@each_row(
    ("drawn", "right"),
    [
        (drawing(paragraph("Halve it.")), "Halve it."),
        (f"<w:pict><v:textbox>{box(paragraph('Halve it.'))}</v:textbox></w:pict>", "Halve it."),
        (
            f"<mc:AlternateContent><mc:Choice>{drawing(paragraph('Halve it.'))}</mc:Choice>"
            f"<mc:Fallback><w:pict>{box(paragraph('Halve it.'))}</w:pict></mc:Fallback></mc:AlternateContent>",
            "Halve it.",
        ),
        (drawing(paragraph("Two", drawing(paragraph("boxes")))), "Two\n\nboxes"),
        (
            "<mc:AlternateContent><mc:Choice><w:new/></mc:Choice><mc:Fallback><w:t>Halve it.</w:t></mc:Fallback>"
            "</mc:AlternateContent>",
            "Halve it.",
        ),
        (drawing(table(cell("Drug") + cell("Dose"), cell("B") + cell("2 g"))), "Drug | Dose\nB | 2 g"),
    ],
)
def test_the_words_of_a_text_box_stand_once_behind_its_paragraph(tmp_path: Path, drawn: str, right: str) -> None:
    assert text(tmp_path, paragraph(drawn) + paragraph("Then rest.")) == f"{right}\n\nThen rest."


NOTES = {
    "footnotes": f'<w:footnotes ><w:footnote w:id="2">{paragraph("<w:footnoteRef/>", "Not in cirrhosis.")}</w:footnote>'
    f'<w:footnote w:id="5">{paragraph("Up to 10", "^9", ".")}</w:footnote></w:footnotes>',
    "endnotes": f'<w:endnotes ><w:endnote w:id="2">{paragraph("By trial 7.")}</w:endnote></w:endnotes>',
}


def note(id: int, kind: str = "footnote", more: str = "") -> str:
    return f'<w:{kind}Reference w:id="{id}"{more}/>'


@each_row(
    ("body", "right"),
    [
        (paragraph("2 g", note(2), " daily.") + paragraph("Stop."), "2 g[1] daily.\n\n[1] Not in cirrhosis.\n\nStop."),
        (paragraph("2 g", note(5), note(2)), "2 g[1][2]\n\n[1] Up to 10^9.\n[2] Not in cirrhosis."),
        (paragraph("2 g", note(2, "endnote"), note(2)), "2 g[i][1]\n\n[i] By trial 7.\n[1] Not in cirrhosis."),
        (paragraph("2 g", note(2, more=' w:customMarkFollows="1"'), "^*"), "2 g*\n\nNot in cirrhosis."),
        (paragraph("2 g", note(2)) + paragraph("1 g", note(2)), "2 g[1]\n\n[1] Not in cirrhosis.\n\n1 g[1]"),
        (paragraph("2 g", note(99)), "2 g"),
        (
            table(cell("Drug") + cell("Dose"), cell("B") + cell(paragraph("2 g", note(2)))) + paragraph("Stop."),
            "Drug | Dose\nB | 2 g[1]\n\n[1] Not in cirrhosis.\n\nStop.",
        ),
        (item("a") + item("b") + paragraph("2 g", note(2)), "Step 1: a\nStep 2: b\n\n2 g[1]\n\n[1] Not in cirrhosis."),
    ],
)
def test_a_note_has_its_mark_in_the_text_and_its_words_behind_the_block(tmp_path: Path, body: str, right: str) -> None:
    assert text(tmp_path, body, **NOTES, numbering=NUMBERING) == right


def joined(across: int = 1, down: str = "") -> str:
    return (f'<w:gridSpan w:val="{across}"/>' if across > 1 else "") + (f"<w:vMerge{down}/>" if down else "")


GO_ON, BEGIN = " ", ' w:val="restart"'
HEADER = "<w:tblHeader/>"


@each_row(
    ("rows", "right"),
    [
        (
            [f"<w:trPr>{HEADER}</w:trPr>" + cell("To 9 g") + cell("5 mg"), cell("A") + cell("1 g")],
            "To 9 g | 5 mg\nA | 1 g",
        ),
        (
            [
                cell("Drug") + cell("Route") + cell("Dose"),
                cell("A", properties=joined(down=BEGIN)) + cell("oral") + cell("1 g"),
                cell("", properties=joined(down=GO_ON)) + cell("vein") + cell("2 g"),
            ],
            "Drug | Route | Dose\nA | oral | 1 g\nA | vein | 2 g",
        ),
        (
            [
                cell("Drug", properties=joined(down=BEGIN)) + cell("Adults", properties=joined(2)),
                cell("", properties=joined(down=GO_ON)) + cell("Day 1") + cell("Later"),
                cell("A") + cell("10 mg") + cell("5 mg"),
            ],
            "Drug | Adults: Day 1 | Adults: Later\nA | 10 mg | 5 mg",
        ),
        (
            [cell("Drug") + cell("Adults") + cell("Children"), cell("Rest") + cell("two days", properties=joined(2))],
            "Drug | Adults | Children\nRest | two days | two days",
        ),
        (
            [cell("Drug") + cell("Dose"), cell("A") + cell(item("10 mg first"), item("5 mg later"))],
            "Drug | Dose\nA | Step 1: 10 mg first; Step 2: 5 mg later",
        ),
        (
            [cell("Drug") + cell("Dose"), cell("A") + cell(paragraph("10 mg", "<w:br/>", "at night"))],
            "Drug | Dose\nA | 10 mg; at night",
        ),
        (
            [
                cell("Drug") + cell("Dose"),
                cell("A") + cell(table(cell("day 1") + cell("10 mg"), cell("day 2") + cell("5 mg"))),
            ],
            "Drug | Dose\nA | day 1, 10 mg; day 2, 5 mg",
        ),
        (
            [
                cell("Drug") + cell("Dose"),
                "<w:trPr><w:del/></w:trPr>" + cell("Z") + cell("9 g"),
                cell("A") + cell("1 g"),
            ],
            "Drug | Dose\nA | 1 g",
        ),
        (
            [cell("Drug") + cell("Dose"), f"<w:sdt><w:sdtContent>{cell('A')}</w:sdtContent></w:sdt>" + cell("1 g")],
            "Drug | Dose\nA | 1 g",
        ),
    ],
)
def test_each_row_of_a_table_can_be_read_alone(tmp_path: Path, rows: list[str], right: str) -> None:
    assert text(tmp_path, table(*rows), numbering=NUMBERING) == right


def math(inner: str) -> str:
    return f"<w:p><m:oMath>{inner}</m:oMath></w:p>"


def letters(words: str) -> str:
    return f"<m:r><m:t>{words}</m:t></m:r>"


@each_row(
    ("inner", "right"),
    [
        (f"<m:f><m:num>{letters('HDL')}</m:num><m:den>{letters('LDL')}</m:den></m:f>", "HDL/LDL"),
        (f"<m:f><m:num>{letters('a+b')}</m:num><m:den>{letters('2')}</m:den></m:f>", "(a+b)/2"),
        (f"<m:sSup><m:e>{letters('10')}</m:e><m:sup>{letters('9')}</m:sup></m:sSup>", "10^9"),
        (f"<m:rad><m:deg/><m:e>{letters('x')}</m:e></m:rad>", "√(x)"),
        (f"<m:d><m:e>{letters('x')}</m:e></m:d>", "(x)"),
    ],
)
def test_a_formula_that_fits_in_a_line_is_one(tmp_path: Path, inner: str, right: str) -> None:
    assert text(tmp_path, math(inner)) == right


@each_row(
    ("body", "words", "told"),
    [
        (math("<m:nary><m:e/></m:nary>"), "[formula]", "formulas"),
        (paragraph("2 g", "<w:drawing><c:chart/></w:drawing>"), "2 g", "charts"),
    ],
)
def test_what_is_no_text_is_told(tmp_path: Path, body: str, words: str, told: str) -> None:
    document, fault = read(written(tmp_path / "a.docx", word(body)))
    assert isinstance(document, Document) and document.text == words
    assert isinstance(fault, UnreadablePart) and fault.where == told


def test_another_office_file_that_is_named_docx_is_refused(tmp_path: Path) -> None:
    from wellsourced.errors import UnreadableFile

    path = written(tmp_path / "a.docx", (Path(__file__).parents[1] / "data/office_programs/pandoc.pptx").read_bytes())
    with pytest.raises(UnreadableFile, match="it contains no Word document"):
        documents(path)
