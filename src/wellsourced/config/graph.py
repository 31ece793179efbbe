"""The graph of concepts: one file in home, whatever vocabularies it holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from wellsourced.config.settings import Settings
from wellsourced.judges.base import Judge

if TYPE_CHECKING:
    from wellsourced.sources.graph.source import Graph

GRAPH_FILE = "graph.sqlite3"


def graph_path(settings: Settings) -> Path:
    """Where the graph lies, once it holds anything."""
    return settings.home / GRAPH_FILE


def find_graph(settings: Settings, judge: Judge, *, named: bool) -> "Graph | None":
    """The graph, opened for reading: it knows names and headings also when it is not searched. None without one.

    named   it was asked for by its name: raises NotFoundError when there is none
    """
    if not named and not graph_path(settings).exists():
        return None
    from wellsourced.sources.graph.source import Graph

    return Graph.at(graph_path(settings), judge=judge)


@asynccontextmanager
async def open_graph(settings: Settings, *, write: bool = False) -> AsyncIterator["Graph"]:
    """The graph, closed in the end; made when it is written and not there. Raises NotFoundError, SourceUnavailable,
    SourceRefused."""
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.overlap import OverlapJudge
    from wellsourced.sources.graph.source import Graph

    judge = OverlapJudge(load_calibration("relevance", "overlap"))
    with closing(Graph.at(graph_path(settings), write, judge=judge)) as graph:
        yield graph


@asynccontextmanager
async def open_graph_headings(settings: Settings) -> AsyncIterator["Graph | None"]:
    """The graph as who knows headings, closed in the end; None where there is none."""
    if not graph_path(settings).exists():
        yield None
        return
    async with open_graph(settings) as graph:
        yield graph
