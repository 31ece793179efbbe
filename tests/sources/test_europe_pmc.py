"""Europe PMC: the real client asks a real server on loopback over real and invented records."""

import json
import random
import re
import tarfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import date
from itertools import islice
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.servers.base import Said, Served, serving
from tests.servers.europe_pmc import EuropePmcServer, Json, corpus, record
from tests.servers.twists import Twist, instead, malformed, once, plainly, status, truncated, truncated_file_error
from tests.tables import each_row
from wellsourced.errors import NotFoundError, OfflineError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import SearchResult, Source
from wellsourced.sources.europe_pmc import EuropePmc
from wellsourced.types import Notice, Query, Retraction

MARKED = (
    "<h4>Background</h4>Gout flares hurt.<h4>Methods</h4>We gave 10<sup>3</sup> adults colchicine or placebo."
    "<h4>Results</h4>Flares were two days shorter (p&lt;0.05).<h4>Conclusion</h4>Colchicine <i>works</i>."
)
TRIAL = record("31", title="Colchicine in <i>gout</i>.", abstract=MARKED, published="2020-05-03", doi="10.1000/Gout.31")
GOUT = Query(terms=("Does colchicine shorten gout flares?",))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(attempts=2, clock=Moments().clock) as one:
        yield one


Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Run the service over these records."""
    with ExitStack() as stack:

        def run(*records: Json, twist: Twist = plainly, **full_texts: bytes) -> Served:
            return stack.enter_context(serving(EuropePmcServer(records, full_texts, twist)))

        yield run


def ids(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(hit.passage.reference.id for hit in result.hits))


async def found(source: Source, query: Query, limit: int = 50) -> list[str]:
    return ids(await source.search(query, limit))


async def test_a_record_becomes_an_abstract_with_its_labels_and_a_card_of_its_own(client: Client, serve: Serve) -> None:
    headings = record("31", mesh=[("Adult", "N"), ("Gout", "Y")])["meshHeadingList"]
    source = EuropePmc(client, serve({**TRIAL, "pmcid": "PMC77", "meshHeadingList": headings}).url)
    document = await source.open("pubmed:31")
    assert document.text == (
        "Colchicine in gout.\n\nBackground\n\nGout flares hurt.\n\n"
        "Methods\n\nWe gave 10^3 adults colchicine or placebo.\n\n"
        "Results\n\nFlares were two days shorter (p<0.05).\n\nConclusion\n\nColchicine works."
    )
    assert [(part.title, document.text[part.start : part.end]) for part in document.sections[2:]] == [
        ("Results", "Flares were two days shorter (p<0.05)."),
        ("Conclusion", "Colchicine works."),
    ]
    card = document.reference
    assert (card.id, card.pmid, card.doi, card.pmcid) == ("pubmed:31", "31", "10.1000/Gout.31", "PMC77")
    assert (card.title, card.published, card.journal) == (
        "Colchicine in gout.",
        "2020-05-03",
        "Journal of Invented Trials",
    )
    assert (card.volume, card.issue, card.pages) == ("12", "3", "101-9")
    assert (card.authors, card.mesh) == (("Doe J", "Invented Trials Group"), ("Gout", "Adult"))
    assert (card.publication_types, card.depth) == (("Journal Article",), "abstract")
    assert card.url == "https://europepmc.org/article/MED/31"


async def test_a_search_asks_for_core_records_and_says_who_asks(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    source = EuropePmc(client, service.url + "/", "me@example.org")
    hits = (await source.search(GOUT, 4)).hits
    assert {hit.passage.section for hit in hits} == {"Background", "Methods", "Results", "Conclusion"}
    fields = service.asked[0].fields
    assert fields["query"] == "colchicine shorten gout flares"
    assert (fields["resultType"], fields["format"], fields["email"]) == ("core", "json", "me@example.org")
    assert fields["cursorMark"] == "*"


async def test_a_boolean_query_goes_out_untouched_however_long_it_is(client: Client, serve: Serve) -> None:
    service = serve(TRIAL, record("32", title="Naproxen in gout."))
    source = EuropePmc(client, service.url)
    for expression in (
        '(TITLE_ABS:colchicine OR "naproxen sodium") AND gout NOT SRC:PPR',
        f"gout AND colchicine NOT ({' OR '.join(f'SRC:S{number}' for number in range(400))})",
    ):
        assert await found(source, Query(terms=(expression,), kind="boolean")) == ["pubmed:31"]
        assert service.asked[-1].fields["query"] == expression
    assert [asked.method for asked in service.asked] == ["GET", "POST"]


async def test_what_is_syntax_to_the_service_is_none_in_a_question(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    await EuropePmc(client, service.url).search(Query(terms=('gout) OR (SRC:MED AND "x" [1 TO 2] NOT colchicine',)), 5)
    assert service.asked[0].fields["query"] == "gout src med x 1 2 colchicine"


async def test_terms_of_several_words_are_asked_for_as_phrases(client: Client, serve: Serve) -> None:
    service = serve(record("1", title="Heart failure and digoxin"), record("2", title="Failure of the heart, digoxin"))
    query = Query(terms=("heart failure", "digoxin"), kind="term")
    assert await found(EuropePmc(client, service.url), query) == ["pubmed:1"]
    assert service.asked[0].fields["query"] == '"heart failure" AND digoxin'


async def test_when_few_records_have_all_words_those_with_some_of_them_are_told_and_asked_for(
    client: Client, serve: Serve
) -> None:
    source = EuropePmc(client, serve(TRIAL, record("32", title="Naproxen in gout.")).url)
    query = Query(terms=("colchicine or naproxen in gout",))
    result = await source.search(query, 50)
    assert ids(result) == ["pubmed:31", "pubmed:32"]
    assert result.notes == ("Europe PMC has 0 with all words of the question; 2 more have some of them",)


async def test_pages_are_asked_for_by_their_cursor_until_there_are_enough(client: Client, serve: Serve) -> None:
    service = serve(*(record(str(number), title=f"Gout {number}") for number in range(1, 251)))
    query = Query(terms=("gout",), kind="boolean")
    assert len(await found(EuropePmc(client, service.url), query, 230)) == 230
    assert [(asked.fields["cursorMark"], asked.fields["pageSize"]) for asked in service.asked] == [
        ("*", "100"),
        ("100", "100"),
        ("200", "30"),
    ]


async def test_a_cursor_that_comes_again_ends_the_search(client: Client, serve: Serve) -> None:
    same = {"hitCount": 9, "nextCursorMark": "AoE=", "resultList": {"result": [TRIAL]}}
    service = serve(twist=instead(same))
    assert await found(EuropePmc(client, service.url), GOUT.model_copy(update={"kind": "boolean"})) == ["pubmed:31"]
    assert len(service.asked) == 2


async def test_dates_are_asked_for_and_a_month_or_year_without_a_day_counts_as_a_whole(
    client: Client, serve: Serve
) -> None:
    dates = ("2019-02-27", "2019-02", "2019", "2019-03-01", "2021-01-02", "")
    service = serve(*(record(str(n), title="Gout", published=day) for n, day in enumerate(dates, start=1)))
    query = Query(terms=("gout",), since=date(2019, 2, 28), as_of=date(2021, 1, 1))
    assert await found(EuropePmc(client, service.url), query) == ["pubmed:2", "pubmed:3", "pubmed:4"]
    assert service.asked[0].fields["query"] == (
        "(gout) AND (FIRST_PDATE:[2019-02-28 TO 2021-01-01] OR FIRST_PDATE:2019-02-01 OR FIRST_PDATE:2019-01-01)"
    )


async def test_what_is_excluded_takes_no_place(client: Client, serve: Serve) -> None:
    source = EuropePmc(client, serve(*(record(str(n), title="Gout") for n in range(1, 5))).url)
    query = Query(terms=("gout",), exclude=("pubmed:1", "pubmed:2"))
    assert await found(source, query, 2) == ["pubmed:3", "pubmed:4"]


@each_row(
    ("about", "id"),
    [
        ({"id": "PPR12", "source": "PPR", "doi": "10.1101/2020.01.01"}, "doi:10.1101/2020.01.01"),
        ({"id": "PPR13", "source": "PPR"}, "europe_pmc:PPR/PPR13"),
        ({"id": "PMC99", "source": "PMC", "pmcid": "PMC99"}, "europe_pmc:PMC/PMC99"),
        ({"id": "55", "source": "MED", "doi": "10.1000/5", "pmcid": "PMC5"}, "pubmed:55"),
    ],
)
async def test_a_work_is_known_by_its_pmid_else_its_doi_and_opens_under_that_id(
    client: Client, serve: Serve, about: dict[str, str], id: str
) -> None:
    service = serve(record(title="Gout", **about), TRIAL)
    assert (await EuropePmc(client, service.url).open(id)).reference.id == id
    assert id in await found(EuropePmc(client, service.url), Query(terms=("gout",)))


async def test_opening_what_was_just_found_asks_nobody(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    source = EuropePmc(client, service.url)
    (hit, *_) = (await source.search(GOUT, 1)).hits
    asked = len(service.asked)
    document = await source.open("pubmed:31")
    assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
    assert len(service.asked) == asked


async def test_a_record_of_another_id_is_not_what_was_asked_for(client: Client, serve: Serve) -> None:
    service = serve(twist=instead({"resultList": {"result": [TRIAL]}}))
    with pytest.raises(NotFoundError, match="pubmed:32"):
        await EuropePmc(client, service.url).open("pubmed:32")


async def test_of_an_open_work_the_full_text_opens_under_its_pmc_id(
    client: Client, serve: Serve, shared_data: Path
) -> None:
    with tarfile.open(shared_data / "fixtures" / "jats_sample.tar.gz") as archive:
        member = next(one for one in archive if one.name.endswith(".nxml"))
        file = archive.extractfile(member)
        assert file
        data, pmcid = file.read(), Path(member.name).stem
    retracted = [("Retraction in", "99", "PLoS One. 2019 May;14(5):e1")]
    one = record("31", title="An open trial", pmcid=pmcid, open_access=True, published="2018-01-02", links=retracted)
    document = await EuropePmc(client, serve(one, **{pmcid: data}).url).open(f"pmc:{pmcid}")
    card = document.reference
    assert (card.id, card.pmid, card.depth) == (f"pmc:{pmcid}", "31", "full text")
    assert card.retraction.objection == "retracted (Europe PMC, 2019-05)"
    assert len(document.text) > 10_000
    assert len({part.title for part in document.sections}) > 5


async def test_of_a_work_that_is_not_open_its_abstract_opens(client: Client, serve: Serve) -> None:
    closed, lost = {**TRIAL, "pmcid": "PMC1"}, {**TRIAL, "pmcid": "PMC2", "isOpenAccess": "Y"}
    service = serve(closed, lost)
    for pmcid in ("PMC1", "PMC2"):
        document = await EuropePmc(client, service.url).open(f"pmc:{pmcid}")
        assert (document.reference.id, document.reference.depth) == ("pubmed:31", "abstract")


async def test_a_full_text_that_cannot_be_read_is_refused_with_its_name(client: Client, serve: Serve) -> None:
    for broken in (b"<article><front>", b"", b"<html/>"):
        service = serve({**TRIAL, "pmcid": "PMC2", "isOpenAccess": "Y"}, PMC2=broken)
        with pytest.raises(SourceRefused, match="full text of PMC2"):
            await EuropePmc(client, service.url).open("pmc:PMC2")


CITATION = "Gout 2000. 2021 May 3;12(3):101-9"


@each_row(
    ("about", "expected", "objection"),
    [
        ({"types": ["Retracted Publication"]}, "true", "retracted (Europe PMC)"),
        ({"links": [("Retraction in", "9", CITATION)]}, "true", "retracted (Europe PMC, 2021-05-03)"),
        (
            {"links": [("Retracted and republished in", "9", "J. 2021")]},
            "true",
            "retracted (Europe PMC, 2021, republished in a corrected version)",
        ),
        (
            {"links": [("Expression of concern in", "9", "J. 2021 Dec-2022 Jan;1")]},
            "unknown",
            "under an expression of concern (Europe PMC, 2021-12)",
        ),
        ({"links": [("Erratum in", "9", CITATION)]}, "unknown", ""),
        ({"links": [("Corrected and republished in", "9", CITATION)]}, "unknown", ""),
        ({"links": [("Comment in", "9", CITATION), ("Update in", "10", CITATION)]}, "unknown", ""),
        ({"types": ["Retraction of Publication"], "links": [("Retraction of", "9", CITATION)]}, "unknown", ""),
        ({"types": ["Expression of Concern"], "links": [("Expression of concern for", "9", CITATION)]}, "unknown", ""),
        ({"links": [("Retracted and republished from", "9", CITATION)]}, "unknown", ""),
    ],
)
async def test_what_was_published_about_a_work_is_on_its_card(
    client: Client, serve: Serve, about: dict[str, list[str]], expected: str, objection: str
) -> None:
    card = (await EuropePmc(client, serve(record("31", title="Gout", **about)).url).open("pubmed:31")).reference  # type: ignore[arg-type]
    assert (card.retraction.status, card.retraction.objection) == (expected, objection)


async def test_a_notice_says_where_it_stands(client: Client, serve: Serve) -> None:
    service = serve(record("31", title="Gout", links=[("Erratum in", "9", CITATION)]))
    card = (await EuropePmc(client, service.url).open("pubmed:31")).reference
    notice = Notice(kind="correction", source="Europe PMC", id="pubmed:9", published="2021-05-03")
    assert card.retraction == Retraction(as_of=date(2024, 2, 29), notices=(notice,))


@each_row(
    ("twist", "error", "words"),
    [
        (status(500), SourceUnavailable, "500"),
        (status(429, retry_after="1"), SourceUnavailable, "429"),
        (status(403), SourceRefused, "403"),
        (malformed, SourceRefused, "did not answer with JSON"),
        (truncated, SourceRefused, "did not answer with JSON"),
        (truncated_file_error, SourceUnavailable, "127"),
        (instead([]), SourceRefused, "Europe PMC answered in an unknown form"),
        (instead({"resultList": {"result": 3}}), SourceRefused, "resultList.result"),
        (instead({"errCode": 400, "errMsg": "Invalid query"}), SourceRefused, "Invalid query"),
        (
            instead({"hitCount": 1, "resultList": {"result": [{"title": "no id"}]}}),
            SourceUnavailable,
            "no readable",
        ),
    ],
)
async def test_an_outage_is_an_error_and_never_an_empty_list(
    client: Client, serve: Serve, twist: Twist, error: type[SourceError], words: str
) -> None:
    with pytest.raises(error, match=words):
        await EuropePmc(client, serve(TRIAL, twist=twist).url).search(GOUT, 5)


async def test_a_server_that_asks_to_wait_is_asked_again_then(serve: Serve) -> None:
    moments = Moments()
    async with Client(attempts=2, clock=moments.clock) as client:
        service = serve(TRIAL, twist=once(status(429, retry_after="7")))
        assert await found(EuropePmc(client, service.url), GOUT) == ["pubmed:31"]
    assert max(moments.slept) >= 7


async def test_one_broken_record_costs_only_itself_and_is_told(client: Client, serve: Serve) -> None:
    broken = [{"source": "MED"}, "text", {**TRIAL, "id": "33", "pmid": "33", "authorList": {"author": None}}]
    service = serve(twist=instead({"resultList": {"result": [*broken, TRIAL]}}))
    query = GOUT.model_copy(update={"kind": "boolean"})
    result = await EuropePmc(client, service.url).search(query, 50)
    assert ids(result) == ["pubmed:33", "pubmed:31"]
    assert result.notes == ("Europe PMC returned 2 records that cannot be read (id: missing)",)


async def test_a_record_with_nothing_but_its_id_is_passed_over(client: Client, serve: Serve) -> None:
    service = serve(twist=instead({"resultList": {"result": [{"id": "7", "source": "MED"}, TRIAL]}}))
    assert await found(EuropePmc(client, service.url), GOUT.model_copy(update={"kind": "boolean"})) == ["pubmed:31"]


async def test_offline_nobody_is_asked(serve: Serve) -> None:
    service = serve(TRIAL)
    async with Client(offline=True) as client:
        with pytest.raises(OfflineError):
            await EuropePmc(client, service.url).search(GOUT, 5)
    assert service.asked == []


async def test_nothing_is_asked_for_nothing(client: Client, serve: Serve) -> None:
    service = serve(TRIAL)
    source = EuropePmc(client, service.url)
    assert (await source.search(GOUT, 0)).hits == (await source.search(Query(terms=("?",)), 5)).hits == []
    assert service.asked == []


@pytest.mark.nightly
async def test_real_abstracts_are_found_by_their_own_words_and_every_hit_is_a_slice(
    client: Client, shared_data: Path
) -> None:
    records = list(islice(corpus(shared_data), 1_500))
    wanted = [one for one in records if len(one["abstractText"]) > 600][::40]
    with serving(EuropePmcServer(records)) as service:
        source = EuropePmc(client, service.url)
        for one in wanted:
            words = re.sub("<[^<>]*>", " ", one["abstractText"]).split()[:15]
            hits = (await source.search(Query(terms=(" ".join(words),)), 10)).hits
            assert f"pubmed:{one['id']}" in [hit.passage.reference.id for hit in hits]
            for hit in hits:
                document = await source.open(hit.passage.reference.id)
                assert document.text[hit.passage.start : hit.passage.end] == hit.passage.text
    assert len(wanted) > 20


async def test_a_hundred_mutilated_answers_give_documents_or_one_of_our_errors(client: Client) -> None:
    whole = json.dumps({"hitCount": 1, "resultList": {"result": [TRIAL]}})
    chance = random.Random(7)  # noqa: S311 - the same mutilations every time
    texts = iter([_mutilated(whole, chance) for _ in range(100)])
    with serving(lambda asked: Said(next(texts).encode(errors="replace"), 200, "application/json")) as service:
        outcomes = [await _outcome(EuropePmc(client, service.url)) for _ in range(100)]
    assert outcomes.count("documents") > 5
    assert outcomes.count("error") > 5


def _mutilated(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return (
        text[:at]
        + chance.choice(["", "\x00", '"', "null", "[]", "{}", "9" * 40, "\ud800"])
        + text[at + chance.randrange(6) :]
    )


async def _outcome(source: EuropePmc) -> str:
    try:
        await source.open("pubmed:31")
    except NotFoundError:
        return "not found"
    except SourceError:
        return "error"
    return "documents"
