"""PubMed through its E-utilities: the real client asks a real server on loopback over real and invented records."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.servers.base import Asked, Said, serving
from tests.servers.eutils import (
    Record,
    Twist,
    article,
    corpus,
    cut,
    eutils,
    failing,
    from_pubmed,
    once,
    page,
    pubmed_fixtures,
    recorded,
    status,
)
from tests.tables import each_row
from wellsourced.errors import NotFoundError, OfflineError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import RetractionRegistry, SearchResult, Source
from wellsourced.sources.entrez import PubMed, PubMedRegistry
from wellsourced.types import Query, Reference

GOUT = Query(terms=("colchicine", "gout"))


def trial(number: int, *, published: str = "2020-05-03", title: str = "", **about: object) -> Record:
    parts = [("METHODS", f"Adults with gout took colchicine, number {number}."), ("RESULTS", "Flares were shorter.")]
    return article(str(number), title or f"Trial {number} of colchicine", parts, published=published, **about)


TRIALS = tuple(trial(number) for number in range(1, 8))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2) as one:
        yield one


def ids(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(hit.passage.reference.id for hit in result.hits))


async def found(source: PubMed, query: Query, limit: int = 50) -> list[str]:
    return ids(await source.search(query, limit))


@each_row(
    "written",
    ["pubmed:12", "PMID: 12.", "12", "doi:10.1000/GOUT-12", "https://doi.org/10.1000/gout–12", "PMC 77", "pmc:PMC77"],
)
async def test_a_record_is_opened_by_any_of_its_ids(client: Client, written: str) -> None:
    with eutils([*TRIALS, trial(12, doi="10.1000/gout-12", pmcid="PMC77")]) as ncbi:
        opened = await PubMed(client, ncbi.url).open(written)
        assert opened.reference.id == "pubmed:12"


# What is asked


async def test_a_boolean_query_reaches_pubmed_untouched_and_says_who_asks(client: Client) -> None:
    asked = '("gout"[MeSH Terms] OR gout[tiab]) AND colchicine[ti] NOT "case reports"[pt]'
    with eutils(TRIALS) as ncbi:
        source = PubMed(client, ncbi.url, email="me@example.org")
        assert len(await found(source, Query(terms=(asked,), kind="boolean"))) == len(TRIALS)
        fields = ncbi.asked[0].fields
    assert (ncbi.asked[0].method, fields["term"], fields["sort"]) == ("GET", asked, "relevance")
    assert {(one.fields["tool"], one.fields["email"]) for one in ncbi.asked} == {("wellsourced", "me@example.org")}
    assert all("api_key" not in one.fields for one in ncbi.asked)


async def test_a_query_too_long_for_an_address_is_posted_whole(client: Client) -> None:
    asked = " OR ".join(f"disease{number}[tiab]" for number in range(400)) + " OR gout[tiab]"
    with eutils(TRIALS) as ncbi:
        assert await found(PubMed(client, ncbi.url), Query(terms=(asked,), kind="boolean"))
    assert (ncbi.asked[0].method, ncbi.asked[0].fields["term"]) == ("POST", asked)


async def test_the_words_of_a_question_are_never_taken_for_syntax(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        await PubMed(client, ncbi.url).count(Query(terms=('Does colchicine* (oral) help IN "gout" OR [not]: why?',)))
        await PubMed(client, ncbi.url).count(Query(terms=("colchicine", "gout (acute)")))
    first, second = (one.fields["term"] for one in ncbi.asked)
    assert first == "Does colchicine oral help IN gout why"
    assert second == "(colchicine) AND (gout acute)"


async def test_when_few_records_have_all_words_of_a_question_those_with_some_follow(client: Client) -> None:
    question = Query(terms=("Does allopurinol or colchicine shorten gout flares?",))
    both = article("9", "Allopurinol and colchicine shorten gout flares")
    with eutils([*TRIALS, both, article("10", "Measles")]) as ncbi:
        result = await PubMed(client, ncbi.url).search(question, 50)
    assert ids(result)[0] == "pubmed:9"
    assert set(ids(result)) == {f"pubmed:{number}" for number in (*range(1, 8), 9)}
    assert result.notes == ("PubMed has 1 with all words of the question; 7 more have some of them",)


async def test_nothing_is_asked_without_words(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        source = PubMed(client, ncbi.url)
        assert (await source.search(Query(terms=(" ?? ",)), 5)).hits == []
        assert (await source.search(GOUT, 0)).hits == []
        assert (await source.fetch_records([])).documents == {}
    assert ncbi.asked == []


async def test_nothing_found_is_an_empty_list_and_fetches_nothing(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        result = await PubMed(client, ncbi.url).search(Query(terms=("abcXYZ",)), 5)
    assert [one.path for one in ncbi.asked] == ["/esearch.fcgi"]
    assert result == ([], ("PubMed has no record with “abcXYZ”",))


# Dates and exclusions


@each_row(
    ("limits", "expected"),
    [
        ({}, {1, 2, 3, 4}),
        ({"as_of": date(2020, 5, 3)}, {1, 2, 3}),
        ({"as_of": date(2020, 5, 2)}, {2, 3}),
        ({"since": date(2020, 5, 4)}, {2, 4}),
        ({"since": date(2019, 2, 28), "as_of": date(2019, 12, 31)}, {3}),
        ({"exclude": ("pubmed:1", "doi:10.1234/JIT.3")}, {2, 4}),
    ],
)
async def test_dates_and_exclusions_are_obeyed_to_the_day(
    client: Client, limits: dict[str, object], expected: set[int]
) -> None:
    records = [
        trial(1, published="2020-05-03"),
        trial(2, published="2020"),
        trial(3, published="2019-02", doi="10.1234/jit.3"),
        trial(4, published="2021-01-01"),
    ]
    with eutils(records) as ncbi:
        ids = await found(PubMed(client, ncbi.url), GOUT.model_copy(update=limits))
    assert set(ids) == {f"pubmed:{number}" for number in expected}


async def test_a_record_that_pubmed_dates_otherwise_is_held_against_its_own_date(client: Client) -> None:
    # NCBI matches any date that a record has; ours is the one in print, which is what a reader would cite.
    with eutils([trial(1, published="2022-01-15")]) as ncbi:
        ncbi.server.databases["pubmed"].records["1"] = trial(1, published="2022-01-15")._replace(dates=(20200101,))
        assert (
            await PubMed(client, ncbi.url).search(GOUT.model_copy(update={"as_of": date(2021, 1, 1)}), 5)
        ).hits == []


async def test_excluded_records_do_not_cost_places(client: Client) -> None:
    query = GOUT.model_copy(update={"exclude": ("pubmed:7", "pubmed:6", "pubmed:5")})
    with eutils(TRIALS) as ncbi:
        assert set(await found(PubMed(client, ncbi.url), query, 4)) == {f"pubmed:{number}" for number in range(1, 5)}


# What comes back


async def test_records_are_known_by_their_own_pmids_and_a_missing_one_is_named(client: Client) -> None:
    with eutils(TRIALS[:3], lost=["2"]) as ncbi:
        result = await PubMed(client, ncbi.url).search(GOUT, 10)
    for hit in result.hits:
        number = hit.passage.reference.id.removeprefix("pubmed:")
        assert hit.passage.reference.title == f"Trial {number} of colchicine"
    assert set(ids(result)) == {"pubmed:1", "pubmed:3"}
    assert result.notes == ("PubMed did not return 1 of the records it found: pubmed:2",)


async def test_records_by_id_name_those_that_do_not_exist(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        gathered = await PubMed(client, ncbi.url).fetch_records(["3", "pubmed:999", "pubmed:1", "doi:10.1/x", "3"])
    assert list(gathered.documents) == ["pubmed:3", "pubmed:1"]
    assert gathered.missing == ("pubmed:999", "doi:10.1/x")
    assert gathered.faults == ()
    assert len(ncbi.asked) == 1


async def test_many_records_come_in_batches_and_none_is_lost(client: Client) -> None:
    records = [trial(number) for number in range(1, 451)]
    with eutils(records) as ncbi:
        source = PubMed(client, ncbi.url)
        assert len(await found(source, GOUT, 450)) == 450
        fetched = [one for one in ncbi.asked if one.path == "/efetch.fcgi"]
        assert [len(one.fields["id"].split(",")) for one in fetched] == [200, 200, 50]
        assert {one.method for one in fetched} == {"POST"}


async def test_more_records_than_pubmed_gives_are_counted_and_said(client: Client) -> None:
    with eutils(TRIALS, most=5) as ncbi:
        result = await PubMed(client, ncbi.url).search(GOUT, 10_000)
    assert len(ids(result)) == 5
    assert result.notes == ("PubMed found 7 records and gives only the first 5",)


async def test_opening_what_was_found_costs_no_request_and_anything_else_one(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        source = PubMed(client, ncbi.url)
        (hit, *_) = (await source.search(GOUT, 1)).hits
        before = len(ncbi.asked)
        opened = await source.open(hit.passage.reference.id)
        assert opened.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert len(ncbi.asked) == before
        other = next(f"pubmed:{n}" for n in range(1, 8) if f"pubmed:{n}" != opened.reference.id)
        assert (await source.open(other)).reference.id == other
        assert len(ncbi.asked) == before + 1
        for unknown in ("pubmed:999", "doi:10.1000/1", "pubmed:0", "", "pmc:PMC1", "pubmed:1 OR 2", "' OR 1=1 --"):
            with pytest.raises(NotFoundError):
                await source.open(unknown)


async def test_a_chapter_of_a_book_is_a_record(client: Client) -> None:
    chapter = b"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID Version="1">20301425</PMID>
        <Book><Publisher><PublisherName>University of Washington</PublisherName></Publisher>
        <BookTitle>GeneReviews</BookTitle><PubDate><Year>1993</Year></PubDate></Book>
        <ArticleTitle>Cystic fibrosis</ArticleTitle>
        <Abstract><AbstractText>Cystic fibrosis affects the lungs.</AbstractText></Abstract>
        <ContributionDate><Year>2001</Year><Month>03</Month><Day>26</Day></ContributionDate></BookDocument>
        <PubmedBookData/></PubmedBookArticle></PubmedArticleSet>"""
    with eutils(from_pubmed(chapter)) as ncbi:
        (hit,) = (await PubMed(client, ncbi.url).search(Query(terms=("cystic fibrosis",)), 5)).hits
    assert (hit.passage.reference.id, hit.passage.text) == ("pubmed:20301425", "Cystic fibrosis affects the lungs.")


