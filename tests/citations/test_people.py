"""Names of people and groups: taken apart where that is certain, and written as styles and managers have them."""

import json
import re
import tarfile
from pathlib import Path

from lxml import etree

from tests.tables import each_row
from wellsourced.citations.people import Author, format_display_name, format_group, format_person, parse_author
from wellsourced.citations.reference_styles import render_reference, render_reference_file
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats import author_names
from wellsourced.readers.medline import author_names as read_pubmed_authors
from wellsourced.readers.registry import reader_for
from wellsourced.sources.crossref import format_authors
from wellsourced.sources.service_answers import AnswerPart
from wellsourced.types import Document, Reference


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


@each_row(
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


@each_row("name", ["The STOP Group", "Lung, Heart and Blood", "Pfizer, Inc", "GISSI-3", "WHO"])
def test_a_group_comes_back_from_its_line(name: str) -> None:
    assert parse_author(format_group(name)) == Author(group=name)


@each_row(
    ("spoken", "line"),
    [
        ("Jane Doe", "Doe, Jane"),
        ("Jane B. Doe", "Doe, Jane B."),
        ("Ludwig van der Berg", "van der Berg, Ludwig"),
        ("Berg, Jan van den", "van den Berg, Jan"),
        ("Downey, Robert Jr", "Downey, Robert, Jr"),
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
        "van der Berg JP, Smith JA Jr, King ML 3rd; The STOP Group. Gout. JAMA. 2020."
    )
    assert render_reference(work, "ieee").startswith("J. P. van der Berg, J. A. Smith Jr, M. L. King III, and The STOP")
    ris = render_reference_file([work], "ris")
    assert "AU  - van der Berg, Jean-Pierre\r\nAU  - Smith, John A., Jr\r\nAU  - King, ML, III\r\n" in ris
    bibtex = render_reference_file([work], "bibtex")
    names = "van der Berg, Jean-Pierre and Smith, Jr, John A. and King, III, ML and {The STOP Group}"
    assert f"author = {{{names}}}" in bibtex
    [item] = json.loads(render_reference_file([work], "csl"))
    assert item["author"][1] == {"family": "Smith", "given": "John A.", "suffix": "Jr"}
    assert item["author"][3] == {"literal": "The STOP Group"}


def build_lines(case: dict[str, str]) -> list[str]:
    """The lines that a record keeps of an author as a source gives it."""
    given = case["input"]
    if case["form"] == "jats":
        return list(
            author_names(etree.fromstring(f"<article-meta><contrib-group>{given}</contrib-group></article-meta>"))
        )
    if case["form"] == "pubmed":
        return list(read_pubmed_authors(etree.fromstring(f"<AuthorList>{given}</AuthorList>")))
    if case["form"] in ("crossref", "csl"):
        return list(format_authors(AnswerPart({"author": [json.loads(given)]}, "Crossref")))
    if case["form"] in ("ris", "bibtex"):
        record = f"TY  - JOUR\nTI  - T\n{given}\nER  - \n"
        entry = f"@article{{key, title = {{T}}, author = {{{given}}}}}"
        name, data = ("a.ris", record) if case["form"] == "ris" else ("a.bib", entry)
        [document] = reader_for(Path(name))(InMemoryFile(name, data.encode()), "own")
        assert isinstance(document, Document)
        return list(document.reference.authors)
    return [format_display_name(given)]


CASES = Path(__file__).parents[1] / "data" / "people"
NAMES = [json.loads(line) for line in (CASES / "names.jsonl").read_text("utf-8").splitlines()]


# Of p066, a family name in capitals, the capitals stay as its source has them.
@each_row("case", [case for case in NAMES if case["id"] != "p066"])
def test_authors_are_kept_apart_as_their_sources_give_them(case: dict[str, str]) -> None:
    [line] = build_lines(case)
    author = parse_author(line)
    assert (author.family, author.given, author.suffix) == (case["family"], case["given"], case["suffix"])
    assert author.group.removeprefix("The ").removeprefix("the ") == re.sub("^[Tt]he ", "", case["group"])
    assert str(author) in case["vancouver"]
    work = Reference(id="x:1", title="T", journal="J", authors=(line,))
    [written] = re.findall("^AU  - (.*)\r$", render_reference_file([work], "ris"), re.MULTILINE)
    assert written in case["ris"]
    [written] = re.findall(r"^  author = \{(.*)\},$", render_reference_file([work], "bibtex"), re.MULTILINE)
    assert written in case["bibtex"]


def test_authors_of_real_articles_are_kept_apart(shared_data: Path) -> None:
    rows = [line.split("\t") for line in (CASES / "jats_authors.tsv").read_text("utf-8").splitlines()[1:]]
    right = {(file, kind, family, given, suffix, group) for file, _, kind, family, given, suffix, group in rows}
    wrong = []
    with tarfile.open(shared_data / "fixtures" / "jats_sample.tar.gz") as tar:
        for member in tar.getmembers():
            file = tar.extractfile(member)
            meta = etree.parse(file).find(".//article-meta") if file and member.name.endswith(".nxml") else None
            for line in () if meta is None else author_names(meta):
                author = parse_author(line)
                kinds = ("group", "behalf") if author.group else ("person",)
                if not any((Path(member.name).name, kind, *author) in right for kind in kinds):
                    wrong.append((member.name, line))
    assert wrong == []
