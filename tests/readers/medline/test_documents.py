"""PubMed and MEDLINE XML."""

import gzip
import tarfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from benchmarks.footprint import peak
from tests.readers.reading import DATA, documents, only, parts, read, written
from tests.tables import each_row
from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document, Notice, Retraction


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
    assert reference.authors == ("Doe, Ann B", "The Air Group")
    assert reference.journal == "Journal of Invented Trials"
    assert reference.publication_types == ("Journal Article", "Retracted Publication")
    assert reference.depth == "abstract"


def test_without_an_abstract_the_title_can_be_quoted(items: dict[str, Document]) -> None:
    assert parts(items["pubmed:102"]) == [("", "A letter without an abstract.")]
    assert items["pubmed:102"].reference.published == "2011-02-03", "the most precise date"
    assert items["pubmed:102"].reference.doi == "10.1234/jit.102"


def test_a_retraction_is_seen_and_an_erratum_is_not_a_retraction(items: dict[str, Document]) -> None:
    typed = Notice(kind="retraction", source="PubMed")
    retracted = Retraction(status="true", as_of=date(2024, 2, 29), notices=(typed,))
    assert items["pubmed:101"].reference.retraction == retracted
    assert items["pubmed:103"].reference.retraction == Retraction(status="true", notices=(typed,))
    erratum = Notice(kind="correction", source="PubMed")
    assert items["pubmed:102"].reference.retraction == Retraction(status="unknown", notices=(erratum,))
    assert items["pubmed:102"].reference.retraction.objection == ""


def linked(kind: str, type_: str = "Journal Article") -> str:
    """A set of one record with a link of this kind to another."""
    link = "<RefSource>Arthritis Care Res (2010). 2020 May 4;72(5):1-2</RefSource><PMID Version='1'>77</PMID>"
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version='1'>1</PMID>"
        "<DateRevised><Year>2021</Year><Month>3</Month><Day>2</Day></DateRevised>"
        f"<Article><ArticleTitle>T</ArticleTitle><PublicationTypeList><PublicationType>{type_}</PublicationType>"
        f"</PublicationTypeList></Article><CommentsCorrectionsList><CommentsCorrections RefType='{kind}'>{link}"
        "</CommentsCorrections></CommentsCorrectionsList></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )


@each_row(
    ("link", "kind", "status", "objection"),
    [
        ("RetractionIn", "retraction", "true", "retracted (PubMed, 2020-05-04)"),
        ("ExpressionOfConcernIn", "concern", "unknown", "under an expression of concern (PubMed, 2020-05-04)"),
        ("PartialRetractionIn", "concern", "unknown", "under an expression of concern (PubMed, 2020-05-04)"),
        ("ErratumIn", "correction", "unknown", ""),
        ("CorrectedandRepublishedIn", "correction", "unknown", ""),
    ],
)
@each_row("quotes", ["'", '"'])
def test_what_was_published_about_a_work_after_it_is_noted_with_its_id_and_date(
    tmp_path: Path, link: str, kind: Literal["retraction"], status: Literal["true"], objection: str, quotes: str
) -> None:
    retraction = only(written(tmp_path / "a.xml", linked(link).replace("'", quotes))).reference.retraction
    notice = Notice(kind=kind, source="PubMed", id="pubmed:77", published="2020-05-04")
    assert retraction == Retraction(status=status, as_of=date(2021, 3, 2), notices=(notice,))
    assert retraction.objection == objection


@each_row("link", ["RetractionOf", "ErratumFor", "Cites", "UpdateIn"])
def test_the_notice_of_a_retraction_is_not_itself_retracted(tmp_path: Path, link: str) -> None:
    path = written(tmp_path / "a.xml", linked(link, "Retraction of Publication"))
    assert only(path).reference.retraction == Retraction()


def test_mesh_headings_stand_with_their_qualifiers_and_the_main_ones_first(tmp_path: Path) -> None:
    xml = linked("Cites").replace(
        "</MedlineCitation>",
        "<MeshHeadingList><MeshHeading><DescriptorName MajorTopicYN='N'>Aged</DescriptorName></MeshHeading>"
        "<MeshHeading><DescriptorName MajorTopicYN='N'>Asthma</DescriptorName>"
        "<QualifierName MajorTopicYN='Y'>drug therapy</QualifierName>"
        "<QualifierName MajorTopicYN='N'>blood &amp; serum</QualifierName></MeshHeading>"
        "<MeshHeading><DescriptorName MajorTopicYN='Y'>Salt</DescriptorName></MeshHeading></MeshHeadingList>"
        "</MedlineCitation>",
    )
    for quotes in ("'", '"'):
        mesh = only(written(tmp_path / "a.xml", xml.replace("'", quotes))).reference.mesh
        assert mesh == ("Asthma/drug therapy", "Salt", "Aged", "Asthma/blood & serum")


