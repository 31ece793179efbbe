"""What print says beside letters: marks above the line, signs of other fonts, rules, boxes and notes."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.readers.test_pdf import paragraph
from tests.tables import each_row
from wellsourced.readers.base import InMemoryFile, UnreadablePart
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.pdf.paragraphs import WordJoiner
from wellsourced.text.symbol_fonts import symbol_character
from wellsourced.types import Document

LEFT, TOP, SIZE = 72, 700, 10


def read(draw: Callable[[Canvas], None]) -> tuple[Document, list[UnreadablePart]]:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFont("Times-Roman", SIZE)
    draw(canvas)
    canvas.save()
    document, *faults = read_pdf(InMemoryFile("a.pdf", file.getvalue()), "own")
    assert isinstance(document, Document)
    return document, [fault for fault in faults if isinstance(fault, UnreadablePart)]


def print_marked(canvas: Canvas, line: str, y: float = TOP) -> None:
    """A line in which "{3}" is raised and "<2>" is lowered."""
    text = canvas.beginText(LEFT, y)
    text.setFont("Times-Roman", SIZE)
    for run in re.split(r"([{<][^}>]*[}>])", line):
        rise = {"{": 3.5, "<": -2}.get(run[:1], 0)
        text.setFont("Times-Roman", 7 if rise else SIZE)
        text.setRise(rise)
        text.textOut(run.strip("{}<>") if rise else run)
    canvas.drawText(text)


@each_row(
    ("printed", "read_as"),
    [
        ("11 \u00d7 10{9}/L and 10{5} copies", "11 \u00d7 10^9/L and 10^5 copies"),
        ("31 kg/m{2} and 12 cm{3}", "31 kg/m^2 and 12 cm^3"),
        ("P = 10{-5} in all", "P = 10^-5 in all"),
        ("from 2{3} to 1 per 100", "from 2^3 to 1 per 100"),
        ("from 2{3} to 1 a year.{4,5} It", "from 2[3] to 1 a year.[4,5] It"),
        ("treatment{7} with 0.5{6} mg", "treatment[7] with 0.5[6] mg"),
        ("to 40{12,13} patients", "to 40[12,13] patients"),
        ("the adults{a} and Na{+}", "the adults[a] and Na+"),
        ("on the 1{st} day", "on the 1st day"),
        ("2{1}/<2> tablets", "2 1/2 tablets"),
        ("CO<2> and vitamin D<3>", "CO2 and vitamin D3"),
        ("index 10<2> of", "index 10_2 of"),
        ("children of 45 mg", "children of 45 mg"),
    ],
)
def test_a_mark_above_the_line_never_runs_into_a_number(printed: str, read_as: str) -> None:
    assert read(lambda canvas: print_marked(canvas, printed))[0].text == read_as


def test_signs_of_the_symbol_font_are_read() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(LEFT, TOP)
        for font, letters in (
            ("Times-Roman", "Give 50 "),
            ("Symbol", "\u03bc"),
            ("Times-Roman", "g if "),
            ("Symbol", "\u2265"),
        ):
            text.setFont(font, SIZE)
            text.textOut(letters)
        canvas.drawText(text)

    text = read(draw)[0].text.replace("\u00b5", "\u03bc")
    assert text.startswith("Give 50 \u03bcg if")


@each_row(
    ("font", "character", "meaning"),
    [
        ("ABCDEF+SymbolMT", "\uf06d", "\u03bc"),
        ("Symbol", "\uf0b3", "\u2265"),
        ("Symbol", "\u00a3", "\u2264"),
        ("Wingdings", "\uf0fc", "\u2714"),
        ("Wingdings-Regular", "\u00a7", "\u25aa"),
        ("OpenSymbol", "\uf0b1", "\u00b1"),
        ("OpenSymbol", "\uf0fc", "\u2714"),
        ("FontAwesome", "\uf0b3", ""),
        ("Symbol", "\uf0f0", ""),
    ],
)
def test_a_code_of_a_symbol_font_means_a_character_or_nothing(font: str, character: str, meaning: str) -> None:
    assert symbol_character(font, character) == meaning


@each_row(
    ("printed", "read_as"),
    [
        ("anti\u00adinflam\u00admatory", "antiinflammatory"),
        ("low\u00addose", "low-dose"),
        ("5\u00ad10 mg", "5-10 mg"),
        ("veri fi cation", "verification"),
        ("signifi cant", "significant"),
        ("of fl uid", "of fluid"),
        ("the staff were off duty", "the staff were off duty"),
    ],
)
def test_words_that_print_parts_are_whole(printed: str, read_as: str) -> None:
    assert WordJoiner([]).make_whole(printed) == read_as


HEADS = ("Drug", "Usual dose", "Renal dose")
ROWS = (
    ("Colchicine", "0.5 mg twice daily", "0.5 mg once daily"),
    ("Allopurinol", "100 mg daily", "50 mg daily"),
    ("Febuxostat", "80 mg daily", ""),
)
READ = "\n".join(" | ".join(row) for row in (HEADS, *ROWS)).rstrip()
PLACES = (LEFT, LEFT + 120, LEFT + 250, LEFT + 380)


def print_rows(canvas: Canvas, rows: Sequence[Sequence[str]], top: float = TOP, step: float = 18) -> None:
    for number, row in enumerate(rows):
        for place, cell in zip(PLACES, row, strict=False):
            for line, words in enumerate(cell.split("/")):
                canvas.drawString(place + 4, top - step * number - 11 * line, words)


def rule_levels(canvas: Canvas, numbers: Sequence[int], step: float = 18) -> None:
    for number in numbers:
        canvas.line(PLACES[0], TOP + 13 - step * number, PLACES[-1], TOP + 13 - step * number)


def rule_all(canvas: Canvas) -> None:
    rule_levels(canvas, range(5))
    for place in PLACES:
        canvas.line(place, TOP + 13, place, TOP + 13 - 18 * 4)


def shade_rows(canvas: Canvas) -> None:
    canvas.setFillGray(0.85)
    for number in (1, 3):
        canvas.rect(PLACES[0], TOP + 13 - 18 * (number + 1), PLACES[-1] - PLACES[0], 18, fill=1, stroke=0)
    canvas.setFillGray(0)


@each_row(
    "rule",
    [
        rule_all,
        lambda canvas: rule_levels(canvas, (0, 1, 4)),
        lambda canvas: rule_levels(canvas, range(5)),
        lambda canvas: rule_levels(canvas, range(1, 5)),
        shade_rows,
        lambda canvas: None,
    ],
)
def test_a_table_is_read_as_rows_below_the_names_of_its_columns(rule: Callable[[Canvas], None]) -> None:
    def draw(canvas: Canvas) -> None:
        rule(canvas)
        print_rows(canvas, (HEADS, *ROWS))

    document, faults = read(draw)
    assert document.text == READ
    assert not faults


def test_a_cell_that_spans_rows_or_columns_is_said_in_each() -> None:
    def draw(canvas: Canvas) -> None:
        rows = (
            ("Drug", "", "Dose"),
            ("", "Usual", "Renal"),
            ("Colchicine", "0.5 mg", "stop"),
            ("", "1 mg once", "stop"),
        )
        print_rows(canvas, (("", "Dose", ""), *rows[1:]))
        canvas.drawString(PLACES[0] + 4, TOP - 9, "Drug")
        for number in (0, 2, 4):
            rule_levels(canvas, (number,))
        for number in (1, 3):
            canvas.line(PLACES[1], TOP + 13 - 18 * number, PLACES[-1], TOP + 13 - 18 * number)
        for place in (PLACES[0], PLACES[1], PLACES[3]):
            canvas.line(place, TOP + 13, place, TOP + 13 - 72)
        canvas.line(PLACES[2], TOP - 5, PLACES[2], TOP + 13 - 72)

    assert read(draw)[0].text == (
        "Drug | Dose: Usual | Dose: Renal\nColchicine | 0.5 mg | stop\nColchicine | 1 mg once | stop"
    )


def test_a_table_whose_rows_are_not_certain_is_shown_as_printed_and_told() -> None:
    # Two lines in every cell, as far apart as two rows: nobody can tell which they are.
    rows = [("Colchicine", "0.5 mg twice", "0.5 mg once"), ("tablets", "daily", "daily"), ("", "with food", "")]

    def draw(canvas: Canvas) -> None:
        print_rows(canvas, (HEADS, *rows, *ROWS), step=12)

    document, faults = read(draw)
    lines = document.text.split("\n")
    assert lines[1].split("   ")[0] == "Colchicine"
    assert lines[1].index("0.5 mg twice") == lines[2].index("daily") == lines[3].index("with food")
    assert [fault.where for fault in faults] == ["page 1"]
    assert "shown as printed" in faults[0].reason


def test_underlines_and_marks_of_items_make_no_table() -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(4):
            canvas.drawString(LEFT, TOP - 14 * number, "1.")
            canvas.drawString(LEFT + 30, TOP - 14 * number, "Measure the pressure twice a day")
            canvas.line(LEFT + 30, TOP - 1.5 - 14 * number, LEFT + 165, TOP - 1.5 - 14 * number)

    assert "|" not in read(draw)[0].text


def test_justified_lines_with_wide_white_are_no_table() -> None:
    lines = [
        ["Women", "who", "knew", "little"],
        ["anxious", "(6.7,", "95%", "interval"],
        ["memory", "of", "the", "first"],
        ["trimester", "of", "their", "pregnancy"],
        ["analysed", "by", "score", "and"],
    ]

    def draw(canvas: Canvas) -> None:
        for number, line in enumerate(lines):
            widths = [canvas.stringWidth(word) for word in line]
            white, place = (210 - sum(widths)) / (len(line) - 1), float(LEFT)
            for word, width in zip(line, widths, strict=True):
                canvas.drawString(place, TOP - 12 * number, word)
                place += width + white
        canvas.drawString(LEFT, TOP - 12 * len(lines), "little more.")

    document, faults = read(draw)
    assert document.text == " ".join(word for line in lines for word in line) + " little more."
    assert not faults


def test_a_box_beside_the_text_stands_apart() -> None:
    beside = [f"Line {number} of the text beside the box goes on" for number in range(8)]

    def draw(canvas: Canvas) -> None:
        for number, line in enumerate(beside):
            canvas.drawString(LEFT, TOP - 12 * number, line)
        for number, line in enumerate(("Call the ward", "doctor at once.")):
            canvas.drawString(400, TOP - 24 - 12 * number, line)
        canvas.rect(395, TOP - 45, 90, 35)

    text = read(draw)[0].text
    assert "Call the ward doctor at once." in text.split("\n\n")
    assert " ".join(beside) in text.split("\n\n")


def test_a_note_at_the_foot_of_a_page_interrupts_no_sentence() -> None:
    def draw(canvas: Canvas) -> None:
        print_marked(canvas, "Start within 24 hours.{1} Then measure the pressure twice in every single", 140)
        print_marked(canvas, "participant of the trial, and write it down on the chart that hangs on the", 128)
        text = canvas.beginText(LEFT, 100)
        for letters, size, rise in (("1", 5, 2.5), (" Not before aspiration.", 7.5, 0)):
            text.setFont("Times-Roman", size)
            text.setRise(rise)
            text.textOut(letters)
        canvas.drawText(text)
        canvas.showPage()
        canvas.setFont("Times-Roman", SIZE)
        for number, line in enumerate(("wall of the room. " + paragraph(1, 12), paragraph(2, 12))):
            canvas.drawString(LEFT, TOP - 12 * number, line)

    blocks = read(draw)[0].text.split("\n\n")
    assert "1 Not before aspiration." in blocks
    assert any("hours.[1] Then measure" in block and "hangs on the wall of the room." in block for block in blocks)


@each_row(
    ("first", "rest", "doi"),
    [
        ("DOI 10.1182/blood-2010-10-", "311704.", "10.1182/blood-2010-10-311704"),
        ("doi: 10.1016/j.jacc.2015.", "06.1234", "10.1016/j.jacc.2015.06.1234"),
        ("https://doi.org/10.1234/", "own.7", "10.1234/own.7"),
    ],
)
def test_the_own_doi_is_whole_across_a_line_end(first: str, rest: str, doi: str) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawRightString(500, TOP, first)
        canvas.drawString(500 - canvas.stringWidth(first, "Times-Roman", SIZE), TOP - 12, rest)

    assert read(draw)[0].reference.doi == doi


def test_what_a_page_begins_with_is_the_title_in_the_print_of_a_heading_too() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Bold", 12)
        canvas.drawString(LEFT, TOP + 30, "Treatment of gout in primary care")
        canvas.setFont("Times-Roman", SIZE)
        for number, line in enumerate(paragraph(1).split(". ")):
            canvas.drawString(LEFT, TOP - 12 * number, line)

    assert read(draw)[0].reference.title == "Treatment of gout in primary care"


def test_a_table_goes_on_with_the_next_page_below_the_names_of_its_columns() -> None:
    document, *_ = read_pdf(Path(__file__).parents[1] / "data/office_programs/long_table.pdf", "own")
    assert isinstance(document, Document)
    _, _, table, after = document.text.split("\n\n")
    assert after == "Ask whenever in doubt."
    head, *rows = table.split("\n")
    assert head == "Drug | Dose | How often"
    assert len(rows) == 60
    assert (rows[0], rows[-1]) == ("amoxicillin 1 | 5 mg | twice daily", "warfarin 6 | 30 mg | once daily")
    assert document.text[document.pages[1] :].startswith("colchicine 5 | 25 mg | twice daily")


def test_a_table_with_other_names_at_the_top_of_the_next_page_is_another() -> None:
    def draw(canvas: Canvas) -> None:
        for names, value in ((("Drug", "Dose", "Route"), "mg"), (("Test", "Limit", "Unit"), "mmol")):
            canvas.setFont("Times-Bold", SIZE)
            canvas.grid([LEFT - 5 + 120 * column for column in range(4)], [TOP + 10 - 14 * row for row in range(7)])
            for column, words in enumerate(names):
                canvas.drawString(LEFT + 120 * column, TOP, words)
            canvas.setFont("Times-Roman", SIZE)
            for row in range(1, 6):
                for column in range(3):
                    canvas.drawString(LEFT + 120 * column, TOP - 14 * row, f"{value} {row}.{column}")
            canvas.showPage()

    document, _ = read(draw)
    assert document.text.count("\n\n") == 1
    assert document.text.split("\n\n")[1].startswith("Test | Limit | Unit\nmmol 1.0 | mmol 1.1")


SIDES = (
    (
        "Wash the hands before each visit and",
        "wear gloves when the skin is broken.",
        "Rinse the line with 2.5 mL of saline and",
        "note the time. Stop when the rate is above",
    ),
    (
        "4.5 mL/h and call the ward.",
        "Keep the dressing dry, and replace it when it",
        "is loose.",
        "Ask the pharmacist.",
    ),
)
"""Two short columns of sentences; the second goes on with the first, and no step of one is at a step of the other."""


def print_sides(canvas: Canvas) -> None:
    for number, line in enumerate(SIDES[0]):
        canvas.drawString(LEFT, TOP - 12 * number - 8 * (number > 1), line)
    for number, line in enumerate(SIDES[1]):
        canvas.drawString(LEFT + 230, TOP + 7 - 12 * number - 8 * (number > 0) - 8 * (number > 2), line)


def test_short_columns_of_sentences_are_no_table() -> None:
    text = read(print_sides)[0].text
    assert "Stop when the rate is above 4.5 mL/h and call the ward." in text
    assert "Keep the dressing dry, and replace it when it is loose." in text


@each_row("end", ["0.45", "10:33", "level 2.5"])
def test_a_line_that_ends_in_a_number_goes_on(end: str) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(LEFT, TOP, "The rate of the infusion that follows the first hour of treatment is long")
        canvas.drawString(LEFT, TOP - 12, f"until it is {end}")
        canvas.drawString(LEFT, TOP - 24, "when the pulse is felt again.")

    assert f"until it is {end} when the pulse is felt again." in read(draw)[0].text


def test_short_columns_on_a_page_of_full_lines_are_shown_as_printed() -> None:
    full = "Everybody who had a line is seen within a week, and once more when the course is at its end."

    def draw(canvas: Canvas) -> None:
        for number in (*range(14), *range(18, 32)):
            canvas.drawString(LEFT, TOP - 12 * number, full)
        for place, side in zip((LEFT, LEFT + 230), SIDES, strict=True):
            for number, line in enumerate(side):
                canvas.drawString(place, TOP - 12 * (number + 14) - 2, line)

    document, faults = read(draw)
    for left, right in zip(*SIDES, strict=True):
        assert re.search(rf"^{re.escape(left)} {{3,}}{re.escape(right)}$", document.text, re.MULTILINE)
    assert len(faults) == 1


def print_centred(canvas: Canvas, rows: Sequence[Sequence[str]], top: float) -> None:
    """Rows at LibreOffice's distances: cells of two lines stand around the line of the others."""
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            lines = cell.split("\n")
            for at, line in enumerate(lines):
                canvas.drawString(LEFT + 90 * column, top - 34 * number - 21 * at + 21 * (len(lines) - 1) / 2, line)


