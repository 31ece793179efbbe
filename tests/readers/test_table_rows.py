"""Tables of every format as lines: spans, joined names, ragged rows, no invented names."""

from tests.tables import each_row
from wellsourced.readers.table_rows import (
    MAX_COLUMNS,
    MAX_REPEATED_CHARS,
    Cell,
    TableRow,
    cell_line,
    name_values,
    plain_rows,
    table_lines,
)


def head(*cells: str | Cell) -> TableRow:
    return TableRow([cell if isinstance(cell, Cell) else Cell(cell) for cell in cells], is_header=True)


def row(*cells: str | Cell) -> TableRow:
    return head(*cells)._replace(is_header=False)


@each_row(
    ("rows", "lines"),
    [
        (
            [head("Drug", "eGFR", "Dose"), row(Cell("Colchicine", 2), "over 30", "1 mg"), row("under 30", "0.5 mg")],
            ["Drug | eGFR | Dose", "Colchicine | over 30 | 1 mg", "Colchicine | under 30 | 0.5 mg"],
        ),
        (
            [head(Cell("Age", 2), Cell("Uruguay", 1, 2)), head("Men", "Women"), row("40", "12 %", "9 %")],
            ["Age | Uruguay: Men | Uruguay: Women", "40 | 12 % | 9 %"],
        ),
        ([head(Cell("Doses", 1, 2)), head("Drug", "Dose"), row("A", "1")], ["Doses", "Drug | Dose", "A | 1"]),
        ([head("Drug", "Dose"), row("A", "1", "with food")], ["Drug | Dose | [no header]", "A | 1 | with food"]),
        ([head("A", "B", "C"), row("a", "b"), row("a", "", "c")], ["A | B | C", "a | b | ", "a |  | c"]),
        ([head("", "Men"), row("Age", "40")], [" | Men", "Age | 40"]),
        ([head("", ""), row("Age", "40"), row("Sex", "M")], ["[no header] | [no header]", "Age | 40", "Sex | M"]),
        ([head("Dose", "Dose"), row("1", "2")], ["Dose | Dose", "1 | 2"]),
        ([head("A", "B"), row(Cell("Children", 1, 2)), row("a", "b")], ["A | B", "Children", "a | b"]),
        ([head("A", "B"), row("a", "b"), head("C", "D"), row("c", "d")], ["A | B", "a | b", "", "C | D", "c | d"]),
        ([head("A", "B"), head("a", "b"), head("c", "d")], ["A | B", "a | b", "c | d"]),
        ([row("only", "one row")], ["only | one row"]),
        ([row("one"), row("column")], ["one", "column"]),
        ([], []),
    ],
)
def test_a_table_is_lines_that_can_be_read_alone(rows: list[TableRow], lines: list[str]) -> None:
    assert list(table_lines(rows)) == lines


@each_row(
    ("rows", "has_names"),
    [
        (["Drug|Dose", "Colchicine|0.5 mg", "Naproxen|500 mg"], True),
        (["Drug|Route|Harm", "A|oral|nausea", "B|iv|fever"], True),
        (["|Men|Women", "Age|40|41"], True),
        (["Dose|5 mg", "Route|oral"], False),
        (["Route|oral", "Age|adult"], False),
        (["A|oral|daily", "B|oral|weekly"], False),
        (["A|1|2", "B|3|4"], False),
        (["Drug||Dose", "A|x|1"], False),
    ],
)
def test_names_that_the_format_does_not_mark_are_never_invented(rows: list[str], has_names: bool) -> None:
    first, *others = table_lines(plain_rows([line.split("|") for line in rows]))
    written = [line.replace("|", " | ") for line in rows]
    unnamed = " | ".join(["[no header]"] * (rows[0].count("|") + 1))
    assert [first, *others] == (written if has_names else [unnamed, *written])


@each_row(
    ("text", "line"),
    [
        ("0.5 mg twice daily\n0.5 mg once daily", "0.5 mg twice daily; 0.5 mg once daily"),
        ("0.72\n(0.61 to 0.85)", "0.72 (0.61 to 0.85)"),
        ("First.\n\nSecond:\nthird", "First. Second: third"),
        ("a | b", "a|b"),
        ("a |", "a|"),
        ("  two \t words ", "two words"),
    ],
)
def test_the_lines_of_a_cell_are_one_and_stay_apart(text: str, line: str) -> None:
    assert cell_line(text) == line


def test_what_spans_too_much_is_marked_and_no_cell_of_a_wide_table_is_lost() -> None:
    long = "x" * MAX_REPEATED_CHARS
    lines = list(table_lines([head("A", "B"), row(Cell(long, 3), "1"), row("2"), row("3")]))
    assert [line[-14:] for line in lines[2:]] == ["x" * 10 + " | 2", "[as above] | 3"]
    wide, *_ = table_lines([row(*map(str, range(MAX_COLUMNS + 50))), row(Cell("y", 1, 99_999), "z")])
    assert wide.count("[no header]") == MAX_COLUMNS + 50


def test_a_row_that_is_a_document_keeps_equal_names_and_values_without_one() -> None:
    assert name_values(["Drug", "Dose", "Dose", ""], ["A", "1", "2", "3", "4"]) == (
        "Drug: A; Dose: 1; Dose: 2; [no header]: 3; [no header]: 4"
    )
