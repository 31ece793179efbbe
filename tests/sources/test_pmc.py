"""PMC full text through the E-utilities: the real client, a server on loopback, real articles and invented ones."""

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest

from tests.servers.base import Said, serving
from tests.servers.eutils import Record, Twist, cut, eutils, failing, full_text, page, pmc_fixtures, recorded, status
from tests.tables import each_row
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import Source
from wellsourced.sources.entrez import Pmc
from wellsourced.types import Query

GOUT = Query(terms=("colchicine", "gout"))


def written(number: int, body: str = "", published: str = "2020-05-03") -> Record:
    parts = [("Results", body)] if body else []
    title, abstract = f"Colchicine in gout, {number}", "We studied colchicine."
    return full_text(str(number), title, parts, abstract=abstract, published=published, doi=f"10.1234/{number}")


ARTICLE_TEXTS = tuple(written(number, f"Flares of group {number} were shorter.") for number in (101, 102, 103))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2) as one:
        yield one


async def test_full_texts_are_found_and_opened_by_their_own_ids(client: Client) -> None:
    with eutils(pmc=ARTICLE_TEXTS) as ncbi:
        source = Pmc(client, ncbi.url)
        assert isinstance(source, Source)
        hits = (await source.search(GOUT, 20)).hits
        assert {hit.passage.reference.id for hit in hits} == {"pmc:PMC101", "pmc:PMC102", "pmc:PMC103"}
        for hit in hits:
            opened = await source.open(hit.passage.reference.id)
            assert opened.text[hit.passage.start : hit.passage.end] == hit.passage.text
            assert opened.reference.depth == "full text"
        assert "Flares of group 102 were shorter." in (await source.open("pmc:PMC102")).text
        assert [one.path for one in ncbi.asked] == ["/esearch.fcgi", "/esearch.fcgi", "/efetch.fcgi"]


async def test_only_articles_that_may_be_read_in_full_are_asked_for(client: Client) -> None:
    query = Query(terms=("gout[ti] OR colchicine[ti]",), kind="boolean")
    with eutils(pmc=ARTICLE_TEXTS) as ncbi:
        assert await Pmc(client, ncbi.url).count(query) == 3
    assert ncbi.asked[0].fields["db"] == "pmc"
    assert ncbi.asked[0].fields["term"] == (
        '(gout[ti] OR colchicine[ti]) AND ("open access"[filter] OR "author manuscript"[filter])'
    )


async def test_an_article_that_pmc_may_not_give_in_full_is_known_by_its_abstract(client: Client) -> None:
    with eutils(pmc=[written(104)]) as ncbi:
        assert (await Pmc(client, ncbi.url).open("pmc:PMC104")).reference.depth == "abstract"


async def test_dates_and_exclusions_are_obeyed(client: Client) -> None:
    articles = [written(1, "Yes.", published="2019-01-01"), written(2, "Yes."), written(3, "Yes.")]
    limits = {"since": date(2020, 5, 3), "exclude": ("doi:10.1234/2",)}
    with eutils(pmc=articles) as ncbi:
        hits = (await Pmc(client, ncbi.url).search(GOUT.model_copy(update=limits), 20)).hits
    assert {hit.passage.reference.id for hit in hits} == {"pmc:PMC3"}


async def test_no_more_full_texts_are_fetched_than_are_read(client: Client) -> None:
    with eutils(pmc=[written(number, "Yes.") for number in range(1, 61)]) as ncbi:
        hits = (await Pmc(client, ncbi.url).search(GOUT, 50)).hits
    assert len({hit.passage.reference.id for hit in hits}) == Pmc.max_documents
    assert len(ncbi.asked[-1].fields["id"].split(",")) == Pmc.max_documents


async def test_an_article_missing_from_the_answer_is_named(client: Client) -> None:
    with eutils(pmc=ARTICLE_TEXTS, lost=["102"]) as ncbi:
        hits, notes = await Pmc(client, ncbi.url).search(GOUT, 20)
    assert {hit.passage.reference.id for hit in hits} == {"pmc:PMC101", "pmc:PMC103"}
    assert notes == ("PMC did not return 1 of the records it found: pmc:PMC102",)


async def test_an_unknown_article_is_not_found(client: Client) -> None:
    with eutils(pmc=ARTICLE_TEXTS) as ncbi:
        for unknown in ("pmc:PMC999", "pubmed:101", "", "pmc:PMC0"):
            with pytest.raises(NotFoundError):
                await Pmc(client, ncbi.url).open(unknown)


@each_row(
    ("twist", "error"),
    [
        (status("esearch", 500), SourceUnavailable),
        (cut("efetch", 0.1), SourceUnavailable),
        (page("efetch"), SourceRefused),
        (failing("esearch", "Search Backend failed"), SourceUnavailable),
    ],
)
async def test_an_outage_is_never_an_empty_list(client: Client, twist: Twist, error: type[Exception]) -> None:
    with eutils(pmc=ARTICLE_TEXTS, twist=twist) as ncbi, pytest.raises(error):
        await Pmc(client, ncbi.url).search(GOUT, 5)


async def test_a_real_answer_of_pmc_is_read(client: Client, shared_data: Path) -> None:
    body = recorded(shared_data)["biopython__efetch_pmc.xml"]
    with serving(lambda asked: Said(body, type="text/xml")) as ncbi:
        document = await Pmc(client, ncbi.url).open("pmc:PMC8435807")
    assert (document.reference.doi, document.reference.year) == ("10.1183/23120541.50193-2021", 2021)
    assert "originally published with an error in table 2" in document.text


async def test_a_question_among_a_hundred_real_articles_finds_the_trial_it_is_about(
    client: Client, shared_data: Path
) -> None:
    question = Query(terms=("Telmisartan or losartan in hypertensive patients with metabolic syndrome?",))
    with eutils(pmc=pmc_fixtures(shared_data)) as ncbi:
        source = Pmc(client, ncbi.url)
        hits = (await source.search(question, 30)).hits
        assert hits[0].passage.reference.id == "pmc:PMC1174877"
        assert len(hits) == 30
        opened = await source.open("pmc:PMC1174877")
    assert opened.text.count("losartan") > 20
    assert opened.reference.depth == "full text"
