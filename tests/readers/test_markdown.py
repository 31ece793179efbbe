"""Markdown files, as a reader sees them."""

from pathlib import Path

from tests.readers.reading import DATA, only, parts, written
from tests.tables import each_row


def test_a_note_is_read_without_its_marks() -> None:
    document = only(DATA / "note.md", "own")
    assert document.text == (
        "Salt\n\nSalt is not sugar; see the table, NaCl and more.\n\nDose\n\n"
        "- Adults: 3 g\n  - with food\n- Children: 1 g\n  in two parts\n\n3. third\n4. fourth\n\n"
        "By weight\n\nWeight | Dose\n< 50 kg | 2 g\n\nif salt:\n    stop\n\nHarm\n\nToo much is harmful.\n\nSeen & read"
    )
    assert [(title, words[:7]) for title, words in parts(document)] == [
        ("", "Salt is"),
        ("Dose", "- Adult"),
        ("Dose › By weight", "Weight "),
        ("Harm", "Too muc"),
    ]


def test_front_matter_fills_the_reference() -> None:
    reference = only(DATA / "note.md").reference
    assert reference.id == "doi:10.1234/note"
    assert reference.title == "A note on salt"
    assert reference.published == "2021-05"
    assert reference.organisation == "The Salt Office"
    assert reference.authors == ("Ann Doe", "Carl Roe")


def test_the_only_first_heading_is_the_title_and_no_part_of_the_paths(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.md", "# Salt\n\n## Dose\n\n### Old\n\nx\n\n## Harm\n\ny\n"))
    assert document.reference.title == "Salt"
    assert parts(document) == [("Dose › Old", "x"), ("Harm", "y")]


def test_two_first_headings_are_parts(tmp_path: Path) -> None:
    document = only(written(tmp_path / "my_file.md", "# Salt\n\nx\n\n# Sugar\n\ny\n"))
    assert document.reference.title == "my file"
    assert parts(document) == [("Salt", "x"), ("Sugar", "y")]


def test_a_rule_at_the_top_is_not_front_matter(tmp_path: Path) -> None:
    assert only(written(tmp_path / "a.md", "---\n\ntitle: is a word\n")).text == "title: is a word"


@each_row(
    ("markdown", "text"),
    [
        ("p <0.05 and n > 3", "p <0.05 and n > 3"),
        ("5 * 3 * 2 and a_b_c", "5 * 3 * 2 and a_b_c"),
        ("one  \ntwo\nthree", "one\ntwo three"),
        ("![A chart](x.png) shows", "A chart shows"),
        ("H<sub>2</sub>O<br>water", "H2O\nwater"),
        ("1\\. not a list", "1. not a list"),
        ("| a | b |\n|---|---|\n| 1\\|2 | **x** |", "a | b\n1|2 | x"),
        ("10<sup>9</sup>/L from 2<sup>3</sup>, <LOD> & <b>x</b>", "10^9/L from 2^3, <LOD> & x"),
        # Rows wider than the header, and narrower; a header without words.
        ("a|b\n-|-\n1|2|3|**4**\n5", "a | b | [no header] | [no header]\n1 | 2 | 3 | 4\n5 |  |  |"),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |", "a | b | [no header]\n1 | 2 | 3"),
        ("| | |\n|-|-|\n| Age | 40 |\n| Sex | m |", "[no header] | [no header]\nAge | 40\nSex | m"),
        ("| a | b |\n|-|-|\n| x | <ul><li>1</li><li>2</li></ul> |\n| y<br>z | 3 |", "a | b\nx | 1; 2\ny; z | 3"),
        # HTML, with blank lines in its tables.
        ("<table>\n<tr><th>a</th><th>b</th></tr>\n\n    <tr><td rowspan=2>1</td>\n\n<td>2</td></tr>\n\n<tr><td>3</td>"
         "</tr>\n</table>\nNext", "a | b\n1 | 2\n1 | 3\n\nNext"),
        ("<div>\n\n*x*\n\n</div>", "x"),
        ("<!-- half a sentence", "<!-- half a sentence"),
        # Notes and steps.
        *((notes, notes) for notes in ["Dose[^1] and[^b].\n\n[^1]: Aspirin\n[^b]: Not in children."]),
        ("1. Ask.\n    a. Look.\n        i. Aspirate.\n    b. Take\n       blood.\n2. Treat.",
         "1. Ask.\n  a. Look.\n  i. Aspirate.\n  b. Take blood.\n2. Treat."),
        ("• one\n• two", "• one\n• two"),
        ("Dose\n----\n5 mg", "Dose\n\n5 mg"),
    ],
)  # fmt: skip
def test_words_and_numbers_are_never_changed(tmp_path: Path, markdown: str, text: str) -> None:
    assert only(written(tmp_path / "a.md", markdown)).text == text


def test_a_file_of_headings_alone_can_be_quoted(tmp_path: Path) -> None:
    assert parts(only(written(tmp_path / "a.md", "# Salt\n"))) == [("", "Salt")]
