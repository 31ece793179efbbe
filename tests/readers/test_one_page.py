"""One page, eleven formats: the same words, the same pairs of cells and headers, and offsets that hold.

The files are in tests/data/one_page; make.py there makes them with other programs than ours. FEATURES says what each
feature must and must not read as, and CARRIED which format can carry it: what a format cannot is not asked of it.
"""

from pathlib import Path

from tests.readers.as_read import AsRead, offsets_hold, read
from tests.tables import each_row

DATA = Path(__file__).parents[1] / "data" / "one_page"

FILES = {
    "PDF of Chromium": "chromium.pdf",
    "PDF of LibreOffice": "office.pdf",
    "Word": "python.docx",
    "Word of LibreOffice": "office.docx",
    "HTML": "page.html",
    "Markdown": "page.md",
    "JATS": "page.nxml",
    "PubMed XML": "pubmed.xml",
    "EPUB": "pandoc.epub",
    "PPTX": "python.pptx",
    "XLSX": "openpyxl.xlsx",
    "XLSX of LibreOffice": "office.xlsx",
    "CSV": "table.csv",
    "plain text": "page.txt",
}
PDFS = ["PDF of Chromium", "PDF of LibreOffice"]
SHEETS = ["XLSX", "XLSX of LibreOffice", "CSV"]
ALL = list(FILES)


def _all_but(*formats: str) -> list[str]:
    return [name for name in FILES if name not in formats]


# Each feature: what one block must match, what no block may match, and the formats that can carry it.
FEATURES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "a power of ten": ([r"11 × 10(\^9|⁹)/L and"], [r"109\s?/L", r"10 9"], ALL),
    "a raised digit in a unit": ([r"31 kg/m(\^2|²) on arrival"], [r"kg/m2", r"kg/m\[2"], ALL),
    "a lowered digit": ([r"vitamin D(_?3|₃) and keep SpO(_?2|₂) above 94 %"], [r"D 3", r"SpO 2", r"D(\^|\[)3"], ALL),
    "a raised citation behind a number": ([r"from 2(\[3\]|\^3|³) to 1 per 100"], [r"from 2 ?3 "], ALL),
    "a raised citation in brackets": ([r"it was 4 ?\^?\[5\] before"], [r"was 45"], ALL),
    "a citation that the file marks as such": ([r"from 2\[3\] to 1"], [], ["HTML", "JATS", "EPUB"]),
    "a raised letter at a header": ([r"Dose ?(\[a\]|\^a|ᵃ)"], [r"Dosea"], _all_but("PubMed XML")),
    "signs of comparison": ([r"eGFR ≥ 30 mL/min, age ≤ 80 years, pain 7 ± 2, and the change −1\.5 mg/dL"], [], ALL),
    "Greek letters and micro": ([r"fentanyl 50 μg once; TNF-α, IL-1β and γ-GT are"], [r"50 g"], ALL),
    "a sign of the Symbol font": ([r"fentanyl is 25 μg at night"], [r"25 g"], ["Word", "PDF of LibreOffice"]),
    "soft hyphens": ([r"The antiinflammatory effect"], [r"anti-inflam", r"inflam-matory"], ALL),
    "ligatures": ([r"A first flare with an effusion is difficult to tell"], [], ALL),
    "hyphens": ([r"A low-dose course was compared in a meta-analysis of six trials, and inflammation fell\."],
                [r"lowdose", r"metaanalysis", r"inflam- ?mation"], _all_but("plain text")),
    "a text box": ([r"Call the rheumatologist when two joints are red\."], [], _all_but("PubMed XML", *SHEETS)),
    "a table's note": ([r"Halve every dose above 75 years"], [], _all_but("PubMed XML", "CSV")),
    "a sentence over two pages": ([r"on day three and the dose is halved when the pain is below 3 of 10\."], [], ALL),
    "two columns": ([r"creatinine within two days\. Men may take", r"may be\. Travellers", r"morning\. They stop"],
                    [], _all_but("PPTX", *SHEETS)),
    "a speaker's notes": ([r"women stop the tablets when diarrhoea begins"], [], ["PPTX"]),
    "a line break in a cell": ([r"35 mg[ ;,/]+by mouth"], [r"mgby"], _all_but("PubMed XML", "plain text")),
}  # fmt: skip
STEPS = [
    r"\b1[.)] Ask for earlier attacks",
    r"\ba[.)] Look at the joint",
    r"\bi[.)] Aspirate it when fever is above 38\.5 °C",
    r"\bb[.)] Take blood for urate",
    r"\b2[.)] Start treatment",
]
# A cell of the table: its row, its header, its words.
CELLS = [
    ("Colchicine", "Dose", "500 μg"),
    ("Colchicine", "Interval", "twice daily"),
    ("Colchicine", "Renal dose", "500 μg alternate days"),
    ("Prednisolone", "Dose", "35 mg by mouth"),
    ("Prednisolone", "Renal dose", "35 mg unchanged"),
    ("Naproxen", "Dose", "750 mg first 250 mg later"),
    ("Naproxen", "Interval", "every 8 hours"),
    ("Anakinra", "Renal dose", "every second day"),
    ("Ice pack", "Interval", "four times daily"),
]
SPANS_ROWS = [
    ("Prednisolone", "Dose", "30 mg intravenous"),
    ("Prednisolone", "Interval", "each night"),
    ("Prednisolone", "Renal dose", "15 mg halved"),
]
SPANS_COLUMNS = [
    ("Ibuprofen", "Dose", "400 mg with each meal"),
    ("Ibuprofen", "Interval", "400 mg with each meal"),
    ("Ibuprofen", "Renal dose", "stop below 30"),
]
# Rows as they are printed, for a PDF that has them as lines.
PRINTED = {
    "Colchicine": ("Colchicine", "500 μg", "twice daily", "500 μg alternate days"),
    "Prednisolone": ("Prednisolone", "35 mg by mouth", "each morning", "35 mg unchanged"),
    "Naproxen": ("Naproxen", "750 mg first", "250 mg later", "every 8 hours", "avoid"),
    "Ibuprofen": ("Ibuprofen", "400 mg with each meal", "stop below 30"),
    "Anakinra": ("Anakinra", "100 mg", "once daily", "every second day", "specialist only"),
    "Ice pack": ("Ice pack", "20 min", "four times daily"),
}
TABLES = _all_but("PubMed XML", "plain text")