# What goes wrong


@each_row(
    ("twist", "error", "said"),
    [
        (status("esearch", 503), SourceUnavailable, "503"),
        (status("efetch", 503), SourceUnavailable, "503"),
        (cut("esearch"), SourceUnavailable, "incomplete"),
        (cut("efetch", 0.2), SourceUnavailable, "no readable record"),
        (cut("efetch", 0), SourceUnavailable, "empty answer"),
        (page("esearch"), SourceRefused, "with XML"),
        (page("efetch"), SourceRefused, "with XML"),
        (failing("esearch", "Search Backend failed: timed out"), SourceUnavailable, "Search Backend failed"),
        (failing("esearch", "Invalid db name specified: pubmad"), SourceRefused, "Invalid db name"),
        (failing("efetch", "cannot get document summary"), SourceUnavailable, "cannot get document summary"),
    ],
)
async def test_an_answer_that_is_none_is_an_error_and_never_an_empty_list(
    client: Client, twist: Twist, error: type[Exception], said: str
) -> None:
    with eutils(TRIALS, twist=twist) as ncbi, pytest.raises(error, match=said) as raised:
        await PubMed(client, ncbi.url).search(GOUT, 5)
    assert raised.type is error


@each_row("body", [b"<Error><Code>NoSuchKey</Code></Error>", b"<eSearchResult/>", b"<PubmedArticleSet/>"])
async def test_xml_that_says_nothing_of_the_search_is_no_empty_search(client: Client, body: bytes) -> None:
    with serving(lambda asked: Said(body, type="text/xml")) as ncbi, pytest.raises((SourceRefused, SourceUnavailable)):
        await PubMed(client, ncbi.url).search(GOUT, 5)


