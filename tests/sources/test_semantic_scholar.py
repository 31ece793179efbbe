"""Semantic Scholar: the real client asks a real server on loopback over real and invented papers."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.http.moments import Moments
from tests.servers.base import Served, serving
from tests.servers.semantic_scholar import Json, SemanticScholarServer, corpus, paper
from tests.servers.twists import Twist, instead, malformed, once, plainly, status, truncated, truncated_file_error
from tests.tables import each_row
from wellsourced.errors import NotFoundError, OfflineError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import SearchResult
from wellsourced.sources.semantic_scholar import SemanticScholar, read_paper, select_papers
from wellsourced.sources.service_answers import AnswerPart
from wellsourced.types import Query

GOUT = Query(terms=("Colchicine in gout flares",))
FIELDS = "title,abstract,tldr,url,venue,year,authors,externalIds,citationCount,influentialCitationCount,fieldsOfStudy"
ID = "a1" * 20


def one(number: int, citations: int = 10, **about: str) -> Json:
    given = {"title": f"Gout {number}", "abstract": f"Colchicine helped in gout, number {number}.", **about}
    return paper(f"{number:040x}", citations=citations, pubmed=str(number), **given)


TRIAL = one(31, 12, doi="10.1000/Gout.31", pmc="77", published="2020-05-03", tldr="Colchicine works.")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, clock=Moments().clock) as made:
        yield made


Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Run the service over these papers."""
    with ExitStack() as stack:

        def run(*papers: Json, key: str = "", twist: Twist = plainly) -> Served:
            return stack.enter_context(serving(SemanticScholarServer(papers, key, twist)))

        yield run


def ids(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(hit.passage.reference.id for hit in result.hits))


async def found(source: SemanticScholar, query: Query = GOUT, limit: int = 50) -> list[str]:
    return ids(await source.search(query, limit))


async def test_a_paper_becomes_an_abstract_with_a_card_of_its_own(client: Client, serve: Serve) -> None:
    document = await SemanticScholar(client, serve(TRIAL).url).open("pubmed:31")
    assert document.text == "Gout 31\n\nColchicine helped in gout, number 31."
    card = document.reference
    assert (card.id, card.pmid, card.doi, card.pmcid) == ("pubmed:31", "31", "10.1000/Gout.31", "PMC77")
    assert (card.title, card.published, card.journal) == ("Gout 31", "2020", "Journal of Invented Trials")
    assert (card.authors, card.depth) == (("Doe, Jane", "Roe, John"), "abstract")
    assert card.retraction.status == "unknown"


async def test_the_services_own_line_is_on_the_card_and_can_never_be_quoted(client: Client, serve: Serve) -> None:
    source = SemanticScholar(client, serve(TRIAL).url)
    (hit,) = (await source.search(GOUT, 5)).hits
    assert hit.passage.reference.tldr == "Colchicine works."
    assert "Colchicine works" not in (await source.open("pubmed:31")).text


async def test_a_search_asks_for_fifty_papers_without_hyphens_with_the_fields_and_the_key(
    client: Client, serve: Serve
) -> None:
    service = serve(TRIAL, key="secret")
    source = SemanticScholar(client, f"{service.url}/", SecretStr("secret"))
    assert await found(source, Query(terms=("anti-inflammatory gout-flares",))) == ["pubmed:31"]
    asked = service.asked[0]
    assert asked.fields == {"query": "anti inflammatory gout flares", "limit": "50", "offset": "0", "fields": FIELDS}
    assert asked.headers["x-api-key"] == "secret"


