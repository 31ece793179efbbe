"""Works of reference managers, as Zotero, EndNote, Ovid, PubMed, JabRef, Mendeley and doi.org write them."""

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import DATA, assert_sound, parts, read, written
from tests.tables import each_row
from wellsourced.citations.reference_styles import ReferenceFormat, render_reference_file
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import InMemoryFile, UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document, Reference

FILES = DATA / "reference_files"


def works(name: str) -> list[Document]:
    return [item for item in read(FILES / name, "own") if isinstance(item, Document)]


def faults(path: Path) -> list[tuple[str, str]]:
    return [(item.where, item.reason) for item in read(path, "own") if isinstance(item, UnreadablePart)]


def read_text(name: str, text: str) -> list[Document | UnreadablePart]:
    items = list(reader_for(Path(name))(InMemoryFile(name, text.encode()), "own"))
    for item in items:
        if isinstance(item, Document):
            assert_sound(item)
    return [one for one in items if isinstance(one, Document | UnreadablePart)]


def only_work(name: str, text: str) -> Document:
    [work] = read_text(name, text)
    assert isinstance(work, Document)
    return work


FIRST_WORKS: dict[str, dict[str, Any]] = {
    "zotero.ris": {
        "id": "pubmed:28000001",
        "title": "Colchicine at the start of allopurinol: 10^9 cells/L and p<0.05",
        "authors": ("Moreau, Claire", "van der Berg, Jean-Pierre", "King, Martin L., Jr.", "World Health Organization"),
        "journal": "Journal of Invented Tests",
        "published": "2017-05-03",
        "volume": "9",
        "issue": "2",
        "pages": "101-108",
        "doi": "10.5555/jit.2017.8",
        "pmid": "28000001",
        "pmcid": "PMC5000001",
        "url": "https://doi.org/10.5555/jit.2017.8",
    },
    "endnote.ris": {
        "id": "pubmed:27000002",
        "title": "Paracetamol for fever in adults: a randomised trial",
        "authors": ("Müller, J. K.", "O’Neill, S."),
        "journal": "Annals of Examples",
        "published": "2016-03-04",
        "pages": "12-20",
        "pmcid": "PMC4000002",
        "publication_types": ("Randomized Controlled Trial",),
    },
    "ovid.ris": {
        "id": "doi:10.5555/ovid.3",
        "title": "Sleep and blood pressure in night nurses.",
        "authors": ("Keller, Sofia M", "Sprigg N."),
        "journal": "Heart Letters",
        "published": "1999",
        # "No-Specified"; and Embase's number is no PMID.
        "pages": "",
        "pmid": "",
        "organisation": "Example Press",
        "url": "https://doi.org/10.5555/ovid.3",
    },
    "pubmed.nbib": {
        "id": "pubmed:31000004",
        "title": "Home blood pressure in old age: a randomised trial of two thresholds.",
        "authors": ("Ng, Mei Ling", "Downey, Robert, Jr", "STEADY Study Group"),
        "journal": "Journal of invented tests",
        "published": "2019-11",
        "pages": "201-9",
        "doi": "10.5555/home.4",
        "pmcid": "PMC6000004",
        "mesh": ("Blood Pressure Determination/methods", "Aged", "Humans"),
        "publication_types": ("Journal Article", "Randomized Controlled Trial"),
    },
    "jabref.bib": {
        "id": "pubmed:29000006",
        "title": "Gout and β-blockers: 5% & more after 10^9 cells",
        "authors": ("Müller, Jörg", "van der Meer, Jos", "World Health Organization", "Davis, Sammy, Jr."),
        "journal": "Journal of Invented Tests",
        "published": "2019-05-03",
        "volume": "12",
        "issue": "4",
        "pages": "12-20",
        "doi": "10.5555/jit_2019",
    },
    "zotero.bib": {
        "id": "pubmed:30000007",
        "title": "Iron for tired HIV patients: a trial at <37 °C",
        "authors": ("Durand, Émile", "STOP Group", "de la Vallée, Charles Louis"),
        "journal": "Annals of Examples",
        "published": "2020-02-03",
        "pmcid": "PMC7000007",
        "url": "https://example.org/a_b",
    },
    "mendeley.bib": {
        "id": "pubmed:22000008",
        "title": "The cost of urate lowering",
        "authors": ("Smith, John A.", "de Souza, Ana Paula", "García Márquez, José"),
        "journal": "BMJ (Examples research ed.)",
        "published": "2012-01",
        "pages": "e101",
    },
    "zotero.json": {
        "id": "pubmed:33000009",
        "title": "Walking after knee surgery in Homo sapiens",
        "authors": ("van den Berg, Jan", "King, Martin L., Jr.", "STEADY Study Group"),
        "journal": "Journal of Invented Tests",
        "published": "2021-06-05",
        "pages": "44-51",
        "pmcid": "PMC8000009",
    },
    "mendeley.json": {
        "id": "pubmed:25000010",
        "title": "Statins after eighty",
        "authors": ("Rossi, Paolo",),
        "journal": "Heart Letters",
        "published": "2015",
    },
    "crosscite.json": {
        "id": "doi:10.5555/one.11",
        "title": "Urate lowering in one clinic",
        "authors": ("Yang, Qin",),
        "journal": "Journal of Tests",
        "published": "2008-07-01",
        "organisation": "Example Press",
        "url": "https://example.org/one",
    },
}