async def test_an_answer_that_unfolds_without_end_is_an_error(client: Client) -> None:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(9))
    body = f"<!DOCTYPE x [{laughs}]><eSearchResult><Count>1</Count><IdList><Id>&a8;</Id></IdList></eSearchResult>"
    with serving(lambda asked: Said(body.encode(), type="text/xml")) as ncbi, pytest.raises(SourceUnavailable):
        await PubMed(client, ncbi.url).count(GOUT)


async def test_found_and_not_given_at_all_is_an_outage(client: Client) -> None:
    with eutils(TRIALS, lost=map(str, range(1, 8))) as ncbi, pytest.raises(SourceUnavailable, match="returned none"):
        await PubMed(client, ncbi.url).search(GOUT, 5)


async def test_what_a_spoilt_answer_lacks_is_asked_for_once_more(client: Client) -> None:
    with eutils(TRIALS, twist=once(cut("efetch", 0.6))) as ncbi:
        result = await PubMed(client, ncbi.url).search(GOUT, 50)
    assert len(ids(result)) == len(TRIALS)
    assert result.notes == ()


async def test_of_an_answer_that_stays_cut_off_the_whole_records_count_and_the_others_are_named(
    client: Client,
) -> None:
    with eutils(TRIALS, twist=cut("efetch", 0.5)) as ncbi:
        result = await PubMed(client, ncbi.url).search(GOUT, 50)
    assert 3 <= len(ids(result)) < len(TRIALS)
    missing = {f"pubmed:{number}" for number in range(1, 8)} - set(ids(result))
    assert any(all(one in note for one in missing) for note in result.notes), result.notes


