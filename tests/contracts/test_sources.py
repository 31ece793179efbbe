"""What every source promises (sources/base.py): one body, run on each; the fake first."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.hashed_encoder import HashedEncoder
from tests.servers.base import serving
from tests.servers.clinical_trials import ClinicalTrialsServer, trial
from tests.servers.europe_pmc import EuropePmcServer
from tests.servers.europe_pmc import record as core
from tests.servers.eutils import article, eutils, full_text
from tests.servers.pages import Article
from tests.servers.semantic_scholar import SemanticScholarServer, paper
from tests.servers.web import KEY, html_page, serving_web
from tests.tables import each_row
from wellsourced.config.registry import LIVE_SOURCE_REGISTRY, Connection
from wellsourced.errors import NotFoundError, SourceRefused
from wellsourced.http import Client
from wellsourced.question.vocabulary import Thesaurus
from wellsourced.sources.base import IncrementalIndex, Source
from wellsourced.sources.fake import FakeSource
from wellsourced.sources.graph.source import Graph
from wellsourced.sources.library import Library
from wellsourced.text.dates import is_eligible
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document, Query, Reference, Section


def document(id: str, text: str, published: str = "", title: str = "") -> Document:
    reference = Reference(id=id, title=title, kind="research", published=published)
    return Document(reference=reference, text=text, sections=(Section(title="Results", start=0, end=len(text)),))


LONG = " ".join(f"Colchicine shortened flare number {n} of gout by two days." for n in range(60))
DOCUMENTS = (
    document("pubmed:1", "Colchicine shortens gout flares.", "2020-05-03", "A trial"),
    document("pubmed:2", "Naproxen is as good as colchicine in gout flares.", "2021"),
    document("pubmed:3", "Ice on the joint relieves gout flares; colchicine was not tried.", "2019-02"),
    document("pubmed:4", "No date is known for this note on gout flares and colchicine."),
    document('doi:10.1000/it\'s "odd" \\ (5)', LONG, "2022", "A guideline"),
)
GOUT = Query(terms=("colchicine", "gout", "flares"))

Make = Callable[[Path, Sequence[Document]], Awaitable[Source]]

TRIAL_HEADINGS = (
    "Summary", "Conditions", "Interventions and arms", "Design", "Eligibility", "Outcomes", "Status",
)  # fmt: skip


async def told(root: Path, documents: Sequence[Document]) -> Source:
    return FakeSource("all", documents, [passage for one in documents for passage in cut_passages(one)], "research")


async def lexical(root: Path, documents: Sequence[Document]) -> Source:
    Library.create(root, "all", "research")
    library = Library.at(root, "all", write=True)
    await library.add(documents)
    return library


async def hybrid(root: Path, documents: Sequence[Document]) -> Source:
    Library.create(root, "all", "research", HashedEncoder())
    library = Library.at(root, "all", HashedEncoder(), write=True)
    await library.add(documents)
    await library.embed_passages()
    return library


async def probed(root: Path, documents: Sequence[Document]) -> Source:
    """As a library of more vectors than are compared one by one."""
    Library.create(root, "all", "research", HashedEncoder())
    library = Library(root / "all", HashedEncoder(), write=True, exact=0)
    await library.add(documents)
    await library.embed_passages()
    return library


OPENED: list[AsyncExitStack] = []
"""Where a live source leaves its server and its client, to be closed when the test ends."""

NUMBERED = {"pubmed": "pubmed:", "pmc": "pmc:PMC"}
"""Live sources that know their records by numbers of their own: the places of DOCUMENTS, from 1."""

HEADINGS = {"semantic_scholar": {""}, "clinical_trials": {"", *TRIAL_HEADINGS}}
"""The sections of sources that do not keep the one that went in: an abstract in one piece, a record in parts."""


@pytest.fixture(autouse=True)
async def opened() -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        OPENED.append(stack)
        yield
        OPENED.pop()


async def connect(url: str, path: str = "", key: str = "", *, trusted: bool = False) -> Connection:
    """A connection to a server on loopback, closed when the test ends."""
    client = Client(trusted=frozenset({url.removeprefix("http://")}) if trusted else frozenset())
    opened_client = await OPENED[-1].enter_async_context(client)
    return Connection(opened_client, url + path, SecretStr(key) if key else None)


async def serve_pubmed(documents: Sequence[Document]) -> Connection:
    records = (
        article(
            str(number), one.reference.title, [("Results", one.text)], published=one.reference.published, doi=doi(one)
        )
        for number, one in enumerate(documents, start=1)
    )
    return await connect(OPENED[-1].enter_context(eutils(records)).url)


async def serve_pmc(documents: Sequence[Document]) -> Connection:
    records = (
        full_text(
            str(number),
            one.reference.title,
            [("Results", one.text)],
            published=one.reference.published,
            doi=doi(one),
            pmid=str(number),
        )
        for number, one in enumerate(documents, start=1)
    )
    return await connect(OPENED[-1].enter_context(eutils(pmc=records)).url)


async def serve_europe_pmc(documents: Sequence[Document]) -> Connection:
    records = []
    for one in documents:
        kind, _, id = one.reference.id.partition(":")
        known = {"id": id} if kind == "pubmed" else {"id": "PPR1", "source": "PPR", "doi": id}
        abstract = f"<h4>Results</h4>{one.text}"
        records.append(core(**known, title=one.reference.title, abstract=abstract, published=one.reference.published))
    return await connect(OPENED[-1].enter_context(serving(EuropePmcServer(records))).url)


async def serve_semantic_scholar(documents: Sequence[Document]) -> Connection:
    """Its abstracts have no labels, and of a date it gives the year."""
    papers = []
    for number, one in enumerate(documents):
        kind, _, id = one.reference.id.partition(":")
        known = {"pubmed" if kind == "pubmed" else "doi": id}
        about = {"title": one.reference.title, "abstract": one.text, "published": one.reference.published[:4]}
        papers.append(paper(f"{number:040x}", citations=10, **about, **known))
    return await connect(OPENED[-1].enter_context(serving(SemanticScholarServer(papers))).url)


async def serve_clinical_trials(documents: Sequence[Document]) -> Connection:
    """Trials whose summaries are the texts."""
    trials = [
        trial(f"NCT{number:08}", title=one.reference.title, summary=one.text[:4_000], posted=one.reference.published)
        for number, one in enumerate(documents, start=1)
    ]
    return await connect(OPENED[-1].enter_context(serving(ClinicalTrialsServer(trials))).url)


async def serve_engine(path: str, documents: Sequence[Document]) -> Connection:
    """Pages of documents, each with a paragraph more, since a page of a few words holds nothing that can be quoted."""
    more = "The pages of this site are written for doctors and for people who have a disease of the joints; " * 3
    parts = [
        Article(one.reference.title, one.reference.published, (("Results", (one.text, more)),)) for one in documents
    ]
    pages = {f"/{number}": html_page(part) for number, part in enumerate(parts, start=1)}
    _, served = OPENED[-1].enter_context(serving_web(pages))
    return await connect(served.url, path, KEY, trusted=True)


SERVICES: dict[str, Callable[[Sequence[Document]], Awaitable[Connection]]] = {
    "pubmed": serve_pubmed,
    "pmc": serve_pmc,
    "europe_pmc": serve_europe_pmc,
    "semantic_scholar": serve_semantic_scholar,
    "clinical_trials": serve_clinical_trials,
    "brave": partial(serve_engine, "/res/v1/web/search"),
    "tavily": partial(serve_engine, "/tavily/search"),
    "searxng": partial(serve_engine, "/searxng"),
}
"""What serves documents as a service on the network would, one for each entry of the registry."""


def registered(name: str) -> Make:
    """A live source, made as its entry in the registry makes it."""

    async def make(root: Path, documents: Sequence[Document]) -> Source:
        return LIVE_SOURCE_REGISTRY.find(name).build(await SERVICES[name](documents))

    make.__name__ = name
    return make


def test_every_live_source_of_the_registry_has_a_service_here() -> None:
    assert {*SERVICES} == {*LIVE_SOURCE_REGISTRY.names}


def doi(document: Document) -> str:
    id = document.reference.id
    return id.removeprefix("doi:") if id.startswith("doi:") else ""


def ids(source: Source, documents: Sequence[Document]) -> set[str]:
    """What documents are called there."""
    own = NUMBERED.get(source.name)
    return {f"{own}{DOCUMENTS.index(one) + 1}" if own else one.reference.id for one in documents}


STORES: list[Make] = [told, lexical, hybrid, probed]
FAITHFUL: list[Make] = [registered(name) for name in ("pubmed", "pmc", "europe_pmc")]
"""Live sources whose documents have the ids, words and dates that they were made of."""

SOURCES = each_row("make", [*STORES, *FAITHFUL])
ANY = each_row("make", [*STORES, *(registered(name) for name in LIVE_SOURCE_REGISTRY.names)])
"""All of the registry, so that a new one cannot be forgotten."""
STORED = each_row("make", STORES)
LIVE = each_row("make", FAITHFUL)
INDEXES = each_row("make", STORES[1:])


@SOURCES
async def test_it_finds_what_it_holds_and_says_who_it_is(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    assert isinstance(source, Source)
    card = await source.describe()
    assert (card.name, card.kind) == (source.name, "research")
    hits = (await source.search(GOUT, 100)).hits
    assert {hit.passage.reference.id for hit in hits} == ids(source, DOCUMENTS)
    assert len(hits) == sum(len(cut_passages(one)) for one in DOCUMENTS)
    assert card.live or (card.documents, card.passages) == (len(DOCUMENTS), len(hits))


@ANY
async def test_every_hit_is_a_slice_of_the_document_that_it_opens(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    for hit in (await source.search(GOUT, 100)).hits:
        opened = await source.open(hit.passage.reference.id)
        assert opened.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert opened.reference == hit.passage.reference
        assert hit.passage.section in HEADINGS.get(source.name, {"Results"})


@each_row("name", LIVE_SOURCE_REGISTRY.names)
async def test_a_live_source_is_what_its_entry_says(name: str, tmp_path: Path) -> None:
    entry = LIVE_SOURCE_REGISTRY.find(name)
    info = await (await registered(name)(tmp_path, [])).describe()
    assert (info.name, info.kind, info.live) == (entry.name, entry.kind, True)


@each_row("name", LIVE_SOURCE_REGISTRY.names)
def test_an_entry_names_the_module_that_asks_and_the_address_that_it_knows(name: str) -> None:
    entry = LIVE_SOURCE_REGISTRY.find(name)
    module = import_module(f"wellsourced.{entry.module}")
    assert entry.url in ("", getattr(module, "URL", entry.url))
    assert entry.url.startswith("https://") or not entry.url


@STORED
async def test_an_opened_document_is_the_one_that_went_in(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    assert [await source.open(one.reference.id) for one in DOCUMENTS] == list(DOCUMENTS)


@ANY
async def test_hits_come_best_first_none_twice_and_never_more_than_asked_for(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    for limit in (1, 2, 5):
        hits = (await source.search(GOUT, limit)).hits
        assert len(hits) == limit
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert len({hit.passage.id for hit in hits}) == limit
    assert (await source.search(GOUT, 0)).hits == []


@ANY
async def test_the_same_query_gives_the_same_list_also_when_asked_all_at_once(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    first = await source.search(GOUT, 10)
    assert await asyncio.gather(*(source.search(GOUT, 10) for _ in range(8))) == [first] * 8


@SOURCES
@pytest.mark.parametrize(
    "limits",
    [
        {"since": date(2020, 5, 3)},
        {"since": date(2020, 5, 4)},
        {"as_of": date(2019, 2, 1)},
        {"as_of": date(2019, 1, 31)},
        {"since": date(2019, 2, 28), "as_of": date(2021, 1, 1)},
        {"exclude": ("pubmed:1", 'doi:10.1000/it\'s "odd" \\ (5)')},
        {"exclude": ("x') OR ('1' = '1",)},
        {"as_of": date(2020, 12, 31), "exclude": ("pubmed:3",)},
    ],
)
async def test_dates_and_exclusions_are_obeyed_to_the_day(
    make: Make, tmp_path: Path, limits: dict[str, object]
) -> None:
    source = await make(tmp_path, DOCUMENTS)
    query = GOUT.model_copy(update=limits)
    allowed = [one for one in DOCUMENTS if is_eligible(query, one.reference)]
    assert {hit.passage.reference.id for hit in (await source.search(query, 100)).hits} == ids(source, allowed)


@ANY
async def test_an_unknown_document_is_not_found(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    for id in ("pubmed:99", "", "' OR 1=1 --"):
        with pytest.raises(NotFoundError):
            await source.open(id)


@LIVE
async def test_a_live_source_says_that_it_is_one_and_gives_what_was_published(make: Make, tmp_path: Path) -> None:
    source = await make(tmp_path, DOCUMENTS)
    assert (await source.describe()).live
    for one in DOCUMENTS:
        (id,) = ids(source, [one])
        opened = await source.open(id)
        assert one.text in opened.text
        assert (opened.reference.published, opened.reference.doi) == (one.reference.published, doi(one))


async def test_a_source_that_is_down_says_so_instead_of_finding_nothing() -> None:
    source = FakeSource("down", failure=SourceRefused("down: closed for good"))
    with pytest.raises(SourceRefused):
        await source.search(GOUT, 10)


@INDEXES
async def test_adding_a_document_replaces_the_one_of_its_id_whole(make: Make, tmp_path: Path) -> None:
    index = await make(tmp_path, DOCUMENTS)
    assert isinstance(index, IncrementalIndex)
    odd = DOCUMENTS[-1].reference.id
    await index.add([document(odd, "Febuxostat lowers urate.", "2023")])
    assert {hit.passage.reference.id for hit in (await index.search(GOUT, 2)).hits} <= {
        f"pubmed:{n}" for n in range(1, 5)
    }
    (hit, *_) = (await index.search(Query(terms=("febuxostat", "lowers", "urate")), 1)).hits
    assert (hit.passage.reference.id, hit.passage.text) == (odd, "Febuxostat lowers urate.")
    assert (await index.describe()).passages == len(DOCUMENTS)
    assert (await index.describe()).last == 2023


@INDEXES
async def test_removed_documents_are_gone_and_may_come_back(make: Make, tmp_path: Path) -> None:
    index = await make(tmp_path, DOCUMENTS)
    assert isinstance(index, IncrementalIndex)
    gone = ["pubmed:2", DOCUMENTS[-1].reference.id]
    assert await index.remove([*gone, "pubmed:99"]) == 2
    assert await index.remove(gone) == 0
    assert {hit.passage.reference.id for hit in (await index.search(GOUT, 100)).hits} == {
        "pubmed:1",
        "pubmed:3",
        "pubmed:4",
    }
    with pytest.raises(NotFoundError):
        await index.open("pubmed:2")
    await index.add([DOCUMENTS[1]])
    assert await index.open("pubmed:2") == DOCUMENTS[1]
    assert "pubmed:2" in {hit.passage.reference.id for hit in (await index.search(GOUT, 100)).hits}


@INDEXES
async def test_of_two_documents_with_one_id_in_one_call_the_later_counts(make: Make, tmp_path: Path) -> None:
    index = await make(tmp_path, [])
    assert isinstance(index, IncrementalIndex)
    await index.add([DOCUMENTS[0], DOCUMENTS[0].model_copy(update={"text": "Allopurinol.", "sections": ()})])
    assert (await index.open("pubmed:1")).text == "Allopurinol."
    assert (await index.describe()).documents == 1


@INDEXES
async def test_adding_at_once_from_several_tasks_loses_and_doubles_nothing(make: Make, tmp_path: Path) -> None:
    index = await make(tmp_path, [])
    assert isinstance(index, IncrementalIndex)
    await asyncio.gather(*(index.add([one]) for one in [*DOCUMENTS, *DOCUMENTS]))
    hits = (await index.search(GOUT, 100)).hits
    assert len(hits) == len({hit.passage.id for hit in hits}) == sum(len(cut_passages(one)) for one in DOCUMENTS)


@INDEXES
async def test_a_library_remembers_its_files(make: Make, tmp_path: Path) -> None:
    assert isinstance(await make(tmp_path, []), IncrementalIndex)


GOUTS = """data-version: 2020-05-03
ontology: gouts