def test_headings_whose_first_part_is_no_descriptor_are_read_all_the_same(tmp_path: Path) -> None:
    heading = "<MeshHeadingList><MeshHeading><QualifierName MajorTopicYN='N'>therapy</QualifierName></MeshHeading>"
    xml = linked("Cites").replace("</MedlineCitation>", f"{heading}</MeshHeadingList></MedlineCitation>")
    assert only(written(tmp_path / "a.xml", xml)).reference.mesh == ("therapy",)


def test_ids_between_the_history_of_a_record_and_the_works_that_it_cites_are_its_own(tmp_path: Path) -> None:
    ids = "<ArticleIdList><ArticleId IdType='doi'>{}</ArticleId></ArticleIdList>"
    xml = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Salt &lt;History&gt;"
        "</ArticleTitle></Article></MedlineCitation><PubmedData><History><PubMedPubDate><Year>2020</Year>"
        f"</PubMedPubDate></History>{ids.format('10.1234/own')}<ReferenceList><Reference>{ids.format('10.1234/other')}"
        "</Reference></ReferenceList></PubmedData></PubmedArticle></PubmedArticleSet>"
    )
    reference = only(written(tmp_path / "a.xml", xml)).reference
    assert (reference.title, reference.doi, reference.published) == ("Salt <History>", "10.1234/own", "")


def test_an_abstract_of_others_is_read_only_where_there_is_no_abstract(tmp_path: Path) -> None:
    other = "<OtherAbstract Language='{}'><AbstractText>{}</AbstractText></OtherAbstract>"
    others = other.format("fre", "Du sel.") + other.format("eng", "Salt.")
    xml = linked("Cites").replace("</MedlineCitation>", f"{others}</MedlineCitation>")
    assert parts(only(written(tmp_path / "a.xml", xml))) == [("", "Salt.")]
    own = "</ArticleTitle><Abstract><AbstractText>Its own.</AbstractText></Abstract>"
    assert parts(only(written(tmp_path / "b.xml", xml.replace("</ArticleTitle>", own)))) == [("", "Its own.")]


def test_a_book_chapter_is_a_document(items: dict[str, Document]) -> None:
    chapter = items["pubmed:104"]
    assert parts(chapter) == [("", "Salt is a mineral.")]
    assert (chapter.reference.journal, chapter.reference.organisation) == ("Book of Things", "Invented Press")
    assert (chapter.reference.year, chapter.reference.publication_types) == (2015, ("Review",))


def test_a_record_without_a_pmid_and_the_records_that_pubmed_has_deleted_are_told() -> None:
    nameless, deleted = (item for item in read(DATA / "pubmed.xml") if not isinstance(item, Document))
    assert isinstance(nameless, UnreadablePart)
    assert (nameless.where, nameless.reason) == ("record 5", "it has no PMID")
    assert deleted == DeletedDocuments(("pubmed:7", "pubmed:8"))