async def test_a_record_that_was_cut_off_is_never_taken_for_a_whole_one(client: Client) -> None:
    retracted = [trial(number, mesh=("Gout",), notices=[("RetractionIn", "91")]) for number in (1, 2)]
    for tenths in range(1, 20):
        with eutils(retracted, twist=cut("efetch", tenths / 20)) as ncbi:
            try:
                gathered = await PubMed(client, ncbi.url).fetch_records(["1", "2"])
            except SourceUnavailable:
                continue
        for document in gathered.documents.values():
            assert document.reference.retraction.status == "true", tenths


async def test_a_batch_that_fails_leaves_the_others_and_is_said(client: Client) -> None:
    def second_batch(asked: Asked, said: Said) -> Said:
        return Said(b"", 503) if len(asked.fields.get("id", "").split(",")) == 100 else said

    with eutils([trial(number) for number in range(1, 301)], twist=second_batch) as ncbi:
        result = await PubMed(client, ncbi.url).search(GOUT, 300)
    assert len(ids(result)) == 200
    failure, missing = result.notes
    assert "503" in failure
    assert missing.startswith("PubMed did not return 100 of the records it found: pubmed:")
    assert missing.endswith("and 95 more")


async def test_a_wrong_key_is_refused_in_words_that_do_not_show_it(client: Client) -> None:
    with eutils(TRIALS, key="right") as ncbi:
        source = PubMed(client, ncbi.url, key=SecretStr("wrong-0123456789"))
        with pytest.raises(SourceRefused, match="does not accept the API key") as refused:
            await source.search(GOUT, 5)
    assert ncbi.asked[0].fields["api_key"] == "wrong-0123456789"
    told: BaseException | None = refused.value
    while told:
        assert "wrong-0123456789" not in f"{told}{told.args}"
        told = told.__cause__ or (None if told.__suppress_context__ else told.__context__)


