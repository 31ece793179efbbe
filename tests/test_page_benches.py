"""The bench of tables: each judgement they can give, on a text made for it."""

from benchmarks.pdf_tables import Cell, Table, judge
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