@each_row(
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
    assert isinstance(fault, UnreadablePart)
    assert fault.where == "after 2 documents"
    assert "XML is invalid" in fault.reason


def test_a_broken_record_costs_nothing_but_itself(tmp_path: Path) -> None:
    xml = (DATA / "pubmed.xml").read_text(encoding="utf-8").replace("A letter without", "A <letter without")
    items = read(written(tmp_path / "a.xml", xml))
    assert [item.reference.id for item in items if isinstance(item, Document)] == [
        "pubmed:101",
        "pubmed:103",
        "pubmed:104",
    ]
    assert "XML is invalid" in next(item.reason for item in items if isinstance(item, UnreadablePart))


def real_records(shared_data: Path) -> Iterator[bytes]:
    """Every PubmedArticle of the recorded answers, as it came."""
    with tarfile.open(shared_data / "fixtures" / "pubmed_xml.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            for piece in (file.read() if file else b"").split(b"</PubmedArticle>")[:-1]:
                yield piece[piece.index(b"<PubmedArticle>") :] + b"</PubmedArticle>"


ENTITIES = (
    (b"p &amp;lt; 0.05 at 5 &amp;#xB5;g/kg &amp;amp; above", "p < 0.05 at 5 µg/kg & above"),
    (b"p &amp;amp;lt; 0.05", "p < 0.05"),
    (b"&amp;alpha;-blockers &amp;#177; 2", "α-blockers ± 2"),
    (b"AT&amp;T; R&amp;D", "AT&T; R&D"),
    (b"p &lt; 0.05 and q > 1", "p < 0.05 and q > 1"),
)
ENTITY_RECORD = (
    b"<PubmedArticle><MedlineCitation><PMID>7</PMID><Article><Journal><JournalIssue><PubDate><Year>2015</Year></PubDate>"
    b"</JournalIssue><Title>J %(words)s</Title></Journal><ArticleTitle>%(words)s</ArticleTitle><Abstract><AbstractText>"
    b'%(words)s</AbstractText></Abstract><AuthorList CompleteYN="Y"><Author ValidYN="Y"><CollectiveName>%(words)s'
    b"</CollectiveName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>"
)


@each_row(("escaped", "words"), ENTITIES)
def test_entities_that_were_escaped_again_are_the_signs_that_they_mean(
    escaped: bytes, words: str, tmp_path: Path
) -> None:
    record = ENTITY_RECORD % {b"words": escaped}
    document = only(written(tmp_path / "a.xml", b"<PubmedArticleSet>%b</PubmedArticleSet>" % record))
    card = document.reference
    assert (card.title, card.authors, card.journal) == (words, (words,), f"J {words}")
    assert parts(document) == [("", words)]


@each_row("title", ["[Not Available].", "[Not Available]", "[No title available]", "[Title not available]."])
def test_an_article_whose_title_nobody_translated_has_its_own(title: str, tmp_path: Path) -> None:
    own = "<VernacularTitle>Traitement de la goutte.</VernacularTitle>"
    article = (
        f"<Journal><Title>J</Title></Journal><ArticleTitle>{title}</ArticleTitle>{{}}<Abstract><AbstractText>Words."
    )
    xml = (
        f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article>{article}</AbstractText></Abstract>"
    )
    xml += "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    for given, expected in ((own, "Traitement de la goutte."), ("", title)):
        document = only(written(tmp_path / "a.xml", xml.format(given)))
        assert document.reference.title == expected
        assert document.text.startswith(expected)


def test_documents_are_as_valid_as_if_every_field_were_checked(shared_data: Path, tmp_path: Path) -> None:
    whole = b"<PubmedArticleSet>" + b"".join(real_records(shared_data)) + b"</PubmedArticleSet>"
    for document in documents(written(tmp_path / "a.xml", whole)):
        assert Document.model_validate_json(document.model_dump_json()) == document


@pytest.mark.slow
def test_a_file_of_pubmed_takes_no_more_memory_the_longer_it_is(shared_data: Path, tmp_path: Path) -> None:
    records = b"".join(real_records(shared_data)) * 400
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(b"<PubmedArticleSet>" + records + b"</PubmedArticleSet>", 1))
    del records
    before = peak()
    assert sum(1 for _ in reader_for(path)(path, "research")) == 3_600
    assert peak() - before < 30_000_000


def test_real_answers_of_pubmed_are_read_or_refused_by_name(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "fixtures" / "pubmed_xml.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    found: dict[str, list[str]] = {}
    refused = []
    for path in sorted([*tmp_path.rglob("*.xml"), *tmp_path.rglob("*.nxml")]):
        try:
            found[path.name] = [item.reference.id for item in read(path) if isinstance(item, Document)]
        except UnreadableFile as error:
            refused.append(error.reason)
    ids = [id for ids in found.values() for id in ids]
    pmids = sorted(int(id.removeprefix("pubmed:")) for id in ids if id.startswith("pubmed:"))
    assert pmids == [9997, 11700088, 11748933, 12091962, 27797938, 28775130, 29768149, 29963580, 30108519]
    assert sum(id.startswith("pmc:") for id in ids) == 5
    assert len(found) == 12
    assert len(refused) == 29
    assert sum("is not a supported article format" in reason for reason in refused) == 29
