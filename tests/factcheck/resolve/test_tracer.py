"""What a text cites is found, or what is wrong with it is said; whoever cites honestly is not accused."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.factcheck.resolving_world import (
    CHERRY,
    COLCHICINE,
    ERRATUM,
    NOTICE,
    PAPERS,
    RASH,
    REPORT,
    TOPHI,
    TRANSLATED,
    VITAMIN,
    WHOLE,
    WORDLESS,
    Paper,
    Services,
    World,
    cited,
    described,
)
from tests.servers.base import Said
from tests.tables import each_row
from tests.world import document, source
from wellsourced.citations.links import find_links
from wellsourced.config.factcheck import open_tracer
from wellsourced.config.settings import NetworkSettings, ServiceSettings, Settings, TracingSettings
from wellsourced.factcheck.resolve.base import TracedSource, Tracer
from wellsourced.types import CitedSource

ACCUSED = {"misattributed", "invented"}


Trace = Callable[..., Awaitable[TracedSource]]


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    """Everybody, for all tests that do not change what they say."""
    with ExitStack() as stack:
        yield World().running(stack)


@pytest.fixture
def traced(services: Services) -> Trace:
    """What comes of looking for one source, in the usual world or in another."""

    async def trace(one: CitedSource, world: World | None = None) -> TracedSource:
        async with (world or World()).tracer(running=None if world else services) as (tracer, _):
            assert isinstance(tracer, Tracer)
            return await tracer.trace(one)

    return trace


HONEST: dict[str, CitedSource] = {
    "a PMID": cited(pmid="111"),
    "a DOI": cited(doi=COLCHICINE.doi),
    "a DOI in capitals": cited(doi="10.1000/GOUT.1", title=COLCHICINE.title),
    "a DOI as an address": cited(doi="https://doi.org/10.1000/gout.1."),
    "a DOI with a comma and brackets in it": cited(doi=RASH.doi, title=RASH.title, year="2018"),
    "a DOI with what came after it": cited(doi="10.1000/gout.1),PMID:111", title=COLCHICINE.title),
    "a DOI with characters that nobody sees": cited(doi="10.1000/\u200bgo\u00adut.1\ufeff", title=COLCHICINE.title),
    "a DOI with letters that look alike": cited(doi="１０.1000/gоut.1", title=COLCHICINE.title),  # a Cyrillic o
    "a DOI with escapes": cited(doi="https://doi.org/10.1000%2Fs1234%2818%29urate%2C2", title=RASH.title),
    "a PMID with its name and a stop": cited(pmid="PMID: 111."),
    "a PMC id with a blank and a version": cited(pmcid="PMC 7777.1", title=WHOLE.title),
    "a DOI in the address of a publisher's view": cited(url="https://doi.org/10.1000/gout.1/full"),
    "a PMID as an address": cited(url="https://pubmed.ncbi.nlm.nih.gov/111/"),
    "a PMC id": cited(pmcid="PMC7777", title=WHOLE.title),
    "an address in PMC": cited(url="https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7777/"),
    "a PMID behind a library's proxy": cited(url="https://pubmed-ncbi-nlm-nih-gov.meir.idm.oclc.org/111/"),
    "all ids at once": described(COLCHICINE, pmid="111", doi=COLCHICINE.doi),
    "no id": described(COLCHICINE),
    "no id, in capitals": described(COLCHICINE, title=COLCHICINE.title.upper()),
    "a title without its subtitle": described(
        COLCHICINE, title="Colchicine for flares of gout in general practice", pmid="111"
    ),
    "a title cut off": described(COLCHICINE, title="Colchicine for flares of gout in general pr", pmid="111"),
    "a title with a misprint": described(
        COLCHICINE, title=COLCHICINE.title.replace("practice", "pracitce"), doi=COLCHICINE.doi
    ),
    "a title in LaTeX": described(
        COLCHICINE, title=r"{C}olchicine for \textit{flares} of {Gout} in general practice: a randomised trial"
    ),
    "the year of the screen": described(COLCHICINE, year="2019", pmid="111"),
    "an author in full": described(COLCHICINE, authors=("Jane Doe", "and others"), pmid="111"),
    "a group as its author": described(COLCHICINE, authors=("Invented Trials Group",), pmid="111"),
    "an acronym for a title": cited(title="The COLFLARE trial", authors=("Doe J",), year="2020", pmid="111"),
    "the title of a translated work in its own language": described(
        TRANSLATED, title="Behandlung des Gichtanfalls im Alter", pmid="777"
    ),
    "an accent left out": described(TRANSLATED, authors=("Muller H",), pmid="777"),
    "the notice of a retraction": described(NOTICE, doi=NOTICE.doi),
    "an erratum itself": described(ERRATUM, pmid="445"),
    "a DOI of another agency": cited(doi=REPORT, title="Gout in the islands: a register of ten years", year="2021"),
}


@each_row("one", HONEST.values())
async def test_whoever_cites_honestly_is_not_accused(one: CitedSource, traced: Trace) -> None:
    opened = await traced(one)
    assert (opened.traced.standing, opened.traced.differing) == ("found", ()), opened.traced.reason
    assert opened.traced.reference


@each_row(
    ("registered", "printed"),
    [
        ("10.1000/gout-2020-1", "10.1000/gout–2020–1"),
        ("10.1000/gout–2020–1", "10.1000/gout–2020–1"),
        ("10.1000/gout–2020–1", "10.1000/gout–2020–1v2"),
        ("10.1000/gout-2020-1", "10.1000/gout-\n2020–1"),
        ("10.1000/gout2020-1", "10.1000/gout-\n2020–1"),
        ("10.1000/gout-2020", "10.1000/gout-2020.\n1999-7"),
    ],
)
async def test_a_doi_is_tried_with_the_dashes_of_the_text_too(registered: str, printed: str, traced: Trace) -> None:
    entry = f"Doe J. {COLCHICINE.title}. J Tests. 2020;1:1. doi:{printed}"
    opened = await traced(
        cited(entry, doi=next(find_links(entry)).doi, title=COLCHICINE.title),
        World(papers=[COLCHICINE._replace(doi=registered)]),
    )
    assert opened.traced.standing == "found", opened.traced.reason


BOOK = cited(
    "Boe T. Diseases of the joints. 4th ed. Invented Press; 2011.",
    title="Diseases of the joints and bones",
    authors=("Boe T",),
    year="2011",
    journal="Invented Press",
)
GUIDELINE = cited(
    "World Body. Guideline on the management of hyperuricaemia. 2019.",
    title="Guideline on the management of hyperuricaemia in primary care",
    year="2019",
)
NEW = COLCHICINE._replace(title="Pegloticase by mouth for refractory tophi in Wales", year="2026")
UNCERTAIN: dict[str, CitedSource] = {
    "a book": BOOK,
    "a guideline": GUIDELINE,
    "too short a title": cited(title="Gout", authors=("Doe J",), year="2020", journal="Lancet"),
    "nothing but an author and a year": cited("Zoe 2016", authors=("Zoe B",), year="2016"),
    "a dead page": cited(url="https://127.0.0.1:1/"),
    "a work of this year": described(NEW),
}


@each_row("one", UNCERTAIN.values())
async def test_what_nobody_has_to_know_is_not_called_invented(one: CitedSource, traced: Trace) -> None:
    opened = await traced(one)
    assert opened.traced.standing in ("unmatched", "unreachable"), opened.traced.reason
    assert opened.traced.reason


async def test_swapped_pmids_are_misattributed_and_the_work_that_is_meant_is_named(traced: Trace) -> None:
    first, second = described(COLCHICINE, pmid="222"), described(RASH, pmid="111")
    for one, meant, other in ((first, COLCHICINE, RASH), (second, RASH, COLCHICINE)):
        opened = await traced(one)
        assert opened.traced.standing == "misattributed"
        assert "the title" in opened.traced.differing
        assert other.title.rstrip(".") in opened.traced.reason
        assert opened.traced.reference and opened.traced.reference.pmid == meant.pmid
        assert opened.document and opened.document.text.startswith(meant.title[:20])


async def test_a_doi_and_a_pmid_of_two_works_are_misattributed(traced: Trace) -> None:
    opened = await traced(cited(doi=COLCHICINE.doi, pmid="222"))
    assert opened.traced.standing == "misattributed"
    assert COLCHICINE.title in opened.traced.reason and RASH.title in opened.traced.reason
    opened = await traced(described(COLCHICINE, doi=COLCHICINE.doi, pmid="222"))
    assert (opened.traced.standing, opened.traced.differing) == ("misattributed", ("the PMID",))


async def test_a_real_id_under_an_invented_title_is_misattributed_and_the_title_is_found_nowhere(traced: Trace) -> None:
    made_up = "Sunlight against podagra in submarines: the SUNSUB randomised trial"
    opened = await traced(described(COLCHICINE, title=made_up, authors=("Zed Q",), pmid="222"))
    assert opened.traced.standing == "misattributed"
    assert set(opened.traced.differing) == {"the title", "the authors", "the year"}
    assert "no work with that title was found" in opened.traced.reason
    assert opened.traced.reference and opened.traced.reference.pmid == "222"


async def test_a_title_that_says_the_opposite_is_not_the_title_of_the_work(traced: Trace) -> None:
    other = COLCHICINE.title.replace("Colchicine", "Naproxen")
    assert (await traced(described(COLCHICINE, title=other, pmid="111"))).traced.differing == ("the title",)


async def test_an_invented_trial_is_invented(traced: Trace) -> None:
    title = "Submarine sunlight against podagra among sailors: the SUNSUB multicentre randomised trial"
    entry = f"Zed Q, Yod R. {title}. N Engl J Med. 2021;384:123-131."
    opened = await traced(cited(entry, title=title, authors=("Zed Q",), year="2021", journal="N Engl J Med"))
    assert opened.traced.standing == "invented", opened.traced.reason
    assert set(opened.traced.asked) == {"pubmed", "europe_pmc", "Crossref"}
    assert (opened.traced.fetched, opened.document) == ("not asked", None)


async def test_an_invented_trial_stays_invented_with_an_address_that_leads_nowhere() -> None:
    title = "Submarine sunlight against podagra among sailors: the SUNSUB multicentre randomised trial"
    async with World().tracer() as (tracer, running):
        url = f"{running.web.url}/sunsub"
        opened = await tracer.trace(cited(title=title, authors=("Zed Q",), year="2021", journal="Lancet", url=url))
    assert (opened.traced.fetched, opened.traced.standing) == ("dead", "invented")


@each_row("said", [{"doi": "10.1000/none.99"}, {"pmid": "99999999"}, {"pmcid": "PMC99"}])
async def test_an_id_that_was_never_given_out_is_invented(said: dict[str, Any], traced: Trace) -> None:
    opened = await traced(cited(**said))
    assert opened.traced.standing == "invented" and "no work has" in opened.traced.reason


async def test_an_id_that_does_not_exist_beside_a_title_that_does_is_misattributed(traced: Trace) -> None:
    opened = await traced(described(COLCHICINE, doi="10.1000/gout.99"))
    assert (opened.traced.standing, opened.traced.differing) == ("misattributed", ("the DOI",))
    assert opened.traced.reference and opened.traced.reference.pmid == "111"


@each_row(
    "one",
    [
        cited(doi="10.1000/CHERRY.3"),
        cited(url="https://doi.org/10.1000/Cherry.3"),
        described(CHERRY),
        cited(pmid="333"),
    ],
)
async def test_a_retracted_paper_is_seen_under_any_spelling_of_its_doi(one: CitedSource, traced: Trace) -> None:
    opened = await traced(one)
    assert opened.traced.standing == "found"
    assert opened.traced.reference and opened.traced.reference.retraction.status == "true"
    assert "it is retracted" in opened.traced.reason
    assert opened.document and opened.document.reference.retraction.status == "true"


async def test_the_notice_of_a_retraction_is_not_itself_retracted(traced: Trace) -> None:
    opened = await traced(cited(doi=NOTICE.doi))
    assert opened.traced.reference and opened.traced.reference.retraction.status != "true"
    assert opened.traced.reason == ""


async def test_a_work_cited_by_the_doi_of_its_retraction_is_told_apart_from_the_notice(traced: Trace) -> None:
    opened = await traced(described(CHERRY, doi=NOTICE.doi))
    assert opened.traced.standing == "misattributed" and "retraction notice" in opened.traced.reason
    assert opened.traced.reference and opened.traced.reference.pmid == "333"
    assert opened.traced.reference.retraction.status == "true"


async def test_an_erratum_is_told_and_nobody_is_accused(traced: Trace) -> None:
    opened = await traced(described(TOPHI, pmid="444"))
    assert opened.traced.standing == "found" and "a correction was published" in opened.traced.reason
    assert opened.traced.reference and opened.traced.reference.retraction.status == "false"
    assert opened.traced.reference.retraction.objection == ""


async def test_an_expression_of_concern_is_told(traced: Trace) -> None:
    opened = await traced(cited(doi=VITAMIN.doi))
    assert opened.traced.standing == "found" and "under an expression of concern" in opened.traced.reason


async def test_the_full_text_is_read_where_it_is_open_and_else_the_abstract(traced: Trace) -> None:
    whole, abstract = await traced(cited(pmid="666")), await traced(cited(pmid="111"))
    assert whole.document and "axis of the compensator" in whole.document.text
    assert whole.traced.reference and whole.traced.reference.depth == "full text"
    assert abstract.traced.reference and abstract.traced.reference.depth == "abstract"
    assert (whole.traced.fetched, abstract.traced.fetched) == ("ok", "ok")


async def test_of_a_record_without_an_abstract_the_page_of_the_work_is_read(traced: Trace) -> None:
    opened = await traced(cited(pmid="888", title=WORDLESS.title))
    assert opened.traced.fetched == "ok" and opened.document
    assert "Colchicine shortened flares" in opened.document.text
    assert opened.traced.reference and opened.traced.reference.pmid == "888"
    assert opened.traced.reference.depth == "web page"


async def test_a_page_is_read_and_a_dead_link_stays_dead_though_the_work_is_found() -> None:
    async with World(pages={"/gone": Said(b"gone", 410)}).tracer() as (tracer, running):
        live = await tracer.trace(cited(url=f"{running.web.url}/gout/flares"))
        dead = await tracer.trace(cited(url=f"{running.web.url}/nothing/here"))
        found = await tracer.trace(described(COLCHICINE, url=f"{running.web.url}/gone", pmid="111"))
    assert (live.traced.fetched, live.traced.standing) == ("ok", "found")
    assert live.traced.reference and live.traced.reference.title == "Gout flares"
    assert live.traced.address and live.traced.address.url.endswith("/gout/flares")
    assert (dead.traced.fetched, dead.traced.standing, dead.document) == ("dead", "unmatched", None)
    assert (found.traced.fetched, found.traced.standing) == ("dead", "found")
    assert found.document and COLCHICINE.title in found.document.text


@each_row(
    ("said", "kind", "standing"),
    [(Said(b"gone", 410), "dead", "unmatched"), (Said(b"no", 403), "refused", "unreachable")],
)
async def test_a_publishers_page_that_is_not_shown_and_whose_doi_nobody_knows_is_not_accused(
    said: Said, kind: str, standing: str
) -> None:
    async with World(pages={"/doi/10.1000/none.98": said}).tracer() as (tracer, running):
        opened = await tracer.trace(cited(url=f"{running.web.url}/doi/10.1000/none.98"))
    assert (opened.traced.fetched, opened.traced.standing) == (kind, standing)


async def test_a_publishers_page_that_refuses_programs_is_known_by_the_doi_in_its_address() -> None:
    path = f"/doi/full/{COLCHICINE.doi}"
    async with World(pages={path: Said(b"no", 403)}).tracer() as (tracer, running):
        opened = await tracer.trace(cited(url=running.web.url + path))
    assert (opened.traced.fetched, opened.traced.standing) == ("ok", "found")
    assert opened.traced.reference and opened.traced.reference.pmid == "111"


async def test_a_page_that_speaks_of_something_else_than_its_title_is_not_matched() -> None:
    words = "Cataracts cloud the lens of the eye, and an operation replaces it within half an hour. " * 30
    body = f"<html><body><h1>Cataract</h1><p>{words}</p></body></html>".encode()
    async with World(pages={"/long": Said(body, type="text/html")}).tracer() as (tracer, running):
        wrong = await tracer.trace(
            cited(url=f"{running.web.url}/long", title="Lowering urate in kidney disease with febuxostat")
        )
        right = await tracer.trace(
            cited(url=f"{running.web.url}/long", title="Cataract operation: the lens and what replaces it")
        )
    assert (wrong.traced.fetched, wrong.traced.standing) == ("ok", "unmatched")
    assert right.traced.standing == "found"


async def test_a_service_that_is_down_makes_unreachable_and_never_invented(traced: Trace) -> None:
    title = "Submarine sunlight against podagra among sailors: the SUNSUB multicentre randomised trial"
    one = cited(f"{title}. Lancet 2021;1:2-3", title=title, authors=("Zed Q",), year="2021", journal="Lancet")
    for broken in ("eutils", "europe_pmc", "crossref"):
        opened = await traced(one, World(broken=[broken]))
        assert opened.traced.standing == "unreachable", broken
        assert "could not be asked" in opened.traced.reason
        assert opened.traced.fetched == "server error"
    assert (await traced(cited(doi="10.1000/none.99"), World(broken=["doi"]))).traced.standing == "unreachable"
    assert (await traced(cited(pmid="99999999"), World(broken=["eutils"]))).traced.standing == "unreachable"


async def test_where_one_service_is_down_another_that_knows_the_work_is_enough(traced: Trace) -> None:
    opened = await traced(described(COLCHICINE, pmid="111"), World(broken=["eutils"]))
    assert (opened.traced.standing, opened.traced.fetched) == ("found", "ok")
    assert "PubMed" in opened.traced.reason, "that its retractions could not be asked for is told"
    opened = await traced(described(COLCHICINE), World(broken=["eutils", "europe_pmc"]))
    assert opened.traced.standing == "found"


async def test_what_the_users_own_library_holds_is_found_and_read_without_the_network() -> None:
    own = document("pubmed:111", "Own words. " * 40, title=COLCHICINE.title)
    async with World(offline=True).tracer(source("mine", own)) as (tracer, running):
        by_id = await tracer.trace(cited(pmid="111"))
        search_title = await tracer.trace(cited(title=COLCHICINE.title))
        other = await tracer.trace(cited(pmid="222"))
        page = await tracer.trace(cited(url="https://example.org/a"))
    for opened in (by_id, search_title):
        assert (opened.traced.standing, opened.traced.fetched) == ("found", "ok")
        assert opened.document and opened.document.text == own.text
    assert (other.traced.standing, other.traced.fetched) == ("unreachable", "offline")
    assert (page.traced.standing, page.traced.fetched) == ("unreachable", "offline")
    assert [one.asked for one in running] == [[]] * 5


async def test_a_source_that_says_nothing_is_not_matched_and_nobody_is_asked() -> None:
    async with World().tracer() as (tracer, running):
        opened = await tracer.trace(cited("ibid."))
    assert (opened.traced.standing, opened.traced.fetched) == ("unmatched", "not asked")
    assert [one.asked for one in running] == [[]] * 5


async def test_only_what_the_text_names_of_its_sources_is_sent() -> None:
    async with World().tracer() as (tracer, running):
        await tracer.trace(
            described(COLCHICINE, doi=COLCHICINE.doi).model_copy(update={"written": "Mrs Okafor, 81, see Doe 2020"})
        )
    sent = [f"{one.path} {one.fields} {one.body!r}" for server in running for one in server.asked]
    assert sent and not [line for line in sent if "Okafor" in line or "81" in line.replace("10.1000", "")]


async def test_many_sources_at_once_cost_one_request_for_each_address() -> None:
    async with World().tracer() as (tracer, running):
        pages = [cited(url=f"{running.web.url}/page/{n % 50}") for n in range(400)]
        opened = await asyncio.gather(*(tracer.trace(one) for one in pages))
    assert Counter(one.traced.fetched for one in opened) == {"dead": 400}
    assert max(Counter(one.path for one in running.web.asked).values()) == 1


@each_row("paper", PAPERS)
async def test_every_paper_is_found_by_its_doi_alone(paper: Paper, traced: Trace) -> None:
    opened = await traced(cited(doi=paper.doi.upper()))
    assert opened.traced.standing == "found"
    assert opened.traced.reference and opened.traced.reference.pmid == paper.pmid


async def test_the_settings_open_a_tracer_that_asks_the_services_they_name(tmp_path: Path) -> None:
    with ExitStack() as stack:
        running = World().running(stack)
        settings = Settings(
            home=tmp_path,
            network=NetworkSettings(
                private_hosts=tuple(urlsplit(one.url).netloc for one in running), email="a@example.org"
            ),
            pubmed=ServiceSettings(url=f"{running.eutils.url}/"),
            europe_pmc=ServiceSettings(url=running.europe_pmc.url),
            crossref=ServiceSettings(url=running.crossref.url),
            tracing=TracingSettings(doi=running.doi.url),
        )
        async with open_tracer(settings) as tracer:
            cherry = await tracer.trace(cited(doi="10.1000/CHERRY.3"))
            page = await tracer.trace(cited(url=f"{running.web.url}/gout/flares"))
        asked = len(running.europe_pmc.asked)
        alone = settings.model_copy(update={"network": settings.network.model_copy(update={"offline": True})})
        async with open_tracer(alone) as tracer:
            unknown = await tracer.trace(cited(doi="10.1000/none"))
        assert len(running.europe_pmc.asked) == asked
    assert cherry.traced.reference and cherry.traced.reference.retraction.status == "true"
    assert page.traced.fetched == "ok"
    assert (unknown.traced.fetched, unknown.traced.standing) == ("offline", "unreachable")
    assert (tmp_path / "egress.jsonl").exists()