async def test_a_key_used_too_often_is_not_shown_either() -> None:
    def limited(asked: Asked, said: Said) -> Said:
        return Said(f'{{"error":"API rate limit exceeded","api-key":"{asked.fields["api_key"]}"}}'.encode(), 429)

    with eutils(TRIALS, key="right-0123456789", twist=limited) as ncbi:
        async with Client(attempts=1) as client:
            with pytest.raises(SourceUnavailable, match="429") as busy:
                await PubMed(client, ncbi.url, key=SecretStr("right-0123456789")).count(GOUT)
    assert "right-0123456789" not in f"{busy.value}"


async def test_the_right_key_is_sent_with_every_request(client: Client) -> None:
    with eutils(TRIALS, key="right") as ncbi:
        assert (await PubMed(client, ncbi.url, key=SecretStr("right")).search(GOUT, 5)).hits
    assert {one.fields["api_key"] for one in ncbi.asked} == {"right"}


@each_row(("key", "pace"), [(None, 3.0), (SecretStr("right"), 10.0)])
async def test_at_the_pace_that_ncbi_allows_nothing_is_ever_too_much(key: SecretStr | None, pace: float) -> None:
    with eutils(TRIALS, key="right", pace=3) as ncbi:
        async with Client(paces={"127.0.0.1": pace}) as client:
            source = PubMed(client, ncbi.url, key=key)
            await asyncio.gather(*(source.open(f"pubmed:{number}") for number in range(1, 8)))
    assert ncbi.server.limited == 0
    assert len(ncbi.asked) == 7


async def test_a_client_without_manners_is_told_to_wait_and_gets_its_answer_in_the_end() -> None:
    with eutils(TRIALS, pace=3) as ncbi:
        async with Client(pace=1000) as client:
            source = PubMed(client, ncbi.url)
            opened = await asyncio.gather(*(source.open(f"pubmed:{number}") for number in range(1, 5)))
    assert ncbi.server.limited > 0
    assert len({document.reference.id for document in opened}) == 4


async def test_offline_nothing_is_asked() -> None:
    with eutils(TRIALS) as ncbi:
        async with Client(offline=True) as client:
            source = PubMed(client, ncbi.url)
            for ask in (
                source.search(GOUT, 5),
                source.count(GOUT),
                source.open("pubmed:1"),
            ):
                with pytest.raises(OfflineError):
                    await ask
            assert (await source.describe()).live
    assert ncbi.asked == []


# What else can be asked


async def test_counting_fetches_nothing(client: Client) -> None:
    with eutils(TRIALS) as ncbi:
        assert await PubMed(client, ncbi.url).count(GOUT.model_copy(update={"as_of": date(2019, 1, 1)})) == 0
        assert await PubMed(client, ncbi.url).count(GOUT) == 7
    assert [one.path for one in ncbi.asked] == ["/esearch.fcgi"] * 2
    assert all(one.fields["retmax"] == "0" for one in ncbi.asked)


# Retractions


async def test_the_registry_tells_retracted_from_standing_and_knows_nothing_of_the_rest(client: Client) -> None:
    records = [
        trial(1, types=("Journal Article", "Retracted Publication"), notices=[("RetractionIn", "91")]),
        trial(2, notices=[("ErratumIn", "92")]),
        trial(3, notices=[("ExpressionOfConcernIn", "93")]),
    ]
    references = [
        Reference(id="pubmed:1"),
        Reference(id="doi:10.1/two", pmid="2"),
        Reference(id="pubmed:3", pmid="3"),
        Reference(id="pubmed:4"),
        Reference(id="doi:10.1/five"),
    ]
    with eutils(records) as ncbi:
        registry = PubMedRegistry(PubMed(client, ncbi.url), today=lambda: date(2026, 11, 21))
        assert isinstance(registry, RetractionRegistry)
        known = await registry.retractions(references)
        assert await registry.retractions([]) == {}
        assert len(ncbi.asked) == 1
    assert {id: one.status for id, one in known.items()} == {
        "pubmed:1": "true",
        "doi:10.1/two": "false",
        "pubmed:3": "false",
    }
    assert all(one.as_of == date(2026, 11, 21) for one in known.values())
    assert [(notice.kind, notice.id) for notice in known["doi:10.1/two"].notices] == [("correction", "pubmed:92")]
    assert not known["doi:10.1/two"].objection
    assert "concern" in known["pubmed:3"].objection


