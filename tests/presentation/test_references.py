"""How a reference is printed where there is little room."""

from tests.tables import each_row
from wellsourced.presentation.references import describe_reference, shorten_title
from wellsourced.types import Notice, Reference, Retraction

ISSUERS = "2017 ACC/AHA/AAPA/ABC/ACPM/AGS/APhA/ASH/ASPC/NMA/PCNA Guideline"


@each_row(
    ("title", "short"),
    [
        ("A trial of colchicine.", "A trial of colchicine"),
        ("word " * 40, f"{('word ' * 24).strip()}…"),
    ],
)
def test_a_long_title_is_cut_where_it_may_be(title: str, short: str) -> None:
    assert shorten_title(title) == short


def test_what_the_title_says_of_its_issuer_and_year_is_not_said_again() -> None:
    guide = Reference(
        id="doi:10.1/x",
        title=f"{ISSUERS} for High Blood Pressure",
        organisation="ACC/AHA",
        published="2017",
        kind="guideline",
        doi="10.1/x",
        depth="digest",
    )
    assert describe_reference(guide) == (
        f"{ISSUERS} for High Blood Pressure. https://doi.org/10.1/x (digest of the guideline)"
    )
    other = guide.model_copy(update={"organisation": "ACR", "published": "2020"})
    assert ". ACR 2020. https" in describe_reference(other)


def test_an_article_has_its_first_author_its_journal_and_its_year() -> None:
    article = Reference(
        id="pubmed:1",
        title="A trial of colchicine.",
        authors=("Able A", "Baker B"),
        journal="Joints.",
        published="2019-05",
        kind="research",
        url="https://pubmed.ncbi.nlm.nih.gov/1/",
        depth="abstract",
    )
    told = "A trial of colchicine. Joints 2019. https://pubmed.ncbi.nlm.nih.gov/1/ (abstract)"
    assert describe_reference(article) == f"Able A et al. {told}"
    assert describe_reference(article.model_copy(update={"authors": ("Able A",)})) == f"Able A. {told}"


def test_a_retraction_and_a_correction_stay_and_that_there_is_none_does_not() -> None:
    fine = Reference(id="x:1", title="A trial", kind="research", retraction=Retraction(status="false"))
    assert "not retracted" not in describe_reference(fine)
    corrected = Retraction(status="false", notices=(Notice(kind="correction", source="PubMed", id="doi:10.1/y"),))
    assert "(corrected, see doi:10.1/y)" in describe_reference(fine.model_copy(update={"retraction": corrected}))
    gone = fine.model_copy(update={"retraction": Retraction(status="true")})
    assert "RETRACTED" in describe_reference(gone)


@each_row(
    ("id", "url", "told"),
    [
        ("pubmed:7", "", "PubMed 7, no title known. pubmed:7 (row of a table)"),
        (
            "27653758",
            "https://pubmed.ncbi.nlm.nih.gov/27653758/",
            "PubMed 27653758, no title known. https://pubmed.ncbi.nlm.nih.gov/27653758/ (row of a table)",
        ),
        ("file:gout", "", "file:gout. (row of a table)"),
    ],
)
def test_a_work_without_title_is_its_id_and_a_number_says_whose_it_is(id: str, url: str, told: str) -> None:
    assert describe_reference(Reference(id=id, url=url, kind="research", depth="record")) == told
