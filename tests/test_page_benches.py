"""The benches of printed pages and tables: each judgement they can give, on a text made for it."""

from benchmarks.pdf_tables import Cell, Table, judge
from benchmarks.printed_pages import Outcome, Page, count_tokens
from tests.tables import each_row

CELLS = [
    Cell("Aspirin", "Adults", "300 mg once"),
    Cell("Aspirin", "Children", "never below 16"),
    Cell("Heparin", "Adults", "80 units/kg"),
    Cell("Heparin", "Children", "75 units/kg"),
]
TABLE = Table("doses", "doses.pdf", cells=CELLS)


@each_row(
    ("text", "outcome"),
    [
        (
            "Drug | Adults | Children\nAspirin | 300 mg once | never below 16\nHeparin | 80 units/kg | 75 units/kg",
            "paired",
        ),
        ("Drug: Heparin; Adults: 80 units/kg; Children: 75 units/kg", "paired"),
        ("Drug Adults Children\n\nHeparin 80 units/kg 75 units/\nkg", "as printed"),
        (
            "Drug         Adults     Children\nHeparin      80         75\n             units/kg   units/kg",
            "as printed",
        ),
        ("Drug | Adults | Children\nAspirin | 300 mg once | 75 units/kg\nHeparin | 80 units/kg |", "wrong"),
        ("Drug | Adults | Children\nHeparin | 75 units/kg | 80 units/kg", "wrong"),
        ("Aspirin 75 units/kg", "wrong"),
        ("Aspirin Heparin\n\n300 mg once 80 units/kg\n\nnever below 16 75 units/kg", "scattered"),
        ("Drug Adults Children\n\nHeparin 80 75 units/kg units/kg", "lost"),
    ],
)
def test_a_cell_is_judged(text: str, outcome: str) -> None:
    # What only stands in its words, broken by a neighbour's, is not there.
    cell = CELLS[3] if outcome != "lost" else CELLS[2]
    assert judge(text, TABLE, cell) == outcome


@each_row(
    ("first", "second"),
    [
        ("11 × 10^9/L", "11 × 10⁹/L"),
        ("11 × 10^9/L", "11 × 10[9]/L"),
        ("pain 7 ± 2 and −1.5 mg/dL", "pain 7 ± 2\nand −1.5 mg/dL"),
        ("31 kg/m^2", "31 kg/m²"),
        ("0.5^6 mg", "0.5[6] mg"),
        ("SpO_2 and D_3", "SpO2 and D₃"),
    ],
)
def test_the_same_numbers_in_another_notation_are_the_same(first: str, second: str) -> None:
    assert count_tokens(first) == count_tokens(second)


@each_row(
    ("page", "read"),
    [
        ("11 × 10^9/L", "11 × 109/L"),
        ("eGFR ≥ 30 mL/min", "eGFR 30 mL/min"),
        ("50 μg", "50 g"),
        ("from 2^3 to 1", "from 23 to 1"),
        ("−1.5 mg", "1.5 mg"),
        ("10–20 mg", "1020 mg"),
        ("31 kg/m^2", "31 kg/m2"),
    ],
)
def test_a_changed_number_is_counted(page: str, read: str) -> None:
    outcome = Outcome()
    outcome.note(Page("Care", [page], [["Drug"]], []), f"Care\n\n{page}\n\nDrug")
    assert outcome.changed == 0
    outcome.note(Page("Care", [page], [["Drug"]], []), f"Care\n\n{read}\n\nDrug")
    assert outcome.changed == 1
