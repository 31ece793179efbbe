"""Keywords on live sources: counted first, dropped from the least important, fetched once, and told."""

from collections.abc import AsyncIterator, Sequence
from datetime import date

import pytest

from tests.servers.base import Asked, Said, serving
from tests.servers.europe_pmc import EuropePmcServer, record
from tests.servers.eutils import article, cut, eutils, failing, full_text, page, status
from tests.servers.twists import Twist, instead, malformed, truncated
from tests.servers.twists import status as answered
from tests.tables import each_row
from wellsourced.errors import OfflineError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import CountingSource
from wellsourced.sources.entrez import Pmc, PubMed
from wellsourced.sources.europe_pmc import EuropePmc
from wellsourced.sources.live_search import relax_query
from wellsourced.types import Query

WORDS = ("gout", "colchicine", "flares", "diabetes", "tophi")
"""Keywords, the most important first."""


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2) as one:
        yield one


def text(kept: int) -> str:
    """A title with so many of the keywords."""
    return f"Of {' and '.join(WORDS[:kept])}"


def records(*having: int) -> list[str]:
    """For each number of keywords, how many titles have just so many: having[0] titles with the first one alone."""
    return [text(kept) for kept, number in enumerate(having, 1) for _ in range(number)]


class Counting:
    """Counts titles, and what it was asked."""

    def __init__(self, titles: Sequence[str]) -> None:
        self.titles, self.asked = titles, list[int]()

    async def __call__(self, query: Query) -> int:
        self.asked.append(len(query.terms))
        return sum(all(term in title for term in query.terms) for title in self.titles)


@each_row("terms", [2, 3, 4, 5])
@each_row("having", [(9, 9, 9, 9, 9), (0, 6), (3, 2, 1, 1, 1), (0, 0, 7, 1, 0), (0,), (40, 0, 0, 0, 4)])
async def test_as_few_terms_are_dropped_as_leave_enough_with_less_counts_than_terms(
    terms: int, having: tuple[int, ...]
) -> None:
    count = Counting(records(*having))
    query = Query(terms=WORDS[:terms])
    found = await relax_query(query, count, 5)
    assert found.query.terms + found.dropped == query.terms
    strong = [kept for kept in range(terms, 0, -1) if sum(having[kept - 1 :]) >= 5]
    assert len(found.query.terms) == (strong or [1])[0]
    assert count.asked[0] == terms
    assert len(count.asked) <= terms - 1 or count.asked == [terms]


async def test_twenty_terms_cost_no_more_than_six_counts() -> None:
    words = tuple(f"word{number:02}" for number in range(20))
    count = Counting([" ".join(words[:7])] * 9)
    found = await relax_query(Query(terms=words), count, 5)
    assert found.dropped == words[7:]
    assert len(count.asked) <= 6


@each_row(
    "query",
    [
        Query(terms=("Does colchicine shorten flares of gout?",)),
        Query(terms=("gout AND tophi",), kind="boolean"),
        Query(terms=("gout", "tophi"), kind="term"),
        Query(terms=()),
    ],
)
async def test_what_is_no_list_of_keywords_stands_as_it_is_uncounted(query: Query) -> None:
    count = Counting([])
    assert (await relax_query(query, count, 5)).query == query
    assert count.asked == []


# PubMed and PMC


async def test_pubmed_is_asked_for_counts_first_and_for_records_once(client: Client) -> None:
    articles = [article(str(number), title) for number, title in enumerate(records(2, 3, 4), 1)]
    with eutils(articles) as ncbi:
        source = PubMed(client, ncbi.url)
        assert isinstance(source, CountingSource)
        result = await source.search(Query(terms=WORDS), 50)
    assert {hit.passage.reference.title for hit in result.hits} == {text(2), text(3)}
    *counted, searched, fetched = ncbi.asked
    assert all(one.path == "/esearch.fcgi" and one.fields["retmax"] == "0" for one in counted)
    assert counted[0].fields["term"] == "(gout) AND (colchicine) AND (flares) AND (diabetes) AND (tophi)"
    assert len(counted) <= len(WORDS) - 1
    assert (searched.path, searched.fields["term"]) == ("/esearch.fcgi", "(gout) AND (colchicine)")
    assert fetched.path == "/efetch.fcgi"
    assert result.notes == (
        "PubMed has nothing with all of: gout, colchicine, flares, diabetes, tophi; "
        "without “flares”, “diabetes”, “tophi” it has 7",
    )


async def test_keywords_that_find_enough_are_counted_once_and_nothing_is_dropped(client: Client) -> None:
    with eutils([article(str(number), text(5)) for number in range(1, 7)]) as ncbi:
        result = await PubMed(client, ncbi.url).search(Query(terms=WORDS), 50)
    assert len(result.hits) == 6
    assert [one.path for one in ncbi.asked] == ["/esearch.fcgi", "/esearch.fcgi", "/efetch.fcgi"]
    assert result.notes == ()


