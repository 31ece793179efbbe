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


@asynccontextmanager
async def open_graph(settings: Settings, *, write: bool = False, judge: Judge | None = None) -> AsyncIterator["Graph"]:
    """The graph, closed in the end; made when it is written and not there.

    judge   of relevance; None: the words in common

    Raises NotFoundError, SourceUnavailable, SourceRefused.
    """
    from wellsourced.judges.calibration import load_calibration
    from wellsourced.judges.overlap import OverlapJudge
    from wellsourced.sources.graph.source import Graph

    judge = judge or OverlapJudge(load_calibration("relevance", "overlap"))
    with closing(Graph.at(graph_path(settings), write, judge=judge)) as graph:
        yield graph
