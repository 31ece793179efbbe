"""Tables: every row a sentence."""

from pathlib import Path

import pytest

from tests.readers.reading import documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart
from wellsourced.types import Document

HEADER = "Hugo Symbol,Alteration,Cancer Type,Drugs,Level\n"


ROW = 'BRAF,V600E,Melanoma,"Dabrafenib, Trametinib",LEVEL_R2\n'


def test_a_row_is_its_values_under_the_names_of_their_columns_and_no_advice_is_made_of_it(tmp_path: Path) -> None:
    assert only(written(tmp_path / "a.csv", HEADER + ROW)).text == (
        "Hugo Symbol: BRAF; Alteration: V600E; Cancer Type: Melanoma; Drugs: Dabrafenib, Trametinib; Level: LEVEL_R2"
    )


def test_a_mark_within_a_quoted_name_of_a_column_parts_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", '"drug; dose; form",note\nSalt,white\n')
    assert only(path).text == "drug; dose; form: Salt; note: white"


def test_an_empty_value_of_a_template_or_a_cell_too_many_costs_its_row_alone(tmp_path: Path) -> None:
    rows = "BRAF,,Melanoma,A,1\nBRAF,V600E,Melanoma,A,1\nBRAF,V600E,Melanoma,A,1,extra\n"
    items = read(written(tmp_path / "a.csv", "# template: {Drugs} in {Alteration}\n" + HEADER + rows))
    assert [(item.where, item.reason) for item in items if isinstance(item, UnreadablePart)] == [
        ("line 3", "its Alteration is empty"),
        ("line 5", "it has 6 cells; the header has 5 columns"),
    ]
    assert sum(isinstance(item, Document) for item in items) == 1


def test_equal_rows_are_one_document(tmp_path: Path) -> None:
    assert len(documents(written(tmp_path / "a.csv", HEADER + ROW + ROW))) == 1


def test_of_a_long_text_only_lines_of_100_characters_can_be_quoted(tmp_path: Path) -> None:
    lines = ["x" * 98 + ".", "y" * 99 + ".", "z" * 150]
    document = only(written(tmp_path / "a.tsv", 'id\ttext\n7\t"' + "\n".join(lines) + '"\n'))
    assert document.reference.id == "7"
    assert document.text == "\n\n".join(lines)
    assert parts(document) == [("", "\n\n".join(lines[1:]))]


def test_a_text_of_one_short_line_can_be_quoted(tmp_path: Path) -> None:
    assert parts(only(written(tmp_path / "a.csv", "title,text\nSalt,Eaten.\n"))) == [("", "Eaten.")]


def test_a_text_that_begins_inside_a_sentence_is_told(tmp_path: Path) -> None:
    _, fault = read(written(tmp_path / "a.csv", 'id,text\n1,Salt.\n2,", as said"\n'))
    assert isinstance(fault, UnreadablePart)
    assert (fault.where, fault.reason) == ("line 3", "its text starts in the middle of a sentence")


@each_row("beside", [True, False])
def test_a_template_is_the_users_own_sentence(tmp_path: Path, beside: bool) -> None:
    template = "In {Disease Name}, take {DRUG} ({dose})."
    rows = 'disease name;drug;dose\nGout;Salt;"1; 2 g"\n'
    if beside:
        (tmp_path / "a.template.txt").write_text(template + "\n")
    path = written(tmp_path / "a.csv", rows if beside else f"# template: {template}\n{rows}")
    assert only(path).text == "In Gout, take Salt (1; 2 g)."


def test_a_value_cannot_be_a_template_and_a_template_opens_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "# template: {a} and {b}\na,b\n{b},{0.__class__}\n")
    assert only(path).text == "{b} and {0.__class__}"
    with pytest.raises(
        UnreadableFile, match=r"its template uses an unknown column 'a\.__class__'. Columns: a, b. Write them"
    ):
        read(written(tmp_path / "b.csv", "# template: {a.__class__}\na,b\n1,2\n"))


def test_an_empty_value_of_a_template_costs_its_row_alone(tmp_path: Path) -> None:
    _, fault = read(written(tmp_path / "a.csv", "# template: {a} and {b}\na,b\n1,2\n3,\n"))
    assert isinstance(fault, UnreadablePart)
    assert (fault.where, fault.reason) == ("line 4", "its b is empty")