async def test_when_not_even_the_most_important_term_finds_anything_nothing_is_fetched(client: Client) -> None:
    with eutils([article("1", "Measles")]) as ncbi:
        result = await PubMed(client, ncbi.url).search(Query(terms=("gout", "tophi")), 50)
    assert {one.path for one in ncbi.asked} == {"/esearch.fcgi"}
    assert result.hits == []
    assert result.notes == (
        "PubMed has no record with “gout”",
        "PubMed has nothing with all of: gout, tophi; without “tophi” it has nothing",
    )


async def test_counts_obey_the_dates_of_the_query(client: Client) -> None:
    dated = [article(str(number), text(2), published="2019") for number in range(1, 7)]
    recent = [article(str(number), text(1), published="2022") for number in range(7, 15)]
    with eutils([*dated, *recent]) as ncbi:
        query = Query(terms=("gout", "colchicine"), since=date(2021, 1, 1))
        hits = (await PubMed(client, ncbi.url).search(query, 50)).hits
    assert {hit.passage.reference.title for hit in hits} == {text(1)}
    assert all(one.fields.get("mindate") == "2021/01/01" for one in ncbi.asked if one.path == "/esearch.fcgi")


async def test_pmc_relaxes_among_what_may_be_read_in_full(client: Client) -> None:
    texts = [full_text(str(100 + number), text(1), [("Results", "They were short.")]) for number in range(6)]
    with eutils(pmc=texts) as ncbi:
        result = await Pmc(client, ncbi.url).search(Query(terms=WORDS[:3]), 20)
    assert result.hits
    assert all('"open access"[filter]' in one.fields["term"] for one in ncbi.asked if one.path == "/esearch.fcgi")
    assert result.notes == (
        "PMC has nothing with all of: gout, colchicine, flares; without “colchicine”, “flares” it has 6",
    )


@each_row(
    ("twist", "error"),
    [
        (status("esearch", 503), SourceUnavailable),
        (status("esearch", 429), SourceUnavailable),
        (cut("esearch"), SourceUnavailable),
        (page("esearch"), SourceRefused),
        (failing("esearch", "Search Backend failed: timed out"), SourceUnavailable),
    ],
)
async def test_a_count_that_cannot_be_had_is_an_outage_and_no_zero(
    client: Client, twist: Twist, error: type[Exception]
) -> None:
    with eutils([article("1", text(2))], twist=twist) as ncbi, pytest.raises(error) as raised:
        await PubMed(client, ncbi.url).search(Query(terms=WORDS), 5)
    assert raised.type is error


# Europe PMC


async def test_europe_pmc_counts_ids_first_and_fetches_records_once(client: Client) -> None:
    server = EuropePmcServer(record(str(number), title=title) for number, title in enumerate(records(1, 6), 1))
    with serving(server) as service:
        source = EuropePmc(client, service.url)
        assert isinstance(source, CountingSource)
        result = await source.search(Query(terms=WORDS[:3]), 50)
    assert len({hit.passage.reference.id for hit in result.hits}) == 6
    *counted, fetched = service.asked
    assert all((one.fields["resultType"], one.fields["pageSize"]) == ("idlist", "1") for one in counted)
    assert counted[0].fields["query"] == "gout AND colchicine AND flares"
    assert len(counted) <= 2
    assert (fetched.fields["query"], fetched.fields["resultType"]) == ("gout AND colchicine", "core")
    assert result.notes == ("Europe PMC has nothing with all of: gout, colchicine, flares; without “flares” it has 6",)


@each_row(
    ("twist", "error"),
    [
        (answered(503), SourceUnavailable),
        (answered(429, retry_after="1"), SourceUnavailable),
        (malformed, SourceRefused),
        (truncated, SourceRefused),
        (instead({"version": "6.9", "resultList": {"result": []}}), SourceRefused),
        (instead({"version": "6.9", "errCode": 400, "errMsg": "Invalid query"}), SourceRefused),
    ],
)
async def test_a_count_of_europe_pmc_that_cannot_be_had_is_an_outage_and_no_zero(
    client: Client, twist: Twist, error: type[Exception]
) -> None:
    with serving(EuropePmcServer([record("1", title=text(2))], twist=twist)) as service, pytest.raises(error) as raised:
        await EuropePmc(client, service.url).count(Query(terms=WORDS[:2]))
    assert raised.type is error


async def test_a_count_that_takes_too_long_is_unavailable_and_offline_none_is_made() -> None:
    def slow(asked: Asked) -> Said:
        return Said(b"{}", wait=0.6)

    with serving(slow) as service:
        async with Client(attempts=1, timeout=0.2) as client:
            with pytest.raises(SourceUnavailable):
                await EuropePmc(client, service.url).count(Query(terms=WORDS[:2]))
        service.asked.clear()
        async with Client(offline=True) as client:
            with pytest.raises(OfflineError):
                await EuropePmc(client, service.url).count(Query(terms=WORDS[:2]))
        assert service.asked == []
