"""Names of people and groups: taken apart where that is certain, and written as styles and managers have them."""

import json

import pytest

from tests.tables import each_row
from wellsourced.citations.people import Author, format_display_name, format_group, format_person, parse_author
from wellsourced.citations.reference_styles import render_reference, render_reference_file
from wellsourced.types import Reference


@each_row(
    ("line", "author"),
    [
        ("Smith JA", Author("Smith", "JA")),
        ("Smith JA Jr", Author("Smith", "JA", "Jr")),
        ("van der Berg J-P", Author("van der Berg", "J-P")),
        ("Smith, J. A.", Author("Smith", "J. A.")),
        ("Smith, John Albert", Author("Smith", "John Albert")),
        ("King, Martin Luther, III", Author("King", "Martin Luther", "III")),
        ("King, Jr., Martin Luther", Author("King", "Martin Luther", "Jr.")),
        ("Nguyen, The Anh", Author("Nguyen", "The Anh")),
        ("O'Brien Ö", Author("O'Brien", "Ö")),
        ("John Smith", Author(group="John Smith")),
        ("RECOVERY Collaborative Group", Author(group="RECOVERY Collaborative Group")),
        ("Heart Association of the USA", Author(group="Heart Association of the USA")),
        ("{Lung, Heart}", Author(group="Lung, Heart")),
    ],
)
def test_only_a_name_whose_parts_are_certain_is_taken_apart(line: str, author: Author) -> None:
    assert parse_author(line) == author


@pytest.mark.parametrize(
    "author",
    [
        Author("Doe", "Ann B"),
        Author("Madonna"),
        Author("de la Cruz", "Juan", "Jr"),
        Author("García Márquez", "Gabriel José"),
        Author("Al-Khatib", "S M"),
        Author("Li", "Wei"),
    ],
)
def test_a_person_comes_back_from_its_line(author: Author) -> None:
    read = parse_author(format_person(author.family, author.given, author.suffix))
    assert read == author or read == Author(group=author.family)


@pytest.mark.parametrize("name", ["The STOP Group", "Lung, Heart and Blood", "Pfizer, Inc", "GISSI-3", "WHO"])
def test_a_group_comes_back_from_its_line(name: str) -> None:
    assert parse_author(format_group(name)) == Author(group=name)


@each_row(
    ("spoken", "line"),
    [
        ("Jane Doe", "Doe, Jane"),
        ("Jane B. Doe", "Doe, Jane B."),
        ("Ludwig van der Berg", "van der Berg, Ludwig"),
        ("Martin King Jr.", "King, Martin, Jr."),
        ("Gabriel García Márquez", "Gabriel García Márquez"),
        ("Doe, Jane", "Doe, Jane"),
        ("The Invented Group", "The Invented Group"),
        ("Madonna", "Madonna"),
    ],
)
def test_a_spoken_name_is_taken_apart_where_its_family_name_is_certain(spoken: str, line: str) -> None:
    assert format_display_name(spoken) == line


def test_parts_reach_every_style_and_manager() -> None:
    authors = ("van der Berg, Jean-Pierre", "Smith, John A., Jr", "King, ML, III", "The STOP Group")
    work = Reference(id="doi:10.1/x", title="Gout", journal="JAMA", published="2020", authors=authors)
    assert render_reference(work, "vancouver").startswith(
        "van der Berg JP, Smith JA Jr, King ML 3rd, The STOP Group. Gout. JAMA. 2020."
    )
    assert render_reference(work, "ieee").startswith("J. P. van der Berg, J. A. Smith Jr, M. L. King III, and The STOP")
    ris = render_reference_file([work], "ris")
    assert "AU  - van der Berg, Jean-Pierre\r\nAU  - Smith, John A., Jr\r\nAU  - King, M. L., III\r\n" in ris
    bibtex = render_reference_file([work], "bibtex")
    names = "van der Berg, Jean-Pierre and Smith, Jr, John A. and King, III, M. L. and {The STOP Group}"
    assert f"author = {{{names}}}" in bibtex
    [item] = json.loads(render_reference_file([work], "csl"))
    assert item["author"][1] == {"family": "Smith", "given": "John A.", "suffix": "Jr"}
    assert item["author"][3] == {"literal": "The STOP Group"}
