"""A small literature on gout (invented; not medical advice), as five services know it, and the texts that cite it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import date
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, Served, serving
from tests.servers.crossref import CrossrefServer, update, work
from tests.servers.europe_pmc import EuropePmcServer, record
from tests.servers.eutils import Eutils, article, full_text
from tests.servers.pages import GOUT
from tests.servers.registrars import DoiOrgServer, csl
from tests.servers.web import html_page
from wellsourced.factcheck.pages.addresses import AddressDescriber
from wellsourced.factcheck.pages.cited_page import read_cited_page
from wellsourced.factcheck.pages.page_fetcher import FetchOptions, PageFetcher
from wellsourced.factcheck.resolve.tracer import CatalogueTracer
from wellsourced.http import Client
from wellsourced.sources.base import Source
from wellsourced.sources.crossref import Crossref
from wellsourced.sources.doi_org import DatabaseCatalogue, DoiOrg
from wellsourced.sources.entrez import Pmc, PubMed, PubMedRegistry
from wellsourced.sources.europe_pmc import EuropePmc
from wellsourced.types import CitedSource

TODAY = date(2026, 11, 1)


class Paper(NamedTuple):
    """A paper; `refs` are PubMed's links to notices."""

    pmid: str
    doi: str
    title: str
    author: str
    year: str
    pmcid: str = ""
    refs: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = ("Journal Article",)
    abstract: str = "Two hundred adults took part, and flares were counted for a year in each of the groups."


COLCHICINE = Paper(
    "111", "10.1000/gout.1", "Colchicine for flares of gout in general practice: a randomised trial", "Doe J", "2020"
)
RASH = Paper(
    "222", "10.1000/s1234(18)urate,2", "Allopurinol and the rash of the first weeks among veterans", "Roe K", "2018"
)
CHERRY = Paper(
    "333", "10.1000/cherry.3", "Cherry juice lowers urate in adults with hyperuricaemia", "Poe E", "2015",
    refs=(("RetractionIn", "334"),), types=("Journal Article", "Retracted Publication"),
)  # fmt: skip
NOTICE = Paper(
    "334", "10.1000/notice.4", f"Retraction: {CHERRY.title}", "Poe E", "2017", types=("Retraction of Publication",)
)
TOPHI = Paper("444", "10.1000/tophi.5", "Febuxostat against placebo in tophaceous disease of the hand", "Loe P", "2019",
              refs=(("ErratumIn", "445"),))  # fmt: skip
ERRATUM = Paper("445", "10.1000/tophi.5e", f"Erratum: {TOPHI.title}", "Loe P", "2020", types=("Published Erratum",))
VITAMIN = Paper("555", "10.1000/vitc.6", "Ascorbic acid and the incidence of podagra among dentists", "Noe M", "2014",
                refs=(("ExpressionOfConcernIn", "556"),))  # fmt: skip
WHOLE = Paper(
    "666", "10.1000/whole.7", "Urate crystals under polarised light in synovial fluid", "Coe S", "2021", pmcid="PMC7777"
)
TRANSLATED = Paper("777", "10.1000/gicht.8", "[Treatment of acute attacks in old age].", "Müller H", "2012")
WORDLESS = Paper(
    "888", "10.1000/letter.9", "Naproxen once more: a letter on kidneys and joints", "Voe A", "2016", abstract=""
)
PAPERS = (COLCHICINE, RASH, CHERRY, NOTICE, TOPHI, ERRATUM, VITAMIN, WHOLE, TRANSLATED, WORDLESS)

KEY = "a-key"
"""With which PubMed may be asked ten times in a second."""

REPORT = "10.5072/report.1"
"""Of DataCite, so that Crossref and PubMed do not know it."""

BODY = "Crystals of urate are needles and shine yellow when they lie along the axis of the compensator. " * 4


def cited(written: str = "", **said: Any) -> CitedSource:
    """A source as a text names it."""
    entry = written or " ".join(str(value) for value in said.values())
    return CitedSource(key="1", written=entry, start=0, end=len(entry), **said)


def described(paper: Paper, **other: Any) -> CitedSource:
    """A paper as an honest text cites it: without an id, unless one is given."""
    journal = "Journal of Invented Trials"
    said = {"title": paper.title, "authors": (paper.author,), "year": paper.year, "journal": journal, **other}
    entry = f"{paper.author}. {paper.title}. {journal}. {paper.year};12(3):101-109."
    return CitedSource(key="1", written=entry, start=0, end=len(entry), **said)


class Services(NamedTuple):
    """What is running: each server with what it was asked."""

    eutils: Served
    europe_pmc: Served
    crossref: Served
    doi: Served
    web: Served


def down(_: Asked) -> Said:
    """A service that is out of order."""
    return Said(b"maintenance", 503, "text/plain")