@each_row("name", FIRST_WORKS)
def test_a_record_is_read_as_its_program_wrote_it(name: str) -> None:
    reference = works(name)[0].reference
    assert {field: getattr(reference, field) for field in FIRST_WORKS[name]} == FIRST_WORKS[name]
    assert reference.depth == "abstract"


@each_row(
    ("name", "section", "words"),
    [
        ("zotero.ris", "RESULTS", "Flares fell from 41% to 17% (p < 0.001)."),
        ("endnote.ris", "", "Fever fell by 1.2 °C within two hours.\n\nNobody stopped the drug."),
        ("ovid.ris", "", "Pressure rose by 4 mm Hg (SE = 0.7; CI - not given)."),
        ("pubmed.nbib", "RESULTS", "Of 1,204 people, 61 fell in one arm and 58 in the other."),
        ("jabref.bib", "", "Flares fell by 50% in Škoda's trial (p<0.05).\n\nNobody stopped “early”."),
        ("zotero.bib", "", "Iron eased tiredness in one of three patients (95% CI 0.2–0.5)."),
        ("mendeley.bib", "", "Cost was $5 a day and < 10% of \\textgreek a-users stopped."),
        ("zotero.json", "RESULTS", "Walking on the first day shortened the stay by one night."),
        ("crosscite.json", "", "Urate fell by 2.1 mg/dL.\n\nNo flare followed."),
    ],
)
def test_the_abstract_can_be_quoted(name: str, section: str, words: str) -> None:
    assert (section, words) in parts(works(name)[0])


@each_row(
    ("name", "title"),
    [
        ("zotero.ris", "Gout: diagnosis and management"),
        ("ovid.ris", "Café au lait spots"),
        ("pubmed.nbib", "A letter without an abstract."),
        ("jabref.bib", 'On "quoted" words in Journal of Invented Tests'),
        ("zotero.bib", "Gout: diagnosis and management"),
        ("mendeley.bib", "Another work under the same key"),
        ("zotero.json", "Gout: diagnosis and management"),
    ],
)
def test_without_an_abstract_the_title_alone_can_be_quoted(name: str, title: str) -> None:
    [_, work] = works(name)
    assert (work.reference.title, work.reference.depth, parts(work)) == (title, "record", [("", title)])


def test_keywords_are_kept_and_never_quoted() -> None:
    [work] = works("endnote.ris")
    assert work.text.endswith("\n\nKeywords: Fever; Paracetamol; Humans")
    assert not any("Keywords" in words for _, words in parts(work))