async def test_a_registry_that_cannot_be_reached_does_not_say_that_a_work_stands(client: Client) -> None:
    with eutils(TRIALS, twist=status("efetch", 500)) as ncbi, pytest.raises(SourceUnavailable):
        await PubMedRegistry(PubMed(client, ncbi.url)).retractions([Reference(id="pubmed:1")])


# Real answers and real records


async def test_real_answers_are_understood(client: Client, shared_data: Path) -> None:
    files = recorded(shared_data)
    answers = {"esearch": "esearch5", "efetch": "pubmed2"}
    real = {f"/{tool}.fcgi": files[f"biopython__{name}.xml"] for tool, name in answers.items()}
    with serving(lambda asked: Said(real[asked.path], type="text/xml")) as ncbi:
        source = PubMed(client, ncbi.url)
        assert await source.count(GOUT) == 5
        assert list((await source.fetch_records(["11700088", "11748933"])).documents) == [
            "pubmed:11700088",
            "pubmed:11748933",
        ]


async def test_a_real_search_that_finds_nothing_fetches_nothing_and_names_the_phrase(
    client: Client, shared_data: Path
) -> None:
    nothing = recorded(shared_data)["biopython__esearch8.xml"]
    with serving(lambda asked: Said(nothing, type="text/xml")) as ncbi:
        result = await PubMed(client, ncbi.url).search(Query(terms=("abcXYZ",)), 5)
    assert [one.path for one in ncbi.asked] == ["/esearch.fcgi"]
    assert result == ([], ("PubMed has no record with “abcXYZ”",))


@each_row(
    ("name", "error"),
    [("einfo4.xml", SourceUnavailable), ("pubmed3.html", SourceRefused), ("epost2.xml", SourceRefused)],
)
async def test_real_answers_that_are_cut_off_or_no_xml_or_errors_are_errors(
    client: Client, shared_data: Path, name: str, error: type[Exception]
) -> None:
    body = recorded(shared_data)[f"biopython__{name}"]
    with serving(lambda asked: Said(body, type="text/xml")) as ncbi, pytest.raises(error) as raised:
        await PubMed(client, ncbi.url).count(GOUT)
    assert raised.type is error


async def test_the_real_records_come_back_each_under_its_own_pmid(client: Client, shared_data: Path) -> None:
    with eutils(pubmed_fixtures(shared_data)) as ncbi:
        gathered = await PubMed(client, ncbi.url).fetch_records(["29963580", "29768149", "27797938", "12091962"])
    image, asthma, *_ = (document.reference for document in gathered.documents.values())
    assert (image.id, image.year, image.doi) == ("pubmed:29963580", 2018, "10.1117/1.JMI.5.2.026002")
    assert asthma.title == "Inhaled Combined Budesonide-Formoterol as Needed in Mild Asthma."
    assert not gathered.missing


@pytest.mark.nightly
async def test_a_title_among_seventeen_thousand_real_records_finds_its_record(
    client: Client, shared_data: Path
) -> None:
    with eutils([*corpus(shared_data), *pubmed_fixtures(shared_data)]) as ncbi:
        source = PubMed(client, ncbi.url)
        ids = await found(source, Query(terms=("Red yeast rice and muscle fatigue compared with simvastatin?",)), 10)
        assert ids[0] == "pubmed:28521773"
        limits = {"as_of": date(2016, 12, 31)}
        earlier = (await source.search(Query(terms=("simvastatin",)).model_copy(update=limits), 50)).hits
        assert earlier
        assert all((hit.passage.reference.year or 9999) <= 2016 for hit in earlier)
        assert isinstance(source, Source)
