"""Which records are of one article: by what a work is known by everywhere, and never by a title that many bear."""

from collections.abc import Sequence

from tests.tables import each_row
from wellsourced.citations.deduplication import group_by_work
from wellsourced.citations.links import possible_ids
from wellsourced.types import Reference

TITLE = "Colchicine for gout flares in primary care: a randomised trial"


def one(id: str, **about: str) -> Reference:
    return Reference.model_validate({"id": id, **about})


def together(*references: Reference) -> list[set[str]]:
    """The ids that are of one work, in the order of the first."""
    groups: dict[str, set[str]] = {}
    for id, work in group_by_work(references).items():
        groups.setdefault(work, set()).add(id)
    return list(groups.values())


@each_row(
    "references",
    [
        (one("a", doi="10.1000/ABC"), one("b", doi="https://doi.org/10.1000/abc")),
        (one("a", doi="10.1000/abc"), one("doi:10.1000/Abc")),
        (one("a", pmid="31234567"), one("pubmed:31234567")),
        (one("a", pmcid="PMC123"), one("pmc:PMC123"), one("c", pmcid="123")),
        # Nothing that the first and the last share, but what they share with the second.
        (
            one("a", doi="10.1000/abc"),
            one("b", doi="10.1000/abc", pmid="1"),
            one("pubmed:1", pmcid="PMC9"),
            one("pmc:PMC9"),
        ),
        (one("a", title=TITLE, published="2021-03"), one("b", title=TITLE.upper() + ".", published="2021")),
        (one("a", title=TITLE, published="2021", pmid="1"), one("b", title=TITLE, published="2021", doi="10.1000/abc")),
    ],
)
def test_records_that_share_an_id_or_a_title_and_year_are_of_one_work(references: Sequence[Reference]) -> None:
    everyone = {reference.id for reference in references}
    assert together(*references) == together(*reversed(references)) == [everyone]


@each_row(
    "references",
    [
        (one("a"), one("b")),
        (one("a", title=TITLE), one("b", title=TITLE)),
        (one("a", title=TITLE, published="2020"), one("b", title=TITLE, published="2021")),
        (
            one("a", title="Letter to the editor", published="2021"),
            one("b", title="Letter to the editor", published="2021"),
        ),
        (one("a", doi="10.1000/abc"), one("b", doi="10.1000/abcd")),
        (one("a", pmid="1"), one("b", pmcid="PMC1")),
        (one("a", pmid="0"), one("b", pmid="0")),
    ],
)
def test_records_that_share_less_stand_alone(references: Sequence[Reference]) -> None:
    assert together(*references) == [{"a"}, {"b"}]


def test_a_title_that_two_articles_bear_in_one_year_says_nothing_of_a_third() -> None:
    first, second = one("a", title=TITLE, published="2021", pmid="1"), one("b", title=TITLE, published="2021", pmid="2")
    assert together(first, second, one("c", title=TITLE, published="2021")) == [{"a"}, {"b"}, {"c"}]


def test_a_title_does_not_join_articles_whose_ids_differ_through_a_third_record() -> None:
    preprint = one("preprint", title=TITLE, published="2021", doi="10.1000/preprint")
    record = one("pubmed:1", title=TITLE, published="2021")
    article = one("article", title=f"{TITLE} (GOUT-1)", published="2021", doi="10.1000/article", pmid="1")
    assert together(preprint, record, article) == [{"preprint"}, {"pubmed:1", "article"}]
    assert together(article, record, preprint) == [{"pubmed:1", "article"}, {"preprint"}]


@each_row("kind", ["Published Erratum", "Comment", "Letter"])
def test_an_erratum_or_a_letter_under_the_title_of_an_article_is_not_that_article(kind: str) -> None:
    article = one("pubmed:1", title=TITLE, published="2021")
    other = Reference(id="doi:10.1000/abc", title=TITLE, published="2021", publication_types=(kind,))
    assert together(article, other) == [{"pubmed:1"}, {"doi:10.1000/abc"}]


def test_replies_to_letters_are_not_one_article() -> None:
    title = "Letter to the editor: response of the authors to the comment"
    first, second = one("a", title=title, published="2021"), one("b", title=title, published="2021")
    assert together(first, second) == [{"a"}, {"b"}]


@each_row(
    ("given", "ids"),
    [
        ("pubmed:31234567", ("pubmed:31234567",)),
        (" 31234567 ", ("31234567", "pubmed:31234567")),
        ("PMID: 31234567", ("PMID: 31234567", "pubmed:31234567")),
        ("PMC123", ("PMC123", "pmc:PMC123")),
        ("pmc:123", ("pmc:123", "pmc:PMC123")),
        ("doi:10.1000/ABC", ("doi:10.1000/ABC",)),
        ("10.1000/ABC", ("10.1000/ABC", "doi:10.1000/abc")),
        ("https://doi.org/10.1000/ABC", ("https://doi.org/10.1000/ABC", "doi:10.1000/abc")),
        ("guideline-7", ("guideline-7",)),
        ("0", ("0",)),
    ],
)
def test_a_work_is_meant_by_its_ids_however_they_are_written(given: str, ids: tuple[str, ...]) -> None:
    assert possible_ids(given) == ids