@each_row(
    ("name", "told"),
    [
        ("zotero.ris", []),
        ("endnote.ris", []),
        ("ovid.ris", [("record 2", "does not end (ER)"), ("the whole file", "Windows-1252")]),
        ("jabref.bib", [("line 27", "not a BibTeX entry")]),
        ("mendeley.bib", [("line 4", "\\textgreek")]),
        ("zotero.json", [("item 3", "not a JSON object")]),
    ],
)
def test_what_is_damaged_is_told_and_the_rest_goes_in(name: str, told: list[tuple[str, str]]) -> None:
    found = faults(FILES / name)
    assert [where for where, _ in found] == [where for where, _ in told]
    assert all(part in reason for (_, reason), (_, part) in zip(found, told, strict=True))


@each_row(
    ("raw", "title"),
    [
        (r"{\'E}tude {\oe}uvre Stra{\ss}e {\AA}ngstr{\"o}m {\l}{\'{o}}d{\'z}", "Étude œuvre Straße Ångström łódź"),
        (r"$\geq 5$\,mg and $10^{-3}$", "≥ 5 mg and 10^-3"),
        (r"CO\textsubscript{2} and m\textsuperscript{2}", "CO2 and m^2"),
        (r"Less {\textless}5 and 3\%--4\% {--} a~b", "Less <5 and 3%–4% – a b"),
        (r"A lone $ and 50% of it", "A lone $ and 50% of it"),
        (r"R\&D \emph{in vitro} \textbf{bold} {Nested {B}races}", "R&D in vitro bold Nested Braces"),
        (r"\input{/etc/passwd}", "T"),
    ],
)
def test_tex_is_read_as_it_prints(raw: str, title: str) -> None:
    items = read_text("a.bib", f"@article{{a, title = {{T {raw}}}, year = 2001}}")
    assert isinstance(items[0], Document)
    assert items[0].reference.title == f"T {title}".removesuffix(" T")


@each_row(
    ("field", "journal"),
    [
        ("jit", "Journal of Tests"),
        ("JIT", "Journal of Tests"),
        ('jit # ", B"', "Journal of Tests, B"),
        ('"A {"}quoted{"} # name"', 'A "quoted" # name'),
        ("{A # in braces}", "A # in braces"),
        ("unknown", "unknown"),
    ],
)
def test_strings_of_bibtex_are_put_in_and_joined(field: str, journal: str) -> None:
    strings = '@string{jit = "Journal of " # tests}\n@string{tests = {Tests}}\n'
    assert only_work("a.bib", f"{strings}@article{{a, title = {{T}}, journal = {field}}}").reference.journal == journal


@each_row(
    ("tags", "published"),
    [
        ("PY  - 2020", "2020"),
        ("PY  - 2020/05/03/", "2020-05-03"),
        ("Y1  - 2020///May", "2020-05"),
        ("PY  - 2020\nDA  - 2020/5", "2020-05"),
        ("PY  - 2020\nDA  - 2019/05/01", "2020"),
        ("DA  - 2019/10//undefined", "2019-10"),
        ("PY  - in press", ""),
    ],
)
def test_the_most_precise_date_of_the_year_counts(tags: str, published: str) -> None:
    assert only_work("a.ris", f"TY  - JOUR\nTI  - T\n{tags}\nER  - ").reference.published == published


def test_tags_may_be_padded_otherwise_and_lines_that_look_like_tags_stay_words() -> None:
    work = only_work("a.ris", "\n\nTY - JOUR\nTI - T\nAB - It fell.\nHR  - two of three.\nER -\n")
    assert parts(work) == [("", "It fell.\nHR  - two of three.".replace("\n", " ").replace("  ", " "))]


