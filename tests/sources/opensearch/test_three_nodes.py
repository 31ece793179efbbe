"""A library on three real nodes: one is killed, or its disk fills. Nothing is lost, and what is missing is told.

`make cluster` runs them: three servers start in half a minute and take two gigabytes.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.servers.opensearch.fixtures import OpenOn, address_of, skip_without_server
from tests.servers.opensearch.node import Node, running_nodes
from tests.sources.corpus import document
from wellsourced.errors import SourceError, SourceUnavailable
from wellsourced.http import Client
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import EngineAddress, NewPassage, PassageFilter, PassageFinder
from wellsourced.sources.library.opensearch.engine import OpenSearchEngine, open_engine
from wellsourced.text.dates import NO_DAYS

pytestmark = [pytest.mark.opensearch, pytest.mark.nightly]

ANY = PassageFilter()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    skip_without_server()
    with running_nodes(tmp_path_factory.mktemp("cluster"), count=3) as nodes:
        yield nodes


@pytest.fixture
def cluster(running: list[Node]) -> Iterator[list[Node]]:
    """Three nodes, green; those that a test kills are started again after it."""
    yield running
    alive = next(node for node in running if node.is_running)
    for name in alive.ask("GET", "/_cat/indices?format=json&h=index"):
        alive.ask("DELETE", f"/{name['index']}")
    for node in running:
        if not node.is_running:
            node.start()
    for node in running:
        node.wait_until(nodes=3)


def passages(first: int, count: int, hash: int = 7) -> list[NewPassage]:
    return [NewPassage(f"doc:{n}#0-10", hash, NO_DAYS, f"gout flares {n}") for n in range(first, first + count)]


async def write(engine: OpenSearchEngine, first: int, count: int) -> None:
    new = passages(first, count)
    await engine.replace([one.document_id for one in new], new)


async def kill_amid(node: Node, work: Callable[[], Awaitable[object]], after: float) -> None:
    """Kill a node while something is under way, and wait for its end."""
    under_way = asyncio.ensure_future(work())
    await asyncio.sleep(after)
    await asyncio.to_thread(node.kill)
    await under_way


async def test_a_node_that_dies_amid_searches_costs_no_passage(cluster: list[Node], open_on: OpenOn) -> None:
    engine = open_on(*cluster[::-1])
    await engine.prepare()
    await write(engine, 0, 300)
    engine.refresh()
    found: list[tuple[int, tuple[str, ...]]] = []

    async def search() -> None:
        until = time.monotonic() + 12
        while time.monotonic() < until:
            try:
                ranking = await engine.rank_by_words("gout", "", ANY, 1_000)
            except SourceUnavailable as error:
                found.append((-1, (str(error),)))
            else:
                found.append((len(ranking.passages), ranking.notes))

    # The one that is asked first.
    await kill_amid(cluster[-1], search, 4)
    # Each search found all, or told what it did not find.
    assert all(count == 300 or notes for count, notes in found)
    cluster[0].wait_until("yellow")
    assert len((await engine.rank_by_words("gout", "", ANY, 1_000)).passages) == 300


async def test_a_node_that_dies_amid_a_bulk_loses_nothing_that_was_taken(cluster: list[Node], open_on: OpenOn) -> None:
    engine = open_on(*cluster)
    await engine.prepare()
    taken: list[int] = []
    failed: list[int] = []

    async def fill() -> None:
        for first in range(0, 6_000, 200):
            try:
                await write(engine, first, 200)
                taken.append(first)
            except SourceUnavailable:
                failed.append(first)

    await kill_amid(cluster[1], fill, 4)
    cluster[0].wait_until("yellow")
    counted = await engine.count_by_document()
    assert all(counted.get(f"doc:{first + n}") == (7, 1) for first in taken for n in range(200))
    # What was not taken is still pending in a library's catalogue, and comes again.
    for first in failed:
        await write(engine, first, 200)
    assert (await engine.count()).passages == 6_000


async def test_a_node_that_dies_amid_a_copy_stops_it_at_most_and_the_next_goes_on(
    cluster: list[Node], tmp_path: Path
) -> None:
    encoder = HashedEncoder()
    Library.create(tmp_path, "here", "own", encoder)
    here = Library.at(tmp_path, "here", encoder, write=True)
    await here.add([document(number) for number in range(3_000)])
    await here.embed_passages()
    here.close()
    async with Client() as client:

        def connect(address: EngineAddress) -> PassageFinder:
            return open_engine(address, client)

        Library.create(tmp_path, "there", "own", encoder, engine=address_of(cluster, "copied"))

        async def copy() -> bool:
            source = Library.at(tmp_path, "here", encoder)
            target = Library.at(tmp_path, "there", encoder, write=True, open_engine=connect)
            try:
                return (await target.copy_from(source)).is_whole
            finally:
                target.close()
                source.close()

        async def begin() -> None:
            try:
                await copy()
            except SourceError as error:
                assert "try again" in str(error) or "Cannot reach" in str(error), error

        await kill_amid(cluster[2], begin, 3)
        cluster[0].wait_until("yellow")
        assert await copy()
        there = Library.at(tmp_path, "there", encoder, write=True, open_engine=connect)
        assert await there.find_unsearchable() == []
        assert (await there.describe())[2:5] == (3_000, 3_000, 3_000)
        there.close()


async def test_shards_that_are_on_no_node_are_a_gap_and_nothing_is_written(
    cluster: list[Node], open_on: OpenOn
) -> None:
    engine = open_on(*cluster)
    await engine.prepare()
    # As an administrator does who wants no copies: each shard is then on one machine alone.
    alone = {"index": {"auto_expand_replicas": False, "number_of_replicas": 0}}
    for name in ("library-1", "library-vectors-1"):
        cluster[0].ask("PUT", f"/{name}/_settings", alone)
    await write(engine, 0, 300)
    engine.refresh()
    shards = cluster[0].ask("GET", "/_cat/shards/library-1?format=json")
    assert len({shard["node"] for shard in shards}) == 3
    await asyncio.to_thread(cluster[2].kill)
    cluster[0].wait_until("red", nodes=2)
    ranking = await engine.rank_by_words("gout", "", ANY, 1_000)
    assert "1 of 3 shards of " in ranking.notes[0]
    assert "did not answer" in ranking.notes[0]
    assert 0 < len(ranking.passages) < 300
    with pytest.raises(SourceUnavailable, match=r"1 of 3 shards of .* did not answer"):
        await engine.count()
    with pytest.raises(SourceUnavailable, match="is red: 1 shards are on no running node"):
        await open_on(*cluster[:2]).prepare()


async def test_a_disk_that_fills_up_blocks_and_is_told(cluster: list[Node], open_on: OpenOn) -> None:
    engine = open_on(*cluster)
    await engine.prepare()
    await write(engine, 0, 10)
    disk = "cluster.routing.allocation.disk"
    marks = {f"{disk}.watermark.{level}": "900tb" for level in ("low", "high", "flood_stage")}
    # Every disk has less free space than that.
    limits = {"transient": {**marks, f"{disk}.threshold_enabled": True, "cluster.info.update.interval": "10s"}}
    cluster[0].ask("PUT", "/_cluster/settings", limits)
    try:
        until = time.monotonic() + 90
        with pytest.raises(SourceUnavailable, match=r"the server's disk is nearly full\. Free space there"):
            while time.monotonic() < until:
                await write(engine, 10, 10)
                await asyncio.sleep(2)
    finally:
        cluster[0].ask("PUT", "/_cluster/settings", {"transient": dict.fromkeys(limits["transient"])})
    # Where space was freed the server takes the block away itself, or its administrator does.
    cluster[0].ask("PUT", "/library*/_settings", {"index.blocks.read_only_allow_delete": None})
    await write(engine, 10, 10)
    assert (await engine.count()).passages == 20