def _page(name: str) -> AsRead:
    return read(DATA / FILES[name])


def _grid(features: dict[str, tuple[list[str], list[str], list[str]]]) -> list[tuple[str, str]]:
    return [(feature, name) for feature, (_, _, names) in features.items() for name in names]


@each_row(("feature", "name"), _grid(FEATURES))
def test_a_feature_of_the_page(feature: str, name: str) -> None:
    page = _page(name)
    wanted, banned, _ = FEATURES[feature]
    for pattern in wanted:
        assert page.matches(pattern), page.text
    for pattern in banned:
        assert not page.matches(pattern), pattern


@each_row("name", _all_but("PubMed XML", *SHEETS))
@each_row("step", STEPS)
def test_a_step_keeps_its_number(step: str, name: str) -> None:
    assert _page(name).matches(step)


@each_row("name", _all_but("PubMed XML", "PPTX", *SHEETS))
def test_a_footnote_stands_once_and_interrupts_no_sentence(name: str) -> None:
    page = _page(name)
    assert page.count("Not before aspiration in suspected sepsis.") == 1
    assert page.matches(r"Start within 24 hours\. ?(\^?\[?[\w^*†]{1,2}\]?)? ?Then follow these steps:")


@each_row("name", ["PDF of LibreOffice", "Word", "Word of LibreOffice", "PPTX"])
def test_a_text_box_stands_once(name: str) -> None:
    assert _page(name).count("Call the rheumatologist when two joints are red.") == 1


@each_row("name", [*PDFS, "Word"])
def test_a_running_head_is_not_told_on_every_page(name: str) -> None:
    page = _page(name)
    assert page.count("Ward protocol 17") <= 1
    assert page.says("Acute gout on the ward") or page.documents[0].reference.title == "Acute gout on the ward"


