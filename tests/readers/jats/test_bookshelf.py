"""Books in BITS; the book is invented."""

from pathlib import Path

import pytest

from tests.readers.reading import documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import UnreadablePart

META = """<book-meta><book-id book-id-type="pmcid">saltpearls</book-id>
<book-title-group><book-title>SaltPearls</book-title></book-title-group>
<publisher><publisher-name>Invented Publishing</publisher-name></publisher></book-meta>"""
CHAPTER = """<book-part id="article-7" book-part-type="chapter"><book-part-meta>{ids}
<title-group><title>Salt fever</title></title-group><contrib-group><contrib contrib-type="author">
<name><surname>Doe</surname><given-names>Ann</given-names></name></contrib></contrib-group>
<pub-history><date date-type="created"><year>2019</year><month>01</month></date>
<date date-type="updated"><day>3</day><month>5</month><year>2024</year></date></pub-history></book-part-meta>
<body><sec><title>Etiology</title><p>Salt.</p>
<sec><title>Rare causes</title><list><list-item><p>Soda</p></list-item></list></sec></sec></body>
<back><ref-list><ref><mixed-citation>A cited work</mixed-citation></ref></ref-list></back></book-part>"""
NBK = '<book-part-id book-part-id-type="pmcid">NBK123</book-part-id>'
PMID = '<book-part-id book-part-id-type="pmid">555</book-part-id>'


def wrapped(ids: str) -> str:
    return f"<book-part-wrapper>{META}{CHAPTER.format(ids=ids)}</book-part-wrapper>"


def test_a_chapter_is_a_document_with_its_sections_and_without_its_references(tmp_path: Path) -> None:
    document = only(written(tmp_path / "a.nxml", wrapped(NBK)), "book")
    assert parts(document) == [("Etiology", "Salt."), ("Etiology › Rare causes", "- Soda")]
    assert "A cited work" not in document.text


def test_the_card_of_a_chapter_names_the_book_its_publisher_and_the_last_revision(tmp_path: Path) -> None:
    reference = only(written(tmp_path / "a.nxml", wrapped(NBK + PMID)), "book").reference
    assert (reference.id, reference.pmid) == ("nbk:NBK123", "555")
    assert reference.url == "https://www.ncbi.nlm.nih.gov/books/NBK123/"
    assert (reference.title, reference.journal) == ("Salt fever", "SaltPearls")
    assert (reference.organisation, reference.published) == ("Invented Publishing", "2024-05-03")
    assert (reference.authors, reference.kind) == (("Doe, Ann",), "book")


@each_row(("ids", "id"), [(NBK, "nbk:NBK123"), (PMID, "pubmed:555"), ("", "nbk:saltpearls/article-7")])
def test_the_best_id_that_there_is_names_the_chapter(tmp_path: Path, ids: str, id: str) -> None:
    assert only(written(tmp_path / "a.nxml", wrapped(ids))).reference.id == id


def test_chapters_inside_parts_of_a_book_are_documents_in_the_order_of_the_book(tmp_path: Path) -> None:
    inner = CHAPTER.format(ids=NBK) + CHAPTER.format(ids="").replace("article-7", "article-8")
    meta = "<book-part-meta><title-group><title>Part one</title></title-group></book-part-meta>"
    part = f"<book-part id='one'>{meta}{{}}</book-part>"
    silent = part.format(f"<body>{inner}</body>")
    speaking = part.format(f"<body><p>A preface.</p>{CHAPTER.format(ids=PMID)}</body>")
    book = f"<book>{META}<book-body>{silent}{speaking}</book-body></book>"
    found = [document.reference.id for document in documents(written(tmp_path / "a.xml", book))]
    assert found == ["nbk:NBK123", "nbk:saltpearls/article-8", "nbk:saltpearls/one", "pubmed:555"]


def test_a_chapter_without_text_is_told_and_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    empty = "<book><book-part id='x'><book-part-meta/><body/></book-part></book>"
    (fault,) = read(written(tmp_path / "a.xml", empty))
    assert isinstance(fault, UnreadablePart)
    assert fault.where == "the chapter “x”"
    with pytest.raises(UnreadableFile, match="its root <html>"):
        read(written(tmp_path / "b.nxml", "<html/>"))
