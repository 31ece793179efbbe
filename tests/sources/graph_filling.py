"""Adds files to a graph in small batches, to be killed: python -m tests.sources.graph_filling GRAPH FILE…

It says "ready" once everything is imported, "batch" for each that is stored and "added" when it came to its end.
"""

import asyncio
import sys
from pathlib import Path

from wellsourced.events import Event, Progress
from wellsourced.sources.graph import file_ingestion as build
from wellsourced.sources.graph.source import Graph
from wellsourced.storage import ingestion_progress


class Teller:
    """Says when more is stored than was; a file that is gone on with is read over first."""

    def __init__(self) -> None:
        self.stored = (0, 0)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress) and event.task == "reading":
            stored = (event.documents, event.passages)
            if stored != self.stored and self.stored != (0, 0):
                print("batch", flush=True)
            self.stored = stored


async def _add(path: Path, files: list[Path]) -> None:
    graph = Graph(path, write=True)
    for file in files:
        await graph.add_from(file, Teller())
    graph.close()
    print("added", flush=True)


if __name__ == "__main__":
    build.BATCH_ROWS = 150
    ingestion_progress.INTERVAL = 0.0
    print("ready", flush=True)
    asyncio.run(_add(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