async def test_without_a_key_none_is_sent(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    await found(SemanticScholar(client, service.url))
    assert "x-api-key" not in service.asked[0].headers


async def test_a_wrong_key_is_refused_and_never_printed(client: Client, serve: Serve) -> None:
    service = serve(TRIAL, key="secret")
    with pytest.raises(SourceRefused, match="403") as caught:
        await found(SemanticScholar(client, service.url, SecretStr("hunter2")))
    assert "hunter2" not in str(caught.value)


@each_row(
    ("citations", "kept"),
    [
        ([12, 11, 10] + [9, 5, 3, 2, 1] + [0] * 12, 8),
        ([50] * 30 + [0] * 20, 15),
        ([10] * 5 + [9] * 15, 5),
        ([10] * 4 + [9] * 15, 15),
        ([0] * 20, 0),
    ],
)
async def test_papers_need_ten_citations_or_one_when_that_leaves_fewer_than_five(
    client: Client, serve: Serve, citations: list[int], kept: int
) -> None:
    service = serve(*(one(number, count) for number, count in enumerate(citations, start=1)))
    ids = await found(SemanticScholar(client, service.url))
    enough = 10 if sum(count >= 10 for count in citations) >= 5 else 1
    sound = [f"pubmed:{number}" for number, count in enumerate(citations, start=1) if count >= enough]
    assert ids == sound[:15]
    assert len(ids) == kept


async def test_which_threshold_held_and_what_was_left_out_is_told(client: Client, serve: Serve) -> None:
    bare = paper(ID, title="No abstract", citations=99, pubmed="77")
    service = serve(one(1, 12), one(2, 3), one(3, 0), {**bare, "abstract": " gout"})
    result = await SemanticScholar(client, service.url).search(GOUT, 50)
    assert result.notes == (
        "Semantic Scholar: fewer than 5 papers have 10 citations, so 1 sufficed",
        "Semantic Scholar: one paper left out (fewer than 1 citations)",
    )


def test_of_each_paper_that_may_not_count_the_reason_is_known() -> None:
    papers = [
        read_paper(AnswerPart(given, "Semantic Scholar"), "research")
        for given in (
            one(1, 12),
            {**one(2, 12), "abstract": None},
            {**one(3, 12), "paperId": None, "externalIds": None},
            one(4, 0),
        )
    ]
    chosen = select_papers(papers)
    assert (chosen.papers, chosen.threshold) == ((papers[0],), 1)
    assert chosen.reasons == ("no abstract", "no id", "fewer than 1 citations")


@each_row(
    ("ids", "id"),
    [
        ({"pubmed": "5", "doi": "10.1000/a"}, "pubmed:5"),
        ({"doi": "10.1000/a(1)<b>"}, "doi:10.1000/a(1)<b>"),
        ({}, f"s2:{ID}"),
    ],
)
async def test_a_paper_is_known_by_its_pmid_else_its_doi_and_opens_under_that_id(
    client: Client, serve: Serve, ids: dict[str, str], id: str
) -> None:
    service = serve(paper(ID, title="Gout", abstract="Gout hurts.", citations=20, **ids), TRIAL)
    assert id in await found(SemanticScholar(client, service.url))
    assert (await SemanticScholar(client, service.url).open(id)).reference.id == id


async def test_what_is_no_id_here_is_not_found_and_not_asked_for(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    for id in ("", "pubmed:", "pubmed:x", "s2:../../key", "doi:", "file:1", "pmc:PMC1"):
        with pytest.raises(NotFoundError):
            await SemanticScholar(client, service.url).open(id)
    assert service.asked == []


async def test_another_paper_than_the_one_asked_for_is_not_taken_for_it(client: Client, serve: Serve) -> None:
    with pytest.raises(NotFoundError, match="pubmed:32"):
        await SemanticScholar(client, serve(twist=instead(TRIAL)).url).open("pubmed:32")


async def test_opening_what_was_just_found_asks_nobody(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    source = SemanticScholar(client, service.url)
    (hit,) = (await source.search(GOUT, 5)).hits
    document = await source.open("pubmed:31")
    assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
    assert len(service.asked) == 1


async def test_dates_are_asked_for_and_held_against_the_year(client: Client, serve: Serve) -> None:
    papers = [one(1, published="2019-05-01"), one(2, published="2021-02-01"), one(3)]
    service = serve(*papers)
    query = GOUT.model_copy(update={"since": date(2020, 1, 2), "as_of": date(2021, 3, 4)})
    assert await found(SemanticScholar(client, service.url), query) == ["pubmed:2"]
    assert service.asked[0].fields["publicationDateOrYear"] == "2020-01-02:2021-03-04"
    everything = serve(twist=instead({"total": 3, "data": papers}))
    assert await found(SemanticScholar(client, everything.url), query) == ["pubmed:2"]


async def test_what_is_excluded_takes_no_place_among_the_fifteen(client: Client, serve: Serve) -> None:
    service = serve(*(one(number) for number in range(1, 20)))
    query = GOUT.model_copy(update={"exclude": ("pubmed:1", "pubmed:2")})
    assert await found(SemanticScholar(client, service.url), query) == [f"pubmed:{number}" for number in range(3, 18)]


async def test_a_search_that_finds_nothing_has_no_data_and_is_empty(client: Client, serve: Serve) -> None:
    assert await found(SemanticScholar(client, serve(TRIAL).url), Query(terms=("zebra",))) == []


@each_row(
    ("twist", "error", "words"),
    [
        (status(429, retry_after="1"), SourceUnavailable, "429"),
        (status(500), SourceUnavailable, "500"),
        (status(403), SourceRefused, "403"),
        (malformed, SourceRefused, "did not answer with JSON"),
        (truncated, SourceRefused, "did not answer with JSON"),
        (truncated_file_error, SourceUnavailable, "127"),
        (instead({"data": 3}), SourceRefused, "Semantic Scholar answered in an unknown form"),
        (instead({"total": 1, "data": ["text"]}), SourceUnavailable, "no readable paper"),
    ],
)
async def test_an_outage_is_an_error_and_never_an_empty_list(
    client: Client, serve: Serve, twist: Twist, error: type[SourceError], words: str
) -> None:
    with pytest.raises(error, match=words):
        await found(SemanticScholar(client, serve(TRIAL, twist=twist).url))


async def test_a_server_that_asks_to_wait_is_asked_again_then(serve: Serve) -> None:
    moments = Moments()
    async with Client(attempts=2, clock=moments.clock) as client:
        service = serve(TRIAL, twist=once(status(429, retry_after="7")))
        assert await found(SemanticScholar(client, service.url)) == ["pubmed:31"]
    assert max(moments.slept) >= 7


async def test_one_broken_paper_costs_only_itself_and_is_told(client: Client, serve: Serve) -> None:
    broken = {**TRIAL, "citationCount": "many"}
    service = serve(twist=instead({"total": 2, "data": [broken, TRIAL]}))
    result = await SemanticScholar(client, service.url).search(GOUT, 50)
    assert ids(result) == ["pubmed:31"]
    assert result.notes[0].startswith("Semantic Scholar returned one record that cannot be read (citationCount: ")


async def test_offline_nobody_is_asked(serve: Serve) -> None:
    service = serve(TRIAL)
    async with Client(offline=True) as client:
        with pytest.raises(OfflineError):
            await found(SemanticScholar(client, service.url))
    assert service.asked == []


async def test_real_abstracts_are_found_and_every_hit_is_a_slice(client: Client, shared_data: Path) -> None:
    with serving(SemanticScholarServer(islice(corpus(shared_data), 1_500))) as service:
        source = SemanticScholar(client, service.url)
        query = Query(terms=("Does coronary bypass surgery improve survival?",))
        hits = (await source.search(query, 20)).hits
        assert 5 <= len({hit.passage.reference.id for hit in hits}) <= 15
        for hit in hits:
            document = await source.open(hit.passage.reference.id)
            assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