[Term]
id: GOUT:1
name: gout
def: "An arthritis with crystals." []
synonym: "podagra" EXACT []
is_a: GOUT:2 ! arthritis
"""


async def test_a_graph_promises_the_same_of_its_concepts(tmp_path: Path) -> None:
    (tmp_path / "gouts.obo").write_text(GOUTS)
    source = Graph(tmp_path / "graph.sqlite3", write=True)
    await source.add_from(tmp_path / "gouts.obo")
    assert isinstance(source, Source)
    assert isinstance(source, Thesaurus)
    hits = (await source.search(GOUT, 100)).hits
    assert len(hits) == len({hit.passage.id for hit in hits}) == 3
    assert (await source.search(GOUT, 2)).hits == hits[:2]
    assert (await source.search(GOUT, 0)).hits == []
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        opened = await source.open("GOUT:1")
        assert opened.text[hit.passage.start : hit.passage.end] == hit.passage.text
        assert opened.reference == hit.passage.reference
    for limits in ({"since": date(2020, 5, 4)}, {"as_of": date(2020, 5, 2)}, {"exclude": ("GOUT:1",)}):
        assert (await source.search(GOUT.model_copy(update=limits), 100)).hits == []
    for id in ("GOUT:99", "", "' OR 1=1 --"):
        with pytest.raises(NotFoundError):
            await source.open(id)
