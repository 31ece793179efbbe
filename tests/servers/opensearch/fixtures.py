"""The server of a whole run of the tests, and engines on it; imported by the `conftest.py` of who needs them."""

import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

import pytest

from tests.servers.opensearch.node import Node, describe_missing, running_nodes
from wellsourced.http import Client
from wellsourced.sources.library.engines import EngineAddress
from wellsourced.sources.library.opensearch.engine import OpenSearchEngine, open_engine

OpenOn = Callable[..., OpenSearchEngine]


def skip_without_server() -> None:
    """Skip the test where no server can be built, with the reason."""
    if missing := describe_missing():
        pytest.skip(missing)


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """One node, for all tests of this process."""
    skip_without_server()
    try:
        with running_nodes(tmp_path_factory.mktemp("opensearch")) as (one,):
            yield one
    except subprocess.CalledProcessError as error:
        pytest.skip(f"OpenSearch cannot be built: {error}")


@pytest.fixture
async def open_on() -> AsyncIterator[OpenOn]:
    """Opens engines on nodes, by the name of the index."""
    async with Client() as client:

        def open_(*nodes: Node, index: str = "library", owner: str = "a" * 32, encoder: str = "") -> OpenSearchEngine:
            return open_engine(EngineAddress(address_of(nodes, index), "trials", owner, encoder), client)

        yield open_


def address_of(nodes: Sequence[Node], index: str) -> str:
    """The address of a library that all of these nodes may be asked for."""
    return f"opensearch://{','.join(one.url.removeprefix('http://') for one in nodes)}/{index}"
