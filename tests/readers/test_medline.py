"""PubMed and MEDLINE XML."""

import tarfile
from datetime import date
from pathlib import Path

import pytest

from tests.readers.reading import DATA, parts, read, written
from wellsourced.errors import Unreadable
from wellsourced.readers import Faulty
from wellsourced.types import Document, Retraction


@pytest.fixture
def items() -> dict[str, Document]:
    return {item.reference.id: item for item in read(DATA / "pubmed.xml") if isinstance(item, Document)}


def test_every_record_with_a_pmid_is_a_document(items: dict[str, Document]) -> None:
    assert list(items) == ["pubmed:101", "pubmed:102", "pubmed:103", "pubmed:104"]


def test_the_labels_of_an_abstract_become_sections(items: dict[str, Document]) -> None:
    assert items["pubmed:101"].text.startswith("Effect of CO2 in mice.\n\nBACKGROUND\n\nAir was < 10^5 Pa.")
    assert parts(items["pubmed:101"]) == [
        ("BACKGROUND", "Air was < 10^5 Pa."),
        ("", "It was air."),
        ("RESULTS", "None."),
    ]


def test_the_card_of_a_record_comes_from_the_record(items: dict[str, Document]) -> None:
    reference = items["pubmed:101"].reference
    assert reference.url == "https://pubmed.ncbi.nlm.nih.gov/101/"
    assert reference.published == "2009-11"
    assert reference.doi == "10.1234/JIT.101"
    assert reference.authors == ("Doe AB", "The Air Group")
    assert reference.journal == "Journal of Invented Trials"
    assert reference.publication_types == ("Journal Article", "Retracted Publication")
    assert reference.depth == "abstract"


def test_without_an_abstract_the_title_can_be_quoted(items: dict[str, Document]) -> None:
    assert parts(items["pubmed:102"]) == [("", "A letter without an abstract.")]
    assert items["pubmed:102"].reference.published == "2011-02-03", "the most precise date"
    assert items["pubmed:102"].reference.doi == "10.1234/jit.102"


def test_a_retraction_is_seen_and_an_erratum_is_not_a_retraction(items: dict[str, Document]) -> None:
    assert items["pubmed:101"].reference.retraction == Retraction(status="true", as_of=date(2024, 2, 29))
    assert items["pubmed:103"].reference.retraction == Retraction(status="true", as_of=None)
    assert items["pubmed:102"].reference.retraction == Retraction(status="unknown")


def test_a_book_chapter_is_a_document(items: dict[str, Document]) -> None:
    chapter = items["pubmed:104"]
    assert parts(chapter) == [("", "Salt is a mineral.")]
    assert (chapter.reference.journal, chapter.reference.organisation) == ("Book of Things", "Invented Press")
    assert (chapter.reference.year, chapter.reference.publication_types) == (2015, ("Review",))


def test_a_record_without_a_pmid_and_a_list_of_deletions_are_told() -> None:
    nameless, deleted = (item for item in read(DATA / "pubmed.xml") if isinstance(item, Faulty))
    assert (nameless.where, nameless.reason) == ("record 5", "it has no PMID")
    assert deleted.reason == "PubMed has deleted 2 records"
    assert deleted.remedy.endswith("wellsourced library remove NAME pubmed:7 pubmed:8")


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ("<Year>2001</Year><Month>Sep</Month><Day>5</Day>", "2001-09-05"),
        ("<Year>2001</Year><Season>Fall</Season>", "2001"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "1998-12"),
        ("<MedlineDate>2000 Spring</MedlineDate>", "2000"),
        ("<MedlineDate>Fall 2001</MedlineDate>", "2001"),
        ("<MedlineDate>1978-1979</MedlineDate>", "1978"),
        ("<MedlineDate>undated</MedlineDate>", ""),
        ("<Year>20O1</Year>", ""),
    ],
)
def test_dates_are_as_precise_as_the_record(tmp_path: Path, given: str, published: str) -> None:
    issue = f"<Journal><JournalIssue><PubDate>{given}</PubDate></JournalIssue></Journal>"
    citation = (
        f"<MedlineCitation><PMID>1</PMID><Article>{issue}<ArticleTitle>T</ArticleTitle></Article></MedlineCitation>"
    )
    (document,) = read(written(tmp_path / "a.xml.gz", f"<MedlineCitationSet>{citation}</MedlineCitationSet>"))
    assert isinstance(document, Document)
    assert document.reference.published == published


def test_records_before_the_xml_breaks_off_go_in(tmp_path: Path) -> None:
    xml = (DATA / "pubmed.xml").read_text(encoding="utf-8")
    *kept, fault = read(written(tmp_path / "cut.xml", xml[: xml.index("103")]))
    assert [item.reference.id for item in kept if isinstance(item, Document)] == ["pubmed:101", "pubmed:102"]
    assert isinstance(fault, Faulty)
    assert fault.where == "after 2 documents"
    assert "XML is broken" in fault.reason


def test_real_answers_of_pubmed_are_read_or_refused_by_name(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "fixtures" / "pubmed_xml.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    found: dict[str, list[str]] = {}
    refused = []
    for path in sorted(tmp_path.rglob("*.*")):
        try:
            found[path.name] = [item.reference.id for item in read(path) if isinstance(item, Document)]
        except Unreadable as error:
            refused.append(error.reason)
    ids = [id for ids in found.values() for id in ids]
    pmids = sorted(int(id.removeprefix("pubmed:")) for id in ids if id.startswith("pubmed:"))
    assert pmids == [9997, 11700088, 11748933, 12091962, 27797938, 28775130, 29768149, 29963580, 30108519]
    assert sum(id.startswith("pmc:") for id in ids) == 5
    assert len(found) == 15
    assert len(refused) == 30
    assert sum("which holds no articles" in reason for reason in refused) == 29