class World:
    """Everybody who knows the papers. `broken` names services that are down; `pages`: path → what the web says."""

    def __init__(
        self,
        broken: Sequence[str] = (),
        pages: Mapping[str, Said] | None = None,
        *,
        offline: bool = False,
        papers: Sequence[Paper] = PAPERS,
    ) -> None:
        self.broken, self.offline, self.papers = broken, offline, papers
        self.pages = {"/gout/flares": html_page(GOUT).said, **(pages or {})}

    @asynccontextmanager
    async def tracer(
        self, *libraries: Source, running: Services | None = None
    ) -> AsyncIterator[tuple[CatalogueTracer, Services]]:
        """A tracer that asks them all, and who was asked what; of servers that run already, or of new ones."""
        with ExitStack() as stack:
            running = running or self.running(stack)
            trusted = frozenset(urlsplit(one.url).netloc for one in running)
            moments = Moments()
            async with Client(trusted=trusted, attempts=2, clock=moments.clock, offline=self.offline) as client:
                yield _tracer(client, running, libraries), running

    def running(self, stack: ExitStack) -> Services:
        """All of them, until the stack is closed."""
        web = stack.enter_context(
            serving(lambda asked: self.pages.get(asked.path, Said(b"<h1>no</h1>", 404, "text/html")))
        )
        landing = {WORDLESS.doi: f"{web.url}/gout/flares", COLCHICINE.doi: f"{web.url}/gout/flares"}
        handles: dict[str, Any] = {paper.doi.lower(): None for paper in self.papers}
        answers = {
            "eutils": Eutils({"pubmed": map(_medline, self.papers), "pmc": [_whole()], "mesh": []}, key=KEY, pace=0),
            "europe_pmc": EuropePmcServer(map(_record, self.papers)),
            "crossref": CrossrefServer(map(_work, self.papers)),
            "doi": DoiOrgServer({**handles, REPORT: csl("Gout in the islands: a register of ten years")}, landing),
        }
        started = {
            name: stack.enter_context(serving(down if name in self.broken else answer))
            for name, answer in answers.items()
        }
        return Services(**started, web=web)


def _tracer(client: Client, running: Services, libraries: Sequence[Source]) -> CatalogueTracer:
    ncbi = f"{running.eutils.url}/"
    pubmed, pmc = PubMed(client, ncbi), Pmc(client, ncbi)
    europe_pmc = EuropePmc(client, running.europe_pmc.url)
    crossref = Crossref(client, running.crossref.url, today=lambda: TODAY)
    return CatalogueTracer(
        libraries,
        [
            DatabaseCatalogue(pubmed, {"pmid": True}),
            DatabaseCatalogue(europe_pmc, {"pmid": False, "pmcid": False, "doi": False}),
            DatabaseCatalogue(pmc, {"pmcid": True}, lists=False),
            crossref,
            DoiOrg(client, running.doi.url),
        ],
        [pmc, pubmed, europe_pmc],
        PageFetcher(client, partial(read_cited_page, today=TODAY), FetchOptions(robots=False)),
        [PubMedRegistry(pubmed, lambda: TODAY), crossref],
        AddressDescriber(),
        resolver=running.doi.url,
        today=lambda: TODAY,
    )


def _medline(paper: Paper) -> Any:
    return article(
        paper.pmid,
        paper.title,
        [("", paper.abstract)],
        published=paper.year,
        doi=paper.doi,
        pmcid=paper.pmcid,
        types=paper.types,
        notices=paper.refs,
        authors=(paper.author,),
    )


def _record(paper: Paper) -> dict[str, Any]:
    links = {
        "RetractionIn": "Retraction in",
        "ErratumIn": "Erratum in",
        "ExpressionOfConcernIn": "Expression of concern in",
    }
    return record(
        paper.pmid,
        title=paper.title,
        abstract=f"<p>{paper.abstract}</p>" if paper.abstract else "",
        published=paper.year,
        doi=paper.doi,
        pmcid=paper.pmcid,
        types=paper.types,
        links=[(links[kind], pmid, "J Invent Trials. 2017 May 3;1(1):1") for kind, pmid in paper.refs],
        author=paper.author,
    )


def _work(paper: Paper) -> dict[str, Any]:
    updates = {
        CHERRY.doi: [update("retraction", NOTICE.doi, 2017, 5, 3)],
        TOPHI.doi: [update("erratum", ERRATUM.doi, 2020)],
    }
    about = {
        NOTICE.doi: [update("retraction", CHERRY.doi, 2017, 5, 3)],
        ERRATUM.doi: [update("erratum", TOPHI.doi, 2020)],
    }
    return work(
        paper.doi,
        title=paper.title,
        author=paper.author.partition(" ")[0],
        year=int(paper.year),
        updated_by=updates.get(paper.doi, ()),
        update_to=about.get(paper.doi, ()),
    )


def _whole() -> Any:
    parts = [("Methods", BODY), ("Results", BODY)]
    about = {"abstract": WHOLE.abstract, "published": "2021", "doi": WHOLE.doi, "pmid": WHOLE.pmid}
    return full_text("7777", WHOLE.title, parts, **about)