NAMES = ["Drug", "Adults", "Above 75\nyears", "Children"]


def test_rows_stand_around_their_names() -> None:
    rows = [NAMES, ["heparin", "none", "> 0.36\nunits/kg", "none"], ["digoxin", "0.5\nmg/L", "none", "2 g"]]
    lines = read(lambda canvas: print_centred(canvas, rows, TOP))[0].text.splitlines()
    assert lines[1:] == ["heparin | none | > 0.36 units/kg | none", "digoxin | 0.5 mg/L | none | 2 g"]


@each_row("heads", [[], [NAMES]])
def test_a_row_that_the_end_of_a_page_breaks_is_whole(heads: list[list[str]]) -> None:
    rows = [NAMES, ["heparin", "none", "> 0.36\nunits/kg", "none"], ["digoxin", "0.5", "1 g", "2 g"]]

    def draw(canvas: Canvas) -> None:
        print_centred(canvas, rows, 180)
        canvas.showPage()
        canvas.setFont("Times-Roman", SIZE)
        print_centred(canvas, [*heads, ["", "mg/kg/day at once", "", ""], ["insulin", "3 g", "none", "7 kg"]], 800)

    text = read(draw)[0].text
    assert "digoxin | 0.5 mg/kg/day at once | 1 g | 2 g\n" in text
    assert text.endswith("insulin | 3 g | none | 7 kg")