def test_two_records_of_one_work_are_one_document_and_the_second_is_told() -> None:
    record = "TY  - JOUR\nTI  - T\nDO  - 10.5555/a\nER  - \n"
    first, second = read_text("a.ris", record * 2)
    assert isinstance(first, Document)
    assert second == UnreadablePart(
        "record 2",
        "the id 'doi:10.5555/a' already belongs to an earlier record",
        "Fix the record and add the file again.",
    )


def test_a_record_without_a_title_is_told() -> None:
    items = read_text("a.ris", "TY  - JOUR\nAU  - Doe, Ann\nER  - \nTY  - JOUR\nTI  - T\nER  - \n")
    assert [item.reason if isinstance(item, UnreadablePart) else item.reference.title for item in items] == [
        "it has no title",
        "T",
    ]


@each_row("name", ["a.ris", "a.nbib", "a.bib"])
def test_a_file_of_something_else_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read(written(tmp_path / name, "Dear colleague,\n\nthe list follows.\n"))


@each_row("form", ["ris", "bibtex", "csl"])
def test_what_we_write_we_read(form: ReferenceFormat) -> None:
    reference = Reference(
        id="pubmed:7",
        title="Salt & water: 5% of {us} at ~37 °C",
        authors=("van der Berg, Jean-Pierre", "Smith, John A., Jr", "The STOP Group", "{Lung, Heart}"),
        journal="J Invent Tests",
        published="2020-05-03" if form != "bibtex" else "2020",
        volume="3",
        issue="4",
        pages="12-20",
        doi="10.5555/a_b",
        pmid="7",
        url="https://example.org/a_b",
        depth="record",
    )
    guideline = Reference(
        id="doi:10.5555/g", title="Gout", kind="guideline", organisation="Care, Inc", doi="10.5555/g", depth="digest"
    )
    name = {"ris": "a.ris", "bibtex": "a.bib", "csl": "a.json"}[form]
    article, report = read_text(name, render_reference_file([reference, guideline], form))
    assert isinstance(article, Document) and isinstance(report, Document)
    assert article.reference == reference
    assert (report.reference.id, report.reference.organisation) == ("doi:10.5555/g", "Care, Inc")


def test_a_guideline_is_a_report_of_its_organisation() -> None:
    guideline = Reference(id="doi:10.5555/g", title="Gout", kind="guideline", organisation="Institute of Tests")
    ris = render_reference_file([guideline], "ris")
    assert ris.startswith("TY  - RPRT\r\nAU  - Institute of Tests\r\nTI  - Gout\r\nPB  - Institute of Tests\r\n")
    assert render_reference_file([guideline], "bibtex").startswith("@techreport{")
    [item] = json.loads(render_reference_file([guideline], "csl"))
    assert (item["type"], item["publisher"]) == ("report", "Institute of Tests")


HOSTILE: dict[str, Callable[[int], str]] = {
    "tags.ris": lambda size: "TY  - JOUR\n" * (size // 11),
    "lines.ris": lambda size: "TY  - JOUR\nTI  - T\nAB  - " + "a\n" * (size // 2),
    "authors.bib": lambda size: "@a{k, title={T}, author={" + "A B and " * (size // 8) + "C}}",
    "braces.bib": lambda size: "@a{k, title={" + "{" * (size // 2) + "}" * (size // 2) + "}}",
    "joins.bib": lambda size: "@a{k, title={T}, note=" + "{a} # " * (size // 6) + "b}",
    "strings.bib": lambda _: "@string{a = b # b # b}@string{b = a # a # a}@a{k, title = a}",
    "signs.bib": lambda size: "@a{k, title={" + "$\\alpha$ %" * (size // 10) + "}}",
    "opened.bib": lambda size: "@a{" * (size // 3),
}


@each_row("name", HOSTILE)
def test_hostile_files_take_time_in_proportion_to_their_size(name: str) -> None:
    began = time.process_time()
    with contextlib.suppress(UnreadableFile):
        read_text(name, HOSTILE[name](60_000))
    assert time.process_time() - began < 4