@each_row(
    ("row", "header", "value", "name"),
    # A slide's table has no ragged row.
    [(*cell, name) for cell in CELLS for name in TABLES if (cell[0], name) != ("Anakinra", "PPTX")],
)
def test_a_cell_is_paired_with_its_header(row: str, header: str, value: str, name: str) -> None:
    page = _page(name)
    told = name == "CSV" and row == "Anakinra" and any("5 cells" in fault for fault in page.faults)
    printed = name in PDFS and (page.prints_row(*PRINTED[row]) or page.shows(row, header, value))
    assert told or printed or page.pairs(row, header, value), page.text


@each_row("name", TABLES)
@each_row(("row", "header", "value"), SPANS_ROWS)
def test_a_cell_that_spans_two_rows_is_said_in_both(row: str, header: str, value: str, name: str) -> None:
    page = _page(name)
    printed = name in PDFS and page.prints_row("30 mg intravenous", "each night", "15 mg halved")
    assert printed or page.pairs(row, header, value), page.text


@each_row("name", [name for name in TABLES if name != "CSV"])
@each_row(("row", "header", "value"), SPANS_COLUMNS)
def test_a_cell_that_spans_two_columns_moves_no_other(row: str, header: str, value: str, name: str) -> None:
    page = _page(name)
    printed = name in PDFS and (page.prints_row(*PRINTED[row]) or page.shows(row, header, value))
    assert printed or page.pairs(row, header, value), page.text


@each_row("name", [name for name in TABLES if name != "PPTX"])
def test_a_cell_too_many_is_kept_in_its_row(name: str) -> None:
    page = _page(name)
    told = name == "CSV" and any("5 cells" in fault for fault in page.faults)
    row = [line for line in [*page.text.splitlines(), *page.blocks] if "Anakinra" in line and "specialist only" in line]
    assert row or told, page.text
    assert not page.pairs("Anakinra", "Renal dose", "specialist only")


@each_row("name", TABLES)
def test_rows_are_not_mixed(name: str) -> None:
    lines = [line for line in _page(name).text.splitlines() if "Colchicine" in line]
    assert lines
    assert not any(other in line for line in lines for other in ("Naproxen", "Ibuprofen", "35 mg", "Prednisolone"))


def test_lines_of_columns_in_plain_text_stay_lines() -> None:
    lines = [line.split() for line in _page("plain text").text.splitlines()]
    assert ["Colchicine", "500", "μg", "twice", "daily", "500", "μg", "alternate", "days"] in lines
    assert ["Ice", "pack", "20", "min", "four", "times", "daily"] in lines


@each_row("name", ALL)
def test_offsets_hold_and_headings_are_no_words_of_a_section(name: str) -> None:
    page = _page(name)
    assert page.documents
    for document in page.documents:
        assert offsets_hold(document), [(section.title, section.start, section.end) for section in document.sections]


@each_row("name", ALL)
@each_row(
    "sentence",
    [
        "Treat when eGFR ≥ 30 mL/min, age ≤ 80 years, pain 7 ± 2, and the change −1.5 mg/dL.",
        "Give fentanyl 50 μg once; TNF-α, IL-1β and γ-GT are not needed.",
        "The patient is seen again on day three and the dose is halved when the pain is below 3 of 10.",
    ],
)
def test_a_sentence_can_be_quoted_from_one_section(sentence: str, name: str) -> None:
    parts = [doc.text[part.start : part.end] for doc in _page(name).documents for part in doc.sections]
    assert any(sentence in " ".join(part.split()) for part in parts)


@each_row("name", _all_but("PubMed XML", *SHEETS, "plain text"))
def test_sections_are_those_of_the_page(name: str) -> None:
    if name in PDFS:  # a PDF has no headings, but larger words
        assert _page(name).matches(r"^Steps\b")
        return
    document = _page(name).documents[0]
    section = next((part for part in document.sections if part.title.split(" › ")[-1] == "Steps"), None)
    assert section, [part.title for part in document.sections]
    words = document.text[section.start : section.end]
    assert "Start treatment." in words
    assert "Colchicine" not in words