def test_any_other_row_is_told_column_by_column(tmp_path: Path) -> None:
    document = only(written(tmp_path / "doses_of_salt.csv", 'Name,Dose,,Note\nSalt,3 g,x,\n"",,,\n'))
    assert document.text == "Name: Salt; Dose: 3 g; [no header]: x"
    assert document.reference.title == "Salt"


@each_row("mark", [",", ";", "\t", "|"])
@each_row("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_common_dialect_is_read(tmp_path: Path, mark: str, encoding: str) -> None:
    text = f'drug{mark}"note"\r\nSalt{mark}"two\r\nlines, ""quoted"", größer"\r\n'
    assert (
        only(written(tmp_path / "a.csv", text.encode(encoding))).text
        == 'drug: Salt; note: two, lines, "quoted", größer'
    )


def test_a_file_that_is_not_utf_8_is_read_and_told(tmp_path: Path) -> None:
    document, fault = read(written(tmp_path / "a.csv", "drug,note\nSalt,größer\n".encode("latin-1")))
    assert isinstance(document, Document)
    assert isinstance(fault, UnreadablePart)
    assert document.text == "drug: Salt; note: größer"
    assert "was read as Windows-1252" in fault.reason


def test_a_cell_beyond_the_limit_ends_the_file_and_what_came_before_it_stays(tmp_path: Path) -> None:
    document, fault = read(written(tmp_path / "a.csv", f'a,b\n1,2\n3,"{"x" * 9_000_000}"\n'))
    assert isinstance(document, Document)
    assert isinstance(fault, UnreadablePart)
    assert "field larger than field limit" in fault.reason


@each_row("text", ["", "\n\n", " , , \n1,2,3\n", "," * 2_000 + "\n"])
def test_a_table_without_names_of_columns_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableFile, match="has no column names"):
        read(written(tmp_path / "a.csv", text))


@each_row(
    ("text", "read"),
    [
        ("Drug,Dose,Dose\nA,0.5 mg,0.25 mg\n", "Drug: A; Dose: 0.5 mg; Dose: 0.25 mg"),
        ("sep=;\nDrug;Dose\nA;0,5 mg\n", "Drug: A; Dose: 0,5 mg"),
        ('"sep=,"\r\nDrug,Dose\r\nA,"0,5 mg"\r\n', "Drug: A; Dose: 0,5 mg"),
        ("Drug (a, b, c);Dose\nA;0,5 mg\n", "Drug (a, b, c): A; Dose: 0,5 mg"),
        ("Drug, brand\tDose\nA, B\t5 mg\n", "Drug, brand: A, B; Dose: 5 mg"),
        ('Drug,"Dose\n(mg)"\nA,5\n', "Drug: A; Dose (mg): 5"),
        ('Drug,Dose\nA,"1 mg\n2 mg"\n', "Drug: A; Dose: 1 mg, 2 mg"),
        ("Drug,Dose\nA,1 mg,with food\n", "Drug: A; Dose: 1 mg; [no header]: with food"),
        ("#,Drug\n1,A\n", "#: 1; Drug: A"),
        ("# a comment\nDrug,Dose\nA,1 mg\n", "Drug: A; Dose: 1 mg"),
        ("Country,2019,2020\nPeru,5,6\n", "Country: Peru; 2019: 5; 2020: 6"),
        ("Drug,Dose\nA,anti\u00adinflam\u00admatory\n", "Drug: A; Dose: antiinflammatory"),
    ],
)
def test_a_row_keeps_its_names_and_all_its_values(tmp_path: Path, text: str, read: str) -> None:
    assert only(written(tmp_path / "a.csv", text)).text == read


def test_without_a_line_of_names_none_is_invented_and_the_first_row_is_one(tmp_path: Path) -> None:
    found = documents(written(tmp_path / "a.csv", "A,0.5 mg\nB,500 mg\nC,5 mg\n"))
    assert [one.text for one in found][:2] == [
        "[no header]: A; [no header]: 0.5 mg",
        "[no header]: B; [no header]: 500 mg",
    ]


def test_a_table_named_tsv_that_is_none_is_read_as_what_it_is(tmp_path: Path) -> None:
    assert only(written(tmp_path / "a.tsv", "Drug;Dose\nA;5 mg\n")).text == "Drug: A; Dose: 5 mg"


def test_a_long_table_with_a_large_cell_is_read_whole(tmp_path: Path) -> None:
    rows = [f'Drug {number},"{"x " * (500_000 if number == 5 else 1)}"' for number in range(10_000)]
    assert len(documents(written(tmp_path / "a.csv", "\n".join(["Drug,Note", *rows])))) == 10_000
