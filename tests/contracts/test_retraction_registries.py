"""What every registry of retractions promises (sources/base.py): one body, run on each of the registry."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.servers.crossref import CrossrefServer, update, work
from tests.servers.eutils import article, eutils
from tests.sources.retraction_rows import row, snapshot
from tests.tables import each_row
from wellsourced.config.registry import RETRACTION_REGISTRY, Connection
from wellsourced.errors import SourceError, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.base import RetractionRegistry
from wellsourced.types import Reference

RETRACTED = Reference(id="pubmed:1", pmid="1", doi="10.1000/withdrawn")
STANDING = Reference(id="pubmed:2", pmid="2", doi="10.1000/stands")
UNKNOWN = Reference(id="pubmed:3", pmid="3", doi="10.1000/nobody-knows")
ODD = Reference(id="url:x", doi='10.1000/it\'s "odd" \\ (5)', title="' OR 1=1 --")

Make = Callable[[Path, AsyncExitStack], Awaitable[RetractionRegistry]]


async def open_client(stack: AsyncExitStack) -> Client:
    return await stack.enter_async_context(Client(attempts=1, clock=Moments().clock))


async def serve_pubmed(folder: Path, stack: AsyncExitStack) -> Connection:
    records = [
        article("1", "A trial", types=("Journal Article", "Retracted Publication"), notices=[("RetractionIn", "9")]),
        article("2", "Another trial"),
    ]
    return Connection(await open_client(stack), stack.enter_context(eutils(records)).url)


async def serve_crossref(folder: Path, stack: AsyncExitStack) -> Connection:
    works = [work(RETRACTED.doi, updated_by=[update("retraction", "10.1000/n", 2020, 6, 5)]), work(STANDING.doi)]
    return Connection(await open_client(stack), stack.enter_context(serving(CrossrefServer(works))).url)


SERVICES: dict[str, Callable[[Path, AsyncExitStack], Awaitable[Connection]]] = {
    "pubmed": serve_pubmed,
    "crossref": serve_crossref,
}
FILES: dict[str, Callable[[Path], Path]] = {
    "retraction_watch": lambda folder: snapshot(folder, row(1, RETRACTED.doi, RETRACTED.pmid)),
}
"""What each of the registry is asked at, or reads: a new one cannot be forgotten."""


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as one:
        yield one


@pytest.fixture(params=RETRACTION_REGISTRY.names)
async def registry(request: pytest.FixtureRequest, tmp_path: Path, stack: AsyncExitStack) -> RetractionRegistry:
    entry = RETRACTION_REGISTRY.find(request.param)
    if entry.name in FILES:
        return entry.build(FILES[entry.name](tmp_path))
    return entry.build(await SERVICES[entry.name](tmp_path, stack))


def test_every_registry_has_a_case_here() -> None:
    assert {*SERVICES, *FILES} == {*RETRACTION_REGISTRY.names}
    assert {*FILES} == {name for name, entry in RETRACTION_REGISTRY.entries.items() if not entry.url}


def test_it_fills_the_seam_and_has_a_name(registry: RetractionRegistry) -> None:
    assert isinstance(registry, RetractionRegistry)
    assert registry.name


async def test_a_retracted_work_is_told_with_its_notice_and_its_day(registry: RetractionRegistry) -> None:
    known = await registry.retractions([RETRACTED])
    assert {*known} == {RETRACTED.id}
    assert known[RETRACTED.id].status == "true"
    assert known[RETRACTED.id].notices
    assert known[RETRACTED.id].as_of


async def test_of_what_stands_it_never_says_that_it_was_retracted(registry: RetractionRegistry) -> None:
    known = await registry.retractions([STANDING])
    assert all(one.status == "false" for one in known.values())


async def test_what_it_does_not_know_is_not_in_the_mapping(registry: RetractionRegistry) -> None:
    assert await registry.retractions([UNKNOWN, ODD]) == {}


async def test_of_several_each_gets_its_own_word_and_twice_the_same(registry: RetractionRegistry) -> None:
    known = await registry.retractions([UNKNOWN, STANDING, RETRACTED, RETRACTED])
    assert {id for id, one in known.items() if one.status == "true"} == {RETRACTED.id}
    assert await registry.retractions([RETRACTED, STANDING, UNKNOWN]) == known


async def test_nothing_asked_is_nothing_answered(registry: RetractionRegistry) -> None:
    assert await registry.retractions([]) == {}


def fail(asked: Asked) -> Said:
    return Said(b"out of order", 500, "text/plain")


@each_row("name", SERVICES)
async def test_its_silence_is_an_error_and_never_a_clean_bill(name: str, stack: AsyncExitStack) -> None:
    build = RETRACTION_REGISTRY.find(name).build
    assert build
    served = stack.enter_context(serving(fail))
    with pytest.raises(SourceUnavailable):
        await build(Connection(await open_client(stack), served.url)).retractions([RETRACTED])


@each_row("name", FILES)
async def test_a_file_that_is_no_such_table_is_an_error_and_never_a_clean_bill(name: str, tmp_path: Path) -> None:
    open_file = RETRACTION_REGISTRY.find(name).build
    (tmp_path / "page.csv").write_text("<html>Not Found</html>")
    with pytest.raises(SourceError):
        await open_file(tmp_path / "page.csv").retractions([RETRACTED])
